"""The table of a universe's states: the diagram in the docs is drawn from it, and the rooms' tables go by it."""

from __future__ import annotations

import re
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.quoridor.signup import STARTS, TABLE, Call, Occasion, Row, Status, diagram, free, row

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "quoridor.md"


def states() -> set[tuple[Status, int]]:
    """Return all states: a status with a number of worlds."""
    return {(found.status, found.worlds) for found in TABLE}


def after(found: Row) -> tuple[Status, int]:
    """Return the state that a row leads to."""
    return found.then, found.worlds + (found.occasion is Occasion.JOINS)


def cells(found: Row) -> tuple[str, ...]:
    """Return a row as the page shows it."""
    events = "; ".join(f"{place}: `{call}`" for place, call in found.calls)
    return f"`{found.status}`", str(found.worlds), str(found.occasion), f"`{found.then}`", events


class TableTests(SynchronousTestCase):
    def test_a_state_and_an_occasion_have_one_row_at_most(self) -> None:
        self.assertEqual(len({found[:3] for found in TABLE}), len(TABLE))

    def test_every_row_is_found_and_nothing_else(self) -> None:
        found = [
            row(status, worlds, occasion) for status in Status for worlds in range(6) for occasion in Occasion
        ]  # fmt: skip
        self.assertEqual({one for one in found if one is not None}, set(TABLE))

    def test_every_state_can_be_reached_and_left(self) -> None:
        reached = {(TABLE[0].status, TABLE[0].worlds)}
        for _ in TABLE:
            reached |= {after(found) for found in TABLE if (found.status, found.worlds) in reached}
        self.assertEqual(reached, states())
        self.assertEqual({status for status, _ in reached}, set(Status))

    def test_mails_go_to_worlds_of_the_table_each_once(self) -> None:
        for found in TABLE:
            places = [place for place, _ in found.calls]
            self.assertEqual(len(set(places)), len(places), found)
            self.assertLessEqual(set(places), set(range(1, after(found)[1] + 1)), found)

    def test_a_start_tells_every_world_and_the_first_one_that_it_begins(self) -> None:
        for found in TABLE:
            calls = dict(found.calls)
            if STARTS & set(calls.values()):
                worlds = after(found)[1]
                begins, waits = (Call(f"start{worlds}{word}") for word in ("play", "wait"))
                self.assertEqual(calls, {1: begins, **dict.fromkeys(range(2, worlds + 1), waits)}, found)

    def test_every_call_but_two_is_in_it(self) -> None:
        """Newcomers that are rejected and worlds that leave have no rows."""
        called = {call for found in TABLE for _, call in found.calls}
        self.assertEqual(set(Call) - called, {Call.REJECTED, Call.DISCONNECT})

    def test_seats_that_are_free(self) -> None:
        welcome = {(Status.WAIT, 0): [0, 1], (Status.WAIT, 1): [1], (Status.FOUR, 2): [2, 3], (Status.FOUR, 3): [3]}
        for status in Status:
            for worlds in range(5):
                self.assertEqual(list(free(status, worlds)), welcome.get((status, worlds), []), (status, worlds))


class PageTests(SynchronousTestCase):
    def test_the_page_shows_the_diagram_of_the_table(self) -> None:
        (shown,) = re.findall(r"```mermaid\n(.*?)\n```", PAGE.read_text(), re.DOTALL)
        self.assertEqual(shown, diagram())

    def test_the_page_shows_the_table(self) -> None:
        shown = re.findall(r"^\| (`\S+`) \| (\d) \| (.+?) \| (`\S+`) \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
        self.assertEqual(shown, [cells(found) for found in TABLE])

    def test_the_diagram_has_a_line_for_each_state_and_row(self) -> None:
        lines = diagram().splitlines()
        self.assertEqual(lines[0], "stateDiagram-v2")
        # Every state but the empty one can be left by leaving.
        self.assertEqual(len(lines), 1 + len(states()) + 1 + len(TABLE) + len(states()) - 1)
        self.assertIn("    FIRST_WAITS_2 --> FOUR_2 : second sends (wait)", lines)
        self.assertIn("    FINISHED_4 --> FOUR_4 : any sends (reset)", lines)
        self.assertIn("    FOUR_3 --> FOUR_4 : a world joins", lines)

    def test_its_labels_hold_no_colon(self) -> None:
        """Mermaid takes a second one for the end of a label."""
        for line in diagram().splitlines():
            self.assertLessEqual(line.count(":"), 1, line)
