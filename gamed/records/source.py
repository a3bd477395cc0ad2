"""The bytes of a document, never more of them than a budget; gzip is unpacked in small windows.

Source: docs/reference/records.md#the-import, docs/reference/records.md#limits. Whatever is too large is given up at the
budget, so that neither an endless stream nor a gzip bomb costs more than that.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

from gamed.records.record import RecordError

BUDGET: Final = 10_000_000
"""How many bytes a document may have, unless the configuration says otherwise."""

CHUNK: Final = 65_536
GZIP: Final = b"\x1f\x8b"
"""What gzip begins with; no XML does."""


def read(path: Path, budget: int = BUDGET) -> bytes:
    """Return what a file holds, unpacked if it is gzip. Raises RecordError: `missing`, `unreadable`, `forbidden`."""
    try:
        with path.open("rb") as file:
            return read_stream(file, budget)
    except FileNotFoundError as error:
        raise RecordError("there is no such file", code="missing") from error
    except OSError as error:
        raise RecordError(f"cannot be read: {error.strerror or error}", code="unreadable") from error


def read_stream(stream: BinaryIO, budget: int = BUDGET) -> bytes:
    """Return what a stream holds, unpacked if it is gzip. Raises OSError, and RecordError as `read` does."""
    chunks = _limited(iter(lambda: stream.read(CHUNK), b""), budget)
    first = next(chunks, b"")
    whole = chain((first,), chunks)
    return b"".join(_limited(_unpacked(whole), budget) if first.startswith(GZIP) else whole)


def _limited(chunks: Iterable[bytes], budget: int) -> Iterator[bytes]:
    left = budget
    for chunk in chunks:
        left -= len(chunk)
        if left < 0:
            raise RecordError(f"it has more than {budget:,} bytes", code="forbidden")
        yield chunk


def _unpacked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    # 16: a gzip header is wanted. A file may hold several members one after the other.
    member = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        for chunk in chunks:
            packed = chunk
            while packed:
                if member.eof:
                    member = zlib.decompressobj(16 + zlib.MAX_WBITS)
                yield member.decompress(packed, CHUNK)
                packed = member.unused_data if member.eof else member.unconsumed_tail
        yield from _rest(member)
    except zlib.error as error:
        raise RecordError("it is damaged gzip", code="unreadable") from error


def _rest(member: zlib._Decompress) -> Iterator[bytes]:
    # What does not fit into a window stays in the decompressor even when its input is used up.
    while not member.eof and (window := member.decompress(b"", CHUNK)):
        yield window
    if not member.eof:
        raise RecordError("its gzip breaks off", code="unreadable")
