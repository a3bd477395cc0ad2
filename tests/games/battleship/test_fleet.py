"""Fleets and what answers reveal, checked against a slow second implementation that knows no bit masks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RuleError
from gamed.games.battleship.fleet import (
    BOARD,
    EDGE_NEIGHBOURS,
    FLEET,
    HIT,
    LAST_SUNK,
    PLACEMENTS,
    PLACEMENTS_THROUGH,
    RIMS,
    SIZE,
    SUNK,
    WATER,
    AnswerError,
    Cell,
    Sea,
    _Search,
    _searched,
    cells,
    component,
    edge_rim,
    full_rim,
)
from gamed.games.battleship.placement import Defence

Point = tuple[int, int]
Ship = frozenset[Point]
History = list[tuple[Point, int]]

EDGES = ((1, 0), (-1, 0), (0, 1), (0, -1))
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
ALL_POINTS = frozenset((x, y) for x in range(10) for y in range(10))


# The second implementation: sets of points, no cleverness.


def around(ship: Ship, *, corner_contact: bool) -> Ship:
    """Return the ship and all points too near to it."""
    steps = EDGES if corner_contact else EDGES + CORNERS
    return ship | {(x + dx, y + dy) for x, y in ship for dx, dy in steps}


def ships_in(region: frozenset[Point], length: int) -> Iterator[Ship]:
    """Yield the straight ships that lie in the region."""
    for x, y in sorted(region):
        for dx, dy in ((1, 0), (0, 1)):
            ship = frozenset((x + dx * step, y + dy * step) for step in range(length))
            if ship <= region:
                yield ship


def fleets_in(
    region: frozenset[Point], lengths: tuple[int, ...] = FLEET, *, corner_contact: bool
) -> Iterator[tuple[Ship, ...]]:
    """Yield all fleets that lie in the region."""
    if not lengths:
        yield ()
        return
    for ship in ships_in(region, lengths[0]):
        room = region - around(ship, corner_contact=corner_contact)
        for rest in fleets_in(room, lengths[1:], corner_contact=corner_contact):
            yield (ship, *rest)


def truthful(fleet: tuple[Ship, ...], before: set[Point], point: Point) -> set[int]:
    """Return the codes with which an honest defender may answer a shot, after the shots `before`."""
    ship = next((ship for ship in fleet if point in ship), None)
    if ship is None:
        return {1}
    shots = before | {point}
    if not ship <= shots:
        return {2}
    if point in before:
        return {2, 3}
    return {4} if all(other <= shots for other in fleet) else {3}


def gives(fleet: tuple[Ship, ...], history: History) -> bool:
    """Tell whether the fleet can have given all answers of the history."""
    before: set[Point] = set()
    for point, code in history:
        if code not in truthful(fleet, before, point):
            return False
        before.add(point)
    return True


def legal(fleet: tuple[Ship, ...], *, corner_contact: bool) -> bool:
    """Tell whether these are five straight ships of the right lengths that keep apart."""
    return (
        sorted(map(len, fleet)) == sorted(FLEET)
        and all(ship in set(ships_in(ALL_POINTS, len(ship))) for ship in fleet)
        and all(
            not around(ship, corner_contact=corner_contact) & other
            for index, ship in enumerate(fleet)
            for other in fleet[:index]
        )
    )


# From one implementation to the other.


def at(x: int, y: int) -> Cell:
    """Return the cell of a point."""
    return x + 10 * y


def mask(*some: Point) -> int:
    """Return the mask of some points."""
    return sum(1 << at(x, y) for x, y in some)


def points(of: int) -> Ship:
    """Return the points of a mask."""
    return frozenset((cell % 10, cell // 10) for cell in cells(of))


def after(history: History, *, corner_contact: bool = True) -> Sea:
    """Return the sea after all answers of the history."""
    sea = Sea.start(corner_contact=corner_contact)
    for (x, y), code in history:
        sea = sea.answered(at(x, y), code)
    return sea


def rectangle(left: int, top: int, width: int, height: int) -> frozenset[Point]:
    """Return the part of a rectangle that lies on the board."""
    return frozenset((left + dx, top + dy) for dx in range(width) for dy in range(height)) & ALL_POINTS


def outside(region: frozenset[Point]) -> History:
    """Return answers that leave a fleet no room but the region."""
    return [(point, WATER) for point in sorted(ALL_POINTS - region)]


class GeometryTests(SynchronousTestCase):
    def test_there_are_as_many_placements_as_rows_and_columns_hold(self) -> None:
        for length in (5, 4, 3, 2):
            self.assertEqual(len(set(PLACEMENTS[length])), 2 * 10 * (11 - length))

    def test_placements_are_the_straight_ships(self) -> None:
        for length, ships in PLACEMENTS.items():
            self.assertEqual({points(ship) for ship in ships}, set(ships_in(ALL_POINTS, length)))

    def test_placements_through_a_cell_are_those_that_lie_on_it(self) -> None:
        for length, ships in PLACEMENTS.items():
            for cell in range(SIZE * SIZE):
                through = {ship for ship in ships if (cell % 10, cell // 10) in points(ship)}
                self.assertEqual(set(PLACEMENTS_THROUGH[length][cell]), through)

    def test_neighbours_of_a_cell_stay_on_the_board(self) -> None:
        for cell in range(SIZE * SIZE):
            here = points(1 << cell)
            self.assertEqual(points(EDGE_NEIGHBOURS[cell]), (around(here, corner_contact=True) - here) & ALL_POINTS)
            self.assertEqual(points(full_rim(1 << cell)), (around(here, corner_contact=False) - here) & ALL_POINTS)

    def test_neighbours_do_not_wrap_around_an_edge(self) -> None:
        self.assertEqual(EDGE_NEIGHBOURS[at(9, 3)], mask((8, 3), (9, 2), (9, 4)))
        self.assertEqual(full_rim(1 << at(0, 9)), mask((0, 8), (1, 8), (1, 9)))

    def test_rims_of_placements_are_all_cells_too_near(self) -> None:
        for corner_contact in (True, False):
            for ship, rim in RIMS[corner_contact].items():
                expected = around(points(ship), corner_contact=corner_contact) & ALL_POINTS
                self.assertEqual(points(rim | ship), expected)

    @given(st.integers(0, BOARD))
    @settings(deadline=None, max_examples=50)
    def test_rims_of_any_mask_are_all_cells_too_near(self, some: int) -> None:
        self.assertEqual(points(edge_rim(some) | some), around(points(some), corner_contact=True) & ALL_POINTS)
        self.assertEqual(points(full_rim(some) | some), around(points(some), corner_contact=False) & ALL_POINTS)

    def test_cells_are_yielded_lowest_first(self) -> None:
        self.assertEqual(list(cells(1 << 99 | 1 << 7 | 1)), [0, 7, 99])
        self.assertEqual(list(cells(0)), [])

    def test_a_component_is_connected_over_edges_only(self) -> None:
        bent = mask((1, 1), (2, 1), (2, 2))
        self.assertEqual(component(bent | mask((3, 3), (0, 0), (9, 0)), at(1, 1)), bent)

    def test_a_component_does_not_wrap_around_an_edge(self) -> None:
        self.assertEqual(component(mask((9, 0), (0, 1)), at(9, 0)), mask((9, 0)))


class StartTests(SynchronousTestCase):
    def test_the_witness_of_an_unknown_sea_is_a_legal_fleet(self) -> None:
        for corner_contact in (True, False):
            sea = Sea.start(corner_contact=corner_contact)
            self.assertTrue(legal(tuple(map(points, sea.witness)), corner_contact=False))
            self.assertEqual(sea.corner_contact, corner_contact)

    def test_nothing_is_known_at_the_start(self) -> None:
        sea = Sea.start()
        self.assertEqual((sea.water, sea.open_hits, sea.sunk), (0, 0, ()))
        self.assertTrue(sea.corner_contact)


SUNK_TWO: History = [((4, 4), HIT), ((5, 4), SUNK)]
FOUR_SUNK: History = [
    *[((x, 0), HIT) for x in range(4)],
    ((4, 0), SUNK),
    *[((x, 2), HIT) for x in range(3)],
    ((3, 2), SUNK),
    *[((x, 4), HIT) for x in range(2)],
    ((2, 4), SUNK),
    *[((x, 6), HIT) for x in range(2)],
    ((2, 6), SUNK),
]


class AnswerTests(SynchronousTestCase):
    """Single answers, each with the reason that a reader of a record would look for."""

    def refused(self, code: str, history: History, *, corner_contact: bool = True) -> None:
        """Check that the last answer of the history is refused, and no earlier one."""
        sea = after(history[:-1], corner_contact=corner_contact)
        (x, y), answer = history[-1]
        error = self.assertRaises(AnswerError, sea.answered, at(x, y), answer)
        self.assertEqual(error.code, code)
        self.assertTrue(str(error))

    def test_water_is_noted(self) -> None:
        self.assertEqual(after([((3, 7), WATER)]).water, mask((3, 7)))

    def test_a_hit_is_open_until_its_ship_is_sunk(self) -> None:
        self.assertEqual(after(SUNK_TWO[:1]).open_hits, mask((4, 4)))
        sea = after(SUNK_TWO)
        self.assertEqual((sea.open_hits, sea.sunk), (0, (mask((4, 4), (5, 4)),)))

    def test_a_sunk_ship_leaves_other_open_hits_open(self) -> None:
        sea = after([((0, 9), HIT), *SUNK_TWO])
        self.assertEqual((sea.open_hits, sea.sunk), (mask((0, 9)), (mask((4, 4), (5, 4)),)))

    def test_the_sea_before_stays_as_it_was(self) -> None:
        before = after(SUNK_TWO[:1])
        before.answered(at(5, 4), SUNK)
        self.assertEqual(before.sunk, ())

    def test_the_last_ship_is_sunk_with_code_4(self) -> None:
        sea = after([*FOUR_SUNK, ((0, 8), HIT), ((1, 8), LAST_SUNK)])
        self.assertEqual(len(sea.sunk), 5)
        self.assertEqual(sea.witness, sea.sunk)
        self.assertEqual(sea.open_hits, 0)

    def test_the_same_answer_again_changes_nothing(self) -> None:
        for history in ([((1, 1), WATER)], [((1, 1), HIT)], SUNK_TWO):
            sea = after(history)
            (x, y), code = history[-1]
            self.assertIs(sea.answered(at(x, y), code), sea)

    def test_a_cell_of_a_sunk_ship_may_be_hit_or_sunk_again(self) -> None:
        sea = after(SUNK_TWO)
        for code in (HIT, SUNK):
            self.assertIs(sea.answered(at(4, 4), code), sea)

    def test_a_repeated_cell_cannot_change_its_answer(self) -> None:
        for history, wrong in (
            ([((1, 1), WATER)], (HIT, SUNK, LAST_SUNK)),
            ([((1, 1), HIT)], (WATER, SUNK, LAST_SUNK)),
            (SUNK_TWO, (WATER, LAST_SUNK)),
        ):
            for code in wrong:
                self.refused("contradiction", [*history, (history[-1][0], code)])

    def test_other_codes_are_not_answers(self) -> None:
        for code in (0, 5, -1):
            self.assertRaises(ValueError, Sea.start().answered, 0, code)

    def test_an_answer_error_is_a_rule_error(self) -> None:
        self.assertTrue(issubclass(AnswerError, RuleError))

    def test_a_first_hit_cannot_sink(self) -> None:
        self.refused("no-legal-fleet", [((1, 1), SUNK)])

    def test_a_ship_that_floats_no_more_cannot_be_sunk_again(self) -> None:
        self.refused("no-legal-fleet", [*SUNK_TWO, ((4, 8), HIT), ((5, 8), SUNK)])

    def test_a_bent_ship_cannot_be_sunk(self) -> None:
        self.refused("no-legal-fleet", [((1, 1), HIT), ((2, 2), HIT), ((1, 2), SUNK)])

    def test_hits_around_a_corner_belong_to_no_ship(self) -> None:
        self.refused("no-legal-fleet", [((1, 1), HIT), ((2, 1), HIT), ((2, 2), HIT)])

    def test_six_hits_in_a_row_belong_to_no_ship(self) -> None:
        row: History = [((x, 5), HIT) for x in (1, 2, 4, 5)]
        self.refused("no-legal-fleet", [*row, ((3, 5), HIT)])

    def test_five_hits_in_a_row_must_have_sunk_the_five(self) -> None:
        self.refused("no-legal-fleet", [((x, 5), HIT) for x in range(5)])

    def test_three_threes_cannot_be_sunk(self) -> None:
        threes: History = [((x, y), HIT if x < 2 else SUNK) for y in (0, 2, 4) for x in range(3)]
        self.refused("no-legal-fleet", threes)

    def test_nothing_lies_beside_a_sunk_ship(self) -> None:
        self.refused("no-legal-fleet", [*SUNK_TWO, ((6, 4), HIT)])
        self.refused("no-legal-fleet", [*SUNK_TWO, ((4, 3), HIT)])

    def test_a_ship_cannot_sink_beside_one_sunk_before(self) -> None:
        history = [*SUNK_TWO, ((8, 4), HIT), ((7, 4), HIT)]
        after([*history, ((9, 4), SUNK)])
        self.refused("no-legal-fleet", [*history, ((6, 4), SUNK)])

    def test_corners_touch_only_where_that_is_allowed(self) -> None:
        history = [*SUNK_TWO, ((6, 5), HIT)]
        self.assertEqual(after(history, corner_contact=True).open_hits, mask((6, 5)))
        self.refused("no-legal-fleet", history, corner_contact=False)

    def test_diagonal_hits_without_corner_contact_belong_to_no_fleet(self) -> None:
        self.refused("no-legal-fleet", [((4, 4), HIT), ((5, 5), HIT)], corner_contact=False)

    def test_a_sunk_ship_must_keep_clear_of_those_sunk_before(self) -> None:
        three: History = [((2, 2), HIT), ((3, 3), HIT), ((2, 3), WATER), ((3, 2), WATER)]
        after([*three, ((1, 2), HIT), ((4, 3), HIT), ((0, 2), SUNK), ((5, 3), SUNK)])
        self.refused("no-legal-fleet", three[:2], corner_contact=False)

    def test_the_last_ship_cannot_be_sunk_with_code_3(self) -> None:
        self.refused("no-legal-fleet", [*FOUR_SUNK, ((0, 8), HIT), ((1, 8), SUNK)])

    def test_code_4_needs_all_others_sunk(self) -> None:
        self.refused("no-legal-fleet", [*FOUR_SUNK[:-3], ((0, 8), HIT), ((1, 8), LAST_SUNK)])

    def test_code_4_needs_the_whole_last_ship(self) -> None:
        self.refused("no-legal-fleet", [*FOUR_SUNK, ((0, 8), LAST_SUNK)])

    def test_code_4_leaves_no_hit_unexplained(self) -> None:
        history = [*FOUR_SUNK, ((0, 8), HIT)]
        self.refused("no-legal-fleet", [*history, ((8, 8), HIT)])
        self.refused("no-legal-fleet", [*history, ((8, 8), LAST_SUNK)])

    def test_nothing_is_hit_after_the_last_ship(self) -> None:
        over = [*FOUR_SUNK, ((0, 8), HIT), ((1, 8), LAST_SUNK)]
        after([*over, ((8, 8), WATER)])
        self.refused("no-legal-fleet", [*over, ((8, 8), HIT)])

    def test_water_all_around_a_hit_is_a_lie(self) -> None:
        around_it: History = [(point, WATER) for point in ((4, 5), (6, 5), (5, 4), (5, 6))]
        self.refused("no-legal-fleet", [((5, 5), HIT), *around_it])

    def test_water_everywhere_is_a_lie_found_at_the_last_hole(self) -> None:
        lanes = frozenset((x, y) for y, width in ((0, 5), (2, 4), (4, 3), (6, 3), (8, 2)) for x in range(width))
        self.assertEqual(
            {points(ship) for ship in after(outside(lanes)).witness}, set(next(fleets_in(lanes, corner_contact=True)))
        )
        self.refused("no-legal-fleet", [*outside(lanes), ((4, 0), WATER)])

    def test_six_far_hits_are_too_many_for_five_ships(self) -> None:
        far: History = [((x, y), HIT) for y in (0, 9) for x in (0, 9)]
        after([*far, ((4, 4), HIT)])
        self.refused("no-legal-fleet", [*far, ((4, 4), HIT), ((6, 6), HIT)])


REGIONS = (
    rectangle(0, 0, 7, 6) - rectangle(2, 2, 3, 2),
    rectangle(4, 5, 6, 5) | rectangle(0, 0, 1, 4),
    rectangle(2, 2, 7, 3) | rectangle(4, 0, 2, 9),
    rectangle(0, 0, 7, 1) | rectangle(0, 0, 1, 8) | rectangle(3, 3, 3, 3) | rectangle(9, 2, 1, 5),
    rectangle(0, 0, 3, 9) | rectangle(7, 8, 3, 2),
)


@cache
def all_fleets(region: int, *, corner_contact: bool) -> list[tuple[Ship, ...]]:
    """Return all fleets that lie in one of the regions."""
    return list(fleets_in(REGIONS[region], corner_contact=corner_contact))


@cache
def sea_around(region: int, *, corner_contact: bool) -> Sea:
    """Return the sea that leaves a fleet no room but one of the regions."""
    return after(outside(REGIONS[region]), corner_contact=corner_contact)


class OracleTests(SynchronousTestCase):
    """The verdict and the witness after every answer, against all fleets that can lie in a region."""

    def judged(self, sea: Sea, history: History, fleets: list[tuple[Ship, ...]]) -> Sea | None:
        """Take the last answer of the history, which `fleets` can have given; None where it was refused, rightly."""
        (x, y), code = history[-1]
        try:
            sea = sea.answered(at(x, y), code)
        except AnswerError:
            self.assertEqual(fleets, [], history)
            return None
        self.assertTrue(fleets, history)
        witness = tuple(points(ship) for ship in sea.witness)
        self.assertTrue(legal(witness, corner_contact=sea.corner_contact))
        self.assertTrue(gives(witness, history), history)
        return sea

    @given(
        region=st.integers(0, len(REGIONS) - 1),
        random=st.randoms(use_true_random=False),
        honesty=st.integers(0, 10),
        corner_contact=st.booleans(),
    )
    @settings(deadline=None, max_examples=100)
    def test_an_answer_is_refused_exactly_where_no_fleet_gives_it(
        self, region: int, random: Random, honesty: int, *, corner_contact: bool
    ) -> None:
        fleets = all_fleets(region, corner_contact=corner_contact)
        truth = random.choice(fleets)
        sea: Sea | None = sea_around(region, corner_contact=corner_contact)
        history: History = []
        while sea and len(history) < 40:
            point = random.choice(sorted(REGIONS[region]))
            before = {shot for shot, _ in history}
            code = min(truthful(truth, before, point))
            if random.randrange(11) > honesty:
                code = random.randrange(1, 5)
            history.append((point, code))
            fleets = [fleet for fleet in fleets if code in truthful(fleet, before, point)]
            sea = self.judged(sea, history, fleets)

    @given(
        parts=st.lists(
            st.builds(rectangle, st.integers(0, 8), st.integers(0, 8), st.integers(1, 6), st.integers(1, 6)).filter(
                lambda region: len(region) <= 10
            ),
            min_size=3,
            max_size=5,
        ),
        corner_contact=st.booleans(),
    )
    @settings(deadline=None, max_examples=150)
    def test_water_is_refused_exactly_where_it_leaves_no_room(
        self, parts: list[frozenset[Point]], *, corner_contact: bool
    ) -> None:
        region: frozenset[Point] = frozenset().union(*parts)
        room = next(fleets_in(region, corner_contact=corner_contact), None)
        try:
            sea = after(outside(region), corner_contact=corner_contact)
        except AnswerError:
            self.assertIsNone(room)
        else:
            self.assertIsNotNone(room)
            self.assertTrue(frozenset().union(*map(points, sea.witness)) <= region)

    def test_the_regions_hold_fleets_enough_to_tell_apart(self) -> None:
        for corner_contact in (True, False):
            counts = [len(all_fleets(region, corner_contact=corner_contact)) for region in range(len(REGIONS))]
            self.assertTrue(all(counts), counts)
            self.assertGreater(max(counts), 100)


class EffortTests(SynchronousTestCase):
    """Steps of the full search, each some microseconds, where it has the hardest work that was found for it."""

    def setUp(self) -> None:
        self.steps = 0
        search = _Search.fleet

        def counted(
            searching: _Search, domains: dict[int, int], lengths: tuple[int, ...], hits: int
        ) -> tuple[int, ...] | None:
            self.steps += 1
            return search(searching, domains, lengths, hits)

        self.patch(_Search, "fleet", counted)

    def test_an_answer_that_the_witness_gives_needs_no_search(self) -> None:
        sea = Sea.start()
        first = next(cells(sea.witness[0]))
        sea.answered(first, HIT).answered(at(9, 9), WATER)
        self.assertEqual(self.steps, 0)

    def test_a_witness_with_one_ship_moved_needs_no_search(self) -> None:
        sea = Sea.start()
        for ship in sea.witness:
            sea = sea.answered(next(cells(ship)), WATER)
        self.assertEqual(self.steps, 0)

    def test_hits_too_many_for_the_ships_are_refused_at_once(self) -> None:
        sea = after([((x, y), HIT) for y in (0, 9) for x in (0, 9)]).answered(at(4, 4), HIT)
        self.steps = 0
        self.assertRaises(AnswerError, sea.answered, at(6, 6), HIT)
        self.assertEqual(self.steps, 1)

    def test_the_hardest_seas_known_are_judged_in_few_steps(self) -> None:
        # Found by hill climbing over water and hits: water, hits, whether corners may touch, whether a fleet fits.
        for water, hits, corner_contact, fits in (
            (0x4C22A82C4048C0A86D035780C, 0x1000044000008002000080, True, False),
            (0x672027479A65EAF0158FA0DAF, 0x2200000000001000000000, True, True),
            (0xFC671EAA9A7A56A6902A20068, 0x4002000004000500000100, False, False),
        ):
            self.steps = 0
            found = _searched(Sea.start().witness, water & ~hits, hits, corner_contact)
            self.assertEqual(found is not None, fits)
            self.assertTrue(20 < self.steps < 3_000, self.steps)


def drawn_fleet(random: Random, *, corner_contact: bool) -> tuple[int, ...]:
    """Return a fleet that the rules allow; our own players' fleets never touch."""
    while True:
        fleet = tuple(random.choice(PLACEMENTS[length]) for length in FLEET)
        taken = 0
        for ship in fleet:
            if ship & taken:
                break
            taken |= ship | RIMS[corner_contact][ship]
        else:
            return fleet


class HonestPlayTests(SynchronousTestCase):
    def game(self, random: Random, *, corner_contact: bool, chase: bool) -> None:
        """Sink a fleet, shooting at random or beside open hits, and check the sea at the end."""
        defence = Defence(drawn_fleet(random, corner_contact=corner_contact))
        sea = Sea.start(corner_contact=corner_contact)
        while not defence.lost:
            unknown = BOARD & ~defence.shots
            wanted = edge_rim(sea.open_hits) & unknown if chase else 0
            cell = random.choice(list(cells(wanted or unknown)))
            sea = sea.answered(cell, defence.answer(cell))
        self.assertEqual(set(sea.sunk), set(defence.fleet))
        self.assertEqual(sea.water, defence.shots & ~sum(defence.fleet))

    def test_honest_answers_are_never_refused(self) -> None:
        random = Random(54321)
        for number in range(300):
            self.game(random, corner_contact=number % 2 == 0, chase=number % 3 == 0)
