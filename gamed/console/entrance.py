"""Limits the connections of the console, so that strangers cannot lock operators out.

Anybody can connect and send nothing. So connections that log in have places of their own, many more than operators
need. If all are taken, a new connection takes that of the oldest one of the address that has most. An address opens
only so many connections a second that its own oldest one has been there for longer than a login may take. So nobody who
types a password is thrown out, unless strangers come from as many addresses as there are places.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, Protocol

from attrs import define, field

from gamed.net.limits import ConnectionLimits

PLACES: Final = 512
"""Places for connections that have not logged in."""

RATE: Final = 4.0
"""Connections that an address may open in a second, in the long run. At this rate it takes longer to fill all places
than a login may take."""

BURST: Final = 24
"""Connections that an address may open at once."""

DISPLACED: Final = "console: closed: another connection needs its place, and nobody had logged in: peer={peer}"

FULL: Final = "all places of operators are taken; [console] connections has their number"


class Comer(Protocol):
    """A connection that was let in."""

    address: str

    peer_name: str
    """Its name in logs."""

    def displace(self) -> None:
        """Close at once, because another connection needs the place."""


@define(eq=False)
class Entrance:
    """The connections of the console, by telnet and by SSH."""

    limits: ConnectionLimits
    """Those of all connections; `open_to` sets them."""

    _comers: dict[Comer, bool] = field(factory=dict)
    """The connections that have a place, the oldest first, and whether they have logged in."""

    def open_to(self, operators: int) -> None:
        """Set how many operators may be logged in at the same time."""
        self.operators = operators
        # One more: a new connection is counted before another one makes room for it.
        self.limits.total = self.limits.per_address = operators + PLACES + 1
        self.limits.per_second, self.limits.burst = RATE, BURST

    operators: int = field(init=False, default=0)

    def admit(self, address: str) -> bool:
        """Admit a connection, or refuse it: it is banned, or its address connects too often."""
        if not self.limits.admit(address):
            return False
        while len(self._comers) - self._inside >= PLACES:
            oldest = self._dispensable()
            self.leave(oldest)
            self.limits.series.warn(oldest.address, DISPLACED, peer=oldest.peer_name)
            oldest.displace()
        return True

    @property
    def _inside(self) -> int:
        return sum(self._comers.values())

    def _dispensable(self) -> Comer:
        waiting = [comer for comer, is_in in self._comers.items() if not is_in]
        # The address with the most connections; if several have as many, the first.
        ((crowd, _),) = Counter(comer.address for comer in waiting).most_common(1)
        return next(comer for comer in waiting if comer.address == crowd)

    def come(self, comer: Comer) -> None:
        """Register a connection that was admitted."""
        self._comers[comer] = False

    def log_in(self, comer: Comer) -> bool:
        """Keep the place of a connection: its operator has logged in. Return False if too many operators are there."""
        if self._inside >= self.operators:
            return False
        if comer in self._comers:
            self._comers[comer] = True
            # Scripts of operators may connect more often.
            self.limits.forgive(comer.address)
        return True

    def leave(self, comer: Comer) -> None:
        """Free the place of a connection, unless it was taken away before."""
        if self._comers.pop(comer, None) is not None:
            self.limits.release(comer.address)
