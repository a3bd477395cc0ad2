"""`gamed records reindex`: rebuilds the search index of the records.

Source: docs/reference/records.md#what-is-kept.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

import click

from gamed.cli.database import database, missing_database, store_settings
from gamed.cli.terminal import config_option, counted_of
from gamed.core.texts import printable
from gamed.process.audit import noted
from gamed.records.index import Index
from gamed.records.record import Record, RecordError, Summary, unplayed
from gamed.replayers import known_formats, summary

SHARED: Final = 100
"""The number of records per transaction."""


@click.command(epilog="Example: gamed records reindex")
@config_option
def reindex(config: str | None) -> None:
    """Rebuild the search index of the records: players, results, times.

    The records themselves are not changed. A daemon may run at the same time.
    """
    settings = store_settings(config)
    formats = known_formats(settings.formats)
    missing = missing_database(settings)
    if missing is not None:
        click.echo(f"0 records. {printable(missing)}")
        return
    total = searched = 0
    counted = "0 records"
    with noted(Path(settings.state), "records reindex") as command, database(settings, writing=True) as store:
        records = store.thd_records()
        while batch := list(islice(records, SHARED)):
            found = [(record, summary_of(record, formats)) for record in batch]
            store.thd_replace_summaries(found)
            total += len(batch)
            searched += sum(bool(summary.seats) for _, summary in found)
            counted = f"{counted_of(total, 'record')}: {searched} by game and player, {total - searched} by format only"
            command.result = counted
    click.echo(counted)


def summary_of(record: Record, formats: Index) -> Summary:
    """Return the summary for searching. If the record breaks its format, a line on standard error says so."""
    try:
        found = summary(record, formats)
    except RecordError as error:
        click.echo(f"{record.id}: {error}", err=True)
        return unplayed(record)
    # A record whose header names another id would be found under that one.
    return found if found.id == record.id else unplayed(record)
