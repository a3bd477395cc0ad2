"""SIGKILL, loss of everything unsynced, SIGTERM: at random moments of running games, again and again.

Source: docs/topics/design.md#the-journal. The clients run in this process and note every byte.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from tests.daemon import Daemon
from tests.proofs import amount, skip, synced_daemon  # noqa: F401 (trial looks for `skip`)
from tests.proofs.clients import Client, Crowd
from tests.proofs.evidence import (
    Evidence,
    check_received,
    check_recorded,
    check_results,
    look,
    now,
    settle,
    unexpected_after_kills,
)

AT_ONCE = 9
"""Clients at any time: four games, and one client that waits."""

AT_MOST = 5
"""How many times more kills there may be, for as many as are wanted."""

LIFE, SLOW_LIFE = 1_000, 2_500
"""The most answers of the clients until a daemon's end; the second where every turn waits for the disk."""


@define
class Stats:
    """The totals of all rounds."""

    lines: int = 0
    recorded: int = 0
    results: int = 0
    lost: list[int] = field(factory=list)
    stops: list[float] = field(factory=list)
    ends: Counter[str] = field(factory=Counter)

    def is_enough(self, times: int, *, power_cut: bool) -> bool:
        """Whether there was something to lose in so many kills."""
        return (
            self.ends["server-fault"] > times
            and self.ends["victory"] > times // 2
            and self.results > times // 2
            and self.lines > 100 * times
            and (not power_cut or sum(map(bool, self.lost)) > times // 3)
        )

    def __str__(self) -> str:
        at_once = f"of what clients saw, {self.lines} lines are there at once"
        return f"{at_once}, {self.recorded} and {self.results} results in records: {dict(self.ends)}"


@define(eq=False)
class Round:
    """One run of a daemon: games, and then its end."""

    daemon: Daemon
    random: Random
    stats: Stats
    since: str = field(factory=now)
    crowd: Crowd = field(init=False)
    closed: list[Client] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.crowd = Crowd(self.daemon.port, AT_ONCE, self.random)

    def play(self, most: int) -> None:
        """Let games be played for a while, which depends on the clients' answers: time is short on a busy machine."""
        self.crowd.run(60.0, self.random.randint(80, most))
        self.closed = [client for client in self.crowd.clients if client.was_closed]

    def evidence(self) -> Evidence:
        return look(self.daemon.directory, self.since)

    def check_lines(self, evidence: Evidence) -> None:
        self.stats.lines += check_received(self.crowd.clients, evidence.histories())

    def check_records(self, before: Evidence, stopped_by: Termination) -> None:
        after = self.evidence()
        if after.open:
            raise AssertionError(f"still in the journal: {after.open}")
        histories = check_recorded(before, after, stopped_by)
        started = [client for client in self.crowd.clients if client.is_started]
        self.stats.recorded += check_received(started, histories)
        self.stats.results += check_results(started, self.closed, histories)
        self.stats.ends.update(str(history.outcome.termination) for history in histories.values() if history.outcome)


class KillTests(SynchronousTestCase):
    def daemon(self, **options: str) -> Daemon:
        daemon = Daemon(Path(self.mktemp()).resolve(), **options)
        self.addCleanup(self.ended, daemon)
        return daemon

    def ended(self, daemon: Daemon) -> None:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()

    def killed_again_and_again(self, daemon: Daemon, times: int, *, power_cut: bool) -> Stats:
        """Kill a daemon so often, and more often on a machine so busy that too little was there to lose."""
        random, stats, kills = Random(times), Stats(), 0
        daemon.start()
        while kills < times or (kills < AT_MOST * times and not stats.is_enough(times, power_cut=power_cut)):
            kills += 1
            one = Round(daemon, random, stats)
            try:
                one.play(SLOW_LIFE if power_cut else LIFE)
                daemon.kill()
                one.crowd.drain()
                stats.lost.append(synced_daemon.cut(daemon.directory) if power_cut else 0)
                before = one.evidence()
                one.check_lines(before)
                self.restart(daemon, random, power_cut=power_cut)
                one.check_records(before, Termination.SERVER_FAULT)
            finally:
                one.crowd.close()
        daemon.stop()
        self.assertTrue(stats.is_enough(times, power_cut=power_cut), str(stats))
        return stats

    def restart(self, daemon: Daemon, random: Random, *, power_cut: bool) -> None:
        """Start again; one time in five it is killed on the way, in the middle of its recovery with luck."""
        if random.random() < 0.2:
            daemon.launch()
            time.sleep(random.uniform(0.3, 0.8))
            daemon.kill()
            if power_cut:
                synced_daemon.cut(daemon.directory)
        daemon.start()
        settle(daemon.directory)

    def check_log(self, daemon: Daemon) -> None:
        self.assertEqual(unexpected_after_kills(daemon), [])
        self.assertNotIn("finding", daemon.text())

    def test_killed_at_random_moments(self) -> None:
        times = amount(200, 6)
        daemon = self.daemon()
        stats = self.killed_again_and_again(daemon, times, power_cut=False)
        self.check_log(daemon)
        print(f"\n{len(stats.lost)} SIGKILLs: {stats}")

    def test_everything_unsynced_is_lost(self) -> None:
        """With durability "disk" a power cut loses nothing that a client has seen.

        After each kill the journal is cut back to what was synced, and segments that were not synced go, or whose name
        in the directory was not. What this does not simulate: SQLite's own files (with synchronous=FULL a commit is
        trusted), a disk that lies about syncs, names of removed segments that come back, and a directory of the journal
        whose own name was never synced. Syncs are made up to 4 ms slower, so that there is something to lose.
        """
        times = amount(50, 3)
        daemon = self.daemon(durability="disk", battleship='roles = "random"')
        daemon.program = [Path(sys.executable), Path(synced_daemon.__file__)]
        stats = self.killed_again_and_again(daemon, times, power_cut=True)
        self.check_log(daemon)
        print(f"\n{len(stats.lost)} power cuts, {statistics.mean(stats.lost):.0f} bytes lost in the mean: {stats}")

    def test_stopped_at_random_moments(self) -> None:
        times = amount(20, 2)
        for durability in ("process", "disk"):
            daemon, random, stats = self.daemon(durability=durability), Random(times), Stats()
            for _ in range(times // 2):
                self.stopped(daemon, random, stats, SLOW_LIFE if durability == "disk" else LIFE)
            self.check_log(daemon)
            print(f"\n{times // 2} SIGTERMs ({durability}), at most {max(stats.stops):.2f} s: {stats}")
            self.assertLess(max(stats.stops), 5)
            self.assertGreater(stats.ends["shutdown"], times // 2)
            self.assertLessEqual(set(stats.ends), {"shutdown", "victory", "left"})

    def stopped(self, daemon: Daemon, random: Random, stats: Stats, most: int) -> None:
        daemon.start()
        one = Round(daemon, random, stats)
        try:
            one.play(most)
            stats.stops.append(daemon.stop())
            one.crowd.drain()
            # Nothing is in the journal, so that the records are all there is: of the games that began.
            one.check_records(one.evidence(), Termination.SHUTDOWN)
        finally:
            one.crowd.close()
