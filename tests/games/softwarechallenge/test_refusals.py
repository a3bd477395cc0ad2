"""What clients do wrong, row by row as docs/reference/software-challenge.md#what-is-refused has it."""

from __future__ import annotations

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import LEFT
from gamed.records.own import judgement, summary, to_history
from tests.games.softwarechallenge.harness import HIVE, SKIP, Client, SeasonHarness, dragmove, setmove, slot

KICKED = ["sc.protocol.responses.CloseConnection", "</protocol>"]
"""K: it is told to close."""
DROPPED = ["</protocol>"]
"""D: only the document ends."""
DROPPED_SILENT = ["<protocol/>"]
"""D, where nothing was said before."""

LEFT_BY_RED = ["LEFT 0 -1, REGULAR 2 -1", "left", *KICKED]
"""What BLUE hears of RED's leaving: its own goodbye comes last."""
FIRST = setmove("RED", "ANT", 0, 0)


class RefusalTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = SeasonHarness()

    def assert_over(self, client: Client, *said: str) -> None:
        """Check that this is what the client has heard last, and that the connection is closed."""
        self.assertEqual(client.heard(), list(said))
        self.assertTrue(client.is_closed)

    def assert_works(self, client: Client) -> None:
        """Check that an administrator's connection is still usable."""
        client.send('<testMode testMode="false"/>')
        self.assertEqual(client.heard()[-1:], ["testing false"])


class LobbyRefusalTests(RefusalTestCase):
    def test_wrong_or_missing_passwords(self) -> None:
        for number, request in enumerate(
            ('<authenticate password="wrong"/>', "<authenticate/>", '<authenticate passphrase="examplepassword"/>')
        ):
            client = self.harness.connect(f"192.0.2.{number}")
            client.send(request)
            self.harness.wait(1)
            self.assert_over(client, *KICKED)

    def test_unknown_and_used_reservations(self) -> None:
        admin = self.harness.admin()
        _, codes = admin.prepare()
        first, second, third = (self.harness.connect() for _ in range(3))
        first.take("00000000-0000-4000-8000-000000000000")
        self.assert_over(first, *KICKED)
        second.take(codes[0])
        third.take(codes[0])
        self.assert_over(third, *KICKED)
        self.assertEqual(second.heard(), [])

    def test_a_reservation_of_a_room_that_has_gone(self) -> None:
        admin, client = self.harness.admin(), self.harness.connect()
        room, codes = admin.prepare()
        admin.send(f'<cancel roomId="{room}"/>')
        client.take(codes[0])
        self.assert_over(client, *KICKED)

    def test_game_types(self) -> None:
        for game_type in ("swc_2021_blokus", "", "SWC_2020_HIVE"):
            client = self.harness.connect()
            client.join(game_type)
            self.assert_over(client, *KICKED)
        self.assertEqual(self.harness.rooms, [])

    def test_game_types_where_a_room_is_open(self) -> None:
        self.harness.connect().join()
        client = self.harness.connect()
        client.join("swc_2021_blokus")
        self.assert_over(client, *KICKED)
        self.assertEqual(len(self.harness.rooms[0].peers), 1)

    def test_other_names_of_the_game(self) -> None:
        for request in ("<join/>", '<join gametype="x"/>', '<join gameType="swc_2019_piranhas"/>'):
            client = self.harness.connect()
            client.send(request)
            self.assertEqual(client.heard()[0], "joined", request)

    def test_preparing_what_cannot_be(self) -> None:
        for request, end in (
            (f'<prepare gameType="x">{slot("a")}{slot("b")}</prepare>', KICKED),
            (f"<prepare>{slot('a')}{slot('b')}</prepare>", KICKED),
            (f'<prepare gameType="{HIVE}">{slot("a") * 3}</prepare>', KICKED),
            (f'<prepare gameType="{HIVE}"/>', DROPPED_SILENT),
        ):
            admin = self.harness.admin()
            admin.send(request)
            self.assert_over(admin, *end)
        self.assertEqual((self.harness.rooms, len(self.harness.lobby.reservations)), ([], 0))

    def test_preparing_with_less(self) -> None:
        for slots, names in (
            (slot("a"), ("a", "Unknown")),
            ("<slot/><slot/>", ("Unknown", "Unknown")),
            ('<slot displayName="a"/><slot displayName=""/>', ("a", "")),
        ):
            admin, red, blue = self.harness.admin(), self.harness.connect(), self.harness.connect()
            _, codes = admin.prepare(slots)
            red.take(codes[0])
            blue.take(codes[1])
            self.assertEqual(
                red.heard(), ["joined", "welcomeMessage red", f"memento 0 {' '.join(names)}", "MoveRequest"]
            )
            self.assertEqual(blue.heard(), ["joined", "welcomeMessage blue", f"memento 0 {' '.join(names)}"])

    def test_what_a_missing_slot_may(self) -> None:
        admin, red, blue = self.harness.admin(), self.harness.connect(), self.harness.connect()
        _, codes = admin.prepare('<slot displayName="a"/>')
        red.take(codes[0])
        blue.take(codes[1])
        # The first slot has no limits, because it does not say so; the second one, which is missing, has.
        self.harness.wait(60, 0.5)
        red.move(FIRST)
        self.assertEqual(blue.heard()[-2:], ["memento 1 a Unknown setmove", "MoveRequest"])
        self.harness.wait(10.5, 0.5)
        self.assertEqual(blue.heard()[0], "REGULAR 2 -1, HARD_TIMEOUT 0 -1")

    def test_requests_in_rooms_that_are_not_there(self) -> None:
        for request in ("observe", "step", "cancel"):
            admin = self.harness.admin()
            admin.send(f'<{request} roomId="nope"/>')
            self.assert_over(admin, "error there is no such room", *KICKED)
            admin = self.harness.admin()
            admin.send(f"<{request}/>")
            self.assert_over(admin, *KICKED)
        admin = self.harness.admin()
        admin.send('<timeout roomId="nope" slot="0" activate="true"/>')
        self.assert_over(admin, "error there is no such room", *KICKED)

    def test_pausing_a_room_that_is_not_there(self) -> None:
        admin = self.harness.admin()
        admin.send('<pause roomId="nope" pause="true"/><pause roomId="nope" pause="false"/>')
        self.assertEqual(admin.heard(), [])
        self.assert_works(admin)

    def test_unknown_codes_and_names(self) -> None:
        for request in ('<freeReservation reservation="nope"/>', '<scoreForPlayer displayName="nope"/>'):
            admin = self.harness.admin()
            admin.send(request)
            self.assert_over(admin, *DROPPED_SILENT)

    def test_limits_of_slots_that_nobody_has(self) -> None:
        for number in (0, 1, 2, -1, -2, 5):
            admin = self.harness.admin()
            room, _ = admin.prepare()
            admin.heard()
            admin.send(f'<timeout roomId="{room}" slot="{number}" activate="true"/>')
            self.assert_over(admin, "error nobody has this slot", *DROPPED)

    def test_administrators_requests_by_others_are_ignored(self) -> None:
        red, _ = self.harness.pair()
        room = red.room
        for request in (
            f'<prepare gameType="{HIVE}">{slot("a")}{slot("b")}</prepare>',
            f'<observe roomId="{room}"/>',
            f'<pause roomId="{room}" pause="true"/>',
            f'<step roomId="{room}"/>',
            f'<cancel roomId="{room}"/>',
            f'<timeout roomId="{room}" slot="0" activate="false"/>',
            '<freeReservation reservation="nope"/>',
            '<testMode testMode="true"/>',
            '<scoreForPlayer displayName="nope"/>',
        ):
            red.send(request)
        self.assertEqual(red.heard(), [])
        red.move(FIRST)
        self.assertEqual(red.heard(), ["memento 1 Unknown Unknown setmove"])

    def test_what_is_no_message(self) -> None:
        for message in (
            "<a></b>", "<join", "<!DOCTYPE x>", "<foo/>", "<join><foo/></join>", "<close/>",
            '<timeout roomId="x" slot="one"/>', '<room roomId="x"><data/></room>',
            "<joined/>", "<left/>", "<prepared/>", "<paused/>", "<memento/>", "<error/>", "<string/>", "<null/>",
        ):  # fmt: skip
            client = self.harness.connect()
            client.send(message)
            if message == "<join":
                client.end()
            self.assert_over(client, *DROPPED_SILENT)

    def test_replies_by_a_client(self) -> None:
        for message in ('<testing testMode="true"/>', "<playerScore/>"):
            client = self.harness.connect()
            client.send(message)
            self.assert_over(client, *KICKED)

    def test_the_log_says_why(self) -> None:
        for request, reason in (
            ('<authenticate password="x"/>', "wrong password"),
            ('<join gameType="x"/>', 'expected: gameType="swc_2020_hive"; message: '),
            ('<joinPrepared reservationCode="x"/>', "there is no reservation with this code"),
            ('<room roomId="x"/>', "there is no such room, or its game is over"),
            ("<foo/>", "there is no element 'foo' here"),
        ):
            with capturedLogs() as events:
                self.harness.connect().send(request)
                self.harness.wait(1)
            self.assertTrue(any(reason in str(event.get("line")) for event in events), request)


class PlayRefusalTests(RefusalTestCase):
    """What a player does in a game that runs."""

    def setUp(self) -> None:
        super().setUp()
        self.red, self.blue = self.harness.pair()
        self.room = self.red.room
        self.admin = self.harness.admin()
        self.admin.send(f'<observe roomId="{self.room}"/>')
        self.admin.heard()

    def assert_ended(self, termination: str, winner: int | None = 1) -> None:
        """Check that there is one record, with this end."""
        (record,) = self.harness.records()
        found = summary(record)
        self.assertEqual((found.termination, found.winner), (termination, winner))

    def test_moves_in_other_rooms(self) -> None:
        for room, said in (
            ('roomId="nope"', ["error there is no such room, or its game is over", *KICKED]),
            ('roomId=""', KICKED),
            ("", KICKED),
        ):
            red, blue = self.harness.pair()
            red.send(f"<room {room}>{FIRST}</room>")
            self.assert_over(red, *said)
            self.assert_over(blue, *LEFT_BY_RED)

    def test_moves_in_a_room_of_others(self) -> None:
        other = self.harness.connect()
        other.move(FIRST, self.room)
        self.assert_over(other, "error you have no seat in this room", *KICKED)
        self.assertEqual((self.red.heard(), self.blue.heard()), ([], []))
        self.admin.move(FIRST, self.room)
        self.assert_over(self.admin, "error you have no seat in this room", *KICKED)
        self.red.move(FIRST)
        self.assertEqual(self.blue.heard()[-1], "MoveRequest")

    def test_moves_in_a_room_that_is_finished(self) -> None:
        client = self.harness.admin()
        client.join()
        other = self.harness.connect()
        other.join()
        room = client.room
        other.end()
        self.assertEqual(client.heard()[-2:], ["REGULAR 2 -1, LEFT 0 -1", "left"])
        client.move(FIRST, room)
        self.assert_over(client, "error there is no such room, or its game is over", *KICKED)

    def test_an_illegal_move(self) -> None:
        self.red.move(setmove("RED", "ANT", 0, -5))
        text = "The target field is obstructed; move was Set RED ANT to (0,-5,5)"
        over = ["RULE_VIOLATION 0 -1, REGULAR 2 -1", "left"]
        self.assert_over(self.red, f"error Ungueltiger Zug von 'Unknown'.\n{text}", *over, *KICKED)
        self.assert_over(self.blue, *over, *KICKED)
        self.assertEqual(self.admin.heard(), [f"error {text}", *over])
        self.assertIn("originalRequest", self.red.stream.decode())
        self.assert_works(self.admin)
        self.assert_ended("forfeit")

    def test_no_move_at_all(self) -> None:
        for data in (
            "",
            '<data class="welcomeMessage" color="red"/>',
            '<data class="memento"/>',
            '<data class="joined" roomId="x"/>',
            '<data class="prepare"/>',
            '<data class="playerScore"/>',
            '<data class="null"/>',
        ):
            red, blue = self.harness.pair()
            red.move(data)
            text = "Unknown hat kein Zug-Objekt gesendet."
            over = ["RULE_VIOLATION 0 -1, REGULAR 2 -1", "left", *KICKED]
            self.assert_over(red, f"error Ungueltiger Zug von 'Unknown'.\n{text}", *over)
            self.assert_over(blue, *over)
            self.assertNotIn("originalRequest", red.stream.decode())

    def test_moves_with_parts_missing(self) -> None:
        for data, reason in (
            ('<data class="setmove"><destination x="0" y="0" z="0"/></data>', "a setmove needs a piece"),
            ('<data class="setmove"><piece owner="RED" type="ANT"/></data>', "a setmove needs a destination"),
            ('<data class="foo"/>', "there is no move of class 'foo'"),
            (
                setmove("RED", "ANT", 0, 0).replace("<destination", '<destination class="foo"'),
                "there is no destination of class 'foo'",
            ),
            (setmove("RED", "LADYBUG", 0, 0), "there is no piece RED LADYBUG"),
            (setmove("red", "ANT", 0, 0), "there is no piece red ANT"),
            (setmove("RED", "ANT", 0, 0).replace('x="0"', 'x="a"'), "'a' is not a number"),
            (setmove("RED", "ANT", 0, 0, "<foo/>"), "there is no element 'foo' here"),
        ):
            red, blue = self.harness.pair()
            red.move(data)
            self.assert_over(red, f"error {reason}", *DROPPED)
            self.assert_over(blue, *LEFT_BY_RED)

    def test_parts_whose_absence_makes_a_move_illegal(self) -> None:
        place = '<destination x="0" y="0" z="0"/>'
        for data in (
            f'<data class="setmove"><piece type="ANT"/>{place}</data>',
            f'<data class="setmove"><piece owner="RED"/>{place}</data>',
            '<data class="dragmove"/>',
        ):
            red, blue = self.harness.pair()
            red.move(data)
            self.assertEqual(red.heard()[-2:], KICKED)
            self.assertEqual(blue.heard()[0], "RULE_VIOLATION 0 -1, REGULAR 2 -1", data)

    def test_a_drag_without_its_start_is_illegal(self) -> None:
        self.red.move('<data class="dragmove"><destination x="0" y="0" z="0"/></data>')
        self.assertEqual(self.blue.heard()[0], "RULE_VIOLATION 0 -1, REGULAR 2 -1")
        self.assert_ended("forfeit")

    def test_a_move_out_of_turn(self) -> None:
        self.blue.move(setmove("BLUE", "ANT", 0, 0))
        self.assert_over(self.blue, "error It's not your turn yet.", *KICKED)
        self.assertIn("originalRequest", self.blue.stream.decode())
        over = ["REGULAR 2 -1, RULE_VIOLATION 0 -1", "left"]
        self.assert_over(self.red, *over, *KICKED)
        self.assertEqual(self.admin.heard(), over)
        self.assert_ended("forfeit", 0)

    def test_a_move_before_the_second_player_came(self) -> None:
        red = self.harness.connect()
        red.join()
        red.move(FIRST)
        self.assert_over(red, "joined", "error It's not your turn yet.", *KICKED)
        # There is no zombie for the next one to be paired with.
        blue = self.harness.connect()
        blue.join()
        self.assertEqual(blue.heard(), ["joined"])
        self.assertEqual([len(room.peers) for room in self.harness.rooms], [2, 1])

    def test_a_move_in_a_prepared_room_before_the_second_player_came(self) -> None:
        admin, red, blue = self.harness.admin(), self.harness.connect(), self.harness.connect()
        room, codes = admin.prepare()
        red.take(codes[0])
        red.move(FIRST, room)
        self.assert_over(red, "error It's not your turn yet.", *KICKED)
        blue.take(codes[1])
        over = ["RULE_VIOLATION 0 -1, REGULAR 2 -1", "left"]
        self.assert_over(blue, "joined", "welcomeMessage blue", "memento 0 p1 p2", *over, *KICKED)

    def test_a_move_that_nobody_asked_for(self) -> None:
        admin, red, blue = self.harness.admin(), self.harness.connect(), self.harness.connect()
        room, codes = admin.prepare(slot("p1", paused=True), slot("p2"))
        red.take(codes[0])
        blue.take(codes[1])
        red.heard(), blue.heard()
        red.move(FIRST, room)
        self.assert_over(red, "error We didn't request a data from you yet.", *KICKED)
        self.assert_over(blue, "RULE_VIOLATION 0 -1, REGULAR 2 -1", "left", *KICKED)

    def test_a_move_that_nobody_asked_for_after_the_first_step(self) -> None:
        admin, red, blue = self.harness.admin(), self.harness.connect(), self.harness.connect()
        room, codes = admin.prepare(slot("p1", paused=True), slot("p2"))
        red.take(codes[0])
        blue.take(codes[1])
        admin.send(f'<step roomId="{room}"/>')
        red.move(FIRST, room)
        red.heard(), blue.heard()
        # The official server took this one (session 60).
        blue.move(setmove("BLUE", "ANT", 1, 0), room)
        self.assert_over(blue, "error We didn't request a data from you yet.", *KICKED)
        self.assertEqual(red.heard()[0], "REGULAR 2 -1, RULE_VIOLATION 0 -1")

    def test_places_off_the_board(self) -> None:
        self.red.move(setmove("RED", "ANT", 6, 0))
        self.assertEqual(self.blue.heard()[0], "RULE_VIOLATION 0 -1, REGULAR 2 -1")
        red, blue = self.harness.pair()
        # Within its coordinates, and not on the hexagon.
        red.move(setmove("RED", "ANT", 5, 5))
        self.assert_over(red, "error (5,5,-10) is off the board", *DROPPED)
        self.assert_over(blue, *LEFT_BY_RED)
        red, blue = self.harness.pair()
        red.move(setmove("RED", "BEE", 0, 0))
        blue.move(setmove("BLUE", "BEE", 1, 0))
        blue.heard()
        red.move(dragmove((9, 0), (0, 1)))
        self.assert_over(blue, "LEFT 0 5, REGULAR 2 5", "left", *KICKED)

    def test_a_skip_that_is_not_allowed(self) -> None:
        self.red.move(SKIP)
        self.assertEqual(self.blue.heard()[0], "RULE_VIOLATION 0 -1, REGULAR 2 -1")

    def test_a_player_that_leaves(self) -> None:
        for way in ("</protocol>", "<sc.protocol.responses.CloseConnection/>", "end", "reset"):
            red, blue = self.harness.pair()
            if way.startswith("<"):
                red.send(way)
                self.assert_over(red, *DROPPED)
            else:
                getattr(red, way)()
            self.assert_over(blue, *LEFT_BY_RED)

    def test_a_player_that_breaks_the_protocol(self) -> None:
        self.red.send("<foo/>")
        self.assert_over(self.red, *DROPPED)
        self.assert_over(self.blue, *LEFT_BY_RED)

    def test_a_waiting_player_that_leaves(self) -> None:
        waiting, red = self.harness.connect(), self.harness.connect()
        waiting.join()
        room = waiting.room
        waiting.end()
        red.join()
        self.assertEqual(red.heard(), ["joined"])
        self.assertNotEqual(red.room, room)

    def test_a_waiting_player_that_has_gone_unnoticed(self) -> None:
        waiting, red = self.harness.connect(), self.harness.connect()
        waiting.join()
        waiting.session.transport = None
        red.join()
        self.assertEqual(red.heard(), ["joined"])

    def test_the_first_player_of_a_prepared_room_leaves(self) -> None:
        for first, second, color, over in (
            (0, 1, "blue", "LEFT 0 -1, REGULAR 2 -1"),
            (1, 0, "red", "REGULAR 2 -1, LEFT 0 -1"),
        ):
            admin, gone, client = self.harness.admin(), self.harness.connect(), self.harness.connect()
            _, codes = admin.prepare()
            gone.take(codes[first])
            gone.end()
            client.take(codes[second])
            self.assert_over(client, "joined", f"welcomeMessage {color}", "memento 0 p1 p2", over, "left", *KICKED)

    def test_a_slot_that_is_free_again_is_as_good_as_a_reserved_one(self) -> None:
        admin, gone, client = self.harness.admin(), self.harness.connect(), self.harness.connect()
        room, codes = admin.prepare()
        admin.send(f'<observe roomId="{room}"/>')
        admin.heard()
        gone.take(codes[0])
        gone.end()
        self.assertEqual(admin.heard(), [])
        admin.send(f'<freeReservation reservation="{codes[1]}"/>')
        client.join()
        over = ["memento 0 p1 p2", "LEFT 0 -1, REGULAR 2 -1", "left"]
        self.assertEqual(admin.heard(), [*over, "joinedGameRoom true"])
        self.assert_over(client, "joined", "welcomeMessage blue", *over, *KICKED)


class SeveralRoomsTests(RefusalTestCase):
    """Who is thrown out loses all of its games, at once."""

    def test_a_violation_ends_the_other_games_too(self) -> None:
        client, first, second = (self.harness.connect() for _ in range(3))
        client.join()
        first.join()
        room = client.room
        client.join()
        second.join()
        for other in (first, second):
            other.heard()
        client.heard()
        client.move(SKIP, room)
        self.assertEqual(first.heard()[0], "RULE_VIOLATION 0 -1, REGULAR 2 -1")
        self.assertEqual(second.heard()[0], "LEFT 0 -1, REGULAR 2 -1")
        self.assertEqual(client.heard()[1:], ["RULE_VIOLATION 0 -1, REGULAR 2 -1", "left", *KICKED])
        self.assertTrue(client.is_closed)

    def test_a_violation_by_an_administrator(self) -> None:
        admin, other = self.harness.admin(), self.harness.connect()
        admin.join()
        other.join()
        admin.move(SKIP)
        self.assertEqual(admin.heard()[-2:], KICKED)
        self.assertTrue(admin.is_closed)

    def test_what_is_sent_after_that_is_not_read(self) -> None:
        red, blue = self.harness.pair()
        victim, _ = self.harness.pair()
        admin = self.harness.admin()
        admin.send('<cancel roomId="nope"/>', f'<cancel roomId="{victim.room}"/>')
        self.assertEqual(victim.heard(), [])
        blue.send(
            '<room roomId="nope"/>', f'<authenticate password="examplepassword"/><cancel roomId="{victim.room}"/>'
        )
        self.assertEqual(victim.heard(), [])
        self.assertEqual(red.heard()[0], "REGULAR 2 -1, LEFT 0 -1")

    def test_both_slots_of_one_room(self) -> None:
        client = self.harness.connect()
        client.join()
        client.join()
        welcomed = ["joined", "joined", "welcomeMessage red", "welcomeMessage blue"]
        memento = "memento 0 Unknown Unknown"
        self.assertEqual(client.heard(), [*welcomed, memento, memento, "MoveRequest"])
        client.move(FIRST)
        client.move(setmove("BLUE", "ANT", 1, 0))
        self.assertEqual(client.heard()[-1], "MoveRequest")
        client.end()
        self.assertEqual(self.harness.rooms, [])


class RecordTests(RefusalTestCase):
    """Whatever a game ends by, its record is valid, and says why."""

    def test_each_way_to_end(self) -> None:
        ways: list[tuple[str, str, str]] = [
            ("forfeit", SKIP, "skip"),
            ("forfeit", "", "no-move"),
            ("removed", setmove("RED", "ANT", 5, 5), "(5,5,-10) is off the board"),
            ("removed", '<data class="foo"/>', "there is no move of class 'foo'"),
        ]
        for termination, data, reason in ways:
            red, _ = self.harness.pair()
            room = red.room
            red.move(data)
            record = next(record for record in self.harness.records() if record.id == room)
            self.assertEqual((summary(record).termination, summary(record).winner), (termination, 1))
            (left,) = to_history(record).of_kind(LEFT)
            self.assertIn(reason, (left.data.get("code"), left.data.get("text")))

    def test_who_leaves_needs_no_reason(self) -> None:
        red, _ = self.harness.pair()
        red.end()
        (record,) = self.harness.records()
        (left,) = to_history(record).of_kind(LEFT)
        self.assertEqual(dict(left.data), {"why": "left"})

    def test_who_says_goodbye_resigns(self) -> None:
        for goodbye in ("</protocol>", "<sc.protocol.responses.CloseConnection/>"):
            red, blue = self.harness.pair()
            room = red.room
            red.send(goodbye)
            record = next(record for record in self.harness.records() if record.id == room)
            self.assertEqual((summary(record).termination, summary(record).winner), ("resigned", 1))
            # The wire has one word for both.
            self.assertIn("LEFT 0 -1, REGULAR 2 -1", blue.heard())

    def test_a_violation_is_a_finding(self) -> None:
        red, _ = self.harness.pair()
        with capturedLogs() as logs:
            red.move(SKIP)
        # The log names the peer, although it has been let go.
        (told,) = [event["peer"] for event in logs if event.get("log_format", "").startswith("finding ")]
        self.assertEqual(told, red.session.name)
        (record,) = self.harness.records()
        (finding,) = judgement(record).findings
        self.assertEqual((finding.code, finding.seat), ("skip", 0))
