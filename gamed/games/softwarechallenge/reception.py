"""The reception of the Software-Challenge: joining, reservations, and what administrators ask for.

Source: software-challenge.md A, B2, B3, B5 (who is thrown out how: K kicked, D dropped) and B6. It knows no Hive.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from attrs import define, field

from gamed.errors import RemoteProtocolError
from gamed.events import Event
from gamed.game import Seat, Termination
from gamed.games.softwarechallenge import messages as say
from gamed.games.softwarechallenge.scores import ScoreBook
from gamed.games.softwarechallenge.season import Season, Sent
from gamed.games.softwarechallenge.table import SEATS, Arrived, SeasonTable
from gamed.history import History
from gamed.match import Opening, opening
from gamed.peer import Peer
from gamed.reception import Host, HostedRoom, Reservation

FAILURES: Final = 5
"""Wrong passwords that an address may send within FORGIVEN seconds."""

FORGIVEN: Final = 60.0
"""Seconds after which a wrong password is forgotten."""


class _Kick(Exception):  # noqa: N818 (not an error: the end of a conversation)
    """The peer is thrown out; `room`: the room that its request named."""

    def __init__(self, reason: str, *, room: str | None = None, kick: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.room, self.kick = reason, room, kick


@define(eq=False)
class SoftwareChallengeReception:
    """The reception of one listener. `password`: the administrators'; `is_paused`: whether join rooms start paused."""

    season: Season
    host: Host
    password: str
    is_paused: bool
    routes: bool = True
    scores: ScoreBook = field(init=False)
    _admins: dict[Peer, None] = field(factory=dict)
    _failures: dict[str, list[float]] = field(factory=dict)
    _unfilled: dict[HostedRoom, None] = field(factory=dict)
    _requests: dict[type[Event], Callable[[Peer, Any], None]] = field(init=False)
    _admin_requests: dict[type[Event], Callable[[Peer, Any], None]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.scores = ScoreBook(self.season.fragments)
        self._requests = {
            say.Join: self._join,
            say.JoinPrepared: self._join_prepared,
            say.Authenticate: self._authenticate,
            say.RoomMessage: self._move,
            say.Leaving: self._leave,
        }
        self._admin_requests = {
            say.Prepare: self._prepare,
            say.Observe: self._observe,
            say.Pause: self._pause,
            say.StepOn: self._step,
            say.Cancel: self._cancel,
            say.SetTimeout: self._set_timed,
            say.FreeReservation: self._free,
            say.TestMode: self._test_mode,
            say.ScoreForPlayer: self._score,
        }

    # Reception

    def arrive(self, peer: Peer) -> None:
        """Say nothing: the client speaks first."""

    def receive(self, peer: Peer, event: Event) -> None:
        """Take a request. Raises StoreError, RoomError: no room can be opened."""
        handle = self._requests.get(type(event))
        if handle is None and peer in self._admins:
            handle = self._admin_requests.get(type(event))
        if handle is None:
            # An administrator's request by somebody else: ignored, as by the official server.
            return
        try:
            handle(peer, event)
        except _Kick as out:
            self._throw_out(peer, out)
        except RemoteProtocolError as error:
            self.refuse(peer, error)

    def refuse(self, peer: Peer, error: RemoteProtocolError) -> None:
        """Throw out who broke the protocol."""
        self._throw_out(peer, _Kick(str(error), kick=error.code in say.KICKED))

    def released(self, peer: Peer, room: HostedRoom) -> None:  # noqa: ARG002 (Reception's signature)
        """Say goodbye to a player whose last game is over; administrators stay."""
        if peer not in self._admins and not peer.places:
            peer.deliver(say.Closing(kick=True))
            peer.close()

    def depart(self, peer: Peer) -> None:
        """Forget an administrator."""
        self._admins.pop(peer, None)

    def _throw_out(self, peer: Peer, out: _Kick) -> None:
        self.host.note(peer, out.reason)
        if out.room is not None:
            self.host.tell(peer, say.Refused(out.room, out.reason, None))
        self.host.tell(peer, say.Closing(kick=out.kick))
        self._empty_seats(peer)
        self.host.dismiss(peer)

    def _empty_seats(self, peer: Peer) -> None:
        for room, seat in list(peer.places):
            if seat in room.peers:
                room.leave(seat, Termination.LEFT)

    # Everybody

    def _check_type(self, game_type: str) -> None:
        if game_type and game_type not in self.season.game_types:
            known = ", ".join(self.season.game_types)
            raise _Kick(f"there is no game of type {game_type[:80]!r} here; there is {known}")

    def _join(self, peer: Peer, event: say.Join) -> None:
        self._check_type(event.game_type)
        room = self._unfilled_room()
        existing = room is not None
        if room is None:
            room = self._open((), paused=self.is_paused)
        room.join(peer, self._free_seats(room)[0])
        for admin in self._admins:
            self.host.tell(admin, say.JoinedGameRoom(room.id, existing))

    def _unfilled_room(self) -> HostedRoom | None:
        for room in list(self._unfilled):
            if not room.table.free:
                del self._unfilled[room]
                continue
            for seat, waiting in list(room.peers.items()):
                # Its end of the connection is closed, and that was not told yet.
                if waiting.is_gone:
                    room.leave(seat, Termination.LEFT)
            if self._free_seats(room):
                return room
        return None

    def _free_seats(self, room: HostedRoom) -> list[Seat]:
        return [seat for seat in room.table.free if not self.host.reservations.is_reserved(room, seat)]

    def _open(self, slots: tuple[say.Slot, ...], *, paused: bool, opening: Opening = ()) -> HostedRoom:
        room = self.host.open(self.season.kind)
        table = _table(room)
        table.prepare(room.id, slots, paused=paused, opening=opening)
        table.finished = self.scores.add
        self._unfilled[room] = None
        return room

    def _join_prepared(self, peer: Peer, event: say.JoinPrepared) -> None:
        reservation = self.host.reservations.take(event.code)
        if reservation is None:
            raise _Kick("there is no reservation with this code: it was used or revoked, or its room is gone")
        reservation.room.join(peer, reservation.seat)

    def _leave(self, peer: Peer, _event: say.Leaving) -> None:
        self.host.tell(peer, say.Closing(kick=False))
        self._empty_seats(peer)
        self.host.dismiss(peer)

    def _move(self, peer: Peer, event: say.RoomMessage) -> None:
        sent = Sent(None) if event.data is None else self.season.read(event.data)
        room = None if event.room is None else self.host.room(event.room)
        seats = [] if room is None else [seat for seat, other in room.peers.items() if other is peer]
        if room is None or not seats:
            reason = "there is no such room, or its game is over" if room is None else "you have no seat in this room"
            raise _Kick(reason, room=event.room)
        # Who holds both slots answers for the one that is asked.
        to_move = room.table.game.to_move(room.table.state)
        room.receive(next((seat for seat in seats if seat in to_move), seats[0]), Arrived(sent))

    def _authenticate(self, peer: Peer, event: say.Authenticate) -> None:
        now = self.host.seconds()
        failures = [at for at in self._failures.get(peer.address, ()) if now - at < FORGIVEN]
        right = hmac.compare_digest(event.password.encode(), self.password.encode())
        if right and len(failures) < FAILURES:
            self._admins[peer] = None
            self.host.note(peer, "authenticated as administrator")
            return
        self._failures[peer.address] = [*failures, now][-FAILURES:]
        self._failures = {address: times for address, times in self._failures.items() if now - times[-1] < FORGIVEN}
        if len(failures) >= FAILURES:
            raise _Kick(f"too many wrong passwords from this address: wait {FORGIVEN:g} seconds")
        raise _Kick("wrong password")

    # Administrators

    def prepare(self, slots: tuple[say.Slot, ...], opening: Opening = ()) -> tuple[HostedRoom, list[Reservation]]:
        """Open a room with reserved slots; its game starts after the opening. Raises StoreError, RoomError."""
        room = self._open(slots, paused=False, opening=opening)
        return room, [self.host.reservations.make(room, seat) for seat in SEATS]

    def _prepare(self, peer: Peer, event: say.Prepare) -> None:
        self._check_type(event.game_type)
        if not event.slots:
            raise _Kick("prepare needs one or two slots", kick=False)
        if len(event.slots) > len(SEATS):
            raise _Kick(f"prepare takes at most {len(SEATS)} slots")
        if event.record is None:
            self._tell_prepared(peer, event, ())
        else:
            self.host.recorded(event.record, partial(self._prepare_from, peer, event))

    def _prepare_from(self, peer: Peer, event: say.Prepare, history: History | None) -> None:
        if history is None or history.kind != self.season.kind:
            self._throw_out(peer, _Kick(f"there is no record {event.record!r} of this game"))
            return
        self._tell_prepared(peer, event, opening(history, event.turn))

    def _tell_prepared(self, peer: Peer, event: say.Prepare, moves: Opening) -> None:
        room, reservations = self.prepare(event.slots, moves)
        self.host.tell(peer, say.Prepared(room.id, tuple(kept.code for kept in reservations)))

    def _known(self, room: str) -> HostedRoom:
        found = self.host.room(room)
        if found is None or found.history.kind != self.season.kind:
            raise _Kick("there is no such room", room=room)
        return found

    def _observe(self, peer: Peer, event: say.Observe) -> None:
        room = self._known(event.room)
        self.host.tell(peer, say.Observed(room.id))
        room.observe(peer)

    def _pause(self, _peer: Peer, event: say.Pause) -> None:
        room = self.host.room(event.room)
        if room is None:
            return
        if event.pause:
            room.pause()
        else:
            room.resume()

    def _step(self, _peer: Peer, event: say.StepOn) -> None:
        self._known(event.room).step(forced=event.forced)

    def _cancel(self, _peer: Peer, event: say.Cancel) -> None:
        self._known(event.room).stop(Termination.CANCELLED)

    def _set_timed(self, _peer: Peer, event: say.SetTimeout) -> None:
        room = self._known(event.room)
        if event.slot not in room.peers:
            raise _Kick("nobody has this slot", room=event.room, kick=False)
        _table(room).set_timed(event.slot, timed=event.activate)

    def _free(self, _peer: Peer, event: say.FreeReservation) -> None:
        if self.host.reservations.take(event.code) is None:
            raise _Kick("there is no reservation with this code", kick=False)

    def _test_mode(self, peer: Peer, event: say.TestMode) -> None:
        self.scores.is_on = event.on
        self.host.tell(peer, say.Testing(event.on))

    def _score(self, peer: Peer, event: say.ScoreForPlayer) -> None:
        score = self.scores.score(event.display_name)
        if score is None:
            raise _Kick("there are no scores for this name", kick=False)
        self.host.tell(peer, say.PlayerScore(self.scores.spelled(event.display_name)))


def _table(room: HostedRoom) -> SeasonTable:
    return cast("SeasonTable", room.table)
