"""Many of gamed's bots in one process: `python -m tests.proofs.bots GAME PORT BOTS`.

Prints a JSON list of what they report: their names, where the game has names, whether they won, the seconds it took,
and all that they sent, which in some records is the only thing that tells players apart.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from random import Random
from types import ModuleType

from attrs import define
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import react

from gamed.bots.play import play
from gamed.core.clients import Player
from gamed.games import battleship, quoridor

GAMES: Mapping[str, ModuleType] = {"battleship": battleship, "quoridor": quoridor}
STRATEGIES = {"battleship": ("open-list", "density"), "quoridor": ("path", "search", "path", "random")}
"""The strategies of a game's bots, in turn."""


@define
class Noting:
    """A player that records what it sends."""

    player: Player
    sent: bytes = b""

    def begin(self) -> bytes:
        self.sent = self.player.begin()
        return self.sent

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


async def one(reactor: object, game: str, port: int, number: int) -> dict[str, object]:
    """Play one match, and return the bot's report."""
    strategy = STRATEGIES[game][number % len(STRATEGIES[game])]
    options = {} if game == "battleship" else {"name": f"bot {number}"}
    player = Noting(GAMES[game].game_type.players[strategy](Random(number), **options))
    played = await play(reactor, "127.0.0.1", port, player)
    sent = player.sent.decode("ascii").splitlines()
    return {"won": played.won, "seconds": played.seconds, "moves": played.moves, "sent": sent, **options}


def main(reactor: object, game: str, port: str, bots: str) -> Deferred[None]:
    """Play all matches at once."""
    all_bots = [Deferred.fromCoroutine(one(reactor, game, int(port), number)) for number in range(int(bots))]
    return gatherResults(all_bots, consumeErrors=True).addCallback(lambda reports: print(json.dumps(reports)))


if __name__ == "__main__":
    react(main, sys.argv[1:])
