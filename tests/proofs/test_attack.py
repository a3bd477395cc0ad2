"""Honest games at all listeners while attackers do everything they can to the daemon.

The attackers are processes at nice 19, because in real life they have machines of their own; they still share the
processors with the daemon, as the system's part of their work is done for them at once. Times of moves are compared
with those of the quiet times before and between the attacks, in the same run. Below a millisecond they are the
system's scheduling rather than the daemon's work, so a quiet time counts as a millisecond at least.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from tests.daemon import Daemon, free_port
from tests.proofs import amount, raise_descriptors, skip, whole  # noqa: F401 (trial looks for `skip`)
from tests.proofs.attackers import ATTACKS, MIB, Attack
from tests.proofs.evidence import look, settle
from tests.proofs.figures import Histogram
from tests.proofs.guests import LISTENERS, Beside, Party, described, percentile, running_all
from tests.proofs.test_kills_all import rooms_by_place

MEMORY = 100 * MIB
BACK = 0.5
"""How much of what it grew by the daemon may keep when all is over: arenas of Python's allocator in which a few objects
live that came meanwhile. They are used again: the same attack once more adds next to nothing."""

AGAIN, NEXT_TO_NOTHING = "slow connections", 10 * MIB
IDLE = 15.0
"""Seconds after which the daemon has given back what it can: it does when nobody has played for five."""

OWN = {"moves": "move_latency", "collections of garbage": "gc_pause", "standstills": "reactor_stall"}
BOUNDS = (0.005, 0.02, 0.05, 0.1)
"""The daemon's own histograms that are read, besides what the clients measure, and the bounds in seconds."""

TABLES, PAUSE, WARM = 4, 0.1, amount(20, 5)
TIMES, EACH = 2.0, 3.0
"""How many times longer than in quiet times the slowest of a hundred moves may take: under all attacks together, and
under each in the middle one of its hundreds. Most have three or four, and other work of the machine affects one."""
HUNDRED = 100
LEAST = 0.001
"""Seconds below which a quiet time is not believed."""

AMOUNTS = {"slow connections": (10_000, 500), "entity bombs": (500, 50), "endless messages": (200, 20)}
STRANGERS = 20

KEYS = {
    "battleship": "connections = 12000\n",
    "quoridor": "connections = 12000\n",
    "softwarechallenge": "connections = 12000\nsoft_seconds = 10.0\nhard_seconds = 20.0\n",
    "roborally": "connections = 12000\n",
}
"""Slow connections are let in, and what a busy machine does to our own bots loses no game."""


def peak_bytes(daemon: Daemon) -> int:
    """Return the daemon's peak memory."""
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def slowest_of_hundreds(seconds: Sequence[float]) -> float:
    """Return the slowest of a hundred moves, in the middle one of the hundreds in which they came."""
    hundreds = [seconds[first : first + HUNDRED] for first in range(0, max(1, len(seconds) - HUNDRED + 1), HUNDRED)]
    return statistics.median(map(max, hundreds))


@define(eq=False)
class Siege:
    """A daemon with honest games, and its attackers."""

    daemon: Daemon
    beside: Beside
    attacks: Mapping[str, Attack]
    again: Attack
    web: int
    _quiet: int = field(default=0, init=False)

    def rest(self, seconds: float) -> None:
        """Let only honest games go on for a while."""
        self._quiet += 1
        with self.beside.during(f"quiet {self._quiet}"):
            time.sleep(seconds)

    def attack(self, name: str) -> None:
        """Have one attack made, and its connections closed after it."""
        attack = self.attacks[name]
        with self.beside.during(name):
            said = attack.run()
        print(f"\n{name}: {said}; the daemon holds {self.daemon.resident_bytes() / MIB:.1f} MiB", end="", flush=True)
        with self.beside.during(f"{name}: all of them leave"):
            attack.end()
            time.sleep(amount(3, 1))


class AttackTests(SynchronousTestCase):
    def setUp(self) -> None:
        raise_descriptors(self)

    @contextlib.contextmanager
    def besieged(self) -> Iterator[Siege]:
        """Run a daemon, attackers that have seats, and honest games at the same time."""
        console, web = free_port(), free_port()
        more = f'[console]\ntelnet = "tcp:{console}:interface=127.0.0.1"\npassword = "x"\n'
        more += f'[web]\nendpoint = "tcp:{web}:interface=127.0.0.1"\n'
        with running_all(Path(self.mktemp()), KEYS, more) as (daemon, ports):
            self.warm_up(ports)
            made = []
            for name in (*ATTACKS, AGAIN):
                many = amount(*AMOUNTS.get(name, (STRANGERS, STRANGERS)))
                options = {"ports": ports, "console": console, "web": web, "amount": many, "seconds": amount(8, 2)}
                made.append(Attack(name, options))
                self.addCleanup(made[-1].kill)
            for attack in made:
                attack.expect("ready")
            beside = Beside(ports, TABLES, PAUSE)
            self.addCleanup(beside.kill)
            yield Siege(daemon, beside, dict(zip(ATTACKS, made, strict=False)), made[-1], web)

    def warm_up(self, ports: Mapping[str, int]) -> None:
        """Have everything loaded and used once. The console's attacker logs in, because scrypt takes 16 MiB."""
        party = Party(ports, Random(3), "127.0.0.8")
        for listener in LISTENERS:
            for _ in range(WARM):
                party.begun(listener)
        party.play_on()
        party.close()

    def test_honest_games_go_on(self) -> None:
        with self.besieged() as siege:
            daemon, beside = siege.daemon, siege.beside
            own = {what: Histogram.begin(siege.web, f"gamed_{metric}_seconds") for what, metric in OWN.items()}
            siege.rest(amount(8, 4))
            memory = daemon.resident_bytes()
            for name in ATTACKS:
                siege.attack(name)
                siege.rest(amount(4, 1))
            moves = beside.moves()
            peak = peak_bytes(daemon)
            settle(daemon.directory, 60.0)
            after = self.idle_bytes(daemon)
            siege.again.run()
            siege.again.end()
            again = self.idle_bytes(daemon)
            held = ", ".join(f"{size / MIB:.1f}" for size in (memory, peak, after, again))
            print(f"\nMiB before, at most, after, and after {AGAIN} once more: {held}")
            print(f"  {daemon.text().count('stalled: ')} stalls of the reactor are in the log")
            for what, histogram in own.items():
                print(f"  {what} in the daemon: {histogram.told(BOUNDS)}")
            slow = self.slow_times(moves)
            self.check_games(daemon, beside)
            self.assertEqual(daemon.unexpected(), [])
        self.assertLess(peak - memory, MEMORY)
        self.assertLess(after - memory, BACK * (peak - memory) if whole() else 0.2 * memory)
        self.assertLess(again - after, NEXT_TO_NOTHING)
        if whole():
            # The short form has too few moves under each attack: their slowest hundredth would mean nothing.
            self.assertEqual(slow, [])

    def idle_bytes(self, daemon: Daemon) -> int:
        """Return what the daemon holds when it has had nothing to do for a while."""
        time.sleep(IDLE)
        return daemon.resident_bytes()

    def slow_times(self, moves: Mapping[str, list[float]]) -> list[str]:
        """Print how long moves took, and return the attacks under which they took too long."""
        quiet = [took for what, times in moves.items() if what.startswith("quiet") for took in times]
        print(described("quiet", quiet))
        usual, slow = slowest_of_hundreds(quiet), []
        attacked = {what: times for what, times in moves.items() if not what.startswith("quiet") and times}
        for what, times in attacked.items():
            slow += self.judged(what, times, slowest_of_hundreds(times) / max(LEAST, usual), EACH)
        every = [took for times in attacked.values() for took in times]
        return slow + self.judged("all", every, percentile(every, 0.99) / max(LEAST, percentile(quiet, 0.99)), TIMES)

    def judged(self, what: str, times: list[float], ratio: float, most: float) -> list[str]:
        """Print how long moves took, and how many times as long as in quiet times; return that if it is too much."""
        print(f"{described(what, times)}: {ratio:.2f} times")
        return [f"{what}: {ratio:.2f} times as long"] if ratio > most else []

    def check_games(self, daemon: Daemon, beside: Beside) -> None:
        """All honest games have ended with the results that their players were sent."""
        places = rooms_by_place(look(daemon.directory, "").histories())
        self.assertGreaterEqual(len(beside.games), TABLES * len(LISTENERS))
        for game in beside.games:
            self.assertEqual(game["errors"], ["", ""], game)
            if game["listener"] != "battleship":
                outcome = places[game["places"][0]].outcome
                assert outcome is not None
                self.assertIn(outcome.termination, (Termination.VICTORY, Termination.DRAW), game)
            elif sorted(game["won"]) != [False, True]:
                raise AssertionError(game)
