"""SSH's keys: the host key of the console, and the users' keys in `authorized_keys` files.

Source: sshd(8), AUTHORIZED_KEYS FILE FORMAT; docs/reference/console.md#logging-in.
"""

from __future__ import annotations

import os
import struct
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from attrs import define, field, frozen
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from twisted.conch.ssh import keys
from twisted.logger import Logger
from zope.interface import implementer

from gamed.config import AccountConfig
from gamed.core.errors import ConfigError

with warnings.catch_warnings():
    # conch imports `spwd`, which is deprecated, and which nothing here uses.
    warnings.simplefilter("ignore", DeprecationWarning)
    from twisted.conch.checkers import IAuthorizedKeysDB

log = Logger()

KEY_FILE: Final = "ssh_host_ed25519_key"

_KINDS: Final = (b"ssh-", b"ecdsa-", b"sk-")
"""How the type of a key begins."""


def host_key(directory: Path) -> keys.Key:
    """Return the host key, made and written at the first call. Raises ConfigError."""
    path = directory / KEY_FILE
    try:
        if not path.exists():
            _write_key(path)
    except OSError as error:
        raise ConfigError(f"[console] cannot use the host key {path}: {error.strerror}") from error
    return read_host_key(path)


def read_host_key(path: Path) -> keys.Key:
    """Return the host key in a file. Raises ConfigError."""
    try:
        key: keys.Key = keys.Key.fromString(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"[console] cannot use the host key {path}: {error.strerror}") from error
    except (keys.BadKeyError, keys.EncryptedKeyError, ValueError) as error:
        raise ConfigError(f"[console] {path} is not a host key: {error}; remove it, and a new one is made") from error
    return key


def _write_key(path: Path) -> None:
    made = keys.Key(Ed25519PrivateKey.generate())
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(made.toString("openssh"))


def fingerprint_of(key: keys.Key) -> str:
    """Return a key's fingerprint as `ssh-keygen -l` shows it."""
    return f"SHA256:{key.fingerprint(keys.FingerprintFormats.SHA256_BASE64).rstrip('=')}"


@frozen
class KeyFile:
    """What an `authorized_keys` file says."""

    keys: tuple[tuple[keys.Key, str], ...] = ()
    """The keys, each with its comment."""

    unused: tuple[str, ...] = ()
    """A sentence for each line that is not used, or on why the file cannot be read."""


def read_keys(path: Path) -> KeyFile:
    """Read an `authorized_keys` file. Raises nothing."""
    found, unused = [], []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        return KeyFile(unused=(f"cannot read {path}: {error.strerror}",))
    for number, line in enumerate(map(bytes.strip, lines), 1):
        if not line or line.startswith(b"#"):
            continue
        try:
            # Kind, key, and the rest of the line.
            comment = line.decode("utf-8", "replace").split(None, 2)[2:]
            found.append((keys.Key.fromString(line), "".join(comment)))
        except (keys.BadKeyError, ValueError, IndexError, struct.error, UnsupportedAlgorithm):
            # The reasons of conch and cryptography are those of programmers.
            why = "it is not a public key"
            if not line.startswith(_KINDS) and any(kind in line for kind in _KINDS):
                why = "options before the key are not supported, and the key is not used without them"
            unused.append(f"{path}, line {number} is not used: {why}")
    return KeyFile(tuple(found), tuple(unused))


@implementer(IAuthorizedKeysDB)
@define(eq=False)
class AuthorizedKeys:
    """The users' keys. A file is read at a login if it has changed since the last one."""

    accounts: Callable[[], Sequence[AccountConfig]]
    """Returns the current accounts."""

    _read: dict[str, tuple[object, KeyFile]] = field(factory=dict)
    """What was read of each file, and what its time and size were then."""

    def getAuthorizedKeys(self, username: bytes) -> list[keys.Key]:
        """Return the keys with which a user may log in."""
        return [key for key, _ in self._of(username)]

    def name(self, username: bytes, key: keys.Key) -> str:
        """Return the name of a user's key in logs: its fingerprint, and its comment in the file."""
        comment = next((comment for other, comment in self._of(username) if other == key), "")
        return f"{fingerprint_of(key)} ({comment})" if comment else fingerprint_of(key)

    def _of(self, username: bytes) -> Sequence[tuple[keys.Key, str]]:
        """Return a user's keys, each with its comment. Log the lines that are not used when the file is read."""
        user = username.decode("utf-8", "replace")
        name = next((account.authorized_keys for account in self.accounts() if account.user == user), "")
        if not name:
            return ()
        path = Path(name)
        try:
            status = path.stat()
            state: object = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            state = None
        before, known = self._read.get(name, ((), KeyFile()))
        if state != before:
            known = read_keys(path)
            self._read[name] = state, known
            for sentence in known.unused:
                log.warn("console: {sentence}", sentence=sentence)
        return known.keys
