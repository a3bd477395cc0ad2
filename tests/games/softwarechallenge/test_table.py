"""The table by itself: letters, journal, clock and ends of one room."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.events import Started
from gamed.core.game import CHANCE, Outcome, Termination
from gamed.core.history import DRAWN, ENDED, JOINED, LEFT, MOVE, STARTED, Entry
from gamed.core.match import Match
from gamed.core.table import OBSERVERS, Step
from gamed.games.softwarechallenge.dialect import IN_2020
from gamed.games.softwarechallenge.messages import (
    Closing,
    Joined,
    Left,
    Memento,
    MoveRequest,
    Refused,
    Result,
    RoomMessage,
    Slot,
    Welcome,
)
from gamed.games.softwarechallenge.season import Sent
from gamed.games.softwarechallenge.seasons.hive.moves import SetMove, SkipMove
from gamed.games.softwarechallenge.seasons.hive.wire import SEASON
from gamed.games.softwarechallenge.table import (
    OPEN,
    Arrived,
    Limits,
    SeasonTable,
)
from tests.games.softwarechallenge.harness import CORNERS, Lots

A, B = Slot("a", can_timeout=True, should_be_paused=False), Slot("b", can_timeout=True, should_be_paused=False)
BEE = SetMove("Q", 0, 0, 0, 0)
MESSAGE = RoomMessage("r", None)
ANT = SetMove("A", 1, 1, 0, -1)


def sent(move: object, original: str = "<originalRequest/>") -> Arrived:
    """Return a move as the reception hands it on."""
    return Arrived(Sent(move, "<lastMove/>", original), MESSAGE)


def told(step: Step) -> list[tuple[int, str]]:
    """Return who is told what, in order: the events' names."""
    return [(mail.seat, type(mail.event).__name__) for mail in step.events]


def kinds(step: Step) -> list[str]:
    """Return the kinds of the entries for the journal."""
    return [entry.kind for entry in step.journal]


class TableTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.filled: list[str] = []
        self.finished: list[object] = []
        self.table = self.made()

    def made(self, slots: tuple[Slot, ...] = (), *, paused: bool = False, **more: object) -> SeasonTable:
        """Return a table in a room r."""
        match = Match(SEASON.game, {}, lambda _draw: Lots(CORNERS), 0.0)
        table = SeasonTable(SEASON, {}, match, Limits(2.0, 10.0))
        table.prepare("r", slots, paused=paused, **more)  # type: ignore[arg-type]
        table.filled = lambda: self.filled.append("filled")
        table.finished = lambda names, parts: self.finished.append((names, parts))
        return table

    def start(self, now: float = 0.0) -> Step:
        """Seat both players, and let the letters leave."""
        self.table.join("x", now)
        step = self.table.join("y", now)
        self.due = self.table.delivered(now)
        return step


class JoinTests(TableTestCase):
    def test_the_slots_are_free_until_they_are_taken(self) -> None:
        self.assertEqual(self.table.free, [0, 1])
        self.table.join("x", 0, 1)
        self.assertEqual(self.table.free, [0])
        self.assertRaises(AssertionError, self.table.join, "y", 0, 1)
        self.table.join("y", 0)
        self.assertEqual(self.table.free, [])

    def test_the_first_of_a_join_room(self) -> None:
        step = self.table.join("x", 0)
        self.assertEqual((told(step), kinds(step), step.wake_at), ([(0, "Joined")], [], None))
        self.assertEqual(self.filled, [])

    def test_the_start(self) -> None:
        step = self.start()
        states = [(OBSERVERS, "Memento"), (0, "Memento"), (1, "Memento")]
        self.assertEqual(told(step), [(1, "Joined"), (0, "Welcome"), (1, "Welcome"), *states, (0, "MoveRequest")])
        self.assertEqual(step.events[0].event, Joined("r"))
        self.assertEqual([mail.event for mail in step.events[1:3]], [Welcome("r", "red"), Welcome("r", "blue")])
        self.assertEqual(step.events[-1].event, MoveRequest("r", IN_2020.move_request))
        self.assertEqual(kinds(step), [JOINED, JOINED, STARTED, DRAWN])
        # The wire's stand-in is no name.
        self.assertEqual([entry.data.get("name") for entry in step.journal[:2]], ["", ""])
        self.assertEqual(step.journal[3].body, b"O -5,5 0,-5 5,-5")
        self.assertEqual(self.filled, ["filled"])

    def test_all_get_the_same_memento(self) -> None:
        # It is written once for all of them.
        mementos = [mail.event for mail in self.start().events if isinstance(mail.event, Memento)]
        self.assertEqual(len({id(event) for event in mementos}), 1)

    def test_a_prepared_room_is_silent_until_it_is_full(self) -> None:
        self.table = self.made((A, B))
        self.assertEqual(self.table.join("x", 0, 1).events, ())
        step = self.table.join("y", 0, 0)
        self.assertEqual(told(step)[:4], [(0, "Joined"), (1, "Joined"), (0, "Welcome"), (1, "Welcome")])
        self.assertEqual([entry.data.get("name") for entry in step.journal[:2]], ["a", "b"])
        self.assertEqual(self.table.names, ("a", "b"))

    def test_slots_that_are_missing(self) -> None:
        self.assertEqual(self.made((A,)).slots, (A, OPEN))
        self.assertEqual(self.made((A,)).names, ("a", "Unknown"))

    def test_any_slot_pauses(self) -> None:
        held = Slot("c", can_timeout=True, should_be_paused=True)
        for slots, paused in (((A, B), False), ((held, B), True), ((A, held), True), ((held,), True)):
            self.assertEqual(self.made(slots).is_paused, paused)
        self.assertTrue(self.made(paused=True).is_paused)

    def test_a_paused_start(self) -> None:
        self.table = self.made(paused=True)
        step = self.start()
        states = [(OBSERVERS, "Memento"), (0, "Memento"), (1, "Memento")]
        self.assertEqual(told(step), [(1, "Joined"), (0, "Welcome"), (1, "Welcome"), *states])
        self.assertEqual(kinds(step), [JOINED, JOINED, STARTED, DRAWN])
        self.assertIsNone(self.due)
        self.assertEqual([type(event) for event in self.table.observe()], [Memento])

    def test_an_opening(self) -> None:
        plies = [(CHANCE, "O -5,5 0,-5 5,-5"), (0, "S Q 0,0"), (1, "S a 1,0")]
        self.table = self.made((A, B), opening=plies)
        step = self.start()
        self.assertEqual(kinds(step), [JOINED, JOINED, STARTED, DRAWN, MOVE, MOVE])
        self.assertEqual(step.journal[-1].data, {"replayed": True})
        (state,) = {mail.event.state for mail in step.events if isinstance(mail.event, Memento)}
        self.assertIn('<lastMove class="setmove">\n          <piece owner="BLUE" type="ANT"/>', state)
        self.assertEqual(step.events[-1].seat, 0)

    def test_an_opening_without_moves(self) -> None:
        self.table = self.made((A, B), opening=[(CHANCE, "O -5,5 0,-5 5,-5")])
        (state,) = {mail.event.state for mail in self.start().events if isinstance(mail.event, Memento)}
        self.assertNotIn("lastMove", state)


class MoveTests(TableTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.start()

    def test_a_move(self) -> None:
        step = self.table.receive(0, sent(BEE), 0.5)
        self.assertEqual(told(step), [(OBSERVERS, "Memento"), (0, "Memento"), (1, "Memento"), (1, "MoveRequest")])
        (entry,) = step.journal
        self.assertEqual(entry, Entry(500, MOVE, 0, b"S Q 0,0", {"taken": 500}))
        self.assertEqual((step.outcome, step.closed, step.dropped), (None, False, ()))

    def test_its_echo_stands_in_the_memento(self) -> None:
        event = Arrived(Sent(BEE, "        <lastMove echo/>", ""), MESSAGE)
        memento = self.table.receive(0, event, 0.5).events[0].event
        assert isinstance(memento, Memento)
        self.assertIn("\n        <lastMove echo/>\n", memento.state)

    def test_a_hint_is_recorded(self) -> None:
        step = self.table.receive(0, Arrived(Sent(BEE, hint="why not"), MESSAGE), 0.5)
        self.assertEqual(step.journal[0].data, {"taken": 500, "hint": "why not"})

    def test_an_answer_before_the_request_has_left_has_taken_no_time(self) -> None:
        self.table = self.made()
        self.table.join("x", 0)
        self.table.join("y", 0)
        self.assertEqual(self.table.receive(0, sent(BEE), 5.0).journal[0].data, {})

    def test_an_illegal_move(self) -> None:
        step = self.table.receive(0, sent(SkipMove(), ""), 0.5)
        text = "Skipping a turn is only allowed when no other moves can be made"
        self.assertEqual(
            [mail.event for mail in step.events[:2]],
            [
                Refused("r", f"Ungueltiger Zug von 'Unknown'.\n{text}", None),
                Refused("r", text, None),
            ],
        )
        self.assertEqual(
            told(step)[2:],
            [(seat, name) for name in ("Result", "Left") for seat in (0, 1, OBSERVERS)] + [(0, "Closing")],
        )
        self.assertEqual(step.events[-1].event, Closing(kick=True))
        self.assertEqual(kinds(step), [LEFT, ENDED])
        self.assertEqual(dict(step.journal[0].data), {"why": "forfeit", "code": step.findings[0].code, "text": text})
        self.assertEqual((step.outcome, step.closed), (Outcome(Termination.FORFEIT, 1), True))
        self.assertEqual(self.table.expelled, {0: text})
        self.assertEqual(self.table.match.findings, list(step.findings))

    def test_the_finding_names_the_entry_that_shows_it(self) -> None:
        step = self.table.receive(0, sent(SkipMove()), 0.5)
        (finding,) = step.findings
        self.assertEqual((finding.entry, finding.seat), (4, 0))

    def test_no_move_object(self) -> None:
        step = self.table.receive(0, sent(None, ""), 0.5)
        text = "Unknown hat kein Zug-Objekt gesendet."
        self.assertEqual(step.events[1].event, Refused("r", text, None))
        self.assertEqual(step.findings[0].code, "no-move")

    def test_who_is_not_to_move_hears_nothing_after_its_goodbye(self) -> None:
        step = self.table.receive(1, sent(ANT), 0.5)
        self.assertEqual([mail.event for mail in step.events if mail.seat == 1][:2], [
            Refused("r", IN_2020.out_of_turn(("", ""), 0, ""), "<originalRequest/>"), Closing(kick=True),
        ])  # fmt: skip
        self.assertEqual(step.findings[0].code, "out-of-turn")
        self.assertEqual(step.outcome, Outcome(Termination.FORFEIT, 0))

    def test_a_second_move_in_one_packet_is_out_of_turn(self) -> None:
        self.table.receive(0, sent(BEE), 0.5)
        step = self.table.receive(0, sent(BEE), 0.5)
        self.assertEqual(step.outcome, Outcome(Termination.FORFEIT, 1))

    def test_a_move_that_was_not_requested(self) -> None:
        self.table.pause(0.1)
        self.table.receive(0, sent(BEE), 0.5)
        step = self.table.receive(1, sent(ANT), 0.6)
        self.assertEqual(step.events[0].event, Refused("r", IN_2020.unrequested(("", ""), 0), "<originalRequest/>"))
        self.assertEqual(step.findings[0].code, "not-requested")

    def test_what_is_no_move_of_the_game_at_all(self) -> None:
        step = self.table.receive(0, sent(SetMove("Q", 0, 5, 5, -10)), 0.5)
        self.assertEqual(
            [mail.event for mail in step.events[:2]],
            [Refused("r", "(5,5,-10) is off the board", None), Closing(kick=False)],
        )
        self.assertEqual(dict(step.journal[0].data), {"why": "removed", "text": "(5,5,-10) is off the board"})
        self.assertEqual(step.outcome, Outcome(Termination.REMOVED, 1))

    def test_nothing_is_taken_after_the_end(self) -> None:
        self.table.leave(0, Termination.LEFT, 0.5)
        for step in (
            self.table.receive(1, sent(ANT), 1),
            self.table.leave(1, Termination.LEFT, 1),
            self.table.tick(20),
            self.table.stop(Termination.SHUTDOWN, 1),
            self.table.step(1, forced=True),
            self.table.resume(1),
        ):
            self.assertEqual(step, Step())
        self.assertEqual(self.table.free, [])
        self.assertEqual(self.table.observe(), ())

    def test_other_events_are_the_receptions(self) -> None:
        self.assertEqual(self.table.receive(0, Started(), 0.5), Step())

    def test_nothing_is_forwarded_or_reviewed(self) -> None:
        self.assertFalse(self.table.forwards)
        self.assertEqual(self.table.review(), Step())


class ClockTests(TableTestCase):
    def test_it_starts_when_the_request_has_left(self) -> None:
        self.table.join("x", 0)
        self.table.join("y", 0)
        self.assertEqual(self.table.delivered(3.0), 13.0)
        self.assertIsNone(self.table.delivered(4.0))
        self.assertEqual(self.table.receive(0, sent(BEE), 5.0).journal[0].data, {"taken": 2000})

    def test_nothing_is_due_without_a_request(self) -> None:
        self.assertIsNone(self.table.delivered(1.0))
        self.assertEqual(self.table.tick(99), Step())
        self.start()
        self.table.pause(0)
        self.table.receive(0, sent(BEE), 1.0)
        self.assertIsNone(self.table.delivered(1.0))
        self.assertEqual(self.table.tick(99), Step())

    def test_a_tick_that_is_too_early(self) -> None:
        self.start()
        self.table.receive(0, sent(BEE), 1.0)
        self.table.delivered(1.5)
        self.assertEqual(self.table.tick(10.0), Step(wake_at=11.5))

    def test_the_hard_limit(self) -> None:
        self.start()
        self.assertEqual(self.table.overdue(10.0), (0,))
        step = self.table.tick(10.25)
        data = {"why": "time", "limit": "hard", "taken": 10_250, "gap": 250, "soft": 2000, "hard": 10_000}
        self.assertEqual(dict(step.journal[0].data), data)
        self.assertEqual(step.outcome, Outcome(Termination.TIME, 1))
        self.assertEqual(self.table.expelled, {})

    def test_a_late_answer(self) -> None:
        self.start()
        step = self.table.receive(0, sent(SkipMove()), 2.5)
        self.assertEqual(dict(step.journal[0].data)["limit"], "soft")
        # It is not looked at any more.
        self.assertEqual(step.findings, ())

    def test_an_answer_counts_from_its_arrival(self) -> None:
        for arrived, kind, data in (
            (2.0, MOVE, {"taken": 12_500, "gap": 10_500}),
            (2.1, LEFT, {"why": "time", "limit": "soft", "taken": 12_500, "gap": 10_400, "soft": 2000, "hard": 10_000}),
        ):
            self.table = self.made((A, B))
            self.start()
            (entry, *_) = self.table.receive(0, sent(BEE), 12.5, arrived).journal
            self.assertEqual((entry.kind, entry.at, entry.data), (kind, 12_500, data))

    def test_the_clock_does_not_run_while_the_request_is_unsent(self) -> None:
        self.table.join("x", 0)
        self.table.join("y", 0)
        self.assertIsNone(self.table.delivered(3.0, (0,)))
        self.assertEqual(self.table.tick(99.0), Step())
        self.assertEqual(self.table.delivered(100.0, (1,)), 110.0)

    def test_an_answer_to_an_unsent_request_starts_no_clock(self) -> None:
        self.table.join("x", 0)
        self.table.join("y", 0)
        self.assertIsNone(self.table.delivered(3.0, (0,)))
        self.table.pause(3.5)
        self.table.receive(0, sent(BEE), 4.0)
        self.assertIsNone(self.table.delivered(5.0))

    def test_a_slot_without_limits(self) -> None:
        self.table = self.made((Slot("a", can_timeout=False, should_be_paused=False), B))
        self.start()
        self.assertIsNone(self.due)
        self.assertEqual(self.table.tick(1e6), Step())
        self.assertEqual(self.table.receive(0, sent(BEE), 1e6).journal[0].data, {"taken": 1_000_000_000})
        self.assertEqual(self.table.delivered(1e6), 1e6 + 10)

    def test_switching_counts_from_the_next_request(self) -> None:
        self.start()
        self.table.set_timed(0, timed=False)
        self.table.set_timed(1, timed=False)
        self.table.receive(0, sent(BEE), 1.9)
        self.assertIsNone(self.table.delivered(2.0))
        self.table.set_timed(1, timed=True)
        self.assertEqual(self.table.tick(99.0), Step())


class EndTests(TableTestCase):
    def test_leaving_a_game(self) -> None:
        self.start()
        step = self.table.leave(1, Termination.LEFT, 0.5)
        self.assertEqual(told(step), [(seat, name) for name in ("Result", "Left") for seat in (0, 1, OBSERVERS)])
        result = step.events[0].event
        assert isinstance(result, Result)
        self.assertIn('cause="LEFT" reason="Der Spieler hat das Spiel verlassen"', result.body)
        self.assertEqual(kinds(step), [LEFT, ENDED])
        self.assertEqual((step.dropped, step.closed), ((0, 1), True))
        self.assertEqual(step.outcome, Outcome(Termination.LEFT, 0))
        self.assertEqual(self.finished, [(("Unknown", "Unknown"), (("2", "-1"), ("0", "-1")))])

    def test_why_is_written_down(self) -> None:
        self.start()
        step = self.table.leave(1, Termination.LIMIT, 0.5, "too long")
        self.assertEqual(dict(step.journal[0].data), {"why": "limit", "text": "too long"})

    def test_leaving_a_join_room_that_waits(self) -> None:
        self.table.join("x", 0)
        step = self.table.leave(0, Termination.LEFT, 0.5)
        self.assertEqual(told(step), [(0, "Left"), (1, "Left"), (OBSERVERS, "Left")])
        self.assertEqual((step.outcome, step.closed), (Outcome(Termination.LEFT), True))
        self.assertEqual(self.filled, ["filled"])
        self.assertEqual(self.finished, [])

    def test_leaving_a_prepared_room_that_waits(self) -> None:
        self.table = self.made((A, B))
        self.table.join("x", 0, 0)
        self.assertEqual(self.table.leave(0, Termination.LIMIT, 0.5), Step())
        self.assertEqual(self.table.free, [1])
        step = self.table.join("y", 0, 1)
        self.assertEqual(
            [name for seat, name in told(step) if seat == 1], ["Joined", "Welcome", "Memento", "Result", "Left"]
        )
        self.assertEqual(kinds(step), [JOINED, JOINED, STARTED, DRAWN, LEFT, ENDED])
        self.assertEqual(dict(step.journal[4].data), {"why": "limit"})
        self.assertEqual(step.outcome, Outcome(Termination.LIMIT, 1))
        self.assertEqual(self.finished, [(("a", "b"), (("0", "-1"), ("2", "-1")))])

    def test_leaving_a_prepared_room_that_waits_and_would_start_paused(self) -> None:
        self.table = self.made((A, B))
        self.table.pause(0)
        self.table.join("x", 0, 1)
        self.table.leave(1, Termination.LEFT, 0.5)
        step = self.table.join("y", 0, 0)
        self.assertEqual([name for seat, name in told(step) if seat == 0], ["Joined", "Welcome", "Result", "Left"])

    def test_moving_in_a_prepared_room_that_waits(self) -> None:
        self.table = self.made((A, B))
        self.table.join("x", 0, 0)
        step = self.table.receive(0, sent(BEE), 0.1)
        self.assertEqual(told(step), [(0, "Refused"), (0, "Closing")])
        # The reception empties the slot of who is expelled; that is not what its side loses by.
        self.table.leave(0, Termination.LEFT, 0.2)
        step = self.table.join("y", 0, 1)
        self.assertEqual(step.outcome, Outcome(Termination.FORFEIT, 1))

    def test_moving_in_a_join_room_that_waits(self) -> None:
        self.table.join("x", 0)
        step = self.table.receive(0, sent(BEE), 0.1)
        self.assertEqual(told(step)[:2], [(0, "Refused"), (0, "Closing")])
        self.assertEqual((step.outcome, step.closed), (Outcome(Termination.FORFEIT), True))

    def test_stopping(self) -> None:
        for why in (Termination.SHUTDOWN, Termination.CANCELLED, Termination.SERVER_FAULT, Termination.IDLE):
            self.table = self.made()
            self.start()
            step = self.table.stop(why, 0.5)
            self.assertEqual(told(step), [(0, "Left"), (1, "Left"), (OBSERVERS, "Left")])
            self.assertEqual([mail.event for mail in step.events], [Left("r")] * 3)
            self.assertEqual((kinds(step), step.outcome, step.closed), ([ENDED], Outcome(why), True))
        self.assertEqual(self.finished, [])


class HeldTests(TableTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.table = self.made((A, B), paused=True)
        self.start()
        self.states = [(OBSERVERS, "Memento"), (0, "Memento"), (1, "Memento")]

    def test_a_step_asks_for_one_move(self) -> None:
        self.assertEqual(told(self.table.step(1.0)), [*self.states, (0, "MoveRequest")])
        self.assertEqual(self.table.delivered(1.0), 11.0)
        self.assertEqual(told(self.table.receive(0, sent(BEE), 1.5)), [])
        self.assertEqual(told(self.table.step(2.0)), [*self.states, (1, "MoveRequest")])

    def test_going_on(self) -> None:
        self.assertEqual(told(self.table.resume(1.0)), [*self.states, (0, "MoveRequest")])
        self.assertEqual(self.table.resume(1.0), Step())
        self.assertEqual(self.table.step(1.0), Step())

    def test_one_request_and_its_one_clock(self) -> None:
        self.table.step(1.0)
        self.table.delivered(1.0)
        for step in (self.table.step(1.5), self.table.resume(2.0)):
            self.assertEqual(told(step), self.states)
            self.assertIsNone(self.table.delivered(2.5))
        self.assertEqual(self.table.receive(0, sent(BEE), 2.9).journal[0].data, {"taken": 1900})

    def test_a_forced_step_before_the_start(self) -> None:
        for paused in (True, False):
            self.table = self.made((A, B), paused=paused)
            self.assertEqual(self.table.step(1.0, forced=True), Step())
            self.table.join("y", 0, 1)
            self.assertEqual(self.table.step(1.0), Step())
            step = self.table.step(1.0, forced=True)
            welcome = [(1, "Joined"), (0, "Welcome"), (1, "Welcome")]
            self.assertEqual(told(step), [*welcome, *self.states, (0, "MoveRequest")])
            self.assertEqual(self.table.free, [])
            self.assertEqual(self.table.is_paused, paused)

    def test_a_forced_step_of_a_join_room(self) -> None:
        self.table = self.made()
        self.table.join("x", 0)
        self.assertEqual(told(self.table.step(1.0, forced=True))[0], (0, "Welcome"))


class RestoreTests(TableTestCase):
    def entries(self) -> list[Entry]:
        """Return the journal of a game that ended by an illegal move."""
        step = self.start()
        entries = [*step.journal, *self.table.receive(0, sent(BEE), 0.5).journal]
        return [*entries, *self.table.receive(1, sent(SkipMove()), 0.9).journal]

    def test_a_history_leads_to_the_same(self) -> None:
        entries = self.entries()
        match = Match(SEASON.game, {}, Random, 0.0)
        again = SeasonTable(SEASON, {}, match, Limits())
        for entry in entries:
            again.restore(entry)
        self.assertEqual(again.state, self.table.state)
        self.assertEqual(again.match.findings, self.table.match.findings)
        self.assertEqual(again.match.names, {0: "", 1: ""})
