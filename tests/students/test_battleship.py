"""A student's night, Battleship: each broken bot's author is told what is wrong with it, and not what is not."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.students.battleship import BOTS, play


class NightTests(SynchronousTestCase):
    def test_each_mistake_is_told(self) -> None:
        self.assertEqual(len(BOTS), 15)
        for student in BOTS:
            night = play(student)
            self.assertIn(student.code, [refusal.code for refusal in night.refusals], student)
            for refusal in night.refusals:
                self.assertTrue(refusal.reason, student)
                self.assertTrue(refusal.expected, student)
                self.assertTrue(refusal.text or refusal.code in {"idle", "no-answer", "empty-line", "left"}, student)

    def test_nothing_is_held_against_the_opponent(self) -> None:
        for student in BOTS:
            night = play(student)
            found = night.harness.lobby.refusals.of(night.room.id)
            self.assertEqual({peer for _, peer in found} - {night.wire.session.called}, set(), student)

    def test_it_shows_in_the_log_on_the_console_and_on_the_page(self) -> None:
        for student in BOTS:
            night = play(student)
            refusal = next(refusal for refusal in night.refusals if refusal.code == student.code)
            for shown in ("\n".join(night.lines), night.console(), night.pages[-1]):
                self.assertIn(student.code, shown, student)
                self.assertIn(refusal.reason, shown, student)

    def test_the_console_shows_no_clock_of_a_room_that_is_closed(self) -> None:
        night = play(BOTS[0])
        self.assertTrue(night.room.is_closed)
        self.assertNotIn("looks again", night.console())

    def test_a_name_does_not_give_the_mistake_away(self) -> None:
        self.assertEqual([student.name for student in BOTS], [f"bot-{number:02}" for number in range(1, 16)])
