"""Each broken bot is told what is wrong with it, and harms nobody else."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.students.roborally import BOTS, night


class StudentTests(SynchronousTestCase):
    def test_each_is_told_what_is_wrong(self) -> None:
        for student in BOTS:
            played = night(student)
            codes = [refusal.code for refusal in played.bot.wire.session.refusals.first]
            self.assertIn(student.code, codes, student.mistake)
            self.assertTrue(any(line.startswith(f"refused {student.code}: ") for line in played.lines), student.mistake)

    def test_nobody_else_is_refused_or_closed(self) -> None:
        for student in BOTS:
            played = night(student)
            self.assertEqual([peer.wire.session.refusals.counts for peer in played.others], [{}, {}], student.mistake)

    def test_the_names_tell_nothing(self) -> None:
        self.assertEqual([student.name for student in BOTS], [f"bot-{number:02}" for number in range(1, 16)])
