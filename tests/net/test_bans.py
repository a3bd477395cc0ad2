"""Banned addresses and networks: refused by all listeners, told once a series."""

from __future__ import annotations

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import GamedError
from gamed.net.limits import Bans, ConnectionLimits, network_of
from tests.store.logs import sentences


class NetworkTests(SynchronousTestCase):
    def test_addresses_and_networks(self) -> None:
        for text, network in (
            ("192.0.2.7", "192.0.2.7/32"),
            ("192.0.2.7/24", "192.0.2.0/24"),
            ("2001:db8::1", "2001:db8::1/128"),
            ("2001:db8::/32", "2001:db8::/32"),
        ):
            self.assertEqual(str(network_of(text)), network)

    def test_what_is_none(self) -> None:
        for text in ("", "localhost", "192.0.2", "192.0.2.0/33", "192.0.2.7 "):
            self.assertIn("is not an address or a network", str(self.assertRaises(GamedError, network_of, text)))


class BanTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.bans = Bans()
        self.first = ConnectionLimits("first", 10, 10, self.bans)
        self.second = ConnectionLimits("second", 10, 10, self.bans)
        self.network = network_of("192.0.2.0/24")

    def test_all_listeners_refuse_and_the_log_has_it_once(self) -> None:
        self.bans.ban(self.network)
        with capturedLogs() as logs:
            for limits in (self.first, self.second):
                self.assertIs(limits.admit("192.0.2.7"), False)
                self.assertIs(limits.admit("198.51.100.1"), True)
        self.assertEqual(sentences(logs), ["refused: listener=first address=192.0.2.7 is banned: network=192.0.2.0/24"])
        self.assertEqual((self.first.count, list(self.bans)), (1, [(self.network, 2)]))

    def test_unban(self) -> None:
        self.bans.ban(self.network)
        self.first.admit("192.0.2.7")
        with capturedLogs() as logs:
            self.assertIs(self.bans.unban(self.network), True)
        self.assertEqual(sentences(logs), ["banned, refused in all: network=192.0.2.0/24 times=1"])
        self.assertIs(self.first.admit("192.0.2.7"), True)
        self.assertIs(self.bans.unban(self.network), False)

    def test_a_ban_again_does_not_forget_the_count(self) -> None:
        self.bans.ban(self.network)
        self.first.admit("192.0.2.7")
        self.bans.ban(self.network)
        self.assertEqual(list(self.bans), [(self.network, 1)])

    def test_addresses_of_other_families_and_none(self) -> None:
        self.bans.ban(self.network)
        for address in ("2001:db8::1", "local", ""):
            self.assertIsNone(self.bans.banned(address))

    def test_what_was_open_is_counted_out_as_ever(self) -> None:
        self.assertIs(self.first.admit("192.0.2.7"), True)
        self.bans.ban(self.network)
        self.first.release("192.0.2.7")
        self.assertEqual((self.first.count, self.first.addresses), (0, 0))
