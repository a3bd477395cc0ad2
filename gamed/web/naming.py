"""Hides the addresses of players who have no other name.

Source: docs/reference/web-api.md#addresses. If a game's protocol has no names, a peer's name is its address, also in
records. The console, the log and the commands show these names. The web shows them only to administrators, unless it is
configured to show them to everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final

import attrs
from attrs import define

from gamed.core.history import JOINED, Entry, History

_IN_BROWSER: Final = "web:"
"""The prefix of the name that a nameless player in a browser gets; its address follows."""


@lru_cache(1024)
def is_address(name: str) -> bool:
    """Whether a name is the address of a peer, with or without its port. Cached: every scene asks for each seat."""
    return any(map(_is_host, _hosts(name)))


def _hosts(name: str) -> tuple[str, str]:
    """Return what the host in a name may be: all of it, or all but a port."""
    bare = name.removeprefix(_IN_BROWSER)
    host, _, port = bare.rpartition(":")
    return bare, host.removeprefix("[").removesuffix("]") if port.isdecimal() else bare


def _is_host(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


@define(eq=False)
class Naming:
    """Decides which names are shown."""

    shows_addresses: bool = False
    """Whether addresses are shown like any other name."""

    shown: frozenset[str] = frozenset()
    """Addresses that are shown nevertheless, because they are the visitor's own."""

    def showing(self, addresses: frozenset[str]) -> Naming:
        """Return the same for a visitor with these addresses."""
        return Naming(self.shows_addresses, addresses)

    def named(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return rows of players, each with a `name`. If it is empty or hidden, the row gets `unnamed` instead."""
        return [self._row(row) for row in rows]

    def is_hidden(self, name: str) -> bool:
        """Whether a name must not be shown."""
        return not self.shows_addresses and is_address(name) and self.shown.isdisjoint(_hosts(name))

    def history(self, history: History) -> History:
        """Return a history without hidden names, for files that are downloaded."""
        if not any(self.is_hidden(str(entry.data["name"])) for entry in history.of_kind(JOINED)):
            return history
        return attrs.evolve(history, entries=[self._entry(entry) for entry in history.entries])

    def _row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        name = row["name"] or ""
        return {**row, "name": "", "unnamed": True} if not name or self.is_hidden(name) else dict(row)

    def _entry(self, entry: Entry) -> Entry:
        if entry.kind != JOINED or entry.seat is None or not self.is_hidden(str(entry.data["name"])):
            return entry
        return attrs.evolve(entry, data={**entry.data, "name": f"Player {entry.seat + 1}"})


EVERYTHING: Final = Naming(shows_addresses=True)
"""The names as administrators see them."""
