"""`gamed play --again`: from which move on two games differ. That games are the same: tests/arena/play_trials.py."""

from __future__ import annotations

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.cli.again import difference
from gamed.core.game import Outcome, Termination
from gamed.core.history import DRAWN, JOINED, MOVE, Entry, History, ended
from gamed.tournament.results import result_of

ENTRIES = (
    Entry(1, JOINED, 0, data={"name": "x"}),
    Entry(2, DRAWN, None, b"7"),
    Entry(3, MOVE, 0, b"a1"),
    Entry(4, DRAWN, None, b"8"),
    Entry(5, MOVE, 1, b"b2"),
)


def game(*entries: Entry) -> History:
    return History("1a2b3c4d", "quoridor", "2026-11-29T10:00:00.000Z", 7, {}, list(entries))


class DifferenceTests(SynchronousTestCase):
    def test_only_what_is_drawn_and_moved_counts(self) -> None:
        later = [evolve(entry, at=9) for entry in ENTRIES[1:]]
        self.assertIsNone(difference(game(*ENTRIES), game(*later)))

    def test_the_first_difference(self) -> None:
        for number, entry, found in (
            (1, Entry(2, DRAWN, None, b"9"), (1, "7", "9")),
            (2, Entry(3, MOVE, 1, b"a1"), (1, "b2", "a1")),
            (3, Entry(4, DRAWN, None, b"9"), (2, "8", "9")),
            (4, Entry(4, MOVE, 1, b"\xff"), (2, "b2", "\ufffd")),
        ):
            other = game(*ENTRIES[:number], entry, *ENTRIES[number + 1 :])
            self.assertEqual(difference(game(*ENTRIES), other), found)

    def test_players_who_move_at_the_same_time_do_so_in_no_order(self) -> None:
        same = (*ENTRIES[:2], *ENTRIES[4:1:-1])
        self.assertIsNone(difference(game(*ENTRIES), game(*same)))
        digests = {result_of(game(*entries, ended(9, Outcome(Termination.DRAW)))).digest for entries in (ENTRIES, same)}
        self.assertEqual(len(digests), 1)

    def test_one_is_longer(self) -> None:
        self.assertEqual(difference(game(*ENTRIES), game(*ENTRIES[:3])), (2, "8", ""))
        self.assertEqual(difference(game(*ENTRIES[:4]), game(*ENTRIES)), (2, "", "b2"))
