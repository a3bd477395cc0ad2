"""Tiles: reading, turning, putting together."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.board import (
    DX,
    DY,
    OPEN,
    PIT,
    PLAIN,
    Belt,
    Board,
    Direction,
    Gear,
    Laser,
    NotationError,
    Pusher,
    Wall,
    parse_plan,
)
from gamed.games.roborally.rules.tiles import (
    ROTATIONS,
    SIZE,
    CompositionError,
    PlacedTile,
    compose,
    parse_tile,
    rotated,
)
from tests.games.roborally.shapes import boards

BOARDS = Path(__file__).parents[3] / "etc" / "boards"
N, E, S, W = Direction

EMPTY = "\n".join(["_" * SIZE, *["_" + "B_" * SIZE, "_" * SIZE] * SIZE]) + "\n"


class ReadTests(SynchronousTestCase):
    def test_an_empty_tile(self) -> None:
        tile = parse_tile(EMPTY)
        self.assertEqual((tile.width, tile.height), (12, 12))
        self.assertEqual(set(tile.floors.values()), {PLAIN})

    def test_the_last_line_end_may_be_missing(self) -> None:
        self.assertEqual(parse_tile(EMPTY.rstrip()), parse_tile(EMPTY))

    def test_lines_may_end_with_crlf(self) -> None:
        self.assertEqual(parse_tile(EMPTY.replace("\n", "\r\n")), parse_tile(EMPTY))

    def test_a_full_stop_is_no_part_of_it(self) -> None:
        error = self.assertRaises(NotationError, parse_tile, EMPTY + ".")
        self.assertIn("full stop", str(error))

    def test_other_sizes(self) -> None:
        rows = EMPTY.split()
        error = self.assertRaises(NotationError, parse_tile, "\n".join(rows[:-2]))
        self.assertEqual(str(error), "12 x 11 fields: a tile has 12 x 12")
        narrow = [row[:-1] if index % 2 == 0 else row[:-2] for index, row in enumerate(rows)]
        error = self.assertRaises(NotationError, parse_tile, "\n".join(narrow))
        self.assertEqual(str(error), "11 x 12 fields: a tile has 12 x 12")

    def test_lists_are_literal(self) -> None:
        literal = EMPTY.replace("_B_", "#S(1,3,)]B_", 1)
        self.assertEqual(parse_tile(literal).device(1, 12, W), Pusher((1, 3)))
        for other in ("#S(1,3)]B_", "_F(N,1,(),())_", "_F(N,1,()(1))_"):
            self.assertRaises(NotationError, parse_tile, EMPTY.replace("_B_", other, 1))


class RotationTests(SynchronousTestCase):
    """5.3: (x, y) comes to (y, 13 - x)."""

    def test_a_field(self) -> None:
        board = parse_plan("__ _D(L)_B_ __ _B_G_ __")
        self.assertEqual(board.floor(1, 2), Gear("L"))
        turned = rotated(board, 90)
        self.assertEqual(turned.floor(2, 2), Gear("L"))
        self.assertEqual(turned.floor(1, 1), PIT)

    def test_a_belt_turns_with_its_turns(self) -> None:
        board = parse_plan("_ _F(N,2,((W,D(R))(E,D(L)))(1,4,))_ _")
        self.assertEqual(rotated(board, 90).floor(1, 1), Belt(E, 2, ((N, "R"), (S, "L")), (1, 4)))
        self.assertEqual(rotated(board, 180).floor(1, 1), Belt(S, 2, ((E, "R"), (W, "L")), (1, 4)))
        self.assertEqual(rotated(board, 270).floor(1, 1), Belt(W, 2, ((S, "R"), (N, "L")), (1, 4)))

    def test_a_device_stays_inside_its_field(self) -> None:
        for side in Direction:
            board = one_field(side, Laser(3))
            for rotation in ROTATIONS:
                turned = rotated(board, rotation)
                expected = Direction((side + rotation // 90) % 4)
                self.assertEqual(turned.device(1, 1, expected), Laser(3), (side, rotation))
                self.assertEqual(len(turned.devices), 1)
                self.assertTrue(turned.is_walled(1, 1, expected))

    def test_a_rectangle_lies_down(self) -> None:
        board = parse_plan("___ _B_G_D(L)_ ___")
        turned = rotated(board, 90)
        self.assertEqual((turned.width, turned.height), (1, 3))
        self.assertEqual([turned.floor(1, y) for y in (3, 2, 1)], [PLAIN, PIT, Gear("L")])

    def test_not_at_all(self) -> None:
        board = parse_plan(EMPTY)
        self.assertIs(rotated(board, 0), board)

    @settings(deadline=None, max_examples=80)
    @given(boards())
    def test_four_times_is_the_identity(self, board: Board) -> None:
        turned = board
        for _ in range(4):
            turned = rotated(turned, 90)
        self.assertEqual(turned, board)
        self.assertEqual(turned.plan, board.plan)
        self.assertEqual(turned.covered, board.covered)

    @settings(deadline=None, max_examples=80)
    @given(boards())
    def test_rotations_add_up(self, board: Board) -> None:
        self.assertEqual(rotated(rotated(board, 90), 90), rotated(board, 180))
        self.assertEqual(rotated(rotated(board, 180), 90), rotated(board, 270))
        self.assertEqual(rotated(rotated(board, 270), 90), board)

    @settings(deadline=None, max_examples=80)
    @given(boards())
    def test_every_field_and_wall_of_any_board(self, board: Board) -> None:
        turned = rotated(board, 90)
        for x, y in board.floors:
            there = (y, board.width + 1 - x)
            before, after = board.floor(x, y), turned.floor(*there)
            if isinstance(before, Belt) and isinstance(after, Belt):
                self.assertIs(after.direction, before.direction.right)
                self.assertEqual(after.turns, tuple((side.right, turn) for side, turn in before.turns))
            else:
                self.assertEqual(after, before)
            for side in Direction:
                self.assertEqual(turned.is_walled(*there, side.right), board.is_walled(x, y, side))
                self.assertEqual(turned.device(*there, side.right), board.device(x, y, side))

    def test_the_shipped_tiles(self) -> None:
        tiles = sorted(BOARDS.glob("*.tile"))
        self.assertGreater(len(tiles), 6)
        for file in tiles:
            tile = parse_tile(file.read_text())
            turned = tile
            for _ in range(4):
                turned = rotated(turned, 90)
            self.assertEqual("\n".join(turned.rows) + "\n", file.read_text(), file.name)


def one_field(side: Direction, device: Laser | Pusher) -> Board:
    """Return a board of one field with a device on a wall."""
    inner = Wall(device, is_wall=True, right=None) if side in (E, S) else Wall(None, is_wall=True, right=device)
    walls = {other: inner if other is side else OPEN for other in Direction}
    return Board(
        1,
        1,
        {(1, 1): PLAIN},
        {(1, 1): walls[W], (2, 1): walls[E]},
        {(1, 1): walls[S], (1, 2): walls[N]},
        frozenset({(1, 1)}),
    )


class CompositionTests(SynchronousTestCase):
    def test_one_tile_is_itself(self) -> None:
        tile = parse_tile(EMPTY)
        self.assertEqual(compose([PlacedTile(tile)]), tile)

    def test_the_place_is_that_of_the_south_western_field(self) -> None:
        left, right = parse_plan("_ _B_ _"), parse_plan("_ _D(L)_ _")
        board = compose([PlacedTile(left), PlacedTile(right, (2, 1))])
        self.assertEqual(board.plan, "__ _B_D(L)_ __ .")
        board = compose([PlacedTile(right, (1, 2)), PlacedTile(left)])
        self.assertEqual(board.plan, "_ _D(L)_ _ _B_ _ .")

    def test_it_is_turned_and_then_placed(self) -> None:
        tile = parse_plan("__ _D(L)_B_ __")
        board = compose([PlacedTile(tile, (2, 1), 90), PlacedTile(tile, (1, 1), 270)])
        self.assertEqual(board.floor(2, 2), Gear("L"))
        self.assertEqual(board.floor(1, 1), Gear("L"))

    def test_a_wall_of_either_stands(self) -> None:
        for left, right in (("_B#", "_B_"), ("_B_", "#B_"), ("_B#", "#B_")):
            board = compose([PlacedTile(parse_plan(f"_ {left} _")), PlacedTile(parse_plan(f"_ {right} _"), (2, 1))])
            self.assertEqual(board.plan, "__ _B#B_ __ .")

    def test_each_brings_its_own_devices(self) -> None:
        west, east = parse_plan("_ _B[L(1)#S(1,)] _"), parse_plan("_ [S(2,)#L(2)]B_ _")
        board = compose([PlacedTile(west), PlacedTile(east, (2, 1))])
        self.assertEqual(board.wall(1, 1, E), Wall(Laser(1), is_wall=True, right=Laser(2)))
        self.assertEqual(compose([PlacedTile(east, (2, 1)), PlacedTile(west)]), board)

    def test_each_brings_its_own_devices_from_north_and_south(self) -> None:
        south, north = parse_plan("[S(3,)#L(1)] _B_ _"), parse_plan("_ _B_ [L(2)#S(4,)]")
        board = compose([PlacedTile(south), PlacedTile(north, (1, 2))])
        self.assertEqual(board.wall(1, 1, N), Wall(Laser(2), is_wall=True, right=Laser(1)))
        self.assertEqual(compose([PlacedTile(north, (1, 2)), PlacedTile(south)]), board)

    def test_devices_outside_of_the_board_are_dropped(self) -> None:
        tile = parse_plan("[S(1,)# [L(1)#B#L(2)] #S(2,)]")
        self.assertEqual(compose([PlacedTile(tile)]).plan, "# #B# # .")

    def test_devices_beside_a_gap_are_kept_on_their_side(self) -> None:
        tile = parse_plan("_ _B[L(1)# _")
        board = compose([PlacedTile(tile), PlacedTile(tile, (2, 2))])
        self.assertEqual(board.wall(2, 1, W), Wall(Laser(1), is_wall=True, right=None))

    def test_gaps_are_pits(self) -> None:
        tile = parse_plan("# #B# #")
        board = compose([PlacedTile(tile), PlacedTile(tile, (2, 2))])
        self.assertEqual(board.plan, "_# _G#B# ## #B#G_ #_ .")
        self.assertEqual(board.covered, {(1, 1), (2, 2)})

    def test_tiles_may_be_shifted(self) -> None:
        tile = parse_tile(EMPTY)
        board = compose([PlacedTile(tile), PlacedTile(tile, (13, 7))])
        self.assertEqual((board.width, board.height), (24, 18))
        self.assertEqual(len(board.covered), 288)
        self.assertEqual(board.floor(13, 6), PIT)
        self.assertEqual(board.floor(13, 7), PLAIN)

    def test_they_need_not_touch(self) -> None:
        tile = parse_plan("_ _B_ _")
        board = compose([PlacedTile(tile), PlacedTile(tile, (3, 1))])
        self.assertEqual(board.plan, "___ _B_G_B_ ___ .")

    @settings(deadline=None, max_examples=60)
    @given(boards(2, 2), boards(2, 2), st.integers(0, 2), st.sampled_from(ROTATIONS))
    def test_every_field_and_wall_of_any_two(self, first: Board, second: Board, shift: int, rotation: int) -> None:
        board = compose([PlacedTile(first), PlacedTile(second, (3, 1 + shift), rotation)])
        turned = rotated(second, rotation)
        for part, east, north in ((first, 0, 0), (turned, 2, shift)):
            for x, y in part.floors:
                self.assertEqual(board.floor(x + east, y + north), part.floor(x, y))
                for side in Direction:
                    there = (x + east, y + north)
                    self.assertEqual(board.device(*there, side), part.device(x, y, side))
                    if (x + DX[side], y + DY[side]) in part.floors:
                        self.assertEqual(board.wall(*there, side), part.wall(x, y, side))
                    else:
                        self.assertGreaterEqual(board.is_walled(*there, side), part.is_walled(x, y, side))
        for x, y in board.floors.keys() - board.covered:
            self.assertEqual(board.floor(x, y), PIT)
            self.assertEqual([board.device(x, y, side) for side in Direction], [None] * 4)


class RefusalTests(SynchronousTestCase):
    def refused(self, *placed: PlacedTile) -> str:
        return str(self.assertRaises(CompositionError, compose, placed))

    def test_no_tiles(self) -> None:
        self.assertIn("no tiles", self.refused())

    def test_tiles_that_overlap(self) -> None:
        tile = parse_tile(EMPTY)
        self.assertEqual(
            self.refused(PlacedTile(tile), PlacedTile(tile, (12, 12))),
            "tile 2 overlaps an earlier one at (12, 12): move one of them",
        )
        self.assertIn("tile 3", self.refused(PlacedTile(tile), PlacedTile(tile, (13, 1)), PlacedTile(tile, (7, 7))))

    def test_a_rectangle_that_begins_elsewhere(self) -> None:
        tile = parse_plan("_ _B_ _")
        for place in ((2, 1), (1, 2), (0, 1)):
            self.assertIn(f"the south-western corner is {place}", self.refused(PlacedTile(tile, place)))

    def test_the_corner_itself_need_not_be_covered(self) -> None:
        tile = parse_plan("_ _B_ _")
        board = compose([PlacedTile(tile, (2, 1)), PlacedTile(tile, (1, 2))])
        self.assertEqual(board.floor(1, 1), PIT)

    def test_the_largest_board(self) -> None:
        tile = parse_plan("_ _B_ _")
        board = compose([PlacedTile(tile), PlacedTile(tile, (255, 1))])
        self.assertEqual(board.width, 255)
        self.assertIn("256 x 1 fields", self.refused(PlacedTile(tile), PlacedTile(tile, (256, 1))))
        self.assertIn("1 x 256 fields", self.refused(PlacedTile(tile), PlacedTile(tile, (1, 256))))
