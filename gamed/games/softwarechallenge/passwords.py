"""The administrators' password, and how often an address may be wrong about it.

Source: software-challenge.md A, "Administration".
"""

from __future__ import annotations

import hmac
from typing import Final

from attrs import define, field

FAILURES: Final = 5
"""Wrong passwords that an address may send within FORGIVEN seconds."""

FORGIVEN: Final = 60.0
"""Seconds after which a wrong password is forgotten."""


@define
class PasswordGuard:
    """Compares passwords. All times are seconds on one monotonic clock."""

    password: str = field(repr=False)
    _failures: dict[str, list[float]] = field(factory=dict)

    def __len__(self) -> int:
        """Return how many addresses have been wrong lately."""
        return len(self._failures)

    def is_blocked(self, address: str, now: float) -> bool:
        """Whether nothing counts that an address sends now. What it sends meanwhile does not make that last longer."""
        self._forgive(now)
        recent = [at for at in self._failures.get(address, ()) if now - at < FORGIVEN]
        return len(recent) >= FAILURES

    def admits(self, address: str, password: str, now: float) -> bool:
        """Whether a password is right, and its address is not blocked."""
        # As long for every wrong password as for every other of its length.
        is_right = hmac.compare_digest(password.encode(), self.password.encode())
        if self.is_blocked(address, now):
            return False
        if not is_right:
            # The address that failed last stands last: what can be forgiven is found at the front.
            failures = self._failures.pop(address, [])
            self._failures[address] = [*failures, now][-FAILURES:]
        return is_right

    def _forgive(self, now: float) -> None:
        while self._failures:
            address = next(iter(self._failures))
            if now - self._failures[address][-1] < FORGIVEN:
                return
            del self._failures[address]
