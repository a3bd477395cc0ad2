"""How many connections a listener takes: in all, from one address, and how often from one; and who is banned.

Source: docs/reference/battleship.md#limits; etc/gamed.toml argues for the defaults.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, Final, TypeAlias

from attrs import define, field
from twisted.logger import Logger

from gamed.core.errors import GamedError

log = Logger()

MOST_BUCKETS = 10_000
"""Addresses whose rate is remembered; what is full again need not be."""

DESCRIPTORS_KEPT = 64
"""File descriptors that connections may not use: the journal, the database, the log and the listeners need them."""

ANYBODY = "any"
"""Stands for all addresses in the log."""

TICK: Final = 0.001
"""Seconds that a token is waited for beyond its time: who looks too early, by rounding, would have to wait again."""

Network: TypeAlias = IPv4Network | IPv6Network


def network_of(text: str) -> Network:
    """Return the network that a text names: an address, or an address with a prefix length. Raises GamedError."""
    try:
        return ip_network(text, strict=False)
    except ValueError as error:
        raise GamedError(
            f"{text} is no address and no network: write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32"
        ) from error


@define(eq=False, weakref_slot=False)
class Bucket:
    """Tokens that come at a rate a second, and of which some are held in store."""

    rate: float
    """Tokens a second."""

    most: float
    """Tokens in store, at most."""

    _at: float
    """The last look."""

    _held: float = 0.0
    """Tokens that there were then, less those that were taken since."""

    def level(self, now: float) -> int:
        """Return how many whole tokens there are."""
        held = self._held + (now - self._at) * self.rate
        # Comparing is three times as fast as `min` and `max`, and this is on each line's way.
        held = min(held, self.most)
        self._held = held
        self._at = now
        return int(held)

    @property
    def wait(self) -> float:
        """Seconds from the last look until there is one token at least."""
        return max(0.0, 1.0 - self._held) / self.rate + TICK

    def take(self, count: int) -> None:
        """Take tokens, or what there is of them."""
        held = self._held - count
        self._held = 0.0
        if held > 0.0:
            self._held = held


@define
class Bans:
    """The networks from which no listener takes connections; they last until the daemon stops."""

    _refused: dict[Network, int] = field(factory=dict)

    def __iter__(self) -> Iterator[tuple[Network, int]]:
        """Yield each network, and how many connections from it were refused."""
        return iter(list(self._refused.items()))

    def ban(self, network: Network) -> None:
        """Refuse what comes from a network."""
        self._refused.setdefault(network, 0)

    def unban(self, network: Network) -> bool:
        """Refuse it no more; False if it was not banned by this name."""
        refused = self._refused.pop(network, None)
        if refused:
            log.warn("banned, refused in all: network={network} times={times}", network=network, times=refused)
        return refused is not None

    def banned(self, address: str) -> Network | None:
        """Return the banned network that an address is in, or None."""
        if not self._refused:
            return None
        try:
            parsed = ip_address(address)
        except ValueError:
            return None
        return next((network for network in self._refused if parsed in network), None)

    def refuses(self, address: str, listener: str) -> bool:
        """Whether an address is banned; counts it, and the log tells of the first time."""
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
    """Counts the connections of one listener. `bans`: shared by all listeners.

    `most`: what descriptors allow, whatever the configuration says. `per_second`: how many an address may have let in
    a second in the long run, 0 for any number; `per_address` of them at once, so that all may come again together.
    `why`: the cause of the last refusal, one of "banned", "all", "address" and "rate".
    """

    listener: str
    total: int
    per_address: int
    bans: Bans = field(factory=Bans)
    most: int = sys.maxsize
    per_second: float = 0.0
    clock: Callable[[], float] = field(default=time.monotonic, eq=False)
    why: str = field(default="", eq=False)
    _buckets: dict[str, Bucket] = field(factory=dict, eq=False)
    _open: dict[str, int] = field(factory=dict)
    _count: int = 0
    _refused: dict[str, int] = field(factory=dict)

    def admit(self, address: str) -> bool:
        """Count a connection in, or refuse it. The log tells of the first refusal of a series, and how many it had."""
        if self.bans.refuses(address, self.listener):
            self.why = "banned"
            return False
        here = self._open.get(address, 0)
        if self._count >= self.total or here >= self.per_address:
            self.why = "address" if here >= self.per_address else "all"
            # A full listener refuses in one series: addresses without a connection would have no end of theirs.
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
        """From how many addresses they come."""
        return len(self._open)

    def _take(self, address: str) -> bool:
        """Take a token from an address's bucket, if there is one."""
        now = self.clock()
        bucket = self._buckets.get(address)
        if bucket is None:
            if len(self._buckets) >= MOST_BUCKETS:
                self._forget(now)
            bucket = self._buckets[address] = Bucket(self.per_second, self.per_address, now, self.per_address)
        # They may have been configured anew.
        bucket.rate, bucket.most = self.per_second, self.per_address
        if not bucket.level(now):
            return False
        bucket.take(1)
        return True

    def _forget(self, now: float) -> None:
        """Forget the buckets that are full again; if that is not enough, all: so many addresses are no one's flood."""
        kept = {address: bucket for address, bucket in self._buckets.items() if bucket.level(now) < bucket.most}
        self._buckets = kept if len(kept) < MOST_BUCKETS // 2 else {}

    def _forget_full(self, address: str) -> None:
        """Forget an address's bucket if it is full again, as that of who stayed for a while is."""
        bucket = self._buckets.get(address)
        if bucket is not None and bucket.level(self.clock()) >= bucket.most:
            del self._buckets[address]

    def _refuse_rate(self, address: str) -> None:
        text = (
            "refused: listener={listener} address={address} comes more often than {rate:g} times a second; raise "
            "connections_per_second if that is wanted"
        )
        self._refuse(address, text, address=address, rate=self.per_second)

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
        self._refuse(series, text, address=address, here=here, **facts)

    def _refuse(self, series: str, text: str, **facts: Any) -> None:
        """Count a refusal; the log is told of the first one of a series."""
        if series not in self._refused:
            log.warn(text, listener=self.listener, **facts)
        self._refused[series] = self._refused.get(series, 0) + 1

    def release(self, address: str) -> None:
        """Count a connection out."""
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
