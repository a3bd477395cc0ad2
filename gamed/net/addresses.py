"""What a peer's address is called: in limits and bans its host alone, in logs with the port."""

from __future__ import annotations

from typing import Any


def host_of(address: Any) -> str:
    """Return the host of a Twisted address, IPv4 in IPv6 as IPv4; `local` where there is none."""
    return str(getattr(address, "host", "local")).removeprefix("::ffff:")


def port_of(address: Any) -> int | None:
    """Return the port of a Twisted address, None where there is none."""
    return getattr(address, "port", None)


def address_text(host: str, port: int | None) -> str:
    """Return a host with its port as a URL has them."""
    if port is None:
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
