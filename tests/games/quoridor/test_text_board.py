"""Boards as text: every wall between the cells that it parts, pawns, captions."""

from __future__ import annotations

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.core.history import JOINED, MOVE, STARTED, Entry, History, ended
from gamed.games.quoridor.moves import HORIZONTAL_WALLS, VERTICAL_WALLS, xy
from gamed.games.quoridor.rules import State, TableRules, after
from gamed.games.quoridor.text_board import rows
from gamed.games.quoridor.walls import BOARD, HORIZONTAL_PLACES, VERTICAL_PLACES, Walls, bits, open_ways
from tests.games.pictures import draw
from tests.games.quoridor.worlds import DOWN, FOUR

MIDDLE = """\
world 2: wall 7 8 horizontal
1  Quoridor  to the bottom, 8 walls left  to move
2  wor\\nld  to the top, 8 walls left

      0   1   2   3   4   5   6   7   8

  0   .   .   .   .   1   .   .   .   .
     =======
  1   .   .   .   .   .   .   .   .   .

  2   .   .   .   .   .   .   .   .   .

  3   .   .   . | .   .   .   .   . | .
                |                   |
  4   .   .   . | .   .   .   .   . | .

  5   .   .   .   .   .   .   .   .   .

  6   .   .   .   .   .   .   .   .   .

  7   .   .   .   .   2   .   .   .   .
                                 =======
  8   .   .   .   .   .   .   .   .   .

1 to 4: pawns, by the worlds' ids   ======= horizontal wall   | vertical wall"""


def game(moves: tuple[str, ...], *names: str, first: int = 0) -> History:
    """Return the history of a game."""
    entries = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(names)]
    entries.append(Entry(0, STARTED, data={"first": first}))
    for number, move in enumerate(moves, first):
        entries.append(Entry(0, MOVE, number % len(names), move.replace(".0", "").encode()))
    return History("room", "quoridor", "2026-11-21T09:00:00.000Z", 1, {"referee": "observe"}, entries)


def mark(state: State, x: int, y: int, dx: int, dy: int) -> str:
    """Return what stands between a cell and the one beside (dx=-1) or above it (dy=-1)."""
    return (rows(TableRules().view(state, None))[2 * y + 2 + dy] + " " * 50)[6 + 4 * x + 2 * dx]


class BoardTests(SynchronousTestCase):
    def test_in_the_middle_of_a_game(self) -> None:
        moves = ("player 4 7", "wall 0 1 horizontal", "wall 8 3 vertical", "wall 3 3 vertical", "wall 7 8 horizontal")
        self.assertEqual(draw(game(moves, "Quoridor", "wor\nld", first=1)), MIDDLE)

    def test_before_the_first_move(self) -> None:
        lines = draw(game(DOWN, "a", "b"), 0).splitlines()
        self.assertEqual(lines[:3], ["before the first move", "1  a  to the bottom, 10 walls left  to move",
                                     "2  b  to the top, 10 walls left"])  # fmt: skip
        self.assertEqual((lines[6][22], lines[22][22]), ("1", "2"))

    def test_at_the_end(self) -> None:
        history = game(DOWN, "a", "b")
        history.entries.append(ended(0, Outcome(Termination.VICTORY, 0)))
        lines = draw(history).splitlines()
        self.assertEqual(lines[0], "world 1: player 4 8")
        self.assertEqual(lines[1], "1  a  to the bottom, 10 walls left  wins")
        self.assertFalse(any("to move" in line for line in lines))

    def test_four(self) -> None:
        lines = draw(game(FOUR, "a", "b", "c", "d"), 4).splitlines()
        self.assertEqual([line[:16] for line in lines[1:5]],
                         ["1  a  to the bot", "2  b  to the top", "3  c  to the rig", "4  d  to the lef"])  # fmt: skip
        self.assertTrue(lines[1].endswith("5 walls left  to move"))

    def test_long_names_are_cut(self) -> None:
        self.assertIn("1  " + "x" * 40 + "  to", draw(game((), "x" * 80, "b")))

    def test_every_prefix_can_be_drawn(self) -> None:
        for moves, names in ((DOWN, "ab"), (FOUR, "abcd")):
            pictures = [draw(game(moves, *names), number) for number in range(len(moves) + 1)]
            self.assertEqual(len(set(pictures)), len(moves) + 1)
            self.assertEqual(draw(game(moves, *names)), pictures[-1])

    def test_each_wall_stands_between_the_cells_that_it_parts(self) -> None:
        """Compared with the rules: where there is no way, there is a wall in the picture, and nowhere else."""
        start = TableRules().setup({})
        places = [HORIZONTAL_WALLS[cell] for cell in bits(HORIZONTAL_PLACES)]
        places += [VERTICAL_WALLS[cell] for cell in bits(VERTICAL_PLACES)]
        self.assertEqual(len(places), 128)
        for wall in places:
            state = after(start, wall)
            ways = open_ways(state.walls)
            for cell in bits(BOARD):
                x, y = xy(cell)
                if y:
                    self.assertEqual(mark(state, x, y, 0, -1) == "=", not ways.north >> cell & 1, (wall, x, y))
                if x:
                    self.assertEqual(mark(state, x, y, -1, 0) == "|", not ways.west >> cell & 1, (wall, x, y))

    def test_illegal_walls_do_not_break_the_picture(self) -> None:
        state = evolve(TableRules().setup({}), walls=Walls(BOARD, BOARD))
        lines = rows(TableRules().view(state, None))
        self.assertEqual(len(lines), 19)
        self.assertLessEqual(max(map(len, lines)), 42)
