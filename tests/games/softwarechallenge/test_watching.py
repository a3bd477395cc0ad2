"""What administrators do with a game that runs: they watch it, pause it and let it go on by steps."""

from __future__ import annotations

import re

from gamed.core.game import CHANCE
from gamed.games.softwarechallenge import Settings
from gamed.games.softwarechallenge.messages import Slot
from gamed.games.softwarechallenge.seasons.hive.moves import Obstructed, parse, to_notation
from gamed.games.softwarechallenge.seasons.hive.wire import SEASON
from gamed.games.softwarechallenge.table import OPEN
from tests.games.softwarechallenge.administration import KICKED, AdministrationTestCase
from tests.games.softwarechallenge.harness import PASSWORD, ROW, SeasonHarness, slot
from tests.games.softwarechallenge.hive.recorded import plays


class WatchingTests(AdministrationTestCase):
    def test_an_observer_hears_of_everything_but_requests(self) -> None:
        red, blue = self.prepared()
        red.move(ROW[0])
        self.assertEqual(self.admin.heard(), ["memento 1 p1 p2 setmove"])
        blue.end()
        self.assertEqual(self.admin.heard(), ["REGULAR 2 6, LEFT 0 -1", "left"])
        self.assertFalse(self.admin.is_closed)

    def test_a_late_observer_gets_the_present_state_at_once(self) -> None:
        red, _ = self.prepared()
        red.move(ROW[0])
        other = self.harness.admin()
        other.send(f'<observe roomId="{self.room}"/>')
        self.assertEqual(other.heard(), ["observed", "memento 1 p1 p2 setmove"])
        self.assertIn(other.stream.partition(b"<room")[2], self.admin.stream)

    def test_of_a_game_that_has_not_begun_there_is_none(self) -> None:
        room, _ = self.admin.prepare()
        self.admin.heard()
        self.admin.send(f'<observe roomId="{room}"/>')
        self.assertEqual(self.admin.heard(), ["observed"])

    def test_of_a_game_that_starts_paused_it_is_the_first_state(self) -> None:
        self.prepared(slot("p1"), slot("p2", paused=True))
        other = self.harness.admin()
        other.send(f'<observe roomId="{self.room}"/>')
        self.assertEqual(other.heard(), ["observed", "memento 0 p1 p2"])
        self.step()
        self.assertEqual(other.heard(), ["memento 0 p1 p2"])

    def test_observing_twice_doubles_everything(self) -> None:
        red, _ = self.prepared()
        self.admin.send(f'<observe roomId="{self.room}"/>')
        self.assertEqual(self.admin.heard(), ["observed", "memento 0 p1 p2"])
        red.move(ROW[0])
        self.assertEqual(self.admin.heard(), ["memento 1 p1 p2 setmove"] * 2)

    def test_who_observes_and_plays_is_not_let_go_with_the_room(self) -> None:
        self.harness.connect().join()
        self.admin.join()
        room = self.admin.room
        self.admin.send(f'<observe roomId="{room}"/>', f'<cancel roomId="{room}"/>')
        self.assertEqual(self.admin.heard()[-2:], ["left", "left"])
        self.assertFalse(self.admin.is_closed)

    def test_an_observer_that_goes_disturbs_nobody(self) -> None:
        red, blue = self.prepared()
        self.admin.reset()
        red.move(ROW[0])
        self.assertEqual(blue.heard()[-1], "MoveRequest")

    def test_who_has_another_game_is_not_let_go(self) -> None:
        client, first, second = (self.harness.connect() for _ in range(3))
        for joiner in (client, first, client, second):
            joiner.join()
        first.end()
        self.assertFalse(client.is_closed)
        second.end()
        self.assertEqual(client.heard()[-2:], KICKED)


class PauseTests(AdministrationTestCase):
    """B6: what is sent when, in games that are held."""

    def setUp(self) -> None:
        super().setUp()
        self.red, self.blue = self.prepared(slot("p1"), slot("p2", paused=True))
        self.all = (self.admin, self.red, self.blue)

    def test_a_paused_start(self) -> None:
        for client, color in ((self.red, b"red"), (self.blue, b"blue")):
            *_, welcome, memento = client.stream.split(b"\n  <room")
            self.assertIn(b'color="%b"' % color, welcome)
            self.assertIn(b'class="memento"', memento)

    def test_steps(self) -> None:
        self.step()
        state = "memento 0 p1 p2"
        self.assert_heard(self.all, (state,), (state, "MoveRequest"), (state,))
        self.red.move(ROW[0])
        self.assert_heard(self.all, (), (), ())
        self.step()
        state = "memento 1 p1 p2 setmove"
        self.assert_heard(self.all, (state,), (state,), (state, "MoveRequest"))

    def test_going_on(self) -> None:
        self.pause("false")
        state = "memento 0 p1 p2"
        self.assert_heard(self.all, (state,), (state, "MoveRequest"), (state,))
        self.red.move(ROW[0])
        self.assertEqual(self.blue.heard()[-1], "MoveRequest")

    def test_pausing_with_a_request_open(self) -> None:
        self.pause("false")
        self.pause()
        for client in self.all:
            client.heard()
        self.red.move(ROW[0])
        self.assert_heard(self.all, (), (), ())
        self.pause("false")
        state = "memento 1 p1 p2 setmove"
        self.assert_heard(self.all, (state,), (state,), (state, "MoveRequest"))

    def test_an_open_request_is_not_sent_again(self) -> None:
        # Who answers both would answer out of turn.
        self.step()
        for client in self.all:
            client.heard()
        state = ("memento 0 p1 p2",)
        self.step()
        self.assert_heard(self.all, state, state, state)
        self.pause("false")
        self.assert_heard(self.all, state, state, state)
        self.red.move(ROW[0])
        self.assertEqual(self.blue.heard()[-1], "MoveRequest")

    def test_what_changes_nothing(self) -> None:
        self.pause()
        self.pause()
        self.assert_heard(self.all, (), (), ())
        self.pause("false")
        for client in self.all:
            client.heard()
        self.pause("false")
        self.step()
        self.step(' forced="true"')
        self.assert_heard(self.all, (), (), ())

    def test_join_rooms_start_paused_where_that_is_set(self) -> None:
        self.harness = SeasonHarness(Settings(password=PASSWORD, paused=True))
        self.admin = self.harness.admin()
        red, blue = self.harness.connect(), self.harness.connect()
        red.join()
        blue.join()
        self.room = red.room
        state = "memento 0 Unknown Unknown"
        self.assert_heard(
            (red, blue), ("joined", "welcomeMessage red", state), ("joined", "welcomeMessage blue", state)
        )
        self.step()
        self.assertEqual(red.heard(), ["memento 0 Unknown Unknown", "MoveRequest"])
        room, codes = self.admin.prepare()
        for code in codes:
            self.harness.connect().take(code)
        self.assertFalse(self.harness.lobby.rooms[room].table.is_paused)


class LastMoveTests(AdministrationTestCase):
    """A whole recorded game, but for its last move."""

    def test_the_final_memento_is_sent_even_if_the_game_is_paused(self) -> None:
        play = next(plays())
        cells = to_notation(Obstructed(play.obstructed))
        *plies, (seat, last) = [(1 - scene.turn % 2, scene.last) for scene in play.scenes if scene.last is not None]
        slots = (Slot("p1", can_timeout=True, should_be_paused=True), OPEN)
        room, codes = self.harness.reception.prepare(SEASON, slots, [(CHANCE, cells), *plies])
        self.admin.send(f'<observe roomId="{room.id}"/>')
        players = [self.harness.connect() for _ in codes]
        for client, kept in zip(players, codes, strict=True):
            client.take(kept.code)
        self.admin.send(f'<step roomId="{room.id}"/>')
        self.admin.heard()
        data = re.sub("lastMove", "data", SEASON.echo(parse(last)))
        players[seat].move(data)
        memento, result, left = self.admin.heard()
        self.assertRegex(memento, rf"\Amemento {play.scenes[-1].turn} p1 Unknown ")
        self.assertEqual((result.count("REGULAR"), left), (2, "left"))
