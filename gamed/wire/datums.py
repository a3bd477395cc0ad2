"""Racket's data as Python values: what their texts stand for, and how they are written.

A list is a tuple. Strings, booleans and numbers are Python's own: `int` and `Fraction` are exact, `float` is not.
"""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from typing import Final, TypeAlias, Union

from attrs import frozen

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.texts import printable

# Python's \s has four separators more than Unicode's White_Space; the reader takes the byte order mark for white space.
WHITE_SPACE: Final = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
# Where symbols and numbers end, as a part of a character class.
DELIMITERS: Final = WHITE_SPACE + r"()\[\]{}\",'`;"
HEX: Final = "[0-9a-fA-F]"


@frozen
class Symbol:
    """A symbol by its name, without the quoting that its text may have needed."""

    name: str


@frozen
class Char:
    """A character by its code point, which is not a surrogate."""

    code: int


@frozen
class Opaque:
    """A datum that no message of a game holds. Only the name of its kind is kept, such as "vector"."""

    kind: str


# A str has no | at run time.
Datum: TypeAlias = Union[Symbol, str, bool, int, Fraction, float, Char, Opaque, tuple["Datum", ...]]  # noqa: UP007


def malformed(message: str) -> RemoteProtocolError:
    """Build the error for text that `read` refuses, which the message may quote."""
    hint = "one datum and a line feed, as Racket's write and newline print them"
    return RemoteProtocolError(printable(message), code="malformed-datum", hint=hint)


def _number(digit: str, mark: str = "[edlfs]") -> str:
    """Build the pattern of all numbers in a base. Its possessive quantifiers look at no text again and again."""
    some, special = rf"{digit}++\#*+", r"(?:inf|nan)\.[0f]"
    plain = rf"(?:{some}/{some}|{digit}++\#++(?:\.\#*+)?|{digit}++\.{digit}*+\#*+|{digit}++|\.{some})"
    unsigned = rf"{plain}(?:{mark}[+-]?{digit}++)?"
    real = rf"(?:[+-]?{unsigned}|[+-]{special})"
    extended = rf"[+-]?{plain}t[+-]?{digit}++|[+-](?:inf|nan)\.t"
    return rf"(?ai:{real}(?:@(?!\.){real})?|{real}?[+-](?:{unsigned}|{special})?i|{extended})"


_BASES: Final = {"b": _number("[01]"), "o": _number("[0-7]"), "d": _number("[0-9]"), "x": _number("[0-9a-f]", "[ls]")}
_PREFIXED: Final = "|".join(rf"(?i:#{base}(?:#[ei])?|#[ei]#{base}){number}" for base, number in _BASES.items())
_NUMBER: Final = re.compile(_BASES["d"])
_BY_ZERO: Final = re.compile(r"/0++(?![0-9#.tT])")
# Python converts some thousand digits at once at most, and no message of a game has as many.
_EXACT: Final = re.compile(r"[+-]?[0-9]{1,600}+(?:/[0-9]{1,600}+)?")
_DECIMAL: Final = re.compile(r"[+-]?(?=[0-9]*+[.eE])(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")

# What quotes a part of a name: a backslash or bars.
_QUOTED: Final = re.compile(r"\\(.)|\|([^|]*+)\|", re.DOTALL)
_ESCAPE: Final = re.compile(
    rf"(?s)\\(?>x{HEX}{{1,2}}|U{HEX}{{1,8}}|u[dD]{HEX}{{3}}\\u[dD][c-fC-F]{HEX}{{2}}|u{HEX}{{1,4}}|[0-7]{{1,3}}|\r\n|.)"
)
_MEANINGS: Final = dict(zip("abtnvfre\"\\'", "\a\b\t\n\v\f\r\x1b\"\\'", strict=True)) | {"\n": "", "\r": ""}
_CODES: Final = dict(zip(("backspace", "tab", "newline", "vtab", "page", "return"), range(8, 14), strict=True)) | {
    **{"nul": 0, "null": 0, "linefeed": 10, "space": 32, "rubout": 127},  # noqa: PIE800 (else a line each)
}

# What Racket takes of some kinds of data that are skipped.
_ACCEPTED: Final = {
    "number_with_a_prefix": re.compile(rf"{_PREFIXED}|#[eiEI]{_BASES['d']}"),
    "byte_string": re.compile(r"[\0-\xff]*+"),
    "keyword": re.compile(r"(?!#:\.\Z).*+", re.DOTALL),
}


def to_datum(kind: str, token: str) -> Datum:
    """Return what a token of a kind stands for: a value, or an `Opaque`. Raises RemoteProtocolError."""
    if kind == "symbol":
        return _to_symbol(token)
    if kind == "boolean":
        return token[1] in "tT"
    if kind == "character":
        return _to_character(token)
    if kind in {"string", "byte_string", "regular_expression"}:
        token = _ESCAPE.sub(_to_meaning, token)
    if kind == "string":
        return token[1:-1]
    name = kind.replace("_", " ")
    if kind in _ACCEPTED and not _ACCEPTED[kind].fullmatch(token):
        raise malformed(f"{token:.40} is not a {name}")
    return Opaque(name)


def _to_symbol(token: str) -> Datum:
    """Return the symbol or number that a name stands for. A name with quoting is a symbol."""
    name = _QUOTED.sub(lambda quoted: quoted[quoted.lastindex or 0], token)
    if name != token or not _NUMBER.fullmatch(name):
        return Symbol(name)
    if _BY_ZERO.search(name):
        raise malformed(f"{name:.40} is not a number")
    if _EXACT.fullmatch(name):
        number = Fraction(name)
        return number if number.denominator != 1 else number.numerator
    if _DECIMAL.fullmatch(name) and math.isfinite(float(name)):
        return float(name)
    return Opaque("number in another notation")


def _to_character(token: str) -> Char:
    r"""Return the character whose number or name follows #\, or that is there itself."""
    name = token[2:]
    code = ord(name) if len(name) == 1 else _CODES.get(name.casefold())
    if code is not None:
        return Char(code)
    escape = _ESCAPE.fullmatch(token, 1) if name[0] in "01234567uU" else None
    if escape is None:
        raise malformed(f"{token} is not a character")
    return Char(ord(_to_meaning(escape)))


def _to_meaning(escape: re.Match[str]) -> str:
    """Return what an escape in a string stands for."""
    kind, digits = escape[0][1], escape[0][2:].encode()
    if kind in _MEANINGS:
        return _MEANINGS[kind]
    try:
        if b"\\" in digits:
            return bytes.fromhex(escape[0].replace("\\u", "")).decode("utf-16-be")
        meaning = (
            chr(int(digits, 16)) if kind in "xuU" else bytes([int(kind.encode("ascii") + digits, 8)]).decode("latin-1")
        )
        # Half a surrogate pair cannot be encoded.
        meaning.encode()
    except ValueError as error:
        raise malformed(f"{escape[0]} stands for no character; a backslash in a string is written twice") from error
    return meaning


_NOT_SIMPLE: Final = re.compile(rf"^#(?!%)|^\.?\Z|[{DELIMITERS}\\|]")


def write(datum: Datum) -> bytes:
    """Return text that Racket reads as this datum, without a line feed. Raises LocalProtocolError if there is none."""
    try:
        return _text(datum).encode()
    except (ValueError, RecursionError) as error:
        raise LocalProtocolError("no text stands for this datum") from error


def _text(datum: Datum) -> str:
    match datum:
        case Symbol(name) if "|" in name:
            return _NOT_SIMPLE.sub(r"\\\g<0>", name)
        case Symbol(name):
            return f"|{name}|" if _NOT_SIMPLE.search(name) or _NUMBER.fullmatch(name) else name
        case tuple():
            return f"({' '.join(map(_text, datum))})"
        case bool():
            return "#t" if datum else "#f"
        case int() | Fraction():
            return str(datum)
        case str() | float():
            # JSON's strings and numbers are Racket's, too.
            return json.dumps(datum, ensure_ascii=False, allow_nan=False)
    raise LocalProtocolError(f"not written: {datum.kind if isinstance(datum, Opaque) else type(datum).__name__}")
