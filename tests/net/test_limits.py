"""Connections are counted, refused over the limits, and the refusals told in two lines."""

from __future__ import annotations

import resource

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.net.limits import ConnectionLimits, raise_descriptor_limit
from tests.store.logs import sentences


class AdmittingTests(SynchronousTestCase):
    def test_up_to_so_many_from_one_address(self) -> None:
        counts = ConnectionLimits("battleship", 10, 2)
        self.assertEqual([counts.admit("a") for _ in range(3)], [True, True, False])
        self.assertTrue(counts.admit("b"))

    def test_up_to_so_many_in_all(self) -> None:
        counts = ConnectionLimits("battleship", 3, 2)
        self.assertEqual([counts.admit(address) for address in "abcd"], [True, True, True, False])

    def test_who_leaves_makes_room(self) -> None:
        counts = ConnectionLimits("battleship", 2, 1)
        for address in "abab":
            self.assertTrue(counts.admit(address))
            counts.release(address)
        self.assertEqual([counts.admit(address) for address in "aabc"], [True, False, True, False])

    def test_a_refusal_is_not_counted_in(self) -> None:
        counts = ConnectionLimits("battleship", 10, 1)
        for _ in range(5):
            counts.admit("a")
        counts.release("a")
        self.assertTrue(counts.admit("a"))
        self.assertRaises(KeyError, counts.release, "b")


class LogTests(SynchronousTestCase):
    def test_a_series_of_refusals_is_two_lines(self) -> None:
        counts = ConnectionLimits("battleship", 10, 1)
        counts.admit("10.0.0.1")
        with capturedLogs() as logs:
            for _ in range(100):
                counts.admit("10.0.0.1")
            counts.release("10.0.0.1")
        first, last = sentences(logs)
        self.assertEqual(
            first,
            "refused: listener=battleship address=10.0.0.1 connections=1 of 1 all=1 of 10; "
            "raise connections_per_address or connections if they are wanted",
        )
        self.assertEqual(last, "refused in all: listener=battleship address=10.0.0.1 times=100")

    def test_each_address_and_each_series_has_its_own(self) -> None:
        counts = ConnectionLimits("battleship", 10, 1)
        with capturedLogs() as logs:
            for address in ("a", "b", "a", "b", "b"):
                counts.admit(address)
            for address in "ab":
                counts.release(address)
            counts.admit("a")
            counts.admit("a")
        found = [(log["address"], log.get("refused")) for log in logs]
        self.assertEqual(found, [("a", None), ("b", None), ("a", 1), ("b", 2), ("a", None)])

    def test_a_full_listener_refuses_all_addresses_in_one_series(self) -> None:
        counts = ConnectionLimits("battleship", 1, 5)
        counts.admit("a")
        with capturedLogs() as logs:
            for number in range(1_000):
                counts.admit(f"10.0.0.{number}")
            counts.release("a")
        first, last = sentences(logs)
        self.assertTrue(
            first.startswith("refused: listener=battleship address=10.0.0.0 connections=0 of 5 all=1 of 1;")
        )
        self.assertEqual(last, "refused in all: listener=battleship address=any times=1000")
        self.assertEqual(counts, ConnectionLimits("battleship", 1, 5))

    def test_who_was_never_refused_is_not_mentioned(self) -> None:
        counts = ConnectionLimits("battleship", 10, 1)
        counts.admit("a")
        with capturedLogs() as logs:
            counts.release("a")
        self.assertEqual(logs, [])


class DescriptorTests(SynchronousTestCase):
    def test_the_soft_limit_is_raised_to_the_hard_one(self) -> None:
        asked: list[tuple[int, tuple[int, int]]] = []
        self.patch(resource, "getrlimit", lambda _which: (1_024, 4_096))
        self.patch(resource, "setrlimit", lambda which, pair: asked.append((which, pair)))
        self.assertEqual(raise_descriptor_limit(), 4_096 - 64)
        self.assertEqual(asked, [(resource.RLIMIT_NOFILE, (4_096, 4_096))])
