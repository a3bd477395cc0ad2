"""What a session asks of the socket below its transport, where there is one: tuning, and a look that reads nothing.

Source: docs/reference/battleship.md#what-the-original-does-differently (TCP_NODELAY, TCP_QUICKACK). Where Twisted has
no name for what is wanted, its attributes are used here and nowhere else.
"""

from __future__ import annotations

import select
import socket
from typing import Any

from twisted.internet.interfaces import ISSLTransport, ITCPTransport

_LOGGED = "connection"
_SHOWN = "<a connection of gamed's>"
_QUICKACK = getattr(socket, "TCP_QUICKACK", None)
_HANG_UP = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


def is_tcp(transport: Any) -> bool:
    """Whether there is TCP below a transport, with TLS or without."""
    return bool(ITCPTransport.providedBy(transport))


def is_tls(transport: Any) -> bool:
    """Whether a transport is TLS."""
    return bool(ISSLTransport.providedBy(transport))


def below(transport: Any) -> Any:
    """Return the transport, or what is below it where it is TLS."""
    return getattr(transport, "transport", None) or transport


def tune(transport: Any) -> None:
    """Have what is sent leave at once, and a peer noticed that is not there any longer."""
    if is_tcp(transport):
        transport.setTcpNoDelay(True)
        transport.setTcpKeepAlive(True)
        share_names(transport)


def share_names(transport: Any) -> None:
    """Have a connection give up two texts that Twisted makes for each one, for its own log and for `repr`."""
    connection = below(transport)
    if hasattr(connection, "logstr") and hasattr(connection, "repstr"):
        connection.logstr, connection.repstr = _LOGGED, _SHOWN


def read_at_most(transport: Any, size: int) -> None:
    """Have so many bytes read in a turn of the reactor."""
    if is_tcp(transport):
        # Twisted's connections look it up at each read.
        below(transport).bufferSize = size


def acknowledge(connected: socket.socket) -> None:
    """Have what came acknowledged at once. The system forgets this.

    Without it, real clients lose 44 ms a turn to delayed acknowledgements.
    """
    if _QUICKACK is not None:
        connected.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)


def has_hung_up(connected: Any) -> bool:
    """Whether the peer has closed its side, read or not."""
    return _polled(connected, _HANG_UP)


def has_bytes(connected: Any) -> bool:
    """Whether there is something to read."""
    return _polled(connected, select.POLLIN)


def _polled(connected: Any, events: int) -> bool:
    poll = select.poll()
    poll.register(connected, events)
    return bool(poll.poll(0))
