"""The reception of the Software-Challenge: joining, reservations, and the requests of administrators.

Source: docs/reference/software-challenge.md#what-clients-say, docs/reference/software-challenge.md#the-life-of-a-game,
docs/reference/software-challenge.md#what-is-refused (who is kicked, and who is dropped). It does not depend on the
games of the seasons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from attrs import define, field

from gamed.core.errors import RemoteProtocolError, RoomError, StoreError
from gamed.core.events import Event, Unread
from gamed.core.game import Seat, Termination
from gamed.core.history import History
from gamed.core.match import Opening
from gamed.core.passwords import is_same
from gamed.core.peer import Peer
from gamed.core.reception import HostedRoom, LobbyServices, Reservation, check_wanted, reserved
from gamed.core.refusals import LEFT_EARLY, Refusal
from gamed.games.softwarechallenge import messages as say
from gamed.games.softwarechallenge.dialect import Dialect
from gamed.games.softwarechallenge.rooms import SeasonRooms, plies_of, table_of
from gamed.games.softwarechallenge.season import Season, Sent
from gamed.games.softwarechallenge.table import SEATS, Arrived
from gamed.games.softwarechallenge.wire import number, originally

ADMINS_RATE: Final = 2_000.0
"""How many messages of an administrator are served in a second: its program prepares whole tournaments."""

NO_REQUEST: Final = 10.0
"""Seconds after which the developer of a client learns that it has connected and sent no request."""

_JOIN: Final = '<join gameType="{}"/>'
_ROOM: Final = "the roomId of the message <joined>, for as long as the game runs"
_ADMINS_ROOM: Final = "the roomId of a message <prepared> or <joinedGameRoom>, for as long as the game runs"
_CODE: Final = '<joinPrepared reservationCode="…"/> with a code of a message <prepared>, which can be used once'
_SLOTS: Final = 'one or two <slot displayName="…" canTimeout="true" shouldBePaused="false"/> in <prepare>'
_FROM: Final = "the id of a record of this game, and a turn of it before its end"

LISTENER: Final = "softwarechallenge"
"""The listener's name. Its administrators have no names, so this is also the user of their logins."""


Handler: TypeAlias = Callable[[Peer, Any], str | None]
"""Carries out a request. Returns the result for the audit log; None: "done"."""

_CHANGES: Final = frozenset(
    {say.Prepare, say.Pause, say.StepOn, say.Cancel, say.SetTimeout, say.FreeReservation, say.TestMode}
)
"""The requests of administrators that are written to the audit log."""


class _Kick(Exception):  # noqa: N818 (not an error: the end of a conversation)
    """The peer is to be disconnected because of its request."""

    def __init__(
        self, code: str, reason: str, expected: str = "", *, room: str | None = None, kick: bool = True
    ) -> None:
        super().__init__(reason)
        self.code, self.reason, self.expected = code, reason, expected
        self.room = room
        """The room that the request named: the reason is sent as a message of this room."""
        self.kick = kick
        """Whether CloseConnection is sent before the end tag."""


@define(eq=False)
class SoftwareChallengeReception:
    """The reception of one listener."""

    rooms: SeasonRooms
    services: LobbyServices

    password: str = field(repr=False)
    """The administrators' password; empty: nobody can authenticate."""

    is_paused: bool
    """Whether rooms that nobody prepared start paused."""

    routes: bool = True
    """All events of a peer come here, also after it has a seat: each message names its room."""

    _admins: dict[Peer, None] = field(factory=dict)
    """The peers that have authenticated, in order."""

    _wrong: dict[Peer, Any] = field(factory=dict)
    """The peers that have sent a wrong password, each with the timer that disconnects it later: so guessing is slow."""

    _silent: dict[Peer, tuple[Any, str]] = field(factory=dict)
    """The peers that have sent no request yet, each with the timer that reports it, and its document's root."""

    _named: dict[Peer, Season] = field(factory=dict)
    """The seasons that peers have named, by a game, a room or a code."""

    _requests: dict[type[Event], Handler] = field(init=False)
    """What everybody may ask for."""

    _admin_requests: dict[type[Event], Handler] = field(init=False)
    """What only administrators may ask for."""

    def __attrs_post_init__(self) -> None:
        self.services.logins.administrators.append(lambda: (peer.address for peer in self._admins))
        self._requests = {
            say.Join: self._join,
            say.JoinPrepared: self._join_prepared,
            say.JoinRoom: self._join_room_named,
            say.Authenticate: self._authenticate,
            say.RoomMessage: self._move,
            say.Leaving: self._leave,
            Unread: self._unread,
            say.Opened: self._opened,
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
        """Send nothing, because the client speaks first. Start the timer that reports a client without a request."""
        self._silent[peer] = self.services.after(NO_REQUEST, partial(self._asks_nothing, peer)), ""

    def receive(self, peer: Peer, event: Event) -> None:
        """Take a request."""
        handle = self._requests.get(type(event))
        if handle is None and peer in self._admins:
            handle = self._admin_requests.get(type(event))
        if handle is not None:
            self._answer(peer, handle, event)
        elif isinstance(event, say.Request):
            # The official server of 2020 ignores it, too.
            reason = "a request of administrators was ignored, because the client has not authenticated"
            join = _JOIN.format(self._game_type)
            expected = (
                f'players need no such request: they send {join}; administrators <authenticate password="…"/> first'
            )
            self._report(peer, event, "administrators-only", reason, expected)
            if self._dialect(peer).has_error_packets:
                self.services.send(
                    peer, say.ErrorPacket("this request requires authentication", originally(event.said))
                )

    def _answer(self, peer: Peer, handle: Handler, request: Any) -> None:
        try:
            result = handle(peer, request) or "done"
        except _Kick as out:
            result = f"failed: {out.reason}"
            self._throw_out(peer, request, out)
        except (RoomError, StoreError) as error:
            result = f"failed: {error}"
            self._throw_out(peer, request, _Kick("not-possible", str(error)))
        if type(request) in _CHANGES:
            # Keep reservation codes out of the log: whoever knows one can take the seat.
            has_code = isinstance(request, say.FreeReservation)
            self.services.audit(peer, "<freeReservation/>" if has_code else request.said.strip(), result)

    def _report(self, peer: Peer, request: say.Request, code: str, reason: str, expected: str = "") -> str:
        """Let developers learn why a request had no effect; return the reason."""
        self._has_asked(peer)
        self.services.refused(peer, Refusal(code, reason, expected, request.text))
        return reason

    def _unread(self, peer: Peer, event: Unread) -> None:
        # The report of a client without a request would tell its developer nothing more.
        self._has_asked(peer)
        self.services.refused(peer, event.refusal)

    def _opened(self, peer: Peer, event: say.Opened) -> None:
        if peer in self._silent:
            self._silent[peer] = self._silent[peer][0], event.root

    def _asks_nothing(self, peer: Peer) -> None:
        _, root = self._silent.pop(peer)
        begun = peer.unfinished
        came = f"has opened <{root[:40]}> and sent no request in it" if root else "has sent nothing (0 bytes)"
        if begun and not root:
            came = "has sent no whole message"
        reason = f"the client connected {NO_REQUEST:g} seconds ago and {came}; the server does not speak first"
        expected = _JOIN.format(self._game_type)
        expected = f'<protocol>{expected}, or <joinPrepared reservationCode="…"/> in it'
        self.services.refused(peer, Refusal("no-request", reason, expected, begun))

    def _has_asked(self, peer: Peer) -> None:
        silence = self._silent.pop(peer, None)
        if silence is not None:
            silence[0].cancel()

    def refuse(self, peer: Peer, error: RemoteProtocolError) -> None:
        """Disconnect a peer that has broken the protocol. Its developers were told already."""
        self._send_away(peer, str(error), error.text.decode("utf-8", "replace"), kick=error.code in say.KICKED)
        self._let_go(peer, Termination.REMOVED, str(error))

    def released(self, peer: Peer, room: HostedRoom) -> None:
        """Disconnect a player whose last game is over; administrators stay."""
        if peer not in self._admins and not peer.places:
            self._forget(peer)
            peer.deliver(say.Closing(self.rooms.seasons[room.history.kind].dialect.kicks))
            peer.close()

    def depart(self, peer: Peer) -> None:
        """Forget a peer that has left."""
        self._forget(peer)

    def _forget(self, peer: Peer) -> None:
        self._admins.pop(peer, None)
        self._named.pop(peer, None)
        answer = self._wrong.pop(peer, None)
        if answer is not None:
            answer.cancel()
        self._has_asked(peer)

    def _throw_out(self, peer: Peer, request: say.Request, out: _Kick) -> None:
        self._report(peer, request, out.code, out.reason, out.expected)
        dialect = self._dialect(peer)
        if dialect.has_error_packets and peer in self._admins:
            # As at the official server, the administrator stays.
            self.services.send(peer, say.ErrorPacket(out.reason, originally(request.said)))
            return
        if out.room is not None and not dialect.has_error_packets:
            self.services.send(peer, say.Refused(out.room, out.reason, None))
        self._send_away(peer, out.reason, request.said, kick=out.kick)
        self._let_go(peer, Termination.REMOVED, out.reason)

    def _send_away(self, peer: Peer, reason: str, said: str, *, kick: bool) -> None:
        """Tell a peer why its connection ends, as far as its dialect has words for that."""
        dialect = self._dialect(peer)
        if dialect.has_error_packets:
            self.services.send(peer, say.ErrorPacket(reason, originally(said)))
            # Without these, socha reads from the closed connection for ever.
            for room, _ in peer.places:
                self.services.send(peer, say.Left(room.id))
        self.services.send(peer, say.Closing(kick and dialect.kicks))

    def _dialect(self, peer: Peer) -> Dialect:
        """Return the dialect of a peer: that of its room, or of the game that it has named, or of the usual one."""
        for room, _ in peer.places:
            return self.rooms.seasons[room.history.kind].dialect
        return self._named.get(peer, self.rooms.usual).dialect

    def _let_go(self, peer: Peer, why: Termination, reason: str = "") -> None:
        """Empty the seats of a peer and close its connection. `reason`: in words, if the peer has not asked for it."""
        self._forget(peer)
        for room, seat in list(peer.places):
            if seat in room.peers:
                room.leave(seat, why, reason)
        self.services.dismiss(peer)

    @property
    def _game_type(self) -> str:
        """The value of `gameType` that examples show."""
        return self.rooms.usual.game_types[0]

    def _season_of_type(self, peer: Peer, game_type: str) -> Season:
        for season in self.rooms.seasons.values():
            if game_type in season.game_types:
                self._named[peer] = season
                return season
        # Do not quote the type in the reason: it may be a reservation code in the wrong place.
        known = " or ".join(f'gameType="{season.game_types[0]}"' for season in self.rooms.seasons.values())
        raise _Kick("unknown-game-type", "there is no game of this gameType here", known)

    # Everybody

    def _join(self, peer: Peer, event: say.Join) -> None:
        self._has_asked(peer)
        named = None if event.game_type is None else self._season_of_type(peer, event.game_type)
        kept = reserved(peer)
        if kept is not None:
            self._redeem(peer, kept.code)
            return
        season = named or self.rooms.season_of(peer.wanted)
        room = self.rooms.unfilled(peer, season)
        existing = room is not None
        if room is None:
            check_wanted(peer)
            room = self.rooms.open(season, (), paused=self.is_paused and peer.party is None, party=peer.party)
        self._join_room(room, peer, self.rooms.free_seats(room)[0])
        players = len(room.peers) if season.dialect.has_error_packets else None
        for admin in self._admins:
            self.services.send(admin, say.JoinedGameRoom(room.id, existing, players))

    def _join_room(self, room: HostedRoom, peer: Peer, seat: Seat) -> None:
        if peer.own_name is not None:
            # No message of the dialect has a name: only peers inside the daemon have names of their own.
            table_of(room).own_names[seat] = peer.own_name
        room.join(peer, seat)

    def furnish(self, room: HostedRoom) -> None:
        """Make a room ready that the lobby has opened for a fixture."""
        self.rooms.furnish(room)

    def _join_room_named(self, peer: Peer, event: say.JoinRoom) -> None:
        self._has_asked(peer)
        room = self.rooms.hosted(event.room)
        if room is None:
            raise _Kick("unknown-room", "there is no such room, or its game is over", _ROOM)
        self._named[peer] = self.rooms.season_of(event.room)
        seats = self.rooms.free_seats(room) if room.party is peer.party else []
        if not seats:
            raise _Kick("not-possible", "the room has no free seat")
        self._join_room(room, peer, seats[0])

    def _join_prepared(self, peer: Peer, event: say.JoinPrepared) -> None:
        self._has_asked(peer)
        if not event.code:
            raise _Kick("no-reservation", _lacks(event, "joinPrepared", "reservationCode"), _CODE)
        self._redeem(peer, event.code)

    def _redeem(self, peer: Peer, code: str) -> None:
        reservation = self.services.reservations.take(code)
        # If the game was started without its player, the slot is taken although the code was not used.
        if reservation is None or reservation.seat not in reservation.room.table.free:
            reason = "there is no reservation with this code: it was used or revoked, or its room is gone"
            raise _Kick("unknown-reservation", reason, _CODE)
        self._named[peer] = self.rooms.season_of(reservation.room.id)
        self._join_room(reservation.room, peer, reservation.seat)

    def _leave(self, peer: Peer, event: say.Leaving) -> None:
        is_seated = any(seat in room.peers for room, seat in peer.places)
        why = Termination.RESIGNED if event.said or event.has_ended else Termination.LEFT
        if is_seated and why is Termination.LEFT:
            self.services.refused(peer, LEFT_EARLY)
        elif is_seated and event.has_ended:
            reason = "</protocol> ended the document, so the client left the room in which it had a seat"
            expected = "one document for the whole connection: </protocol> after the last message only"
            self._report(peer, event, "document-ended", reason, expected)
        self.services.send(peer, say.Closing(kick=False))
        self._let_go(peer, why)

    def _move(self, peer: Peer, event: say.RoomMessage) -> None:
        sent = self._read(event)
        room, seats = self._room_of(peer, event)
        seat = seats[0]
        if len(seats) > 1:
            # A peer with both slots moves for the side whose turn it is.
            to_move = room.table.game.to_move(room.table.state)
            seat = next((seat for seat in seats if seat in to_move), seat)
        room.receive(seat, [Arrived(sent, event)])
        expelled = table_of(room).expelled.get(seat)
        if expelled is not None:
            self._let_go(peer, Termination.REMOVED, expelled)

    def _room_of(self, peer: Peer, event: say.RoomMessage) -> tuple[HostedRoom, list[Seat]]:
        """Return the room that a message names, and the peer's seats in it."""
        if event.room is None:
            raise _Kick("no-room", _lacks(event, "room", "roomId"), f'<room roomId="…">: {_ROOM}')
        room = self.services.room(event.room)
        if room is None:
            raise _Kick("unknown-room", "there is no such room, or its game is over", _ROOM, room=event.room or None)
        seats = [seat for seat, other in room.peers.items() if other is peer]
        if not seats:
            raise _Kick("not-your-room", "you have no seat in this room", _ROOM, room=event.room or None)
        return room, seats

    def _read(self, event: say.RoomMessage) -> Sent:
        if event.data is None:
            return Sent(None)
        try:
            return self.rooms.season_of(event.room).read(event.data)
        except RemoteProtocolError as error:
            kick = error.code in say.KICKED
            raise _Kick(error.code, str(error), error.hint, room=event.room or None, kick=kick) from error

    def _authenticate(self, peer: Peer, event: say.Authenticate) -> None:
        self._has_asked(peer)
        if self.password and is_same(event.password, self.password):
            self.services.logins.right(LISTENER, peer.address)
            self._admins[peer] = None
            peer.allow(ADMINS_RATE)
            self.services.note(peer, "authenticated as administrator")
            return
        delay = self.services.logins.wrong(LISTENER, LISTENER, peer.address)
        wrong = _Kick("wrong-password", "wrong password", '<authenticate password="…"/>')
        if not delay:
            raise wrong
        # Ignore all that it sends until then: other passwords, too.
        peer.mute()
        self._report(peer, event, wrong.code, wrong.reason, wrong.expected)
        self._wrong[peer] = self.services.after(delay, partial(self._answer_wrong, peer, wrong.reason))

    def _answer_wrong(self, peer: Peer, reason: str) -> None:
        del self._wrong[peer]
        self._send_away(peer, reason, "", kick=True)
        self._let_go(peer, Termination.REMOVED, reason)

    # Administrators

    def prepare(
        self, season: Season, slots: tuple[say.Slot, ...], plies: Opening = (), *, paused: bool = False
    ) -> tuple[HostedRoom, list[Reservation]]:
        """Open a room with reserved slots. Its game starts after the plies. Raises StoreError, RoomError."""
        room = self.rooms.open(season, slots, paused=paused, plies=plies)
        free = {seat for seat, slot in enumerate(slots) if not season.dialect.is_reserved(slot)}
        return room, [self.services.reservations.make(room, seat) for seat in SEATS if seat not in free]

    def reserve(
        self, kind: str, names: Sequence[str], *, paused: bool, history: History | None, turn: int | None
    ) -> tuple[HostedRoom, list[Reservation]]:
        """Open a room for an operator (`SupportsReservations`). Raises StoreError, RoomError."""
        if len(names) > len(SEATS):
            raise RoomError(f"a room has {len(SEATS)} slots")
        display_names = [*names, *[None] * (len(SEATS) - len(names))]
        slots = tuple(say.Slot(name, can_timeout=True, should_be_paused=paused) for name in display_names)
        season = self.rooms.seasons[kind]
        return self.prepare(season, slots, () if history is None else plies_of(season, history, turn))

    def set_timed(self, room: HostedRoom, seat: Seat, *, timed: bool) -> None:
        """Switch the time limits of a slot, from its next request on. Raises RoomError if there is no such slot."""
        if seat not in SEATS:
            raise RoomError(f"there is no seat {seat}; there are {SEATS[0]} and {SEATS[1]}")
        table_of(room).set_timed(seat, timed=timed)

    def configure(self, settings: Any) -> None:
        """Take changed settings of the listener; an empty password leaves the present one as it is."""
        self.is_paused = settings.paused
        self.rooms.waiting, self.rooms.year = settings.waiting_seconds, settings.season
        if settings.password:
            self.password = settings.password

    def _prepare(self, peer: Peer, event: say.Prepare) -> str:
        self._season_of_type(peer, event.game_type)
        if not event.slots:
            raise _Kick("no-slots", "prepare needs one or two slots", _SLOTS, kick=False)
        if len(event.slots) > len(SEATS):
            raise _Kick("too-many-slots", f"prepare takes at most {len(SEATS)} slots", _SLOTS)
        if event.record is None:
            return self._confirm_prepared(peer, event, ())
        self.services.recorded(event.record, partial(self._found, peer, event))
        return "begun"

    def _found(self, peer: Peer, event: say.Prepare, history: History | None) -> None:
        # If the administrator has left meanwhile, nobody would learn of the room.
        if peer in self._admins:
            self._answer(peer, partial(self._prepare_from, history), event)

    def _prepare_from(self, history: History | None, peer: Peer, event: say.Prepare) -> str:
        try:
            turn = None if event.turn is None else number(event.turn)
            opened = plies_of(self._season_of_type(peer, event.game_type), history, turn)
            return self._confirm_prepared(peer, event, opened)
        except (RoomError, StoreError, RemoteProtocolError) as error:
            # The id of a record is that of its room, which is what this error names.
            raise _Kick("not-possible", str(error), _FROM, room=event.record) from error

    def _confirm_prepared(self, peer: Peer, event: say.Prepare, plies: Opening) -> str:
        season = self._season_of_type(peer, event.game_type)
        room, reservations = self.prepare(season, event.slots, plies, paused=event.pause)
        self.services.send(peer, say.Prepared(room.id, tuple(kept.code for kept in reservations)))
        return f"room={room.id}"

    def _known(self, room: str) -> HostedRoom:
        found = self.rooms.hosted(room)
        if found is None:
            raise _Kick("unknown-room", "there is no such room", _ADMINS_ROOM, room=room or None)
        return found

    def _observe(self, peer: Peer, event: say.Observe) -> None:
        room = self._known(event.room)
        self.services.send(peer, say.Observed(room.id))
        room.observe(peer)

    def _pause(self, peer: Peer, event: say.Pause) -> str | None:
        if self.rooms.hosted(event.room) is None and not self._dialect(peer).has_error_packets:
            return self._report(peer, event, "unknown-room", "there is no such room; pause was ignored", _ADMINS_ROOM)
        room, result = self._known(event.room), None
        if room.table.is_paused == event.pause:
            state = "is paused already" if event.pause else "is not paused"
            result = self._report(peer, event, "no-change", f"the game {state}; pause was ignored")
        if event.pause:
            room.pause()
        else:
            room.resume()
        return result

    def _step(self, peer: Peer, event: say.StepOn) -> str | None:
        room, result = self._known(event.room), None
        table = table_of(room)
        if table.match.is_started and not table.is_paused:
            reason, expected = "the game is not paused; step was ignored", '<pause pause="true"/> before it'
            result = self._report(peer, event, "no-change", reason, expected)
        elif not table.match.is_started and not event.forced:
            reason = "the game has not begun, because players are missing; step was ignored"
            result = self._report(peer, event, "no-change", reason, 'forced="true" to start without them')
        room.step(forced=event.forced)
        return result

    def _cancel(self, _peer: Peer, event: say.Cancel) -> None:
        self._known(event.room).stop(Termination.CANCELLED)

    def _set_timed(self, _peer: Peer, event: say.SetTimeout) -> None:
        room = self._known(event.room)
        if event.slot not in room.peers:
            raise _Kick("empty-slot", "nobody has this slot", "slot 0 or 1, once taken", room=event.room, kick=False)
        self.set_timed(room, event.slot, timed=event.activate)

    def _free(self, _peer: Peer, event: say.FreeReservation) -> None:
        if self.services.reservations.take(event.code) is None:
            raise _Kick("unknown-reservation", "there is no reservation with this code", kick=False)

    def _test_mode(self, peer: Peer, event: say.TestMode) -> None:
        for scores in self.rooms.scores.values():
            scores.is_on = event.on
        self.services.send(peer, say.Testing(event.on))

    def _score(self, peer: Peer, event: say.ScoreForPlayer) -> None:
        for scores in self.rooms.scores.values():
            if scores.score(event.display_name) is not None:
                self.services.send(peer, say.PlayerScore(scores.score_text(event.display_name)))
                return
        reason = "there are no scores for this name"
        raise _Kick("unknown-name", reason, "the displayName of a player, after games in test mode", kick=False)


def _lacks(request: say.Request, element: str, name: str) -> str:
    """Return the reason for refusing an element that lacks an attribute. It names the attributes that are there."""
    reason = f"<{element}> has no attribute {name}"
    if name in request.attributes or not request.attributes:
        return f"{reason}, or an empty one"
    instead = f"{reason}; it has {', '.join(request.attributes)}"
    is_case = any(other.lower() == name.lower() for other in request.attributes)
    return f"{instead}: names are case-sensitive" if is_case else instead
