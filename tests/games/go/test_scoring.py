"""Points counted with the stones as they stand."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go.board import ruleset
from gamed.games.go.scoring import area, count, score, territory
from tests.games.go.test_board import board
from tests.games.go.test_replay import KO, game

WALL = (".X.O.", ".X.O.", "XX.OO", "..XO.", "XXXO.")


class CountTests(SynchronousTestCase):
    def test_an_empty_board_is_nobodys(self) -> None:
        self.assertEqual(territory(5, {}), {})
        self.assertEqual(area(5, {}), {})

    def test_one_stone_has_the_whole_board(self) -> None:
        stones = board("X..", "...", "...").stones
        self.assertEqual(territory(3, stones), {"black": 8})
        self.assertEqual(area(3, stones), {"black": 9})

    def test_points_between_two_colours_are_nobodys(self) -> None:
        stones = board(*WALL).stones
        self.assertEqual(territory(5, stones), {"black": 4, "white": 4})
        self.assertEqual(area(5, stones), {"black": 12, "white": 10})

    def test_three_colours(self) -> None:
        stones = board(".XR.", "XXRR", "GGGG", "....").stones
        self.assertEqual(territory(4, stones), {"black": 1, "red": 1, "green": 4})
        self.assertEqual(area(4, stones), {"black": 4, "red": 4, "green": 8})

    def test_dead_stones_count_as_living(self) -> None:
        self.assertEqual(territory(3, board(".X.", "XXO", "...").stones), {"black": 1})


class RulesTests(SynchronousTestCase):
    def points(self, rules: str, *rows: str) -> dict[str, float]:
        return count(len(rows), board(*rows).stones, {"black": 3}, ruleset(rules), 6.5)

    def test_territory_and_prisoners(self) -> None:
        self.assertEqual(self.points("japanese", *WALL), {"black": 7, "white": 10.5})

    def test_area_without_prisoners(self) -> None:
        self.assertEqual(self.points("chinese", *WALL), {"black": 12, "white": 16.5})

    def test_black_and_white_are_always_there_and_others_if_they_have_stones(self) -> None:
        self.assertEqual(self.points("nz", "...", "...", "..."), {"black": 0, "white": 6.5})
        self.assertEqual(self.points("nz", "R..", "...", "..."), {"black": 0, "red": 9, "white": 6.5})


class ScoreTests(SynchronousTestCase):
    def test_the_end_of_the_main_line(self) -> None:
        # Black has the corner, white the point inside its four stones; one stone was taken.
        self.assertEqual(score(game(*KO, rules="japanese")), {"black": 1, "white": 2})
        self.assertEqual(score(game(*KO, rules="chinese", komi=7.5)), {"black": 4, "white": 12.5})

    def test_no_komi_is_none(self) -> None:
        self.assertEqual(score(game()), {"black": 0, "white": 0})
