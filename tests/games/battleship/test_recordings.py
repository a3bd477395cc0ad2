"""The original programs' recorded conversations, replayed: what each client receives is the recorded bytes."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from gamed.core.lots import Seeded
from gamed.games.battleship import Settings
from gamed.lobby import lobby
from gamed.records.own import judgement
from gamed.testing.harness import Harness, Wire
from tests import recordings

CUTS = ("whole", "single bytes", "at random")


def segments(data: bytes, cut: str, random: Random) -> list[bytes]:
    if cut == "whole":
        return [data]
    if cut == "single bytes":
        return [bytes([byte]) for byte in data]
    edges = sorted({0, len(data), *(random.randrange(len(data) + 1) for _ in range(3))})
    return [data[a:b] for a, b in pairwise(edges)]


def chosen_seed(first: int) -> int:
    """Return a seed with which chance lets this seat attack first."""
    return next(seed for seed in range(99) if Seeded(seed)(0).randrange(2) == first)


def replay(name: str, cut: str, *, roles: str) -> tuple[Harness, dict[int, Wire]]:
    """Play a recording against a house; return the house, and the wire of each recorded connection."""
    random = Random(name + cut)
    harness = Harness("battleship", Settings(roles=roles))
    defender = recordings.defender(name)
    # Where the first to connect defends, the recorded defender connects first; chance may choose either.
    order = (defender, 3 - defender) if roles == "first-defends" else (1, 2)
    wires = {connection: harness.connect() for connection in order}
    for turn in recordings.turns(name):
        if turn.from_client:
            for segment in segments(turn.data, cut, random):
                wires[turn.connection].send(segment)
    harness.settle()
    return harness, wires


class FindingTests(SynchronousTestCase):
    def test_only_the_old_client_lied(self) -> None:
        """In jan8_pj_01 a Prolog client of an older version calls its ship of five sunk after two hits.

        With (5,2) and (5,3) sunk as a ship of two, its water leaves no place for a ship of five.
        """
        found = {}
        for name in recordings.names():
            harness, _ = replay(name, "whole", roles="first-defends")
            (record,) = harness.store.records.values()
            found[name] = [(finding.code, finding.seat, finding.entry) for finding in judgement(record).findings]
        self.assertEqual(found.pop("jan8_pj_01"), [("no-legal-fleet", 1, 254)])
        self.assertEqual([name for name, findings in found.items() if findings], [])


class RecordingTests(SynchronousTestCase):
    def check(self, cut: str, roles: str) -> None:
        self.assertGreaterEqual(len(recordings.names()), 7)
        for name in recordings.names():
            attacker = 2 - recordings.defender(name)
            self.patch(lobby.random, "getrandbits", lambda _bits, first=attacker: chosen_seed(first))
            harness, wires = replay(name, cut, roles=roles)
            for connection, wire in wires.items():
                self.assertEqual(wire.received, recordings.received(name, connection), f"{name} {connection}")
                self.assertTrue(wire.is_closed)
            (summary,) = harness.store.summaries.values()
            self.assertEqual(summary.termination, Termination.VICTORY)
            lines = sum(turn.data.count(b"\n") or turn.data.count(b"\r") for turn in recordings.turns(name)
                        if turn.from_client)  # fmt: skip
            self.assertEqual(summary.length, lines)

    def test_whole_segments(self) -> None:
        self.check("whole", "first-defends")

    def test_single_bytes(self) -> None:
        self.check("single bytes", "first-defends")

    def test_cut_at_random(self) -> None:
        self.check("at random", "first-defends")

    def test_random_roles_with_a_chosen_chance(self) -> None:
        for cut in CUTS:
            self.check(cut, "random")
