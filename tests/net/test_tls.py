"""Listeners that speak TLS: real handshakes on loopback, certificates that are exchanged, clients that check names."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from OpenSSL.SSL import Error as SSLError
from twisted.internet import reactor
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol, wrapClientTLS
from twisted.internet.error import ConnectionAborted, ConnectionDone, TimeoutError  # noqa: A004 (Twisted's own)
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.ssl import Certificate, optionsForClientTLS
from twisted.internet.task import deferLater
from twisted.internet.testing import MemoryReactorClock, StringTransportWithDisconnection
from twisted.logger import capturedLogs
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase, TestCase

from gamed.bots.play import BotError, play, trusting
from gamed.core.errors import ConfigError
from gamed.games.battleship import Settings, game_type
from gamed.net.late import LateFactory
from gamed.net.limits import ConnectionLimits
from gamed.net.listener import Listener
from gamed.net.log_series import FIRST, PERIOD
from gamed.net.tls import (
    HANDSHAKE,
    Certificates,
    TLSFactory,
    failed_handshake,
    pinned,
    refuse_handshake,
    server_endpoint,
)
from gamed.testing.harness import Harness
from tests.net.certificates import Authority
from tests.store.logs import sentences

# Twisted 26.10 hands pyOpenSSL's own keys and certificates to pyOpenSSL, which would rather have cryptography's.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Speaker(Protocol):
    """A client that waits for its server's certificate and words."""

    def __init__(self) -> None:
        self.data = b""
        self.heard: Deferred[bytes] = Deferred()
        self.lost: Deferred[str] = Deferred()

    def dataReceived(self, data: bytes) -> None:
        self.data += data
        if not self.heard.called:
            self.heard.callback(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.lost.callback(reason.getErrorMessage())

    @property
    def serial(self) -> int:
        """The serial number of the server's certificate."""
        transport: Any = self.transport
        return int(transport.getPeerCertificate().get_serial_number())


class Greeter(Protocol):
    def connectionMade(self) -> None:
        self.transport.write(b"hello")

    def dataReceived(self, data: bytes) -> None:
        self.transport.write(data)


class TLSCase(TestCase):
    timeout = 20

    def setUp(self) -> None:
        self.authority = Authority(Path(self.mktemp()).absolute())

    async def listen(self, endpoint: str, factory: Any) -> Listener:
        listener = Listener("battleship", endpoint, factory, reactor)
        listener.privilegedStartService()
        self.addCleanup(listener.stopService)
        port: Any = listener.port
        self.port = port.getHost().port
        return listener

    async def connect(self, name: str = "games.example") -> Speaker:
        creator = trusting(name, self.authority.pem.read_bytes())
        endpoint = wrapClientTLS(creator, TCP4ClientEndpoint(reactor, "127.0.0.1", self.port))
        return await connectProtocol(endpoint, Speaker())

    async def leave(self, *speakers: Speaker) -> None:
        for speaker in speakers:
            speaker.transport.loseConnection()
            await speaker.lost


class CertificateTests(TLSCase):
    def string(self, file: Path) -> str:
        return f"ssl:0:interface=127.0.0.1:privateKey={file}"

    async def test_a_reload_changes_what_newcomers_see_and_drops_nobody(self) -> None:
        file = self.authority.issue("games.example")
        listener = await self.listen(self.string(file), Factory.forProtocol(Greeter))
        first = await self.connect()
        self.assertEqual(await first.heard, b"hello")
        self.authority.issue("games.example")
        second = await self.connect()
        await second.heard
        self.assertEqual(second.serial, first.serial)
        self.assertTrue(listener.reload())
        third = await self.connect()
        await third.heard
        self.assertNotEqual(third.serial, first.serial)
        first.heard = Deferred()
        first.transport.write(b"still there")
        self.assertEqual(await first.heard, b"still there")
        await self.leave(first, second, third)

    async def test_files_that_cannot_be_used_change_nothing(self) -> None:
        file = self.authority.issue("games.example")
        listener = await self.listen(self.string(file), Factory.forProtocol(Greeter))
        good = file.read_bytes()
        other = self.authority.issue("games.example", "other.pem").read_bytes()
        key, certificate = good.split(b"-----BEGIN CERT", 1)[0], other[other.index(b"-----BEGIN CERT") :]
        for content in (b"", b"nonsense", certificate, key, key + certificate):
            file.write_bytes(content)
            error = self.assertRaises(ConfigError, listener.reload)
            self.assertIn("the certificates stay as they were", str(error))
        file.rename(file.with_suffix(".gone"))
        self.assertRaises(ConfigError, listener.reload)
        speaker = await self.connect()
        self.assertEqual(await speaker.heard, b"hello")
        await self.leave(speaker)

    async def test_a_directory_serves_by_name_and_is_read_again(self) -> None:
        folder = self.authority.folder / "all"
        folder.mkdir()
        for name in ("a.example", "b.example"):
            self.authority.issue(name, f"all/{name}.pem")
        listener = await self.listen(f"tls:{folder}:0:interface=127.0.0.1".replace("127.0.0.1", "\\:\\:1"),
                                     Factory.forProtocol(Greeter))  # fmt: skip
        serials = []
        for _ in range(2):
            speakers = [await self.connect6(name) for name in ("a.example", "b.example")]
            for speaker in speakers:
                self.assertEqual(await speaker.heard, b"hello")
            serials += [speaker.serial for speaker in speakers]
            await self.leave(*speakers)
            self.authority.issue("a.example", "all/a.example.pem")
            self.assertTrue(listener.reload())
        self.assertEqual(len(set(serials)), 3)

    async def test_a_bad_renewal_of_a_directory_changes_nothing(self) -> None:
        folder = self.authority.folder / "all"
        folder.mkdir()
        file = self.authority.issue("a.example", "all/a.example.pem")
        listener = await self.listen(f"tls:{folder}:0:interface=\\:\\:1", Factory.forProtocol(Greeter))
        good, other = file.read_bytes(), self.authority.issue("a.example", "other.pem").read_bytes()
        key, certificate = good.split(b"-----BEGIN CERT", 1)[0], other[other.index(b"-----BEGIN CERT") :]
        for content in (b"", b"nonsense", certificate, key, key + certificate, good.replace(b"M", b"?")):
            file.write_bytes(content)
            self.assertIn("stay as they were", str(self.assertRaises(ConfigError, listener.reload)))
            speaker = await self.connect6("a.example")
            self.assertEqual(await speaker.heard, b"hello")
            await self.leave(speaker)

    async def test_a_key_may_be_in_a_file_of_its_own(self) -> None:
        folder = self.authority.folder / "all"
        folder.mkdir()
        both = self.authority.issue("a.example").read_bytes()
        at = both.index(b"-----BEGIN CERT")
        (folder / "privkey.pem").write_bytes(both[:at])
        (folder / "fullchain.pem").write_bytes(both[at:])
        await self.listen(f"tls:{folder}:0:interface=\\:\\:1", Factory.forProtocol(Greeter))
        speaker = await self.connect6("a.example")
        self.assertEqual(await speaker.heard, b"hello")
        await self.leave(speaker)

    async def connect6(self, name: str) -> Speaker:
        from twisted.internet.endpoints import TCP6ClientEndpoint  # noqa: PLC0415 (here only)

        creator = trusting(name, self.authority.pem.read_bytes())
        return await connectProtocol(wrapClientTLS(creator, TCP6ClientEndpoint(reactor, "::1", self.port)), Speaker())

    async def test_a_certificate_brings_its_chain(self) -> None:
        file = self.authority.issue("games.example")
        made = pinned(file, file, self.authority.pem)
        self.assertEqual(len(made.by_name[""].extraCertChain), 1)
        file.write_bytes(file.read_bytes() + self.authority.pem.read_bytes())
        self.assertEqual(len(pinned(file, file).by_name[""].extraCertChain), 1)

    async def test_without_tls_there_is_nothing_to_reload(self) -> None:
        listener = await self.listen("tcp:0:interface=127.0.0.1", Factory.forProtocol(Greeter))
        self.assertFalse(listener.reload())


class ProtocolTests(TLSCase):
    """What clients offer by ALPN, as browsers do."""

    async def agreed(self, *offered: bytes) -> tuple[bytes, bytes | None]:
        trusted = Certificate.loadPEM(self.authority.pem.read_bytes())
        creator = optionsForClientTLS("games.example", trusted, acceptableProtocols=list(offered))
        endpoint = wrapClientTLS(creator, TCP4ClientEndpoint(reactor, "127.0.0.1", self.port))
        speaker = await connectProtocol(endpoint, Speaker())
        data, transport = await speaker.heard, speaker.transport
        assert transport is not None
        found = transport.negotiatedProtocol
        await self.leave(speaker)
        return data, found

    async def test_whatever_is_offered_the_handshake_succeeds(self) -> None:
        file = self.authority.issue("games.example")
        # As the web listener has it.
        late = LateFactory("late", lambda: Factory.forProtocol(Greeter))
        await self.listen(f"ssl:0:interface=127.0.0.1:privateKey={file}", late)
        for offered, found in (
            ((b"h2", b"http/1.1"), b"http/1.1"),
            ((b"http/1.1",), b"http/1.1"),
            ((b"h2",), None),
            ((b"a-game",), None),
        ):
            self.assertEqual(await self.agreed(*offered), (b"hello", found), offered)


class FailedHandshakeTests(SynchronousTestCase):
    def test_only_what_the_handshake_itself_says_is_a_failure(self) -> None:
        said = SSLError([("SSL routines", "", "wrong version number"), ("SSL routines", "", "http request")])
        self.assertEqual(failed_handshake(Failure(said)), "wrong version number, http request")
        self.assertEqual(
            failed_handshake(Failure(TimeoutError("it took too long"))),
            "User timeout caused connection failure: it took too long.",
        )
        for error in (ConnectionDone(), ConnectionAborted()):
            self.assertIsNone(failed_handshake(Failure(error)))

    def test_they_are_held_back_as_other_refusals(self) -> None:
        limits = ConnectionLimits("web", 10, 10, clock=lambda: now)
        now = 0.0
        with capturedLogs() as logs:
            for _ in range(1_000):
                refuse_handshake(limits, "192.0.2.1", Failure(TimeoutError("it took too long")))
            refuse_handshake(limits, "192.0.2.2", Failure(TimeoutError("it took too long")))
            now = PERIOD
            limits.series.settle()
        found = sentences(logs)
        where = "refused no-tls: listener=web address=192.0.2.{}: the TLS handshake failed: "
        where += "User timeout caused connection failure: it took too long."
        self.assertEqual(found[:-1], [where.format(1)] * FIRST + [where.format(2)])
        self.assertEqual(found[-1], f"not logged one by one: listener=web times={1_000 - FIRST}")


class GameTests(TLSCase):
    """A whole game of Battleship under TLS, with `gamed bot`'s own client."""

    async def harness(self, **settings: Any) -> Harness:
        # The real reactor is the clock: what is tested is on real sockets.
        harness = Harness("battleship", Settings(**settings), clock=reactor)  # type: ignore[arg-type]
        await self.listen(f"ssl:0:interface=127.0.0.1:privateKey={self.authority.issue('localhost')}", harness.factory)
        # What is attended to a quarter of a second later.
        self.addCleanup(deferLater, reactor, 0.4, lambda: None)
        self.addCleanup(harness.lobby.stopService)
        return harness

    def bot(self, seed: int, host: str = "localhost", ca: bytes | None = None) -> Any:
        creator = trusting(host, self.authority.pem.read_bytes() if ca is None else ca)
        player = game_type.players["open-list"](Random(seed))
        return Deferred.fromCoroutine(play(reactor, "127.0.0.1", self.port, player, creator))

    async def test_two_bots_play_a_game(self) -> None:
        harness = await self.harness()
        one, two = await gatherResults([self.bot(1), self.bot(2)])
        self.assertEqual(sorted([one.won, two.won]), [False, True])
        await harness.lobby.stopService()
        (record,) = harness.store.records.values()
        self.assertIn(b"victory", record.body)

    async def test_a_server_of_another_name_is_not_trusted(self) -> None:
        await self.harness()
        with self.assertRaises(BotError) as caught:
            await self.bot(1, "other.example")
        self.assertIn("not to be trusted: its certificate is not for other.example;", str(caught.exception))
        with self.assertRaises(BotError) as caught:
            await self.bot(1, "192.0.2.1")
        self.assertIn("not to be trusted: its certificate is not for 192.0.2.1;", str(caught.exception))

    async def test_a_server_of_another_authority_is_not_trusted(self) -> None:
        await self.harness()
        stranger = Authority(self.authority.folder / "stranger")
        with self.assertRaises(BotError) as caught:
            await self.bot(1, ca=stranger.pem.read_bytes())
        self.assertIn("not to be trusted", str(caught.exception))

    async def test_who_is_refused_leaves_no_traceback(self) -> None:
        await self.harness(connections=1)
        with capturedLogs() as logs:
            first = await self.connect("localhost")
            await first.heard
            creator = optionsForClientTLS("localhost")
            endpoint = wrapClientTLS(creator, TCP4ClientEndpoint(reactor, "127.0.0.1", self.port))
            second = await connectProtocol(endpoint, Speaker())
            await second.lost
            await self.leave(first)
        self.assertEqual([line for line in sentences(logs) if "refused" not in line], [])
        self.assertEqual([event for event in logs if event.get("log_failure")], [])

    async def test_who_speaks_no_tls_leaves_no_traceback(self) -> None:
        harness = await self.harness()
        with capturedLogs() as logs:
            plain = await connectProtocol(TCP4ClientEndpoint(reactor, "127.0.0.1", self.port), Speaker())
            plain.transport.write(b"(1,[0,0]).\r" * 10)
            await plain.lost
            await deferLater(reactor, 0.05, lambda: None)
        self.assertEqual([event for event in logs if event.get("log_failure")], [])
        self.assertEqual(harness.factory.limits.count, 0)
        self.assertIn("refused no-tls: ", "".join(sentences(logs)))


class Plain(StringTransportWithDisconnection):
    """A TCP transport in memory."""

    def setTcpNoDelay(self, enabled: bool) -> None:
        pass

    def setTcpKeepAlive(self, enabled: bool) -> None:
        pass

    def loseConnection(self) -> None:
        """Leave it to the test to say when it is lost."""

    def abortConnection(self) -> None:
        self.connected = False
        self.protocol.connectionLost(Failure(ConnectionAborted()))


class HandshakeTests(SynchronousTestCase):
    """A limit for the handshake, on a transport and a clock in memory."""

    def setUp(self) -> None:
        authority = Authority(Path(self.mktemp()).absolute())
        file = authority.issue("localhost")
        self.harness = Harness("battleship", Settings())
        certificates = Certificates(lambda: pinned(file, file))
        factory = TLSFactory(certificates, self.harness.factory, self.harness.clock)
        protocol = factory.buildProtocol(IPv4Address("TCP", "127.0.0.1", 4711))
        assert protocol is not None
        self.server = protocol
        client = optionsForClientTLS("localhost", Certificate.loadPEM(authority.pem.read_bytes()))
        self.client: Any = TLSMemoryBIOFactory(client, True, Factory.forProtocol(Speaker)).buildProtocol(None)

    def connects(self) -> Plain:
        transport = Plain()
        transport.protocol = self.server
        self.server.makeConnection(transport)
        return transport

    def test_who_says_nothing_is_let_go_with_a_refusal(self) -> None:
        transport = self.connects()
        self.harness.clock.advance(HANDSHAKE - 0.1)
        self.assertTrue(transport.connected)
        with capturedLogs() as logs:
            self.harness.clock.advance(0.1)
            self.harness.clock.advance(0.1)
        self.assertFalse(transport.connected)
        self.assertEqual(self.harness.factory.limits.count, 0)
        self.assertIn("refused no-tls: ", "".join(sentences(logs)))

    def test_who_has_shaken_hands_stays(self) -> None:
        ours, theirs = self.connects(), Plain()
        self.client.makeConnection(theirs)
        while ours.value() or theirs.value():
            for source, target in ((ours, self.client), (theirs, self.server)):
                data = source.value()
                source.clear()
                if data:
                    target.dataReceived(data)
        self.harness.clock.advance(2 * HANDSHAKE)
        self.assertTrue(ours.connected)
        self.assertIsNotNone(self.client.getHandle().get_peer_finished())

    def test_who_leaves_before_is_not_refused(self) -> None:
        self.connects()
        with capturedLogs() as logs:
            self.server.connectionLost(Failure(ConnectionDone()))
            self.harness.clock.advance(2 * HANDSHAKE)
        self.assertEqual(sentences(logs), [])


class StringTests(SynchronousTestCase):
    def test_the_kernels_queue_is_long(self) -> None:
        folder = Path(self.mktemp()).absolute() / "all"
        file = Authority(folder).issue("localhost")
        reactor = MemoryReactorClock()
        for endpoint in (f"ssl:1:privateKey={file}", f"tls:{folder}:1"):
            server_endpoint(reactor, endpoint).listen(Factory())
            self.assertEqual(reactor.tcpServers.pop()[2], 4096, endpoint)

    def test_strings_that_cannot_be_used(self) -> None:
        for text in ("ssl:443:certificate=x", "ssl:port", "ssl:443:privateKey=/no/such.pem", "tls:/no/such:1", "tls"):
            self.assertRaises(
                (ValueError, OSError, TypeError, LookupError), server_endpoint, MemoryReactorClock(), text
            )

    def test_a_certificate_without_its_key_is_refused(self) -> None:
        file = Path(self.mktemp())
        file.write_bytes(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        error = self.assertRaises(ValueError, server_endpoint, MemoryReactorClock(), f"ssl:1:privateKey={file}")
        self.assertIn("cannot be used", str(error))

    def test_what_is_read_is_read_at_once(self) -> None:
        reads: list[int] = []
        certificates = Certificates(lambda: reads.append(1))
        certificates.reload()
        self.assertEqual(len(reads), 2)

    def test_an_authority_without_certificates(self) -> None:
        self.assertRaises(BotError, trusting, "localhost", b"nothing")
