"""Entrances: who comes in by a seat's own socket has the seat, in every game, whatever its program sends.

Source: docs/topics/design.md#fixtures.
"""

from __future__ import annotations

import socket
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.core.game import Outcome, Termination
from gamed.core.history import JOINED, LEFT, LINE, MOVE, History
from gamed.core.reception import Furnishes
from gamed.lobby.lobby import Fixture
from gamed.lobby.room import Room
from gamed.net.entrance import Entrance, Seating
from gamed.net.transcript import KEPT, SHOWN, Transcript
from gamed.records.own import to_history
from gamed.records.positions import Replayed
from gamed.registry import game_types
from gamed.replayers import table_of
from gamed.testing.harness import Harness
from gamed.tournament.results import Cause, result_of
from tests.records.test_every_end import SETTINGS, Seat

GARBAGE = {"hive": b"<protocol></HELO>", "quoridor": b"HELO\n"}
ID = "6f0c1f0e-0000-4000-8000-00000000000{}"


@define
class Port:
    """A port that is not in a reactor."""

    socket: Any = field(factory=lambda: Harness)
    is_read: bool = False

    def startReading(self) -> None:
        self.is_read = True

    def stopReading(self) -> None:
        self.is_read = False

    def stopListening(self) -> None:
        self.is_read = False


class Arena:
    """A lobby with entrances, and programs that come in by them."""

    def __init__(self, kind: str, players: int = 2, **settings: Any) -> None:
        self.made = game_types()[kind]
        self.harness = Harness(kind, self.made.settings(**{**SETTINGS[kind], **settings}))
        self.ports = [Port() for _ in range(players)]
        self.entrances = [Entrance(self.harness.factory, port) for port in self.ports]  # type: ignore[arg-type]
        self.rooms = 0

    def open(self, **options: Any) -> Room:
        """Open a fixture's room, and its entrances."""
        self.rooms += 1
        lobby, kind = self.harness.lobby, self.harness.kind
        room = lobby.open(kind, options, fixture=Fixture(ID.format(self.rooms), 7, len(self.ports)))
        if isinstance(self.harness.factory.reception, Furnishes):
            self.harness.factory.reception.furnish(room)
        reservations = [lobby.reservations.make(room, seat) for seat in range(len(self.ports))]
        names = [f"bot {seat}" for seat in range(len(self.ports))]
        self.transcripts = [Transcript(lambda: room.at) for _ in self.ports]
        Seating(room, self.entrances, reservations, names, self.transcripts, lambda _seat: None).begin()
        return room

    @property
    def read(self) -> list[bool]:
        return [port.is_read for port in self.ports]

    def come(self, seat: int | None = None) -> Seat:
        """Have a program connect by an entrance, or by the public port."""
        number = 9 if seat is None else seat
        option = {"name": "ABCDEFGHIZ"[number]} if self.made.kind == "roborally" else {}
        player = self.made.players[list(self.made.players)[-1]](Random(number), **option)
        found = Seat(self.harness.connect(entrance=None if seat is None else self.entrances[seat]), player)
        begin = player.begin()
        if begin:
            found.wire.send(begin)
        return found

    def play(self, seats: list[Seat], rounds: int = 10_000) -> None:
        for _ in range(rounds):
            self.harness.clock.advance(0.01)
            # Not `any` of a generator, which would stop at the first one.
            heard = [seat.play() for seat in seats]
            if not any(heard):
                return

    @property
    def histories(self) -> list[History]:
        self.harness.clock.advance(1)
        self.harness.settle()
        found = [to_history(record) for record in self.harness.store.records.values()]
        for history in found:
            # Pages and commands replay it, whenever it has ended.
            replayed = Replayed(table_of(self.made, history.options), history)
            assert list(replayed.played())
            assert replayed.refused is None, replayed.refused
        return found


class SeatTests(SynchronousTestCase):
    def test_a_whole_game(self) -> None:
        for kind in SETTINGS:
            arena = Arena(kind)
            room = arena.open()
            self.assertEqual(arena.read, [True, False], kind)
            seats = [arena.come(0)]
            self.assertEqual(arena.read, [True, True], kind)
            seats.append(arena.come(1))
            for _ in range(100):
                arena.play(seats)
                arena.harness.clock.advance(0.5)
            self.assertTrue(room.is_closed, kind)
            self.assertEqual(arena.read, [False, False], kind)
            self.assertEqual([seat.wire.is_closed for seat in seats], [True, True], kind)
            (history,) = arena.histories
            self.assertEqual(history.room, room.id)
            names = ["A", "B"] if kind == "roborally" else ["bot 0", "bot 1"]
            self.assertEqual([entry.data["name"] for entry in history.of_kind(JOINED)], names, kind)

    def test_the_same_entrances_serve_the_next_game(self) -> None:
        for kind in SETTINGS:
            arena = Arena(kind)
            for _ in range(2):
                arena.open(max_moves=4)
                seats = [arena.come(0), arena.come(1)]
                arena.play(seats)
                arena.harness.clock.advance(0.5)
            ended = [history.outcome for history in arena.histories]
            self.assertEqual(ended, 2 * [Outcome(Termination.LIMIT)], kind)

    def test_the_public_port_leads_elsewhere(self) -> None:
        for kind in SETTINGS:
            arena = Arena(kind, tables=1) if kind == "quoridor" else Arena(kind)
            room = arena.open()
            stranger = arena.come()
            self.assertEqual(dict(room.peers), {}, kind)
            self.assertFalse(stranger.wire.is_closed, kind)
            arena.come(0)
            self.assertEqual(list(room.peers), [0], kind)
            self.assertEqual(len(arena.harness.lobby.rooms), 2, kind)

    def test_a_second_connection_has_no_seat(self) -> None:
        for kind in SETTINGS:
            arena = Arena(kind)
            room = arena.open()
            arena.come(0)
            second = arena.come(0)
            self.assertTrue(second.wire.is_closed, kind)
            self.assertEqual(list(room.peers), [0], kind)
            (refused,) = room.history.refused
            self.assertIn("has its seat by another connection", str(refused.data["reason"]), kind)
            arena.come(1)
            self.assertEqual(sorted(room.peers), [0, 1], kind)

    def test_nobody_is_let_in_between_two_games(self) -> None:
        arena = Arena("battleship")
        self.assertIsNone(arena.entrances[0].buildProtocol(None))  # type: ignore[arg-type]

    def test_four_worlds_by_their_vote(self) -> None:
        arena = Arena("quoridor", 4)
        room = arena.open()
        worlds = []
        for seat in range(4):
            self.assertEqual(arena.read, [number <= seat for number in range(4)])
            worlds.append(arena.come(seat))
            if seat == 1:
                for world in worlds:
                    world.wire.send(b"(wait)\n")
        self.assertEqual(sorted(room.peers), [0, 1, 2, 3])
        self.assertTrue(room.history.was_started)


class TranscriptTests(SynchronousTestCase):
    def test_the_last_messages_of_both_sides_are_kept_with_their_times(self) -> None:
        for kind in SETTINGS:
            arena = Arena(kind)
            arena.open()
            seats = [arena.come(0), arena.come(1)]
            for _ in range(100):
                arena.play(seats)
                arena.harness.clock.advance(0.5)
            (history,) = arena.histories
            for seat, transcript in enumerate(arena.transcripts):
                messages = transcript.data()
                self.assertEqual({message["from"] for message in messages}, {"bot", "daemon"}, kind)
                self.assertLessEqual(len(messages), KEPT)
                times = [message["at"] for message in messages]
                self.assertEqual(times, sorted(times))
                moved = [entry.at for entry in history.entries if entry.kind in (LINE, MOVE) and entry.seat == seat]
                came = [message["at"] for message in messages if message["from"] == "bot"]
                self.assertIn(moved[-1], came, kind)

    def test_time_for_which_games_were_held_counts_as_in_the_record(self) -> None:
        room = Arena("quoridor").open()
        seconds, held = room.services.seconds(), room.services.held()
        room.services = SimpleNamespace(seconds=lambda: seconds + 1, held=lambda: held + 1.5)  # type: ignore[assignment]
        self.assertEqual(room.at, 2_500)

    def test_of_a_long_message_the_beginning_and_the_size(self) -> None:
        transcript = Transcript(lambda: 7)
        for data in (512 * b"a", 512 * b"a", b"b", b"c", b""):
            transcript.note(data, is_received=True)
        transcript.note(b"\xff\n", is_received=False)
        self.assertEqual(
            [(message["from"], message["text"], message["bytes"]) for message in transcript.data()],
            [("bot", SHOWN * "a", 1025), ("bot", "c", 1), ("daemon", r"\xff\n", 2)],
        )


class BeforeTheGameTests(SynchronousTestCase):
    def test_who_leaves_before_the_game_loses(self) -> None:
        for kind in SETTINGS:
            arena = Arena(kind)
            room = arena.open()
            arena.come(0).wire.leave()
            self.assertTrue(room.is_closed, kind)
            (history,) = arena.histories
            self.assertEqual(history.outcome, Outcome(Termination.LEFT, 1), kind)
            self.assertEqual([entry.seat for entry in history.of_kind(LEFT)], [0], kind)

    def test_who_never_comes_loses(self) -> None:
        for kind in SETTINGS:
            arena = Arena(kind)
            room = arena.open()
            first = arena.come(0)
            room.absent(1, Termination.LEFT)
            (history,) = arena.histories
            self.assertTrue(first.wire.is_closed, kind)
            self.assertEqual(history.outcome, Outcome(Termination.LEFT, 0), kind)

    def test_who_speaks_another_protocol_loses_and_the_record_says_what_it_sent(self) -> None:
        for kind, text in GARBAGE.items():
            arena = Arena(kind)
            room = arena.open()
            arena.harness.connect(entrance=arena.entrances[0]).send(text)
            self.assertTrue(room.is_closed, kind)
            (history,) = arena.histories
            self.assertEqual(history.outcome, Outcome(Termination.REMOVED, 1), kind)
            self.assertEqual(result_of(history).causes, {0: Cause.PROTOCOL}, kind)
            self.assertIn(b"HELO", history.refused[-1].body or b"", kind)

    def test_who_is_refused_and_never_seated_has_spoken_another_protocol(self) -> None:
        arena = Arena("roborally")
        room = arena.open()
        arena.harness.connect(entrance=arena.entrances[0]).send(b"HELO(a)\n")
        self.assertFalse(room.is_closed)
        (refused,) = room.history.refused
        self.assertEqual((refused.seat, refused.body), (0, b"HELO(a)"))

    def test_our_fault_makes_it_nobodys_game(self) -> None:
        for kind in SETTINGS:
            for fault in (ZeroDivisionError(), StoreError("the disk is full")):
                arena = Arena(kind)
                room = arena.open()
                fail = self.patch(type(arena.harness.factory.reception), "arrive", Mock(side_effect=fault))
                wire = arena.harness.connect(entrance=arena.entrances[0])
                fail.restore()
                self.assertTrue(wire.is_closed, kind)
                self.assertTrue(room.is_closed, kind)
                self.assertEqual(room.history.outcome, Outcome(Termination.SERVER_FAULT), kind)
                self.flushLoggedErrors(ZeroDivisionError)

    def test_of_four_nobody_has_won(self) -> None:
        arena = Arena("quoridor", 4)
        arena.open().absent(2, Termination.LEFT)
        (history,) = arena.histories
        self.assertEqual(history.outcome, Outcome(Termination.LEFT))


class ReservationCodeTests(SynchronousTestCase):
    def test_a_hive_client_may_show_its_code(self) -> None:
        arena = Arena("hive")
        room = arena.open()
        codes = [kept.code for kept in arena.harness.lobby.reservations]
        for seat, code in enumerate(codes):
            wire = arena.harness.connect(entrance=arena.entrances[seat])
            wire.send(f'<protocol><joinPrepared reservationCode="{code}"/>'.encode())
        self.assertEqual(sorted(room.peers), [0, 1])


class DrainTests(SynchronousTestCase):
    def test_connections_that_wait_are_closed(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.setblocking(False)
            entrance = Entrance(Harness("battleship", game_types()["battleship"].settings()).factory)
            entrance.port = Port(listening)  # type: ignore[assignment]
            with socket.create_connection(listening.getsockname(), timeout=5) as waiting:
                entrance.drain()
                self.assertEqual(waiting.recv(1), b"")
            entrance.drain()
