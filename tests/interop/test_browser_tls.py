"""Pages by TLS: Chromium plays a game, curl with and without ALPN, and handshakes that fail.

Source: docs/howto/install.md#tls.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from typing import ClassVar

from tests.interop.browsing import LiveTestCase, sit_by_mouse, until
from tests.interop.drivers import Mouse, place_ships, shoot_all


class TLSTests(LiveTestCase):
    settings: ClassVar[Mapping[str, str]] = {"scheme": "https"}

    def test_a_game_is_played(self) -> None:
        sit_by_mouse(self.page, "battleship", "Ann", "open-list")
        hand = Mouse(self.page)
        place_ships(hand)
        shoot_all(hand)
        self.assertEqual(self.record(self.page)["termination"], "victory")

    def test_curl_with_and_without_alpn(self) -> None:
        if shutil.which("curl") is None and "CI" not in os.environ:
            self.skipTest("curl is not installed; CI always has it")
        for option in ("--alpn", "--no-alpn", "--http2"):
            command = ["curl", "--silent", "--show-error", "--insecure", option, f"{self.daemon.origin}/healthz"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), option)
            self.assertTrue(json.loads(done.stdout)["ok"])

    def test_a_handshake_that_fails_is_logged_with_its_reason(self) -> None:
        # Of an address of its own: of each one ten are logged in a minute, and Chromium refuses the certificate often.
        here, there = ("127.0.0.2", 0), ("127.0.0.1", self.daemon.ports["web"])
        with socket.create_connection(there, timeout=60, source_address=here) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            while plain.recv(4096):
                pass
        line = "refused no-tls: listener=web address=127.0.0.2: the TLS handshake failed: http request"
        until(lambda: line in self.daemon.text(), "no line in the log")
