"""Streams of numbered events for browsers (server-sent events). Each event is rendered once for all readers.

Source: docs/reference/web-api.md#events. A stream belongs to a view: a room as spectators see it, or a seat.

A change is only captured (`changed`), which is cheap, because it happens on the way of a move. The captured moments are
rendered and sent later, as a job of the `TurnCooperator`, with at least `INTERVAL` seconds between two jobs. A reader
that has missed events, because its connection broke or because it reads slowly, is *behind*: the job sends it one event
with the newest scene and all moves since its last event.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamed.web.answers import to_json
from gamed.web.moves import newest
from gamed.web.turn_cooperator import TurnCooperator

INTERVAL: Final = 0.1
"""The minimal pause of a stream between two jobs, in seconds."""

SHARE: Final = 10
"""After a job, a stream pauses for at least this many times the processor time of the job. So one stream takes at most
about a tenth of the reactor's time, however many readers it has."""

VIEWS: Final = 32
"""The maximal number of scenes that one job sends to a reader. The moves of scenes that are left out are sent with the
next scene."""

SCENES: Final = 512
"""The maximal number of scenes that one job sends to all readers together; but each reader gets at least one."""

RING: Final = 256
"""How many events a stream remembers: a reader that has one of these gets only the moves since."""

GONE: Final = b"event: gone\ndata: {}\n\n"


class Reader(Protocol):
    """A reader of a stream."""

    number: tuple[str, int] | None
    """The id of the last event that it has, as (generation, number); None if it has none."""

    @property
    def is_congested(self) -> bool:
        """Whether nothing can be sent to it at the moment. It calls `Stream.catch_up` when it can be again."""

    def send(self, data: bytes) -> None:
        """Send events."""

    def end(self) -> None:
        """End the stream after the events that were sent."""


class Source(Protocol):
    """The view that a stream shows."""

    def capture(self) -> Any:
        """Return what is needed to render the view of this moment later; must be cheap."""

    def scene(self, captured: Any) -> Mapping[str, Any]:
        """Return the scene of a captured moment."""

    def moves(self, captured: Any) -> Sequence[Mapping[str, Any]]:
        """Return the moves up to a captured moment. A move that was revealed later appears again, with its cards."""


@define(eq=False)
class Stream:
    """The events of one view. The id of an event is GENERATION-NUMBER."""

    source: Source

    work: TurnCooperator
    """Does the rendering and sending."""

    clock: IReactorTime

    interval: float = INTERVAL
    """The minimal pause between two jobs, in seconds."""

    watched: Callable[[], None] | None = None
    """Called when the first reader joins, and when the last one leaves."""

    generation: str = field(factory=lambda: secrets.token_hex(4))
    """A random name for this life of the stream: events are numbered from 1 again after a restart of the daemon, and
    when the next match of a room begins. A reader with an event of another generation gets everything."""

    number: int = 0
    """The number of the last event."""

    readers: dict[Reader, None] = field(factory=dict)

    _behind: dict[Reader, None] = field(factory=dict)
    """The readers that may have missed events."""

    _marks: deque[tuple[int, int]] = field(factory=lambda: deque([(0, 0)], RING))
    """For each of the last events its number, and how many moves had been sent with it."""

    _captured: list[Any] = field(factory=list)
    """The moments that are not rendered yet."""

    _is_stale: bool = True
    """Whether the view has changed since the last event was numbered."""

    _is_busy: bool = False
    """Whether a job is at work."""

    _is_over: bool = False

    _timer: IDelayedCall | None = None
    """Begins the next job."""

    _rests_until: float = 0.0
    """When the next job may begin."""

    # What the source calls

    def changed(self) -> None:
        """Capture a change of the view."""
        self._is_stale = True
        if not self.readers or self._is_over:
            return
        captured = self.source.capture()
        if len(self._captured) >= VIEWS:
            # More scenes would not be sent; the newest one must be.
            self._captured[-1] = captured
        else:
            self._captured.append(captured)
        self._go_on()

    def restart(self) -> None:
        """Begin a new generation: the next match of the room has begun, and its moves are numbered from 1 again."""
        self._captured.clear()
        self._is_stale = True
        self.generation, self.number = secrets.token_hex(4), 0
        self._marks = deque([(0, 0)], RING)
        self._behind.update(self.readers)
        self._go_on()

    def end(self) -> None:
        """Send the last changes and then a `gone` event to all readers, and remove them."""
        self._is_over = True
        self._go_on()

    # Readers

    def join(self, reader: Reader) -> None:
        """Add a reader, which gets what it has missed."""
        self.readers[reader] = None
        if self.watched is not None and len(self.readers) == 1:
            self.watched()
        self.catch_up(reader)

    def catch_up(self, reader: Reader) -> None:
        """Send a reader what it has missed."""
        if reader in self.readers:
            self._behind[reader] = None
            self._go_on()

    def leave(self, reader: Reader) -> None:
        """Remove a reader."""
        self._behind.pop(reader, None)
        # The dict's values are None: `self` means that the reader had left already.
        if self.readers.pop(reader, self) is None and not self.readers:
            self._captured.clear()
            if self.watched is not None:
                self.watched()

    # Sending

    def _go_on(self) -> None:
        if self._timer is None and not self._is_busy:
            delay = max(0.0, self._rests_until - self.clock.seconds())
            self._timer = self.clock.callLater(delay, self._begin)

    def _begin(self) -> None:
        self._timer, self._is_busy = None, True
        self.work.add(self._notify())

    def _notify(self) -> Iterator[None]:
        """Render and send what has changed: a job, which measures its pieces and yields after each of them."""
        spent = 0.0
        try:
            began = self.work.now()
            for _ in self._pieces():
                spent += self.work.now() - began
                yield
                began = self.work.now()
        except Exception:
            # The same view would fail again. The next change may succeed.
            self._behind.clear()
            raise
        finally:
            self._is_busy = False
            self._rests_until = self.clock.seconds() + max(self.interval, SHARE * spent)
            if self._captured or self._behind:
                self._go_on()

    def _pieces(self) -> Iterator[None]:
        yield from self._events()
        yield from self._missed()
        if self._is_over:
            yield from self._farewell()

    def _events(self) -> Iterator[None]:
        """Send the new events to the readers that have all events before them."""
        captured, before = self._chosen(), self._at
        if not captured:
            return
        late = [reader for reader in self.readers if reader.number != before]
        self._behind.update(dict.fromkeys(late))
        if len(late) == len(self.readers):
            # `_missed` sends all of them the newest scene.
            return
        self._is_stale = False
        data = b""
        for moment in captured:
            data += self._event(moment)
            yield
            if self.generation != before[0]:
                # Another match has begun since; its first event replaces these.
                return
        after = self._at
        for reader in [reader for reader in self.readers if reader.number == before]:
            # Since the last piece it may have left, or another stream may have congested its line.
            if reader in self.readers and not reader.is_congested:
                reader.number = after
                reader.send(data)
                yield

    @property
    def _at(self) -> tuple[str, int]:
        return self.generation, self.number

    def _chosen(self) -> list[Any]:
        """Return the moments to render: the newest ones, fewer if there are many readers."""
        captured, self._captured = self._captured, []
        most = max(1, min(VIEWS, SCENES // max(1, len(self.readers))))
        return captured[-most:]

    def _event(self, moment: Any) -> bytes:
        """Return the next event, numbered and rendered."""
        moves = self.source.moves(moment)
        known = self._marks[-1][1]
        self._count(len(moves))
        return self._rendered({"scene": self.source.scene(moment), "moves": newest(moves[known:])})

    def _count(self, moves: int) -> None:
        self.number += 1
        self._marks.append((self.number, moves))

    def _rendered(self, data: Mapping[str, Any], at: tuple[str, int] | None = None) -> bytes:
        generation, number = at or self._at
        return b"event: scene\nid: %b-%d\ndata: %b\n\n" % (generation.encode(), number, to_json(data))

    def _missed(self) -> Iterator[None]:
        """Send one event to each reader that is behind. Readers that have missed the same get the same bytes."""
        behind, self._behind = self._behind, {}
        if not behind:
            return
        moment = self.source.capture()
        moves = self.source.moves(moment)
        if self._is_stale:
            # The view has changed since the last event: this is the next event, and all readers get it.
            self._is_stale = False
            self._captured.clear()
            self._count(len(moves))
            behind = dict(self.readers)
        scene, after = self.source.scene(moment), self._at
        yield
        rendered: dict[int | None, bytes] = {}
        for reader in behind:
            # A congested reader calls `catch_up` when it can read again.
            if reader not in self.readers or reader.is_congested or reader.number == after:
                continue
            known = self._known_moves(reader.number)
            if known not in rendered:
                reset = {"reset": True} if known is None else {}
                rendered[known] = self._rendered({"scene": scene, "moves": newest(moves[known or 0 :]), **reset}, after)
                yield
            reader.number = after
            reader.send(rendered[known])
            yield

    def _known_moves(self, number: tuple[str, int] | None) -> int | None:
        """Return how many moves had been sent with an event; None if the stream does not remember it."""
        if number is None or number[0] != self.generation:
            return None
        # (0, 0) is in `_marks` before the first event, but nobody was sent an event 0.
        return next((moves for known, moves in self._marks if known == number[1] and known), None)

    def _farewell(self) -> Iterator[None]:
        if self._captured or self._behind:
            # Something changed while this job was at work. The next job sends it, and then says goodbye.
            return
        for reader in list(self.readers):
            # Since the last piece its browser may have closed the connection.
            if reader in self.readers:
                reader.send(GONE)
                reader.end()
                self.leave(reader)
                yield
