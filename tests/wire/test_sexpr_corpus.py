"""The corpus of streams that Racket's own reader was given (quoridor/reader-corpus.jsonl, gzipped)."""

from __future__ import annotations

import gzip
import json
import random
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.wire.datums import Char, Datum, Opaque, Symbol, write
from gamed.wire.sexpr import DatumReader
from tests.wire.reading import MALFORMED, feed, is_kept, is_written, octets, read

CORPUS = Path(__file__).parent / "reader-corpus.jsonl.gz"
# One stream has 150 lists in one another.
DEPTH = 150
# These end in an error at their last byte, which the corpus cannot tell from the end of the stream.
ERRORS_AT_THE_END = frozenset(
    {b"#\n", b"#!\n", b"#0\n", b"#2\n", b"#6\n", b"#7\n", b"#8\n", b"#9\n", b"#H\n", b"#l\n", b"#p\n", b"#r\n"}
)


# Racket refuses these at their last bracket, because the parts do not make a structure. They are skipped up to there.
OVERLOOKED = frozenset({b"#s((pt 3) 1 2)\n", b'#s("pt" 1)\n', b"#s()\n"})

# In these the line feed is part of the datum, so that its line does not end.
OPEN_LINES = frozenset({b"#\\\n", b"\\\n"})


class Entry:
    """A stream, what Racket read from it, and where that ended."""

    def __init__(self, line: str) -> None:
        entry = json.loads(line)
        self.stream = bytes.fromhex(entry["in"])
        self.results: list[dict[str, Any]] = entry["out"][:-1]
        self.end: dict[str, int] = entry["out"][-1]

    @property
    def fails(self) -> bool:
        return self.end["used"] < self.end["total"] or self.stream in ERRORS_AT_THE_END

    @property
    def ends_a_line(self) -> bool:
        return self.stream.endswith(b"\n") and self.stream not in OPEN_LINES

    @property
    def code(self) -> str:
        return MALFORMED if self.fails else ""


@cache
def corpus() -> list[Entry]:
    with gzip.open(CORPUS, "rt") as lines:
        return list(map(Entry, lines))


def atom(datum: Symbol | str | bool | Char) -> dict[str, Any]:
    """Return how the corpus has an atom."""
    if isinstance(datum, Char):
        return {"t": "char", "v": datum.code}
    if isinstance(datum, bool):
        return {"t": "bool", "v": datum}
    kind, text = ("sym", datum.name) if isinstance(datum, Symbol) else ("str", datum)
    return {"t": kind, "v": list(map(ord, text))}


def is_recorded(datum: Datum, shown: dict[str, Any]) -> bool:
    """Tell whether a datum is what the corpus has."""
    match datum:
        case Symbol() | str() | bool() | Char():
            return shown == atom(datum)
        case tuple():
            return shown["t"] == "list" and len(datum) == len(shown["v"]) and all(map(is_recorded, datum, shown["v"]))
        case float():
            is_real = shown["t"] == "num" and shown["real"] and not shown["exact"]
            return is_real and repr(datum) == repr(float(shown["v"].removesuffix(".0")))
    return shown["t"] == "num" and shown["exact"] and datum == Fraction(shown["v"])


class CorpusTests(SynchronousTestCase):
    def test_it_is_all_there(self) -> None:
        self.assertEqual(len(corpus()), 666)
        self.assertEqual(sum(len(entry.results) for entry in corpus()), 528)
        self.assertEqual(sum(result["sexp"] for entry in corpus() for result in entry.results), 518)
        self.assertEqual(sum(entry.fails for entry in corpus()), 131)

    def test_each_datum_is_read_as_recorded(self) -> None:
        """A datum that is kept is the one that Racket read. Of one that is skipped, only the end is compared."""
        for entry in corpus():
            if entry.stream in OVERLOOKED:
                continue
            data, code = read(entry.stream, depth=DEPTH)
            self.assertEqual((entry.stream, len(data), code), (entry.stream, len(entry.results), entry.code))
            for datum, result in zip(data, entry.results, strict=True):
                self.assertTrue(not is_kept(datum) or is_recorded(datum, result["d"]), (entry.stream, datum))

    def test_what_is_skipped(self) -> None:
        skipped = [datum for entry in corpus() for datum in read(entry.stream, depth=DEPTH)[0] if not is_kept(datum)]
        self.assertEqual(len(skipped), 50)
        self.assertEqual(
            {datum.kind for datum in skipped if isinstance(datum, Opaque)},
            {
                *("vector", "hash table", "structure", "keyword", "regular expression", "byte string", "label"),
                *("quoted syntax", "list with a dot", "number with a prefix", "number in another notation"),
            },
        )

    def test_octet_by_octet(self) -> None:
        for entry in corpus():
            whole = read(entry.stream, depth=DEPTH)
            self.assertEqual(repr(read(*octets(entry.stream), depth=DEPTH)), repr(whole))

    def test_cut_anywhere(self) -> None:
        lots = random.Random(4567)
        for entry in corpus():
            whole = repr(read(entry.stream, depth=DEPTH))
            for _ in range(5):
                cuts = sorted(lots.randrange(1, len(entry.stream) + 1) for _ in range(lots.randrange(1, 5)))
                pieces = [
                    entry.stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(entry.stream)], strict=True) if a < b
                ]
                self.assertEqual((entry.stream, cuts, repr(read(*pieces, depth=DEPTH))), (entry.stream, cuts, whole))

    def test_each_datum_takes_as_much_as_recorded(self) -> None:
        """It comes with the last byte that Racket used, and not before; at the end of the stream that is the end."""
        for entry in corpus():
            for count, result in enumerate(entry.results, 1):
                used = result["used"]
                before = feed(DatumReader(depth=DEPTH), [entry.stream[: used - 1]])[0] if used > 1 else []
                self.assertEqual((entry.stream, len(before)), (entry.stream, count - 1))
                data, _ = feed(DatumReader(depth=DEPTH), [entry.stream[:used]])
                waits = used == len(entry.stream) and not entry.ends_a_line
                self.assertEqual((entry.stream, len(data)), (entry.stream, count - waits))

    def test_errors_come_on_the_line_where_recorded(self) -> None:
        """Racket refuses a datum at a byte; this reader does so at that byte or a later one of the line."""
        for entry in corpus():
            if entry.fails and entry.stream not in OVERLOOKED:
                used = entry.end["used"]
                self.assertEqual((entry.stream, feed(DatumReader(), [entry.stream[: used - 1]])[1]), (entry.stream, ""))
                line, _, _ = entry.stream[used - 1 :].partition(b"\n")
                sent = entry.stream[: used - 1] + line + b"\n"
                self.assertEqual((entry.stream, feed(DatumReader(), [sent])[1]), (entry.stream, MALFORMED))

    def test_what_racket_refuses_at_its_end_is_skipped_up_to_there(self) -> None:
        for stream in OVERLOOKED:
            (entry,) = (entry for entry in corpus() if entry.stream == stream)
            used = entry.end["used"]
            self.assertEqual((entry.fails, feed(DatumReader(), [stream[: used - 1], b"\n"])), (True, ([], "")))
            self.assertEqual(feed(DatumReader(), [stream[:used], b"\n"]), ([Opaque("structure")], ""))

    def test_after_each_datum_the_next_line_is_read(self) -> None:
        for entry in corpus():
            if entry.results and entry.results[-1]["used"] == len(entry.stream) and entry.ends_a_line:
                data, _ = read(entry.stream + b"(next)\n", depth=DEPTH)
                self.assertEqual((entry.stream, data[len(entry.results) :]), (entry.stream, [(Symbol("next"),)]))

    def test_what_is_written_is_read_as_the_same(self) -> None:
        for entry in corpus():
            for datum in read(entry.stream, depth=DEPTH)[0]:
                if is_written(datum):
                    again = read(write(datum) + b"\n", depth=DEPTH)[0]
                    self.assertEqual(repr(again), repr([datum]))
