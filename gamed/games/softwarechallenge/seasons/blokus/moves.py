"""Moves, their notation, and how the official server's texts name them.

Source: docs/reference/blokus.md#moves, docs/reference/blokus.md#texts-of-errors.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from attrs import frozen

from gamed.core.errors import InvalidMove
from gamed.games.softwarechallenge.seasons.blokus.shapes import ROTATIONS, SHAPES, SPELLINGS, Shape, hashed

COLORS: Final = ("BLUE", "YELLOW", "RED", "GREEN")
"""The official names of the colours, in the order of their turns."""

LETTERS: Final = "BYRG"
"""A letter for each colour."""

GERMAN: Final = ("Blau", "Gelb", "Rot", "Grün")
"""Their names in the official texts."""

Color: TypeAlias = int
"""A colour's index in `COLORS`."""


@frozen
class SetMove:
    """Puts a piece on the board. Two of these can be the same move: a piece can be written in several ways."""

    color: Color
    shape: Shape
    rotation: int
    is_flipped: bool
    x: int
    y: int

    def places(self) -> tuple[tuple[int, int], ...]:
        """Return the fields that the piece covers, in the order in which the official server checks them."""
        variant = SPELLINGS[self.shape, self.rotation, self.is_flipped]
        return hashed((self.x + x, self.y + y) for x, y in variant.places)


@frozen
class SkipMove:
    """A pass."""

    color: Color


@frozen
class StartPiece:
    """Chance's move: the shape with which all colours begin."""

    shape: Shape


Move: TypeAlias = SetMove | SkipMove
"""A player's move."""

Action: TypeAlias = Move | StartPiece
"""What changes a state: a player's move, or chance's."""


def described(move: Move) -> str:
    """Return how the official server's texts name a move."""
    if isinstance(move, SkipMove):
        return f"Farbe {GERMAN[move.color]} setzt aus"
    turned = f", gedreht um {90 * move.rotation}°" if move.rotation else ""
    flipped = ", gespiegelt" if move.is_flipped else ""
    return f"Setze {SHAPES[move.shape]}(Farbe {GERMAN[move.color]}{turned}{flipped})[{move.x},{move.y}]"


def to_notation(move: Action) -> str:
    """Return a move in the notation of records: `B PENTO_L LEFT FLIPPED 3,4`, `B SKIP`, and `START PENTO_L`."""
    if isinstance(move, StartPiece):
        return f"START {SHAPES[move.shape]}"
    if isinstance(move, SkipMove):
        return f"{LETTERS[move.color]} SKIP"
    rotation = f" {ROTATIONS[move.rotation]}" if move.rotation else ""
    flipped = " FLIPPED" if move.is_flipped else ""
    return f"{LETTERS[move.color]} {SHAPES[move.shape]}{rotation}{flipped} {move.x},{move.y}"


_NUMBER = r"-?[0-9]{1,10}"
_SET = re.compile(
    rf"([{LETTERS}]) ({'|'.join(SHAPES)})(?: ({'|'.join(ROTATIONS[1:])}))?( FLIPPED)? ({_NUMBER}),({_NUMBER})"
)
_SKIP = re.compile(rf"([{LETTERS}]) SKIP")
_START = re.compile(rf"START ({'|'.join(SHAPES)})")


def parse(text: str) -> Action:
    """Return the move of a notation, as `to_notation` writes it. Raises InvalidMove (`notation`)."""
    if found := _SET.fullmatch(text):
        letter, shape, rotation, flipped, x, y = found.groups()
        turned = ROTATIONS.index(rotation or ROTATIONS[0])
        return SetMove(LETTERS.index(letter), SHAPES.index(shape), turned, flipped is not None, int(x), int(y))
    if found := _SKIP.fullmatch(text):
        return SkipMove(LETTERS.index(found[1]))
    if found := _START.fullmatch(text):
        return StartPiece(SHAPES.index(found[1]))
    raise InvalidMove(f"{text[:40]!r} is not a move", code="notation")
