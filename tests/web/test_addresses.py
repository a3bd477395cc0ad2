"""Addresses of players: none is public unless the configuration says so.

Source: docs/reference/web-api.md#addresses. Games are played from addresses that stand nowhere else, and looked for in
everything that the public gets.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally import Settings as RoboRallySettings
from gamed.registry import game_types
from gamed.replayers import importer
from gamed.web.archive import Archive
from gamed.web.naming import EVERYTHING, Naming, is_address
from tests.web.harness import Guest, WebHarness
from tests.web.test_archive import at_once

HOSTS: Final = ("203.0.113.77", "2001:db8::7b:77")
MARKS: Final = ("203.0.113", "2001:db8", "198.51.100")
"""What every address of the games has in it, and the visitors' addresses, too."""

ROUNDS: Final = 40
"""After so many times that each program was served, one of them leaves."""

SETTINGS: Final[dict[str, Any]] = {
    "roborally": RoboRallySettings(start_delay=0.1, seed=3, max_players=2, max_turns=2, lives=1)
}


class Played:
    """A game of two programs from the addresses, and what was told of it."""

    def __init__(self, case: SynchronousTestCase, kind: str, *, shows: bool) -> None:
        self.harness = WebHarness(kind, SETTINGS.get(kind), {"addresses": shows})
        case.addCleanup(self.harness.stop)
        self.case, self.kind = case, kind
        lobby, store = self.harness.harness.lobby, self.harness.harness.store
        self.archive = Archive(
            store,
            importer(),
            lobby.game_types,
            at_once(),
            at_once(),
            naming=self.harness.naming,
            owners=self.harness.visitors.owners,
        )
        self.harness.routes += self.archive.routes
        self.guest = self.harness.visitor("198.51.100.9")
        self.notified: list[str] = []

    def tell(self, *paths: str) -> None:
        """Take note of what the public gets."""
        self.notified += [self.harness.asked("GET", path).body.decode() for path in paths]

    def play(self) -> str:
        """Play to the end; return the room's id."""
        made = game_types()[self.kind]
        strategy = next(iter(made.players.values()))
        wires = [self.harness.harness.connect(host) for host in HOSTS]
        programs = [strategy(Random(seed), **self.named(seed)) for seed in range(2)]
        wires[0].send(programs[0].begin())
        self.harness.pump(0.1)
        self.tell("/api/v1/rooms")
        wires[1].send(programs[1].begin())
        self.harness.pump(0.2)
        (room,) = self.harness.harness.lobby.rooms.values()
        path = f"/api/v1/rooms/{room.id}"
        stream = self.harness.opened(f"{path}/events")
        taken, rounds = [0, 0], 0
        while not all(program.is_done for program in programs) and rounds < ROUNDS:
            rounds += 1
            for number, (wire, program) in enumerate(zip(wires, programs, strict=True)):
                data = wire.received[taken[number] :]
                taken[number] += len(data)
                if data and not program.is_done:
                    wire.send(program.receive_data(data))
            if rounds == 5:
                self.tell("/api/v1/rooms", path)
            self.harness.pump(0.05)
        self.tell("/api/v1/rooms", path)
        for wire in wires:
            wire.leave()
        self.harness.harness.settle()
        self.harness.pump(7)
        self.notified.append(stream.body.decode())
        return room.history.room

    def named(self, seed: int) -> dict[str, str]:
        return {"name": f"bot{'ab'[seed]}"} if "name" in game_types()[self.kind].player_options else {}

    def look(self, record: str) -> None:
        """Take note of everything that is told of a record."""
        path = f"/api/v1/records/{record}"
        self.tell(
            "/api/v1/records", path, f"{path}/positions?from=0&to=1", f"{path}/file", f"{path}/file?format=replay"
        )
        self.tell("/metrics", "/healthz", "/readyz", f"/records/{record}", "/")
        self.notified += [self.guest.get(what).body.decode() for what in ("session", "seats", "rooms")]


class PublicTests(SynchronousTestCase):
    """What the public gets of each game."""

    def looked_at(self, kind: str, *, shows: bool = False) -> Played:
        played = Played(self, kind, shows=shows)
        record = played.play()
        played.look(record)
        self.assertGreater(min(map(len, played.notified)), 1)
        return played

    def check(self, kind: str) -> None:
        played = self.looked_at(kind)
        self.assertTrue(
            any(record_id in "".join(played.notified) for record_id in played.harness.harness.store.records)
        )
        for notified in played.notified:
            for mark in MARKS:
                self.assertNotIn(mark, notified)

    def test_battleship(self) -> None:
        self.check("battleship")

    def test_hive(self) -> None:
        self.check("hive")

    def test_quoridor(self) -> None:
        self.check("quoridor")

    def test_roborally(self) -> None:
        self.check("roborally")

    def test_where_they_are_shown(self) -> None:
        """These would be found: Battleship has no names."""
        notified = "".join(self.looked_at("battleship", shows=True).notified)
        self.assertTrue(all(mark in notified for mark in HOSTS))


class AdministratorTests(SynchronousTestCase):
    """What the administrator gets, and what nobody else can find out."""

    def setUp(self) -> None:
        self.played = Played(self, "battleship", shows=False)
        self.record = self.played.play()
        self.admin: Guest = self.played.harness.visitor()
        self.assertEqual(self.admin.login().status, 200)

    def test_the_administrator_reads_them(self) -> None:
        for path in ("records", f"records/{self.record}", f"records/{self.record}/file"):
            body = self.admin.get(path).body.decode()
            for host in HOSTS:
                self.assertIn(host, body, path)

    def test_nobody_else_can_search_for_one(self) -> None:
        (name, _) = (seat["name"] for seat in self.admin.get(f"records/{self.record}").json["seats"])
        self.assertIn(HOSTS[0], name)
        self.assertEqual(len(self.admin.get(f"records?player={name}").json["records"]), 1)
        self.assertEqual(self.played.guest.get(f"records?player={name}").json, {"records": [], "next": None})
        self.assertEqual(len(self.played.guest.get("records").json["records"]), 1)

    def test_the_file_is_a_record_that_can_be_read(self) -> None:
        body = self.played.guest.get(f"records/{self.record}/file").body
        self.assertIn(b'name="Player 1"', body)
        self.assertEqual(self.admin.post("import", body).json["outcomes"][0]["code"], "conflict")

    def test_a_room_tells_the_administrator_who_is_there(self) -> None:
        harness = self.played.harness
        for host in HOSTS:
            harness.harness.connect(host)
        (room,) = (room["id"] for room in harness.asked("GET", "/api/v1/rooms").json if room["state"] != "ended")
        peers = self.admin.get(f"rooms/{room}").json["peers"]
        self.assertEqual([peer["seat"] for peer in peers], [0, 1])
        self.assertTrue(all(host in peer["peer"] for host, peer in zip(HOSTS, peers, strict=True)))
        self.assertNotIn("peers", self.played.guest.get(f"rooms/{room}").json)


class NamingTests(SynchronousTestCase):
    """Which names are addresses."""

    @given(st.ip_addresses(), st.integers(0, 65_535), st.booleans())
    def test_addresses(self, host: Any, port: int, is_person: bool) -> None:
        bare = f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"
        for name in (bare, str(host)):
            self.assertTrue(is_address(f"web:{name}" if is_person else name))

    def test_names(self) -> None:
        for name in ("", "Ada", "Ada:1", "local", "web:", "1.2.3", "1.2.3.4.5", "Unknown", "a@1.2.3.4:5", "Müller"):
            self.assertFalse(is_address(name), name)

    def test_a_row_says_that_there_is_no_name(self) -> None:
        rows = [{"seat": 0, "name": "10.0.0.1:3333"}, {"seat": 1, "name": "Ada"}]
        hidden = {"seat": 0, "name": "", "unnamed": True}
        self.assertEqual(Naming().named(rows), [hidden, rows[1]])
        self.assertEqual(EVERYTHING.named(rows), rows)
