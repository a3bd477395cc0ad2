"""The reader's limits: how long and deep a datum may be, what is held of it, what it costs."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterable
from types import FrameType

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.wire.datums import Opaque, Symbol
from gamed.wire.sexpr import MOST_SKIPPED, DatumReader
from tests.wire.reading import (
    PIECE,
    TOO_DEEP,
    TOO_LONG,
    datums,
    feed,
    octets,
    read,
    symbols,
)


class LengthTests(SynchronousTestCase):
    """A message may have so many bytes. A line that is no part of one counts by itself."""

    def test_a_datum_as_long_as_the_limit(self) -> None:
        for datum in (
            b"abcdefgh",
            b'"abcdef"',
            b"(abc de)",
            b"12345678",
            b"|abcdef|",
            b"#\\page  ",
            b"( )      ",
            b"((((()))",
        ):
            text = datum.strip()
            for pieces in ([text, b"\n"], [*octets(text), b"\n"], [text + b"\n"]):
                if text.count(b"(") == text.count(b")"):
                    self.assertEqual((text, read(*pieces, limit=len(text))[1]), (text, ""))
                self.assertEqual((text, *read(*pieces, limit=len(text) - 1)), (text, [], TOO_LONG))

    def test_bytes_are_counted_not_characters(self) -> None:
        for text in ("\u03bb\u03bb\u03bb", '"\u20ac"', "(\U0001f600)", "#\\\u03bb"):
            stream = text.encode() + b"\n"
            size = len(stream) - 1
            for pieces in ([stream], octets(stream)):
                self.assertEqual(read(*pieces, limit=size)[1], "")
                self.assertEqual(read(*pieces, limit=size - 1)[1], TOO_LONG)

    def test_each_datum_is_counted_by_itself(self) -> None:
        self.assertEqual(read(b"(a b c)\n" * 100, limit=7), ([symbols("a", "b", "c")] * 100, ""))
        self.assertEqual(read(b"abcdefg\n" * 100, limit=7), ([Symbol("abcdefg")] * 100, ""))

    def test_lines_before_a_message_are_not_counted(self) -> None:
        for junk in (b"\n", b"    \n", b";xxxx\n", b"#|xx|#\n", b"#;abc\n", b"\xc2\xa0\n"):
            for pieces in ([junk * 99 + b"(abc)\n"], [*octets(junk * 99), b"(abc)\n"]):
                self.assertEqual(read(*pieces, limit=6), ([symbols("abc")], ""))

    def test_lines_without_a_message_are_counted_together(self) -> None:
        for junk in (b"\n", b"    \n", b";xxxx\n", b"#|xx|#\n", b"#;abc\n"):
            most = MOST_SKIPPED // len(junk)
            whole, more = junk * most + b"(abc)\n", junk * (most + 1) + b"(abc)\n"
            self.assertEqual(read(whole, whole), ([symbols("abc")] * 2, ""))
            self.assertEqual(read(whole, more), ([symbols("abc")], "no-message"))

    def test_all_of_a_message_is_counted(self) -> None:
        for stream in (b"(abc)xxxx\n", b"    (abc)\n", b"(abc;xx\n)\n", b"#||#(abc)\n", b"#;a (abc)\n"):
            for pieces in ([stream], octets(stream)):
                self.assertEqual((stream, *read(*pieces, limit=9)), (stream, [symbols("abc")], ""))
                self.assertEqual((stream, *read(*pieces, limit=8)), (stream, [], TOO_LONG))

    def test_white_space_in_a_datum_is_counted(self) -> None:
        for pieces in ([b"(a" + b" " * 99 + b"b)\n"], octets(b"(a" + b" " * 99 + b"b)\n")):
            self.assertEqual(read(*pieces, limit=103)[1], "")
            self.assertEqual(read(*pieces, limit=102)[1], TOO_LONG)

    def test_data_that_are_comments_are_counted(self) -> None:
        self.assertEqual(read(b"#;" + b"x" * 99 + b" a\n", limit=50), ([], TOO_LONG))

    def test_what_is_too_long_is_so_before_it_is_malformed(self) -> None:
        for stream in (
            b'"' + b"x" * 99 + b'\\q"',
            b"1" * 99 + b"/0 ",
            b"(" + b" " * 99 + b"]",
            b"(abc" + b"x" * 99 + b"]",
        ):
            for pieces in ([stream], octets(stream)):
                self.assertEqual(read(*pieces, limit=50), ([], TOO_LONG))

    def test_what_an_exponent_stands_for_takes_no_room(self) -> None:
        for text in (b"#e1e66000", b"#e1e99999999999999999999", b"#e#x1l-ffffff"):
            self.assertEqual(read(text + b"\n"), ([Opaque("number with a prefix")], ""))
        self.assertEqual(read(b"1e99999999999999999999\n")[0], [Opaque("number in another notation")])
        self.assertEqual(read(b"1e-99999999999999999999\n")[0], [0.0])

    def test_a_length_of_a_vector_takes_no_room(self) -> None:
        self.assertEqual(read(b"#100000000000000(1)\n"), ([Opaque("vector")], ""))


class DepthTests(SynchronousTestCase):
    def test_as_deep_as_the_limit(self) -> None:
        for opener, closer in (
            (b"(", b")"),
            (b"'", b""),
            (b"#(", b")"),
            (b"#&", b""),
            (b"#;", b" x"),
            (b"#s(pt ", b")"),
            (b"#ci", b""),
        ):
            stream = opener * 7 + b"x" + closer * 7 + b"\n"
            self.assertEqual((stream, read(stream, depth=7)[1]), (stream, ""))
            self.assertEqual((stream, read(stream, depth=6)[1]), (stream, TOO_DEEP))

    def test_pairs_of_hashes_are_forms_too(self) -> None:
        self.assertEqual(read(b"#hash((a . 1))\n", depth=2)[1], "")
        self.assertEqual(read(b"#hash((a . 1))\n", depth=1)[1], TOO_DEEP)

    def test_forms_beside_each_other_are_not_deep(self) -> None:
        self.assertEqual(read(b"(" + b"() " * 1000 + b")\n", depth=2)[1], "")

    def test_the_default_is_100(self) -> None:
        self.assertEqual(read(b"(" * 100 + b")" * 100 + b"\n")[1], "")
        self.assertEqual(read(b"(" * 101 + b")" * 101 + b"\n")[1], TOO_DEEP)

    def test_a_hundred_thousand_forms_need_no_recursion(self) -> None:
        for opener, closer, count in (
            (b"(", b")", 100_000),
            (b"'", b"", 20_000),
            (b"#(", b")", 5_000),
            (b"#|", b"|#", 5_000),
        ):
            stream = opener * count + b" x " + closer * count + b" y\n"
            data, code = read(stream, limit=10**7, depth=10**6)
            self.assertEqual((opener, len(data), code), (opener, 1, ""))

    def test_they_are_refused_by_default(self) -> None:
        self.assertEqual(read(b"(" * 60_000), ([], TOO_DEEP))
        self.assertEqual(read(*octets(b"[" * 1000)), ([], TOO_DEEP))


class MemoryTests(SynchronousTestCase):
    """However much comes, a reader holds no more than a piece and a datum up to the limit."""

    def peak(self, start: bytes, unit: bytes) -> tuple[int, str]:
        """Return the most bytes held while a start and 48 KiB of a unit come, and the code of the error."""
        piece = unit * (4096 // len(unit))
        reader = DatumReader(8192)
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        code = feed(reader, [start, *[piece] * 12] if start else [piece] * 12)[1]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak, code

    def test_a_gigabyte_of_a_string_is_refused_at_the_limit(self) -> None:
        reader = DatumReader()
        piece = b"x" * PIECE
        reader.receive_data(b'(a)\n"')
        for _ in range(2**30 // PIECE):
            reader.receive_data(piece)
        self.assertEqual(feed(reader, []), ([], ""))
        self.assertEqual(next(datums(reader)), symbols("a"))
        self.assertEqual(self.assertRaises(RemoteProtocolError, next, datums(reader)).code, TOO_LONG)

    def test_data_that_do_not_end(self) -> None:
        for start, unit in (
            (b'"', b"x"),
            (b'#"', b"x"),
            (b"", b"x"),
            (b"|", b"x"),
            (b"", b"1"),
            (b"(", b" "),
            (b"(", b"a "),
            (b"(", b"#;a "),
            (b"#<<", b"x"),
            (b"#<<x\n", b"y\n"),
            (b"#:", b"x"),
            (b'"', b"\\n"),
            (b"", b"\xff"),
            (b"(", b"; x\n"),
            (b"#s(pt", b" 1"),
            (b'#rx"', b"x"),
        ):
            peak, code = self.peak(start, unit)
            self.assertEqual((start, code), (start, TOO_LONG))
            self.assertLess(peak, 400_000, start)

    def test_comments_and_lines_that_do_not_end(self) -> None:
        for start, unit in (
            (b"", b" "),
            (b";", b"x"),
            (b"#|", b"x"),
            (b"#|", b"#|"),
            (b"#|", b"x\n"),
            (b"#! ", b"x"),
            (b"#! ", b"\\\n"),
            (b"(a) ", b"x"),
            (b"(a) ", b"("),
            (b"(;", b"x"),
            (b"(#|", b"x"),
        ):
            peak, code = self.peak(start, unit)
            self.assertEqual((start, code), (start, TOO_LONG))
            self.assertLess(peak, 300_000)

    def test_lines_without_a_message_may_not_end(self) -> None:
        for unit in (b"\n", b" " * 99 + b"\n", b";" + b"x" * 99 + b"\n", b"#|" + b"x" * 99 + b"|#\n"):
            peak, code = self.peak(b"", unit)
            self.assertEqual((unit, code), (unit, ""))
            self.assertLess(peak, 300_000)


def steps(call: Callable[[], object]) -> int:
    """Count the calls of functions, Python's and C's, that a call makes."""
    count = 0

    def profile(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    return count


class CostTests(SynchronousTestCase):
    """Twice as much text costs twice as much, in one piece and in many."""

    def check(self, text: Callable[[int], bytes], size: int = 400) -> None:
        def cost(size: int, cut: Callable[[bytes], Iterable[bytes]]) -> int:
            pieces = list(cut(text(size)))
            reader = DatumReader(10**9, 10**9)
            return steps(lambda: feed(reader, pieces))

        for cut in (octets, lambda data: [data]):
            self.assertLess(cost(2 * size, cut), 2.2 * cost(size, cut) + 50)

    def test_strings(self) -> None:
        self.check(lambda size: b'"' + b"x" * size + b'"\n')
        self.check(lambda size: b'"' + b"\\n" * size + b'"\n')

    def test_symbols_and_numbers(self) -> None:
        self.check(lambda size: b"x" * size + b"\n")
        self.check(lambda size: b"|a|\\b" * size + b"\n")
        self.check(lambda size: b"1" * size + b".5\n")

    def test_lists(self) -> None:
        self.check(lambda size: b"(" + b"a 1 b.c " * size + b")\n")
        self.check(lambda size: b"(" * size + b")" * size + b"\n")
        self.check(lambda size: b"'" * size + b"a\n")

    def test_comments_and_lines(self) -> None:
        self.check(lambda size: b"#|x|#" * size + b"a\n")
        self.check(lambda size: b"#|" * size + b"|#" * size + b"a\n")
        self.check(lambda size: b"#;a " * size + b"a\n")
        self.check(lambda size: b"a" + b" x" * size + b"\n")
        self.check(lambda size: b";\n" * size + b"a\n")

    def test_messages(self) -> None:
        self.check(lambda size: b"(move player 4.0 1.0)\n" * size, 100)
        self.check(lambda size: b'("a" #t)\n' * size, 100)

    def test_long_numbers_take_no_time_worth_mentioning(self) -> None:
        # Each of these would take minutes if digits were added one by one, or patterns tried again and again.
        for text in (
            b"9" * 60_000,
            b"9" * 30_000 + b"/" + b"7" * 30_000,
            b"1." + b"3" * 60_000,
            b"1" * 60_000 + b"x",
            b"1#" * 30_000,
            b"1e1+" * 15_000,
            b"#e1." + b"3" * 30_000,
            b"#x" + b"f" * 30_000 + b"l-" + b"f" * 20_000,
            b"+" * 60_000,
            b"1@" + b"9" * 60_000,
        ):
            self.assertEqual((text[:9], *map(len, read(text + b"\n"))), (text[:9], 1, 0))
