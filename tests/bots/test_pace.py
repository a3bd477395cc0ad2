"""How long a bot of Quoridor waits: for people always, for a bot of ours until it is known as one."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.bots.pace import ALIKE, CLOSE, UNTIL_KNOWN, Pace
from gamed.bots.play import Played
from gamed.games.quoridor import game_type as quoridor
from tests.bots.test_play import Seated
from tests.games.quoridor.worlds import universe

PEOPLE = st.floats(2 * CLOSE, UNTIL_KNOWN - 2 * CLOSE) | st.floats(UNTIL_KNOWN + 2 * CLOSE, 60.0)


class PaceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.pace = Pace(UNTIL_KNOWN, is_fixed=False)
        self.now = 100.0

    def answers(self, *took: float) -> list[float]:
        """Return the waits after answers of an opponent that took so long."""
        found = [self.pace.wait(self.now)]
        for seconds in took:
            self.now += found[-1] + seconds
            found.append(self.pace.wait(self.now))
        return found[1:]

    def test_a_bot_that_waits_as_long_is_known_by_it(self) -> None:
        exactly = [UNTIL_KNOWN + 0.004] * (ALIKE + 2)
        self.assertEqual(self.answers(*exactly), [UNTIL_KNOWN] * (ALIKE - 1) + [0.0] * 3)

    def test_so_is_one_that_has_known_us_first(self) -> None:
        self.assertEqual(self.answers(UNTIL_KNOWN, 0.001, 0.002, 5.0)[-2:], [0.0, 0.0])

    def test_a_program_that_thinks_between_is_not(self) -> None:
        self.assertEqual(set(self.answers(UNTIL_KNOWN, UNTIL_KNOWN, 0.5, UNTIL_KNOWN, 0.0, 1.0)), {UNTIL_KNOWN})

    def test_who_asks_for_a_pace_gets_it(self) -> None:
        self.pace = Pace(2.0)
        self.assertEqual(set(self.answers(*[2.0] * 9)), {2.0})
        self.assertFalse(self.pace.is_over)
        self.assertTrue(Pace(0.0).is_over)

    def test_the_next_match_may_be_with_others(self) -> None:
        self.answers(*[UNTIL_KNOWN] * ALIKE)
        self.assertTrue(self.pace.is_over)
        self.pace.begin()
        self.assertEqual(self.pace.wait(self.now + 0.001), UNTIL_KNOWN)

    @given(st.lists(PEOPLE, max_size=40))
    def test_a_person_always_has_the_time(self, took: list[float]) -> None:
        self.pace = Pace(UNTIL_KNOWN, is_fixed=False)
        self.assertEqual(set(self.answers(*took)) - {UNTIL_KNOWN}, set())


class TwoBotsTests(SynchronousTestCase):
    """Two bots at a table of the daemon, with a clock that a test moves."""

    def play(self, pace: Pace, other: Pace) -> float:
        """Return the seconds of a game."""
        harness = universe()
        results: list[Played] = []
        seats = [
            Seated(quoridor.players["path"](Random(n)), harness.clock, harness.connect(), results.append, pace=each)
            for n, each in enumerate((pace, other))
        ]
        seconds = 0.0
        while len(results) < len(seats) and seconds < 600:
            while sum(seat.exchange() for seat in seats):
                pass
            harness.clock.advance(0.005)
            seconds += 0.005
        self.assertEqual([played.won for played in results].count(True), 1)
        return seconds

    def test_they_do_not_wait_for_each_other(self) -> None:
        shy = [Pace(UNTIL_KNOWN, is_fixed=False) for _ in range(2)]
        self.assertLess(self.play(*shy), 10 * UNTIL_KNOWN)
        self.assertGreater(self.play(Pace(UNTIL_KNOWN), Pace(UNTIL_KNOWN)), 14 * UNTIL_KNOWN)
