"""The address of a browser behind reverse proxies, from the X-Forwarded-For header.

Source: docs/howto/operate.md#a-proxy-in-front-of-the-web-pages. Each proxy appends the address of its own client to the
header. So the header is read from the right, as long as the address at hand is a trusted proxy's: the first address
that is not, is the browser's. What is left of it was sent by the browser, and may be forged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TypeAlias

Networks: TypeAlias = Sequence[IPv4Network | IPv6Network]


def networks(words: str) -> Networks:
    """Return the networks of a setting, which are separated by spaces. Raises ValueError."""
    return [ip_network(word, strict=False) for word in words.split()]


def client_address(peer: str, forwarded: Iterable[str], trusted: Networks) -> str:
    """Return the address of the browser. `forwarded` has the values of the X-Forwarded-For headers in their order."""
    address = peer
    for word in reversed([word.strip() for line in forwarded for word in line.split(",")]):
        if not _is_in(address, trusted):
            break
        try:
            found = ip_address(word)
        except ValueError:
            break
        mapped = getattr(found, "ipv4_mapped", None)
        address = str(mapped or found)
    return address


def _is_in(address: str, trusted: Networks) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in trusted)
