"""Connections are counted, refused over the limits, and the refusals told in two lines; and rates are measured."""

from __future__ import annotations

import resource

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.net.limits import TICK, Bucket, ConnectionLimits, network_of, raise_descriptor_limit
from gamed.net.log_series import FIRST, PERIOD
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
            "raise connections_per_address if they are wanted",
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

    def test_a_full_listener_names_what_limits_it(self) -> None:
        for most, remedy in (
            (100, "raise connections if they are wanted"),
            (1, "the file descriptors allow no more: raise LimitNOFILE= of the unit, or `ulimit -Hn`"),
        ):
            counts = ConnectionLimits("battleship", 1, 5, most=most)
            with capturedLogs() as logs:
                counts.admit("a")
                counts.admit("b")
            (told,) = sentences(logs)
            self.assertTrue(told.endswith(f"all=1 of 1; {remedy}"), told)

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


class BucketTests(SynchronousTestCase):
    def test_it_fills_at_its_rate_up_to_what_it_holds(self) -> None:
        bucket = Bucket(2.0, 5.0, 100.0)
        self.assertEqual([bucket.level(now) for now in (100.0, 100.4, 100.5, 101.0, 200.0)], [0, 0, 1, 2, 5])

    def test_what_is_taken_is_gone_and_never_owed(self) -> None:
        bucket = Bucket(2.0, 5.0, 0.0, 5.0)
        bucket.take(3)
        self.assertEqual(bucket.level(0.0), 2)
        bucket.take(1_000)
        self.assertEqual((bucket.level(0.0), bucket.level(1.0)), (0, 2))

    @settings(deadline=None, max_examples=100)
    @given(st.floats(0.1, 1e5), st.floats(0.0, 1e6), st.integers(0, 20))
    def test_who_waits_as_long_as_it_says_finds_a_token(self, rate: float, now: float, taken: int) -> None:
        bucket = Bucket(rate, max(rate, 1.0), now, 1.0)
        bucket.take(taken)
        self.assertGreaterEqual(bucket.level(now + bucket.wait), 1)
        self.assertLessEqual(bucket.wait, 1 / rate + TICK)


class FloodTests(SynchronousTestCase):
    def test_a_flood_beyond_the_rate_is_ten_lines_and_a_count(self) -> None:
        now = 0.0
        limits = ConnectionLimits("battleship", 10_000, 8, per_second=2.0, clock=lambda: now)
        with capturedLogs() as logs:
            for _ in range(2_990):
                now += 0.0015
                # Each one that is admitted leaves at once, which ends a series of refusals.
                if limits.admit("192.0.2.1"):
                    limits.release("192.0.2.1")
            now += PERIOD
            limits.admit("192.0.2.2")
            limits.release("192.0.2.2")
        *lines, last = sentences(logs)
        self.assertLessEqual(len(lines), FIRST)
        self.assertTrue(last.startswith("not logged one by one: listener=battleship times="), last)


class RateTests(SynchronousTestCase):
    """Connections that come and go, counted over time."""

    def setUp(self) -> None:
        self.now = 0.0
        self.limits = ConnectionLimits("hive", 10_000, 512, per_second=10.0, clock=lambda: self.now)

    def come_and_go(self, address: str, times: int) -> int:
        """Return how many of so many connections were let in."""
        count = 0
        with capturedLogs():
            for _ in range(times):
                if self.limits.admit(address):
                    self.limits.release(address)
                    count += 1
        return count

    def test_a_course_behind_one_address_may_come_again_at_once(self) -> None:
        with capturedLogs() as logs:
            self.assertTrue(all(self.limits.admit("10.0.0.1") for _ in range(250)))
            for _ in range(250):
                self.limits.release("10.0.0.1")
            self.assertTrue(all(self.limits.admit("10.0.0.1") for _ in range(250)))
        self.assertEqual(logs, [])

    def test_in_the_long_run_the_rate_holds(self) -> None:
        self.assertEqual(self.come_and_go("10.0.0.1", 600), 512)
        self.assertEqual(self.limits.why, "rate")
        for _ in range(5):
            self.now += 1.0
            self.assertEqual(self.come_and_go("10.0.0.1", 100), 10)
        self.now += 1000.0
        self.assertEqual(self.come_and_go("10.0.0.1", 600), 512)

    def test_others_are_not_concerned(self) -> None:
        self.come_and_go("10.0.0.1", 600)
        self.assertEqual(self.come_and_go("10.0.0.2", 100), 100)

    def test_a_rate_that_is_configured_anew_holds_for_those_who_were_there(self) -> None:
        self.come_and_go("10.0.0.1", 600)
        self.limits.per_second, self.limits.per_address = 3.0, 20
        self.now += 1.0
        self.assertEqual(self.come_and_go("10.0.0.1", 100), 3)
        self.now += 1000.0
        self.assertEqual(self.come_and_go("10.0.0.1", 100), 20)

    def test_zero_is_no_limit(self) -> None:
        self.limits.per_second = 0.0
        self.assertEqual(self.come_and_go("10.0.0.1", 2000), 2000)

    def test_what_is_remembered_is_bounded(self) -> None:
        for number in range(25_000):
            self.come_and_go(f"2001:db8::{number:x}", 1)
        self.assertLessEqual(len(self.limits._buckets), 10_000)
        self.now += 1.0
        self.come_and_go("10.0.0.1", 600)
        for number in range(9_999):
            self.limits._buckets[f"x{number}"] = Bucket(10.0, 512, self.now - 5.0, 511.0)
        self.come_and_go("10.0.0.3", 1)
        self.assertEqual(len(self.limits._buckets), 2)
        self.assertEqual(self.come_and_go("10.0.0.1", 1), 0)

    def test_who_leaves_after_a_while_is_forgotten(self) -> None:
        for address in ("10.0.0.1", "10.0.0.2"):
            self.limits.admit(address)
        self.limits.release("10.0.0.1")
        self.now += 0.2
        self.limits.release("10.0.0.2")
        self.assertEqual(list(self.limits._buckets), ["10.0.0.1"])

    def test_each_cause_has_its_name(self) -> None:
        limits = ConnectionLimits("hive", 3, 2, per_second=1.0, clock=lambda: self.now)
        with capturedLogs():
            seen = []
            for address in ("a", "a", "a", "b", "c"):
                limits.admit(address)
                seen.append(limits.why)
            self.assertEqual(seen, ["", "", "address", "address", "all"])
            limits.release("a")
            limits.admit("a")
            self.assertEqual(limits.why, "rate")
            limits.bans.ban(network_of("10.0.0.0/8"))
            limits.admit("10.1.1.1")
            self.assertEqual(limits.why, "banned")
