"""What was made to cost much is refused at once: the processor time that each of it takes.

The unit tests show what is answered. Time is measured here, where nothing else of ours runs.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go import sgf_encodings
from gamed.records.index import validate
from gamed.records.record import document
from tests.games.softwarechallenge.harness import SeasonHarness
from tests.games.softwarechallenge.test_bombs import BOMBS, fed
from tests.proofs import skip  # noqa: F401 (trial looks for `skip`)
from tests.records import test_importer_hostile
from tests.records.documents import outcome
from tests.records.gogames import line, record
from tests.records.test_importer import OWN
from tests.records.test_sgf_encodings import GUESSED, NAMELESS

BOMB_RATIO = 1.0
"""Of the time in which Python makes the texts of 100,000 numbers, some 10 ms: a ratio in one run counts."""

DOCUMENT_SECONDS = 0.200
SEARCH_SECONDS = 1.0
GUESS_SECONDS = 2.0
DEEP_SECONDS = 2.0


class RefusalTimeTests(SynchronousTestCase):
    def least(self, *calls: Callable[[], object]) -> float:
        """Return the least processor time of calls, or of three of one: the machine may be busy with other things."""
        spent = []
        for call in calls if len(calls) > 1 else calls * 3:
            began = process_time()
            call()
            spent.append(process_time() - began)
        return min(spent)

    def test_streams_of_the_software_challenge(self) -> None:
        harness = SeasonHarness()
        for name, (head, rest) in BOMBS.items():
            spent = self.least(lambda head=head, rest=rest: fed(harness, harness.connect(), head, rest))
            # Beside it, because the machine may be slower at one moment than at another.
            usual = self.least(lambda: [str(number) for number in range(100_000)])
            self.assertLess(spent, BOMB_RATIO * usual, name)

    def test_documents(self) -> None:
        outcome(OWN)
        # Streams are read once, so each call has cases of its own.
        for same in zip(*(test_importer_hostile.HostileTests().cases() for _ in range(3)), strict=True):
            spent = self.least(*(refuse for _, refuse in same))
            self.assertLess(spent, DOCUMENT_SECONDS, same[0][0])

    def test_encodings_of_sgf(self) -> None:
        for data in NAMELESS:
            self.assertLess(self.least(lambda data=data: sgf_encodings.declared(data)), SEARCH_SECONDS, data[:9])
        for data in GUESSED:
            self.assertLess(self.least(lambda data=data: sgf_encodings.decoded(data)), GUESS_SECONDS, data[:9])

    def test_deep_records_of_gofans(self) -> None:
        """A keyref over nested moves would take much longer."""
        moves = b'<move playerId="0">' * 1_900 + b'<move playerId="1"/>' * 100_000 + b"</move>" * 1_900
        whole = document(record(line(0), "1.2")).replace(b"<body>", b"<body>" + moves)
        self.assertLess(self.least(lambda: validate(whole)), DEEP_SECONDS)
