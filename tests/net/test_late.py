"""What is imported and made when somebody connects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, evolve, field
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import ConfigError
from gamed.core.reception import FirstCome
from gamed.games import HostedGame
from gamed.net.factory import SessionFactory
from gamed.net.game_listeners import GameListener
from gamed.net.late import FirstConnection, Late
from gamed.net.limits import ConnectionLimits
from gamed.registry import game_types


@define(eq=False)
class Readers:
    """A reactor and a port that take notes of who reads."""

    connected: bool = True
    accepted: int = 0
    reading: list[Any] = field(factory=list)

    def addReader(self, reader: Any) -> None:
        self.reading.append(reader)

    def removeReader(self, reader: Any) -> None:
        if reader in self.reading:
            self.reading.remove(reader)

    def doRead(self) -> None:
        self.accepted += 1

    def startReading(self) -> None:
        self.reading.append(self)

    def stopReading(self) -> None:
        self.removeReader(self)


class FirstConnectionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.port = self.reactor = Readers()
        self.port.startReading()
        self.loading: Deferred[None] = Deferred()
        self.first: Any = FirstConnection(self.port, self.reactor, lambda: self.loading)  # type: ignore[arg-type]
        self.first.wait()

    def test_the_port_accepts_when_what_it_needs_is_loaded(self) -> None:
        self.assertEqual(self.port.reading, [self.first])
        self.first.doRead()
        self.assertEqual(self.port.reading, [])
        self.loading.callback(None)
        self.assertEqual(self.port.reading, [self.port])

    def test_what_cannot_be_loaded_is_logged_and_the_next_connection_tries_again(self) -> None:
        self.first.doRead()
        failed, self.loading = self.loading, Deferred()
        failed.errback(ConfigError("the course is gone"))
        self.assertEqual(len(self.flushLoggedErrors(ConfigError)), 1)
        self.assertEqual((self.port.accepted, self.port.reading), (1, [self.first]))
        self.first.doRead()
        self.loading.callback(None)
        self.assertEqual((self.port.accepted, self.port.reading), (1, [self.port]))

    def test_a_port_that_was_closed_meanwhile_stays_closed(self) -> None:
        self.first.doRead()
        self.port.connected = False
        self.loading.callback(None)
        self.assertEqual(self.port.reading, [])

    def test_a_stop_before_the_first_connection(self) -> None:
        self.first.stop()
        self.assertEqual(self.port.reading, [])


class LateTests(SynchronousTestCase):
    def test_it_is_made_once(self) -> None:
        made: list[object] = []
        late = Late(lambda: made.append(object()) or made[0])
        self.assertFalse(late.is_wanted)
        self.assertIs(late.get(), late.get())
        self.assertEqual((len(made), late.is_wanted), (1, True))


class GameListenerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.made: list[object] = []
        self.configured: list[Any] = []
        self.patch(FirstCome, "configure", lambda _reception, settings: self.configured.append(settings))
        self.hosted = HostedGame(lambda settings: [settings], self.reception, {})  # type: ignore[arg-type, return-value]
        toy: Any = evolve(game_types()["battleship"], hosted=lambda: self.hosted, check=self.check)
        self.entrance, self.public = (
            SessionFactory(ConnectionLimits("toy", 1, 1), Clock(), unsent_bytes=1) for _ in range(2)
        )
        self.listener = GameListener((toy,), "start", None, self.entrance, self.public)  # type: ignore[arg-type]

    def reception(self, settings: Any, _services: object) -> FirstCome:
        self.made.append(settings)
        return FirstCome("toy", None)  # type: ignore[arg-type]

    def check(self, settings: Any) -> Sequence[str]:
        if settings == "bad":
            raise ConfigError(settings)
        return ()

    def test_one_reception_serves_the_public_and_fixtures(self) -> None:
        self.listener.load()
        self.listener.load()
        self.assertEqual((self.made, self.configured), (["start"], []))
        self.assertIs(self.entrance.reception, self.public.reception)
        self.assertEqual((self.entrance.connect(), self.public.connect()), (["start"], ["start"]))

    def test_what_could_not_be_loaded_lets_nobody_in(self) -> None:
        self.listener.configure("bad later")
        self.patch(FirstCome, "configure", lambda _reception, _settings: self.check("bad"))
        self.assertRaises(ConfigError, self.listener.load)
        self.assertIsNone(self.public.buildProtocol(IPv4Address("TCP", "10.0.0.1", 4711)))

    def test_where_the_listener_is_switched_off_fixtures_are_served(self) -> None:
        self.listener.factory = None
        self.listener.load()
        self.assertEqual(self.entrance.connect(), ["start"])
        self.assertFalse(hasattr(self.public, "reception"))

    def test_a_reception_is_made_with_the_settings_that_it_was_given_last(self) -> None:
        self.listener.configure("first")
        self.listener.configure("second")
        self.assertRaises(ConfigError, self.listener.configure, "bad")
        self.assertEqual((self.made, self.configured), ([], []))
        self.listener.load()
        self.assertEqual((self.made, self.configured, self.public.connect()), (["start"], ["second"], ["second"]))
        self.listener.configure("third")
        self.assertEqual((self.configured, self.entrance.connect()), (["second", "third"], ["third"]))
