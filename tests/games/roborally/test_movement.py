"""Cards beyond the scenarios: rows, pits, virtual robots.

Source: docs/specs/roborally.md#44-playing-a-card, docs/specs/roborally.md#48-virtual-robots.
"""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.elements import Direction, Place
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.movement import play, standing
from gamed.games.roborally.rules.robots import Robot, destroyed
from tests.games.roborally.making import E, N, S, W, empty, ghost, places, plan, robot, row

UT, RL, RR, BU, M1, M2, M3 = 1, 7, 8, 43, 49, 67, 79


def played(layout: Layout, card: int, *robots: Robot) -> list[Robot]:
    """Return the robots after the first one has played a card."""
    after = list(robots)
    play(layout, after, 0, card, 1)
    return after


class TurnTests(SynchronousTestCase):
    def test_turns(self) -> None:
        def facing(card: int, before: Direction) -> Direction:
            return played(empty(1, 1), card, robot(1, 1, before))[0].facing

        self.assertEqual([facing(RL, its) for its in Direction], [W, N, E, S])
        self.assertEqual([facing(RR, its) for its in Direction], [E, S, W, N])
        self.assertEqual([facing(UT, its) for its in Direction], [S, W, N, E])
        self.assertIsInstance(facing(RL, N), Direction)


class StepTests(SynchronousTestCase):
    def reached(self, card: int, facing: Direction) -> Place:
        return played(empty(7, 7), card, robot(4, 4, facing))[0].place

    def test_in_all_directions(self) -> None:
        self.assertEqual([self.reached(M1, its) for its in Direction], [(4, 5), (5, 4), (4, 3), (3, 4)])
        self.assertEqual([self.reached(M2, its) for its in Direction], [(4, 6), (6, 4), (4, 2), (2, 4)])
        self.assertEqual([self.reached(M3, its) for its in Direction], [(4, 7), (7, 4), (4, 1), (1, 4)])
        self.assertEqual([self.reached(BU, its) for its in Direction], [(4, 3), (3, 4), (4, 5), (5, 4)])

    def test_a_wall_takes_the_rest_of_the_card(self) -> None:
        layout = plan("____", "_B_B#B_B_", "____")
        after = played(layout, M3, robot(1, 1, E, damage=2))
        self.assertEqual(after, [robot(2, 1, E, damage=2, archive=(1, 1))])

    def test_a_wall_at_the_edge_stops_too(self) -> None:
        layout = plan("#", "#B#", "#")
        for facing in Direction:
            self.assertEqual(played(layout, M3, robot(1, 1, facing)), [robot(1, 1, facing)])

    def test_each_edge_without_a_wall_destroys(self) -> None:
        for facing in Direction:
            after = played(empty(1, 1), M1, robot(1, 1, facing))
            self.assertEqual(after, [destroyed(robot(1, 1, facing), 1)])

    def test_the_rest_of_the_card_is_not_played_after_a_fall(self) -> None:
        """Else it would walk on from its archive."""
        after = played(row("B", "B", "G", "B"), M3, robot(1, 1, E))
        self.assertEqual(after[0].place, (1, 1))
        self.assertEqual(after[0].lives, 2)

    def test_elements_do_nothing_meanwhile(self) -> None:
        layout = row("B", "F(N,2,((W,D(L)))(1,2,3,4,5,))", "D(R)", "B")
        self.assertEqual(played(layout, M3, robot(1, 1, E)), [robot(4, 1, E, archive=(1, 1))])


class PushTests(SynchronousTestCase):
    def test_a_row_moves_whole_or_not_at_all(self) -> None:
        layout = plan("_____", "_B_B_B_B#B_", "_____")
        after = played(layout, M2, robot(1, 1, E), robot(2, 1), robot(3, 1))
        self.assertEqual(places(after), [(2, 1), (3, 1), (4, 1)])

    def test_a_gap_ends_the_row(self) -> None:
        after = played(empty(6, 1), M1, robot(1, 1, E), robot(2, 1), robot(4, 1))
        self.assertEqual(places(after), [(2, 1), (3, 1), (4, 1)])

    def test_the_gap_closes_and_the_row_grows(self) -> None:
        after = played(empty(6, 1), M3, robot(1, 1, E), robot(2, 1), robot(4, 1))
        self.assertEqual(places(after), [(4, 1), (5, 1), (6, 1)])

    def test_two_are_pushed_over_the_edge_one_after_the_other(self) -> None:
        after = played(empty(3, 1), M2, robot(1, 1, E), robot(2, 1), robot(3, 1))
        self.assertEqual(places(after), [(3, 1), None, None])
        self.assertEqual([its.lives for its in after], [3, 2, 2])

    def test_pushing_turns_nobody(self) -> None:
        after = played(empty(3, 1), M1, robot(1, 1, E), robot(2, 1, W))
        self.assertEqual([its.facing for its in after], [E, W])

    def test_a_destroyed_robot_is_in_nobodys_way(self) -> None:
        waiting = destroyed(robot(2, 1), 1)
        after = played(empty(3, 1), M1, robot(1, 1, E), waiting)
        self.assertEqual(after, [robot(2, 1, E, archive=(1, 1)), waiting])

    def test_backing_up_pushes(self) -> None:
        after = played(empty(3, 1), BU, robot(2, 1, W), robot(3, 1))
        self.assertEqual(places(after), [(3, 1), None])


class VirtualTests(SynchronousTestCase):
    def test_it_walks_through_robots_to_the_next_wall(self) -> None:
        layout = plan("____", "_B_B_B#B_", "____")
        after = played(layout, M3, ghost(1, 1, E), robot(2, 1), ghost(3, 1))
        self.assertEqual(places(after), [(3, 1), (2, 1), (3, 1)])

    def test_it_falls(self) -> None:
        after = played(row("B", "G", "B"), M1, ghost(1, 1, E))
        self.assertEqual(after, [destroyed(ghost(1, 1, E), 1)])

    def test_a_row_does_not_go_on_behind_it(self) -> None:
        after = played(empty(4, 1), M1, robot(1, 1, E), ghost(2, 1), robot(3, 1))
        self.assertEqual(places(after), [(2, 1), (2, 1), (3, 1)])

    def test_a_real_robot_is_pushed_off_a_field_that_a_virtual_one_shares(self) -> None:
        after = played(empty(4, 1), M1, robot(1, 1, E), ghost(2, 1), robot(2, 1))
        self.assertEqual(places(after), [(2, 1), (2, 1), (3, 1)])

    def test_real_robots_that_stand(self) -> None:
        robots = [robot(1, 1), ghost(2, 1), destroyed(robot(3, 1), 1), robot(4, 1, is_active=False)]
        self.assertEqual(standing(robots), {(1, 1): 0, (4, 1): 3})
