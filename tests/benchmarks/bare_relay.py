"""The yardstick: a bare Twisted relay of LineReceivers with TCP_NODELAY and TCP_QUICKACK, and nothing else.

Run as `python bare_relay.py PORT`; prints `ready` when it listens.
"""

from __future__ import annotations

import socket
import sys

from twisted.internet import reactor
from twisted.internet.protocol import Factory
from twisted.protocols.basic import LineReceiver


class Relay(LineReceiver):
    delimiter = b"\n"
    waiting: Relay | None = None
    partner: Relay | None = None

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)
        if Relay.waiting is None:
            Relay.waiting = self
            self.send(b"(3,[]).")
            return
        self.partner, Relay.waiting = Relay.waiting, None
        self.partner.partner = self
        self.send(b"(4,[]).")
        self.partner.send(b"(5,[]).")
        self.send(b"(5,[]).")

    def send(self, line: bytes) -> None:
        self.transport.write(line + b"\r")

    def dataReceived(self, data: bytes) -> None:
        self.transport.getHandle().setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        super().dataReceived(data)

    def lineReceived(self, line: bytes) -> None:
        self.partner.send(line)
        if line.startswith(b"(2,") and line.endswith(b",4])."):
            self.transport.loseConnection()
            self.partner.transport.loseConnection()


reactor.listenTCP(int(sys.argv[1]), Factory.forProtocol(Relay), backlog=4096)
reactor.callWhenRunning(print, "ready", flush=True)
reactor.run()
