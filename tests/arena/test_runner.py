"""What a runner does with the program of a seat, with a slot that does nothing by itself.

Source: docs/topics/design.md#the-runner.
"""

from __future__ import annotations

import json
from pathlib import Path

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamed.arena.entrants import Entrant
from gamed.arena.runner import Game, Lane, Runner, evidence
from gamed.arena.slots import Exit, Slot, Start
from gamed.control.commands import MOST_EVIDENCE
from gamed.core.game import Termination
from gamed.tournament.results import Result
from gamed.tournament.schedule import Fixture, Plan

EXIT = Exit(0, 0.1, 20.0)


class IdleSlot(Slot):
    """A slot that says that it is clear when the test wants it."""

    def __init__(self) -> None:
        super().__init__(Clock())
        self.exited = EXIT
        self.cleared: Deferred[int] = Deferred()
        self.starts: list[Start] = []

    def clear(self) -> Deferred[int]:
        return self.cleared

    def start(self, start: Start) -> Deferred[str]:
        self.starts.append(start)
        return Deferred()


class KeptTests(SynchronousTestCase):
    """A program that was to be kept has ended: it is started anew for the game that has just been opened."""

    def setUp(self) -> None:
        entrants = [Entrant(name, [name, "{port}"], Path("/")) for name in ("one", "two")]
        plan = Plan("6f0c1f0e-0000-4000-8000-000000000001", 7, 2, 2)
        self.runner = Runner(
            Clock(), "battleship", {}, plan, entrants, 1, {}, lambda name, _seat: name, lambda _finished: None
        )
        self.slot = IdleSlot()
        lane = Lane([self.slot, IdleSlot()], [4001, 4002], [0, 1], [0, 1])
        self.game = Game(Fixture(0, 0, 0, 0, (0, 1)), lane, [0, 1])
        self.runner._exited(self.game, 0, "code", EXIT)

    def test_when_its_slot_is_clear(self) -> None:
        self.assertEqual(self.slot.starts, [])
        self.slot.cleared.callback(0)
        self.assertEqual([start.command for start in self.slot.starts], [["one", "4001"]])

    def test_not_if_the_game_is_over_by_then(self) -> None:
        self.game.over.callback(Result("room", Termination.LEFT, 0, 9, 1.0, ""))
        self.slot.cleared.callback(0)
        self.assertEqual(self.slot.starts, [])


class EvidenceTests(SynchronousTestCase):
    def test_it_has_the_end_of_what_was_written_and_fits_into_a_message(self) -> None:
        for text in ("", "one\ntwo\n", "é" * 100_000, '"\\\0' * 100_000):
            slot = Slot(None)
            slot.outputs[1].add(text.encode())
            for name in "abcdefghijklmnopqrst" if text else ():
                slot.numbers.add(100 * f"[gamed] {30 * name} = -1.2345678901234567e-300\n".encode(), 10**9)
            data = evidence(slot, {"status": 1}, {"memory": 64}, [64 * "f"])
            self.assertLessEqual(len(data.encode()), MOST_EVIDENCE)
            found = json.loads(data)
            self.assertTrue(text.endswith(found.pop("stderr").lstrip("\ufffd")))
            size = len(text.encode())
            self.assertEqual((len(found.pop("numbers")), found.pop("keys")), (10 if text else 0, [64 * "f"]))
            self.assertEqual(found, {"status": 1, "limits": {"memory": 64}, "stdout_bytes": 0, "stderr_bytes": size})
        self.assertGreater(len(data), MOST_EVIDENCE / 2)
