"""The reader of a universe's wire: messages and lines, pieces, the end of the stream, errors."""

from __future__ import annotations

from fractions import Fraction

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.wire.datums import Char, Datum, Opaque, Symbol
from gamed.wire.sexpr import DatumReader
from tests.wire.reading import (
    MALFORMED,
    datums,
    feed,
    octets,
    read,
    symbols,
)


class MessageTests(SynchronousTestCase):
    """B2: one datum a line, and the rest of the line is nothing."""

    def test_a_message_is_a_datum_and_a_line_feed(self) -> None:
        self.assertEqual(read(b"(play)\n(wait)\n"), ([symbols("play"), symbols("wait")], ""))

    def test_what_real_worlds_send(self) -> None:
        self.assertEqual(
            read(b"(move player 4.0 1.0)\n(move wall 0.0 1.0 horizontal)\n(reset)\n")[0],
            [
                (*symbols("move", "player"), 4.0, 1.0),
                (*symbols("move", "wall"), 0.0, 1.0, Symbol("horizontal")),
                symbols("reset"),
            ],
        )

    def test_what_the_server_sends(self) -> None:
        self.assertEqual(
            read(b"(OKAY)\n(start2play 1 ())\n(wait 1 (player 4.0 1.0 1.0))\n")[0],
            [symbols("OKAY"), (Symbol("start2play"), 1, ()), (Symbol("wait"), 1, (Symbol("player"), 4.0, 1.0, 1.0))],
        )

    def test_a_register_is_an_ordinary_datum(self) -> None:
        names = {b'"Quoridor"': "Quoridor", b"world3117": Symbol("world3117"), b"|foo bar|": Symbol("foo bar")}
        for text, name in names.items():
            self.assertEqual(
                read(b"(REGISTER ((name " + text + b")))\n")[0],
                [(Symbol("REGISTER"), ((Symbol("name"), name),))],
            )

    def test_a_register_with_a_vector_as_name_can_still_be_told_from_others(self) -> None:
        ((register,), _) = read(b"(REGISTER ((name #(1 2))))\n")
        self.assertEqual(register, (Symbol("REGISTER"), ((Symbol("name"), Opaque("vector")),)))

    def test_numbers_keep_their_kind(self) -> None:
        ((datum,), _) = read(b"(4 4.0 1/2 -0.0)\n")
        self.assertEqual(repr(datum), "(4, 4.0, Fraction(1, 2), -0.0)")

    def test_the_rest_of_the_line_is_lost_even_if_it_is_malformed(self) -> None:
        for rest in (
            b" (b)",
            b")",
            b"(b",
            b'"',
            b" #<void>",
            b"#|",
            b" ;",
            b"]]]",
            b" . ",
            b"\xff",
            b"|",
            b"\r(b)",
            b"\x00",
        ):
            self.assertEqual(read(b"(a)" + rest + b"\n(c)\n"), ([symbols("a"), symbols("c")], ""))

    def test_a_carriage_return_ends_no_line(self) -> None:
        self.assertEqual(read(b"(a)\r(b)\r\n(c)\r\n")[0], [symbols("a"), symbols("c")])

    def test_no_other_character_ends_a_line(self) -> None:
        for end in ("\v", "\f", "\x85", "\u2028", "\u2029", "\r"):
            self.assertEqual(read(f"(a){end}(b)\n(c)\n".encode())[0], [symbols("a"), symbols("c")])

    def test_blank_lines_and_comments_before_a_datum_are_passed_over(self) -> None:
        self.assertEqual(read(b"\n\r\n ; (b)\n\t#| (c)\n |# #;(d)\n#! e\n(a)\n"), ([symbols("a")], ""))

    def test_a_byte_order_mark_is_passed_over(self) -> None:
        self.assertEqual(read("\ufeff(a)\n".encode())[0], [symbols("a")])

    def test_a_datum_may_span_lines(self) -> None:
        self.assertEqual(read(b'(a\n b\n)\n|c\nd|\n"e\nf"\n')[0], [symbols("a", "b"), Symbol("c\nd"), "e\nf"])

    def test_atoms_are_messages_too(self) -> None:
        self.assertEqual(read(b'a\n1\n"s"\n#t\n#\\a\n')[0], [Symbol("a"), 1, "s", True, Char(97)])

    def test_every_kind_of_datum(self) -> None:
        text = b'(a "s" #f 1 2/4 -1.5 #\\a () #(1))\n'
        values = (Symbol("a"), "s", False, 1, Fraction(1, 2), -1.5, Char(97), (), Opaque("vector"))
        self.assertEqual(read(text)[0], [values])

    def test_bytes_that_are_no_utf8_are_replacement_characters_one_for_each(self) -> None:
        self.assertEqual(read(b'"\xff\xe2\x82(\xf0\x9f\x98"\n')[0], ["\ufffd\ufffd\ufffd(\ufffd\ufffd\ufffd"])
        self.assertEqual(read(b"a\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80\n")[0], [Symbol("a" + 9 * "\ufffd")])

    def test_the_same_in_pieces_that_end_within_a_character(self) -> None:
        stream = b'"\xe2\x82\xac\xe2\x82(\xf0\x9f\x98\x80\xf0\x9f"\n\xce\xbb\xce\n'
        self.assertEqual(
            read(*octets(stream)), (["\u20ac\ufffd\ufffd(\U0001f600\ufffd\ufffd", Symbol("\u03bb\ufffd")], "")
        )


class PieceTests(SynchronousTestCase):
    """Data are handed over when their line feed has come, and not before, in whatever pieces."""

    def setUp(self) -> None:
        self.reader = DatumReader()

    def receive(self, data: bytes) -> list[Datum]:
        self.reader.receive_data(data)
        return list(datums(self.reader))

    def test_nothing_before_the_line_feed(self) -> None:
        for stream in (b"(OKAY)", b"abc", b'"s"', b"12", b"#t", b"(a) ; rest", b"#\\a", b"(a)\r", b"#s(pt)", b"#(1)"):
            reader = DatumReader()
            self.assertEqual(feed(reader, [stream])[0], [])
            self.assertEqual(len(feed(reader, [b"\n"])[0]), 1)

    def test_each_octet_on_its_own(self) -> None:
        for octet in octets(b"(move player 4.0 1.0)"):
            self.assertEqual(self.receive(octet), [])
        self.assertEqual(self.receive(b"\n"), [(*symbols("move", "player"), 4.0, 1.0)])

    def test_many_messages_in_a_piece(self) -> None:
        self.assertEqual(self.receive(b"(a)\n" * 1000 + b"(b"), [symbols("a")] * 1000)
        self.assertEqual(self.receive(b")\n"), [symbols("b")])

    def test_data_wait_until_they_are_asked_for(self) -> None:
        for _ in range(3):
            self.reader.receive_data(b"(a)\n")
        data = datums(self.reader)
        self.assertEqual(next(data), symbols("a"))
        self.assertEqual(list(datums(self.reader)), [symbols("a")] * 2)
        self.assertEqual(list(data), [])

    def test_a_simple_atom_that_goes_on_in_the_next_piece(self) -> None:
        for first, second, datum in (
            (b"(pl", b"ay)\n", symbols("play")),
            (b"(1", b"2)\n", (12,)),
            (b"(1.", b"5)\n", (1.5,)),
            (b"(1", b".5)\n", (1.5,)),
            (b"(1", b"a)\n", symbols("1a")),
            (b"(a", b" b)\n", symbols("a", "b")),
            (b"(a", b"|b c|)\n", symbols("ab c")),
            (b"(", b"a)\n", symbols("a")),
            (b"(a ", b")\n", symbols("a")),
        ):
            self.assertEqual(self.receive(first), [])
            self.assertEqual(self.receive(second), [datum])

    def test_marks_that_are_cut_in_two(self) -> None:
        streams = (
            b"#|x|#a\n",
            b"#|#|x|#|#a\n",
            b",@a\n",
            b"#,@a\n",
            b"#;b a\n",
            b"#!/x\\\nb\na\n",
            b"#\\space\n",
            b"#fl(1)\n",
        )
        for stream in streams:
            whole = read(stream)
            for cut in range(len(stream)):
                self.assertEqual(read(stream[:cut], stream[cut:]) if cut else read(stream), whole)

    def test_begun_from_the_first_character_to_the_line_feed(self) -> None:
        self.assertEqual(self.reader.unfinished, b"")
        for piece, begun in (
            (b"\n \r\n", False),
            (b"(", True),
            (b"a", True),
            (b")", True),
            (b" rest", True),
            (b"\n", False),
            (b"abc", True),
            (b"\n\n", False),
            (b"; comment", True),
            (b"\n", False),
            (b"(a)\n(b)", True),
            (b"\n(a)\n", False),
        ):
            self.receive(piece)
            self.assertEqual((piece, bool(self.reader.unfinished)), (piece, begun))


class EndTests(SynchronousTestCase):
    """B2.3: the end of the stream stands for a line feed, but completes no datum."""

    def test_a_complete_datum_without_a_line_feed(self) -> None:
        for stream, datum in (
            (b"(a)", symbols("a")),
            (b"abc", Symbol("abc")),
            (b"12", 12),
            (b'"s"', "s"),
            (b"#t", True),
            (b"#false", False),
            (b"#\\a", Char(97)),
            (b"#\\space", Char(32)),
            (b"#\\u41", Char(65)),
            (b"#\\1", Char(49)),
            (b"(a) rest", symbols("a")),
            (b"(a)\r", symbols("a")),
            (b"|a|", Symbol("a")),
            (b"a|b|", Symbol("ab")),
            (b"#e1.5", Opaque("number with a prefix")),
            (b"a;", Symbol("a")),
        ):
            for pieces in ([stream], octets(stream)):
                self.assertEqual((stream, *read(*pieces)), (stream, [datum], ""))

    def test_half_a_datum_is_nothing(self) -> None:
        for stream in (
            b"(half",
            b"(half ",
            b'"half',
            b'"half\\',
            b'"\\u4',
            b'"\\x',
            b"|half",
            b"half\\",
            b"'",
            b"#;",
            b"#;a",
            b"#(",
            b"#|",
            b"#| |",
            b"#\\",
            b"#s(",
            b"#0=",
            b"#&",
            b"#hash(",
            b"#hash((a",
            b"#fl(",
            b'#"x',
            b'#rx"x',
            b"#ci",
            b"#<<E",
            b"#<<E\nx",
            b"(a .",
            b"(a . b",
            b"(a . b .",
            b"[{(",
        ):
            for pieces in ([stream], octets(stream)):
                self.assertEqual((stream, *read(b"(a)\n", *pieces)), (stream, [symbols("a")], ""))

    def test_nothing_at_all(self) -> None:
        for stream in (b"\n", b" ", b";", b"; x", b"#||#", b"\n\n", b"#! x", b"#;a\n", b"\xef\xbb\xbf"):
            self.assertEqual(read(stream), ([], ""))
        self.assertEqual(read(), ([], ""))

    def test_what_is_malformed_is_so_at_the_end_too(self) -> None:
        for stream in (b"1/0", b"#\\nu", b"#e", b".", b"#x", b"(a . b c)", b"#b2", b"#:."):
            self.assertEqual((stream, *read(stream)), (stream, [], MALFORMED))

    def test_a_token_that_could_go_on_is_malformed(self) -> None:
        """For Racket it is half a datum; neither reads it."""
        for stream in (b"#", b"#tr", b"#s", b"#12", b"#hash", b"#fl", b"#!"):
            for pieces in ([stream], octets(stream)):
                self.assertEqual((stream, *read(b"(a)\n", *pieces)), (stream, [symbols("a")], MALFORMED))

    def test_half_a_character_at_the_end(self) -> None:
        self.assertEqual(read(b"a\xe2\x82"), ([Symbol("a\ufffd\ufffd")], ""))
        self.assertEqual(read(b"a\xe2", b"\x82"), ([Symbol("a\ufffd\ufffd")], ""))

    def test_after_the_end_nothing_is_read(self) -> None:
        reader = DatumReader()
        self.assertEqual(feed(reader, [b"a", b"", b"b\n", b"", b"(c)\n"]), ([Symbol("a")], ""))

    def test_an_end_within_a_datum_is_not_resumed(self) -> None:
        reader = DatumReader()
        self.assertEqual(feed(reader, [b"(a", b"", b")\n"]), ([], ""))


class ErrorTests(SynchronousTestCase):
    """What `read` refuses ends the reading, after all data before it."""

    def test_the_data_before_an_error_come_first(self) -> None:
        reader = DatumReader()
        reader.receive_data(b"(a)\n(b)\n)\n(c)\n")
        data = datums(reader)
        self.assertEqual([next(data), next(data)], [symbols("a"), symbols("b")])
        self.assertEqual(self.assertRaises(RemoteProtocolError, next, data).code, MALFORMED)

    def test_a_datum_whose_line_has_not_ended_is_not_lost_by_what_follows_on_it(self) -> None:
        self.assertEqual(read(b"(a) )", b"\n)"), ([symbols("a")], MALFORMED))

    def test_after_an_error_nothing_is_read_and_the_error_stays(self) -> None:
        reader = DatumReader()
        self.assertEqual(feed(reader, [b")\n"]), ([], MALFORMED))
        for _ in range(3):
            self.assertEqual(feed(reader, [b"(a)\n"]), ([], MALFORMED))
        self.assertEqual(feed(reader, [b""]), ([], MALFORMED))
        self.assertEqual(reader.unfinished, b"")

    def test_an_error_comes_with_the_end_of_its_line(self) -> None:
        for stream in (
            b")",
            b"(]",
            b"#<v",
            b"#z ",
            b'"\\q"',
            b"#tx(",
            b"(a . b c)",
            b"#!x",
            b"#~",
            b"#hashx(",
        ):
            self.assertEqual((stream, feed(DatumReader(), [stream])[1]), (stream, ""))
            self.assertEqual((stream, feed(DatumReader(), [stream, b"\n"])[1]), (stream, MALFORMED))

    def test_errors_tell_a_peer_what_it_may_do(self) -> None:
        for stream, word in ((b")", "line feed"), (b"(" * 101, "fewer"), (b"x" * 70_000, "shorter")):
            reader = DatumReader()
            reader.receive_data(stream + b"\n")
            error = self.assertRaises(RemoteProtocolError, list, datums(reader))
            self.assertIn(word, error.hint)

    def test_messages_quote_no_more_than_a_little(self) -> None:
        for stream in (
            b"1" * 60_000 + b"/0 ",
            b"#e" + b"x" * 60_000 + b" ",
            b"#" + b"1" * 60_000 + b"x",
            b"#h" + b"a" * 60_000 + b" ",
        ):
            reader = DatumReader()
            reader.receive_data(stream + b"\n")
            error = self.assertRaises(RemoteProtocolError, list, datums(reader))
            self.assertLess(len(str(error)), 100)
            self.assertEqual(error.code, MALFORMED)
