"""Our Quoridor bots, many in one process: `quoridor_bots.py PORT BOTS` prints what they report as a JSON list."""

from __future__ import annotations

import json
import sys
from random import Random

from attrs import define
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import react

from gamed.bots.play import play
from gamed.games.quoridor import game_type
from gamed.registry import Player

STRATEGIES = ("path", "search", "path", "random")


@define
class Noting:
    """A player that notes what it sends."""

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


async def one(reactor: object, port: int, number: int) -> dict[str, object]:
    """Play one game and return what its bot reports."""
    strategy, name = STRATEGIES[number % len(STRATEGIES)], f"bot {number}"
    player = Noting(game_type.players[strategy](Random(number), name=name))
    played = await play(reactor, "127.0.0.1", port, player)
    moves = [line[6:-1].replace(".0", "") for line in player.sent.decode().splitlines() if line.startswith("(move ")]
    return {"name": name, "strategy": strategy, "won": played.won, "moves": moves, "seconds": played.seconds}


def main(reactor: object, port: str, bots: str) -> Deferred[None]:
    """Play all games at once."""
    all_bots = [Deferred.fromCoroutine(one(reactor, int(port), number)) for number in range(int(bots))]
    return gatherResults(all_bots, consumeErrors=True).addCallback(lambda reports: print(json.dumps(reports)))


if __name__ == "__main__":
    react(main, sys.argv[1:])
