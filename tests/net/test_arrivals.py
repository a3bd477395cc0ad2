"""When a message counts as arrived, and when a limit is over. Source: docs/topics/design.md#time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from gamed.net.arrivals import FLOOD, Arrivals
from gamed.net.session import READ_BYTES
from gamed.net.stall_clock import StallClock
from tests.net.simulation import LIMIT, Simulation

parts = st.one_of(st.just(0.0), st.floats(0, 0.05), st.floats(0, 0.5), st.floats(0, 15))
schedules = st.lists(st.tuples(parts, parts, parts), min_size=1, max_size=12)


class ArrivalsTests(SynchronousTestCase):
    """One pass a second from 1 on: pass number N begins at N."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.passes = StallClock(self.clock, self.clock.seconds)
        self.go_to(3)
        self.arrivals = Arrivals(self.passes)
        self.arrivals.watch(is_watched=True)

    def go_to(self, number: int) -> None:
        while self.passes.number < number:
            self.clock.advance(1)
            self.passes.note_pass()

    def read(self, number: int, *, is_emptied: bool = True) -> float:
        self.go_to(number)
        return self.arrivals.read(is_emptied=is_emptied)

    def test_what_a_pass_reads_has_arrived_after_the_pass_before(self) -> None:
        self.assertEqual([self.read(number) for number in (7, 8, 9, 20)], [6.0, 7.0, 8.0, 19.0])

    def test_what_was_there_before_it_was_watched_may_be_that_old(self) -> None:
        self.assertEqual(self.read(4), 2.0)

    def test_what_was_not_read_whole_is_as_old_as_what_was(self) -> None:
        self.assertEqual([self.read(7, is_emptied=False), self.read(8), self.read(9)], [6.0, 6.0, 8.0])

    def test_a_pass_that_does_not_report_the_socket_found_it_empty(self) -> None:
        self.assertEqual([self.read(7, is_emptied=False), self.read(9)], [6.0, 8.0])

    def test_while_it_is_not_watched_nothing_is_known(self) -> None:
        self.read(7)
        self.go_to(9)
        self.arrivals.watch(is_watched=False)
        self.go_to(30)
        self.arrivals.watch(is_watched=False)
        self.assertEqual(self.arrivals.last, 8.0)
        self.arrivals.watch(is_watched=True)
        self.assertEqual([self.read(31), self.read(33)], [8.0, 32.0])

    def test_who_floods_is_credited_for_a_while_only(self) -> None:
        credited = [number - self.read(number, is_emptied=False) for number in range(10, 30)]
        self.assertEqual(credited[:2], [1.0, 2.0])
        # The gap to the pass before, the second, and the pass that notices that it is over.
        self.assertLessEqual(max(credited), 1 + FLOOD + 1)


class LimitTests(SynchronousTestCase):
    """The rule itself, with whatever may happen between two looks at a socket."""

    def simulation(self) -> Simulation:
        made = Simulation()
        self.addCleanup(made.close)
        return made

    @given(schedules, st.floats(0, LIMIT))
    def test_who_sends_in_time_never_loses(self, schedule: list[tuple[float, float, float]], after: float) -> None:
        game = self.simulation()
        game.sends.append((game.asked_at + after, game.move))
        for number in range(1_000):
            game.pass_once(*schedule[number % len(schedule)] if number < 50 else (0.0, 0.02, 0.0))
            if game.has_moved or game.outcome is not None:
                break
        self.assertIsNone(game.outcome)
        self.assertTrue(game.has_moved)
        game.close()

    @given(schedules)
    def test_silence_loses_after_the_one_pass_in_which_the_limit_ran_out(
        self, schedule: list[tuple[float, float, float]]
    ) -> None:
        game = self.simulation()
        limit = game.asked_at + LIMIT
        self.until_past(game, limit, schedule)
        game.passes(2)
        assert game.outcome is not None
        self.assertEqual((game.outcome.termination, game.outcome.winner), (Termination.TIME, 1))
        game.close()

    @given(schedules, st.floats(0, 0.003))
    def test_who_sends_later_than_the_pass_in_which_the_limit_ran_out_loses(
        self, schedule: list[tuple[float, float, float]], after: float
    ) -> None:
        game = self.simulation()
        self.until_past(game, game.asked_at + LIMIT, schedule)
        game.sends.append((game.clock.rightNow + after, game.move))
        game.passes(4, 0.0, 0.001)
        assert game.outcome is not None
        self.assertEqual((game.outcome.termination, game.outcome.winner), (Termination.TIME, 1))
        game.close()

    def until_past(self, game: Simulation, limit: float, schedule: list[tuple[float, float, float]]) -> None:
        """Make passes, up to the first one that begins behind the limit."""
        for number in range(1_000):
            game.pass_once(*schedule[number % len(schedule)] if number < 50 else (0.0, 0.02, 0.0))
            if game.heart.began > limit:
                return
            # A pass that began exactly at the limit may have been the one.
            self.assertTrue(game.outcome is None or game.clock.rightNow >= limit)

    def test_the_server_is_stopped_over_the_limit_while_the_answer_lies_in_the_kernel(self) -> None:
        for part in ("timers", "polling", "reading"):
            for more in ("", " " * (3 * READ_BYTES)):
                game = self.simulation()
                game.passes(50, polling=0.02)
                game.sends.append((game.clock.rightNow + 0.9, lambda game=game, more=more: game.move(more)))
                game.pass_once(**{part: 10.0})
                game.passes(20, polling=0.001)
                self.assertIsNone(game.outcome, (part, len(more)))
                self.assertTrue(game.has_moved, (part, len(more)))
                (moved,) = game.harness.rooms[0].history.of_kind("move")
                self.assertGreater(moved.at, 10_000)
                self.assertLessEqual(int(moved.data["taken"]) - int(moved.data["gap"]), LIMIT * 1000)

    def test_what_is_late_without_a_gap_loses(self) -> None:
        game = self.simulation()
        game.passes(99, polling=0.02)
        game.pass_once(polling=0.3)
        game.pass_once(polling=0.01)
        game.move()
        game.passes(3)
        assert game.outcome is not None
        self.assertEqual(game.outcome.termination, Termination.TIME)

    def test_delays_before_the_limit_do_not_stretch_it(self) -> None:
        # As on a busy machine: each pass is 15 ms late.
        game = self.simulation()
        (room,) = game.harness.rooms
        while game.outcome is None:
            game.pass_once(timers=0.015, polling=0.02)
        (left,) = room.history.of_kind("left")
        self.assertLess(left.at - LIMIT * 1000, 2 * 35)
        # An entry's `at` is rounded down.
        self.assertIn(int(left.data["taken"]) - left.at, (0, 1))
        self.assertEqual(int(left.data["taken"]) - int(left.data["gap"]), LIMIT * 1000)

    def test_who_keeps_the_socket_full_stretches_its_limit_by_a_second(self) -> None:
        game = self.simulation()
        limit = game.asked_at + LIMIT
        while game.outcome is None:
            self.flood(game, 0)
            game.pass_once(polling=0.01)
        self.assertLess(game.clock.rightNow - limit, FLOOD + 0.1)

    def test_the_clock_starts_when_the_request_has_left(self) -> None:
        game = Simulation(takes=0)
        self.addCleanup(game.close)
        game.passes(100, polling=0.1)
        self.assertIsNone(game.outcome)
        mover = game.players[0].transport
        mover.handle.takes = None
        mover.drain()
        asked_at = game.clock.rightNow
        self.assertEqual(game.asked_at, asked_at)
        while game.outcome is None:
            game.pass_once(polling=0.02)
        self.assertLess(game.clock.rightNow - asked_at - LIMIT, 0.1)

    def test_a_hold_stops_the_clock_and_the_record_tells_the_true_time(self) -> None:
        game = self.simulation()
        lobby, (room,) = game.harness.lobby, game.harness.rooms
        lobby.delivery.outage.on_hold += [game.heart.hold, game.harness.factory.hold]
        lobby.delivery.outage.again = lambda: None
        with capturedLogs():
            lobby.delivery.outage.begin("a test")
            lobby.delivery.outage.hold()
        game.passes(10, polling=1.0)
        lobby.delivery.outage.end()
        game.passes(85, polling=0.02)
        self.assertIsNone(game.outcome)
        game.passes(25, polling=0.02)
        assert game.outcome is not None
        (left,) = room.history.of_kind("left")
        self.assertEqual(int(left.data["taken"]) - int(left.data["gap"]), LIMIT * 1000)
        self.assertIn(left.at - int(left.data["taken"]), (9_999, 10_000))

    def test_who_is_not_waited_for_stretches_nothing(self) -> None:
        game = self.simulation()
        limit = game.asked_at + LIMIT
        while game.outcome is None:
            self.flood(game, 1)
            game.pass_once(polling=0.01)
        self.assertLess(game.clock.rightNow - limit, 0.1)

    @staticmethod
    def flood(game: Simulation, number: int) -> None:
        try:
            while game.players[number].end.send(b" " * READ_BYTES) == READ_BYTES:
                pass
        except BlockingIOError:
            pass
