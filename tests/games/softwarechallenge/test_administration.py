"""What administrators do: rooms, reservations, limits, test mode, starts from a record."""

from __future__ import annotations

import re
from functools import partial

from attrs import evolve

from gamed.core.errors import RoomError
from gamed.core.game import Termination
from gamed.core.history import ENDED, MOVE
from gamed.core.passwords import MOST_HELD
from gamed.games.softwarechallenge import Settings
from gamed.games.softwarechallenge.reception import ADMINS_RATE
from gamed.records.own import summary, to_history
from gamed.records.record import Record
from tests.games.softwarechallenge.administration import KICKED, AdministrationTestCase
from tests.games.softwarechallenge.harness import HIVE, PASSWORD, ROW, SeasonHarness, slot


class RoomTests(AdministrationTestCase):
    def test_a_prepared_room(self) -> None:
        room, codes = self.admin.prepare(slot("a"), slot("b"))
        self.assertEqual(self.admin.heard()[0], "prepared")
        self.assertRegex(room, r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
        self.assertEqual([kept.seat for kept in self.harness.lobby.reservations], [0, 1])
        self.assertEqual([kept.code for kept in self.harness.lobby.reservations], codes)

    def test_the_slot_decides_the_colour_and_not_the_order(self) -> None:
        _, codes = self.admin.prepare(slot("a"), slot("b"))
        first, second = self.harness.connect(), self.harness.connect()
        first.take(codes[1])
        self.assertEqual(first.heard(), [])
        second.take(codes[0])
        self.assert_heard(
            (second, first),
            ("joined", "welcomeMessage red", "memento 0 a b", "MoveRequest"),
            ("joined", "welcomeMessage blue", "memento 0 a b"),
        )
        self.assertEqual(len(self.harness.lobby.reservations), 0)

    def test_plain_joiners_do_not_get_reserved_slots(self) -> None:
        self.admin.prepare()
        client = self.harness.connect()
        client.join()
        self.assertEqual(client.heard(), ["joined"])
        self.assertEqual(len(self.harness.rooms), 2)

    def test_a_freed_slot_is_for_everybody(self) -> None:
        _, codes = self.admin.prepare()
        self.admin.send(f'<freeReservation reservation="{codes[0]}"/>')
        plain, late, holder = (self.harness.connect() for _ in range(3))
        late.take(codes[0])
        self.assertEqual(late.heard(), KICKED)
        plain.join()
        self.assertEqual(plain.heard(), [])
        holder.take(codes[1])
        self.assertEqual(plain.heard()[1], "welcomeMessage red")

    def test_administrators_hear_of_joiners(self) -> None:
        other = self.harness.admin()
        self.harness.pair()
        said = ("joinedGameRoom false", "joinedGameRoom true")
        self.assert_heard((self.admin, other), said, said)
        self.prepared()
        self.assertEqual(other.heard(), [])
        self.admin.end()
        self.harness.pair()
        self.assertEqual(other.heard(), list(said))

    def test_who_administers_hears_of_it_after_the_start(self) -> None:
        self.harness.connect().join()
        self.admin.heard()
        self.admin.join()
        self.assertEqual(
            self.admin.heard(),
            ["joined", "welcomeMessage blue", "memento 0 Unknown Unknown", "joinedGameRoom true"],
        )

    def test_names_are_quoted(self) -> None:
        red, _ = self.prepared(slot("&lt;K&#228;fer&gt; &amp; &quot;&#128029;&quot;"), slot("  b\tc "))
        self.assertIn(
            '<red color="RED" displayName="&lt;Käfer&gt; &amp; &quot;\U0001f41d&quot;"/>', red.stream.decode()
        )
        self.assertIn('<blue color="BLUE" displayName="  b&#x9;c "/>', red.stream.decode())

    def test_rooms_that_nobody_fills_are_given_up(self) -> None:
        room, codes = self.admin.prepare()
        self.admin.send(f'<observe roomId="{room}"/>')
        waiting, holder = self.harness.connect(), self.harness.connect()
        waiting.join()
        holder.take(codes[0])
        self.admin.heard()
        self.harness.wait(3599)
        self.assertEqual(len(self.harness.rooms), 2)
        self.harness.wait(2)
        self.assertEqual(self.harness.rooms, [])
        self.assertEqual(len(self.harness.lobby.reservations), 0)
        self.assert_heard((self.admin, waiting, holder), ("left",), ("joined", "left", *KICKED), ("left", *KICKED))
        self.assertEqual(self.harness.records(), [])
        self.assertEqual(self.harness.journal.rooms, {})

    def test_rooms_that_were_filled_are_not(self) -> None:
        red, _ = self.prepared(slot("a", can_timeout=False), slot("b", can_timeout=False))
        self.harness.wait(7200)
        self.assertFalse(red.is_closed)

    def test_nothing_is_kept_of_rooms_that_are_gone(self) -> None:
        for _ in range(3):
            self.prepared()[0].end()
            self.harness.pair()[1].end()
            room, _ = self.admin.prepare()
            self.admin.send(f'<cancel roomId="{room}"/>')
        self.harness.wait(1)
        self.assertEqual(self.harness.lobby.rooms, {})
        self.assertEqual(self.harness.reception.rooms._unfilled, {})
        self.assertEqual(len(self.harness.lobby.reservations), 0)
        self.assertEqual(self.admin.session.places, ())


class BeforeTheStartTests(AdministrationTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.room, self.codes = self.admin.prepare()
        self.red = self.harness.connect()
        self.red.take(self.codes[0])
        self.admin.heard()

    def test_a_step_is_ignored(self) -> None:
        self.step()
        self.assert_heard((self.admin, self.red), (), ())

    def test_a_forced_step_starts_with_a_dummy(self) -> None:
        self.step(' forced="true"')
        start = ("joined", "welcomeMessage red", "memento 0 p1 p2", "MoveRequest")
        self.assertEqual(tuple(self.red.heard()), start)
        self.red.move(ROW[0])
        self.assertEqual(self.red.heard(), ["memento 1 p1 p2 setmove"])
        # Nobody answers for the dummy.
        self.harness.wait(10, 0.5)
        self.assertEqual(self.red.heard(), ["REGULAR 2 6, HARD_TIMEOUT 0 -1", "left", *KICKED])

    def test_a_forced_step_starts_a_paused_game_with_one_move(self) -> None:
        self.pause()
        self.step(' forced="true"')
        self.assertEqual(self.red.heard()[-1], "MoveRequest")
        self.red.move(ROW[0])
        self.assertEqual(self.red.heard(), [])

    def test_the_slot_of_a_dummy_is_taken(self) -> None:
        self.step(' forced="true"')
        late, other = self.harness.connect(), self.harness.connect()
        late.take(self.codes[1])
        self.assertEqual(late.heard(), KICKED)
        other.join()
        self.assertNotEqual(other.room, self.room)
        self.assertFalse(self.red.is_closed)

    def test_a_forced_step_with_nobody_there_is_ignored(self) -> None:
        self.room, _ = self.admin.prepare()
        self.admin.heard()
        self.step(' forced="true"')
        self.assertEqual(self.admin.heard(), [])

    def test_a_forced_step_for_who_has_left(self) -> None:
        self.red.end()
        self.admin.send(f'<observe roomId="{self.room}"/>')
        self.step(' forced="true"')
        self.assertEqual(self.admin.heard(), ["observed", "memento 0 p1 p2", "LEFT 0 -1, REGULAR 2 -1", "left"])

    def test_pausing_and_going_on(self) -> None:
        # The official server dropped the administrator at that (session 57).
        blue = self.harness.connect()
        self.pause("false")
        self.pause()
        self.pause("false")
        self.assertEqual(self.admin.heard(), [])
        blue.take(self.codes[1])
        self.assertEqual(self.red.heard()[-1], "MoveRequest")

    def test_pausing_holds_the_start(self) -> None:
        blue = self.harness.connect()
        self.pause()
        blue.take(self.codes[1])
        self.assertEqual(self.red.heard(), ["joined", "welcomeMessage red", "memento 0 p1 p2"])
        self.pause("false")
        self.assertEqual(self.red.heard(), ["memento 0 p1 p2", "MoveRequest"])


class CancelTests(AdministrationTestCase):
    def test_a_game_that_runs(self) -> None:
        red, blue = self.prepared()
        red.move(ROW[0])
        for client in (self.admin, red, blue):
            client.heard()
        self.admin.send(f'<cancel roomId="{self.room}"/>')
        self.assert_heard((self.admin, red, blue), ("left",), ("left", *KICKED), ("left", *KICKED))
        # The official server dropped the administrator at that (session 52).
        self.assertFalse(self.admin.is_closed)
        (record,) = self.harness.records()
        self.assertEqual((summary(record).termination, summary(record).winner), ("cancelled", None))
        self.assertEqual([entry.kind for entry in to_history(record).entries[-2:]], [MOVE, ENDED])

    def test_a_room_before_its_game(self) -> None:
        room, codes = self.admin.prepare()
        client, late = self.harness.connect(), self.harness.connect()
        client.take(codes[0])
        self.admin.send(f'<cancel roomId="{room}"/>')
        self.assertEqual(client.heard(), ["left", *KICKED])
        late.take(codes[1])
        self.assertEqual(late.heard(), KICKED)
        self.assertEqual(self.harness.records(), [])

    def test_the_shutdown_says_the_same(self) -> None:
        red, blue = self.prepared()
        self.harness.lobby.stopService()
        self.harness.turn()
        self.assert_heard((self.admin, red, blue), ("left",), ("left", *KICKED), ("left", *KICKED))
        (record,) = self.harness.records()
        self.assertEqual(summary(record).termination, "shutdown")


class PasswordTests(AdministrationTestCase):
    def tries(self, password: str, host: str = "192.0.2.7") -> bool:
        """Whether a password makes somebody an administrator."""
        client = self.harness.connect(host)
        client.authenticate(password)
        client.send('<testMode testMode="false"/>')
        return client.heard() == ["testing false"]

    def test_the_right_one_is_answered_at_once_whatever_else_its_address_sends(self) -> None:
        guesses = [self.harness.connect("192.0.2.7") for _ in range(MOST_HELD + 20)]
        for guess in guesses:
            guess.authenticate("wrong")
        self.assertEqual(sum(guess.is_closed for guess in guesses), 20)
        self.assertTrue(self.tries(PASSWORD))

    def test_the_answer_to_a_wrong_one_is_held_back(self) -> None:
        client = self.harness.connect("192.0.2.7")
        client.authenticate("wrong")
        self.harness.wait(0.9, 0.1)
        self.assertEqual((client.heard(), client.is_closed), ([], False))
        self.harness.wait(0.2, 0.1)
        self.assertEqual((client.heard(), client.is_closed), (KICKED, True))

    def test_nothing_counts_that_is_sent_after_a_wrong_one(self) -> None:
        client = self.harness.connect("192.0.2.7")
        client.send(*['<authenticate password="wrong"/>'] * 10, f'<authenticate password="{PASSWORD}"/>')
        client.join()
        self.harness.wait(1)
        self.assertEqual(client.heard(), KICKED)
        self.assertEqual((self.harness.rooms, self.harness.lobby.stats.wrong_passwords.total()), ([], 1))

    def test_without_a_password_no_password_is_right(self) -> None:
        self.harness.reception.password = ""
        self.assertFalse(self.tries("", "192.0.2.7"))

    def test_who_leaves_before_the_answer_is_forgotten(self) -> None:
        client = self.harness.connect("192.0.2.7")
        client.authenticate("wrong")
        client.end()
        self.assertEqual(self.harness.reception._wrong, {})
        self.harness.wait(2, 0.5)
        self.assertEqual(client.heard(), ["<protocol/>"])

    def test_a_game_that_ends_meanwhile_ends_as_ever(self) -> None:
        red, blue = self.harness.connect("192.0.2.7"), self.harness.connect("192.0.2.7")
        for client in (red, blue):
            client.join()
        red.authenticate("wrong")
        blue.end()
        self.assertEqual(red.heard()[-2:], KICKED)
        self.harness.wait(2, 0.5)
        self.assertEqual(red.heard(), [])

    def test_where_an_administrator_is_wrong_ones_are_answered_at_once(self) -> None:
        client = self.harness.connect("192.0.2.7")
        self.harness.connect("192.0.2.7").authenticate()
        client.authenticate("wrong")
        self.assertEqual(client.heard(), KICKED)

    def test_who_is_in_stays_in(self) -> None:
        client = self.harness.connect("192.0.2.7")
        client.authenticate()
        for _ in range(6):
            self.tries("wrong")
        client.authenticate()
        client.send('<testMode testMode="false"/>')
        self.assertEqual(client.heard(), ["testing false"])

    def test_once_more_is_ignored(self) -> None:
        self.admin.authenticate()
        self.admin.send('<testMode testMode="true"/>')
        self.assertEqual(self.admin.heard(), ["testing true"])

    def test_who_was_thrown_out_administers_no_more(self) -> None:
        self.admin.send('<cancel roomId="nope"/>')
        self.admin.heard()
        self.harness.pair()
        self.assertEqual(self.admin.heard(), [])
        self.assertEqual(self.harness.reception._admins, {})


class ConfigureTests(AdministrationTestCase):
    """The configuration is read again while the daemon runs."""

    def test_the_new_settings_count_from_now_on(self) -> None:
        self.harness.reception.configure(Settings(password="another", paused=True, waiting_seconds=10.0))
        old, new = self.harness.connect("192.0.2.7"), self.harness.connect("192.0.2.7")
        old.authenticate()
        new.authenticate("another")
        new.send('<testMode testMode="true"/>')
        self.assertEqual(new.heard(), ["testing true"])
        self.harness.wait(1)
        self.assertEqual(old.heard(), KICKED)
        waiting = self.harness.connect()
        waiting.join()
        self.assertTrue(self.harness.rooms[0].table.is_paused)
        self.harness.wait(11)
        self.assertEqual(self.harness.rooms, [])
        (refusal,) = waiting.session.refusals.first
        self.assertEqual((refusal.code, refusal.reason), ("no-partner", "no second player came for 10 seconds"))

    def test_no_password_leaves_the_old_one(self) -> None:
        self.harness.reception.configure(Settings())
        client = self.harness.admin()
        client.send('<testMode testMode="true"/>')
        self.assertEqual(client.heard(), ["testing true"])


class TestModeTests(AdministrationTestCase):
    def test_scores_are_counted(self) -> None:
        self.admin.send('<testMode testMode="true"/>')
        self.assertEqual(self.admin.heard(), ["testing true"])
        for _ in range(2):
            red, _ = self.prepared()
            red.end()
        self.admin.send('<scoreForPlayer displayName="p2"/>')
        said = self.admin.stream.decode().partition("<playerScore>")[2]
        self.assertIn('<score displayName="p2" numberOfTests="2">', said)
        self.assertEqual(re.findall(r"<value>(.*?)</value>", said), ["4", "-1.0000000"])

    def test_it_can_be_switched_off(self) -> None:
        self.admin.send('<testMode testMode="true"/>', '<testMode testMode="false"/>')
        red, _ = self.prepared()
        red.end()
        self.admin.heard()
        self.admin.send('<scoreForPlayer displayName="p2"/>')
        self.assertEqual(self.admin.heard(), ["</protocol>"])


class RateTests(AdministrationTestCase):
    """How many requests are served in a second."""

    def test_an_administrator_has_a_rate_of_its_own(self) -> None:
        self.admin.send(*['<testMode testMode="true"/>'] * 300)
        self.harness.wait(0.2, 0.01)
        self.assertEqual(len(self.admin.heard()), 300)

    def test_it_is_bounded_and_logging_in_again_does_not_raise_it(self) -> None:
        for _ in range(20):
            self.admin.feed(b'<testMode testMode="true"/>' * 150)
            self.harness.turn()
        self.admin.authenticate()
        for _ in range(20):
            self.admin.feed(b'<testMode testMode="true"/>' * 150)
            self.harness.turn()
        self.harness.wait(0.1, 0.01)
        self.assertLess(len(self.admin.heard()), ADMINS_RATE * 1.2)

    def test_players_and_strangers_have_the_listener_s(self) -> None:
        stranger = self.harness.connect()
        stranger.send(*['<testMode testMode="true"/>'] * 300)
        self.harness.wait(0.2, 0.01)
        self.assertLessEqual(stranger.session.refusals.total, 60)

    def test_a_listener_that_takes_more_takes_more_of_administrators_too(self) -> None:
        self.harness = SeasonHarness(Settings(password=PASSWORD, messages_per_second=10_000.0))
        admin = self.harness.admin()
        for _ in range(20):
            admin.feed(b'<testMode testMode="true"/>' * 150)
            self.harness.turn()
        self.assertEqual(len(admin.heard()), 3_000)


class RecordedStartTests(AdministrationTestCase):
    """A game that starts where a recorded one stood."""

    def setUp(self) -> None:
        super().setUp()
        red, blue = self.prepared()
        for mover, move in zip((red, blue) * 3, ROW, strict=False):
            mover.move(move)
        self.last = self.admin.heard()[-1]
        red.end()
        (self.record,) = self.harness.records()
        self.admin.heard()

    def start(self, more: str) -> list[str]:
        """Prepare a room from a record, and let its players come; return what the administrator hears."""
        slots = slot("a") + slot("b")
        self.admin.send(f'<prepare gameType="{HIVE}" from="{self.record.id}"{more}>{slots}</prepare>')
        heard = self.admin.heard()
        if heard == ["prepared"]:
            self.admin.send(f'<observe roomId="{self.admin.room}"/>')
            codes = re.findall(r"<reservation>(.*?)<", self.admin.stream.decode())[-2:]
            self.red, self.blue = self.harness.connect(), self.harness.connect()
            self.red.take(codes[0])
            self.blue.take(codes[1])
        return heard + self.admin.heard()

    def test_as_an_operator_prepares_it(self) -> None:
        history = to_history(self.record)
        for names, paused, turn, said in (
            ((), False, None, ["memento 6 Unknown Unknown setmove", "MoveRequest"]),
            (("a",), False, 4, ["memento 4 a Unknown setmove", "MoveRequest"]),
            (("a", "b"), True, 4, ["memento 4 a b setmove"]),
        ):
            room, kept = self.harness.reception.reserve("hive", names, paused=paused, history=history, turn=turn)
            self.assertEqual([code.seat for code in kept], [0, 1])
            players = [self.harness.connect() for _ in kept]
            for player, code in zip(players, kept, strict=True):
                player.take(code.code)
            self.assertEqual(players[0].heard(), ["joined", "welcomeMessage red", *said])
            room.stop(Termination.CANCELLED)

    def test_what_an_operator_cannot_prepare(self) -> None:
        reserve = partial(self.harness.reception.reserve, paused=False)
        self.assertRaises(RoomError, reserve, "hive", ("a", "b", "c"), history=None, turn=None)
        self.assertRaises(RoomError, reserve, "hive", (), history=to_history(self.record), turn=7)
        self.assertEqual((self.harness.rooms, self.harness.reception.rooms._unfilled), ([], {}))

    def test_an_operator_needs_no_record(self) -> None:
        room, kept = self.harness.reception.reserve("hive", ("a", "b"), paused=False, history=None, turn=None)
        player = self.harness.connect()
        for code in kept:
            player.take(code.code)
        self.assertEqual(player.heard()[-1], "MoveRequest")
        self.assertEqual(self.harness.rooms, [room])

    def test_from_its_end(self) -> None:
        self.assertEqual(self.start(""), ["prepared", "observed", "memento 6 a b setmove"])
        self.assertEqual(self.red.heard()[-1], "MoveRequest")
        old = self.harness.store.records[self.record.id]
        self.assertEqual(to_history(old).entries[-3].body, b"S a 3,0")
        self.red.move(ROW[6])
        self.blue.move(ROW[7])
        self.assertEqual(self.admin.heard()[-1], "memento 8 a b setmove")

    def test_from_a_turn(self) -> None:
        self.assertEqual(self.start(' turn="3"')[-1], "memento 3 a b setmove")
        self.assertEqual(self.blue.heard()[-1], "MoveRequest")
        self.assertEqual(self.start(' turn="0"')[-1], "memento 0 a b")

    def test_the_obstructed_cells_are_the_same(self) -> None:
        self.harness.cells = lambda _room: ((0, 0), (1, 0), (2, 0))
        self.start(' turn="0"')
        self.assertIn(b'<field x="-5" y="5" z="0" isObstructed="true"/>', self.red.stream)

    def test_the_record_of_the_new_game_holds_all(self) -> None:
        self.start(' turn="2"')
        self.red.move(ROW[2])
        self.red.end()
        new = next(record for record in self.harness.records() if record.id != self.record.id)
        moves = list(to_history(new).of_kind(MOVE))
        self.assertEqual([entry.data.get("replayed", False) for entry in moves], [True, True, False])

    def test_what_cannot_go_on(self) -> None:
        for turn, reason in (
            ("7", "the record has no turn 7"),
            ("-1", "the record has no turn -1"),
            ("x", "'x' is not a number"),
            ("99999999999", "'99999999999' is out of range"),
        ):
            self.assertEqual(self.start(f' turn="{turn}"'), [f"error {reason}", *KICKED])
            # The record is named by what was the id of its room.
            self.assertEqual(self.admin.room, self.record.id)
            self.admin = self.harness.admin()
        for unknown in ("00000000-0000-4000-8000-000000000000", ""):
            self.record = evolve(self.record, id=unknown)
            self.assertEqual(self.start(""), ["error there is no such record of this game", *KICKED])
            self.admin = self.harness.admin()

    def test_a_record_that_breaks_the_rules(self) -> None:
        broken = self.broken(b"S a 3,0", b"S a -3,0")
        self.harness.store.records[broken.id] = self.record = broken
        self.assertEqual(self.start(' turn="5"')[0], "prepared")
        self.admin = self.harness.admin()
        said, *over = self.start("")
        self.assertIn("error the record cannot be played: ", said)
        self.assertEqual(over, KICKED)
        self.assertEqual(self.harness.reception.rooms._unfilled.keys() - set(self.harness.rooms), set())

    def broken(self, old: bytes, new: bytes) -> Record:
        """Return the record with another move."""
        return evolve(self.record, id="11111111-1111-4111-8111-111111111111", body=self.record.body.replace(old, new))

    def test_who_has_gone_meanwhile_gets_no_room(self) -> None:
        asked: list[object] = []
        self.harness.lobby.recorded = lambda _record, call: asked.append(call)
        self.start("")
        self.admin.end()
        (call,) = asked
        call(to_history(self.record))
        self.harness.turn()
        self.assertEqual(self.harness.rooms, [])
