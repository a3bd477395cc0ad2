"""SIGKILL at random moments while games of all four listeners run.

What clients of Battleship saw is held against journal and records to the byte, as in test_kills.py. Clients of the
other games know the room or have a name of their own; each result that they were told must be the outcome of exactly
one record.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from gamed.core.history import JOINED, History
from tests.daemon import Daemon
from tests.proofs import amount, skip, whole  # noqa: F401 (trial looks for `skip`)
from tests.proofs.clients import Client
from tests.proofs.crowds import MixedCrowd
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
from tests.proofs.guests import KINDS, Guest, daemon_of_all

AT_ONCE = 5
"""Clients of Battleship at any time; of the other games there are as many each."""

LIFE = 2.5
PATIENCE = 60.0
"""Seconds until a daemon's end, at most."""


def of_battleship(histories: Mapping[str, History]) -> dict[str, History]:
    """Return the games of Battleship."""
    return {room: history for room, history in histories.items() if history.kind == "battleship"}


def rooms_by_place(histories: Mapping[str, History]) -> dict[str, History]:
    """Return each room by its id and by its players' names; raise AssertionError if a name is in two rooms."""
    found = dict(histories)
    for history in histories.values():
        for entry in history.of_kind(JOINED):
            name = str(entry.data["name"])
            if name.startswith("guest") and found.setdefault(name, history) is not history:
                raise AssertionError(f"{name} is in two rooms: {found[name].room} and {history.room}")
    return found


def check_told(guests: Iterable[Guest], histories: Mapping[str, History]) -> Counter[str]:
    """Raise AssertionError unless each result that a guest was told is in its record; return how many, by listener."""
    places, told = rooms_by_place(histories), Counter[str]()
    for guest in guests:
        if guest.player.won is None:
            continue
        if guest.place not in places:
            raise AssertionError(f"{guest.place} was told a result (won: {guest.player.won}), and there is no record")
        history = places[guest.place]
        check_outcome(guest, history)
        told[guest.listener] += 1
    return told


def check_outcome(guest: Guest, history: History) -> None:
    """Compare the result that a guest received with its record."""
    outcome = history.outcome
    seats = {str(entry.data["name"]): entry.seat for entry in history.of_kind(JOINED)}
    seat = getattr(guest.player, "seat", None) if guest.listener == "softwarechallenge" else seats.get(guest.name)
    where = f"{guest.name}, seat {seat} of {history.kind} {history.room}"
    assert history.kind == KINDS[guest.listener], where
    if guest.listener == "roborally" and guest.player.won is False:
        # A player that has lost its last life learns so while the others play on.
        return
    # A game of RoboRally may have ended because the others left.
    by_rules = (Termination.VICTORY, Termination.DRAW)
    if outcome is None or (guest.listener != "roborally" and outcome.termination not in by_rules):
        raise AssertionError(f"{where} was told that it won: {guest.player.won}; the record says {outcome}")
    if (outcome.winner == seat) != guest.player.won:
        raise AssertionError(f"{where} was told that it won: {guest.player.won}; the record says {outcome}")


@define(eq=False)
class Round:
    """One run of a daemon: games of all kinds, and then SIGKILL."""

    daemon: Daemon
    ports: Mapping[str, int]
    random: Random
    stats: Counter[str]
    since: str = field(factory=now)
    crowd: MixedCrowd = field(init=False)
    closed: list[Client] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.crowd = MixedCrowd(self.daemon.port, AT_ONCE, self.random, ports=self.ports)

    def play_and_kill(self) -> Evidence:
        """Let games be played, kill the daemon, and return what is on the disk."""
        self.crowd.run(self.random.uniform(0.05, LIFE))
        until = time.monotonic() + PATIENCE
        # In the short form, some results must come in few lives, also on a busy machine.
        while not (whole() or self.has_results) and time.monotonic() < until:
            self.crowd.run(0.1)
        self.closed = [client for client in self.crowd.clients if client.was_closed]
        self.daemon.kill()
        self.crowd.drain()
        before = look(self.daemon.directory, self.since)
        self.stats["lines"] += check_received(self.crowd.clients, of_battleship(before.histories()))
        return before

    @property
    def has_results(self) -> bool:
        """Whether a guest of each listener has got a result."""
        told = {guest.listener for guest in self.crowd.guests if guest.player.won is not None}
        return told >= KINDS.keys() - {"battleship"}

    def check(self, before: Evidence) -> None:
        """Check what the next run has made of this one."""
        after = look(self.daemon.directory, self.since)
        if after.open:
            raise AssertionError(f"still in the journal: {after.open}")
        histories = check_recorded(before, after, Termination.SERVER_FAULT)
        started = [client for client in self.crowd.clients if client.is_started]
        check_received(started, of_battleship(histories))
        self.stats["told battleship"] += check_results(started, self.closed, of_battleship(histories))
        for listener, count in check_told(self.crowd.guests, histories).items():
            self.stats[f"told {listener}"] += count
        for history in histories.values():
            self.stats[f"{history.kind} {history.outcome.termination}"] += 1


class KillAllTests(SynchronousTestCase):
    def test_killed_at_random_moments(self) -> None:
        times, random, stats = amount(500, 3), Random(77), Counter[str]()
        daemon, ports = daemon_of_all(Path(self.mktemp()).resolve())
        self.addCleanup(self.ended, daemon)
        daemon.start()
        for _ in range(times):
            one = Round(daemon, ports, random, stats)
            try:
                before = one.play_and_kill()
                daemon.start()
                settle(daemon.directory)
                one.check(before)
            finally:
                one.crowd.close()
        daemon.stop()
        print(f"\n{times} SIGKILLs: {dict(sorted(stats.items()))}")
        self.assertEqual(unexpected_after_kills(daemon), [])
        self.assertNotIn("finding", daemon.text())
        for listener, kind in KINDS.items():
            least = amount(times // 3, 0)
            self.assertGreater(stats[f"told {listener}"], least, listener)
            self.assertGreater(stats[f"{kind} server-fault"], least, kind)

    def ended(self, daemon: Daemon) -> None:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()
