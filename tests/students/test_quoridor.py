"""Each of fifteen broken worlds makes a refusal that says what its mistake is, and the match beside it goes on."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.students.quoridor import BOTS, play


class StudentTests(SynchronousTestCase):
    def test_each_mistake_has_its_refusal(self) -> None:
        found = {student.name: play(student).codes for student in BOTS}
        wrong = {student.name: found[student.name] for student in BOTS if student.code not in found[student.name]}
        self.assertEqual(wrong, {})

    def test_each_refusal_has_a_reason_and_an_example(self) -> None:
        for student in BOTS:
            for refusal in play(student).refusals:
                self.assertTrue(refusal.reason and refusal.expected, (student.name, refusal))

    def test_nothing_else_is_said_of_them(self) -> None:
        noisy = {student.name: codes for student in BOTS if len(set(codes := play(student).codes)) > 1}
        self.assertEqual(noisy, {"bot-11": ["unfinished", "register-too-late"]})

    def test_there_are_fifteen_with_names_that_give_nothing_away(self) -> None:
        self.assertEqual([student.name for student in BOTS], [f"bot-{number:02}" for number in range(1, 16)])
        self.assertEqual(len({student.code for student in BOTS}), 15)
