"""The server's side of the lobby's dialect: what clients may send, and every byte of what is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from random import Random
from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event, Started
from gamed.games.softwarechallenge.client_wire import ClientConnection
from gamed.games.softwarechallenge.dialect import IN_2020
from gamed.games.softwarechallenge.messages import (
    KICKED,
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
    Welcome,
)
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection, escaped, quoted
from gamed.wire import Connection
from gamed.wire.xmlstream import XmlStream
from tests.games.softwarechallenge.recorded import Recording, recordings

MALFORMED = ("44 conn2", "44 conn5", "44 conn9")
UNKNOWN = ("46 conn1", "46 conn14", "46 conn16", "46 conn18")
SERVER_ONLY = ("46 conn4", "46 conn5", "46 conn6", "46 conn9", "46 conn10", "46 conn11", "46 conn12", "46 conn13")
REFUSED = {
    **dict.fromkeys(MALFORMED, "malformed-xml"),
    **dict.fromkeys(UNKNOWN, "unknown-element"),
    **dict.fromkeys(SERVER_ONLY, "server-message"),
    **dict.fromkeys(("46 conn7", "46 conn8"), "reply-message"),
    "70 conn9": "missing-class",
    "88 conn1": "doctype",
}
"""The recorded connections that end with what is wrong in itself, whatever the season and the state of the room.

46 conn2 says <close/>, which the server of 2020 does not know; it ends the connection there and here.
"""


@cache
def recorded() -> tuple[Recording, ...]:
    return tuple(recordings())


def comparable(event: Event) -> object:
    """Return an event, or what it is equal to if it holds an element."""
    if isinstance(event, RoomMessage) and event.data is not None:
        return event.room, ET.tostring(event.data)
    return event


def listen(segments: Iterable[bytes], connection: SoftwareChallengeConnection | None = None) -> list[object]:
    """Return what a client says; the last is the code of the error if there was one."""
    connection = connection or SoftwareChallengeConnection()
    heard: list[object] = []
    for segment in segments:
        connection.receive_data(segment)
        try:
            for event in connection.events():
                # It comes first in any case, and is for developers only.
                if not isinstance(event, Opened):
                    heard.append(comparable(event))  # noqa: PERF401 (what came before an error must stay)
        except RemoteProtocolError as error:
            return [*heard, error.code]
    return heard


def one(message: str) -> object:
    """Return what a client says with one message, or the code of the error."""
    (heard,) = listen([f"<protocol>{message}".encode()])
    return heard


def one_by_one(data: bytes) -> list[bytes]:
    return [data[index : index + 1] for index in range(len(data))]


class RecordedClientTests(SynchronousTestCase):
    def test_segments_do_not_matter(self) -> None:
        random = Random(13050)
        for recording in recorded():
            said = recording.said
            whole = listen([said] if said else [])
            self.assertEqual(listen(one_by_one(said)), whole, recording.name)
            cuts = [0, *sorted(random.choices(range(len(said) + 1), k=5)), len(said)]
            segments = [said[start:stop] for start, stop in pairwise(cuts) if start < stop]
            self.assertEqual(listen(segments), whole, recording.name)

    def test_what_is_wrong_in_itself_is_refused_and_nothing_else(self) -> None:
        codes = {recording.name: listen([recording.said, b""])[-1] for recording in recorded() if recording.said}
        self.assertEqual({name: code for name, code in codes.items() if isinstance(code, str)}, REFUSED)

    def test_the_official_server_kicks_and_drops_as_the_codes_say(self) -> None:
        heard = {recording.name: recording for recording in recorded()}
        for name, code in REFUSED.items():
            self.assertTrue(ended(heard[name]), name)
            self.assertEqual(kicked(heard[name]), code in KICKED, name)

    def test_every_client_of_the_recordings_is_understood(self) -> None:
        counts: dict[str, int] = {}
        for recording in recorded():
            connection = SoftwareChallengeConnection()
            connection.receive_data(recording.said or b" ")
            for event in connection.events() if recording.name not in REFUSED else ():
                counts[type(event).__name__] = counts.get(type(event).__name__, 0) + 1
        self.assertEqual(counts["RoomMessage"], 168)
        self.assertEqual(counts["Join"], 121)
        self.assertEqual(counts["Prepare"], 31)
        self.assertEqual(counts["Leaving"], 38)
        # Text between messages, and two joins that are roots of their documents.
        self.assertEqual(counts["Unread"], 3)
        # Documents without a message.
        self.assertIn("Opened", counts)
        self.assertEqual(len(counts), 16)

    def test_preambles(self) -> None:
        for recording in recorded():
            if recording.name.startswith("45 ") and recording.heard != b"<protocol/>":
                self.assertEqual(listen([recording.said]), [Join("swc_2020_hive")], recording.name)
        prologs = {recording.name: listen([recording.said]) for recording in recorded() if recording.name[:2] == "88"}
        self.assertEqual(prologs["88 conn2"], [Join("swc_2020_hive\ufffd")])
        self.assertEqual(prologs["88 conn3"], [Join("swc_2020_hive")])

    def test_names_as_they_were_typed(self) -> None:
        (said,) = (recording.said for recording in recorded() if recording.name == "74 conn1")
        prepare = listen([said])[1]
        self.assertEqual(
            prepare,
            Prepare(
                "swc_2020_hive",
                (Slot('Käfer <1> "q" \U0001f41d', True, False), Slot("  b\tc ", True, False)),
            ),
        )


class ClientMessageTests(SynchronousTestCase):
    def test_each_message(self) -> None:
        for message, event in (
            ('<join gameType="swc_2020_hive"/>', Join("swc_2020_hive")),
            ('<joinPrepared reservationCode="c"/>', JoinPrepared("c")),
            ('<authenticate password="p"/>', Authenticate("p")),
            ('<observe roomId="r"/>', Observe("r")),
            ('<pause roomId="r" pause="true"/>', Pause("r", True)),
            ('<pause roomId="r" pause="false"/>', Pause("r", False)),
            ('<step roomId="r"/>', StepOn("r", False)),
            ('<step roomId="r" forced="true"/>', StepOn("r", True)),
            ('<cancel roomId="r"/>', Cancel("r")),
            ('<timeout roomId="r" slot="1" activate="true"/>', SetTimeout("r", 1, True)),
            ('<freeReservation reservation="c"/>', FreeReservation("c")),
            ('<testMode testMode="true"/>', TestMode(True)),
            ('<scoreForPlayer displayName="n"/>', ScoreForPlayer("n")),
            ('<room roomId="r"/>', RoomMessage("r", None)),
            ("<sc.protocol.responses.CloseConnection/>", Leaving()),
        ):
            self.assertEqual(one(message), event)
            self.assertEqual(one(message.replace("/>", ' extra="1" password2=""/>')), event)

    def test_what_is_missing(self) -> None:
        for message, event in (
            ("<join/>", Join(None)),
            ('<join gametype="swc_2020_hive"/>', Join(None)),
            ('<join gameType=""/>', Join("")),
            ("<joinPrepared/>", JoinPrepared("")),
            ("<authenticate/>", Authenticate("")),
            ('<authenticate passphrase="p"/>', Authenticate("")),
            ("<observe/>", Observe("")),
            ("<pause/>", Pause("", False)),
            ("<step/>", StepOn("", False)),
            ("<cancel/>", Cancel("")),
            ("<timeout/>", SetTimeout("", 0, False)),
            ("<freeReservation/>", FreeReservation("")),
            ("<testMode/>", TestMode(False)),
            ("<scoreForPlayer/>", ScoreForPlayer("")),
            ("<room/>", RoomMessage(None, None)),
            ("<prepare/>", Prepare("", ())),
            ("<prepare><slot/></prepare>", Prepare("", (Slot(None, False, False),))),
        ):
            self.assertEqual(one(message), event)

    def test_children_in_place_of_attributes(self) -> None:
        for message, event in (
            ("<join><gameType>swc_2020_hive</gameType></join>", Join("swc_2020_hive")),
            ("<join> <!-- x --> <gameType/> </join>", Join("")),
            ("<pause roomId='r'><pause>true</pause></pause>", Pause("r", True)),
            ("<step><forced>TRUE</forced><roomId>r</roomId></step>", StepOn("r", True)),
            ("<timeout><slot>1</slot><activate>true</activate><roomId>r</roomId></timeout>", SetTimeout("r", 1, True)),
            ("<authenticate><password>a<![CDATA[<]]>b</password></authenticate>", Authenticate("a<b")),
            ("<room><roomId>r</roomId></room>", RoomMessage("r", None)),
        ):
            self.assertEqual(one(message), event)

    def test_slots_of_children(self) -> None:
        first = "<slot><canTimeout>true</canTimeout><displayName>n</displayName></slot>"
        second = "<slot displayName='m'><shouldBePaused>true</shouldBePaused></slot>"
        event = Prepare("g", (Slot("n", True, False), Slot("m", False, True)))
        self.assertEqual(one(f"<prepare>{first}<gameType>g</gameType>{second}</prepare>"), event)

    def test_prepare_with_a_position_to_begin_with(self) -> None:
        slot = '<slot displayName="n" canTimeout="true" shouldBePaused="true"/>'
        slots = (Slot("n", True, True),)
        self.assertEqual(
            one(f'<prepare gameType="g" from="R" turn="12">{slot}</prepare>'), Prepare("g", slots, "R", "12")
        )
        self.assertEqual(one(f'<prepare from="R" gameType="g">{slot}</prepare>'), Prepare("g", slots, "R", None))
        self.assertEqual(one(f'<prepare gameType="g">{slot}</prepare>'), Prepare("g", slots, None, None))

    def test_any_number_of_slots_comes_through(self) -> None:
        for count in (0, 1, 3):
            message = f'<prepare gameType="g">{"<slot/>" * count}</prepare>'
            self.assertEqual(one(message), Prepare("g", (Slot(None, False, False),) * count))

    def test_only_true_is_true(self) -> None:
        for text, value in (("true", True), ("TRUE", True), ("tRuE", True), ("1", False), ("yes", False), ("", False)):
            self.assertEqual(one(f'<testMode testMode="{text}"/>'), TestMode(value))
            self.assertEqual(one(f'<testMode testMode=" {text}"/>'), TestMode(False))

    def test_numbers(self) -> None:
        for text, value in (
            ("0", 0),
            ("1", 1),
            ("-1", -1),
            ("+1", 1),
            ("007", 7),
            ("010", 8),
            ("00", 0),
            ("-0x1F", -31),
            ("0Xa", 10),
            ("#1", 1),
            ("\u0661\u0662", 12),
            ("0\u0661", 1),
            ("2147483647", 2**31 - 1),
            ("2147483648", -(2**31)),
            ("0xFFFFFFFF", -1),
            ("-2147483648", -(2**31)),
        ):
            self.assertEqual(one(f'<timeout roomId="r" slot="{text}"/>'), SetTimeout("r", value, False))
        for text in (
            "",
            " ",
            "a",
            "1.0",
            "1 ",
            "1e3",
            "08",
            "0x",
            "#",
            "0xG",
            "0x-1",
            "\U0001d7d9",
            "--1",
            "1_0",
            "9" * 9_999,
        ):
            self.assertEqual(one(f'<timeout roomId="r" slot="{text}"/>'), "not-a-number")
        for text in ("4294967296", "-2147483649", "9" * 64, "0x100000000"):
            self.assertEqual(one(f'<timeout roomId="r" slot="{text}"/>'), "out-of-range")

    def test_a_move_is_handed_on_as_it_came(self) -> None:
        for data in (
            '<data class="setmove"><piece owner="RED" type="ANT" /><destination x="0" y="1" z="-1" /></data>',
            '<data class="sc.plugin2020.SetMove"><foo><bar /></foo><foo>text</foo></data>',
            '<data class="skipmove" more="1" />',
            '<data class="anything">x</data>',
        ):
            self.assertEqual(one(f'<room roomId="r">{data}</room>'), ("r", data.encode()))
            self.assertEqual(one(f"<room>\n{data}<roomId>r</roomId></room>")[0], "r")

    def test_a_password_is_not_printed(self) -> None:
        self.assertNotIn("secret", repr(Authenticate("secret")))


class RefusalTests(SynchronousTestCase):
    """B5, as far as one message can be wrong in itself."""

    def test_each_code(self) -> None:
        for message, code in (
            ("<foo/>", "unknown-element"),
            ("<JOIN/>", "unknown-element"),
            ("<java.util.Date>1</java.util.Date>", "unknown-element"),
            ("<slot/>", "unknown-element"),
            ("<data class='setmove'/>", "unknown-element"),
            ("<protocol></protocol>", "unknown-element"),
            ("<x:join/>", "unknown-element"),
            ("<join><extra/></join>", "unknown-element"),
            ("<join><gametype>x</gametype></join>", "unknown-element"),
            ("<observe><password>x</password></observe>", "unknown-element"),
            ("<prepare><slots/></prepare>", "unknown-element"),
            ("<prepare><slot><name/></slot></prepare>", "unknown-element"),
            ("<prepare><from>R</from></prepare>", "unknown-element"),
            ("<room><move/></room>", "unknown-element"),
            ("<join gameType='a'><gameType>b</gameType></join>", "duplicate-element"),
            ("<join><gameType>a</gameType><gameType>a</gameType></join>", "duplicate-element"),
            ("<room><data class='a'/><data class='a'/></room>", "duplicate-element"),
            ("<room><data/></room>", "missing-class"),
            ("<room><data class=''/></room>", "missing-class"),
            ("<room><data CLASS='setmove'/></room>", "missing-class"),
            *((f"<{name}/>", "server-message") for name in ("joined", "left", "prepared", "paused", "memento")),
            *((f"<{name}>x</{name}>", "server-message") for name in ("error", "string", "null", "observed")),
            ("<joinedGameRoom roomId='x' existing='true'/>", "server-message"),
            ("<testing testMode='true'/>", "reply-message"),
            ("<playerScore><score/></playerScore>", "reply-message"),
            ("<a></b>", "malformed-xml"),
            ("<!DOCTYPE p>", "doctype"),
            ("<join gameType='" + "x" * 65_536, "message-too-long"),
            ("<room>" * 33, "message-too-deep"),
            ("<join " + "".join(f"a{number}='' " for number in range(33)) + "/>", "too-many-attributes"),
        ):
            self.assertEqual(one(message), code, message[:80])

    def test_only_replies_kick(self) -> None:
        self.assertEqual(KICKED, {"reply-message"})

    def test_what_came_before_is_heard_and_what_comes_after_is_not(self) -> None:
        for wrong, code in (("<foo/>", "unknown-element"), ("</q>", "malformed-xml")):
            connection = SoftwareChallengeConnection()
            connection.receive_data(f"<protocol><join/>{wrong}<cancel/></protocol>".encode())
            heard: list[Event] = []
            error = self.assertRaises(RemoteProtocolError, heard.extend, connection.events())
            self.assertEqual((heard, error.code), ([Opened("protocol"), Join(None)], code))
            connection.receive_data(b"<join/>")
            connection.receive_data(b"")
            again = self.assertRaises(RemoteProtocolError, list, connection.events())
            self.assertEqual((str(again), again.code, again.hint), (str(error), error.code, error.hint))

    def test_the_limits_are_the_streams(self) -> None:
        connection = SoftwareChallengeConnection(XmlStream(limit=20))
        self.assertEqual(listen([b"<protocol>", b"<join gameType='aaaaaaaaaa'/>"], connection), ["message-too-long"])

    @settings(deadline=None, max_examples=300)
    @given(
        st.lists(
            st.sampled_from(
                [
                    "<join>", "</join>", "<join/>", "<room roomId='r'>", "</room>", "<data class='c'>", "</data>",
                    "<prepare>", "</prepare>", "<slot/>", "<slot>", "</slot>", "<gameType>", "</gameType>", "text",
                    "<data/>", "&lt;",
                    "<timeout slot='1'/>", "<timeout slot='x'/>", "<roomId/>", "<testing/>", "<left/>", "<data x='1'/>",
                    "<sc.protocol.responses.CloseConnection/>", "</protocol>", "<!-- x -->", "<", ">", "&",
                ]
            ),
            max_size=12,
        ),
        st.integers(1, 40),
    )  # fmt: skip
    def test_whatever_comes_is_understood_or_refused_whole_or_in_pieces(self, pieces: list[str], size: int) -> None:
        data = ("<protocol>" + "".join(pieces)).encode()
        whole = listen([data, b""])
        self.assertEqual(listen([data[start : start + size] for start in range(0, len(data), size)] + [b""]), whole)
        self.assertTrue(whole[-1] == Leaving() or isinstance(whole[-1], str))


class LeavingTests(SynchronousTestCase):
    def test_each_way_to_leave(self) -> None:
        for ways in (
            [b"</protocol>"],
            [b"<sc.protocol.responses.CloseConnection/>"],
            [b"<sc.protocol.responses.CloseConnection/></protocol>"],
            [b"<sc.protocol.responses.CloseConnection/></protocol>", b""],
            [b""],
            [b"<join", b""],
            [b"<sc.protocol.responses.CloseConnection></sc.protocol.responses.CloseConnection><foo/>", b"</q>", b""],
        ):
            self.assertEqual(listen([b"<protocol><join/>", *ways]), [Join(None), Leaving()], ways)

    def test_an_empty_document_and_no_document(self) -> None:
        self.assertEqual(listen([b"<protocol/>"]), [Leaving()])
        self.assertEqual(listen([b""]), [Leaving()])

    def test_what_follows_is_not_even_read(self) -> None:
        connection = SoftwareChallengeConnection()
        listen([b"<protocol><sc.protocol.responses.CloseConnection/>"], connection)
        connection.receive_data(b"<join")
        self.assertFalse(connection.begun)
        self.assertEqual(list(connection.events()), [])

    def test_whether_a_message_is_begun(self) -> None:
        connection = SoftwareChallengeConnection()
        for segment, begun in ((b"<protocol>", False), (b"<jo", True), (b"in>", True), (b"</join>", False)):
            connection.receive_data(segment)
            self.assertEqual(connection.begun, begun, segment)


def messages(heard: bytes) -> Iterator[bytes]:
    """Yield the texts of a recorded server's messages, each from its line end on."""
    yield from re.findall(rb"\n  <[^ /].*?(?=\n  <[^ /]|\n</protocol>\Z|\Z)", heard, re.DOTALL)


def inner(message: bytes, depth: int) -> str:
    """Return the text of what stands in the element of a message that is so many levels deep."""
    lines = message.decode().split("\n")
    return "\n".join(lines[1 + depth : -depth]).strip()


def with_text(event: Event, message: bytes) -> Event:
    """Return an event as the server has it: the season's part as it was recorded."""
    if isinstance(event, Memento):
        return Memento(event.room, inner(message, 2))
    if isinstance(event, Result):
        return Result(event.room, inner(message, 2))
    if isinstance(event, Refused):
        return Refused(event.room, event.message, None if event.element is None else inner(message, 2))
    return event


class RecordedServerTests(SynchronousTestCase):
    def test_every_byte_of_every_recorded_server(self) -> None:
        counts: dict[str, int] = {}
        for recording in recorded():
            heard = recording.heard
            client, server = ClientConnection(), SoftwareChallengeConnection()
            said = b""
            for message in messages(heard):
                client.receive_data(message if said else b"<protocol>" + message)
                (event,) = client.events()
                counts[type(event).__name__] = counts.get(type(event).__name__, 0) + 1
                said += server.send(with_text(event, message))
            if ended(recording):
                said += server.close()
            self.assertEqual(said, heard, recording.name)
        self.assertEqual(
            counts,
            {
                "Closing": 42, "Joined": 160, "JoinedGameRoom": 19, "Left": 81, "Memento": 450, "MoveRequest": 202,
                "Observed": 18, "Prepared": 27, "Refused": 14, "Result": 73, "Testing": 1, "Welcome": 146,
            },
        )  # fmt: skip

    def test_a_stream_in_one_piece_says_the_same(self) -> None:
        for recording in recorded():
            client = ClientConnection()
            client.receive_data(recording.heard or b" ")
            events, expected = list(client.events()), list(messages(recording.heard))
            if ended(recording) and not kicked(recording):
                self.assertEqual(events.pop(), Closing(kick=False), recording.name)
            self.assertEqual(len(events), len(expected), recording.name)


def ended(recording: Recording) -> bool:
    return recording.heard.endswith((b"</protocol>", b"<protocol/>"))


def kicked(recording: Recording) -> bool:
    return recording.heard.endswith(b"CloseConnection/>\n</protocol>")


class ServerMessageTests(SynchronousTestCase):
    def said(self, *events: Event) -> str:
        connection = SoftwareChallengeConnection()
        return b"".join(connection.send(event) for event in events).decode()

    def test_the_document_begins_with_the_first_message(self) -> None:
        self.assertEqual(self.said(Joined("r"), Left("r")), '<protocol>\n  <joined roomId="r"/>\n  <left roomId="r"/>')

    def test_what_no_recording_has(self) -> None:
        score = '<score displayName="n" numberOfTests="1">\n      <values/>\n    </score>'
        self.assertEqual(
            self.said(PlayerScore(score), Testing(True)),
            f'<protocol>\n  <playerScore>\n    {score}\n  </playerScore>\n  <testing testMode="true"/>',
        )

    def test_escapes(self) -> None:
        text = "&<>\"' \t\n\r\u00e4\u2205\U0001f41d"
        self.assertEqual(escaped(text), "&amp;&lt;&gt;&quot;&apos; \t\n&#xd;\u00e4\u2205\U0001f41d")
        self.assertEqual(quoted(text), '"&amp;&lt;&gt;&quot;&apos; &#x9;&#xa;&#xd;\u00e4\u2205\U0001f41d"')
        self.assertEqual(
            self.said(Prepared("<r>", ("a&b",)), Refused('"r"', "It's\nnot", None)),
            '<protocol>\n  <prepared roomId="&lt;r&gt;">\n    <reservation>a&amp;b</reservation>\n  </prepared>'
            '\n  <room roomId="&quot;r&quot;">\n    <data class="error" message="It&apos;s&#xa;not"/>\n  </room>',
        )

    @settings(deadline=None, max_examples=200)
    @given(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\t\n\r&<>\"'"), max_size=20))
    def test_every_text_arrives(self, text: str) -> None:
        server, client = SoftwareChallengeConnection(), ClientConnection()
        client.receive_data(server.send(Refused(text, text, None)) + server.send(Prepared(text, (text,))))
        if any(character in text for character in "\ufffe\uffff"):
            # XML has no way to write these two.
            self.assertRaises(RemoteProtocolError, list, client.events())
            return
        self.assertEqual(list(client.events()), [Refused(text, text, None), Prepared(text, (text,))])

    def test_an_event_for_many_is_encoded_once(self) -> None:
        memento = Memento("r", "<state>\n      </state>")
        peers = [SoftwareChallengeConnection() for _ in range(3)]
        for peer in peers:
            peer.send(Joined("r"))
        letters = [peer.send(memento) for peer in peers]
        self.assertTrue(all(letter is letters[0] for letter in letters))
        self.assertEqual(SoftwareChallengeConnection().send(memento), b"<protocol>" + letters[0])

    def test_what_was_encoded_does_not_show(self) -> None:
        memento = Memento("r", "<state/>")
        SoftwareChallengeConnection().send(memento)
        self.assertEqual(memento, Memento("r", "<state/>"))
        self.assertEqual(repr(memento), repr(Memento("r", "<state/>")))

    def test_the_last_words(self) -> None:
        close = "\n  <sc.protocol.responses.CloseConnection/>\n</protocol>"
        self.assertEqual(self.said(Closing(kick=True)), "<protocol>" + close)
        self.assertEqual(self.said(Closing(kick=False)), "<protocol/>")
        self.assertEqual(self.said(Left("r"), Closing(kick=True)), '<protocol>\n  <left roomId="r"/>' + close)
        self.assertEqual(self.said(Left("r"), Closing(kick=False)), '<protocol>\n  <left roomId="r"/>\n</protocol>')

    def test_closing(self) -> None:
        connection: Connection = SoftwareChallengeConnection()
        self.assertEqual(connection.close(), b"<protocol/>")
        connection = SoftwareChallengeConnection()
        connection.send(MoveRequest("r", IN_2020.move_request))
        self.assertEqual(connection.close(), b"\n</protocol>")

    def test_nothing_is_said_after_the_end(self) -> None:
        ends: list[Callable[[SoftwareChallengeConnection], bytes]] = [
            lambda peer: peer.close(),
            lambda peer: peer.send(Closing(kick=True)),
            lambda peer: peer.send(Closing(kick=False)),
        ]
        for end in ends:
            connection = SoftwareChallengeConnection()
            connection.send(Observed("r"))
            end(connection)
            self.assertEqual(connection.close(), b"")
            self.assertEqual(connection.send(Left("r")), b"")
            self.assertEqual(connection.send(Closing(kick=True)), b"")

    def test_what_cannot_be_said(self) -> None:
        for event in (Started(), Join("g"), Leaving()):
            self.assertRaises(LocalProtocolError, SoftwareChallengeConnection().send, event)

    def test_a_welcome(self) -> None:
        self.assertEqual(
            self.said(Welcome("r", "red"), JoinedGameRoom("r", existing=False)),
            '<protocol>\n  <room roomId="r">\n    <data class="welcomeMessage" color="red"/>\n  </room>'
            '\n  <joinedGameRoom roomId="r" existing="false"/>',
        )
