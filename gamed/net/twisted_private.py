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
