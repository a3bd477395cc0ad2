"""The pages on records say what the code does: outcomes, examples, the way to a new format."""

from __future__ import annotations

import re
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go.gofans import VERSIONS
from gamed.games.go.played import REMARKS
from gamed.records.importer import CODES, TAKEN, check
from gamed.records.index import VIOLATIONS, index
from tests.records.documents import outcome
from tests.test_docs import ROOT, blocks, first_cells, section

RECORDS = ROOT / "docs" / "reference" / "records.md"
HOWTO = ROOT / "docs" / "howto" / "add-a-format.md"


class RecordsPageTests(SynchronousTestCase):
    def test_every_outcome_is_there(self) -> None:
        shown = section(RECORDS, "The import")
        self.assertEqual(first_cells(shown), list(CODES))
        for code in CODES:
            self.assertIn(f"| `{code}` | {'yes' if code in TAKEN else 'no'} |", shown)

    def test_every_detail_and_remark_is_there(self) -> None:
        shown = section(RECORDS, "What is wrong or odd, by codes")
        cells = " ".join(re.findall(r"^\| (.*?) \|", shown, re.MULTILINE))
        self.assertEqual(set(re.findall(r"`([a-z-]+)`", cells)), {*VIOLATIONS, *REMARKS})

    def test_the_examples_are_what_they_say(self) -> None:
        outcomes = [outcome(text.encode()) for text in blocks(RECORDS, "xml")]
        self.assertEqual([found.code for found in outcomes], ["unknown-format", *["imported"] * 4])
        records = [found.record for found in outcomes[1:] if found.record is not None]
        self.assertEqual(tuple(record.version for record in records), VERSIONS)


class FormatPageTests(SynchronousTestCase):
    def test_its_steps_lead_to_a_format(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        schema, catalogue, document = blocks(HOWTO, "xml")
        (folder / "club-1.0.xsd").write_text(schema)
        (folder / "club.xml").write_text(catalogue)
        formats = index(folder)
        self.assertEqual(check(document.encode(), formats, {}).code, "imported")
        spoilt = document.replace("players=", "people=")
        self.assertEqual(check(spoilt.encode(), formats, {}).code, "not-valid")
