"""The notation, what the official server calls a move, and the shapes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import InvalidMove
from gamed.games.softwarechallenge.seasons.blokus.board import BOARD, RIM, at_corners, beside, fields, number
from gamed.games.softwarechallenge.seasons.blokus.moves import (
    Action,
    SetMove,
    SkipMove,
    StartPiece,
    described,
    parse,
    to_notation,
)
from gamed.games.softwarechallenge.seasons.blokus.shapes import SHAPES, SPELLINGS, VARIANTS
from tests.games.softwarechallenge.blokus import slow

numbers = st.integers(-25, 25) | st.integers(-(2**31), 2**31 - 1)
colors, shapes = st.integers(0, 3), st.integers(0, 20)
sets = st.builds(SetMove, colors, shapes, st.integers(0, 3), st.booleans(), numbers, numbers)
actions = sets | st.builds(SkipMove, colors) | st.builds(StartPiece, shapes)
places = st.tuples(st.integers(0, 19), st.integers(0, 19))


class NotationTests(SynchronousTestCase):
    def test_examples(self) -> None:
        for text, move in (
            ("B PENTO_L LEFT FLIPPED 3,4", SetMove(0, 9, 3, True, 3, 4)),
            ("G MONO -1,20", SetMove(3, 0, 0, False, -1, 20)),
            ("Y SKIP", SkipMove(1)),
            ("START PENTO_X", StartPiece(19)),
        ):
            self.assertEqual(to_notation(move), text)
            self.assertEqual(parse(text), move)

    @given(actions)
    def test_all_moves(self, move: Action) -> None:
        self.assertEqual(parse(to_notation(move)), move)

    def test_what_is_not_a_move(self) -> None:
        for text in ("", "SKIP", "X MONO 0,0", "B MONO", "B MONO NONE 0,0", "B MONO 0,0 ", "b MONO 0,0", "START"):
            error = self.assertRaises(InvalidMove, parse, text)
            self.assertEqual(error.code, "notation")

    def test_what_the_official_server_calls_it(self) -> None:
        self.assertEqual(
            described(SetMove(3, 9, 2, True, 1, -2)), "Setze PENTO_L(Farbe Grün, gedreht um 180°, gespiegelt)[1,-2]"
        )
        self.assertEqual(described(SetMove(0, 0, 0, False, 0, 0)), "Setze MONO(Farbe Blau)[0,0]")
        self.assertEqual(described(SkipMove(1)), "Farbe Gelb setzt aus")


class ShapeTests(SynchronousTestCase):
    def test_every_spelling_lies_as_its_picture(self) -> None:
        for (shape, rotation, is_flipped), variant in SPELLINGS.items():
            picture = slow.lying(SHAPES[shape], rotation, is_flipped)
            drawn = {(x, y) for y, row in enumerate(picture) for x, mark in enumerate(row) if mark == "#"}
            self.assertEqual(set(variant.places), drawn)
            self.assertEqual(set(fields(variant.fields)), drawn)

    def test_each_variant_is_listed_once(self) -> None:
        self.assertEqual(sum(map(len, VARIANTS)), 91)
        for shape, variants in enumerate(VARIANTS):
            self.assertEqual((variants[0].rotation, variants[0].is_flipped), (0, False))
            self.assertEqual(
                {one.fields for one in variants}, {v.fields for k, v in SPELLINGS.items() if k[0] == shape}
            )

    def test_a_variant_fits_where_its_rectangle_does(self) -> None:
        for variants in VARIANTS:
            for variant in variants:
                for x, y in fields(variant.corners):
                    moved = variant.fields << number(x, y)
                    self.assertEqual(moved & ~BOARD, 0)
                    self.assertEqual(moved.bit_count(), len(variant.places))
        pieces = {frozenset(one) for name in SHAPES for one in slow.pieces(name)}
        self.assertEqual(len(pieces), sum(variant.corners.bit_count() for some in VARIANTS for variant in some))


class BoardTests(SynchronousTestCase):
    def test_the_rim(self) -> None:
        self.assertEqual((BOARD.bit_count(), RIM.bit_count()), (400, 76))

    @given(st.sets(places, max_size=30))
    def test_neighbours(self, some: set[tuple[int, int]]) -> None:
        bits = sum(1 << number(x, y) for x, y in some)
        self.assertEqual(set(fields(bits)), some)
        inside = set(fields(BOARD))
        self.assertEqual(set(fields(beside(bits))), slow.around(frozenset(some), slow.SIDES) & inside)
        self.assertEqual(set(fields(at_corners(bits))), slow.around(frozenset(some), slow.CORNERS) & inside)
