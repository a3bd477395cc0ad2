"""Read documents, packed or not, up to a limited size.

Source: docs/reference/records.md#the-import, docs/reference/records.md#limits. Reading stops at the limit, so that
neither an endless stream nor a gzip bomb can use more memory. Gzip is therefore unpacked in small chunks.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final

from gamed.records.record import RecordError

BUDGET: Final = 10_000_000
"""The most bytes of a document after unpacking, unless the configuration says otherwise."""

CHUNK: Final = 65_536
GZIP: Final = b"\x1f\x8b"
"""The first bytes of gzip data. XML cannot begin with them."""


def read(path: Path, budget: int = BUDGET) -> bytes:
    """Return the content of a file, unpacked if it is gzip.

    Raises RecordError: `missing`, `unreadable`, `forbidden`.
    """
    try:
        with path.open("rb") as file:
            return read_stream(file, budget)
    except FileNotFoundError as error:
        raise RecordError("there is no such file", code="missing") from error
    except OSError as error:
        raise RecordError(f"cannot be read: {error.strerror or error}", code="unreadable") from error


def read_stream(stream: BinaryIO, budget: int = BUDGET) -> bytes:
    """Return the content of a stream, unpacked if it is gzip. Raises OSError, and RecordError as `read` does."""
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
    # Adding 16 makes zlib expect a gzip header. A file may consist of several gzip members.
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
        raise RecordError("its gzip data is damaged", code="unreadable") from error


def _rest(member: zlib._Decompress) -> Iterator[bytes]:
    # Output beyond CHUNK bytes stays in the decompressor even when all input has been consumed.
    while not member.eof and (window := member.decompress(b"", CHUNK)):
        yield window
    if not member.eof:
        raise RecordError("its gzip data is cut off", code="unreadable")
