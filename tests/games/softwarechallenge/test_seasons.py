"""Several seasons on one listener: Hive, and a small one of the tests."""

from __future__ import annotations

from functools import partial

from attrs import evolve
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RoomError
from gamed.games.softwarechallenge import Settings
from gamed.games.softwarechallenge.seasons import game_types as seasons
from gamed.games.softwarechallenge.seasons.hive import game_type as hive
from gamed.games.softwarechallenge.server import hosted
from gamed.lobby.lobby import Lobby
from gamed.net.factory import SessionFactory
from gamed.net.game_listeners import GameListener, GameListeners
from gamed.net.limits import ConnectionLimits
from gamed.registry import game_type_of, game_types, games
from gamed.store.memory import MemoryJournal, MemoryStore
from tests.games.softwarechallenge.harness import HIVE_PACKAGE, SeasonHarness, described, slot

BLOKUS_PACKAGE = "gamed.games.softwarechallenge.seasons.blokus"
SMALL_PACKAGE = "tests.games.softwarechallenge.small"
SMALL = "swc_2099_small"
STEP, STEPS = '<data class="move" steps="1"/>', '<data class="move" steps="2"/>'


class SeasonsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = SeasonHarness(others=(SMALL_PACKAGE,))

    def kinds(self) -> list[str]:
        return [room.history.kind for room in self.harness.rooms]

    def test_the_game_type_decides(self) -> None:
        red, one, two, blue = (self.harness.connect() for _ in range(4))
        red.join()
        one.join(SMALL)
        self.assertEqual(self.kinds(), ["hive", "small"], "they wait for partners of their own")
        two.join(SMALL)
        blue.join()
        self.assertEqual(one.room, two.room)
        self.assertEqual(red.room, blue.room)
        self.assertIn(b'<state steps="0">', one.stream)
        self.assertIn(b'startPlayerColor="RED"', red.stream)
        one.move(STEP)
        two.move(STEPS)
        self.assertIn(b'<small fault="False"/>', two.stream)
        self.assertEqual(self.kinds(), ["hive"])
        self.harness.wait(1)
        self.assertEqual([(one.kind, one.winner) for one in self.harness.store.summaries.values()], [("small", 1)])

    def test_a_move_is_read_as_its_room_does(self) -> None:
        one, two = self.harness.connect(), self.harness.connect()
        for client in (one, two):
            client.join(SMALL)
        one.move('<data class="skipmove" steps="9"/>')
        self.assertIn(b"too many steps", one.stream)

    def test_who_names_no_game_gets_the_first(self) -> None:
        self.harness.connect().send("<join/>")
        self.assertEqual(self.kinds(), ["hive"])

    def test_the_setting_says_which_is_usual(self) -> None:
        for settings, kind, answer in (
            (Settings(), "blokus", b"<errorpacket"),
            (Settings(season=2020), "hive", b"<sc.protocol.responses.CloseConnection/>"),
        ):
            harness = SeasonHarness(settings=settings, others=(BLOKUS_PACKAGE,))
            harness.connect().send("<join/>")
            self.assertEqual([room.history.kind for room in harness.rooms], [kind])
            stranger = harness.connect()
            stranger.send('<authenticate password="wrong"/>')
            harness.wait(5, step=1.0)
            self.assertIn(answer, stranger.stream)
            # As at a reload.
            harness.reception.configure(Settings(season=2020))
            harness.connect().send("<join/>")
            self.assertEqual(harness.rooms[-1].history.kind, "hive")

    def test_an_unknown_year_is_refused(self) -> None:
        error = self.assertRaises(ValueError, Settings, season=2019)
        self.assertEqual(str(error), "season must be one of 2020, 2027")

    def test_an_unknown_game_type(self) -> None:
        lines: list[str] = []
        self.harness.lobby.refusals.watchers.append(lambda _refused, line: lines.append(line))
        stranger = self.harness.connect()
        stranger.join("swc_1999_chess")
        self.harness.wait(1)
        self.assertTrue(stranger.is_closed)
        self.assertIn('gameType="swc_2020_hive" or gameType="swc_2099_small"', "".join(lines))

    def test_a_code_follows_its_room(self) -> None:
        admin = self.harness.admin()
        _, codes = admin.prepare(slot("a"), slot("b"), game_type=SMALL)
        players = [self.harness.connect() for _ in codes]
        for player, code in zip(players, codes, strict=True):
            player.take(code)
        self.assertEqual(self.kinds(), ["small"])
        admin.send(f'<observe roomId="{admin.room}"/>')
        self.assertIn(b'<state steps="0">', admin.stream)
        self.assertIn(b'<state steps="0">', players[1].stream)

    def test_an_operator_prepares_each(self) -> None:
        for kind in ("small", "hive"):
            room, kept = self.harness.reception.reserve(kind, ("a",), paused=False, history=None, turn=None)
            self.assertEqual((room.history.kind, len(kept)), (kind, 2))
        reserve = partial(self.harness.reception.reserve, "small", (), paused=False)
        self.assertRaises(RoomError, reserve, history=self.harness.rooms[1].history, turn=0)

    def test_scores_are_counted_by_season(self) -> None:
        admin = self.harness.admin()
        admin.send('<testMode testMode="true"/>')
        _, codes = admin.prepare(slot("a"), slot("b"), game_type=SMALL)
        one, two = self.harness.connect(), self.harness.connect()
        one.take(codes[0])
        two.take(codes[1])
        one.move(STEP)
        two.move(STEPS)
        admin.send('<scoreForPlayer displayName="a"/>')
        self.assertIn(b"<playerScore>", admin.stream)
        self.assertIsNone(self.harness.reception.rooms.scores["hive"].score("a"))


class ListenerTests(SynchronousTestCase):
    def test_one_listener_serves_both(self) -> None:
        made = hosted((HIVE_PACKAGE, SMALL_PACKAGE))
        types = [evolve(one, hosted=lambda: made) for one in (hive, described("small"))]
        settings = Settings()
        by_kind = {one.kind: one for one in types}
        lobby = Lobby(
            by_kind, dict.fromkeys(by_kind, settings), MemoryJournal(), MemoryStore(), Clock(), Clock().seconds
        )
        entrance, public = (SessionFactory(ConnectionLimits("x", 9, 9), Clock(), unsent_bytes=1) for _ in range(2))
        listeners = GameListeners({"softwarechallenge": GameListener(types, settings, lobby, entrance, public)})
        listeners.load()
        self.assertEqual(set(listeners.by_kind), {"hive", "small"})
        self.assertIs(listeners.of("hive"), public)
        self.assertIs(listeners.of("small"), public)
        self.assertIsNone(listeners.of("chess"))

    def test_the_seasons_are_those_of_the_registry(self) -> None:
        for made in seasons:
            self.assertIs(game_types()[made.kind], made)
            self.assertEqual(game_type_of(made.kind), (made, games()["softwarechallenge"]))
