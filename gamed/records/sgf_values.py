"""Values of SGF: encodings, texts, points and results.

Source: the SGF specification, FF[4], and records.md 4. All bytes here are UTF-8: `recoded` makes them so.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import product, starmap
from typing import Final

from attrs import frozen
from sgfmill import sgf_grammar

from gamed.games.go.tree import Player, Point
from gamed.records.record import RecordError

# A text cannot look like it: its own closing bracket is escaped.
_ENCODING = re.compile(rb"(?<![A-Za-z])CA\s*\[([^\]\\]{0,40})\]")
# What SGF is made of must not be something else in an encoding.
_ASCII: Final = b"(;CA[x]\\)"
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# FF[3]: how a pass is spelt on boards that have no such point.
_NO_POINT: Final = "tt"
_NO_POINT_SIZE: Final = 19
_POINT_LENGTH: Final = 2
_MARGIN = re.compile(r"[0-9]{1,9}(\.[0-9]{0,6})?|\.[0-9]{1,6}")
_WON = re.compile(r"([BW])\+(.*)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(rf"[-+]?({_MARGIN.pattern})")
_COUNT = re.compile(r"[0-9]{1,9}")
_DRAWN: Final = ("0", "draw", "jigo")
_RESIGNED: Final = ("r", "resign", "resigned")

BLACK: Final = "B"
WHITE: Final = "W"


class SgfError(RecordError):
    """Bytes are no SGF, or a game of SGF is none that can be read, or a game cannot be written as SGF: `not-sgf`."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message, code="not-sgf", line=line)


# Encodings


def encodings(data: bytes) -> set[str]:
    """Return the encodings that the games of a file name, in lower case."""
    return {_name(found).lower() for found in _ENCODING.finditer(data)}


def _name(found: re.Match[bytes]) -> str:
    return found[1].decode("ascii", "replace").strip()


def recoded(data: bytes) -> tuple[bytes, list[str]]:
    """Return the bytes as UTF-8, and sentences on what was doubtful. The first encoding that they name is theirs."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode(errors="replace"), []
    found = _ENCODING.search(data)
    name = _name(found) if found else None
    if name is not None and (text := _decoded(data, name)) is not None:
        lost = text.count("\ufffd") - data.count("\ufffd".encode())
        return text.encode(), [f"{lost} characters were no {name}"] if lost > 0 else []
    notes = [] if name is None else [f"the encoding {name} is not known"]
    if data.isascii():
        return data, notes
    text, guess = _guessed(data)
    return text.encode(), [*notes, f"it was read as {guess}, for it names no encoding that is known"]


def _decoded(data: bytes, name: str) -> str | None:
    try:
        # "ignore" in the way back: Python decodes lone surrogates in some encodings, and UTF-8 has none.
        return data.decode(name, "replace").encode(errors="replace").decode() if _is_ascii(name) else None
    except (LookupError, ValueError):
        return None


def _is_ascii(name: str) -> bool:
    return _ASCII.decode(name) == _ASCII.decode("ascii")


def _guessed(data: bytes) -> tuple[str, str]:
    try:
        return data.decode(), "UTF-8"
    except UnicodeDecodeError:
        # FF[4]: the default.
        return data.decode("latin-1"), "Latin-1"


# Texts


def text(raw: bytes) -> str:
    """Return a text with its line breaks."""
    return sgf_grammar.text_value(raw).decode("utf-8", "replace")  # type: ignore[no-any-return]


def simple(raw: bytes) -> str:
    """Return a text of one line."""
    return sgf_grammar.simpletext_value(raw).decode("utf-8", "replace")  # type: ignore[no-any-return]


def escaped(value: str, reader: Callable[[bytes], str]) -> tuple[bytes, bool]:
    """Return the bytes that `reader` reads as a text, and whether it reads the whole text again."""
    raw: bytes = sgf_grammar.escape_text(value.encode())
    return raw, reader(raw) == value


def number(said: str) -> float | None:
    """Return a number, None if it is none."""
    return float(said) if _NUMBER.fullmatch(said) else None


def count(said: str) -> int | None:
    """Return a number of things, None if it is none."""
    return int(said) if _COUNT.fullmatch(said) else None


# Points


def point(raw: bytes, size: int) -> Point | None:
    """Return a point, None for a pass. Raises SgfError if it is neither."""
    name = raw.decode("ascii", "replace").strip()
    if not name or (name == _NO_POINT and size <= _NO_POINT_SIZE):
        return None
    x, y = (_LETTERS.find(letter) + 1 for letter in name) if len(name) == _POINT_LENGTH else (0, 0)
    if not (1 <= x <= size and 1 <= y <= size):
        raise SgfError(f"{name[:20]!r} is no point of a board of size {size}")
    return Point(x, y)


def points(raw: list[bytes], size: int) -> Iterator[Point]:
    """Yield the points of a list, in which `aa:cc` stands for a rectangle. Raises SgfError."""
    for value in raw:
        corners = [point(corner, size) for corner in value.split(b":")]
        xs, ys = ([at[axis] for at in corners if at] for axis in (0, 1))
        if len(xs) < len(corners):
            raise SgfError("a stone of the setup is not on the board")
        yield from starmap(Point, product(range(min(xs), max(xs) + 1), range(min(ys), max(ys) + 1)))


def spelt(at: Point | None) -> bytes:
    """Return a point as SGF spells it, nothing for a pass."""
    return b"" if at is None else f"{_LETTERS[at.x - 1]}{_LETTERS[at.y - 1]}".encode()


# Results


@frozen
class Result:
    """The points of black and white, None where they are not known, and the one who resigned (BLACK, WHITE)."""

    black: float | None = None
    white: float | None = None

    @property
    def resigned(self) -> str | None:
        """Who resigned."""
        if self.black == -1:
            return BLACK
        return WHITE if self.white == -1 else None


def result(said: str) -> Result | None:
    """Return a result, None if GoFans cannot hold it: time, forfeit, void, a victory of unknown size, other words.

    A margin gives the winner the margin and the loser 0; who resigns has -1 (records.md 4).
    """
    if said in {"", "?"}:
        return Result()
    if said.lower() in _DRAWN:
        return Result(0, 0)
    won = _WON.fullmatch(said)
    if won is None:
        return None
    how = won[2].strip()
    if how.lower() in _RESIGNED:
        winner, loser = None, -1.0
    elif _MARGIN.fullmatch(how):
        winner, loser = float(how), 0.0
    else:
        return None
    return Result(winner, loser) if won[1].upper() == BLACK else Result(loser, winner)


def spelt_result(black: Player | None, white: Player | None) -> tuple[str | None, str | None]:
    """Return a result as SGF spells it (None: it is not known), and a sentence on what SGF does not hold of it."""
    ours = None if black is None else black.points
    theirs = None if white is None else white.points
    if ours is None and theirs is None:
        return None, None
    if (ours == -1) is not (theirs == -1):
        other = theirs if ours == -1 else ours
        note = None if other is None else "the points of a game that was resigned are left out"
        return f"{WHITE if ours == -1 else BLACK}+R", note
    if ours is None or theirs is None or ours == -1:
        return None, "the result is left out: SGF knows no such points"
    margin = round(ours - theirs, 6)
    note = None if min(ours, theirs) == 0 else "of the points only their difference is held"
    if margin == 0:
        return "0", note
    return f"{BLACK if margin > 0 else WHITE}+{abs(margin):.6f}".rstrip("0").rstrip("."), note
