"""A Battleship player without I/O for a human: the human places the fleet and shoots, and the program answers shots.

The dialect has no message for placing ships, so the server starts the game whether they are placed or not. A shot that
comes before is answered when they are.

Source: docs/specs/battleship.md#gameds-players, docs/reference/battleship.md#messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, TypeGuard

from attrs import define, field

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn, RemoteProtocolError
from gamed.games.battleship.chart import Chart
from gamed.games.battleship.fleet import BOARD, FLEET, PLACEMENTS, SIZE, AnswerError, Cell, Sea, cells, full_rim
from gamed.games.battleship.follower import Follower, spoken
from gamed.games.battleship.placement import Defence, PlacementError, place_fleet
from gamed.games.battleship.states import Phase
from gamed.games.battleship.wire import Code, Command, Opcode

_WAITING = (Phase.INITIALIZATION, Phase.TOLD_TO_DEFEND, Phase.TOLD_TO_ATTACK)
_WORDS = {
    Phase.ATTACK: "shoot",
    Phase.AWAIT: "await",
    Phase.DEFENCE: "defend",
    Phase.ANSWER: "defend",
    Phase.WON: "over",
    Phase.LOST: "over",
}
_OWN, _ENEMY = 0, 1

FAULTS_KEPT = 10
"""The number of wrong lines of the enemy that are shown."""


@define
class Person(Follower):
    """Plays one match as a human says. Ships are placed at random until the human places others.

    If the enemy lies or breaks other rules, the human sees a message and plays on. Whether to leave is the human's
    decision.

    Ships do not touch, not even at corners, so they are legal for every referee. Source:
    docs/specs/battleship.md#ship-placement.
    """

    random: Random
    is_ready: bool = field(default=False, init=False)
    """Whether the ships are placed."""

    shots: int = field(default=0, init=False)
    """How many shots the human has fired."""

    _defence: Defence = field(init=False)
    _chart: Chart = field(factory=Chart, init=False)
    _sea: Sea | None = field(factory=Sea.start, init=False)
    """What the enemy's answers have revealed; None: they were untrue."""

    _faults: list[dict[str, str]] = field(factory=list, init=False)
    """The enemy's first wrong lines."""

    _kept: Cell | None = field(default=None, init=False)
    """The enemy's shot that is answered when the ships are placed."""

    _last: dict[str, dict[str, Any]] = field(factory=dict, init=False)
    """The last shot of each side."""

    _broken: RemoteProtocolError | None = field(default=None, init=False)
    """The error that has ended the match."""

    _is_concluded: bool = field(default=False, init=False)
    """Whether the daemon has told how the match ended."""

    _has_won: bool | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self._defence = Defence(place_fleet(self.random))

    # The wire

    @property
    def is_done(self) -> bool:
        """Whether the match is over, or was ended by an error."""
        return self._broken is not None or self._is_concluded or self.phase in (Phase.WON, Phase.LOST)

    @property
    def won(self) -> bool | None:
        """Whether the match was won; None while it is undecided, and if nobody won it."""
        return self._has_won if self._is_concluded else super().won

    def conclude(self, *, won: bool | None) -> None:
        """Take the outcome of the match from the daemon, because the wire does not have it. None: nobody has won."""
        self._is_concluded, self._has_won = True, won
        self._broken = None

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server, and return the answers that need no decision of the human.

        Raises RemoteProtocolError, once, if the server closes too early or sends an endless line. The match is over
        then. Bytes after the end are ignored.
        """
        if self.is_done:
            return b""
        try:
            return super().receive_data(data)
        except RemoteProtocolError as error:
            if self.won is not None:
                return b""
            self._broken = error
            raise

    def _line(self, line: bytes) -> bytes:
        try:
            return super()._line(line)
        except RemoteProtocolError as error:
            self._note(error.code, str(error))
            if self.phase is Phase.AWAIT and line.lstrip(b" (").startswith(b"%d" % Opcode.ANSWER):
                # This was meant as the answer to the shot: the enemy goes on, so the turn ends. The cell stays unknown.
                self.phase = Phase.DEFENCE
            return b""

    def _note(self, code: str, text: str) -> None:
        if len(self._faults) < FAULTS_KEPT:
            self._faults.append({"code": code, "text": text})

    def _learn(self, code: int) -> None:
        self._last["you"] = _shot_facts(self._shot, code)
        self._chart.mark(self._shot, code)
        try:
            self._sea = self._sea and self._sea.answered(self._shot, code)
        except AnswerError as error:
            self._sea = None
            # With this answer the enemy has lost, whether it is true or not.
            if code != Code.LAST_SUNK:
                self._note("dishonest", f"the enemy's answers cannot be true: {error}")

    def _defend(self, cell: Cell) -> list[Command]:
        self._kept = cell
        return self._answer_kept() if self.is_ready else []

    def _answer_kept(self) -> list[Command]:
        if self._kept is None:
            return []
        cell, self._kept = self._kept, None
        code = self._defence.answer(cell)
        self._last["enemy"] = _shot_facts(cell, code)
        return [self._answers(cell, code)]

    def _attack(self) -> list[Command]:
        return []

    # The human

    def act(self, action: Mapping[str, Any]) -> bytes:
        """Return the bytes to send for an action. Raises RuleError, and changes nothing then.

        * `{"do": "roll"}` places the ships at random.
        * `{"do": "place", "ships": [[x, y, length, "h" or "v"], ...]}` places them; x and y are the column and row of
          each ship's first cell, from 0.
        * `{"do": "ready"}` ends placing.
        * `{"do": "shoot", "at": [x, y]}` shoots.
        """
        match action.get("do"):
            case "roll":
                self._must_be_placing()
                return self._roll()
            case "place":
                fleet = _read_fleet(action.get("ships"))
                self._must_be_placing()
                self._defence.fleet = fleet
                return b""
            case "ready":
                self._must_be_placing()
                self.is_ready = True
                return spoken(self._answer_kept())
            case "shoot":
                return self._shoot(_read_cell(action.get("at")))
        raise InvalidMove('an action says what to "do": "roll", "place", "ready" or "shoot"')

    def _must_be_placing(self) -> None:
        if self.is_done:
            raise NotYourTurn("the game is over", code="over")
        if self.is_ready:
            raise IllegalMove("the ships are placed and cannot be moved any longer", code="placed")

    def _roll(self) -> bytes:
        try:
            self._defence.fleet = place_fleet(self.random)
        except PlacementError as error:
            raise IllegalMove(f"{error}; try again", code="no-place") from error
        return b""

    def _shoot(self, cell: Cell) -> bytes:
        if self.is_done:
            raise NotYourTurn("the game is over", code="over")
        if not self.is_ready:
            raise IllegalMove("place your ships first, and say that you are ready", code="not-ready")
        if self.phase is not Phase.ATTACK:
            raise NotYourTurn("it is not your turn to shoot")
        if not self._unknown >> cell & 1:
            raise IllegalMove(f"you have shot at {_label(cell)} before", code="known-cell")
        shot = self._shoots(cell)
        self.shots += 1
        self._last["you"] = _shot_facts(cell, None)
        return spoken([shot])

    @property
    def _unknown(self) -> int:
        return BOARD & ~self._chart.known

    # What the human sees

    def view(self) -> Mapping[str, Any]:
        """Return what the human may see and do, as data for JSON. Cells are x + 10 * y.

        * `is_blind`: whether the room's own view must be hidden from the human
        * `phase`: "placing", "waiting" (for an enemy), "shoot", "await" (the answer), "defend", "over" or "broken"
        * `board`: as in `Battleship.view`. Seat 0 is the human and seat 1 the enemy, because the wire does not tell the
          seats
        * `you`:
          * `seat`: None, because the wire does not tell it
          * `started`: whether both players are there
          * `awaited`: whether the enemy waits until the ships are placed
          * `may`: the permitted actions
          * `fleet`: `ships` in the format of "place", and the cells of ships (`cells`), of `hits` on ships afloat, of
            ships `sunk` and of misses (`water`)
          * `enemy`: what is known of the enemy, as in `board`
          * `targets`: the cells that may be shot at now
          * `shots`: how many shots the human has fired
          * `last`: the last shot of each side ("you", "enemy"), if there was one: `at` [x, y], and the answer's `code`
            (None: it has not come)
          * `faults`: the enemy's first wrong lines, each with its `code` and `text` ("dishonest": its answers cannot be
            true)
          * `broken`: the `code` and `text` of the error that has ended the match, or None
        * `won`: whether the human has won; None: undecided, or nobody
        """
        own, enemy = self._own_waters(), self._chart.facts()
        return {
            # The human must not see the enemy's first shot before the ships are placed.
            "is_blind": not self.is_ready,
            "phase": self._phase_word,
            "board": {
                "attacker": self._attacker,
                "shot": _xy(self._shot) if self.phase is Phase.AWAIT else None,
                "boards": [own, enemy],
                "winner": None if self.won is None else _OWN if self.won else _ENEMY,
            },
            "you": {
                "seat": None,
                "started": self.phase not in _WAITING,
                "awaited": not self.is_ready and self.phase in (Phase.ATTACK, Phase.ANSWER),
                "may": self._may,
                "fleet": {**own, "ships": list(map(_ship_data, self._defence.fleet)), "cells": self._ship_cells},
                "enemy": enemy,
                "targets": list(cells(self._unknown)) if "shoot" in self._may else [],
                "shots": self.shots,
                "last": dict(self._last),
                "faults": list(self._faults),
                "broken": self._broken and {"code": self._broken.code, "text": str(self._broken)},
            },
            "won": self.won,
        }

    @property
    def _phase_word(self) -> str:
        if self._broken is not None:
            return "broken"
        if self._is_concluded:
            return "over"
        if not self.is_ready:
            return "placing"
        return _WORDS.get(self.phase, "waiting")

    @property
    def _may(self) -> list[str]:
        if self.is_done:
            return []
        if not self.is_ready:
            return ["place", "roll", "ready"]
        return ["shoot"] if self.phase is Phase.ATTACK else []

    @property
    def _attacker(self) -> int | None:
        if self.phase in _WAITING:
            return None
        return _OWN if self.phase in (Phase.ATTACK, Phase.AWAIT, Phase.WON) else _ENEMY

    @property
    def _ship_cells(self) -> list[Cell]:
        return list(cells(sum(self._defence.fleet)))

    def _own_waters(self) -> dict[str, list[int]]:
        """Return what the enemy knows of the human's board."""
        fleet, shots = self._defence.fleet, self._defence.shots
        afloat = [ship for ship in fleet if ship & ~shots]
        return {
            "water": list(cells(shots & ~sum(fleet))),
            "hits": list(cells(shots & sum(afloat))),
            "sunk": list(cells(sum(fleet) - sum(afloat))),
            "afloat": [ship.bit_count() for ship in afloat],
        }


def _shot_facts(cell: Cell, code: int | None) -> dict[str, Any]:
    return {"at": _xy(cell), "code": code}


def _xy(cell: Cell) -> list[int]:
    return [cell % SIZE, cell // SIZE]


def _label(cell: Cell) -> str:
    """Return a cell's label on the boards of the protocol's text, such as C5."""
    return f"{'ABCDEFGHIJ'[cell // SIZE]}{cell % SIZE + 1}"


def _ship_data(ship: int) -> list[int | str]:
    """Return a ship in the format of the action "place"."""
    first, *others = cells(ship)
    return [*_xy(first), ship.bit_count(), "h" if others[0] == first + 1 else "v"]


def _is_number(value: object) -> TypeGuard[int]:
    # `isinstance` would accept True and False.
    return type(value) is int


def _read_cell(value: object) -> Cell:
    match value:
        case [x, y] if _is_number(x) and _is_number(y):
            if not (0 <= x < SIZE and 0 <= y < SIZE):
                raise IllegalMove(f"there is no cell [{x}, {y}]: columns and rows are 0 to 9", code="off-board")
            return x + SIZE * y
    raise InvalidMove('a shot says where "at": [column, row], each 0 to 9')


def _read_fleet(value: object) -> tuple[int, ...]:
    """Return the ships of the action "place", in the order of `FLEET`. Raises InvalidMove and IllegalMove."""
    if not isinstance(value, list) or len(value) != len(FLEET):
        raise InvalidMove('"ships" are five: [column, row, length, "h" or "v"] each')
    fleet = sorted(map(_read_ship, value), key=int.bit_count, reverse=True)
    if tuple(map(int.bit_count, fleet)) != FLEET:
        raise IllegalMove("a fleet has ships of 5, 4, 3, 3 and 2 cells", code="wrong-fleet")
    taken = 0
    for ship in fleet:
        if ship & taken:
            raise IllegalMove(f"the ship at {_label(next(cells(ship)))} touches another one", code="touching")
        taken |= ship | full_rim(ship)
    return tuple(fleet)


def _read_ship(value: object) -> int:
    match value:
        case [x, y, length, "h" | "v" as way] if _is_number(x) and _is_number(y) and _is_number(length):
            pass
        case _:
            raise InvalidMove('a ship is [column, row, length, "h" or "v"]')
    if length not in PLACEMENTS:
        raise IllegalMove("a fleet has ships of 5, 4, 3, 3 and 2 cells", code="wrong-fleet")
    across, down = (length, 1) if way == "h" else (1, length)
    if not (0 <= x <= SIZE - across and 0 <= y <= SIZE - down):
        raise IllegalMove(f"a ship of {length} does not fit on the board at [{x}, {y}]", code="off-board")
    return sum(1 << x + SIZE * y + step * (1 if way == "h" else SIZE) for step in range(length))


def person(random: Random, _name: str, _reservation: str | None = None) -> Person:
    """Return a person. The dialect has neither names nor reservations."""
    return Person(random)
