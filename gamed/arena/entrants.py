"""What a user writes for a bot: a command, an executable, a ZIP, or one of gamed's own; `NAME=` in front names it.

Source: docs/topics/design.md#the-runner.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

from gamed.arena.archives import start_script
from gamed.arena.slots import Start
from gamed.core.errors import GamedError
from gamed.registry import GameType, Preset

OURS: Final = "bot:"
"""What a strategy of gamed's own bots begins with."""

ARCHIVE: Final = ".zip"
"""What the name of an archive ends with."""

PLACEHOLDERS: Final = ("host", "port", "code", "name", "seed")

_NAMED: Final = re.compile(r"([^\s=/:{}'\"\\]+)=(.*)", re.DOTALL)
_GAMED: Final = "from gamed.cli import main; main()"


class EntrantError(GamedError):
    """A bot cannot be started in this way."""


@frozen
class Entrant:
    """A bot as a program."""

    name: str
    command: Sequence[str]
    """Words, with `{host}`, `{port}`, `{code}`, `{name}` and `{seed}` where these are to be put in."""

    folder: Path
    """Where it runs."""

    arguments: Sequence[Sequence[str]] = ((),)
    """Further words: pairs of games get one of these in turn."""

    archive: Path | None = None
    """What is unpacked into its folder before the match."""

    is_fresh: bool = False
    """Whether the archive is unpacked for each game instead, into a folder in that one."""

    is_executable: bool = True
    """Whether the archive says that its start script can be executed."""

    def start(self, values: Mapping[str, str], limits: Mapping[str, int], pair: int = 0) -> Start:
        """Return how it is started for a game of a pair."""
        words = [*self.command, *self.arguments[pair % len(self.arguments)]]
        return Start([filled(word, values) for word in words], self.folder, os.environ, **limits)


def filled(word: str, values: Mapping[str, str]) -> str:
    """Return a word of a command with the values in place of their names in braces; other braces stand."""
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def entrants(
    texts: Sequence[str], game_type: GameType, folder: Path, unpacked: Path, preset: Preset | None = None
) -> list[Entrant]:
    """Return the entrants that some texts describe, with distinct names. Raises EntrantError, ArchiveError.

    They run in a folder; archives are unpacked into folders of their own in another one.
    """
    found: list[Entrant] = []
    for text in texts:
        made = entrant(text, game_type, folder, preset)
        names = {other.name for other in found}
        numbers = (f"{made.name}-{number}" for number in range(2, len(texts) + 1))
        name = next(name for name in (made.name, *numbers) if name not in names)
        # With the number in front, no name leads out of it.
        place = made.folder if made.archive is None else unpacked / f"{len(found) + 1}-{name}"
        found.append(evolve(made, name=name, folder=place))
    return found


def entrant(text: str, game_type: GameType, folder: Path, preset: Preset | None = None) -> Entrant:
    """Return the entrant that a text describes; it runs in a folder. Raises EntrantError, ArchiveError."""
    named = _NAMED.fullmatch(text)
    name, command = named.groups() if named else ("", text)
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise EntrantError(f"{text}: {error}; quote it as in a shell") from error
    if not words:
        raise EntrantError(f"{text!r} names no program")
    if words[0].startswith(OURS):
        strategy = words[0].removeprefix(OURS)
        return Entrant(name or strategy, _ours(strategy, words[1:], game_type), folder)
    arguments = (game_type.contest.arguments,) if preset is None else preset.arguments
    usual = [one.split() for one in arguments]
    archive = folder / words[0]
    if words[0].endswith(ARCHIVE):
        script, is_executable = start_script(archive)
        more = [words[1:]] if words[1:] else usual
        is_fresh = preset is not None
        return Entrant(name or archive.stem, [f"./{script}"], folder, more, archive, is_fresh, is_executable)
    _check(words[0], folder)
    more = [[]] if any(_has_placeholder(word) for word in words) else usual
    return Entrant(name or _name_of(words, folder), words, folder, more)


def _has_placeholder(word: str) -> bool:
    return any(f"{{{name}}}" in word for name in PLACEHOLDERS)


def _ours(strategy: str, more: Sequence[str], game_type: GameType) -> list[str]:
    """Return the command of one of gamed's own bots."""
    if strategy not in game_type.players:
        has = ", ".join(f"{OURS}{name}" for name in game_type.players)
        raise EntrantError(f"{game_type.kind} has no {OURS}{strategy}; it has {has}")
    options = {"reservation": "{code}", "name": "{name}", "pace": "0", "stay": "0"}
    own = [word for name, value in options.items() if name in game_type.player_options for word in (f"--{name}", value)]
    place = ["--host", "{host}", "--port", "{port}", "--seed", "{seed}", "--strategy", strategy]
    return [sys.executable, "-c", _GAMED, "bot", game_type.kind, *place, *own, *more]


def _check(program: str, folder: Path) -> None:
    """Raise EntrantError if there is no such program."""
    if shutil.which(program if "/" not in program else str(folder / program)) is not None:
        return
    if not os.path.exists(folder / program):  # noqa: PTH110 (see _files)
        raise EntrantError(f"there is no program {program}")
    if "/" not in program:
        raise EntrantError(f"there is no program {program} in the PATH; for the file in this folder write ./{program}")
    raise EntrantError(
        f"{program} cannot be executed; run chmod +x {program}, or write what runs it: 'python3 {program}'"
    )


def _files(words: Sequence[str], folder: Path) -> Iterator[Path]:
    """Yield the files that the words of a command name, the program's included."""
    for word in words:
        # `Path.is_file` raises OSError for a word that is too long for a name.
        if os.path.isfile(folder / word):  # noqa: PTH113
            yield folder / word
        elif word == words[0] and (found := shutil.which(word)) is not None:
            yield Path(found)


def _name_of(words: Sequence[str], folder: Path) -> str:
    """Return the name of a bot that was given none: that of its last file."""
    return list(_files(words, folder))[-1].stem


def digest(entrant: Entrant) -> str:
    """Return a digest of an entrant's archive, or of the files that its command names."""
    made = hashlib.blake2b(digest_size=16)
    files = _files(entrant.command, entrant.folder) if entrant.archive is None else [entrant.archive]
    for file in files:
        with file.open("rb") as opened:
            made.update(hashlib.file_digest(opened, "blake2b").digest())
    return made.hexdigest()
