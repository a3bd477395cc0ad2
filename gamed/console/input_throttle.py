"""Limits the input of a console's peer to one line per turn of the reactor, so that games do not wait for it.

Telnet and SSH pass their input through this. While input is waiting here, the transport is paused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamed.net.limits import Bucket
from gamed.process.fairness import CONSOLE_BYTES

LINE_BYTES: Final = 4_096
"""The longest line, including escape sequences and telnet commands."""

LINES_IN_STORE: Final = 32
LINES_PER_SECOND: Final = 50.0
"""The rate of lines, and the size of a burst: nobody types faster."""


@define(eq=False)
class InputThrottle:
    """Passes bytes on at a limited rate."""

    clock: IReactorTime

    producer: Any
    """The transport, which is paused while bytes are waiting."""

    take: Callable[[bytes], None]
    """Gets the bytes, at most a line per call."""

    overlong: Callable[[], None]
    """Called once if a line is too long. Nothing is passed on after it."""

    is_held: bool = False
    """Whether nothing is passed on until `release`."""

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
        """Pass nothing on until `release`, because a command is running, or the peer does not read."""
        self.is_held = True
        self._pause_or_not()

    def release(self) -> None:
        """Continue."""
        self.is_held = False
        self._go_on()

    def at_end(self, call: Callable[[], object]) -> None:
        """Call when all input has been passed on and nothing is held."""
        self._end = call
        self._end_or_not()

    def _end_or_not(self) -> None:
        if self._end is not None and not self._pending and not self.is_held and not self._is_closed:
            end, self._end = self._end, None
            self.clock.callLater(0, end)

    def close(self) -> None:
        """Pass nothing on any longer."""
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
