"""Whose address counts: X-Forwarded-For from proxies that are trusted, and from nobody else."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.config import structure
from gamed.core.errors import ConfigError
from gamed.net.limits import network_of
from gamed.web.proxies import client_address, networks
from tests.web.harness import WebHarness, request

TRUSTED = networks("127.0.0.1 10.0.0.0/8 2001:db8::/32")


class AddressTests(SynchronousTestCase):
    def address(self, peer: str, *lines: str) -> str:
        return client_address(peer, lines, TRUSTED)

    def test_a_strangers_header_is_not_believed(self) -> None:
        self.assertEqual(self.address("192.0.2.1", "198.51.100.1"), "192.0.2.1")
        self.assertEqual(client_address("127.0.0.1", ["198.51.100.1"], ()), "127.0.0.1")

    def test_a_proxys_is(self) -> None:
        self.assertEqual(self.address("127.0.0.1", "198.51.100.1"), "198.51.100.1")
        self.assertEqual(self.address("2001:db8::7", "2001:DB9:0::1"), "2001:db9::1")
        self.assertEqual(self.address("127.0.0.1", "::ffff:198.51.100.1"), "198.51.100.1")

    def test_the_right_most_stranger_counts(self) -> None:
        self.assertEqual(self.address("127.0.0.1", "203.0.113.5, 198.51.100.1, 10.1.2.3"), "198.51.100.1")
        self.assertEqual(self.address("127.0.0.1", "203.0.113.5", "198.51.100.1,10.1.2.3"), "198.51.100.1")
        self.assertEqual(self.address("127.0.0.1", "127.0.0.1, 198.51.100.1"), "198.51.100.1")

    def test_what_is_not_an_address_ends_it(self) -> None:
        for word in ("", "unknown", "198.51.100.1:80", "x" * 10_000):
            self.assertEqual(self.address("127.0.0.1", f"203.0.113.5, {word}, 10.1.2.3"), "10.1.2.3", word)
        self.assertEqual(self.address("127.0.0.1"), "127.0.0.1")
        self.assertEqual(self.address("local", "198.51.100.1"), "local")

    @given(
        st.lists(st.sampled_from(["127.0.0.1", "10.0.0.3", "192.0.2.1", "::1", "", ",", "x", "1.2.3.4:5"]), max_size=4)
    )
    def test_whatever_strangers_write_left_of_them_changes_nothing(self, words: list[str]) -> None:
        self.assertEqual(self.address("10.0.0.1", *words, "192.0.2.9, 10.0.0.2"), "192.0.2.9")


class ConfigurationTests(SynchronousTestCase):
    def test_what_is_not_a_network_is_refused(self) -> None:
        with self.assertRaisesRegex(ConfigError, r"\[web\] proxies has nginx, which is not an address"):
            structure({"web": {"proxies": "127.0.0.1 nginx"}}, Path(self.mktemp()))


class SiteTests(SynchronousTestCase):
    def make(self, proxies: str = "") -> WebHarness:
        harness = WebHarness("battleship", config={"proxies": proxies})
        self.addCleanup(harness.stop)
        return harness

    def test_sessions_and_operators_have_the_browsers_address(self) -> None:
        harness = self.make("127.0.0.1")
        answer = harness.asked("GET", "/api/v1/session", x_forwarded_for="1.2.3.4, 198.51.100.1")
        cookie, token = answer.headers["set-cookie"].partition(";")[0], answer.json["token"]
        (visitor,) = harness.visitors._visitors.values()
        self.assertEqual(visitor.address, "198.51.100.1")
        login = {"user": "admin", "password": "wrong"}
        for address in ("198.51.100.1", "198.51.100.2"):
            headers = {"cookie": cookie, "x_gamed_token": token, "x_forwarded_for": address}
            harness.asked("POST", "/api/v1/session/login", login, **headers)
        self.assertEqual(
            set(harness.harness.lobby.logins._guard._failures), {("admin", "198.51.100.1"), ("admin", "198.51.100.2")}
        )

    def test_a_strangers_header_is_not_believed(self) -> None:
        for harness, address in ((self.make(), "127.0.0.1"), (self.make("127.0.0.1"), "192.0.2.9")):
            harness.asked("GET", "/api/v1/session", address=address, x_forwarded_for="198.51.100.1")
            (visitor,) = harness.visitors._visitors.values()
            self.assertEqual(visitor.address, address)

    def test_behind_a_proxy_the_port_is_not_known(self) -> None:
        harness = self.make("127.0.0.1")
        guest = harness.visitor()
        guest.login()
        headers = {"cookie": guest.cookie, "x_forwarded_for": "198.51.100.1"}
        harness.asked("GET", "/api/v1/session", **headers)
        (operator,) = harness.operators
        self.assertEqual(operator.name, "user=admin from=web 198.51.100.1")

    def test_who_is_banned_is_refused_behind_a_proxy_and_others_are_not(self) -> None:
        harness = self.make("127.0.0.1")
        harness.bans.ban(network_of("198.51.100.0/24"))
        for path in ("/", "/api/v1/session", "/metrics"):
            banned = harness.asked("GET", path, x_forwarded_for="198.51.100.1")
            self.assertEqual((banned.status, banned.code), (403, "banned"), path)
            self.assertEqual(harness.asked("GET", path, x_forwarded_for="192.0.2.1").status, 200, path)
        self.assertEqual(list(harness.bans), [(network_of("198.51.100.0/24"), 3)])

    def test_a_connection_that_is_older_than_the_ban_is_refused(self) -> None:
        harness = self.make()
        wire = harness.sent(request("GET", "/healthz", None, {}), "192.0.2.1")
        harness.bans.ban(network_of("192.0.2.1"))
        wire.channel.dataReceived(request("GET", "/healthz", None, {}))
        harness.pump(0.2)
        self.assertIn(b"HTTP/1.1 403 Forbidden", wire.transport.value())
