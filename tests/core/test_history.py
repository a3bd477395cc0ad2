"""Histories: facts, outcome, and what they are made of."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.core.history import ATTESTED, LINE, REFUSED, STARTED, Entry, History, ended


def history(*entries: Entry) -> History:
    options = {"roles": "random", "corner_contact": True, "limit": 3}
    return History("id", "battleship", "2026-11-21T09:00:00.123Z", 7, options, list(entries))


class HistoryTests(SynchronousTestCase):
    def test_its_facts_survive_the_journal(self) -> None:
        self.assertEqual(History.from_opened("id", history().opened()), history())

    def test_a_missing_fact_is_a_key_error(self) -> None:
        self.assertRaises(KeyError, History.from_opened, "id", Entry(0, "opened"))

    def test_what_changes_no_position_is_set_apart(self) -> None:
        refused, attested = Entry(2, REFUSED, 0), Entry(3, ATTESTED, 1)
        found = history(Entry(1, STARTED), refused, attested, Entry(4, LINE, 0))
        found.set_apart()
        self.assertEqual([entry.at for entry in found.entries], [1, 4])
        self.assertEqual((found.refused, found.attested), ((refused,), (attested,)))

    def test_it_was_started_or_not(self) -> None:
        self.assertFalse(history(Entry(0, "joined", 0)).was_started)
        self.assertTrue(history(Entry(0, "joined", 0), Entry(0, STARTED)).was_started)

    def test_the_last_entry_states_the_outcome(self) -> None:
        for outcome in (Outcome(Termination.VICTORY, 0), Outcome(Termination.SHUTDOWN)):
            self.assertEqual(history(Entry(0, STARTED), ended(5, outcome)).outcome, outcome)

    def test_a_history_that_breaks_off_has_none(self) -> None:
        self.assertIsNone(history().outcome)
        self.assertIsNone(history(Entry(0, STARTED)).outcome)

    def test_entries_of_one_kind(self) -> None:
        lines = [Entry(1, LINE, 0, b"a"), Entry(2, LINE, 1, b"b")]
        self.assertEqual(list(history(lines[0], Entry(1, STARTED), lines[1]).of_kind(LINE)), lines)
