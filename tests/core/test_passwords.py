"""The rule for wrong passwords: what is held back for how long, for whom, and how little is remembered."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core import passwords
from gamed.core.passwords import (
    FORGIVEN,
    LONGEST_DELAY,
    MANY,
    MINUTE,
    MOST_HELD,
    MOST_HELD_IN_ALL,
    PasswordGuard,
    is_same,
)

HERE = "192.0.2.7"


class ComparisonTests(SynchronousTestCase):
    def test_right_and_wrong(self) -> None:
        for given_ in ("", "K", "Käs", "käse", "Käse ", "Ka\u0308se", "\ud800"):
            self.assertIs(is_same(given_, "Käse"), False, ascii(given_))
        self.assertIs(is_same("Käse", "Käse"), True)


class PasswordGuardTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.guard = PasswordGuard()

    def delay(self, now: float = 0.0, user: str = "admin", address: str = HERE, *, is_exempt: bool = False) -> float:
        return self.guard.wrong(user, address, now, is_exempt=is_exempt).delay

    def test_the_delay_doubles_up_to_a_limit(self) -> None:
        delays = [self.delay(100.0 * number) for number in range(7)]
        self.assertEqual(delays, [1.0, 2.0, 4.0, 8.0, 16.0, LONGEST_DELAY, LONGEST_DELAY])

    def test_each_user_and_each_address_has_its_own(self) -> None:
        self.delay()
        self.assertEqual(self.delay(user="root"), 1)
        self.assertEqual(self.delay(address="192.0.2.8"), 1)
        self.assertEqual(self.delay(), 2)

    def test_a_network_of_ipv6_is_one_address(self) -> None:
        self.delay(address="2001:db8::1")
        self.assertEqual(self.delay(address="2001:db8::ffff:2"), 2)
        self.assertEqual(self.delay(address="2001:db8:0:1::1"), 1)

    def test_wrong_ones_are_forgotten_in_time_and_by_a_right_one(self) -> None:
        self.delay()
        self.assertEqual(self.delay(FORGIVEN), 2)
        self.assertEqual(self.delay(2 * FORGIVEN + 1), 1)
        self.guard.right("admin", HERE)
        self.assertEqual(self.delay(2 * FORGIVEN + 2), 1)

    def test_so_many_answers_of_an_address_are_held_back_and_no_more(self) -> None:
        delays = [self.delay(user=str(number)) for number in range(MOST_HELD + 10)]
        self.assertEqual(delays, [1.0] * MOST_HELD + [0.0] * 10)
        self.assertEqual(self.delay(address="192.0.2.8"), 1)
        # The answers have left.
        self.assertEqual(self.delay(1.0, user="other"), 1)

    def test_nor_over_all_addresses(self) -> None:
        delays = [self.delay(address=f"10.0.{number // 250}.{number % 250}") for number in range(MOST_HELD_IN_ALL + 5)]
        self.assertEqual(delays.count(0.0), 5)

    def test_an_exempt_address_waits_for_nothing_and_takes_no_place(self) -> None:
        self.assertEqual({self.delay(is_exempt=True) for _ in range(200)}, {0.0})
        self.assertEqual(self.guard.wrong("root", HERE, 0.0).delay, 1)

    def test_little_is_remembered_of_many(self) -> None:
        self.patch(passwords, "REMEMBERED", 64)
        for number in range(300):
            self.delay(float(number), user="x" * 5_000 + str(number), address=f"2001:db8:{number:x}::")
        self.assertEqual(len(self.guard), 64)
        self.assertLessEqual(len(self.guard._held), 2)
        self.assertEqual(len(self.guard._held_of), len(self.guard._held))
        self.assertEqual({len(user) for user, _ in self.guard._failures}, {passwords._USER_LENGTH})

    def test_many_in_a_minute_are_an_alarm_once_a_minute(self) -> None:
        step = MINUTE / (MANY + 1)
        alarms = []
        for number in range(3 * MANY):
            found = self.guard.wrong("admin", f"10.0.0.{number % 250}", number * step)
            if found.is_alarm:
                alarms.append(number)
            self.assertIs(found.is_quiet, number >= MANY)
        self.assertEqual(alarms[0], MANY)
        self.assertEqual([after - before for before, after in pairwise(alarms)], [MANY + 1])

    def test_so_many_in_more_than_a_minute_are_none(self) -> None:
        found = [self.guard.wrong("admin", HERE, number * 1.01 * MINUTE / MANY) for number in range(3 * MANY)]
        self.assertFalse(any(one.is_alarm or one.is_quiet for one in found))


class RuleTests(SynchronousTestCase):
    @given(
        st.lists(
            st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["192.0.2.1", "192.0.2.2"]), st.floats(0, 5)),
            max_size=300,
        )
    )
    def test_whatever_comes_no_address_has_too_many_and_none_waits_too_long(
        self, tries: list[tuple[str, str, float]]
    ) -> None:
        guard, now, held = PasswordGuard(), 0.0, []
        for user, address, pause in tries:
            now += pause / 10
            delay = guard.wrong(user, address, now).delay
            self.assertLessEqual(delay, LONGEST_DELAY)
            if delay:
                held.append((address, now + delay))
            waiting = sum(where == address and until > now for where, until in held)
            self.assertLessEqual(waiting, MOST_HELD)
            # Nobody gets round it while there is room.
            self.assertTrue(delay or waiting == MOST_HELD)
