"""Our own bots, many at once in one process: `many_bots.py PORT BOTS` prints what they report as a JSON list."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from random import Random

from attrs import define
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import react

from gamed.bots.play import play
from gamed.games.battleship import game_type
from gamed.registry import Player


@define
class Noting:
    """A player that notes what it sends: in records, that is the only thing that tells players apart."""

    player: Player
    sent: bytes = b""

    def begin(self) -> bytes:
        return self.player.begin()

    def receive_data(self, data: bytes) -> bytes:
        answer = self.player.receive_data(data)
        self.sent += answer
        return answer

    @property
    def is_done(self) -> bool:
        return self.player.is_done

    @property
    def won(self) -> bool | None:
        return self.player.won

    @property
    def moves(self) -> int:
        return self.player.moves


def noting(strategy: str, players: list[Noting]) -> Callable[[Random], Player]:
    """Return what makes a player of a strategy, and adds it to the list."""

    def make(random: Random) -> Player:
        players.append(Noting(game_type.players[strategy](random)))
        return players[-1]

    return make


async def one(reactor: object, port: int, number: int) -> dict[str, object]:
    """Play one match and return what its bot reports."""
    players: list[Noting] = []
    strategy = ("open-list", "density")[number % 2]
    player = noting(strategy, players)(Random(number))
    played = await play(reactor, "127.0.0.1", port, player)
    sent = players[0].sent.decode("ascii").splitlines()
    return {"won": played.won, "moves": played.moves, "seconds": played.seconds, "sent": sent}


def main(reactor: object, port: str, bots: str) -> Deferred[None]:
    """Play all matches at once."""
    all_bots = [Deferred.fromCoroutine(one(reactor, int(port), number)) for number in range(int(bots))]
    return gatherResults(all_bots, consumeErrors=True).addCallback(lambda reports: print(json.dumps(reports)))


if __name__ == "__main__":
    react(main, sys.argv[1:])
