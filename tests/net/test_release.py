"""What a connection had is free as soon as it has ended: nothing of it waits for the garbage collector."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from twisted.logger import Logger
from twisted.trial.unittest import SynchronousTestCase

from gamed.net import session
from gamed.registry import games
from gamed.testing.harness import Harness

SAID = {
    "battleship": (b"(1,", b"(5,[]).\n", b"\xff" * 70_000),
    "quoridor": (b"(REG", b"(REGISTER ((name a)))\n(play)\n", b"(" * 200_000),
    "softwarechallenge": (
        b"<prot",
        b"<protocol><joinPrepared reservationCode='no'/>",
        b"<protocol><room roomId='no'><data class='nothing'/></room>",
        b"<!DOCTYPE a [",
        b"<protocol>" + b"<a>" * 1_000,
    ),
    "roborally": (b"RGS(", b"RGS(Ada)\nok\n", b"x" * 100_000),
}
"""Of each listener: half a word, a word or two, and what is refused; `ANYTHING` of those that are not here."""

ANYTHING = (b"", b"(", b"x" * 100_000)

COMES = {
    "battleship": (b"", b""),
    "quoridor": (b'(REGISTER ((name "Ada")))\n', b'(REGISTER ((name "Ben")))\n'),
    "softwarechallenge": (b'<protocol><join gameType="swc_2020_hive"/>',) * 2,
    "roborally": (b"RGS(Ada)\n", b"RGS(Ben)\n"),
}
"""What two players say who have a room then; nothing where the server speaks first."""


class ReleaseTests(SynchronousTestCase):
    def left(self, harness: Harness, data: bytes) -> list[weakref.ref[Any]]:
        """Have a peer come, say something, and leave; return references to what it had."""
        wire = harness.connect()
        wire.send(data)
        for _ in range(5):
            harness.clock.advance(0.01)
        had = [weakref.ref(wire.session), weakref.ref(wire.session.connection)]
        wire.leave()
        harness.clock.advance(3_600)
        return had

    def setUp(self) -> None:
        # As a daemon does before it accepts the first connection: frames that import something outlive their call.
        for made in games().values():
            made.load().load()
        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)
        # Twisted keeps events until somebody observes them, and with them the errors that they tell of.
        self.patch(session, "log", Logger(observer=lambda _event: None))

    def test_at_every_listener(self) -> None:
        for name, made in games().items():
            game = made.load()
            for data in SAID.get(name, ANYTHING):
                harness = Harness(game.kind, game.settings())
                had = self.left(harness, data)
                self.assertEqual([one() for one in had], [None, None], (name, data[:50]))

    def test_rooms(self) -> None:
        for name, made in games().items():
            game = made.load()
            harness = Harness(game.kind, game.settings())
            wires = [harness.connect() for _ in range(2)]
            for wire, data in zip(wires, COMES.get(name, (b"", b"")), strict=True):
                wire.send(data)
                harness.clock.advance(0.01)
            had = [weakref.ref(room) for room in harness.lobby.rooms.values()]
            had += [weakref.ref(wire.session.connection) for wire in wires]
            self.assertGreater(len(had), 2, name)
            # RoboRally begins a while after the last one has come.
            harness.clock.advance(60)
            for wire in wires:
                wire.leave()
            del wires, wire
            for _ in range(20):
                harness.clock.advance(60)
            self.assertEqual([str(one())[:200] for one in had if one() is not None], [], name)

    def test_timers(self) -> None:
        for end in ("due", "cancelled"):
            game = games()["quoridor"].load()
            harness = Harness(game.kind, game.settings())
            timer = harness.lobby.after(1.0, lambda: None)
            harness.clock.advance(2.0) if end == "due" else timer.cancel()
            call, timer = weakref.ref(timer), None
            self.assertIsNone(call(), end)
