"""Watching a room by its event stream."""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase

from gamed.bots.play import BotError
from gamed.bots.stream import LONGEST, SceneReader

OVER = {"outcome": {"termination": "victory", "winner": 0}}
PLAYING = {"outcome": None}


def event(scene: dict[str, Any], *moves: int, **more: Any) -> bytes:
    """Return an event with moves of these numbers."""
    data = {"scene": scene, "moves": [{"n": n} for n in moves], **more}
    return b"event: scene\nid: a-1\ndata: %b\n\n" % json.dumps(data).encode()


class SceneReaderTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.shown: list[tuple[Any, list[int]]] = []
        self.done = Deferred[None]()
        self.reader = SceneReader(
            lambda scene, moves: self.shown.append((scene, [move["n"] for move in moves])), self.done
        )
        self.transport = StringTransport()
        self.reader.makeConnection(self.transport)

    def fails(self, *data: bytes) -> str:
        """Return what is said of a stream that is stopped by some data."""
        for piece in data:
            self.reader.dataReceived(piece)
        self.assertTrue(self.transport.disconnecting)
        self.reader.connectionLost()
        return str(self.failureResultOf(self.done, BotError).value)

    def test_scenes_with_all_moves_so_far(self) -> None:
        told = b"retry: 1000\n\n" + event(PLAYING, 1) + b"event: ping\ndata: {}\n\n" + event(PLAYING, 2, 3)
        for at in range(0, len(told), 7):
            self.reader.dataReceived(told[at : at + 7])
        # A program that is revealed comes again; and then the room's next match begins.
        self.reader.dataReceived(event(PLAYING, 2) + event(PLAYING, 1, reset=True))
        self.assertEqual([moves for _, moves in self.shown], [[1], [1, 2, 3], [1, 2, 3], [1]])
        self.assertFalse(self.transport.disconnecting)

    def test_it_ends_with_the_match(self) -> None:
        self.reader.dataReceived(event(OVER, 1) + event(PLAYING, 2))
        self.assertTrue(self.transport.disconnecting)
        self.reader.connectionLost()
        self.assertIsNone(self.successResultOf(self.done))
        self.assertEqual(self.shown, [(OVER, [1])])

    def test_a_room_that_is_closed_before_the_end(self) -> None:
        self.assertEqual(self.fails(event(PLAYING), b"event: gone\ndata: {}\n\n"), "the room is closed")

    def test_a_lost_connection(self) -> None:
        self.reader.connectionLost()
        error = self.failureResultOf(self.done, BotError).value
        self.assertEqual(str(error), "the connection to the daemon is lost")

    def test_what_is_no_stream(self) -> None:
        self.assertIn("no scene", self.fails(b"<html>\n\n"))

    def test_an_event_without_end(self) -> None:
        self.assertIn("more than", self.fails(b"data: ", b"x" * LONGEST))
