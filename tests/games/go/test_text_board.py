"""Boards as text."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go.board import Board
from gamed.games.go.rules import Position
from gamed.games.go.text_board import draw
from gamed.games.go.tree import Point, Stone, column, name
from tests.games.go.test_board import stones

NINE = """\
    A B C D E F G H J
  9 . . . . . . . . . 9
  8 . X . . . . . . . 8
  7 . . +(O)+ . + . . 7
  6 . . . . . . . . . 6
  5 . . + . + . + . . 5
  4 . . . . . . . . . 4
  3 . . + . + . + . . 3
  2 . . . . . . . . . 2
  1 . . . . . . . . . 1
    A B C D E F G H J"""

COLORS = """\
    A B C
  3 r O . 3
  2 . g X 2
  1 . . d 1
    A B C
g green
r red
d rod"""


class NameTests(SynchronousTestCase):
    def test_columns_have_no_i(self) -> None:
        self.assertEqual("".join(column(x) for x in range(1, 20)), "ABCDEFGHJKLMNOPQRST")

    def test_columns_after_z(self) -> None:
        self.assertEqual([column(x) for x in (25, 26, 27, 50, 51, 52)], ["Z", "AA", "AB", "AZ", "BA", "BB"])

    def test_points_are_counted_from_the_bottom(self) -> None:
        self.assertEqual([name(Point(*at), 19) for at in ((1, 1), (4, 16), (9, 19))], ["A19", "D4", "J1"])


class DrawTests(SynchronousTestCase):
    def test_nine_lines(self) -> None:
        setup = [Stone(Point(2, 2), "black"), Stone(Point(4, 3), "white")]
        drawn = draw(Board.start(9, setup), Point(4, 3))
        self.assertEqual(drawn, NINE)

    def test_a_position_is_drawn_as_its_board(self) -> None:
        setup = stones("XO.", "...", "..O")
        self.assertEqual(draw(Position.start(3, setup)), draw(Board.start(3, setup)))

    def test_the_last_move_at_the_edges(self) -> None:
        setup = stones("X.O", "...", "O.X")
        self.assertEqual(draw(Board.start(3, setup), Point(1, 1)).splitlines()[1], "  3(X). O 3")
        self.assertEqual(draw(Board.start(3, setup), Point(3, 3)).splitlines()[3], "  1 O .(X)1")

    def test_nineteen_lines_have_nine_stars(self) -> None:
        drawn = draw(Board.start(19))
        self.assertEqual((drawn.count("+"), drawn.count(".")), (9, 352))
        self.assertEqual({len(row) for row in drawn.splitlines()[1:10]}, {44})

    def test_large_boards_have_wider_columns(self) -> None:
        lines = draw(Board.start(52, [Stone(Point(52, 52), "black")]), Point(52, 52)).splitlines()
        self.assertEqual(lines[0].split()[-1], "BB")
        self.assertTrue(lines[52].endswith(" . (X)1"))
        self.assertEqual(lines[0].index("BB") + 1, lines[52].index("X"))

    def test_other_colours_are_letters_with_a_legend(self) -> None:
        setup = [*stones("RO.", ".GX", "..."), Stone(Point(3, 3), "rod")]
        self.assertEqual(draw(Board.start(3, setup)), COLORS)

    def test_more_colours_than_letters(self) -> None:
        setup = [Stone(Point(x, y), f"{x}/{y}") for x in range(1, 7) for y in range(1, 6)]
        drawn = draw(Board.start(6, setup))
        self.assertEqual(sum(line.startswith("?") for line in drawn.splitlines()), 6)
