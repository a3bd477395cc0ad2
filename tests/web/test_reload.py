"""What `reload` changes of the web listener."""

from __future__ import annotations

from typing import Any

import attrs
from twisted.internet.address import IPv4Address
from twisted.internet.defer import maybeDeferred
from twisted.trial.unittest import SynchronousTestCase

from gamed.config import WebConfig
from gamed.records.importer import Importer
from gamed.records.index import index
from gamed.web.service import web_site
from tests.web.harness import WebHarness


class ReloadTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = WebHarness("battleship")
        self.addCleanup(self.harness.stop)
        self.harness.site = web_site(
            config=WebConfig(),
            lobby=self.harness.harness.lobby,
            games=self.harness.games,
            listeners=[],
            accounts=self.harness.accounts,
            operators=self.harness.operators,
            bans=self.harness.bans,
            importer=Importer(index()),
            reactor=self.harness.harness.clock,
            in_thread=maybeDeferred,
            most=100,
            warnings={},
        )

    def reload(self, **changed: Any) -> None:
        self.harness.site.configure(attrs.evolve(WebConfig(), **changed))

    def test_the_names_by_which_it_answers(self) -> None:
        self.assertEqual(self.harness.asked("GET", "/healthz", host="games.example").status, 421)
        self.reload(hosts="localhost games.example")
        self.assertEqual(self.harness.asked("GET", "/healthz", host="games.example").status, 200)
        self.assertEqual(self.harness.asked("GET", "/healthz", host="127.0.0.1").status, 421)

    def test_the_pages_that_may_frame_it(self) -> None:
        self.reload(frame_ancestors="https://course.example\n http://[::1]:8000\n")
        policy = self.harness.asked("GET", "/healthz").headers["content-security-policy"]
        self.assertIn("; frame-ancestors https://course.example http://[::1]:8000;", policy)
        for wrong in ("course.example", "https://course.example/page", "*", "https://a;script-src", "'self'"):
            with self.assertRaisesRegex(ValueError, "frame_ancestors has .* https://course"):
                self.reload(frame_ancestors=wrong)

    def test_connections_and_nobody_is_dropped(self) -> None:
        wires = [self.harness.sent(b"") for _ in range(2)]
        self.reload(connections_per_address=1)
        self.assertRaises(AssertionError, self.harness.sent, b"")
        self.assertFalse(any(wire.transport.disconnecting for wire in wires))
        self.reload(connections=2)
        self.assertRaises(AssertionError, self.harness.sent, b"", "192.0.2.1")
        self.reload()
        self.harness.sent(b"")

    def test_there_are_no_more_connections_than_descriptors(self) -> None:
        self.reload(connections=4_000)
        for port in range(100):
            self.assertIsNotNone(self.harness.site.buildProtocol(IPv4Address("TCP", "192.0.2.1", port)))
        self.assertIsNone(self.harness.site.buildProtocol(IPv4Address("TCP", "192.0.2.1", 100)))

    def test_the_grace_of_a_silent_browser(self) -> None:
        guest = self.harness.visitor()
        seat = guest.post("seats", {"game": "battleship", "name": "Ada"}).json["id"]
        self.reload(grace_seconds=5.0)
        self.harness.pump(30.0)
        self.assertFalse(guest.get(f"seats/{seat}").json["isLive"])
