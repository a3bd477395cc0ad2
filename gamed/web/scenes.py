"""Rooms as JSON: the row of a room in the lobby, and the scene that a game's script (its `board.js`) draws.

Source: docs/reference/web-api.md#calls. Everything here is public: boards come from `Game.view` for spectators, and
moves from `GameType.public_text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import define, field

from gamed.core.game import Options, Outcome, Seat
from gamed.core.history import JOINED, LEFT, STARTED, History, called
from gamed.lobby.refusals import RefusalLog
from gamed.lobby.reservations import ReservationBook
from gamed.lobby.room import Room
from gamed.records.positions import COUNTED
from gamed.web.moves import Moves
from gamed.web.naming import Naming

SECRET: Final = ("seed",)
"""Options that are never shown: from the seed, a player could compute the cards of the others."""

LONG: Final = 200
"""Options with more characters are left out of lists; for example a whole board as text."""

_PHASES: Final = {"waiting": "waiting", "playing": "play", "paused": "play", "ended": "over"}


@define
class Ledger:
    """A summary of a match's history, which is updated with each new entry instead of read from the beginning."""

    history: History
    naming: Naming = field(factory=Naming)

    names: dict[Seat, str] = field(factory=dict)
    """The names of the players who have joined."""

    left: set[Seat] = field(factory=set)
    """The seats whose players have left."""

    moves: int = 0
    """The number of moves."""

    is_started: bool = False

    _seen: int = 0
    """How many entries are in the summary."""

    def read(self) -> Ledger:
        """Read the new entries."""
        entries = self.history.entries
        # The first time without a copy of the list.
        for entry in entries if not self._seen else entries[self._seen :]:
            if entry.kind in COUNTED:
                self.moves += 1
            elif entry.kind == STARTED:
                self.is_started = True
            elif entry.seat is not None and entry.kind == JOINED:
                self.names[entry.seat] = called(entry)
            elif entry.seat is not None and entry.kind == LEFT:
                self.left.add(entry.seat)
        self._seen = len(entries)
        return self


@define
class Ledgers:
    """The ledgers of the open rooms."""

    rooms: Mapping[str, Room]
    """The open rooms by their ids."""

    naming: Naming = field(factory=Naming)

    _ledgers: dict[str, Ledger] = field(factory=dict)
    """By the id of the room."""

    def of(self, room: Room) -> Ledger:
        """Return the ledger of a room's current match, up to date."""
        ledger = self._ledgers.get(room.id)
        if ledger is None or ledger.history is not room.history:
            # Now and then those of closed rooms are removed.
            if len(self._ledgers) > 2 * len(self.rooms) + 16:
                self._ledgers = {key: kept for key, kept in self._ledgers.items() if key in self.rooms}
            ledger = self._ledgers[room.id] = Ledger(room.history, self.naming)
        return ledger.read()


def state_of(room: Room, ledger: Ledger) -> str:
    """Return the state of a room: "waiting", "playing", "paused" or "ended"."""
    if room.table.is_paused:
        return "paused"
    if not ledger.is_started:
        return "waiting"
    return "playing" if room.table.outcome is None else "ended"


def seats(room: Room, ledger: Ledger) -> list[dict[str, Any]]:
    """Return the seats of the match; before the first match, the players who have come so far."""
    names = ledger.names
    if not names:
        come = (peer.called for seat, peer in sorted(room.peers.items()) if room.table.is_player(seat))
        names = dict(enumerate(come))
    gone = set(names) if room.is_closed else ledger.left
    rows = ({"seat": seat, "name": name, "connected": seat not in gone} for seat, name in sorted(names.items()))
    return ledger.naming.named(rows)


def options(room: Room) -> dict[str, Any]:
    """Return the public options of a room."""
    return {name: value for name, value in room.history.options.items() if name not in SECRET}


def short_options(found: Options) -> dict[str, Any]:
    """Return the options for a list: without secrets and long ones."""
    return {name: value for name, value in found.items() if name not in SECRET and len(str(value)) <= LONG}


def outcome(found: Outcome | None) -> dict[str, Any] | None:
    """Return an outcome as JSON."""
    return None if found is None else {"termination": str(found.termination), "winner": found.winner}


def reserved(room: Room, ledger: Ledger, book: ReservationBook) -> int:
    """Return how many seats are reserved; 0 if the match has begun."""
    return 0 if ledger.is_started else sum(book.is_reserved(room, seat) for seat in room.table.free)


def free(room: Room, ledger: Ledger, book: ReservationBook) -> int:
    """Return how many seats are free for anybody; 0 if the match has begun."""
    if ledger.is_started or room.is_closed or room.party is not None:
        return 0
    return len(room.table.free) - reserved(room, ledger, book)


def row(room: Room, ledger: Ledger, watchers: int, book: ReservationBook) -> dict[str, Any]:
    """Return a room's row in the lobby."""
    history = room.history
    return {
        "id": room.id,
        "game": history.kind,
        "state": state_of(room, ledger),
        "seats": seats(room, ledger),
        "watchers": len(room.observers) + watchers,
        "moves": ledger.moves,
        "started": history.started_at,
        "options": short_options(history.options),
        "record": record(room),
        "free": free(room, ledger, book),
        "reserved": reserved(room, ledger, book),
    }


def record(room: Room) -> str | None:
    """Return the id of the current match's record; None before its end. It is stored a little after the end."""
    return room.history.room if room.table.outcome is not None and room.history.is_recorded else None


def facts(room: Room, ledger: Ledger, last: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a scene's facts about the room. Board, outcome and turn belong to a moment, and are added elsewhere.

    `last` is the newest move.
    """
    state = state_of(room, ledger)
    return {
        "phase": _PHASES[state],
        "state": state,
        "record": record(room),
        "seats": seats(room, ledger),
        "options": options(room),
        "last": last,
        "isLive": not room.is_closed,
    }


def refusals(log: RefusalLog, room: Room, naming: Naming) -> list[dict[str, Any]]:
    """Return the messages without effect, by peer and reason: seat, name, code, reason and count.

    After the end of the match, `messages` contains the messages themselves, except those that could have contained
    hidden information.
    """
    is_over = room.is_closed or room.table.outcome is not None
    rows = (
        {
            "seat": seat,
            "name": name,
            "code": code,
            "reason": reasons[code],
            "count": count,
            "messages": [
                {"text": log.shown(refusal.text), "expected": refusal.expected}
                for refusal in found.first
                if is_over and refusal.code == code and not refusal.is_hidden
            ],
        }
        for (seat, name), found in log.of(room.id).items()
        for reasons in (found.reasons,)
        for code, count in found.counts.items()
    )
    return naming.named(rows)


def findings(room: Room, moves: Moves, ledger: Ledger) -> list[dict[str, Any]]:
    """Return the referee's findings so far: seat, name, code, text, and the number of the move, or None.

    In a game with hidden moves, a text may quote one, so it is empty until the end.
    """
    is_told = room.table.outcome is not None or not moves.game.hides_moves
    rows = (
        {
            "seat": one.seat,
            "name": ledger.names.get(one.seat, ""),
            "code": one.code,
            "text": one.text if is_told else "",
            "move": moves.number(one.entry),
        }
        for one in room.table.match.findings
    )
    return ledger.naming.named(rows)


def turn(room: Room, ledger: Ledger, state: Any) -> list[int]:
    """Return the seats that are to move in a state of the room's match."""
    if state is None or not ledger.is_started or room.table.outcome is not None:
        return []
    # Chance has a negative seat.
    return sorted(seat for seat in room.table.game.to_move(state) if seat >= 0)


def board(room: Room, ledger: Ledger, state: Any) -> Any:
    """Return the board as spectators see it; None before the first match."""
    if state is None or not ledger.is_started:
        return None
    return room.table.game.view(state, None)
