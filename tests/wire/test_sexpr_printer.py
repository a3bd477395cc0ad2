"""Printing as `write` does, what may be sent, and what may not."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from unicodedata import category

from twisted.trial.unittest import SynchronousTestCase

from gamed.errors import LocalProtocolError
from gamed.wire.sexpr import Char, Datum, ExactComplex, Opaque, Prefab, Symbol, is_sexp, write
from tests.wire.reading import read, symbols

# Recorded from Racket 8.7: doubles whose text differs from Python's, and some around them.
DOUBLES = {
    1e22: "1e+22",
    1e21: "1e+21",
    1e20: "1e+20",
    1e15: "1e+15",
    1.5e17: "1.5e+17",
    1e14: "1e+14",
    99999999999999.0: "99999999999999.0",
    10000000000000.0: "10000000000000.0",
    100000000000100.0: "100000000000100.0",
    1234567890123000.0: "1234567890123000.0",
    123456789012000.0: "123456789012000.0",
    123456789010000.0: "1.2345678901e+14",
    12345678901234560000.0: "1.234567890123456e+19",
    12345678901234567000.0: "12345678901234567000.0",
    123456789012345600.0: "123456789012345600.0",
    1.2345678901234567e20: "1.2345678901234567e+20",
    1234567.0: "1234567.0",
    0.001: "0.001",
    0.0001: "0.0001",
    0.00012345: "0.00012345",
    0.00001: "1e-5",
    0.000012345: "1.2345e-5",
    1e-7: "1e-7",
    1.5e-10: "1.5e-10",
    5e-324: "5e-324",
    1.7976931348623157e308: "1.7976931348623157e+308",
    -1e22: "-1e+22",
    -1e-7: "-1e-7",
    1801514316094494.25: "1801514316094494.3",
    1801514316094494.75: "1801514316094494.8",
    4503599627370497.5: "4503599627370498.0",
    2251799813685248.25: "2251799813685248.0",
    -2251799813685248.25: "-2251799813685248.0",
    0.1: "0.1",
    -0.5: "-0.5",
    4.0: "4.0",
    -0.0: "-0.0",
    123456.789: "123456.789",
    0.3333333333333333: "0.3333333333333333",
    math.inf: "+inf.0",
    -math.inf: "-inf.0",
}


class AtomTests(SynchronousTestCase):
    def check(self, datum: Datum, text: str) -> None:
        self.assertEqual((datum, write(datum).decode()), (datum, text))

    def test_doubles(self) -> None:
        for number, text in DOUBLES.items():
            self.check(number, text)
        self.check(math.nan, "+nan.0")
        self.check(-math.nan, "+nan.0")

    def test_every_double_is_read_as_the_same(self) -> None:
        # All powers of two, the doubles beside them, and some between.
        for exponent in range(2047):
            for fraction in (0, 1, 0x5555555555555, 0xFFFFFFFFFFFFF):
                (number,) = struct.unpack("<d", struct.pack("<Q", exponent << 52 | fraction))
                self.assertEqual(read(write(number) + b"\n")[0], [number])

    def test_exact_numbers(self) -> None:
        for number, text in ((0, "0"), (-12, "-12"), (10**30, "1" + "0" * 30), (Fraction(-22, 7), "-22/7")):
            self.check(number, text)

    def test_complex_numbers(self) -> None:
        for number, text in (
            (ExactComplex(1, 2), "1+2i"),
            (ExactComplex(0, -1), "0-1i"),
            (ExactComplex(Fraction(1, 2), Fraction(-3, 4)), "1/2-3/4i"),
            (1.5 - 2.5j, "1.5-2.5i"),
            (complex(0, 1e22), "0.0+1e+22i"),
            (complex(-0.0, -0.0), "-0.0-0.0i"),
            (complex(math.inf, -math.inf), "+inf.0-inf.0i"),
            (complex(math.nan, math.nan), "+nan.0+nan.0i"),
        ):
            self.assertEqual(write(number).decode(), text)

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
            ("\a\b\t\n\v\f\r\x1b", '"\\a\\b\\t\\n\\v\\f\\r\\e"'),
            ("\x00\x01\x1f\x7f", '"\\u0000\\u0001\\u001F\\u007F"'),
            ("\x80\u00ad\u200b", '"\\u0080\\u00AD\\u200B"'),
            ("\u00a0\u3000\u2003", '"\u00a0\u3000\u2003"'),
            ("\u2028\ufeff\ue000", '"\\u2028\\uFEFF\\uE000"'),
            ("\U000e0001\U0010ffff", '"\\U000E0001\\U0010FFFF"'),
            ("\u00e9\u03bb\u4e2d\U0001f600", '"\u00e9\u03bb\u4e2d\U0001f600"'),
        ):
            self.check(string, text)

    def test_what_joins_characters_is_printed_after_them_only(self) -> None:
        for string, text in (
            ("a\u200db", '"a\u200db"'),
            ("\u200da", '"\\u200Da"'),
            (" \u200d", '" \\u200D"'),
            ("\n\u200d", '"\\n\\u200D"'),
            ('"\u200d', '"\\"\\u200D"'),
            ("\u200b\u200d", '"\\u200B\\u200D"'),
            ("\U0001f3f4\U000e0067\U000e007f", '"\U0001f3f4\U000e0067\U000e007f"'),
            ("a\u200c\u200d\u200b\u200d", '"a\u200c\u200d\\u200B\\u200D"'),
        ):
            self.check(string, text)

    def test_byte_strings(self) -> None:
        for octets, text in (
            (b"", '#""'),
            (b"abc (d) |e| 'f", '#"abc (d) |e| \'f"'),
            (b'"\\', '#"\\"\\\\"'),
            (b"\a\b\t\n\v\f\r\x1b", '#"\\a\\b\\t\\n\\v\\f\\r\\e"'),
            (b"\x00\x01\x0e\x1f", '#"\\0\\1\\16\\37"'),
            (b"\x7f\x80\xff", '#"\\177\\200\\377"'),
            (b"\x001", '#"\\0001"'),
            (b"\x0e7", '#"\\0167"'),
            (b"\x008", '#"\\08"'),
            (b"\x00a", '#"\\0a"'),
            (b"\xff7", '#"\\3777"'),
            (b"\x00\x00", '#"\\0\\0"'),
        ):
            self.check(octets, text)

    def test_every_pair_of_octets_is_read_as_the_same(self) -> None:
        for first in range(256):
            octets = b"".join(bytes([first, second]) for second in range(256))
            self.assertEqual(read(write(octets) + b"\n")[0], [octets])

    def test_characters(self) -> None:
        for character, text in (
            ("a", "a"),
            ("(", "("),
            ("\\", "\\"),
            (" ", "space"),
            ("\n", "newline"),
            ("\t", "tab"),
            ("\r", "return"),
            ("\x00", "nul"),
            ("\b", "backspace"),
            ("\x7f", "rubout"),
            ("\v", "vtab"),
            ("\f", "page"),
            ("\a", "u0007"),
            ("\x1b", "u001B"),
            ("\u03bb", "\u03bb"),
            ("\u0301", "\u0301"),
            ("\u200b", "u200B"),
            ("\u00a0", "u00A0"),
            ("\u3000", "u3000"),
            ("\U0001f600", "\U0001f600"),
            ("\U000e0001", "U000E0001"),
        ):
            self.check(Char(ord(character)), "#\\" + text)

    def test_each_character_of_the_first_plane_is_read_as_the_same(self) -> None:
        codes = [code for code in range(0x10000) if category(chr(code)) != "Cs"]
        whole = "".join(map(chr, codes))
        self.assertEqual(read(write(whole) + b"\n", limit=10**6)[0], [whole])
        chars = tuple(map(Char, codes))
        self.assertEqual(read(write(chars) + b"\n", limit=10**6)[0], [chars])
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
        self.check((" ", Symbol(" "), b" "), '(" " | | #" ")')

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

    def test_prefabs(self) -> None:
        self.check(Prefab("pt"), "#s(pt)")
        self.check(Prefab("pt", ()), "#s(pt)")
        self.check(Prefab("(pt base 1)", (1, "two")), '#s((pt base 1) 1 "two")')
        self.check(Prefab("pt", ((),)), "#s(pt ())")
        self.check((1, Prefab("|a b|", (Prefab("c"),)), 2), "(1 #s(|a b| #s(c)) 2)")

    def test_shared_data_are_printed_each_time(self) -> None:
        shared = symbols("a", "b")
        self.check((shared, shared), "((a b) (a b))")


class RefusedTests(SynchronousTestCase):
    """What is no sexp is a defect of ours."""

    def test_what_was_read_and_is_no_sexp(self) -> None:
        for text in (b"#(1)", b"(a . b)", b"#&1", b"#:k", b"1t0", b"#hash()", b'#rx"a"', b"(#0=(#0#))", b"#s(pt #(1))"):
            ((datum,), _) = read(text + b"\n")
            self.assertFalse(is_sexp(datum))
            self.assertRaises(LocalProtocolError, write, datum)

    def test_the_error_names_the_kind(self) -> None:
        error = self.assertRaises(LocalProtocolError, write, ((1, Opaque("box")), 2))
        self.assertIn("box", str(error))
        error = self.assertRaises(LocalProtocolError, write, Opaque("vector", (10**5000,)))
        self.assertIn("vector", str(error))

    def test_what_is_no_datum(self) -> None:
        for value in (None, [1], {"a": 1}, object(), {1}, range(3), bytearray(b"a"), Ellipsis):
            for datum in (value, (value,), Prefab("pt", (value,))):  # type: ignore[arg-type]
                self.assertFalse(is_sexp(datum))  # type: ignore[arg-type]
                self.assertRaises(LocalProtocolError, write, datum)

    def test_surrogates_and_numbers_of_no_character(self) -> None:
        for datum in (
            "\ud800",
            Symbol("a\udfff"),
            Char(0xD800),
            Char(0x110000),
            Char(-1),
            Char(2**80),
            ("a", "\udc80"),
        ):
            self.assertRaises(LocalProtocolError, write, datum)


class SexpTests(SynchronousTestCase):
    def test_atoms_and_what_is_made_of_them(self) -> None:
        atoms = (Symbol("a"), "s", b"b", True, 1, Fraction(1, 2), 1.5, 1j, ExactComplex(0, 1), Char(97))
        for datum in (*atoms, atoms, (), ((),), (atoms, (atoms,)), Prefab("pt", atoms), (Prefab("pt", (atoms,)),)):
            self.assertTrue(is_sexp(datum))

    def test_one_part_that_is_none_is_enough(self) -> None:
        for datum in (Opaque("box"), (1, Opaque("box")), (((Opaque("box"),),),), Prefab("pt", (1, (Opaque("box"),)))):
            self.assertFalse(is_sexp(datum))
