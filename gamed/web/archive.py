"""Handlers for /api/v1/records and /api/v1/import: search records, replay them, download and import them.

Source: docs/reference/web-api.md#calls. Records are opened, rendered and encoded by a `ThreadCooperator`, because that
may take long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import Deferred

from gamed.core.errors import UnknownRecord
from gamed.core.game import Termination
from gamed.core.keys import is_opened
from gamed.core.texts import timestamp
from gamed.records.importer import Importer
from gamed.records.index import LONGEST_NAME
from gamed.records.record import Record, Summary
from gamed.registry import GameType, WrittenGame, written_games
from gamed.store import Store
from gamed.store.query import NOBODY, PLAYER, Query
from gamed.web.answers import Answer, Call, Refusal, Route, download, not_shown, to_json
from gamed.web.imports import checked, keep, to_data
from gamed.web.naming import EVERYTHING, Naming
from gamed.web.opened import Data, Opened, OwnRecord, RecordCache, opened, summary_data
from gamed.web.thread_cooperator import Steps, ThreadCooperator

MOST_RECORDS: Final = 200
"""The maximal number of summaries on a page of search results."""

_PAGE: Final = 50
"""The number of summaries on a page, unless the request has another limit."""

_LONGEST: Final = 300
"""The maximal length of a text to search for, in characters."""

_LONGEST_CURSOR: Final = 4_000
"""The same of the cursor of a page."""

_MOST_SEATS: Final = 63
"""The highest number of a seat."""

_WHOLE: Final = 36
"""The length of an id that is not shortened."""

_ID = re.compile("[0-9a-f-]{4,36}")
_DATE = re.compile("[0-9]{4}[-0-9T:.Z]{0,20}")
_SEPARATOR: Final = "~"
"""Between the two parts of a cursor: the end and the id of the last record of a page."""


def _never(_record: str) -> bool:
    return False


def _nobody(_visitor: Any, _address: str) -> frozenset[str]:
    return frozenset()


@define(eq=False)
class Archive:
    """The handlers for records."""

    store: Store

    importer: Importer
    """Checks files that are imported."""

    types: Mapping[str, GameType]
    """The installed games by kind."""

    reading: ThreadCooperator = field(factory=ThreadCooperator)
    """Opens and renders records."""

    checking: ThreadCooperator = field(factory=ThreadCooperator)
    """Checks imported files; separate, so that an import does not delay readers."""

    record_cache: RecordCache = field(factory=RecordCache)

    withheld: Collection[str] = ()
    """`Lobby.withheld`."""

    is_on_its_way: Callable[[str], bool] = _never
    """Whether the record of an ended game is about to be stored."""

    naming: Naming = field(factory=Naming)

    owners: Callable[[Any, str], frozenset[str]] = _nobody
    """Returns the `Summary.owners` of a session's games; `Visitors.owners`."""

    @property
    def routes(self) -> Sequence[Route]:
        """The routes of this part of the API."""
        return (
            Route("GET", "records", _deferred(self._search)),
            Route("GET", "records/{id}", _deferred(self._record)),
            Route("GET", "records/{id}/positions", _deferred(self._positions)),
            Route("GET", "records/{id}/measures", _deferred(self._measures)),
            Route("GET", "records/{id}/file", _deferred(self._file)),
            Route("GET", "records/{id}/evidence", _deferred(self._evidence)),
            Route("POST", "import", _deferred(self._import), admin=True, file=True),
        )

    # Searching

    async def _search(self, call: Call) -> Answer:
        limit, naming = call.number("limit", _PAGE, 1, MOST_RECORDS), self._naming(call)
        # One record more than the page has: if it exists, there is a next page.
        own = self.owners(call.visitor, call.address)
        query = _query(call, limit + 1, own)
        # A search for a hidden address must not reveal that somebody played from it.
        found = () if naming.is_hidden(query.player or "") else await self.store.find(query)
        page = found[:limit]
        following = _cursor(page[-1]) if len(found) > limit else None
        rows = [_row(one, naming, own) for one in page if call.visitor.admin or one.id not in self.withheld]
        return Answer(body={"records": rows, "next": following})

    def _naming(self, call: Call) -> Naming:
        return EVERYTHING if call.visitor.admin else self.naming.showing(self.owners(call.visitor, call.address))

    # Reading

    async def _record(self, call: Call) -> Answer:
        def steps(found: Opened) -> Steps[bytes]:
            data = found.to_data(self._naming(call))
            yield
            return to_json(data)

        return Answer(raw=await self._read(call, steps))

    async def _positions(self, call: Call) -> Answer:
        node = call.number("node", 0, 0, 10**9) if "node" in call.query else None

        def steps(found: Opened) -> Steps[bytes]:
            parts = []
            for position in found.positions(call.number, node):
                parts.append(to_json(position))
                yield
            return b"[" + b",".join(parts) + b"]"

        return Answer(raw=await self._read(call, steps))

    async def _measures(self, call: Call) -> Answer:
        def steps(found: Opened) -> Steps[Data]:
            return (yield from found.measures()) if isinstance(found, OwnRecord) else {}

        return Answer(body=await self._read(call, steps))

    async def _file(self, call: Call) -> Answer:
        chosen = call.query.get("format", "xml")

        def steps(found: Opened) -> Steps[tuple[str, bytes, str]]:
            yield
            file = found.file(chosen, self._naming(call))
            return f"{found.record.id}{file.ending}", file.data, file.mime

        return download(*await self._read(call, steps))

    async def _evidence(self, call: Call) -> Answer:
        record = await self._fetched(call.places["id"])
        if record.id in self.withheld and not call.visitor.admin:
            raise not_shown()
        kept = await self.store.evidence(record.id, timestamp(datetime.now(UTC)))
        found = {seat: json.loads(data) for seat, data in kept.items()}
        opened = {seat: one for seat, one in found.items() if is_opened(call.key, one.pop("keys", ()))}
        shown = found if call.visitor.admin else opened
        return Answer(body={"bots": [{"seat": seat, **one} for seat, one in sorted(shown.items())]})

    async def _read(self, call: Call, steps: Callable[[Opened], Steps[Any]]) -> Any:
        """Open the requested record, do the steps with it, and return their result."""
        record_id = call.places["id"]
        found = self.record_cache.take(record_id)
        if found is not None and await self.store.header(record_id) != found.record.header:
            # Since it was opened, a command has deleted the record or removed a name from it.
            self.record_cache.drop(record_id)
            found = None
        if found is None:
            record = await self._fetched(record_id)
            # The id of the request may be shortened.
            found = self.record_cache.take(record.id)
            if found is None or found.record != record:
                by_publisher: dict[str, GameType | WrittenGame] = {
                    **{made.publisher: made for made in self.types.values()},
                    **{game.publisher: game for game in written_games().values()},
                }
                found = await self.reading.do(opened(record, self.importer.index, by_publisher))
                self.record_cache.put(found)
        if found.record.id in self.withheld and not call.visitor.admin:
            raise not_shown()
        return await self.reading.do(steps(found))

    async def _fetched(self, id: str) -> Record:  # noqa: A002 (the path parameter's name)
        if not _ID.fullmatch(id):
            hint = "an id consists of digits, letters from a to f, and hyphens"
            raise Refusal(404, "no-record", "there is no such record", hint)
        try:
            return await self.store.record(id)
        except UnknownRecord as error:
            if self.is_on_its_way(id):
                raise Refusal(503, "not-yet", "the record of this game is not stored yet", "try again soon") from error
            hint = "it may have been deleted" if len(id) == _WHOLE else ""
            raise Refusal(404, "no-record", str(error), hint) from error

    # Importing

    async def _import(self, call: Call) -> Answer:
        # The administrator may log out before the import has ended.
        operator = call.visitor.operator
        found = await self.checking.do(checked(self.importer, call.body))
        outcomes = [to_data(await keep(self.store, outcome)) for outcome in found]
        operator.noted("import", ", ".join(f"{one['code']} {one['id'] or ''}".strip() for one in outcomes))
        return Answer(body={"outcomes": outcomes})


def _deferred(do: Callable[[Call], Any]) -> Callable[[Call], Deferred[Answer]]:
    return lambda call: Deferred.fromCoroutine(do(call))


def _row(summary: Summary, naming: Naming, own: frozenset[str]) -> dict[str, Any]:
    return {**summary_data(summary, naming), "own": not own.isdisjoint(summary.owners)}


def _query(call: Call, limit: int, own: frozenset[str]) -> Query:
    """Return the query for the store. Raises Refusal."""
    player = _text(call, "player")
    termination = call.query.get("termination")
    if termination is not None and termination not in list(Termination):
        raise Refusal(400, "termination", "there is no such termination", f"one of: {', '.join(Termination)}")
    return Query(
        kind=_text(call, "game"),
        publisher=_text(call, "publisher", LONGEST_NAME),
        version=_text(call, "version", LONGEST_NAME),
        player=player,
        owners=own if call.query.get("own") else None,
        termination=termination,
        since=_date(call, "since"),
        until=_date(call, "until"),
        winner=_winner(call, player),
        after=_after(call),
        limit=limit,
    )


def _text(call: Call, name: str, longest: int = _LONGEST) -> str | None:
    text = call.query.get(name)
    if text and (len(text) > longest or "\0" in text or not _is_unicode(text)):
        raise Refusal(400, "text", f"{name} is too long or contains invalid characters")
    return text or None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _date(call: Call, name: str) -> str | None:
    text = call.query.get(name)
    if text and not _DATE.fullmatch(text):
        raise Refusal(400, "date", f"{name} is not a date", "for example 2026, 2026-11 or 2026-11-21T09:00")
    return text or None


def _winner(call: Call, player: str | None) -> int | str | None:
    text = call.query.get("winner")
    if not text or text == NOBODY or (text == PLAYER and player is not None):
        return text or None
    if text == PLAYER:
        raise Refusal(400, "winner", f"winner={PLAYER} needs the parameter player", "add player=NAME")
    return call.number("winner", 0, 0, _MOST_SEATS)


def _cursor(last: Summary) -> str:
    return f"{last.ended}{_SEPARATOR}{last.id}"


def _after(call: Call) -> tuple[str, str] | None:
    text = _text(call, "before", _LONGEST_CURSOR)
    if text is None:
        return None
    ended, separator, record_id = text.rpartition(_SEPARATOR)
    if not separator or not _ID.fullmatch(record_id):
        raise Refusal(400, "before", "before must be the `next` of another page")
    return ended, record_id
