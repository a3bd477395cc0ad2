"""What a browser is told of a room: its row in the lobby, and the scene that a board module draws.

Source: docs/reference/web-api.md#calls. Everything here may be read by anybody: boards come from `Game.view` as a
spectator has it, moves from `GameType.public_text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import define, field

from gamed.core.game import Options, Outcome, Seat
from gamed.core.history import JOINED, LEFT, STARTED, History
from gamed.core.table import CHANNELS
from gamed.lobby.refusals import RefusalLog
from gamed.lobby.reservations import ReservationBook
from gamed.lobby.room import Room
from gamed.records.positions import COUNTED
from gamed.web.naming import Naming

SECRET: Final = ("seed",)
"""Options that nobody is told: who knows the seed knows the cards."""

LONG: Final = 200
"""Characters of an option that is no matter for a list: a plan of RoboRally."""

_PHASES: Final = {"waiting": "waiting", "playing": "play", "paused": "play", "ended": "over"}


@define
class Ledger:
    """What the entries of a match say of its seats, and how many moves there are; entries are read once."""

    history: History
    naming: Naming = field(factory=Naming)
    names: dict[Seat, str] = field(factory=dict)
    left: set[Seat] = field(factory=set)
    moves: int = 0
    is_started: bool = False
    _seen: int = 0

    def read(self) -> Ledger:
        """Take what is new."""
        entries = self.history.entries
        for entry in entries if not self._seen else entries[self._seen :]:
            if entry.kind in COUNTED:
                self.moves += 1
            elif entry.kind == STARTED:
                self.is_started = True
            elif entry.seat is not None and entry.kind == JOINED:
                self.names[entry.seat] = str(entry.data["name"])
            elif entry.seat is not None and entry.kind == LEFT:
                self.left.add(entry.seat)
        self._seen = len(entries)
        return self


@define
class Ledgers:
    """The ledgers of the open rooms."""

    rooms: Mapping[str, Room]
    naming: Naming = field(factory=Naming)
    _ledgers: dict[str, Ledger] = field(factory=dict)

    def of(self, room: Room) -> Ledger:
        """Return the ledger of a room's present match, up to date."""
        ledger = self._ledgers.get(room.id)
        if ledger is None or ledger.history is not room.history:
            if len(self._ledgers) > 2 * len(self.rooms) + 16:
                self._ledgers = {key: kept for key, kept in self._ledgers.items() if key in self.rooms}
            ledger = self._ledgers[room.id] = Ledger(room.history, self.naming)
        return ledger.read()


def state_of(room: Room, ledger: Ledger) -> str:
    """Return where a room stands, in a word."""
    if room.table.is_paused:
        return "paused"
    if not ledger.is_started:
        return "waiting"
    return "playing" if room.table.outcome is None else "ended"


def seats(room: Room, ledger: Ledger) -> list[dict[str, Any]]:
    """Return the seats of the match, or, before the first one, who has come."""
    names = ledger.names
    if not names:
        come = (peer.called for seat, peer in sorted(room.peers.items()) if seat < CHANNELS)
        names = dict(enumerate(come))
    gone = set(names) if room.is_closed else ledger.left
    rows = ({"seat": seat, "name": name, "connected": seat not in gone} for seat, name in sorted(names.items()))
    return ledger.naming.named(rows)


def options(room: Room) -> dict[str, Any]:
    """Return the options that everybody may know."""
    return {name: value for name, value in room.history.options.items() if name not in SECRET}


def listed(found: Options) -> dict[str, Any]:
    """Return the options that a list tells: no secrets, and none that are long."""
    return {name: value for name, value in found.items() if name not in SECRET and len(str(value)) <= LONG}


def outcome(found: Outcome | None) -> dict[str, Any] | None:
    """Return an outcome as JSON has it."""
    return None if found is None else {"termination": str(found.termination), "winner": found.winner}


def reserved(room: Room, ledger: Ledger, book: ReservationBook) -> int:
    """Return how many seats of a match that has not begun are kept for codes."""
    return 0 if ledger.is_started else sum(book.is_reserved(room, seat) for seat in room.table.free)


def free(room: Room, ledger: Ledger, book: ReservationBook) -> int:
    """Return how many seats of a match that has not begun anybody may take."""
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
        "started": history.started,
        "options": listed(history.options),
        "record": record(room),
        "free": free(room, ledger, book),
        "reserved": reserved(room, ledger, book),
    }


def record(room: Room) -> str | None:
    """Return the id of the record of the present match, which is stored a little after its end; None before that."""
    return room.history.room if room.table.outcome is not None and room.history.was_started else None


def facts(room: Room, ledger: Ledger, last: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a scene says of the room beside its moment: board, outcome and turn. `last`: the newest move."""
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
    """Return what peers of a room sent in vain: seat, name, code, reason and count.

    `messages`, after the end of the match: the messages themselves, where nothing that is hidden can be in them.
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


def turn(room: Room, ledger: Ledger, state: Any) -> list[int]:
    """Return the seats that are to move in a state of the room's match."""
    if state is None or not ledger.is_started or room.table.outcome is not None:
        return []
    return sorted(seat for seat in room.table.game.to_move(state) if seat >= 0)


def board(room: Room, ledger: Ledger, state: Any) -> Any:
    """Return the board as spectators see it, None before the first match has begun."""
    if state is None or not ledger.is_started:
        return None
    return room.table.game.view(state, None)
