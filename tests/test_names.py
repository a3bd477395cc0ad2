"""Nothing in gamed/ outside gamed/games/ names a game: what the shell needs of one, it finds in the registry.

Comments, help texts, citations and file names count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.registry import game_types, games, written_games

ROOT = Path(__file__).resolve().parent.parent
BINARY = {".pyc", ".png", ".svg"}


def names() -> re.Pattern[str]:
    """Return what matches a game's name as a word. A written game's may be a word of English: it counts in context."""
    hosted = {*games(), *(name for made in game_types().values() for name in (made.kind, made.title))}
    plain = [re.escape(name) for name in sorted(filter(None, hosted))]
    plain += [re.escape(game.publisher) for game in written_games().values()]
    hyphened = ["software-challenge"]
    inside = [
        pattern
        for game in written_games().values()
        for pattern in (
            rf"gamed\.games\.{game.kind}\b",
            rf'(?-i:"{game.kind}"(?!\)))',
            rf"(?-i:\b{game.title}[- ](?:game|record|board|stone|Partie)s?\b)",
            rf"(?-i:\b(?:of|in|for|play) {game.title}\b)",
        )
    ]
    return re.compile(rf"(?i)\b(?:{'|'.join([*plain, *hyphened])})\b|{'|'.join(inside)}")


def found() -> Iterator[tuple[str, int, str]]:
    """Yield each place that names a game: the file, the line's number and the line."""
    wanted = names()
    for path in sorted((ROOT / "gamed").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if not path.is_file() or path.suffix in BINARY or name.startswith("gamed/games/"):
            continue
        if wanted.search(name):
            yield name, 0, name
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if wanted.search(line):
                yield name, number, line.strip()


class NamesTests(SynchronousTestCase):
    def test_no_game_is_named_outside_its_folder(self) -> None:
        self.assertEqual([*found()], [])

    def test_the_pattern_knows_a_game_from_a_word(self) -> None:
        wanted = names()
        for text in (
            "Hive",
            "from gamed.games.go import x",
            'kind === "go"',
            "a Go game",
            "#roborally",
            "a game of Go",
        ):
            self.assertIsNotNone(wanted.search(text), text)
        for text in ("archive", "to go on", "Go on", 't("go")', "beehives", "goes"):
            self.assertIsNone(wanted.search(text), text)
