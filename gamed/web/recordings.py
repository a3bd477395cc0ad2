"""Handlers for /api/v1/recordings: games of Go that are written down in the browser.

Source: docs/reference/web-api.md#calls. A recording is in memory until it is saved as a record. Only the visitor who
made it can see it.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import Deferred

from gamed.games.go import gofans
from gamed.games.go.board import BLACK, LARGEST
from gamed.games.go.convert import newest
from gamed.games.go.hoshi import handicap
from gamed.games.go.json_views import Listing
from gamed.games.go.recorder import Recorder
from gamed.games.go.tree import GoGame, Player
from gamed.records.record import Record, document
from gamed.store import Store
from gamed.web.answers import Answer, Call, Refusal, Route, download
from gamed.web.imports import Importing, keep
from gamed.web.opened import GOFANS, go_file
from gamed.web.recording import MOST_MOVES, MOST_STONES, Recording, komi, pair, text, whole
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
class Recordings:
    """The handlers for recordings."""

    store: Store

    importing: Importing
    """Checks a recording before it is saved, like an imported file."""

    seconds: Callable[[], float]
    """A monotonic clock."""

    cooperator: ThreadCooperator = field(factory=ThreadCooperator)
    """Makes files, and checks recordings that are saved."""

    recordings: dict[str, Recording] = field(factory=dict)
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
        return Answer(body={"recordings": [one.entry() for one in self._of(call.visitor)]})

    def _make(self, call: Call) -> Any:
        record = call.value("record", str)
        if record is None:
            return self._begun(call, Recorder(_game(call)))
        return Deferred.fromCoroutine(self._opened(call, self.store.record(record)))

    def _read(self, call: Call) -> Deferred[Answer]:
        self._require_place(call)
        if len(call.body) > MOST_OPENED:
            raise Refusal(413, "too-long", f"the recorder opens files of at most {MOST_OPENED:,} bytes")
        return Deferred.fromCoroutine(self._opened(call, self.cooperator.do(self._of_file(call.body))))

    def _of_file(self, data: bytes) -> Steps[Record]:
        """Return the record of the game in a file. Raises Refusal."""
        first, *others = yield from self.importing.checked(data)
        if others:
            text = f"the file has {len(others) + 1} games, and the recorder opens one"
            raise Refusal(400, "several-games", text, "leave one of them in the file")
        if first.record is None or not first.is_taken:
            raise Refusal(400, first.code, first.sentence)
        return first.record

    async def _opened(self, call: Call, found: Awaitable[Record]) -> Answer:
        recorder = await self.cooperator.do(_recorder(await found))
        return self._begun(call, recorder)

    def _require_place(self, call: Call) -> None:
        self._sweep()
        if len(self._of(call.visitor)) >= OF_A_VISITOR:
            hint = "delete one of them; saved games stay in the archive"
            raise Refusal(429, "too-many-recordings", f"you already have {OF_A_VISITOR} recordings", hint)
        if len(self.recordings) >= IN_ALL:
            raise Refusal(503, "recorder-full", f"{IN_ALL} games are already being recorded", "try again later")

    def _begun(self, call: Call, recorder: Recorder) -> Answer:
        # Others may have begun while this one was read.
        self._require_place(call)
        recording = Recording(secrets.token_hex(8), call.visitor.id, recorder, self.seconds())
        self.recordings[recording.id] = recording
        return Answer(201, {"id": recording.id})

    def _of(self, visitor: Any) -> list[Recording]:
        return [one for one in self.recordings.values() if one.owner == visitor.id]

    def _sweep(self) -> None:
        due = self.seconds() - FORGOTTEN_AFTER
        for one in list(self.recordings.values()):
            if one.used < due:
                del self.recordings[one.id]

    # One of them

    def _locked(self, do: Callable[[Call, Recording], Any]) -> Callable[[Call], Deferred[Answer]]:
        """Return a handler that finds the recording of a call, and calls `do` while it holds the recording's lock."""

        def found(call: Call) -> Deferred[Answer]:
            self._sweep()
            recording = self.recordings.get(call.places["id"])
            if recording is None or recording.owner != call.visitor.id:
                raise Refusal(404, "no-recording", "you have no such recording", "it may have been deleted as unused")
            recording.used = self.seconds()
            done: Deferred[Answer] = recording.lock.run(do, call, recording)
            return done

        return found

    def _show(self, _call: Call, recording: Recording) -> Answer:
        return Answer(raw=recording.shown())

    def _forget(self, _call: Call, recording: Recording) -> Answer:
        self.recordings.pop(recording.id, None)
        return Answer(body={})

    def _act(self, call: Call, recording: Recording) -> Answer:
        recording.act(call.body)
        return Answer(raw=recording.shown())

    def _file(self, call: Call, recording: Recording) -> Deferred[Answer]:
        chosen = call.query.get("format", GOFANS)

        def steps() -> Steps[Answer]:
            yield
            file = go_file(recording.recorder.game, chosen)
            return download(f"game-{recording.id}{file.ending}", file.data, file.mime)

        return self.cooperator.do(steps())

    def _save(self, call: Call, recording: Recording) -> Deferred[Answer]:
        self._count_save(call)
        return Deferred.fromCoroutine(self._saved(recording))

    async def _saved(self, recording: Recording) -> Answer:
        def steps() -> Steps[Any]:
            data = document(newest(recording.recorder.game))
            yield
            return (yield from self.importing.checked(data))

        (checked,) = await self.cooperator.do(steps())
        outcome = await keep(self.store, checked)
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


def _recorder(record: Record) -> Steps[Recorder]:
    """Return a recorder that stands at the end of a record's game. Raises Refusal, RecordError and RuleError."""
    if record.publisher != gofans.PUBLISHER:
        raise Refusal(400, "no-go", "this is no game of Go")
    game = gofans.read(record)
    yield
    if [player.id for player in game.players] != [0, 1] or game.players[0].color not in (None, BLACK):
        raise Refusal(400, "no-pair", "the recorder takes games of two players, black and white")
    listing = Listing(game)
    if len(listing.nodes) > MOST_MOVES:
        raise Refusal(400, "too-many-moves", f"a recording has at most {MOST_MOVES} moves")
    if not gofans.has_removes(record.version):
        yield from listing.played()
    recorder = Recorder(game)
    recorder.go_to(list(game.main_line()))
    return recorder


def _game(call: Call) -> GoGame:
    """Return a new game with the properties of the body. Raises Refusal, and RuleError if the handicap does not fit."""
    body = call.body if isinstance(call.body, dict) else {}
    size, stones = _count(call, "size", 19, 1, LARGEST), _count(call, "handicap", 0, 0, MOST_STONES)
    names = pair(body.get("players"), "players", text)
    return GoGame(
        size,
        (Player(0, names[0], color="black"), Player(1, names[1], color="white")),
        komi=komi(body.get("komi")),
        handicap=stones or None,
        setup=handicap(size, stones),
        rules=text(body.get("rules"), "rules"),
        title=text(body.get("title"), "title"),
        event=text(body.get("event"), "event"),
        date=text(body.get("date"), "date"),
        place=text(body.get("place"), "place"),
    )


def _count(call: Call, name: str, default: int, least: int, most: int) -> int:
    found = call.value(name, int)
    return default if found is None else whole(found, name, least, most)
