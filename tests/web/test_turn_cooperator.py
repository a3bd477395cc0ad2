"""Work in slices: a little in each turn, side by side, and what fails does not stop the rest."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamed.process.fairness import STREAMS_PAUSE as PAUSE
from gamed.process.fairness import STREAMS_SLICE as SLICE
from gamed.web.turn_cooperator import TurnCooperator


class SlicesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.time = 0.0
        self.done: list[str] = []
        self.slices = TurnCooperator(self.clock, lambda: self.time)

    def job(self, name: str, pieces: int, cost: float = 0.0) -> Iterator[None]:
        for piece in range(pieces):
            self.done.append(f"{name}{piece}")
            self.time += cost
            yield

    def test_nothing_is_done_at_once(self) -> None:
        self.slices.add(self.job("a", 2))
        self.assertEqual(self.done, [])
        self.clock.advance(PAUSE)
        self.assertEqual(self.done, ["a0", "a1"])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_jobs_go_side_by_side(self) -> None:
        self.slices.add(self.job("a", 2))
        self.slices.add(self.job("b", 2))
        self.clock.advance(PAUSE)
        self.assertEqual(self.done, ["a0", "b0", "a1", "b1"])

    def test_a_slice_ends_and_the_next_one_comes_after_a_pause(self) -> None:
        self.slices.add(self.job("a", 5, SLICE / 2))
        self.clock.advance(PAUSE)
        self.assertEqual(self.done, ["a0", "a1"])
        self.clock.advance(PAUSE / 2)
        self.assertEqual(len(self.done), 2)
        self.clock.advance(PAUSE / 2)
        self.assertEqual(len(self.done), 4)
        self.clock.advance(PAUSE)
        self.assertEqual(self.done, ["a0", "a1", "a2", "a3", "a4"])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_slice_ends_with_its_first_piece_while_input_waits(self) -> None:
        poller = select.epoll()
        near, far = socket.socketpair()
        for one in (poller, near, far):
            self.addCleanup(one.close)
        poller.register(near, select.EPOLLIN)
        self.clock.has_input = lambda: bool(poller.poll(0))  # type: ignore[attr-defined]
        slices = TurnCooperator(self.clock, lambda: self.time)
        slices.add(self.job("a", 6))
        far.send(b"a move")
        self.clock.advance(PAUSE)
        self.clock.advance(PAUSE)
        self.assertEqual(self.done, ["a0", "a1"])
        near.recv(9)
        self.clock.advance(PAUSE)
        self.assertEqual(len(self.done), 6)

    def test_a_fault_costs_its_job_alone(self) -> None:
        def broken() -> Iterator[None]:
            yield
            raise KeyError("nothing")

        self.slices.add(broken())
        self.slices.add(self.job("a", 3))
        self.clock.advance(1)
        self.assertEqual(self.done, ["a0", "a1", "a2"])
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 1)

    def test_after_the_stop_nothing_is_done(self) -> None:
        self.slices.add(self.job("a", 3))
        self.slices.stop()
        self.clock.advance(1)
        self.assertEqual((self.done, self.clock.getDelayedCalls()), ([], []))
        self.slices.stop()
