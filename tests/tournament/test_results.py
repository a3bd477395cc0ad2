"""Results: what a tournament counts of a match, and how it is written down."""

from __future__ import annotations

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.core.history import ATTESTED, DRAWN, LEFT, MOVE, REFUSED, STARTED, Entry, History, Word, ended
from gamed.tournament.results import VOID, Cause, Result, from_data, result_of, to_data

DRAW = Entry(20, DRAWN, body=b"deal")
MOVES = (Entry(30, MOVE, 0, b"a1"), Entry(40, MOVE, 1, b"b2"))


def history(*entries: Entry, end: Outcome | None = None) -> History:
    last = [] if end is None else [ended(1520, end)]
    return History("room", "hive", "2026-11-27T10:00:00.000Z", 7, {}, [Entry(20, STARTED), *entries, *last])


class ResultTests(SynchronousTestCase):
    def test_a_game_that_was_won(self) -> None:
        result = result_of(history(DRAW, *MOVES, end=Outcome(Termination.VICTORY, 1)))
        self.assertEqual(
            evolve(result, digest=""), Result("room", Termination.VICTORY, 1, moves=2, seconds=1.5, digest="")
        )
        self.assertEqual([result.score(seat) for seat in (0, 1)], [0.0, 1.0])

    def test_one_that_was_drawn(self) -> None:
        result = result_of(history(*MOVES, end=Outcome(Termination.LIMIT)))
        self.assertEqual([result.score(seat) for seat in (0, 1)], [0.5, 0.5])
        self.assertFalse(result.is_void)

    def test_why_somebody_has_lost(self) -> None:
        left = Entry(50, LEFT, 1, data={"why": "time", "taken": 3})
        result = result_of(history(*MOVES, left, end=Outcome(Termination.TIME, 0)))
        self.assertEqual(result.causes, {1: Cause.TIME})
        self.assertEqual([result.cause(seat) for seat in (0, 1)], [None, Cause.TIME])

    def test_a_line_that_nobody_can_read_is_of_another_protocol(self) -> None:
        lost = history(*MOVES, end=Outcome(Termination.FORFEIT, 0))
        for seat, cause in ((1, Cause.PROTOCOL), (0, Cause.ILLEGAL)):
            refused = (Entry(40, REFUSED, seat, b"?", {"code": "illegible"}),)
            result = result_of(evolve(lost, refused=refused))
            self.assertEqual((result.cause(0), result.cause(1)), (None, cause))
            # Who has won has not left.
            self.assertNotIn(0, result.causes)

    def test_each_end_with_a_loser_has_a_cause(self) -> None:
        """Where the loser has not left, the termination says it."""
        for termination in set(Termination) - VOID:
            result = result_of(history(*MOVES, end=Outcome(termination, 0)))
            self.assertEqual((result.cause(0), type(result.cause(1))), (None, Cause), termination)
            self.assertIsNone(result_of(history(*MOVES, end=Outcome(termination))).cause(1))

    def test_what_became_of_the_program_is_the_cause(self) -> None:
        left = history(*MOVES, Entry(50, LEFT, 1, data={"why": "left"}), end=Outcome(Termination.LEFT, 0))
        said: list[tuple[Word, Cause]] = [
            ({"status": 3, "seated": False}, Cause.CRASHED),
            ({"status": -6}, Cause.CRASHED),
            ({"status": -24}, Cause.CPU),
            ({"status": 0}, Cause.LEFT),
            ({"status": 0, "seated": False}, Cause.NEVER_CONNECTED),
            ({"running": True, "seated": False}, Cause.NEVER_CONNECTED),
            ({"failed": "No such file", "seated": False}, Cause.NEVER_CONNECTED),
        ]
        for word, cause in said:
            result = result_of(evolve(left, attested=(Entry(49, ATTESTED, 1, data=word),)))
            self.assertEqual(result.cause(1), cause, word)
            self.assertEqual(from_data(to_data(result)), result)

    def test_one_that_is_nobodys(self) -> None:
        for termination in Termination:
            result = result_of(history(end=Outcome(termination)))
            self.assertEqual(result.is_void, termination in VOID)
        self.assertEqual(sorted(VOID), ["cancelled", "server-fault", "shutdown"])

    def test_one_that_has_not_ended(self) -> None:
        self.assertRaisesRegex(ValueError, "the match room has not ended", result_of, history(*MOVES))

    def test_the_digest_is_of_draws_and_moves_and_of_nothing_else(self) -> None:
        def digest(*entries: Entry) -> str:
            return result_of(history(*entries, end=Outcome(Termination.VICTORY, 1))).digest

        same = digest(DRAW, *MOVES)
        self.assertEqual(digest(*[evolve(entry, at=entry.at + 5) for entry in (DRAW, *MOVES)]), same)
        # Each seat's moves are in order; whose comes first follows from them, or makes no difference.
        self.assertEqual(digest(DRAW, *reversed(MOVES)), same)
        others = (MOVES, (DRAW, evolve(MOVES[0], seat=1), MOVES[1]), (DRAW, MOVES[0]))
        self.assertEqual(len({same, *(digest(*entries) for entries in others)}), len(others) + 1)

    def test_written_and_read(self) -> None:
        left = Entry(50, LEFT, 1, data={"why": "left"})
        for result in (
            result_of(history(*MOVES, left, end=Outcome(Termination.LEFT, 0))),
            result_of(history(end=Outcome(Termination.CANCELLED))),
        ):
            self.assertEqual(from_data(to_data(result)), result)
