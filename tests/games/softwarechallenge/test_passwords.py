"""How often an address may be wrong about the password."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.softwarechallenge.passwords import FAILURES, FORGIVEN, PasswordGuard


class PasswordGuardTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.guard = PasswordGuard("Käse")

    def fail_at(self, *times: float, address: str = "a") -> None:
        """Have an address be wrong at these times."""
        for now in times:
            self.assertFalse(self.guard.admits(address, "Kase", now))

    def test_right_and_wrong(self) -> None:
        for password in ("", "K", "Käs", "käse", "Käse ", "Ka\u0308se"):
            self.assertFalse(PasswordGuard("Käse").admits("a", password, 0), password)
        self.assertTrue(self.guard.admits("a", "Käse", 0))

    def test_so_many_failures_block(self) -> None:
        self.fail_at(*range(FAILURES - 1))
        self.assertFalse(self.guard.is_blocked("a", 5))
        self.assertTrue(self.guard.admits("a", "Käse", 5))
        self.fail_at(5)
        self.assertTrue(self.guard.is_blocked("a", 5))
        self.assertFalse(self.guard.admits("a", "Käse", 5))

    def test_no_other_address(self) -> None:
        self.fail_at(*range(FAILURES))
        self.assertTrue(self.guard.admits("b", "Käse", 5))

    def test_each_failure_is_forgiven_after_its_time(self) -> None:
        self.fail_at(0, 10, 20, 30, 40)
        self.assertTrue(self.guard.is_blocked("a", FORGIVEN - 0.001))
        self.assertFalse(self.guard.is_blocked("a", FORGIVEN))
        self.fail_at(FORGIVEN)
        self.assertTrue(self.guard.is_blocked("a", FORGIVEN + 9.999))
        self.assertFalse(self.guard.is_blocked("a", FORGIVEN + 10))

    def test_hammering_does_not_make_it_longer(self) -> None:
        self.fail_at(*range(5))
        self.fail_at(*range(5, 60))
        self.assertFalse(self.guard.is_blocked("a", FORGIVEN))

    def test_five_guesses_a_minute_and_no_more(self) -> None:
        guesses = 0
        for tenth in range(6_000):
            if not self.guard.is_blocked("a", tenth / 10):
                self.fail_at(tenth / 10)
                guesses += 1
        self.assertEqual(guesses, 50)

    def test_nothing_is_kept_of_old_failures(self) -> None:
        for number in range(10_000):
            self.fail_at(number / 100, address=f"2001:db8::{number:x}")
        self.assertLessEqual(len(self.guard), 6_001)
        self.fail_at(300, address="b")
        self.assertEqual(len(self.guard), 1)

    def test_who_fails_again_is_not_forgotten_early(self) -> None:
        self.fail_at(0)
        self.fail_at(1, address="b")
        self.fail_at(50, 50, 50, 50)
        self.fail_at(61.5, address="c")
        self.assertEqual(len(self.guard), 2)
        self.fail_at(61.5)
        self.assertTrue(self.guard.is_blocked("a", 62))

    def test_the_password_is_not_printed(self) -> None:
        self.assertNotIn("Käse", repr(self.guard))
