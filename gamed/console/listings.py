"""Rooms, connections and records as rows and facts, for the console."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gamed.admin.operators import SHOWN
from gamed.console.render import Answer, Facts, Picture, Table
from gamed.core.history import STARTED, Entry, History
from gamed.core.peer import Peer
from gamed.core.refusals import Refusals
from gamed.core.table import OBSERVERS, NamesSeats, ShowsState
from gamed.lobby.refusals import RefusalLog
from gamed.lobby.room import Room
from gamed.net.factory import SessionFactory
from gamed.net.session import Session
from gamed.records.own import judgement, summary, to_history
from gamed.records.positions import findings, moves, names_of
from gamed.records.record import Record, Summary
from gamed.registry import GameType
from gamed.replayers import pictures

LAST = 10
"""The number of a room's last entries that are shown."""


def room_row(room: Room) -> tuple[Any, ...]:
    """Return a room's row among `rooms`."""
    players = [_player(room, seat, peer) for seat, peer in sorted(room.peers.items())]
    watched = len(room.observers) + len(room.watchers)
    history = room.history
    return room.id[:SHOWN], history.kind, state(room), players, watched, len(history.entries), _time(history.started_at)


def _player(room: Room, seat: int, peer: Peer) -> str:
    name = _display_name(room, seat)
    return peer.name if name is None else f"{name}@{peer.name}"


def _display_name(room: Room, seat: int) -> str | None:
    return room.table.display_name(seat) if isinstance(room.table, NamesSeats) else None


def state(room: Room) -> str:
    """Return the state of a room, in a word."""
    if room.table.is_paused:
        return "paused"
    if not room.history.was_started:
        return "waiting"
    return "playing" if room.table.outcome is None else "ended"


def _time(started: str) -> str:
    return started[:19].replace("T", " ")


def _to_move(room: Room) -> Iterable[int]:
    if not room.history.was_started or room.table.outcome is not None:
        return ()
    return [seat for seat in room.table.game.to_move(room.table.state) if seat >= 0]


def _entries(history: History, first: int) -> Table:
    first = max(0, first)
    rows = [(number, *entry_cells(entry)) for number, entry in enumerate(history.entries[first:], first)]
    return Table(("ENTRY", "SECONDS", "KIND", "SEAT", "WHAT"), rows, "Nothing has happened yet.", ("WHAT",))


def entry_cells(entry: Entry) -> tuple[Any, ...]:
    """Return an entry's cells: seconds, kind, seat, and what it says."""
    body = "" if entry.body is None else entry.body.decode("utf-8", "backslashreplace")
    data = " ".join(f"{name}={value}" for name, value in entry.data.items())
    return entry.at / 1000, entry.kind, entry.seat, f"{body} {data}".strip()


def place(seat: int | None) -> str:
    """Return a seat for a line, or nothing."""
    return "" if seat is None else f"seat {seat} "


def places(session: Session) -> list[str]:
    """Return the seats of a session, and the rooms that it watches."""
    if session.is_closing:
        return ["is being disconnected"]
    return [f"{room.id[:SHOWN]} {_seat(room, seat)}" for room, seat in session.places]


def _seat(room: Room, seat: int) -> str:
    if seat == OBSERVERS:
        return "watches"
    name = _display_name(room, seat)
    return f"seat {seat}" if name is None else f"seat {seat} as {name}"


def limits_row(name: str, factory: SessionFactory) -> tuple[Any, ...]:
    """Return a listener's row among `limits`."""
    held = factory.limits
    used = (held.count, held.total, held.addresses, held.per_address)
    return (name, *used, factory.messages_per_second, factory.message_seconds, factory.unsent_bytes)


def records_table(found: Iterable[Summary], games: Iterable[str]) -> Answer:
    """Return records as a table. `games`: the names of all games here."""
    columns = ("ID", "STARTED", "GAME", "PLAYERS", "TERMINATION", "WINNER", "LENGTH")
    return Table(
        columns, list(map(_record_row, found)), f"No game matches. The games here are {', '.join(games)}.", ("PLAYERS",)
    )


def _record_row(found: Summary) -> tuple[Any, ...]:
    names = [seat.name for seat in found.seats]
    return found.id[:SHOWN], _time(found.started), found.kind, names, found.termination, found.winner, found.length


def room_facts(found: Room, game: GameType, refusals: RefusalLog) -> Answer:
    """Return the facts of `room`. `refusals`: those of its peers, by their seats and names."""
    history = found.history
    wakes = found.wakes_in
    facts = {
        "id": found.id,
        "record": history.room,
        "game": history.kind,
        "state": state(found),
        "started": history.started_at,
        "seed": history.seed,
        "options": [f"{name}={value}" for name, value in sorted(history.options.items())],
        "clock": None if wakes is None or found.is_closed else f"looks again in {max(0.0, wakes):.1f} s",
        "to move": sorted(_to_move(found)),
        **(_public_state(found.table) if isinstance(found.table, ShowsState) else {}),
        "findings": [f"{one.code} seat {one.seat} {found.culprit(one.seat)}" for one in found.table.match.findings],
        "watched by": [peer.name for peer in found.observers],
        "seats": Table(("SEAT", "PEER"), _seats(found), "Nobody."),
        "refused": _refused(found, refusals),
        "last entries": _entries(history, len(history.entries) - LAST),
    }
    if any(history.of_kind(STARTED)):
        board = found.table.game.view(found.table.state, None)
        facts["board"] = Picture(game.draw(board, moves(history), names_of(history)))
    return Facts(facts)


def _public_state(table: ShowsState) -> dict[str, Any]:
    """Return the state of a table as facts; lists are in one line."""
    return {
        name: " ".join(map(str, value)) or "-" if isinstance(value, list) else value
        for name, value in table.public_state().items()
    }


def _seats(room: Room) -> list[tuple[int, str]]:
    return [(seat, _player(room, seat, peer)) for seat, peer in sorted(room.peers.items())]


def refused(found: Refusals, refusals: RefusalLog) -> list[str]:
    """Return the refusals of a peer as lines: the first ones in full, then the total."""
    lines = [f"{refusal.code}: {refusals.described(refusal)}" for refusal in found.first]
    return lines if found.total == len(found.first) else [*lines, f"in all: {found.summary}"]


def _refused(room: Room, refusals: RefusalLog) -> Table:
    rows = [(seat, name, found.total, refused(found, refusals)) for (seat, name), found in refusals.of(room.id).items()]
    return Table(("SEAT", "PEER", "TIMES", "REFUSED"), rows, "Nothing.", ("PEER",), below="REFUSED")


def record_facts(types: Mapping[str, GameType], record: Record) -> Answer:
    """Return the facts of `records show`."""
    found, judged, history = summary(record), judgement(record), to_history(record)
    facts = {
        "id": found.id,
        "game": found.kind,
        "started": found.started,
        "ended": found.ended,
        "seats": Table(("SEAT", "NAME", "POINTS"), [(seat.seat, seat.name, seat.points) for seat in found.seats]),
        "termination": found.termination,
        "winner": found.winner,
        "length": found.length,
        "findings": [
            f"{one['code']} seat {one['seat']} {one['name']} entry {one['entry']}"
            for one in findings(history, judged.findings)
        ],
    }
    if found.kind in types:
        facts["board"] = Picture(pictures(types[found.kind], history)(found.length))
    return Facts(facts)
