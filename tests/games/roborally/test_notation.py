"""Floors, walls and rows as text: what 2.4 writes, taken literally."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.elements import (
    OPEN,
    PIT,
    PLAIN,
    Belt,
    Direction,
    Floor,
    Gear,
    Laser,
    Pusher,
    Repair,
    Wall,
)
from gamed.games.roborally.rules.notation import (
    FIELD,
    FLOOR,
    NUMBER,
    WALL,
    NotationError,
    field_to_notation,
    floor_to_notation,
    read_field_row,
    read_floor,
    read_wall,
    read_wall_row,
    rows_of,
    wall_to_notation,
)
from tests.games.roborally.shapes import FLOORS, WALLS

N, E, S, W = Direction

FLOOR_EXAMPLES: dict[str, Floor] = {
    "B": PLAIN,
    "G": PIT,
    "D(L)": Gear("L"),
    "D(R)": Gear("R"),
    "R(0)": Repair(0),
    "R(255)": Repair(255),
    "F(N,1,()())": Belt(N, 1),
    "F(W,2,()(1,5,))": Belt(W, 2, (), (1, 5)),
    "F(N,1,((W,D(L)))(1,5,))": Belt(N, 1, ((W, "L"),), (1, 5)),
    "F(S,1,((E,D(L))(W,D(R)))())": Belt(S, 1, ((E, "L"), (W, "R"))),
    "F(E,2,((N,D(L))(N,D(R)))(3,3,))": Belt(E, 2, ((N, "L"), (N, "R")), (3, 3)),
}

WALL_EXAMPLES: dict[str, Wall] = {
    "_": OPEN,
    "#": Wall(None, is_wall=True, right=None),
    "[L(1)#": Wall(Laser(1), is_wall=True, right=None),
    "#L(1)]": Wall(None, is_wall=True, right=Laser(1)),
    "[L(1)#S(1,)]": Wall(Laser(1), is_wall=True, right=Pusher((1,))),
    "[S()_S(1,2,3,4,5,)]": Wall(Pusher(()), is_wall=False, right=Pusher((1, 2, 3, 4, 5))),
    "#L(0)]": Wall(None, is_wall=True, right=Laser(0)),
}


class NumberTests(SynchronousTestCase):
    def test_0_to_255_without_leading_zeros(self) -> None:
        for number in range(1_000):
            self.assertEqual(re.fullmatch(NUMBER, str(number)) is not None, number <= 255, number)
        for text in ("00", "01", "007", "-1", "+1", "", " 1", "1.0", "\u0663"):
            self.assertIsNone(re.fullmatch(NUMBER, text), text)


class FloorTests(SynchronousTestCase):
    def test_each_kind(self) -> None:
        for text, floor in FLOOR_EXAMPLES.items():
            self.assertIsNotNone(re.fullmatch(FLOOR, text), text)
            self.assertEqual(read_floor(text), floor)
            self.assertEqual(floor_to_notation(floor), text)

    @settings(deadline=None)
    @given(FLOORS)
    def test_any_survives_print_and_read(self, floor: Floor) -> None:
        text = floor_to_notation(floor)
        self.assertIsNotNone(re.fullmatch(FLOOR, text))
        self.assertEqual(read_floor(text), floor)


class WallTests(SynchronousTestCase):
    def test_each_kind(self) -> None:
        for text, wall in WALL_EXAMPLES.items():
            self.assertIsNotNone(re.fullmatch(WALL, text), text)
            self.assertEqual(read_wall(text), wall)
            self.assertEqual(wall_to_notation(wall), text)

    @settings(deadline=None)
    @given(WALLS)
    def test_any_survives_print_and_read(self, wall: Wall) -> None:
        self.assertEqual(read_wall(wall_to_notation(wall)), wall)

    def test_others(self) -> None:
        for text in (
            "",
            "##",
            "[#",
            "#]",
            "#[",
            "L(1)#",
            "#L(1)",
            "[L(1)#]",
            "#S(1)]",
            "#S(1,2)]",
            "#S(,)]",
            "#L(1)] ",
        ):
            self.assertRaises(NotationError, read_wall, text)


class FieldTests(SynchronousTestCase):
    def test_the_walls_are_named_n_e_s_w(self) -> None:
        east, south = read_wall("[L(1)#"), read_wall("#S(1,3,5,)]")
        self.assertEqual(field_to_notation(PLAIN, (OPEN, east, south, OPEN)), "(B,_[L(1)##S(1,3,5,)]_)")

    @settings(deadline=None)
    @given(FLOORS, st.tuples(WALLS, WALLS, WALLS, WALLS))
    def test_any_is_matched_part_by_part(self, floor: Floor, walls: tuple[Wall, Wall, Wall, Wall]) -> None:
        match = re.fullmatch(FIELD, field_to_notation(floor, walls))
        assert match is not None
        self.assertEqual(match.groups(), (floor_to_notation(floor), *map(wall_to_notation, walls)))

    def test_a_comma_between_the_lists_of_a_belt(self) -> None:
        match = re.fullmatch(FIELD, "(F(N,1,(),()),____)")
        assert match is not None
        self.assertEqual(match[1], "F(N,1,(),())")
        self.assertIsNone(re.fullmatch(FLOOR, "F(N,1,(),())"))


class RowTests(SynchronousTestCase):
    def test_horizontal_walls(self) -> None:
        texts = [*WALL_EXAMPLES, *reversed(WALL_EXAMPLES)]
        self.assertEqual(read_wall_row("".join(texts)), [WALL_EXAMPLES[text] for text in texts])

    @settings(deadline=None)
    @given(st.lists(WALLS, max_size=12))
    def test_any_row_of_walls(self, walls: list[Wall]) -> None:
        self.assertEqual(read_wall_row("".join(map(wall_to_notation, walls))), walls)

    @settings(deadline=None)
    @given(WALLS, st.lists(st.tuples(FLOORS, WALLS), max_size=12))
    def test_any_row_of_fields(self, west: Wall, fields: list[tuple[Floor, Wall]]) -> None:
        text = wall_to_notation(west) + "".join(
            floor_to_notation(floor) + wall_to_notation(wall) for floor, wall in fields
        )
        self.assertEqual(read_field_row(text), ([floor for floor, _ in fields], [west, *(wall for _, wall in fields)]))

    def test_where_a_row_cannot_be_read(self) -> None:
        for text, at in (("__x_", 3), ("_[#", 2), ("_L(1)#", 2), ("_#S(1)]", 3), ("# #", 2)):
            error = self.assertRaises(NotationError, read_wall_row, text)
            self.assertTrue(str(error).startswith(f"character {at}: expected a wall"), error)

    def test_where_a_row_of_fields_cannot_be_read(self) -> None:
        for text, at in (("B_", 1), ("_B", 2), ("_B_B", 4), ("_B__", 4), ("_B_R(300)_", 4), ("_B#L(1)_", 4)):
            error = self.assertRaises(NotationError, read_field_row, text)
            self.assertTrue(str(error).startswith(f"character {at}: expected"), error)

    def test_what_was_found_is_shown_in_part(self) -> None:
        error = self.assertRaises(NotationError, read_wall_row, "_" + "x" * 1_000)
        self.assertTrue(str(error).endswith(f"found {'x' * 20!r}"), error)


class RowsTests(SynchronousTestCase):
    def test_white_space_separates(self) -> None:
        self.assertEqual(rows_of("_ _B_\r\n\t_\n"), ["_", "_B_", "_"])

    def test_the_full_stop_is_left_away(self) -> None:
        self.assertEqual(rows_of("_ _B_ _ ."), ["_", "_B_", "_"])
        self.assertEqual(rows_of("_ _B_ _."), ["_", "_B_", "_."])
        self.assertEqual(rows_of("_ . _"), ["_", ".", "_"])
