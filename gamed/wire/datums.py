"""Racket's data as Python values: what they are, how their parts make them, and how `write` prints them.

Source: quoridor.md B4. A proper list is a tuple; strings, byte strings, booleans and real numbers are Python's own. An
integer may have more digits than Python's `str` and `repr` accept: `write` prints it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Final, Literal, TypeAlias, Union
from unicodedata import category

from attrs import define, field, frozen

from gamed.errors import LocalProtocolError
from gamed.wire.racket_atoms import (
    CHARACTER_NAMES,
    DELIMITERS,
    ESCAPES,
    ExactComplex,
    Number,
    reads_as_number,
)
from gamed.wire.racket_input import malformed


@frozen
class Symbol:
    """A symbol by its name, without the quoting that its text may have needed."""

    name: str


@frozen
class Char:
    """A character by its code point, which is no surrogate."""

    code: int


@frozen
class Prefab:
    """A prefab structure. `key`: the normal form of its key, as `write` prints it."""

    key: str
    fields: tuple[Datum, ...] = ()


@frozen
class Opaque:
    """What `read` accepts and a world may never be sent: a vector, a box, a hash, a cycle and so on.

    `kind` is its name. What it held is not kept, except a vector's elements: there are vectors in the keys of prefabs.
    """

    kind: str
    elements: tuple[Datum, ...] = ()


Atom: TypeAlias = Symbol | str | bytes | bool | Number | Char
Datum: TypeAlias = Union[Atom, Prefab, Opaque, tuple["Datum", ...]]  # noqa: UP007 (a str has no | at run time)

_ATOMS: Final = frozenset({Symbol, str, bytes, bool, int, Fraction, float, complex, ExactComplex, Char})


def is_sexp(datum: Datum) -> bool:
    """Tell whether worlds may send and get this: atoms, and lists and prefab structures of them."""
    rest = [datum]
    while rest:
        one = rest.pop()
        if isinstance(one, tuple):
            rest.extend(one)
        elif isinstance(one, Prefab):
            rest.extend(one.fields)
        elif type(one) not in _ATOMS:
            return False
    return True


def nesting(datum: Datum) -> int:
    """Return how many lists and structures stand one in another at the deepest place."""
    deepest, layer = 0, [datum]
    while layer := [part for one in layer for part in _parts(one)]:
        deepest += 1
    return deepest


def _parts(datum: Datum) -> tuple[Datum, ...]:
    # An empty list counts, too: it is open once.
    if isinstance(datum, tuple):
        return datum or ("",)
    return datum.fields or ("",) if isinstance(datum, Prefab) else ()


# How data are printed.


def write(datum: Datum) -> bytes:
    """Return what Racket's `write` prints, without a line feed. Raises LocalProtocolError for what is no sexp."""
    try:
        return _text(datum).encode()
    except (ValueError, OverflowError) as error:
        raise LocalProtocolError("no such character") from error


def _text(datum: Datum) -> str:
    writer = _WRITERS.get(type(datum))
    if writer is not None:
        return writer(datum)
    texts: list[str] = []
    open_forms = [iter((datum,))]
    while open_forms:
        form = _write_atoms(open_forms[-1], texts)
        if form is not None:
            open_forms.append(iter(form))
            continue
        del open_forms[-1]
        if texts[-1] == " ":
            del texts[-1]
        texts.append(")")
        texts.append(" ")
    return "".join(texts[:-2])


def _write_atoms(elements: Iterator[Datum], texts: list[str]) -> tuple[Datum, ...] | None:
    """Print elements up to the next list or structure, whose opening is printed, too, and return what it holds."""
    for one in elements:
        writer = _WRITERS.get(type(one))
        if writer is not None:
            texts.append(writer(one))
            texts.append(" ")
        elif type(one) is tuple:
            texts.append("(")
            return one
        elif type(one) is Prefab:
            texts.append(f"#s({one.key}")
            texts.append(" ")
            return one.fields
        else:
            raise LocalProtocolError(f"not a sexp: {one.kind if isinstance(one, Opaque) else type(one).__name__}")
    return None


_NOT_SIMPLE: Final = re.compile(rf"^#(?!%)|[{DELIMITERS}\\|]")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


def _write_name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    if "|" in name:
        return _NOT_SIMPLE.sub(r"\\\g<0>", name)
    if name in {"", "."} or _NOT_SIMPLE.search(name) or (name[0] in "+-.0123456789" and reads_as_number(name)):
        return f"|{name}|"
    return name


def _write_symbol(symbol: Symbol) -> str:
    return _write_name(symbol.name)


_LETTERS: Final = {character: f"\\{letter}" for letter, character in ESCAPES.items()} | {'"': '\\"', "\\": "\\\\"}
_PLAIN_ASCII: Final = re.compile(r"[ !#-\[\]-~]*")
# After a character that is printed these are parts of it (Unicode: Grapheme_Extend), though not graphic themselves.
_JOINED: Final = frozenset(map(chr, (0x200C, 0x200D, *range(0xE0020, 0xE0080))))


def _is_graphic(character: str) -> bool:
    return category(character)[0] in "LMNPS"


def _write_code(character: str) -> str:
    code = ord(character)
    if category(character) == "Cs":
        raise LocalProtocolError("a surrogate is no character")
    return f"u{code:04X}" if code < 0x10000 else f"U{code:08X}"  # noqa: PLR2004 (the first plane)


def _write_string(text: str) -> str:
    if _PLAIN_ASCII.fullmatch(text):
        return f'"{text}"'
    parts = []
    joins = False
    for character in text:
        joins = character not in _LETTERS and (_is_graphic(character) or (joins and character in _JOINED))
        if character in _LETTERS:
            parts.append(_LETTERS[character])
        elif joins or category(character) == "Zs":
            parts.append(character)
        else:
            parts.append("\\" + _write_code(character))
    return f'"{"".join(parts)}"'


def _write_octet(octet: int, following: int) -> str:
    """Print an octet of a byte string; where an octal digit follows, an octal number has all its three digits."""
    character = chr(octet)
    if character in _LETTERS:
        return _LETTERS[character]
    if _PLAIN_ASCII.fullmatch(character):
        return character
    return f"\\{octet:03o}" if chr(following) in "01234567" else f"\\{octet:o}"


def _write_octets(octets: bytes) -> str:
    return f'#"{"".join(_write_octet(*pair) for pair in pairwise(octets + bytes(1)))}"'


_NAMES: Final = {code: name for name, code in reversed(CHARACTER_NAMES.items())}


def _write_character(char: Char) -> str:
    if char.code in _NAMES:
        return f"#\\{_NAMES[char.code]}"
    character = chr(char.code)
    return f"#\\{character if _is_graphic(character) else _write_code(character)}"


def _write_boolean(truth: bool) -> str:  # noqa: FBT001 (it is the datum)
    return "#t" if truth else "#f"


# Numbers.

# Python refuses to print longer integers at once; the least that it can be told to take is 640 digits.
_BITS_AT_ONCE: Final = 1990
# A double with no more characters is printed by Python as by Racket, unless it has an exponent.
_SHORT_REPR: Final = 16
# Without an exponent, a whole number has 14 digits at most, or three zeros after the digits that tell it from others.
_LONG_POINT: Final = 14
_PADDING: Final = 3
_SMALLEST_POINT: Final = -3


def _write_number(number: Number) -> str:
    """Print a number as Racket's `write` does."""
    if isinstance(number, float):
        return _write_float(number)
    if isinstance(number, int):
        return _write_integer(number)
    if isinstance(number, Fraction):
        return f"{_write_integer(number.numerator)}/{_write_integer(number.denominator)}"
    imag = _write_number(number.imag)
    return f"{_write_number(number.real)}{'' if imag[0] in '+-' else '+'}{imag}i"


def _write_integer(number: int) -> str:
    if number.bit_length() <= _BITS_AT_ONCE:
        return str(number)
    if number < 0:
        return "-" + _write_integer(-number)
    low = int(number.bit_length() * math.log10(2)) // 2
    high, rest = divmod(number, 10**low)
    return _write_integer(high) + _write_integer(rest).zfill(low)


def _write_float(number: float) -> str:
    text = repr(number)
    if len(text) <= _SHORT_REPR and "e" not in text and "n" not in text:
        return text
    if not math.isfinite(number):
        return "+nan.0" if math.isnan(number) else f"{'+' if number > 0 else '-'}inf.0"
    sign = "-" if number < 0 else ""
    return sign + _layout(*_shortest(abs(number)))


def _shortest(number: float) -> tuple[str, int]:
    """Return the fewest digits that tell a double, and the place of the point before or after them."""
    parts = Decimal(repr(number)).normalize().as_tuple()
    digits = "".join(map(str, parts.digits))
    point = len(digits) + int(parts.exponent)
    exact = "".join(map(str, Decimal(number).normalize().as_tuple().digits))
    if exact == digits + "5":
        # In the middle between two texts of this length Python takes the even digit, Racket the upper one.
        digits = digits[:-1] + str(int(digits[-1]) + 1)
    return digits, point


def _layout(digits: str, point: int) -> str:
    if point < _SMALLEST_POINT or point > max(_LONG_POINT, len(digits) + _PADDING):
        exponent = point - 1
        fraction = "." + digits[1:] if digits[1:] else ""
        return f"{digits[0]}{fraction}e{'+' if exponent > 0 else '-'}{abs(exponent)}"
    if point <= 0:
        return "0." + "0" * -point + digits
    whole = digits.ljust(point, "0")
    return f"{whole[:point]}.{whole[point:] or '0'}"


_WRITERS: Final[dict[type, Callable[..., str]]] = {
    Symbol: _write_symbol,
    str: _write_string,
    bytes: _write_octets,
    bool: _write_boolean,
    Char: _write_character,
    **dict.fromkeys((int, Fraction, float, complex, ExactComplex), _write_number),
}


# How parts make a whole.


@define
class Form:
    """A form that has been opened and not closed. `closer`: the character that ends it; "": its one element does."""

    closer: str
    elements: list[Datum] = field(factory=list)

    @property
    def is_strict(self) -> bool:
        """Whether here, besides an end or a comment, not just any datum may start."""
        return False

    def add(self, datum: Datum) -> None:
        """Take an element. Raises RemoteProtocolError where none may stand."""
        self.elements.append(datum)

    def dot(self) -> None:
        """Take a lone dot. Raises RemoteProtocolError where none may stand."""
        raise malformed("a dot stands where none may: it goes between blanks, before the last element of a list")

    def close(self) -> Datum:
        """Return what the elements make. Raises RemoteProtocolError if they make nothing."""
        raise malformed("a closing bracket closes nothing")


@define
class Prefixed(Form):
    """A form of one element, such as 'x. `wrap`: what it makes of it; None: it is a comment, and makes nothing."""

    closer: str = field(default="", init=False)
    wrap: Callable[[Datum], Datum] | None = None


@define
class PairComment(Prefixed):
    """A comment on a pair in a hash, which Racket reads as strictly as a pair that is none."""

    @property
    def is_strict(self) -> bool:
        """Only a pair may start here."""
        return True


@define
class ListForm(Form):
    """A list: proper, with a dot before its tail, or with two dots around the element that is its first."""

    after: Literal["", "dot", "tail", "second dot", "infix"] = ""
    tail: Datum = ()

    @property
    def is_strict(self) -> bool:
        """Only a dot may start here, after the element that follows a dot."""
        return self.after == "tail"

    def add(self, datum: Datum) -> None:
        """Take an element; between a dot and the end, or a second dot, there may be but one."""
        if self.after == "tail":
            raise malformed("a list has two elements after its dot")
        if self.after == "dot":
            self.tail, self.after = datum, "tail"
            return
        self.elements.append(datum)
        if self.after == "second dot":
            self.after = "infix"

    def dot(self) -> None:
        """Take a dot: the first one after an element, the second one an element later."""
        if self.after == "tail":
            self.after = "second dot"
        elif self.after or not self.elements:
            raise malformed("a dot stands where none may: it goes between blanks, before the last element of a list")
        else:
            self.after = "dot"

    def close(self) -> Datum:
        """Return the list as a tuple, or that it is improper."""
        if self.after in {"dot", "second dot"}:
            raise malformed("a list ends after its dot")
        if self.after == "infix":
            return (self.tail, *self.elements)
        if self.after == "tail":
            return (*self.elements, *self.tail) if isinstance(self.tail, tuple) else Opaque("improper list")
        return tuple(self.elements)


@define
class PrefabForm(ListForm):
    """A prefab structure: a list of its key and its fields."""

    def close(self) -> Datum:
        """Return the structure; its key must fit the number of its fields."""
        parts = super().close()
        if not isinstance(parts, tuple) or not parts:
            raise malformed("a prefab structure has no key")
        try:
            key = _prefab_key(parts[0], len(parts) - 1)
        except LocalProtocolError:
            return Opaque("prefab")
        if key is None:
            raise malformed("the key of a prefab structure does not fit its fields")
        return Prefab(key, parts[1:])


@define
class PairForm(ListForm):
    """A key and its value in a hash."""

    @property
    def is_strict(self) -> bool:
        """Only a dot may start here, after the key; nothing, after the value."""
        return bool(self.elements) and self.after != "dot"

    def dot(self) -> None:
        """Take the one dot."""
        if self.after:
            raise malformed("a dot stands where none may: it goes between blanks, before the last element of a list")
        super().dot()

    def close(self) -> Datum:
        """Return the pair."""
        if self.after != "tail":
            raise malformed("a hash has a key without a value")
        return Opaque("pair")


@define
class HashForm(Form):
    """A hash: its elements are pairs, and nothing else."""

    @property
    def is_strict(self) -> bool:
        """Only a pair may start here."""
        return True

    def close(self) -> Datum:
        """Return the hash."""
        return Opaque("hash")


# Racket reserves no memory for a vector whose length needs 48 bits or more, but refuses it.
_LONGEST_VECTOR: Final = 2**47
_FIXNUMS: Final = range(-(2**60), 2**60)


@define
class VectorForm(Form):
    """A vector. `length`: what stood before it, if anything; the last element is repeated up to it."""

    length: int | None = None

    def close(self) -> Datum:
        """Return the vector."""
        missing = 0 if self.length is None else self.length - len(self.elements)
        if missing < 0 or (missing and self.length is not None and self.length >= _LONGEST_VECTOR):
            raise malformed("a vector has more elements than its length says, or too many")
        # For the key of a prefab, two equal elements are as wrong as any number of them.
        last = self.elements[-1:] or [0]
        return Opaque("vector", (*self.elements, *last * min(missing, 2)))


@define
class NumbersForm(VectorForm):
    """A vector of fixnums or flonums. `prefix`: "#e" or "#i", which each element is read with."""

    prefix: str = "#i"

    @property
    def is_strict(self) -> bool:
        """Only a number may start here."""
        return True

    def add(self, datum: Datum) -> None:
        """Take a number of the kind."""
        if type(datum) is not float if self.prefix == "#i" else type(datum) is not int or datum not in _FIXNUMS:
            raise malformed("a vector of numbers holds something else")
        super().add(datum)

    def close(self) -> Datum:
        """Return the vector, which is none that a prefab's key may have."""
        super().close()
        return Opaque("number vector")


# Keys of prefab structures: a name, or a list of layers, the structure's own and those of its ancestors.


@frozen
class _Layer:
    """`auto`: how many fields are made automatically, and what they hold. `mutable`: the places of the mutable ones."""

    name: str
    count: int | None
    auto: tuple[int, Datum]
    mutable: list[int]

    def texts(self) -> Iterator[str]:
        """Yield what a key says of it after its name and count."""
        if self.auto[0]:
            yield f"({self.auto[0]} {_text(self.auto[1])})"
        if self.mutable:
            yield f"#({' '.join(map(str, sorted(self.mutable)))})"


def _prefab_key(description: Datum, fields: int) -> str | None:
    """Return the normal form of a key; None: it is no key, or none for so many fields."""
    layers = _layers((description,) if isinstance(description, Symbol) else description)
    if not layers:
        return None
    own, *ancestors = layers
    rest = own.auto[0] + sum((layer.count or 0) + layer.auto[0] for layer in ancestors)
    fits = fields >= rest if own.count is None else fields == own.count + rest
    if not fits or any(place >= fields - own.auto[0] for place in own.mutable):
        return None
    texts = [_write_name(own.name), *own.texts()]
    for layer in ancestors:
        texts += [_write_name(layer.name), str(layer.count), *layer.texts()]
    return f"({' '.join(texts)})" if texts[1:] else texts[0]


def _layers(description: Datum) -> list[_Layer] | None:
    rest = [*reversed(description)] if isinstance(description, tuple) else []
    layers: list[_Layer] = []
    while rest:
        layer = _take_layer(rest)
        # An ancestor's number of fields can be told from nothing else.
        if layer is None or (layers and layer.count is None):
            return None
        layers.append(layer)
    return layers


def _take_layer(rest: list[Datum]) -> _Layer | None:
    """Take a layer from the end of what is left of a key."""
    name = rest.pop()
    count = _take_count(rest)
    auto = _take_auto(rest)
    places = _take_vector(rest)
    mutable = [place for place in places if type(place) is int and place >= 0]
    too_many = count is not None and any(place >= count + auto[0] for place in mutable)
    if not isinstance(name, Symbol) or len({*mutable}) < len(places) or too_many:
        return None
    return _Layer(name.name, count, auto, mutable)


def _take_count(rest: list[Datum]) -> int | None:
    count = rest[-1] if rest else None
    if type(count) is not int or count < 0:
        return None
    del rest[-1]
    return count


def _take_auto(rest: list[Datum]) -> tuple[int, Datum]:
    pair = rest[-1] if rest else None
    if not isinstance(pair, tuple) or len(pair) != 2 or type(pair[0]) is not int or pair[0] < 0:  # noqa: PLR2004 (a pair)
        return 0, ()
    del rest[-1]
    return pair[0], pair[1]


def _take_vector(rest: list[Datum]) -> tuple[Datum, ...]:
    vector = rest[-1] if rest else None
    if not isinstance(vector, Opaque) or vector.kind != "vector":
        return ()
    del rest[-1]
    return vector.elements
