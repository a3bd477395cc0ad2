"""`gamed records export --all`: every stored game as a file of its own, in one process."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from gamed.cli.records import in_format, replay_format
from gamed.cli.terminal import CANNOT_WRITE, counted_of, database
from gamed.core.errors import StoreError
from gamed.texts import printable

if TYPE_CHECKING:
    from gamed.config import StoreConfig
    from gamed.records.record import Record

WRITTEN: Final = "written"
NO_FORMAT: Final = "no-format"
FAILED: Final = "failed"


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
    from gamed.store.replays import thd_write_file  # noqa: PLC0415 (heavy)

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
    from gamed.records.own import to_history  # noqa: PLC0415 (heavy)

    replay = replay_format(record, chosen)
    if replay is not None:
        return replay.file_name(to_history(record))
    return f"{record.id}.{'sgf' if chosen == 'sgf' else 'xml'}"
