"""Telling systemd that the daemon is ready or stops (sd_notify). Twisted has none."""

from __future__ import annotations

import os
import socket

from twisted.logger import Logger

log = Logger()


def notify(state: str) -> None:
    """Send a state such as `READY=1` to the service manager, if there is one."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A leading @ stands for the zero byte of Linux's abstract names.
    name = "\0" + address[1:] if address[0] == "@" else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.sendto(state.encode(), name)
    except OSError as error:
        # Nobody who listens is no reason to fail, least of all while stopping.
        log.warn("the service manager is not told {state}: {error}", state=state, error=error)
