"""What is imported and made when somebody connects."""

from __future__ import annotations

from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import ConfigError
from gamed.core.reception import FirstCome
from gamed.net.late import FirstConnection, Late, LateReception


@define(eq=False)
class Readers:
    """A reactor and a port that take notes of who reads."""

    connected: bool = True
    reading: list[Any] = field(factory=list)

    def addReader(self, reader: Any) -> None:
        self.reading.append(reader)

    def removeReader(self, reader: Any) -> None:
        if reader in self.reading:
            self.reading.remove(reader)

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

    def test_what_cannot_be_loaded_is_logged_and_the_port_accepts(self) -> None:
        self.first.doRead()
        self.loading.errback(ConfigError("the course is gone"))
        self.assertEqual(len(self.flushLoggedErrors(ConfigError)), 1)
        self.assertEqual(self.port.reading, [self.port])

    def test_a_port_that_was_closed_meanwhile_stays_closed(self) -> None:
        self.first.doRead()
        self.port.connected = False
        self.loading.callback(None)
        self.assertEqual(self.port.reading, [])

    def test_a_stop_before_the_first_connection(self) -> None:
        self.first.stop()
        self.assertEqual(self.port.reading, [])


class LateTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.made: list[FirstCome] = []
        self.configured: list[Any] = []
        self.patch(FirstCome, "configure", lambda _reception, settings: self.configured.append(settings))
        self.late = LateReception(self.make, self.check)

    def make(self) -> FirstCome:
        self.made.append(FirstCome("toy", None))  # type: ignore[arg-type]
        return self.made[0]

    def check(self, settings: Any) -> None:
        if settings == "bad":
            raise ConfigError(settings)

    def test_it_is_made_once(self) -> None:
        late = Late(self.make)
        self.assertFalse(late.is_wanted)
        self.assertIs(late.get(), late.get())
        self.assertEqual((len(self.made), late.is_wanted), (1, True))

    def test_a_reception_is_made_with_the_settings_that_it_was_given_last(self) -> None:
        self.late.configure("first")
        self.late.configure("second")
        self.assertRaises(ConfigError, self.late.configure, "bad")
        self.assertEqual((self.made, self.configured), ([], []))
        self.assertEqual(self.late.kind, "toy")
        self.assertEqual(self.configured, ["second"])
        self.late.configure("bad")
        self.assertEqual(self.configured, ["second", "bad"])
