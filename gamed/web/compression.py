"""Compression with gzip for browsers that accept it.

Event streams are not compressed: a browser must get each event immediately.
"""

from __future__ import annotations

import gzip
from typing import Any, Final

LEAST: Final = 1024
"""The smallest body that is compressed, in bytes. A smaller one fits in one packet anyway."""

_LEVEL: Final = 6


def gzipped(body: bytes) -> bytes:
    """Return the compressed body. It is the same for the same body. The call releases the GIL while it compresses."""
    return gzip.compress(body, _LEVEL, mtime=0)


def takes_gzip(request: Any) -> bool:
    """Whether the request accepts gzip."""
    for part in (request.getHeader(b"accept-encoding") or b"").lower().split(b","):
        name, _, quality = part.replace(b" ", b"").partition(b";q=")
        if name == b"gzip":
            return not quality or bool(quality.strip(b"0."))
    return False
