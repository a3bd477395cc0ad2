"""The Battleship dialect: grammar, older form, and what passes untouched."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event, Moved, Seated, Started, Unread
from gamed.games.battleship.wire import BattleshipConnection, Command, Opcode, decode, encode
from gamed.wire.lines import LineReader

COMMANDS = st.builds(
    Command, st.sampled_from(list(Opcode)), st.lists(st.integers(-999_999_999, 999_999_999), max_size=8).map(tuple)
)


def connection() -> BattleshipConnection:
    return BattleshipConnection(LineReader(64))


class DecodeTests(SynchronousTestCase):
    def test_every_command_of_the_text(self) -> None:
        self.assertEqual(decode(b"(1,[3,4])."), Command(Opcode.ATTACK, (3, 4)))
        self.assertEqual(decode(b"(2,[3,4,1])."), Command(Opcode.ANSWER, (3, 4, 1)))
        self.assertEqual(decode(b"(3,[])."), Command(Opcode.DEFEND_FIRST))
        self.assertEqual(decode(b"(4,[])."), Command(Opcode.ATTACK_FIRST))
        self.assertEqual(decode(b"(5,[])."), Command(Opcode.START))

    def test_the_older_form(self) -> None:
        self.assertEqual(decode(b"1,[4,8]"), Command(Opcode.ATTACK, (4, 8)))
        self.assertEqual(decode(b"2,[0,8,1]"), Command(Opcode.ANSWER, (0, 8, 1)))

    def test_leading_zeros_are_numbers(self) -> None:
        self.assertEqual(decode(b"(1,[03,004])."), Command(Opcode.ATTACK, (3, 4)))

    def test_no_parentheses(self) -> None:
        self.assertEqual(decode(b"1,[4,8]."), Command(Opcode.ATTACK, (4, 8)))

    def test_blanks_where_a_reader_of_prolog_terms_takes_them(self) -> None:
        for line in (
            b" (1,[3,4]).", b"( 1,[3,4]).", b"(1 ,[3,4]).", b"(1, [3,4]).", b"(1,[ 3,4]).", b"(1,[3 ,4]).",
            b"(1,[3, 4]).", b"(1,[3,4 ]).", b"(1,[3,4] ).", b"(1,[3,4]) .", b"(1,[3,4]). ", b"1, [3,4] .",
            b"\t(\v1 ,\f[ 3\t, 4 ]  )\t. \t",
        ):  # fmt: skip
            self.assertEqual(decode(line), Command(Opcode.ATTACK, (3, 4)), line)
        self.assertEqual(decode(b"(3,[ ])."), Command(Opcode.DEFEND_FIRST))

    def test_signs_and_numbers_too_many_are_read(self) -> None:
        self.assertEqual(decode(b"(1,[-1,0])."), Command(Opcode.ATTACK, (-1, 0)))
        self.assertEqual(decode(b"(1,[-0,0])."), Command(Opcode.ATTACK, (0, 0)))
        self.assertEqual(decode(b"(1,[0,1,2,3])."), Command(Opcode.ATTACK, (0, 1, 2, 3)))

    def test_what_does_not_match_the_grammar(self) -> None:
        for line in (
            b"", b" ", b"hello", b"(1,[3,4])", b"1,[3,4", b"(6,[]).", b"(0,[]).", b"(-1,[3,4]).", b"(1,[3,4,]).",
            b"(1,[,3]).", b"(1,[1,2,3,4,5,6,7,8,9]).", b"(1,[+1,2]).", b"(1,[- 1,2]).", b"(1,[1.0,2]).",
            b"((1,[3,4])).", b"(1,[3 4]).", b"(1,[3,4]). x", b"(1,[3,4])..", b"(1,[3,4]).\n", b"(1,[3,\n4]).", b"\xff",
            b"(1,[" + b"9" * 4000 + b",1]).", "(1,[٣,4]).".encode(), "(1,[3,\xa04]).".encode(),
        ):  # fmt: skip
            self.assertIsNone(decode(line), line)

    def test_reading_takes_no_longer_than_a_line_is_long(self) -> None:
        """A pattern that gives blanks back and tries again would take hours here."""
        for line in (b" " * 1_000_000 + b"x", b"1,[1]" + b" " * 1_000_000 + b"x", b"(1,[1" + b" " * 1_000_000 + b"x"):
            self.assertIsNone(decode(line))

    @settings(deadline=None)
    @given(COMMANDS)
    def test_commands_survive_print_and_read(self, command: Command) -> None:
        self.assertEqual(decode(encode(command)), command)

    @settings(deadline=None)
    @given(st.binary(max_size=40))
    def test_any_line_is_a_command_or_none(self, line: bytes) -> None:
        self.assertIsInstance(decode(line), (Command, type(None)))


class ConnectionTests(SynchronousTestCase):
    def test_lines_pass_untouched(self) -> None:
        wire = connection()
        wire.receive_data(b"(1,[3,4]).\n1,[4,8]\r\xff\x00 x\r\n")
        self.assertEqual(list(wire.events()), [Moved(b"(1,[3,4])."), Moved(b"1,[4,8]"), Moved(b"\xff\x00 x")])

    def test_empty_lines_do_not(self) -> None:
        wire = connection()
        wire.receive_data(b"\n\r\n\r(1,[3,4]).\n\n")
        events = list(wire.events())
        self.assertEqual([event for event in events if isinstance(event, Moved)], [Moved(b"(1,[3,4]).")])
        self.assertEqual([type(event) for event in events], [Unread, Unread, Unread, Moved, Unread])
        self.assertEqual(events[0].refusal.code, "empty-line")

    def test_what_has_not_ended_is_known(self) -> None:
        wire = connection()
        self.assertEqual(wire.unfinished, b"")
        wire.receive_data(b"(1,[3,4]).\n(1,[5")
        self.assertEqual((wire.unfinished, wire.ending), (b"(1,[5", "a line feed"))

    def test_the_last_text_before_the_end_is_a_line(self) -> None:
        wire = connection()
        wire.receive_data(b"(2,[0,0,4]).")
        self.assertEqual(list(wire.events()), [])
        wire.receive_data(b"")
        self.assertEqual(list(wire.events()), [Moved(b"(2,[0,0,4]).")])

    def test_the_bytes_of_each_event(self) -> None:
        wire = connection()
        self.assertEqual(wire.send(Seated(0, first=False)), b"(3,[]).\r")
        self.assertEqual(wire.send(Seated(1, first=True)), b"(4,[]).\r")
        self.assertEqual(wire.send(Started()), b"(5,[]).\r")
        self.assertEqual(wire.send(Moved(b"(1,[3,4]).")), b"(1,[3,4]).\r")

    def test_an_event_without_words_is_our_defect(self) -> None:
        self.assertRaises(LocalProtocolError, connection().send, Event())

    def test_what_was_understood_before_an_error_is_delivered(self) -> None:
        wire = connection()
        wire.receive_data(b"(1,[3,4]).\n" + b"x" * 65)
        events = wire.events()
        self.assertEqual(next(events), Moved(b"(1,[3,4])."))
        error = self.assertRaises(RemoteProtocolError, next, events)
        self.assertEqual((error.code, error.text), ("line-too-long", b"x" * 65))
