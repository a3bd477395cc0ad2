"""Connections on which events are read: when one counts as lost."""

from __future__ import annotations

import struct
from types import SimpleNamespace

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import ISSLTransport, ITCPTransport
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from gamed.web.events import PING, PING_SECONDS, SILENT, Lines
from gamed.web.turn_cooperator import TurnCooperator


class Wire:
    """A socket whose other end has acknowledged something so long ago."""

    # Seconds.
    silence = 0.0

    def setsockopt(self, *_options: object) -> None:
        pass

    def getsockopt(self, _level: int, _option: int, length: int) -> bytes:
        return struct.pack("=8B13I", *[7] * 20, round(self.silence * 1_000))[:length]


@implementer(ITCPTransport, ISSLTransport)
class Transport(StringTransport):
    """A transport of TLS over TCP."""

    disconnected = False

    def __init__(self) -> None:
        super().__init__()
        self.socket = Wire()

    def setTcpKeepAlive(self, _is_kept: bool) -> None:
        pass


class SilenceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.transport = Clock(), Transport()
        self.lines = Lines(self.clock, TurnCooperator(self.clock, self.clock.seconds))
        request = SimpleNamespace(
            setHeader=lambda *_header: None,
            notifyFinish=Deferred,
            channel=SimpleNamespace(transport=self.transport),
            write=self.transport.write,
            chunked=False,
        )
        # As the channel of the request has done.
        self.transport.registerProducer(self.transport, streaming=True)
        self.lines.open(request, is_shared=True)

    def beat(self) -> bytes:
        self.transport.clear()
        self.clock.pump([PING_SECONDS, 0.1])
        return self.transport.value()

    def test_whose_system_acknowledges_is_there(self) -> None:
        self.transport.socket.silence = SILENT
        self.assertEqual((self.beat(), self.transport.disconnected), (PING, False))

    def test_a_network_that_swallows_everything_is_cut_off(self) -> None:
        self.transport.socket.silence = SILENT + 0.001
        self.assertEqual((self.beat(), self.transport.disconnected), (b"", True))

    def test_a_connection_that_fails_already_is_left_to_its_transport(self) -> None:
        def fails(*_options: object) -> bytes:
            raise OSError(9, "Bad file descriptor")

        self.patch(Wire, "getsockopt", fails)
        self.beat()
        self.assertFalse(self.transport.disconnected)
