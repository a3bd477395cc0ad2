"""Hive over TCP: many games between gamed's bots, with and without reservation, each with an observer.

Source: docs/reference/software-challenge.md#the-life-of-a-game. Nothing of a game may stay in the daemon.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from gamed.core.history import DRAWN, JOINED, MOVE, History
from gamed.core.table import replay
from gamed.games.softwarechallenge.messages import COLORS
from gamed.games.softwarechallenge.seasons.hive import game_type
from gamed.records.index import validate
from gamed.records.own import judgement, to_history
from gamed.records.record import document
from tests.daemon import PATIENT, SCRIPTS, Daemon, free_port, running, section
from tests.interop.programs import end
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.evidence import look, settle

SCRIPT = Path(__file__).parent / "hive_bots.py"
PASSWORD = "examplepassword"
AT_ONCE = 20
MIB = 1 << 20
GROWTH = 8 * MIB
"""Bytes that the daemon may have grown by after many games, against what it had after the first ones: what SQLite
keeps.

That nothing of a room stays is shown in memory, where it can be counted: tests/games/softwarechallenge/test_client.py.
"""


def played(history: History) -> Any:
    """Return the table after a history."""
    settings = game_type.settings()
    table = game_type.table(settings, history.options, lambda _draw: Random(0), 0.0)
    for _ in replay(table, history):
        pass
    return table


class DaemonTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.port = free_port()
        self.keys = section("softwarechallenge", self.port, f'password = "{PASSWORD}"\n{PATIENT}\n')

    def play(self, games: int, seed: int = 0) -> list[dict[str, Any]]:
        command = [sys.executable, SCRIPT, str(self.port), PASSWORD, str(games), str(AT_ONCE), str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        reports: list[dict[str, Any]] = json.loads(done.stdout)
        return reports

    def histories(self, daemon: Daemon) -> dict[str, History]:
        """Return all games; every record is valid and without a finding, and the journal holds nothing more."""
        settle(daemon.directory)
        stored = look(daemon.directory, "").stored
        for record in stored.values():
            validate(document(record))
            self.assertEqual(judgement(record).findings, ())
        return {room: to_history(record) for room, record in stored.items()}


class ManyTests(DaemonTestCase):
    def test_many_games_at_once(self) -> None:
        games, first = amount(100, 12), 20
        with running(Path(self.mktemp()), more=self.keys) as daemon:
            reports = self.play(first, seed=10_000)
            daemon.settled(first)
            before = daemon.resident_bytes()
            reports += self.play(games)
            daemon.settled(first + games)
            growth = daemon.resident_bytes() - before
            histories = self.histories(daemon)
            self.assertEqual(daemon.unexpected(), [])
            log = daemon.text()
        self.assertEqual(sorted(histories), sorted(report["room"] for report in reports))
        for report in reports:
            self.check(report, histories[report["room"]])
        self.assertEqual(self.rooms_left(log), set())
        self.assertLess(growth, GROWTH)
        together = self.most_at_once(log)
        self.assertGreater(together, min(games, AT_ONCE) // 2)
        moves = sum(map(sum, (report["moves"] for report in reports)))
        print(f"\n{len(reports)} games, up to {together} at once, {moves} moves, grown by {growth / MIB:.1f} MiB")

    def check(self, report: dict[str, Any], history: History) -> None:
        """Compare what the bots and the observer say of a game with its record, and all of it with the rules."""
        table = played(history)
        outcome = table.game.outcome(table.state)
        self.assertEqual(history.outcome, outcome)
        self.assertIn(outcome.termination, (Termination.VICTORY, Termination.DRAW))
        for seat, won, moves in zip(report["seats"], report["won"], report["moves"], strict=True):
            self.assertEqual(won, None if outcome.winner is None else outcome.winner == seat)
            self.assertEqual(moves, sum(entry.seat == seat for entry in history.of_kind(MOVE)))
        self.assertEqual(report["turns"], list(range(sum(report["moves"]) + 1)))
        self.assertEqual(report["view"], table.game.view(table.state, None))
        self.assertEqual(report["winner"], None if outcome.winner is None else COLORS[outcome.winner].upper())
        self.assertEqual(report["causes"], ["REGULAR", "REGULAR"])
        names = [entry.data["name"] for entry in history.of_kind(JOINED)]
        number = report["number"]
        self.assertEqual(names, [""] * 2 if number % 2 else [f"r {number}", f"b {number}"])
        self.assertEqual(report["seats"], [1, 0] if number % 4 == 0 else [0, 1])

    def rooms_left(self, log: str) -> set[str]:
        """Return the rooms that were opened and not closed, by the log."""
        opened, closed = (set(re.findall(rf"\b{word}: room=(\S+)", log)) for word in ("opened", "closed"))
        self.assertTrue(opened)
        return opened - closed

    def most_at_once(self, log: str) -> int:
        """Return how many games ran at the same time at most, by the log."""
        now, most = 0, 0
        for line in log.splitlines():
            now += ("opened: " in line) - ("closed: " in line)
            most = max(most, now)
        return most


class CommandTests(DaemonTestCase):
    """The command line, both ways: two processes play one game."""

    def bots(self, *arguments: tuple[str, ...]) -> list[list[dict[str, Any]]]:
        """Run a bot with each of the arguments, at the same time; return what they report."""
        common = (SCRIPTS / "gamed", "bot", "hive", "--port", str(self.port), "--json")
        processes = [subprocess.Popen([*common, *more], stdout=subprocess.PIPE, text=True) for more in arguments]
        for process in processes:
            self.addCleanup(end, process)
        said = [process.communicate(timeout=120)[0] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * len(processes))
        return [json.loads(text) for text in said]

    def test_plain_joins(self) -> None:
        with running(Path(self.mktemp()), more=self.keys) as daemon:
            ((one,), (two,)) = self.bots(("--strategy", "search"), ("--strategy", "random"))
            daemon.settled(1)
            (history,) = self.histories(daemon).values()
            self.assertEqual(daemon.unexpected(), [])
        self.assertEqual(one["moves"] + two["moves"], len(list(history.of_kind(MOVE))))
        self.assertEqual(one["won"], None if two["won"] is None else not two["won"])

    def test_reservations(self) -> None:
        with running(Path(self.mktemp()), more=self.keys) as daemon:
            codes = self.codes()
            ((one,), (two,)) = self.bots(("--reservation", codes[0]), ("--reservation", codes[1], "--strategy=greedy"))
            daemon.settled(1)
            (history,) = self.histories(daemon).values()
            used = subprocess.run(
                [SCRIPTS / "gamed", "bot", "hive", "--port", str(self.port), "--reservation", codes[0]],
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
        self.assertEqual(one["moves"] + two["moves"], len(list(history.of_kind(MOVE))))
        self.assertEqual([entry.data["name"] for entry in history.of_kind(JOINED)], ["one", "two"])
        self.assertEqual(used.returncode, 1)
        self.assertIn("there is no reservation with this code", used.stderr)

    def test_from_a_recorded_turn(self) -> None:
        """A room starts where the first half of a recorded game ends, and its record holds that half, too."""
        with running(Path(self.mktemp()), more=self.keys) as daemon:
            self.bots(("--strategy", "random"), ("--strategy", "random"))
            daemon.settled(1)
            (first,) = self.histories(daemon).values()
            made = [entry.body for entry in first.of_kind(MOVE)]
            half = len(made) // 2
            codes = self.codes(f' from="{first.room}" turn="{half}"')
            ((one,), (two,)) = self.bots(*(("--reservation", code, "--strategy", "random") for code in codes))
            daemon.settled(2)
            histories = self.histories(daemon)
            self.assertEqual(daemon.unexpected(), [])
        second = histories[next(room for room in histories if room != first.room)]
        moves = list(second.of_kind(MOVE))
        self.assertEqual([entry.body for entry in moves[:half]], made[:half])
        self.assertEqual(
            [entry.data.get("replayed", False) for entry in moves], [True] * half + [False] * (len(moves) - half)
        )
        self.assertEqual(one["moves"] + two["moves"], len(moves) - half)
        self.assertEqual(next(second.of_kind(DRAWN)).body, next(first.of_kind(DRAWN)).body)
        self.assertEqual(played(second).outcome, second.outcome)

    def codes(self, more: str = "") -> list[str]:
        """Prepare a room, and return its reservation codes. `more`: attributes of the request."""
        said = b""
        with socket.create_connection(("127.0.0.1", self.port)) as admin:
            admin.settimeout(20)
            admin.sendall(f'<protocol><authenticate password="{PASSWORD}"/>'.encode())
            admin.sendall(f'<prepare gameType="swc_2020_hive"{more}>'.encode())
            admin.sendall(b'<slot displayName="one" canTimeout="true"/>')
            admin.sendall(b'<slot displayName="two" canTimeout="true"/></prepare>')
            while b"</prepared>" not in said:
                said += admin.recv(4096)
        return re.findall("<reservation>(.*?)<", said.decode())
