"""Imports of uploaded files: the five steps of `gamed import`, for XML and SGF.

Source: docs/reference/records.md#the-import, docs/reference/records.md#gofans.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import attrs
from attrs import define

from gamed.core.errors import StoreConflict, UnknownRecord
from gamed.games.go.files import outcomes
from gamed.records.importer import Imported, Reader, Replayer, refused
from gamed.records.index import Index
from gamed.records.record import RecordError
from gamed.records.source import read_stream
from gamed.store import Store
from gamed.web.answers import MOST_IMPORT
from gamed.web.thread_cooperator import Steps

Data: TypeAlias = dict[str, Any]

MOST_GAMES: Final = 100
"""The maximal number of games in one SGF file."""


@define(eq=False)
class Importing:
    """Checks uploaded files."""

    formats: Index
    """The known formats of records."""

    players: Mapping[str, Replayer]
    """The replayers that check a record's moves, by publisher."""

    readers: Mapping[str, Reader]
    """The readers of foreign formats, by the name of the XML document's root element."""

    def checked(self, data: bytes) -> Steps[list[Imported]]:
        """Do all steps of the import but the last, storing, for each game of a file. Raises nothing."""
        try:
            whole = read_stream(io.BytesIO(data), MOST_IMPORT)
        except RecordError as error:
            return [refused(error)]
        yield
        found = []
        for outcome in outcomes(whole, self.formats, self.players, self.readers):
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
