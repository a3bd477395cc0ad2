"""How many connections a listener takes, in all and from one address.

Source: battleship.md A1; etc/gamed.toml argues for the defaults.
"""

from __future__ import annotations

import resource

from attrs import define, field
from twisted.logger import Logger

log = Logger()

DESCRIPTORS_KEPT = 64
"""File descriptors that connections may not use: the journal, the database, the log and the listeners need them."""

ANYBODY = "any"
"""Stands for all addresses in the log."""


@define
class ConnectionLimits:
    """Counts the connections of one listener."""

    listener: str
    total: int
    per_address: int
    _open: dict[str, int] = field(factory=dict)
    _count: int = 0
    _refused: dict[str, int] = field(factory=dict)

    def admit(self, address: str) -> bool:
        """Count a connection in, or refuse it. The log tells of the first refusal of a series, and how many it had."""
        here = self._open.get(address, 0)
        if self._count >= self.total or here >= self.per_address:
            # A full listener refuses in one series: addresses without a connection would have no end of theirs.
            self._refuse(address if here >= self.per_address else ANYBODY, address, here)
            return False
        self._open[address] = here + 1
        self._count += 1
        return True

    def _refuse(self, series: str, address: str, here: int) -> None:
        if series not in self._refused:
            log.warn(
                "refused: listener={listener} address={address} connections={here} of {per_address} "
                "all={count} of {total}; raise connections_per_address or connections if they are wanted",
                listener=self.listener,
                address=address,
                here=here,
                per_address=self.per_address,
                count=self._count,
                total=self.total,
            )
        self._refused[series] = self._refused.get(series, 0) + 1

    def release(self, address: str) -> None:
        """Count a connection out."""
        here = self._open[address] - 1
        if here:
            self._open[address] = here
        else:
            del self._open[address]
        self._count -= 1
        for series in (address, ANYBODY):
            refused = self._refused.pop(series, 0)
            if refused:
                log.warn(
                    "refused in all: listener={listener} address={address} times={refused}",
                    listener=self.listener,
                    address=series,
                    refused=refused,
                )


def raise_descriptor_limit() -> int:
    """Raise the soft limit of file descriptors to the hard one; return how many connections that leaves room for."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard - DESCRIPTORS_KEPT
