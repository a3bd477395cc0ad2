"""Values of SGF: texts, points and results.

Source: the SGF specification, FF[4]; docs/reference/records.md#sgf-and-gofans. All bytes here are UTF-8: `sgf_games`
makes them so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from attrs import frozen
from sgfmill import sgf_grammar

from gamed.games.go.tree import Player, Point
from gamed.records.record import RecordError

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# FF[3]: how a pass is spelt on boards that have no such point.
_NO_POINT: Final = "tt"
_NO_POINT_SIZE: Final = 19
_POINT_LENGTH: Final = 2
_LARGEST: Final = len(_LETTERS)
_MARGIN = re.compile(r"[0-9]{1,9}(\.[0-9]{0,6})?|\.[0-9]{1,6}")
_WON = re.compile(r"([BW])\+(.*)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(rf"[-+]?({_MARGIN.pattern})")
_LINE_BREAK = re.compile(rb"\n\r|\r\n|\r")
_BLANKS: Final = bytes.maketrans(b"\t\f\v", b"   ")
_COUNT = re.compile(r"[0-9]{1,9}")
_DRAWN: Final = ("0", "draw", "jigo")
_RESIGNED: Final = ("r", "resign", "resigned")

BLACK: Final = "B"
WHITE: Final = "W"


class SgfError(RecordError):
    """Bytes are not SGF, or a game of SGF cannot be read, or a game cannot be written as SGF.

    `code`: `not-sgf`, or `forbidden` for what would take too much time or memory.
    """

    def __init__(self, message: str, *, code: str = "not-sgf", line: int | None = None) -> None:
        super().__init__(message, code=code, line=line)


# Texts


def text(raw: bytes) -> str:
    """Return a text with its line breaks."""
    return _meant(raw).decode("utf-8", "replace")


def simple(raw: bytes) -> str:
    """Return a text of one line."""
    return _meant(raw).replace(b"\n", b" ").decode("utf-8", "replace")


def _meant(raw: bytes) -> bytes:
    """Return a text without its escapes. sgfmill makes objects of each, which takes 70 times the text's memory."""
    plain = _LINE_BREAK.sub(b"\n", raw).translate(_BLANKS)
    if b"\\" not in plain:
        return plain
    # A backslash that is meant, then line breaks that are not. No UTF-8 has this byte.
    return plain.replace(b"\\\\", b"\xff").replace(b"\\\n", b"").replace(b"\\", b"").replace(b"\xff", b"\\")


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


@lru_cache(_LARGEST**2)
def point(raw: bytes, size: int) -> Point | None:
    """Return a point, None for a pass. Raises SgfError if it is neither."""
    name = raw.decode("ascii", "replace").strip()
    if not name or (name == _NO_POINT and size <= _NO_POINT_SIZE):
        return None
    x, y = (_LETTERS.find(letter) + 1 for letter in name) if len(name) == _POINT_LENGTH else (0, 0)
    if not (1 <= x <= size and 1 <= y <= size):
        raise SgfError(f"{name[:20]!r} is no point of a board of size {size}")
    return Point(x, y)


def corners(raw: bytes, size: int) -> tuple[Point, Point]:
    """Return two opposite corners of a rectangle, `aa:cc`, or the same point twice. Raises SgfError."""
    first, colon, second = raw.partition(b":")
    one = point(first, size)
    other = point(second, size) if colon else one
    if one is None or other is None:
        raise SgfError("a stone of the setup is not on the board")
    return one, other


def to_notation(at: Point | None) -> bytes:
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

    A margin gives the winner the margin and the loser 0; who resigns has -1.
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


def result_to_notation(black: Player | None, white: Player | None) -> tuple[str | None, str | None]:
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
