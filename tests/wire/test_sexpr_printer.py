"""Printing as `write` does, what may be sent, and what may not."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from unicodedata import category

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import LocalProtocolError
from gamed.wire.datums import Char, Datum, Opaque, Symbol, write
from tests.wire.reading import read, symbols

# How Python's `repr` has them, too; Racket reads all of them, though it would print some with another exponent.
DOUBLES = {
    1e22: "1e+22",
    1e-07: "1e-07",
    0.001: "0.001",
    5e-324: "5e-324",
    1.7976931348623157e308: "1.7976931348623157e+308",
    -0.5: "-0.5",
    4.0: "4.0",
    -0.0: "-0.0",
}


class AtomTests(SynchronousTestCase):
    def check(self, datum: Datum, text: str) -> None:
        self.assertEqual((datum, write(datum).decode()), (datum, text))

    def test_doubles(self) -> None:
        for number, text in DOUBLES.items():
            self.check(number, text)

    def test_every_double_is_read_as_the_same(self) -> None:
        # All powers of two, the doubles beside them, and some between.
        for exponent in range(2047):
            for fraction in (0, 1, 0x5555555555555, 0xFFFFFFFFFFFFF):
                (number,) = struct.unpack("<d", struct.pack("<Q", exponent << 52 | fraction))
                self.assertEqual(read(write(number) + b"\n")[0], [number])

    def test_exact_numbers(self) -> None:
        for number, text in ((0, "0"), (-12, "-12"), (10**30, "1" + "0" * 30), (Fraction(-22, 7), "-22/7")):
            self.check(number, text)

    def test_booleans_are_no_numbers(self) -> None:
        self.check(True, "#t")
        self.check(False, "#f")
        self.check((True, 1, False, 0), "(#t 1 #f 0)")

    def test_plain_symbols(self) -> None:
        for name in (
            "a",
            "horizontal",
            "start2play",
            "A",
            "a.b",
            "...",
            "-",
            "+a",
            "1a",
            "a#",
            "#%a",
            "<=",
            "\u03bb",
            "a\x00b",
        ):
            self.check(Symbol(name), name)

    def test_symbols_in_bars(self) -> None:
        for name in (
            "",
            " ",
            "a b",
            "a\nb",
            "(",
            "a)",
            "[",
            "{",
            '"',
            "'",
            "`",
            ",",
            ";",
            ".",
            "#",
            "#a",
            "\\",
            "a\\",
            "#% a",
        ):
            self.check(Symbol(name), f"|{name}|")
        for name in (
            "1",
            "-1",
            "+i",
            "1e5",
            "1#",
            "1/0",
            "1t0",
            "1/2",
            ".5",
            "+inf.0",
            "-nan.0",
            "1@2",
            "1+i",
            "1e400",
        ):
            self.check(Symbol(name), f"|{name}|")
        for name in ("\u00a0", "\ufeff", "a\u2028b", "\u3000", "\x85"):
            self.check(Symbol(name), f"|{name}|")

    def test_symbols_with_a_bar(self) -> None:
        for name, text in (
            ("a|b", "a\\|b"),
            ("|", "\\|"),
            ("a| b", "a\\|\\ b"),
            ("#|", "\\#\\|"),
            ("#%|", "#%\\|"),
            ("1|", "1\\|"),
            ("(|)", "\\(\\|\\)"),
            ("\\|", "\\\\\\|"),
            (".|", ".\\|"),
            ("a|\nb", "a\\|\\\nb"),
        ):
            self.check(Symbol(name), text)

    def test_strings(self) -> None:
        for string, text in (
            ("", '""'),
            ("it's (a) |b| ;c", '"it\'s (a) |b| ;c"'),
            ('"', '"\\""'),
            ("\\", '"\\\\"'),
            ("\b\t\n\f\r", '"\\b\\t\\n\\f\\r"'),
            ("\x00\x01\x1f\x7f", '"\\u0000\\u0001\\u001f\x7f"'),
            ("\u00e9\u03bb\u4e2d\U0001f600", '"\u00e9\u03bb\u4e2d\U0001f600"'),
        ):
            self.check(string, text)

    def test_each_character_of_the_first_plane_is_read_as_the_same(self) -> None:
        codes = [code for code in range(0x10000) if category(chr(code)) != "Cs"]
        whole = "".join(map(chr, codes))
        self.assertEqual(read(write(whole) + b"\n", limit=10**6)[0], [whole])
        names = tuple(Symbol(chr(code)) for code in codes)
        self.assertEqual(read(write(names) + b"\n", limit=10**6)[0], [names])


class FormTests(SynchronousTestCase):
    def check(self, datum: Datum, text: str) -> None:
        self.assertEqual((datum, write(datum).decode()), (datum, text))

    def test_lists(self) -> None:
        self.check((), "()")
        self.check(((),), "(())")
        self.check(((), ()), "(() ())")
        self.check(symbols("OKAY"), "(OKAY)")
        self.check((1, (2, (3,), ()), 4), "(1 (2 (3) ()) 4)")
        self.check((((1,),),), "(((1)))")
        self.check((" ", Symbol(" "), ")"), '(" " | | ")")')

    def test_what_the_server_sends(self) -> None:
        self.check((Symbol("start4wait"), 1, ()), "(start4wait 1 ())")
        self.check((Symbol("wait"), 1, (Symbol("player"), 4.0, 1.0, 1.0)), "(wait 1 (player 4.0 1.0 1.0))")
        self.check(
            (Symbol("disconnect"), 3, (Symbol("wall"), 4, 4, Symbol("horizontal"))),
            "(disconnect 3 (wall 4 4 horizontal))",
        )

    def test_quotes_are_printed_long(self) -> None:
        self.check(symbols("quote", "x"), "(quote x)")
        self.check((Symbol("quasiquote"), (Symbol("a"), symbols("unquote", "b"))), "(quasiquote (a (unquote b)))")
        self.check(symbols("a", "quote", "b"), "(a quote b)")

    def test_shared_data_are_printed_each_time(self) -> None:
        shared = symbols("a", "b")
        self.check((shared, shared), "((a b) (a b))")


class RefusedTests(SynchronousTestCase):
    """What cannot be written is a defect of ours."""

    def test_what_was_skipped(self) -> None:
        for text in (b"#(1)", b"(a . b)", b"#&1", b"#:k", b"1t0", b"#hash()", b'#rx"a"', b"(#0=(#0#))", b"#s(pt #(1))"):
            ((datum,), _) = read(text + b"\n")
            self.assertRaises(LocalProtocolError, write, datum)

    def test_what_nobody_sends(self) -> None:
        for datum in (Char(97), math.inf, -math.inf, math.nan):
            self.assertRaises(LocalProtocolError, write, (datum,))

    def test_the_error_names_the_kind(self) -> None:
        error = self.assertRaises(LocalProtocolError, write, ((1, Opaque("box")), 2))
        self.assertIn("box", str(error))

    def test_what_is_no_datum(self) -> None:
        for value in (None, [1], {"a": 1}, object(), {1}, range(3), bytearray(b"a"), b"a", 1j, Ellipsis):
            for datum in (value, (value,)):
                self.assertRaises(LocalProtocolError, write, datum)

    def test_what_is_too_deep(self) -> None:
        datum: Datum = ()
        for _ in range(100_000):
            datum = (datum,)
        self.assertRaises(LocalProtocolError, write, datum)

    def test_surrogates(self) -> None:
        for datum in (
            "\ud800",
            Symbol("a\udfff"),
            ("a", "\udc80"),
        ):
            self.assertRaises(LocalProtocolError, write, datum)
