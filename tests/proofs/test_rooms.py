"""Thousands of rooms open in one process, a hundredth of them active.

A quarter of the rooms are of each listener. In those that sleep, both players are seated, the game has begun, and
nobody does anything until one of the two leaves. What a room needs includes its two connections.

How long a move takes is told twice: as the clients measure it, which wait for each other in their one process, and as
the daemon's own metric has it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from tests.daemon import Daemon, free_port
from tests.proofs import amount, raise_descriptors, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.evidence import look, settle
from tests.proofs.figures import Histogram
from tests.proofs.guests import KINDS, LISTENERS, Party, described, running_all
from tests.proofs.test_kills_all import check_outcome, rooms_by_place

KEYS = {
    "battleship": "",
    "quoridor": "",
    "softwarechallenge": "soft_seconds = 3600.0\nhard_seconds = 3600.0\n",
    "roborally": "move_timeout = 0\n",
}
"""Nobody is in a hurry."""

LIMITS = "connections_per_address = 20000\nconnections_per_second = 0.0\n"
ADDRESS = "127.0.0.9"
PAUSE, SECONDS = 0.2, 10.0
BOUNDS = (0.001, 0.005, 0.01, 0.05)
KIB = 1 << 10


class RoomsTests(SynchronousTestCase):
    def setUp(self) -> None:
        raise_descriptors(self)

    def test_many_rooms_of_which_few_are_active(self) -> None:
        rooms = amount(5_000, 300)
        keys = {name: keys + LIMITS for name, keys in KEYS.items()}
        self.web = free_port()
        web = f'[web]\nendpoint = "tcp:{self.web}:interface=127.0.0.1"\n'
        with running_all(Path(self.mktemp()), keys, web) as (daemon, ports):
            asleep = Party(ports, Random(1), ADDRESS)
            awake = Party(ports, Random(2), ADDRESS)
            self.addCleanup(asleep.close)
            self.addCleanup(awake.close)
            print(f"\n{rooms} rooms: the daemon alone holds {daemon.resident_bytes() / KIB / KIB:.1f} MiB")
            self.fill(daemon, asleep, rooms // 4)
            self.play(awake, max(1, rooms // 400))
            self.leave(asleep)
            awake.play_on()
            daemon.settled(len(awake.games) + rooms // 4 * 4, timeout=120.0)
            settle(daemon.directory)
            self.check(daemon, awake, rooms // 4)
            print(f"  all over: the daemon holds {daemon.resident_bytes() / KIB / KIB:.1f} MiB")
            self.assertEqual(daemon.unexpected(), [])

    def fill(self, daemon: Daemon, party: Party, rooms: int) -> None:
        """Open so many rooms at each listener, and do not play in them."""
        for listener in LISTENERS:
            before, begun = daemon.resident_bytes(), time.monotonic()
            # No answer leaves before an hour has passed.
            party.pause = 3600.0
            for _ in range(rooms):
                self.seat(party, listener)
            grown, took = daemon.resident_bytes() - before, time.monotonic() - begun
            print(
                f"  {listener}: {grown / rooms / KIB:.1f} KiB a room with its two connections, opened in {took:.1f} s"
            )

    def seat(self, party: Party, listener: str) -> None:
        """Begin a table. At Quoridor the second votes for a game of two, and is let do so."""
        table = party.begun(listener)
        if listener == "quoridor":
            party.release(table)

    def play(self, party: Party, tables: int) -> None:
        """Play at so many tables of each listener for a while, and measure."""
        for listener in LISTENERS:
            for _ in range(tables):
                party.begun(listener)
        daemons = Histogram.begin(self.web, "gamed_move_latency_seconds")
        party.pause, until = PAUSE, time.monotonic() + SECONDS
        while time.monotonic() < until:
            party.step(0.02)
            party.renew(tables)
        for listener in LISTENERS:
            took = [seconds for name, _, seconds in party.moves if name == listener]
            print(described(f"{tables} active rooms of {listener}", took))
        party.pause = 0.0
        print(f"  moves in the daemon: {daemons.told(BOUNDS)}")

    def leave(self, party: Party) -> None:
        """In each room, one player disconnects. At RoboRally both do, because a remaining player would play on."""
        for table in party.tables:
            for guest in table.guests[: 1 + (table.listener == "roborally")]:
                guest.socket.close()

    def check(self, daemon: Daemon, awake: Party, asleep: int) -> None:
        """Finished games have the winner or draw that their players were sent; the others ended when one had left."""
        histories = look(daemon.directory, "").histories()
        places = rooms_by_place(histories)
        ends: Counter[tuple[str, str]] = Counter()
        for guest in awake.seen:
            self.assertEqual(guest.error, "")
            if guest.listener != "battleship" and guest.player.won is not None:
                check_outcome(guest, places[guest.place])
        for history in histories.values():
            assert history.outcome is not None
            ends[history.kind, str(history.outcome.termination)] += 1
        self.check_ends(ends, awake.played, asleep)

    def check_ends(self, ends: Mapping[tuple[str, str], int], played: Mapping[str, int], asleep: int) -> None:
        print(f"  ends: { ({' '.join(end): count for end, count in sorted(ends.items())}) }")
        for listener, kind in KINDS.items():
            by_rules = (Termination.VICTORY, Termination.DRAW)
            left = sum(count for (name, why), count in ends.items() if name == kind and why not in by_rules)
            all_ends = sum(count for (name, _), count in ends.items() if name == kind)
            self.assertEqual(all_ends, played[listener] + asleep, listener)
            self.assertIn(left, (0, asleep), listener)
