"""All strategies of gamed's bots against each other: `python -m tests.benchmarks.strategies` prints the tables.

Each pair plays on a real daemon, as two processes of `gamed bot`; the Prolog program of `examples/` plays Battleship,
too, if swipl is installed. docs/reference/strategies.md has the tables.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from gamed.registry import game_types
from tests.daemon import ROOT, SCRIPTS, Daemon, free_port, section
from tests.interop.programs import end

GAMES = {"battleship": 100}
FEW = 20
"""How many games each pair plays, if `GAMES` does not say it."""

PROLOG = "Prolog program"
KEYS = {"softwarechallenge": "soft_seconds = 600.0\nhard_seconds = 600.0", "roborally": "start_delay = 0.0"}
OPTIONS = {"quoridor": ("--pace", "0", "--stay", "0")}
LISTENERS = {"hive": "softwarechallenge"}
"""The sections of games whose listener has another name."""

_GAME = re.compile(r"^game \d+: (won|lost) in [0-9.]+ s, (\d+) shots$", re.MULTILINE)


class Result(NamedTuple):
    """A game of one side."""

    won: bool | None
    moves: int


class Bots:
    """Starts bots on a daemon. `games`: how many each plays."""

    def __init__(self, ports: dict[str, int], games: int) -> None:
        self.ports, self.games = ports, games

    def start(self, game: str, strategy: str, seed: int) -> subprocess.Popen[str]:
        """Start a bot, or the Prolog program."""
        port, games = str(self.ports[game]), str(self.games)
        command = [str(SCRIPTS / "gamed"), "bot", game, "--strategy", strategy, "--json", *OPTIONS.get(game, ())]
        if strategy == PROLOG:
            command = [
                "swipl",
                "-q",
                "-g",
                "main",
                "-t",
                "halt",
                str(ROOT / "examples" / "battleship" / "main.pl"),
                "--",
            ]
        more = ["--port", port, "--games", games, "--seed", str(seed)]
        return subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True)

    def played(self, game: str, one: str, other: str) -> tuple[list[Result], list[Result]]:
        """Let two strategies play; return what each of them says of the games."""
        bots = [self.start(game, strategy, seed) for seed, strategy in enumerate((one, other), 1)]
        try:
            first, second = (read(bot.communicate(timeout=3_600)[0]) for bot in bots)
        finally:
            for bot in bots:
                end(bot)
        return first, second


def read(output: str) -> list[Result]:
    """Return the results of a bot by its JSON, or of the Prolog program by its lines."""
    if output.startswith("["):
        return [Result(found["won"], found["moves"]) for found in json.loads(output)]
    return [Result(won == "won", int(shots)) for won, shots in _GAME.findall(output)]


def table(game: str, strategies: Sequence[str], bots: Bots) -> Iterator[str]:
    """Yield the lines of a game's table."""
    results: dict[tuple[str, str], list[Result]] = {}
    for one, other in combinations_with_replacement(strategies, 2):
        results[one, other], second = bots.played(game, one, other)
        if one != other:
            results[other, one] = second
    yield f"| Strategy | {' | '.join(f'against {name}' for name in strategies)} | moves when it wins |"
    yield "|---" * (len(strategies) + 2) + "|"
    for name in strategies:
        cells = [score(results[name, other]) for other in strategies]
        won = [result.moves for other in strategies for result in results[name, other] if result.won]
        spread = f"mean {fmean(won):.1f}, median {median(won):g}, {min(won)} to {max(won)}" if won else ""
        yield f"| {name} | {' | '.join(cells)} | {spread} |"


def score(results: Sequence[Result]) -> str:
    """Return wins, draws and losses."""
    won, lost = (sum(result.won is side for result in results) for side in (True, False))
    drawn = len(results) - won - lost
    return f"{won} : {lost}" + (f", {drawn} drawn" if drawn else "")


def main() -> None:
    """Print the tables of the games that are named, or of all."""
    types = game_types()
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.strategies", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(types), help="default: all")
    parser.add_argument("--number", type=int, help="games of each pair (default: 100 of battleship, else 20)")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        ports = {game: free_port() for game in types if game not in ("battleship", "quoridor")}
        sections = [
            section(LISTENERS.get(game, game), port, KEYS.get(LISTENERS.get(game, game), ""))
            for game, port in ports.items()
        ]
        daemon = Daemon(Path(folder), quoridor="", more="".join(sections))
        ports |= {"battleship": daemon.port, "quoridor": daemon.quoridor_port}
        daemon.start()
        try:
            for game in options.games:
                strategies = list(types[game].players)
                if game == "battleship" and shutil.which("swipl"):
                    strategies.append(PROLOG)
                print(f"## {game}\n")
                for line in table(game, strategies, Bots(ports, options.number or GAMES.get(game, FEW))):
                    print(line)
                print()
        finally:
            daemon.kill()


if __name__ == "__main__":
    main()
