"""Decode and encode the values of SGF properties: texts, points and results.

Source: the SGF specification, FF[4]; docs/reference/records.md#sgf-and-gofans. All bytes here are UTF-8, because
`sgf_games` has converted the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from attrs import frozen
from sgfmill import sgf_grammar

from gamed.games.go.tree import RESIGNED, Player, Point
from gamed.records.record import RecordError

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# In FF[3] this is a pass, on boards that are too small to have the point.
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
_RESIGNATIONS: Final = ("r", "resign", "resigned")

BLACK: Final = "B"
WHITE: Final = "W"


class SgfError(RecordError):
    """Data is not SGF, a game in SGF cannot be read, or a game cannot be written as SGF.

    Its code is `not-sgf`, or `forbidden` for anything that would take too much time or memory.
    """

    def __init__(self, message: str, *, code: str = "not-sgf", line: int | None = None) -> None:
        super().__init__(message, code=code, line=line)


# Texts


def text(raw: bytes) -> str:
    """Decode an SGF Text value, which may have several lines."""
    return _meant(raw).decode("utf-8", "replace")


def simple(raw: bytes) -> str:
    """Decode an SGF SimpleText value, which has one line."""
    return _meant(raw).replace(b"\n", b" ").decode("utf-8", "replace")


def _meant(raw: bytes) -> bytes:
    """Remove the escapes from a text. sgfmill would make objects for them, of 70 times the memory of the text."""
    plain = _LINE_BREAK.sub(b"\n", raw).translate(_BLANKS)
    if b"\\" not in plain:
        return plain
    # Set escaped backslashes aside as a byte that UTF-8 does not have; remove escaped line breaks, then other escapes.
    return plain.replace(b"\\\\", b"\xff").replace(b"\\\n", b"").replace(b"\\", b"").replace(b"\xff", b"\\")


def escaped(value: str, reader: Callable[[bytes], str]) -> tuple[bytes, bool]:
    """Encode a text for SGF. Also return whether `reader` (`text` or `simple`) decodes it to exactly the same text."""
    raw: bytes = sgf_grammar.escape_text(value.encode())
    return raw, reader(raw) == value


def number(said: str) -> float | None:
    """Parse a number; return None if it is not one."""
    return float(said) if _NUMBER.fullmatch(said) else None


def count(said: str) -> int | None:
    """Parse a non-negative integer; return None if it is not one."""
    return int(said) if _COUNT.fullmatch(said) else None


# Points


@lru_cache(_LARGEST**2)
def point(raw: bytes, size: int) -> Point | None:
    """Decode a point; None is a pass. Raises SgfError if it is neither."""
    name = raw.decode("ascii", "replace").strip()
    if not name or (name == _NO_POINT and size <= _NO_POINT_SIZE):
        return None
    x, y = (_LETTERS.find(letter) + 1 for letter in name) if len(name) == _POINT_LENGTH else (0, 0)
    if not (1 <= x <= size and 1 <= y <= size):
        raise SgfError(f"{name[:20]!r} is not a point of a board of size {size}")
    return Point(x, y)


def corners(raw: bytes, size: int) -> tuple[Point, Point]:
    """Decode a rectangle (`aa:cc`) to opposite corners, or a point to that point twice. Raises SgfError."""
    first, colon, second = raw.partition(b":")
    one = point(first, size)
    other = point(second, size) if colon else one
    if one is None or other is None:
        raise SgfError("a stone of the setup is not on the board")
    return one, other


def to_notation(at: Point | None) -> bytes:
    """Encode a point, or a pass, which is empty."""
    return b"" if at is None else f"{_LETTERS[at.x - 1]}{_LETTERS[at.y - 1]}".encode()


# Results


@frozen
class Result:
    """The points of both players, as GoFans counts them: None if not known, `RESIGNED` for a player who resigned."""

    black: float | None = None
    white: float | None = None

    @property
    def resigned(self) -> str | None:
        """The colour that resigned: BLACK, WHITE or None."""
        if self.black == RESIGNED:
            return BLACK
        return WHITE if self.white == RESIGNED else None


def result(said: str) -> Result | None:
    """Decode a result; None if GoFans cannot hold it: time, forfeit, void, a win without a margin, other words.

    The winner gets the margin as points and the loser 0; a player who resigned has -1.
    """
    if said in {"", "?"}:
        return Result()
    if said.lower() in _DRAWN:
        return Result(0, 0)
    won = _WON.fullmatch(said)
    if won is None:
        return None
    how = won[2].strip()
    if how.lower() in _RESIGNATIONS:
        winner, loser = None, RESIGNED
    elif _MARGIN.fullmatch(how):
        winner, loser = float(how), 0.0
    else:
        return None
    return Result(winner, loser) if won[1].upper() == BLACK else Result(loser, winner)


def result_to_notation(black: Player | None, white: Player | None) -> tuple[str | None, str | None]:
    """Encode a result (None if it is not known), and return a sentence on what SGF cannot hold, or None."""
    blacks = None if black is None else black.points
    whites = None if white is None else white.points
    if blacks is None and whites is None:
        return None, None
    if (blacks == RESIGNED) is not (whites == RESIGNED):
        other = whites if blacks == RESIGNED else blacks
        note = None if other is None else "the points are left out: in SGF a game that was resigned has none"
        return f"{WHITE if blacks == RESIGNED else BLACK}+R", note
    if blacks is None or whites is None or blacks == RESIGNED:
        return None, "the result is left out: SGF cannot hold these points"
    margin = round(blacks - whites, 6)
    note = None if min(blacks, whites) == 0 else "of the points, SGF holds only the difference"
    if margin == 0:
        return "0", note
    return f"{BLACK if margin > 0 else WHITE}+{abs(margin):.6f}".rstrip("0").rstrip("."), note
