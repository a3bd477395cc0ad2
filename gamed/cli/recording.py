"""`gamed record`: a Go game is written down move by move. Source: issue 3; the recorder itself is pure."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gamed.cli.conversion import written
from gamed.cli.terminal import printable
from gamed.errors import GamedError, RuleError

if TYPE_CHECKING:
    from gamed.games.go.tree import GoGame

VERSION: Final = "2.2"
HELP: Final = """\
D4 (any point), pass, resign   make a move
undo                           take the last move back
back, forward                  walk along the line; another move then begins a variation
comment TEXT, title TEXT       note something on this move, or name the game
show                           print the board
save, quit                     write the file; quit also ends"""


@click.command(epilog='Example: gamed record game.xml --black "Anna" --white "Bert" --komi 6.5')
@click.argument("target", metavar="OUT.xml", type=click.Path(dir_okay=False))
@click.option("--size", type=click.IntRange(1, 52), default=19, show_default=True, help="The board's lines.")
@click.option("--handicap", type=click.IntRange(0, 9), default=0, show_default=True, help="Handicap stones.")
@click.option("--komi", type=float, help="What white is given.")
@click.option("--rules", metavar="NAME", help="japanese, chinese, aga, new-zealand and others.")
@click.option("--black", metavar="NAME", help="Who plays black.")
@click.option("--white", metavar="NAME", help="Who plays white.")
def record(target: str, **facts: Any) -> None:
    """Record a Go game: enter moves, take them back, start variations, comment.

    Writes GoFans 2.2. Commands come from the standard input, one a line; `help` lists them.
    """
    from gamed.records.recorder import Recorder  # noqa: PLC0415 (heavy)

    file = Path(target)
    if file.exists():
        raise GamedError(f"{target} is there already: choose another name")
    recorder = Recorder(new_game(**facts))
    click.echo(recorder.picture())
    for line in lines():
        if line in ("save", "quit"):
            save(recorder.game, file)
            if line == "quit":
                return
        elif line == "help":
            click.echo(HELP)
        else:
            obey(recorder, line)
    save(recorder.game, file)


def new_game(*, size: int, handicap: int, **facts: Any) -> GoGame:
    """Return a game without moves. Raises RuleError where the handicap does not fit on the board."""
    from gamed.games.go.hoshi import handicap as stones  # noqa: PLC0415 (heavy)
    from gamed.games.go.tree import GoGame, Player  # noqa: PLC0415 (heavy)

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
    """Yield what is typed, until the end of the input."""
    while True:
        if sys.stdin.isatty():
            click.echo("> ", nl=False)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


def obey(recorder: Any, line: str) -> None:
    """Do what a line says, and tell what came of it."""
    try:
        click.echo(printable_lines(recorder.enter(line)))
    except RuleError as error:
        click.echo(printable(str(error)), err=True)


def printable_lines(text: str) -> str:
    """Return a text of several lines that cannot command the terminal."""
    return "\n".join(map(printable, text.split("\n")))


def save(game: GoGame, file: Path) -> None:
    """Write the game. Raises GamedError."""
    from gamed.records import gofans  # noqa: PLC0415 (heavy)
    from gamed.records.record import document  # noqa: PLC0415 (heavy)

    written(file, document(gofans.write(game, VERSION, record_id="")))
    click.echo(f"{file} is written")
