"""The search for a program. Source: gamed/games/roborally/planning.py."""

from __future__ import annotations

from itertools import permutations
from random import Random

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally import planning
from gamed.games.roborally.planning import DEATH, EDGE, HIT, WON, End, best_program
from gamed.games.roborally.rules.cards import DECK, Card
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.robots import Robot
from gamed.games.roborally.terrain import Terrain
from tests.games.roborally.crowds import some_board
from tests.games.roborally.making import E, N, W, empty, plan, robot, row

UT, RL, RR, BU, M1, M2, M3 = 1, 7, 8, 43, 49, 67, 79


def slowly(where: Terrain, its: Robot, hand: tuple[Card, ...]) -> float:
    """Return the least cost of all programs, tried one by one."""
    flags = where.layout.flags

    def cost(indices: tuple[int, ...]) -> float:
        cards = iter([hand[index] for index in indices])
        place, facing, flag, total = its.place, int(its.facing), its.flag, 0.0
        played = 0
        for phase in range(1, 6):
            is_locked = phase in its.locked
            card = its.registers[phase - 1] if is_locked else next(cards)
            played += not is_locked
            passage = where.passage(place, facing, card or 0, phase)
            if passage is None:
                return total + DEATH + where.to_go(its.archive, its.facing, flag)
            place, facing = passage.place, passage.facing
            total += HIT * passage.hit + EDGE * passage.edges
            flag += where.layout.numbers.get(place) == flag + 1
            if flag == len(flags):
                return WON + played
        return total + where.to_go(place, facing, flag)

    return min(map(cost, permutations(range(len(hand)), 5 - len(its.locked))))


class SearchTests(SynchronousTestCase):
    def plan(self, layout: Layout, its: Robot, *hand: Card) -> End:
        return best_program(Terrain(layout), its, hand)

    def cards(self, layout: Layout, its: Robot, *hand: Card) -> list[Card]:
        return [hand[index] for index in self.plan(layout, its, *hand).chosen]

    def test_straight_to_the_last_flag(self) -> None:
        layout = empty(9, 1, ((1, 1), (7, 1)))
        end = self.plan(layout, robot(1, 1, E), M1, RL, M3, UT, M3 + 1, RR, BU, M2, RL)
        self.assertEqual((end.chosen, end.cost, end.pose), ((2, 4), WON + 2, None))

    def test_the_flags_in_order(self) -> None:
        """M2 to flag 3 would be shorter, but flag 2 is first."""
        layout = empty(9, 3, ((1, 2), (2, 2), (3, 2)))
        end = self.plan(layout, robot(1, 2, E), M1, M2, M1 + 1, UT, BU)
        self.assertEqual((end.chosen, end.cost), ((0, 2), WON + 2))

    def test_to_pass_over_a_flag_is_not_to_touch_it(self) -> None:
        layout = empty(9, 3, ((1, 2), (2, 2), (4, 2)))
        self.assertGreater(self.plan(layout, robot(1, 2, E), M3, RL, RR, RL + 2, RR + 2).cost, 0)
        self.assertLess(self.plan(layout, robot(1, 2, E), M1, RL, RR, M2, RR + 2).cost, 0)

    def test_it_avoids_pits(self) -> None:
        layout = evolve(row("B", "B", "G", "B"), flags=((1, 1), (4, 1)))
        end = self.plan(layout, robot(2, 1, E), M1, RL, RR, UT, RL + 2)
        assert end.pose is not None
        self.assertEqual(end.pose[0], (1, 1))

    def test_it_dies_if_there_is_nothing_else(self) -> None:
        layout = evolve(row("B", "B", "G", "B"), flags=((1, 1), (4, 1)))
        end = self.plan(layout, robot(2, 1, E, archive=(1, 1)), M1, M1 + 1, M1 + 2, M1 + 3, M1 + 4)
        self.assertEqual((end.chosen, end.pose), ((0,), None))
        self.assertGreaterEqual(end.cost, DEATH)

    def test_locked_registers_are_played_along(self) -> None:
        """The locked UT in register 1 turns it round, and the one in register 3 back."""
        layout = empty(9, 1, ((5, 1), (3, 1)))
        its = robot(5, 1, E, damage=7, locked=(1, 3, 5), registers=(UT, None, UT + 1, None, RL))
        end = self.plan(layout, its, M2, RR)
        self.assertEqual((end.chosen, end.cost), ((0,), WON + 1))

    def test_all_registers_locked(self) -> None:
        layout = empty(9, 1, ((5, 1), (9, 1)))
        its = robot(5, 1, E, damage=9, locked=(1, 2, 3, 4, 5), registers=(M1, UT, UT + 1, RL, RR))
        end = self.plan(layout, its)
        self.assertEqual((end.chosen, end.pose), ((), ((6, 1), E)))

    def test_belts_are_used(self) -> None:
        """RL on the express belt brings it to the flag; any move would lead beyond it."""
        belt = "F(E,2,()())"
        layout = evolve(row("B", belt, belt, "B", "B", "B", "B"), flags=((1, 1), (4, 1)))
        self.assertEqual(self.cards(layout, robot(2, 1, N), RL, M3, M3 + 1, M3 + 2, M3 + 3), [RL])

    def test_a_way_round_a_laser(self) -> None:
        straight = plan("___", "#L(9)]B_B_B_", "___", "_B_B_B_", "___", flags=((1, 1), (3, 1)))
        end = self.plan(straight, robot(1, 1, E), RL, RR, UT, UT + 1, RL + 2)
        assert end.pose is not None
        self.assertEqual(end.pose[0], (1, 1))

    def test_the_best_of_all_programs(self) -> None:
        random = Random(31)
        wins = deaths = 0
        for _ in range(60):
            board = some_board(random)
            ground = sorted(Layout(board, ()).ground)
            if len(ground) < 4:
                continue
            start, *flags = random.sample(ground, random.choice((3, 3, 4)))
            where = Terrain(Layout(board, tuple(flags)))
            locked = tuple(sorted(random.sample(range(1, 6), random.choice((0, 0, 2, 3)))))
            hand = random.sample(sorted(DECK), 9)
            registers = tuple(hand.pop() if number in locked else None for number in range(1, 6))
            its = robot(*start, random.choice([N, E, W]), registers=registers, locked=locked, damage=4 + len(locked))
            dealt = tuple(hand[: 5 - len(locked) + 1])
            end = best_program(where, its, dealt)
            self.assertAlmostEqual(end.cost, slowly(where, its, dealt))
            wins += end.cost < 0
            deaths += end.pose is None and end.cost > 0
        self.assertGreater(wins, 3)
        self.assertGreater(deaths, 3)

    def test_a_narrow_beam_finds_something(self) -> None:
        self.patch(planning, "WIDTH", 1)
        layout = empty(9, 1, ((1, 1), (7, 1)))
        end = self.plan(layout, robot(1, 1, E), M1, RL, M3, UT, M3 + 1, RR, BU, M2, RL)
        self.assertEqual(end.cost, WON + 2)
