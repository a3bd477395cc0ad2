"""Universes with worlds at them: what is said, what is told, and a table in each of its states."""

from __future__ import annotations

from random import Random
from typing import Any

import attrs

from gamed.core.game import Termination
from gamed.core.history import Entry
from gamed.core.table import Step
from gamed.games.quoridor.signup import Status
from gamed.games.quoridor.table import Universe
from gamed.games.quoridor.wire import Said, Told
from gamed.wire.sexpr import DatumReader
from tests.games.quoridor.worlds import DOWN, FOUR


def universe(referee: str = "observe", pace: float = 0.0, **options: int) -> Universe:
    return Universe({"referee": referee, **options}, lambda _draw: Random(1), 100.0, pace)


def said(text: str) -> Said:
    reader = DatumReader(65_536, 200)
    reader.receive_data(f"{text}\n".encode())
    ((datum, received, _),) = reader.messages()
    return Said(datum, received)


def events(step: Step) -> list[str]:
    """Return a step's mails as `ID: SYMBOL ID MOVE`."""
    found = []
    for mail in step.events:
        assert isinstance(mail.event, Told)
        found.append(f"{mail.seat + 1}: {mail.event.call} {mail.event.id} {mail.event.move}")
    return found


def refused(step: Step, seat: int = 0) -> list[str]:
    """Return the codes of a step that does nothing but refuse messages of a seat; raise AssertionError if it does."""
    assert attrs.evolve(step, refused=()) == Step(), step
    assert {other for other, _ in step.refused} <= {seat}, step
    return [refusal.code for _, refusal in step.refused]


class Play:
    """A table with its time: each thing happens a second after the one before."""

    def __init__(self, worlds: int = 0, *said: tuple[int, str], **options: Any) -> None:
        self.table = universe(**options)
        self.now = 100.0
        self.steps: list[Step] = []
        for number in range(worlds):
            self.join(f"world {number + 1}")
        for world, text in said:
            self.say(world, text)

    def note(self, step: Step) -> Step:
        self.steps.append(step)
        return step

    def join(self, name: str = "x") -> Step:
        self.now += 1
        return self.note(self.table.join(name, self.now))

    def say(self, world: int, text: str) -> Step:
        """World 1 to 4 says something."""
        self.now += 1
        return self.note(self.table.receive(world - 1, said(text), self.now))

    def leave(self, world: int, why: Termination = Termination.LEFT) -> Step:
        self.now += 1
        return self.note(self.table.leave(world - 1, why, self.now))

    def moves(self, moves: tuple[str, ...], first: int = 1) -> None:
        for number, move in enumerate(moves, first - 1):
            self.say(number % len(self.table.order) + 1, f"(move {move})")

    @property
    def where(self) -> tuple[Status, int]:
        return self.table.status, len(self.table.order)

    @property
    def journal(self) -> list[Entry]:
        return [entry for step in self.steps for entry in step.journal]


VOTE_TWO = ((1, "(play)"),)
VOTE_FOUR = ((1, "(wait)"), (2, "(wait)"))


def two(**options: Any) -> Play:
    return Play(2, *VOTE_TWO, **options)


def four(**options: Any) -> Play:
    play = Play(2, *VOTE_FOUR, **options)
    play.join("world 3")
    play.join("world 4")
    return play


def at(status: Status, worlds: int) -> Play:
    """Return a table in a state."""
    if status is Status.FINISHED:
        play = two() if worlds == 2 else four()
        play.moves(DOWN if worlds == 2 else FOUR)
        return play
    if status is Status.FOUR:
        play = Play(2, *VOTE_FOUR)
        for _ in range(worlds - 2):
            play.join()
        return play
    votes = {Status.TWO: VOTE_TWO, Status.FIRST_WAITS: VOTE_FOUR[:1], Status.SECOND_WAITS: VOTE_FOUR[1:]}
    return Play(worlds, *votes.get(status, ()))
