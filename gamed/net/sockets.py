"""Options of the socket below a transport, and polls of its state that read nothing.

Some attributes have no public name in Twisted; `tests/net/test_twisted_private.py` lists them.
"""

from __future__ import annotations

import select
import socket
from typing import Any

from twisted.internet.interfaces import ISSLTransport, ITCPTransport

HELD_BYTES = 32_768
"""The size of a connection's receive buffer in the kernel. Linux doubles it, to account for its own overhead."""

_QUICKACK = getattr(socket, "TCP_QUICKACK", None)
_HANG_UP = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR


def is_tcp(transport: Any) -> bool:
    """Whether there is TCP below a transport, with TLS or without."""
    return bool(ITCPTransport.providedBy(transport))


def is_tls(transport: Any) -> bool:
    """Whether a transport is TLS."""
    return bool(ISSLTransport.providedBy(transport))


def below(transport: Any) -> Any:
    """Return the TCP transport below a TLS transport; any other transport is returned itself."""
    return getattr(transport, "transport", None) or transport


def tune(transport: Any) -> None:
    """Disable Nagle's algorithm, so that lines leave at once, and enable keepalive, which notices dead peers."""
    if is_tcp(transport):
        transport.setTcpNoDelay(True)
        transport.setTcpKeepAlive(True)


def read_at_most(transport: Any, size: int) -> None:
    """Limit the bytes that are read in a turn of the reactor."""
    if is_tcp(transport):
        # Twisted's connections use the attribute at each read.
        below(transport).bufferSize = size


def hold_little(listening: socket.socket) -> None:
    """Limit the receive buffers of the connections that a socket will accept.

    By default the kernel buffers up to 32 MB of each peer that sends faster than it is read. A thousand such peers used
    up the kernel's memory for TCP. From then on segments of the players were dropped, too, and arrived 10 to 100 ms
    later.
    """
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, HELD_BYTES)


def acknowledge(connected: socket.socket) -> None:
    """Have the kernel acknowledge input at once. The option resets itself, so it is set after each read.

    Without it, real clients lose 44 ms a turn to delayed acknowledgements.
    """
    if _QUICKACK is not None:
        connected.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)


def has_hung_up(connected: Any) -> bool:
    """Whether the peer has closed its side, even if its last bytes have not been read."""
    return _polled(connected, _HANG_UP)


def has_bytes(connected: Any) -> bool:
    """Whether there is something to read."""
    return _polled(connected, select.POLLIN)


def _polled(connected: Any, events: int) -> bool:
    poll = select.poll()
    poll.register(connected, events)
    return bool(poll.poll(0))
