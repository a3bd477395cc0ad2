"""What the strategies answer, and that it is legal. Source: gamed/games/roborally/strategy.py."""

from __future__ import annotations

from collections import Counter
from random import Random

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.elements import Direction
from gamed.games.roborally.rules.moves import (
    AskFacing,
    AskProgram,
    AskRepairs,
    AskStayDown,
    Facing,
    Program,
    Repairs,
    StayDown,
)
from gamed.games.roborally.rules.state import Stage
from gamed.games.roborally.strategy import STRATEGIES, WEAR, as_public, at_random, greedy, planned
from tests.games.roborally.making import CARDS, E, N, S, W, empty, plan, robot, row
from tests.games.roborally.random_play import GAME, options, positions

UT, RL, RR, BU, M1, M2, M3 = 1, 7, 8, 43, 49, 67, 79
COURSE = empty(9, 5, ((1, 3), (9, 3), (5, 3)))


class ToldTests(SynchronousTestCase):
    def test_as_rs_tells_it(self) -> None:
        its = robot(1, 1, damage=6, locked=(2, 5), registers=CARDS, is_announced=True, fell_in=3, is_virtual=True)
        told = robot(1, 1, damage=6, locked=(2, 5), registers=(None, 9, None, None, 51), is_virtual=True)
        self.assertEqual(as_public(its), told)


class LegalityTests(SynchronousTestCase):
    def test_the_strategies(self) -> None:
        self.assertEqual(dict(STRATEGIES), {"planner": planned, "greedy": greedy, "random": at_random})

    def test_legal_answers_in_whole_games(self) -> None:
        """`positions` plays them; an illegal answer would raise."""
        stages = {Stage.PROGRAM, Stage.REPAIR, Stage.STAY_DOWN, Stage.NEW_ROBOTS, Stage.POWER}
        for name, course, games in (
            ("random", "karussell", 40),
            ("greedy", "karussell", 20),
            ("planner", "grossfabrik", 4),
        ):
            asked: Counter[Stage] = Counter()
            for seed in range(games):
                start = GAME.setup(options(course, 8, max_turns=20))
                for position in positions(start, Random(seed), STRATEGIES[name]):
                    asked[position.stage] += bool(position.waiting)
            self.assertLessEqual(stages, set(+asked), name)

    def test_answers_depend_on_what_is_told_alone(self) -> None:
        its = robot(3, 2, E, damage=6, locked=(4, 5), registers=CARDS)
        hidden = its._replace(registers=(60, 61, 62, *CARDS[3:]), is_announced=True)
        asked = AskProgram((M1, RL, M3))
        for strategy in STRATEGIES.values():
            one, other = (strategy(COURSE, as_public(seen), asked, Random(1)) for seen in (its, hidden))
            self.assertEqual(one, other)


class GreedyTests(SynchronousTestCase):
    def test_it_comes_farther_than_random_and_less_far_than_the_planner(self) -> None:
        """With the same hands, alone on a board: flags touched in six turns, of many robots."""
        reached = dict.fromkeys(STRATEGIES, 0)
        for seed in range(12):
            for name, strategy in STRATEGIES.items():
                start = GAME.setup(options("grossfabrik", 2, max_turns=6))
                last = start
                for position in positions(start, Random(seed), strategy):
                    last = position
                reached[name] += sum(robot.flag for robot in last.robots)
        self.assertGreater(reached["greedy"], reached["random"])
        self.assertGreater(reached["planner"], reached["greedy"])


class RandomTests(SynchronousTestCase):
    def test_every_answer_comes(self) -> None:
        random = Random(2)
        its = robot(1, 3, damage=7, locked=(1, 3, 5), registers=(M1, None, M2, None, RL))

        def answers(request: object, count: int) -> set[object]:
            return {at_random(COURSE, its, request, random) for _ in range(count)}

        self.assertEqual(answers(AskFacing(), 100), {Facing(facing) for facing in Direction})
        self.assertEqual(answers(AskStayDown(), 100), {StayDown(stays) for stays in (True, False)})
        self.assertEqual(answers(AskRepairs(2), 100), {Repairs((1, 3)), Repairs((1, 5)), Repairs((3, 5))})
        orders = {(1, 2), (2, 1)}
        self.assertEqual(
            answers(AskProgram((RR, UT)), 300), {Program(order, down) for order in orders for down in (True, False)}
        )

    def test_powering_down_one_turn_of_ten(self) -> None:
        random = Random(3)
        asked = AskProgram((M1, M2, M3, RL, RR, UT))
        programs = [at_random(COURSE, robot(1, 3, damage=3), asked, random) for _ in range(1000)]
        self.assertTrue(60 < sum(program.power_down for program in programs) < 140)


class PlannerTests(SynchronousTestCase):
    def ask(self, its: object, request: object, course: object = COURSE) -> object:
        return planned(course, its, request, Random(0))

    def test_it_faces_its_next_flag(self) -> None:
        self.assertEqual(self.ask(robot(1, 3), AskFacing()), Facing(E))
        self.assertEqual(self.ask(robot(9, 3, flag=2), AskFacing()), Facing(W))
        self.assertEqual(self.ask(robot(5, 1, flag=2), AskFacing()), Facing(N))
        self.assertEqual(self.ask(robot(5, 5, flag=2), AskFacing()), Facing(S))

    def test_a_program_that_wins_early_is_filled_up(self) -> None:
        course = empty(9, 1, ((1, 1), (7, 1)))
        hand = (M1, RL, M3, UT, M3 + 1, RR, BU, M2, RL + 2)
        self.assertEqual(self.ask(robot(1, 1, E), AskProgram(hand), course), Program((3, 5, 1, 2, 4)))

    def test_no_free_register(self) -> None:
        its = robot(1, 3, E, damage=9, locked=(1, 2, 3, 4, 5), registers=(M1, UT, UT + 1, RL, RR))
        self.assertEqual(self.ask(its, AskProgram(())), Program((), power_down=True))

    def test_it_powers_down_when_worn(self) -> None:
        hand = (M1, M2, RL, RR, UT, M3)
        downs = [self.ask(robot(1, 3, E, damage=damage), AskProgram(hand)).power_down for damage in range(5)]
        self.assertEqual(downs, [damage >= WEAR for damage in range(5)])

    def test_not_if_the_program_wins(self) -> None:
        course = empty(9, 1, ((1, 1), (7, 1)))
        hand = (M3, M3 + 1, UT, RL, RR)
        self.assertFalse(self.ask(robot(1, 1, E, damage=4), AskProgram(hand), course).power_down)

    def test_not_where_it_would_be_carried_into_a_pit(self) -> None:
        belt = "F(E,1,()())"
        course = evolve(row("B", belt, belt, "G", "B"), flags=((1, 1), (5, 1)))
        self.assertEqual(self.ask(robot(2, 1, damage=5), AskStayDown(), course), StayDown(stays=False))
        self.assertEqual(self.ask(robot(1, 1, damage=5), AskStayDown(), course), StayDown(stays=True))

    def test_it_wakes_up_sound(self) -> None:
        stays = [self.ask(robot(1, 3, damage=damage), AskStayDown()).stays for damage in range(5)]
        self.assertEqual(stays, [damage >= WEAR for damage in range(5)])

    def test_it_opens_the_first_registers(self) -> None:
        its = robot(1, 3, damage=8, locked=(1, 3, 4, 5), registers=CARDS)
        self.assertEqual(self.ask(its, AskRepairs(2)), Repairs((1, 3)))
        self.assertEqual(self.ask(its, AskRepairs(8)), Repairs((1, 3, 4, 5)))
        self.assertEqual(self.ask(its, AskRepairs(200)), Repairs((1, 3, 4, 5)))

    def test_it_does_not_walk_into_pits(self) -> None:
        course = plan("____", "_B_G_B_B_", "____", "_B_B_B_B_", "____", flags=((1, 2), (3, 2)))
        hand = (M2, M1, RR, RL, UT, M1 + 1, M3)
        program = self.ask(robot(1, 2, E), AskProgram(hand), course)
        self.assertNotEqual(hand[program.indices[0] - 1], M2)

    def test_four_of_them_end_a_game(self) -> None:
        start = GAME.setup(options("doppelhalle", 4, max_turns=40))
        *_, end = positions(start, Random(7), planned)
        self.assertTrue(end.finishers)
