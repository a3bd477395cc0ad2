"""Which reads ask the system for a quick acknowledgement: those that nothing is sent after at once."""

from __future__ import annotations

import socket

from twisted.internet.address import IPv4Address

from gamed.games.quoridor import Settings as UniverseSettings
from gamed.games.quoridor.wire import registration
from gamed.net.stall_clock import StallClock
from gamed.testing.harness import Harness
from tests.games.softwarechallenge.harness import SeasonHarness
from tests.net.test_session import LINE, Client, SessionTestCase

QUICKACK = (socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


class AcknowledgementTests(SessionTestCase):
    def test_quick_acknowledgement_is_asked_for_where_the_peer_has_more_to_say(self) -> None:
        first, second = self.pair()
        self.assertEqual(second.handle.options, [])
        for data in (LINE[:4], LINE[4:] + b"\n" + b"(2", b",[0,0,1]).\n"):
            second.send(data)
            self.assertEqual(second.handle.options, [QUICKACK])
            second.handle.options.clear()
        # After a shot, a player waits for the answer, which acknowledges the shot.
        for data in (LINE + b"\n", b"(2,[0,0,1]).\n" + LINE + b"\n"):
            first.send(data)
            self.assertEqual(first.handle.options, [])

    def test_an_answer_acknowledges_what_it_answers(self) -> None:
        self.harness = Harness("quoridor", UniverseSettings(tables=0))
        one, two = self.connect(), self.connect()
        for client in (one, two):
            client.send(registration("a world"))
        one.send(b"(play)\n")
        self.assertTrue(one.received().endswith(b"(start2play 1 ())\n"))
        one.handle.options.clear()
        # Nothing answers half a message, and Nagle's algorithm keeps the rest back until it is acknowledged.
        one.send(b"(move player ")
        self.assertEqual(one.handle.options, [QUICKACK])
        one.send(b"4 1)\n")
        self.assertEqual(one.handle.options, [QUICKACK])
        self.assertEqual(one.received(), b"(wait 1 (player 4 1 1))\n")

    def test_what_a_reception_answers_at_once_needs_no_acknowledgement_of_its_own(self) -> None:
        harness = SeasonHarness()
        harness.factory.passes = StallClock(harness.clock, harness.clock.seconds)
        client = Client(harness, IPv4Address("TCP", "10.0.0.1", 4711))
        self.addCleanup(client.close)
        client.send(b'<protocol><join gameType="swc_2020_hive"/>')
        self.assertIn(b"<joined", client.received())
        self.assertEqual(client.handle.options, [])
        # Nothing is said to this.
        client.send(b'<prepare gameType="swc_2020_hive"/>')
        self.assertEqual(client.received(), b"")
        self.assertEqual(client.handle.options, [QUICKACK])
