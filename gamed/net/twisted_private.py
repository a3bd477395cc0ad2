"""Adapters of private names of Twisted's.

`gamed/net/sockets.py` and `StallClock` use a few more. `tests/net/test_twisted_private.py` fails when a new version of
Twisted has changed one of them, and says what to do.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from typing import Any

from twisted.internet.posixbase import _DisconnectSelectableMixin, _PollLikeMixin
from twisted.internet.tcp import Port
from twisted.logger import Logger

log = Logger()


class PolledReader(_PollLikeMixin, _DisconnectSelectableMixin):
    """Reads descriptors that `epoll` has reported, and disconnects them, as Twisted's reactors do."""

    # The names that the mixins expect: the bits of events, and the readers.
    _POLL_DISCONNECTED = getattr(select, "EPOLLHUP", 0) | getattr(select, "EPOLLERR", 0)
    _POLL_IN = getattr(select, "EPOLLIN", 0)
    _POLL_OUT = getattr(select, "EPOLLOUT", 0)
    _reads: dict[int, Any]

    def read(self, reader: Any, fd: int, event: int) -> None:
        """Have a reader read; if its connection has ended or fails, call its `connectionLost`."""
        self._doReadOrWrite(reader, fd, event)  # type: ignore[no-untyped-call]


def accept_with(port: Port, reactor: Any) -> None:
    """Move a port and its new connections to another reactor, and have it accept one connection at a time."""
    port.stopReading()
    port.reactor = reactor
    accept = port.doRead

    def do_read() -> None:
        # Twisted adapts this number to how many connections came last.
        port.numberAccepts = 1
        accept()  # type: ignore[no-untyped-call]

    port.doRead = do_read  # type: ignore[method-assign]
    port.startReading()


def poll_without_log_context(reactor: Any) -> None:
    """Have a reactor with `epoll` read and write without a log context for each descriptor.

    Twisted's legacy log shows in that context which connection has logged a line. gamed's log does not use it, and it
    costs more than the poll. Reactors without `epoll` are not changed.
    """
    poller, selectables, read_or_write = (
        getattr(reactor, name, None) for name in ("_poller", "_selectables", "_doReadOrWrite")
    )
    if poller is None or selectables is None or read_or_write is None:
        return
    poll = poller.poll

    def do_iteration(delay: float | None) -> None:
        for fd, event in poll(-1 if delay is None else delay, len(selectables)):
            selectable = selectables.get(fd)
            # A descriptor that was served before it may have closed it.
            if selectable is None:
                continue
            try:
                read_or_write(selectable, fd, event)
            except Exception:  # noqa: BLE001 (whatever it is, the others are read)
                log.failure("server fault: a descriptor cannot be read, written or closed")

    reactor.doIteration = do_iteration


def input_watch(reactor: Any) -> Callable[[], bool]:
    """Return a function that tells whether a descriptor of the reactor is ready, before the reactor's next poll.

    For a reactor without `epoll` it always returns False.
    """
    poller = getattr(reactor, "_poller", None)
    if poller is None or not hasattr(poller, "fileno"):
        return lambda: False
    # An epoll descriptor is itself readable while one of its descriptors is ready.
    watch = select.poll()
    watch.register(poller.fileno(), select.POLLIN)
    return lambda: bool(watch.poll(0))
