"""The delay of answers to wrong passwords: one rule for all listeners that take passwords.

Each password is checked when it comes, and a right one is answered at once, whatever else its address sends. Only the
answers to wrong ones are delayed. A lock would shut out administrators who share an address with an attacker.

Source: docs/reference/console.md#passwords.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections import deque
from heapq import heappop, heappush
from typing import Final

from attrs import define, field, frozen

FIRST_DELAY: Final = 1.0
"""Seconds by which the answer to a first wrong password is delayed. Each further one doubles the delay."""

LONGEST_DELAY: Final = 30.0

FORGIVEN: Final = 900.0
"""Seconds after which the wrong passwords of a user and address are forgotten."""

REMEMBERED: Final = 4_096
"""Pairs of user and address that are remembered. With more, the one that failed longest ago is forgotten."""

MOST_HELD: Final = 64
"""Answers to one address that are delayed at the same time. With more, wrong passwords are answered at once."""

MOST_HELD_IN_ALL: Final = 4_096

MANY: Final = 100
"""Wrong passwords within MINUTE, from all addresses, that may come before the log warns."""

MINUTE: Final = 60.0

_USER_LENGTH: Final = 64


def is_same(given: str, password: str) -> bool:
    """Whether two texts are equal, in constant time: independent of where they differ, and of their lengths."""
    return hmac.compare_digest(_digest(given), _digest(password))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@frozen
class Wrong:
    """The treatment of a wrong password."""

    delay: float
    """Seconds by which its answer is delayed."""

    times: int
    """How many wrong passwords this user and address have sent lately."""

    is_alarm: bool
    """Whether so many have come from all addresses that the log should warn now."""

    is_quiet: bool
    """Whether that warning has been logged, so that this password needs no line of its own."""


@define
class PasswordGuard:
    """The recent wrong passwords. All times are seconds on one monotonic clock."""

    _failures: dict[tuple[str, str], tuple[int, float]] = field(factory=dict)
    """For each user and address, how many wrong passwords there were, and when the last one came. Ordered by that."""

    _held: list[tuple[float, str]] = field(factory=list)
    """When each delayed answer leaves, and its address: a heap."""

    _held_of: dict[str, int] = field(factory=dict)
    """How many delayed answers each address has."""

    _recent: deque[float] = field(factory=lambda: deque(maxlen=MANY + 1))
    """The times of the last wrong passwords, of all addresses."""

    _alarmed_at: float = float("-inf")
    """When the log warned last."""

    def __len__(self) -> int:
        """Return how many pairs of user and address are remembered."""
        return len(self._failures)

    def right(self, user: str, address: str) -> None:
        """Forget the earlier wrong passwords of a user and address: the right one has come."""
        self._failures.pop(_key(user, address), None)

    def wrong(self, user: str, address: str, now: float, *, is_exempt: bool = False) -> Wrong:
        """Take note of a wrong password. `is_exempt`: an administrator is logged in at this address."""
        is_alarm, is_quiet = self._count(now)
        key = _key(user, address)
        times, last = self._failures.pop(key, (0, now))
        times = 1 if now - last > FORGIVEN else times + 1
        # The newest failure is the last item, so the first one is the oldest.
        self._failures[key] = times, now
        if len(self._failures) > REMEMBERED:
            del self._failures[next(iter(self._failures))]
        delay = min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(times - 1, 10))
        held = not is_exempt and self._hold(key[1], now, now + delay)
        return Wrong(delay if held else 0.0, times, is_alarm, is_quiet)

    def _count(self, now: float) -> tuple[bool, bool]:
        self._recent.append(now)
        is_many = len(self._recent) > MANY and now - self._recent[0] < MINUTE
        is_alarm = is_many and now - self._alarmed_at >= MINUTE
        if is_alarm:
            self._alarmed_at = now
        return is_alarm, is_many

    def _hold(self, network: str, now: float, until: float) -> bool:
        """Delay an answer, if not too many are delayed already."""
        while self._held and self._held[0][0] <= now:
            _, gone = heappop(self._held)
            self._held_of[gone] -= 1
            if not self._held_of[gone]:
                del self._held_of[gone]
        if len(self._held) >= MOST_HELD_IN_ALL or self._held_of.get(network, 0) >= MOST_HELD:
            return False
        heappush(self._held, (until, network))
        self._held_of[network] = self._held_of.get(network, 0) + 1
        return True


def network_of(address: str) -> str:
    """Return the network that is counted as one address: with IPv6, every host has 2^64 addresses."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ipaddress.ip_network((parsed, 64), strict=False))  # noqa: PLR2004 (IPv4)


def _key(user: str, address: str) -> tuple[str, str]:
    # The name of the user is unchecked input, so its length is limited.
    return user[:_USER_LENGTH], network_of(address)
