"""What a layout knows of its board. Source: docs/specs/roborally.md#4-the-game."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.games.roborally.making import E, N, S, W, empty, plan, row


class WayTests(SynchronousTestCase):
    def test_steps_and_walls(self) -> None:
        layout = plan("__", "_B#B_", "_#")
        self.assertEqual(layout.ways[N], {(1, 1): (1, 2), (2, 1): (2, 2)})
        self.assertEqual(layout.ways[E], {(2, 1): (3, 1)})
        self.assertEqual(layout.ways[S], {(1, 1): (1, 0)})
        self.assertEqual(layout.ways[W], {(1, 1): (0, 1)})

    def test_robots_stand_on_anything_but_pits(self) -> None:
        layout = row("B", "G", "D(L)", "R(0)", "F(E,2,()())")
        self.assertEqual(layout.ground, {(1, 1), (3, 1), (4, 1), (5, 1)})


class ElementTests(SynchronousTestCase):
    def test_belts(self) -> None:
        layout = row("F(E,2,()())", "F(N,1,()())", "B")
        self.assertEqual(layout.express, {(1, 1): E})
        self.assertEqual(layout.belts, {(1, 1): E, (2, 1): N})

    def test_bends_by_the_direction_of_the_move(self) -> None:
        layout = row("F(N,1,((W,D(L))(S,D(R)))())", "F(N,1,()())")
        self.assertEqual(layout.bends, ({(1, 1): 1}, {(1, 1): 3}, {}, {}))

    def test_gears(self) -> None:
        self.assertEqual(row("D(L)", "B", "D(R)").gears, {(1, 1): 3, (3, 1): 1})

    def test_crushers_by_phase(self) -> None:
        layout = row("F(E,1,()(2,4,))", "F(E,1,()(4,))")
        places = [sorted(of) for of in layout.crushers]
        self.assertEqual(places, [[], [], [(1, 1)], [], [(1, 1), (2, 1)], []])

    def test_pushers_by_phase(self) -> None:
        layout = plan("_", "#S(1,3,)]B_", "_")
        self.assertEqual(layout.pushers, ({}, {(1, 1): E}, {}, {(1, 1): E}, {}, {}))

    def test_two_active_pushers_on_one_field_cancel(self) -> None:
        layout = plan("_", "#S(1,2,)]B_", "[S(2,3,)#")
        self.assertEqual(layout.pushers[1:4], ({(1, 1): E}, {}, {(1, 1): N}))

    def test_pushers_of_both_sides_of_a_wall(self) -> None:
        layout = plan("__", "_B[S(1,)#S(1,)]B_", "__")
        self.assertEqual(layout.pushers[1], {(1, 1): W, (2, 1): E})


class BeamTests(SynchronousTestCase):
    def test_distances_from_the_laser(self) -> None:
        layout = plan("___", "#L(2)]B_G_B[L(1)#", "___")
        there = {(1, 1): {(2, 0), (1, 2)}, (2, 1): {(2, 1), (1, 1)}, (3, 1): {(2, 2), (1, 0)}}
        seen = {
            place: {(layout.strengths[beam], distance) for beam, distance in beams}
            for place, beams in layout.lit.items()
        }
        self.assertEqual(seen, there)

    def test_a_wall_stops_them(self) -> None:
        layout = plan("___", "#L(1)]B_B#B_", "___")
        self.assertEqual(set(layout.lit), {(1, 1), (2, 1)})


class FlagTests(SynchronousTestCase):
    def test_numbers(self) -> None:
        self.assertEqual(empty(3, 1, ((2, 1), (1, 1))).numbers, {(2, 1): 1, (1, 1): 2})

    def test_repairs(self) -> None:
        """D27, D28: a flag repairs one point, and on a site the larger number counts; R(0) repairs nothing."""
        layout = plan("____", "_R(2)_R(0)_B_R(0)_", "____", flags=((1, 1), (3, 1), (4, 1)))
        self.assertEqual(layout.repairs, {(1, 1): 2, (2, 1): 0, (3, 1): 1, (4, 1): 1})

    def test_archives(self) -> None:
        layout = plan("____", "_R(2)_R(0)_B_B_", "____", flags=((3, 1),))
        self.assertEqual(layout.archives, {(1, 1), (2, 1), (3, 1)})


class ValueTests(SynchronousTestCase):
    def test_layouts_are_values(self) -> None:
        self.assertEqual(empty(3, 1, ((2, 1),)), empty(3, 1, ((2, 1),)))
        self.assertEqual(hash(empty(3, 1, ((2, 1),))), hash(empty(3, 1, ((2, 1),))))
        self.assertNotEqual(empty(3, 1, ((2, 1),)), empty(3, 1, ((1, 1),)))
        self.assertNotEqual(empty(3, 1), row("B", "G", "B"))
