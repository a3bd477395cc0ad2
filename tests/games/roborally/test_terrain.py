"""One robot alone: against the engine, and the distances to the flags. Source: gamed/games/roborally/terrain.py."""

from __future__ import annotations

from random import Random

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.course_files import load_course
from gamed.games.roborally.rules.cards import DECK
from gamed.games.roborally.rules.courses import Limits
from gamed.games.roborally.rules.elements import Direction
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.state import Stage
from gamed.games.roborally.rules.turn import advance
from gamed.games.roborally.terrain import NO_CARD, UNREACHABLE, Passage, Terrain, moved, terrain
from tests.games.roborally.crowds import some_board
from tests.games.roborally.making import CARDS, E, N, S, W, empty, plan, robot, row, state


class MovedTests(SynchronousTestCase):
    def test_as_the_engine_moves_a_robot_alone(self) -> None:
        random = Random(23)
        fallen = 0
        for _ in range(1500):
            layout = Layout(some_board(random), ())
            place = random.choice([*layout.ground] or [(1, 1)])
            facing, phase = random.choice([*Direction]), random.randint(1, 5)
            card = random.choice([NO_CARD, *DECK])
            its = robot(*place, facing, registers=(card or None,) * 5, is_active=bool(card))
            position = state(layout, its, stage=Stage.REVEAL, phase=phase - 1)
            while position.stage is not Stage.LASERS:
                position = advance(position)
            after = position.robots[0]
            expected = (after.place, int(after.facing)) if after.is_standing else None
            self.assertEqual(moved(layout, (place, facing), card, phase), expected)
            fallen += expected is None
        self.assertTrue(200 < fallen < 1300, fallen)

    def test_without_a_phase_pushers_and_crushers_rest(self) -> None:
        layout = plan("__", "#S(1,2,3,4,5,)]F(E,1,()(1,2,3,4,5,))#B_", "__")
        self.assertEqual(moved(layout, ((1, 1), N), NO_CARD, 0), ((1, 1), N))
        self.assertIsNone(moved(layout, ((1, 1), N), NO_CARD, 1))


class PassageTests(SynchronousTestCase):
    def test_lasers_and_edges(self) -> None:
        layout = plan("____", "#L(2)]B_B_B_G_", "____", "_B[L(1)#B_B_B_", "____")
        where = Terrain(evolve(layout, flags=((1, 1),)))
        self.assertEqual(where.passage((1, 2), E, 50, 1), Passage((2, 2), E, 2, 1))
        self.assertEqual(where.passage((2, 2), E, 50, 1), Passage((3, 2), E, 2, 2))
        self.assertEqual(where.passage((1, 1), W, 1, 1), Passage((1, 1), E, 1, 2))
        self.assertEqual(where.passage((3, 2), S, 50, 1), Passage((3, 1), S, 0, 1))
        self.assertIsNone(where.passage((3, 2), E, 50, 1))

    def test_cards_of_one_action_are_alike(self) -> None:
        where = Terrain(empty(4, 1, ((1, 1),)))
        self.assertIs(where.passage((1, 1), E, 50, 1), where.passage((1, 1), E, 60, 1))
        self.assertIsNot(where.passage((1, 1), E, 50, 1), where.passage((1, 1), E, 70, 1))

    def test_the_phase_counts(self) -> None:
        where = Terrain(evolve(row("B", "F(E,1,()(3,))", "F(E,1,()(3,))", "B"), flags=((1, 1),)))
        self.assertEqual([where.passage((1, 1), E, 50, phase) is None for phase in range(1, 6)], [0, 0, 1, 0, 0])


class RestTests(SynchronousTestCase):
    def test_where_belts_carry_a_sleeping_robot(self) -> None:
        belt = "F(E,1,()())"
        where = Terrain(evolve(row(belt, belt, belt, "B"), flags=((1, 1),)))
        self.assertEqual(where.rests(((1, 1), N)), ((4, 1), N))

    def test_into_a_pit(self) -> None:
        belt = "F(E,1,()())"
        where = Terrain(evolve(row(belt, belt, belt, belt, "G", "B"), flags=((6, 1),)))
        self.assertIsNone(where.rests(((1, 1), N)))
        self.assertEqual(where.rests(((6, 1), W)), ((6, 1), W))


class DistanceTests(SynchronousTestCase):
    def test_on_an_empty_board(self) -> None:
        """M3 is three fields; a turn is a phase."""
        where = Terrain(empty(9, 1, ((1, 1), (7, 1))))
        ahead = [where.distances[1].get(((x, 1), E)) for x in range(1, 10)]
        self.assertEqual(ahead, [2, 2, 2, 1, 1, 1, 0, 1, 2])
        self.assertEqual(where.distances[1][(1, 1), N], 3)

    def test_all_the_way(self) -> None:
        where = Terrain(empty(9, 1, ((1, 1), (7, 1), (4, 1), (5, 1))))
        self.assertEqual(where.onward, (4, 2, 1, 0))
        self.assertEqual(where.to_go((1, 1), E, 1), 2 + 2)
        self.assertEqual(where.to_go((1, 1), N, 1), 3 + 2)
        self.assertEqual(where.to_go((7, 1), W, 2), 1 + 1)
        self.assertEqual(where.to_go((4, 1), E, 3), 1)

    def test_a_flag_that_no_way_leads_to(self) -> None:
        where = Terrain(plan("___", "_B_B#B_", "___", flags=((1, 1), (3, 1))))
        self.assertEqual(where.to_go((1, 1), E, 1), UNREACHABLE)
        self.assertEqual(where.onward, (UNREACHABLE, 0))

    def test_a_neighbour_is_one_phase_farther_at_most(self) -> None:
        course = load_course("doppelhalle", Limits())
        where = Terrain(Layout(course.board, course.flags))
        for distances in where.distances:
            for (place, facing), distance in list(distances.items())[::7]:
                after = {moved(where.layout, (place, facing), card, 0) for card in DECK}
                nearest = min(distances[pose] for pose in after if pose in distances)
                self.assertTrue(distance == 0 or distance == nearest + 1, (place, facing))

    def test_one_terrain_a_course(self) -> None:
        self.assertIs(terrain(empty(4, 1, ((1, 1), (2, 1)))), terrain(empty(4, 1, ((1, 1), (2, 1)))))
        self.assertEqual(CARDS[0], 50)
