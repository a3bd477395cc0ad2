"""Lasers beyond the scenarios.

Source: docs/specs/roborally.md#46-lasers-damage-flags, docs/specs/roborally.md#48-virtual-robots.
"""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.lasers import fire
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import Robot, destroyed
from tests.games.roborally.making import CARDS, E, N, S, W, empty, ghost, plan, robot, row


def hits(layout: Layout, *robots: Robot) -> list[int]:
    """Return the points that lasers add to each robot."""
    after = list(robots)
    was_hit = fire(layout, after, 1)
    points = [new.damage - old.damage for old, new in zip(robots, after, strict=True)]
    assert was_hit == any(points)
    return points


class BoardLaserTests(SynchronousTestCase):
    def test_the_first_from_the_laser_not_by_seat(self) -> None:
        layout = plan("____", "_B_B_B_B[L(1)#", "____")
        self.assertEqual(hits(layout, robot(1, 1), robot(3, 1), robot(2, 1)), [0, 1, 0])

    def test_crossing_beams_add_up(self) -> None:
        layout = plan("_#L(2)]", "#L(1)]B_B_", "__")
        self.assertEqual(hits(layout, robot(2, 1)), [3])

    def test_two_lasers_on_one_line(self) -> None:
        layout = plan("___", "#L(1)]B_B_B[L(2)#", "___")
        self.assertEqual(hits(layout, robot(2, 1)), [3])
        self.assertEqual(hits(layout, robot(1, 1), robot(3, 1)), [1, 2])

    def test_lasers_on_both_sides_of_a_wall(self) -> None:
        layout = plan("__", "_B[L(1)#L(2)]B_", "__")
        self.assertEqual(hits(layout, robot(1, 1), robot(2, 1)), [1, 2])

    def test_vertical_beams(self) -> None:
        layout = plan("#L(1)]#", "_B_B_", "__", "_B_B_", "#[L(2)#")
        self.assertEqual(hits(layout, robot(1, 1, E), robot(2, 2, W)), [1, 2])

    def test_a_wall_shields(self) -> None:
        layout = plan("___", "#L(1)]B#B_B_", "___")
        self.assertEqual(hits(layout, robot(2, 1)), [0])

    def test_no_damage_by_strength_0(self) -> None:
        self.assertEqual(hits(plan("_", "#L(0)]B_", "_"), robot(1, 1)), [0])

    def test_powered_down_robots_are_hit(self) -> None:
        layout = plan("_", "#L(1)]B_", "_")
        self.assertEqual(hits(layout, robot(1, 1, is_active=False, registers=CARDS)), [1])

    def test_a_destroyed_robot_is_not_hit_on_its_archive_and_shields_nobody(self) -> None:
        layout = plan("__", "#L(1)]B_B_", "__")
        self.assertEqual(hits(layout, destroyed(robot(1, 1), 1), robot(2, 1)), [0, 1])

    def test_two_virtual_robots_on_one_beam_are_both_hit(self) -> None:
        layout = plan("__", "#L(1)]B_B_", "__")
        self.assertEqual(hits(layout, ghost(1, 1), ghost(2, 1), ghost(2, 1)), [1, 1, 1])


class RobotLaserTests(SynchronousTestCase):
    def test_in_all_directions(self) -> None:
        for facing, there in ((N, (2, 3)), (E, (3, 2)), (S, (2, 1)), (W, (1, 2))):
            others = [robot(*place) for place in ((2, 3), (3, 2), (2, 1), (1, 2))]
            away = {(2, 3): N, (3, 2): E, (2, 1): S, (1, 2): W}
            others = [its._replace(facing=away[its.place]) for its in others]
            points = dict(zip(away, hits(empty(3, 3), *others, robot(2, 2, facing))[:4], strict=True))
            self.assertEqual({place for place, hit in points.items() if hit}, {there})

    def test_each_other(self) -> None:
        self.assertEqual(hits(empty(4, 1), robot(1, 1, E), robot(4, 1, W)), [1, 1])

    def test_a_wall_on_the_own_front_side_stops_the_shot(self) -> None:
        layout = plan("__", "_B#B_", "__")
        self.assertEqual(hits(layout, robot(1, 1, E), robot(2, 1, N)), [0, 0])

    def test_a_wall_behind_the_target_does_not(self) -> None:
        layout = plan("__", "_B_B#", "__")
        self.assertEqual(hits(layout, robot(1, 1, E), robot(2, 1, N)), [0, 1])

    def test_over_pits(self) -> None:
        self.assertEqual(hits(row("B", "G", "G", "B"), robot(1, 1, E), robot(4, 1, N)), [0, 1])

    def test_virtual_robots_neither_fire_nor_stop_a_shot(self) -> None:
        self.assertEqual(hits(empty(3, 1), ghost(1, 1, E), robot(2, 1, N)), [0, 0])
        self.assertEqual(hits(empty(3, 1), robot(1, 1, E), ghost(2, 1), robot(3, 1, N)), [0, 0, 1])

    def test_powered_down_and_destroyed_robots_do_not_fire(self) -> None:
        self.assertEqual(hits(empty(2, 1), robot(1, 1, E, is_active=False), robot(2, 1, N)), [0, 0])
        self.assertEqual(hits(empty(2, 1), destroyed(robot(1, 1, E), 1), robot(2, 1, N)), [0, 0])

    def test_a_shot_goes_through_a_destroyed_robot(self) -> None:
        self.assertEqual(hits(empty(3, 1), robot(1, 1, E), destroyed(robot(2, 1), 1), robot(3, 1, N)), [0, 0, 1])

    def test_from_three_sides(self) -> None:
        self.assertEqual(hits(empty(3, 2), robot(2, 1), robot(1, 1, E), robot(3, 1, W), robot(2, 2, S)), [3, 0, 0, 1])


class DamageTests(SynchronousTestCase):
    def test_all_at_once(self) -> None:
        """D15: who is destroyed has fired, and its shield does not fall before the others are hit."""
        after = [robot(1, 1, E, damage=9), robot(2, 1, W, damage=9), robot(3, 1, W)]
        fire(empty(3, 1), after, 4)
        self.assertEqual([its.damage for its in after], [10, 10, 0])
        self.assertEqual([its.fell_in for its in after], [4, 4, 0])
