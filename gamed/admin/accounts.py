"""The accounts of administrators, for console and browser. Passwords are kept as scrypt hashes.

Source: docs/reference/console.md. `gamed.core.passwords` decides how long the answer to a wrong
password is delayed, for all listeners.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from gamed.config import AccountConfig
from gamed.core.reception import Logins

TRIES: Final = 3
"""The number of wrong passwords after which a connection is closed."""

_COST: Final = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}

_MARK_BYTES: Final = 4


@define
class Secret:
    """A password as salt, scrypt hash, and mark. Each scrypt takes 16 MiB and about 50 ms.

    The mark, a short fast hash, is compared first. It rejects all but one in four billion wrong passwords in
    microseconds, so that a flood of guesses neither costs processor time nor delays the right password.
    """

    salt: bytes
    hash: bytes = field(repr=False)
    mark: bytes = field(repr=False)

    @classmethod
    def of(cls, password: str) -> Secret:
        """Return a password's secret."""
        salt = secrets.token_bytes(16)
        return cls(salt, hashed(password, salt), marked(password, salt))

    def may_match(self, password: str) -> bool:
        """Whether this may be the password; if not, it is wrong."""
        return hmac.compare_digest(self.mark, marked(password, self.salt))

    def thd_matches(self, password: str) -> bool:
        """Whether this is the password; takes as long for a wrong one. Called in a thread."""
        return hmac.compare_digest(self.hash, hashed(password, self.salt))


NO_SECRET: Final = Secret(b"", b"", b"")
"""No password matches it."""


def hashed(password: str, salt: bytes) -> bytes:
    """Return the scrypt hash of a password."""
    return hashlib.scrypt(_encoded(password), salt=salt, **_COST)


def marked(password: str, salt: bytes) -> bytes:
    """Return the mark of a password."""
    return hashlib.blake2b(_encoded(password), digest_size=_MARK_BYTES, key=salt).digest()


def _encoded(password: str) -> bytes:
    return password.encode("utf-8", "surrogateescape")


def secrets_of(
    accounts: Iterable[AccountConfig], before: Iterable[AccountConfig] = (), known: Mapping[str, Secret] | None = None
) -> dict[str, Secret]:
    """Return the secrets of accounts, by user. Take the `known` secret of a password that is the same as `before`."""
    same = {account.user: account.password for account in before}
    found = {}
    for account in accounts:
        if known is not None and account.user in known and same.get(account.user) == account.password:
            found[account.user] = known[account.user]
        else:
            found[account.user] = Secret.of(account.password) if account.password else NO_SECRET
    return found


@define(eq=False)
class Accounts:
    """Checks the passwords of accounts."""

    secrets: dict[str, Secret]
    """By user."""

    clock: IReactorTime

    in_thread: Callable[..., Deferred[Any]]
    """Calls a function in a thread and returns a Deferred of its result."""

    logins: Logins

    def check(self, user: str, password: str, address: str, listener: str = "console") -> Deferred[bool]:
        """Return a Deferred of whether the password is right. It fires at once if it is, and delayed if it is not."""
        secret = self.secrets.get(user, NO_SECRET)
        # Nothing shows whether it is the password of another user, not even the time of the answer.
        looked = self.in_thread(secret.thd_matches, password) if secret.may_match(password) else succeed(False)  # noqa: FBT003 (the result)
        return looked.addCallback(self._judge, user, address, listener)

    def _judge(self, is_right: bool, user: str, address: str, listener: str) -> Any:  # noqa: FBT001 (a Deferred's result)
        if is_right:
            self.logins.right(user, address)
            return True
        delay = self.logins.wrong(listener, user, address)
        return deferLater(self.clock, delay, bool) if delay else False
