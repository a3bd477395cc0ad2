"""What `gamed play` says."""

from __future__ import annotations

import json
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from gamed.arena.runner import Finished
from gamed.arena.slots import Exit
from gamed.cli.scoreboard import COLUMNS, Scoreboard, points
from gamed.core.game import Termination
from gamed.registry import Column
from gamed.tournament.results import Cause, Result
from gamed.tournament.schedule import Fixture, Plan
from gamed.tournament.sprt import Sprt

ID = "6f0c1f0e-0000-4000-8000-000000000001"


class ScoreboardTests(SynchronousTestCase):
    def board(self, games: int, entrants: int = 2) -> Scoreboard:
        return Scoreboard("chess", Plan(ID, 7, entrants, games), ["Anna", "Bert\x1b", "Carl"][:entrants], {})

    def ended(self, board: Scoreboard, fixture: Fixture, winner: int | None, digest: str = "", **more: object) -> str:
        """End a game, which an entrant wins, and return what is said."""
        seat = None if winner is None else fixture.seats.index(winner)
        end = Termination(str(more.get("end", "victory")))
        gone = {int(str(more["gone"])): Cause.LEFT} if "gone" in more else {}
        result = Result(board.plan.id_of(fixture), end, seat, 9, 1.5, digest or str(fixture), gone)
        exits = {seat: Exit(-11, 0.1, 9.0) for seat in gone}
        return board.line(Finished(fixture, result, exits, {}, dict.fromkeys(gone, "oh\x07")))

    def test_points(self) -> None:
        self.assertEqual([points(score) for score in (0, 0.5, 1, 3.5)], ["0", "½", "1", "3½"])

    def test_the_first_bot_is_stronger_weaker_or_nobody_knows(self) -> None:
        for winner, alike, status in ((0, False, 0), (1, False, 10), (None, False, 11), (0, True, 11), (1, True, 11)):
            board = self.board(20)
            for fixture in board.plan.fixtures():
                self.ended(board, fixture, winner, f"leg {fixture.leg}" if alike else "")
            self.assertEqual(board.status(), status)
            said = "\n".join(board.lines())
            likelier = {0: "; Anna is the stronger one", 1: r"; Bert\x1b is the stronger one", None: "; not decided\n"}
            self.assertIn(likelier[None if alike else winner], said)
            self.assertEqual("not decided" in said, status == 11, said)
            self.assertEqual("All pairs are alike" in said, alike, said)
            self.assertIn("1 distinct of 10 pairs" if alike else "10 distinct of 10 pairs", said)
            (row, *_) = json.loads(board.json())["pairings"]
            self.assertEqual(row["distinct"], 1 if alike else 10)

    def test_numbers_of_the_bots_are_columns_of_the_csv(self) -> None:
        board = self.board(2)
        first, second = board.plan.fixtures()
        for fixture in (first, second):
            self.ended(board, fixture, 0)
        board.means = {board.plan.id_of(first): {0: {"depth": 4.5, "a": 1.0}, 1: {"depth": 2.0}}, "other": {}}
        file = StringIO()
        board.write_csv(file)
        found = [line.split(",")[len(COLUMNS) :] for line in file.getvalue().splitlines()]
        self.assertEqual(found, [["first a", "first depth", "second depth"], ["1.0", "4.5", "2.0"], ["", "", ""]])

    def test_who_plays_no_game_to_its_end_is_not_fit(self) -> None:
        board = self.board(4)
        for number, fixture in enumerate(board.plan.fixtures()):
            self.assertEqual(board.status(), 12)
            said = self.ended(board, fixture, 0, end="left", gone=fixture.seats.index(1))
            self.assertIn("\n        Bert\\x1b: signal 11: oh\\x07", said)
            self.assertEqual(board.count, number + 1)
        self.assertEqual(board.status(), 12)
        said = "\n".join(board.lines())
        self.assertIn("left 4", said)
        self.assertIn("\nBert\\x1b has played no game to its end.", said)
        # A crash in one game is a loss, and no more.
        last = list(board.plan.fixtures())[-1]
        self.ended(board, last, 0)
        self.assertNotEqual(board.status(), 12)

    def test_a_game_that_is_nobodys_is_missing(self) -> None:
        board = self.board(2)
        first, second = board.plan.fixtures()
        self.assertEqual(self.ended(board, first, 0).split("  (")[0], "1/2  Anna 1 : 0 Bert\\x1b")
        self.assertIn("nobody's game (cancelled)", self.ended(board, second, None, end="cancelled"))
        self.assertEqual((board.count, board.status()), (1, 12))
        self.assertIn("Anna - Bert\\x1b: no whole pair yet", "\n".join(board.lines()))

    def test_more_than_two(self) -> None:
        board = self.board(2, 3)
        for fixture in board.plan.fixtures():
            self.ended(board, fixture, min(fixture.seats))
        self.assertEqual((board.plan.total, board.count, board.status()), (6, 6, 0))
        self.assertEqual(board.so_far(), "Anna 4, Bert\\x1b 2, Carl 0")
        self.assertEqual(len(json.loads(board.json())["games"]), 6)

    def test_the_columns_of_a_contest(self) -> None:
        board = self.board(2, 3)
        board.columns = (Column("victory", "Siegpunkte"), Column("points", "Punkte", is_mean=True))
        for number, fixture in enumerate(board.plan.fixtures()):
            self.ended(board, fixture, None)
            # Carl has more points than Bert, and Bert more than Anna.
            scores = {"victory": [1, 1], "points": [10 * entrant + number for entrant in fixture.seats]}
            # Whoever never began a game has no scores of it.
            board.scores = {**board.scores, board.plan.id_of(fixture): scores if number else {}}
        head, *rows = [line.split() for line in board.lines()][:4]
        self.assertEqual(head, ["score", "won", "drawn", "lost", "Siegpunkte", "⌀", "Punkte", "lost", "by"])
        self.assertEqual([row[0] for row in rows], ["Carl", "Bert\\x1b", "Anna"])
        self.assertEqual([row[5:] for row in rows], [["4", "23.50"], ["3", "13.33"], ["3", "2"]])
        entrants = json.loads(board.json())["entrants"]
        self.assertEqual([(one["victory"], one["points"]) for one in entrants][2], (3, 2))

    def test_only_what_is_recorded_counts_in_the_end(self) -> None:
        board = self.board(2)
        for fixture in board.plan.fixtures():
            self.ended(board, fixture, 0)
        board.settle(dict(list(board.results.items())[:1]))
        self.assertEqual((board.count, len(list(board.rows()))), (1, 1))

    def test_a_test_ends_with_its_verdict(self) -> None:
        for winner, verdict, status in ((0, 1, 0), (1, 0, 10)):
            board = self.board(200)
            board.sprt = Sprt(0, 200)
            games = list(board.plan.fixtures())
            # The third pair is late: what comes after it decides nothing until it is there.
            for fixture in [*games[:4], *games[6:]]:
                self.ended(board, fixture, winner)
            self.assertEqual((board.decision.verdict, board.decision.count, board.status()), (None, 2, 12))
            for fixture in games[4:6]:
                self.ended(board, fixture, winner)
            decision = board.decision
            self.assertEqual((decision.verdict, board.status()), (verdict, status))
            self.assertEqual((decision.last, decision.count), (decision.count - 1, len(board.games) // 2))
            self.assertLess(len(board.games), 100)
            said = "\n".join(board.lines())
            self.assertIn(f"H{verdict} is accepted after {decision.count} distinct pairs, LLR ", said)
            self.assertEqual(json.loads(board.json())["sprt"]["verdict"], verdict)

    def test_a_test_without_a_verdict(self) -> None:
        board = self.board(40)
        board.sprt = Sprt(0, 10)
        for fixture in board.plan.fixtures():
            self.ended(board, fixture, 0, "alike")
        self.assertEqual((board.decision.count, board.status()), (1, 11))
        self.assertIn("no verdict after 1 distinct pair, LLR ", "\n".join(board.lines()))
        self.assertIn("Elo, LLR ", board.so_far())
