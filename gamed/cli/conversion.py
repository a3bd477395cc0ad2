"""`gamed convert`: converts games from one format to another."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from gamed.cli.sources import XML, written_in
from gamed.cli.terminal import config_option, encoding_option, one_line
from gamed.core.errors import GamedError
from gamed.records.written import Reading
from gamed.registry import WrittenGame, written_games

FORMATS: Final = tuple(name for game in written_games().values() for name in game.format_names)
ENDINGS: Final = {ending: name for game in written_games().values() for ending, name in game.endings.items()}
"""The usual formats by the endings of files' names."""


@click.command(epilog=f"Example: gamed convert club{min(ENDINGS)} club{max(ENDINGS)}")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False))
@click.option(
    "--to",
    type=click.Choice(FORMATS),
    help=f"The format. Default: {', '.join(f'{name} for {ending}' for ending, name in ENDINGS.items())}.",
)
@encoding_option
@config_option
@click.pass_context
def convert(  # noqa: PLR0913, PLR0917 (options)
    ctx: click.Context, source: str, target: str, to: str | None, encoding: str | None, config: str | None
) -> None:
    """Convert games from one format to another.

    IN is a file, or the id of a stored record. If a file has several games, they become OUT-1.xml, OUT-2.xml and so on.
    Standard error lists what the format cannot hold. A game that cannot be read or written is left out, and the exit
    status is 1.
    """
    usual = next((name for ending, name in ENDINGS.items() if target.lower().endswith(ending)), None)
    chosen = to or usual
    if chosen is None:
        endings = " or ".join(sorted(ENDINGS, reverse=True))
        raise click.UsageError(
            f"the format of OUT is not known: give it with --to, or use a name that ends with {endings}"
        )
    game_type, readings = written_in(source, config, encoding)
    several = len(readings) > 1
    # Convert all games before the first file is written.
    made = {one.number: data for one in readings if (data := converted(game_type, one, chosen, several=several))}
    if game_type.formats.suffix(chosen)[0] != XML:
        # Such a file can hold several games.
        write_all({Path(target): b"".join(made.values())} if made else {})
    else:
        path = Path(target)
        write_all({numbered(path, number if several else None): data for number, data in made.items()})
    ctx.exit(0 if len(made) == len(readings) else 1)


def converted(game_type: WrittenGame, reading: Reading, chosen: str, *, several: bool) -> bytes | None:
    """Return a game in a format, or None if it is left out. Print on standard error what the format cannot hold.

    Raises GamedError if this is the only game and cannot be written.
    """
    number = reading.number if several else None
    if reading.game is None:
        assert reading.error is not None
        click.echo(one_line(f"{reading.error} (it is left out)"), err=True)
        return None
    complain(reading.notes, number)
    try:
        data, notes = game_type.formats.write(reading.game, chosen)
    except GamedError as error:
        others = [
            other for other in game_type.format_names if other != chosen and can_hold(game_type, reading.game, other)
        ]
        advice = f"; {' and '.join(others)} can hold it" if others else ""
        if number is None:
            raise GamedError(f"{chosen} cannot hold the game: {error}{advice}") from error
        complain([f"it is left out, {chosen} cannot hold it: {error}{advice}"], number)
        return None
    complain(notes, number)
    return data


def can_hold(game_type: WrittenGame, game: Any, chosen: str) -> bool:
    """Whether a format can hold a game, at least in part."""
    try:
        game_type.formats.write(game, chosen)
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
