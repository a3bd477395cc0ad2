"""Limits the connections of the console: those without a login are closed in favour of new ones.

Anybody can connect and send nothing. If such connections kept their places, a few of them could lock administrators out
until they time out, and then connect again. So a connection that has not logged in keeps its place only until another
one needs it. Of the address that has most of these connections, the oldest one is closed, so that a flood from one
address affects only that address.
"""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from attrs import define, field

from gamed.net.limits import ConnectionLimits


class Comer(Protocol):
    """A connection that was let in."""

    address: str

    def displace(self) -> None:
        """Close at once, because another connection needs the place."""


@define(eq=False)
class Entrance:
    """The connections of the console, by telnet and by SSH."""

    limits: ConnectionLimits

    _comers: dict[Comer, bool] = field(factory=dict)
    """The connections that have a place, the oldest first, and whether they have logged in."""

    def admit(self, address: str) -> bool:
        """Admit a connection, or refuse it: it is banned, or all places are taken by logged-in operators."""
        limits = self.limits
        # No connection is closed in favour of a banned address.
        if limits.bans.banned(address) is None:
            while limits.count >= limits.total and (oldest := self._dispensable()) is not None:
                self.leave(oldest)
                oldest.displace()
        return limits.admit(address)

    def _dispensable(self) -> Comer | None:
        waiting = [comer for comer, is_in in self._comers.items() if not is_in]
        if not waiting:
            return None
        # The address with the most connections; if several have as many, the first.
        ((crowd, _),) = Counter(comer.address for comer in waiting).most_common(1)
        return next(comer for comer in waiting if comer.address == crowd)

    def come(self, comer: Comer) -> None:
        """Register a connection that was admitted."""
        self._comers[comer] = False

    def log_in(self, comer: Comer) -> None:
        """Keep the place of a connection from now on: its operator has logged in."""
        if comer in self._comers:
            self._comers[comer] = True

    def leave(self, comer: Comer) -> None:
        """Free the place of a connection, unless it was taken away before."""
        if self._comers.pop(comer, None) is not None:
            self.limits.release(comer.address)
