"""Who may use the console: one user, a password that is held as a scrypt hash, and patience with wrong ones.

Source: docs/reference/console.md. One password an address is looked at at a time, and the answer to a wrong one is held
back: a second, doubled with each further one, thirty at most. Right answers are not held back.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Callable
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

log = Logger()

FIRST_DELAY: Final = 1.0
"""Seconds that the answer to the first wrong password is held back."""

LONGEST_DELAY: Final = 30.0
FORGIVEN: Final = 900.0
"""Seconds after which an address's wrong passwords are forgotten."""

ADDRESSES: Final = 4_096
"""How many addresses are remembered; beyond, the one that was wrong longest ago is forgotten."""

TRIES: Final = 3
"""Wrong passwords that one connection may give."""

_COST: Final = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}


@define
class Secret:
    """A password as it is kept: salt and scrypt hash (16 MiB and some 50 ms each)."""

    salt: bytes
    hash: bytes = field(repr=False)

    @classmethod
    def of(cls, password: str) -> Secret:
        """Return a password's secret."""
        salt = secrets.token_bytes(16)
        return cls(salt, hashed(password, salt))

    def thd_matches(self, password: str) -> bool:
        """Whether this is the password; takes as long for a wrong one. Called in a thread."""
        return hmac.compare_digest(self.hash, hashed(password, self.salt))


def hashed(password: str, salt: bytes) -> bytes:
    """Return the scrypt hash of a password."""
    return hashlib.scrypt(password.encode("utf-8", "surrogateescape"), salt=salt, **_COST)


@define
class _Record:
    """The wrong passwords of one address. `lock`: one look at a time."""

    wrong: int = 0
    last: float = 0.0
    lock: DeferredLock = field(factory=DeferredLock)


@define(eq=False)
class Accounts:
    """The one account. `in_thread`: calls something in a thread and returns a Deferred of its result."""

    user: str
    secret: Secret
    clock: IReactorTime
    in_thread: Callable[..., Deferred[Any]]
    failures: int = 0
    _records: dict[str, _Record] = field(factory=dict)

    def check(self, user: str, password: str, address: str) -> Deferred[bool]:
        """Fire with whether this is the user and its password: at once if so, and late if not."""
        return self._record(address).lock.run(self._check, user, password, address)

    def change(self, user: str, secret: Secret) -> None:
        """Let another user or password hold from now on."""
        self.user, self.secret = user, secret

    def _check(self, user: str, password: str, address: str) -> Deferred[bool]:
        looked: Deferred[Any] = self.in_thread(self.secret.thd_matches, password)
        is_user = hmac.compare_digest(user.encode("utf-8", "replace"), self.user.encode())
        return looked.addCallback(lambda matches: self._judge(address, right=matches and is_user))

    def _judge(self, address: str, *, right: bool) -> Any:
        network = _network(address)
        if right:
            self._records.pop(network, None)
            return True
        record = self._record(address)
        record.wrong, record.last = record.wrong + 1, self.clock.seconds()
        self.failures += 1
        # What failed last stands last.
        self._records[network] = self._records.pop(network, record)
        delay = min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(record.wrong - 1, 10))
        log.warn(
            "console: wrong user or password: address={address} times={times} in all={failures} delay={delay:g} s",
            address=address,
            times=record.wrong,
            failures=self.failures,
            delay=delay,
        )
        return deferLater(self.clock, delay, bool)

    def _record(self, address: str) -> _Record:
        now, network = self.clock.seconds(), _network(address)
        record = self._records.setdefault(network, _Record(last=now))
        if record.wrong and now - record.last > FORGIVEN:
            record.wrong = 0
        while len(self._records) > ADDRESSES:
            del self._records[next(iter(self._records))]
        return record


def _network(address: str) -> str:
    """Return what stands for an address: of IPv6, everybody has 2^64."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ipaddress.ip_network((parsed, 64), strict=False))  # noqa: PLR2004 (IPv4)
