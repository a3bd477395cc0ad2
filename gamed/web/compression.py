"""Compression of what browsers get: gzip, where they take it.

Streams of events are not compressed: a browser must have each event at once.
"""

from __future__ import annotations

import gzip
from typing import Any, Final

LEAST: Final = 1024
"""Bytes from which on compression is worth its time: less leaves in one packet."""

_LEVEL: Final = 6


def gzipped(body: bytes) -> bytes:
    """Return a body compressed; the same body gives the same bytes. It is one call, which lets other threads run."""
    return gzip.compress(body, _LEVEL, mtime=0)


def takes_gzip(request: Any) -> bool:
    """Whether a request's answer may be compressed."""
    for part in (request.getHeader(b"accept-encoding") or b"").lower().split(b","):
        name, _, quality = part.replace(b" ", b"").partition(b";q=")
        if name == b"gzip":
            return not quality or bool(quality.strip(b"0."))
    return False
