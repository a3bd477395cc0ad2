"""Streams of numbered events for browsers (server-sent events): one rendering of each event for all who read it.

Source: docs/reference/web-api.md#events. A stream belongs to a view: a room as spectators see it, or a seat. What
changes is noted at once, at the price of a line; it is rendered and sent a little later, in slices
(gamed/web/turn_cooperator.py), at most once in `INTERVAL` seconds. Who has missed events, by a broken connection or by
reading slowly, gets one event with the newest scene and all moves since.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any, Final, Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamed.web.answers import dumped
from gamed.web.moves import newest
from gamed.web.turn_cooperator import TurnCooperator

INTERVAL: Final = 0.1
"""Seconds between two writes of a stream at least."""

SHARE: Final = 10
"""How many times longer than its sending took a stream rests at least."""

VIEWS: Final = 32
"""Scenes of one write at most; moves of scenes that are left out stand with the next one."""

SCENES: Final = 512
"""Scenes times readers of one write at most, where that is more than one scene."""

RING: Final = 256
"""How many events can be gone on from."""

GONE: Final = b"event: gone\ndata: {}\n\n"


class Reader(Protocol):
    """Who reads a stream. `number`: of the last event that it has, None for none."""

    number: tuple[str, int] | None

    @property
    def is_congested(self) -> bool:
        """Whether nothing can be sent to it until what was sent has left."""

    def send(self, data: bytes) -> None:
        """Send bytes of the stream."""

    def end(self) -> None:
        """End the stream after what was sent."""


class Source(Protocol):
    """What a stream tells of."""

    def capture(self) -> Any:
        """Return what is needed to render the view of this moment later; must be cheap."""

    def scene(self, captured: Any) -> Mapping[str, Any]:
        """Return the scene of a captured moment."""

    def moves(self, captured: Any) -> Sequence[Mapping[str, Any]]:
        """Return the moves up to a captured moment, those again of which more was known later."""


@define(eq=False)
class Stream:
    """The events of one view. `interval`: seconds between two writes.

    An event's id is GENERATION-NUMBER; a new generation begins where numbers begin anew.
    """

    source: Source
    work: TurnCooperator
    clock: IReactorTime
    interval: float = INTERVAL
    watched: Callable[[], None] | None = None
    """Called when the first reader has come, and when the last one has left."""
    generation: str = field(factory=lambda: secrets.token_hex(4))
    number: int = 0
    readers: dict[Reader, None] = field(factory=dict)
    _behind: dict[Reader, None] = field(factory=dict)
    _marks: deque[tuple[int, int]] = field(factory=lambda: deque([(0, 0)], RING))
    _captured: list[Any] = field(factory=list)
    _is_stale: bool = True
    _is_busy: bool = False
    _is_over: bool = False
    _timer: IDelayedCall | None = None
    _rests_until: float = 0.0

    # What the source says

    def changed(self) -> None:
        """Take note that something has changed."""
        self._is_stale = True
        if not self.readers or self._is_over:
            return
        captured = self.source.capture()
        if len(self._captured) >= VIEWS:
            self._captured[-1] = captured
        else:
            self._captured.append(captured)
        self._go_on()

    def restart(self) -> None:
        """Begin anew: what comes belongs to another match, and numbers of before mean nothing."""
        self._captured.clear()
        self._is_stale = True
        self.generation, self.number = secrets.token_hex(4), 0
        self._marks = deque([(0, 0)], RING)
        self._behind.update(self.readers)
        self._go_on()

    def end(self) -> None:
        """Tell what is still to be told, then that there is no more, and let all readers go."""
        self._is_over = True
        self._go_on()

    # Readers

    def join(self, reader: Reader) -> None:
        """Take a reader; it is told what it has missed."""
        self.readers[reader] = None
        if self.watched is not None and len(self.readers) == 1:
            self.watched()
        self.catch_up(reader)

    def catch_up(self, reader: Reader) -> None:
        """Have a reader told what it has missed."""
        if reader in self.readers:
            self._behind[reader] = None
            self._go_on()

    def leave(self, reader: Reader) -> None:
        """Send a reader nothing any more."""
        self._behind.pop(reader, None)
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
        """Render and send what has changed: a job for slices."""
        spent = _Stopwatch()
        try:
            yield from spent.timed(self._events())
            yield from spent.timed(self._missed())
            if self._is_over:
                yield from self._farewell()
        except Exception:
            # Not again at once: the next change may be told.
            self._behind.clear()
            raise
        finally:
            self._is_busy = False
            self._rests_until = self.clock.seconds() + max(self.interval, SHARE * spent.seconds)
            if self._captured or self._behind:
                self._go_on()

    def _events(self) -> Iterator[None]:
        """Tell those who have all events so far what has changed since."""
        captured, before = self._chosen(), self._at
        if not captured:
            return
        late = [reader for reader in self.readers if reader.number != before]
        self._behind.update(dict.fromkeys(late))
        if len(late) == len(self.readers):
            # They get the newest scene anyway.
            return
        self._is_stale = False
        data = b""
        for moment in captured:
            data += self._event(moment)
            yield
            if self.generation != before[0]:
                return
        after = self._at
        for reader in [reader for reader in self.readers if reader.number == before]:
            # It may have left meanwhile, or another stream may have filled its line.
            if reader in self.readers and not reader.is_congested:
                reader.number = after
                reader.send(data)
                yield

    @property
    def _at(self) -> tuple[str, int]:
        return self.generation, self.number

    def _chosen(self) -> list[Any]:
        """Return the moments to be rendered, the newest among them."""
        captured, self._captured = self._captured, []
        most = max(1, min(VIEWS, SCENES // max(1, len(self.readers))))
        return captured[-most:]

    def _event(self, moment: Any) -> bytes:
        """Return the next event."""
        moves = self.source.moves(moment)
        known = self._marks[-1][1]
        self._count(len(moves))
        return self._rendered({"scene": self.source.scene(moment), "moves": newest(moves[known:])})

    def _count(self, moves: int) -> None:
        self.number += 1
        self._marks.append((self.number, moves))

    def _rendered(self, data: Mapping[str, Any], at: tuple[str, int] | None = None) -> bytes:
        generation, number = at or self._at
        return b"event: scene\nid: %b-%d\ndata: %b\n\n" % (generation.encode(), number, dumped(data))

    def _missed(self) -> Iterator[None]:
        """Bring those up to date who are behind; who has missed the same gets the same bytes."""
        behind, self._behind = self._behind, {}
        if not behind:
            return
        moment = self.source.capture()
        moves = self.source.moves(moment)
        if self._is_stale:
            # This is an event of its own, for all.
            self._is_stale = False
            self._captured.clear()
            self._count(len(moves))
            behind = dict(self.readers)
        scene, after = self.source.scene(moment), self._at
        yield
        rendered: dict[int | None, bytes] = {}
        for reader in behind:
            # Who does not read comes back when it does.
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
        """Return how many moves had been told with an event, None if that is not known any more."""
        if number is None or number[0] != self.generation:
            return None
        return next((moves for known, moves in self._marks if known == number[1] and known), None)

    def _farewell(self) -> Iterator[None]:
        if self._captured or self._behind:
            # What came meanwhile is told first.
            return
        for reader in list(self.readers):
            reader.send(GONE)
            reader.end()
            self.leave(reader)
            yield


@define
class _Stopwatch:
    """Adds up how long the pieces of jobs take."""

    seconds: float = 0.0

    def timed(self, job: Iterator[None]) -> Iterator[None]:
        """Do a job and measure its pieces."""
        while True:
            began = perf_counter()
            try:
                next(job)
            except StopIteration:
                return
            finally:
                self.seconds += perf_counter() - began
            yield
