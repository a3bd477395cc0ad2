"""The runner: it plays the games of a plan, some at a time, with bots in slots and a daemon as the referee.

Source: docs/topics/design.md#the-runner. It keeps nothing of its own: what was played is what the daemon has recorded.
"""

from __future__ import annotations

import json
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from attrs import define, evolve, field, frozen
from twisted.internet.defer import Deferred, DeferredList, succeed
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.process import reapProcessHandlers
from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure

from gamed.arena.archives import ArchiveError, unpack
from gamed.arena.client import DaemonClient, DaemonLost, Means, Opening
from gamed.arena.entrants import Entrant
from gamed.arena.slots import Exit, Slot, SlotError, sweep
from gamed.control.commands import MOST_EVIDENCE
from gamed.core.errors import GamedError, RoomError, StoreError
from gamed.core.game import Options, Seat, Termination
from gamed.core.history import Word
from gamed.core.keys import digest_of, key_of
from gamed.registry import Scores
from gamed.tournament.results import Result
from gamed.tournament.schedule import Fixture, Plan, due, last_attempt

_T = TypeVar("_T")

HOST: Final = "127.0.0.1"
START_SECONDS: Final = 30.0
"""How long a bot may take from its start until it has its seat."""

ATTEMPTS: Final = 3
"""How often a runner tries a game that ends as nobody's."""

GRACE: Final = 0.5
"""Seconds that a bot has from the end of its game until it is killed; and from its own end until it counts as absent,
if it has no seat: what it has sent may still be on its way."""


PLAYED: Final = (Termination.VICTORY, Termination.DRAW, Termination.LIMIT)
"""How a game ends by the rules: its programs may play another one."""

RESULTS_AT_ONCE: Final = 100
ASKED_AT_ONCE: Final = 20
"""How many results, and other answers on games, are asked for at once: an answer of AMP ends at 64 KiB."""


class ArenaError(GamedError):
    """The match cannot go on: the daemon has ended, or refuses its games."""


@define(eq=False)
class Game:
    """A game that is being played."""

    fixture: Fixture
    lane: Lane
    slots: Sequence[int]
    """Which slot of the lane each seat's program is in."""

    over: Deferred[Result] = field(factory=Deferred)
    started: set[Seat] = field(factory=set)
    """The seats whose programs were started for this game."""

    seated: set[Seat] = field(factory=set)
    has_begun: bool = False
    timer: IDelayedCall | None = None
    """When the seat that is due, or the beginning, has taken too long."""

    reasons: dict[Seat, str] = field(factory=dict)
    """Why programs could not be started, by seat."""

    def next_seat(self) -> Seat:
        """Return the seat that is taken next."""
        return len(self.seated)

    def slot(self, seat: Seat) -> Slot:
        """Return the slot of a seat's program."""
        return self.lane.slots[self.slots[seat]]


@define(eq=False)
class Lane:
    """A slot and an entrance for each player of one game at a time."""

    slots: list[Slot] = field(factory=list)
    ports: list[int] = field(factory=list)
    entrances: list[int] = field(factory=list)
    entrants: list[int | None] = field(factory=list)
    """Whose program each slot has; None: it is clear."""

    def has(self, number: int, entrant: int) -> bool:
        """Whether a program of an entrant runs in a slot."""
        slot = self.slots[number]
        return self.entrants[number] == entrant and slot.exited is None and not slot.is_lost


@frozen
class Finished:
    """A game whose room is closed."""

    fixture: Fixture
    result: Result
    exits: Mapping[Seat, Exit | None]
    """How the programs ended; None: they were killed after the game."""

    reasons: Mapping[Seat, str]
    """Why programs could not be started."""

    said: Mapping[Seat, str]
    """The last line that each program has written to its standard error."""


@define(eq=False)
class Runner:
    """One match."""

    reactor: Any
    game: str
    options: Options
    plan: Plan
    entrants: Sequence[Entrant]
    concurrency: int
    limits: Mapping[str, int]
    """`memory` and `cpu_seconds` of each process, as `Start` has them."""

    seat_name: Callable[[str, Seat], str]
    """Returns what a bot calls itself in the game's protocol, by its name and its seat."""

    on_finished: Callable[[Finished], None]
    """Called with each game whose room is closed."""

    secret: str = ""
    """From which the keys that open evidence follow (`key_of`), in hexadecimal digits; "": none does."""

    is_kept: bool = False
    """Whether a program plays game after game, and connects again to its port for the next one, as long as its games
    end by the rules. Else one is started for each game."""

    withholds: bool = False
    """Whether the web does not show a game as long as the other one of its pair is not over."""

    is_pinned: bool = False
    """Whether each program runs on one processor."""

    is_reaper: bool = False
    """Whether orphans of bots come to this process (`become_subreaper`), and it has no children but Twisted's."""

    results: dict[str, Result] = field(factory=dict)
    """What is recorded, by the ids of the games."""

    client: DaemonClient = field(init=False)
    is_stopping: bool = False
    _games: dict[str, Game] = field(factory=dict)
    _queue: deque[Fixture] = field(factory=deque)
    _unrecorded: dict[str, Result] = field(factory=dict)
    _all_recorded: Deferred[None] | None = None
    _evidence: dict[str, Sequence[str]] = field(factory=dict)
    """Evidence on the programs of games that are not recorded yet, seat by seat."""

    _deposits: list[Deferred[Any]] = field(factory=list)
    _lanes: list[Lane] = field(factory=list)
    _why_lost: str = ""

    def __attrs_post_init__(self) -> None:
        self.client = DaemonClient(self)

    async def take_over(self, key: str) -> None:
        """Say who is there, and end what an earlier runner of this key has left. Its programs have ended with it."""
        for room in await self.client.begin(key):
            await self.client.void(room)

    async def recall(self) -> None:
        """Take the results that the daemon has recorded already. Raises StoreError."""
        asked: set[str] = set()
        # Behind a game that was nobody's, its next attempt is due.
        while ids := [one for one in map(self.plan.id_of, due(self.plan, self.results)) if one not in asked]:
            asked.update(ids)
            for start in range(0, len(ids), RESULTS_AT_ONCE):
                found = await self.client.results(ids[start : start + RESULTS_AT_ONCE])
                self.results |= {result.id: result for result in found}

    async def means(self) -> Mapping[str, Means]:
        """Return the means of what the programs have told of themselves, by the games' ids. Raises StoreError."""
        return await self._asked(self.client.means)

    async def scores(self) -> Mapping[str, Scores]:
        """Return the scores of the games, by their ids. Raises StoreError."""
        return await self._asked(self.client.scores)

    async def _asked(self, ask: Callable[[Sequence[str]], Deferred[list[_T]]]) -> dict[str, _T]:
        """Ask something of all recorded games, some at once; return the answers by the games' ids."""
        found: dict[str, _T] = {}
        ids = list(self.results)
        for start in range(0, len(ids), ASKED_AT_ONCE):
            asked = ids[start : start + ASKED_AT_ONCE]
            found.update(zip(asked, await ask(asked), strict=True))
        return found

    async def play(self) -> None:
        """Play all games that are due, and return when they are recorded. Raises ArenaError.

        The client must be connected, and have taken over; `results` must have what is recorded already (`recall`).
        """
        self._queue.extend(due(self.plan, self.results))
        count = min(self.concurrency, len(self._queue))
        try:
            for number in range(count):
                await self._add_lane(number)
            works: list[Deferred[Any]] = [Deferred.fromCoroutine(self._work(lane)) for lane in self._lanes]
            # All of them: a lane that goes on needs its slots.
            for _, found in await DeferredList(works, consumeErrors=True):
                if isinstance(found, Failure):
                    found.raiseException()
            if self._unrecorded and not self._why_lost:
                self._all_recorded = Deferred()
                await self._all_recorded
            await DeferredList(self._deposits)
        finally:
            for lane in self._lanes:
                for slot in lane.slots:
                    await slot.close()
        if self._why_lost:
            raise ArenaError(self._why_lost)

    def finish(self) -> None:
        """Begin no more games; those that run are played to their end."""
        self._queue.clear()

    def stop(self) -> None:
        """Begin no more games, and end those that run, so that they count for nobody."""
        self.is_stopping = True
        for game_id in list(self._games):
            self.client.void(game_id).addErrback(lambda _failure: None)

    # Lanes

    async def _add_lane(self, number: int) -> None:
        seats = range(len(self.plan.pairings[0]))
        lane = Lane()
        self._lanes.append(lane)
        for seat in seats:
            slot = Slot(self.reactor)
            slot.open()
            lane.slots.append(slot)
            lane.entrants.append(None)
            lane.entrances.append(number * len(seats) + seat)
            with socket.create_server((HOST, 0), backlog=16) as listening:
                lane.ports.append(listening.getsockname()[1])
                await self.client.adopt(lane.entrances[-1], self.game, listening)

    async def _work(self, lane: Lane) -> None:
        while self._queue and not self.is_stopping and not self._why_lost:
            fixture = self._queue.popleft()
            try:
                for attempt in range(ATTEMPTS):
                    result = await self._play(lane, evolve(fixture, attempt=fixture.attempt + attempt))
                    if result is None or not result.is_void or self.is_stopping:
                        break
            except (RoomError, StoreError) as error:
                self.stop()
                raise ArenaError(str(error)) from error

    # A game

    async def _play(self, lane: Lane, fixture: Fixture) -> Result | None:
        """Play one game; return its result, or None if the daemon is lost."""
        game_id = self.plan.id_of(fixture)
        # An entrant has the same slot in both games of a pair, so a program that is kept has the same port.
        players = sorted(fixture.seats)
        game = Game(fixture, lane, [players.index(entrant) for entrant in fixture.seats])
        new = [seat for seat, entrant in enumerate(fixture.seats) if not lane.has(game.slots[seat], entrant)]
        is_clean = False
        self._games[game_id] = game
        try:
            await self._clear(lane, [game.slots[seat] for seat in new])
            codes = await self._open(game, new)
            self._set_timer(game)
            for seat in range(len(game.slots)):
                slot = game.slot(seat)
                slot.on_exit = partial(self._exited, game, seat, codes[seat])
                if seat in new:
                    await self._start(game, seat, codes[seat])
                    continue
                slot.forget()
                if slot.exited is not None:
                    slot.on_exit(slot.exited)
            result = await game.over
            is_clean = self.is_kept and result.termination in PLAYED and not result.causes
            if not is_clean:
                await self._exits(lane)
            exits = {seat: game.slot(seat).exited for seat in range(len(game.slots))}
            slots = [game.slot(seat) for seat in range(len(game.slots))]
        except DaemonLost:
            return None
        finally:
            self._games.pop(game_id, None)
            # If the daemon was lost before this was waited for, nobody else takes the error.
            game.over.addErrback(lambda _failure: None)
            if game.timer is not None and game.timer.active():
                game.timer.cancel()
            for slot in lane.slots:
                slot.on_exit = None
            if not is_clean:
                await self._clear(lane, range(len(lane.slots)))
        # Clearing a slot has read the rest of what its bot wrote, and killed a bot that still ran.
        said = {seat: slot.outputs[1].last_line for seat, slot in enumerate(slots)}
        used = [slot.exited.used if slot.exited else {} for slot in slots]
        words = [{**used[seat], **self._word(game, seat, exits[seat])} for seat in range(len(slots))]
        self._evidence[game_id] = [
            evidence(slot, words[seat], self.limits, self._keys(fixture, seat)) for seat, slot in enumerate(slots)
        ]
        self._deposit(game_id)
        self.on_finished(Finished(fixture, result, exits, game.reasons, said))
        self._disclose(fixture)
        return result

    def _keys(self, fixture: Fixture, seat: Seat) -> Sequence[str]:
        """Return the digests of the keys that open the evidence on the program of a seat."""
        name = self.entrants[fixture.seats[seat]].name
        return [digest_of(key_of(self.secret, one)) for one in (name, "")] if self.secret else []

    def _deposit(self, game_id: str) -> None:
        """Have the daemon store the evidence on a game's programs, once the game is recorded."""
        if game_id in self.results:
            for seat, data in enumerate(self._evidence.pop(game_id, ())):
                # No result depends on it, and nothing waits for it but the end of the match.
                kept = self.client.evidence(game_id, seat, data)
                self._deposits.append(kept.addErrback(lambda _failure: None))

    async def _open(self, game: Game, new: Iterable[Seat]) -> Sequence[str]:
        """Open the room of a game; return the reservation codes. `new`: the seats whose programs are started for it."""
        fixture = game.fixture
        names = [self.entrants[entrant].name for entrant in fixture.seats]
        opening = Opening(self.game, self.plan.id_of(fixture), self.plan.seed_of(fixture), self.options, names)
        if self.withholds:
            await self.client.withhold(self._of_pair(fixture))
        entrances = [game.lane.entrances[number] for number in game.slots]
        return await self.client.open(opening, entrances, [entrances[seat] for seat in new])

    def _legs(self, fixture: Fixture) -> list[tuple[Fixture, Result | None]]:
        """Return the last attempts at both games of a pair, with the results of those that have ended."""
        ended, legs = {**self.results, **self._unrecorded}, range(min(2, self.plan.games - 2 * fixture.pair))
        return [last_attempt(self.plan, evolve(fixture, leg=leg), ended) for leg in legs]

    def _disclose(self, fixture: Fixture) -> None:
        """Have the web show a pair, if it was withheld and is over."""
        if self.withholds and all(result is not None for _, result in self._legs(fixture)):
            self.client.disclose(self._of_pair(fixture)).addErrback(lambda _failure: None)

    def _of_pair(self, fixture: Fixture) -> list[str]:
        """Return the ids of all attempts at both games of a pair so far."""
        return [
            self.plan.id_of(evolve(last, attempt=attempt))
            for last, _ in self._legs(fixture)
            for attempt in range(last.attempt + 1)
        ]

    async def _start(self, game: Game, seat: Seat, code: str) -> None:
        """Start the program of a seat. Its slot must be clear."""
        entrant, number = self.entrants[game.fixture.seats[seat]], game.slots[seat]
        values = {
            "host": HOST,
            "port": str(game.lane.ports[number]),
            "code": code,
            "name": self.seat_name(entrant.name, seat),
            "seed": str(self.plan.bot_seed(game.fixture, seat)),
        }
        game.started.add(seat)
        game.lane.entrants[number] = game.fixture.seats[seat]
        start = entrant.start(values, self.limits, game.fixture.pair)
        entrance = game.lane.entrances[number]
        if self.is_pinned:
            processors = sorted(os.sched_getaffinity(0))
            start = evolve(start, processor=processors[entrance % len(processors)])
        try:
            if entrant.archive is not None and entrant.is_fresh:
                start = evolve(start, folder=entrant.folder / f"{entrance}")
                threads = self.reactor.getThreadPool()
                await deferToThreadPool(self.reactor, threads, unpack, entrant.archive, start.folder)
            reason = await game.slot(seat).start(start)
        except ArchiveError as error:
            # Somebody has changed it during the match.
            reason = str(error)
        except SlotError:
            # The bot was so fast: its end was told.
            return
        if reason:
            game.reasons[seat] = f"{entrant.command[0]}: {reason}"
            self._absent(game, seat)

    def _exited(self, game: Game, seat: Seat, code: str, _exit: Exit) -> None:
        """Take note that a bot has ended. If it has no seat by then, it never comes.

        If it has killed its slot, what it has started lives, and may hold its connection.
        """
        if self.is_reaper and game.slot(seat).is_lost:
            sweep(reapProcessHandlers)
        if seat in game.seated or game.over.called:
            return
        if seat in game.started:
            self.reactor.callLater(GRACE, self._absent, game, seat)
        else:
            # It has ended after an earlier game.
            Deferred.fromCoroutine(self._start_anew(game, seat, code)).addErrback(lambda _failure: None)

    async def _start_anew(self, game: Game, seat: Seat, code: str) -> None:
        on_exit = game.slot(seat).on_exit
        await self._clear(game.lane, [game.slots[seat]])
        if not game.over.called:
            game.slot(seat).on_exit = on_exit
            await self._start(game, seat, code)

    def _absent(self, game: Game, seat: Seat) -> None:
        if not game.over.called and seat not in game.seated and not self._why_lost:
            word = self._word(game, seat, game.slot(seat).exited)
            self.client.absent(self.plan.id_of(game.fixture), seat, word).addErrback(lambda _failure: None)

    def _word(self, game: Game, seat: Seat, exit_: Exit | None) -> Mapping[str, Any]:
        """Return what is known of the program of a seat. `exit_`: how it ended; None: it runs."""
        if seat in game.reasons:
            return {"failed": game.reasons[seat]}
        return {"running": True} if exit_ is None else exit_.word

    def _set_timer(self, game: Game) -> None:
        """Give the seat that is due, or the beginning of the game, its time."""
        if game.timer is not None and game.timer.active():
            game.timer.cancel()
        game.timer = self.reactor.callLater(START_SECONDS, self._too_late, game)

    def _too_late(self, game: Game) -> None:
        seat = game.next_seat()
        if seat < len(game.lane.slots):
            self._absent(game, seat)
        elif not game.has_begun:
            # All are there, and nobody begins, as worlds that do not vote: nobody's game.
            self.client.void(self.plan.id_of(game.fixture)).addErrback(lambda _failure: None)

    async def _exits(self, lane: Lane) -> None:
        """Wait until the bots of a lane have ended by themselves, for a short time."""
        await DeferredList([slot.exit_within(GRACE) for slot in lane.slots])

    async def _clear(self, lane: Lane, numbers: Iterable[int]) -> None:
        """Clear slots of a lane; replace those whose program a bot has killed."""
        for number in numbers:
            if lane.entrants[number] is None:
                continue
            slot, lane.entrants[number] = lane.slots[number], None
            slot.on_exit = None
            try:
                await slot.clear()
            except SlotError:
                lane.slots[number] = Slot(self.reactor)
                lane.slots[number].open()

    # What the daemon says (Follower)

    def seated(self, room: str, seat: Seat) -> None:
        """Take note that a bot has its seat."""
        game = self._games.get(room)
        if game is not None:
            game.seated.add(seat)
            self._set_timer(game)

    def begun(self, room: str) -> None:
        """Take note that a game has begun: from now on, the daemon's clocks count."""
        game = self._games.get(room)
        if game is not None:
            game.has_begun = True
            if game.timer is not None and game.timer.active():
                game.timer.cancel()

    def testify(self, room: str, seat: Seat) -> Deferred[Mapping[str, Any]]:
        """Say what became of a bot whose connection has ended. It has a moment to end itself."""
        game = self._games.get(room)
        if game is None:
            return succeed({})
        return game.slot(seat).exit_within(GRACE).addCallback(partial(self._word, game, seat))

    def ended(self, result: Result) -> None:
        """Take note that a game has ended."""
        self._unrecorded[result.id] = result
        game = self._games.get(result.id)
        if game is not None and not game.over.called:
            game.over.callback(result)

    def recorded(self, room: str) -> None:
        """Take note that a game is recorded: now it counts."""
        result = self._unrecorded.pop(room, None)
        if result is not None:
            self.results[room] = result
            self._deposit(room)
        self._look()

    def lost(self, reason: str) -> None:
        """Take note that the daemon has ended."""
        self._why_lost = f"the daemon has ended: {reason}"
        for game in list(self._games.values()):
            if not game.over.called:
                game.over.errback(DaemonLost(self._why_lost))
        self._look()

    def _look(self) -> None:
        waiting = self._all_recorded
        if waiting is not None and (not self._unrecorded or self._why_lost) and not waiting.called:
            waiting.callback(None)


def evidence(slot: Slot, word: Word, limits: Mapping[str, int], keys: Sequence[str]) -> str:
    """Return evidence on a program as JSON: what became of it, its limits and numbers, the end of standard error.

    `keys`: the digests of those that open it.

    It has at most `MOST_EVIDENCE` bytes: the beginning of what was kept of standard error is left out.
    """
    output, errors = slot.outputs
    sizes = {"stdout_bytes": output.total, "stderr_bytes": errors.total}
    found = {**word, "limits": dict(limits), **sizes, "numbers": slot.numbers.found, "keys": list(keys)}
    text = errors.text
    while len(data := json.dumps({**found, "stderr": text}, ensure_ascii=False).encode()) > MOST_EVIDENCE:
        text = text[len(text) // 8 + 1 :]
    return data.decode()
