"""Positions and moves of gamed's own records, with a game made for it: who draws higher."""

from __future__ import annotations

from typing import Any

from attrs import define, evolve, field, frozen
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove
from gamed.core.findings import Finding
from gamed.core.game import CHANCE, Outcome, Termination
from gamed.core.history import ATTESTED, DRAWN, JOINED, LEFT, LINE, MOVE, REFUSED, STARTED, Entry, History, Value, ended
from gamed.records.positions import LONGEST, Replayed, departures, findings, losses, moves, refusals


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


class NotedTests(SynchronousTestCase):
    """What is noted of a game: who did it, and after how many moves."""

    JOINS = tuple(Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(("Ann", "Bob")))
    MADE = (Entry(1_100, MOVE, 0, b"x"), Entry(1_200, MOVE, 1, b"y"))

    def game(self, *last: Entry) -> History:
        return evolve(WHOLE, entries=[*self.JOINS, Entry(1_000, STARTED), *self.MADE, *last])

    def test_findings(self) -> None:
        left = Entry(1_300, LEFT, 1, data={"why": "removed"})
        one, other = findings(self.game(left), [Finding("odd", 1, 4, "that was odd"), Finding("violations", 1, 5, "5")])
        self.assertEqual(one, {"seat": 1, "name": "Bob", "code": "odd", "entry": 4, "text": "that was odd", "move": 2})
        # No move of the record shows it: it came after both.
        self.assertEqual((other["name"], other["move"]), ("Bob", 2))

    def test_departures(self) -> None:
        numbers: dict[str, Value] = {"taken": 3_204, "gap": 4, "soft": 2_000, "hard": 10_000}
        first = Entry(4_404, LEFT, 1, data={"why": "time", "limit": "soft", **numbers})
        place = {"seat": 1, "name": "Bob", "move": 2, "at": 3_404}
        self.assertEqual(
            departures(self.game(first)), [{**place, "why": "time", "taken": 3_204, "gap": 4, "limit": 2_000}]
        )
        second = Entry(4_404, LEFT, 1, data={"why": "time", "limit": 60_000, "taken": 60_003, "gap": 3, "steps": 5})
        self.assertEqual(departures(self.game(second))[0]["limit"], 60_000)
        third = Entry(4_404, LEFT, 1, data={"why": "forfeit", "code": "skip", "text": "no"})
        self.assertEqual(departures(self.game(third)), [{**place, "why": "forfeit", "code": "skip", "text": "no"}])

    def test_what_became_of_the_program_of_who_has_left(self) -> None:
        left, word = Entry(4_404, LEFT, 1, data={"why": "left"}), {"status": -11, "cpu": 80, "memory": 9_100}
        game = evolve(self.game(left), attested=(Entry(4_403, ATTESTED, 1, data=word),))
        place = {"seat": 1, "name": "Bob", "move": 2, "at": 3_404}
        self.assertEqual(departures(game), [{**place, "why": "left", "program": word}])
        self.assertEqual(losses(game), [])
        over = evolve(game, entries=[*game.entries, ended(4_404, Outcome(Termination.LEFT, 0))])
        self.assertEqual(losses(over), [{"seat": 1, "name": "Bob", "cause": "crashed"}])

    def test_a_departure_without_its_numbers(self) -> None:
        # As a replay file has it.
        (found,) = departures(self.game(Entry(4_404, LEFT, 1, data={"why": "time", "limit": "soft"})))
        self.assertEqual(found, {"seat": 1, "name": "Bob", "move": 2, "at": 3_404, "why": "time"})

    def test_refusals_as_another_program_may_write_them(self) -> None:
        rough = Entry(1_250, REFUSED, 0, data={"code": "odd", "reason": 5, "expected": True})
        counted = Entry(1_300, REFUSED, 0, data={"code": "odd", "count": "+3"})
        (row,) = refusals(evolve(self.game(), refused=(rough, counted)))
        self.assertEqual((row["reason"], row["count"]), ("5", 4))
        self.assertEqual(row["messages"], [{"text": "", "expected": "True", "at": 250, "move": 0}])

    def test_a_message_before_the_first_move_has_a_number_too(self) -> None:
        (row,) = refusals(evolve(self.game(), refused=(Entry(1_250, REFUSED, 0, data={"code": "odd", "entry": 1}),)))
        self.assertEqual([type(message["move"]) for message in row["messages"]], [int])

    def test_each_reason_is_told_once(self) -> None:
        data: dict[str, Value] = {"code": "odd", "reason": "one; it is odd", "entry": 4}
        refused = tuple(Entry(1_150, REFUSED, 0, b"7", data) for _ in range(3))
        (row,) = refusals(evolve(self.game(), refused=refused))
        self.assertEqual((row["reason"], row["count"], len(row["messages"])), ("one; it is odd", 3, 3))
        self.assertEqual(set(row), {"seat", "name", "code", "reason", "count", "messages"})

    def test_refusals(self) -> None:
        said: dict[str, Value] = {"code": "odd", "expected": "even"}
        refused = (
            Entry(1_150, REFUSED, 0, b"7", {**said, "reason": "7 is odd", "entry": 4}),
            Entry(1_250, REFUSED, 0, b"9", {**said, "reason": "9 is odd", "entry": 5}),
            Entry(1_300, REFUSED, 0, data={"code": "odd", "count": 3}),
        )
        (row,) = refusals(evolve(self.game(), refused=refused))
        self.assertEqual((row["name"], row["count"], row["reason"]), ("Ann", 5, "7 is odd; 9 is odd"))
        places = [(message["text"], message["move"], message["at"]) for message in row["messages"]]
        self.assertEqual(places, [("7", 1, 150), ("9", 2, 250)])
