"""Numbers as Racket reads and prints them, recorded from it."""

from __future__ import annotations

import math
from fractions import Fraction

from twisted.trial.unittest import SynchronousTestCase

from gamed.errors import RemoteProtocolError
from gamed.wire.datums import write
from gamed.wire.racket_atoms import ExactComplex, Extflonum, integer, read_number, reads_as_number
from tests.wire.test_sexpr import MALFORMED, NO_SEXP, read, wrong

# What Racket 8.7 made of each text and a line feed: how it prints the first datum.

# Exact integers.
INTEGERS = {
    "0": "0",
    "5": "5",
    "-5": "-5",
    "+5": "5",
    "-0": "0",
    "00012": "12",
    "+007": "7",
    "123456789012345678901234567890": "123456789012345678901234567890",
    "-123456789012345678901234567890": "-123456789012345678901234567890",
    "999999999": "999999999",
    "1000000000": "1000000000",
    "12345678901": "12345678901",
    "4/2": "2",
    "0/5": "0",
    "-0/5": "0",
    "6/-3": "6/-3",
    "#e5": "5",
    "#d5": "5",
    "#x-FF": "-255",
    "#xff": "255",
    "#XfF": "255",
    "#b101": "5",
    "#B-11": "-3",
    "#o17": "15",
    "#O-17": "-15",
    "#x+dead": "57005",
    "#d#e7": "7",
    "#e#d7": "7",
    "#x#e10": "16",
    "#e#x10": "16",
    "#e1.0": "1",
    "#e1e3": "1000",
    "#e12.5e1": "125",
    "#e-0.0": "0",
    "#e1#": "10",
}

# Exact fractions.
FRACTIONS = {
    "#e1e1": "10",
    "#e12e-1": "6/5",
    "#x#e1l1": "16",
    "1/2": "1/2",
    "-22/7": "-22/7",
    "+1/3": "1/3",
    "2/4": "1/2",
    "10/4": "5/2",
    "00/7": "0",
    "1/002": "1/2",
    "#e1.5": "3/2",
    "#e.5": "1/2",
    "#e-.125": "-1/8",
    "#e1e-3": "1/1000",
    "#e1/2e3": "500",
    "#e1/2e-3": "1/2000",
    "#e1.5#": "3/2",
    "#x1/A": "1/10",
    "#xA/f": "2/3",
    "#b1/11": "1/3",
    "#o7/10": "7/8",
    "#x#e.8": "1/2",
    "#e#x1.8": "3/2",
    "#e1#/3": "10/3",
    "#e1/3#": "1/30",
}

# Inexact reals in base 10.
DECIMALS = {
    "4.0": "4.0",
    "4.": "4.0",
    ".5": "0.5",
    "-.5": "-0.5",
    "+.5": "0.5",
    "-0.0": "-0.0",
    "0.0": "0.0",
    "-0.": "-0.0",
    "1e3": "1000.0",
    "1E3": "1000.0",
    "1d3": "1000.0",
    "1D3": "1000.0",
    "1f3": "1000.0",
    "1F3": "1000.0",
    "1l3": "1000.0",
    "1L3": "1000.0",
    "1s3": "1000.0",
    "1S3": "1000.0",
    "1e+3": "1000.0",
    "1e-3": "0.001",
    "1e0": "1.0",
    "1.5e2": "150.0",
    ".5e1": "5.0",
    "5.e1": "50.0",
    "-1e-7": "-1e-7",
    "1e-5": "1e-5",
    "0.0001": "0.0001",
    "0.001": "0.001",
    "0.00001": "1e-5",
    "1e14": "1e+14",
    "1e15": "1e+15",
    "1e21": "1e+21",
    "1e22": "1e+22",
    "1e100": "1e+100",
    "123456789012345.0": "123456789012345.0",
    "1234567890123456.0": "1234567890123456.0",
    "12345678901234567890.0": "12345678901234567000.0",
    "1234567890123456789012.5": "1.2345678901234568e+21",
    "1801514316094494.25": "1801514316094494.3",
    "1e400": "+inf.0",
    "-1e400": "-inf.0",
    "1e-400": "0.0",
    "-1e-400": "-0.0",
    "5e-324": "5e-324",
    "2e-324": "0.0",
    "1.7976931348623157e308": "1.7976931348623157e+308",
    "1.7976931348623159e308": "+inf.0",
    "1e99999999999999999999": "+inf.0",
    "1e-99999999999999999999": "0.0",
    "0e99999999999999999999": "0.0",
    "0.1": "0.1",
    "0.2": "0.2",
    "0.30000000000000004": "0.30000000000000004",
    "100.0": "100.0",
    "1000000.0": "1000000.0",
    "99999999999999.0": "99999999999999.0",
    "100000000000000.0": "1e+14",
    "100000000000100.0": "100000000000100.0",
    "12345678901200.0": "12345678901200.0",
    "1234567890123400000.0": "1.2345678901234e+18",
    "12345678901234560000.0": "1.234567890123456e+19",
    "123456789012345600000.0": "1.234567890123456e+20",
    "9007199254740993.0": "9007199254740992.0",
    "9007199254740992.0": "9007199254740992.0",
    "4503599627370496.5": "4503599627370496.0",
    "4503599627370497.5": "4503599627370498.0",
}

# Digits that are not known, and fractions with an exponent.
APPROXIMATIONS = {
    "1#": "10.0",
    "1##": "100.0",
    "12#.#": "120.0",
    "1#.##": "10.0",
    "1.#": "1.0",
    "1.5#": "1.5",
    ".5#": "0.5",
    "-1#": "-10.0",
    "1#e2": "1000.0",
    "1#.e2": "1000.0",
    "1#.#e2": "1000.0",
    "1.#e1": "10.0",
    "1/2e3": "500.0",
    "1/3e0": "0.3333333333333333",
    "-1/2e-1": "-0.05",
    "1#/2": "5.0",
    "1/2#": "0.05",
    "1#/2#": "0.5",
    "1#/2#e1": "5.0",
    "1/0#": "+inf.0",
    "-1/0#": "-inf.0",
    "0/0#": "+inf.0",
    "1#/0#": "+inf.0",
    "1/0#e3": "+inf.0",
    "0#": "0.0",
    "-0#": "-0.0",
    "0#e5": "0.0",
    "-0e5": "-0.0",
    "1#1": "1#1",
    "1#.5": "1#.5",
    ".#": ".#",
    "#.1": MALFORMED,
    "1/#2": "1/#2",
    "1#2/3": "1#2/3",
    "1/2#3": "1/2#3",
    "1.#5": "1.#5",
    "1.5#5": "1.5#5",
}

# Infinities, NaN, and what only looks like them.
SPECIALS = {
    "+inf.0": "+inf.0",
    "-inf.0": "-inf.0",
    "+nan.0": "+nan.0",
    "-nan.0": "+nan.0",
    "+inf.f": "+inf.0",
    "-inf.f": "-inf.0",
    "+nan.f": "+nan.0",
    "+INF.0": "+inf.0",
    "+Inf.F": "+inf.0",
    "+NaN.0": "+nan.0",
    "-NAN.0": "+nan.0",
    "inf.0": "inf.0",
    "nan.0": "nan.0",
    "+inf": "+inf",
    "+inf.": "+inf.",
    "+inf.1": "+inf.1",
    "+inf.00": "+inf.00",
    "+nan": "+nan",
    "+infx.0": "+infx.0",
    "+inf.0e1": "+inf.0e1",
    "+inf.0x": "+inf.0x",
    "#i+inf.0": "+inf.0",
    "#x+inf.0": "+inf.0",
    "#e+inf.0": MALFORMED,
    "#e-nan.0": MALFORMED,
    "#b-nan.0": "+nan.0",
}

# Other bases, and stated exactness.
RADIXES = {
    "#x1.8": "1.5",
    "#x.8": "0.5",
    "#xA.": "10.0",
    "#xAl1": "160.0",
    "#xAs2": "2560.0",
    "#xAe2": "2786",
    "#x1e+5": MALFORMED,
    "#x1l+5": "1048576.0",
    "#x1l-2": "0.00390625",
    "#x1S2": "256.0",
    "#b1.1": "1.5",
    "#b1e10": "4.0",
    "#b1e-10": "0.25",
    "#b1.1e11": "12.0",
    "#b.1": "0.5",
    "#o1.4": "1.5",
    "#o7e1": "56.0",
    "#o7.7e-1": "0.984375",
    "#i5": "5.0",
    "#i-0": "-0.0",
    "#i0": "0.0",
    "#i1/3": "0.3333333333333333",
    "#i-1/3": "-0.3333333333333333",
    "#i1/2e1": "5.0",
    "#x#i10": "16.0",
    "#i#x10": "16.0",
    "#i#xA/F": "0.6666666666666666",
    "#i1e3": "1000.0",
    "#i1e400": "+inf.0",
    "#x1l100000": "+inf.0",
    "#x1l-100000": "0.0",
    "#b1e-2000": MALFORMED,
    "#b1e2000": MALFORMED,
    "#xfffffffffffffl0": "4503599627370495.0",
    "#x1ffffffffffffffl0": "144115188075855870.0",
    "#x3ffffffffffffffl-1": "18014398509481984.0",
    "#b-1e-1074": MALFORMED,
}

# Complex numbers, exact and not.
COMPLEX = {
    "+i": "0+1i",
    "-i": "0-1i",
    "+I": "0+1i",
    "1+i": "1+1i",
    "1-i": "1-1i",
    "1+2i": "1+2i",
    "1-2i": "1-2i",
    "-1/2+3/4i": "-1/2+3/4i",
    "0+1i": "0+1i",
    "1+0i": "1",
    "1-0i": "1",
    "0+0i": "0",
    "+0i": "0",
    "1.0+2i": "1.0+2.0i",
    "1+2.0i": "1.0+2.0i",
    "1.5-2.5i": "1.5-2.5i",
    "+1.5i": "0.0+1.5i",
    "-1.5i": "0.0-1.5i",
    "+2i": "0+2i",
    "-2/3i": "0-2/3i",
    "1e3+2e-7i": "1000.0+2e-7i",
    "1.0+0i": "1.0",
    "1+0.0i": "1.0+0.0i",
    "0+0.0i": "0.0+0.0i",
    "+0.0i": "0.0+0.0i",
    "-0.0i": "0.0-0.0i",
    "-0.0-0.0i": "-0.0-0.0i",
    "+inf.0i": "0.0+inf.0i",
    "-inf.0i": "0.0-inf.0i",
    "1+inf.0i": "1.0+inf.0i",
    "+nan.0+inf.0i": "+nan.0+inf.0i",
    "+nan.0-nan.0i": "+nan.0+nan.0i",
    "-inf.0-inf.0i": "-inf.0-inf.0i",
    "1#+2#i": "10.0+20.0i",
    "1/2#+i": "0.05+1.0i",
    "1e400+1i": "+inf.0+1.0i",
    "#i1+2i": "1.0+2.0i",
    "#i1+0i": "1.0+0.0i",
    "#i+i": "0.0+1.0i",
    "#i-i": "0.0-1.0i",
    "#e1.5+2.5i": "3/2+5/2i",
    "#e+.5i": "0+1/2i",
    "#x1+Ai": "1+10i",
    "#xA-Fi": "10-15i",
    "#x+ai": "0+10i",
    "#b1+11i": "1+3i",
    "#b+i": "0+1i",
    "#i#x1+Ai": "1.0+10.0i",
    "#e1.5+0.0i": "3/2",
    "1/0#+i": "+inf.0+1.0i",
    "1+1/0#i": "1.0+inf.0i",
    "+5i": "0+5i",
    "1+i2": "1+i2",
    "1+2ii": "1+2ii",
    "+ii": "+ii",
    "i": "i",
    "5i": "5i",
    "1+2": "1+2",
    "1+2+3i": "1+2+3i",
    "1++2i": "1++2i",
    "1+-2i": "1+-2i",
    "1i+2": "1i+2",
    "+i+2": "+i+2",
    "--i": "--i",
    "+-i": "+-i",
    "1+e1i": "1+e1i",
    "1e+i": "1e+i",
    "1e1+e1i": "1e1+e1i",
}

# Complex numbers by magnitude and angle.
POLAR = {
    "1@0": "1",
    "1@0.0": "1.0+0.0i",
    "0@1": "0",
    "0@1.0": "0",
    "0.0@1": "0.0+0.0i",
    "1@1": "0.5403023058681398+0.8414709848078965i",
    "1@2": "-0.4161468365471424+0.9092974268256817i",
    "1/3@2": "-0.1387156121823808+0.3030991422752272i",
    "2@-1": "1.0806046117362795-1.682941969615793i",
    "-2@1": "-1.0806046117362795-1.682941969615793i",
    "1@+1": "0.5403023058681398+0.8414709848078965i",
    "1.5@0": "1.5",
    "1.5@2": "-0.6242202548207136+1.3639461402385225i",
    "1@+.5": "0.8775825618903728+0.479425538604203i",
    "1@-.5": "0.8775825618903728-0.479425538604203i",
    "1@.5": "1@.5",
    "1@": "1@",
    "@1": "@1",
    "1@2@3": "1@2@3",
    "1@2i": "1@2i",
    "1@i": "1@i",
    "1@+i": "1@+i",
    "1@2+3i": "1@2+3i",
    "1+2@3": "1+2@3",
    "+inf.0@0": "+inf.0",
    "+inf.0@1": "+inf.0+inf.0i",
    "1@+inf.0": "+nan.0+nan.0i",
    "1@-inf.0": "+nan.0+nan.0i",
    "+nan.0@1": "+nan.0+nan.0i",
    "1@+nan.0": "+nan.0+nan.0i",
    "#e1@0": "1",
    "#e1@1": "1216652631687587/2251799813685248+3789648413623927/4503599627370496i",
    "#e1@2": "-7496634952020485/18014398509481984+4095111552621091/4503599627370496i",
    "#i1@0": "1.0+0.0i",
    "#x1@A": "-0.8390715290764524-0.5440211108893698i",
    "#xA@1": "5.403023058681398+8.414709848078965i",
    "1@1e400": "+nan.0+nan.0i",
    "1#@0": "10.0",
    "1/0#@1": "+inf.0+inf.0i",
    "#e1@+inf.0": MALFORMED,
    "#e+inf.0@1": MALFORMED,
}

# Division by an exact zero.
ZEROS = {
    "1/0": MALFORMED,
    "-1/0": MALFORMED,
    "0/0": MALFORMED,
    "1/0e3": MALFORMED,
    "1/00": MALFORMED,
    "1#/0": MALFORMED,
    "#i1/0": MALFORMED,
    "#e1/0": MALFORMED,
    "#e1/0#": MALFORMED,
    "1/0+i": MALFORMED,
    "1+1/0i": MALFORMED,
    "+1/0i": MALFORMED,
    "1/0@1": MALFORMED,
    "1@1/0": MALFORMED,
    "1/0@0": MALFORMED,
    "#x1/0": MALFORMED,
    "1/0x": "1/0x",
    "1/0.": "1/0.",
    "1/0/1": "1/0/1",
    "1/0+": "1/0+",
    "1/0+x": "1/0+x",
}

# What is nearly a number, and is a symbol.
SYMBOLS = {
    "-": "-",
    "+": "+",
    "...": "...",
    "..": "..",
    ".a": ".a",
    "a.b": "a.b",
    "a.": "a.",
    "1a": "1a",
    "a1": "a1",
    "-1-": "-1-",
    "1+": "1+",
    "1-": "1-",
    "+a": "+a",
    "--": "--",
    "++": "++",
    "1..2": "1..2",
    "1.2.3": "1.2.3",
    "1.5e": "1.5e",
    "1e": "1e",
    "1e+": "1e+",
    "1e-": "1e-",
    "1e1e1": "1e1e1",
    "1e1.5": "1e1.5",
    "1/": "1/",
    "/1": "/1",
    "1//2": "1//2",
    "1/2/3": "1/2/3",
    "1.5/2": "1.5/2",
    "1/2.5": "1/2.5",
    "1/.5": "1/.5",
    ".e1": ".e1",
    "+.e1": "+.e1",
    "+.": "+.",
    "-.": "-.",
    ".1.": ".1.",
    "1,5": "1",
    "e1": "e1",
    "+e1": "+e1",
    "1_000": "1_000",
    "1x": "1x",
    "0x10": "0x10",
    "1:2": "1:2",
    "1e\u0661": "1e\u0661",
    "\u0661": "\u0661",
    "\xb2": "\xb2",
    "1\u066b5": "1\u066b5",
    "+\u0130nf.0": "+\u0130nf.0",
    "1/2e": "1/2e",
    "1/e2": "1/e2",
    "+/2": "+/2",
    "-/": "-/",
    "1#x": "1#x",
    "#": MALFORMED,
}

# What must be a number, and is none.
BAD = {
    "#e": MALFORMED,
    "#i": MALFORMED,
    "#x": MALFORMED,
    "#b": MALFORMED,
    "#b102": MALFORMED,
    "#o8": MALFORMED,
    "#xG": MALFORMED,
    "#da": MALFORMED,
    "#e1x": MALFORMED,
    "#e#e1": MALFORMED,
    "#e#i1": MALFORMED,
    "#x#b1": MALFORMED,
    "#d#d1": MALFORMED,
    "#e#x#e1": MALFORMED,
    "#x#e#b1": MALFORMED,
    "#e#": MALFORMED,
    "#e#q1": MALFORMED,
    "#e.": MALFORMED,
    "#i.": MALFORMED,
    "#e+": MALFORMED,
    "#x-": MALFORMED,
    "#e1.2.3": MALFORMED,
    "#xi": MALFORMED,
    "#e1t3": MALFORMED,
    "#i1t3": MALFORMED,
    "#e+inf.t": MALFORMED,
    "#e1+1t0i": MALFORMED,
    "#x1t0+i": MALFORMED,
    "#e|1|": MALFORMED,
    "#e\\1": MALFORMED,
    "#x1|0|": MALFORMED,
    "#e1+2": MALFORMED,
    "#i1@": MALFORMED,
}

# Extflonums, which are no numbers, and what cannot be one.
EXTENDED = {
    "1t0": NO_SEXP,
    "1.5t0": NO_SEXP,
    "-1t3": NO_SEXP,
    "+inf.t": NO_SEXP,
    "-inf.T": NO_SEXP,
    "+nan.t": NO_SEXP,
    "1/2t3": NO_SEXP,
    "1#t1": NO_SEXP,
    "1T-5": NO_SEXP,
    "1/0t3": NO_SEXP,
    "#x1t3": NO_SEXP,
    "#d1t3": NO_SEXP,
    "#b1t1": NO_SEXP,
    "1t": "1t",
    "1t+": "1t+",
    "1t0+i": "1t0+i",
    "1+1t0i": "1+1t0i",
    "1t0+2t0i": "1t0+2t0i",
    "+1t0i": "+1t0i",
    "1t0@1": "1t0@1",
    "1@1t0": "1@1t0",
    "1+inf.ti": "1+inf.ti",
    "1/0+1t0i": "1/0+1t0i",
    "1+1/0t0i": "1+1/0t0i",
}


def no_limit(_digits: int) -> None:
    """Count nothing."""


class RecordedTests(SynchronousTestCase):
    """Each of the tables above, whole and octet by octet."""

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
