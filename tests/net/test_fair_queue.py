"""The queue for what is not served at once."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.net.fair_queue import FairQueue
from gamed.process.fairness import LEAST, TURN, TurnBudget
from gamed.process.fairness import QUEUE_SLICE as SLICE
from tests.lobby.doubles import Turns


@define(eq=False)
class Customer:
    """Has some things to be served, each of which takes some time."""

    name: str
    left: int
    served: list[str]
    clock: Turns
    cost: float = SLICE / 4.5
    then: Callable[[], None] = field(default=lambda: None)

    def serve(self, until: float) -> bool:  # noqa: ARG002 (Waiting's signature)
        self.clock.rightNow += self.cost
        self.served.append(self.name)
        self.left -= 1
        self.then()
        return self.left > 0


class BacklogTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Turns()
        self.clock.rightNow = 1_000.0
        self.fair_queue = FairQueue(self.clock)
        self.served: list[str] = []

    def customer(self, name: str, left: int = 1, **more: object) -> Customer:
        return Customer(name, left, self.served, self.clock, **more)

    def turns(self) -> list[str]:
        """Return what is served in each turn until nobody waits."""
        parts = []
        while len(self.fair_queue):
            before = len(self.served)
            self.clock.turn()
            parts.append("".join(self.served[before:]))
        return parts

    def test_who_comes_alone_is_served_at_once_and_needs_no_turn(self) -> None:
        self.fair_queue.enter(self.customer("a", 3))
        self.assertEqual(self.served, ["a"] * 3)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_nobody_has_more_than_a_slice_at_once(self) -> None:
        self.fair_queue.enter(self.customer("a", 12))
        self.assertEqual(len(self.served), 5)
        self.assertEqual(self.turns(), ["aaaaa", "aa"])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_those_who_wait_take_turns_within_one_slice(self) -> None:
        self.fair_queue.enter(self.customer("-", 5))
        for name in "abc":
            self.fair_queue.enter(self.customer(name, 4))
        self.assertEqual(self.served, ["-"] * 5)
        self.assertEqual(self.turns(), ["abcab", "cabca", "bc"])

    def test_who_comes_while_others_wait_waits(self) -> None:
        self.fair_queue.enter(self.customer("a", 6))
        self.clock.rightNow += 10.0
        self.fair_queue.enter(self.customer("b"))
        self.assertEqual(self.turns(), ["ab"])

    def test_what_is_served_at_once_takes_no_more_time_than_the_rest(self) -> None:
        for _ in range(100):
            self.clock.rightNow += SLICE / 4
            self.fair_queue.enter(self.customer("a"))
        self.assertEqual((len(self.served), len(self.fair_queue)), (100, 0))
        for _ in range(100):
            self.clock.rightNow += SLICE / 9
            self.fair_queue.enter(self.customer("b"))
        self.assertLess(self.served.count("b"), 20)
        self.assertTrue(len(self.fair_queue))

    def test_who_has_others_come_does_not_serve_them_himself(self) -> None:
        other = self.customer("b")
        self.fair_queue.enter(self.customer("a", 2, then=lambda: None))
        self.fair_queue.enter(self.customer("a", then=lambda: self.fair_queue.enter(other)))
        self.assertEqual(self.served, ["a"] * 3)
        self.assertEqual(self.turns(), ["b"])

    def test_one_thing_that_takes_long_is_served_all_the_same(self) -> None:
        self.fair_queue.enter(self.customer("-", 1, cost=10 * SLICE))
        for name in "ab":
            self.fair_queue.enter(self.customer(name, 2, cost=10 * SLICE))
        self.assertEqual(self.turns(), ["a", "b", "a", "b"])

    def test_while_it_is_held_all_wait(self) -> None:
        self.fair_queue.hold(True)
        self.fair_queue.enter(self.customer("a"))
        self.clock.turn(5.0)
        self.assertEqual((self.served, self.clock.getDelayedCalls()), ([], []))
        self.fair_queue.hold(False)
        self.assertEqual(self.turns(), ["a"])

    def test_it_can_be_held_between_two_turns(self) -> None:
        self.fair_queue.enter(self.customer("a", 10))
        self.fair_queue.hold(True)
        self.clock.turn()
        self.assertEqual(len(self.served), 5)
        self.fair_queue.hold(False)
        self.assertEqual(self.turns(), ["aaaaa"])

    def test_a_fault_costs_only_who_has_it(self) -> None:
        def fault() -> None:
            raise ZeroDivisionError

        self.fair_queue.enter(self.customer("-", 5))
        self.fair_queue.enter(self.customer("a", 3, then=fault))
        self.fair_queue.enter(self.customer("b", 2))
        self.assertEqual(self.turns(), ["abb"])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.fair_queue.enter(self.customer("c"))
        self.assertEqual(self.served[-1], "c")


class BudgetTests(SynchronousTestCase):
    """Several slices share the time of one turn."""

    def setUp(self) -> None:
        self.now, self.turn = 50.0, 0
        self.budget = TurnBudget(lambda: self.now, lambda: self.turn)

    def slice(self, length: float) -> float:
        """Return how long somebody's slice is, who uses all of it."""
        until = self.budget.until(length)
        length, self.now = until - self.now, until
        return length

    def test_each_has_its_slice_while_the_turn_lasts(self) -> None:
        self.assertAlmostEqual(self.slice(TURN / 4), TURN / 4)
        self.assertAlmostEqual(self.slice(TURN / 2), TURN / 2)
        self.assertAlmostEqual(self.slice(TURN / 2), TURN / 4)

    def test_what_others_did_meanwhile_counts(self) -> None:
        self.slice(TURN / 4)
        self.now += TURN / 2
        self.assertAlmostEqual(self.slice(TURN), TURN / 4)

    def test_when_the_turn_is_over_each_has_a_little(self) -> None:
        self.slice(TURN)
        self.now += 10 * TURN
        self.assertAlmostEqual(self.slice(TURN), LEAST)
        self.assertAlmostEqual(self.slice(TURN), LEAST)

    def test_each_turn_begins_anew(self) -> None:
        for self.turn in range(3):
            self.assertAlmostEqual(self.slice(TURN), TURN)
            self.assertAlmostEqual(self.slice(TURN), LEAST)

    def test_the_queue_has_what_is_left(self) -> None:
        clock, served = Turns(), list[str]()
        clock.rightNow = 50.0
        fair_queue = FairQueue(clock, TurnBudget(clock.seconds, lambda: 0))
        fair_queue.budget.until(SLICE)
        fair_queue.enter(Customer("-", 5, served, clock))
        fair_queue.enter(Customer("a", 50, served, clock))
        clock.rightNow = 50.0 + TURN - SLICE / 2
        clock.turn()
        self.assertEqual("".join(served), "-----aaa")
        clock.rightNow = 50.0 + 2 * TURN
        clock.turn()
        self.assertEqual("".join(served), "-----aaaa")
