"""Belts and pushers beyond the scenarios. Source: docs/specs/roborally.md#45-belts-pushers-gears-and-crushers."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.carrying import carry, push
from gamed.games.roborally.rules.elements import Place
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import Robot, destroyed
from tests.games.roborally.making import E, N, S, W, empty, ghost, places, plan, robot, row

EAST, WEST, NORTH, SOUTH = (f"F({letter},1,()())" for letter in "EWNS")
RING = plan("__", f"_{EAST}_{SOUTH}_", "__", f"_{NORTH}_{WEST}_", "__")


def carried(layout: Layout, *robots: Robot) -> list[Robot]:
    after = list(robots)
    moved = carry(layout, after, layout.belts, 1)
    assert moved == (after != list(robots))
    return after


def pushed(layout: Layout, *robots: Robot, phase: int = 1) -> list[Robot]:
    after = list(robots)
    moved = push(layout, after, phase)
    assert moved == (after != list(robots))
    return after


class BeltTests(SynchronousTestCase):
    def where(self, layout: Layout, *robots: Robot) -> list[Place | None]:
        return places(carried(layout, *robots))

    def test_a_full_ring_moves(self) -> None:
        """D7."""
        robots = [robot(1, 2), robot(2, 2), robot(2, 1), robot(1, 1)]
        self.assertEqual(self.where(RING, *robots), [(2, 2), (2, 1), (1, 1), (1, 2)])

    def test_a_ring_with_a_gap_moves(self) -> None:
        self.assertEqual(self.where(RING, robot(1, 2), robot(2, 2), robot(2, 1)), [(2, 2), (2, 1), (1, 1)])

    def test_head_on_belts(self) -> None:
        """D6: they would exchange places."""
        self.assertEqual(self.where(row(EAST, WEST), robot(1, 1), robot(2, 1)), [(1, 1), (2, 1)])

    def test_one_robot_on_head_on_belts_is_carried_over(self) -> None:
        self.assertEqual(self.where(row(EAST, WEST), robot(1, 1)), [(2, 1)])

    def test_a_queue_behind_head_on_belts_stays(self) -> None:
        layout = row(EAST, EAST, WEST)
        self.assertEqual(self.where(layout, robot(1, 1), robot(2, 1), robot(3, 1)), [(1, 1), (2, 1), (3, 1)])

    def test_a_free_lane_goes_on_beside_a_conflict(self) -> None:
        layout = row(EAST, "B", WEST, EAST, "B")
        self.assertEqual(self.where(layout, robot(1, 1), robot(3, 1), robot(4, 1)), [(1, 1), (3, 1), (5, 1)])

    def test_three_meet(self) -> None:
        layout = plan("___", f"_B_{SOUTH}_B_", "___", f"_{EAST}_B_{WEST}_", "___")
        self.assertEqual(self.where(layout, robot(1, 1), robot(2, 2), robot(3, 1)), [(1, 1), (2, 2), (3, 1)])

    def test_two_in_a_row_off_the_edge(self) -> None:
        self.assertEqual(self.where(row("B", EAST, EAST), robot(2, 1), robot(3, 1)), [(3, 1), None])

    def test_a_robot_behind_one_that_falls_moves_up(self) -> None:
        self.assertEqual(self.where(row(EAST, EAST, "G"), robot(1, 1), robot(2, 1)), [(2, 1), None])

    def test_the_fallen_lie_on_their_archives(self) -> None:
        self.assertEqual(carried(row("B", EAST, "G"), robot(2, 1, archive=(1, 1)))[0].place, (1, 1))

    def test_destroyed_robots_are_not_carried_and_block_nobody(self) -> None:
        waiting = destroyed(robot(2, 1), 1)
        self.assertEqual(carried(row(EAST, EAST, "B"), robot(1, 1), waiting)[1], waiting)
        self.assertEqual(self.where(row(EAST, EAST, "B"), robot(1, 1), waiting), [(2, 1), None])

    def test_a_virtual_robot_blocks_nobody_and_is_not_blocked(self) -> None:
        self.assertEqual(self.where(row(EAST, "B"), robot(1, 1), ghost(2, 1)), [(2, 1), (2, 1)])
        self.assertEqual(self.where(row(EAST, "B"), ghost(1, 1), robot(2, 1)), [(2, 1), (2, 1)])

    def test_a_wall_stops_a_virtual_robot(self) -> None:
        layout = plan("__", f"_{EAST}#B_", "__")
        self.assertEqual(self.where(layout, ghost(1, 1)), [(1, 1)])

    def test_a_virtual_robot_is_carried_into_a_pit(self) -> None:
        self.assertEqual(self.where(row(EAST, "G"), ghost(1, 1)), [None])

    def test_nobody_on_a_belt(self) -> None:
        self.assertEqual(self.where(row(EAST, "B"), robot(2, 1)), [(2, 1)])


class BendTests(SynchronousTestCase):
    def test_both_turns_and_all_facings(self) -> None:
        for turn, facings in (("L", [W, N, E, S]), ("R", [E, S, W, N])):
            layout = row(EAST, f"F(N,1,((W,D({turn})))())")
            self.assertEqual([carried(layout, robot(1, 1, its))[0].facing for its in (N, E, S, W)], facings)

    def test_a_blocked_robot_is_not_turned(self) -> None:
        layout = plan("__", f"_{EAST}_F(N,1,((W,D(L)))())_", "_#")
        walled = plan("_#", f"_{EAST}_F(N,1,((W,D(L)))())_", "__")
        self.assertEqual(carried(layout, robot(1, 1))[0].facing, W)
        self.assertEqual(carried(walled, robot(1, 1), robot(2, 1)), [robot(1, 1), robot(2, 1)])

    def test_a_virtual_robot_is_turned(self) -> None:
        layout = row(EAST, "F(N,1,((W,D(L)))())")
        self.assertEqual(carried(layout, ghost(1, 1, E))[0].facing, N)

    def test_the_first_entry_of_a_side_counts(self) -> None:
        layout = row(EAST, "F(N,1,((W,D(R))(W,D(L)))())")
        self.assertEqual(carried(layout, robot(1, 1, N))[0].facing, E)

    def test_a_belt_on_which_it_starts_does_not_turn(self) -> None:
        layout = row("F(E,1,((W,D(L)))())", "B")
        self.assertEqual(carried(layout, robot(1, 1, E))[0].facing, E)


class PusherTests(SynchronousTestCase):
    def test_a_wall_before_the_row_stops_it(self) -> None:
        layout = plan("___", "#S(1,)]B_B#B_", "___")
        self.assertEqual(pushed(layout, robot(1, 1), robot(2, 1)), [robot(1, 1), robot(2, 1)])

    def test_the_last_of_a_row_falls(self) -> None:
        layout = plan("___", "#S(1,)]B_B_G_", "___")
        self.assertEqual(places(pushed(layout, robot(1, 1), robot(2, 1))), [(2, 1), None])

    def test_off_the_edge(self) -> None:
        self.assertEqual(places(pushed(plan("_", "#S(2,)]B_", "_"), robot(1, 1), phase=2)), [None])

    def test_two_towards_each_other(self) -> None:
        """They would exchange places."""
        layout = plan("__", "#S(1,)]B_B[S(1,)#", "__")
        self.assertEqual(places(pushed(layout, robot(1, 1), robot(2, 1))), [(1, 1), (2, 1)])

    def test_two_to_one_field(self) -> None:
        layout = plan("___", "#S(1,)]B_B_B[S(1,)#", "___")
        self.assertEqual(places(pushed(layout, robot(1, 1), robot(3, 1))), [(1, 1), (3, 1)])

    def test_two_into_one_pit(self) -> None:
        layout = plan("___", "#S(1,)]B_G_B[S(1,)#", "___")
        self.assertEqual(places(pushed(layout, robot(1, 1), robot(3, 1))), [None, None])

    def test_one_behind_the_other_with_pushers_of_their_own(self) -> None:
        """The second has an intent, so it ends the first one's row, and makes room."""
        layout = plan("_#S(1,)]_", "#S(1,)]B_B_B_", "___", "_B_B_B_", "___")
        self.assertEqual(places(pushed(layout, robot(1, 2), robot(2, 2))), [(2, 2), (2, 1)])

    def test_one_whose_own_push_is_impossible_is_pushed_along(self) -> None:
        """After the second intent is deleted (rule 1), its robot has none, and joins the first one's row."""
        layout = plan("_#S(1,)]_", "#S(1,)]B_B_B_", "_#_")
        self.assertEqual(places(pushed(layout, robot(1, 1), robot(2, 1))), [(2, 1), (3, 1)])

    def test_no_turn_by_a_belt(self) -> None:
        layout = plan("__", "#S(1,)]B_F(N,1,((W,D(L)))())_", "__")
        self.assertEqual(pushed(layout, robot(1, 1, E))[0], robot(2, 1, E, archive=(1, 1)))

    def test_a_virtual_robot_is_pushed_alone(self) -> None:
        layout = plan("___", "#S(1,)]B_B_B_", "___")
        self.assertEqual(places(pushed(layout, ghost(1, 1), robot(2, 1))), [(2, 1), (2, 1)])
        self.assertEqual(places(pushed(layout, robot(1, 1), ghost(2, 1))), [(2, 1), (2, 1)])

    def test_nobody_before_a_pusher(self) -> None:
        self.assertEqual(places(pushed(empty(2, 1), robot(1, 1))), [(1, 1)])
