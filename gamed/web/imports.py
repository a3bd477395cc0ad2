"""The import of a document that a browser sends: the five steps of `gamed import`, for XML and for SGF.

Source: docs/reference/records.md#the-import, docs/reference/records.md#gofans.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import attrs
from attrs import define

from gamed.core.errors import StoreConflict, UnknownRecord
from gamed.records.files import outcomes
from gamed.records.importer import Imported, Reader, Replayer, refused
from gamed.records.index import Index
from gamed.records.record import RecordError
from gamed.records.source import read_stream
from gamed.store import Store
from gamed.web.answers import MOST_IMPORT
from gamed.web.thread_cooperator import Steps

Data: TypeAlias = dict[str, Any]

MOST_GAMES: Final = 100
"""How many games of one SGF file are taken."""


@define(eq=False)
class Importing:
    """What is asked when a document comes in. `players` by publisher, `readers` by the document's element."""

    formats: Index
    players: Mapping[str, Replayer]
    readers: Mapping[str, Reader]

    def checked(self, data: bytes) -> Steps[list[Imported]]:
        """Take all steps but the storing with each game of a file. Raises nothing."""
        try:
            whole = read_stream(io.BytesIO(data), MOST_IMPORT)
        except RecordError as error:
            return [refused(error)]
        yield
        found = []
        for outcome in outcomes(whole, self.formats, self.players, self.readers):
            found.append(outcome)
            if len(found) > MOST_GAMES:
                return [Imported("forbidden", f"it holds more than {MOST_GAMES} games")]
            yield
        return found


async def kept(store: Store, outcome: Imported) -> Imported:
    """Store what came of a document, and return what comes of that. Raises StoreError: the store fails."""
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
    return attrs.evolve(outcome, code="duplicate", sentence=f"the record {outcome.record.id} is there already")


def to_data(outcome: Imported) -> Data:
    """Return what came of a document as the API tells it."""
    data = attrs.asdict(outcome, filter=attrs.filters.exclude("record", "summary"))
    has_id = outcome.record is not None and outcome.is_taken
    return {**data, "taken": outcome.is_taken, "id": outcome.record.id if has_id and outcome.record else None}
