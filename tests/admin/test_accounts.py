"""The one account: hashes, right and wrong, and what a flood of guesses costs."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.admin.accounts import NO_SECRET, Accounts, Secret
from gamed.core.passwords import MANY, MOST_HELD
from gamed.core.stats import Stats
from gamed.lobby.logins import Logins
from tests.console.sessions import PASSWORD, SECRET, at_once
from tests.store.logs import sentences


class SecretTests(SynchronousTestCase):
    def test_only_the_password_matches(self) -> None:
        for word, matches in ((PASSWORD, True), (PASSWORD.lower(), False), ("", False), ("\udcff", False)):
            self.assertIs(SECRET.thd_matches(word), matches, ascii(word))
            self.assertIs(SECRET.may_match(word), matches, ascii(word))
            self.assertIs(NO_SECRET.may_match(word), False)

    def test_equal_passwords_have_different_hashes_and_none_is_shown(self) -> None:
        other = Secret.of(PASSWORD)
        for name in ("salt", "hash", "mark"):
            self.assertNotEqual(getattr(other, name), getattr(SECRET, name))
        self.assertNotIn(PASSWORD, repr(other))
        self.assertNotIn(repr(other.hash), repr(other))
        self.assertNotIn(repr(other.mark), repr(other))


class AccountsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.hashed: list[str] = []
        self.stats = Stats()
        self.logins = Logins(self.clock.seconds, self.stats)
        self.accounts = Accounts({"admin": SECRET}, self.clock, self.in_thread, self.logins)

    def in_thread(self, call: Any, password: str) -> Deferred[Any]:
        self.hashed.append(password)
        return at_once(call, password)

    def check(self, password: str = "wrong", user: str = "admin", address: str = "192.0.2.1") -> Deferred[bool]:
        return self.accounts.check(user, password, address)

    def test_who_is_right_is_let_in_at_once(self) -> None:
        self.assertIs(self.successResultOf(self.check(PASSWORD)), True)
        self.assertEqual(self.stats.wrong_passwords.total(), 0)

    def test_another_user_with_the_password_is_wrong_and_learns_nothing(self) -> None:
        checked = self.check(PASSWORD, "root")
        self.assertNoResult(checked)
        self.clock.advance(1)
        self.assertIs(self.successResultOf(checked), False)
        self.assertEqual(self.hashed, [])

    def test_the_answer_to_a_wrong_one_is_held_back(self) -> None:
        for delay in (1.0, 2.0, 4.0):
            checked = self.check()
            self.clock.advance(delay - 0.1)
            self.assertNoResult(checked)
            self.clock.advance(0.2)
            self.assertIs(self.successResultOf(checked), False)
        self.assertEqual(self.stats.wrong_passwords, {"console": 3})

    def test_the_right_one_waits_for_no_wrong_one(self) -> None:
        guesses = [self.check(f"guess {number}") for number in range(10 * MOST_HELD)]
        self.assertIs(self.successResultOf(self.check(PASSWORD)), True)
        # Guesses cost no scrypt.
        self.assertEqual(self.hashed, [PASSWORD])
        self.assertEqual(sum(bool(guess.paused) for guess in guesses), MOST_HELD)
        self.clock.advance(30)
        self.assertEqual({self.successResultOf(guess) for guess in guesses}, {False})

    def test_an_address_with_an_administrator_waits_for_nothing(self) -> None:
        self.logins.administrators.append(lambda: ["2001:db8::1"])
        self.assertIs(self.successResultOf(self.check(address="2001:db8::2")), False)
        self.assertNoResult(self.check())

    def test_the_log_counts_and_has_no_password(self) -> None:
        with capturedLogs() as logs:
            self.check("hunter2")
        (said,) = sentences(logs)
        self.assertEqual(said, "console: wrong user or password: address=192.0.2.1 times=1 in all=1 delay=1 s")

    def test_a_flood_is_one_warning_and_one_metric(self) -> None:
        with capturedLogs() as logs:
            for number in range(10 * MANY):
                self.check(address=f"10.0.0.{number % 250}")
        said = sentences(logs)
        self.assertEqual(len(said), MANY + 1)
        self.assertIn(f"more than {MANY} wrong passwords in a minute", said[-1])
        self.assertEqual((self.stats.password_alarms, self.stats.wrong_passwords["console"]), (1, 10 * MANY))

    def test_a_changed_account_holds_at_once(self) -> None:
        self.accounts.secrets = {"root": Secret.of("other")}
        self.assertIs(self.successResultOf(self.check("other", "root")), True)
        checked = self.check(PASSWORD)
        self.clock.advance(1)
        self.assertIs(self.successResultOf(checked), False)
