"""The reactor of the daemon and of commands: epoll, by the monotonic clock. It tells when a pass begins and has read.

Source: docs/topics/design.md#time.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable

from twisted.internet.epollreactor import EPollReactor
from twisted.logger import Logger

log = Logger()


class TurnReactor(EPollReactor):
    """Polls all sockets, and then reads those that are ready, in each pass."""

    def __init__(self) -> None:
        self.on_pass: list[Callable[[], object]] = []
        """Called when a pass begins, before its poll."""

        self._after_reads: list[Callable[[], object]] = []
        super().__init__()  # type: ignore[no-untyped-call]
        # An epoll descriptor is itself readable while one of its descriptors is ready.
        self._watch = select.poll()
        self._watch.register(self._poller.fileno(), select.POLLIN)

    def seconds(self) -> float:
        """Return the monotonic time. All timers use it."""
        return time.monotonic()

    def has_input(self) -> bool:
        """Return whether a descriptor is ready now, before the next poll."""
        return bool(self._watch.poll(0))

    def after_reads(self, call: Callable[[], object]) -> None:
        """Call a function after this pass has read all ready sockets, and before the next poll."""
        self._after_reads.append(call)

    def doIteration(self, delay: float | None) -> None:
        """Poll, and read and write what is ready.

        Unlike Twisted's, it makes no log context for each descriptor. Twisted's legacy log shows in that context which
        connection has logged a line; gamed's log does not use it, and it costs more than the poll.
        """
        for note in self.on_pass:
            note()
        # Timers have run since the last pass. The steps that they caused must be sent before the poll. The poll must
        # not sleep then: `delay` was computed before, and these calls may have set earlier timers.
        if self._after_reads:
            self._call_after_reads()
            delay = 0
        selectables = self._selectables
        for fd, event in self._poller.poll(-1 if delay is None else delay, len(selectables)):
            selectable = selectables.get(fd)
            # A descriptor that was served before it may have closed it.
            if selectable is not None:
                try:
                    self._doReadOrWrite(selectable, fd, event)  # type: ignore[no-untyped-call]
                except Exception:  # noqa: BLE001 (whatever it is, the others are read)
                    log.failure("server fault: a descriptor cannot be read, written or closed")
        if self._after_reads:
            self._call_after_reads()

    def _call_after_reads(self) -> None:
        calls, self._after_reads = self._after_reads, []
        for call in calls:
            try:
                call()
            except Exception:  # noqa: BLE001 (as the reactor does with its timers)
                log.failure("server fault: after a pass of the reactor")
