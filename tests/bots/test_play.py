"""A bot plays a match and tells of it when it is over, or says in a sentence why it is not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone, ConnectionRefusedError, TimeoutError  # noqa: A004 (Twisted's names)
from twisted.internet.interfaces import IResolutionReceiver
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock, StringTransport, SynchronousResolver
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamed.bots.pace import Pace
from gamed.bots.play import Bot, BotError, Played, play
from gamed.core.clients import Player
from gamed.games.battleship import Settings, game_type
from gamed.games.battleship.follower import BROKEN_OFF
from gamed.games.battleship.states import Phase
from gamed.games.quoridor import game_type as quoridor
from gamed.games.softwarechallenge.seasons.hive import game_type as hive
from gamed.testing.harness import Harness, Wire
from tests.games.quoridor.worlds import VOTE, newcomer, universe

ROLES = b"(4,[]).\r(5,[]).\r"


class Line(StringTransport):
    """A transport that knows TCP's options."""

    def setTcpNoDelay(self, enabled: bool) -> None:
        self.no_delay = enabled

    def taken(self) -> bytes:
        """Return what was written since the last call."""
        data = self.value()
        self.clear()
        return bytes(data)


class Seated:
    """A bot on a transport, and the wire of a house that it plays through."""

    def __init__(
        self,
        player: Player,
        clock: Clock,
        wire: Wire | None = None,
        *ended: Callable[[Played], None],
        pace: Pace | None = None,
    ) -> None:
        self.bot = Bot(player, clock, Deferred(), *ended, pace=pace or Pace(0.0))
        self.transport = Line()
        self.bot.makeConnection(self.transport)
        self.wire = wire
        self.is_lost = False

    def lose(self) -> None:
        self.is_lost = True
        self.bot.connectionLost(Failure(ConnectionDone()))

    def exchange(self) -> bool:
        """Carry what either side has for the other; return whether there was anything."""
        assert self.wire is not None
        out = self.transport.taken()
        if out:
            self.wire.send(out)
        received = self.wire.received
        self.wire.transport.clear()
        if received:
            self.bot.dataReceived(received)
        elif self.wire.is_closed and not self.is_lost:
            self.lose()
            return True
        return bool(out or received)


def player(seed: int = 1) -> Player:
    return game_type.players["open-list"](Random(seed))


class DiscardTests(SynchronousTestCase):
    def test_what_the_player_does_not_know_is_told_once(self) -> None:
        told: list[str] = []
        bot = Bot(hive.players["random"](Random(1)), Clock(), Deferred(), discarded=told.append)
        bot.makeConnection(Line())
        for said in (b"<protocol><news/>", b"<news/><hints/>", b"<news/>"):
            bot.dataReceived(said)
        self.assertEqual(told, ["the element 'news'", "the element 'hints'"])


class MatchTests(SynchronousTestCase):
    def test_two_bots_play_a_whole_match(self) -> None:
        harness = Harness("battleship", Settings())
        bots = [Seated(player(seed=seed), harness.clock, harness.connect()) for seed in (1, 2)]
        harness.clock.advance(2.5)
        while sum(bot.exchange() for bot in bots):
            pass
        results = [self.successResultOf(bot.bot.done) for bot in bots]
        self.assertEqual(sorted(result.won for result in results), [False, True])
        self.assertTrue(all(17 <= result.moves <= 100 for result in results if result.won))
        self.assertEqual([result.seconds for result in results], [2.5, 2.5])
        # The first that connects defends first.
        self.assertEqual([result.side for result in results], ["second", "first"])
        harness.settle()
        (found,) = harness.store.summaries.values()
        self.assertEqual(found.termination, "victory")
        self.assertEqual([result.won for result in results], [found.winner == 0, found.winner == 1])


class BotTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.seat = Seated(player(), self.clock)
        self.bot, self.transport = self.seat.bot, self.seat.transport

    def lose_the_match(self) -> bytes:
        """Shoot at all cells until the bot has lost, and return its last line."""
        self.bot.dataReceived(b"(3,[]).\r(5,[]).\r")
        for cell in range(100):
            self.bot.dataReceived(b"(1,[%d,%d]).\r" % (cell % 10, cell // 10))
            lines = self.transport.taken().splitlines()
            if len(lines) == 1:
                return lines[0]
            self.bot.dataReceived(lines[1].replace(b"(1,", b"(2,").replace(b"])", b",1])") + b"\r")
        raise AssertionError("the bot's fleet floats for ever")

    def test_small_packets_are_sent_at_once(self) -> None:
        self.assertTrue(self.transport.no_delay)

    def test_the_result_is_told_after_the_last_line_has_left(self) -> None:
        self.clock.advance(4)
        self.assertTrue(self.lose_the_match().endswith(b",4])."))
        self.assertTrue(self.transport.disconnecting)
        self.assertNoResult(self.bot.done)
        self.seat.lose()
        result = self.successResultOf(self.bot.done)
        self.assertEqual((result.won, result.seconds), (False, 4.0))

    def test_what_comes_after_the_end_is_ignored(self) -> None:
        self.lose_the_match()
        self.bot.dataReceived(b"nonsense\r")
        self.assertEqual(self.transport.taken(), b"")
        self.seat.lose()
        self.assertFalse(self.successResultOf(self.bot.done).won)

    def test_an_end_without_a_line_end_counts(self) -> None:
        self.bot.dataReceived(ROLES)
        shot = self.transport.taken().rstrip(b"\n")
        self.bot.dataReceived(shot.replace(b"(1,", b"(2,").replace(b"])", b",4])"))
        self.assertFalse(self.transport.disconnecting)
        self.seat.lose()
        self.assertEqual(self.successResultOf(self.bot.done), Played(won=True, moves=1, seconds=0.0, side="first"))

    def error(self) -> str:
        return str(self.failureResultOf(self.bot.done, BotError).value)

    def test_a_line_that_is_no_command(self) -> None:
        self.bot.dataReceived(b"HTTP/1.1 400 Bad Request\r\n")
        self.assertTrue(self.transport.disconnecting)
        self.assertNoResult(self.bot.done)
        self.seat.lose()
        self.assertEqual(self.error(), "the match broke off: b'HTTP/1.1 400 Bad Request' is not a command")

    def test_a_command_out_of_place(self) -> None:
        self.bot.dataReceived(b"(2,[0,0,1]).\r")
        self.seat.lose()
        self.assertEqual(self.error(), f"the match broke off: b'(2,[0,0,1]).' while in phase {Phase.INITIALIZATION}")

    def test_a_server_that_closes_too_early(self) -> None:
        self.bot.dataReceived(ROLES)
        self.seat.lose()
        self.assertEqual(self.error(), f"the match broke off: {BROKEN_OFF}")

    def test_an_error_is_told_once(self) -> None:
        self.bot.dataReceived(b"hello\rhello again\r")
        self.bot.dataReceived(b"and again\r")
        self.seat.lose()
        self.assertIn("b'hello' is not a command", self.error())


class StayTests(SynchronousTestCase):
    """A world that plays Quoridor, beside one that a test steers."""

    def sit(self, pace: float = 0.0, **options: Any) -> None:
        self.harness = universe()
        self.played: list[Played] = []
        made = quoridor.players["path"](Random(1), **options)
        self.seat = Seated(made, self.harness.clock, self.harness.connect(), self.played.append, pace=Pace(pace))
        self.exchange()
        self.person = newcomer(self.harness)
        self.exchange()

    def exchange(self) -> None:
        while self.seat.exchange():
            pass

    def lose(self) -> None:
        """Lose a game: the person only walks to and fro."""
        count = len(self.played)
        for number in range(200):
            self.exchange()
            if len(self.played) > count:
                return
            self.person.says(f"(move player {number % 2 * 8} 8)")
        raise AssertionError("the bot does not win")

    def test_it_stays_for_resets_and_tells_each_result_at_once(self) -> None:
        self.sit(stay=30.0)
        self.lose()
        self.assertEqual([played.won for played in self.played], [True])
        self.harness.clock.advance(29.0)
        self.assertFalse(self.seat.transport.disconnecting)
        self.person.says("(reset)")
        self.lose()
        self.assertEqual(len(self.played), 2)
        self.assertGreater(self.played[1].moves, 3)
        self.harness.clock.advance(29.0)
        self.assertFalse(self.seat.transport.disconnecting)
        self.assertNotIn("disconnect", " ".join(self.person.heard))
        self.harness.clock.advance(1.0)
        self.assertTrue(self.seat.transport.disconnecting)
        self.seat.lose()
        self.assertEqual(self.successResultOf(self.seat.bot.done), self.played[1])

    def test_without_a_stay_it_leaves_at_once(self) -> None:
        self.sit()
        self.lose()
        self.assertTrue(self.seat.transport.disconnecting)

    def test_it_leaves_when_nobody_is_left_who_could_reset(self) -> None:
        self.sit(stay=30.0)
        self.lose()
        self.person.leaves()
        self.exchange()
        self.assertTrue(self.seat.transport.disconnecting)
        self.seat.lose()
        self.assertEqual(self.successResultOf(self.seat.bot.done), self.played[0])

    def test_a_game_that_breaks_off_after_a_reset_is_an_error(self) -> None:
        self.sit(stay=30.0)
        self.lose()
        self.person.says("(reset)")
        self.exchange()
        self.person.leaves()
        self.exchange()
        self.seat.lose()
        self.assertIn("left before the game ended", str(self.failureResultOf(self.seat.bot.done, BotError).value))

    def test_a_server_that_closes_during_the_stay_is_none(self) -> None:
        self.sit(stay=30.0)
        self.lose()
        self.seat.lose()
        self.assertEqual(self.successResultOf(self.seat.bot.done), self.played[0])
        self.assertEqual([call for call in self.harness.clock.getDelayedCalls() if call.getTime() > 1e3], [])

    def test_it_waits_before_it_answers(self) -> None:
        self.sit(pace=3.0)
        told = self.person.heard
        self.harness.clock.advance(3.0)
        self.exchange()
        self.assertEqual((told, self.person.heard), ([VOTE], ["(start2wait 1 ())"]))
        self.harness.clock.advance(2.9)
        self.exchange()
        self.assertEqual(self.person.heard, [])
        self.harness.clock.advance(0.1)
        self.exchange()
        self.assertEqual(self.person.heard, ["(play 1 (player 4.0 1.0 1.0))"])


class Nowhere(SynchronousResolver):
    """Knows no name."""

    def resolveHostName(self, receiver: IResolutionReceiver, *_args: Any, **_kw: Any) -> Any:  # type: ignore[override]
        receiver.resolutionBegan(self)  # type: ignore[arg-type]
        receiver.resolutionComplete()


class PlayTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor = MemoryReactorClock()

    def play(self, host: str = "game.example") -> Deferred[Played]:
        played = play(self.reactor, host, 4711, player(seed=Random(1).randrange(9)))
        return Deferred.fromCoroutine(played)

    def refuse(self, error: Exception) -> str:
        done = self.play()
        factory: Any
        ((host, port, factory, *_),) = self.reactor.tcpClients
        self.assertEqual((host, port), ("127.0.0.1", 4711))
        factory.clientConnectionFailed(None, Failure(error))
        # Another address might have been tried by now.
        self.reactor.advance(1)
        return str(self.failureResultOf(done, BotError).value)

    def test_nobody_listens(self) -> None:
        said = self.refuse(ConnectionRefusedError("111"))
        self.assertTrue(said.startswith("cannot connect to game.example:4711: Connection was refused"), said)
        self.assertTrue(said.endswith("Is the server running there? `twistd -n gamed` starts one"), said)

    def test_nobody_answers(self) -> None:
        self.assertTrue(self.refuse(TimeoutError()).startswith("cannot connect to game.example:4711: "))

    def test_nobody_has_that_name(self) -> None:
        self.reactor.installNameResolver(Nowhere())
        said = str(self.failureResultOf(self.play(), BotError).value)
        self.assertTrue(said.startswith("cannot connect to game.example:4711: "), said)
        self.assertIn("game.example", said.partition(": ")[2])

    def test_a_match(self) -> None:
        done = self.play()
        ((*_, factory, _, _),) = self.reactor.tcpClients
        protocol: Any = factory.buildProtocol(IPv4Address("TCP", "127.0.0.1", 4711))
        transport = Line()
        protocol.makeConnection(transport)
        protocol.dataReceived(ROLES)
        shot = transport.taken().rstrip(b"\n")
        self.reactor.advance(1.5)
        protocol.dataReceived(shot.replace(b"(1,", b"(2,").replace(b"])", b",4])") + b"\r")
        self.assertNoResult(done)
        protocol.connectionLost(Failure(ConnectionDone()))
        self.assertEqual(self.successResultOf(done), Played(won=True, moves=1, seconds=1.5, side="first"))
