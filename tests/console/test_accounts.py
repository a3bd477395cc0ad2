"""Passwords: hashes, delays, one at a time, and forgetting."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.console import accounts
from gamed.console.accounts import FORGIVEN, LONGEST_DELAY, Accounts, Secret
from tests.console.desks import PASSWORD, SECRET, at_once
from tests.store.logs import sentences


class SecretTests(SynchronousTestCase):
    def test_only_the_password_matches(self) -> None:
        for word, matches in ((PASSWORD, True), (PASSWORD.lower(), False), ("", False), ("\udcff", False)):
            self.assertIs(SECRET.thd_matches(word), matches, ascii(word))

    def test_equal_passwords_have_different_hashes_and_none_is_shown(self) -> None:
        other = Secret.of(PASSWORD)
        self.assertNotEqual((other.salt, other.hash), (SECRET.salt, SECRET.hash))
        self.assertNotIn(PASSWORD, repr(other))
        self.assertNotIn(repr(other.hash), repr(other))


class AccountsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.looked: list[str] = []
        self.accounts = Accounts("admin", SECRET, self.clock, at_once)

    def check(self, password: str = "wrong", user: str = "admin", address: str = "192.0.2.1") -> Deferred[bool]:
        return self.accounts.check(user, password, address)

    def test_who_is_right_is_let_in_at_once(self) -> None:
        self.assertIs(self.successResultOf(self.check(PASSWORD)), True)
        self.assertEqual(self.accounts.failures, 0)

    def test_another_user_with_the_password_is_wrong(self) -> None:
        checked = self.check(PASSWORD, "root")
        self.clock.advance(1)
        self.assertIs(self.successResultOf(checked), False)

    def test_the_delay_doubles_up_to_a_limit(self) -> None:
        for delay in (1.0, 2.0, 4.0, 8.0, 16.0, LONGEST_DELAY, LONGEST_DELAY):
            checked = self.check()
            self.clock.advance(delay - 0.1)
            self.assertNoResult(checked)
            self.clock.advance(0.2)
            self.assertIs(self.successResultOf(checked), False)
        self.assertEqual(self.accounts.failures, 7)

    def test_parallel_tries_of_an_address_wait_for_each_other(self) -> None:
        first, second, other = self.check(), self.check(PASSWORD), self.check(PASSWORD, address="192.0.2.2")
        self.assertIs(self.successResultOf(other), True)
        self.assertNoResult(second)
        self.clock.advance(1)
        self.assertIs(self.successResultOf(first), False)
        self.assertIs(self.successResultOf(second), True)

    def test_a_network_of_ipv6_is_one_address(self) -> None:
        self.check(address="2001:db8::1")
        checked = self.check(PASSWORD, address="2001:db8::2")
        self.assertNoResult(checked)
        self.assertIs(self.successResultOf(self.check(PASSWORD, address="2001:db8:0:1::1")), True)

    def test_wrong_ones_are_forgotten_in_time_and_by_a_right_one(self) -> None:
        for forget in (lambda: self.clock.advance(FORGIVEN), lambda: self.check(PASSWORD)):
            checked = self.check()
            self.clock.advance(1)
            self.successResultOf(checked)
            forget()
        checked = self.check()
        self.clock.advance(1)
        self.assertIs(self.successResultOf(checked), False)

    def test_addresses_have_an_end(self) -> None:
        self.patch(accounts, "ADDRESSES", 10)
        for number in range(100):
            self.check(address=f"192.0.2.{number}")
        self.assertEqual(len(self.accounts._records), 10)

    def test_the_log_counts_and_has_no_password(self) -> None:
        with capturedLogs() as logs:
            self.check("hunter2")
        (said,) = sentences(logs)
        self.assertEqual(said, "console: wrong user or password: address=192.0.2.1 times=1 in all=1 delay=1 s")

    def test_a_changed_account_holds_at_once(self) -> None:
        self.accounts.change("root", Secret.of("other"))
        self.assertIs(self.successResultOf(self.check("other", "root")), True)
        checked = self.check(PASSWORD)
        self.clock.advance(1)
        self.assertIs(self.successResultOf(checked), False)
