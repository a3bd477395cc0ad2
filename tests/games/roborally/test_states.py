"""The statuses, and the page that shows them. Source: docs/reference/roborally.md#states."""

from __future__ import annotations

import json
import re
from pathlib import Path

import attrs
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally import Settings
from gamed.games.roborally.rules.state import Stage
from gamed.games.roborally.states import STAGES, TABLE, Status, diagram, went

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "roborally.md"


class StatesTests(SynchronousTestCase):
    def test_every_stage_has_a_status(self) -> None:
        self.assertEqual(set(STAGES), set(Stage))

    def test_every_status_can_be_reached(self) -> None:
        self.assertEqual({row.then for row in TABLE} | {Status.LOBBY}, set(Status))

    def test_there_is_no_other_way(self) -> None:
        self.assertIs(went(Status.PROGRAM, Status.PHASE), Status.PHASE)
        self.assertIs(went(Status.PHASE, Status.PHASE), Status.PHASE)
        self.assertRaises(AssertionError, went, Status.PROGRAM, Status.CLEANUP)
        self.assertRaises(AssertionError, went, Status.ENDED, Status.PROGRAM)


class PageTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.text = PAGE.read_text()

    def test_the_diagram_is_the_table(self) -> None:
        found = re.search(r"```mermaid\n(.*?)\n```", self.text, re.DOTALL)
        assert found is not None
        self.assertEqual(found[1], diagram())

    def test_every_key_is_there_with_its_default(self) -> None:
        rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", self.text, re.MULTILINE))
        for key in attrs.fields(Settings):
            if key.name != "endpoint":
                default = list(key.default) if isinstance(key.default, tuple) else key.default
                self.assertEqual(json.loads(rows[key.name]), default, key.name)
