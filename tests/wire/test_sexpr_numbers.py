"""Numbers as Racket reads and prints them, and what they are in Python."""

from __future__ import annotations

from fractions import Fraction

from twisted.trial.unittest import SynchronousTestCase

from gamed.wire.datums import Datum, Opaque, Symbol, write
from tests.wire.racket_numbers import (
    APPROXIMATIONS,
    BAD,
    COMPLEX,
    DECIMALS,
    EXTENDED,
    FRACTIONS,
    INTEGERS,
    POLAR,
    RADIXES,
    SPECIALS,
    SYMBOLS,
    ZEROS,
)
from tests.wire.reading import read, wrong


class RecordedTests(SynchronousTestCase):
    """Each of Racket's tables, whole and octet by octet."""

    def test_integers(self) -> None:
        self.assertEqual(wrong(INTEGERS), {})

    def test_fractions(self) -> None:
        self.assertEqual(wrong(FRACTIONS), {})

    def test_decimals(self) -> None:
        self.assertEqual(wrong(DECIMALS), {})

    def test_approximations(self) -> None:
        self.assertEqual(wrong(APPROXIMATIONS), {})

    def test_specials(self) -> None:
        self.assertEqual(wrong(SPECIALS), {})

    def test_radixes(self) -> None:
        self.assertEqual(wrong(RADIXES), {})

    def test_complex(self) -> None:
        self.assertEqual(wrong(COMPLEX), {})

    def test_polar(self) -> None:
        self.assertEqual(wrong(POLAR), {})

    def test_zeros(self) -> None:
        self.assertEqual(wrong(ZEROS), {})

    def test_symbols(self) -> None:
        self.assertEqual(wrong(SYMBOLS), {})

    def test_bad(self) -> None:
        self.assertEqual(wrong(BAD), {})

    def test_extended(self) -> None:
        self.assertEqual(wrong(EXTENDED), {})


class ValueTests(SynchronousTestCase):
    """What numbers are in Python."""

    def number(self, text: str) -> Datum:
        ((datum,), code) = read(text.encode() + b"\n")
        self.assertEqual(code, "")
        return datum

    def test_types(self) -> None:
        for text, value in (
            ("12", 12),
            ("4/2", 2),
            ("6/4", Fraction(3, 2)),
            ("4.0", 4.0),
            ("4.", 4.0),
            (".5e1", 5.0),
            ("-0.0", -0.0),
        ):
            self.assertEqual((text, repr(self.number(text))), (text, repr(value)))

    def test_what_no_game_sends(self) -> None:
        for text, kind in (
            ("1+2i", "number in another notation"),
            ("1@2", "number in another notation"),
            ("+inf.0", "number in another notation"),
            ("+nan.f", "number in another notation"),
            ("1e400", "number in another notation"),
            ("1d3", "number in another notation"),
            ("1#", "number in another notation"),
            ("1/2e3", "number in another notation"),
            ("1t0", "number in another notation"),
            ("9" * 601, "number in another notation"),
            ("#e1.5", "number with a prefix"),
        ):
            self.assertEqual(self.number(text), Opaque(kind))

    def test_decimals_are_rounded_once(self) -> None:
        for text in (
            "9007199254740993.0",
            "0.1",
            "123456789012345678e-30",
            "2.2250738585072011e-308",
            "5e-324",
            "1e23",
        ):
            self.assertEqual(self.number(text), float(text))

    def test_600_digits_are_read(self) -> None:
        for text in ("9" * 600, f"-{'3' * 599}/{'7' * 600}"):
            self.assertEqual(self.number(text), Fraction(text))
            self.assertEqual(self.number(write(self.number(text)).decode()), Fraction(text))

    def test_what_a_symbol_must_be_quoted_for(self) -> None:
        for text in ("1", "-1.5e3", "1/0", "1t0", "+inf.t", "+i", "1@2", "1#", "1/0+i", "1e400"):
            self.assertEqual(write(Symbol(text)).decode(), f"|{text}|")
        for text in ("1a", "-", "+", "1+1t0i", "...", "1/", "1@", "e1", "1e", "+in", "i"):
            self.assertEqual(write(Symbol(text)).decode(), text)
            self.assertEqual(self.number(text), Symbol(text))
