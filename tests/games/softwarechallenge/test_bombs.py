"""What is sent to wear the server out: refused at once, and no other room notices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from twisted.trial.unittest import SynchronousTestCase

from tests.games.softwarechallenge.harness import ROW, Client, SeasonHarness, setmove

SEGMENT = 65_536
"""Bytes that Twisted reads at once."""

ENTITIES = "".join(f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' for level in range(1, 10))
LAUGHS = f'<!DOCTYPE protocol [<!ENTITY a0 "ha">{ENTITIES}]><protocol>&a9;</protocol>'.encode()


def segments(data: bytes) -> Iterator[bytes]:
    """Yield what a socket would give."""
    for start in range(0, len(data), SEGMENT):
        yield data[start : start + SEGMENT]


BOMBS: dict[str, tuple[bytes, Iterable[bytes]]] = {
    "entities": (LAUGHS, ()),
    "entities within a tag": (b'<protocol><join gameType="&lol;"/>', ()),
    "an external entity": (b'<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]><protocol>&x;', ()),
    "100,000 levels": (b"<protocol>", list(segments(b"<a>" * 100_000))),
    "an attribute of 64 MB": (b'<protocol><join gameType="', [b"x" * SEGMENT] * 1_024),
    "a comment without an end": (b"<protocol><!--", [b"-" * SEGMENT] * 64),
    "a comment of almost ends": (b"<protocol><!--", [b"-- >" * (SEGMENT // 4)] * 64),
    "a name without an end": (b"<protocol><", [b"a" * SEGMENT] * 64),
    "a text without an end": (b"<protocol><join>", [b"x" * SEGMENT] * 64),
    "CDATA without an end": (b"<protocol><join><![CDATA[", [b"]" * SEGMENT] * 64),
    "an instruction without an end": (b"<protocol><?x ", [b"?" * SEGMENT] * 64),
    "many attributes": (b"<protocol><join ", [b"".join(b"a%d='' " % number for number in range(10_000))]),
    "many references": (b'<protocol><join gameType="', [b"&#120;" * (SEGMENT // 6)] * 64),
}


def fed(harness: SeasonHarness, client: Client, head: bytes, rest: Iterable[bytes]) -> int:
    """Send segments until the client is refused; nothing is read from it after that. Return how many were read."""
    client.feed(head)
    number = 0
    for segment in rest:
        if client.is_closed:
            break
        client.feed(segment)
        number += 1
        harness.clock.advance(0)
    harness.turn()
    return number


class BombTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = SeasonHarness()
        self.red, self.blue = self.harness.pair()

    def test_each_is_refused_at_once(self) -> None:
        """`tests.proofs.test_refusals` measures the time."""
        for name, (head, rest) in BOMBS.items():
            client = self.harness.connect()
            self.assertLessEqual(fed(self.harness, client, head, rest), 2, name)
            self.assertEqual(client.stream, b"<protocol/>", name)
            self.assertTrue(client.is_closed, name)

    def test_a_game_beside_them_goes_on(self) -> None:
        players = (self.red, self.blue)
        for turn, (move, (head, rest)) in enumerate(zip(ROW, BOMBS.values(), strict=False)):
            bomb = self.harness.connect()
            bomb.feed(head)
            for segment in rest:
                if bomb.is_closed:
                    break
                bomb.feed(segment)
            # In the same turn of the reactor.
            players[turn % 2].move(move)
            self.assertEqual(
                players[1 - turn % 2].heard()[-2:], [f"memento {turn + 1} Unknown Unknown setmove", "MoveRequest"]
            )
        self.assertFalse(self.red.is_closed)

    def test_a_slow_message_is_not_waited_for(self) -> None:
        self.harness.factory.doStart()
        slow, honest = self.harness.connect(), self.harness.connect()
        slow.feed(b"<protocol><join game")
        honest.join()
        for _ in range(100):
            self.harness.wait(0.25)
            slow.feed(b"x")
        self.assertEqual(slow.stream, b"<protocol/>")
        self.assertTrue(slow.is_closed)
        self.assertFalse(honest.is_closed)
        self.harness.factory.doStop()

    def test_a_flood_of_messages_is_taken_a_part_at_a_time(self) -> None:
        flood = self.harness.connect()
        flood.feed(b"<protocol>" + b'<testMode testMode="true"/>' * 1_000)
        self.harness.clock.advance(0)
        self.assertLessEqual(flood.session.refusals.total, 50)
        self.red.move(setmove("RED", "ANT", 0, 0))
        self.assertEqual(self.blue.heard()[-1], "MoveRequest")
        self.harness.wait(30, 0.1)
        self.assertEqual(flood.session.refusals.counts["administrators-only"], 1_000)
