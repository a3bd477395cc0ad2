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

from gamed.wire.sexpr import Char, Datum, DatumReader, ExactComplex, Opaque, Prefab, Symbol, is_sexp, write
from tests.wire.reading import MALFORMED, feed, octets, read

CORPUS = Path(__file__).parent / "reader-corpus.jsonl.gz"
# One stream has 150 lists in one another.
DEPTH = 150
# These end in an error at their last byte, which the corpus cannot tell from the end of the stream.
ERRORS_AT_THE_END = frozenset(
    {b"#\n", b"#!\n", b"#0\n", b"#2\n", b"#6\n", b"#7\n", b"#8\n", b"#9\n", b"#H\n", b"#l\n", b"#p\n", b"#r\n"}
)


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


def text(codes: list[int]) -> str:
    return "".join(map(chr, codes))


def tree(datum: Datum) -> dict[str, Any]:
    """Return a datum as the corpus has it."""
    shown: dict[str, Any]
    match datum:
        case Symbol(name=name):
            shown = {"t": "sym", "v": list(map(ord, name))}
        case str():
            shown = {"t": "str", "v": list(map(ord, datum))}
        case bytes():
            shown = {"t": "bytes", "v": list(datum)}
        case bool():
            shown = {"t": "bool", "v": datum}
        case Char(code=code):
            shown = {"t": "char", "v": code}
        case tuple():
            shown = {"t": "list", "v": list(map(tree, datum))}
        case Prefab(key=key, fields=fields):
            shown = {"t": "prefab", "key": key, "v": list(map(tree, fields))}
        case _:
            shown = number(datum)
    return shown


def number(datum: Datum) -> dict[str, Any]:
    whole = isinstance(datum, int) or (isinstance(datum, float) and datum.is_integer())
    return {
        "t": "num",
        "exact": isinstance(datum, int | Fraction | ExactComplex),
        "int": whole,
        "real": not isinstance(datum, complex | ExactComplex),
        "v": write(datum).decode(),
    }


class CorpusTests(SynchronousTestCase):
    def test_it_is_all_there(self) -> None:
        self.assertEqual(len(corpus()), 666)
        self.assertEqual(sum(len(entry.results) for entry in corpus()), 528)
        self.assertEqual(sum(result["sexp"] for entry in corpus() for result in entry.results), 518)
        self.assertEqual(sum(entry.fails for entry in corpus()), 131)

    def test_each_datum_is_read_as_recorded(self) -> None:
        for entry in corpus():
            data, code = read(entry.stream, depth=DEPTH)
            self.assertEqual((entry.stream, len(data), code), (entry.stream, len(entry.results), entry.code))
            for datum, result in zip(data, entry.results, strict=True):
                self.assertEqual((entry.stream, is_sexp(datum)), (entry.stream, result["sexp"]))
                if result["sexp"]:
                    self.assertEqual((entry.stream, tree(datum)), (entry.stream, result["d"]))

    def test_each_datum_is_printed_as_recorded(self) -> None:
        for entry in corpus():
            for datum, result in zip(read(entry.stream, depth=DEPTH)[0], entry.results, strict=True):
                if result["sexp"]:
                    self.assertEqual(write(datum) + b"\n", bytes.fromhex(result["w"]))

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

    def test_errors_come_where_recorded(self) -> None:
        """Racket looks at the byte after those that it has used, too, and so does this reader, but no further."""
        for entry in corpus():
            if entry.fails:
                used = entry.end["used"]
                self.assertEqual(
                    (entry.stream, feed(DatumReader(), [entry.stream[: used + 1]])[1]), (entry.stream, MALFORMED)
                )

    def test_after_each_datum_the_next_line_is_read(self) -> None:
        for entry in corpus():
            if entry.results and entry.results[-1]["used"] == len(entry.stream) and entry.ends_a_line:
                data, _ = read(entry.stream + b"(next)\n", depth=DEPTH)
                self.assertEqual((entry.stream, data[len(entry.results) :]), (entry.stream, [(Symbol("next"),)]))

    def test_kinds_that_are_no_sexp(self) -> None:
        others = [datum for entry in corpus() for datum in read(entry.stream, depth=DEPTH)[0] if not is_sexp(datum)]
        self.assertEqual(
            {datum.kind for datum in others if isinstance(datum, Opaque)},
            {"vector", "hash", "keyword", "regexp", "number vector"},
        )
        self.assertEqual(len(others), 10)

    def test_what_is_printed_is_read_as_the_same(self) -> None:
        for entry in corpus():
            for datum in read(entry.stream, depth=DEPTH)[0]:
                if is_sexp(datum):
                    again = read(write(datum) + b"\n", depth=DEPTH)[0]
                    self.assertEqual(repr(again), repr([datum]))
