"""Keys that open the evidence on a program: whoever plays has one, and the store has only their digests.

Source: docs/topics/design.md#control.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable


def key_of(secret: str, name: str = "") -> str:
    """Return the key of an entrant; without a name that of whoever has started the match."""
    return hashlib.blake2b(name.encode(), digest_size=16, key=bytes.fromhex(secret)).hexdigest()


def digest_of(key: str) -> str:
    """Return what is stored of a key. It has 128 random bits, so that no slow function is needed."""
    return hashlib.sha256(key.encode()).hexdigest()


def is_opened(key: str, digests: Iterable[str]) -> bool:
    """Whether a key is one of those whose digests are stored."""
    mine = digest_of(key)
    return any(hmac.compare_digest(mine, other) for other in digests)
