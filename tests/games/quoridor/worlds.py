"""Worlds in memory: what they send and what they are told, a line each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define

from gamed.games.quoridor import Settings
from gamed.games.quoridor.client import Player
from gamed.testing.harness import Harness, Wire

LOBBY = "(wait-for-players 0 ())"
VOTE = "(wait-or-play 0 ())"
VOTED = "(voted 0 ())"
REJECTED = "(rejected 0 ())"


@define(eq=False)
class World:
    """A world that has registered."""

    wire: Wire
    read: int = 0

    def says(self, *messages: str) -> None:
        """Send messages, together."""
        self.wire.send("".join(f"{message}\n" for message in messages).encode())

    @property
    def heard(self) -> list[str]:
        """What has come since the last look."""
        new = self.wire.received[self.read :]
        self.read += len(new)
        return new.decode().splitlines()

    def leaves(self) -> None:
        """Close the connection."""
        self.wire.leave()


def universe(**settings: Any) -> Harness:
    """Return a room service in memory with a Quoridor listener."""
    return Harness("quoridor", Settings(**settings))


def newcomer(harness: Harness, name: str = '"Quoridor"') -> World:
    """Return a world that has just registered, its `(OKAY)` read."""
    world = World(harness.connect())
    world.says(f"(REGISTER ((name {name})))")
    assert world.wire.received.startswith(b"(OKAY)\n"), world.wire.received
    world.read = len(b"(OKAY)\n")
    return world


def two(harness: Harness) -> list[World]:
    """Return two worlds that have begun to play; all that they were told is read."""
    return _begun([newcomer(harness), newcomer(harness)], "(play)")


def waiting_for_four(harness: Harness) -> list[World]:
    """Return two worlds that have voted to wait; all that they were told is read."""
    return _begun([newcomer(harness), newcomer(harness)], "(wait)")


def four(harness: Harness) -> list[World]:
    """Return four worlds that have begun to play; all that they were told is read."""
    worlds = [*waiting_for_four(harness), newcomer(harness), newcomer(harness)]
    heard(worlds)
    return worlds


def _begun(worlds: list[World], vote: str) -> list[World]:
    for world in worlds:
        world.says(vote)
    heard(worlds)
    return worlds


def heard(worlds: Iterable[World]) -> list[list[str]]:
    """Return what each of them has heard since the last look."""
    return [world.heard for world in worlds]


def starts(count: int, first: int) -> list[list[str]]:
    """Return what each of so many worlds hears when world `first` begins."""
    return [[f"(start{count}{'play' if number == first else 'wait'} {first} ())"] for number in range(1, count + 1)]


def played(worlds: Sequence[World], moves: Iterable[str], first: int = 1) -> None:
    """Have the worlds make moves one after the other, and read all that they are told."""
    for number, move in enumerate(moves, first - 1):
        worlds[number % len(worlds)].says(f"(move {move})")
    heard(worlds)


DOWN = ("player 4.0 1.0", "player 4.0 7.0", "player 4.0 2.0", "player 4.0 6.0", "player 4.0 3.0", "player 4.0 5.0",
        "player 4.0 4.0", "player 3.0 5.0", "player 4.0 5.0", "player 3.0 4.0", "player 4.0 6.0", "player 3.0 3.0",
        "player 4.0 7.0", "player 3.0 2.0", "player 4.0 8.0")  # fmt: skip
"""A legal game of two that world 1 begins and wins."""

FOUR = ("player 4.0 1.0", "player 3.0 8.0", "player 1.0 4.0", "player 8.0 5.0",
        "player 4.0 2.0", "player 2.0 8.0", "player 2.0 4.0", "player 8.0 6.0",
        "player 4.0 3.0", "player 1.0 8.0", "wall 0.0 1.0 horizontal", "player 8.0 7.0",
        "player 4.0 4.0", "player 0.0 8.0", "wall 2.0 1.0 horizontal", "player 8.0 8.0",
        "player 4.0 5.0", "player 0.0 7.0", "player 3.0 4.0", "wall 8.0 0.0 vertical",
        "player 4.0 6.0", "player 0.0 6.0", "player 4.0 4.0", "player 8.0 7.0",
        "player 4.0 7.0", "player 0.0 5.0", "player 5.0 4.0", "player 8.0 6.0",
        "player 4.0 8.0")  # fmt: skip
"""A legal game of four that world 1 begins and wins."""


def gone(leaver: int) -> list[str]:
    """Return what a world hears when another one leaves."""
    return [f"(disconnect {leaver} (wall 4 4 horizontal))"]


def play_out(harness: Harness, players: Sequence[Player]) -> list[bytes]:
    """Connect players, each when the ones before have nothing more to say, and play; return what each has sent."""
    seats: list[_Seat] = []
    for player in players:
        seats.append(_Seat(player, World(harness.connect())))
        seats[-1].send(player.begin())
        # Not `any`, which would stop at the first one.
        while sum([seat.answers() for seat in seats]):
            pass
    return [seat.sent for seat in seats]


@define(eq=False)
class _Seat:
    player: Player
    world: World
    sent: bytes = b""

    def send(self, data: bytes) -> None:
        self.sent += data
        if data:
            self.world.wire.send(data)

    def answers(self) -> bool:
        """Have the player answer what has come; False if nothing has."""
        new = self.world.wire.received[self.world.read :]
        self.world.read += len(new)
        if not new or self.player.is_done:
            return False
        self.send(self.player.receive_data(new))
        return True
