"""Recorded scenarios, played again against a lobby in memory.

Source: docs/specs/software-challenge.md#recorded-data.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import define, field

from gamed.games.softwarechallenge import Settings
from tests.games.softwarechallenge.harness import CORNERS, PASSWORD, Cells, Client, SeasonHarness
from tests.games.softwarechallenge.recorded import TRANSCRIPTS, connections
from tests.transcripts import Line, lines

AT_ONCE = 0.002
"""Seconds within which two clients act in one turn of the reactor, if the recorded server said nothing between them."""
AFTERWARDS = 20.0
"""Seconds that go by after the last segment, so that every clock of a game has run out."""

_ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MEMENTO = re.compile(rb'<room roomId="([^"]+)">\s*<data class="memento">(.*?)</data>', re.DOTALL)
_OBSTRUCTED = re.compile(rb'<field x="(-?\d+)" y="(-?\d+)" z="-?\d+" isObstructed="true"')
_ROOM = re.compile(rb'roomId="(' + _ID.pattern + rb')"')


@define
class Connection:
    """What a client heard in the recording, how much of that has been shown, and who it is with us."""

    recorded: bytes
    shown: int = 0
    client: Client | None = None

    @property
    def heard(self) -> bytes:
        """What we have sent to it."""
        return b"" if self.client is None else self.client.stream


@define
class Replay:
    """One scenario. `only_ours`: so many rooms are opened by us before the first recorded one is."""

    scenario: str
    only_ours: int = 0
    harness: SeasonHarness = field(init=False)
    connections: dict[int, Connection] = field(init=False)
    _order: list[Line] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._order = list(lines(TRANSCRIPTS, self.scenario))
        self.connections = {
            number: Connection(recording.heard) for number, recording in connections(self.scenario).items()
        }
        cells = dict(enumerate(self._obstructed(), self.only_ours))
        # In 61, the server ran with paused=true.
        settings = Settings(password=PASSWORD, paused=self.scenario.startswith("61-"))
        self.harness = SeasonHarness(settings, lambda room: cells.get(room, CORNERS))

    def _obstructed(self) -> list[Cells]:
        """Return the obstructed cells of the recorded rooms, in the order in which they were opened."""
        cells: dict[bytes, Cells] = {}
        for connection in self.connections.values():
            for room, memento in _MEMENTO.findall(connection.recorded):
                found = tuple((int(x), int(y)) for x, y in _OBSTRUCTED.findall(memento))
                cells.setdefault(room, found)
        rooms: dict[bytes, None] = {}
        shown = dict.fromkeys(self.connections, 0)
        for line in self._order:
            if line.way == "s>c":
                number = _number(line)
                shown[number] += len(line.data)
                rooms.update(dict.fromkeys(_ROOM.findall(self.connections[number].recorded[: shown[number]])))
        return [cells.get(room, CORNERS) for room in rooms]

    def run(self) -> None:
        """Play the scenario, until every clock of a game has run out, and all connections are lost."""
        answered, last = True, 0.0
        for line in self._order:
            if line.way != "c>s" and line.what != "open":
                answered = answered or bool(line.data)
                self.connections[_number(line)].shown += len(line.data)
                continue
            at = line.time
            if answered or at - last > AT_ONCE:
                self.harness.turn()
                self.harness.wait(at - self.harness.clock.seconds())
            answered, last = False, at
            self._act(line)
        self.harness.turn()
        self.harness.wait(AFTERWARDS, 0.1)
        for connection in self.connections.values():
            assert connection.client is not None
            connection.client.reset()

    def _act(self, line: Line) -> None:
        connection = self.connections[_number(line)]
        if line.what == "open":
            connection.client = self.harness.connect()
            return
        assert connection.client is not None
        if line.data:
            connection.client.feed(_ID.sub(self._ours(), line.data))
        elif "reset" in line.what:
            connection.client.reset()
        elif connection.client.session not in self.harness.reception._wrong:
            # Whoever closed because the recorded server had does not do so while our answer is held back.
            connection.client.shut()

    def _ours(self) -> Callable[[re.Match[bytes]], bytes]:
        ids: dict[bytes, bytes] = {}
        for connection in self.connections.values():
            theirs, ours = distinct(connection.recorded[: connection.shown]), distinct(connection.heard)
            for recorded, own in zip(theirs, ours, strict=False):
                ids.setdefault(recorded, own)
        return lambda found: ids.get(found[0], found[0])

    def compared(self) -> dict[int, tuple[bytes, bytes]]:
        """Return what each connection heard, in the recording and from us; the recorded ids are ours."""
        ours = self._ours()
        return {
            number: (_ID.sub(ours, connection.recorded), connection.heard)
            for number, connection in self.connections.items()
        }


def _number(line: Line) -> int:
    return int(line.connection.removeprefix("c"))


def distinct(data: bytes) -> list[bytes]:
    """Return the ids in a stream, by first appearance."""
    return list(dict.fromkeys(_ID.findall(data)))
