"""Boards, moves and trees as JSON-ready data."""

from __future__ import annotations

import json
from typing import Any

from attrs import evolve
from hypothesis import given, settings
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RuleError
from gamed.games.go.board import BLACK, WHITE, Board, ruleset
from gamed.games.go.json_views import Listing, passes, refused, view
from gamed.games.go.replay import IllegalRecordMove, positions
from gamed.games.go.rules import Go
from gamed.games.go.tree import GoGame, Node, Player, Point, Stone
from tests.records.gogames import any_games, captured, line

KO = ((3, 6), (4, 6), (2, 7), (5, 7), (3, 8), (4, 8), (4, 7), (3, 7))
"""Moves on 9 lines after which black may not take back at (4, 7)."""


def after(*points: tuple[int, int], size: int = 9, rules: str = "japanese") -> Board:
    """Return a board after alternating moves."""
    board = Board.start(size, (), ruleset(rules))
    for number, point in enumerate(points):
        board.play(Point(*point), (BLACK, WHITE)[number % 2])
    return board


class ListingTests(SynchronousTestCase):
    def test_numbers_are_in_preorder(self) -> None:
        game = captured()
        listing = Listing(game)
        self.assertEqual([listing.ids[node] for _, node in game.walk()], list(range(1, 8)))
        self.assertEqual(listing.parents, {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 2, 7: 6})
        self.assertEqual(listing.last, 7)

    def test_lines_and_paths(self) -> None:
        listing = Listing(captured())

        def ids(nodes: list[Node]) -> list[int]:
            return [listing.ids[node] for node in nodes]

        self.assertEqual(ids(listing.line(0)), [1, 2, 3, 4, 5])
        self.assertEqual(ids(listing.line(6)), [1, 2, 6, 7])
        self.assertEqual(ids(listing.path(6)), [1, 2, 6])
        self.assertEqual(listing.path(0), [])
        self.assertRaises(KeyError, listing.line, 8)

    def test_a_deep_game(self) -> None:
        listing = Listing(line(3_000, size=52))
        self.assertEqual(len(listing.line(3_000)), 3_000)
        self.assertEqual(len(listing.tree()["nodes"]), 3_000)

    def test_nodes_come_and_go(self) -> None:
        game = captured()
        listing = Listing(game)
        third = game.roots[0].children[0].children[0]
        game.roots[0].children[0].children.remove(third)
        listing.drop(third)
        self.assertEqual(sorted(listing.nodes), [1, 2, 6, 7])
        self.assertEqual(sorted(listing.parents), [1, 2, 6, 7])
        self.assertNotIn(third, listing.ids)
        new = Node(0)
        listing.add(new, None)
        listing.add(new, None)
        self.assertEqual((listing.ids[new], listing.parents[8], listing.last), (8, 0, 8))

    def test_a_move(self) -> None:
        game = captured()
        listing = Listing(game)
        move = listing.move(listing.nodes[6], 3)
        self.assertEqual(move, {
            "n": 3, "seat": 0, "text": "E5", "at": None, "took": None, "node": 6, "color": "black", "point": [5, 5],
            "comment": "or here",
        })  # fmt: skip
        self.assertNotIn("comment", listing.move(listing.nodes[1], 1))
        passed = Node(1)
        listing.add(passed, None)
        self.assertEqual((listing.move(passed, 1)["text"], listing.move(passed, 1)["point"]), ("pass", None))

    def test_what_a_move_takes(self) -> None:
        listing = Listing(captured())
        self.assertNotIn("taken", listing.move(listing.nodes[5], 5))
        self.assertEqual(sum(1 for _ in listing.played()), 7)
        self.assertEqual(listing.move(listing.nodes[5], 5)["taken"], 1)
        listing.nodes[5].removes = ()
        self.assertNotIn("taken", listing.move(listing.nodes[5], 5))
        spoilt = captured()
        spoilt.roots[0].children[0].point = spoilt.roots[0].point
        self.assertEqual(sum(1 for _ in Listing(spoilt).played()), 1)

    def test_seats_are_counted_whatever_the_ids_are(self) -> None:
        players = (Player(40, color="white"), Player(7, color="red"))
        game = GoGame(9, players, roots=[Node(7, Point(1, 1))])
        listing = Listing(game)
        (move,) = listing.moves(game.roots)
        self.assertEqual((move["seat"], move["color"]), (1, "red"))
        self.assertEqual(listing.named(), {"sides": ["white", "red"], "colors": {"red": "red"}})

    def test_one_coloured_sides(self) -> None:
        first = Node(0, Point(1, 1), children=[Node(1, Point(5, 5))])
        game = GoGame(9, (Player(0, color="white"), Player(1, color="white")), roots=[first])
        named = Listing(game).named()
        self.assertEqual(named["sides"], ["player 0", "player 1"])
        self.assertEqual(named["colors"], {"player 0": "white", "player 1": "white"})

    @settings(deadline=None, max_examples=60)
    @given(any_games("2.2"))
    def test_any_game_can_be_told(self, game: GoGame) -> None:
        listing = Listing(game)
        nodes = listing.tree()["nodes"]
        self.assertEqual([node["id"] for node in nodes], list(range(1, len(nodes) + 1)))
        json.dumps(nodes)
        for id in (0, *listing.nodes):  # noqa: A001 (what it is)
            way = listing.line(id)
            told: list[dict[str, Any]] = []
            try:
                told += listing.positions(way, 0, len(way))
            except RuleError:
                continue
            self.assertEqual([one["n"] for one in told], list(range(len(way) + 1)))
            json.dumps(told)


class PositionTests(SynchronousTestCase):
    def test_the_board_is_that_of_the_replay(self) -> None:
        game = captured()
        listing = Listing(game)
        way = listing.line(0)
        for number, position in enumerate(listing.positions(way, 0, len(way))):
            board = positions(game, number)
            told = {(x, y): side for side, points in position["board"]["stones"].items() for x, y in points}
            self.assertEqual(told, board.stones)

    def test_a_position_has_what_the_rules_view_has(self) -> None:
        go = Go()
        seen = go.view(go.setup({"size": 9, "handicap": 0, "rules": "", "komi": "0"}), None)
        assert isinstance(seen, dict)
        (start,) = Listing(GoGame(9, (Player(0, color=BLACK), Player(1, color=WHITE)))).positions([], 0, 0)
        self.assertLessEqual(set(seen), set(start["board"]))
        for name in ("size", "stones", "removed", "prisoners", "passes"):
            self.assertEqual(start["board"][name], seen[name], name)

    def test_removes_of_the_record_are_used(self) -> None:
        """Nothing else is taken, and nothing is judged."""
        first = Node(0, Point(1, 1), removes=(Point(5, 5),))
        game = GoGame(9, (Player(0, color=BLACK), Player(1, color=WHITE)), setup=(Stone(Point(5, 5), WHITE),),
                      roots=[first])  # fmt: skip
        (_, last) = Listing(game).positions([first], 0, 1)
        self.assertEqual(last["board"]["removed"], [[5, 5]])
        self.assertEqual(last["board"]["stones"], {"black": [[1, 1]], "white": []})

    def test_who_is_to_move_and_the_end(self) -> None:
        game = captured()
        listing = Listing(game)
        told = list(listing.positions(listing.line(0), 3, 5))
        self.assertEqual([one["turn"] for one in told], [[1], [0], []])
        self.assertEqual([one["phase"] for one in told], ["play", "play", "over"])

    def test_passes(self) -> None:
        stone, passed = Node(0, Point(1, 1)), Node(1)
        for way, count in (([], 0), ([stone], 0), ([passed], 1), ([stone, passed, passed], 2), ([passed, stone], 0)):
            self.assertEqual(passes(way), count)

    def test_only_a_last_pass_is_a_resignation(self) -> None:
        game = captured()
        game.players = (game.players[0], evolve(game.players[1], points=-1.0))
        listing = Listing(game)
        self.assertIsNone(listing.resigned(Node(0)))
        self.assertIsNone(listing.resigned(Node(1, Point(1, 1))))
        self.assertIsNone(listing.resigned(Node(1, children=[Node(0)])))
        self.assertEqual(listing.resigned(Node(1)), 1)

    def test_an_illegal_move_is_named(self) -> None:
        game = captured()
        game.roots[0].children[0].point = game.roots[0].point
        told = Listing(game).positions(list(game.main_line()), 0, 5)
        self.assertEqual([next(told)["n"], next(told)["n"]], [0, 1])
        self.assertIn("move 2", str(self.assertRaises(IllegalRecordMove, next, told)))


class ViewTests(SynchronousTestCase):
    def test_stones_of_all_sides(self) -> None:
        board = Board.start(9, [Stone(Point(1, 1), "red"), Stone(Point(2, 1), BLACK), Stone(Point(1, 2), "red")])
        self.assertEqual(view(board, (), None)["stones"], {"black": [[2, 1]], "white": [], "red": [[1, 1], [1, 2]]})

    def test_a_ko_is_one_only_where_it_forbids_something(self) -> None:
        self.assertEqual(view(after(*KO), (), None)["ko"], [4, 7])
        self.assertEqual(view(after(*KO, (9, 9)), (), None)["ko"], None)
        # A stone alone in the corner is taken, but the one that took it cannot be.
        self.assertIsNone(view(after((1, 2), (1, 1), (2, 1)), (), None)["ko"])
        self.assertIsNone(view(after(), (), None)["ko"])

    def test_looking_changes_nothing(self) -> None:
        board = after(*KO)
        moves, cells = board.moves, bytes(board.cells)
        view(board, (), None)
        list(refused(board, BLACK))
        self.assertEqual((board.moves, bytes(board.cells)), (moves, cells))


class RefusedTests(SynchronousTestCase):
    def test_codes(self) -> None:
        self.assertEqual(list(refused(after(*KO), BLACK)), [(Point(4, 7), "ko")])
        self.assertEqual(list(refused(after(*KO), WHITE)), [])
        # A corner whose neighbours are black's.
        self.assertEqual(list(refused(after((1, 2), (9, 9), (2, 1)), WHITE)), [(Point(1, 1), "suicide")])
        self.assertEqual(list(refused(after(size=1), BLACK)), [(Point(1, 1), "suicide")])

    def test_suicide_may_be_allowed(self) -> None:
        corner = (*((1, 3), (1, 1), (2, 2), (2, 1), (3, 1)), (9, 9))
        self.assertEqual(dict(refused(after(*corner), WHITE)), {Point(1, 2): "suicide"})
        self.assertEqual(dict(refused(after(*corner, rules="new-zealand"), WHITE)), {})
