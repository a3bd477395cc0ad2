"""The reference page of the browser names every call and every limit as the code has them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.registry import game_types
from gamed.web import answers, events, recordings, rooms, seats, site, topics, visitors

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "web-api.md").read_text()
CALL = re.compile(r"^\| `(GET|POST|DELETE) (/\S+)` \| (.+) \|$", re.MULTILINE)
REFERENCE = "".join(page.read_text() for page in sorted((ROOT / "docs" / "reference").glob("*.md")))


class PageTests(SynchronousTestCase):
    def test_its_calls_are_those_of_the_description(self) -> None:
        described = json.loads((ROOT / "gamed" / "web" / "static" / "openapi.json").read_text())["paths"]
        calls = {
            (method.upper(), path, call["summary"])
            for path, calls in described.items()
            for method, call in calls.items()
            if method in ("get", "post", "delete")
        }
        self.assertEqual(set(CALL.findall(PAGE)), calls)

    def test_its_limits_are_those_of_the_code(self) -> None:
        for text in (
            f"{site.SLOW_SECONDS} seconds without a byte, {site.COME_WITHIN:.0f} in all",
            f"{answers.MOST_JSON // 1024} KiB of JSON, {answers.MOST_IMPORT // 1024 // 1024} MiB",
            f"{visitors.MOST:,} in all, {visitors.MOST_OF_ADDRESS} an address",
            f"after {visitors.EXPIRES / 3600:.0f} hours",
            f"{seats.PLAYED} a session, {seats.MOST:,} in all;",
            f"| {rooms.FORKS} that wait",
            f"{recordings.OF_A_VISITOR} a session, {recordings.IN_ALL} in all",
            f"{recordings.FORGOTTEN_AFTER / 3600:.0f} hours; {recordings.SAVES} saves an hour",
            f"every {events.PING_SECONDS:.0f} seconds",
            f"for {events.STUCK:.0f} seconds is dropped",
            f"for {events.SILENT:.0f} seconds",
            f"for {seats.AWAY:.0f} seconds",
            f"1 to {topics.MOST_TOPICS} streams",
        ):
            self.assertIn(text, " ".join(PAGE.split()))

    def test_each_game_has_its_actions(self) -> None:
        """They are in the table of the browser's page, or on the game's own page."""
        for kind, made in game_types().items():
            (row,) = re.findall(rf"^\| {kind} \| (.+) \|$", REFERENCE, re.MULTILINE)
            actions = re.findall(r'"do": "(\w+)"', row)
            self.assertTrue(actions, kind)
            code = "".join(file.read_text() for file in made.folder.rglob("*.py"))
            for action in actions:
                self.assertIn(f'"{action}"', code)
