"""Counts and logs the passwords that listeners are sent. Delays of wrong ones are in `gamed.core.passwords`.

Source: docs/reference/console.md#passwords.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import define, field
from twisted.logger import Logger

from gamed.core.passwords import MANY, PasswordGuard, network_of
from gamed.core.stats import Stats

log = Logger()


@define(eq=False)
class Logins:
    """The passwords of all listeners."""

    seconds: Callable[[], float]

    stats: Stats

    administrators: list[Callable[[], Iterable[str]]] = field(factory=list)
    """Each returns the addresses at which administrators are logged in. Wrong passwords from there are not delayed."""

    _guard: PasswordGuard = field(factory=PasswordGuard)

    def right(self, user: str, address: str) -> None:
        """Take note of a right password."""
        self._guard.right(user, address)

    def wrong(self, listener: str, user: str, address: str) -> float:
        """Take note of a wrong password. Return by how many seconds to delay its answer."""
        found = self._guard.wrong(user, address, self.seconds(), is_exempt=self._is_exempt(address))
        counts = self.stats.wrong_passwords
        counts[listener] += 1
        if found.is_alarm:
            self.stats.password_alarms += 1
            log.warn(
                "more than {many} wrong passwords in a minute, the last one for {listener} from address={address}; "
                "single ones are not logged while that lasts; in all={total}",
                many=MANY,
                listener=listener,
                address=address,
                total=counts.total(),
            )
        elif not found.is_quiet:
            log.warn(
                "{listener}: wrong user or password: address={address} times={times} in all={total} delay={delay:g} s",
                listener=listener,
                address=address,
                times=found.times,
                total=counts.total(),
                delay=found.delay,
            )
        return found.delay

    def _is_exempt(self, address: str) -> bool:
        network = network_of(address)
        return any(network == network_of(other) for addresses in self.administrators for other in addresses())
