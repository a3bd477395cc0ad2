"""The dialect: registration, data, mails in their exact bytes; the world's side of it."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event, Started, Unread
from gamed.games.quoridor.signup import Call
from gamed.games.quoridor.wire import (
    NAME_LENGTH,
    Accepted,
    Registered,
    Said,
    Told,
    UniverseConnection,
    WorldConnection,
    message,
    registration,
)
from gamed.wire.datums import Symbol
from gamed.wire.sexpr import DatumReader

REGISTER = b'(REGISTER ((name "Quoridor")))\n'


def universe() -> UniverseConnection:
    return UniverseConnection(DatumReader(65_536, 100))


def heard(*pieces: bytes, wire: UniverseConnection | WorldConnection | None = None) -> list[Event]:
    """Return the events that pieces of bytes make."""
    wire = wire or universe()
    found: list[Event] = []
    for piece in pieces:
        wire.receive_data(piece)
        found += wire.events()
    return found


class RegistrationTests(SynchronousTestCase):
    def name(self, text: str) -> str:
        (event,) = heard(f"(REGISTER ((name {text})))\n".encode())
        assert isinstance(event, Registered)
        return event.name

    def refused(self, *pieces: bytes) -> str:
        return self.assertRaises(RemoteProtocolError, heard, *pieces).code

    def test_names_as_real_worlds_send_them(self) -> None:
        for text, name in (
            ('"Quoridor"', "Quoridor"),
            ("world3117", "world3117"),
            ("|foo bar|", "foo bar"),
            ('""', ""),
            ("||", ""),
            (r'"\"\u03A9\"\n"', '"Ω"\n'),
        ):
            self.assertEqual(self.name(text), name)

    def test_any_datum_is_a_name(self) -> None:
        for text, name in (
            ("17", "17"),
            ("4.0", "4.0"),
            ("(a b)", "(a b)"),
            ("()", "()"),
            ("#t", "#t"),
            (r"#\a", "?"),
            ("#(1 2)", "?"),
        ):
            self.assertEqual(self.name(text), name)

    def test_long_names_are_cut(self) -> None:
        self.assertEqual(self.name(f'"{"x" * NAME_LENGTH}"'), "x" * NAME_LENGTH)
        self.assertEqual(self.name(f'"{"x" * (NAME_LENGTH + 1)}"'), "x" * (NAME_LENGTH - 1) + "…")

    def test_the_same_datum_in_other_words(self) -> None:
        for text in (
            b"[REGISTER [[name x]]]\n",
            b"{REGISTER {{name x}}}\r\n",
            b" \n; hello\n(REGISTER\n ((name\tx)))\n",
            b"(REGISTER #;(no) ((name x)))#| no |#\n",
            b"\xef\xbb\xbf(REGISTER ((name x)))\n",
        ):
            self.assertEqual(heard(text), [Registered("x")], text)

    def test_what_is_no_registration(self) -> None:
        for text in (
            b"(REGISTER)",
            b"(register ((name x)))",
            b"(REGISTER ((name a) (b c)))",
            b"(REGISTER ((name a)) more)",
            b"(REGISTER (name a))",
            b"(REGISTER ((name)))",
            b"(REGISTER ((name a b)))",
            b"(REGISTER ((Name a)))",
            b'("REGISTER" ((name a)))',
            b'(REGISTER (("name" a)))',
            b"REGISTER",
            b"17",
            b"()",
            b"(play)",
            b"#(REGISTER ((name a)))",
            b"#s(REGISTER ((name a)))",
        ):
            self.assertEqual(self.refused(text + b"\n"), "no-registration", text)

    def test_what_is_no_datum(self) -> None:
        for text in (b")\n", b"(REGISTER ((name x]))\n", b"#<x>\n", b"(REGISTER . )\n"):
            self.assertEqual(self.refused(text), "malformed-datum", text)

    def test_it_needs_its_line_feed(self) -> None:
        self.assertEqual(heard(REGISTER[:-1]), [])
        self.assertEqual(heard(REGISTER[:-1], b"\n"), [Registered("Quoridor")])
        self.assertEqual(heard(REGISTER[:9], REGISTER[9:]), [Registered("Quoridor")])

    def test_the_rest_of_its_line_is_lost_and_the_next_line_is_not(self) -> None:
        text = b"(REGISTER ((name x))) (play) )(\n(wait)\n"
        registered, unread, said = heard(text)
        self.assertEqual((registered, said), (Registered("x"), Said((Symbol("wait"),))))
        assert isinstance(unread, Unread)
        self.assertEqual((unread.refusal.code, unread.refusal.text), ("second-datum", text.splitlines()[0]))

    def test_a_comment_is_no_second_datum(self) -> None:
        for rest in (b"", b" ", b"\r", b"; hello (a)", b" #| (a) |# ", b"\t;;"):
            self.assertEqual(heard(REGISTER, b"(wait)" + rest + b"\n")[1:], [Said((Symbol("wait"),))], rest)

    def test_a_second_registration_is_a_datum_like_others(self) -> None:
        self.assertEqual([type(event) for event in heard(REGISTER * 2)], [Registered, Said])

    def test_what_comes_before_an_error_is_heard(self) -> None:
        wire = universe()
        wire.receive_data(REGISTER + b"(play)\n)\n(wait)\n")
        events = wire.events()
        self.assertEqual([next(events), next(events)], [Registered("Quoridor"), Said((Symbol("play"),))])
        self.assertRaises(RemoteProtocolError, next, events)


class DataTests(SynchronousTestCase):
    def test_numbers_stay_what_they_are(self) -> None:
        for text, x in ((b"4.0", 4.0), (b"4", 4), (b"4.", 4.0)):
            said = heard(REGISTER, b"(move player " + text + b" 1.0)\n")[1]
            assert isinstance(said, Said)
            assert isinstance(said.datum, tuple)
            self.assertEqual((said.datum[2], type(said.datum[2])), (x, type(x)))

    def test_byte_by_byte(self) -> None:
        text = REGISTER + b"(play)\n(move wall 0.0 1.0 horizontal)\n"
        self.assertEqual(heard(*(bytes([byte]) for byte in text)), heard(text))
        self.assertEqual(len(heard(text)), 3)

    def test_the_last_datum_needs_no_line_feed_when_the_world_closes(self) -> None:
        self.assertEqual(heard(REGISTER, b"(play)", b"")[1:], [Said((Symbol("play"),))])
        (unread,) = heard(REGISTER, b"(play", b"")[1:]
        assert isinstance(unread, Unread)
        self.assertEqual((unread.refusal.code, unread.refusal.text), ("unfinished", b"(play"))

    def test_what_is_missing_of_a_message(self) -> None:
        for text, ending in (
            (b"(move player 4 1", ") and a line feed"),
            (b"(move player 4 1\n", ") before the line feed"),
            (b"(play)", "a line feed, because the message is complete otherwise: call (newline) and (flush-output)"),
        ):
            connection = UniverseConnection(DatumReader(60, 5))
            connection.receive_data(text)
            self.assertEqual((list(connection.events()), connection.ending), ([], ending))

    def test_limits(self) -> None:
        small = UniverseConnection(DatumReader(60, 5))
        small.receive_data(REGISTER + b'"' + b"x" * 100)
        events = small.events()
        self.assertEqual(next(events), Registered("Quoridor"))
        self.assertRaises(RemoteProtocolError, next, events)
        deep = UniverseConnection(DatumReader(60, 5))
        deep.receive_data(REGISTER + b"((((((1))))))\n")
        self.assertRaises(RemoteProtocolError, list, deep.events())


class MailTests(SynchronousTestCase):
    def test_mails(self) -> None:
        for event, line in (
            (Accepted(), b"(OKAY)\n"),
            (Told(Call.WAIT_FOR_PLAYERS), b"(wait-for-players 0 ())\n"),
            (Told(Call.START2PLAY, 1), b"(start2play 1 ())\n"),
            (Told(Call.PLAY, 2, "(wall 0.0 1.0 horizontal)"), b"(play 2 (wall 0.0 1.0 horizontal))\n"),
        ):
            self.assertEqual(universe().send(event), line)

    def test_there_are_no_other_words(self) -> None:
        for event in (Event(), Started(), Said(())):
            self.assertRaises(LocalProtocolError, universe().send, event)

    def test_nothing_is_said_at_the_end(self) -> None:
        self.assertEqual(universe().close(), b"")


class WorldTests(SynchronousTestCase):
    def heard(self, *pieces: bytes) -> list[Event]:
        return heard(*pieces, wire=WorldConnection(DatumReader(65_536, 100)))

    def test_what_a_world_sends(self) -> None:
        self.assertEqual(registration("Quoridor"), REGISTER)
        self.assertEqual(registration('"Ω"'), '(REGISTER ((name "\\"Ω\\"")))\n'.encode())
        self.assertEqual(message(Symbol("play")), b"(play)\n")
        self.assertEqual(
            message(Symbol("move"), Symbol("wall"), 0.0, 1.0, Symbol("horizontal")),
            b"(move wall 0.0 1.0 horizontal)\n",
        )

    def test_what_a_world_hears(self) -> None:
        events = self.heard(b"(OKAY)\n(wait 1 (player 4.0 1.0 1.0))\n")
        self.assertEqual(
            events, [Accepted(), Said((Symbol("wait"), 1, (Symbol("player"), 4.0, 1.0, 1.0)))]
        )  # fmt: skip

    def test_a_universe_says_okay_first(self) -> None:
        for text in (b"(wait-for-players 0 ())\n", b"OKAY\n", b"(OKAY now)\n", b'("OKAY")\n'):
            error = self.assertRaises(RemoteProtocolError, self.heard, text)
            self.assertEqual(error.code, "not-accepted", text)

    def test_a_server_of_another_kind(self) -> None:
        self.assertRaises(RemoteProtocolError, self.heard, b"HTTP/1.1 400 Bad Request)\n")
