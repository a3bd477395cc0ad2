"""The boards as text: what the answers reveal, and nothing that a hostile line would do to a terminal."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import JOINED, LINE, STARTED, Entry, History
from gamed.games.battleship.text_board import HIT, LEGEND, SUNK, UNKNOWN, WATER
from tests.games.pictures import draw

A_GAME = (
    (1, b"(1,[0,0])."),
    (0, b"(2,[0,0,1])."),
    (0, b"(1,[9,9])."),
    (1, b"(2,[9,9,2])."),
    (1, b"(1,[2,1])."),
    (0, b"2,[2,1,2]"),
    (0, b"(1,[8,9])."),
    (1, b"(2,[8,9,3])."),
)

THE_BOARDS = """\
seat 1: (2,[8,9,3]).
seat 0  10.0.0.1:1                    seat 1  [::1]:2
     1  2  3  4  5  6  7  8  9 10          1  2  3  4  5  6  7  8  9 10
  A  ~  .  .  .  .  .  .  .  .  .       A  .  .  .  .  .  .  .  .  .  .
  B  .  .  x  .  .  .  .  .  .  .       B  .  .  .  .  .  .  .  .  .  .
  C  .  .  .  .  .  .  .  .  .  .       C  .  .  .  .  .  .  .  .  .  .
  D  .  .  .  .  .  .  .  .  .  .       D  .  .  .  .  .  .  .  .  .  .
  E  .  .  .  .  .  .  .  .  .  .       E  .  .  .  .  .  .  .  .  .  .
  F  .  .  .  .  .  .  .  .  .  .       F  .  .  .  .  .  .  .  .  .  .
  G  .  .  .  .  .  .  .  .  .  .       G  .  .  .  .  .  .  .  .  .  .
  H  .  .  .  .  .  .  .  .  .  .       H  .  .  .  .  .  .  .  .  .  .
  I  .  .  .  .  .  .  .  .  .  .       I  .  .  .  .  .  .  .  .  .  .
  J  .  .  .  .  .  .  .  .  .  .       J  .  .  .  .  .  .  .  .  #  #
. unknown   ~ water   x hit   # sunk"""


def game(*lines: tuple[int, bytes], names: tuple[str, str] = ("10.0.0.1:1", "[::1]:2")) -> History:
    history = History("r", "battleship", "2026-11-21T09:00:00.000Z", 1)
    history.entries = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(names)]
    history.entries += [Entry(1, STARTED), *(Entry(2, LINE, seat, body) for seat, body in lines)]
    return history


def marks(drawn: str, seat: int) -> str:
    """Return the 100 cells of a drawn board, row by row."""
    rows = drawn.splitlines()[3:13]
    return "".join(row[5 + 38 * seat : 33 + 38 * seat : 3] for row in rows)


def answers(*told: tuple[int, int, int]) -> str:
    """Return the cells of seat 0's board after its answers."""
    return marks(draw(game(*((0, b"(2,[%d,%d,%d])." % numbers) for numbers in told))), 0)


class DrawingTests(SynchronousTestCase):
    def test_a_whole_game(self) -> None:
        self.assertEqual(draw(game(*A_GAME)), THE_BOARDS)

    def test_after_some_lines(self) -> None:
        history = game(*A_GAME)
        for count, revealed in enumerate((0, 0, 1, 1, 2, 2, 3, 3, 4)):
            drawn = draw(history, count)
            found = [mark for seat in (0, 1) for mark in marks(drawn, seat) if mark != UNKNOWN]
            self.assertEqual(len(found), revealed, count)
        self.assertEqual(draw(history, 8), draw(history))
        self.assertEqual(draw(history, 99), draw(history))

    def test_before_the_first_line(self) -> None:
        for drawn in (draw(game(*A_GAME), 0), draw(game())):
            first, *_, last = drawn.splitlines()
            self.assertEqual((first, last), ("before the first line", LEGEND))
            self.assertEqual(marks(drawn, 0) + marks(drawn, 1), UNKNOWN * 200)

    def test_the_caption_is_the_last_line(self) -> None:
        self.assertEqual(draw(game(*A_GAME), 3).splitlines()[0], "seat 0: (1,[9,9]).")

    def test_a_shot_reveals_nothing(self) -> None:
        self.assertEqual(marks(draw(game((0, b"(1,[3,3])."))), 0), UNKNOWN * 100)

    def test_columns_are_x_and_rows_are_y(self) -> None:
        self.assertEqual(answers((7, 2, 1)).index(WATER), 27)

    def test_a_ship_sinks_whole(self) -> None:
        cells = answers((4, 4, 2), (5, 4, 2), (6, 4, 3), (4, 6, 2))
        self.assertEqual([cell for cell, mark in enumerate(cells) if mark == SUNK], [44, 45, 46])
        self.assertEqual([cell for cell, mark in enumerate(cells) if mark == HIT], [64])

    def test_a_ship_ends_at_the_edge(self) -> None:
        # (9,0) and (0,1) follow each other in the list of cells, and are no neighbours on the board.
        cells = answers((9, 0, 2), (0, 1, 3), (0, 9, 2), (0, 8, 4))
        self.assertEqual([cell for cell, mark in enumerate(cells) if mark == SUNK], [10, 80, 90])
        self.assertEqual(cells[9], HIT)


class HostileTests(SynchronousTestCase):
    def test_control_characters_are_shown_not_sent(self) -> None:
        for body, shown in (
            (b"\x1b[2Jgone", r"\x1b[2Jgone"),
            (b"\x07", r"\x07"),
            ("\u202etxt".encode(), r"\u202etxt"),
            (b"\xff\xfe", r"\xff\xfe"),
            (b"", ""),
            ("größe".encode(), "größe"),
        ):
            self.assertEqual(draw(game((1, body))).splitlines()[0], f"seat 1: {shown}")

    def test_in_names_too(self) -> None:
        title = draw(game(names=("\x1b[2J", "b" * 99))).splitlines()[1]
        self.assertEqual(title, r"seat 0  \x1b[2J" + " " * 23 + "seat 1  " + "b" * 25)

    def test_answers_that_contradict_each_other(self) -> None:
        self.assertEqual(answers((0, 0, 2), (0, 0, 1))[0], HIT)
        self.assertEqual(answers((0, 0, 1), (0, 0, 2))[0], HIT)
        self.assertEqual(answers((0, 0, 3), (0, 0, 2))[0], SUNK)
        self.assertEqual(answers((0, 0, 3), (0, 0, 3))[0], SUNK)

    def test_answers_off_the_board_and_unknown_codes(self) -> None:
        self.assertEqual(answers((10, 0, 2), (0, 10, 3), (999_999_999, 0, 1), (0, 0, 0), (0, 0, 5)), UNKNOWN * 100)

    @settings(deadline=None, max_examples=100)
    @given(
        st.lists(
            st.tuples(
                st.integers(0, 1),
                st.binary(max_size=8)
                | st.builds(lambda *numbers: b"(2,[%d,%d,%d])." % numbers, *[st.integers(0, 10)] * 3),
            ),
            max_size=60,
        )
    )
    def test_whatever_comes_it_is_the_same_shape(self, lines: list[tuple[int, bytes]]) -> None:
        drawn = draw(game(*lines))
        self.assertTrue(drawn.replace("\n", "").isprintable())
        self.assertEqual(len(drawn.split("\n")), 14)
        self.assertLessEqual(set(marks(drawn, 0) + marks(drawn, 1)), {UNKNOWN, WATER, HIT, SUNK})
