"""Endpoint strings, with which an administrator describes listeners: parsing and checks.

Source: Twisted's syntax (colons separate, a backslash escapes them).
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from typing import Final

from attrs import frozen

_COLON: Final = re.compile(r"(?<!\\):")

FAMILIES: Final[Mapping[str, socket.AddressFamily]] = {
    "tcp": socket.AF_INET,
    "tcp4": socket.AF_INET,
    "tcp6": socket.AF_INET6,
    "ssl": socket.AF_INET,
    "tls": socket.AF_INET,
}
"""The family of addresses of each kind of endpoint that has a port."""

MOST_PORT: Final = 65_535

BACKLOG: Final = 4096
"""The length of the kernel's accept queue, as far as net.core.somaxconn allows it.

If the queue is full, the kernel can drop a connection that is established for its client. A client that waits for the
server's first message would then wait forever.
"""


@frozen
class Endpoint:
    """What an endpoint string says."""

    kind: str
    """Its first word, such as `tcp`."""

    port: int | None
    """None if the string has no port, or a number that is not a port."""

    interface: str

    @property
    def family(self) -> socket.AddressFamily | None:
        """The family of addresses; None if the endpoint binds no port."""
        if self.kind in {"tls", "ssl"} and ":" in self.interface:
            return socket.AF_INET6
        return FAMILIES.get(self.kind)


def parse(text: str) -> Endpoint:
    """Parse an endpoint string."""
    kind, port, interface = _parts(text)
    number = int(port) if port.isdecimal() else None
    return Endpoint(kind, number if number is None or number <= MOST_PORT else None, interface)


def check(text: str) -> None:
    """Raise ValueError if the port of an endpoint string is not one."""
    kind, port, _ = _parts(text)
    if kind in FAMILIES and parse(text).port is None:
        raise ValueError(f'"{port}" is not a port: write a number from 1 to {MOST_PORT}')


def with_backlog(text: str) -> str:
    """Return an endpoint string with our backlog, unless it has one. Twisted's own default is 50."""
    kind, *arguments = _COLON.split(text)
    if kind not in {*FAMILIES, "unix"} or any(argument.startswith("backlog=") for argument in arguments):
        return text
    return f"{text}:backlog={BACKLOG}"


def _parts(text: str) -> tuple[str, str, str]:
    """Return kind, port and interface as they are written."""
    kind, *arguments = [part.replace("\\:", ":") for part in _COLON.split(text)]
    named = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    plain = [argument for argument in arguments if "=" not in argument]
    # The first argument of `tls` is a directory.
    port = named.get("port", plain[-1 if kind == "tls" else 0] if plain else "")
    return kind, port, named.get("interface", "")
