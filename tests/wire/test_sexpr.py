"""The reader of a universe's wire: messages and lines, pieces, the end of the stream, limits, errors."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterable
from types import FrameType

from twisted.trial.unittest import SynchronousTestCase

from gamed.errors import RemoteProtocolError
from gamed.wire.sexpr import Char, Datum, DatumReader, ExactComplex, Opaque, Prefab, Symbol, is_sexp, write

MALFORMED = "malformed-datum"
TOO_LONG = "datum-too-long"
TOO_DEEP = "datum-too-deep"
NO_SEXP = "no sexp"
NOTHING = "nothing"
PIECE = 65_536


def symbols(*names: str) -> tuple[Symbol, ...]:
    return tuple(map(Symbol, names))


def feed(reader: DatumReader, pieces: Iterable[bytes]) -> tuple[list[Datum], str]:
    """Return what a reader makes of pieces, and the code of its error or ""."""
    data: list[Datum] = []
    try:
        for piece in pieces:
            reader.receive_data(piece)
            data += reader.datums()
    except RemoteProtocolError as error:
        return data, error.code
    return data, ""


def read(*pieces: bytes, limit: int = PIECE, depth: int = 100) -> tuple[list[Datum], str]:
    """Return what a stream of these pieces means, and the code of its error or ""."""
    return feed(DatumReader(limit, depth), [*pieces, b""])


def octets(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def outcome(text: str, *, whole: bool = True) -> str:
    """Return what becomes of a stream's first datum: as it is printed, or what else becomes of it."""
    stream = (text + "\n").encode()
    data, code = read(stream) if whole else read(*octets(stream))
    if not data:
        return code or NOTHING
    return write(data[0]).decode() if is_sexp(data[0]) else NO_SEXP


def wrong(table: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return what of a table is not so: texts, what should become of them, and what does."""
    return {
        text: (expected, outcome(text, whole=whole))
        for whole in (True, False)
        for text, expected in table.items()
        if outcome(text, whole=whole) != expected
    }


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
        self.assertEqual(register, (Symbol("REGISTER"), ((Symbol("name"), Opaque("vector", (1, 2))),)))
        self.assertFalse(is_sexp(register))

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
        self.assertEqual(read(b'a\n1\n"s"\n#t\n#\\a\n#"b"\n')[0], [Symbol("a"), 1, "s", True, Char(97), b"b"])

    def test_every_kind_of_datum(self) -> None:
        text = b'(a "s" #"b" #f 1 1+2i 1.0+2.0i #s(pt 1) ())\n'
        values = (Symbol("a"), "s", b"b", False, 1, ExactComplex(1, 2), 1 + 2j, Prefab("pt", (1,)), ())
        self.assertEqual(read(text)[0], [values])

    def test_labels_end_with_their_datum(self) -> None:
        self.assertEqual(read(b"(#0=a #0#)\n(#0=b #0#)\n#0#\n"), ([symbols("a", "a"), symbols("b", "b")], MALFORMED))

    def test_case_folding_ends_with_its_datum(self) -> None:
        self.assertEqual(read(b"#ciA\nB\n#ci(A #csB)\n(C)\n")[0], [*symbols("a", "B"), symbols("a", "B"), symbols("C")])

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
        return list(self.reader.datums())

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
        data = self.reader.datums()
        self.assertEqual(next(data), symbols("a"))
        self.assertEqual(list(self.reader.datums()), [symbols("a")] * 2)
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
        self.assertFalse(self.reader.begun)
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
            self.reader.receive_data(piece)
            self.assertEqual((piece, self.reader.begun), (piece, begun))

    def test_nothing_is_begun_after_the_end(self) -> None:
        self.receive(b"(a")
        self.receive(b"")
        self.assertFalse(self.reader.begun)


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
            (b"#e1.5", read(b"3/2\n")[0][0]),
            (b"#<<E\nx\nE", "x"),
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
            b"#",
            b"#(",
            b"#|",
            b"#| |",
            b"#\\",
            b"#\\12",
            b"#tr",
            b"#s",
            b"#s(",
            b"#12",
            b"#0=",
            b"#&",
            b"#hash",
            b"#hash(",
            b"#hash((a",
            b"#fl",
            b"#fl(",
            b'#"x',
            b'#rx"x',
            b"#ci",
            b"#<<E",
            b"#<<E\nx",
            b"(a .",
            b"(a . b",
            b"(a . b .",
            b"#!",
            b"[{(",
        ):
            for pieces in ([stream], octets(stream)):
                self.assertEqual((stream, *read(b"(a)\n", *pieces)), (stream, [symbols("a")], ""))

    def test_nothing_at_all(self) -> None:
        for stream in (b"\n", b" ", b";", b"; x", b"#||#", b"\n\n", b"#! x", b"#;a\n", b"\xef\xbb\xbf"):
            self.assertEqual(read(stream), ([], ""))
        self.assertEqual(read(), ([], ""))

    def test_what_is_malformed_is_so_at_the_end_too(self) -> None:
        for stream in (b"1/0", b"#\\nu", b"#e", b".", b"#x", b"(a . b c", b"#b2", b"#:."):
            self.assertEqual((stream, *read(stream)), (stream, [], MALFORMED))

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
        data = reader.datums()
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
        self.assertFalse(reader.begun)

    def test_an_error_comes_as_soon_as_it_is_certain(self) -> None:
        for stream in (
            b")",
            b"(]",
            b"#<v",
            b"#z",
            b'"\\q',
            b"#tx",
            b"(a . b c",
            b"#!x",
            b"#~",
            b"#hash(a",
            b"#fl(a",
            b"#v",
        ):
            self.assertEqual((stream, feed(DatumReader(), [stream])[1]), (stream, MALFORMED))
            self.assertEqual((stream, feed(DatumReader(), [stream[:-1]])[1]), (stream, ""))

    def test_errors_tell_a_peer_what_it_may_do(self) -> None:
        for stream, word in ((b")", "line feed"), (b"(" * 101, "fewer"), (b"x" * 70_000, "shorter")):
            reader = DatumReader()
            reader.receive_data(stream)
            error = self.assertRaises(RemoteProtocolError, list, reader.datums())
            self.assertIn(word, error.hint)

    def test_messages_quote_no_more_than_a_little(self) -> None:
        for stream in (
            b"1" * 60_000 + b"/0 ",
            b"#e" + b"x" * 60_000 + b" ",
            b"#" + b"1" * 60_000 + b"x",
            b"#h" + b"a" * 60_000 + b" ",
        ):
            reader = DatumReader()
            reader.receive_data(stream)
            error = self.assertRaises(RemoteProtocolError, list, reader.datums())
            self.assertLess(len(str(error)), 100)
            self.assertEqual(error.code, MALFORMED)


class LengthTests(SynchronousTestCase):
    """A datum may have so many bytes; what belongs to none may go on for ever."""

    def test_a_datum_as_long_as_the_limit(self) -> None:
        for datum in (
            b"abcdefgh",
            b'"abcdef"',
            b"(abc de)",
            b"12345678",
            b"|abcdef|",
            b"#\\page  ",
            b"( )      ",
            b"((((()))",
        ):
            text = datum.strip()
            for pieces in ([text, b"\n"], [*octets(text), b"\n"], [text + b"\n"]):
                if text.count(b"(") == text.count(b")"):
                    self.assertEqual((text, read(*pieces, limit=len(text))[1]), (text, ""))
                self.assertEqual((text, *read(*pieces, limit=len(text) - 1)), (text, [], TOO_LONG))

    def test_bytes_are_counted_not_characters(self) -> None:
        for text in ("\u03bb\u03bb\u03bb", '"\u20ac"', "(\U0001f600)", "#\\\u03bb"):
            stream = text.encode() + b"\n"
            size = len(stream) - 1
            for pieces in ([stream], octets(stream)):
                self.assertEqual(read(*pieces, limit=size)[1], "")
                self.assertEqual(read(*pieces, limit=size - 1)[1], TOO_LONG)

    def test_each_datum_is_counted_by_itself(self) -> None:
        self.assertEqual(read(b"(a b c)\n" * 100, limit=7), ([symbols("a", "b", "c")] * 100, ""))
        self.assertEqual(read(b"abcdefg\n" * 100, limit=7), ([Symbol("abcdefg")] * 100, ""))

    def test_what_stands_before_a_datum_is_not_counted(self) -> None:
        for junk in (
            b" " * 99,
            b"\n" * 99,
            b";" + b"x" * 99 + b"\n",
            b"#|" + b"x" * 99 + b"|#",
            b"#;abc " * 99,
            b"\xc2\xa0" * 99,
        ):
            for pieces in ([junk + b"(abc)\n"], [*octets(junk), b"(abc)\n"]):
                self.assertEqual(read(*pieces, limit=6), ([symbols("abc")], ""))

    def test_what_stands_after_a_datum_is_not_counted(self) -> None:
        self.assertEqual(read(b"(abc)" + b"x" * 99 + b"\n(d)\n", limit=5), ([symbols("abc"), symbols("d")], ""))

    def test_comments_in_a_datum_are_not_counted(self) -> None:
        for comment in (b";" + b"x" * 99 + b"\n", b"#|" + b"x" * 99 + b"|#"):
            for pieces in ([b"(a " + comment + b"b)\n"], octets(b"(a " + comment + b"b)\n")):
                self.assertEqual(read(*pieces, limit=10), ([symbols("a", "b")], ""))

    def test_white_space_in_a_datum_is_counted(self) -> None:
        for pieces in ([b"(a" + b" " * 99 + b"b)\n"], octets(b"(a" + b" " * 99 + b"b)\n")):
            self.assertEqual(read(*pieces, limit=103)[1], "")
            self.assertEqual(read(*pieces, limit=102)[1], TOO_LONG)

    def test_data_that_are_comments_are_counted(self) -> None:
        self.assertEqual(read(b"#;" + b"x" * 99 + b" a\n", limit=50), ([], TOO_LONG))

    def test_what_is_too_long_is_so_before_it_is_malformed(self) -> None:
        for stream in (
            b'"' + b"x" * 99 + b'\\q"',
            b"1" * 99 + b"/0 ",
            b"(" + b" " * 99 + b"]",
            b"(abc" + b"x" * 99 + b"]",
        ):
            for pieces in ([stream], octets(stream)):
                self.assertEqual(read(*pieces, limit=50), ([], TOO_LONG))

    def test_a_label_counts_each_time_it_is_used(self) -> None:
        doubling = "(#0=(a) " + " ".join(f"#{n}=(#{n - 1}# #{n - 1}#)" for n in range(1, 60)) + ")\n"
        self.assertEqual(read(doubling.encode(), depth=1000), ([], TOO_LONG))
        self.assertEqual(read(b"(#0=abcdefghij #0#)\n", limit=50)[1], "")
        self.assertEqual(read(b"(#0=abcdefghij #0# #0# #0#)\n", limit=50)[1], TOO_LONG)

    def test_an_exponent_counts_as_the_digits_that_it_stands_for(self) -> None:
        self.assertEqual(read(b"#e1e60000\n")[1], "")
        for text in (
            b"#e1e66000",
            b"#e1e-66000",
            b"(" + b"#e1e9999 " * 7 + b")",
            b"#e1e99999999999999999999",
            b"#e#x1l-ffffff",
        ):
            self.assertEqual((text, *read(text + b"\n")), (text, [], TOO_LONG))

    def test_an_inexact_exponent_does_not(self) -> None:
        self.assertEqual(read(b"1e99999999999999999999\n1e-99999999999999999999\n")[0], [float("inf"), 0.0])
        self.assertEqual(read(b"#x1l99999999999\n1/3e-99999999999\n#e0e99999999999\n")[0], [float("inf"), 0.0, 0])

    def test_a_length_of_a_vector_takes_no_room(self) -> None:
        self.assertEqual(read(b"#100000000000000(1)\n"), ([Opaque("vector", (1, 1, 1))], ""))


class DepthTests(SynchronousTestCase):
    def test_as_deep_as_the_limit(self) -> None:
        for opener, closer in (
            (b"(", b")"),
            (b"'", b""),
            (b"#(", b")"),
            (b"#&", b""),
            (b"#;", b" x"),
            (b"#s(pt ", b")"),
            (b"#ci", b""),
        ):
            stream = opener * 7 + b"x" + closer * 7 + b"\n"
            self.assertEqual((stream, read(stream, depth=7)[1]), (stream, ""))
            self.assertEqual((stream, read(stream, depth=6)[1]), (stream, TOO_DEEP))

    def test_pairs_of_hashes_are_forms_too(self) -> None:
        self.assertEqual(read(b"#hash((a . 1))\n", depth=2)[1], "")
        self.assertEqual(read(b"#hash((a . 1))\n", depth=1)[1], TOO_DEEP)

    def test_forms_beside_each_other_are_not_deep(self) -> None:
        self.assertEqual(read(b"(" + b"() " * 1000 + b")\n", depth=2)[1], "")

    def test_a_label_brings_the_depth_of_what_it_stands_for(self) -> None:
        for text, depth in (
            (b"(#0=(a) ((#0#)))", 4),
            (b"(#0=((())) (#0#))", 5),
            (b"(#0=#s(pt (a)) ((#0#)))", 5),
            (b"(#0=a (#0#))", 2),
        ):
            self.assertEqual((text, read(text + b"\n", depth=depth)[1]), (text, ""))
            self.assertEqual((text, read(text + b"\n", depth=depth - 1)[1]), (text, TOO_DEEP))

    def test_the_default_is_100(self) -> None:
        self.assertEqual(read(b"(" * 100 + b")" * 100 + b"\n")[1], "")
        self.assertEqual(read(b"(" * 101 + b")" * 101 + b"\n")[1], TOO_DEEP)

    def test_a_hundred_thousand_forms_need_no_recursion(self) -> None:
        for opener, closer, count in (
            (b"(", b")", 100_000),
            (b"'", b"", 20_000),
            (b"#(", b")", 5_000),
            (b"#|", b"|#", 5_000),
        ):
            stream = opener * count + b" x " + closer * count + b" y\n"
            data, code = read(stream, limit=10**7, depth=10**6)
            self.assertEqual((opener, len(data), code), (opener, 1, ""))

    def test_they_are_refused_by_default(self) -> None:
        self.assertEqual(read(b"(" * 100_000), ([], TOO_DEEP))
        self.assertEqual(read(*octets(b"[" * 1000)), ([], TOO_DEEP))

    def test_a_deep_datum_is_printed_and_judged_without_recursion(self) -> None:
        text = b"(" * 20_000 + b"a" + b")" * 20_000
        ((datum,), _) = read(text + b"\n", limit=10**6, depth=10**6)
        self.assertTrue(is_sexp(datum))
        self.assertEqual(write(datum), text)


class MemoryTests(SynchronousTestCase):
    """However much comes, a reader holds no more than a piece and a datum up to the limit."""

    def peak(self, start: bytes, unit: bytes) -> tuple[int, str]:
        """Return the most bytes held while a start and 48 KiB of a unit come, and the code of the error."""
        piece = unit * (4096 // len(unit))
        reader = DatumReader(8192)
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        code = feed(reader, [start, *[piece] * 12] if start else [piece] * 12)[1]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak, code

    def test_a_gigabyte_of_a_string_is_refused_at_the_limit(self) -> None:
        reader = DatumReader()
        piece = b"x" * PIECE
        reader.receive_data(b'(a)\n"')
        for _ in range(2**30 // PIECE):
            reader.receive_data(piece)
        self.assertEqual(feed(reader, []), ([], ""))
        self.assertEqual(next(reader.datums()), symbols("a"))
        self.assertEqual(self.assertRaises(RemoteProtocolError, next, reader.datums()).code, TOO_LONG)

    def test_data_that_do_not_end(self) -> None:
        for start, unit in (
            (b'"', b"x"),
            (b'#"', b"x"),
            (b"", b"x"),
            (b"|", b"x"),
            (b"", b"1"),
            (b"(", b" "),
            (b"(", b"a "),
            (b"(", b"#;a "),
            (b"#<<", b"x"),
            (b"#<<x\n", b"y\n"),
            (b"#h", b"a"),
            (b"#", b"1"),
            (b"#:", b"x"),
            (b'"', b"\\n"),
            (b"", b"\xff"),
            (b"(", b"; x\n"),
            (b"#s(pt", b" 1"),
            (b'#rx"', b"x"),
        ):
            peak, code = self.peak(start, unit)
            self.assertEqual((start, code), (start, TOO_LONG))
            self.assertLess(peak, 400_000)

    def test_what_belongs_to_no_datum_may_not_end(self) -> None:
        for start, unit in (
            (b"", b" "),
            (b"", b"\n"),
            (b";", b"x"),
            (b"#|", b"x"),
            (b"#|", b"#|"),
            (b"#|", b"| #"),
            (b"#! ", b"x"),
            (b"#! ", b"\\\n"),
            (b"(a) ", b"x"),
            (b"(a) ", b"("),
            (b"(;", b"x"),
            (b"(#|", b"x"),
        ):
            peak, code = self.peak(start, unit)
            self.assertEqual((start, code), (start, ""))
            self.assertLess(peak, 100_000)

    def test_no_text_is_kept_once_it_is_read(self) -> None:
        reader = DatumReader()
        for piece in (b"(abc def ", b"#| x ", b"|# ghi ", b'"jkl ', b'" 1.5', b") rest ", b"of line"):
            reader.receive_data(piece)
            self.assertEqual(len(reader._input.text), len(piece))
            self.assertEqual(reader._input.at, len(piece))


def steps(call: Callable[[], object]) -> int:
    """Count the calls of functions, Python's and C's, that a call makes."""
    count = 0

    def profile(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(before)
    return count


class CostTests(SynchronousTestCase):
    """Twice as much text costs twice as much, in one piece and in many."""

    def check(self, text: Callable[[int], bytes], size: int = 400) -> None:
        def cost(size: int, cut: Callable[[bytes], Iterable[bytes]]) -> int:
            pieces = list(cut(text(size)))
            reader = DatumReader(10**9, 10**9)
            return steps(lambda: feed(reader, pieces))

        for cut in (octets, lambda data: [data]):
            self.assertLess(cost(2 * size, cut), 2.2 * cost(size, cut) + 50)

    def test_strings(self) -> None:
        self.check(lambda size: b'"' + b"x" * size + b'"\n')
        self.check(lambda size: b'"' + b"\\n" * size + b'"\n')

    def test_symbols_and_numbers(self) -> None:
        self.check(lambda size: b"x" * size + b"\n")
        self.check(lambda size: b"|a|\\b" * size + b"\n")
        self.check(lambda size: b"1" * size + b".5\n")

    def test_lists(self) -> None:
        self.check(lambda size: b"(" + b"a 1 b.c " * size + b")\n")
        self.check(lambda size: b"(" * size + b")" * size + b"\n")
        self.check(lambda size: b"'" * size + b"a\n")

    def test_comments_and_lines(self) -> None:
        self.check(lambda size: b"#|x|#" * size + b"a\n")
        self.check(lambda size: b"#|" * size + b"|#" * size + b"a\n")
        self.check(lambda size: b"#;a " * size + b"a\n")
        self.check(lambda size: b"a" + b" x" * size + b"\n")
        self.check(lambda size: b";\n" * size + b"a\n")

    def test_messages(self) -> None:
        self.check(lambda size: b"(move player 4.0 1.0)\n" * size, 100)
        self.check(lambda size: b'("a" #t)\n' * size, 100)

    def test_long_numbers_take_no_time_worth_mentioning(self) -> None:
        # Each of these would take minutes if digits were added one by one, or patterns tried again and again.
        for text in (
            b"9" * 60_000,
            b"9" * 30_000 + b"/" + b"7" * 30_000,
            b"1." + b"3" * 60_000,
            b"1" * 60_000 + b"x",
            b"1#" * 30_000,
            b"1e1+" * 15_000,
            b"#e1." + b"3" * 30_000,
            b"#x" + b"f" * 30_000 + b"l-" + b"f" * 20_000,
            b"+" * 60_000,
            b"1@" + b"9" * 60_000,
        ):
            self.assertEqual((text[:9], *map(len, read(text + b"\n"))), (text[:9], 1, 0))
