"""Whole lines that are read at once: the same data, limits and errors as by the scanner, octet by octet."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as some
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.wire.datums import Symbol
from gamed.wire.sexpr import DatumReader
from tests.wire.reading import datums

PIECES = (
    *("(", ")", " ", "\n", ".", "4.0", "007", "1e5", "move", "|a|", "'", "#;", "#ci", "; c\n", "#|", "|#", "\u00e9"),
    *("()\n", "(play)\n", "(move player 4.0 1.0)\n", "(A b-c 9)\n", "(wall 5 6 horizontal) x\n", "(a  b)\n"),
)


def read(pieces: list[bytes], limit: int, depth: int) -> list[str]:
    """Return what is told of data in these pieces; numbers by `repr`, for 4 and 4.0 are equal."""
    reader = DatumReader(limit, depth)
    told: list[str] = []
    try:
        for piece in pieces:
            reader.receive_data(piece)
            told += map(repr, datums(reader))
    except RemoteProtocolError as error:
        told.append(error.code)
    return told


class LineTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=300)
    @given(
        some.lists(some.lists(some.sampled_from(PIECES), max_size=4).map("".join), max_size=6),
        some.sampled_from((65_536, 5, 20, 21, 22)),
        some.sampled_from((100, 1)),
    )
    @example(["(move player 4.0 1.0)\n"], 21, 1)
    @example(["(move player 4.0 1.0)\n"], 20, 1)
    @example(["(a\n", "(play)\n", ")\n", "(play)\n"], 65_536, 100)
    @example(["#ci", "(A b-c 9)\n", "(A b-c 9)\n"], 65_536, 100)
    @example(["(play) x", "(play)\n", "(play)\n"], 65_536, 100)
    @example(["#|", "(play)\n", "|#", "(play)\n"], 65_536, 100)
    def test_the_same_in_any_pieces(self, texts: list[str], limit: int, depth: int) -> None:
        pieces = [text.encode() for text in texts if text]
        octets = [bytes([octet]) for piece in pieces for octet in piece]
        self.assertEqual(read(pieces, limit, depth), read(octets, limit, depth))

    def test_a_whole_line(self) -> None:
        reader = DatumReader()
        for _ in range(2):
            reader.receive_data(b"(move player 4.0 1)\n")
            (datum,) = datums(reader)
            self.assertEqual(datum, (Symbol("move"), Symbol("player"), 4.0, 1))
            assert isinstance(datum, tuple)
            self.assertEqual([type(element) for element in datum[2:]], [float, int])
            self.assertEqual(reader.unfinished, b"")

    def test_no_list_may_be_open(self) -> None:
        reader = DatumReader(depth=0)
        reader.receive_data(b"(play)\n")
        with self.assertRaises(RemoteProtocolError) as caught:
            list(datums(reader))
        self.assertEqual(caught.exception.code, "datum-too-deep")
