"""What becomes of a stream: its data as the reader makes them, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gamed.core.errors import RemoteProtocolError
from gamed.wire.datums import Char, Datum, Opaque, Symbol
from gamed.wire.sexpr import DatumReader

MALFORMED = "malformed-datum"
TOO_LONG = "datum-too-long"
TOO_DEEP = "datum-too-deep"
SKIPPED = "skipped"
OVERLOOKED = "skipped, though Racket refuses what is in it"
NOTHING = "nothing"
PIECE = 65_536


def datums(reader: DatumReader) -> Iterator[Datum]:
    return (datum for datum, _, _ in reader.messages())


def is_kept(datum: Datum) -> bool:
    """Tell whether nothing in a datum was skipped."""
    return not isinstance(datum, Opaque) and not (isinstance(datum, tuple) and not all(map(is_kept, datum)))


def is_written(datum: Datum) -> bool:
    """Tell whether gamed can write a datum: it sends no characters."""
    return not isinstance(datum, Opaque | Char) and not (isinstance(datum, tuple) and not all(map(is_written, datum)))


def symbols(*names: str) -> tuple[Symbol, ...]:
    return tuple(map(Symbol, names))


def feed(reader: DatumReader, pieces: Iterable[bytes]) -> tuple[list[Datum], str]:
    """Return what a reader makes of pieces, and the code of its error or ""."""
    data: list[Datum] = []
    try:
        for piece in pieces:
            reader.receive_data(piece)
            data += datums(reader)
    except RemoteProtocolError as error:
        return data, error.code
    return data, ""


def read(*pieces: bytes, limit: int = PIECE, depth: int = 100) -> tuple[list[Datum], str]:
    """Return what a stream of these pieces means, and the code of its error or ""."""
    return feed(DatumReader(limit, depth), [*pieces, b""])


def octets(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def outcome(text: str, *, whole: bool = True) -> str:
    """Return what becomes of a stream's first datum: its value, or what else becomes of it."""
    stream = (text + "\n").encode()
    data, code = read(stream) if whole else read(*octets(stream))
    if not data:
        return code or NOTHING
    return repr(data[0]) if is_kept(data[0]) else SKIPPED


def wrong(table: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return what of a table is not so: texts, what should become of them, and what does."""
    return {
        text: (expected, outcome(text, whole=whole))
        for whole in (True, False)
        for text, expected in table.items()
        if outcome(text, whole=whole) != as_read(expected)
    }


def as_read(expected: str) -> str:
    """Return the value of what Racket prints, or what else is expected."""
    if expected == OVERLOOKED:
        return SKIPPED
    return expected if expected in {MALFORMED, SKIPPED, NOTHING} else outcome(expected)
