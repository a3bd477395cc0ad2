"""The journal and the store in memory pass the tests of the real ones."""

from __future__ import annotations

import attrs

from gamed.store import Journal
from gamed.store.memory import MemoryJournal, MemoryStore
from tests.store.contract import journal_tests, store_tests


def _restarted(journal: Journal) -> Journal:
    assert isinstance(journal, MemoryJournal)
    return attrs.evolve(journal)


MemoryJournalTests = journal_tests(lambda _: MemoryJournal(), _restarted)
MemoryStoreTests = store_tests(lambda _, __: MemoryStore())
