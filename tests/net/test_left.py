"""A client that ends its side of the connection too early, such as `echo … | nc`, is told so on every wire."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.games import battleship, quoridor, roborally, softwarechallenge
from gamed.testing.harness import Harness, Wire

WIRES: dict[str, tuple[Any, bytes, bytes]] = {
    "battleship": (battleship.Settings(referee="observe"), b"(1,[0,0]).\n", b""),
    "quoridor": (quoridor.Settings(), b'(REGISTER ((name "a")))\n', b"(play)\n"),
    "hive": (softwarechallenge.Settings(), b"<protocol><join/>", b""),
    "roborally": (roborally.Settings(min_players=2, start_delay=0.0), b"RGS(%s)\n", b""),
}
"""The settings, what a client says first, and what it says to begin."""


PATHS = (
    ((4, 1), (4, 2), (4, 3), (5, 3), (5, 4), (5, 5), (5, 6), (5, 7), (5, 8)),
    ((4, 7), (4, 6), (4, 5), (4, 4), (4, 3), (4, 2), (4, 1), (4, 0)),
)
"""The ways of two pawns of Quoridor that meet nowhere; the second one arrives first."""


def gathered(kind: str, clients: int, settings: Any = None) -> tuple[Harness, list[Wire]]:
    """Return clients that wait, or that have begun to play."""
    usual, first, then = WIRES[kind]
    harness = Harness(kind, settings or usual)
    wires = [harness.connect() for _ in range(clients)]
    for number, wire in enumerate(wires):
        wire.send(first.replace(b"%s", (b"Anna", b"Bert")[number]))
    for wire in wires[: clients if clients > 1 else 0]:
        wire.send(then)
    return harness, wires


def half_close(wire: Wire) -> None:
    wire.session.readConnectionLost()
    wire.clock.advance(0)
    wire.clock.advance(0)


def left(wire: Wire) -> int:
    """Return how often a client was told that it left."""
    return wire.session.refusals.counts.get("left", 0)


class LeftTests(SynchronousTestCase):
    def test_who_waits_and_who_plays(self) -> None:
        for kind in WIRES:
            for clients in (1, 2):
                harness, wires = gathered(kind, clients)
                lines: list[str] = []
                harness.lobby.refusals.watchers.append(lambda _, line, to=lines: to.append(line))
                half_close(wires[0])
                self.assertEqual([left(wire) for wire in wires], [1, 0][:clients], kind)
                self.assertIn("counts as leaving", lines[-1])
                self.assertIn("nc", lines[-1])

    def test_the_end_of_the_connection(self) -> None:
        for kind in WIRES:
            _, wires = gathered(kind, 2)
            wires[0].leave()
            self.assertEqual([left(wire) for wire in wires], [1, 0], kind)

    def test_who_has_sent_nothing_and_who_says_goodbye_is_told_nothing(self) -> None:
        for kind, goodbye in (("battleship", b""), ("hive", b"</protocol>"), ("roborally", b"RLE(Anna)\n")):
            harness, wires = gathered(kind, 2)
            wires.append(harness.connect())
            if goodbye:
                wires[0].send(goodbye)
                half_close(wires[0])
            half_close(wires[2])
            self.assertEqual([left(wire) for wire in wires], [0, 0, 0], kind)

    def test_a_world_may_leave_after_the_game(self) -> None:
        harness, wires = gathered("quoridor", 2)
        turn = 0
        while not harness.lobby.stats.ended:
            wires[turn % 2].send(b"(move player %d %d)\n" % PATHS[turn % 2][turn // 2])
            turn += 1
        half_close(wires[0])
        half_close(wires[1])
        self.assertEqual([left(wire) for wire in wires], [0, 0])

    def test_a_channel_may_leave(self) -> None:
        harness, wires = gathered("roborally", 1)
        channel = harness.connect()
        channel.send(b"RGA(Tafel)\n")
        half_close(channel)
        self.assertEqual([left(wire) for wire in (channel, *wires)], [0, 0])

    def test_who_closes_because_the_other_one_cheated_does_nothing_wrong(self) -> None:
        _, (honest, liar) = gathered("battleship", 2)
        liar.send(b"(2,[5,5,1]).\n")
        half_close(honest)
        self.assertEqual(left(honest), 0)
