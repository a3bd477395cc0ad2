"""What the network uses of Twisted although Twisted does not promise it.

Each thing is used here and nowhere else; `read_at_most` in `gamed/net/sockets.py` and `StallClock` have two more.
`tests/net/test_twisted_private.py` fails with what to do when a new Twisted has changed one of them.
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
    """Reads of descriptors that `epoll` names, and ends them as a reactor of Twisted's does."""

    # The mixins' names: which events there are, and who is read.
    _POLL_DISCONNECTED = getattr(select, "EPOLLHUP", 0) | getattr(select, "EPOLLERR", 0)
    _POLL_IN = getattr(select, "EPOLLIN", 0)
    _POLL_OUT = getattr(select, "EPOLLOUT", 0)
    _reads: dict[int, Any]

    def read(self, reader: Any, fd: int, event: int) -> None:
        """Read of a descriptor; where it has ended, or fails, tell it so."""
        self._doReadOrWrite(reader, fd, event)  # type: ignore[no-untyped-call]


def accept_with(port: Port, reactor: Any) -> None:
    """Have a port accept where another reactor reads, one connection at a time; that is its connections' reactor."""
    port.stopReading()
    port.reactor = reactor
    accept = port.doRead

    def do_read() -> None:
        # Twisted changes its own number by how many came.
        port.numberAccepts = 1
        accept()  # type: ignore[no-untyped-call]

    port.doRead = do_read  # type: ignore[method-assign]
    port.startReading()


def poll_without_log_context(reactor: Any) -> None:
    """Have a reactor with `epoll` read and write without making a log context for each descriptor.

    The context says by whom a line was logged that Twisted's old log has of it. gamed's own lines do not use it, and
    for a relayed line it costs more than the poll. Other reactors stay as they are.
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
            # One that was read before has closed it.
            if selectable is None:
                continue
            try:
                read_or_write(selectable, fd, event)
            except Exception:  # noqa: BLE001 (whatever it is, the others are read)
                log.failure("server fault: a descriptor cannot be read, written or closed")

    reactor.doIteration = do_iteration


def input_watch(reactor: Any) -> Callable[[], bool]:
    """Return what says whether a descriptor of the reactor is ready: the reactor will see it in its next turn only.

    Of a reactor without `epoll` it is not known; it then never is.
    """
    poller = getattr(reactor, "_poller", None)
    if poller is None or not hasattr(poller, "fileno"):
        return lambda: False
    # An epoll descriptor is itself readable while one of its descriptors is ready.
    watch = select.poll()
    watch.register(poller.fileno(), select.POLLIN)
    return lambda: bool(watch.poll(0))
