"""The board as text: letters, what is left, captions."""

from __future__ import annotations

from hypothesis import given, settings
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import DRAWN, JOINED, MOVE, STARTED, Entry, History
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.games.softwarechallenge.seasons.blokus.text_board import rows
from tests.games.pictures import draw
from tests.games.softwarechallenge.blokus.test_rules import State, games

OPENED = """\
YELLOW sets PENTO_X 17,0
BLUE and RED      p1  5 points  RED to move
YELLOW and GREEN  p\\n2  5 points

    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9
 0  . B . . . . . . . . . . . . . . . . Y .
 1  B B B . . . . . . . . . . . . . . Y Y Y
 2  . B . . . . . . . . . . . . . . . . Y .
 3  . . . . . . . . . . . . . . . . . . . .
"""
ROUND = ("B PENTO_X 0,0", "Y PENTO_X 17,0", "R PENTO_X 17,17", "G PENTO_X 0,17")


def history(*moves: str) -> History:
    joined = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(("p1", "p\n2"))]
    lots = [Entry(0, STARTED), Entry(0, DRAWN, body=b"START PENTO_X")]
    made = [Entry(0, MOVE, number % 2, move.encode()) for number, move in enumerate(moves)]
    return History("room", "blokus", "2026-11-30T07:00:00.000Z", 1, {}, [*joined, *lots, *made])


class TextBoardTests(SynchronousTestCase):
    def test_after_two_moves(self) -> None:
        text = draw(history(*ROUND), 2)
        self.assertEqual(text[: len(OPENED)], OPENED)
        self.assertIn("BLUE   has left: MONO DOMINO TRIO_L", text)
        self.assertTrue(text.endswith("B BLUE, Y YELLOW, R RED, G GREEN"))

    def test_before_and_after(self) -> None:
        self.assertTrue(draw(history(), 0).startswith("before the first move"))
        self.assertTrue(draw(history(*ROUND, "B SKIP")).startswith("BLUE skips"))
        skips = [f"{'BYRG'[turn % 4]} SKIP" for turn in range(92)]
        self.assertIn("10 points  drawn", draw(history(*ROUND, *skips)))

    @given(games())
    @settings(max_examples=20)
    def test_every_field_is_there(self, states: list[State]) -> None:
        state = states[-1]
        shown = [row[4:].split() for row in rows(Blokus().view(state, None))[1:]]
        self.assertEqual({len(row) for row in shown}, {20})
        for letter, covered in zip("BYRG", state.covered, strict=True):
            self.assertEqual(sum(row.count(letter) for row in shown), covered.bit_count())
