"""Games of Battleship between processes: `gamed`'s runner and daemon, and a bare Twisted loop with the same clients.

Run as `python -m tests.benchmarks.arena fresh|kept GAMES CONCURRENCY`, it plays with the runner and a private daemon,
and prints how many games a second it has played.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import UNIXClientEndpoint, connectProtocol
from twisted.internet.task import react

from gamed.arena.daemon import PrivateDaemon
from gamed.arena.entrants import Entrant
from gamed.arena.runner import Runner
from gamed.core.game import Termination
from gamed.games.battleship import game_type
from gamed.tournament.schedule import Plan, played
from tests.benchmarks.measuring import HERE, Programs

GAMES = 200
CONCURRENCY = 2
CLIENT = [sys.executable, "-I", "-S", str(HERE / "arena_client.py")]
LINES = 266
"""How many a game has, 67 shots of the winner included."""


async def match(reactor: Any, start: str, games: int, concurrency: int) -> float:
    """Play a match, and return how many games a second it had. The daemon runs by then."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = PrivateDaemon(reactor, Path(folder))
        path = await daemon.start()
        bots = [Entrant(name, [*CLIENT, "{host}", "{port}", start], Path("/")) for name in ("Anna", "Bert")]
        runner = Runner(
            reactor,
            game_type.kind,
            {**game_type.contest.options, **game_type.contest.time(10.0)},
            Plan("6f0c1f0e-0000-4000-8000-000000000001", 7, 2, games),
            bots,
            concurrency,
            {},
            game_type.contest.seat_name,
            lambda _finished: None,
            is_kept=start == "kept",
        )
        await connectProtocol(UNIXClientEndpoint(reactor, path), runner.client)
        await runner.take_over("benchmark")
        begun = time.monotonic()
        await runner.play()
        spent = time.monotonic() - begun
        results = [game.result for game in played(runner.plan, runner.results)]
        assert [(result.termination, result.moves) for result in results] == games * [(Termination.VICTORY, LINES)]
        await daemon.stop()
    return games / spent


def games(programs: Programs, start: str) -> Sequence[float]:
    """Return the milliseconds of a game, by the runner and a private daemon."""
    return _milliseconds(
        [programs.scripts / "python", "-m", "tests.benchmarks.arena", start, str(GAMES), str(CONCURRENCY)]
    )


def bare_games(start: str) -> Sequence[float]:
    """Return the milliseconds of a game, by the reference."""
    loop = [sys.executable, HERE / "bare_arena.py", start, str(GAMES), str(CONCURRENCY)]
    return _milliseconds([*loop, *CLIENT, "127.0.0.1", "{port}", start])


def _milliseconds(command: Sequence[Any]) -> Sequence[float]:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    return (1000 / float(done.stdout),)


if __name__ == "__main__":

    async def main(reactor: Any) -> None:
        """Play, and print."""
        print(await match(reactor, sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))

    react(lambda reactor: Deferred.fromCoroutine(main(reactor)))
