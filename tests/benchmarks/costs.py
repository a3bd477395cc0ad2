"""How much work a move is, counted and not timed: calls of our functions, and objects that they make.

Run it by `trial tests.benchmarks.costs` before and after a change to the path of a move, which
docs/topics/design.md#the-life-of-a-move-a-relayed-shot describes. The limits are what it was last: a change may
exceed one if it says why, and lowers one that it has made shorter.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import gamed
from tests.games.softwarechallenge.harness import ROW, SeasonHarness
from tests.net.test_session import LINE, Client, SessionTestCase

OURS = (str(Path(gamed.__file__).parent), "<attrs generated methods gamed.")


class Costs(NamedTuple):
    """`objects`: instances of our classes, and generators. `calls`: of our functions; resuming a generator is one."""

    objects: int
    calls: int


def costs(work: Callable[[], object]) -> Costs:
    """Return what some work costs."""
    made, calls, generators = 0, 0, set[FrameType]()

    def note(frame: FrameType, event: str, _arg: object) -> None:
        nonlocal made, calls
        if event != "call" or not frame.f_code.co_filename.startswith(OURS):
            return
        calls += 1
        made += frame.f_code.co_name == "__init__"
        if frame.f_code.co_flags & CO_GENERATOR:
            # Kept until the end, so that no other frame is taken for this one.
            generators.add(frame)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return Costs(made + len(generators), calls)


class RelayTests(SessionTestCase):
    def playing(self) -> tuple[Client, Client]:
        """Return two clients in the middle of a game: both have a share, and a review is due already."""
        pair = self.pair()
        for number in range(4):
            pair[number % 2].send(LINE + b"\n")
        self.harness.clock.advance(10)
        pair[1].send(LINE + b"\n")
        return pair

    def test_a_read_of_one_line(self) -> None:
        first, second = self.playing()
        second.received()
        found = costs(lambda: first.send(LINE + b"\n"))
        self.assertEqual(second.received(), LINE + b"\r")
        self.assertLessEqual(found.objects, 7)
        self.assertLessEqual(found.calls, 48)

    def test_an_answer_and_the_shot_after_it_in_one_read(self) -> None:
        first, second = self.playing()
        second.received()
        found = costs(lambda: first.send(b"(2,[0,0,1]).\n" + LINE + b"\n"))
        self.assertEqual(second.received(), b"(2,[0,0,1]).\r" + LINE + b"\r")
        self.assertLessEqual(found.objects, 11)
        self.assertLessEqual(found.calls, 61)

    def test_a_line_in_a_read_of_twenty_costs_less_than_half(self) -> None:
        first, second = self.playing()
        second.received()
        found = costs(lambda: first.send((LINE + b"\n") * 20))
        self.assertEqual(second.received(), (LINE + b"\r") * 20)
        self.assertLessEqual(found.objects, 97)
        self.assertLessEqual(found.calls, 414)


class MemoryTests(SessionTestCase):
    """What an idle connection that plays costs, of what we make: without the transport, the journal and the log."""

    PAIRS = 50
    MOST = 2_300

    def test_an_idle_connection(self) -> None:
        self.open(connections_per_address=4 * self.PAIRS)
        kept = [self.connect() for _ in range(2)]
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        gc.collect()
        before = tracemalloc.take_snapshot()
        kept += [self.connect() for _ in range(2 * self.PAIRS)]
        gc.collect()
        ours = [tracemalloc.Filter(inclusive=True, filename_pattern=f"{start}*") for start in OURS]
        after = tracemalloc.take_snapshot()
        found = after.filter_traces(ours).compare_to(before.filter_traces(ours), "filename")
        each = sum(file.size_diff for file in found) / (2 * self.PAIRS)
        self.assertLess(each, self.MOST)


class HiveTests(SessionTestCase):
    def test_a_move(self) -> None:
        self.assertLessEqual(self.move().calls, 187)
        # Nothing of this one is new to gamed, whatever was played before.
        self.assertLessEqual(self.move().calls, 163)

    def move(self) -> Costs:
        """Return what the fifth move of a game costs."""
        harness = SeasonHarness()
        pair = harness.pair()
        for number in range(4):
            pair[number % 2].move(ROW[number])
            harness.wait(1, 1)
        for client in pair:
            client.heard()
        found = costs(lambda: pair[0].move(ROW[4]))
        self.assertEqual(pair[0].heard(), ["memento 5 Unknown Unknown setmove"])
        self.assertEqual(pair[1].heard(), ["memento 5 Unknown Unknown setmove", "MoveRequest"])
        return found
