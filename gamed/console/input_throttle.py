"""What a console's peer sends, a line a turn of the reactor: whatever comes, games are not kept waiting.

Telnet and SSH both put this before what reads them. While something waits here, nothing is read from the transport.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamed.fairness import CONSOLE_BYTES
from gamed.net.limits import Bucket

LINE_BYTES: Final = 4_096
"""The longest line, whatever it is made of: keys, escape sequences, telnet commands."""

LINES_IN_STORE: Final = 32
LINES_PER_SECOND: Final = 50.0
"""The rate of commands, and how many of them may come at once: nobody types faster."""


@define(eq=False)
class InputThrottle:
    """Hands on bytes at its own pace. `take`: where they go; `overlong`: called once, and nothing is taken after it.

    `producer`: the transport that is paused. `is_held`: whether the taker wants nothing for now.
    """

    clock: IReactorTime
    producer: Any
    take: Callable[[bytes], None]
    overlong: Callable[[], None]
    is_held: bool = False
    _pending: bytearray = field(factory=bytearray)
    _line: int = 0
    _call: IDelayedCall | None = None
    _is_closed: bool = False
    _allowed: Bucket = field(init=False)
    _is_paused: bool = False
    _end: Callable[[], object] | None = None

    def __attrs_post_init__(self) -> None:
        self._allowed = Bucket(LINES_PER_SECOND, LINES_IN_STORE, self.clock.seconds(), LINES_IN_STORE)

    def feed(self, data: bytes) -> None:
        """Take bytes from the transport."""
        if not self._is_closed:
            self._pending += data
            if self._call is None and not self.is_held:
                self._turn()

    def hold(self) -> None:
        """Hand on nothing until `release`: a command is under way, or the peer does not read."""
        self.is_held = True
        self._pause_or_not()

    def release(self) -> None:
        """Hand on again."""
        self.is_held = False
        self._go_on()

    def at_end(self, call: Callable[[], object]) -> None:
        """Call when all that has come is handed on, and nothing is held."""
        self._end = call
        self._end_or_not()

    def _end_or_not(self) -> None:
        if self._end is not None and not self._pending and not self.is_held and not self._is_closed:
            end, self._end = self._end, None
            self.clock.callLater(0, end)

    def close(self) -> None:
        """Hand on nothing any more."""
        self._is_closed = True
        self._pending.clear()
        if self._call is not None and self._call.active():
            self._call.cancel()
        self._call = None

    def _go_on(self) -> None:
        if self._pending and self._call is None and not self.is_held and not self._is_closed:
            self._call = self.clock.callLater(self._delay(), self._turn)
        self._pause_or_not()
        self._end_or_not()

    def _turn(self) -> None:
        self._call = None
        if self.is_held or self._is_closed:
            return
        part = self._next()
        if self._line > LINE_BYTES:
            self.close()
            self.overlong()
            return
        self.take(part)
        self._go_on()

    def _next(self) -> bytes:
        part = bytes(self._pending[:CONSOLE_BYTES])
        ends = [place for place in map(part.find, (b"\r", b"\n")) if place >= 0]
        if ends:
            # The line feed after a carriage return belongs to it.
            end = min(ends) + 1
            part = part[: end + (part[end - 1 : end + 1] == b"\r\n")]
            self._line = 0
            self._allowed.level(self.clock.seconds())
            self._allowed.take(1)
        else:
            self._line += len(part)
        del self._pending[: len(part)]
        return part

    def _delay(self) -> float:
        return 0.0 if self._allowed.level(self.clock.seconds()) else self._allowed.wait

    def _pause_or_not(self) -> None:
        wants = bool(self._pending or self.is_held) and not self._is_closed
        if wants != self._is_paused:
            self._is_paused = wants
            (self.producer.pauseProducing if wants else self.producer.resumeProducing)()
