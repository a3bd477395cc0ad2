"""Properties: printing and reading are inverse, pieces do not matter, and nothing else is raised."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.wire.datums import Datum, Symbol, write
from gamed.wire.sexpr import DatumReader
from tests.wire.reading import MALFORMED, TOO_DEEP, TOO_LONG, feed, is_kept, is_written, octets, read

# Every character but surrogates; and often those that mean something.
CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from(
    "()[]{}\"',`;|\\# \n\t.+-0123456789aeix\u200d\ufeff"
)
EXACT = st.integers() | st.fractions().map(lambda number: number.numerator if number.denominator == 1 else number)
NUMBERS = EXACT | st.floats(allow_nan=False, allow_infinity=False) | st.integers(10**500, 10**600 - 1)
NAMES = st.text(CHARACTERS)
OTHER_ATOMS = NAMES | st.booleans() | NUMBERS


def data_with(names: st.SearchStrategy[str]) -> st.SearchStrategy[Datum]:
    """Return data whose symbols have these names."""
    return st.recursive(
        names.map(Symbol) | OTHER_ATOMS,
        lambda data: st.lists(data, max_size=4).map(tuple),
        max_leaves=12,
    )


DATA = data_with(NAMES)
# Scraps of syntax, so that most streams are nearly right; one a line would be long.
PARENTHESES = [
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b"#(",
    b"#2(",
    b"#s(",
    b"#s(pt",
    b"#hash(",
    b"#hash((a",
    b"#fl(",
    b"(pt 1)",
]
MARKS = [
    b"'",
    b"`",
    b",",
    b",@",
    b".",
    b" . ",
    b"#",
    b"#&",
    b"#0=",
    b"#0#",
    b"#;",
    b"#|",
    b"|#",
    b";",
    b"|",
    b"\\",
    b'"',
]
STARTS = [
    b"#\\",
    b'#"',
    b"#:",
    b"#ci",
    b"#t",
    b"#e",
    b"#x",
    b"#!",
    b"#! ",
    b"#<<E\n",
    b"E\n",
    b'#rx"',
    b"\\u",
    b"\\ud83d",
]
SPACES = [b" ", b" ", b"\n", b"\n", b"\r\n", b"\xc2\xa0", b"\xef\xbb\xbf", b"\xff", b"\xe2\x80", b"\x8d"]
WORDS = [
    b"a",
    b"play",
    b"1",
    b"1.5",
    b"+",
    b"-",
    b"i",
    b"/",
    b"@",
    b"e",
    b"0",
    b"inf.0",
    b"t0",
    b'"x"',
    b"(play 1.0)\n",
]
SCRAPS = st.sampled_from(PARENTHESES + MARKS + STARTS + SPACES + WORDS)
STREAMS = st.lists(SCRAPS, max_size=25).map(b"".join) | st.binary(max_size=40)


def shown(data: list[Datum]) -> list[str]:
    """Return data so that they can be compared: 1 is neither 1.0 nor true, -0.0 is not 0.0."""
    return [repr(datum) for datum in data if is_kept(datum)]


def same(one: Datum, other: Datum) -> bool:
    """Tell whether data are the same, also in their types."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, int | Fraction):
        return one == other
    return repr(one) == repr(other)


class PropertyTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=300)
    @given(DATA)
    def test_what_is_printed_is_read_as_the_same(self, datum: Datum) -> None:
        data, code = read(write(datum) + b"\n")
        self.assertEqual((len(data), code), (1, ""))
        self.assertTrue(same(data[0], datum))

    @settings(deadline=None, max_examples=100)
    @given(data_with(NAMES.filter(lambda name: "\n" not in name)))
    def test_only_a_symbol_can_print_a_line_feed(self, datum: Datum) -> None:
        self.assertNotIn(b"\n", write(datum))

    @settings(deadline=None, max_examples=100)
    @given(st.lists(DATA, max_size=5), st.lists(st.integers(0, 400), max_size=6))
    @example(["\U0002ebe1\x7f"], [15])
    def test_messages_in_pieces(self, data: list[Datum], cuts: list[int]) -> None:
        stream = b"".join(write(datum) + b"\n" for datum in data)
        places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
        pieces = [stream[start:end] for start, end in pairwise(places)]
        self.assertEqual(shown(feed(DatumReader(), pieces)[0]), shown(data))

    @settings(deadline=None, max_examples=400)
    @given(STREAMS)
    def test_octet_by_octet_is_the_same_as_whole(self, stream: bytes) -> None:
        whole, code = read(*[stream] if stream else [])
        data, code_of_octets = read(*octets(stream))
        self.assertEqual((shown(data), len(data), code_of_octets), (shown(whole), len(whole), code))

    @settings(deadline=None, max_examples=200)
    @given(STREAMS, st.integers(1, 60), st.integers(1, 6))
    @example(b"  \n", 1, 1)
    def test_also_at_the_limits(self, stream: bytes, limit: int, depth: int) -> None:
        whole, code = read(*[stream] if stream else [], limit=limit, depth=depth)
        data, code_of_octets = read(*octets(stream), limit=limit, depth=depth)
        self.assertEqual((shown(data), len(data), code_of_octets), (shown(whole), len(whole), code))
        self.assertIn(code, {"", MALFORMED, TOO_LONG, TOO_DEEP})

    @settings(deadline=None, max_examples=200)
    @given(STREAMS)
    def test_a_limit_only_takes_away(self, stream: bytes) -> None:
        """What is read within narrow limits is what is read without them."""
        some, _ = read(*[stream] if stream else [], limit=20, depth=2)
        everything, _ = read(*[stream] if stream else [])
        self.assertEqual(shown(everything[: len(some)]), shown(some))

    @settings(deadline=None, max_examples=200)
    @given(STREAMS)
    def test_what_is_read_can_be_printed_and_read_again(self, stream: bytes) -> None:
        for datum in read(*[stream] if stream else [])[0]:
            if is_written(datum):
                again, code = read(write(datum) + b"\n")
                self.assertEqual(code, "")
                self.assertTrue(same(again[0], datum))

    @settings(deadline=None, max_examples=100)
    @given(st.lists(STREAMS, max_size=6))
    def test_an_error_is_the_last_thing(self, pieces: list[bytes]) -> None:
        reader = DatumReader()
        _, code = feed(reader, filter(None, pieces))
        if code:
            self.assertEqual(feed(reader, [b"(a)\n", b""]), ([], code))
