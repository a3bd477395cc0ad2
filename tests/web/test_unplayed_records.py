"""Records that gamed does not play, in the API: found by their format, shown as an outline, had as they are."""

from __future__ import annotations

import json

import attrs

from gamed.records.record import Record, document
from gamed.web.opened import MOST_LINES, RecordCache
from tests.records.documents import UNKNOWN, outcome
from tests.web.test_archive import MISSING, ArchiveCase, played


class UnplayedTests(ArchiveCase):
    def test_a_record_of_nobody_knows_what(self) -> None:
        kept = outcome(UNKNOWN).record
        assert kept is not None
        id = self.keep(kept)  # noqa: A001
        told = self.read(f"records/{id}")
        self.assertEqual((told["game"], told["boards"], told["formats"]), (None, False, ["xml"]))
        head = {"depth": 0, "name": "header", "attributes": {"{urn:klub}b": "2", "a": "1"}, "text": ""}
        self.assertEqual(told["content"][0], head)
        self.assertFalse(told["isCut"])
        self.assertEqual(self.read("records", publisher="Klub Löwe", version="3.0")["records"][0]["id"], id)
        self.assertEqual(self.read("records", publisher="Klub Löwe", version="3")["records"], [])
        self.assertEqual(self.refused(f"records/{id}/positions").code, "no-boards")
        self.assertEqual(self.ask(f"records/{id}/file").encoded(), document(kept))
        self.assertEqual(self.refused(f"records/{id}/file", format="gofans").code, "no-format")

    def test_a_long_record_of_nobody_knows_what_is_cut(self) -> None:
        kept = Record(MISSING, "Chess Club", "3.0", b"<header/>", b"<body>" + b"<e4/>" * MOST_LINES + b"</body>")
        told = self.read(f"records/{self.keep(kept)}")
        self.assertEqual((len(told["content"]), told["isCut"]), (MOST_LINES, True))

    def test_a_record_that_is_no_valid_one_is_had_as_it_is(self) -> None:
        good, _ = played("quoridor")
        for old, new in ((b'termination="', b'termination="un'), (b"<opened>", b"<opened>x"), (b"<id>", b"<ix>")):
            bad = attrs.evolve(good, header=good.header.replace(old, new), body=good.body.replace(old, new))
            self.store.records[bad.id] = bad
            self.archive.record_cache = RecordCache()
            told = self.read(f"records/{bad.id}")
            self.assertEqual((told["game"], told["boards"]), (None, False), old)
            self.assertEqual(self.ask(f"records/{bad.id}/file", admin=True).encoded(), document(bad))
            # Nobody knows whether there are addresses in it.
            self.assertEqual(told["content"], [])
            shown = json.loads(self.ask(f"records/{bad.id}", admin=True).encoded())
            # The last of them is not XML any longer.
            self.assertEqual(bool(shown["content"]), old != b"<id>")
            self.assertEqual(self.refused(f"records/{bad.id}/file").code, "addresses")
