"""`gamed record`: writes a game down move by move. The game's `Recorder` does all but the input and the file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from attrs import define

from gamed.cli.conversion import written
from gamed.cli.sources import by_ending
from gamed.cli.terminal import game_options
from gamed.core.errors import GamedError, RuleError
from gamed.core.texts import printable
from gamed.registry import written_games

GAME: Final = next(iter(written_games().values()))
HELP: Final = """
save, quit                     write the file; quit also ends
save FILE, quit FILE           write to this file from now on"""


@click.command(
    epilog='Example: gamed record game.xml --black "Anna" --white "Bert" --komi 6.5',
)
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False))
@game_options({name: (option, "") for name, option in GAME.new_facts.items()})
def record(target: str, **facts: Any) -> None:
    """Record a game: enter moves, take them back, start variations, comment.

    The end of OUT says in which format it is written. Commands are read from standard input, one per line; `help` lists
    them.
    """
    recorder = GAME.formats.recorder(facts)
    sheet = Sheet(recorder.game, free(Path(target)))
    click.echo(recorder.picture())
    while True:
        for line in lines():
            word, _, name = line.partition(" ")
            if word.lower() in ("save", "quit"):
                if sheet.is_saved(name.strip()) and word.lower() == "quit":
                    return
            elif line.lower() == "help":
                click.echo(GAME.formats.HELP + HELP)
            else:
                obey(recorder, line)
        # The input has ended. If the file cannot be written, a person at a terminal can still name another one.
        if sheet.is_saved() or not sys.stdin.isatty():
            break
    if not sheet.is_written:
        click.echo(sheet.document, nl=False)
        raise GamedError("the game could not be written to a file: it was printed on standard output instead")


@define
class Sheet:
    """A game, and the file that it is written to."""

    game: Any
    file: Path
    is_written: bool = False
    """Whether the last `is_saved` has written the file."""

    @property
    def document(self) -> bytes:
        """The game as it is now, in the format that the name of the file says."""
        name = str(self.file)
        usual = None if by_ending(name) is None else GAME.format_of(name)
        return GAME.formats.write(self.game, usual or GAME.recorded_as)[0]

    def is_saved(self, name: str = "") -> bool:
        """Write the game, to another file if `name` is given. Print the result; return whether it was written."""
        try:
            if name and Path(name) != self.file:
                self.file, self.is_written = free(Path(name)), False
            written(self.file, self.document)
        except GamedError as error:
            self.is_written = False
            click.echo(
                printable(f"{error}. The game is not lost yet: write it to another file with `save FILE`"), err=True
            )
        else:
            self.is_written = True
            click.echo(f"{self.file} is written")
        return self.is_written


def free(file: Path) -> Path:
    """Return the file if it does not exist and can be created. Raises GamedError."""
    try:
        file.open("xb").close()
        file.unlink()
    except FileExistsError as error:
        raise GamedError(f"{file} exists already and is not overwritten: choose another name") from error
    except OSError as error:
        raise GamedError(f"cannot write {file}: {error.strerror}: choose another name") from error
    return file


def lines() -> Iterator[str]:
    """Yield the lines of the input that are not blank; on a terminal, show a prompt."""
    while True:
        if sys.stdin.isatty():
            click.echo("> ", nl=False)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


def obey(recorder: Any, line: str) -> None:
    """Execute a line, and print the result."""
    try:
        click.echo(printable_lines(recorder.enter(line)))
    except RuleError as error:
        click.echo(printable(str(error)), err=True)


def printable_lines(text: str) -> str:
    """Return a text of several lines without other control characters."""
    return "\n".join(map(printable, text.split("\n")))
