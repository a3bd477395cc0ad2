"""A room: when its events leave, its clock, its back-pressure, and what a fault costs."""

from __future__ import annotations

from math import inf

from twisted.logger import capturedLogs

from gamed.core.events import Moved, Seated, Started
from gamed.core.game import Termination
from gamed.core.history import ENDED, HELD, JOINED, LINE, OPENED, STARTED, Entry
from gamed.core.relay import Relay
from gamed.core.table import Step
from gamed.lobby.match_recorder import AFTERWARDS
from gamed.lobby.outage import PATIENCE
from gamed.records.own import summary
from tests.lobby.doubles import LAST_SUNK, SHOT, WATER, HeldJournal, LobbyTestCase, Peer
from tests.store.logs import sentences


class DeliveryTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open()

    def test_the_start_is_told_in_order(self) -> None:
        self.arrive("a")
        self.assertEqual(self.heard, [("a", Seated(0, first=False))])
        self.arrive("b")
        told = [("b", Seated(1, first=True)), ("a", Started()), ("b", Started())]
        self.assertEqual(self.heard[1:], told)

    def test_lines_of_one_turn_keep_their_order(self) -> None:
        room = self.match()
        lines = [Moved(b"%d" % number) for number in range(5)]
        for line in lines:
            room.receive(1, [line])
        self.assertEqual(self.heard, [])
        self.clock.turn()
        self.assertEqual(self.heard, [("a", line) for line in lines])

    def test_the_last_line_leaves_before_the_close(self) -> None:
        room = self.match()
        room.receive(0, [LAST_SUNK])
        self.clock.turn()
        self.assertEqual(self.heard, [("b", LAST_SUNK), ("a", "closed"), ("b", "closed")])

    def test_the_journal_has_it_first(self) -> None:
        room = self.match()
        self.journal.batches.clear()
        room.receive(1, [SHOT])
        self.assertEqual(self.journal.batches, [])
        self.clock.turn()
        self.assertEqual(self.journal.batches, [[(room.id, [LINE])]])
        self.assertEqual(self.heard, [("a", SHOT)])

    def test_the_journal_and_the_history_are_the_same(self) -> None:
        room = self.match()
        room.receive(1, [SHOT])
        room.receive(0, [WATER])
        self.clock.turn()
        self.assertEqual(self.journal.rooms[room.id], room.history)
        self.assertEqual([entry.kind for entry in room.history.entries], [JOINED, JOINED, STARTED, LINE, LINE])

    def test_a_room_is_opened_in_the_journal_at_once(self) -> None:
        room, _ = self.arrive("a")
        self.assertEqual(self.journal.batches[0], [(room.id, [OPENED])])

    def test_the_end_is_logged_in_one_line(self) -> None:
        room = self.match()
        with capturedLogs() as logs:
            room.leave(1)
        (line,) = [log for log in logs if log["log_format"].startswith("ended:")]
        self.assertEqual((line["room"], line["termination"], line["winner"]), (room.id, "left", 0))
        self.assertEqual((line["game"], line["peers"]), ("battleship", "a,b"))


class BatchTests(LobbyTestCase):
    """What one read has brought."""

    def setUp(self) -> None:
        self.open()
        self.room = self.match()
        self.journal.batches.clear()
        self.steps: list[Step] = []
        self.room.watchers += (lambda _, step: self.steps.append(step),)

    def test_it_is_one_step_and_one_entry_of_the_journal(self) -> None:
        lines = [Moved(b"%d" % number) for number in range(3)]
        self.room.receive(1, iter(lines))
        self.clock.turn()
        self.assertEqual(len(self.steps), 1)
        self.assertEqual(self.journal.batches, [[(self.room.id, [LINE] * 3)]])
        self.assertEqual(self.heard, [("a", line) for line in lines])

    def test_nothing_is_no_step(self) -> None:
        self.room.receive(1, [])
        self.clock.turn()
        self.assertEqual((self.steps, self.journal.batches, self.heard), ([], [], []))

    def test_what_came_before_a_fault_counts(self) -> None:
        found = [Step(journal=(Entry(0, LINE, 1, b"a line"),))]
        self.patch(Relay, "receive", lambda *_: found.pop(0))
        self.room.receive(1, [SHOT] * 2)
        self.assertEqual([str(fault.value) for fault in self.flushLoggedErrors(IndexError)], ["pop from empty list"])
        self.assertEqual([entry.kind for entry in self.room.history.entries[-2:]], [LINE, ENDED])
        self.clock.turn()
        self.assertEqual(self.journal.batches[0][0], (self.room.id, [LINE]))

    def test_what_comes_after_the_end_of_the_match_is_a_step_by_itself(self) -> None:
        with capturedLogs():
            self.room.receive(0, [WATER, LAST_SUNK, SHOT])
        self.assertEqual([step.outcome is not None for step in self.steps], [True, False])
        self.clock.turn()
        self.assertEqual(self.heard, [("b", WATER), ("b", LAST_SUNK), ("a", "closed"), ("b", "closed")])

    def test_another_match_has_a_history_of_its_own(self) -> None:
        one, two, three = (Entry(number, LINE, 1, b"") for number in range(3))
        steps = [Step(journal=(one,)), Step(journal=(two,), opened=True), Step(journal=(three,))]
        self.patch(Relay, "receive", lambda *_: steps.pop(0))
        before = self.room.history
        self.room.receive(1, [SHOT] * 3)
        self.assertEqual((before.entries[-1], self.room.history.entries), (one, [two, three]))
        self.clock.turn()
        rooms = [(before.room, [LINE]), (self.room.history.room, [OPENED, LINE, LINE])]
        self.assertEqual(self.journal.batches, [rooms])

    def test_another_match_is_of_those_who_are_still_there(self) -> None:
        first, second = self.room.peers[0], self.room.peers[1]
        first.address, second.browser = "203.0.113.7", "ab12"
        self.room.owners = frozenset({"203.0.113.7", "local"})
        steps = [Step(dropped=(0,)), Step(opened=True)]
        self.patch(Relay, "receive", lambda *_: steps.pop(0))
        self.room.receive(1, [SHOT])
        self.assertEqual(self.room.owners, {"203.0.113.7", "local"})
        self.room.receive(1, [SHOT])
        self.assertEqual(self.room.owners, {"local", "ab12"})

    def test_where_a_match_waits_is_in_the_journal_in_its_place(self) -> None:
        entry, held = Entry(0, LINE, 1, b""), Entry(0, HELD)
        steps = [Step(journal=(entry,), held=held), Step(journal=(entry,))]
        self.patch(Relay, "receive", lambda *_: steps.pop(0))
        self.room.receive(1, [SHOT] * 2)
        self.clock.turn()
        self.assertEqual(self.journal.batches, [[(self.room.id, [LINE, HELD]), (self.room.id, [LINE])]])


class DiskTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open(journal=HeldJournal())

    def synced(self) -> None:
        while self.journal.held:
            self.journal.sync()

    def test_letters_wait_for_the_disk(self) -> None:
        room = self.match()
        self.synced()
        self.heard.clear()
        room.receive(1, [SHOT])
        self.clock.turn()
        self.assertEqual(self.heard, [])
        self.journal.sync()
        self.assertEqual(self.heard, [("a", SHOT)])

    def test_a_clock_does_not_start_while_later_letters_wait(self) -> None:
        room = self.match()
        self.synced()
        told: list[float] = []
        room.table.forwards = False
        self.patch(Relay, "delivered", lambda _table, now, _unsent: told.append(now))
        room.receive(1, [SHOT])
        self.clock.turn()
        room.receive(0, [WATER])
        self.clock.turn(1.0)
        self.journal.sync()
        self.assertEqual(told, [])
        self.journal.sync()
        self.assertEqual(told, [self.clock.seconds()])

    def test_the_game_goes_on_meanwhile(self) -> None:
        room = self.match()
        self.synced()
        self.heard.clear()
        for seat, line in ((1, SHOT), (0, WATER), (0, LAST_SUNK)):
            room.receive(seat, [line])
            self.clock.turn()
        self.assertEqual((self.heard, len(self.journal.held)), ([], 3))
        self.journal.sync()
        self.assertEqual(self.heard, [("a", SHOT)])
        self.synced()
        self.assertEqual(self.heard[1:], [("b", WATER), ("b", LAST_SUNK), ("a", "closed"), ("b", "closed")])

    def test_not_even_a_close_comes_early(self) -> None:
        room = self.match()
        self.synced()
        self.heard.clear()
        room.leave(0)
        self.turns(3, AFTERWARDS)
        self.assertEqual(self.heard, [])
        self.synced()
        self.assertEqual(self.heard, [("a", "closed"), ("b", "closed")])


class ClockTests(LobbyTestCase):
    def test_a_waiting_peer_has_its_time(self) -> None:
        self.open(waiting_seconds=10.0)
        room, _ = self.arrive("a")
        self.turns(2, 9.9)
        self.assertIsNone(room.table.outcome)
        self.turns(2, 0.1)
        self.assertEqual(self.termination(room), ("idle", None))
        self.assertEqual(self.heard[-1], ("a", "closed"))

    def test_a_timer_that_was_set_late_is_moved_earlier(self) -> None:
        self.open(waiting_seconds=3600.0, idle_seconds=5.0)
        self.arrive("a")
        (timer,) = self.clock.getDelayedCalls()
        room, _ = self.arrive("b")
        # Not a second one: a reactor keeps those that were cancelled. And Twisted makes the text of one that is new.
        self.assertIn(timer, self.clock.getDelayedCalls())
        self.assertLess(len(repr(timer)), 500)
        self.turns(2, 4.9)
        self.assertIsNone(room.table.outcome)
        self.turns(2, 0.1)
        self.assertEqual(self.termination(room), ("idle", 0))

    def test_a_timer_that_fires_early_is_set_again(self) -> None:
        self.open(idle_seconds=10.0)
        room = self.match()
        self.clock.turn(6)
        room.receive(1, [SHOT])
        self.turns(3, 4)
        self.assertIsNone(room.table.outcome)
        self.turns(3, 5.9)
        self.assertIsNone(room.table.outcome)
        self.turns(3, 0.1)
        self.assertEqual(self.termination(room), ("idle", 1))

    def test_a_move_sets_no_timer_anew(self) -> None:
        self.open(idle_seconds=10.0)
        room = self.match()
        (timer,) = self.clock.getDelayedCalls()
        self.clock.turn(1)
        room.receive(1, [SHOT])
        self.turns(2, AFTERWARDS)
        self.assertEqual(list(self.clock.getDelayedCalls()), [timer])
        self.assertEqual(timer.getTime(), 10.0)

    def test_what_arrives_in_the_turn_of_the_deadline_counts(self) -> None:
        self.open(idle_seconds=5.0)
        room = self.match()
        self.clock.turn(5)
        # Twisted runs the timers that are due before it reads the sockets.
        room.receive(1, [SHOT])
        self.turns(2)
        self.assertIsNone(room.table.outcome)
        self.assertEqual(self.heard, [("a", SHOT)])
        self.turns(2, 4.9)
        self.assertIsNone(room.table.outcome)
        self.turns(2, 0.1)
        self.assertEqual(self.termination(room), ("idle", 1))

    def test_what_arrives_a_turn_later_does_not(self) -> None:
        self.open(idle_seconds=5.0)
        room = self.match()
        self.clock.turn(5)
        self.assertIsNone(room.table.outcome)
        self.clock.turn()
        room.receive(1, [SHOT])
        self.clock.turn()
        self.assertEqual(self.termination(room), ("idle", 0))
        self.assertEqual(self.heard, [("a", "closed"), ("b", "closed")])

    def test_what_may_have_arrived_in_time_is_served_before_the_clock_is_judged(self) -> None:
        self.open(idle_seconds=5.0)
        _, first = self.arrive("a")
        room, _ = self.arrive("b")
        limit = self.clock.seconds() + 5
        first.unread = [limit]
        self.turns(5, 5)
        self.assertIsNone(room.table.outcome)
        first.unread = []
        self.turns(1)
        self.assertEqual(self.termination(room), ("idle", 0))

    def test_what_has_arrived_later_is_not_waited_for(self) -> None:
        self.open(idle_seconds=5.0)
        room, first = self.arrive("a")
        self.arrive("b")
        first.unread = [self.clock.seconds() + 5.001]
        self.turns(2, 5)
        self.assertEqual(self.termination(room), ("idle", 0))

    def test_nor_is_anything_for_longer_than_a_while(self) -> None:
        self.open(idle_seconds=5.0)
        room, first = self.arrive("a")
        self.arrive("b")
        first.unread = [0.0]
        self.turns(1, 5)
        self.turns(3, PATIENCE - 0.01)
        self.assertIsNone(room.table.outcome)
        self.turns(1, 0.01)
        self.assertEqual(self.termination(room), ("idle", 0))

    def test_what_is_served_counts_from_its_arrival(self) -> None:
        self.open()
        room, first = self.arrive("a")
        self.arrive("b")
        found: list[float] = []
        self.patch(Relay, "receive", lambda *given: found.append(given[-1]) or Step())
        for first.arrived in (3.0, inf):
            room.receive(0, [SHOT])
        self.assertEqual(found, [3.0, inf])

    def test_a_clock_starts_when_a_slow_reader_has_its_letter(self) -> None:
        self.open()
        room = self.match()
        room.table.forwards = False
        found: list[tuple[float, list[int]]] = []
        self.patch(Relay, "delivered", lambda _table, now, unsent: found.append((now, list(unsent))))
        room.congested(0)
        room.receive(1, [SHOT])
        self.clock.turn()
        self.clock.turn(7)
        room.relieved(0)
        self.assertEqual(found, [(0.0, [0]), (7.0, [])])

    def test_a_move_does_not_touch_the_timer(self) -> None:
        """Twisted moves a timer forward by a search of all of them."""
        self.open()
        room = self.match()
        room.receive(1, [SHOT])
        self.turns(2, 1)
        (timer,) = self.clock.getDelayedCalls()
        for seat, line in ((0, WATER), (0, SHOT), (1, WATER), (1, SHOT)) * 3:
            before = timer.getTime()
            room.receive(seat, [line])
            self.clock.turn()
            self.assertIn(timer, self.clock.getDelayedCalls())
            self.assertEqual(timer.getTime(), before)

    def test_an_ended_room_has_no_timer(self) -> None:
        self.open()
        room = self.match()
        room.congested(0)
        room.leave(1)
        self.turns(3, AFTERWARDS)
        self.assertEqual(list(self.clock.getDelayedCalls()), [])


class BackPressureTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open(stuck_seconds=30.0)
        self.room = self.match()

    def test_the_others_are_held_back(self) -> None:
        self.room.congested(0)
        self.assertEqual(self.heard, [("b", "paused")])
        self.room.relieved(0)
        self.assertEqual(self.heard[1:], [("b", "resumed")])

    def test_who_reads_again_in_time_stays(self) -> None:
        self.room.congested(0)
        self.turns(2, 29.9)
        self.room.relieved(0)
        self.turns(2, 100)
        self.assertIsNone(self.room.table.outcome)

    def test_who_does_not_is_dropped(self) -> None:
        self.room.congested(0)
        self.turns(1, 29.9)
        self.assertIsNone(self.room.table.outcome)
        with capturedLogs() as logs:
            self.turns(1, 0.1)
        self.assertEqual(self.termination(self.room), ("limit", 1))
        self.assertEqual(self.heard[-2:], [("a", "closed"), ("b", "closed")])
        _no_shot, said = sentences(logs)
        where = f"listener=test room={self.room.id} seat=0 peer=a"
        why = "did not read for 30 seconds what was sent to it; expected: a client that reads all the time"
        self.assertEqual(said, f"refused not-reading: {where}: {why}")

    def test_saying_it_again_changes_nothing(self) -> None:
        self.room.congested(0)
        self.clock.turn(10)
        self.room.congested(0)
        self.room.relieved(0)
        self.room.relieved(0)
        self.assertEqual(self.heard, [("b", "paused"), ("b", "resumed")])
        self.turns(2, 100)
        self.assertIsNone(self.room.table.outcome)

    def test_saying_it_again_gives_no_more_time(self) -> None:
        self.room.congested(0)
        self.clock.turn(29)
        self.room.congested(0)
        self.turns(1, 1)
        self.assertEqual(self.termination(self.room), ("limit", 1))

    def test_both_may_be_slow(self) -> None:
        self.room.congested(0)
        self.room.congested(1)
        self.assertEqual(self.heard, [("b", "paused"), ("a", "paused")])
        self.room.relieved(0)
        self.assertEqual(self.heard[2:], [("b", "resumed")])
        self.turns(1, 30)
        self.assertEqual(self.termination(self.room), ("limit", 0))

    def test_nobody_is_held_back_after_the_end(self) -> None:
        self.room.leave(0)
        self.clock.turn()
        self.heard.clear()
        self.room.congested(0)
        self.room.relieved(0)
        self.turns(3, 100)
        self.assertEqual(self.heard, [])


class FaultTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open(idle_seconds=5.0)
        self.room, self.other = self.match("a", "b"), self.match("c", "d")

    def check(self) -> None:
        """See that the room has ended and becomes a record, its peers are closed, and the other room plays on."""
        self.clock.turn()
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(self.termination(self.room), ("server-fault", None))
        self.assertEqual(self.heard, [("a", "closed"), ("b", "closed")])
        self.heard.clear()
        self.other.receive(1, [SHOT])
        self.turns(5, AFTERWARDS)
        self.assertEqual(self.heard, [("c", SHOT)])
        self.assertEqual(summary(self.store.records[self.room.id]).termination, "server-fault")
        self.assertEqual(list(self.journal.rooms), [self.other.id])

    def test_in_receiving(self) -> None:
        self.breaks(self.room, "receive")
        self.room.receive(1, [SHOT])
        self.check()

    def test_in_leaving(self) -> None:
        self.breaks(self.room, "leave")
        self.room.leave(0)
        self.check()

    def test_in_judging_the_clock(self) -> None:
        self.breaks(self.room, "tick")
        self.clock.turn(3)
        self.other.receive(1, [WATER])
        self.turns(1, 2)
        self.assertEqual(self.heard.pop(0), ("c", WATER))
        self.check()

    def test_in_the_referee(self) -> None:
        self.room.receive(1, [SHOT])
        self.clock.turn()
        self.assertEqual(self.heard.pop(), ("a", SHOT))
        self.breaks(self.room, "review")
        # Once more when the room is recorded.
        self.turns(2, AFTERWARDS)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(self.termination(self.room), ("server-fault", None))
        self.assertEqual(self.heard, [("a", "closed"), ("b", "closed")])
        self.turns(4, AFTERWARDS)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(summary(self.store.records[self.room.id]).termination, "server-fault")

    def test_in_letting_letters_leave(self) -> None:
        faulty, sound = self.room.peers[0], self.other.peers[0]
        assert isinstance(faulty, Peer)
        assert isinstance(sound, Peer)
        faulty.flush_fault = ZeroDivisionError("flush")
        before = len(sound.flushes)
        self.room.receive(1, [SHOT])
        self.other.receive(1, [SHOT])
        self.clock.turn()
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(len(sound.flushes), before + 1)

    def test_in_saying_it_to_a_peer(self) -> None:
        peer = self.room.peers[0]
        assert isinstance(peer, Peer)
        peer.fault = ZeroDivisionError("deliver")
        self.room.receive(1, [SHOT])
        self.other.receive(1, [SHOT])
        self.clock.turn()
        self.assertEqual(self.heard.pop(), ("c", SHOT))
        self.check()

    def test_the_fault_is_logged_with_its_room(self) -> None:
        self.breaks(self.room, "receive")
        with capturedLogs() as logs:
            self.room.receive(1, [SHOT])
        self.flushLoggedErrors(ZeroDivisionError)
        self.assertEqual(sentences(logs), [f"server fault: room={self.room.id}"])


class SilenceTests(LobbyTestCase):
    """What is said of who stands still."""

    def setUp(self) -> None:
        self.open()
        self.arrive("a")
        _, self.peer = self.arrive("b")

    def said(self) -> list[str]:
        with capturedLogs() as logs:
            self.turns(3, 10.1)
        return [line.partition(" peer=")[2] for line in sentences(logs)]

    def test_a_line_that_was_begun_is_shown(self) -> None:
        self.peer.unfinished = b"(1,[3"
        (said,) = self.said()
        self.assertIn("no shot for 10 seconds; it has begun a message that has no end", said)
        self.assertTrue(said.endswith('message: "(1,[3"'), said)

    def test_a_person_may_think(self) -> None:
        self.peer.is_person = True
        self.assertEqual(self.said(), [])


class RefusalTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open()
        self.one, self.two, self.quiet = self.match("a", "b"), self.match("c", "d"), self.match("e", "f")

    def refuse(self) -> None:
        """Let the journal refuse what this turn would write."""
        self.journal.refuses = True
        self.clock.turn()
        self.journal.refuses = False

    def test_the_rooms_of_the_batch_end_and_no_other(self) -> None:
        for room in (self.one, self.two, self.one):
            room.receive(1, [SHOT])
        self.refuse()
        self.assertEqual(len(self.flushLoggedErrors()), 2)
        for room in (self.one, self.two):
            self.assertEqual(self.termination(room), ("server-fault", None))
        self.assertIsNone(self.quiet.table.outcome)
        self.assertEqual(self.heard, [(name, "closed") for name in "abcd"])
        self.heard.clear()
        self.quiet.receive(1, [SHOT])
        self.clock.turn()
        self.assertEqual(self.heard, [("e", SHOT)])

    def test_an_end_that_is_refused_closes_all_the_same(self) -> None:
        self.one.receive(0, [LAST_SUNK])
        self.refuse()
        self.assertEqual(len(self.flushLoggedErrors()), 1)
        self.assertEqual(self.heard, [("a", "closed"), ("b", "closed")])

    def test_they_become_records(self) -> None:
        self.one.receive(1, [SHOT])
        self.two.receive(0, [LAST_SUNK])
        self.refuse()
        self.flushLoggedErrors()
        self.turns(4, AFTERWARDS)
        found = {room: summary(record).termination for room, record in self.store.records.items()}
        self.assertEqual(found, {self.one.id: "server-fault", self.two.id: "victory"})
        self.assertEqual(list(self.journal.rooms), [self.quiet.id])

    def test_a_newcomer_may_be_hit(self) -> None:
        newcomer = Peer("x", self.heard)
        self.lobby.arrive("battleship", newcomer)
        self.refuse()
        self.flushLoggedErrors()
        self.assertEqual(self.heard, [("x", "closed")])
        room, _ = self.arrive("y")
        self.assertNotIn(newcomer, room.peers)


class AfterTheEndTests(LobbyTestCase):
    def test_everything_is_ignored(self) -> None:
        self.open()
        room = self.match()
        room.receive(0, [LAST_SUNK])
        self.clock.turn()
        before, entries = list(self.heard), list(room.history.entries)
        self.assertEqual(entries[-1].kind, ENDED)
        self.journal.batches.clear()
        for seat in (0, 1):
            room.receive(seat, [SHOT])
            room.leave(seat)
            room.congested(seat)
            room.relieved(seat)
        room.stop(Termination.SHUTDOWN)
        self.turns(5, 10_000)
        room.receive(0, [SHOT])
        self.clock.turn()
        self.assertEqual((self.heard, room.history.entries, self.journal.batches), (before, entries, []))
        self.assertEqual(self.termination(room), ("victory", 1))
        self.assertEqual(len(self.store.asked), 1)
