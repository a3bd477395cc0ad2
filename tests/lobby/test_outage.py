"""The disk refuses: no new games, running ones are held or ended, and all goes on by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from attrs import define
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.config import structure
from gamed.core.errors import DiskError, StoreError
from gamed.core.history import Entry
from gamed.games.battleship import Settings
from gamed.lobby.outage import AGAIN, PATIENCE
from gamed.tap import build
from gamed.testing.harness import Harness
from tests.lobby.doubles import LAST_SUNK, SHOT, WATER, LobbyTestCase, Peer, WatchedJournal
from tests.store.logs import sentences

FULL = "cannot write to the journal: No space left on device"


@define
class FullJournal(WatchedJournal):
    """Refuses as a full disk does."""

    probes: int = 0

    def append(self, batch: Iterable[tuple[str, Sequence[Entry]]]) -> int:
        if self.refuses:
            raise DiskError(FULL)
        return WatchedJournal.append(self, batch)

    def probe(self) -> None:
        self.probes += 1
        if self.refuses:
            raise DiskError(FULL)


class HoldTests(LobbyTestCase):
    def setUp(self) -> None:
        self.open(journal=FullJournal())
        self.notified: list[bool] = []
        self.lobby.delivery.outage.on_hold.append(self.notified.append)
        self.room = self.match("a", "b")

    def fill(self) -> None:
        """Fill the disk, and let a shot be refused."""
        self.journal.refuses = True
        self.room.receive(1, [SHOT])
        self.clock.turn()

    def test_nothing_leaves_until_the_journal_has_taken_it(self) -> None:
        self.fill()
        self.room.receive(0, [WATER])
        self.turns(3, 5 * AGAIN)
        self.assertEqual((self.heard, self.notified), ([], [True]))
        self.assertIsNone(self.room.table.outcome)
        self.journal.refuses = False
        self.turns(1, AGAIN)
        self.assertEqual(self.heard, [("a", SHOT), ("b", WATER)])
        self.assertEqual(self.notified, [True, False])
        self.assertEqual([entry.kind for entry in self.journal.rooms[self.room.id].entries][-2:], ["line", "line"])

    def test_the_game_goes_on_and_is_recorded(self) -> None:
        self.fill()
        self.journal.refuses = False
        self.turns(1, AGAIN)
        self.room.receive(0, [LAST_SUNK])
        for _ in range(2):
            self.turns(3, 1.0)
        self.assertEqual(self.termination(self.room), ("victory", 1))
        self.assertEqual(list(self.store.records), [self.room.id])

    def test_new_games_are_refused_with_the_reason(self) -> None:
        self.fill()
        error = self.assertRaises(StoreError, self.arrive, "c")
        self.assertEqual(str(error), f"no new games: {FULL}")
        self.assertRaises(StoreError, self.lobby.open, "battleship")
        self.assertEqual(list(self.lobby.rooms), [self.room.id])
        self.journal.refuses = False
        self.turns(1, AGAIN)
        self.arrive("c")
        self.assertEqual(len(self.lobby.rooms), 2)

    def test_the_disk_is_tried_every_second(self) -> None:
        self.fill()
        self.assertEqual(self.lobby.stats.append_errors, 1)
        for number in range(2, 5):
            self.turns(1, AGAIN)
            self.assertEqual(self.lobby.stats.append_errors, number)

    def test_the_log_tells_of_the_beginning_and_of_the_end(self) -> None:
        with capturedLogs() as logs:
            self.fill()
            for _ in range(9):
                self.turns(1, AGAIN)
            self.journal.refuses = False
            self.turns(1, AGAIN)
        self.assertEqual(
            sentences(logs),
            [
                f"no new games until the disk takes them: {FULL}",
                "all games are held: nothing is read, no clock runs",
                "the disk takes games again, after 10 s; newcomers that were not seated: 0",
            ],
        )
        self.assertEqual((self.lobby.stats.outages, self.lobby.stats.outage_seconds), (1, 10.0))

    def test_no_clock_is_judged_during_a_hold(self) -> None:
        self.fill()
        # The doubles' clock does not stand still; so whatever is due stays due, and nothing happens.
        for _ in range(200):
            self.turns(1, 100.0)
        self.assertIsNone(self.room.table.outcome)
        self.assertLess(len(self.clock.getDelayedCalls()), 5)

    def test_a_tick_that_was_about_to_come_waits_as_well(self) -> None:
        self.clock.turn(Settings().idle_seconds)
        self.fill()
        self.turns(3, 1.0)
        self.assertIsNone(self.room.table.outcome)

    def test_timers_of_receptions_wait_and_leave_time_after_it(self) -> None:
        fired: list[str] = []
        self.lobby.after(3.0, lambda: fired.append("a"))
        cancelled = self.lobby.after(3.0, lambda: fired.append("b"))
        self.fill()
        for _ in range(10):
            self.turns(1, 1.0)
        self.assertTrue(cancelled.active())
        cancelled.cancel()
        self.assertFalse(cancelled.active())
        self.journal.refuses = False
        self.turns(1, 0.99)
        self.turns(1, 0.01)
        self.assertEqual((fired, self.lobby.is_held), ([], False))
        self.turns(1, AGAIN)
        self.turns(1, AGAIN)
        self.assertEqual(fired, ["a"])

    def test_entries_tell_true_times(self) -> None:
        held = [3.0]
        self.patch(self.lobby, "held", lambda: held[0])
        _, first = self.arrive("c")
        room, _ = self.arrive("d")
        room.receive(1, [SHOT])
        held[0] += 2.5
        room.receive(0, [WATER])
        room.leave(0)
        ats = [
            (entry.kind, entry.at) for entry in room.history.entries if entry.kind not in ("joined", "started", "drawn")
        ]
        self.assertEqual(ats, [("line", 0), ("line", 2500), ("left", 2500), ("ended", 2500)])
        self.assertIs(first.room, room)

    def test_a_stop_during_a_hold_ends_the_games(self) -> None:
        self.fill()
        self.successResultOf(self.lobby.stopService())
        self.flushLoggedErrors(DiskError)
        self.assertIn(("a", "closed"), self.heard)
        self.assertEqual(self.termination(self.room), ("shutdown", None))
        self.turns(3, AGAIN)
        self.assertEqual(self.lobby.delivery.outage.reason, "")


class OpeningTests(LobbyTestCase):
    """Nothing runs when the disk is found full."""

    def setUp(self) -> None:
        self.open(journal=FullJournal())

    def test_a_refused_opening_is_probed_until_there_is_room(self) -> None:
        self.journal.refuses = True
        self.assertRaises(DiskError, self.arrive, "a")
        self.assertEqual(self.lobby.delivery.outage.reason, FULL)
        self.turns(1, AGAIN)
        self.turns(1, AGAIN)
        self.assertEqual((self.journal.probes, self.lobby.is_held), (2, False))
        self.journal.refuses = False
        self.turns(1, AGAIN)
        self.assertEqual(self.lobby.delivery.outage.reason, "")
        self.arrive("a")
        probes = self.journal.probes
        self.turns(5, 10 * AGAIN)
        self.assertEqual(self.journal.probes, probes)

    def test_who_waits_is_not_paired(self) -> None:
        self.arrive("a")
        self.lobby.delivery.outage.begin("because")
        self.assertRaises(StoreError, self.arrive, "b")
        self.journal.refuses = False
        self.turns(1, AGAIN)
        self.arrive("b")
        self.assertEqual(len(self.lobby.rooms), 1)


class EndTests(LobbyTestCase):
    """on_full = "end"."""

    def full(self) -> None:
        self.open(journal=FullJournal())
        self.lobby.delivery.on_full = "end"
        self.room, self.quiet = self.match("a", "b"), self.match("c", "d")
        self.arrive("e")
        self.journal.refuses = True
        self.room.receive(1, [SHOT])
        self.clock.turn()

    def test_all_running_games_end_as_a_fault_of_ours(self) -> None:
        self.full()
        for room in (self.room, self.quiet):
            self.assertEqual(self.termination(room), ("server-fault", None))
        self.assertEqual([name for name, what in self.heard if what == "closed"], ["a", "b", "c", "d"])
        self.assertFalse(self.lobby.is_held)

    def test_who_waits_is_not_sent_away_and_nobody_is_seated(self) -> None:
        self.full()
        self.assertNotIn(("e", "closed"), self.heard)
        self.assertRaises(StoreError, self.arrive, "f")
        self.journal.refuses = False
        self.turns(1, AGAIN)
        self.arrive("f")
        newest = self.lobby.rooms[next(reversed(self.lobby.rooms))]
        self.assertEqual([peer.name for peer in newest.peers.values()], ["e", "f"])

    def test_the_log_has_no_traceback_and_few_lines(self) -> None:
        with capturedLogs() as logs:
            self.full()
            for _ in range(60):
                self.assertRaises(StoreError, self.arrive, "f")
                self.turns(1, AGAIN)
            self.journal.refuses = False
            self.turns(1, AGAIN)
        self.assertEqual(
            sentences(logs),
            [
                f"no new games until the disk takes them: {FULL}",
                "all games are ended: games=2",
                "the disk takes games again, after 61 s; newcomers that were not seated: 60",
            ],
        )
        self.assertEqual([log for log in logs if "log_failure" in log], [])
        self.assertEqual((self.lobby.stats.faults, self.lobby.stats.ended["battleship", "server-fault"]), (0, 2))

    def test_a_sync_that_fails_ends_them_too(self) -> None:
        self.open(journal=FullJournal(durability="disk"))
        self.lobby.delivery.on_full = "end"
        room = self.match("a", "b")
        self.journal.failed = OSError(5, "Input/output error")
        self.lobby.delivery.sync_failed()
        self.assertEqual(self.termination(room), ("server-fault", None))


class SyncTests(LobbyTestCase):
    def failing(self, durability: str) -> None:
        self.open(journal=FullJournal(durability=durability))
        self.match()
        self.journal.failed = OSError(5, "Input/output error")
        self.lobby.delivery.sync_failed()

    def test_with_process_games_go_on_and_none_is_opened(self) -> None:
        self.failing("process")
        self.assertFalse(self.lobby.is_held)
        error = self.assertRaises(StoreError, self.arrive, "c")
        self.assertIn("cannot be synced", str(error))
        room = next(iter(self.lobby.rooms.values()))
        room.receive(1, [SHOT])
        self.turns(3, AGAIN)
        self.assertEqual(self.heard, [("a", SHOT)])
        self.assertEqual(self.journal.probes, 0)
        self.journal.failed = None
        self.turns(1, AGAIN)
        self.arrive("c")

    def test_with_disk_all_is_held_at_once(self) -> None:
        self.failing("disk")
        self.assertTrue(self.lobby.is_held)
        self.journal.failed = None
        self.turns(1, AGAIN)
        self.assertFalse(self.lobby.is_held)

    def test_a_failure_that_is_over_when_it_is_told_is_none(self) -> None:
        self.open(journal=FullJournal())
        self.lobby.delivery.sync_failed()
        self.assertEqual(self.lobby.delivery.outage.reason, "")


class TimerTests(LobbyTestCase):
    """The time that a peer has with a reception."""

    def setUp(self) -> None:
        self.open()
        self.fired: list[str] = []
        self.peer = Peer("a")
        self.lobby.after(3.0, lambda: self.fired.append("a"), self.peer)

    def test_what_the_peer_has_sent_in_time_is_served_before(self) -> None:
        self.peer.unread = [3.0]
        self.turns(5, 3.0)
        self.assertEqual(self.fired, [])
        self.peer.unread = []
        self.turns(1)
        self.assertEqual(self.fired, ["a"])

    def test_what_it_has_sent_later_is_not(self) -> None:
        self.peer.unread = [3.01]
        self.turns(0, 3.0)
        self.assertEqual(self.fired, ["a"])

    def test_nor_is_it_waited_for_without_end(self) -> None:
        self.peer.unread = [0.0]
        self.turns(0, 3.0)
        self.turns(0, PATIENCE - 0.01)
        self.assertEqual(self.fired, [])
        self.turns(0, 0.01)
        self.assertEqual(self.fired, ["a"])


@define
class Begun:
    """A connection on which a message has begun and does not end."""

    begun: bool = True
    unfinished: bytes = b"half"
    ending: ClassVar[str] = "nothing"
    is_answered: ClassVar[bool] = True


class SessionTests(SynchronousTestCase):
    """What peers' transports do in a hold."""

    def setUp(self) -> None:
        self.journal = FullJournal()
        self.harness = Harness("battleship", Settings(), journal=self.journal)
        self.first, self.second = self.harness.connect(), self.harness.connect()

    def fill(self) -> None:
        self.journal.refuses = True
        self.second.send(b"(1,[0,0]).\n")

    def empty(self) -> None:
        self.journal.refuses = False
        self.harness.clock.advance(AGAIN)

    def state(self, wire: object) -> str:
        return wire.transport.producerState  # type: ignore[attr-defined]

    def test_nobody_is_read_and_then_everybody(self) -> None:
        self.fill()
        self.assertEqual([self.state(wire) for wire in (self.first, self.second)], ["paused", "paused"])
        self.empty()
        self.assertEqual([self.state(wire) for wire in (self.first, self.second)], ["producing", "producing"])
        self.assertTrue(self.first.received.endswith(b"(1,[0,0]).\r"))

    def test_a_newcomer_is_let_go(self) -> None:
        self.fill()
        with capturedLogs() as logs:
            refused = self.harness.connect()
        self.assertTrue(refused.is_closed)
        self.assertIn(f"not seated: peer={refused.session.name}: no new games: {FULL}", map(formatEvent, logs))
        self.assertEqual(sentences(logs), [])

    def test_what_has_come_already_waits(self) -> None:
        self.journal.refuses = True
        self.second.send(b"(1,[0,0]).\n" * 200)
        before = len(next(iter(self.harness.lobby.rooms.values())).history.entries)
        for _ in range(8):
            self.harness.clock.advance(0.25)
        self.assertEqual(len(next(iter(self.harness.lobby.rooms.values())).history.entries), before)
        self.empty()
        for _ in range(8):
            self.harness.clock.advance(0.25)
        self.assertEqual(self.first.received.count(b"(1,[0,0])."), 200)

    def test_a_begun_message_is_not_late(self) -> None:
        self.harness.factory.message_seconds = 4.0
        self.harness.factory.doStart()
        self.second.session.connection = Begun()
        self.second.session.look(self.harness.clock.seconds())
        begun = self.second.session.begun
        assert begun is not None
        self.assertIsNotNone(begun.since)
        self.harness.factory.hold(True)
        self.harness.clock.advance(30.0)
        self.assertIsNone(self.second.session.begun)
        self.assertFalse(self.second.is_closed)
        self.harness.factory.doStop()


class DaemonTests(SynchronousTestCase):
    def test_the_daemon_holds_all_its_parts(self) -> None:
        folder = Path(self.mktemp())
        config = structure({"store": {"on_full": "end", "state": str(folder)}}, folder)
        daemon = build(config, dict.fromkeys(config.listeners), MemoryReactorClock())
        lobby = daemon.lobby
        self.assertEqual(lobby.delivery.on_full, "end")
        self.assertEqual(daemon.storage.journal.on_failure, lobby.delivery.sync_failed)
        with capturedLogs():
            lobby.delivery.outage.begin("a test")
            lobby.delivery.outage.hold()
        self.assertIsNotNone(daemon.stall_clock._held_at)
        held = [listener.factory.is_held for listener in daemon.listeners if hasattr(listener.factory, "is_held")]
        self.assertTrue(held and all(held))
