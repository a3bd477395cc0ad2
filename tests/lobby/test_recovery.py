"""A restart: what the journal still holds becomes records, once, and those that the live room would have made."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.logger import capturedLogs

from gamed.core.errors import StoreError
from gamed.core.events import Moved
from gamed.core.history import LINE, OPENED, STARTED, Entry, Value
from gamed.core.relay import Relay
from gamed.games.battleship import Settings
from gamed.games.battleship.wire import Code, Command, Opcode, encode
from gamed.lobby.match_recorder import AFTERWARDS
from gamed.lobby.record_writer import KEEP_AGAIN
from gamed.lobby.recovery import recover, replayed
from gamed.lobby.room import Room
from gamed.records.own import judgement, summary, to_history
from gamed.store.memory import MemoryStore
from gamed.testing.harness import Harness
from tests.lobby.doubles import LAST_SUNK, SHOT, WATER, LobbyTestCase, StubbornStore, Turns, WatchedJournal
from tests.store.logs import sentences

CELLS = [(0, 0), (1, 0), (9, 9)]
shots = st.sampled_from(CELLS).map(lambda cell: encode(Command(Opcode.ATTACK, cell)))
answers = st.builds(
    lambda cell, code: encode(Command(Opcode.ANSWER, (*cell, int(code)))),
    st.sampled_from(CELLS),
    st.sampled_from([Code.WATER, Code.HIT, Code.SUNK]),
)
others = st.sampled_from([b"hello", b"(1,[3]).", b"(1,[10,0]).", b"2,[0,0,9]", b"(2,[0,0,4]).", b"(5,[])."])
lines = st.tuples(st.integers(0, 1), shots | answers | answers | others)


class RecoveryTestCase(LobbyTestCase):
    def restart(self, *, store: Any = None, **changes: Any) -> Any:
        """Start another house with a copy of the journal, as it is after a kill, and recover."""
        journal = deepcopy(self.journal)
        journal.start()
        self.again: Any = Harness("battleship", Settings(**changes), Turns(), journal, store or MemoryStore())
        self.recovered = recover(self.again.lobby)
        return self.again

    def live(self, room: Room) -> Any:
        """Let the living room make its record, and return it."""
        self.turns(6, AFTERWARDS)
        return self.store.records[room.id]


class FinishedTests(RecoveryTestCase):
    def test_it_is_recorded_once(self) -> None:
        self.open()
        room = self.match()
        room.receive(1, [SHOT])
        room.receive(0, [LAST_SUNK])
        self.clock.turn()
        harness = self.restart()
        self.assertEqual(self.recovered, 1)
        self.assertEqual(harness.store.records, {room.id: self.live(room)})
        # From where it was played has been in no journal.
        (found,), (live,) = harness.store.summaries.values(), self.store.summaries.values()
        self.assertEqual((found, live.owners), (evolve(live, owners=frozenset()), {"local"}))
        self.assertEqual(harness.journal.rooms, {})
        self.assertEqual(recover(harness.lobby), 0)

    def test_a_record_that_is_there_already_stays(self) -> None:
        self.open(store=StubbornStore(waits=True))
        room = self.match()
        room.leave(1)
        self.turns(4, AFTERWARDS)
        # The daemon dies after the commit and before the journal has heard of it.
        _, record, found = self.store.waiting[0]
        store = MemoryStore({room.id: record}, {room.id: found})
        harness = self.restart(store=store)
        self.assertEqual((harness.store.records, harness.journal.rooms), ({room.id: record}, {}))
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_several_at_once(self) -> None:
        self.open()
        rooms = [self.match() for _ in range(3)]
        for room in rooms:
            room.leave(1)
        self.clock.turn()
        harness = self.restart()
        self.assertEqual((self.recovered, list(harness.store.records)), (3, [room.id for room in rooms]))

    def check_same(self, played: list[tuple[int, bytes]], **changes: Any) -> None:
        self.open(**changes)
        room = self.match()
        for seat, line in played:
            room.receive(seat, [Moved(line)])
            self.clock.turn(0.01)
        room.leave(0)
        self.clock.turn()
        harness = self.restart(**changes)
        self.assertEqual(harness.store.records[room.id], self.live(room))

    @settings(deadline=None, max_examples=40)
    @given(st.lists(lines, max_size=12), st.sampled_from(["observe", "enforce"]), st.booleans())
    def test_it_is_the_record_that_the_room_would_have_made(
        self, played: list[tuple[int, bytes]], referee: str, corners: bool
    ) -> None:
        self.check_same(played, referee=referee, corner_contact=corners, roles="random")

    def test_findings_are_the_same_too(self) -> None:
        played = [(1, SHOT.body), (0, b"(2,[0,0,3])."), (0, SHOT.body), (1, b"(2,[1,0,1])."), (0, b"hello")]
        self.check_same(played)
        (record,) = self.again.store.records.values()
        found = [(finding.code, finding.seat, finding.entry) for finding in judgement(record).findings]
        self.assertEqual(found, [("no-legal-fleet", 0, 4), ("other-cell", 1, 6), ("illegible", 0, 7)])
        self.assertIsNone(judgement(record).unjudged)

    def test_a_game_that_a_limit_ended(self) -> None:
        self.check_same([(1, SHOT.body), (0, WATER.body), (0, SHOT.body)], game_lines=2)
        (record,) = self.again.store.records.values()
        self.assertEqual((summary(record).termination, summary(record).length), ("limit", 2))

    def test_a_game_that_silence_ended(self) -> None:
        self.open(idle_seconds=5.0)
        room = self.match()
        room.receive(0, [SHOT])
        self.turns(2, 5)
        harness = self.restart(idle_seconds=5.0)
        self.assertEqual(harness.store.records[room.id], self.live(room))
        self.assertEqual(self.termination(room), ("idle", None))

    def test_the_replayed_table_has_ended(self) -> None:
        self.open()
        room = self.match()
        room.receive(0, [LAST_SUNK])
        table = replayed(self.lobby, room.history)
        self.assertEqual(table.outcome, room.table.outcome)


class UnfinishedTests(RecoveryTestCase):
    def test_it_costs_nobody_the_game(self) -> None:
        self.open()
        room = self.match()
        self.clock.turn(1.5)
        room.receive(0, [SHOT])
        self.clock.turn()
        with capturedLogs() as logs:
            harness = self.restart()
        record = harness.store.records[room.id]
        self.assertEqual((summary(record).termination, summary(record).winner), ("server-fault", None))
        self.assertEqual(to_history(record).entries[:-1], room.history.entries)
        self.assertEqual(to_history(record).entries[-1].at, 1500)
        self.assertEqual([finding.code for finding in judgement(record).findings], ["out-of-turn"])
        self.assertEqual(harness.journal.rooms, {})
        (line,) = [log for log in logs if log["log_format"].startswith("recovered:")]
        self.assertEqual((line["room"], line["game"], line["termination"]), (room.id, "battleship", "server-fault"))

    def test_its_end_is_in_the_journal_before_it_is_in_the_store(self) -> None:
        self.open()
        room = self.match()
        harness = self.restart(store=StubbornStore(waits=True))
        self.assertEqual(harness.journal.batches[-1], [(room.id, ["ended"])])
        # Killed again: the second recovery makes the same record.
        self.journal = harness.journal
        offered = harness.store.waiting[0][1]
        self.assertEqual(self.restart().store.records, {room.id: offered})
        self.assertEqual(self.again.journal.batches, harness.journal.batches)

    def test_a_store_that_fails_is_asked_again(self) -> None:
        self.open()
        room = self.match()
        harness = self.restart(store=StubbornStore(refusals=1))
        self.assertEqual(list(harness.journal.rooms), [room.id])
        harness.clock.advance(KEEP_AGAIN)
        self.assertEqual((list(harness.store.records), harness.journal.rooms), ([room.id], {}))

    def test_a_journal_that_refuses_is_an_error(self) -> None:
        self.open()
        self.match()
        journal = WatchedJournal(rooms=self.journal.rooms, refuses=True)
        journal.start()
        harness = Harness("battleship", Settings(), Turns(), journal)
        self.assertRaises(StoreError, recover, harness.lobby)
        self.assertEqual(harness.store.records, {})


class OtherTests(RecoveryTestCase):
    def test_who_waited_leaves_no_record(self) -> None:
        self.open()
        self.arrive("a")
        harness = self.restart()
        self.assertEqual((self.recovered, harness.store.records, harness.journal.rooms), (0, {}, {}))

    def test_a_game_that_is_not_installed_stays_in_the_journal(self) -> None:
        self.open()
        facts: dict[str, Value] = {"game": "chess", "started": "2026-11-21T09:00:00.000Z", "seed": 1}
        self.journal.append([("room-of-chess", [Entry(0, OPENED, data=facts), Entry(1, STARTED)])])
        room = self.match()
        with capturedLogs() as logs:
            harness = self.restart()
        self.assertEqual(sentences(logs), ["room=room-of-chess stays in the journal: the game chess is not installed"])
        self.assertEqual((list(harness.store.records), list(harness.journal.rooms)), ([room.id], ["room-of-chess"]))

    def test_a_room_that_cannot_be_replayed_stays_and_the_others_are_recorded(self) -> None:
        self.open()
        broken, whole = self.match("a", "b"), self.match("c", "d")
        broken.receive(1, [SHOT])
        whole.receive(1, [SHOT])
        self.clock.turn()
        real = Relay.restore

        def restore(table: Relay, entry: Entry) -> None:
            if entry.kind == LINE and table.names == ("a", "b"):
                raise ZeroDivisionError
            real(table, entry)

        self.patch(Relay, "restore", restore)
        harness = self.restart()
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual((self.recovered, list(harness.store.records)), (1, [whole.id]))
        self.assertEqual(list(harness.journal.rooms), [broken.id])

    def test_an_empty_journal_is_nothing(self) -> None:
        self.open()
        self.assertEqual((self.restart().store.records, self.recovered), ({}, 0))
