"""Directions, elements, and what a board tells about its places."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.board import (
    DX,
    DY,
    LETTERS,
    OPEN,
    PIT,
    PLAIN,
    Beam,
    Belt,
    Board,
    Direction,
    Gear,
    Laser,
    NotationError,
    Pusher,
    Repair,
    Wall,
    parse_plan,
)
from tests.games.roborally.shapes import boards

SCENARIOS = Path(__file__).parent / "scenarios.json"
N, E, S, W = Direction

# Two rows of three fields; the walls bear devices on both sides.
PLAN = """
_#S(1,)]_
_B#L(2)]F(E,1,()())_R(3)[S(2,4,)#
__[L(1)#
_D(L)_G_F(N,2,((W,D(R)))(5,))_
___
"""


class DirectionTests(SynchronousTestCase):
    def test_the_values_count_clockwise(self) -> None:
        self.assertEqual([direction.name for direction in Direction], list(LETTERS))
        self.assertEqual(list(map(int, Direction)), [0, 1, 2, 3])

    def test_turning(self) -> None:
        self.assertEqual([direction.right for direction in Direction], [E, S, W, N])
        self.assertEqual([direction.left for direction in Direction], [W, N, E, S])
        self.assertEqual([direction.opposite for direction in Direction], [S, W, N, E])
        for direction in Direction:
            self.assertIs(direction.turned("L"), direction.left)
            self.assertIs(direction.turned("R"), direction.right)

    def test_steps(self) -> None:
        self.assertEqual(
            [(DX[direction], DY[direction]) for direction in Direction], [(0, 1), (1, 0), (0, -1), (-1, 0)]
        )


class BeltTests(SynchronousTestCase):
    def test_turn_by_the_side_that_was_crossed(self) -> None:
        belt = Belt(N, 1, ((W, "R"), (E, "L")))
        self.assertEqual([belt.turn(side) for side in Direction], [None, "L", None, "R"])
        self.assertIsNone(Belt(N, 1).turn(W))


class PlaceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.board = parse_plan(PLAN)

    def test_size(self) -> None:
        self.assertEqual((self.board.width, self.board.height), (3, 2))

    def test_1_1_is_in_the_south_west(self) -> None:
        self.assertEqual(self.board.floor(1, 1), Gear("L"))
        self.assertEqual(self.board.floor(3, 1), Belt(N, 2, ((W, "R"),), (5,)))
        self.assertEqual(self.board.floor(1, 2), PLAIN)
        self.assertEqual(self.board.floor(3, 2), Repair(3))

    def test_everything_outside_is_a_pit(self) -> None:
        for place in ((0, 1), (4, 1), (1, 0), (1, 3), (-5, 2), (255, 255), (0, 0)):
            self.assertEqual(self.board.floor(*place), PIT)

    def test_walls_belong_to_both_fields(self) -> None:
        wall = Wall(None, is_wall=True, right=Laser(2))
        self.assertEqual(self.board.wall(1, 2, E), wall)
        self.assertEqual(self.board.wall(2, 2, W), wall)
        wall = Wall(Laser(1), is_wall=True, right=None)
        self.assertEqual(self.board.wall(3, 2, S), wall)
        self.assertEqual(self.board.wall(3, 1, N), wall)

    def test_walls_at_the_edge_belong_to_the_places_outside_too(self) -> None:
        self.assertEqual(self.board.wall(4, 2, W), self.board.wall(3, 2, E))
        self.assertEqual(self.board.wall(2, 3, S), self.board.wall(2, 2, N))
        self.assertTrue(self.board.is_walled(4, 2, W))
        self.assertFalse(self.board.is_walled(4, 2, E))
        self.assertEqual(self.board.wall(100, 100, N), OPEN)
        self.assertFalse(self.board.is_walled(100, 100, N))

    def test_all_walls_of_a_place(self) -> None:
        self.assertEqual(self.board.walls(2, 2), tuple(self.board.wall(2, 2, side) for side in Direction))
        self.assertEqual(self.board.walls(9, 9), (OPEN, OPEN, OPEN, OPEN))

    def test_is_walled(self) -> None:
        walled = {
            (x, y, side.name)
            for x, y, side in product((1, 2, 3), (1, 2), Direction)
            if self.board.is_walled(x, y, side)
        }
        self.assertEqual(
            walled,
            {(2, 2, "N"), (1, 2, "E"), (2, 2, "W"), (3, 2, "E"), (3, 2, "S"), (3, 1, "N")},
        )

    def test_a_device_hangs_inside_one_field(self) -> None:
        self.assertEqual(self.board.device(2, 2, W), Laser(2))
        self.assertIsNone(self.board.device(1, 2, E))
        self.assertEqual(self.board.device(2, 2, N), Pusher((1,)))
        self.assertEqual(self.board.device(3, 2, E), Pusher((2, 4)))
        self.assertEqual(self.board.device(3, 2, S), Laser(1))
        self.assertIsNone(self.board.device(3, 1, N))

    def test_a_device_may_hang_outside(self) -> None:
        board = parse_plan("_ [L(1)#B_ _")
        self.assertEqual(board.device(0, 1, E), Laser(1))
        self.assertIsNone(board.device(1, 1, W))
        self.assertEqual(board.devices, ())

    def test_the_list_of_devices(self) -> None:
        self.assertEqual(
            set(self.board.devices),
            {
                ((2, 2), W, Laser(2)),
                ((2, 2), N, Pusher((1,))),
                ((3, 2), E, Pusher((2, 4))),
                ((3, 2), S, Laser(1)),
            },
        )


class ElementTests(SynchronousTestCase):
    """What the engine asks for, by place."""

    def setUp(self) -> None:
        self.board = parse_plan(PLAN)

    def test_belts(self) -> None:
        self.assertEqual(set(self.board.belts), {(2, 2), (3, 1)})
        self.assertEqual(set(self.board.express), {(3, 1)})
        self.assertEqual(self.board.belts[2, 2], self.board.floor(2, 2))

    def test_gears_and_repair_sites(self) -> None:
        self.assertEqual(self.board.gears, {(1, 1): Gear("L")})
        self.assertEqual(self.board.repairs, {(3, 2): Repair(3)})

    def test_pushers_push_away_from_their_wall(self) -> None:
        self.assertEqual(self.board.pushers, {(2, 2): ((S, Pusher((1,))),), (3, 2): ((W, Pusher((2, 4))),)})

    def test_two_pushers_on_one_field(self) -> None:
        board = parse_plan("#S(1,)] #S(2,)]B_ _")
        self.assertEqual(set(board.pushers[1, 1]), {(S, Pusher((1,))), (E, Pusher((2,)))})

    def test_beams_begin_in_the_field_of_the_laser(self) -> None:
        self.assertEqual(
            set(self.board.beams),
            {Beam(2, E, ((2, 2), (3, 2))), Beam(1, N, ((3, 2),))},
        )

    def test_beams_end_at_walls(self) -> None:
        board = parse_plan("____ #L(1)]B_B#B_B_ ____")
        self.assertEqual(board.beams, (Beam(1, E, ((1, 1), (2, 1))),))

    def test_beams_cross_pits(self) -> None:
        board = parse_plan("___ _B_G_B[L(9)# ___")
        self.assertEqual(board.beams, (Beam(9, W, ((3, 1), (2, 1), (1, 1))),))

    def test_beams_in_all_directions(self) -> None:
        board = parse_plan("_#L(1)]_ _B_B_B_ ___ #L(2)]B_B_B[L(3)# _[L(4)#_")
        self.assertEqual(
            {beam.strength: (beam.direction.name, beam.path) for beam in board.beams},
            {
                1: ("S", ((2, 2), (2, 1))),
                2: ("E", ((1, 1), (2, 1), (3, 1))),
                3: ("W", ((3, 1), (2, 1), (1, 1))),
                4: ("N", ((2, 1), (2, 2))),
            },
        )


class EqualityTests(SynchronousTestCase):
    def test_boards_are_equal_by_their_fields_and_walls(self) -> None:
        board, other = parse_plan(PLAN), parse_plan(PLAN)
        self.assertEqual(board, other)
        self.assertEqual(hash(board), hash(other))
        for before, after in (("D(L)", "D(R)"), ("L(1)#", "L(1)_"), ("S(1,)", "S(2,)"), ("_G_", "_G#")):
            self.assertNotEqual(board, parse_plan(PLAN.replace(before, after)), before)

    def test_what_is_covered_does_not_count(self) -> None:
        board = parse_plan("_ _B_ _")
        bare = Board(1, 1, board.floors, board.vertical, board.horizontal, frozenset())
        self.assertEqual(bare, board)

    def test_all_of_a_plan_is_covered(self) -> None:
        self.assertEqual(parse_plan("__ _B_G_ __").covered, {(1, 1), (2, 1)})


class PlanTests(SynchronousTestCase):
    def test_rows_are_those_that_were_read(self) -> None:
        self.assertEqual(list(parse_plan(PLAN).rows), PLAN.split())

    def test_the_answer_to_gpl_has_single_spaces(self) -> None:
        self.assertEqual(parse_plan(PLAN).plan, " ".join(PLAN.split()) + " .")

    def test_the_scenarios_boards(self) -> None:
        scenarios = json.loads(SCENARIOS.read_text())["scenarios"]
        self.assertEqual(len(scenarios), 100)
        for scenario in scenarios:
            board = parse_plan("\n".join(scenario["board"]))
            self.assertEqual(list(board.rows), scenario["board"], scenario["id"])

    @settings(deadline=None, max_examples=150)
    @given(boards(), st.sampled_from(("\n", "\r\n", "\t", "  ", " \n\t")))
    def test_any_board_survives_print_and_read(self, board: Board, space: str) -> None:
        self.assertEqual(parse_plan(board.plan), board)
        self.assertEqual(parse_plan(space.join(board.rows)), board)
        self.assertEqual(parse_plan(board.plan).plan, board.plan)

    @settings(deadline=None, max_examples=80)
    @given(boards())
    def test_any_board_is_consistent(self, board: Board) -> None:
        for x, y, side in product(range(board.width + 1), range(board.height + 1), (N, E)):
            there = (x + DX[side], y + DY[side])
            self.assertEqual(board.wall(x, y, side), board.wall(*there, side.opposite))
            wall = board.wall(x, y, side)
            below, above = board.device(x, y, side), board.device(*there, side.opposite)
            # The northern field of a horizontal wall is on its left.
            self.assertEqual((wall.left, wall.right), (below, above) if side is E else (above, below))

    @settings(deadline=None, max_examples=80)
    @given(boards())
    def test_beams_stop_where_a_step_would(self, board: Board) -> None:
        for beam in board.beams:
            for x, y in beam.path[:-1]:
                self.assertFalse(board.is_walled(x, y, beam.direction))
            x, y = beam.path[-1]
            ahead = (x + DX[beam.direction], y + DY[beam.direction])
            self.assertTrue(board.is_walled(x, y, beam.direction) or ahead not in board.floors)


class RefusalTests(SynchronousTestCase):
    def refused(self, text: str) -> str:
        return str(self.assertRaises(NotationError, parse_plan, text))

    def test_numbers_of_rows(self) -> None:
        for text in ("", ".", " \n", "_", "_ _B_", "_ _B_ _ _B_", "_ .x"):
            self.assertIn("expected 1 row of walls", self.refused(text), text)

    def test_rows_that_differ_in_width(self) -> None:
        self.assertEqual(self.refused("__ _B_ __"), "row 2, 1 fields: expected 2, as row 1 has walls")
        self.assertEqual(self.refused("_ _B_B_ _"), "row 2, 2 fields: expected 1, as row 1 has walls")
        self.assertEqual(self.refused("_ _B_ __"), "row 3, 2 walls: expected 1, as in row 1")

    def test_the_row_and_the_character_are_named(self) -> None:
        self.assertIn("row 3, character 2: expected a wall", self.refused("__ _B_B_ _x"))
        self.assertIn("row 2, character 4: expected a floor", self.refused("__ _B_xB_ __"))
        self.assertIn("row 1, character 1: expected a wall", self.refused("x _B_ _"))
        self.assertIn("row 2, character 1: expected a wall", self.refused("_ B_ _"))

    def test_walls(self) -> None:
        for wall in (
            "x", "[#", "#]", "[L(1)", "L(1)#", "#L(1)", "[L(256)#", "[L(01)#", "[S(1)#", "[S(6,)#", "[X#", "[L()#",
        ):  # fmt: skip
            self.assertRaises(NotationError, parse_plan, f"{wall} _B_ _")
            self.assertRaises(NotationError, parse_plan, f"_ {wall}B_ _")
            self.assertRaises(NotationError, parse_plan, f"_ _B{wall} _")

    def test_floors(self) -> None:
        for floor in (
            "", "X", "b", "BB", "D", "D()", "D(N)", "R()", "R(256)", "R(00)", "F", "F(N,1,()()", "F(N,0,()())",
            "F(N,3,()())", "F(O,1,()())", "F(N,1,(),())", "F(N,1,((N,L))())", "F(N,1,((N,D(L)),)())",
            "F(N,1,()(1))", "F(N,1,()(0,))", "F(N,1,()(1,,))", "F(N,1)",
        ):  # fmt: skip
            self.assertRaises(NotationError, parse_plan, f"_ _{floor}_ _")

    def test_other_white_space(self) -> None:
        for space in ("\x0b", "\x0c", "\xa0", "\u2003", "\x1c"):
            self.assertRaises(NotationError, parse_plan, space.join(("_", "_B_", "_")))

    def test_other_digits(self) -> None:
        self.assertRaises(NotationError, parse_plan, "_ _R(\u0663)_ _")

    def test_the_largest_plan(self) -> None:
        for width, height in ((255, 1), (1, 255)):
            rows = ["_" * width, *["_" + "B_" * width, "_" * width] * height]
            board = parse_plan(" ".join(rows))
            self.assertEqual((board.width, board.height), (width, height))

    def test_larger_ones(self) -> None:
        for width, height in ((256, 1), (1, 256)):
            rows = ["_" * width, *["_" + "B_" * width, "_" * width] * height]
            self.assertRaises(NotationError, parse_plan, " ".join(rows))

    @settings(deadline=None, max_examples=200)
    @given(st.text("_#[]BGDRFLSNEW12,() .\n", max_size=60) | st.text(max_size=20))
    def test_any_text_is_a_plan_or_refused(self, text: str) -> None:
        try:
            board = parse_plan(text)
        except NotationError:
            return
        self.assertEqual(board.plan.split(), [*text.rstrip(" \n.").split(), "."])
