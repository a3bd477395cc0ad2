"""Positions and moves of gamed's own records, with a game made for it: who draws higher."""

from __future__ import annotations

from typing import Any

from attrs import define, evolve, field, frozen
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove
from gamed.core.game import CHANCE, Outcome, Termination
from gamed.core.history import DRAWN, ENDED, JOINED, LEFT, LINE, MOVE, STARTED, Entry, History, ended
from gamed.records.positions import LONGEST, Replayed, moves, numbers


@frozen
class Sums:
    """A position: what each seat has, and what chance has drawn."""

    sums: tuple[int, int] = (0, 0)
    card: int = 0
    mover: int = CHANCE


class Game:
    """Chance draws a card, then a seat takes it; taking 13 is illegal."""

    def to_move(self, state: Sums) -> frozenset[int]:
        return frozenset({state.mover})

    def view(self, state: Sums, seat: int | None) -> Any:
        return {"sums": list(state.sums), "card": state.card if seat is not None else None}


@define
class Table:
    """The table of that game."""

    game: Game = field(factory=Game)
    state: Sums = field(factory=Sums)
    outcome: Outcome | None = None

    def restore(self, entry: Entry) -> None:
        if entry.kind == DRAWN:
            self.state = evolve(self.state, card=int(entry.body or b"0"), mover=1 if self.state.sums[0] else 0)
        elif entry.kind == MOVE:
            if self.state.card == 13:
                raise IllegalMove("thirteen", code="unlucky")
            sums = [one + self.state.card * (seat == entry.seat) for seat, one in enumerate(self.state.sums)]
            self.state = evolve(self.state, sums=(sums[0], sums[1]), mover=CHANCE)
        elif entry.kind == LEFT:
            self.state = evolve(self.state, mover=CHANCE)


def history(*entries: Entry) -> History:
    """Return a history: two join, it starts after a second, then these entries."""
    joined = [Entry(0, JOINED, seat, data={"name": f"{seat}"}) for seat in (0, 1)]
    return History("r", "sums", "2026-11-21T09:00:00.000Z", 0, {}, [*joined, Entry(1_000, STARTED), *entries])


def drawn(at: int, card: int) -> Entry:
    return Entry(at, DRAWN, body=str(card).encode())


WHOLE = history(
    drawn(1_000, 5),
    Entry(1_250, MOVE, 0, b"take"),
    drawn(1_300, 7),
    Entry(2_000, MOVE, 1, b"take \xff"),
    drawn(2_000, 2),
    Entry(2_500, LEFT, 0, data={"why": "left"}),
    ended(2_500, Outcome(Termination.LEFT, 1)),
)


def replayed(of: History) -> Replayed:
    made = Replayed(Table(), of)  # type: ignore[arg-type]
    for _ in made.played():
        pass
    return made


class PositionTests(SynchronousTestCase):
    def test_what_chance_drew_stands_before_the_next_move(self) -> None:
        made = replayed(WHOLE)
        self.assertEqual([state.card for state in made.states], [5, 7, 2])
        self.assertEqual([state.sums for state in made.states], [(0, 0), (5, 0), (5, 7)])

    def test_a_position(self) -> None:
        made = replayed(WHOLE)
        self.assertEqual(made.position(1), {
            "n": 1, "board": {"sums": [5, 0], "card": None}, "turn": [1], "phase": "play", "last": made.moves[0],
        })  # fmt: skip
        self.assertEqual(made.position(0)["last"], None)

    def test_the_last_one_is_that_at_the_end(self) -> None:
        last = replayed(WHOLE).position(2)
        self.assertEqual((last["phase"], last["turn"], last["board"]["sums"]), ("over", [], [5, 7]))
        self.assertRaises(IndexError, replayed(WHOLE).position, 3)

    def test_chance_is_nobodys_turn(self) -> None:
        (start,) = replayed(history(Entry(1_100, LEFT, 0), Entry(1_200, MOVE, 0, b"take"))).states[:1]
        self.assertEqual(start.mover, CHANCE)
        self.assertEqual(replayed(history(Entry(1_200, MOVE, 0, b"take"))).position(0)["turn"], [])

    def test_it_is_done_step_by_step(self) -> None:
        self.assertEqual(sum(1 for _ in Replayed(Table(), WHOLE).played()), len(WHOLE.entries))  # type: ignore[arg-type]

    def test_what_the_rules_refuse_ends_the_positions_but_not_the_moves(self) -> None:
        made = replayed(history(drawn(1_000, 5), Entry(1_250, MOVE, 0, b"a"), drawn(1_300, 13),
                                Entry(1_400, MOVE, 1, b"b"), Entry(1_500, MOVE, 0, b"c")))  # fmt: skip
        self.assertEqual((len(made.states), len(made.moves)), (2, 3))
        self.assertEqual(self.assertRaises(IllegalMove, made.position, 2).code, "unlucky")
        self.assertEqual(self.assertRaises(IllegalMove, made.position, 3).code, "unlucky")


class MoveTests(SynchronousTestCase):
    def test_times(self) -> None:
        first, second = replayed(WHOLE).moves
        self.assertEqual((first["at"], first["took"]), (250, 250))
        # It was asked when chance had drawn.
        self.assertEqual((second["at"], second["took"]), (1_000, 700))

    def test_a_move_that_nobody_was_asked_for_took_nothing_known(self) -> None:
        (move,) = replayed(history(Entry(1_200, MOVE, 1, b"x"))).moves
        self.assertIsNone(move["took"])

    def test_a_clock_of_the_games_own_knows_better(self) -> None:
        (move,) = replayed(history(drawn(1_000, 5), Entry(1_200, MOVE, 0, b"x", {"taken": 150}))).moves
        self.assertEqual(move["took"], 150)

    def test_a_long_line_is_cut(self) -> None:
        self.assertEqual(moves(history(Entry(1_200, LINE, 0, b"x" * 4_000)))[0]["text"], "x" * LONGEST)

    def test_bytes_that_are_no_text(self) -> None:
        self.assertEqual([move["text"] for move in moves(WHOLE)], ["take", "take \\xff"])
        self.assertEqual(moves(history(Entry(1_200, MOVE, 1)))[0]["text"], "")

    def test_before_a_start_time_does_not_run(self) -> None:
        early = evolve(WHOLE, entries=[Entry(5, MOVE, 0, b"x"), *WHOLE.entries])
        self.assertEqual(moves(early)[0]["at"], 0)

    def test_numbers_of_entries(self) -> None:
        self.assertEqual(numbers(WHOLE), [None, None, None, None, 1, None, 2, None, None, None])
        self.assertEqual(numbers(history(Entry(0, LINE, 0, b"x")))[-1], 1)
        self.assertEqual(WHOLE.entries[-1].kind, ENDED)
