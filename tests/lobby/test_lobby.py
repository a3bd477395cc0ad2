"""The lobby: who plays whom, one write a turn, what becomes of ended matches, and stopping."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator

from attrs import evolve
from twisted.logger import capturedLogs, formatEvent

from gamed.core.errors import RoomError, StoreError
from gamed.core.events import Moved
from gamed.core.history import JOINED, LINE, OPENED, STARTED
from gamed.core.referee import REVIEWED_AT_ONCE
from gamed.core.relay import Relay
from gamed.core.table import Step
from gamed.games.battleship import Settings
from gamed.lobby import match_recorder
from gamed.lobby.match_recorder import AFTERWARDS
from gamed.lobby.record_writer import KEEP_AGAIN, RecordWriter
from gamed.lobby.room import Room
from gamed.records.own import PORTION, from_history, judgement, summary, to_history, writing
from gamed.records.record import Record
from gamed.testing.harness import Harness
from tests.lobby.doubles import (
    LAST_SUNK,
    SHOT,
    WATER,
    HeldJournal,
    LobbyTestCase,
    StubbornStore,
    WatchedJournal,
)
from tests.store.logs import sentences


class PairingTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open()

    def names(self) -> list[list[str]]:
        return [[peer.name for peer in room.peers.values()] for room in self.lobby.rooms.values()]

    def test_first_come_first_served(self) -> None:
        for name in "abcde":
            self.arrive(name)
        self.assertEqual(self.names(), [["a", "b"], ["c", "d"], ["e"]])

    def test_the_seats_are_counted_from_the_first(self) -> None:
        peers = [self.arrive(name)[1] for name in "abc"]
        self.assertEqual([peer.seat for peer in peers], [0, 1, 0])

    def test_who_has_gone_is_never_paired(self) -> None:
        _, gone = self.arrive("gone")
        gone.is_gone = True
        self.arrive("a")
        self.assertEqual(self.heard[-2], ("gone", "closed"))
        self.arrive("b")
        self.assertEqual(self.names(), [[], ["a", "b"]])
        self.turns(4, AFTERWARDS)
        self.assertEqual(self.names(), [["a", "b"]])

    def test_who_left_while_waiting_leaves_no_record(self) -> None:
        room, _ = self.arrive("a")
        room.leave(0)
        other, _ = self.arrive("b")
        self.assertIsNot(room, other)
        self.turns(4, AFTERWARDS)
        self.assertEqual((self.store.asked, list(self.journal.rooms)), ([], [other.id]))
        self.assertEqual(list(self.lobby.rooms), [other.id])

    def test_who_was_dropped_while_waiting_is_not_paired(self) -> None:
        room, _ = self.arrive("a")
        room.receive(0, [Moved(b"x" * 20_000)])
        self.assertEqual(self.termination(room), ("removed", None))
        self.assertIsNot(self.arrive("b")[0], room)

    def test_a_match_that_ends_as_it_begins_leaves_nobody_waiting(self) -> None:
        room, _ = self.arrive("a")
        room.receive(0, [LAST_SUNK])
        self.arrive("b")
        self.assertEqual(self.termination(room), ("victory", 1))
        self.assertIsNot(self.arrive("c")[0], room)

    def test_many_rooms_do_not_mix(self) -> None:
        rooms = [self.match(f"{number}-a", f"{number}-b") for number in range(50)]
        for number, room in enumerate(rooms):
            room.receive(1, [Moved(b"%d" % number)])
        self.clock.turn()
        self.assertEqual(self.heard, [(f"{number}-a", Moved(b"%d" % number)) for number in range(50)])
        self.assertEqual(len({room.id for room in rooms}), 50)

    def test_a_room_keeps_what_it_was_opened_with(self) -> None:
        self.open(roles="random", corner_contact=False)
        self.patch(random, "getrandbits", lambda _bits: 77)
        history = self.match().history
        self.assertEqual((history.kind, history.seed), ("battleship", 77))
        self.assertEqual(history.options, {"roles": "random", "referee": "observe", "corner_contact": False})
        self.assertRegex(history.opened_at, r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_what_a_room_is_opened_with_is_logged_but_for_seeds_and_what_is_long(self) -> None:
        self.open(roles="random")
        with capturedLogs() as logs:
            room = self.lobby.open("battleship", {"seed": 5, "plan": "#" * 1000, "flags": "9,1 12,3"})
        options = "roles=random referee=observe corner_contact=True"
        self.assertEqual([formatEvent(log) for log in logs], [f"opened: room={room.id} game=battleship {options}"])

    def test_each_arrival_is_logged(self) -> None:
        with capturedLogs() as logs:
            room = self.match("a", "b")
        joined = [(log["room"], log["seat"], log["peer"]) for log in logs if log["log_format"].startswith("joined:")]
        self.assertEqual(joined, [(room.id, 0, "a"), (room.id, 1, "b")])


class BatchTests(LobbyTestCase):
    def test_one_turn_is_one_write(self) -> None:
        self.open()
        rooms = [self.match() for _ in range(3)]
        self.journal.batches.clear()
        for room in (*rooms, rooms[0]):
            room.receive(1, [SHOT])
        self.clock.turn()
        self.assertEqual(self.journal.batches, [[(room.id, [LINE]) for room in (*rooms, rooms[0])]])
        rooms[1].receive(0, [WATER])
        self.clock.turn()
        self.assertEqual(self.journal.batches[1:], [[(rooms[1].id, [LINE])]])

    def test_the_letters_wait_for_the_position_of_their_write(self) -> None:
        self.open(journal=HeldJournal())
        positions: list[int] = []
        self.patch(HeldJournal, "when_synced", lambda _journal, position, _call: positions.append(position))
        room = self.match()
        room.receive(1, [SHOT])
        self.clock.turn()
        # Opened and joined; joined and started; the line.
        self.assertEqual(positions, [2, 4, 5])

    def test_a_newcomer_writes_its_room_before_its_turn(self) -> None:
        self.open()
        self.match()
        written = [kinds for batch in self.journal.batches for _, kinds in batch]
        self.assertEqual(written, [[OPENED], [JOINED], [JOINED, STARTED]])


class AfterwardsTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open()

    def reviewed(self) -> list[str]:
        """Return a list to which each review adds its first seat's name."""
        names: list[str] = []
        real = Relay.review

        def review(table: Relay) -> Step:
            names.append(table.names[0])
            return real(table)

        self.patch(Relay, "review", review)
        return names

    def test_lines_are_judged_later(self) -> None:
        room = self.match()
        room.receive(0, [SHOT])
        self.turns(3, AFTERWARDS - 0.01)
        self.assertEqual((self.heard, room.table.match.findings), ([("b", SHOT)], []))
        with capturedLogs() as logs:
            self.turns(2, 0.01)
        self.assertEqual([finding.code for finding in room.table.match.findings], ["out-of-turn"])
        said, refused = sentences(logs)
        self.assertTrue(said.startswith(f"finding out-of-turn: room={room.id} seat=0 peer=a entry=3: "), said)
        self.assertTrue(refused.startswith("refused out-of-turn: "), refused)

    def test_one_room_a_turn(self) -> None:
        rooms = [self.match(name, f"not {name}") for name in "abc"]
        names = self.reviewed()
        for room in rooms:
            room.receive(1, [SHOT])
        self.turns(1, AFTERWARDS)
        for count in (1, 2, 3):
            self.assertEqual(names, list("abc")[:count])
            self.clock.turn()
        self.turns(4, AFTERWARDS)
        self.assertEqual(names, list("abc"))

    def test_a_long_review_goes_on_later(self) -> None:
        room = self.match()
        names = self.reviewed()
        for number in range(REVIEWED_AT_ONCE):
            room.receive(1 - number % 2, [SHOT])
            room.receive(number % 2, [WATER])
        self.turns(5, AFTERWARDS)
        self.assertEqual(names, ["a"])
        self.turns(5, AFTERWARDS)
        self.assertEqual(names, ["a", "a"])

    def test_records_are_offered_together_when_all_is_judged(self) -> None:
        rooms = [self.match() for _ in range(3)]
        for room in rooms:
            room.receive(0, [LAST_SUNK])
        self.turns(2, AFTERWARDS)
        self.assertEqual(self.store.asked, [])
        self.turns(2)
        self.assertEqual(self.store.asked, [room.id for room in rooms])

    def test_a_record_holds_all_findings(self) -> None:
        room = self.match()
        for number in range(REVIEWED_AT_ONCE):
            room.receive(1 - number % 2, [SHOT])
            room.receive(number % 2, [WATER])
        room.receive(1, [WATER])
        room.leave(0)
        self.turns(8, AFTERWARDS)
        found = judgement(self.store.records[room.id])
        self.assertEqual([(finding.code, finding.entry) for finding in found.findings], [("wrong-opcode", 259)])
        self.assertEqual(to_history(self.store.records[room.id]), room.history)

    def test_a_record_that_cannot_be_made_costs_the_others_nothing(self) -> None:
        one, two = self.match(), self.match()

        def fails(history: object, **names: object) -> Generator[None, None, Record]:
            if history is one.history:
                raise ZeroDivisionError
            return writing(history, **names)  # type: ignore[arg-type]

        self.patch(match_recorder, "writing", fails)
        one.leave(0)
        two.leave(0)
        self.clock.turn()
        with capturedLogs() as logs:
            self.turns(4, AFTERWARDS)
        self.assertIn(f"server fault: record={one.id}", sentences(logs))
        self.assertEqual((self.store.asked, list(self.journal.rooms)), ([two.id], [one.id]))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_a_room_that_cannot_be_seen_to_costs_the_others_nothing(self) -> None:
        one, two = self.match(), self.match()
        finishing = match_recorder.MatchRecorder._finishing

        def fails(service: match_recorder.MatchRecorder, room: Room) -> Iterator[None]:
            if room is one:
                raise ZeroDivisionError
            return finishing(service, room)

        self.patch(match_recorder.MatchRecorder, "_finishing", fails)
        one.leave(0)
        two.leave(0)
        self.turns(5, AFTERWARDS)
        self.assertEqual(self.store.asked, [two.id])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_a_fault_while_storing_does_not_keep_later_rooms_from_it(self) -> None:
        one = self.match()
        one.leave(0)
        keep = self.patch(RecordWriter, "keep", lambda _: 1 // 0)
        self.clock.turn()
        self.clock.turn(AFTERWARDS)
        self.turns(3)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        keep.restore()
        two = self.match()
        two.leave(0)
        self.turns(5, AFTERWARDS)
        self.assertEqual(self.store.asked, [one.id, two.id])

    def test_a_long_record_is_made_in_chunks(self) -> None:
        room, other = self.match(), self.match()
        for number in range(PORTION):
            room.receive(1 - number % 2, [SHOT])
            room.receive(number % 2, [WATER])
        room.leave(0)
        other.leave(0)
        self.clock.turn(AFTERWARDS)
        turns = 1
        while not self.store.asked:
            self.clock.turn()
            turns += 1
        # At least one for each chunk of lines that are judged, and of those that are written, and one for each room.
        self.assertGreaterEqual(turns, 2 * PORTION // REVIEWED_AT_ONCE + 2 * PORTION // PORTION + 2)
        self.assertEqual(to_history(self.store.records[room.id]), room.history)

    def test_a_stop_finishes_what_is_made_in_chunks(self) -> None:
        room = self.match()
        for number in range(PORTION):
            room.receive(1 - number % 2, [SHOT])
            room.receive(number % 2, [WATER])
        room.leave(0)
        self.turns(1, AFTERWARDS)
        self.assertEqual(self.store.asked, [])
        self.successResultOf(self.lobby.stopService())
        self.assertEqual(self.store.asked, [room.id])
        self.turns(5)
        self.assertEqual(self.store.asked, [room.id])
        self.assertEqual(to_history(self.store.records[room.id]), room.history)


class StoreTests(LobbyTestCase):
    def ended(self) -> Room:
        room = self.match()
        room.receive(0, [LAST_SUNK])
        self.turns(4, AFTERWARDS)
        return room

    def test_the_journal_holds_the_room_until_the_record_is_committed(self) -> None:
        self.open(store=StubbornStore(waits=True))
        room = self.ended()
        self.turns(2, 100)
        self.assertEqual((list(self.journal.rooms), list(self.lobby.rooms)), ([room.id], []))
        self.store.commit()
        self.assertEqual(list(self.journal.rooms), [])
        stored = self.store.summaries[room.id]
        self.assertEqual(evolve(summary(self.store.records[room.id]), owners=frozenset({"local"})), stored)

    def test_a_game_is_on_its_way_until_it_is_stored(self) -> None:
        self.open(store=StubbornStore(waits=True))
        room = self.match()
        self.assertTrue(self.lobby.recorder.is_on_its_way(room.id))
        room.receive(0, [LAST_SUNK])
        self.assertTrue(self.lobby.recorder.is_on_its_way(room.id))
        self.turns(4, AFTERWARDS)
        self.assertTrue(self.lobby.recorder.is_on_its_way(room.id))
        self.store.commit()
        self.assertFalse(self.lobby.recorder.is_on_its_way(room.id))

    def test_a_store_that_fails_is_asked_again(self) -> None:
        self.open(store=StubbornStore(refusals=2))
        with capturedLogs() as logs:
            room = self.ended()
        self.assertEqual(
            sentences(logs)[-1],
            f"not recorded: room={room.id}: no connection; it stays in the journal and is offered again every 5.0 s",
        )
        self.assertEqual((len(self.store.asked), list(self.journal.rooms)), (1, [room.id]))
        self.clock.turn(KEEP_AGAIN - 0.01)
        self.assertEqual(len(self.store.asked), 1)
        with capturedLogs() as logs:
            self.clock.turn(0.01)
        self.assertEqual(sentences(logs), [])
        self.assertEqual(list(self.journal.rooms), [room.id])
        self.clock.turn(KEEP_AGAIN)
        self.assertEqual((list(self.store.records), list(self.journal.rooms)), ([room.id], []))
        self.turns(3, 100)
        self.assertEqual(len(self.store.asked), 3)

    def test_the_record_that_is_there_stands(self) -> None:
        self.open()
        room = self.match()
        room.receive(0, [LAST_SUNK])
        names = {"publisher": "gamed-battleship", "version": "1.0"}
        there = evolve(from_history(room.history, **names, findings=(), unjudged=None), version="0.9")
        self.store.records[room.id] = there
        with capturedLogs() as logs:
            self.turns(4, AFTERWARDS)
        self.assertEqual(self.store.records, {room.id: there})
        self.assertEqual(list(self.journal.rooms), [])
        self.assertEqual(sentences(logs)[-1], f"recorded before, and differently: room={room.id}; that record is kept")
        self.turns(3, 100)
        self.assertEqual(self.store.asked, [room.id])


class StopTests(LobbyTestCase):
    def stopped(self) -> list[object]:
        """Stop, and return what the Deferred fires with, once it does."""
        fired: list[object] = []
        self.lobby.stopService().addCallback(fired.append)
        return fired

    def test_running_games_are_ended_and_recorded(self) -> None:
        self.open()
        rooms = [self.match("a", "b"), self.match("c", "d")]
        rooms[0].receive(0, [SHOT])
        self.assertEqual(len(self.stopped()), 1)
        for room in rooms:
            self.assertEqual(summary(self.store.records[room.id]).termination, "shutdown")
        self.assertEqual([item.code for item in judgement(self.store.records[rooms[0].id]).findings], ["out-of-turn"])
        self.assertEqual(list(self.journal.rooms), [])
        self.assertEqual(self.heard, [("b", SHOT), *((name, "closed") for name in "abcd")])

    def test_who_waits_is_closed_and_forgotten(self) -> None:
        self.open()
        room = self.match("a", "b")
        self.arrive("c")
        self.heard.clear()
        self.journal.batches.clear()
        self.assertEqual(len(self.stopped()), 1)
        self.assertEqual(self.heard, [("a", "closed"), ("b", "closed"), ("c", "closed")])
        self.assertEqual((list(self.store.records), list(self.journal.rooms)), ([room.id], []))

    def test_who_comes_later_is_refused_and_nothing_is_journalled(self) -> None:
        self.open()
        self.stopped()
        self.journal.batches.clear()
        refused = self.assertRaises(RoomError, self.arrive, "a")
        self.turns(2, 1)
        self.assertEqual((str(refused), self.journal.batches), ("no new games: the daemon stops", []))

    def test_it_waits_for_the_store(self) -> None:
        self.open(store=StubbornStore(waits=True))
        rooms = [self.match(), self.match()]
        rooms[1].leave(0)
        self.turns(4, AFTERWARDS)
        fired = self.stopped()
        self.store.commit()
        self.assertEqual(fired, [])
        self.store.commit()
        self.assertEqual(len(fired), 1)
        self.assertEqual(set(self.store.records), {room.id for room in rooms})

    def test_what_was_not_yet_recorded_is(self) -> None:
        self.open()
        room = self.match()
        room.receive(0, [LAST_SUNK])
        self.stopped()
        self.assertEqual(summary(self.store.records[room.id]).termination, "victory")
        self.assertEqual(self.heard, [("b", LAST_SUNK), ("a", "closed"), ("b", "closed")])
        self.turns(5, 100)
        self.assertEqual(self.store.asked, [room.id])

    def test_a_store_that_fails_is_not_asked_for_ever(self) -> None:
        self.open(store=StubbornStore(refusals=9))
        room = self.match()
        self.assertEqual(len(self.stopped()), 1)
        self.flushLoggedErrors(StoreError)
        self.turns(5, 100)
        self.flushLoggedErrors(StoreError)
        self.assertEqual((set(self.store.asked), list(self.journal.rooms)), ({room.id}, [room.id]))
        self.assertEqual(list(self.clock.getDelayedCalls()), [])


class OpeningTests(LobbyTestCase):
    def test_a_room_that_cannot_be_opened_costs_its_newcomer_alone(self) -> None:
        journal = WatchedJournal()
        harness = Harness("battleship", Settings(), journal=journal)
        first, second = harness.connect(), harness.connect()
        journal.refuses = True
        with capturedLogs() as logs:
            refused = harness.connect()
        journal.refuses = False
        self.assertEqual((refused.is_closed, refused.received), (True, b""))
        self.assertIn(f"not seated: peer={refused.session.name}: the disk is full", map(formatEvent, logs))
        second.send(b"(1,[0,0]).\n")
        self.assertTrue(first.received.endswith(b"(1,[0,0]).\r"))
        self.assertEqual(len(harness.lobby.rooms), 1)
        refused.send(b"(1,[0,0]).\n")
        refused.leave()
        self.assertEqual(harness.connect().received, b"(3,[]).\r")

    def test_a_room_and_its_table_have_the_same_time_however_long_the_table_takes_to_make(self) -> None:
        self.open()
        real = Relay.__attrs_post_init__

        def slow(table: Relay) -> None:
            self.clock.advance(0.5)
            real(table)

        self.patch(Relay, "__attrs_post_init__", slow)
        room, _ = self.arrive("a")
        (joined,) = room.history.entries
        self.assertEqual((joined.at, room.at), (500, 500))
