"""Conversions between the versions of GoFans."""

from __future__ import annotations

from itertools import pairwise, product

from hypothesis import given, settings
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RuleError
from gamed.games.go.convert import convert
from gamed.games.go.gofans import VERSIONS, has_removes, has_variations
from gamed.games.go.tree import GoGame, Node, Point
from tests.records.gogames import BLACK, WHITE, captured, legal_games, line, plain


class ConvertTests(SynchronousTestCase):
    def test_removes_are_computed(self) -> None:
        game, notes = convert(captured(), "2.2")
        self.assertEqual(notes, [])
        taken = [node.removes for node in game.main_line()]
        self.assertEqual(taken, [(), (), (), (), (Point(1, 1),)])
        self.assertTrue(all(node.removes is not None for _, node in game.walk()))

    def test_removes_that_are_there_are_kept(self) -> None:
        # A player of 2.x uses the removes and nothing else: that they are wrong is for the check to say.
        game, _ = convert(captured(), "2.2")
        list(game.main_line())[-1].removes = (Point(3, 3),)
        again, _ = convert(game, "2.1")
        self.assertEqual(list(again.main_line())[-1].removes, (Point(3, 3),))

    def test_removes_are_computed_if_one_move_has_none(self) -> None:
        game, _ = convert(captured(), "2.2")
        *_, before, last = game.main_line()
        before.removes, last.removes = None, (Point(3, 3),)
        again, _ = convert(game, "2.2")
        self.assertEqual(list(again.main_line())[-1].removes, (Point(1, 1),))

    def test_removes_are_dropped(self) -> None:
        game, notes = convert(convert(captured(), "2.2")[0], "1.2")
        self.assertEqual((plain(game), notes), (plain(captured()), []))

    def test_variations_are_left_out_and_said(self) -> None:
        game, notes = convert(captured(), "1.1")
        self.assertEqual([len(node.children) for node in game.main_line()], [1, 1, 1, 1, 0])
        self.assertEqual(notes, ["1 variation is left out, with 2 moves: only the main line is held"])

    def test_variations_are_counted(self) -> None:
        game = captured()
        game.roots += [Node(0), Node(0)]
        game.roots[2].children += [Node(1), Node(1)]
        _, notes = convert(game, "2.1")
        self.assertEqual(notes, ["4 variations are left out, with 6 moves: only the main line is held"])

    def test_one_move_is_one_move(self) -> None:
        game = line(2)
        game.roots.append(Node(0))
        self.assertEqual(convert(game, "1.1")[1], ["1 variation is left out, with 1 move: only the main line is held"])

    def test_the_game_itself_stays_as_it_is(self) -> None:
        game, before = captured(), plain(captured())
        for version in VERSIONS:
            convert(game, version)
        self.assertEqual(plain(game), before)

    def test_an_illegal_move_has_no_removes(self) -> None:
        game = GoGame(9, (BLACK, WHITE), roots=[Node(0, Point(1, 1), children=[Node(1, Point(1, 1))])])
        for version in ("2.1", "2.2"):
            self.assertRaises(RuleError, convert, game, version)
        convert(game, "1.2")

    def test_an_illegal_variation_does_not_matter_to_the_main_line(self) -> None:
        game = captured()
        game.roots[0].children.append(Node(1, Point(3, 3)))
        convert(game, "2.1")
        self.assertRaises(RuleError, convert, game, "2.2")

    def test_deep_games(self) -> None:
        game, _ = convert(line(2_000, size=52), "2.2")
        self.assertEqual(sum(1 for _ in game.main_line()), 2_000)


class CommutingTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=60)
    @given(legal_games())
    def test_each_way_ends_the_same(self, game: GoGame) -> None:
        for way in product(VERSIONS, repeat=3):
            end, direct = game, game
            for version in way:
                end, _ = convert(end, version)
            # The main line is lost once and for all; removes come back.
            if not all(has_variations(version) for version in way):
                direct, _ = convert(direct, "1.1")
            direct, _ = convert(direct, way[-1])
            self.assertEqual(plain(end), plain(direct), way)

    @settings(deadline=None, max_examples=60)
    @given(legal_games())
    def test_x_1_to_x_2_to_x_1_changes_nothing(self, game: GoGame) -> None:
        for flat, nested in (("1.1", "1.2"), ("2.1", "2.2")):
            first, _ = convert(game, flat)
            middle, notes = convert(first, nested)
            self.assertEqual((plain(middle), notes), (plain(first), []))
            last, notes = convert(middle, flat)
            self.assertEqual((plain(last), notes), (plain(first), []))


class VersionTests(SynchronousTestCase):
    def test_what_the_versions_have(self) -> None:
        self.assertEqual([has_variations(version) for version in VERSIONS], [False, True, False, True])
        self.assertEqual([has_removes(version) for version in VERSIONS], [False, False, True, True])
        self.assertTrue(all(one < other for one, other in pairwise(VERSIONS)))
