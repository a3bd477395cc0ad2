"""The import of a document that a browser sends: the five steps of `gamed import`, for XML and for SGF.

Source: records.md 2 and 4; issue 8.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import attrs
from attrs import define

from gamed.errors import RuleError, StoreConflict, UnknownRecord
from gamed.records import sgf
from gamed.records.importer import Imported, Player, Reader, check, refused
from gamed.records.index import Index
from gamed.records.record import RecordError, document
from gamed.records.sgf_values import SgfError
from gamed.records.source import read_stream
from gamed.store import Store
from gamed.web.answers import MOST_IMPORT
from gamed.web.opened import newest
from gamed.web.worker import Steps

Data: TypeAlias = dict[str, Any]

MOST_GAMES: Final = 100
"""How many games of one SGF file are taken."""

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"


@define(eq=False)
class Importing:
    """What is asked when a document comes in. `players` by publisher, `readers` by the document's element."""

    formats: Index
    players: Mapping[str, Player]
    readers: Mapping[str, Reader]

    def checked(self, data: bytes) -> Steps[list[Imported]]:
        """Take all steps but the storing with each game of a file. Raises nothing."""
        try:
            whole = read_stream(io.BytesIO(data), MOST_IMPORT)
        except RecordError as error:
            return [refused(error)]
        yield
        if not whole.lstrip(_BLANK).startswith(b"("):
            return [check(whole, self.formats, self.players, self.readers)]
        return (yield from self._games(whole))

    def _games(self, data: bytes) -> Steps[list[Imported]]:
        try:
            games = sgf.read(data)
        except SgfError as error:
            return [Imported("not-valid", str(error), error.line)]
        if len(games) > MOST_GAMES:
            return [Imported("forbidden", f"it holds {len(games)} games, more than {MOST_GAMES}")]
        outcomes = []
        for game, notes in games:
            yield
            outcomes.append(self._game(game, notes))
        return outcomes

    def _game(self, game: Any, notes: list[str]) -> Imported:
        try:
            outcome = check(document(newest(game)), self.formats, self.players)
        except RecordError as error:
            outcome = refused(error)
        except RuleError as error:
            outcome = Imported("illegal", str(error))
        return attrs.evolve(outcome, lost=(*outcome.lost, *notes))


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


def told(outcome: Imported) -> Data:
    """Return what came of a document as the API tells it."""
    data = attrs.asdict(outcome, filter=attrs.filters.exclude("record", "summary"))
    has_id = outcome.record is not None and outcome.is_taken
    return {**data, "taken": outcome.is_taken, "id": outcome.record.id if has_id and outcome.record else None}
