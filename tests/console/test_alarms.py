"""What a referee that warns shows to those who are logged in."""

from __future__ import annotations

from gamed.games.battleship import Settings
from tests.console.sessions import ConsoleTestCase

AT_ONCE_TWICE = b"(1,[0,0]).\n(1,[1,0]).\n"


class WarningTests(ConsoleTestCase):
    settings = Settings(referee="warn")

    def test_a_finding_is_shown_to_all(self) -> None:
        _, second = self.match()
        self.notified.clear()
        second.send(AT_ONCE_TWICE)
        self.harness.clock.pump([0.0, 1.0, 0.0])
        self.assertRegex("".join(self.notified), r"^[0-9a-f]{8} finding out-of-turn seat 1 .+: .+\n$")

    def test_what_cannot_be_shown_harms_no_room(self) -> None:
        first, second = self.match()
        self.operator.notify = lambda _text: 1 / 0
        second.send(AT_ONCE_TWICE)
        self.harness.clock.pump([0.0, 1.0, 0.0])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertFalse(first.is_closed or second.is_closed)


class ObservingTests(ConsoleTestCase):
    def test_one_that_observes_shows_nothing(self) -> None:
        _, second = self.match()
        self.notified.clear()
        second.send(AT_ONCE_TWICE)
        self.harness.clock.pump([0.0, 1.0, 0.0])
        self.assertEqual(self.notified, [])
