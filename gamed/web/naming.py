"""Names of players as the public may read them: without addresses, unless the configuration shows them.

Source: docs/reference/web-api.md#addresses. Where a dialect has no names, a peer is called by its address, in records,
too. The console, the log and the commands show these; the web shows them to the administrator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any, Final

import attrs
from attrs import define

from gamed.core.history import JOINED, Entry, History

_IN_BROWSER: Final = "web:"
"""What the name of a peer in a browser begins with, if it has none."""


def is_address(name: str) -> bool:
    """Whether a name is the address of a peer, with or without its port."""
    bare = name.removeprefix(_IN_BROWSER)
    host, _, port = bare.rpartition(":")
    hosts = (bare, host.removeprefix("[").removesuffix("]") if port.isdecimal() else bare)
    return any(map(_is_host, hosts))


def _is_host(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


@define(eq=False)
class Naming:
    """Says what players are called."""

    shows_addresses: bool = False

    def named(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return rows of players with a `name` each: where it is an address, or none is known, the row is `unnamed`."""
        return [self._row(row) for row in rows]

    def is_hidden(self, name: str) -> bool:
        """Whether a name is not told."""
        return not self.shows_addresses and is_address(name)

    def history(self, history: History) -> History:
        """Return a history as its files are handed out."""
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
"""What the administrator is told."""
