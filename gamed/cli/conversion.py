"""`gamed convert`: converts Go games from one format to another. Source: docs/reference/records.md#gofans."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from gamed.cli.sources import SGF, go_games, is_sgf
from gamed.cli.terminal import config_option, encoding_option, one_line
from gamed.core.errors import GamedError
from gamed.games.go import gofans, sgf
from gamed.games.go.convert import convert as to_version
from gamed.games.go.sgf import Reading
from gamed.games.go.tree import GoGame
from gamed.records.record import document

GOFANS: Final = "gofans-"
AS_SGF: Final = "sgf"
FORMATS: Final = (*(f"{GOFANS}{version}" for version in ("1.1", "1.2", "2.1", "2.2")), AS_SGF)
DEFAULT: Final = "gofans-1.2"
"""The default format of an .xml file: it holds variations, and does not require the name of the rules."""


@click.command(epilog="Example: gamed convert club.sgf club.xml --to gofans-2.2")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False))
@click.option("--to", type=click.Choice(FORMATS), help=f"The format. Default: sgf for .sgf, {DEFAULT} for .xml.")
@encoding_option
@config_option
@click.pass_context
def convert(  # noqa: PLR0913, PLR0917 (options)
    ctx: click.Context, source: str, target: str, to: str | None, encoding: str | None, config: str | None
) -> None:
    """Convert games from one format to another.

    IN is a file, or the id of a stored record. If an SGF file has several games, they become OUT-1.xml, OUT-2.xml and
    so on. Standard error lists what the format cannot hold. A game that cannot be read or written is left out, and the
    exit status is 1.
    """
    chosen = to or (AS_SGF if is_sgf(target) else DEFAULT)
    if to is None and not target.lower().endswith((".xml", SGF)):
        raise click.UsageError(
            "the format of OUT is not known: give it with --to, or use a name that ends with .xml or .sgf"
        )
    readings = go_games(source, config, encoding)
    # Convert all games before the first file is written.
    made = {reading.number: data for reading in readings if (data := converted(reading, chosen, len(readings) > 1))}
    if chosen == AS_SGF:
        write_all({Path(target): b"".join(made.values())} if made else {})
    else:
        path = Path(target)
        write_all({numbered(path, number if len(readings) > 1 else None): data for number, data in made.items()})
    ctx.exit(0 if len(made) == len(readings) else 1)


def converted(reading: Reading, chosen: str, is_one_of_several: bool) -> bytes | None:  # noqa: FBT001 (a fact)
    """Return a game in a format, or None if it is left out. Print on standard error what the format cannot hold.

    Raises GamedError if this is the only game and cannot be written.
    """
    number = reading.number if is_one_of_several else None
    if reading.game is None:
        assert reading.error is not None
        click.echo(one_line(f"{reading.error} (it is left out)"), err=True)
        return None
    complain(reading.notes, number)
    try:
        data, notes = in_format(reading.game, chosen)
    except GamedError as error:
        others = [other for other in FORMATS if other != chosen and can_hold(reading.game, other)]
        advice = f"; {' and '.join(others)} can hold it" if others else ""
        if number is None:
            raise GamedError(f"{chosen} cannot hold the game: {error}{advice}") from error
        complain([f"it is left out, {chosen} cannot hold it: {error}{advice}"], number)
        return None
    complain(notes, number)
    return data


def in_format(game: GoGame, chosen: str) -> tuple[bytes, list[str]]:
    """Return a game as a file, and notes on what the format cannot hold. Raises RecordError and RuleError."""
    if chosen == AS_SGF:
        return sgf.write([game])
    version = chosen.removeprefix(GOFANS)
    held, notes = to_version(game, version)
    return document(gofans.write(held, version, record_id="")), notes


def can_hold(game: GoGame, chosen: str) -> bool:
    """Whether a format can hold a game, at least in part."""
    try:
        in_format(game, chosen)
    except GamedError:
        return False
    return True


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write files. Raises GamedError if one cannot be written; its text names those written before."""
    done: list[str] = []
    for path, data in files.items():
        try:
            written(path, data)
        except GamedError as error:
            before = f"; written before it: {done[0]} to {done[-1]}" if done else ""
            raise GamedError(f"{error}{before}") from error
        done.append(str(path))


def complain(notes: Sequence[str], number: int | None = None) -> None:
    """Print notes on standard error. `number`: the game's number in a file of several."""
    for note in notes:
        click.echo(one_line(note if number is None else f"game {number}: {note}"), err=True)


def numbered(target: Path, number: int | None) -> Path:
    """Return the name of the file with this number; `target` itself if there is only one file."""
    return target if number is None else target.with_name(f"{target.stem}-{number}{target.suffix}")


def written(target: Path, data: bytes) -> None:
    """Write a file completely, or leave it as it was. Say so if it replaces another one. Raises GamedError."""
    # A link stays a link. What is not a file, such as a pipe, cannot be replaced.
    file = target.resolve() if target.is_symlink() else target
    part = file.with_name(f".{file.name}.part")
    is_new = not file.exists()
    try:
        if not is_new and not file.is_file():
            file.write_bytes(data)
            return
        part.write_bytes(data)
        if not is_new:
            shutil.copymode(file, part)
            click.echo(one_line(f"{target} existed, and is replaced"), err=True)
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise GamedError(f"cannot write {target}: {error.strerror}") from error
