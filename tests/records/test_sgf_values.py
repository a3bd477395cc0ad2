"""Values of SGF."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf_grammar
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go import sgf_values
from gamed.games.go.sgf_setup import Setup
from gamed.games.go.sgf_values import Result, SgfError
from gamed.games.go.tree import Player, Point
from tests.records.gogames import TEXTS


class TextTests(SynchronousTestCase):
    def test_escapes_and_line_breaks(self) -> None:
        raw = b"a\\]b\\\\c\\\nd\r\ne\tf"
        self.assertEqual(sgf_values.text(raw), "a]b\\cd\ne f")
        self.assertEqual(sgf_values.simple(raw), "a]b\\cd e f")

    @settings(deadline=None)
    @given(TEXTS)
    def test_a_text_is_read_again_or_it_is_said(self, text: str) -> None:
        for reader in (sgf_values.text, sgf_values.simple):
            raw, is_whole = sgf_values.escaped(text, reader)
            self.assertEqual(reader(raw) == text, is_whole)
            if not set(text) & set("\t\n\r"):
                self.assertTrue(is_whole)


class NumberTests(SynchronousTestCase):
    def test_numbers(self) -> None:
        for said, value in (("6.5", 6.5), ("0", 0), ("-3", -3), ("+.5", 0.5), ("7.", 7)):
            self.assertEqual(sgf_values.number(said), value)
        for said in ("", "six", "1e3", "nan", "1_0", "6,5", "1" * 10, "0.1234567", "."):
            self.assertIsNone(sgf_values.number(said), said)

    def test_counts(self) -> None:
        self.assertEqual(sgf_values.count("9"), 9)
        for said in ("", "-1", "2.5", "1" * 10, "\u0665 "):
            self.assertIsNone(sgf_values.count(said), said)


class PointTests(SynchronousTestCase):
    @settings(deadline=None)
    @given(st.integers(1, 52), st.integers(1, 52))
    def test_each_point_is_read_again(self, x: int, y: int) -> None:
        self.assertEqual(sgf_values.point(sgf_values.to_notation(Point(x, y)), 52), Point(x, y))

    def test_passes(self) -> None:
        self.assertEqual(sgf_values.to_notation(None), b"")
        self.assertIsNone(sgf_values.point(b" ", 52))
        self.assertIsNone(sgf_values.point(b"tt", 19))
        self.assertEqual(sgf_values.point(b"tt", 20), Point(20, 20))

    def test_rectangles_from_any_corner(self) -> None:
        for raw in (b"aa:bc", b"bc:aa", b"ac:ba"):
            setup = Setup(9)
            setup.change({"black": [raw]}, [])
            self.assertEqual(len(setup.stones()), 6)
            self.assertEqual({point.x for point, _ in setup.stones()}, {1, 2})

    def test_rectangles_beside_the_board(self) -> None:
        for raw in (b"aa:zz", b":", b"aa:", b""):
            with self.assertRaises(SgfError):
                Setup(9).change({"black": [raw]}, [])


class ResultTests(SynchronousTestCase):
    def test_who_resigned(self) -> None:
        self.assertEqual([Result(-1).resigned, Result(None, -1).resigned, Result(0, 2).resigned], ["B", "W", None])

    @settings(deadline=None)
    @given(st.integers(0, 4_000), st.booleans())
    def test_margins_are_read_again(self, quarters: int, is_black: bool) -> None:
        margin = quarters / 4
        black, white = (margin, 0.0) if is_black else (0.0, margin)
        said, note = sgf_values.result_to_notation(Player(0, points=black), Player(1, points=white))
        self.assertIsNone(note)
        self.assertEqual(sgf_values.result(said or "none"), Result(black, white))

    def test_differences_are_not_longer_than_they_are(self) -> None:
        said, _ = sgf_values.result_to_notation(Player(0, points=45), Player(1, points=38.1))
        self.assertEqual(said, "B+6.9")
        said, _ = sgf_values.result_to_notation(Player(0, points=0.3), Player(1, points=0.1 + 0.2))
        self.assertEqual(said, "0")

    def test_a_missing_player_has_no_points(self) -> None:
        self.assertEqual(sgf_values.result_to_notation(None, None), (None, None))
        self.assertEqual(sgf_values.result_to_notation(None, Player(1, points=-1)), ("B+R", None))


class EscapeTests(SynchronousTestCase):
    @given(st.text("a]\\\n\r\t\x0b :", max_size=20))
    def test_texts_are_what_sgfmill_reads(self, written: str) -> None:
        """It takes objects for each escape, which is too much memory for very many."""
        raw = written.encode()
        self.assertEqual(sgf_values.text(raw), sgf_grammar.text_value(raw).decode())
        self.assertEqual(sgf_values.simple(raw), sgf_grammar.simpletext_value(raw).decode())
