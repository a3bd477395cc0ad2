"""Deletions and anonymisations that are killed at random moments: each game is unchanged, changed or deleted.

Source: docs/howto/operate.md#deleting-games. Also: a daemon's archive shows nothing of a game that a command deletes
next to it.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen
from uuid import UUID

import attrs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import JOINED, Entry
from gamed.games.softwarechallenge.seasons.hive.replays import file_name, write
from gamed.records.index import validate
from gamed.records.own import summary, to_history
from gamed.records.record import Record, document
from gamed.store.database import Database
from gamed.store.query import Query
from tests.daemon import SCRIPTS, Daemon, free_port
from tests.games.softwarechallenge.hive.test_replays import whole
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.records.samples import ROOM, record

GAMES: Final = amount(600, 150)
START, WORK = 0.5, amount(30, 8) / 10
"""Seconds that a command needs before its first game, and about as many as it needs for all."""


class BesideTests(SynchronousTestCase):
    """Commands next to a daemon whose archive has the game open."""

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.web = free_port()
        self.daemon = Daemon(self.folder, more=f'[web]\nendpoint = "tcp:{self.web}:interface=127.0.0.1"\n')
        self.daemon.start()
        self.addCleanup(lambda: self.daemon.process.poll() is None and self.daemon.kill())

    def ask(self, path: str) -> tuple[int, Any]:
        try:
            with urlopen(f"http://127.0.0.1:{self.web}/api/v1/{path}", timeout=20) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)

    def run_gamed(self, *args: str) -> str:
        done = self.daemon.gamed(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_what_a_command_changes_is_seen_at_once(self) -> None:
        file = self.folder / "game.xml"
        played = whole(1)
        played.entries[:2] = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(("Ada", "Bob"))]
        file.write_bytes(document(record(played)))
        self.run_gamed("import", str(file))
        path = f"records/{ROOM}"
        for asked in (path, f"{path}/positions?from=0"):
            self.assertEqual(self.ask(asked)[0], 200)
        self.run_gamed("records", "anonymise", "Ada", "--yes")
        names = [seat["name"] for seat in self.ask(path)[1]["seats"]]
        self.assertEqual(names, ["anonymous", "Bob"])
        self.assertEqual(self.ask("records?player=anonymous")[1]["records"][0]["id"], ROOM)
        self.assertEqual(self.ask("records?player=Ada")[1]["records"], [])
        self.run_gamed("records", "delete", ROOM, "--yes")
        for asked in (path, f"{path}/positions?from=0", f"{path}/file"):
            status, told = self.ask(asked)
            self.assertEqual((status, told["error"]["code"]), (404, "no-record"))
        self.assertEqual(self.ask("records")[1]["records"], [])
        self.daemon.stop()
        self.assertEqual(self.daemon.unexpected(), [])


class RemovalKillTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        (self.folder / "replays").mkdir(parents=True)
        self.config = self.folder / "gamed.toml"
        self.config.write_text('[store]\nurl = "sqlite:///games.db"\n[softwarechallenge]\nreplays = "replays"\n')
        self.database = Database(f"sqlite:///{self.folder / 'games.db'}")
        self.database.thd_open()
        self.addCleanup(self.database.thd_close)
        games = [whole(seed) for seed in range(1, 5)]
        for number in range(GAMES):
            played = attrs.evolve(games[number % len(games)], room=str(UUID(int=number << 96, version=4)))
            names = ("Ada", "Ada Lovelace") if number % 3 else ("Bob", "Adam")
            played.entries = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(names)]
            played.entries += games[number % len(games)].entries[2:]
            (self.folder / "replays" / file_name(played)).write_bytes(write(played))
            self.keep(record(played))

    def keep(self, kept: Record) -> None:
        self.database.thd_keep([(kept, summary(kept))])

    def killed(self, random: Random, *command: str) -> None:
        with subprocess.Popen(
            [SCRIPTS / "gamed", "records", *command, "--yes", "--config", self.config],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            time.sleep(random.uniform(START, START + WORK))
            process.kill()

    def checked(self, *, is_deleting: bool = False) -> tuple[int, int]:
        """Look at each game; return how many there are, and how many have the name."""
        records = list(self.database.thd_records())
        searched = {one.id: one for one in self.database.thd_find(Query(limit=GAMES))}
        self.assertEqual({one.id for one in records}, set(searched))
        named = 0
        files = {path.name for path in (self.folder / "replays").iterdir() if not path.name.startswith(".")}
        for one in records:
            validate(document(one))
            self.assertEqual(summary(one), searched[one.id])
            has = b'"Ada"' in one.header
            self.assertEqual(has, b'"Ada"' in one.body)
            # Files are deleted first, so the file of a game that is being deleted may be missing.
            self.assertTrue(has or is_deleting or file_name(to_history(one)) in files, one.id)
            named += has
        return len(records), named

    def test_killed_at_random_moments(self) -> None:
        random, kills, within = Random(5), amount(30, 2), 0
        before = self.checked()
        for _ in range(kills):
            self.killed(random, "anonymise", "Ada")
            now = self.checked()
            self.assertEqual(now[0], GAMES)
            self.assertLessEqual(now[1], before[1])
            within += now[1] not in (before[1], 0)
            before = now
        self.killed_not("anonymise", "Ada")
        self.assertEqual(self.checked(), (GAMES, 0))
        self.assertEqual(len(self.database.thd_find(Query(player="Ada Lovelace", limit=GAMES))), GAMES - GAMES // 3)
        for path in (self.folder / "replays").glob("replay_*"):
            self.assertNotIn(b'"Ada"', path.read_bytes())
        for _ in range(kills):
            self.killed(random, "delete", "--player", "anonymous")
            now = self.checked(is_deleting=True)
            within += GAMES // 3 < now[0] < before[0]
            before = now
        self.killed_not("delete", "--player", "anonymous")
        self.assertEqual(self.checked(), (GAMES // 3, 0))
        self.assertEqual(len(list((self.folder / "replays").glob("replay_*"))), GAMES // 3)
        print(f"\n{2 * kills} commands killed, {within} of them between two games")

    def killed_not(self, *command: str) -> None:
        done = subprocess.run(
            [SCRIPTS / "gamed", "records", *command, "--yes", "--config", self.config],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
