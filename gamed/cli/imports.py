"""`gamed import`: checks documents, and stores them as records.

Source: docs/reference/records.md#the-import. Documents are stored in batches, a transaction each, and the line of a
document is printed only after its batch is committed. So an import that is killed leaves only whole records, and
running it again stores the rest.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import click

from gamed.cli.checking import Reporter, checked, found, listed, paths_argument
from gamed.cli.database import database, store_settings
from gamed.cli.terminal import config_option, encoding_option, json_option
from gamed.config import StoreConfig
from gamed.core.errors import StoreConflict
from gamed.process.audit import noted
from gamed.records.importer import Imported
from gamed.store.database import Database
from gamed.store.reading import is_missing

if TYPE_CHECKING:
    from gamed.cli.checking import Checked

SHARED: Final = 100
"""The most documents in a transaction."""


@click.command("import", epilog="Example: gamed import club/ final.xml.gz")
@paths_argument
@encoding_option
@config_option
@json_option
@click.pass_context
def import_command(
    ctx: click.Context, paths: Sequence[str], encoding: str | None, config: str | None, *, as_json: bool
) -> None:
    """Check documents and store them as records.

    PATH is an XML or SGF document, which may be compressed with gzip; a directory, which means all .xml, .sgf, .xml.gz
    and .sgf.gz files below it; or - for standard input. Prints one line per game and a summary, with --json one JSON
    object per line. The exit status is 0 only if everything is in the store afterwards.
    """
    settings = store_settings(config)
    reporter = Reporter(as_json)
    with reporter.progress(list(found(paths))) as sources:
        outcomes = checked(sources, settings.formats, settings.import_bytes, encoding, reporter.take)
        status = reporter.report(kept(settings, outcomes, shlex.join(["import", *paths])))
    ctx.exit(status)


def kept(settings: StoreConfig, outcomes: Iterator[Checked], did: str) -> Iterator[Checked]:
    """Store valid documents in batches, a transaction each; yield the outcomes of a batch when it is committed.

    A missing database is created only when there is something to store. `did`: the command, for the audit log. Raises
    StoreError.
    """
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        open_store = partial(database, settings, writing=True)
        store = None if is_missing(settings.url) else stack.enter_context(open_store())
        command = None
        while batch := list(islice(outcomes, SHARED)):
            taken = [outcome for _, outcome in batch if outcome.record is not None]
            if taken and command is None:
                command = stack.enter_context(noted(Path(settings.state), did))
            if taken and store is None:
                store = stack.enter_context(open_store())
            stored = iter(_stored(store, taken) if store is not None else ())
            batch = [(name, outcome if outcome.record is None else next(stored)) for name, outcome in batch]
            counts.update(outcome.code for _, outcome in batch)
            if command is not None:
                command.result = listed(counts)
            yield from batch


def _stored(store: Database, taken: Sequence[Imported]) -> list[Imported]:
    records = [(outcome.record, outcome.summary) for outcome in taken if outcome.record is not None]
    try:
        fresh = set(store.thd_keep(records))
    except StoreConflict as error:
        if len(taken) == 1:
            return [attrs.evolve(taken[0], code="conflict", sentence=str(error))]
        return [one for outcome in taken for one in _stored(store, [outcome])]
    return [_marked(outcome, fresh) for outcome in taken]


def _marked(outcome: Imported, fresh: set[str]) -> Imported:
    """Return the outcome of a committed document: the first one with a fresh id is new, others are duplicates."""
    assert outcome.record is not None
    if outcome.record.id in fresh:
        fresh.remove(outcome.record.id)
        return attrs.evolve(outcome, sentence=f"{outcome.sentence}; id {outcome.record.id}")
    return attrs.evolve(outcome, code="duplicate", sentence=f"the record {outcome.record.id} is in the store already")
