"""A crowd that connects within a moment: nobody is dropped by the kernel.

Source: docs/topics/design.md#traps-already-found.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import free_port, running

CROWD = 1_000
RETRANSMITTED = 1.0
"""Seconds after which a client whose connection the kernel has dropped tries again."""


class BacklogTests(SynchronousTestCase):
    def test_a_thousand_connect_one_after_another_without_a_pause(self) -> None:
        port = free_port()
        written = f'[battleship]\nendpoint = "tcp:{port}:interface=127.0.0.1"\nconnections_per_address = 2000\n'
        directory = Path(self.mktemp())
        with running(directory) as daemon:
            daemon.stop()
            daemon.config.write_text(written)
            daemon.start()
            daemon.load(port)
            clients, took = [], []
            for _ in range(CROWD):
                began = time.monotonic()
                clients.append(socket.create_connection(("127.0.0.1", port), timeout=60))
                took.append(time.monotonic() - began)
                self.addCleanup(clients[-1].close)
            began = time.monotonic()
            # Each gets its role: it is accepted.
            self.assertTrue(all(client.recv(1) for client in clients))
            served = time.monotonic() - began
            for client in clients:
                client.close()
        print(f"\nof {CROWD}, the slowest connected in {1000 * max(took):.1f} ms; all were served {served:.2f} s later")
        self.assertLess(max(took), RETRANSMITTED)
