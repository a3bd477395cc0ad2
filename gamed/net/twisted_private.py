"""Adapters of private names of Twisted's.

`gamed/net/sockets.py` and `TurnReactor` use a few more. `tests/net/test_twisted_private.py` fails when a new version of
Twisted has changed one of them, and says what to do.
"""

from __future__ import annotations

import select
from typing import Any

from twisted.internet.posixbase import _DisconnectSelectableMixin, _PollLikeMixin
from twisted.internet.tcp import Port


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
