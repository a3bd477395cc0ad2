"""The register phases step by step, the end of the game, and players who leave.

Source: docs/specs/roborally.md#37-removal-and-leaving, docs/specs/roborally.md#42-a-register-phase,
docs/specs/roborally.md#410-the-end-of-the-game.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.answers import take
from gamed.games.roborally.rules.elements import Place
from gamed.games.roborally.rules.moves import Facing
from gamed.games.roborally.rules.robots import EMPTY, Robot, destroyed
from gamed.games.roborally.rules.state import Event, Kind, Stage, State, changed, ranking
from gamed.games.roborally.rules.turn import advance, remove
from tests.games.roborally.making import CARDS, E, N, W, empty, ghost, plan, robot, row, state

M1, RL, M2, RR = 50, 9, 68, 10
FLAGS: tuple[Place, ...] = ((1, 1), (3, 1), (5, 1))


def reveal(*robots: Robot, phase: int = 0, **its: object) -> State:
    """Return a position before step A of the phase after `phase`, on a row of eight fields."""
    return state(its.pop("layout", empty(8, 1)), *robots, stage=Stage.REVEAL, phase=phase, **its)


def until(position: State, has_come: Callable[[State], bool]) -> State:
    while not has_come(position):
        position = advance(position)
    return position


class OrderTests(SynchronousTestCase):
    def test_the_steps_of_a_phase(self) -> None:
        position = reveal(robot(1, 1, registers=CARDS), robot(3, 1, registers=CARDS[::-1]))
        stages = []
        while position.phase < 2:
            stages.append(position.stage)
            position = advance(position)
        self.assertEqual(
            stages,
            [
                Stage.REVEAL,
                Stage.CARDS,
                Stage.CARDS,
                Stage.EXPRESS,
                Stage.BELTS,
                Stage.PUSHERS,
                Stage.GEARS,
                Stage.CRUSHERS,
                Stage.LASERS,
                Stage.TOUCH,
                Stage.REVEAL,
            ],
        )

    def test_five_phases_then_the_clean_up(self) -> None:
        its = robot(4, 1, registers=(9, 10, 11, 12, 13))
        position = until(reveal(its), lambda now: now.stage is Stage.REPAIR)
        self.assertEqual(position.phase, 0)
        phases = []
        position = reveal(its)
        while position.stage is not Stage.REPAIR:
            if position.stage is Stage.TOUCH:
                phases.append(position.phase)
            position = advance(position)
        self.assertEqual(phases, [1, 2, 3, 4, 5])

    def test_a_higher_priority_plays_first(self) -> None:
        robots = [robot(1, 1, registers=(card, *CARDS[1:])) for card in (50, 84, 1, 60)]
        self.assertEqual(advance(reveal(*robots)).order, (1, 3, 0, 2))

    def test_each_phase_has_its_own_order(self) -> None:
        robots = [robot(1, 1, registers=CARDS), robot(3, 1, registers=(49, 12, 67, 11, 66))]
        orders = [advance(reveal(*robots, phase=phase)).order for phase in range(5)]
        self.assertEqual(orders, [(0, 1), (1, 0), (0, 1), (1, 0), (1, 0)])

    def test_a_locked_card_plays_with_its_own_priority(self) -> None:
        locked = robot(1, 1, damage=9, locked=(1, 2, 3, 4, 5), registers=(66, *CARDS[1:]))
        self.assertEqual(advance(reveal(robot(3, 1, registers=CARDS), locked)).order, (1, 0))

    def test_who_does_not_play(self) -> None:
        robots = [
            robot(1, 1, registers=CARDS, is_active=False),
            destroyed(robot(2, 1, registers=CARDS), 1),
            robot(3, 1, lives=0, damage=10),
            robot(4, 1, registers=CARDS),
        ]
        self.assertEqual(advance(reveal(*robots, phase=1)).order, (3,))

    def test_a_phase_without_cards(self) -> None:
        """3.4: if every robot is powered down the five phases are played without cards."""
        position = advance(reveal(robot(1, 1, registers=CARDS, is_active=False)))
        self.assertEqual((position.stage, position.phase), (Stage.EXPRESS, 1))

    def test_one_card_a_step(self) -> None:
        position = advance(reveal(robot(1, 1, E, registers=CARDS), robot(8, 1, W, registers=(60, *CARDS[1:]))))
        seen = []
        while position.stage is Stage.CARDS:
            position = advance(position)
            seen.append([its.place for its in position.robots])
        self.assertEqual(seen, [[(1, 1), (7, 1)], [(2, 1), (7, 1)]])

    def test_a_robot_that_fell_before_its_card_is_passed_over(self) -> None:
        position = advance(reveal(robot(7, 1, E, registers=(80, *CARDS[1:])), robot(8, 1, registers=CARDS)))
        self.assertEqual(position.order, (0, 1))
        position = advance(position)
        self.assertEqual(position.stage, Stage.EXPRESS)
        self.assertFalse(position.robots[1].is_standing)

    def test_elements_use_the_phase(self) -> None:
        crusher = plan("__", "_F(N,1,()(2,))#B_", "#_")
        walled = plan("#_", "#F(N,1,()(2,))#B_", "#_")
        pusher = plan("___", "#S(4,)]B_B_B_", "___")
        asleep = robot(1, 1, is_active=False, registers=CARDS)
        for layout, active in ((walled, 2), (pusher, 4)):
            for phase in range(1, 6):
                position = reveal(asleep, layout=layout, phase=phase - 1)
                position = until(position, lambda now: now.stage is Stage.LASERS)
                self.assertEqual(position.robots[0] != asleep, phase == active)
        carried = until(reveal(asleep, layout=crusher), lambda now: now.stage is Stage.LASERS)
        self.assertFalse(carried.robots[0].is_standing)


class NothingToDoTests(SynchronousTestCase):
    def test_it_waits_for_answers(self) -> None:
        for stage in (Stage.FACING, Stage.PROGRAM, Stage.REPAIR, Stage.STAY_DOWN, Stage.NEW_ROBOTS, Stage.POWER):
            position = state(empty(1, 1), robot(1, 1), stage=stage, waiting=frozenset({0}))
            self.assertRaises(ValueError, advance, position)

    def test_it_waits_for_chance(self) -> None:
        self.assertRaises(ValueError, advance, state(empty(1, 1), robot(1, 1), stage=Stage.DEAL))

    def test_the_game_is_over(self) -> None:
        self.assertRaises(ValueError, advance, state(empty(1, 1), robot(1, 1), stage=Stage.OVER))


class PlacingTests(SynchronousTestCase):
    def test_robots_get_their_facings(self) -> None:
        position = state(empty(2, 1), ghost(1, 1), ghost(1, 1), stage=Stage.FACING, waiting=frozenset({0, 1}))
        position = advance(take(take(position, 0, Facing(E)), 1, Facing(W)))
        self.assertEqual([its.facing for its in position.robots], [E, W])
        self.assertEqual((position.stage, position.turn, position.answers), (Stage.DEAL, 1, ()))


class TouchTests(SynchronousTestCase):
    def touched(self, its: Robot, flags: tuple[Place, ...] = FLAGS) -> Robot:
        position = state(plan("_____", "_B_R(1)_B_B_B_", "_____", flags=flags), its, stage=Stage.TOUCH, phase=2)
        return advance(position).robots[0]

    def test_the_next_flag(self) -> None:
        self.assertEqual(self.touched(robot(3, 1, archive=(1, 1))), robot(3, 1, flag=2))

    def test_any_other_flag_is_an_archive_only(self) -> None:
        self.assertEqual(self.touched(robot(5, 1, archive=(1, 1))), robot(5, 1))
        self.assertEqual(self.touched(robot(1, 1, archive=(3, 1), flag=2)), robot(1, 1, flag=2))

    def test_a_site(self) -> None:
        self.assertEqual(self.touched(robot(2, 1, archive=(1, 1), damage=3)), robot(2, 1, damage=3))

    def test_elsewhere(self) -> None:
        its = robot(4, 1, archive=(1, 1))
        self.assertIs(self.touched(its), its)

    def test_virtual_and_powered_down_robots_touch(self) -> None:
        self.assertEqual(self.touched(ghost(3, 1)).flag, 2)
        self.assertEqual(self.touched(robot(3, 1, is_active=False)).flag, 2)

    def test_a_destroyed_robot_on_its_archive_does_not(self) -> None:
        its = destroyed(robot(3, 1, archive=(3, 1)), 1)
        self.assertIs(self.touched(its), its)

    def test_two_flags_on_the_way_need_two_phases(self) -> None:
        self.assertEqual(self.touched(robot(3, 1, archive=(1, 1)), ((1, 1), (3, 1), (4, 1))).flag, 2)


class EndTests(SynchronousTestCase):
    def touch(self, *robots: Robot, **its: object) -> State:
        layout = empty(5, 1, FLAGS)
        return advance(state(layout, *robots, stage=Stage.TOUCH, phase=2, **its))

    def test_the_last_flag_ends_the_game(self) -> None:
        position = self.touch(robot(5, 1, flag=2), robot(1, 1))
        self.assertEqual((position.stage, position.finishers), (Stage.ENDING, (0,)))
        position = advance(position)
        self.assertEqual((position.stage, position.happened), (Stage.OVER, Kind.ENDED))

    def test_the_last_flag_before_the_one_before_does_not(self) -> None:
        position = self.touch(robot(5, 1, flag=1), robot(1, 1))
        self.assertEqual((position.stage, position.finishers), (Stage.REVEAL, ()))

    def test_several_in_one_step(self) -> None:
        """By the order of their cards, who had none after them, and then by registration."""
        robots = [ghost(5, 1, flag=2) for _ in range(4)]
        position = self.touch(*robots, robot(1, 1), order=(2, 4, 1))
        self.assertEqual(position.finishers, (2, 1, 0, 3))
        self.assertEqual(ranking(position), (2, 1, 0, 3, 4))

    def test_one_left_of_two(self) -> None:
        self.assertEqual(self.touch(robot(2, 1), robot(1, 1, lives=0, damage=10)).stage, Stage.ENDING)

    def test_none_left_of_two(self) -> None:
        gone = robot(1, 1, lives=0, damage=10)
        self.assertEqual(self.touch(gone, gone).stage, Stage.ENDING)

    def test_two_left_of_three(self) -> None:
        self.assertEqual(self.touch(robot(2, 1), robot(1, 1, lives=0, damage=10), robot(4, 1)).stage, Stage.REVEAL)

    def test_a_game_of_one_goes_on(self) -> None:
        self.assertEqual(self.touch(robot(2, 1)).stage, Stage.REVEAL)


class LastLifeTests(SynchronousTestCase):
    def test_removed_by_the_step_that_destroys(self) -> None:
        """The step's own event names it; the first card pushes it over the edge."""
        robots = [robot(7, 1, E, registers=CARDS), robot(8, 1, N, lives=1, registers=(7, *CARDS[1:]))]
        before = advance(reveal(*robots))
        position = advance(before)
        self.assertEqual(position.removals, ((1,),))
        self.assertTrue(position.robots[1].is_removed)
        self.assertEqual(changed(before, position), Event(Kind.PLAYED, (0, 1)))

    def test_two_in_one_step(self) -> None:
        layout = row("F(E,1,()())", "G", "F(W,1,()())")
        position = state(layout, robot(1, 1, lives=1), robot(3, 1, lives=1), stage=Stage.BELTS, phase=1)
        self.assertEqual(advance(position).removals, ((0, 1),))

    def test_two_in_two_steps(self) -> None:
        layout = row("F(E,2,()())", "G", "F(W,1,()())")
        position = state(layout, robot(1, 1, lives=1), robot(3, 1, lives=1), stage=Stage.EXPRESS, phase=1)
        self.assertEqual(advance(advance(position)).removals, ((0,), (1,)))

    def test_a_destroyed_robot_with_lives_left_is_not_removed(self) -> None:
        position = advance(state(row("F(E,1,()())", "G"), robot(1, 1), stage=Stage.BELTS, phase=1))
        self.assertEqual((position.removals, position.robots[0].lives), ((), 2))


class LeavingTests(SynchronousTestCase):
    def three(self, stage: Stage, phase: int = 0, **its: object) -> State:
        robots = [robot(number, 1, E, registers=CARDS) for number in (1, 3, 5)]
        return state(empty(8, 1, FLAGS), *robots, stage=stage, phase=phase, **its)

    def test_off_the_board_at_once(self) -> None:
        position = remove(self.three(Stage.EXPRESS, 2), 1)
        self.assertEqual(position.robots[1], robot(3, 1, E, lives=0, damage=10))
        self.assertEqual((position.removals, position.happened), (((1,),), Kind.LEFT))
        self.assertEqual((position.stage, position.phase), (Stage.EXPRESS, 2))

    def test_its_cards_go_back(self) -> None:
        self.assertEqual(remove(self.three(Stage.EXPRESS, 2), 1).robots[1].registers, EMPTY)
        position = remove(self.three(Stage.PROGRAM, hands=((), (1, 2), (3,)), waiting=frozenset({1, 2})), 1)
        self.assertEqual(position.hands, ((), (), (3,)))

    def test_in_programming_the_others_are_still_asked(self) -> None:
        position = remove(self.three(Stage.PROGRAM, waiting=frozenset({1, 2})), 1)
        self.assertEqual((position.stage, position.waiting), (Stage.PROGRAM, {2}))

    def test_the_last_who_is_asked_leaves(self) -> None:
        position = remove(self.three(Stage.PROGRAM, waiting=frozenset({1})), 1)
        self.assertEqual((position.stage, position.waiting), (Stage.REVEAL, frozenset()))

    def test_who_has_answered_leaves(self) -> None:
        position = remove(self.three(Stage.PROGRAM, waiting=frozenset({1})), 0)
        self.assertEqual((position.stage, position.waiting), (Stage.PROGRAM, {1}))

    def test_the_next_to_play_leaves(self) -> None:
        position = remove(self.three(Stage.CARDS, 1, order=(0, 1, 2), played=1), 1)
        self.assertEqual((position.stage, position.played), (Stage.CARDS, 2))
        self.assertEqual(advance(position).robots[2].place, (6, 1))

    def test_the_last_to_play_leaves(self) -> None:
        position = remove(self.three(Stage.CARDS, 1, order=(0, 1, 2), played=2), 2)
        self.assertEqual(position.stage, Stage.EXPRESS)

    def test_who_has_played_leaves(self) -> None:
        position = remove(self.three(Stage.CARDS, 1, order=(0, 1, 2), played=2), 0)
        self.assertEqual((position.stage, position.played), (Stage.CARDS, 2))

    def test_outside_of_the_phases_the_game_ends_at_once(self) -> None:
        """4.10: when one is left, whatever was asked."""
        for stage in (Stage.FACING, Stage.DEAL, Stage.PROGRAM, Stage.REPAIR, Stage.STAY_DOWN, Stage.NEW_ROBOTS):
            position = remove(self.three(stage, waiting=frozenset({0, 1, 2})), 0)
            self.assertEqual(position.stage, stage)
            position = remove(position, 2)
            self.assertEqual((position.stage, position.waiting), (Stage.ENDING, frozenset()), stage.name)
            self.assertEqual(ranking(advance(position)), (1, 2, 0))

    def test_within_the_phases_it_ends_after_step_e(self) -> None:
        position = remove(remove(self.three(Stage.EXPRESS, 2), 0), 2)
        self.assertEqual(position.stage, Stage.EXPRESS)
        position = until(position, lambda now: now.stage in {Stage.ENDING, Stage.REVEAL})
        self.assertEqual((position.stage, position.phase), (Stage.ENDING, 2))

    def test_between_two_phases_is_within(self) -> None:
        position = remove(remove(self.three(Stage.REVEAL, 2), 0), 2)
        self.assertEqual((position.stage, position.phase), (Stage.REVEAL, 2))
        position = until(position, lambda now: now.stage in {Stage.ENDING, Stage.REPAIR})
        self.assertEqual((position.stage, position.phase), (Stage.ENDING, 3))

    def test_before_the_first_and_after_the_last_phase_is_outside(self) -> None:
        for phase in (0, 5):
            position = remove(remove(self.three(Stage.REVEAL, phase), 0), 2)
            self.assertEqual(position.stage, Stage.ENDING)

    def test_the_others_answers_stand(self) -> None:
        position = self.three(Stage.FACING, waiting=frozenset({0, 1, 2}))
        position = take(take(position, 0, Facing(W)), 1, Facing(W))
        position = advance(remove(remove(position, 2), 2))
        self.assertEqual([its.facing for its in position.robots], [W, W, E])

    def test_an_answer_of_one_who_left_is_void(self) -> None:
        position = take(self.three(Stage.FACING, waiting=frozenset({0, 1, 2})), 0, Facing(W))
        position = take(take(remove(position, 0), 1, Facing(N)), 2, Facing(N))
        self.assertEqual(advance(position).robots[0], robot(1, 1, E, lives=0, damage=10))

    def test_nothing_changes_where_nobody_is_left_to_leave(self) -> None:
        position = remove(self.three(Stage.EXPRESS, 2), 1)
        self.assertIs(remove(position, 1), position)
        over = self.three(Stage.OVER)
        self.assertIs(remove(over, 1), over)

    def test_a_finisher_who_leaves_before_the_end_is_told_stays_first(self) -> None:
        position = remove(self.three(Stage.ENDING, 2, finishers=(1,)), 1)
        self.assertEqual(ranking(advance(position)), (1, 0, 2))

    def test_a_game_of_one_is_played_on_without_its_player(self) -> None:
        position = remove(state(empty(2, 1), robot(1, 1), stage=Stage.DEAL), 0)
        self.assertEqual(position.stage, Stage.DEAL)
