"""What tables that play by the rules have in common, with a game that is small enough to see through."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from attrs import evolve, frozen
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.core.game import CHANCE, Options, Outcome, Seat, Termination
from gamed.core.history import DRAWN, ENDED, JOINED, LEFT, MOVE, STARTED, History
from gamed.core.lots import Seeded
from gamed.core.match import FINDINGS_KEPT, Match, opening

ROOM = "6f0c1f0e-7c7e-4c1b-9d5e-2f6d3a1b4c5d"
STARTED_AT = "2026-11-21T09:00:00.000Z"


@frozen
class State:
    """A heap of matches, 0 before chance has made it; who is to take some."""

    heap: int
    seat: Seat
    draws: int = 1


class Nim:
    """Chance makes a heap; who takes the last match wins; one to three are taken."""

    def setup(self, options: Options) -> State:
        return State(0, 0, int(options.get("draws", 1)))

    def to_move(self, state: State) -> frozenset[Seat]:
        return frozenset({CHANCE if state.draws else state.seat}) if state.draws or state.heap else frozenset()

    def legal_moves(self, state: State, seat: Seat) -> Iterable[int]:
        return range(1, min(3, state.heap) + 1) if seat in self.to_move(state) else ()

    def apply(self, state: State, seat: Seat, move: int) -> State:
        if seat not in self.to_move(state):
            raise NotYourTurn("it is the other's turn")
        if seat == CHANCE:
            return evolve(state, heap=state.heap + move, draws=state.draws - 1)
        if move not in self.legal_moves(state, seat):
            raise IllegalMove("one to three matches are taken", code="too-many")
        return self.follow(state, seat, move)

    def follow(self, state: State, seat: Seat, move: int) -> State:
        return evolve(state, heap=max(0, state.heap - move), seat=1 - seat)

    def draw(self, _state: State, random: Random) -> int:
        return random.randrange(5, 9)

    def outcome(self, state: State) -> Outcome | None:
        return None if self.to_move(state) else Outcome(Termination.VICTORY, 1 - state.seat)

    def to_notation(self, move: int) -> str:
        return f"takes {move}"

    def parse(self, text: str) -> int:
        if not text.startswith("takes "):
            raise InvalidMove(text)
        return int(text.removeprefix("takes "))


class MatchTests(SynchronousTestCase):
    def match(self, *, enforce: bool = True, **options: int) -> Match:
        return Match(Nim(), options, lambda _draw: Random(1), 100.0, enforce=enforce)

    def started(self, **options: int) -> tuple[Match, History]:
        match = self.match(**options)
        history = History(ROOM, "nim", STARTED_AT, 1, options)
        history.entries += [match.seat(seat, name, 100.5) for seat, name in enumerate("ab")]
        history.entries += match.start(101.0)
        return match, history

    def test_it_starts_with_what_chance_draws(self) -> None:
        match, history = self.started(draws=2)
        self.assertEqual([entry.kind for entry in history.entries], [JOINED, JOINED, STARTED, DRAWN, DRAWN])
        self.assertEqual([entry.at for entry in history.entries], [500, 500, 1000, 1000, 1000])
        drawn = [int((entry.body or b"").decode().removeprefix("takes ")) for entry in history.of_kind(DRAWN)]
        self.assertEqual(match.state.heap, sum(drawn))
        self.assertEqual((match.names, match.is_started), ({0: "a", 1: "b"}, True))

    def test_each_draw_has_its_own_generator(self) -> None:
        made: list[int] = []

        def make(draw: int) -> Random:
            made.append(draw)
            return Random(draw)

        Match(Nim(), {"draws": 3}, make, 0.0).start(0.0)
        self.assertEqual(made, [0, 1, 2])

    def test_a_restored_match_goes_on_with_the_lots_it_would_have_had(self) -> None:
        options = {"draws": 3}
        whole = Match(Nim(), options, Seeded(5), 0.0)
        entries = whole.start(0.0)
        for known in range(1, len(entries)):
            again = Match(Nim(), options, Seeded(5), 0.0)
            for entry in entries[:known]:
                again.restore(entry)
            self.assertEqual((*entries[:known], *again.draw(0.0)), entries)
        self.assertGreater(len({entry.body for entry in entries}), 2)

    def test_a_move_is_applied_and_noted(self) -> None:
        match, _ = self.started()
        heap = match.state.heap
        (entry,) = match.play(0, 3, 102.25, {"taken": 1250})
        self.assertEqual((entry.kind, entry.seat, entry.body, entry.at), (MOVE, 0, b"takes 3", 2250))
        self.assertEqual(entry.data, {"taken": 1250})
        self.assertEqual((match.state.heap, match.state.seat), (heap - 3, 1))

    def test_an_illegal_move_changes_nothing(self) -> None:
        match, _ = self.started()
        before = (match.state, match.entries)
        self.assertRaises(IllegalMove, match.play, 0, 4, 102.0)
        self.assertRaises(NotYourTurn, match.play, 1, 1, 102.0)
        self.assertEqual((match.state, match.entries, match.findings), (*before, []))

    def test_where_nothing_is_enforced_it_stands_and_is_found(self) -> None:
        match = self.match(enforce=False)
        match.start(0.0)
        number = match.entries
        (entry,) = match.play(0, 4, 102.0)
        self.assertEqual(entry.body, b"takes 4")
        (finding,) = match.findings
        self.assertEqual((finding.code, finding.seat, finding.entry), ("too-many", 0, number))
        self.assertEqual(match.state.seat, 1)

    def test_findings_are_not_kept_without_end(self) -> None:
        match = self.match(enforce=False)
        match.start(0.0)
        for _ in range(FINDINGS_KEPT + 20):
            match.state = State(50, 0, 0)
            match.play(0, 9, 1.0)
        self.assertEqual(len(match.findings), FINDINGS_KEPT)

    def test_leaving_and_ending_are_noted(self) -> None:
        match, _ = self.started()
        gone = match.left(1, Termination.TIME, 103.0, {"taken": 2100})
        self.assertEqual((gone.kind, gone.seat, gone.data), (LEFT, 1, {"why": "time", "taken": 2100}))
        last = match.end(Outcome(Termination.TIME, 0), 103.0)
        self.assertEqual((last.kind, last.at, last.data), (ENDED, 3000, {"termination": "time", "winner": 0}))
        self.assertEqual(match.outcome, Outcome(Termination.TIME, 0))

    def test_a_restored_match_stands_where_it_stood(self) -> None:
        for enforce in (True, False):
            match = self.match(enforce=enforce, draws=2)
            entries = [match.seat(0, "a", 0.0), *match.start(0.0), *match.play(0, 2, 1.0), *match.play(1, 1, 2.0)]
            if not enforce:
                entries += match.play(0, 7, 3.0)
            again = self.match(enforce=enforce, draws=2)
            for entry in entries:
                again.restore(entry)
            self.assertEqual((again.state, again.names, again.findings), (match.state, match.names, match.findings))
            self.assertEqual((again.entries, again.is_started), (match.entries, True))

    def test_a_match_can_begin_where_another_one_stood(self) -> None:
        match, history = self.started()
        history.entries += [*match.play(0, 3, 1.0), *match.play(1, 1, 2.0)]
        for moves, heap in ((0, match.state.heap + 4), (1, match.state.heap + 1), (2, match.state.heap), (None, None)):
            again = self.match()
            entries = again.start(0.0, opening(history, moves))
            self.assertEqual(again.state.heap, match.state.heap if heap is None else heap)
            self.assertEqual([entry.kind for entry in entries][:2], [STARTED, DRAWN])
            self.assertTrue(all(entry.data == {"replayed": True} for entry in entries if entry.kind == MOVE))
            restored = self.match()
            for entry in entries:
                restored.restore(entry)
            self.assertEqual(restored.state, again.state)

    def test_an_opening_that_is_illegal_is_refused(self) -> None:
        self.assertRaises(IllegalMove, self.match().start, 0.0, [(CHANCE, "takes 5"), (0, "takes 4")])
        self.assertRaises(InvalidMove, self.match().start, 0.0, [(CHANCE, "five")])
