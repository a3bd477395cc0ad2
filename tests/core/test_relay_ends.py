"""A relayed game whose end only the position shows."""

# ruff: noqa: ARG002 (the interface of RelayedGame)

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove
from gamed.core.events import Moved
from gamed.core.game import Outcome, Seat, Termination
from gamed.core.history import ENDED, LINE, STARTED, Entry, History
from gamed.core.refusals import Refusal
from gamed.core.relay import Relay, RelaySettings
from gamed.core.table import Addressed, Step, replay
from gamed.games.battleship.rules import Battleship

OPTIONS = {"roles": "first-defends", "referee": "observe", "corner_contact": True}


class Nim(Battleship):
    """A heap of so many stones: a line takes one to three of them. Nothing but the heap tells who took the last."""

    def setup(self, options: object) -> tuple[int, Seat]:
        return 5, 0

    def to_move(self, state: tuple[int, Seat]) -> frozenset[Seat]:
        return frozenset({state[1]} if state[0] else ())

    def apply(self, state: tuple[int, Seat], seat: Seat, move: int) -> tuple[int, Seat]:
        if seat not in self.to_move(state) or not 1 <= move <= min(3, state[0]):
            raise IllegalMove("not now", code="illegal")
        return state[0] - move, 1 - seat

    def outcome(self, state: tuple[int, Seat]) -> Outcome | None:
        return None if state[0] else Outcome(Termination.VICTORY, 1 - state[1])

    def decode(self, body: bytes) -> int | None:
        return int(body) if body.isdigit() else None

    def plain(self, body: bytes) -> bytes:
        return body

    def follow(self, state: tuple[int, Seat], lines: object) -> None:
        return None

    def ends(self, body: bytes, seat: Seat) -> None:
        return None

    def pardon(self, state: tuple[int, Seat], *_: object) -> tuple[int, Seat]:
        return state

    def mistake(self, state: tuple[int, Seat], seat: Seat, body: bytes, error: Exception) -> Refusal:
        return Refusal("illegal", str(error))


class EndByPositionTests(SynchronousTestCase):
    """A game whose lines do not tell that it is over: only the position after them does."""

    def relay(self, *, enforce: bool = False) -> Relay:
        table = Relay(Nim(), {}, RelaySettings(enforce=enforce), lambda _draw: Random(1), 100.0)
        table.join("a", 100.0)
        table.join("b", 101.0)
        return table

    def played(self, table: Relay, *bodies: bytes) -> list[Step]:
        return [table.receive(n % 2, Moved(body), 102.0 + n) for n, body in enumerate(bodies)]

    def test_a_referee_that_enforces_ends_the_match_with_the_line(self) -> None:
        *before, step = self.played(self.relay(enforce=True), b"3", b"2")
        self.assertEqual([one.outcome for one in before], [None])
        self.assertEqual(step.events, (Addressed(0, Moved(b"2")),))
        self.assertEqual((step.outcome, step.closed), (Outcome(Termination.VICTORY, 1), True))
        self.assertEqual([entry.kind for entry in step.journal], [LINE, ENDED])

    def test_one_that_observes_ends_it_with_the_review(self) -> None:
        table = self.relay()
        self.assertEqual([step.outcome for step in self.played(table, b"3", b"2")], [None, None])
        step = table.review()
        self.assertEqual((step.outcome, step.dropped, step.closed), (Outcome(Termination.VICTORY, 1), (0, 1), True))
        self.assertEqual([(entry.kind, entry.at) for entry in step.journal], [(ENDED, 3000)])
        self.assertEqual(table.review(), Step())

    def test_lines_that_cross_with_the_last_one_break_no_rule(self) -> None:
        table = self.relay()
        steps = self.played(table, b"3", b"2", b"1")
        history = History("room", "nim", "2026-11-21T09:00:00.000Z", 1)
        history.entries = [Entry(0, STARTED), *(entry for step in steps for entry in step.journal)]
        history.entries += table.review().journal
        self.assertEqual(table.match.findings, [])
        again = Relay(Nim(), {}, RelaySettings(), lambda _draw: Random(1), 100.0)
        self.assertEqual(len(list(replay(again, history))), 5)
        self.assertEqual((again.state, again.match.findings, again.outcome), (table.state, [], table.outcome))

    def test_who_leaves_after_the_end_has_not_lost_by_it(self) -> None:
        table = self.relay()
        self.played(table, b"3", b"2")
        step = table.leave(1, Termination.LEFT, 103.1)
        self.assertEqual(step.outcome, Outcome(Termination.VICTORY, 1))

    def test_nor_does_silence_decide_then(self) -> None:
        table = self.relay()
        self.played(table, b"3", b"2")
        self.assertEqual(table.tick(10_000.0).outcome, Outcome(Termination.VICTORY, 1))
