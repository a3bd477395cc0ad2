"""Racket's data as Python values: what their texts stand for, and how they are written.

A proper list is a tuple. Strings, booleans and real numbers are Python's own: `int` and `Fraction` are exact, `float`
is not. The reader skips data of all other kinds and puts an `Opaque` in their place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias, Union

from attrs import frozen

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.texts import printable

# Python's \s has four separators more than Unicode's White_Space; the reader takes the byte order mark for white space.
WHITE_SPACE: Final = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
# Where symbols and numbers end, as a part of a character class.
DELIMITERS: Final = WHITE_SPACE + r"()\[\]{}\",'`;"

_NAMED: Final = {
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
_NAMES: Final = {code: name for name, code in reversed(_NAMED.items())}
_LETTERS: Final = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b"}
_MEANINGS: Final = {**_LETTERS, '"': '"', "\\": "\\", "'": "'", "\n": "", "\r": ""}
_ESCAPES: Final = {meaning: f"\\{letter}" for letter, meaning in _LETTERS.items()} | {'"': '\\"', "\\": "\\\\"}


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


Atom: TypeAlias = Symbol | str | bool | int | Fraction | float | Char
Datum: TypeAlias = Union[Atom, Opaque, tuple["Datum", ...]]  # noqa: UP007 (a str has no | at run time)


def malformed(message: str) -> RemoteProtocolError:
    """Build the error for text that `read` refuses, which the message may quote."""
    hint = "one datum and a line feed, as Racket's write and newline print them"
    return RemoteProtocolError(printable(message), code="malformed-datum", hint=hint)


def _number(digit: str, mark: str) -> re.Pattern[str]:
    """Build the pattern of all numbers in a base. Its possessive quantifiers look at no text again and again."""
    some, special = rf"{digit}++\#*+", r"(?:inf|nan)\.[0f]"
    plain = rf"(?:{some}/{some}|{digit}++\#++(?:\.\#*+)?|{digit}++\.{digit}*+\#*+|{digit}++|\.{some})"
    unsigned = rf"{plain}(?:{mark}[+-]?{digit}++)?"
    real = rf"(?:[+-]?{unsigned}|[+-]{special})"
    extended = rf"[+-]?{plain}t[+-]?{digit}++|[+-](?:inf|nan)\.t"
    whole = rf"{real}(?:@(?!\.){real})?|{real}?[+-](?:{unsigned}|{special})?i|{extended}"
    return re.compile(whole, re.ASCII | re.IGNORECASE)


_NUMBERS: Final = {"b": _number("[01]", "[edlfs]"), "o": _number("[0-7]", "[edlfs]"), "x": _number("[0-9a-f]", "[ls]")}
_NUMBER: Final = _number("[0-9]", "[edlfs]")
_PREFIXES: Final = re.compile(r"#(?:[ei](?:#[bodx])?|[bodx](?:#[ei])?)", re.IGNORECASE)
_BY_ZERO: Final = re.compile(r"/0++(?![0-9#.tT])")
# Python converts some thousand digits at once at most, and no message of a game has as many.
_EXACT: Final = re.compile(r"[+-]?[0-9]{1,600}+(?:/[0-9]{1,600}+)?")
_DECIMAL: Final = re.compile(
    r"[+-]?(?![0-9]++\Z)(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[edlfs][+-]?[0-9]++)?", re.IGNORECASE
)
_SPECIAL: Final = re.compile(r"([+-](?:inf|nan))\.[0f]", re.IGNORECASE)


def to_atom(text: str, kind: str = "symbol", *, is_quoted: bool = False) -> Datum:
    """Return the symbol or number that a text stands for, or that it is of another kind."""
    if kind == "symbol":
        number = None if is_quoted or text[0] not in "+-.0123456789" else _to_number(text)
        return Symbol(text) if number is None else number
    if kind == "number_with_a_prefix":
        prefixes = _PREFIXES.match(text)
        marks = prefixes[0].lower() if prefixes else ""
        pattern = next((pattern for base, pattern in _NUMBERS.items() if base in marks), _NUMBER)
        if is_quoted or not marks or not pattern.fullmatch(text, len(marks)):
            raise malformed(f"{text:.40} is not a number")
    elif max(text, default="") >= "\u0100" and kind == "byte_string":
        raise malformed("a byte string holds a character that is not a byte")
    elif text == "#:." and not is_quoted:
        raise malformed("a dot is not a keyword")
    return Opaque(kind.replace("_", " "))


def _to_number(text: str) -> int | Fraction | float | Opaque | None:
    if not _NUMBER.fullmatch(text):
        return None
    if _BY_ZERO.search(text):
        raise malformed(f"{text:.40} is not a number")
    if _EXACT.fullmatch(text):
        number = Fraction(text)
        return number if number.denominator != 1 else number.numerator
    if _DECIMAL.fullmatch(text):
        return float(re.sub("[dDfFlLsS]", "e", text))
    if special := _SPECIAL.fullmatch(text):
        return float(special[1])
    return Opaque("complex number" if text[-1] in "iI" or "@" in text else "number in another notation")


def to_character(text: str) -> Char:
    r"""Return the character whose number or name follows #\, or that stands there itself."""
    name = text[2:]
    if len(name) > 1 and (name[0] in "uU" or re.fullmatch("[0-7]{3}", name)):
        return Char(ord(to_meaning(text[1:])))
    if len(name) > 1 and name.casefold() not in _NAMED:
        raise malformed(f"{text} is not a character")
    return Char(_NAMED[name.casefold()] if len(name) > 1 else ord(name))


def to_meaning(escape: str) -> str:
    """Return what an escape in a string stands for."""
    kind, digits = escape[1], escape[2:]
    if kind in _MEANINGS:
        return _MEANINGS[kind]
    if kind not in "01234567xuU":
        raise malformed(f"a string holds {escape}, which means nothing: a backslash is written twice")
    try:
        if "\\" in digits:
            return bytes.fromhex(digits.replace("\\u", "")).decode("utf-16-be")
        code = int(digits, 16) if kind in "xuU" else int(kind + digits, 8)
    except ValueError as error:
        raise malformed(f"{escape} is no character: three octal or some hexadecimal digits are missing") from error
    if 0xD800 <= code < 0xE000:  # noqa: PLR2004 (surrogates)
        raise malformed(f"{escape} is half a surrogate pair, and the other half is missing")
    if code >= (0x110000 if kind in "xuU" else 256):
        raise malformed(f"there is no character with the number {escape}")
    return chr(code)


_PLAIN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_NOT_SIMPLE: Final = re.compile(rf"^#(?!%)|[{DELIMITERS}\\|]")


def write(datum: Datum) -> bytes:
    """Return text that Racket reads as this datum, without a line feed. Raises LocalProtocolError if there is none."""
    try:
        return _text(datum).encode()
    except (ValueError, OverflowError, RecursionError) as error:
        raise LocalProtocolError("no text stands for this datum") from error


def _text(datum: Datum) -> str:
    writer = _WRITERS.get(type(datum))
    if writer is None:
        raise LocalProtocolError(f"not written: {datum.kind if isinstance(datum, Opaque) else type(datum).__name__}")
    return writer(datum)


def _write_symbol(symbol: Symbol) -> str:
    name = symbol.name
    if _PLAIN_NAME.fullmatch(name):
        return name
    if "|" in name:
        return _NOT_SIMPLE.sub(r"\\\g<0>", name)
    return f"|{name}|" if name in {"", "."} or _NOT_SIMPLE.search(name) or _NUMBER.fullmatch(name) else name


def _write_one(character: str, mark: str) -> str:
    if character.isprintable():
        return character
    # A surrogate raises an error.
    code = int.from_bytes(character.encode("utf-32-be"))
    return mark + (f"u{code:04X}" if character < "\U00010000" else f"U{code:08X}")


_WRITERS: Final[dict[type, Callable[..., str]]] = {
    Symbol: _write_symbol,
    str: lambda text: f'"{"".join(_ESCAPES.get(one) or _write_one(one, chr(92)) for one in text)}"',
    bool: lambda truth: "#t" if truth else "#f",
    int: str,
    Fraction: str,
    float: lambda number: repr(number) if math.isfinite(number) else f"{number:+}.0",
    Char: lambda char: f"#\\{_NAMES.get(char.code) or _write_one(chr(char.code), '')}",
    tuple: lambda elements: f"({' '.join(map(_text, elements))})",
}
