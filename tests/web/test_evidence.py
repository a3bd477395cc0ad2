"""Evidence on programs is private: no page, stream, export or command gives it without its key.

Source: docs/reference/web-api.md#evidence.
"""

from __future__ import annotations

import json
import secrets
from random import Random
from typing import Any

from click.testing import CliRunner
from twisted.trial.unittest import SynchronousTestCase

from gamed import cli
from gamed.core.keys import digest_of, is_opened, key_of
from gamed.core.reception import Furnishes
from gamed.lobby.lobby import Fixture
from gamed.net.entrance import Entrance, Seating
from gamed.net.transcript import Transcript
from gamed.records.index import index
from gamed.registry import game_types
from gamed.replayers import summary
from gamed.store.database import Database
from gamed.store.memory import MemoryStore
from tests.lobby.test_entrances import Port
from tests.records.samples import ROOM, game, record
from tests.records.test_every_end import Seat
from tests.test_cli_records import StoreTestCase
from tests.web.harness import WebHarness
from tests.web.test_archive import archive

SECRET = 32 * "5"
MARKS = ("mark of Ann", "mark of Bob")
SEED = 7_654_321_012_345
LATER = "2999-01-01T00:00:00.000Z"
NOW = "2026-11-29T00:00:00.000Z"


def evidence(seat: int) -> str:
    """Return evidence on a program as the daemon stores it."""
    keys = [digest_of(key_of(SECRET, name)) for name in (("Ann", "Bob")[seat], "")]
    return json.dumps({"stderr": MARKS[seat], "messages": [{"text": MARKS[seat]}], "keys": keys})


class KeyTests(SynchronousTestCase):
    def test_each_name_has_its_own(self) -> None:
        keys = {key_of(secret, name) for secret in (SECRET, 32 * "6") for name in ("", "Ann", "Bob")}
        self.assertEqual(len(keys), 6)
        self.assertEqual({len(key) for key in keys}, {32})

    def test_its_digest_is_no_key(self) -> None:
        key = key_of(SECRET, "Ann")
        self.assertTrue(is_opened(key, [digest_of("another"), digest_of(key)]))
        self.assertFalse(is_opened(digest_of(key), [digest_of(key)]))
        self.assertFalse(is_opened("", []))


class PageTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.store = MemoryStore()
        kept = record(game())
        self.successResultOf(self.store.keep(kept, summary(kept, index())))
        for seat in (0, 1):
            self.successResultOf(self.store.keep_evidence(ROOM, seat, evidence(seat), LATER, NOW))
        self.archive = archive(self.store)
        self.web = WebHarness("battleship", more=(self.archive,))
        self.addCleanup(self.web.stop)

    def asked(self, key: str, path: str = f"records/{ROOM}/evidence") -> Any:
        return self.web.asked("GET", f"/api/v1/{path}", X_Gamed_Key=key)

    def test_a_key_opens_what_is_its_own(self) -> None:
        for name, seats in (("Ann", [0]), ("Bob", [1]), ("", [0, 1])):
            answer = self.asked(key_of(SECRET, name))
            self.assertEqual(answer.status, 200)
            self.assertEqual(
                answer.json["bots"],
                [{"seat": seat, "stderr": MARKS[seat], "messages": [{"text": MARKS[seat]}]} for seat in seats],
            )

    def test_the_administrator_needs_none(self) -> None:
        guest = self.web.visitor()
        guest.login("wrong")
        self.assertEqual(guest.get(f"records/{ROOM}/evidence").json, {"bots": []})
        guest.login()
        self.assertEqual(len(guest.get(f"records/{ROOM}/evidence").json["bots"]), 2)

    def test_a_game_that_is_withheld(self) -> None:
        self.archive.withheld = {ROOM}
        self.assertEqual(self.asked(key_of(SECRET)).json["error"]["code"], "withheld")

    def test_a_thousand_guessed_keys(self) -> None:
        right, lots = key_of(SECRET, "Ann"), Random(36)
        near = [right[:place] + lots.choice("0123456789abcdef") + right[place + 1 :] for place in range(32)]
        guesses = {*near, *(digest_of(right), right.upper(), right[:-1], right + "0", "", "*", "%", right + " x")}
        guesses |= {secrets.token_hex(16) for _ in range(1_000)}
        for guess in guesses - {right}:
            answer = self.asked(guess)
            self.assertEqual((answer.status, answer.json), (200, {"bots": []}), guess)

    def test_nothing_else_that_is_asked_for_has_it(self) -> None:
        paths = [
            "records",
            f"records/{ROOM}",
            f"records/{ROOM}/positions?from=0&to=3",
            f"records/{ROOM}/file?format=xml",
        ]
        for path in paths:
            answer = self.asked(key_of(SECRET), path)
            self.assertEqual(answer.status, 200, path)
            self.assertNotIn(b"mark of", answer.body, path)
            self.assertNotIn(digest_of(key_of(SECRET)).encode(), answer.body, path)


class SeedTests(SynchronousTestCase):
    def test_of_a_game_that_runs_nobody_is_told_its_seed(self) -> None:
        for kind in game_types():
            web = WebHarness(kind)
            self.addCleanup(web.stop)
            lobby = web.harness.lobby
            room = lobby.open(kind, fixture=Fixture(ROOM, SEED, 2))
            if isinstance(web.harness.factory.reception, Furnishes):
                web.harness.factory.reception.furnish(room)
            ports = [Port(), Port()]
            entrances = [Entrance(web.harness.factory, port) for port in ports]  # type: ignore[arg-type]
            kept = [lobby.reservations.make(room, seat) for seat in (0, 1)]
            transcripts = [Transcript(lambda: 0), Transcript(lambda: 0)]
            Seating(room, entrances, kept, ["Ann", "Bob"], transcripts, lambda _seat: None).begin()
            stream = web.opened(f"/api/v1/rooms/{ROOM}/events")
            players = [list(game_types()[kind].players.values())[-1] for _ in entrances]
            seats = []
            for number, (make, entrance) in enumerate(zip(players, entrances, strict=True)):
                option = {"name": "AB"[number]} if kind == "roborally" else {}
                seats.append(Seat(web.harness.connect(entrance=entrance), make(Random(number), **option)))
                if begin := seats[-1].player.begin():
                    seats[-1].wire.send(begin)
            for _ in range(4):
                web.pump(0.2)
                for seat in seats:
                    seat.play()
            self.assertEqual((room.is_closed, room.history.was_started, room.history.seed), (False, True, SEED), kind)
            bodies = [web.asked("GET", f"/api/v1/{path}").body for path in ("rooms", f"rooms/{ROOM}", "session")]
            bodies += [stream.transport.value(), web.asked("GET", "/metrics").body]
            bodies += [message["text"].encode() for transcript in transcripts for message in transcript.data()]
            for body in bodies:
                self.assertNotIn(str(SEED).encode(), body, kind)
            self.assertIn(b"Ann" if kind != "roborally" else b'"A"', bodies[1], kind)


class CommandTests(StoreTestCase):
    def test_no_command_has_it(self) -> None:
        self.keep(record(game()))
        store = Database(f"sqlite:///{self.folder / 'games.db'}")
        store.thd_open()
        self.addCleanup(store.thd_close)
        for seat in (0, 1):
            store.thd_keep_evidence(ROOM, seat, evidence(seat), LATER, NOW)
        place = str(self.folder / "exported")
        commands = (["list"], ["list", "--json"], ["show", ROOM], ["show", ROOM, "--json"], ["export", "--all", place])
        for command in commands:
            self.assertNotIn("mark of", self.run_gamed(*command).output, command)
        (file,) = self.folder.rglob("*.xml")
        self.assertNotIn("mark of", file.read_text())
        copied = self.folder / "copied.db"
        arguments = ["store", "copy", f"sqlite:///{self.folder / 'games.db'}", f"sqlite:///{copied}"]
        self.assertEqual(CliRunner().invoke(cli.main, arguments).exit_code, 0)
        self.assertNotIn(b"mark of", copied.read_bytes())
