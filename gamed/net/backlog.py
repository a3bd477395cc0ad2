"""What peers send beyond their share waits in one queue of the whole daemon, which has a slice of each reactor turn.

Who keeps to its share is served when its bytes are read. What goes beyond is served in turns, a few messages of one
session after the other, and all such sessions together get `SLICE` seconds of a turn of the reactor: however many they
are, others wait that much longer. Where nobody else wants anything, one turn follows the other at once, and nobody who
is fast is slowed. Source: design.md, "Floods".
"""

from __future__ import annotations

from collections import deque
from typing import Final, Protocol

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

log = Logger()

SHARE: Final = 20.0
"""Messages a second that a session has served at once in the long run: more than any player needs who thinks, and so
few that a thousand who flood are bearable."""

STORE: Final = 40.0
"""How much of its share a session may have in store. It has nothing when it comes: those who come to flood wait."""

AT_ONCE: Final = 4
"""Messages that are taken in one go, at once or in the queue: those of an ordinary answer."""

SLICE: Final = 0.0005
"""Seconds of a turn of the reactor that go to what is beyond the shares."""


TICK: Final = 0.001
"""Seconds that a token is waited for beyond its time, so that no rounding makes it late by another one's."""


@define(eq=False)
class Bucket:
    """Tokens that come at a rate a second, and of which `most` are held in store. `_at`: when was looked last."""

    rate: float
    most: float
    _at: float
    _held: float = 0.0

    def level(self, now: float) -> int:
        """Return how many whole tokens there are."""
        held = self._held + (now - self._at) * self.rate
        self._held = min(self.most, held)
        self._at = now
        return int(self._held)

    @property
    def wait(self) -> float:
        """Seconds from the last look until there is one token at least."""
        return max(0.0, 1.0 - self._held) / self.rate + TICK

    def take(self, count: int) -> None:
        """Take tokens, or what there is of them."""
        held = self._held - count
        self._held = max(0.0, held)


class Waiting(Protocol):
    """Who has something to be served: a session, or a console."""

    def serve(self, until: float) -> bool:
        """Serve a few things, and none after a moment on the reactor's clock. Return whether more waits; no errors."""


@define(eq=False)
class Backlog:
    """The queue. Whoever waits stands in it once; `is_held`: while the disk takes nothing, nobody is served.

    Where nobody waits, who comes is served at once, as long as this takes no more time than everything else does, with
    a slice in store: a turn of the reactor for each would cost more than most messages.
    """

    clock: IReactorTime
    is_held: bool = False
    _queue: deque[Waiting] = field(factory=deque)
    _left: float = SLICE
    _at: float = 0.0
    _call: IDelayedCall | None = None
    _is_serving: bool = False

    def __len__(self) -> int:
        """How many wait."""
        return len(self._queue)

    def enter(self, who: Waiting) -> None:
        """Serve at once if nobody else waits and there is time left; let the rest wait."""
        if self._queue or self.is_held or self._is_serving or self._serve_now(who):
            self._queue.append(who)
            self._go_on()

    def _serve_now(self, who: Waiting) -> bool:
        """Return whether something still waits."""
        now = began = self.clock.seconds()
        left = min(SLICE, self._left + began - self._at)
        waits, until = True, began + left
        while waits and now < until:
            waits = self._serve(who, until)
            now = self.clock.seconds()
        self._left, self._at = until - now, now
        return waits

    def _serve(self, who: Waiting, until: float) -> bool:
        # Who is served may have others come, or itself again: these wait, or calls would nest without end.
        self._is_serving = True
        try:
            return who.serve(until)
        except Exception:  # noqa: BLE001 (whatever it is, the others are served)
            log.failure("server fault: what waited is forgotten")
            return False
        finally:
            self._is_serving = False

    def _go_on(self) -> None:
        if self._call is None and not self.is_held:
            self._call = self.clock.callLater(0, self._turn)

    def _turn(self) -> None:
        """Serve for a slice of time who waits, one after the other."""
        self._call = None
        if self.is_held:
            return
        now = self.clock.seconds()
        until = now + SLICE
        while self._queue and now < until:
            who = self._queue.popleft()
            if self._serve(who, until):
                self._queue.append(who)
            now = self.clock.seconds()
        self._left, self._at = until - now, now
        if self._queue:
            self._go_on()

    def hold(self, is_held: bool) -> None:  # noqa: FBT001 (what it is set to)
        """Serve nobody, or go on."""
        self.is_held = is_held
        if self._queue:
            self._go_on()
