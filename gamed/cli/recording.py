"""`gamed record`: records a Go game move by move. The recorder itself, without I/O, is `gamed.games.go.recorder`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from attrs import define

from gamed.cli.conversion import AS_SGF, GOFANS, in_format, written
from gamed.cli.sources import is_sgf
from gamed.core.errors import GamedError, RuleError
from gamed.games.go.hoshi import handicap as stones
from gamed.games.go.recorder import Recorder
from gamed.games.go.tree import GoGame, Player
from gamed.texts import printable

VERSION: Final = "2.2"
HELP: Final = """\
D4 (any point), pass, resign   make a move
undo                           take the last move back
back, forward                  walk along the line; another move then begins a variation
comment TEXT, title TEXT       note something on this move, or name the game
show                           print the board
save, quit                     write the file; quit also ends
save FILE, quit FILE           write to this file from now on"""


@click.command(epilog='Example: gamed record game.xml --black "Anna" --white "Bert" --komi 6.5')
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False))
@click.option(
    "--size", type=click.IntRange(1, 52), default=19, show_default=True, help="The number of lines of the board."
)
@click.option("--handicap", type=click.IntRange(0, 9), default=0, show_default=True, help="Handicap stones.")
@click.option("--komi", type=float, help="The points that white gets.")
@click.option("--rules", metavar="NAME", help="japanese, chinese, aga, new-zealand and others.")
@click.option("--black", metavar="NAME", help="The name of the black player.")
@click.option("--white", metavar="NAME", help="The name of the white player.")
def record(target: str, **facts: Any) -> None:
    """Record a game: enter moves, take them back, start variations, comment.

    The game is written as GoFans 2.2, or as SGF if OUT ends with .sgf. Commands are read from standard input, one per
    line; `help` lists them.
    """
    recorder = Recorder(new_game(**facts))
    sheet = Sheet(recorder.game, free(Path(target)))
    click.echo(recorder.picture())
    while True:
        for line in lines():
            word, _, name = line.partition(" ")
            if word.lower() in ("save", "quit"):
                if sheet.is_saved(name.strip()) and word.lower() == "quit":
                    return
            elif line.lower() == "help":
                click.echo(HELP)
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

    game: GoGame
    file: Path
    is_written: bool = False
    """Whether the last `is_saved` has written the file."""

    @property
    def document(self) -> bytes:
        """The game as it is now, as SGF if the name of the file says so, and otherwise as GoFans."""
        return in_format(self.game, AS_SGF if is_sgf(str(self.file)) else f"{GOFANS}{VERSION}")[0]

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


def new_game(*, size: int, handicap: int, **facts: Any) -> GoGame:
    """Return a game without moves. Raises RuleError if the handicap does not fit on the board."""
    players = (Player(0, facts["black"], color="black"), Player(1, facts["white"], color="white"))
    return GoGame(
        size,
        players,
        komi=facts["komi"],
        handicap=handicap or None,
        rules=facts["rules"],
        setup=stones(size, handicap),
    )


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
