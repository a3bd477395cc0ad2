"""The hexagon as text: where its cells stand, stacks, hands, captions."""

from __future__ import annotations

import re
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import CHANCE
from gamed.core.history import DRAWN, JOINED, LEFT, MOVE, STARTED, Entry, History
from gamed.games.softwarechallenge.seasons.hive.board import CELLS, Cell
from gamed.games.softwarechallenge.seasons.hive.moves import to_notation
from gamed.games.softwarechallenge.seasons.hive.position import HAND, position
from gamed.games.softwarechallenge.seasons.hive.rules import Hive
from gamed.games.softwarechallenge.seasons.hive.strategy import Uniform
from gamed.games.softwarechallenge.seasons.hive.text_board import rows
from tests.games.pictures import draw
from tests.games.softwarechallenge.hive.recorded import plays

MIDDLE = """\
BLUE: sets q on 1,0
RED   p1  hand QSSSGGBBAA  bee not placed  to move
BLUE  p\\n2  hand SSSGGBBAAA  4 free around the bee

z -5            .   .   .   .   .   .             0,5 .. 5,0
z -4          .   .   .   .   .   .   .           -1,5 .. 5,-1
z -3        .   .   .   .   .   .   .   .         -2,5 .. 5,-2
z -2      .   .   .   .   .   .   .   .   .       -3,5 .. 5,-3
z -1    .   .   .   .   .   q   #   .   .   .     -4,5 .. 5,-4
z  0  #   .   .   .   .   A   .   .   .   .   .   -5,5 .. 5,-5
z  1    .   .   .   .   .   .   .   .   .   .     -5,4 .. 4,-5
z  2      .   .   .   .   .   .   .   .   .       -5,3 .. 3,-5
z  3        .   .   .   .   .   .   .   .         -5,2 .. 2,-5
z  4          .   .   .   .   .   .   .           -5,1 .. 1,-5
z  5            .   .   .   .   .   #             -5,0 .. 0,-5

upper case RED, lower case BLUE: Q bee, S spider, G grasshopper, B beetle, A ant
A2: an ant on top of one other piece   . free   # obstructed"""

GAME = Hive()


def history(*moves: str, lot: str = "O -5,5 0,-5 2,-1", names: tuple[str, str] = ("p1", "p\n2")) -> History:
    """Return the history of a game."""
    joined = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(names)]
    lots = [Entry(0, STARTED), Entry(0, DRAWN, body=lot.encode())]
    made = [Entry(0, MOVE, number % 2, move.encode()) for number, move in enumerate(moves)]
    return History("room", "hive", "2026-11-21T09:00:00.000Z", 1, {}, [*joined, *lots, *made])


def place(shown: list[str], cell: Cell) -> str:
    """Return what stands at a cell: its row by z, its column by the cells beside it."""
    x, y = cell
    return (shown[5 - x - y] + " " * 60)[26 + 2 * (x - y) :][:3].strip()


class BoardTests(SynchronousTestCase):
    def test_in_a_game(self) -> None:
        self.assertEqual(draw(history("S A 0,0", "S q 1,0")), MIDDLE)

    def test_every_cell_stands_where_it_should(self) -> None:
        for cell in CELLS:
            shown = rows(GAME.view(position({cell: "g"}, (HAND, HAND), 2, ()), None))
            self.assertEqual([other for other in CELLS if place(shown, other) != "."], [cell])
            self.assertEqual(place(shown, cell), "g")

    def test_recorded_positions(self) -> None:
        for play in plays():
            for scene in play.scenes[::20]:
                shown = rows(GAME.view(scene.state, None))
                for cell in CELLS:
                    stack = scene.board.get(cell, "")
                    top = stack[-1:] + (str(len(stack)) if len(stack) > 1 else "")
                    self.assertEqual(place(shown, cell), top or ("#" if cell in scene.obstructed else "."))


class PictureTests(SynchronousTestCase):
    def caption(self, *moves: str, at: int | None = None) -> str:
        return draw(history(*moves), at).partition("\n")[0]

    def test_the_last_move_in_words(self) -> None:
        moves = ("S A 0,0", "S q 1,0")
        self.assertEqual(self.caption(*moves), "BLUE: sets q on 1,0")
        self.assertEqual(self.caption(*moves, at=1), "RED: sets A on 0,0")
        self.assertEqual(self.caption(*moves, at=0), "before the first move")

    def test_a_drag_and_a_pass_in_words(self) -> None:
        moves = ("S Q 0,0", "S q 1,0", "D 0,0 0,1")
        self.assertEqual(self.caption(*moves), "RED: drags 0,0 to 0,1")
        shut_in = history("S A -5,0", "P", lot="O -5,1 -4,0 -4,-1")
        self.assertEqual(draw(shut_in).partition("\n")[0], "BLUE: passes")

    def test_hands_turns_and_bees(self) -> None:
        lines = draw(history("S Q 0,0", "S q 1,0", "S A -1,0")).split("\n")
        self.assertEqual(lines[1], "RED   p1  hand SSSGGBBAA  4 free around the bee")
        self.assertEqual(lines[2], "BLUE  p\\n2  hand SSSGGBBAAA  4 free around the bee  to move")

    def test_stacks_are_told_in_a_line(self) -> None:
        moves = ("S Q 0,0", "S q 1,0", "S B -1,0", "S a 2,0", "D -1,0 0,0")
        lines = draw(history(*moves)).split("\n")
        self.assertIn("stacks, bottom to top: 0,0 QB", lines)
        self.assertIn("B2", "\n".join(lines))
        self.assertNotIn("stacks", draw(history(*moves), 4))

    def test_who_left_changes_nothing(self) -> None:
        left = history("S A 0,0")
        shown = draw(left)
        left.entries.append(Entry(0, LEFT, 1, data={"why": "left"}))
        self.assertEqual(draw(left), shown)

    @settings(deadline=None, max_examples=15)
    @given(st.integers(0, 2**32))
    def test_every_game_can_be_shown(self, seed: int) -> None:
        random, state, moves = Random(seed), GAME.setup({}), []
        lot = GAME.draw(state, random)
        state = GAME.apply(state, CHANCE, lot)
        while GAME.outcome(state) is None:
            move = Uniform().choose(state, state.mover, random)
            moves.append(to_notation(move))
            state = GAME.apply(state, state.mover, move)
        shown = draw(history(*moves, lot=to_notation(lot), names=("a" * 90, "b\u202e")))
        self.assertTrue(all(len(line) <= 80 and line.isprintable() for line in shown.split("\n")), shown)
        winner = GAME.outcome(state).winner  # type: ignore[union-attr]
        ends = re.findall(r"  (wins|drawn)$", shown, re.MULTILINE)
        self.assertEqual(ends, ["drawn", "drawn"] if winner is None else ["wins"])
