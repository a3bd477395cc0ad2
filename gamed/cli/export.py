"""`gamed export`: writes stored games to files, one, or with --all every one."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from gamed.cli.completion import AS_IT_IS, REPLAY, complete_formats
from gamed.cli.conversion import complain, written
from gamed.cli.database import database, store_settings
from gamed.cli.sources import XML, stored, written_of
from gamed.cli.terminal import CANNOT_WRITE, config_option, counted_of, json_option, private
from gamed.config import StoreConfig
from gamed.core.errors import StoreError
from gamed.core.texts import printable
from gamed.records import own
from gamed.records.own import to_history
from gamed.records.record import Record, document
from gamed.registry import ReplayFormat, game_types, written_games
from gamed.store.replays import thd_write_file

_WRITTEN: Final = [f"{', '.join(game.format_names)}: for {game.title}" for game in written_games().values()]
_OF: Final = [(replay.name, kind) for kind, made in game_types().items() for replay in made.replays]
_REPLAYS: Final = [
    f"{name}: the replay file of {' and '.join(kind for one, kind in _OF if one == name)}"
    for name in dict.fromkeys(name for name, _ in _OF)
]
FORMAT_HELP: Final = (
    "; ".join(
        (
            f"{AS_IT_IS}: as it is stored",
            *_WRITTEN,
            f"{REPLAY}: the replay file of the game's original server",
            *_REPLAYS,
        )
    )
    + "."
)

WRITTEN: Final = "written"
NO_FORMAT: Final = "no-format"
FAILED: Final = "failed"


@click.command(epilog="Example: gamed export 6f0c1f0e --output game.xml")
@click.argument("id", metavar="ID|DIR")
@config_option
@json_option
@click.option("--all", "every", is_flag=True, help="Write all games, one file each, into the directory DIR.")
@click.option(
    "--format",
    "chosen",
    default=AS_IT_IS,
    show_default=True,
    metavar="NAME",
    help=FORMAT_HELP,
    shell_complete=complete_formats,
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write to this file instead of standard output.",
)
@click.pass_context
def export(  # noqa: PLR0913 (the options)
    ctx: click.Context,
    id: str,  # noqa: A002
    config: str | None,
    chosen: str,
    output: str | None,
    *,
    every: bool,
    as_json: bool,
) -> None:
    """Write a stored game, or all with --all, as it is stored or in another format.

    ID is the game's id, or its first characters as `gamed records list` prints them. If FILE ends with .gz, it is
    compressed. Only you can read the files, because they contain names and addresses of players.

    With --all, each game becomes a file in the directory DIR. Games without this format are left out. If a game cannot
    be written, standard error says why, and the exit status is 1. With --json, one JSON object per game is printed: id,
    outcome (written, no-format, failed), and the file or the reason.
    """
    if every:
        if output is not None:
            raise click.UsageError("--all writes into DIR: use it without --output")
        with private():
            status = export_all(store_settings(config), chosen, Path(id), as_json=as_json)
        ctx.exit(status)
    if as_json:
        raise click.UsageError("--json needs --all")
    data = in_format(stored(id, store_settings(config)), chosen)
    if output is None:
        click.echo(data, nl=False)
    else:
        with private():
            written(Path(output), gzip.compress(data, mtime=0) if output.endswith(".gz") else data)


def in_format(record: Record, chosen: str) -> bytes:
    """Return a record as a document of a format. Raises UsageError if its game has no such format."""
    if chosen == AS_IT_IS:
        return document(record)
    written_game = written_of(record)
    if written_game is not None and chosen in written_game.format_names:
        data, notes = written_game.formats.write(written_game.formats.read(record), chosen)
        complain(notes)
        return data
    replay = replay_format(record, chosen)
    if replay is None:
        others = written_game.format_names if written_game else [other.name for other in replay_formats(record)]
        known = ", ".join([AS_IT_IS, *others])
        raise click.UsageError(f"{record.publisher} has no format {chosen}; it has {known}")
    return replay.write(own.to_history(record))


def replay_format(record: Record, chosen: str) -> ReplayFormat | None:
    """Return the chosen replay format; None if the record's game does not have it."""
    return next((replay for replay in replay_formats(record) if chosen in (REPLAY, replay.name)), None)


def replay_formats(record: Record) -> Sequence[ReplayFormat]:
    """Return the replay formats of a record's game: those of other programs."""
    return next((made.replays for made in game_types().values() if made.publisher == record.publisher), ())


def export_all(settings: StoreConfig, chosen: str, folder: Path, *, as_json: bool) -> int:
    """Write all games, and print the outcome of each; return the exit status. Raises StoreError, UsageError."""
    counts: Counter[str] = Counter()
    with database(settings) as store:
        length = store.thd_count()
        # On standard error, and only on a terminal.
        with click.progressbar(length=length, file=sys.stderr, width=0, hidden=not sys.stderr.isatty()) as bar:
            for record, outcome, text in _exported(store.thd_records(), chosen, folder):
                counts[outcome] += 1
                if as_json:
                    named = {"file" if outcome == WRITTEN else "reason": text}
                    click.echo(json.dumps({"id": record.id, "outcome": outcome, **named}))
                elif outcome == FAILED:
                    click.echo(f"{record.id}: {printable(text)}", err=True)
                bar.update(1)
    if counts[NO_FORMAT] and not counts[WRITTEN] + counts[FAILED]:
        raise click.UsageError(f"none of the games has the format {chosen}")
    if not as_json:
        rest = f", {counts[NO_FORMAT]} without this format" if counts[NO_FORMAT] else ""
        click.echo(f"{counted_of(counts.total(), 'game')}: {counts[WRITTEN]} written, {counts[FAILED]} failed{rest}")
    return 1 if counts[FAILED] else 0


def _exported(records: Iterator[Record], chosen: str, folder: Path) -> Iterator[tuple[Record, str, str]]:
    """Yield each record with its outcome, and the file or the reason."""
    for record in records:
        try:
            path = folder / _file_name(record, chosen)
            thd_write_file(path, in_format(record, chosen))
        except click.UsageError as error:
            yield record, NO_FORMAT, error.message
        except Exception as error:
            if isinstance(error, OSError) and error.errno in CANNOT_WRITE:
                raise StoreError(
                    f"cannot write to {folder}: {error.strerror}; the remaining games are not written"
                ) from error
            yield record, FAILED, f"{error}" or type(error).__name__
        else:
            yield record, WRITTEN, str(path)


def _file_name(record: Record, chosen: str) -> str:
    replay = replay_format(record, chosen)
    if replay is not None:
        return replay.file_name(to_history(record))
    game = written_of(record)
    return record.id + (XML if game is None or chosen == AS_IT_IS else game.formats.suffix(chosen)[0])
