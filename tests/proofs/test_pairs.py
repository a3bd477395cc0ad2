"""Mirrored pairs, whole games of the daemon in memory: the same chance, with swapped seats.

Source: docs/topics/design.md#tournaments.
"""

from __future__ import annotations

from random import Random
from typing import ClassVar

from gamed.arena.client import Opening
from gamed.core.game import OPENING_PLIES, Options
from gamed.records.record import Record
from gamed.tournament.schedule import Fixture, Plan
from tests.control.test_runners import RunnerTestCase
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.mirrored import plies, replayed, same_chance
from tests.records.test_every_end import Seat as Program

PAIRS = amount(1_000, 2)
ID = "6f0c1f0e-0000-4000-8000-000000000001"


class PairTestCase(RunnerTestCase):
    """Every other pair is played by programs whose lots follow from their seats, so that all moves are the same."""

    options: ClassVar[Options] = {}

    def played(self, plan: Plan, fixture: Fixture) -> Record:
        """Play a game; return its record."""
        room, seats = plan.id_of(fixture), ["AB"[entrant] for entrant in fixture.seats]
        self.of(self.client.open(Opening(self.kind, room, plan.seed_of(fixture), self.options, seats), [0, 1]))
        programs = []
        for seat in (0, 1):
            lots = seat if fixture.pair % 2 else plan.bot_seed(fixture, seat)
            named = {"name": seats[seat]} if self.kind == "roborally" else {}
            player = self.made.players["random"](Random(lots), **named)
            programs.append(Program(self.harness.connect(entrance=self.entrances[seat]), player))
            programs[-1].wire.send(player.begin())
            self.pump.flush()
        self.play(programs, 100_000)
        for program in programs:
            program.wire.leave()
        self.settle()
        return self.harness.store.records.pop(room)

    def check_pairs(self) -> None:
        plan, draws = Plan(ID, 34, 2, 2 * PAIRS), 0
        fixtures = plan.fixtures()
        for first, second in zip(fixtures, fixtures, strict=True):
            self.assertEqual(first.seats, second.seats[::-1])
            one, other = self.played(plan, first), self.played(plan, second)
            draws += same_chance(one.body, other.body)
            self.assertEqual(replayed(one.body), replayed(other.body))
            self.assertEqual(len(replayed(one.body)), self.options.get(OPENING_PLIES, 0))
            if first.pair % 2:
                self.assertEqual(plies(one.body), plies(other.body))
        print(f"\n{PAIRS} pairs of {self.kind}: {draws} draws in common")


class HivePairs(PairTestCase):
    kind = "hive"
    options: ClassVar[Options] = {OPENING_PLIES: 3}

    def test_pairs(self) -> None:
        self.check_pairs()


class BlokusPairs(PairTestCase):
    kind = "blokus"
    options: ClassVar[Options] = {OPENING_PLIES: 3}

    def test_pairs(self) -> None:
        self.check_pairs()


class RoboRallyPairs(PairTestCase):
    kind = "roborally"

    def test_pairs(self) -> None:
        self.check_pairs()


del PairTestCase, RunnerTestCase
