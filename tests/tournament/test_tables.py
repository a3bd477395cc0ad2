"""What the games of a plan have come to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Seat, Termination
from gamed.tournament.results import Cause, Result
from gamed.tournament.schedule import Fixture, Plan, played
from gamed.tournament.tables import cause_of, meetings, standings

ID = "6f0c1f0e-0000-4000-8000-000000000001"
ENDS = st.tuples(
    st.sampled_from([Termination.VICTORY, Termination.LEFT, Termination.TIME, Termination.LIMIT]),
    st.sampled_from([0, 1, None]),
    st.sampled_from("abc"),
)


def result(plan: Plan, fixture: Fixture, end: Termination, winner: Seat | None, digest: str, **causes: Cause) -> Result:
    found = {int(seat.removeprefix("seat")): why for seat, why in causes.items()}
    return Result(plan.id_of(fixture), end, winner, 10, 1.0, digest, found)


class TableTests(SynchronousTestCase):
    @given(st.integers(2, 4), st.lists(ENDS, min_size=24, max_size=24))
    def test_points_and_games_add_up(self, entrants: int, ends: list[tuple[Termination, Seat | None, str]]) -> None:
        plan = Plan(ID, 7, entrants, 4)
        results = {
            made.id: made
            for fixture, end in zip(plan.fixtures(), ends, strict=False)
            for made in [result(plan, fixture, *end)]
        }
        games = played(plan, results)
        table, met = standings(plan, games), meetings(plan, games)
        self.assertEqual(sum(row.score for row in table), len(games))
        self.assertEqual(sum(row.games for row in table), 2 * len(games))
        self.assertEqual([row.finished for row in table], [row.games for row in table])
        self.assertEqual(sum(meeting.games for meeting in met), len(games))
        for row in table:
            against = sum(
                meeting.score if meeting.entrants[0] == row.entrant else meeting.games - meeting.score
                for meeting in met
                if row.entrant in meeting.entrants
            )
            self.assertEqual(against, row.score)
        for meeting in met:
            self.assertLessEqual(meeting.distinct, meeting.pairs)

    def test_a_loss_has_the_losers_own_cause(self) -> None:
        plan = Plan(ID, 7, 2, 2)
        first, second = plan.fixtures()
        results = {
            made.id: made
            for made in (
                result(plan, first, Termination.LEFT, 0, "a", seat1=Cause.LEFT),
                result(plan, second, Termination.VICTORY, 0, "b"),
            )
        }
        games = played(plan, results)
        self.assertEqual([cause_of(game, 0) for game in games], [None, Cause.BEATEN])
        self.assertEqual([cause_of(game, 1) for game in games], [Cause.LEFT, None])
        one, other = standings(plan, games)
        self.assertEqual((one.won, one.lost, one.finished), (1, 1, 2))
        self.assertEqual((other.causes, other.finished), ({Cause.LEFT: 1}, 1))

    def test_a_draw_is_no_loss_and_nobody_left_is_none(self) -> None:
        plan = Plan(ID, 7, 2, 1)
        (first,) = plan.fixtures()
        drawn = result(plan, first, Termination.LIMIT, None, "a")
        table = standings(plan, played(plan, {drawn.id: drawn}))
        self.assertEqual([(row.drawn, row.lost, row.score) for row in table], [(1, 0, 0.5)] * 2)

    def test_the_first_seats_advantage_counts_distinct_pairs(self) -> None:
        plan = Plan(ID, 7, 2, 20)
        results = {
            made.id: made
            for fixture in plan.fixtures()
            for made in [result(plan, fixture, Termination.VICTORY, 0, f"{fixture.pair // 2}")]
        }
        (meeting,) = meetings(plan, played(plan, results))
        self.assertEqual((meeting.pairs, meeting.distinct, meeting.score), (10, 5, 10.0))
        assert meeting.estimate is not None
        assert meeting.first_seat is not None
        self.assertEqual((meeting.estimate.score, meeting.first_seat.score), (0.5, 1.0))

    def test_without_games_there_is_no_estimate(self) -> None:
        (meeting,) = meetings(Plan(ID, 7, 2, 2), [])
        self.assertEqual((meeting.estimate, meeting.first_seat), (None, None))
