"""Peers' addresses as texts: the host alone for limits and bans, with the port for logs."""

from __future__ import annotations

import sys
from typing import Any


def host_of(address: Any) -> str:
    """Return the host of a Twisted address, an IPv4-mapped one as IPv4; `local` for an address without a host."""
    # Connections from one address share the string.
    return sys.intern(str(getattr(address, "host", "local")).removeprefix("::ffff:"))


def port_of(address: Any) -> int | None:
    """Return the port of a Twisted address, or None if it has none."""
    return getattr(address, "port", None)


def address_text(host: str, port: int | None) -> str:
    """Return host and port as in a URL."""
    if port is None:
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
