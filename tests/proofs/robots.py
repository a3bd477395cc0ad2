"""Plays RoboRally against a daemon: `python -m tests.proofs.robots PORT GAMES PLAYERS CHANNELS`.

Prints a JSON object: how often each name won, the programs made, the frames that the channels saw, and the seconds.
"""

from __future__ import annotations

import json
import sys
import time
from random import Random
from string import ascii_uppercase
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater, react

from gamed.bots.play import play
from gamed.bots.watch import watch
from gamed.games.roborally import game_type
from gamed.games.roborally.viewer import Viewer

PATIENCE = 20.0
"""Seconds that a registration may take."""


async def registered(peers: list[Any]) -> None:
    """Wait until the manager has accepted all."""
    begun = time.monotonic()
    while not all(peer.is_registered for peer in peers):
        if time.monotonic() - begun > PATIENCE:
            raise AssertionError("a registration was not answered")
        await deferLater(reactor, 0.002)


async def main(port: int, games: int, players: int, channels: int) -> None:
    """Fill one lobby after the other, channels first, and wait until the games have ended."""
    begun = time.monotonic()
    strategies = list(game_type.players.values())
    runs = []
    frames: list[str] = []
    for game in range(games):
        viewers = [Viewer(f"Tafel{ascii_uppercase[number]}") for number in range(channels)]
        runs += [
            Deferred.fromCoroutine(
                watch(reactor, "127.0.0.1", port, viewer, lambda frame: frames.append(frame.caption))
            )
            for viewer in viewers
        ]
        await registered(viewers)
        bots = [
            strategies[number % len(strategies)](Random(100 * game + number), name=f"Bot{ascii_uppercase[number]}")
            for number in range(players)
        ]
        runs += [Deferred.fromCoroutine(play(reactor, "127.0.0.1", port, bot)) for bot in bots]
        await registered(bots)
    results = await gatherResults(runs, consumeErrors=True)
    played = [result for result in results if result is not None]
    print(
        json.dumps(
            {
                "won": sum(result.won is True for result in played),
                "programs": sum(result.moves for result in played),
                "frames": len(frames),
                "ends": sum(caption.startswith("the game is over") for caption in frames),
                "seconds": time.monotonic() - begun,
            }
        )
    )


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    react(lambda _reactor: Deferred.fromCoroutine(main(*numbers)))
