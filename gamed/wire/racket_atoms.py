"""Racket's smallest data: names, numbers, strings and characters, read from text that comes in pieces.

Source: quoridor.md B4, and the corpus beside it. What reads is a generator: it pauses where the text ends, and goes on
when there is more. Exact numbers are `int` and `Fraction`, inexact ones `float` and `complex`; Python has no exact
complex number, so one stands here. Extflonums are recognised and not converted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Final

from attrs import frozen

from gamed.wire.racket_input import IN_LINE, Input, Reading, malformed

# Python's \s has four separators more than Unicode's White_Space; the reader takes the byte order mark for white space.
WHITE_SPACE: Final = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
# Where symbols and numbers end, as a part of a character class.
DELIMITERS: Final = WHITE_SPACE + r"()\[\]{}\",'`;"

CHARACTER_NAMES: Final = {
    "nul": 0,
    "null": 0,
    "backspace": 8,
    "tab": 9,
    "newline": 10,
    "linefeed": 10,
    "vtab": 11,
    "page": 12,
    "return": 13,
    "space": 32,
    "rubout": 127,
}
# Escapes with a letter, in strings and byte strings alike.
ESCAPES: Final = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b"}

IN_OCTETS: Final = re.compile(r'[^"\\\u0100-\U0010ffff]*')
IN_STRING: Final = re.compile(r'[^"\\]*')
_IN_BARS: Final = re.compile(r"[^|]*")
_IN_NAME: Final = re.compile(rf"[^{DELIMITERS}|\\]*")
_LONGEST_NAME: Final = max(map(len, CHARACTER_NAMES))
_OCTAL: Final = "01234567"
_HEXADECIMAL: Final = "0123456789abcdefABCDEF"
_SURROGATES: Final = range(0xD800, 0xE000)
_LOW_SURROGATES: Final = range(0xDC00, 0xE000)
_CODES: Final = range(0x110000)
_OCTETS: Final = range(256)


# Names, strings and characters.


def read_name(source: Input, first: str = "", *, folds: bool = False) -> Reading[tuple[str, bool]]:
    """Read the text of a symbol or number, and tell whether any of it was quoted; `folds`: the rest is case-folded."""
    parts, quoted, character = [], False, first
    while True:
        if character in {"|", "\\"}:
            quoted = True
            parts.append((yield from _read_quoted_part(source, character)))
            character = ""
        part = character + (yield from source.run(_IN_NAME))
        parts.append(part.casefold() if folds else part)
        if (yield from source.peek()) not in {"|", "\\"}:
            return "".join(parts), quoted
        character = yield from source.take()


def _read_quoted_part(source: Input, quote: str) -> Reading[str]:
    if quote == "\\":
        return (yield from source.take())
    part = yield from source.run(_IN_BARS)
    yield from source.take()
    return part


def expect(source: Input, text: str, mistake: str) -> Reading[None]:
    """Take exactly this text. Raises RemoteProtocolError(mistake) at the first other character."""
    for expected in text:
        if (yield from source.take()) != expected:
            raise malformed(mistake)


def read_string(source: Input, plain: re.Pattern[str]) -> Reading[str]:
    """Read a string after its opening quote; `plain`: IN_STRING or, for byte strings, IN_OCTETS."""
    parts = []
    while True:
        parts.append((yield from source.run(plain)))
        character = yield from source.take()
        if character == '"':
            return "".join(parts)
        if character != "\\":
            raise malformed("a byte string holds a character that is not a byte")
        parts.append((yield from _read_escape(source, wide=plain is IN_STRING)))


def _read_escape(source: Input, *, wide: bool) -> Reading[str]:
    """Read what follows a backslash in a string, or in a byte string (not `wide`)."""
    character = yield from source.take()
    if character in ESCAPES:
        return ESCAPES[character]
    if character in "\"\\'":
        return character
    if character in _OCTAL:
        return _character((yield from _read_digits(source, _OCTAL, 2, character)), 8, _OCTETS)
    if character == "x":
        return _character((yield from _read_hexadecimal(source, 2)), 16, _OCTETS)
    if character in "uU" and wide:
        return (yield from _read_code(source, 4 if character == "u" else 8))
    if character == "\r" and (yield from source.peek()) == "\n":
        yield from source.take()
    elif character not in "\r\n":
        raise malformed(f"a string holds \\{character}, which means nothing: a backslash is written twice")
    return ""


def _read_code(source: Input, length: int) -> Reading[str]:
    digits = yield from _read_hexadecimal(source, length)
    if length == 4 and int(digits, 16) in _SURROGATES:  # noqa: PLR2004 (only here are there pairs)
        yield from expect(
            source, "\\u", f"\\u{digits} in a string is half a surrogate pair, and the other half is missing"
        )
        low = yield from _read_hexadecimal(source, 4)
        if int(low, 16) not in _LOW_SURROGATES:
            raise malformed(f"\\u{digits} in a string is half a surrogate pair, and \\u{low} is not its other half")
        code = 0x10000 + (int(digits, 16) - _SURROGATES.start << 10) + int(low, 16) - _LOW_SURROGATES.start
        digits = f"{code:x}"
    return _character(digits, 16, _CODES)


def _character(digits: str, radix: int, codes: range) -> str:
    code = int(digits, radix)
    if code not in codes or code in _SURROGATES:
        raise malformed(f"there is no character with the number {digits}")
    return chr(code)


def _read_digits(source: Input, digits: str, most: int, first: str = "") -> Reading[str]:
    """Take up to so many digits after the first."""
    text = first
    for _ in range(most):
        following = yield from source.peek()
        if not following or following not in digits:
            break
        text += yield from source.take()
    return text


def _read_hexadecimal(source: Input, most: int) -> Reading[str]:
    digits = yield from _read_digits(source, _HEXADECIMAL, most)
    if not digits:
        yield from source.take()
        raise malformed("in a string, \\x, \\u or \\U is followed by hexadecimal digits")
    return digits


def read_here_string(source: Input) -> Reading[str]:
    """Read a string of whole lines after its #<<, up to a line that is the same as the rest of the one with the #<<."""
    end = yield from source.run(IN_LINE)
    yield from source.take()
    lines = []
    while (line := (yield from source.run(IN_LINE))) != end:
        yield from source.take()
        lines.append(line)
    if (yield from source.peek()):
        yield from source.take()
    return "\n".join(lines)


def read_character(source: Input) -> Reading[str]:
    """Read a character after the two that announce it."""
    first = yield from source.take()
    if first in "uU":
        digits = yield from _read_digits(source, _HEXADECIMAL, 4 if first == "u" else 8)
        return _character(digits, 16, _CODES) if digits else first
    if first in _OCTAL:
        return (yield from _read_octal(source, first))
    return (yield from _read_character_name(source, first)) if first.isalpha() else first


def _read_octal(source: Input, first: str) -> Reading[str]:
    digits = yield from _read_digits(source, _OCTAL, 1, first)
    if len(digits) == 1:
        return first
    # Of two digits there must be a third.
    last = yield from source.take()
    if last not in _OCTAL:
        raise malformed(f"#\\{digits}{last} is not a character")
    return _character(digits + last, 8, _OCTETS)


def _read_character_name(source: Input, first: str) -> Reading[str]:
    name = first
    while (yield from source.peek()).isalpha() and len(name) <= _LONGEST_NAME:
        name += yield from source.take()
    if len(name) == 1:
        return first
    if name.casefold() not in CHARACTER_NAMES:
        raise malformed(f"#\\{name} is not a character")
    return chr(CHARACTER_NAMES[name.casefold()])


# Numbers.

# Python refuses to convert longer decimal texts at once; the least that it can be told to take is 640 digits.
_DIGITS_AT_ONCE: Final = 600
# Beyond these powers of two a double is infinite or zero, whatever the rest of the number says.
_BITS_OF_INFINITY: Final = 1100
_BITS_OF_ZERO: Final = -1200
_RADIXES: Final = {"b": 2, "o": 8, "d": 10, "x": 16}
_DIGITS: Final = {2: "01", 8: "0-7", 10: "0-9", 16: "0-9a-fA-F"}


@frozen
class ExactComplex:
    """A complex number of exact parts; `imag` is not 0."""

    real: int | Fraction
    imag: int | Fraction


@frozen
class Extflonum:
    """A number of extended precision: Racket reads it, but it is no `number?`, and so no sexp."""


Exact = int | Fraction
Real = int | Fraction | float
Number = int | Fraction | float | complex | ExactComplex


@frozen
class _Part:
    """One real number as it was written: the groups of its text, and its radix."""

    groups: dict[str, str | None]
    radix: int

    @property
    def is_extended(self) -> bool:
        return (self.groups["mark"] or self.groups["suffix"] or "") in {"t", "T"}

    @property
    def is_inexact(self) -> bool:
        if self.groups["mark"] or self.groups["special"]:
            return True
        return any(sign in (self.groups[name] or "") for name in ("decimal", "numerator", "divisor") for sign in ".#")

    def ratio(self) -> tuple[int, int, int]:
        """Return its magnitude as numerator, denominator and power of the radix."""
        whole, _, fraction = (self.groups["decimal"] or self.groups["numerator"] or "").replace("#", "0").partition(".")
        numerator = integer(whole + fraction, self.radix)
        denominator = integer((self.groups["divisor"] or "1").replace("#", "0"), self.radix)
        power = self.groups["power"] or "0"
        exponent = integer(power.lstrip("+-"), self.radix)
        return numerator, denominator, (-exponent if power[0] == "-" else exponent) - len(fraction)


@frozen
class _Text:
    """A number's text, taken apart. `join`: "" in a real number, "@" in a polar one, "i" in a rectangular one."""

    first: _Part | None
    join: str = ""
    second: _Part | None = None


_UNIT: Final = {"+": 1, "-": -1}


@cache
def _pattern(radix: int) -> re.Pattern[str]:
    """Build the pattern of a real number. The quantifiers are possessive: no text costs more than its length."""
    digit = f"[{_DIGITS[radix]}]"
    # In base 16, e, d and f are digits.
    mark = "[lLsStT]" if radix == _RADIXES["x"] else "[eEdDlLfFsStT]"
    return re.compile(
        rf"""(?P<sign>[+-])?(?:
            (?:
                (?P<numerator>{digit}++\#*+)/(?P<divisor>{digit}++\#*+)
              | (?P<decimal>{digit}++\#++(?:\.\#*+)? | {digit}++\.{digit}*+\#*+ | {digit}++ | \.{digit}++\#*+)
            )(?:(?P<mark>{mark})(?P<power>[+-]?{digit}++))?
          | (?<=[+-])(?P<special>[iI][nN][fF]|[nN][aA][nN])\.(?P<suffix>[0ftFT])
        )""",
        re.VERBOSE,
    )


def _take_apart(text: str, radix: int) -> _Text | None:
    """Take a number's text apart; None: no number is written so."""
    match = _pattern(radix).match(text)
    end = match.end() if match else 0
    first = _Part(match.groupdict(), radix) if match else None
    rest = text[end:]
    if not rest:
        return _Text(first) if first else None
    if rest[0] == "@":
        return _polar(first, rest[1:], radix)
    if rest[-1] in "iI":
        return _rectangular(first, rest[:-1], radix)
    return None


def _polar(first: _Part | None, rest: str, radix: int) -> _Text | None:
    match = _pattern(radix).fullmatch(rest)
    if first is None or match is None or rest[0] == ".":
        return None
    return _Text(first, "@", _Part(match.groupdict(), radix))


def _rectangular(first: _Part | None, rest: str, radix: int) -> _Text | None:
    """Take what stands before the final i apart: nothing, a sign, or a number with a sign."""
    if not rest:
        return _Text(None, "i", first) if first and first.groups["sign"] else None
    if rest[0] not in _UNIT:
        return None
    match = _pattern(radix).fullmatch(rest + "1" if rest in _UNIT else rest)
    return _Text(first, "i", _Part(match.groupdict(), radix)) if match else None


def reads_as_number(text: str) -> bool:
    """Tell whether `read` takes this text, were it not quoted, for a number (be it 1/0, which is an error)."""
    parts = _take_apart(text, 10)
    return parts is not None and not (parts.join and _is_extended(parts))


def _is_extended(parts: _Text) -> bool:
    return any(part is not None and part.is_extended for part in (parts.first, parts.second))


def read_number(text: str, count: Callable[[int], None]) -> Number | Extflonum | None:
    """Read a number; None: the text is a symbol.

    `count` is told the digits that an exponent stands for before they are computed, and may raise.
    Raises RemoteProtocolError(code="malformed-datum") for a division by zero, and for what starts with # and is none.
    """
    radix, exactness, digits = _prefixes(text)
    parts = _take_apart(digits, radix)
    extended = parts is not None and _is_extended(parts)
    if parts is None or (extended and (parts.join or exactness)):
        if digits != text:
            raise malformed(f"{text:.40} is not a number")
        return None
    if extended:
        return Extflonum()
    try:
        return _value(parts, exactness, count)
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise malformed(f"{text:.40} is not a number") from error


def _prefixes(text: str) -> tuple[int, str, str]:
    """Return the radix and the exactness ("e", "i" or "") that the prefixes state, and what follows them."""
    radix, exactness, digits = "", "", text
    while digits[:1] == "#":
        prefix, digits = digits[1:2].lower(), digits[2:]
        if prefix in _RADIXES and not radix:
            radix = prefix
        elif prefix in {"e", "i"} and not exactness:
            exactness = prefix
        else:
            raise malformed(f"{text:.40} is not a number")
    return _RADIXES[radix or "d"], exactness, digits


def _value(parts: _Text, exactness: str, count: Callable[[int], None]) -> Number:
    zero: Real = 0.0 if exactness == "i" else 0
    first = zero if parts.first is None else _real(parts.first, exactness, count)
    if parts.second is None:
        return first
    second = _real(parts.second, exactness, count)
    if parts.join == "i":
        return _make_rectangular(first, second)
    number = _make_polar(first, second)
    return _make_exact(number) if exactness == "e" else number


def _real(part: _Part, exactness: str, count: Callable[[int], None]) -> Real:
    sign = _UNIT[part.groups["sign"] or "+"]
    if exactness == "e" or not (exactness or part.is_inexact):
        return sign * _exact(part, count)
    return math.copysign(_magnitude(part), sign)


def _exact(part: _Part, count: Callable[[int], None]) -> Exact:
    """Return its exact magnitude. Raises ValueError for infinities and NaN, ZeroDivisionError."""
    if part.groups["special"]:
        raise ValueError
    numerator, denominator, power = part.ratio()
    if numerator and power:
        count(abs(power))
        scale = part.radix ** abs(power)
        numerator, denominator = (numerator * scale, denominator) if power > 0 else (numerator, denominator * scale)
    return _simplest(Fraction(numerator, denominator)) if denominator != 1 else numerator


def _magnitude(part: _Part) -> float:
    """Return its magnitude, rounded once. Raises ZeroDivisionError unless the zero is an approximation."""
    if part.groups["special"]:
        return math.inf if part.groups["special"][0] in "iI" else math.nan
    if part.groups["decimal"] and part.radix == _RADIXES["d"]:
        return float(f"{part.groups['decimal'].replace('#', '0')}e{part.groups['power'] or 0}")
    numerator, denominator, power = part.ratio()
    if not denominator and "#" in (part.groups["divisor"] or ""):
        return math.inf
    return _scaled(numerator, denominator, part.radix, power)


def _scaled(numerator: int, denominator: int, radix: int, power: int) -> float:
    # What is clamped here is out of a double's range by far: texts have no more than some 100,000 digits.
    power = max(-10_000_000, min(power, 10_000_000))
    bits = numerator.bit_length() - denominator.bit_length() + power * math.log2(radix)
    if denominator and (not numerator or bits < _BITS_OF_ZERO):
        return 0.0
    if denominator and bits > _BITS_OF_INFINITY:
        return math.inf
    scale = radix ** abs(power) if denominator else 1
    return _divide(numerator * scale, denominator) if power > 0 else _divide(numerator, denominator * scale)


def _divide(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf


def _inexact(number: Real) -> float:
    if isinstance(number, float):
        return number
    return math.copysign(_divide(abs(number.numerator), number.denominator), -1 if number < 0 else 1)


def _simplest(number: Fraction) -> Exact:
    return number.numerator if number.denominator == 1 else number


def _make_rectangular(real: Real, imag: Real) -> Number:
    if isinstance(real, float) or isinstance(imag, float):
        # An exact 0 is no imaginary part at all.
        return complex(_inexact(real), _inexact(imag)) if isinstance(imag, float) or imag else real
    return ExactComplex(real, imag) if imag else real


def _make_polar(magnitude: Real, angle: Real) -> Number:
    if not isinstance(angle, float) and not angle:
        return magnitude
    if not isinstance(magnitude, float) and not magnitude:
        return 0
    radius, turn = _inexact(magnitude), _inexact(angle)
    if math.isinf(turn):
        return complex(math.nan, math.nan)
    return complex(radius * math.cos(turn), radius * math.sin(turn))


def _make_exact(number: Number) -> Number:
    """Return the same number, exactly. Raises ValueError or OverflowError where there is none."""
    if isinstance(number, complex):
        return _make_rectangular(_simplest(Fraction(number.real)), _simplest(Fraction(number.imag)))
    return number


def integer(digits: str, radix: int = 10) -> int:
    """Return what these digits stand for, however many they are."""
    if len(digits) <= _DIGITS_AT_ONCE or radix != _RADIXES["d"]:
        return int(digits or "0", radix)
    low = len(digits) // 2
    scale: int = 10**low
    return integer(digits[:-low]) * scale + integer(digits[-low:])
