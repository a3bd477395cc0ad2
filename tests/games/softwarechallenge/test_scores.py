"""The scores of test mode, in the official server's own arithmetic."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.softwarechallenge.scores import ScoreBook
from gamed.games.softwarechallenge.season import Fragment

COLUMNS = (Fragment("Gewinner", "SUM"), Fragment("∅ freie Felder", "AVERAGE"))


class ScoreTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.book = ScoreBook(COLUMNS, is_on=True)

    def played(self, *games: tuple[str, str]) -> list[str]:
        """Have p1 play games with these parts; return how each average is printed after them."""
        averages = []
        for parts in games:
            self.book.add(("p1", "p2"), (parts, ("0", "-1")))
            score = self.book.score("p1")
            assert score is not None
            averages.append(score.values[1])
        return averages

    def values(self, name: str) -> tuple[int, list[str]]:
        """Return what a name has scored."""
        score = self.book.score(name)
        assert score is not None
        return score.games, score.values

    def test_sums(self) -> None:
        self.played(("2", "3"), ("0", "1"), ("1", "2"))
        self.assertEqual(self.values("p1"), (3, ["3", "2.0000010"]))
        self.assertEqual(self.values("p2")[1][0], "0")

    def test_averages_are_printed_as_the_official_server_prints_them(self) -> None:
        # The three forms of docs/specs/software-challenge.md#scores-of-test-mode.
        self.assertEqual(self.played(("0", "3"), ("0", "4"), ("0", "2")), ["3.000000", "3.5000000", "3.0000015"])

    def test_they_are_rounded_at_each_step(self) -> None:
        threes = [("0", "3")] * 8
        self.assertEqual(
            self.played(*threes),
            ["3.000000", "3.0000000", "3.0000010", "3.0000008", "3.0000006", "2.9999995", "2.9999996", "2.9999997"],
        )

    def test_a_bee_that_was_never_placed(self) -> None:
        self.assertEqual(self.played(("0", "-1"), ("0", "-1")), ["-1.000000", "-1.0000000"])

    def test_nothing(self) -> None:
        self.assertEqual(self.played(("0", "0")), ["0.000000"])

    def test_a_name_without_games_has_no_score(self) -> None:
        self.played(("2", "1"))
        self.assertIsNone(self.book.score("p3"))

    def test_nothing_counts_while_it_is_off(self) -> None:
        self.book.is_on = False
        self.book.add(("p1", "p2"), (("2", "3"), ("0", "1")))
        self.assertIsNone(self.book.score("p1"))

    def test_what_was_counted_stays(self) -> None:
        self.played(("2", "3"))
        self.book.is_on = False
        self.book.add(("p1", "p2"), (("2", "3"), ("0", "1")))
        self.assertEqual(self.values("p1"), (1, ["2", "3.000000"]))

    def test_games_against_the_same_name_do_not_count(self) -> None:
        self.book.add(("Unknown", "Unknown"), (("2", "3"), ("0", "1")))
        self.assertIsNone(self.book.score("Unknown"))

    def test_the_element(self) -> None:
        self.book.add(("a & b", "p2"), (("2", "3"), ("0", "1")))
        self.assertEqual(
            self.book.score_text("a & b"),
            """\
<score displayName="a &amp; b" numberOfTests="1">
      <values>
        <fragment name="Gewinner">
          <aggregation>SUM</aggregation>
          <relevantForRanking>true</relevantForRanking>
        </fragment>
        <value>2</value>
      </values>
      <values>
        <fragment name="∅ freie Felder">
          <aggregation>AVERAGE</aggregation>
          <relevantForRanking>true</relevantForRanking>
        </fragment>
        <value>3.000000</value>
      </values>
    </score>""",
        )
