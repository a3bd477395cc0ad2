"""Programs whose wire has no word for a name: pages call them by their seats, and not by a stand-in."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.registry import game_types
from gamed.web.naming import Naming
from gamed.web.opened import summary_data
from tests.web.house import WebHouse


class UnnamedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.house = WebHouse("hive")
        self.addCleanup(self.house.stop)
        self.ada = self.house.visitor()

    def joined(self) -> Any:
        """Let a program come over the wire of Hive."""
        wire = self.house.house.connect()
        wire.send(game_types()["hive"].players["random"](Random(1)).begin())
        return wire

    def test_a_program_of_hive(self) -> None:
        wires = [self.joined(), self.joined()]
        self.house.pump()
        # On the wire it is what the original server says.
        self.assertIn(b'displayName="Unknown"', wires[0].received)
        (row,) = self.ada.get("rooms").json
        told = [(seat["name"], seat["unnamed"]) for seat in row["seats"]]
        self.assertEqual(told, [("", True), ("", True)])
        scene = self.ada.get(f"rooms/{row['id']}").json["scene"]
        self.assertNotIn("Unknown", json.dumps(scene["seats"]))
        wires[0].leave()
        self.house.pump()
        (record,) = self.house.house.store.records
        summary = self.house.house.store.summaries[record]
        self.assertEqual([seat.name for seat in summary.seats], ["", ""])
        seats = summary_data(summary, Naming())["seats"]
        self.assertEqual([(seat["name"], seat["unnamed"]) for seat in seats], [("", True), ("", True)])

    def test_a_person_against_it(self) -> None:
        seat = self.ada.post("seats", {"game": "hive", "name": "Ada"}).json["id"]
        self.house.pump()
        self.joined()
        self.house.pump()
        seats = self.ada.get(f"seats/{seat}").json["scene"]["seats"]
        self.assertEqual([(one["name"], one.get("unnamed", False)) for one in seats], [("Ada", False), ("", True)])

    def test_the_slot_names_a_program_that_comes_by_a_code(self) -> None:
        self.ada.login()
        made = self.ada.post("rooms", {"game": "hive", "names": ["Otto", "Emma"]}).json
        for code in made["reservations"]:
            wire = self.house.house.connect()
            wire.send(game_types()["hive"].players["random"](Random(1), reservation=code).begin())
        self.house.pump()
        (row,) = self.ada.get("rooms").json
        self.assertEqual([seat["name"] for seat in row["seats"]], ["Otto", "Emma"])
