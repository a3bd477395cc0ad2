"""Whole trees judged by the rules, 2.x trees by their removes, and the positions in between."""

from __future__ import annotations

import sys
from itertools import pairwise

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove
from gamed.games.go.replay import (
    IllegalRecordMove,
    after_end,
    differences,
    dropped_removes,
    positions,
    removes,
    sides,
)
from gamed.games.go.tree import GoGame, Node, Player, Point, Stone

PLAYERS = (Player(0, color="black"), Player(1, color="white"))
KO = ((2, 1), (3, 1), (1, 2), (4, 2), (2, 3), (3, 3), (3, 2), (2, 2))
"""Black and white build a ko in turn; the last move, white's, takes one stone."""
RETAKES = (3, 2)


def line(*moves: tuple[int, int] | None, first: int = 0) -> list[Node]:
    """Return a line of moves as a list of one root; None is a pass."""
    nodes = [Node((first + number) % 2, move and Point(*move)) for number, move in enumerate(moves)]
    for node, after in pairwise(nodes):
        node.children.append(after)
    return nodes[:1]


def game(*moves: tuple[int, int] | None, size: int = 5, **more) -> GoGame:
    return GoGame(size, more.pop("players", PLAYERS), roots=line(*moves), **more)


def last(of: GoGame) -> Node:
    return list(of.main_line())[-1]


class ReplayCase(SynchronousTestCase):
    def refused(self, of: GoGame) -> IllegalRecordMove:
        return self.assertRaises(IllegalRecordMove, list, removes(of))


class RuleTests(ReplayCase):
    def test_each_move_with_what_it_takes(self) -> None:
        of = game(*KO)
        found = list(removes(of))
        self.assertEqual([node for node, _ in found], list(of.main_line()))
        self.assertEqual([removed for _, removed in found], [()] * 7 + [((3, 2),)])

    def test_the_illegal_move_is_named(self) -> None:
        of = game(*KO, RETAKES)
        error = self.refused(of)
        self.assertIsInstance(error, IllegalMove)
        self.assertEqual((error.code, error.move, error.node), ("ko", 9, last(of)))
        self.assertEqual(str(error), "move 9, player 0, (3,2): this recaptures a ko at once")

    def test_codes(self) -> None:
        for moves, code in (
            (((1, 1), (1, 1)), "occupied"),
            (((6, 1),), "off-board"),
            (((1, 2), (5, 5), (2, 1), (1, 1)), "suicide"),
        ):
            error = self.refused(game(*moves))
            self.assertEqual((error.code, error.move), (code, len(moves)))

    def test_rules_are_the_games_own(self) -> None:
        back = (*KO, None, None, RETAKES)
        self.assertEqual(len(list(removes(game(*back, rules="Japanese")))), 11)
        self.assertEqual(self.refused(game(*back, rules="Chinese")).code, "superko")
        suicide = ((1, 2), (1, 1), (2, 2), (5, 5), (3, 1), (2, 1))
        self.assertEqual(self.refused(game(*suicide, rules=None)).code, "suicide")
        self.assertEqual(list(removes(game(*suicide, rules="NZ")))[-1][1], ((1, 1), (2, 1)))

    def test_setup_stones(self) -> None:
        of = game((1, 2), setup=(Stone(Point(1, 1), "white"), Stone(Point(2, 1), "black")))
        self.assertEqual(next(removes(of))[1], ((1, 1),))
        twice = (Stone(Point(1, 1), "white"),) * 2
        self.assertEqual(self.assertRaises(InvalidMove, list, removes(evolve(of, setup=twice))).code, "occupied")


class VariationTests(ReplayCase):
    def test_variations_start_from_their_own_position(self) -> None:
        of = game(*KO)
        before = list(of.main_line())[6]
        other = line((5, 5), (2, 2), first=1)
        before.children += other
        found = list(removes(of))
        self.assertEqual(len(found), 10)
        self.assertEqual([removed for _, removed in found[7:]], [((3, 2),), (), ()])

    def test_an_illegal_move_in_a_variation(self) -> None:
        of = game(*KO)
        of.roots[0].children += line((1, 1), (1, 1), first=1)
        error = self.refused(of)
        self.assertEqual((error.code, error.move, error.node.player), ("occupied", 3, 0))

    def test_the_ko_is_back_where_a_variation_begins(self) -> None:
        of = game(*KO, (5, 5), (4, 5), RETAKES)
        self.assertEqual(list(removes(of))[-1][1], ((2, 2),))
        list(of.main_line())[7].children += line(RETAKES)
        error = self.refused(of)
        self.assertEqual((error.code, error.move), ("ko", 9))

    def test_several_roots(self) -> None:
        of = game((1, 1))
        of.roots += line((1, 1), (2, 2))
        self.assertEqual(len(list(removes(of))), 3)

    def test_depth_is_no_matter(self) -> None:
        deep = 3 * sys.getrecursionlimit()
        of = game(*[None] * deep)
        list(of.main_line())[deep // 2].children.append(Node(0, Point(1, 1)))
        self.assertEqual(len(list(removes(of))), deep + 1)
        self.assertEqual(positions(of).moves, deep)


class RemovesTests(ReplayCase):
    def with_removes(self, *removed: tuple[int, int]) -> GoGame:
        of = game(*KO)
        last(of).removes = tuple(Point(*point) for point in removed)
        return of

    def test_the_right_ones(self) -> None:
        self.assertEqual(list(differences(self.with_removes((3, 2)))), [])
        self.assertEqual(dropped_removes(self.with_removes((3, 2))), [])

    def test_other_ones_are_named_and_played(self) -> None:
        for removed, text in (
            ((), "it removes nothing, but by the rules it captures (3,2)"),
            (((1, 2),), "it removes (1,2), but by the rules it captures (3,2)"),
        ):
            of = self.with_removes(*removed)
            self.assertEqual(list(differences(of)), [f"move 8, player 1, (2,2): {text}"])
            self.assertEqual(len(dropped_removes(of)), 1)
            # The stone that stays is in the way of another.
            last(of).children += line(RETAKES)
            error = self.assertRaises(IllegalRecordMove, list, differences(of))
            self.assertEqual((error.code, error.move), ("occupied", 9))

    def test_what_cannot_be_removed(self) -> None:
        for removed in (((3, 2), (3, 2)), ((5, 5),), ((6, 6),)):
            error = self.assertRaises(IllegalRecordMove, list, differences(self.with_removes(*removed)))
            self.assertEqual((error.code, error.move), ("off-board" if removed == ((6, 6),) else "remove-empty", 8))

    def test_a_pass_takes_nothing_by_the_rules(self) -> None:
        of = game((1, 1), None)
        last(of).removes = (Point(1, 1),)
        text = "move 2, player 1, pass: it removes (1,1), but by the rules it captures nothing"
        self.assertEqual(list(differences(of)), [text])

    def test_suicide_by_other_rules(self) -> None:
        of = game((1, 2), (5, 5), (2, 1), (1, 1))
        self.assertEqual(self.refused(of).code, "suicide")
        last(of).removes = (Point(1, 1),)
        self.assertEqual(len(list(differences(of))), 1)
        self.assertNotIn(Point(1, 1), positions(of).stones)
        last(of).removes = ()
        self.assertEqual(self.assertRaises(IllegalRecordMove, list, differences(of)).code, "suicide")

    def test_their_order_is_no_matter(self) -> None:
        setup = [Stone(Point(*at), color) for at, color in (((1, 1), "white"), ((2, 1), "white"), ((1, 2), "white"))]
        setup += [Stone(Point(*at), "black") for at in ((3, 1), (2, 2))]
        of = game((1, 3), setup=tuple(setup))
        for order in (((1, 2), (2, 1), (1, 1)), ((1, 1), (2, 1), (1, 2))):
            last(of).removes = tuple(Point(*point) for point in order)
            self.assertEqual(list(differences(of)), [])

    def test_variations_start_from_what_is_removed_on_the_way(self) -> None:
        of = self.with_removes()
        last(of).children += line((5, 5))
        last(of).children += line((4, 4))
        self.assertEqual(len(list(differences(of))), 1)
        self.assertIn(RETAKES, positions(of).stones)

    def test_removes_fill_a_tree_that_has_none(self) -> None:
        of = game(*KO)
        for node, removed in removes(of):
            node.removes = removed
        self.assertEqual([node.removes for node in of.main_line()], [()] * 7 + [((3, 2),)])
        self.assertEqual(list(differences(of)), [])

    def test_removes_do_not_look_at_those_that_are_there(self) -> None:
        self.assertEqual(list(removes(self.with_removes((1, 1))))[-1][1], ((3, 2),))


class PositionTests(ReplayCase):
    def test_after_each_move(self) -> None:
        of = game(*KO)
        self.assertEqual([len(positions(of, move).stones) for move in range(10)], [0, 1, 2, 3, 4, 5, 6, 7, 7, 7])
        self.assertEqual(positions(of).stones, positions(of, 8).stones)

    def test_both_ways_reach_the_same(self) -> None:
        by_rules, by_removes = game(*KO), game(*KO)
        for node, removed in removes(by_removes):
            node.removes = removed
        for move in range(9):
            self.assertEqual(positions(by_rules, move).stones, positions(by_removes, move).stones)

    def test_removes_are_used_and_nothing_else(self) -> None:
        of = game((1, 1), (2, 1), None, (1, 2))
        for node in of.main_line():
            node.removes = ()
        self.assertEqual(set(positions(of).stones), {(1, 1), (2, 1), (1, 2)})
        last(of).removes = (Point(2, 1),)
        self.assertEqual(set(positions(of).stones), {(1, 1), (1, 2)})

    def test_refusals_are_named(self) -> None:
        of = game((1, 1), (2, 2))
        last(of).removes = (Point(5, 5),)
        error = self.assertRaises(IllegalRecordMove, positions, of)
        self.assertEqual((error.code, error.move), ("remove-empty", 2))
        self.assertEqual(positions(of, 1).moves, 1)
        error = self.assertRaises(IllegalRecordMove, positions, game((1, 1), (1, 1)))
        self.assertEqual((error.code, error.move), ("occupied", 2))


class EndTests(ReplayCase):
    def test_moves_after_two_passes_are_legal_and_found(self) -> None:
        for moves, found in (
            ((), None),
            ((None,), None),
            (((1, 1), None, None), None),
            (((1, 1), None, (2, 2), None), None),
            (((1, 1), None, None, (2, 2)), 4),
            ((None, None, None), 3),
        ):
            of = game(*moves)
            self.assertEqual(len(list(removes(of))), len(moves))
            self.assertEqual(after_end(of), found, moves)


class SideTests(ReplayCase):
    def test_the_players_colour_or_the_moves_own(self) -> None:
        side = sides(game((1, 1), (2, 2)))
        self.assertEqual([side(Node(0)), side(Node(1)), side(Node(1, color="red"))], ["black", "white", "red"])

    def test_a_one_coloured_game_goes_by_players(self) -> None:
        players = (Player(0, color="white"), Player(1, color="white"))
        of = game((1, 1), (2, 1), None, (1, 2), players=players)
        self.assertEqual(list(removes(of))[-1][1], ((1, 1),))
        self.assertEqual(set(positions(of).stones.values()), {"player 1"})

    def test_so_does_one_whose_moves_say_the_one_colour(self) -> None:
        of = game((1, 1), (2, 1), None, (1, 2))
        for node in of.main_line():
            node.color = "white"
        self.assertEqual(list(removes(of))[-1][1], ((1, 1),))

    def test_so_does_one_without_colours(self) -> None:
        of = game((1, 1), (2, 1), None, (1, 2), players=(Player(0), Player(1)))
        self.assertEqual(list(removes(of))[-1][1], ((1, 1),))

    def test_two_players_may_share_a_colour_against_another(self) -> None:
        players = tuple(Player(number, color=("black", "white")[number % 2]) for number in range(4))
        of = game(players=players)
        of.roots = [Node(0, Point(1, 2))]
        of.roots[0].children = [Node(1, Point(1, 1))]
        of.roots[0].children[0].children = [Node(2, Point(2, 1))]
        self.assertEqual(list(removes(of))[-1][1], ((1, 1),))

    def test_one_player_with_stones_of_two_colours(self) -> None:
        of = game((1, 1), (2, 1), None, (1, 2), players=(Player(0),))
        for node, color in zip(of.main_line(), ("red", "green", "red", "green"), strict=True):
            node.player, node.color = 0, color
        self.assertEqual(list(removes(of))[-1][1], ((1, 1),))
