"""Both ends of a connection: where lines end, which are too long, and how they come in pieces."""

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event, Moved, Started, Unread
from gamed.core.refusals import Refusal
from gamed.games.roborally import messages as m
from gamed.games.roborally.grammar import SAYABLE, Sender
from gamed.games.roborally.messages import Malformed, Reason
from gamed.games.roborally.rules.board import Belt, Board, Direction, Pusher, Wall
from gamed.games.roborally.wire import (
    LONGEST_ANSWER,
    LONGEST_LINE,
    MOST_UNENDED,
    ClientConnection,
    RoboRallyConnection,
)
from tests.games.roborally.shapes import MANAGER_EVENTS, PEER_EVENTS, boards, places

TRANSCRIPT = Path(__file__).parent / "transcript.txt"


def pull(wire: RoboRallyConnection | ClientConnection) -> tuple[list[Event], str]:
    """Return the events, and the code of the error after them."""
    events: list[Event] = []
    try:
        events.extend(wire.events())
    except RemoteProtocolError as error:
        return events, error.code
    return events, ""


def received(data: bytes, size: int | None = None) -> tuple[list[Event], str]:
    """Return the events of some bytes that come in pieces of this size, and the code of the error after them."""
    wire = RoboRallyConnection()
    size = size or len(data) or 1
    events: list[Event] = []
    for at in range(0, len(data), size):
        wire.receive_data(data[at : at + size])
        found, code = pull(wire)
        events += found
        if code:
            return events, code
    return events, ""


class LineTests(SynchronousTestCase):
    def test_lf_and_crlf_end_a_line(self) -> None:
        self.assertEqual(received(b"GSD\nGFL\r\nGPL\n"), ([m.GetSize(), m.GetFlags(), m.GetPlan()], ""))

    def test_cr_alone_does_not(self) -> None:
        events, code = received(b"GSD\rGFL\n")
        self.assertEqual(code, "")
        self.assertEqual([type(event) for event in events], [Malformed])

    def test_two_crs_are_one_too_many(self) -> None:
        events, _ = received(b"GSD\r\r\n")
        self.assertEqual([type(event) for event in events], [Malformed])

    def test_blank_lines_are_ignored(self) -> None:
        self.assertEqual(received(b"\n\r\n \t\n\t\r\n   \nGSD\n\n"), ([m.GetSize()], ""))

    def test_a_line_without_an_end_is_none_yet(self) -> None:
        wire = RoboRallyConnection()
        wire.receive_data(b"RGS(An")
        self.assertEqual(list(wire.events()), [])
        wire.receive_data(b"na)\nGS")
        self.assertEqual(list(wire.events()), [m.RegisterPlayer("Anna")])

    def test_nor_is_it_one_when_the_peer_closes_but_it_is_reported(self) -> None:
        wire = RoboRallyConnection()
        wire.receive_data(b"GSD\nGFL")
        wire.receive_data(b"")
        first, half = wire.events()
        self.assertEqual(first, m.GetSize())
        assert type(half) is Unread
        self.assertEqual((half.refusal.code, half.refusal.text), ("unfinished", b"GFL"))
        self.assertEqual(list(wire.events()), [])
        wire = RoboRallyConnection()
        wire.receive_data(b"GSD\n")
        wire.receive_data(b"")
        self.assertEqual(list(wire.events()), [m.GetSize()])

    def test_the_cr_may_come_later(self) -> None:
        wire = RoboRallyConnection()
        for piece in (b"GSD", b"\r", b"\n"):
            wire.receive_data(piece)
        self.assertEqual(list(wire.events()), [m.GetSize()])

    def test_illegal_bytes_are_malformed_and_the_next_line_is_not(self) -> None:
        events, _ = received(b"RGS(\xc4nne)\nG\x00D\nGSD\n")
        self.assertEqual([type(event) for event in events], [Malformed, Malformed, m.GetSize])

    def test_many_lines_keep_their_order(self) -> None:
        data = b"".join(b"SFI((%d,%d))\n" % (number % 256, number // 256) for number in range(5_000))
        events, code = received(data)
        self.assertEqual(code, "")
        self.assertEqual(events, [m.GetField((number % 256, number // 256)) for number in range(5_000)])

    def test_events_are_pulled_once(self) -> None:
        wire = RoboRallyConnection()
        wire.receive_data(b"GSD\nGFL\n")
        events = wire.events()
        self.assertEqual(next(events), m.GetSize())
        self.assertEqual(list(wire.events()), [m.GetFlags()])
        self.assertEqual(list(events), [])


class LimitTests(SynchronousTestCase):
    """1.1: 1024 bytes a line, 65536 bytes without an end."""

    def padded(self, length: int) -> bytes:
        return b"GSD" + b" " * (length - 3)

    def test_the_longest_line(self) -> None:
        for end in (b"\n", b"\r\n"):
            self.assertEqual(received(self.padded(LONGEST_LINE) + end), ([m.GetSize()], ""))

    def test_blank_lines_are_counted_between_messages(self) -> None:
        for blank in (b"\n", b"\r\n", b" \t\n"):
            # The CR of a line end is not counted.
            most = (MOST_UNENDED - 1) // len(blank.replace(b"\r", b""))
            self.assertEqual(received((blank * most + b"GSD\n") * 2), ([m.GetSize()] * 2, ""))
            self.assertEqual(received(b"GSD\n" + blank * (most + 2) + b"GSD\n"), ([m.GetSize()], "no-message"))

    def test_one_byte_more(self) -> None:
        for end in (b"\n", b"\r\n"):
            line = self.padded(LONGEST_LINE + 1) + end
            events, code = received(line)
            self.assertEqual(([type(event) for event in events], code), ([Malformed], ""))
            assert isinstance(events[0], Malformed)
            found = events[0].refusal
            self.assertEqual((found.code, found.expected), ("long-line", "at most 1024 bytes a line"))
            # Its beginning alone is kept, and it may tell a program.
            self.assertEqual((len(found.text), found.is_hidden), (200, True))

    def test_a_cr_inside_does_not_count_as_the_end(self) -> None:
        events, _ = received(self.padded(LONGEST_LINE) + b"\r \n")
        self.assertEqual([type(event) for event in events], [Malformed])

    def test_a_blank_line_that_is_too_long_is_malformed(self) -> None:
        events, _ = received(b" " * 2000 + b"\n")
        self.assertEqual([type(event) for event in events], [Malformed])

    def test_a_long_line_is_discarded_up_to_its_end(self) -> None:
        events, code = received(b"GSD\n" + b"x" * (MOST_UNENDED - 1) + b"\nGFL\n")
        self.assertEqual([type(event) for event in events], [m.GetSize, Malformed, m.GetFlags])
        self.assertEqual(code, "")

    def test_bytes_without_an_end_are_the_end(self) -> None:
        for data in (b"x" * MOST_UNENDED, b"x" * MOST_UNENDED + b"\nGSD\n", b"x" * 10 * MOST_UNENDED):
            events, code = received(b"GSD\n" + data)
            self.assertEqual((events, code), ([m.GetSize()], "line-too-long"))

    def test_the_count_begins_again_with_each_line(self) -> None:
        line = b"x" * 40_000 + b"\n"
        events, code = received(line * 4)
        self.assertEqual(([type(event) for event in events], code), ([Malformed] * 4, ""))

    def test_after_the_error_nothing_is_read(self) -> None:
        wire = RoboRallyConnection()
        wire.receive_data(b"x" * MOST_UNENDED)
        wire.receive_data(b"\nGSD\n")
        self.assertEqual(pull(wire), ([], "line-too-long"))
        self.assertEqual(pull(wire), ([], "line-too-long"))

    def test_the_error_says_what_to_do(self) -> None:
        wire = RoboRallyConnection()
        wire.receive_data(b"x" * MOST_UNENDED)
        error = self.assertRaises(RemoteProtocolError, list, wire.events())
        self.assertEqual(str(error), "65536 bytes without the end of a line")
        self.assertEqual(error.hint, "end each message with a line feed")

    def test_a_long_line_is_not_kept(self) -> None:
        wire = RoboRallyConnection()
        for _ in range(60):
            wire.receive_data(b"x" * 1000)
        self.assertLess(len(wire._lines._kept), LONGEST_LINE + 2)


PIECES = st.lists(
    st.one_of(
        st.sampled_from((b"\n", b"\r\n", b"\r", b" ", b"\t", b"GSD\n", b"TRP(Anna,(1,2,),f)\r\n", b"\xff", b"RGS(")),
        st.binary(max_size=12),
        st.integers(1_020, 1_027).map(lambda length: b"x" * length),
        st.just(b"y" * 33_000),
    ),
    max_size=12,
).map(b"".join)


class PieceTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=30)
    @given(PIECES)
    @example(b"\r\n" * 3 + b"GSD\r\r\n")
    @example(b"GSD\n" + b"x" * (MOST_UNENDED - 1) + b"\nGSD\n")
    @example(b"GSD\n" + b"x" * MOST_UNENDED + b"\nGSD\n")
    def test_whole_or_byte_by_byte(self, data: bytes) -> None:
        self.assertEqual(received(data, 1), received(data))

    @settings(deadline=None, max_examples=150)
    @given(PIECES, st.integers(2, 2_000))
    def test_whole_or_in_pieces(self, data: bytes, size: int) -> None:
        self.assertEqual(received(data, size), received(data))

    @settings(deadline=None, max_examples=100)
    @given(st.binary(max_size=200))
    def test_whatever_a_peer_sends_is_understood(self, data: bytes) -> None:
        events, code = received(data + b"\n")
        self.assertEqual(code, "")
        for event in events:
            self.assertIsInstance(event, (*SAYABLE[Sender.PEER], Malformed))


class SendTests(SynchronousTestCase):
    def test_lines_end_with_lf(self) -> None:
        wire = RoboRallyConnection()
        self.assertEqual(wire.send(m.Ok()), b"ok\n")
        self.assertEqual(wire.send(m.Removed(Reason.OTHER, "Shutdown")), b"REN(SO(Shutdown))\n")
        self.assertEqual(ClientConnection().send(m.RegisterPlayer("Anna")), b"RGS(Anna)\n")

    def test_what_a_manager_cannot_say(self) -> None:
        wire = RoboRallyConnection()
        for event in (m.GetSize(), m.SignOff("Anna"), Malformed(Refusal("x", "y")), Moved(b"ok"), Started(), Event()):
            self.assertRaises(LocalProtocolError, wire.send, event)

    def test_what_a_peer_cannot_say(self) -> None:
        wire = ClientConnection()
        for event in (
            m.GameStarts(),
            m.TimeoutAnswer(1),
            Malformed(Refusal("x", "y")),
            m.Removed(Reason.TIMEOUT),
            Moved(b"ok"),
        ):
            self.assertRaises(LocalProtocolError, wire.send, event)


class CloseTests(SynchronousTestCase):
    def test_what_was_not_pulled_is_dropped(self) -> None:
        wire = RoboRallyConnection()
        wire.receive_data(b"GSD\nGFL\nGP")
        events = wire.events()
        self.assertEqual(next(events), m.GetSize())
        wire.close()
        self.assertEqual(list(events), [])

    def test_what_comes_later_is_dropped(self) -> None:
        wire = RoboRallyConnection()
        wire.close()
        wire.receive_data(b"GSD\n" + b"x" * MOST_UNENDED)
        self.assertEqual(pull(wire), ([], ""))

    def test_no_error_comes_after_it(self) -> None:
        wire = RoboRallyConnection()
        wire.receive_data(b"x" * MOST_UNENDED)
        wire.close()
        self.assertEqual(pull(wire), ([], ""))

    def test_the_last_words_can_still_be_said(self) -> None:
        wire = RoboRallyConnection()
        wire.close()
        self.assertEqual(wire.send(m.Error()), b"error\n")


def crowded(size: int) -> Board:
    """Return a board of size x size fields of which each is as long as the rules of phases and turns allow."""
    phases = (1, 2, 3, 4, 5)
    turns = tuple((direction, "L") for direction in Direction)
    wall = Wall(Pusher(phases), is_wall=True, right=Pusher(phases))
    return Board(
        size,
        size,
        dict.fromkeys(places(size, size), Belt(Direction.N, 2, turns, phases)),
        dict.fromkeys(places(size + 1, size), wall),
        dict.fromkeys(places(size, size + 1), wall),
        frozenset(places(size, size)),
    )


class ClientTests(SynchronousTestCase):
    def test_the_managers_lines(self) -> None:
        wire = ClientConnection()
        wire.receive_data(b"ok\nNTS\r\n\n(24,12)\n_ _B_ _ .\n")
        events = list(wire.events())
        self.assertEqual(events[:3], [m.Ok(), m.GameStarts(), m.PlaceAnswer((24, 12))])
        self.assertIsInstance(events[3], m.PlanAnswer)

    def test_what_it_does_not_understand(self) -> None:
        wire = ClientConnection()
        wire.receive_data(b"NEU(1)\nNTS\n")
        events = list(wire.events())
        self.assertEqual([type(event) for event in events], [Malformed, m.GameStarts])

    def test_a_long_plan(self) -> None:
        board = crowded(24)
        line = RoboRallyConnection().send(m.PlanAnswer(board))
        self.assertGreater(len(line), 60_000)
        wire = ClientConnection()
        for at in range(0, len(line), 1_000):
            wire.receive_data(line[at : at + 1_000])
        self.assertEqual(list(wire.events()), [m.PlanAnswer(board)])

    def test_the_longest_plan_is_within_the_limit(self) -> None:
        # What a board has a side goes into its plan squared.
        small, large = (len(crowded(size).plan) for size in (15, 30))
        self.assertLess(small, large / 3)
        self.assertLess(large / 30**2 * 255**2, LONGEST_ANSWER)

    def test_a_manager_that_ends_no_line(self) -> None:
        wire = ClientConnection()
        wire.receive_data(b"ok\n" + b"x" * LONGEST_ANSWER)
        self.assertEqual(pull(wire), ([m.Ok()], "line-too-long"))

    @settings(deadline=None, max_examples=60)
    @given(boards(), st.integers(1, 40))
    def test_a_plan_in_pieces_is_the_board(self, board: Board, size: int) -> None:
        line = RoboRallyConnection().send(m.PlanAnswer(board))
        wire = ClientConnection()
        for at in range(0, len(line), size):
            wire.receive_data(line[at : at + size])
        self.assertEqual(list(wire.events()), [m.PlanAnswer(board)])


class ConversationTests(SynchronousTestCase):
    """Both ends in lock-step."""

    @settings(deadline=None, max_examples=100)
    @given(st.lists(PEER_EVENTS, max_size=6), st.integers(1, 50))
    def test_what_a_peer_says_arrives(self, said: list[Event], size: int) -> None:
        client, server = ClientConnection(), RoboRallyConnection()
        data = b"".join(map(client.send, said))
        for at in range(0, len(data), size):
            server.receive_data(data[at : at + size])
        self.assertEqual(pull(server), (said, ""))

    @settings(deadline=None, max_examples=100)
    @given(st.lists(MANAGER_EVENTS, max_size=6), st.integers(1, 50))
    def test_what_the_manager_says_arrives(self, said: list[Event], size: int) -> None:
        client, server = ClientConnection(), RoboRallyConnection()
        data = b"".join(map(server.send, said))
        for at in range(0, len(data), size):
            client.receive_data(data[at : at + size])
        self.assertEqual(pull(client), (said, ""))

    def test_the_session_of_section_7(self) -> None:
        client, server = ClientConnection(), RoboRallyConnection()
        for line in TRANSCRIPT.read_text().splitlines():
            way, text = line[:3], line[5:]
            if way.startswith("V>"):
                client.receive_data(text.encode() + b"\n")
                (event,) = client.events()
                self.assertEqual(server.send(event), text.encode() + b"\n")
            elif way.endswith(">V"):
                server.receive_data(text.encode() + b"\r\n")
                (event,) = server.events()
                self.assertEqual(client.send(event), text.encode() + b"\n")
