"""The loop: a client and a session inside the daemon, which treat each other as over a network."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.games.battleship import Settings
from gamed.net.limits import network_of
from gamed.net.outbox import LINGER
from gamed.registry import game_types
from gamed.testing.harness import Harness
from gamed.web.answers import Refusal
from gamed.web.loopback import AT_ONCE, MOST_HELD, Loopback


class Puppet:
    """A client that does what a test says."""

    def __init__(self, greeting: bytes = b"") -> None:
        self.greeting = greeting
        self.heard: list[bytes] = []
        self.answer: Callable[[bytes], bytes] = lambda _data: b""
        self.is_done = False

    def begin(self) -> bytes:
        return self.greeting

    def receive_data(self, data: bytes) -> bytes:
        self.heard.append(data)
        return self.answer(data)

    @property
    def all(self) -> bytes:
        return b"".join(self.heard)


class Staying(Puppet):
    """A client that stays for 30 seconds after a match."""

    stay = 30.0
    won = True
    moves = 0
    results: tuple[tuple[bool, int], ...] = ()


class LoopTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = Harness("battleship", Settings(connections_per_address=3))
        self.told: list[int] = []

    def looped(self, client: Any, name: str = "", **options: Any) -> Loopback:
        loop = Loopback(client, self.harness.clock, lambda: self.told.append(1), **options)
        loop.join(self.harness.factory, "192.0.2.7", name)
        return loop

    def advance(self, seconds: float = 0.0) -> None:
        self.harness.clock.advance(seconds)


class ConnectingTests(LoopTestCase):
    def test_it_is_a_peer_as_others_are(self) -> None:
        puppet = Puppet()
        loop = self.looped(puppet)
        self.advance()
        self.assertEqual(puppet.heard, [b"(3,[]).\r"])
        self.assertIn(loop.session, self.harness.factory.sessions)
        self.assertEqual(self.harness.factory.traffic.accepted, 1)
        self.assertEqual(self.harness.factory.limits.count, 1)

    def test_the_name_in_logs(self) -> None:
        bare, named = self.looped(Puppet()), self.looped(Puppet(), "Jörg@home\n")
        self.assertRegex(bare.session.name, r"^web:192\.0\.2\.7:\d+$")
        self.assertRegex(named.session.name, r"^J\\xf6rg@home\\n@web:192\.0\.2\.7:\d+$")
        self.assertEqual((named.session.called, bare.session.called), ("Jörg@home\n", bare.session.name))
        named.session.introduce("Ada")
        self.assertEqual(named.session.called, "Ada")
        self.assertRegex(named.session.name, r"^Ada@web:192\.0\.2\.7:\d+$")
        self.assertEqual(bare.getPeer().host, "192.0.2.7")
        self.assertEqual(bare.getHost(), bare.getPeer())

    def test_ipv6(self) -> None:
        loop = Loopback(Puppet(), self.harness.clock, lambda: None)
        loop.join(self.harness.factory, "2001:db8::7")
        self.assertRegex(loop.session.name, r"^web:\[2001:db8::7\]:\d+$")
        self.assertEqual(loop.session.address, "2001:db8::7")

    def test_limits_and_bans_hold(self) -> None:
        for _ in range(3):
            self.looped(Puppet())
        with self.assertRaises(Refusal) as caught:
            self.looped(Puppet())
        self.assertEqual((caught.exception.status, caught.exception.code), (429, "address"))
        self.harness.factory.limits.bans.ban(network_of("192.0.2.0/24"))
        with self.assertRaises(Refusal) as caught:
            self.looped(Puppet())
        self.assertEqual((caught.exception.status, caught.exception.code), (403, "banned"))

    def test_nothing_calls_itself(self) -> None:
        puppet = Puppet(b"(1,[0,0]).\n")
        loop = self.looped(puppet)
        self.assertEqual(puppet.heard, [])
        loop.send(b"(1,[0,1]).\n")
        self.assertEqual(self.harness.factory.traffic.received, 0)
        self.advance()
        self.assertEqual(self.harness.factory.traffic.received, 22)


class PlayingTests(LoopTestCase):
    def test_two_bots_play_a_whole_game(self) -> None:
        players = [game_types()["battleship"].players["density"](Random(seed)) for seed in (1, 2)]
        loops = [self.looped(player, leaves=True) for player in players]
        self.advance()
        self.assertEqual([player.is_done for player in players], [True, True])
        self.assertEqual({player.won for player in players}, {True, False})
        self.harness.settle()
        self.assertTrue(all(loop.is_lost for loop in loops))
        self.assertEqual(self.harness.factory.limits.count, 0)
        self.assertEqual(len(self.harness.store.records), 1)
        self.advance(LINGER)
        self.assertEqual(self.harness.clock.getDelayedCalls(), [])

    def test_a_bot_thinks_elsewhere(self) -> None:
        thoughts: list[tuple[Deferred[bytes], Callable[..., bytes], bytes]] = []

        def elsewhere(call: Callable[..., bytes], data: bytes) -> Deferred[bytes]:
            thoughts.append((Deferred(), call, data))
            return thoughts[-1][0]

        puppet = Puppet()
        loop = self.looped(puppet, elsewhere=elsewhere)
        self.advance()
        loop.write(b"more")
        self.advance()
        self.assertEqual([data for _, _, data in thoughts], [b"(3,[]).\r"])
        thoughts[0][0].callback(b"(1,[1,1]).\n")
        self.advance()
        self.assertEqual([data for _, _, data in thoughts], [b"(3,[]).\r", b"more"])
        self.assertEqual(self.harness.factory.traffic.received, 11)
        thoughts[1][0].errback(KeyError("thought"))
        self.advance()
        self.assertTrue(loop.is_lost)
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 1)

    def test_what_comes_in_pieces(self) -> None:
        puppet = Puppet()
        loop = self.looped(puppet)
        self.advance()
        loop.writeSequence([b"a" * AT_ONCE, b"b" * 10])
        self.advance()
        self.assertEqual([len(data) for data in puppet.heard[1:]], [AT_ONCE, 10])


class EndingTests(LoopTestCase):
    def test_the_client_leaves(self) -> None:
        leaver, other = Puppet(), Puppet()
        loop = self.looped(leaver)
        self.looped(other)
        self.advance()
        loop.send(b"(1,[0,0]).\n")
        loop.leave()
        self.advance()
        self.assertTrue(loop.is_lost)
        self.assertIn(b"(1,[0,0]).", other.all)
        self.assertEqual(other.heard[-1], b"")
        self.harness.settle()
        self.assertEqual(self.harness.factory.limits.count, 0)
        for refused in (loop.check,):
            with self.assertRaises(Refusal):
                refused()
        loop.write(b"too late")
        loop.leave()
        self.advance(LINGER + 1)
        self.assertEqual(self.harness.clock.getDelayedCalls(), [])

    def test_the_session_closes(self) -> None:
        puppet = Puppet()
        loop = self.looped(puppet)
        self.advance()
        loop.session.close()
        self.advance()
        self.assertEqual((puppet.heard[-1], loop.is_lost), (b"", True))
        self.assertEqual(self.harness.factory.limits.count, 0)

    def test_the_session_aborts(self) -> None:
        puppet = Puppet()
        loop = self.looped(puppet)
        loop.abortConnection()
        self.advance()
        self.assertEqual((puppet.heard, loop.is_lost), ([b""], True))

    def test_the_server_errs(self) -> None:
        def refuse(data: bytes) -> bytes:
            raise RemoteProtocolError(f"what is {data!r}?")

        puppet = Puppet()
        puppet.answer = refuse
        loop = self.looped(puppet)
        self.advance()
        self.assertTrue(loop.is_lost)
        self.assertIn("what is", loop.error)
        self.assertEqual(self.harness.factory.limits.count, 0)

    def test_a_fault_of_the_client(self) -> None:
        puppet = Puppet()
        puppet.answer = lambda data: data[99:][0].to_bytes()
        loop = self.looped(puppet)
        self.advance()
        self.assertTrue(loop.is_lost)
        self.assertEqual(len(self.flushLoggedErrors(IndexError)), 1)

    def test_a_fault_of_the_session(self) -> None:
        puppet = Puppet()
        loop = self.looped(puppet)
        self.advance()
        session = loop.session
        loop.session = SimpleNamespace(
            name="broken", dataReceived=lambda data: data[99], connectionLost=session.connectionLost
        )
        loop.send(b"x")
        self.advance()
        self.assertTrue(loop.is_lost)
        self.assertEqual(len(self.flushLoggedErrors(IndexError)), 1)

    def test_a_done_bot_leaves_and_a_person_stays(self) -> None:
        for leaves in (True, False):
            puppet = Puppet()
            puppet.is_done = True
            loop = self.looped(puppet, leaves=leaves)
            self.advance()
            self.assertEqual(loop.is_lost, leaves)
            loop.leave()
            self.advance()

    def test_a_bot_that_stays_leaves_later_or_plays_on(self) -> None:
        puppet = Staying()
        loop = self.looped(puppet, leaves=True)
        puppet.is_done = True
        self.advance()
        self.advance(29.0)
        puppet.is_done = False
        loop.write(b"a new game")
        self.advance()
        self.advance(29.0)
        self.assertFalse(loop.is_lost)
        puppet.is_done = True
        loop.write(b"its end")
        self.advance()
        self.advance(29.0)
        loop.write(b"no new game")
        self.advance()
        self.assertFalse(loop.is_lost)
        self.advance(1.0)
        self.advance()
        self.assertTrue(loop.is_lost)
        self.advance(LINGER)
        self.assertEqual(self.harness.clock.getDelayedCalls(), [])

    def test_nothing_is_left_of_a_stay_when_the_server_closes(self) -> None:
        puppet = Staying()
        puppet.is_done = True
        loop = self.looped(puppet, leaves=True)
        self.advance()
        loop.abortConnection()
        self.advance()
        self.advance(LINGER)
        self.assertTrue(loop.is_lost)
        self.assertEqual(self.harness.clock.getDelayedCalls(), [])


class PressureTests(LoopTestCase):
    def test_a_session_that_does_not_read_holds_the_client_back(self) -> None:
        puppet = Puppet()
        loop = self.looped(puppet)
        self.advance()
        loop.pauseProducing()
        loop.send(b"(1,[0,0]).\n" * (MOST_HELD // 10))
        loop.write(b"(5,[]).\r")
        self.advance(1)
        # While so much waits, the client is told nothing, and may not act.
        self.assertEqual(puppet.heard, [b"(3,[]).\r"])
        with self.assertRaises(Refusal) as caught:
            loop.check()
        self.assertEqual(caught.exception.code, "too-fast")
        loop.resumeProducing()
        self.advance(1)
        self.assertEqual(puppet.heard[1], b"(5,[]).\r")

    def test_a_client_that_thinks_holds_the_session_back(self) -> None:
        loop = self.looped(Puppet(), elsewhere=lambda *_: Deferred())
        self.advance()
        self.assertFalse(loop.session.outbox.is_congested)
        loop.write(b"x" * (AT_ONCE + 1))
        self.assertTrue(loop.session.outbox.is_congested)
        loop._is_thinking = False
        self.advance()
        loop._is_thinking = False
        loop._go_on()
        self.advance()
        self.assertFalse(loop.session.outbox.is_congested)

    def test_while_the_house_is_held_nothing_is_taken(self) -> None:
        puppet = Puppet()
        loop = self.looped(puppet)
        self.advance()
        self.harness.factory.hold(True)
        loop.send(b"(1,[0,0]).\n")
        self.advance(1)
        self.assertEqual(self.harness.factory.traffic.received, 0)
        self.harness.factory.hold(False)
        self.advance(1)
        self.assertEqual(self.harness.factory.traffic.received, 11)
