"""Programs whose wire has no word for a name: pages call them by their seats, and not by a stand-in."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import JOINED
from gamed.records.own import to_history
from gamed.registry import game_types
from gamed.web.naming import Naming
from gamed.web.opened import summary_data
from tests.web.harness import WebHarness


class UnnamedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = WebHarness("hive")
        self.addCleanup(self.harness.stop)
        self.ada = self.harness.visitor()

    def joined(self) -> Any:
        """Let a program come over the wire of Hive."""
        wire = self.harness.harness.connect()
        wire.send(game_types()["hive"].players["random"](Random(1)).begin())
        return wire

    def test_a_program_of_hive(self) -> None:
        wires = [self.joined(), self.joined()]
        self.harness.pump()
        # On the wire it is what the original server says.
        self.assertIn(b'displayName="Unknown"', wires[0].received)
        (row,) = self.ada.get("rooms").json
        before = [seat["unnamed"] for seat in row["seats"] if not seat["name"]]
        scene = self.ada.get(f"rooms/{row['id']}").json["scene"]
        self.assertEqual(([seat["name"] for seat in scene["seats"]], before), (["RED", "BLUE"], []))
        scene = self.ada.get(f"rooms/{row['id']}").json["scene"]
        self.assertNotIn("Unknown", json.dumps(scene["seats"]))
        wires[0].leave()
        self.harness.pump()
        (record,) = self.harness.harness.store.records
        summary = self.harness.harness.store.summaries[record]
        self.assertEqual([seat.name for seat in summary.seats], ["RED", "BLUE"])
        seats = summary_data(summary, Naming())["seats"]
        self.assertEqual([seat["name"] for seat in seats], ["RED", "BLUE"])
        # The record says that these are no names.
        joined = to_history(self.harness.harness.store.records[record]).of_kind(JOINED)
        self.assertEqual(
            [dict(entry.data) for entry in joined], [{"name": "", "side": side} for side in ("RED", "BLUE")]
        )

    def test_a_person_against_it(self) -> None:
        seat = self.ada.post("seats", {"game": "hive", "name": "Ada"}).json["id"]
        self.harness.pump()
        self.joined()
        self.harness.pump()
        seats = self.ada.get(f"seats/{seat}").json["scene"]["seats"]
        self.assertEqual([(one["name"], one.get("unnamed", False)) for one in seats], [("Ada", False), ("BLUE", False)])

    def test_the_slot_names_a_program_that_comes_by_a_code(self) -> None:
        self.ada.login()
        made = self.ada.post("rooms", {"game": "hive", "names": ["Otto", "Emma"]}).json
        for code in made["reservations"]:
            wire = self.harness.harness.connect()
            wire.send(game_types()["hive"].players["random"](Random(1), reservation=code).begin())
        self.harness.pump()
        (row,) = self.ada.get("rooms").json
        self.assertEqual([seat["name"] for seat in row["seats"]], ["Otto", "Emma"])
