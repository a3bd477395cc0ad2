"""Damage, locks, destruction.

Source: docs/specs/roborally.md#382-the-state-of-a-robot, docs/specs/roborally.md#46-lasers-damage-flags,
docs/specs/roborally.md#47-power-down.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.robots import (
    DESTROYED,
    EMPTY,
    Robot,
    damaged,
    destroyed,
    locks,
    opened,
    programmed,
    removed,
    wiped,
)
from tests.games.roborally.making import CARDS, E, robot


class LockTests(SynchronousTestCase):
    def test_locks_by_damage(self) -> None:
        self.assertEqual([locks(damage) for damage in range(10)], [0, 0, 0, 0, 0, 1, 2, 3, 4, 5])

    def test_below_five_points_nothing_locks(self) -> None:
        self.assertEqual(damaged(robot(1, 1), 4, 1), robot(1, 1, damage=4))

    def test_from_the_highest_register_down(self) -> None:
        hit = robot(1, 1, registers=CARDS)
        seen = []
        for _ in range(9):
            hit = damaged(hit, 1, 1)
            seen.append(hit.locked)
        self.assertEqual(seen, [(), (), (), (), (5,), (4, 5), (3, 4, 5), (2, 3, 4, 5), (1, 2, 3, 4, 5)])

    def test_the_highest_open_one_locks(self) -> None:
        self.assertEqual(damaged(robot(1, 1, damage=7, locked=(1, 4, 5)), 1, 1).locked, (1, 3, 4, 5))
        self.assertEqual(damaged(robot(1, 1, damage=5, locked=(3,)), 3, 1).locked, (2, 3, 4, 5))

    def test_free_registers(self) -> None:
        self.assertEqual(robot(1, 1).free, (1, 2, 3, 4, 5))
        self.assertEqual(robot(1, 1, damage=7, locked=(1, 3, 5)).free, (2, 4))

    def test_locked_cards(self) -> None:
        its = robot(1, 1, damage=6, locked=(2, 5), registers=CARDS)
        self.assertEqual(its.locked_cards, ((2, 9), (5, 51)))

    @given(st.lists(st.integers(1, 4), max_size=9))
    @settings(deadline=None, max_examples=200)
    def test_hits_together_are_as_hits_in_turn(self, hits: list[int]) -> None:
        alone = robot(1, 1, registers=CARDS)
        for hit in hits:
            if alone.is_standing:
                alone = damaged(alone, hit, 2)
        together = damaged(robot(1, 1, registers=CARDS), sum(hits), 2) if hits else robot(1, 1, registers=CARDS)
        self.assertEqual(alone, together)
        self.assertEqual(len(alone.locked), locks(alone.damage) if alone.is_standing else 0)


class DestructionTests(SynchronousTestCase):
    def test_the_tenth_point(self) -> None:
        self.assertTrue(damaged(robot(1, 1, damage=8), 1, 3).is_standing)
        self.assertFalse(damaged(robot(1, 1, damage=8), 2, 3).is_standing)
        self.assertEqual(damaged(robot(1, 1, damage=8), 200, 3).damage, DESTROYED)

    def test_what_it_shows_then(self) -> None:
        """4.7, 3.8.2: on its archive, facing as before, no locks, active, real, a life less."""
        before = robot(
            4,
            4,
            E,
            archive=(2, 1),
            flag=2,
            damage=6,
            locked=(4, 5),
            registers=CARDS,
            is_virtual=True,
            is_announced=True,
        )
        self.assertEqual(
            destroyed(before, 3),
            Robot(E, (2, 1), (2, 1), 2, flag=2, damage=10, registers=CARDS, fell_in=3),
        )

    def test_a_powered_down_robot_loses_the_cards_it_kept(self) -> None:
        after = destroyed(robot(1, 1, registers=CARDS, is_active=False), 3)
        self.assertEqual(after.registers, EMPTY)
        self.assertTrue(after.is_active)

    def test_the_last_life(self) -> None:
        after = destroyed(robot(1, 1, lives=1), 3)
        self.assertTrue(after.is_removed)
        self.assertFalse(destroyed(robot(1, 1, lives=2), 3).is_removed)

    def test_leaving_takes_all_lives_and_cards(self) -> None:
        after = removed(robot(4, 4, archive=(1, 1), damage=6, locked=(4, 5), registers=CARDS, is_announced=True))
        self.assertEqual(after, robot(1, 1, lives=0, damage=10))
        self.assertFalse(after.is_standing)
        self.assertTrue(after.is_removed)


class RegisterTests(SynchronousTestCase):
    def test_a_program_fills_the_open_registers_in_order(self) -> None:
        self.assertEqual(programmed(robot(1, 1), (1, 2, 3, 4, 5)).registers, (1, 2, 3, 4, 5))
        locked = robot(1, 1, damage=7, locked=(1, 3, 5), registers=(60, None, 61, None, 62))
        self.assertEqual(programmed(locked, (52, 1)).registers, (60, 52, 61, 1, 62))

    def test_a_wrong_number_of_cards_is_our_defect(self) -> None:
        self.assertRaises(ValueError, programmed, robot(1, 1), (1, 2, 3, 4))

    def test_wiping_spares_locked_registers(self) -> None:
        self.assertEqual(wiped(robot(1, 1, registers=CARDS)).registers, EMPTY)
        locked = robot(1, 1, damage=6, locked=(2, 5), registers=CARDS)
        self.assertEqual(wiped(locked), locked._replace(registers=(None, 9, None, None, 51)))
        self.assertEqual(wiped(robot(1, 1)), robot(1, 1))

    def test_opening_leaves_the_cards(self) -> None:
        locked = robot(1, 1, damage=7, locked=(3, 4, 5), registers=CARDS)
        self.assertEqual(opened(locked, 5, (5, 3)), locked._replace(damage=5, locked=(4,)))
        self.assertEqual(opened(locked, 0, (3, 4, 5)), locked._replace(damage=0, locked=()))
