"""Any order of joins, votes, moves, junk, resets and leaves: a small model of part C says what every world hears.

The model knows nothing of gamed's tables: it is docs/reference/quoridor.md#states-of-a-table with a list of worlds.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from attrs import define, field
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.table import replay
from gamed.games.quoridor import game_type
from gamed.records.index import validate
from gamed.records.own import judgement, to_history
from gamed.records.record import document
from tests.games.quoridor.worlds import World, newcomer, universe

JUNK = ("hello", "()", "17", '"play"', "(hello)", "(move)", "(move teapot 1 2)", '(move player "a" "b")', "#;x",
        "(move wall 1 1)", "(move player 4.5 1)", "(move wall 1 1 diagonal)", "#(play)", "(a . b)", "(move player 9 1)",
        "(OKAY)", "(REGISTER ((name x)))", "; play", "#\\a")  # fmt: skip
BROKEN = (")", "(]", "#<x>", "(play . )", "#true1", '"\\q"')
STANDS = {
    "wait-for-players": "in the lobby",
    "wait-or-play": "asked",
    "voted": "has voted",
    "rejected": "rejected",
    "start2play": "to move",
    "start4play": "to move",
    "play": "to move",
    "start2wait": "waits",
    "start4wait": "waits",
    "wait": "waits",
    "won": "has won",
    "lost": "has lost",
    "disconnect": "game over",
}
"""What a world knows from the last mail."""

Told = list[tuple[int, str]]


@define
class Model:
    """One table: `worlds` is the original's list of pairs of a world and its id."""

    worlds: list[tuple[int, int]] = field(factory=list)
    status: str = "wait"
    winner: int = 0
    games: int = 0

    @property
    def is_on(self) -> bool:
        return self.status == "2players" or (self.status == "4players" and len(self.worlds) == 4)

    @property
    def takes(self) -> bool:
        return (self.status == "wait") or (self.status == "4players" and len(self.worlds) < 4)

    def all(self, mail: str) -> Told:
        return [(world, mail) for world, _ in self.worlds]

    def join(self, world: int) -> Told:
        self.worlds.append((world, len(self.worlds) + 1))
        if len(self.worlds) == 1:
            return self.all("(wait-for-players 0 ())")
        if len(self.worlds) == 2:
            self.status = "2p?"
            return self.all("(wait-or-play 0 ())")
        if len(self.worlds) == 3:
            return self.all("(wait-for-players 0 ())")
        return self.start(4)

    def start(self, count: int) -> Told:
        self.status = f"{count}players"
        self.games += 1
        (first, number), *others = self.worlds
        waits = [(world, f"(start{count}wait {number} ())") for world, _ in others]
        return [*waits, (first, f"(start{count}play {number} ())")]

    def vote(self, world: int, word: str) -> Told:
        number = dict(self.worlds)[world]
        waiting = {"2pw1a": 1, "2pw2a": 2}.get(self.status)
        if (self.status != "2p?" and waiting is None) or number == waiting:
            return []
        if word == "play":
            return self.start(2)
        if waiting is None:
            self.status = f"2pw{number}a"
            return [(world, "(voted 0 ())")]
        self.status = "4players"
        return self.all("(wait-for-players 0 ())")

    def move(self, world: int, kind: str, x: float, y: float, told: str) -> Told:
        if not self.is_on or self.worlds[0][0] != world:
            return []
        number = self.worlds[0][1]
        goal = {1: (y, 8), 2: (y, 0), 3: (x, 8), 4: (x, 0)}[number]
        mover, follower, *others = self.worlds
        self.worlds = [*self.worlds[1:], mover]
        if kind == "player" and goal[0] == goal[1]:
            self.status, self.winner = "finished", world
            lost = [(other, f"(lost {number} {told})") for other, _ in (follower, *others)]
            won = [(world, f"(won {number} {told})")]
            return won + lost if len(self.worlds) == 2 else lost + won
        waits = [(other, f"(wait {number} {told})") for other, _ in (mover, *others)]
        return [*waits, (follower[0], f"(play {number} {told})")]

    def reset(self) -> Told:
        return self.start(len(self.worlds)) if self.status == "finished" else []

    def leave(self, world: int) -> Told:
        number = dict(self.worlds)[world]
        return [(other, f"(disconnect {number} (wall 4 4 horizontal))") for other, _ in self.worlds if other != world]

    def stands(self, world: int) -> str:
        """Return where a world stands."""
        number = dict(self.worlds)[world]
        if self.is_on:
            return "to move" if self.worlds[0][0] == world else "waits"
        if self.status == "finished":
            return "has won" if self.winner == world else "has lost"
        if self.status.startswith("2p"):
            return "has voted" if self.status == f"2pw{number}a" else "asked"
        return "in the lobby"


class UniverseMachine(RuleBasedStateMachine):
    """gamed and the model side by side. Worlds are numbered in the order of their coming."""

    @initialize(tables=st.sampled_from([1, 1, 2, 0]))
    def open(self, tables: int) -> None:
        self.harness = universe(tables=tables)
        self.tables = tables
        self.models: list[Model] = []
        self.games = 0
        self.at: dict[int, Model] = {}
        self.alive: dict[int, World] = {}
        self.heard: dict[int, list[str]] = {}
        self.over: set[int] = set()
        self.count = 0

    def tell(self, told: Told) -> None:
        """Compare what all worlds have heard with what the model tells them."""
        expected: dict[int, list[str]] = {}
        for world, mail in told:
            expected.setdefault(world, []).append(mail)
        for number, world in self.alive.items():
            new = world.heard
            assert new == expected.get(number, []), (number, new, told)
            self.heard[number] += new

    def some(self, data: Any) -> int:
        return data.draw(st.sampled_from(sorted(self.alive)), label="world")

    def seated(self, data: Any) -> int:
        return data.draw(st.sampled_from(sorted(self.at)), label="world")

    @rule()
    def joins(self) -> None:
        self.count += 1
        number = self.count
        self.alive[number], self.heard[number] = newcomer(self.harness), []
        model = next((model for model in self.models if model.takes), None)
        if model is None and self.tables and len(self.models) >= self.tables:
            self.tell([(number, "(rejected 0 ())")])
            assert self.alive.pop(number).wire.is_closed
            return
        if model is None:
            model = Model()
            self.models.append(model)
        self.at[number] = model
        self.tell(model.join(number))

    def says(self, number: int, message: str, model: Any) -> None:
        """Have a world say something, and the model do what it does then, if the world is at a table."""
        self.alive[number].says(message)
        self.tell(model(self.at[number]) if number in self.at else [])

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), word=st.sampled_from(["play", "wait"]), rest=st.sampled_from(["", " wall 0 0"]))
    def votes(self, data: Any, word: str, rest: str) -> None:
        number = self.some(data)
        self.says(number, f"({word}{rest})", lambda model: model.vote(number, word))

    @precondition(lambda self: self.at)
    @rule(data=st.data(), word=st.sampled_from(["play", "wait", "wait"]), backwards=st.booleans())
    def all_vote(self, data: Any, word: str, backwards: bool) -> None:
        for number, _ in self.at[self.seated(data)].worlds[:: -1 if backwards else 1]:
            self.says(number, f"({word})", lambda model, number=number: model.vote(number, word))

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), x=st.integers(0, 8), y=st.integers(0, 8), form=st.sampled_from(["{}", "{}.0"]),
          wall=st.sampled_from(["", "", "horizontal", "vertical"]))  # fmt: skip
    def moves(self, data: Any, x: int, y: int, form: str, wall: str) -> None:
        self.place(self.some(data), x, y, form, wall)

    @precondition(lambda self: any(model.is_on for model in self.models))
    @rule(
        data=st.data(), x=st.integers(0, 8), y=st.integers(0, 8), wall=st.sampled_from(["", "horizontal", "vertical"])
    )
    def moves_in_turn(self, data: Any, x: int, y: int, wall: str) -> None:
        model = data.draw(st.sampled_from([model for model in self.models if model.is_on]), label="table")
        self.place(model.worlds[0][0], x, y, "{}.0", wall)

    def place(self, number: int, x: int, y: int, form: str, wall: str) -> None:
        cell = f"{form.format(x)} {form.format(y)}"
        kind = "wall" if wall else "player"
        told = f"({kind} {cell} {wall or form.format(y)})"
        message = f"(move {kind} {cell}{' ' if wall else ''}{wall})"
        self.says(number, message, lambda model: model.move(number, kind, x, y, told))

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), message=st.sampled_from(JUNK))
    def junk(self, data: Any, message: str) -> None:
        number = self.some(data)
        # A comment may hide the next line, but not for long.
        self.alive[number].says(message, "x")
        self.tell([])

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def resets(self, data: Any) -> None:
        self.says(self.some(data), "(reset)", lambda model: model.reset())

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def leaves(self, data: Any) -> None:
        self.goes(self.some(data), lambda world: world.leaves())

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), text=st.sampled_from(BROKEN))
    def breaks_the_protocol(self, data: Any, text: str) -> None:
        self.goes(self.some(data), lambda world: world.says(text))

    def goes(self, number: int, how: Any) -> None:
        world = self.alive.pop(number)
        how(world)
        assert world.heard == []
        model = self.at.get(number)
        if model is None:
            self.over.discard(number)
            self.tell([])
            return
        self.tell(model.leave(number))
        self.models.remove(model)
        self.games += model.games
        for other, _ in model.worlds:
            del self.at[other]
            self.over.add(other)
        self.over.discard(number)

    @invariant()
    def every_world_knows_where_it_stands(self) -> None:
        for number, world in getattr(self, "alive", {}).items():
            assert not world.wire.is_closed
            known = STANDS[self.heard[number][-1][1:].split()[0]]
            assert known == ("game over" if number in self.over else self.at[number].stands(number))

    @invariant()
    def the_tables_are_those_of_the_model(self) -> None:
        if hasattr(self, "harness"):
            found = [room.table for room in self.harness.lobby.rooms_of("quoridor")]
            assert [(table.status, [seat + 1 for seat in table.order]) for table in found] == [
                (model.status, [number for _, number in model.worlds]) for model in self.models
            ]

    def teardown(self) -> None:
        if not hasattr(self, "harness"):
            return
        for world in self.alive.values():
            world.leaves()
        self.harness.settle()
        games = self.games + sum(model.games for model in self.models)
        records = self.harness.store.records.values()
        assert len(records) == games
        assert list(self.harness.journal.open_rooms()) == []
        for record in records:
            validate(document(record))
            history = to_history(record)
            table = game_type.table(game_type.settings(), history.options, lambda: None, 0.0)
            deque(replay(table, history), maxlen=0)
            assert (*table.match.findings,) == judgement(record).findings


class UniverseTests(SynchronousTestCase):
    def test_any_order_of_things(self) -> None:
        some = settings(max_examples=120, stateful_step_count=40, deadline=None)
        run_state_machine_as_test(UniverseMachine, settings=some)
