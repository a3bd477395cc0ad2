"""Battleship as the relay sees it: shots, answers, and what fleets the answers leave possible.

Source: battleship.md A2 and B7. The server never learns the fleets, so a state holds what each side has told of its
own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from attrs import frozen

from gamed.errors import IllegalMove, InvalidMove, NotYourTurn, RuleError
from gamed.game import CHANCE, Options, Outcome, Seat, Termination
from gamed.games.battleship.fleet import FLEET, SIZE, AnswerError, Sea, cells
from gamed.games.battleship.wire import Code, Command, Opcode, decode

NOBODY: frozenset[Seat] = frozenset()
_NUMBERS: dict[int, int] = {Opcode.ATTACK: 2, Opcode.ANSWER: 3}
_ONLY = {seat: frozenset({seat}) for seat in (CHANCE, 0, 1)}


@frozen
class State:
    """A position.

    `attacker`: who shoots in this turn (None: chance has not drawn the first one yet); `shot`: the cell that waits for
    its answer; `seas`: what the seats have told of their own waters, None where the telling was refuted.
    """

    attacker: Seat | None
    shot: int | None
    seas: tuple[Sea | None, Sea | None]
    winner: Seat | None = None


class Battleship:
    """The rules, as a `RelayedGame`. A move is a `Command`; chance's move is the seat that attacks first."""

    def setup(self, options: Options) -> State:
        """Return the start. Options: `roles` ("first-defends", "random"), `corner_contact`."""
        sea = Sea.start(corner_contact=bool(options["corner_contact"]))
        return State(None if options["roles"] == "random" else 1, None, (sea, sea))

    def to_move(self, state: State) -> frozenset[Seat]:
        """Return the one who shoots or the one who answers."""
        if state.winner is not None:
            return NOBODY
        if state.attacker is None:
            return _ONLY[CHANCE]
        return _ONLY[state.attacker if state.shot is None else 1 - state.attacker]

    def legal_moves(self, state: State, seat: Seat) -> Iterable[Command]:
        """Yield the shots or the answers that `seat` may send now."""
        if seat not in self.to_move(state) or seat == CHANCE:
            return
        if state.shot is None:
            yield from (Command(Opcode.ATTACK, (cell % SIZE, cell // SIZE)) for cell in range(SIZE * SIZE))
            return
        for code in Code:
            answer = Command(Opcode.ANSWER, (state.shot % SIZE, state.shot // SIZE, int(code)))
            try:
                self.apply(state, seat, answer)
            except RuleError:
                continue
            yield answer

    def draw(self, state: State, random: Random) -> Seat:  # noqa: ARG002 (the interface of Game)
        """Return the seat that attacks first."""
        return random.randrange(2)

    def apply(self, state: State, seat: Seat, move: Command | Seat) -> State:
        """Return the state after a command. Raises RuleError; its code names the finding."""
        if not isinstance(move, tuple):
            return State(move, None, state.seas)
        if state.winner is not None:
            raise NotYourTurn("the game is over")
        if state.shot is None:
            return self._attacked(state, seat, move)
        return self._answered(state, seat, move)

    def _attacked(self, state: State, seat: Seat, move: Command) -> State:
        if seat != state.attacker:
            raise NotYourTurn("the other side is to shoot")
        if move.opcode != Opcode.ATTACK:
            raise IllegalMove(f"opcode {move.opcode} where a shot (1) is due", code="wrong-opcode")
        return State(state.attacker, _cell(move), state.seas)

    def _answered(self, state: State, seat: Seat, move: Command) -> State:
        if seat == state.attacker:
            raise NotYourTurn("the other side is to answer first")
        if move.opcode != Opcode.ANSWER:
            raise IllegalMove(f"opcode {move.opcode} where an answer (2) is due", code="wrong-opcode")
        cell = _cell(move)
        if cell != state.shot:
            raise IllegalMove(f"answers for another cell than was shot at: {_name(state.shot)}", code="other-cell")
        code = move.numbers[2]
        if not Code.WATER <= code <= Code.LAST_SUNK:
            raise IllegalMove(f"result code {code} is not one of 1 to 4", code="unknown-code")
        sea = state.seas[seat]
        return self._told(state, seat, code, None if sea is None else sea.answered(cell, code))

    def _told(self, state: State, seat: Seat, code: int, sea: Sea | None) -> State:
        seas = (sea, state.seas[1]) if seat == 0 else (state.seas[0], sea)
        return State(seat, None, seas, 1 - seat if code == Code.LAST_SUNK else None)

    def outcome(self, state: State) -> Outcome | None:
        """Return victory once a fleet is sunk."""
        return None if state.winner is None else Outcome(Termination.VICTORY, state.winner)

    def view(self, state: State, seat: Seat | None) -> object:  # noqa: ARG002 (there is nothing to hide)
        """Return both boards as far as the answers reveal them; the server knows no more than a spectator.

        `attacker`: the seat that shoots in this turn; `shot`: the cell [x, y] that waits for its answer, or None;
        `boards`: by seat, what it has told of its own waters (see `revealed`), None where that was refuted; `winner`.
        """
        return {
            "attacker": state.attacker,
            "shot": None if state.shot is None else [state.shot % SIZE, state.shot // SIZE],
            "boards": [None if sea is None else revealed(sea) for sea in state.seas],
            "winner": state.winner,
        }

    # What a relay needs beside the rules

    def decode(self, body: bytes) -> Command | None:
        """Return the command in a line, or None."""
        return decode(body)

    def follow(self, state: State, lines: Sequence[tuple[Seat, bytes, int]]) -> State | None:
        """Return the state after legal lines, or None.

        A fleet that fits all answers fits each of them, so one search serves for all lines.
        """
        attacker, shot, winner = state.attacker, state.shot, state.winner
        told: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        for seat, body, _ in lines:
            command = decode(body)
            due = Opcode.ATTACK if shot is None else Opcode.ANSWER
            if command is None or command.opcode != due or winner is not None or (seat == attacker) != (shot is None):
                return None
            numbers = command.numbers
            if len(numbers) != _NUMBERS[due] or numbers[0] >= SIZE or numbers[1] >= SIZE:
                return None
            cell = numbers[0] + SIZE * numbers[1]
            if shot is None:
                shot = cell
            elif shot == cell:
                told[seat].append((cell, numbers[2]))
                attacker, shot = seat, None
                winner = 1 - seat if numbers[2] == Code.LAST_SUNK else None
            else:
                return None
        try:
            seas = tuple(sea and sea.told(told[seat]) for seat, sea in enumerate(state.seas))
        except AnswerError:
            return None
        return State(attacker, shot, (seas[0], seas[1]), winner)

    def ends(self, body: bytes, seat: Seat) -> Outcome | None:
        """Return the outcome if the line is an answer with code 4: its sender has lost."""
        if not body.endswith((b",4]).", b",4]")):
            return None
        command = decode(body)
        if command is None or command.opcode != Opcode.ANSWER or len(command.numbers) != _NUMBERS[Opcode.ANSWER]:
            return None
        return Outcome(Termination.VICTORY, 1 - seat)

    def pardon(self, state: State, seat: Seat, move: Command, error: RuleError) -> State | None:
        """Go on after an answer that no fleet gives, without that fleet; after anything else, the turn is unknown."""
        if error.code not in ("contradiction", "no-legal-fleet"):
            return None
        return self._told(state, seat, move.numbers[2], None)


def _cell(move: Command) -> int:
    count = _NUMBERS[move.opcode]
    if len(move.numbers) != count:
        raise InvalidMove(f"opcode {move.opcode} takes {count} numbers, not {len(move.numbers)}", code="wrong-numbers")
    x, y = move.numbers[:2]
    if x >= SIZE or y >= SIZE:
        raise IllegalMove(f"({x},{y}) is off the board", code="off-board")
    return x + SIZE * y


def _name(cell: int | None) -> str:
    assert cell is not None
    return f"({cell % SIZE},{cell // SIZE})"


def revealed(sea: Sea) -> dict[str, list[int]]:
    """Return what is known of a sea, JSON-ready.

    The cells (x + 10 * y) of `water`, of `hits` on ships afloat and of ships `sunk`, and the lengths of those `afloat`.
    """
    afloat = list(FLEET)
    for ship in sea.sunk:
        afloat.remove(ship.bit_count())
    masks = {"water": sea.water, "hits": sea.open_hits, "sunk": sum(sea.sunk)}
    return {**{name: list(cells(mask)) for name, mask in masks.items()}, "afloat": afloat}
