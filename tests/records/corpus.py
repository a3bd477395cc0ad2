"""SGF files through the whole chain; not a test of its own.

Run: python -m tests.records.corpus DIRECTORY [MORE]

Each game of each `*.sgf` file goes from SGF to GoFans 1.1 and 1.2, each of these to 2.1 and 2.2, all of them through
their schemas, and back to SGF: main line, setup and result must be the same, and through x.2 the variations, too.
A line a file, and a summary; the status is 0 only if no game failed. No failures of the chain, but counted or skipped:
a file that cannot be read, a game that the rules refuse (it has no 2.x), and one that is deeper than x.2 allows.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from attrs import define, field

from gamed.core.errors import RuleError
from gamed.games.go import gofans, sgf
from gamed.games.go.convert import convert
from gamed.games.go.sgf_values import SgfError
from gamed.games.go.tree import GoGame, Node
from gamed.records.index import validate
from gamed.records.record import RecordError, document
from tests.records.gogames import read_sgf

Moves = list[tuple[int, object, str | None]]


def moves(nodes: Iterator[Node]) -> Moves:
    """Return moves as they can be compared."""
    return [(node.player, node.point, node.color) for node in nodes]


def tree(game: GoGame) -> list[tuple[int, tuple[int, object, str | None]]]:
    """Return all moves with their depths."""
    return [(depth, (node.player, node.point, node.color)) for depth, node in game.walk()]


def held(game: GoGame) -> tuple[object, ...]:
    """Return what every chain must keep of a game."""
    points = [player.points for player in game.players]
    return moves(game.main_line()), frozenset(game.setup), points, game.size, game.komi, game.handicap


def through(game: GoGame, *versions: str) -> GoGame:
    """Return a game as it comes out of one version after the other, each written, validated and read."""
    for version in versions:
        converted, _ = convert(game, version)
        record = gofans.write(converted, version, record_id="corpus")
        validate(document(record))
        game = gofans.read(record)
        if gofans.write(game, version, record_id="corpus") != record:
            raise AssertionError(f"{version} changes when it is written again")
    return game


def chains(game: GoGame) -> Iterator[tuple[str, ...]]:
    """Yield the ways through the versions; not to 2.x if the rules refuse the game."""
    yield from (("1.1",), ("1.2",), ("1.2", "1.1"))
    try:
        convert(game, "2.2")
    except RuleError:
        return
    yield from (("1.1", "2.1", "1.1"), ("1.2", "2.2", "1.2"), ("1.1", "2.2"), ("1.2", "2.1"), ("2.2", "2.1", "1.2"))


def failures(game: GoGame) -> Iterator[str]:
    """Yield what is not the same at the end of each chain."""
    for chain in chains(game):
        try:
            data, _ = sgf.write([through(game, *chain)])
            back = read_sgf(data)[0][0]
        except RecordError as error:
            if error.code == "forbidden" and "2" in {version[-1] for version in chain}:
                # Deeper than x.2 allows.
                continue
            yield f"{'-'.join(chain)}: {error}"
            continue
        if held(back) != held(game):
            yield f"{'-'.join(chain)}: main line, setup or result"
        if all(gofans.has_variations(version) for version in chain) and tree(back) != tree(game):
            yield f"{'-'.join(chain)}: variations"


@define
class Summary:
    """What was seen."""

    counts: Counter[str] = field(factory=Counter)
    notes: Counter[str] = field(factory=Counter)

    def file(self, path: Path) -> str:
        """Return the line on a file."""
        self.counts["files"] += 1
        try:
            games = read_sgf(path.read_bytes())
        except SgfError as error:
            self.counts["files that cannot be read"] += 1
            return f"{path}: {error}"
        said = [line for game, notes in games for line in self.game(game, notes)]
        return f"{path}: {len(games)} {'; '.join(said) or 'ok'}"

    def game(self, game: GoGame, notes: list[str]) -> Iterator[str]:
        """Yield what is to be said of a game, and count it."""
        all_moves, main = sum(1 for _ in game.walk()), sum(1 for _ in game.main_line())
        self.counts.update({"games": 1, "moves": all_moves, "moves of main lines": main})
        self.counts["games with variations"] += all_moves > main
        self.counts["games with setup"] += bool(game.setup)
        self.notes.update(note.split(",")[0] for note in notes)
        refused = self.refused(game)
        if refused is not None:
            self.counts["games that the rules refuse"] += 1
            yield refused
        failed = list(failures(game))
        self.counts["games that failed"] += bool(failed)
        yield from failed

    def refused(self, game: GoGame) -> str | None:
        """Return why the rules refuse a game, None if they do not."""
        try:
            convert(game, "2.2")
        except RuleError as error:
            return f"refused: {error}"
        return None

    def lines(self) -> Iterator[str]:
        """Yield the summary."""
        yield from (f"{count:9,} {what}" for what, count in self.counts.items())
        yield from (f"{count:9,} x {what}" for what, count in self.notes.most_common(60))


def main(arguments: list[str]) -> int:
    """Check directories. Returns the status."""
    summary = Summary()
    for directory in arguments:
        for path in sorted(Path(directory).rglob("*.sgf")):
            print(summary.file(path))
    print(*summary.lines(), sep="\n")
    return int(summary.counts["games that failed"] > 0 or not summary.counts["games"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
