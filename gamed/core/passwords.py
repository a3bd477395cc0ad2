"""How long the answer to a wrong password is held back: one rule for all listeners that take passwords.

Source: docs/reference/console.md#passwords. Every password is looked at when it comes, so the right one is answered at
once, whatever else its address sends. That is why only answers to wrong ones are held back: a lock would shut out
administrators who share an address with whoever guesses.
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
"""Seconds for which the answer to a first wrong password is held back; doubled with each further one."""

LONGEST_DELAY: Final = 30.0

FORGIVEN: Final = 900.0
"""Seconds after which the wrong passwords for a user from an address are forgotten."""

REMEMBERED: Final = 4_096
"""Pairs of user and address that are remembered; beyond, the one that was wrong longest ago is forgotten."""

MOST_HELD: Final = 64
"""Answers that are held back at once for an address; further wrong passwords are answered at once."""

MOST_HELD_IN_ALL: Final = 4_096

MANY: Final = 100
"""Wrong passwords within MINUTE, over all addresses, beyond which the log warns."""

MINUTE: Final = 60.0

_USER_LENGTH: Final = 64


def is_same(given: str, password: str) -> bool:
    """Whether two texts are equal; takes as long wherever they differ, and whatever their lengths are."""
    return hmac.compare_digest(_digest(given), _digest(password))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@frozen
class Wrong:
    """What becomes of a wrong password."""

    delay: float
    """Seconds for which its answer is held back."""

    times: int
    """How often this user was given a wrong password from this address lately."""

    is_alarm: bool
    """Whether there are now so many, over all addresses, that the log should warn."""

    is_quiet: bool
    """Whether there were so many lately that the log has been warned and needs no line of its own."""


@define
class PasswordGuard:
    """What is remembered of wrong passwords. All times are seconds on one monotonic clock."""

    # How often, and when for the last time; who was wrong last is last.
    _failures: dict[tuple[str, str], tuple[int, float]] = field(factory=dict)
    # When each answer that is held back leaves, and for which address; a heap.
    _held: list[tuple[float, str]] = field(factory=list)
    _held_of: dict[str, int] = field(factory=dict)
    # The moments of the last wrong passwords, over all addresses.
    _recent: deque[float] = field(factory=lambda: deque(maxlen=MANY + 1))
    _alarmed_at: float = float("-inf")

    def __len__(self) -> int:
        """Return how many pairs of user and address are remembered."""
        return len(self._failures)

    def right(self, user: str, address: str) -> None:
        """Take note of the right password: earlier wrong ones of this user and address are forgotten."""
        self._failures.pop(_key(user, address), None)

    def wrong(self, user: str, address: str, now: float, *, is_exempt: bool = False) -> Wrong:
        """Take note of a wrong password. `is_exempt`: an administrator is logged in at this address."""
        is_alarm, is_quiet = self._count(now)
        key = _key(user, address)
        times, last = self._failures.pop(key, (0, now))
        times = 1 if now - last > FORGIVEN else times + 1
        # Who was wrong last is put last, so that the first one is the one to forget.
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
        """Hold an answer back, if there are not too many."""
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
    """Return what stands for an address here: of IPv6, everybody has 2^64."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ipaddress.ip_network((parsed, 64), strict=False))  # noqa: PLR2004 (IPv4)


def _key(user: str, address: str) -> tuple[str, str]:
    # Users are what strangers typed.
    return user[:_USER_LENGTH], network_of(address)
