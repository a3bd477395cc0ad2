"""Compares what clients saw with a daemon's journal and record store, which are read from outside."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from attrs import frozen

from gamed.core.game import Outcome, Seat, Termination
from gamed.core.history import DRAWN, HELD, JOINED, LINE, STARTED, History
from gamed.games.battleship.wire import Code, Opcode, decode
from gamed.records.index import validate
from gamed.records.own import judgement, to_history
from gamed.records.record import Record, document
from gamed.store.database import Database
from gamed.store.query import Query
from gamed.store.recovery import read
from tests.daemon import Daemon
from tests.proofs.clients import ROLES, Client

TORN = re.compile(r"journal: (\d+)\.journal: damaged lines: \d+; 1 in all, \d+ bytes; the file ends in the middle")


def unexpected_after_kills(daemon: Daemon) -> list[str]:
    """Return the unexpected lines of the log of a daemon that was killed.

    SIGKILL can cut a write short, which has then not returned: nobody has seen what followed from it. The daemon cannot
    know why the last line of a segment is not whole, and says that the segment is damaged.
    """
    torn = tuple(
        f"/{number}.damaged is damaged; it is kept until you remove it" for number in TORN.findall(daemon.text())
    )
    return [line for line in daemon.unexpected() if not line.endswith(torn)]


@frozen
class Evidence:
    """`open`: the rooms that the journal has not forgotten; `stored`: the records. Both by room."""

    open: Mapping[str, History]
    stored: Mapping[str, Record]

    def histories(self) -> dict[str, History]:
        """Return the history of each room; raise AssertionError if journal and record disagree."""
        found = {room: to_history(record) for room, record in self.stored.items()}
        for room, history in self.open.items():
            recorded = found.setdefault(room, history)
            if recorded != history:
                raise AssertionError(f"room {room}: the journal says {history}, the record {recorded}")
        return found

    def started(self) -> dict[str, History]:
        """Return the histories of the rooms whose game began."""
        return {room: history for room, history in self.histories().items() if any(history.of_kind(STARTED))}


def now() -> str:
    """Return the time in the format in which rooms note it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def open_rooms(state: Path) -> dict[str, History]:
    """Return the rooms that the journal has not forgotten, whether its daemon is running or not."""
    while True:
        paths = sorted((state / "journal").glob("*.journal"))
        try:
            found = {name: room.history for name, room in read(enumerate(paths)).rooms.items()}
        except FileNotFoundError:
            # A running daemon removes segments.
            continue
        for history in found.values():
            history.set_apart()
        return found


def look(state: Path, since: str) -> Evidence:
    """Return the evidence about rooms that were opened at or after a time (UTC, ISO 8601)."""
    database = Database(f"sqlite:///{state / 'gamed.db'}")
    database.thd_open()
    try:
        found = database.thd_find(Query(since=since, limit=30_000))
        stored = {summary.id: database.thd_record(summary.id) for summary in found}
    finally:
        database.thd_close()
    if len(stored) != len(found):
        raise AssertionError("an id is there twice")
    return Evidence(open_rooms(state), stored)


def settle(state: Path, seconds: float = 20.0) -> None:
    """Wait until the journal is empty."""
    until = time.monotonic() + seconds
    while left := open_rooms(state):
        if time.monotonic() > until:
            raise AssertionError(f"{sorted(left)} stay in the journal")
        time.sleep(0.02)


def seats(histories: Mapping[str, History]) -> dict[str, tuple[str, Seat]]:
    """Return room and seat by the client's name; raise AssertionError if a client is in two rooms."""
    found: dict[str, tuple[str, Seat]] = {}
    for room, history in histories.items():
        for entry in history.of_kind(JOINED):
            name = str(entry.data["name"])
            if name in found:
                raise AssertionError(f"{name} is in two rooms: {found[name][0]} and {room}")
            assert entry.seat is not None
            found[name] = (room, entry.seat)
    return found


def bodies(history: History, seat: Seat) -> list[bytes]:
    """Return the lines that a seat sent."""
    return [entry.body for entry in history.of_kind(LINE) if entry.seat == seat and entry.body is not None]


def first(history: History) -> Seat:
    """Return who attacks first."""
    return next((int(entry.data["first"]) for entry in history.of_kind(DRAWN)), 1)


def check_received(clients: Iterable[Client], histories: Mapping[str, History]) -> int:
    """Raise AssertionError unless every line that clients received is in the evidence; return how many lines."""
    places = seats(histories)
    count = 0
    for client in clients:
        lines = client.lines
        if not lines:
            continue
        if client.name not in places:
            if client.left and not client.is_started:
                # A client that leaves before it has a partner leaves no record.
                continue
            raise AssertionError(f"{client.name} received {lines[:3]} of {len(lines)} lines; its room is nowhere")
        room, seat = places[client.name]
        _check_client(client, histories[room], seat)
        count += len(lines)
    return count


def _check_client(client: Client, history: History, seat: Seat) -> None:
    where = f"{client.name}, seat {seat} of {history.room}"
    if client.lines[0] != ROLES[seat == first(history)]:
        raise AssertionError(f"{where} was told {client.lines[0]!r}")
    if len(client.lines) > 1 and not (client.is_started and any(history.of_kind(STARTED))):
        raise AssertionError(f"{where} received {client.lines[:3]}, and the start is not in the evidence")
    theirs = bodies(history, 1 - seat)
    if client.relayed != theirs[: len(client.relayed)]:
        raise AssertionError(f"{where} received {client.relayed}, of which the evidence has only {theirs}")
    ours = bodies(history, seat)
    if ours != bytes(client.sent).split(b"\n")[: len(ours)]:
        raise AssertionError(f"{where}: the evidence has lines that it never sent: {ours}")


def is_last(line: bytes) -> bool:
    """Whether a line is an answer with code 4."""
    command = decode(line)
    return command is not None and command.opcode == Opcode.ANSWER and command.numbers[2:] == (Code.LAST_SUNK,)


def seen_result(client: Client, seat: Seat, *, was_closed: bool) -> Outcome | None:
    """Return the outcome as far as a client knows it, or None. `was_closed`: by the running server."""
    if any(map(is_last, client.relayed)):
        return Outcome(Termination.VICTORY, seat)
    if was_closed and client.is_started:
        if client.player.won is False:
            return Outcome(Termination.VICTORY, 1 - seat)
        return Outcome(Termination.LEFT, seat)
    return None


def check_recorded(before: Evidence, after: Evidence, stopped_by: Termination) -> dict[str, History]:
    """Raise AssertionError unless each started room has become one valid record; return the histories."""
    started = before.started()
    if set(after.stored) != set(started):
        missing, extra = set(started) - set(after.stored), set(after.stored) - set(started)
        raise AssertionError(f"no record: {missing}; a record of nothing: {extra}")
    for room, record in before.stored.items():
        if after.stored[room] != record:
            raise AssertionError(f"the record of room {room} has changed")
    found = {}
    for room, record in after.stored.items():
        validate(document(record))
        found[room] = to_history(record)
        _check_history(started[room], found[room], stopped_by)
        if judgement(record).findings:
            raise AssertionError(f"findings in an honest game: {judgement(record)} in {room}")
    return found


def _check_history(was: History, recorded: History, stopped_by: Termination) -> None:
    # Where a match was held is in the journal alone.
    entries = [entry for entry in was.entries if entry.kind != HELD]
    if recorded.entries[: len(entries)] != entries:
        raise AssertionError(f"the record of {was.room} differs from its journal: {recorded.entries}, {was.entries}")
    wanted = Outcome(stopped_by) if was.outcome is None else was.outcome
    if recorded.outcome != wanted:
        raise AssertionError(f"room {was.room} ended as {recorded.outcome}, not as {wanted}")


def check_results(clients: Iterable[Client], closed: Iterable[Client], histories: Mapping[str, History]) -> int:
    """Raise AssertionError unless every result that a client saw is in the records; return their number.

    No record may say that a client has left if it has not.
    """
    places, known = seats(histories), set(closed)
    count = 0
    for client in clients:
        if not client.is_started:
            continue
        room, seat = places[client.name]
        if histories[room].outcome == Outcome(Termination.LEFT, 1 - seat) and not client.left:
            raise AssertionError(f"{client.name} did not leave; the record of {room} says so")
        result = seen_result(client, seat, was_closed=client in known)
        if result is not None:
            count += 1
            if histories[room].outcome != result:
                raise AssertionError(f"{client.name} saw {result}; the record of {room}: {histories[room].outcome}")
    return count
