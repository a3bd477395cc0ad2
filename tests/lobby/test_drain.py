"""Draining: no new games, those that run end as they do, and then it is told."""

from __future__ import annotations

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RoomError
from gamed.games.battleship import Settings
from gamed.registry import game_types
from gamed.testing.harness import Harness
from tests.store.logs import sentences


class DrainTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = Harness("battleship", Settings())
        self.lobby = self.harness.lobby
        self.empty: list[bool] = []

    def drain(self) -> None:
        self.lobby.drain(lambda: self.empty.append(True))

    def test_before_it(self) -> None:
        self.assertIs(self.lobby.is_draining, False)

    def test_an_empty_house_is_told_of_in_a_later_turn(self) -> None:
        self.drain()
        self.assertEqual((self.empty, self.lobby.is_draining), ([], True))
        self.harness.clock.advance(0)
        self.assertEqual(self.empty, [True])

    def test_new_rooms_are_refused_with_a_sentence(self) -> None:
        self.drain()
        self.assertRaises(RoomError, self.lobby.open, "battleship")
        with capturedLogs() as logs:
            refused = self.harness.connect()
        self.assertTrue(refused.is_closed)
        why = "no new games: the daemon finishes the running ones, and stops then"
        self.assertEqual(
            sentences(logs), [f"refused not-seated: listener=battleship peer={refused.session.name}: {why}"]
        )

    def test_who_waits_is_let_go_and_nothing_is_recorded(self) -> None:
        waiting = self.harness.connect()
        self.drain()
        self.harness.settle()
        self.assertTrue(waiting.is_closed)
        self.assertEqual((self.empty, self.harness.store.records), ([True], {}))
        self.assertEqual(list(self.harness.journal.open_rooms()), [])

    def test_a_match_goes_on_to_its_end(self) -> None:
        defender, attacker = self.harness.connect(), self.harness.connect()
        self.drain()
        self.harness.settle()
        attacker.send(b"(1,[0,0]).\n")
        self.assertTrue(defender.received.endswith(b"(1,[0,0]).\r"))
        self.assertEqual(self.empty, [])
        attacker.leave()
        self.harness.settle()
        self.assertEqual(self.empty, [True])
        (summary,) = self.harness.store.summaries.values()
        self.assertEqual((summary.termination, summary.winner), ("left", 0))

    def test_every_game_can_be_drained_before_its_match(self) -> None:
        for game in game_types().values():
            harness = Harness(game.kind, game.settings())
            room = harness.lobby.open(game.kind)
            empty: list[bool] = []
            harness.lobby.drain(lambda empty=empty: empty.append(True))
            harness.settle()
            self.assertTrue(room.is_closed, game.kind)
            self.assertEqual((empty, harness.store.records), ([True], {}), game.kind)
