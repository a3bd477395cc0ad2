"""Numbers as Racket reads and prints them, and what they are in Python."""

from __future__ import annotations

import math
from fractions import Fraction

from twisted.trial.unittest import SynchronousTestCase

from gamed.errors import RemoteProtocolError
from gamed.wire.datums import write
from gamed.wire.racket_atoms import ExactComplex, Extflonum, integer, read_number, reads_as_number
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
from tests.wire.reading import MALFORMED, NO_SEXP, read, wrong


def no_limit(_digits: int) -> None:
    """Count nothing."""


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

    def test_types(self) -> None:
        for text, value in (
            ("12", 12),
            ("4/2", 2),
            ("1/2", Fraction(1, 2)),
            ("4.0", 4.0),
            ("1#", 10.0),
            ("#e1.5", Fraction(3, 2)),
            ("#i3", 3.0),
            ("1+2i", ExactComplex(1, 2)),
            ("1/2-i", ExactComplex(Fraction(1, 2), -1)),
            ("1.0+2i", complex(1, 2)),
            ("1+0i", 1),
            ("1.5+0i", 1.5),
            ("1+0.0i", complex(1, 0)),
            ("+inf.0", math.inf),
            ("-0.0", -0.0),
            ("+nan.0", math.nan),
            ("1t0", Extflonum()),
            ("a", None),
        ):
            number = read_number(text, no_limit)
            self.assertEqual((text, repr(number)), (text, repr(value)))

    def test_exact_parts_are_in_lowest_terms(self) -> None:
        number = read_number("4/2+6/4i", no_limit)
        self.assertEqual(repr(number), repr(ExactComplex(2, Fraction(3, 2))))

    def test_decimals_are_rounded_once(self) -> None:
        for text in (
            "9007199254740993.0",
            "0.1",
            "123456789012345678e-30",
            "2.2250738585072011e-308",
            "5e-324",
            "1e23",
        ):
            self.assertEqual(read_number(text, no_limit), float(text))

    def test_fractions_are_rounded_once(self) -> None:
        for top, bottom in ((1, 3), (2**60 + 1, 3), (10**400, 3), (1, 10**400), (10**400, 10**399 + 7)):
            expected = top / bottom if top < 10**399 or bottom > 10**300 else math.inf
            self.assertEqual(read_number(f"#i{top}/{bottom}", no_limit), expected)

    def test_other_bases_are_rounded_once(self) -> None:
        for text, value in (
            ("#x1.00000000000008", 1.0),
            ("#x1.000000000000081", math.nextafter(1, 2)),
            ("#x1.000000000000180", 1.0000000000000004),
            ("#b1e-10000110010", 5e-324),
            ("#b1e-10000110011", 0.0),
            ("#b1e1111111111", math.ldexp(1, 1023)),
            ("#b1e10000000000", math.inf),
        ):
            self.assertEqual((text, read_number(text, no_limit)), (text, value))

    def test_the_digits_of_an_exact_exponent_are_counted_first(self) -> None:
        counted: list[int] = []
        for text in ("#e1e3", "#e1.25e-3", "#e2.50", "#e1e0", "1e3", "#e0e9", "#x#e1l10"):
            read_number(text, counted.append)
        self.assertEqual(counted, [3, 5, 2, 16])

    def test_a_count_may_refuse(self) -> None:
        def refuse(_digits: int) -> None:
            raise RemoteProtocolError("too long", code="datum-too-long")

        error = self.assertRaises(RemoteProtocolError, read_number, "#e1e99999999999999", refuse)
        self.assertEqual(error.code, "datum-too-long")

    def test_errors_are_the_peers(self) -> None:
        for text in ("1/0", "#e1/0#", "#e+inf.0", "#xG", "#", "#q1", "#e#e1", "#e1e308@+inf.0"):
            error = self.assertRaises(RemoteProtocolError, read_number, text, no_limit)
            self.assertEqual(error.code, MALFORMED)

    def test_what_a_symbol_must_be_quoted_for(self) -> None:
        for text in ("1", "-1.5e3", "1/0", "1t0", "+inf.t", "+i", "1@2", "1#", "1/0+i", "1e400"):
            self.assertTrue(reads_as_number(text))
        for text in ("1a", "-", "+", "1+1t0i", "...", "1/", "1@", "e1", "", "1e", "+in", "i"):
            self.assertFalse(reads_as_number(text))

    def test_extflonums_are_not_sent(self) -> None:
        self.assertEqual(EXTENDED["1t0"], NO_SEXP)


class LongIntegerTests(SynchronousTestCase):
    """Python refuses to convert more than some thousand digits at once; peers may send them."""

    def test_digits(self) -> None:
        for count in (1, 599, 600, 601, 1199, 1200, 1201, 4299, 4300, 4301, 20_000):
            self.assertEqual(integer("9" * count), 10**count - 1)
            self.assertEqual(integer("1" + "0" * count), 10**count)
        self.assertEqual(integer("0" * 5000 + "7"), 7)
        self.assertEqual(integer("f" * 5000, 16), 16**5000 - 1)

    def test_they_survive_reading_and_printing(self) -> None:
        for text in (
            "9" * 20_000,
            "-" + "7" * 20_001,
            "1" + "0" * 20_000,
            "-1" + "0" * 5000 + "1",
            "3" * 9000 + "/" + "1" + "0" * 9000,
        ):
            ((number,), _) = read(text.encode() + b"\n")
            self.assertTrue(write(number) == text.encode())

    def test_every_length_around_the_limits(self) -> None:
        for count in (*range(595, 605), *range(1195, 1205)):
            for number in (10**count, 10**count - 1, -(10**count), 123 * 10 ** (count - 3) + 45):
                self.assertEqual(write(number), str(number).encode())
