"""Telling systemd that the daemon is ready or stops (sd_notify). Twisted has none."""

from __future__ import annotations

import os
import socket


def notify(state: str) -> None:
    """Send a state such as `READY=1` to the service manager, if there is one."""
    address = os.environ.get("NOTIFY_SOCKET")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            # A leading @ stands for the zero byte of Linux's abstract names.
            channel.sendto(state.encode(), address.replace("@", "\0", 1) if address[0] == "@" else address)
