"""What messages mean: the words, the shape that a move must have, and what is told of it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.quoridor.messages import Message, Placed, Word, understood
from gamed.games.quoridor.moves import PawnMove, Wall
from gamed.wire.datums import Char, Datum, Opaque, Symbol, write
from gamed.wire.sexpr import DatumReader

MOVE, PLAYER, WALL = Symbol("move"), Symbol("player"), Symbol("wall")
HORIZONTAL, VERTICAL = Symbol("horizontal"), Symbol("vertical")


def read(text: str) -> Message | None:
    """Return what a text means."""
    reader = DatumReader(65_536, 100)
    reader.receive_data(f"{text}\n".encode())
    ((datum, _, _),) = reader.messages()
    return understood(datum)


class WordTests(SynchronousTestCase):
    def test_words(self) -> None:
        for word in Word:
            self.assertIs(read(f"({word})"), word)

    def test_what_follows_a_word_does_not_count(self) -> None:
        self.assertIs(read("(wait wall 0 0)"), Word.WAIT)
        self.assertIs(read('(play #(1) "x" (a . b))'), Word.PLAY)

    def test_what_means_nothing(self) -> None:
        for text in (
            "hello", "17", '"play"', "()", "play", "(hello)", "((play))", '("play")', "(Play)", "(17)", "#(play)",
            "(play . 1)", "#s(play)", "#t", "#\\a", '#"play"', "(voted 0 ())", "(OKAY)", "(REGISTER ((name x)))",
        ):  # fmt: skip
            self.assertIsNone(read(text), text)


class MoveTests(SynchronousTestCase):
    def test_moves_as_the_real_client_sends_them(self) -> None:
        self.assertEqual(read("(move player 4.0 1.0)"), Placed(PawnMove(4, 1), "(player 4.0 1.0 1.0)"))
        self.assertEqual(
            read("(move wall 0.0 1.0 horizontal)"), Placed(Wall(0, 1, "horizontal"), "(wall 0.0 1.0 horizontal)")
        )
        self.assertEqual(
            read("(move wall 8.0 3.0 vertical)"), Placed(Wall(8, 3, "vertical"), "(wall 8.0 3.0 vertical)")
        )

    def test_numbers_are_told_as_they_came(self) -> None:
        for text, told in (
            ("4 1", "4 1 1"),
            ("4 1.0", "4 1.0 1.0"),
            ("4. 1e0", "4.0 1.0 1.0"),
            ("+4 8/8", "4 1 1"),
            ("-0.0 1", "-0.0 1 1"),
        ):
            placed = read(f"(move player {text})")
            assert isinstance(placed, Placed)
            self.assertEqual(placed.written, f"(player {told})")

    def test_the_last_element_is_the_orientation(self) -> None:
        for text, told in (
            ("(move player 4 1 horizontal)", "(player 4 1 horizontal)"),
            ("(move player 4 1 2 3.0)", "(player 4 1 3.0)"),
            ("(move wall 4 1 weird vertical)", "(wall 4 1 vertical)"),
        ):
            placed = read(text)
            assert isinstance(placed, Placed)
            self.assertEqual(placed.written, told)

    def test_every_cell(self) -> None:
        for x in range(9):
            for y in range(9):
                self.assertEqual(read(f"(move player {x}.0 {y}.0)").move, PawnMove(x, y))  # type: ignore[union-attr]
                for orientation in ("horizontal", "vertical"):
                    placed = read(f"(move wall {x} {y} {orientation})")
                    assert isinstance(placed, Placed)
                    self.assertEqual(placed.move, Wall(x, y, orientation))

    def test_what_has_not_the_shape_of_a_move(self) -> None:
        for text in (
            "(move)", "(move player)", "(move player 4)", '(move player "a" "b")', "(move teapot 4 1)",
            "(move teapot 4 1 horizontal)", '(move "player" 4 1)', "(move player 4.5 1)", "(move player 4 1/2)",
            "(move player +nan.0 1)", "(move player +inf.0 1)", "(move player 9 1)", "(move player 4 -1)",
            "(move player 1e400 1)", "(move player #t 1)", "(move player 4+0.0i 1)", "(move player 4+1i 1)",
            '(move player 4 1 "x")', "(move player 4 1 (x))", "(move player 4 1 #t)", "(move wall 0 1)",
            "(move wall 0 1 diagonal)", '(move wall 0 1 "horizontal")', "(move wall 0 horizontal)",
            "(move wall 8 8 weird extra)", "(move wall 9 0 vertical)", "(move . 1)", "((move player 4 1))",
            "(move player 4 1 x)",
            "(move player 4 1 9)",
            "(move player 4 1 +nan.0)",
            "(move player 100000000000000000000 1)", "(move player 4t0 1)",
        ):  # fmt: skip
            self.assertIsNone(read(text), text)


parts: st.SearchStrategy[Datum] = st.one_of(
    st.sampled_from([MOVE, PLAYER, WALL, HORIZONTAL, VERTICAL, Symbol("play"), Symbol("x")]),
    st.integers(-2, 10),
    st.floats(-2, 10),
    st.sampled_from([0.0, 4.0, 8.0]),
    st.booleans(),
    st.text(max_size=3),
    st.sampled_from([Char(65), Opaque("vector"), ()]),
)


cells: st.SearchStrategy[Datum] = st.one_of(st.integers(0, 8), st.integers(0, 8).map(float), st.just(-0.0), parts)
lasts: st.SearchStrategy[Datum] = st.one_of(st.sampled_from([HORIZONTAL, VERTICAL]), cells)
likely: st.SearchStrategy[Datum] = st.one_of(
    st.tuples(st.just(MOVE), st.just(PLAYER), cells, cells),
    st.tuples(st.just(MOVE), st.sampled_from([PLAYER, WALL]), cells, cells, lasts),
    st.tuples(st.just(MOVE), st.sampled_from([PLAYER, WALL]), cells, cells, parts, lasts),
)


class AnythingTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=300)
    @given(st.one_of(parts, st.lists(parts, max_size=6).map(tuple), likely, likely))
    def test_whatever_is_understood_is_on_the_board(self, datum: Datum) -> None:
        found = understood(datum)
        if isinstance(found, Placed):
            self.assertIn(found.move.x, range(9))
            self.assertIn(found.move.y, range(9))
            if isinstance(found.move, Wall):
                self.assertIn(found.move.orientation, ("horizontal", "vertical"))
            # What others are told is as `write` prints it, and means the same.
            assert isinstance(datum, tuple)
            self.assertEqual(found.written, write((*datum[1:4], datum[-1])).decode())
            again = read(f"(move {found.written[1:-1]})")
            self.assertEqual(again, found)
        else:
            self.assertIn(found, [None, *Word])
