"""Whose address counts behind reverse proxies: X-Forwarded-For, as far as it comes from those that are trusted.

Source: docs/howto/operate.md#a-proxy-in-front-of-the-web-pages. Each proxy adds the address that it was connected from
to the end of the header. So the header is read from the right, and only as far as proxies that are trusted have written
it: what is left of the first stranger was written by that stranger.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TypeAlias

Networks: TypeAlias = Sequence[IPv4Network | IPv6Network]


def networks(words: str) -> Networks:
    """Return the networks that a setting lists, separated by blanks. Raises ValueError."""
    return [ip_network(word, strict=False) for word in words.split()]


def client_address(peer: str, forwarded: Iterable[str], trusted: Networks) -> str:
    """Return the address of who sent a request. `forwarded`: the lines of X-Forwarded-For, in their order."""
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
