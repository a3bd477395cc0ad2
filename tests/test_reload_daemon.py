"""Limits and certificates are reloaded while 50 games run over TLS, and nobody is disconnected."""

from __future__ import annotations

import signal
import socket
import ssl
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import Daemon, free_port
from tests.net.certificates import Authority
from tests.proofs.beside import Match
from tests.proofs.clients import connection

GAMES = 50
PASSWORD = "correct horse"


class ReloadTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = Path(self.mktemp()).resolve()
        self.authority = Authority(folder / "tls")
        self.file = self.authority.issue("localhost")
        self.trusted = ssl.create_default_context(cafile=str(self.authority.pem))
        self.console = free_port()
        self.daemon = Daemon(folder)
        self.configure(2 * GAMES)
        self.daemon.start()
        self.addCleanup(lambda: self.daemon.process.poll() is None and self.daemon.kill())

    def configure(self, connections: int) -> None:
        """Write a configuration that admits so many connections."""
        self.daemon.config.write_text(
            f'[battleship]\nendpoint = "ssl:{self.daemon.port}:privateKey={self.file}"\nconnections = {connections}\n'
            f'[console]\ntelnet = "tcp:{self.console}:interface=127.0.0.1"\npassword = "{PASSWORD}"\n'
        )

    def tls(self, port: int, host: str | None = None) -> socket.socket:
        """Connect, and accept only a certificate for localhost."""
        client = connection(port, host)
        self.addCleanup(client.close)
        wrapped = self.trusted.wrap_socket(client, server_hostname="localhost")
        self.addCleanup(wrapped.close)
        return wrapped

    def serial(self) -> str:
        """Return the serial number of the certificate that a new client gets."""
        with self.tls(self.daemon.port) as client:
            return client.getpeercert()["serialNumber"]

    def reload(self, last: bytes = b"needs a restart") -> bytes:
        """Return the console's answer to `reload`, up to some words."""
        with connection(self.console) as client:
            said = b""
            for typed in (b"admin", PASSWORD.encode(), b"reload"):
                client.sendall(typed + b"\r\n")
            until = time.monotonic() + 20
            while last not in said and time.monotonic() < until:
                said += client.recv(4096)
            return said

    def until_serial_differs(self, *serials: str) -> str:
        until = time.monotonic() + 10
        while time.monotonic() < until:
            new = self.serial()
            if new not in serials:
                return new
            time.sleep(0.05)
        raise AssertionError("the certificate is still the old one")

    def until_logged(self, words: str, times: int) -> None:
        until = time.monotonic() + 10
        while self.daemon.text().count(words) < times:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def test_with_games_running(self) -> None:
        matches = [Match.begin(self.daemon.port, seed % 10, connect=self.tls) for seed in range(GAMES)]
        self.advance(matches)
        first = matches[0].clients[0].getpeercert()["serialNumber"]
        self.assertRaises(OSError, self.tls, self.daemon.port)
        self.authority.issue("localhost")
        self.configure(2 * GAMES + 1)
        said = self.reload()
        self.assertIn(b"[battleship] connections", said)
        self.assertIn(b"[battleship] certificates", said)
        second = self.serial()
        self.assertNotEqual(second, first)
        self.advance(matches)
        self.authority.issue("localhost")
        self.daemon.process.send_signal(signal.SIGHUP)
        third = self.until_serial_differs(first, second)
        self.file.write_bytes(b"damaged")
        self.assertIn(b"[battleship] the certificates stay as they were: ", self.reload(b"stay as they were: "))
        self.daemon.process.send_signal(signal.SIGHUP)
        self.until_logged("the certificates stay as they were: ", 2)
        self.assertEqual(self.serial(), third)
        self.finish(matches)

    def advance(self, matches: list[Match]) -> None:
        """Let each pair exchange a few lines."""
        for match in matches:
            match.play(left=match.left - 6)

    def finish(self, matches: list[Match]) -> None:
        """Let all games be played to their end, and check that nothing else was sent."""
        for match in matches:
            match.play()
            self.assertEqual([client.recv(1) for client in match.clients], [b"", b""])
        # Clients that waited and left have no record.
        self.daemon.settled(GAMES)
        self.daemon.stop()
        self.assertEqual(self.daemon.text().count("termination=victory"), GAMES)
        self.assertEqual([line for line in self.daemon.unexpected() if "certificates stay" not in line], [])
