"""Queries: what channels are told, what is revealed, who wins.

Source: docs/specs/roborally.md#36-what-channels-are-told, docs/specs/roborally.md#38-queries,
docs/specs/roborally.md#410-the-end-of-the-game.
"""

from __future__ import annotations

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.robots import Robot, destroyed, removed
from gamed.games.roborally.rules.state import (
    Event,
    Kind,
    Stage,
    State,
    changed,
    is_in_phase,
    programs_complete,
    public_state,
    ranking,
    replaced,
    revealed,
)
from gamed.games.roborally.rules.turn import advance, remove
from tests.games.roborally.making import CARDS, E, W, empty, ghost, robot, state

OTHERS = (52, 11, 69, 12, 53)


def at(stage: Stage, *robots: Robot, phase: int = 0, **its: object) -> State:
    return state(empty(8, 1), *robots, stage=stage, phase=phase, **its)


class RevealedTests(SynchronousTestCase):
    def shown(self, phase: int, *robots: Robot, stage: Stage = Stage.LASERS) -> dict[int, tuple[int, ...]]:
        return dict(revealed(at(stage, *robots, phase=phase)))

    def test_cards_of_the_phases_so_far(self) -> None:
        robots = [robot(1, 1, registers=CARDS), robot(2, 1, registers=OTHERS)]
        self.assertEqual(self.shown(1, *robots), {0: CARDS[:1], 1: OTHERS[:1]})
        self.assertEqual(self.shown(4, *robots), {0: CARDS[:4], 1: OTHERS[:4]})
        self.assertEqual(self.shown(5, *robots), {0: CARDS, 1: OTHERS})

    def test_of_a_destroyed_robot_up_to_its_end(self) -> None:
        fallen = destroyed(robot(1, 1, registers=CARDS), 2)
        self.assertEqual(self.shown(2, fallen), {0: CARDS[:2]})
        self.assertEqual(self.shown(4, fallen), {0: CARDS[:2]})

    def test_powered_down_robots_are_left_out(self) -> None:
        down = robot(1, 1, registers=CARDS, is_active=False)
        self.assertEqual(self.shown(2, down), {})
        self.assertEqual(self.shown(2, destroyed(down, 2)), {})
        self.assertEqual(self.shown(3, destroyed(down, 2), robot(2, 1, registers=OTHERS)), {1: OTHERS[:3]})

    def test_removed_ones_too(self) -> None:
        self.assertEqual(self.shown(2, removed(robot(1, 1, registers=CARDS))), {})
        self.assertEqual(self.shown(2, destroyed(robot(1, 1, lives=1, registers=CARDS), 2)), {})

    def test_nothing_outside_of_the_phases(self) -> None:
        its = robot(1, 1, registers=CARDS)
        self.assertEqual(self.shown(0, its, stage=Stage.REVEAL), {})
        self.assertEqual(self.shown(0, its, stage=Stage.PROGRAM), {})
        self.assertEqual(self.shown(3, its, stage=Stage.OVER), {})

    def test_until_the_end_is_told(self) -> None:
        self.assertEqual(self.shown(3, robot(1, 1, registers=CARDS), stage=Stage.ENDING), {0: CARDS[:3]})

    def test_after_step_e_of_phase_5_until_the_clean_up(self) -> None:
        position = at(Stage.TOUCH, robot(1, 1, registers=CARDS), phase=5)
        position = advance(position)
        self.assertEqual(revealed(position), ((0, CARDS),))
        self.assertEqual(revealed(advance(position)), ())

    def test_in_phase(self) -> None:
        its = robot(1, 1)
        self.assertFalse(is_in_phase(at(Stage.PROGRAM, its)))
        self.assertFalse(is_in_phase(at(Stage.REVEAL, its)))
        self.assertTrue(is_in_phase(at(Stage.CARDS, its, phase=1)))
        self.assertTrue(is_in_phase(at(Stage.REVEAL, its, phase=4)))
        self.assertFalse(is_in_phase(at(Stage.REVEAL, its, phase=5)))
        self.assertFalse(is_in_phase(at(Stage.ENDING, its, phase=3)))


class ToldTests(SynchronousTestCase):
    def test_each_field_of_rs_counts(self) -> None:
        its = robot(1, 1, damage=5, locked=(5,), registers=CARDS)
        others = [
            its._replace(facing=E),
            its._replace(place=(2, 1)),
            its._replace(archive=(2, 1)),
            its._replace(flag=2),
            its._replace(damage=4),
            its._replace(lives=2),
            its._replace(locked=(4,)),
            its._replace(registers=OTHERS),
            its._replace(is_active=False),
            its._replace(is_virtual=True),
            its._replace(lives=0),
        ]
        self.assertEqual(len({public_state(its), *map(public_state, others)}), 12)

    def test_secrets_do_not(self) -> None:
        its = robot(1, 1, damage=5, locked=(5,), registers=CARDS)
        hidden = its._replace(registers=(1, 2, 3, 4, CARDS[4]), is_announced=True)
        self.assertEqual(public_state(its), public_state(hidden))

    def test_all_removed_robots_are_told_alike(self) -> None:
        self.assertEqual(public_state(removed(robot(1, 1))), public_state(destroyed(robot(2, 1, E, lives=1), 2)))


class ChangedTests(SynchronousTestCase):
    def test_who_has_changed(self) -> None:
        before = at(Stage.LASERS, robot(1, 1, E), robot(2, 1, E), robot(3, 1, E), phase=1)
        self.assertEqual(changed(before, advance(before)), Event(Kind.LASERS, (1, 2)))

    def test_no_event_without_a_change(self) -> None:
        before = at(Stage.LASERS, robot(1, 1, W), robot(2, 1, E), phase=1)
        self.assertIsNone(changed(before, advance(before)))

    def test_a_new_object_is_no_change(self) -> None:
        before = at(Stage.LASERS, robot(1, 1), phase=1)
        after = evolve(before, robots=(robot(1, 1, registers=CARDS),), happened=Kind.LASERS)
        self.assertIsNone(changed(before, after))

    def test_revealing_names_nobody(self) -> None:
        before = at(Stage.REVEAL, robot(1, 1, registers=CARDS))
        self.assertEqual(changed(before, advance(before)), Event(Kind.REVEALED, ()))

    def test_placing_and_the_end_name_all(self) -> None:
        """Also those who are out, and also where nothing has changed."""
        robots = [ghost(1, 1), removed(robot(1, 1)), ghost(1, 1)]
        before = at(Stage.FACING, *robots)
        self.assertEqual(changed(before, advance(before)), Event(Kind.PLACED, (0, 1, 2)))
        before = at(Stage.ENDING, *robots)
        self.assertEqual(changed(before, advance(before)), Event(Kind.ENDED, (0, 1, 2)))

    def test_leaving_names_who_left(self) -> None:
        before = at(Stage.LASERS, robot(1, 1), robot(2, 1), robot(3, 1), phase=1)
        self.assertEqual(changed(before, remove(before, 1)), Event(Kind.LEFT, (1,)))

    def test_steps_that_channels_are_not_told_of(self) -> None:
        before = at(Stage.WIPE, robot(1, 1, registers=CARDS))
        self.assertIsNone(changed(before, advance(before)))

    def test_kinds_by_step(self) -> None:
        kinds = {
            Stage.EXPRESS: Kind.EXPRESS,
            Stage.BELTS: Kind.BELTS,
            Stage.PUSHERS: Kind.PUSHERS,
            Stage.GEARS: Kind.GEARS,
            Stage.CRUSHERS: Kind.CRUSHERS,
            Stage.LASERS: Kind.LASERS,
            Stage.TOUCH: Kind.TOUCHED,
            Stage.REPAIR: Kind.REPAIRED,
            Stage.MATERIALIZE: Kind.MATERIALIZED,
            Stage.NEW_ROBOTS: Kind.RETURNED,
            Stage.POWER: Kind.POWERED,
        }
        happened = {stage: advance(at(stage, robot(1, 1), phase=1)).happened for stage in kinds}
        self.assertEqual(happened, kinds)


class RankingTests(SynchronousTestCase):
    def order(self, *robots: Robot, **its: object) -> tuple[int, ...]:
        return ranking(at(Stage.OVER, *robots, **its))

    def test_flags_then_lives_then_damage_then_registration(self) -> None:
        robots = [
            robot(1, 1, damage=1),
            robot(1, 1, lives=2, flag=2),
            robot(1, 1, flag=2, damage=9),
            robot(1, 1, flag=2, damage=3),
            robot(1, 1, damage=1),
        ]
        self.assertEqual(self.order(*robots), (3, 2, 1, 0, 4))

    def test_the_destroyed_are_still_in_the_game(self) -> None:
        self.assertEqual(self.order(robot(1, 1), destroyed(robot(1, 1, flag=2), 1)), (1, 0))

    def test_removed_ones_last_and_the_last_removed_first(self) -> None:
        out = robot(1, 1, lives=0, damage=10)
        robots = [out, out._replace(flag=3), robot(1, 1), out]
        self.assertEqual(self.order(*robots, removals=((1,), (3,), (0,))), (2, 0, 3, 1))

    def test_removed_in_one_step(self) -> None:
        out = robot(1, 1, lives=0, damage=10)
        robots = [out, out._replace(flag=3), robot(1, 1), out]
        self.assertEqual(self.order(*robots, removals=((0, 1, 3),)), (2, 1, 0, 3))

    def test_finishers_first(self) -> None:
        robots = [robot(1, 1, flag=3, lives=1), robot(1, 1, flag=3), robot(1, 1, flag=2)]
        self.assertEqual(self.order(*robots, finishers=(1, 0)), (1, 0, 2))


class HelpTests(SynchronousTestCase):
    def test_replaced(self) -> None:
        self.assertEqual([replaced((1, 2, 3), seat, 9) for seat in range(3)], [(9, 2, 3), (1, 9, 3), (1, 2, 9)])

    def test_programs_complete(self) -> None:
        waiting = at(Stage.PROGRAM, robot(1, 1), waiting=frozenset({0}))
        self.assertIs(programs_complete(waiting), waiting)
        self.assertEqual(programs_complete(evolve(waiting, waiting=frozenset())).stage, Stage.REVEAL)
        other = at(Stage.REPAIR, robot(1, 1))
        self.assertIs(programs_complete(other), other)
