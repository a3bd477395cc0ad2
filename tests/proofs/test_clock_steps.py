"""The system clock is set in the midst of games: no limit fires early or late, and all records are there.

Source: issue 15, "Shows" 4. libfaketime (Debian: faketime) gives the daemon a wall clock of its own; the monotonic
clock is left alone.
"""

from __future__ import annotations

import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import Daemon, free_port
from tests.proofs import skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.clients import connection

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
STEPS = (-7_200, -40, 3_600)
IDLE = 4.0
"""Seconds of silence after which a game of these tests ends."""


class StepTests(SynchronousTestCase):
    def setUp(self) -> None:
        if not LIBRARY.exists():
            self.fail("libfaketime is not installed (Debian: faketime)")
        folder = Path(self.mktemp()).resolve()
        web = free_port()
        self.daemon = Daemon(
            folder,
            battleship=f"idle_seconds = {IDLE}\n",
            quoridor="register_seconds = 4\n",
            more=f'[web]\nendpoint = "tcp:{web}:interface=127.0.0.1"\n',
        )
        self.clock = folder / "clock"
        self.set(0)
        faked = {
            "LD_PRELOAD": str(LIBRARY),
            "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        self.daemon.program = ["env", *(f"{name}={value}" for name, value in faked.items()), *self.daemon.program]
        self.daemon.start()
        self.addCleanup(lambda: self.daemon.process.poll() is None and self.daemon.kill())

    def set(self, seconds: int) -> None:
        """Set the daemon's wall clock to so many seconds from the real time."""
        text = f"{seconds:+d}\n"
        new = self.clock.with_suffix(".new")
        new.write_text(text)
        new.rename(self.clock)

    def test_limits_hold_and_records_are_made(self) -> None:
        for step in STEPS:
            began = time.monotonic()
            players = [connection(self.daemon.port) for _ in range(2)]
            stranger = connection(self.daemon.quoridor_port)
            time.sleep(1.0)
            self.set(step)
            for client in (stranger, *players):
                client.settimeout(IDLE + 10)
                while client.recv(4_096):
                    pass
                ended = time.monotonic() - began
                self.assertTrue(IDLE - 0.1 <= ended < IDLE + 2.0, (step, ended))
                client.close()
            self.set(0)
        self.daemon.settled(len(STEPS))
        self.assertGreaterEqual(self.daemon.text().count("the system clock was set by"), 2 * len(STEPS) - 1)
        self.assertEqual(len(self.daemon.records()), len(STEPS))
        self.assertLess(self.daemon.stop(), 5)
        self.assertEqual(self.daemon.unexpected(), [])
