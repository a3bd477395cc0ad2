"""The rooms of the Software-Challenge's listener: how they are opened, wait for their players, and are given up.

Source: docs/reference/software-challenge.md#the-life-of-a-game.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from attrs import define, field

from gamed.core.errors import RoomError, RuleError
from gamed.core.game import CHANCE, Seat, Termination
from gamed.core.history import History
from gamed.core.match import Opening, opening
from gamed.core.peer import Party, Peer
from gamed.core.reception import HostedRoom, LobbyServices, suits
from gamed.core.refusals import Refusal
from gamed.games.softwarechallenge.messages import Slot
from gamed.games.softwarechallenge.scores import ScoreBook
from gamed.games.softwarechallenge.season import Season
from gamed.games.softwarechallenge.seasons import SEASONS
from gamed.games.softwarechallenge.table import SeasonTable


@define(eq=False)
class SeasonRooms:
    """The rooms of all seasons."""

    seasons: Mapping[str, Season]
    """The games of the listener, by their names in gamed."""

    services: LobbyServices

    waiting: float
    """How many seconds a room may wait for its players."""

    year: int
    """The year of the season for clients that name none. If it is not one of these, that is the first of these."""

    scores: Mapping[str, ScoreBook] = field(init=False)
    """By the game's name in gamed."""

    _unfilled: dict[HostedRoom, Any] = field(factory=dict)
    """The rooms with free slots, the oldest first, each with the timer that ends its waiting."""

    def __attrs_post_init__(self) -> None:
        self.scores = {kind: ScoreBook(season.fragments) for kind, season in self.seasons.items()}

    @property
    def usual(self) -> Season:
        """The season of clients that name none."""
        kind = SEASONS[self.year].rpartition(".")[2]
        return self.seasons.get(kind) or next(iter(self.seasons.values()))

    def hosted(self, room: str) -> HostedRoom | None:
        """Return the room with an id, if it is one of these."""
        found = self.services.room(room)
        return found if found is not None and found.history.kind in self.seasons else None

    def season_of(self, room: str | None) -> Season:
        """Return the season of the room with an id; the usual one, if there is no such room."""
        found = None if room is None else self.hosted(room)
        return self.usual if found is None else self.seasons[found.history.kind]

    def open(
        self,
        season: Season,
        slots: tuple[Slot, ...],
        *,
        paused: bool,
        plies: Opening = (),
        party: Party | None = None,
    ) -> HostedRoom:
        """Open a room, which waits for its players. Its game starts after the plies. Raises StoreError, RoomError."""
        room = self.services.open(season.kind, party=party)
        self.furnish(room, slots, paused=paused, plies=plies)
        table_of(room).filled = partial(self._filled, room)
        self._unfilled[room] = self.services.after(self.waiting, partial(self._give_up, room))
        return room

    def furnish(
        self, room: HostedRoom, slots: tuple[Slot, ...] = (), *, paused: bool = False, plies: Opening = ()
    ) -> None:
        """Give a room that the lobby has opened what its table needs."""
        table = table_of(room)
        table.prepare(room.id, slots, paused=paused, opening=plies)
        table.finished = self.scores[room.history.kind].add
        table.begun = partial(_begun, room)

    def unfilled(self, peer: Peer, season: Season) -> HostedRoom | None:
        """Return the oldest room of a season with a free slot for a peer."""
        for room in list(self._unfilled):
            if room.history.kind != season.kind or not suits(room, peer) or not self.free_seats(room):
                continue
            for seat, waiting in list(room.peers.items()):
                # The peer has closed its connection, but its session has not read that yet. Do not pair anyone with it.
                if waiting.is_gone:
                    room.leave(seat, Termination.LEFT)
            if self.free_seats(room):
                return room
        return None

    def free_seats(self, room: HostedRoom) -> list[Seat]:
        """Return the seats of a room that nobody has taken or reserved."""
        return [seat for seat in room.table.free if not self.services.reservations.is_reserved(room, seat)]

    def _filled(self, room: HostedRoom) -> None:
        timer = self._unfilled.pop(room, None)
        if timer is not None:
            timer.cancel()

    def _give_up(self, room: HostedRoom) -> None:
        del self._unfilled[room]
        refusal = Refusal("no-partner", f"no second player came for {self.waiting:g} seconds", "a second player")
        for peer in list(room.peers.values()):
            self.services.refused(peer, refusal)
        room.stop(Termination.IDLE)


def plies_of(season: Season, history: History | None, turn: int | None) -> Opening:
    """Return the moves of a match up to a turn, None for its end. Raises RoomError if no game can go on there."""
    if history is None or history.kind != season.kind:
        raise RoomError("there is no such record of this game")
    plies = opening(history, turn)
    if turn is not None and sum(seat != CHANCE for seat, _ in plies) != turn:
        raise RoomError(f"the record has no turn {turn}")
    game = season.game
    state = game.setup(history.options)
    try:
        for seat, text in plies:
            state = game.apply(state, seat, game.parse(text))
    except RuleError as error:
        raise RoomError(f"the record cannot be played: {error}") from error
    if not game.to_move(state):
        raise RoomError("the game of the record has ended by then")
    return plies


def _begun(room: HostedRoom, seat: Seat) -> bytes:
    peer = room.peers.get(seat)
    return b"" if peer is None else peer.unfinished


def table_of(room: HostedRoom) -> SeasonTable:
    """Return the table of a room of this listener."""
    return cast("SeasonTable", room.table)
