"""Replay the recorded sessions of the original programs with a real daemon: they must receive the same bytes.

`tests/games/battleship/test_recordings.py` does the same in memory, and with random roles.
"""

from __future__ import annotations

import socket
from pathlib import Path
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from tests import recordings
from tests.daemon import Daemon, running
from tests.games.battleship.test_recordings import CUTS, segments


class Client:
    """A recorded client: it sends the recorded bytes as soon as it has received those before them."""

    def __init__(self, daemon: Daemon) -> None:
        self.socket = socket.create_connection(("127.0.0.1", daemon.port), timeout=20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def read(self, count: int) -> None:
        while len(self.received) < count:
            data = self.socket.recv(4096)
            if not data:
                raise AssertionError(f"closed after {self.received[-80:]!r}")
            self.received += data

    def read_to_the_end(self) -> None:
        while data := self.socket.recv(4096):
            self.received += data
        self.socket.close()


class RecordingTests(SynchronousTestCase):
    def play(self, daemon: Daemon, name: str, cut: str) -> None:
        random = Random(name + cut)
        first = recordings.defender(name)
        clients = {first: Client(daemon)}
        clients[first].read(len(b"(3,[]).\r"))
        clients[3 - first] = Client(daemon)
        owed = {1: 0, 2: 0}
        for turn in recordings.turns(name):
            client = clients[turn.connection]
            if turn.from_client:
                client.read(owed[turn.connection])
                for segment in segments(turn.data, cut, random):
                    client.socket.sendall(segment)
            else:
                owed[turn.connection] += len(turn.data)
        for connection, client in clients.items():
            client.read_to_the_end()
            self.assertEqual(client.received, recordings.received(name, connection), f"{name} {cut} {connection}")

    def test_each_client_receives_the_recorded_bytes(self) -> None:
        games = [(name, cut) for name in recordings.names() for cut in CUTS]
        self.assertGreaterEqual(len(games), 21)
        with running(Path(self.mktemp())) as daemon:
            for name, cut in games:
                self.play(daemon, name, cut)
            daemon.settled(len(games))
            self.assertEqual({record["termination"] for record in daemon.records()}, {"victory"})
            self.assertEqual(daemon.unexpected(), [])
            # The old client's false answer, which test_recordings.py in tests/games/battleship explains.
            self.assertEqual(daemon.text().count("finding "), len(CUTS))
            self.assertEqual(daemon.text().count("finding no-legal-fleet"), len(CUTS))
