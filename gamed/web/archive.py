"""The archive in the browser: search records, read them move by move, save them as files, import files.

Source: docs/reference/web-api.md#calls. What takes long is done by a `ThreadCooperator`, and its answers are encoded
there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import Deferred

from gamed.core.errors import UnknownRecord
from gamed.core.game import Termination
from gamed.records.record import Record, Summary
from gamed.registry import GameType
from gamed.store import Store
from gamed.store.query import NOBODY, PLAYER, Query
from gamed.web.answers import Answer, Call, Refusal, Route, download, dumped
from gamed.web.imports import Importing, kept, to_data
from gamed.web.naming import EVERYTHING, Naming
from gamed.web.opened import Opened, RecordCache, opened, summary_data
from gamed.web.thread_cooperator import Steps, ThreadCooperator

MOST_RECORDS: Final = 200
"""How many summaries a page has at most."""

_PAGE: Final = 50
_LONGEST: Final = 300
_LONGEST_CURSOR: Final = 4_000
_MOST_SEATS: Final = 63
_WHOLE: Final = 36
"""Characters of a whole id."""

_ID = re.compile("[0-9a-f-]{4,36}")
_DATE = re.compile("[0-9]{4}[-0-9T:.Z]{0,20}")
_SEPARATOR: Final = "~"


def _never(_record: str) -> bool:
    return False


@define(eq=False)
class Archive:
    """Answers for /api/v1/records and /api/v1/import.

    `types`: the installed games by kind. `is_on_its_way`: whether a game will be a record. `reading`, `taking_in`: who
    does what takes long, so that an import does not hold up those who read.
    """

    store: Store
    importing: Importing
    types: Mapping[str, GameType]
    reading: ThreadCooperator = field(factory=ThreadCooperator)
    taking_in: ThreadCooperator = field(factory=ThreadCooperator)
    record_cache: RecordCache = field(factory=RecordCache)
    is_on_its_way: Callable[[str], bool] = _never
    naming: Naming = field(factory=Naming)

    @property
    def routes(self) -> Sequence[Route]:
        """What can be asked for."""
        return (
            Route("GET", "records", _deferred(self._search)),
            Route("GET", "records/{id}", _deferred(self._record)),
            Route("GET", "records/{id}/positions", _deferred(self._positions)),
            Route("GET", "records/{id}/file", _deferred(self._file)),
            Route("POST", "import", _deferred(self._import), admin=True, file=True),
        )

    # Searching

    async def _search(self, call: Call) -> Answer:
        limit, naming = call.number("limit", _PAGE, 1, MOST_RECORDS), self._naming(call)
        # One more than is told says whether there is a next page.
        query = _query(call, limit + 1)
        # Who could search for an address would learn that it has played.
        found = () if naming.is_hidden(query.player or "") else await self.store.find(query)
        page = found[:limit]
        following = _cursor(page[-1]) if len(found) > limit else None
        return Answer(body={"records": [summary_data(one, naming) for one in page], "next": following})

    def _naming(self, call: Call) -> Naming:
        return EVERYTHING if call.visitor.admin else self.naming

    # Reading

    async def _record(self, call: Call) -> Answer:
        def steps(found: Opened) -> Steps[bytes]:
            data = found.to_data(self._naming(call))
            yield
            return dumped(data)

        return Answer(raw=await self._read(call, steps))

    async def _positions(self, call: Call) -> Answer:
        node = call.number("node", 0, 0, 10**9) if "node" in call.query else None

        def steps(found: Opened) -> Steps[bytes]:
            parts = []
            for position in found.positions(call.number, node):
                parts.append(dumped(position))
                yield
            return b"[" + b",".join(parts) + b"]"

        return Answer(raw=await self._read(call, steps))

    async def _file(self, call: Call) -> Answer:
        chosen = call.query.get("format", "xml")

        def steps(found: Opened) -> Steps[tuple[str, bytes, str]]:
            yield
            file = found.file(chosen, self._naming(call))
            return f"{found.record.id}{file.ending}", file.data, file.mime

        return download(*await self._read(call, steps))

    async def _read(self, call: Call, steps: Callable[[Opened], Steps[Any]]) -> Any:
        """Open the record that is asked for, and return what the steps return."""
        id = call.places["id"]  # noqa: A001 (the column's name)
        found = self.record_cache.take(id)
        if found is not None and await self.store.header(id) != found.record.header:
            # A command has deleted the record since it was opened, or has taken a name out of it.
            self.record_cache.drop(id)
            found = None
        if found is None:
            record = await self._fetched(id)
            # The id may have been shortened.
            found = self.record_cache.take(record.id)
            if found is None or found.record != record:
                by_publisher = {made.publisher: made for made in self.types.values()}
                found = await self.reading.do(opened(record, self.importing.formats, by_publisher))
                self.record_cache.put(found)
        return await self.reading.do(steps(found))

    async def _fetched(self, id: str) -> Record:  # noqa: A002 (the column's name)
        if not _ID.fullmatch(id):
            raise Refusal(404, "no-record", "there is no such record", "an id has digits, letters a to f, hyphens")
        try:
            return await self.store.record(id)
        except UnknownRecord as error:
            if self.is_on_its_way(id):
                raise Refusal(503, "not-yet", "this game is not stored yet", "try again in a moment") from error
            hint = "it may have been deleted" if len(id) == _WHOLE else ""
            raise Refusal(404, "no-record", str(error), hint) from error

    # Importing

    async def _import(self, call: Call) -> Answer:
        if not isinstance(call.body, bytes):
            raise Refusal(400, "type", "the body is the file that is to be imported")
        # It may log out meanwhile.
        operator = call.visitor.operator
        checked = await self.taking_in.do(self.importing.checked(call.body))
        outcomes = [to_data(await kept(self.store, outcome)) for outcome in checked]
        operator.noted("import", ", ".join(f"{one['code']} {one['id'] or ''}".strip() for one in outcomes))
        return Answer(body={"outcomes": outcomes})


def _deferred(do: Callable[[Call], Any]) -> Callable[[Call], Deferred[Answer]]:
    return lambda call: Deferred.fromCoroutine(do(call))


def _query(call: Call, limit: int) -> Query:
    """Return what is asked of the store. Raises Refusal."""
    player = _text(call, "player")
    termination = call.query.get("termination")
    if termination is not None and termination not in list(Termination):
        raise Refusal(400, "termination", "no game ends so", f"one of: {', '.join(Termination)}")
    return Query(
        kind=_text(call, "game"),
        player=player,
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
        raise Refusal(400, "text", f"{name} is no text that anything is called by")
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
        raise Refusal(400, "date", f"{name} is no date", "such as 2026, 2026-11 or 2026-11-21T09:00")
    return text or None


def _winner(call: Call, player: str | None) -> int | str | None:
    text = call.query.get("winner")
    if not text or text == NOBODY or (text == PLAYER and player is not None):
        return text or None
    if text == PLAYER:
        raise Refusal(400, "winner", "the winner is the player, but no player is named", "name one with player=")
    return call.number("winner", 0, 0, _MOST_SEATS)


def _cursor(last: Summary) -> str:
    return f"{last.started}{_SEPARATOR}{last.id}"


def _after(call: Call) -> tuple[str, str] | None:
    text = _text(call, "before", _LONGEST_CURSOR)
    if text is None:
        return None
    started, separator, id = text.rpartition(_SEPARATOR)  # noqa: A001 (the column's name)
    if not separator or not _ID.fullmatch(id):
        raise Refusal(400, "before", "this is no `next` of a page before")
    return started, id
