"""Limits of connections: how many a listener takes in all and from one address, at which rate, and bans.

Source: docs/topics/design.md#floods; etc/gamed.toml gives the reasons for the defaults.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, Final, TypeAlias

from attrs import Factory, define, field
from twisted.logger import Logger

from gamed.core.errors import GamedError
from gamed.net.log_series import LogSeries

log = Logger()

MOST_BUCKETS = 10_000
"""Addresses whose buckets are kept. A bucket that is full again can be dropped."""

DESCRIPTORS_KEPT = 64
"""File descriptors that connections may not use: the journal, the database, the log and the listeners need them."""

ANYBODY = "any"
"""Stands for all addresses in the log."""

TICK: Final = 0.001
"""Seconds that are added to the time to the next token, so that rounding does not make the caller come too early."""

Network: TypeAlias = IPv4Network | IPv6Network


def network_of(text: str) -> Network:
    """Return the network that a text names: an address, or an address with a prefix length. Raises GamedError."""
    try:
        return ip_network(text, strict=False)
    except ValueError as error:
        raise GamedError(
            f"{text} is not an address or a network: write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32"
        ) from error


@define(eq=False, weakref_slot=False)
class Bucket:
    """A token bucket."""

    rate: float
    """Tokens that are added in a second."""

    most: float
    """The bucket's capacity."""

    _at: float
    """When the level was computed last."""

    _held: float = 0.0
    """Tokens at that time, less those that were taken since."""

    def level(self, now: float) -> int:
        """Return the number of whole tokens."""
        held = self._held + (now - self._at) * self.rate
        held = min(held, self.most)
        self._held = held
        self._at = now
        return int(held)

    @property
    def wait(self) -> float:
        """Seconds from the last `level` until there is a token."""
        return max(0.0, 1.0 - self._held) / self.rate + TICK

    def take(self, count: int) -> None:
        """Take tokens, or all if there are fewer."""
        # A comparison is three times as fast as `max`, and this runs once a line.
        held = self._held - count
        self._held = 0.0
        if held > 0.0:
            self._held = held


@define
class Bans:
    """The networks from which no listener takes connections. Bans last until the daemon stops."""

    _refused: dict[Network, int] = field(factory=dict)
    """How many connections were refused, by banned network."""

    def __iter__(self) -> Iterator[tuple[Network, int]]:
        """Yield each network with the number of connections that were refused."""
        return iter(list(self._refused.items()))

    def ban(self, network: Network) -> None:
        """Refuse connections from a network."""
        self._refused.setdefault(network, 0)

    def unban(self, network: Network) -> bool:
        """Lift a ban. Return whether there was one for this network."""
        refused = self._refused.pop(network, None)
        if refused:
            log.warn("banned, refused in all: network={network} times={times}", network=network, times=refused)
        return refused is not None

    def banned(self, address: str) -> Network | None:
        """Return the banned network of an address, or None."""
        if not self._refused:
            return None
        try:
            parsed = ip_address(address)
        except ValueError:
            return None
        return next((network for network in self._refused if parsed in network), None)

    def refuses(self, address: str, listener: str) -> bool:
        """Whether an address is banned. Counts the refused connection, and logs the first one of a network."""
        network = self.banned(address)
        if network is None:
            return False
        if not self._refused[network]:
            log.warn(
                "refused: listener={listener} address={address} is banned: network={network}",
                listener=listener,
                address=address,
                network=network,
            )
        self._refused[network] += 1
        return True


@define
class ConnectionLimits:
    """Counts the connections of one listener, and refuses those that exceed a limit.

    Refusals are logged in series: the first one when it happens, and their number when the series ends, so that a flood
    of connections does not become a flood of log lines.
    """

    listener: str

    total: int
    """How many connections may be open."""

    per_address: int
    """How many may be open from one address."""

    bans: Bans = field(factory=Bans)
    """Shared by all listeners."""

    most: int = sys.maxsize
    """How many connections the file descriptors allow, whatever the configuration says."""

    per_second: float = 0.0
    """How many connections an address may open in a second, in the long run; 0: no limit.

    A burst of `per_address` is allowed, so that all clients of an address can reconnect at the same time.
    """

    burst: int = field(default=0, eq=False)
    """How many connections an address may open at once; 0: `per_address`."""

    clock: Callable[[], float] = field(default=time.monotonic, eq=False)

    series: LogSeries = field(
        default=Factory(lambda self: LogSeries(self.listener, self.clock), takes_self=True), eq=False
    )
    """What connections are refused, closed and lost for is logged here."""

    why: str = field(default="", eq=False)
    """The cause of the last refusal: "banned", "all", "address" or "rate"."""

    _buckets: dict[str, Bucket] = field(factory=dict, eq=False)
    """The token bucket of each address, for `per_second`."""

    _open: dict[str, int] = field(factory=dict)
    """How many connections are open, by address."""

    _count: int = 0
    """How many connections are open in all."""

    _refused: dict[str, int] = field(factory=dict)
    """How many connections were refused in each running series, by address or `ANYBODY`."""

    def admit(self, address: str) -> bool:
        """Count a new connection, or refuse it."""
        if self.bans.refuses(address, self.listener):
            self.why = "banned"
            return False
        here = self._open.get(address, 0)
        if self._count >= self.total or here >= self.per_address:
            self.why = "address" if here >= self.per_address else "all"
            # Refusals of a full listener are one series of all addresses. A series of an address ends when one of its
            # connections is closed, and here it may have none.
            self._refuse_number(address if here >= self.per_address else ANYBODY, address, here)
            return False
        if self.per_second and not self._take(address):
            self.why = "rate"
            self._refuse_rate(address)
            return False
        self._open[address] = here + 1
        self._count += 1
        return True

    @property
    def count(self) -> int:
        """How many connections are open."""
        return self._count

    @property
    def addresses(self) -> int:
        """From how many addresses connections are open."""
        return len(self._open)

    def _take(self, address: str) -> bool:
        """Take a token from an address's bucket, if there is one."""
        now = self.clock()
        bucket, most = self._buckets.get(address), self.burst or self.per_address
        if bucket is None:
            if len(self._buckets) >= MOST_BUCKETS:
                self._forget(now)
            bucket = self._buckets[address] = Bucket(self.per_second, most, now, most)
        # The configuration may have been reloaded.
        bucket.rate, bucket.most = self.per_second, most
        if not bucket.level(now):
            return False
        bucket.take(1)
        return True

    def forgive(self, address: str) -> None:
        """Do not count a connection of an address for its rate."""
        bucket = self._buckets.get(address)
        if bucket is not None:
            bucket.take(-1)

    def _forget(self, now: float) -> None:
        """Drop the buckets that are full again, or all of them if that leaves too many.

        A flood from so many addresses is not stopped by a limit of each address anyway.
        """
        kept = {address: bucket for address, bucket in self._buckets.items() if bucket.level(now) < bucket.most}
        self._buckets = kept if len(kept) < MOST_BUCKETS // 2 else {}

    def _forget_full(self, address: str) -> None:
        """Drop an address's bucket if it is full again, as it is after a long connection."""
        bucket = self._buckets.get(address)
        if bucket is not None and bucket.level(self.clock()) >= bucket.most:
            del self._buckets[address]

    def _refuse_rate(self, address: str) -> None:
        text = (
            "refused: listener={listener} address={address} connects more often than {rate:g} times a second; raise "
            "connections_per_second if that is wanted"
        )
        self._refuse(address, text, address, rate=self.per_second)

    def _refuse_number(self, series: str, address: str, here: int) -> None:
        if series != ANYBODY:
            remedy = "raise connections_per_address if they are wanted"
        elif self.total < self.most:
            remedy = "raise connections if they are wanted"
        else:
            remedy = "the file descriptors allow no more: raise LimitNOFILE= of the unit, or `ulimit -Hn`"
        text = (
            "refused: listener={listener} address={address} connections={here} of {per_address} "
            f"all={{count}} of {{total}}; {remedy}"
        )
        facts = {"per_address": self.per_address, "count": self._count, "total": self.total}
        self._refuse(series, text, address, here=here, **facts)

    def _refuse(self, series: str, text: str, address: str, **facts: Any) -> None:
        """Count a refusal, and log it if it is the first one of a series."""
        if series not in self._refused:
            self.series.warn(address, text, **facts)
        self._refused[series] = self._refused.get(series, 0) + 1

    def release(self, address: str) -> None:
        """Count a connection that was closed, and end the series of refusals that waited for it."""
        here = self._open[address] - 1
        if here:
            self._open[address] = here
        else:
            del self._open[address]
            self._forget_full(address)
        self._count -= 1
        for series in (address, ANYBODY):
            refused = self._refused.pop(series, 0)
            if refused:
                text = "refused in all: listener={listener} address={address} times={refused}"
                self.series.warn(series, text, refused=refused)
        self.series.settle()


def raise_descriptor_limit() -> int:
    """Raise the soft limit of file descriptors to the hard one. Return how many connections that allows."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard - DESCRIPTORS_KEPT
