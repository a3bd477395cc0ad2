"""Star points and handicap stones."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import InvalidMove
from gamed.games.go.hoshi import handicap, hoshi


class HoshiTests(SynchronousTestCase):
    def test_how_many(self) -> None:
        counts = {size: len(hoshi(size)) for size in (1, 5, 6, 7, 8, 9, 10, 11, 13, 18, 19, 52)}
        self.assertEqual(counts, {1: 0, 5: 0, 6: 0, 7: 4, 8: 4, 9: 9, 10: 4, 11: 9, 13: 9, 18: 4, 19: 9, 52: 4})

    def test_where(self) -> None:
        for size, lines in ((9, {3, 5, 7}), (11, {3, 6, 9}), (13, {4, 7, 10}), (19, {4, 10, 16})):
            self.assertEqual(set(hoshi(size)), {(x, y) for x in lines for y in lines})


class HandicapTests(SynchronousTestCase):
    def test_each_number_on_nineteen_lines(self) -> None:
        for count in range(2, 10):
            placed = handicap(19, count)
            self.assertEqual(len(set(placed)), count)
            self.assertEqual({stone.color for stone in placed}, {"black"})
            self.assertEqual((10, 10) in {stone.point for stone in placed}, count in {5, 7, 9})

    def test_two_stones_stand_across_the_board(self) -> None:
        self.assertEqual([stone.point for stone in handicap(19, 2)], [(4, 16), (16, 4)])

    def test_none(self) -> None:
        for size in (1, 5, 19):
            for count in (0, 1):
                self.assertEqual(handicap(size, count), ())

    def test_more_than_fit(self) -> None:
        for size, count in ((19, 10), (19, -1), (7, 5), (8, 5), (5, 2)):
            self.assertEqual(self.assertRaises(InvalidMove, handicap, size, count).code, "handicap")
