"""Each student's bot is told what its mistake is."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.students.softwarechallenge import BOTS, played

CODES = {
    "bot-01": ["no-protocol"],
    "bot-02": ["http-request"],
    "bot-03": ["malformed-xml"],
    "bot-04": ["unknown-game-type"],
    "bot-05": ["document-ended"],
    "bot-06": ["hard-timeout"],
    "bot-07": ["out-of-turn"],
    "bot-08": ["first-contact"],
    "bot-09": ["unknown-class"],
    "bot-10": ["unknown-value"],
    "bot-11": ["no-room"],
    "bot-12": ["no-reservation"],
    "bot-13": ["no-request"],
    "bot-14": ["administrators-only"],
    "bot-15": ["soft-timeout"],
}


class StudentTests(SynchronousTestCase):
    def test_there_are_fifteen(self) -> None:
        self.assertEqual([bot.name for bot in BOTS], list(CODES))

    def test_each_is_told_its_mistake(self) -> None:
        for bot in BOTS:
            told = played(bot)
            self.assertEqual(told.codes, CODES[bot.name], f"{bot.name}: {bot.mistake}")
            self.assertEqual(len(told.log), len(told.codes), bot.name)
