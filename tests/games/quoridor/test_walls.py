"""The board's bit sets against the sentences of the specification, one wall or two at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.quoridor.moves import HORIZONTAL, VERTICAL, Wall
from gamed.games.quoridor.rules import walls_at
from gamed.games.quoridor.walls import (
    BOARD,
    GOALS,
    HORIZONTAL_PLACES,
    VERTICAL_PLACES,
    Walls,
    bits,
    cell_at,
    crossed,
    fitting,
    joining,
    open_ways,
    overlapped,
)
from tests.games.quoridor import slow
from tests.games.quoridor.positions import mask, written

ALL = [slow.Slow(((4, 0), (4, 8)), frozenset({place}), (10, 10)) for place in slow.PLACES]


def walls(horizontal: str = "-", vertical: str = "-") -> Walls:
    return Walls(mask(horizontal), mask(vertical))


def names(places: Walls) -> tuple[str, str]:
    return written(bits(places.horizontal)), written(bits(places.vertical))


def of(place: slow.Wall) -> Walls:
    one = 1 << cell_at(place[0], place[1])
    return Walls(one, 0) if place[2] == "h" else Walls(0, one)


def corners(place: slow.Wall) -> set[tuple[int, int]]:
    """Return the three corners of cells that a wall touches."""
    x, y, orientation = place
    return {(x + step, y) if orientation == "h" else (x, y + step) for step in range(3)}


class CellTests(SynchronousTestCase):
    def test_there_are_81_cells(self) -> None:
        self.assertEqual(BOARD.bit_count(), 81)
        self.assertEqual(list(bits(BOARD)), [cell_at(x, y) for y in range(9) for x in range(9)])

    def test_a_set_without_cells_has_no_bits(self) -> None:
        self.assertEqual(list(bits(0)), [])

    def test_there_are_64_places_for_each_orientation(self) -> None:
        places = {(wall.x, wall.y, wall.orientation) for wall in walls_at(Walls(HORIZONTAL_PLACES, VERTICAL_PLACES))}
        lying = {(x, y, HORIZONTAL) for x, y in product(range(8), range(1, 9))}
        standing = {(x, y, VERTICAL) for x, y in product(range(1, 9), range(8))}
        self.assertEqual(places, lying | standing)

    def test_each_seat_s_goal_is_the_other_side(self) -> None:
        self.assertEqual(written(bits(GOALS[0])), "08.18.28.38.48.58.68.78.88")
        self.assertEqual(written(bits(GOALS[1])), "00.10.20.30.40.50.60.70.80")
        self.assertEqual(written(bits(GOALS[2])), "80.81.82.83.84.85.86.87.88")
        self.assertEqual(written(bits(GOALS[3])), "00.01.02.03.04.05.06.07.08")


class OpenTests(SynchronousTestCase):
    def test_an_empty_board_is_closed_at_its_borders_only(self) -> None:
        north, west = open_ways(Walls())
        self.assertEqual(BOARD & ~north, mask("00.10.20.30.40.50.60.70.80"))
        self.assertEqual(BOARD & ~west, mask("00.01.02.03.04.05.06.07.08"))

    def test_a_horizontal_wall_closes_the_way_north_of_two_cells(self) -> None:
        free, north = open_ways(Walls()), open_ways(walls("36")).north
        self.assertEqual(free.north & ~north, mask("36.46"))
        self.assertEqual(open_ways(walls("36")).west, free.west)

    def test_a_vertical_wall_closes_the_way_west_of_two_cells(self) -> None:
        free, west = open_ways(Walls()), open_ways(walls("-", "36")).west
        self.assertEqual(free.west & ~west, mask("36.37"))
        self.assertEqual(open_ways(walls("-", "36")).north, free.north)

    def test_each_wall_closes_what_the_slow_rules_say(self) -> None:
        for position in ALL:
            (place,) = position.walls
            north, west = open_ways(of(place))
            for x, y in product(range(9), range(9)):
                self.assertEqual(north >> cell_at(x, y) & 1, position.is_open((x, y), (x, y - 1)), (place, x, y))
                self.assertEqual(west >> cell_at(x, y) & 1, position.is_open((x, y), (x - 1, y)), (place, x, y))

    def test_a_wall_that_sticks_out_closes_one_way(self) -> None:
        free = open_ways(Walls())
        self.assertEqual(free.north & ~open_ways(walls("83")).north, mask("83"))
        self.assertEqual(free.west & ~open_ways(walls("-", "38")).west, mask("38"))

    def test_a_wall_on_the_border_closes_nothing(self) -> None:
        self.assertEqual(open_ways(walls("30", "03")), open_ways(Walls()))


class FittingTests(SynchronousTestCase):
    def test_everything_fits_on_an_empty_board(self) -> None:
        self.assertEqual(fitting(Walls()), Walls(HORIZONTAL_PLACES, VERTICAL_PLACES))

    def test_a_wall_overlaps_itself_and_its_halves(self) -> None:
        self.assertEqual(names(overlapped(walls("45"))), ("35.45.55", "-"))
        self.assertEqual(names(overlapped(walls("-", "45"))), ("-", "44.45.46"))

    def test_a_wall_is_crossed_in_its_middle(self) -> None:
        self.assertEqual(names(crossed(walls("45"))), ("-", "54"))
        self.assertEqual(names(crossed(walls("-", "54"))), ("45", "-"))

    def test_what_does_not_fit_beside_each_wall_is_what_the_slow_rules_say(self) -> None:
        for position in ALL:
            (place,) = position.walls
            fits = fitting(of(place))
            found = {(wall.x, wall.y, wall.orientation[0]) for wall in walls_at(fits)}
            self.assertEqual(found, {other for other in slow.PLACES if position.fits(other)}, place)

    @settings(deadline=None, max_examples=60)
    @given(st.sets(st.sampled_from(slow.PLACES), max_size=20))
    def test_with_many_walls_too(self, places: set[slow.Wall]) -> None:
        position = slow.Slow(((4, 0), (4, 8)), frozenset(places), (0, 0))
        found = {(wall.x, wall.y, wall.orientation[0]) for wall in walls_at(fitting(together(places)))}
        self.assertEqual(found, {other for other in slow.PLACES if position.fits(other)})


def together(places: set[slow.Wall]) -> Walls:
    horizontal = vertical = 0
    for place in places:
        horizontal |= of(place).horizontal
        vertical |= of(place).vertical
    return Walls(horizontal, vertical)


def joined(places: set[slow.Wall]) -> Iterator[slow.Wall]:
    """Yield the places that have two corners or more on the border or on a wall."""
    touched = {(x, y) for x, y in product(range(10), range(10)) if x in {0, 9} or y in {0, 9}}
    touched |= {corner for place in places for corner in corners(place)}
    for place in slow.PLACES:
        if len(corners(place) & touched) >= 2:
            yield place


class JoiningTests(SynchronousTestCase):
    def test_on_an_empty_board_no_wall_joins_anything_to_the_border(self) -> None:
        self.check(set())

    def test_a_wall_between_two_others_joins_them(self) -> None:
        self.check({(2, 4, "h"), (6, 4, "h")})
        self.assertTrue(joining(walls("24.64")).horizontal >> cell_at(4, 4) & 1)

    def test_a_wall_that_touches_only_one_other_joins_nothing(self) -> None:
        self.assertFalse(joining(walls("24")).horizontal >> cell_at(4, 4) & 1)

    def test_a_wall_that_meets_others_with_its_middle_and_its_end_joins_them(self) -> None:
        self.assertTrue(joining(walls("-", "53.64")).horizontal >> cell_at(4, 5) & 1)

    @settings(deadline=None, max_examples=60)
    @given(st.sets(st.sampled_from(slow.PLACES), max_size=20))
    def test_a_wall_joins_where_two_of_its_corners_are_touched(self, places: set[slow.Wall]) -> None:
        self.check(places)

    def check(self, places: set[slow.Wall]) -> None:
        found = joining(together(places))
        on_board = Walls(found.horizontal & HORIZONTAL_PLACES, found.vertical & VERTICAL_PLACES)
        marks = [Wall(x, y, HORIZONTAL if name == "h" else VERTICAL) for x, y, name in joined(places)]
        self.assertEqual(set(walls_at(on_board)), set(marks))
