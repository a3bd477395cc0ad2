"""Handlers for /api/v1/recordings: games that are written down in the browser.

Source: docs/reference/web-api.md#calls. A recording is in memory until it is saved as a record. Only the visitor who
made it can see it.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredLock

from gamed.records.importer import Importer
from gamed.records.record import Record, document
from gamed.records.written import Recording
from gamed.registry import WrittenGame, written_games
from gamed.store import Store
from gamed.web.answers import Answer, Call, Refusal, Route, download
from gamed.web.imports import checked, keep
from gamed.web.opened import file_of
from gamed.web.thread_cooperator import Steps, ThreadCooperator

OF_A_VISITOR: Final = 5
"""The maximal number of recordings of one visitor."""

IN_ALL: Final = 100
"""The maximal number of recordings of all visitors together."""

MOST_OPENED: Final = 256 * 1024
"""The maximal length of a file that is opened, in bytes. A longer one keeps the thread busy for too long."""

FORGOTTEN_AFTER: Final = 4 * 3_600.0
"""Seconds after its last request at which a recording is deleted."""

SAVES: Final = 60
"""How many records all visitors together may save in an hour, not counting administrators."""

_HOUR: Final = 3_600.0


@define(eq=False)
class Kept:
    """A recording, and whose it is."""

    id: str

    owner: str
    """The id of the visitor who made it."""

    recording: Recording

    used: float
    """When it was last requested."""

    lock: DeferredLock = field(factory=DeferredLock)
    """Held by each request, so that requests do not interfere while the recording is being saved."""


def _the_game() -> WrittenGame:
    return next(iter(written_games().values()))


@define(eq=False)
class Recordings:
    """The handlers for recordings."""

    store: Store

    importer: Importer
    """Checks a recording before it is saved, like an imported file."""

    seconds: Callable[[], float]
    """A monotonic clock."""

    cooperator: ThreadCooperator = field(factory=ThreadCooperator)
    """Makes files, and checks recordings that are saved."""

    game_type: WrittenGame = field(factory=_the_game)

    recordings: dict[str, Kept] = field(factory=dict)
    """By their ids."""

    _saves: deque[float] = field(factory=deque)
    """When records were saved in the last hour."""

    @property
    def routes(self) -> Sequence[Route]:
        """The routes of this part of the API."""
        return (
            Route("GET", "recordings", self._list),
            Route("POST", "recordings", self._make),
            Route("POST", "recordings/file", self._read, file=True),
            Route("GET", "recordings/{id}", self._locked(self._show)),
            Route("DELETE", "recordings/{id}", self._locked(self._forget)),
            Route("POST", "recordings/{id}/act", self._locked(self._act)),
            Route("GET", "recordings/{id}/file", self._locked(self._file)),
            Route("POST", "recordings/{id}/save", self._locked(self._save)),
        )

    # All of them

    def _list(self, call: Call) -> Answer:
        self._sweep()
        return Answer(body={"recordings": [{"id": one.id, **one.recording.entry()} for one in self._of(call.visitor)]})

    def _make(self, call: Call) -> Any:
        record = call.value("record", str)
        if record is None:
            return self._begun(call, self.game_type.formats.recording(call.body if isinstance(call.body, dict) else {}))
        return Deferred.fromCoroutine(self._opened(call, self.store.record(record)))

    def _read(self, call: Call) -> Deferred[Answer]:
        self._require_place(call)
        if len(call.body) > MOST_OPENED:
            raise Refusal(413, "too-long", f"the recorder opens files of at most {MOST_OPENED:,} bytes")
        return Deferred.fromCoroutine(self._opened(call, self.cooperator.do(self._of_file(call.body))))

    def _of_file(self, data: bytes) -> Steps[Record]:
        """Return the record of the game in a file. Raises Refusal."""
        first, *others = yield from checked(self.importer, data)
        if others:
            text = f"the file has {len(others) + 1} games, and the recorder opens one"
            raise Refusal(400, "several-games", text, "leave one of them in the file")
        if first.record is None or not first.is_taken:
            raise Refusal(400, first.code, first.sentence)
        return first.record

    async def _opened(self, call: Call, found: Awaitable[Record]) -> Answer:
        record = await found
        if record.publisher != self.game_type.publisher:
            raise Refusal(400, "no-go", f"only {self.game_type.title} can be written down")
        return self._begun(call, await self.cooperator.do(self.game_type.formats.continued(record)))

    def _require_place(self, call: Call) -> None:
        self._sweep()
        if len(self._of(call.visitor)) >= OF_A_VISITOR:
            hint = "delete one of them; saved games stay in the archive"
            raise Refusal(429, "too-many-recordings", f"you already have {OF_A_VISITOR} recordings", hint)
        if len(self.recordings) >= IN_ALL:
            raise Refusal(503, "recorder-full", f"{IN_ALL} games are already being recorded", "try again later")

    def _begun(self, call: Call, recording: Recording) -> Answer:
        # Others may have begun while this one was read.
        self._require_place(call)
        kept = Kept(secrets.token_hex(8), call.visitor.id, recording, self.seconds())
        self.recordings[kept.id] = kept
        return Answer(201, {"id": kept.id})

    def _of(self, visitor: Any) -> list[Kept]:
        return [one for one in self.recordings.values() if one.owner == visitor.id]

    def _sweep(self) -> None:
        due = self.seconds() - FORGOTTEN_AFTER
        for one in list(self.recordings.values()):
            if one.used < due:
                del self.recordings[one.id]

    # One of them

    def _locked(self, do: Callable[[Call, Kept], Any]) -> Callable[[Call], Deferred[Answer]]:
        """Return a handler that finds the recording of a call, and calls `do` while it holds the recording's lock."""

        def found(call: Call) -> Deferred[Answer]:
            self._sweep()
            kept = self.recordings.get(call.places["id"])
            if kept is None or kept.owner != call.visitor.id:
                raise Refusal(404, "no-recording", "you have no such recording", "it may have been deleted as unused")
            kept.used = self.seconds()
            done: Deferred[Answer] = kept.lock.run(do, call, kept)
            return done

        return found

    def _show(self, _call: Call, kept: Kept) -> Answer:
        return Answer(raw=kept.recording.shown(kept.id))

    def _forget(self, _call: Call, kept: Kept) -> Answer:
        self.recordings.pop(kept.id, None)
        return Answer(body={})

    def _act(self, call: Call, kept: Kept) -> Answer:
        kept.recording.act(call.body)
        return Answer(raw=kept.recording.shown(kept.id))

    def _file(self, call: Call, kept: Kept) -> Deferred[Answer]:
        chosen = call.query.get("format", [*self.game_type.page_formats][-1])

        def steps() -> Steps[Answer]:
            yield
            file = file_of(self.game_type, kept.recording.game, chosen)
            return download(f"game-{kept.id}{file.ending}", file.data, file.mime)

        return self.cooperator.do(steps())

    def _save(self, call: Call, kept: Kept) -> Deferred[Answer]:
        self._count_save(call)
        return Deferred.fromCoroutine(self._saved(kept.recording))

    async def _saved(self, recording: Recording) -> Answer:
        def steps() -> Steps[Any]:
            data = document(self.game_type.formats.record(recording.game))
            yield
            return (yield from checked(self.importer, data))

        (one,) = await self.cooperator.do(steps())
        outcome = await keep(self.store, one)
        if outcome.record is None or not outcome.is_taken:
            raise Refusal(409, outcome.code, outcome.sentence)
        recording.saved = outcome.record.id
        return Answer(body={"record": recording.saved, "code": outcome.code, "sentence": outcome.sentence})

    def _count_save(self, call: Call) -> None:
        now = self.seconds()
        while self._saves and self._saves[0] <= now - _HOUR:
            self._saves.popleft()
        if call.visitor.admin:
            return
        if len(self._saves) >= SAVES:
            text = f"{SAVES} games were saved in the last hour, which is the limit"
            raise Refusal(429, "too-many-saves", text, "download the file instead")
        self._saves.append(now)
