"""Nobody is refused in silence: what developers learn of each message that had no effect."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.refusals import KEPT, Refusal, described
from gamed.games.softwarechallenge.wire import open_element
from tests.games.softwarechallenge.harness import HIVE, PASSWORD, SKIP, Client, SeasonHarness, dragmove, setmove, slot

FIRST = setmove("RED", "ANT", 0, 0)
UNKNOWN = "00000000-0000-4000-8000-000000000000"


def refusals(client: Client) -> list[Refusal]:
    return client.session.refusals.first


def codes(client: Client) -> list[str]:
    return [refusal.code for refusal in refusals(client)]


class SilenceTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = SeasonHarness()

    def assert_refused(self, client: Client, code: str, *said: str) -> None:
        """Check that a client was refused once, with its message, a reason and what was expected."""
        client.send(*said)
        self.assertEqual(codes(client), [code], said)
        (refusal,) = refusals(client)
        self.assertIn(refusal.text.decode(), "".join(said))
        self.assertTrue(refusal.text)
        self.assertTrue(refusal.reason)
        self.assertNotIn(refusal.reason[-1], ".!?")


class LobbyTests(SilenceTestCase):
    """What is refused before a game."""

    def test_messages_that_cannot_be_read(self) -> None:
        for code, said in (
            ("malformed-xml", "<join></room>"),
            ("malformed-xml", "<join gameType=x/>"),
            ("doctype", "<!DOCTYPE x>"),
            ("unknown-element", "<JOIN/>"),
            ("unknown-element", '<data class="setmove"/>'),
            ("unknown-element", "<protocol></protocol>"),
            ("unknown-element", "<join><gametype/></join>"),
            ("duplicate-element", '<join gameType="x"><gameType>x</gameType></join>'),
            ("server-message", '<joined roomId="x"/>'),
            ("reply-message", "<playerScore/>"),
            ("missing-class", "<room><data/></room>"),
            ("not-a-number", '<timeout slot="one"/>'),
            ("message-too-deep", "<a>" * 40),
            ("too-many-attributes", "<a {}/>".format(" ".join(f"b{number}='1'" for number in range(40)))),
        ):
            client = self.harness.connect()
            self.assert_refused(client, code, said)
            self.assertTrue(client.is_closed)

    def test_a_message_that_is_too_long_is_cut(self) -> None:
        client = self.harness.connect()
        client.send(f"<join gameType='{'x' * 70_000}'/>")
        self.harness.wait(10, 0.1)
        self.assertEqual(codes(client), ["message-too-long"])
        self.assertLess(len(refusals(client)[0].text), 2_000)

    def test_requests_that_are_rejected(self) -> None:
        for code, said in (
            ("unknown-game-type", '<join gameType="swc_2021_blokus"/>'),
            ("no-reservation", f'<joinPrepared code="{UNKNOWN}"/>'),
            ("unknown-reservation", f'<joinPrepared reservationCode="{UNKNOWN}"/>'),
            ("wrong-password", '<authenticate password="x"/>'),
            ("no-room", f"<room>{FIRST}</room>"),
            ("unknown-room", f'<room roomId="{UNKNOWN}">{FIRST}</room>'),
        ):
            client = self.harness.connect()
            self.assert_refused(client, code, said)
            self.assertTrue(refusals(client)[0].expected, code)

    def test_a_code_that_was_used(self) -> None:
        _, codes_ = self.harness.admin().prepare()
        self.harness.connect().take(codes_[0])
        self.assert_refused(
            self.harness.connect(), "unknown-reservation", f'<joinPrepared reservationCode="{codes_[0]}"/>'
        )

    def test_strangers_who_ask_what_administrators_may(self) -> None:
        client = self.harness.connect()
        requests = (
            f'<prepare gameType="{HIVE}">{slot("a")}</prepare>', '<observe roomId="x"/>', '<pause roomId="x"/>',
            '<step roomId="x"/>', '<cancel roomId="x"/>', '<timeout roomId="x"/>', '<freeReservation reservation="x"/>',
            '<testMode testMode="true"/>', '<scoreForPlayer displayName="x"/>',
        )  # fmt: skip
        client.send(*requests)
        self.assertEqual(codes(client), ["administrators-only"] * 9)
        self.assertEqual([refusal.text.decode() for refusal in refusals(client)], list(requests))
        self.assertEqual((client.stream, client.is_closed), (b"", False))

    def test_administrators(self) -> None:
        for code, said in (
            ("unknown-game-type", '<prepare gameType="x"><slot/></prepare>'),
            ("no-slots", f'<prepare gameType="{HIVE}"/>'),
            ("too-many-slots", f'<prepare gameType="{HIVE}">{"<slot/>" * 3}</prepare>'),
            ("not-possible", f'<prepare gameType="{HIVE}" from="x"><slot/></prepare>'),
            ("unknown-room", '<observe roomId="x"/>'),
            ("unknown-room", '<pause roomId="x" pause="true"/>'),
            ("unknown-room", '<step roomId="x"/>'),
            ("unknown-room", '<cancel roomId="x"/>'),
            ("unknown-room", '<timeout roomId="x" slot="0"/>'),
            ("unknown-reservation", '<freeReservation reservation="x"/>'),
            ("unknown-name", '<scoreForPlayer displayName="x"/>'),
        ):
            self.assert_refused(self.harness.admin(), code, said)

    def test_what_changes_nothing(self) -> None:
        red, _ = self.harness.pair()
        room = f'roomId="{red.room}"'
        admin = self.harness.admin()
        admin.prepare()
        for code, said in (
            ("no-change", f"<step {room}/>"),
            ("no-change", f'<pause {room} pause="false"/>'),
            ("no-change", f'<step roomId="{admin.room}"/>'),
            ("empty-slot", f'<timeout roomId="{admin.room}" slot="1" activate="true"/>'),
        ):
            self.assert_refused(self.harness.admin(), code, said)
        admin.send(f'<pause {room} pause="true"/><step {room}/><pause {room} pause="false"/>')
        self.assertEqual(codes(admin), [])

    def test_the_wrong_beginning(self) -> None:
        for code, said in (
            ("no-protocol", f'<join gameType="{HIVE}"/>'),
            ("no-protocol", f'<room roomId="x">{SKIP}</room>'),
            ("http-request", "GET / HTTP/1.1\r\n\r\n"),
            ("stray-text", "hello\n"),
            ("stray-text", "hello<protocol>"),
        ):
            client = self.harness.connect()
            client.feed(said.encode())
            self.harness.turn()
            self.assertEqual(codes(client)[0], code)
            self.assertTrue(refusals(client)[0].expected)

    def test_text_between_messages(self) -> None:
        client = self.harness.connect()
        client.send("join please <testMode/>\n")
        client.send("hello ")
        self.assertEqual(codes(client), ["stray-text", "administrators-only"])
        client.send("world\nand so on\nfor ever\n<testMode/>")
        self.assertEqual(refusals(client)[2].text, b"hello world")
        self.assertEqual(codes(client)[2:], ["stray-text", "administrators-only"])

    def test_correct_clients_are_not_refused(self) -> None:
        client = self.harness.connect()
        client.feed(b"\xef\xbb\xbf<?xml version='1.0'?>\r\n<!-- hello -->\r\n<protocol>\r\n\t<join/>\r\n")
        client.feed(b"<!-- x\n -->\n\n  ")
        self.harness.wait(60, 1)
        self.assertEqual(codes(client), [])

    def test_a_client_that_asks_for_nothing(self) -> None:
        silent, joining, leaving = (self.harness.connect() for _ in range(3))
        admin = self.harness.admin()
        silent.feed(b"<protocol>")
        joining.join()
        leaving.end()
        self.harness.wait(9.5, 0.5)
        self.assertEqual(codes(silent), [])
        self.harness.wait(1, 0.5)
        self.assertEqual(codes(silent), ["no-request"])
        self.assertEqual([codes(client) for client in (joining, leaving, admin)], [[], [], []])

    def test_it_says_what_came_of_a_client_that_asks_for_nothing(self) -> None:
        for said, came in (
            (b"", "has sent nothing (0 bytes)"),
            (b"<protocol>", "has opened <protocol> and sent no request in it"),
            (b"<protocol><join", "has opened <protocol> and sent no request in it"),
            (b"<prot", "has sent no whole message"),
        ):
            client = self.harness.connect()
            client.feed(said)
            self.harness.turn()
            self.harness.wait(9.8, 0.2)
            self.assertEqual(codes(client), [])
            self.harness.wait(0.4, 0.2)
            (reason,) = [refusal.reason for refusal in refusals(client) if refusal.code == "no-request"]
            self.assertIn(f"{came}; the server does not speak first", reason)

    def test_nobody_is_told_twice_of_one_mistake(self) -> None:
        for said in ("GET / HTTP/1.1\r\n\r\n", f'<protocol><prepare gameType="{HIVE}"><slot/></prepare>'):
            client = self.harness.connect()
            client.feed(said.encode())
            self.harness.turn()
            self.harness.wait(12, 0.5)
            self.assertEqual(len(codes(client)), 1, said)
        self.assertIn(
            f'players need no such request: they send <join gameType="{HIVE}"/>', refusals(client)[0].expected
        )

    def test_attributes_that_are_missing_and_those_instead(self) -> None:
        for said, reason in (
            (
                f'<room roomid="x">{FIRST}</room>',
                "<room> has no attribute roomId; it has roomid: names are case-sensitive",
            ),
            (f"<room>{FIRST}</room>", "<room> has no attribute roomId, or an empty one"),
            ('<joinPrepared reservation="x"/>', "<joinPrepared> has no attribute reservationCode; it has reservation"),
            ('<joinPrepared reservationCode=""/>', "<joinPrepared> has no attribute reservationCode, or an empty one"),
            (
                f'<joinPrepared x="a=\'b\'" _{UNKNOWN}="1"/>',
                "<joinPrepared> has no attribute reservationCode; it has x",
            ),
        ):
            client = self.harness.connect()
            client.send(said)
            self.assertEqual([refusal.reason for refusal in refusals(client)], [reason])

    def test_where_the_xml_is_wrong(self) -> None:
        for said, place in (
            ("<join gameType=x/>", "invalid token in column 16"),
            ("\n  <join gameType=x/>", "invalid token in column 16"),
            ("<join></room>", "mismatched tag in column 9"),
        ):
            client = self.harness.connect()
            client.send(said)
            self.assertEqual(refusals(client)[0].reason, f"this is not well-formed XML: {place}")

    def test_after_some_they_are_counted(self) -> None:
        client = self.harness.connect()
        client.send(*["<pause/>"] * 20)
        self.harness.wait(5, 0.1)
        self.assertEqual((len(refusals(client)), client.session.refusals.total), (KEPT, 20))


class PlayTests(SilenceTestCase):
    """What is refused in a game."""

    def setUp(self) -> None:
        super().setUp()
        self.red, self.blue = self.harness.pair()

    def move(self, data: str) -> str:
        return f'<room roomId="{self.red.room}">{data}</room>'

    def test_moves(self) -> None:
        for code, data in (
            ("unknown-class", '<data class="SetMove"/>'),
            ("unknown-value", setmove("red", "ANT", 0, 0)),
            ("not-a-number", FIRST.replace('x="0"', 'x="0.0"')),
            ("missing-part", '<data class="setmove"/>'),
            ("unknown-element", setmove("RED", "ANT", 0, 0, "<foo/>")),
            ("no-move", ""),
            ("no-move", '<data class="joined"/>'),
            ("skip", SKIP),
            ("obstructed", setmove("RED", "ANT", 0, -5)),
            ("bee-not-placed", dragmove((0, 0), (1, 0))),
            ("off-the-board", setmove("RED", "ANT", 5, 5)),
        ):
            self.red, blue = self.harness.pair()
            self.assert_refused(self.red, code, self.move(data))
            self.assertTrue(refusals(self.red)[0].expected, code)
            self.assertEqual(codes(blue), [])

    def test_an_illegal_move_is_shown_a_legal_one(self) -> None:
        self.red.send(self.move(SKIP))
        (refusal,) = refusals(self.red)
        self.assertRegex(refusal.expected, r'\Aa legal move, such as <data class="setmove"> <piece .*/> </data>\Z')
        example = refusal.expected.partition("such as ")[2]
        red, blue = self.harness.pair()
        red.move(example)
        self.assertEqual(blue.heard()[-1], "MoveRequest")

    def test_moves_at_the_wrong_moment(self) -> None:
        self.assert_refused(self.blue, "out-of-turn", self.move(setmove("BLUE", "ANT", 0, 0)))
        waiting = self.harness.connect()
        waiting.join()
        self.assert_refused(waiting, "not-started", f'<room roomId="{waiting.room}">{FIRST}</room>')
        self.red, blue = self.harness.pair()
        self.assert_refused(self.harness.admin(), "not-your-room", self.move(FIRST))
        self.harness.admin().send(f'<pause roomId="{self.red.room}" pause="true"/>')
        self.red.send(self.move(FIRST))
        self.assert_refused(blue, "not-requested", self.move(setmove("BLUE", "ANT", 1, 0)))

    def test_answers_that_come_late_or_not_at_all(self) -> None:
        self.harness.wait(2.5, 0.5)
        self.assert_refused(self.red, "soft-timeout", self.move(FIRST))
        reason = (
            "the answer came 2500 ms after the MoveRequest, later than the soft limit of 2 seconds: the game is lost"
        )
        self.assertEqual(refusals(self.red)[0].reason, reason)
        red, _ = self.harness.pair()
        self.harness.wait(10, 0.5)
        (refusal,) = refusals(red)
        self.assertEqual((refusal.code, refusal.text), ("hard-timeout", b""))

    def test_an_answer_that_does_not_end(self) -> None:
        half = self.move(FIRST).removesuffix("</room>")
        self.red.send(half)
        self.harness.wait(10, 0.5)
        (refusal,) = refusals(self.red)
        self.assertEqual((refusal.code, refusal.text.decode()), ("hard-timeout", half))
        self.assertIn("has not ended: <room> is still open, </room> is missing", refusal.reason)
        for limit, told in (("10 seconds", refusal.reason), ("2 seconds, the soft limit", refusal.expected)):
            self.assertIn(limit, told)

    def test_what_is_open_of_an_answer(self) -> None:
        for text, name in (
            ("<room roomId='a>b'>", "room"),
            ("<room><data class='x'><piece/>", "data"),
            ("<room><data></data>", "room"),
            ("<room><data></data></room>", ""),
            ("</room><a", ""),
        ):
            self.assertEqual(open_element(text.encode()), name, text)

    def test_a_long_answer_that_does_not_end_is_not_guessed_at(self) -> None:
        self.red.send(self.move(FIRST + "<x>y</x>" * 50).removesuffix("</room>"))
        self.harness.wait(10, 0.5)
        self.assertTrue(refusals(self.red)[0].reason.endswith("has not ended"))

    def test_values_in_the_wrong_case(self) -> None:
        for data, expected in (
            (setmove("red", "ANT", 0, 0), "'red' is not an owner: RED or BLUE, in upper case"),
            (setmove("RED", "ant", 0, 0), "'ant' is not a type: BEE, "),
            ('<data class="SetMove"/>', "not SetMove alone"),
        ):
            red, _ = self.harness.pair()
            red.move(data)
            self.assertIn(expected, refusals(red)[0].expected)

    def test_an_end_tag_in_the_game(self) -> None:
        self.red.send("</protocol>")
        self.assertEqual(codes(self.red), ["document-ended"])
        for way in ("shut", "end", "reset"):
            red, blue = self.harness.pair()
            getattr(red, way)()
            self.harness.turn()
            blue.send("<sc.protocol.responses.CloseConnection/></protocol>")
            self.assertEqual((codes(red), codes(blue)), (["left"], []))

    def test_the_room_knows_what_its_peers_sent_in_vain(self) -> None:
        room = self.red.room
        self.red.send('<testMode testMode="true"/>')
        self.blue.send("hello\n")
        self.red.send(self.move(SKIP))
        found = self.harness.lobby.refusals.of(room)
        self.assertEqual(
            {seat: list(refusals.counts) for (seat, _), refusals in found.items()},
            {0: ["administrators-only", "skip"], 1: ["stray-text"]},
        )

    def test_reasons_go_over_no_wire(self) -> None:
        self.red.send('<testMode testMode="true"/>', "hello\n")
        self.assertEqual(self.red.heard(), [])


class SecretTests(SilenceTestCase):
    """No password and no reservation code is shown."""

    def shown(self, client: Client) -> str:
        is_code = self.harness.lobby.reservations.is_code
        return "\n".join(described(refusal, is_code) for refusal in refusals(client))

    def test_passwords(self) -> None:
        for said in (
            '<authenticate password="{}x"/>',
            "<authenticate password='{}x'/>",
            "<authenticate passphrase='{}'/>",
            "<authenticate><password>{}x</password></authenticate>",
            "<authenticate Password = '{}x'/>",
            "<authenticate password={}/>",
            '<authenticate password="{}</protocol>',
            '<Authenticate password="{}"/>',
            '<authenticate password="{}" <',
        ):
            client = self.harness.connect()
            client.send(said.format(PASSWORD))
            if not refusals(client):
                self.harness.wait(15, 0.5)
            client.end()
            self.assertTrue(refusals(client), said)
            self.assertNotIn(PASSWORD[:6], self.shown(client), said)

    def test_the_same_where_they_are_the_root(self) -> None:
        client = self.harness.connect()
        client.feed(f'<authenticate password="{PASSWORD}"/>'.encode())
        self.harness.turn()
        self.assertEqual(codes(client), ["no-protocol"])
        self.assertNotIn(PASSWORD, self.shown(client))

    def test_codes(self) -> None:
        for said in (
            '<joinPrepared reservationcode="{}"/>',
            "<joinPrepared code='{}'/>",
            "<joinPrepared><reservation>{}</reservation></joinPrepared>",
            "<joinPrepared><x>{}</x></joinPrepared>",
            '<join gameType="{}"/>',
            '<room roomId="{}"/>',
            '<freeReservation reservation="{}"/>',
            '<observe roomId="{}"/>',
            "{}\n",
        ):
            _, (code, _) = self.harness.admin().prepare()
            client = self.harness.connect()
            client.send(said.format(code))
            self.assertTrue(refusals(client), said)
            self.assertNotIn(code, self.shown(client), said)
