"""`gamed convert`: Go games from one format to another. Source: records.md 4."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from gamed.cli.sources import SGF, go_games, is_sgf
from gamed.cli.terminal import config_option, one_line
from gamed.errors import GamedError

if TYPE_CHECKING:
    from gamed.games.go.tree import GoGame

GOFANS: Final = "gofans-"
FORMATS: Final = (*(f"{GOFANS}{version}" for version in ("1.1", "1.2", "2.1", "2.2")), "sgf")
DEFAULT: Final = "gofans-1.2"
"""What an .xml file becomes if nothing is said: it holds the variations, and needs no rules."""


@click.command(epilog="Example: gamed convert club.sgf club.xml --to gofans-2.2")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False))
@click.option("--to", type=click.Choice(FORMATS), help=f"The format; left out: sgf for .sgf, {DEFAULT} for .xml.")
@config_option
def convert(source: str, target: str, to: str | None, config: str | None) -> None:
    """Convert a Go game: GoFans 1.1 to 2.2 and SGF, both ways.

    IN is a file, or the id of a stored record. Several games of an SGF file become OUT-1.xml, OUT-2.xml and so on. What
    the format cannot hold is said on standard error.
    """
    chosen = to or ("sgf" if is_sgf(target) else DEFAULT)
    if to is None and not target.lower().endswith((".xml", SGF)):
        raise click.UsageError("say with --to what OUT shall be, or let its name end with .xml or .sgf")
    games = go_games(source, config)
    several = len(games) > 1
    for number, (_, notes) in enumerate(games, 1):
        complain(notes, number if several else None)
    if chosen == "sgf":
        written(Path(target), in_format([game for game, _ in games], chosen))
        return
    for number, (game, _) in enumerate(games, 1):
        which = number if several else None
        written(numbered(Path(target), which), in_format([game], chosen, which))


def in_format(games: Sequence[GoGame], chosen: str, number: int | None = None) -> bytes:
    """Return games as a file; what it does not hold is said on standard error. A GoFans file holds one game.

    `number`: which game of its collection that one is.
    """
    from gamed.records import gofans, sgf  # noqa: PLC0415 (heavy)
    from gamed.records.convert import convert as converted  # noqa: PLC0415 (heavy)
    from gamed.records.record import document  # noqa: PLC0415 (heavy)

    if chosen == "sgf":
        data, notes = sgf.write(games)
    else:
        version = chosen.removeprefix(GOFANS)
        (only,) = games
        game, notes = converted(only, version)
        data = document(gofans.write(game, version, record_id=""))
    complain(notes, number)
    return data


def complain(notes: Sequence[str], number: int | None = None) -> None:
    """Say on standard error what a format does not hold. `number`: of the game in its collection."""
    for note in notes:
        click.echo(one_line(note if number is None else f"game {number}: {note}"), err=True)


def numbered(target: Path, number: int | None) -> Path:
    """Return the name of one of several files."""
    return target if number is None else target.with_name(f"{target.stem}-{number}{target.suffix}")


def written(target: Path, data: bytes) -> None:
    """Write a file. Raises GamedError."""
    try:
        target.write_bytes(data)
    except OSError as error:
        raise GamedError(f"cannot write {target}: {error.strerror}") from error
