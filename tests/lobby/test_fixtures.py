"""Rooms of fixtures: with an id, a seed and options of their own, and recorded from their opening on.

Source: docs/topics/design.md#fixtures.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RoomError
from gamed.core.game import Termination
from gamed.lobby.lobby import Fixture
from gamed.lobby.recovery import recover
from gamed.lobby.room import Room
from gamed.records.importer import check
from gamed.records.own import to_history
from gamed.records.record import Record, document
from gamed.registry import game_types
from gamed.replayers import known_formats, replayers
from gamed.testing.harness import Harness
from tests.records.test_every_end import SETTINGS

ID = "6f0c1f0e-0000-4000-8000-000000000001"
OTHER = "6f0c1f0e-0000-4000-8000-000000000002"
CHANGED: dict[str, dict[str, Any]] = {
    "battleship": {"referee": "enforce"},
    "blokus": {"soft_milliseconds": 500},
    "hive": {"soft_milliseconds": 500},
    "quoridor": {"referee": "strict"},
    "roborally": {"max_turns": 3},
}
"""An option of each game that is not its listener's."""


def harness(kind: str) -> Harness:
    return Harness(kind, game_types()[kind].settings(**SETTINGS[kind]))


class FixtureTests(SynchronousTestCase):
    def opened(self, found: Harness) -> Room:
        return found.lobby.open(found.kind, CHANGED[found.kind], fixture=Fixture(ID, 7))

    def check(self, found: Harness, termination: Termination) -> Record:
        """Return the only record, which a game that did not begin has, and which can be imported."""
        found.settle()
        (record,) = found.store.records.values()
        history = to_history(record)
        self.assertEqual((record.id, history.seed), (ID, 7))
        self.assertLessEqual(CHANGED[found.kind].items(), history.options.items())
        self.assertEqual(history.outcome and history.outcome.termination, termination)
        self.assertFalse(history.was_started)
        outcome = check(document(record), known_formats(), replayers())
        self.assertEqual((outcome.code, outcome.record), ("imported", record), outcome.sentence)
        self.assertEqual(list(found.journal.open_rooms()), [])
        return record

    def test_a_game_that_never_began_is_recorded(self) -> None:
        for kind in SETTINGS:
            found = harness(kind)
            self.opened(found).stop(Termination.CANCELLED)
            self.check(found, Termination.CANCELLED)

    def test_a_player_who_never_came(self) -> None:
        """Such an entry, as an arena has it, is no surprise for those who read the record."""
        for kind in ("battleship", "hive", "quoridor"):
            found = harness(kind)
            self.opened(found).stop(Termination.CANCELLED)
            found.settle()
            (record,) = found.store.records.values()
            left = b'<left at="0" seat="1" why="left"/>'
            outcome = check(document(record).replace(b"<ended at", left + b"<ended at"), known_formats(), replayers())
            self.assertEqual(outcome.code, "imported", outcome.sentence)

    def test_the_daemon_stops(self) -> None:
        for kind in SETTINGS:
            found = harness(kind)
            self.opened(found)
            found.lobby.stopService()
            self.check(found, Termination.SHUTDOWN)

    def test_the_daemon_was_killed(self) -> None:
        for kind in SETTINGS:
            found = harness(kind)
            self.opened(found)
            journal = deepcopy(found.journal)
            journal.start()
            again = Harness(kind, found.settings, journal=journal)
            self.assertEqual(recover(again.lobby), 1, kind)
            self.check(again, Termination.SERVER_FAULT)

    def test_a_fault_of_the_server(self) -> None:
        for kind in SETTINGS:
            found = harness(kind)
            self.opened(found).cut_off()
            self.check(found, Termination.SERVER_FAULT)

    def test_no_other_room_that_never_began_is_recorded(self) -> None:
        for kind in SETTINGS:
            found = harness(kind)
            journal = deepcopy(found.journal)
            found.lobby.open(kind).stop(Termination.CANCELLED)
            found.lobby.open(kind)
            journal.start()
            self.assertEqual(recover(Harness(kind, found.settings, journal=journal).lobby), 0, kind)
            found.lobby.stopService()
            found.settle()
            self.assertEqual(list(found.store.records), [], kind)

    def test_what_cannot_be_opened(self) -> None:
        found = harness("hive")
        self.opened(found)
        for fixture, options, told in (
            (Fixture(ID, 7), {}, f"there is a room {ID} already"),
            (Fixture(ID.upper(), 7), {}, "is not a UUID in lower case"),
            (Fixture("../x", 7), {}, "'../x' is not a UUID in lower case"),
            (Fixture(OTHER, -1), {}, "the seed -1 is not from 0 to 2**63 - 1"),
            (Fixture(OTHER, 2**63), {}, "is not from 0"),
            (Fixture(OTHER, 7), {"nosuch": 1}, "the game has no option 'nosuch'; it has hard_milliseconds, max_"),
            (Fixture(OTHER, 7), {"max_moves": 0}, "the option max_moves must be at least 1, not 0"),
            (Fixture(OTHER, 7), {"soft_milliseconds": "1"}, "the option soft_milliseconds must be like 2000, not '1'"),
        ):
            with self.assertRaises(RoomError) as raised:
                found.lobby.open("hive", options, fixture=fixture)
            self.assertIn(told, str(raised.exception))
        self.assertEqual(list(found.lobby.rooms), [ID])
