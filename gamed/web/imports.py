"""Imports of uploaded files: the five steps of `gamed import`, for XML and other formats.

Source: docs/reference/records.md#the-import.
"""

from __future__ import annotations

import io
from typing import Any, Final, TypeAlias

import attrs

from gamed.core.errors import StoreConflict, UnknownRecord
from gamed.records.importer import Imported, Importer, refused
from gamed.records.record import RecordError
from gamed.records.source import read_stream
from gamed.store import Store
from gamed.web.answers import MOST_IMPORT
from gamed.web.thread_cooperator import Steps

Data: TypeAlias = dict[str, Any]

MOST_GAMES: Final = 100
"""The maximal number of games in one file."""


def checked(importer: Importer, data: bytes) -> Steps[list[Imported]]:
    """Do all steps of the import but the last, storing, for each game of a file. Raises nothing."""
    try:
        whole = read_stream(io.BytesIO(data), MOST_IMPORT)
    except RecordError as error:
        return [refused(error)]
    yield
    found = []
    for outcome in importer.outcomes(whole):
        found.append(outcome)
        if len(found) > MOST_GAMES:
            return [Imported("forbidden", f"the file contains more than {MOST_GAMES} games")]
        yield
    return found


async def keep(store: Store, outcome: Imported) -> Imported:
    """Store the record of a checked document, and return the final outcome. Raises StoreError."""
    if outcome.record is None:
        return outcome
    is_new = False
    try:
        await store.record(outcome.record.id)
    except UnknownRecord:
        is_new = True
    try:
        await store.keep(outcome.record, outcome.summary)
    except StoreConflict as error:
        return attrs.evolve(outcome, code="conflict", sentence=str(error))
    if is_new:
        return outcome
    return attrs.evolve(outcome, code="duplicate", sentence=f"the record {outcome.record.id} is already stored")


def to_data(outcome: Imported) -> Data:
    """Return the outcome of an import as JSON."""
    data = attrs.asdict(outcome, filter=attrs.filters.exclude("record", "summary"))
    has_id = outcome.record is not None and outcome.is_taken
    return {**data, "taken": outcome.is_taken, "id": outcome.record.id if has_id and outcome.record else None}
