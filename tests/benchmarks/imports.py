"""The import of 10,000 Go games of 200 moves: games a second, memory, and xmlschema's validation of the same files.

    python -m tests.benchmarks.imports [GAMES]

lxml's validation must be at least ten times as fast as xmlschema's, and the whole import (parsing, both validations,
rules, storing) at least twice, aim four times, as fast as xmlschema's validation.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from lxml import etree

from gamed.core.errors import RuleError
from gamed.games.go.board import Board
from gamed.games.go.gofans import write
from gamed.games.go.tree import GoGame, Node, Player, Point
from gamed.records.index import _explaining, index
from gamed.records.parsing import parse_whole
from gamed.records.record import document

MOVES = 200
DIFFERENT = 100
VALIDATED = 40
"""Games that xmlschema validates: it takes too long for all of them."""

MEASURED = """
import resource, sys
from gamed.cli import main
sys.argv = ["gamed", *sys.argv[1:]]
try:
    main()
finally:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(usage.ru_maxrss, usage.ru_utime + usage.ru_stime, file=sys.stderr)
"""


def game(random: Random) -> GoGame:
    """Return a game of random legal moves."""
    board = Board.start(19)
    roots: list[Node] = []
    following = roots
    for number in range(MOVES):
        player = number % 2
        while True:
            point = Point(random.randint(1, 19), random.randint(1, 19))
            try:
                board.play(point, ("black", "white")[player])
            except RuleError:
                continue
            break
        node = Node(player, point)
        following.append(node)
        following = node.children
    players = (Player(0, "Black", "3d", "black", 45.0), Player(1, "White", "2d", "white", 38.5))
    return GoGame(19, players, komi=6.5, rules="japanese", roots=roots)


def made(folder: Path, games: int) -> list[bytes]:
    """Write the games; return some documents."""
    random = Random(7)
    different = [document(write(game(random), "1.1", record_id="")) for _ in range(DIFFERENT)]
    for number in range(games):
        text = different[number % DIFFERENT].replace(b"<header>", b"<header>\n    <title>Game %d</title>" % number, 1)
        (folder / f"{number:06d}.xml").write_bytes(text)
    return different


def imported(folder: Path, config: Path, label: str) -> tuple[float, int]:
    """Import a folder; return seconds and the peak of memory in KiB."""
    started = time.perf_counter()
    command = [sys.executable, "-c", MEASURED, "import", str(folder), "--config", str(config)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    peak, cpu = re.findall(r"^(\d+) ([\d.]+)$", found.stderr, re.MULTILINE)[0]
    told = found.stdout.splitlines()[-1]
    print(f"{label}: {told}: {seconds:.1f} s ({float(cpu):.1f} s CPU), peak {int(peak) >> 10} MiB")
    return seconds, int(peak)


def validations(documents: list[bytes]) -> tuple[float, float]:
    """Return the milliseconds that lxml and xmlschema take to validate one document against both its schemas."""
    own = index().formats["GoFans", "1.1"].schema
    roots = [parse_whole(text) for text in documents]
    started = time.process_time()
    for root in roots:
        assert index().standard.compiled.validate(root)
        assert own.compiled.validate(root)
    fast = (time.process_time() - started) / len(roots)
    schemas = [_explaining(index().standard.file), _explaining(own.file)]
    trees = [etree.fromstring(text) for text in documents[:VALIDATED]]
    started = time.process_time()
    for root in trees:
        assert all(schema.is_valid(root) for schema in schemas)
    return fast * 1000, (time.process_time() - started) / len(trees) * 1000


def main(games: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "games").mkdir()
        (folder / "few").mkdir()
        config = folder / "gamed.toml"
        config.write_text('[store]\nurl = "sqlite:///games.db"\n')
        made(folder / "few", games // 10)
        documents = made(folder / "games", games)
        print(f"{games} games of {MOVES} moves, {len(documents[0])} bytes each")
        _, few = imported(folder / "few", config, "a tenth")
        (folder / "games.db").unlink()
        seconds, peak = imported(folder / "games", config, "all")
        imported(folder / "games", config, "again")
        each = seconds / games * 1000
        fast, slow = validations(documents)
        print(f"{games / seconds:.0f} games/s, {each:.2f} ms a game")
        print(f"memory: {(peak - few) / 1024:+.1f} MiB for ten times as many games")
        print(f"validation: lxml {fast:.3f} ms, xmlschema {slow:.2f} ms: {slow / fast:.0f} times as fast")
        print(f"xmlschema's validation alone takes {slow / each:.1f} times as long as the whole import")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
