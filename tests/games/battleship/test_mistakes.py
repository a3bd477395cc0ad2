"""What the developer of a client is told of a line that broke a rule."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove
from gamed.games.battleship.mistakes import mistake
from gamed.games.battleship.rules import Battleship, State
from gamed.games.battleship.wire import decode

GAME = Battleship()
START = GAME.setup({"roles": "first-defends", "referee": "observe", "corner_contact": True})
ILLEGIBLE = InvalidMove("the line is not a command", code="illegible")

REASONS = {
    b"GET / HTTP/1.1": "HTTP",
    b"Content-Type: text/html": "HTTP",
    b"\x16\x03\x01\x02": "TLS",
    b"SSH-2.0-OpenSSH_9.2": "SSH",
    b"<protocol>": "XML",
    "(1,[3,4]).".encode("utf-16-be"): "every other byte is NUL: UTF-16",
    "(1,[3,4]).\r".encode("utf-16-le")[1:]: "every other byte is NUL: UTF-16",
    b"(1,\0[3,4]).": "NUL bytes in the line",
    b"\x00\x0b(1,[3,4]).": "writeUTF",
    b"\xef\xbb\xbf(1,[3,4]).": "byte order mark",
    "(1,[٣,4]).".encode(): "not ASCII",
    b"(1,[\xff,4]).": "not ASCII",
    b"(1,[3,4]).\\n": "a backslash",
    b" \t": "only blanks",
    b"(1,[3,4])": "the full stop at the end is missing",
    b'"(1,[3,4])."': "quotation marks",
    b"(2,[0,0,1]).(1,[3,4]).": "several commands",
    b"(6,[]).": "an opcode that does not exist",
    b"(-1,[3,4]).": "an opcode that does not exist",
    b"(1,[3,4].": "missing or too many",
    b"(1,[3,4)).": "missing or too many",
    b"(1,[3,4]).;": "after the full stop",
    b"(1,3,4).": "the square brackets around the numbers are missing",
    b"1,3,4": "the square brackets around the numbers are missing",
    b"(1,[D,5]).": "not a whole number",
    b"(1,[3.0,4]).": "not a whole number",
    b"(1,[+3,4]).": "not a whole number",
    b"(1,[3 4]).": "not a whole number",
    b"(2,[3,4,water]).": "not a whole number",
    b"((1,[3,4])).": "too many parentheses",
    b"hello": "the line is not a command",
}


class IllegibleTests(SynchronousTestCase):
    def test_each_typical_mistake_has_a_reason_of_its_own(self) -> None:
        for line, reason in REASONS.items():
            self.assertIsNone(decode(line), line)
            told = mistake(START, 1, line, ILLEGIBLE)
            self.assertIn(reason, told.reason, line)
            self.assertEqual((told.code, told.text), ("illegible", line))
            self.assertTrue(told.expected, line)

    @settings(deadline=None)
    @given(st.binary(max_size=60) | st.text("(1,[3]).+- \\HTP/:<x", max_size=60).map(str.encode))
    def test_any_line_is_told_something(self, line: bytes) -> None:
        self.assertTrue(mistake(START, 0, line, ILLEGIBLE).reason)

    def test_a_long_line_takes_no_longer_than_a_short_one_by_much(self) -> None:
        for part in (b"1,[", b"1 ", b" ", b"1,", b"A ", b"-", b"9"):
            self.assertTrue(mistake(START, 0, part * 4000, ILLEGIBLE).reason)


ROLE = '; this client was told to defend first, "(3,[])."'


class ExpectedTests(SynchronousTestCase):
    def test_what_is_due(self) -> None:
        shot = GAME.apply(START, 1, decode(b"(1,[3,4])."))
        over = GAME.setup({"roles": "random", "referee": "observe", "corner_contact": True})
        for state, seat, expected in (
            (START, 1, 'a shot, "(1,[X,Y]).", with X and Y from 0 to 9'),
            (START, 0, f"nothing before the other side has shot{ROLE}"),
            (shot, 0, 'the answer to the shot, "(2,[3,4,R]).", where R is 1 water, 2 hit, 3 sunk, 4 last ship sunk'),
            (shot, 1, "nothing before the other side has answered the shot at (3,4)"),
            (over, 0, 'nothing before "(5,[])."'),
        ):
            self.assertEqual(GAME.expected(state, seat), expected)

    def test_a_lie(self) -> None:
        for code, line, expected in (
            ("no-legal-fleet", b"(2,[1,0,3]).", "3 only when every cell of a ship is hit"),
            ("no-legal-fleet", b"(2,[0,1,4]).", "4 only for the last of five ships"),
            ("no-legal-fleet", b"(2,[0,0,1]).", "all answers must fit one fleet"),
            ("contradiction", b"(2,[0,0,1]).", "the same answer as before"),
            ("repeated-shot", b"(1,[0,0]).", "another cell"),
        ):
            told = mistake(after(b"(1,[0,0]).", b"(2,[0,0,2])."), 0, line, IllegalMove("why", code=code))
            self.assertEqual((told.code, told.reason, told.text), (code, "why", line))
            self.assertIn(expected, told.expected)

    def test_no_ship_is_one_cell_long(self) -> None:
        for line in (b"(2,[9,2,3]).", b"(2,[9,2,4])."):
            for hit in ((), (b"(1,[0,0]).", b"(2,[0,0,2]).", b"(1,[7,7]).", b"(2,[7,7,1]).")):
                state = after(*hit, b"(1,[9,2]).")
                told = mistake(state, 0, line, IllegalMove("why", code="no-legal-fleet"))
                self.assertTrue(told.reason.startswith("(9,2) cannot have sunk a ship: no neighbouring cell"), told)
                self.assertEqual(told.expected, '"(2,[9,2,1])." for water or "(2,[9,2,2])." for a hit')

    def test_a_shot_instead_of_an_answer(self) -> None:
        error = IllegalMove("why", code="wrong-opcode")
        told = mistake(after(b"(1,[9,2])."), 0, b"(1,[5,5]).", error)
        self.assertTrue(told.expected.endswith(ROLE), told)
        later = after(b"(1,[9,2]).", b"(2,[9,2,1]).", b"(1,[5,5]).", b"(2,[5,5,1]).", b"(1,[9,3]).")
        self.assertNotIn(ROLE, mistake(later, 0, b"(1,[5,6]).", error).expected)

    def test_columns_and_rows_as_people_count_them(self) -> None:
        told = mistake(START, 1, b"(1,[10,10]).", IllegalMove("why", code="off-board"))
        self.assertIn("people's column 1 is X=0, and row A is Y=0", told.expected)

    def test_an_answer_for_another_cell(self) -> None:
        for line, reason in (
            (b"(2,[2,9,1]).", "answers for (2,9); the shot was at (9,2) (X and Y swapped?)"),
            (b"(2,[9,3,1]).", "answers for (9,3); the shot was at (9,2)"),
        ):
            told = mistake(after(b"(1,[9,2])."), 0, line, IllegalMove("why", code="other-cell"))
            self.assertEqual(told.reason, reason)

    def test_the_right_command_where_it_is_known(self) -> None:
        for line, expected in (
            (b"(1,[4,4])", 'a full stop after the closing parenthesis: "(1,[4,4])."'),
            (b"(1,6,6).", '"(1,[6,6])." and a line feed'),
            (b"2, 6,6, 1", '"(2,[6,6,1])." and a line feed'),
            (b'"(1,[3,4])."', '"(1,[3,4])." and a line feed'),
            (b"(1,[3,4)).", '"(1,[X,Y])." to shoot or "(2,[X,Y,R])." to answer, and a line feed'),
        ):
            self.assertEqual(mistake(START, 1, line, ILLEGIBLE).expected, expected)


def after(*lines: bytes) -> State:
    """Return the state after lines in which seat 1 attacks first."""
    state = START
    for line in lines:
        (seat,) = GAME.to_move(state)
        state = GAME.apply(state, seat, decode(line))
    return state
