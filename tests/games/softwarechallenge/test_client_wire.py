"""The client's side of the lobby's dialect, against the server's."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event, Started
from gamed.games.softwarechallenge.client_wire import ClientConnection
from gamed.games.softwarechallenge.dialect import IN_2020, SINCE_2021
from gamed.games.softwarechallenge.messages import (
    Authenticate,
    Cancel,
    Closing,
    FreeReservation,
    Join,
    Joined,
    JoinedGameRoom,
    JoinPrepared,
    Leaving,
    Left,
    Memento,
    MoveRequest,
    Observe,
    Observed,
    Opened,
    Pause,
    PlayerScore,
    Prepare,
    Prepared,
    Refused,
    Result,
    RoomMessage,
    ScoreForPlayer,
    SetTimeout,
    Slot,
    StepOn,
    Testing,
    TestMode,
    Unknown,
    Welcome,
)
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection
from gamed.wire import Connection

CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
TEXTS = st.text(CHARACTERS | st.sampled_from("\t\n\r&<>\"'"))
SLOTS = st.builds(Slot, st.none() | TEXTS, st.booleans(), st.booleans())
NUMBERS = st.integers(-999_999_999, 999_999_999)
CLIENT_EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Join, TEXTS),
    st.builds(JoinPrepared, TEXTS),
    st.builds(Authenticate, TEXTS),
    st.builds(Prepare, TEXTS, st.lists(SLOTS).map(tuple), st.none() | TEXTS, st.none() | TEXTS),
    st.builds(Observe, TEXTS),
    st.builds(Pause, TEXTS, st.booleans()),
    st.builds(StepOn, TEXTS, st.booleans()),
    st.builds(Cancel, TEXTS),
    st.builds(SetTimeout, TEXTS, NUMBERS, st.booleans()),
    st.builds(FreeReservation, TEXTS),
    st.builds(TestMode, st.booleans()),
    st.builds(ScoreForPlayer, TEXTS),
    st.builds(RoomMessage, st.none() | TEXTS, st.none()),
)
SERVER_EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Joined, TEXTS),
    st.builds(JoinedGameRoom, TEXTS, st.booleans()),
    st.builds(Prepared, TEXTS, st.lists(TEXTS.map(lambda text: text.replace("\r", ""))).map(tuple)),
    st.builds(Observed, TEXTS),
    st.builds(Welcome, TEXTS, TEXTS),
    st.builds(MoveRequest, TEXTS, st.sampled_from((IN_2020.move_request, SINCE_2021.move_request))),
    st.builds(Refused, TEXTS, TEXTS, st.none()),
    st.builds(Left, TEXTS),
    st.builds(Testing, st.booleans()),
)


def heard(connection: Connection, segments: Iterable[bytes]) -> list[Event]:
    events: list[Event] = []
    for segment in segments:
        connection.receive_data(segment)
        # That the document was opened is heard or not, by where the bytes are cut.
        events += [event for event in connection.events() if not isinstance(event, Opened)]
    return events


def parts(letters: bytes, size: int) -> list[bytes]:
    return [letters[start : start + size] for start in range(0, len(letters), size)]


class BothSidesTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=150)
    @given(st.lists(CLIENT_EVENTS, max_size=4), st.integers(1, 200))
    def test_the_server_hears_what_a_client_says(self, events: list[Event], size: int) -> None:
        client = ClientConnection()
        letters = b"".join([*map(client.send, events), client.close()])
        self.assertEqual(heard(SoftwareChallengeConnection(), parts(letters, size)), [*events, Leaving(has_ended=True)])

    @settings(deadline=None, max_examples=150)
    @given(st.lists(SERVER_EVENTS, max_size=4), st.integers(1, 200), st.booleans())
    def test_a_client_hears_what_the_server_says(self, events: list[Event], size: int, kick: bool) -> None:
        server = SoftwareChallengeConnection()
        letters = b"".join(map(server.send, [*events, Closing(kick)]))
        self.assertEqual(heard(ClientConnection(), parts(letters, size)), [*events, Closing(kick)])

    def test_a_move(self) -> None:
        data = ET.fromstring('<data class="setmove"><piece owner="RED"/><hint>a&lt;\u00e4</hint></data>')
        letters = ClientConnection().send(RoomMessage("r", data))
        (event,) = heard(SoftwareChallengeConnection(), [letters])
        assert isinstance(event, RoomMessage)
        assert event.data is not None
        self.assertEqual(event.room, "r")
        self.assertEqual(ET.tostring(event.data), ET.tostring(data))

    def test_leaving(self) -> None:
        for begun in ([], [Join("g")]):
            client = ClientConnection()
            letters = b"".join(map(client.send, [*begun, Leaving()]))
            self.assertTrue(letters.endswith(b"\n  <sc.protocol.responses.CloseConnection/>\n</protocol>"))
            self.assertEqual(heard(SoftwareChallengeConnection(), [letters]), [*begun, Leaving()])
            self.assertEqual(client.send(Join("g")) + client.send(Leaving()) + client.close(), b"")

    def test_what_a_client_cannot_say(self) -> None:
        for event in (Started(), Joined("r"), Closing(kick=True)):
            self.assertRaises(LocalProtocolError, ClientConnection().send, event)


class ElementTests(SynchronousTestCase):
    def heard(self, event: Event) -> Event:
        (found,) = heard(ClientConnection(), [SoftwareChallengeConnection().send(event)])
        return found

    def test_a_state(self) -> None:
        event = self.heard(Memento("r", '<state class="state" turn="3">\n        <board/>\n      </state>'))
        assert isinstance(event, Memento)
        assert event.element is not None
        self.assertEqual((event.room, event.element.tag, event.element.get("turn")), ("r", "state", "3"))
        self.assertIsNotNone(event.element.find("board"))

    def test_a_result(self) -> None:
        event = self.heard(Result("r", '<definition/>\n      <winner color="RED"/>'))
        assert isinstance(event, Result)
        assert event.element is not None
        self.assertEqual((event.room, [child.tag for child in event.element]), ("r", ["definition", "winner"]))

    def test_a_refusal(self) -> None:
        event = self.heard(Refused("r", "It's\nso", '<originalRequest class="setmove">\n      </originalRequest>'))
        assert isinstance(event, Refused)
        assert event.element is not None
        self.assertEqual((event.room, event.message, event.element.get("class")), ("r", "It's\nso", "setmove"))

    def test_a_score(self) -> None:
        event = self.heard(PlayerScore('<score displayName="n"/>'))
        assert isinstance(event, PlayerScore)
        assert event.element is not None
        self.assertEqual(event.element.get("displayName"), "n")


class ClosingTests(SynchronousTestCase):
    def test_each_end(self) -> None:
        for end, kick in (
            (b"</protocol>", False),
            (b"", False),
            (b"<sc.protocol.responses.CloseConnection/></protocol>", True),
            (b"<sc.protocol.responses.CloseConnection/><foo/>", True),
        ):
            segments = [b"<protocol><left roomId='r'/>", end, b"<joined roomId='s'/>", b""]
            self.assertEqual(heard(ClientConnection(), segments), [Left("r"), Closing(kick)])
        self.assertEqual(heard(ClientConnection(), [b"<protocol/>"]), [Closing(kick=False)])

    def test_what_a_client_discards(self) -> None:
        said = ["<foo><data class='x'/></foo>", "<room roomId='r'><data class='paused'/></room>", "<left roomId='r'/>"]
        events = heard(ClientConnection(), [f"<protocol>{''.join(said)}</protocol>".encode()])
        unknown = [Unknown("the element 'foo'"), Unknown("data of the class 'paused'")]
        self.assertEqual(events, [*unknown, Left("r"), Closing(kick=False)])

    def test_what_a_client_does_not_know(self) -> None:
        for message, code in (
            ("<joined/>", "missing-attribute"),
            ("<room roomId='r'/>", "missing-element"),
            ("<room roomId='r'><data/></room>", "missing-attribute"),
            ("<room><data class='memento'><state/></data></room>", "missing-attribute"),
            ("<room roomId='r'><data class='memento'/></room>", "missing-element"),
            ("<playerScore/>", "missing-element"),
            ("</q>", "malformed-xml"),
        ):
            client = ClientConnection()
            client.receive_data(f"<protocol><left roomId='r'/>{message}".encode())
            events: list[Event] = []
            error = self.assertRaises(RemoteProtocolError, events.extend, client.events())
            self.assertEqual((events, error.code), ([Left("r")], code))
