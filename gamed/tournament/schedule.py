"""What is to be played: mirrored pairs, their seeds, and which games are due.

Source: docs/topics/design.md#tournaments. A pair is two games with the same chance and swapped seats, so each entrant
has each seat as often, and no luck of the draw is one side's alone.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, count

from attrs import evolve, frozen

from gamed.core.game import Seat
from gamed.tournament.results import Result


def derived(seed: int, *path: int | str) -> int:
    """Return a seed from 0 to 2**63 - 1 that follows from another one and a path, and tells nothing of other paths."""
    text = " ".join(map(str, (seed, *path)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


@frozen
class Fixture:
    """One game that is to be played."""

    pairing: int
    """Which two entrants meet: the number of their pairing."""

    pair: int
    leg: int
    """0 or 1: in the second leg of a pair the seats are swapped."""

    attempt: int
    seats: tuple[int, int]
    """The entrants, by seat."""


@frozen
class Plan:
    """All games between some entrants: everybody plays everybody."""

    id: str
    """A UUID, from which those of the games follow."""

    seed: int
    """From which all chance follows. Entrants do not know it."""

    entrants: int
    games: int
    """How many games each two of them play. An odd number leaves the last pair without its second leg."""

    only: tuple[int, int, int] | None = None
    """The pairing, pair and leg of the only game that is played; None: all are."""

    @property
    def pairings(self) -> Sequence[tuple[int, int]]:
        """The entrants of each pairing."""
        return tuple(combinations(range(self.entrants), 2))

    def fixtures(self) -> Iterator[Fixture]:
        """Yield the first attempts of all games: pair by pair, both legs together, pairings in turn."""
        for pair in range((self.games + 1) // 2):
            for pairing, (first, second) in enumerate(self.pairings):
                for leg in range(min(2, self.games - 2 * pair)):
                    if self.only in (None, (pairing, pair, leg)):
                        yield Fixture(pairing, pair, leg, 0, (second, first) if leg else (first, second))

    @property
    def total(self) -> int:
        """How many games there are."""
        return len(self.pairings) * self.games if self.only is None else 1

    def id_of(self, fixture: Fixture) -> str:
        """Return the id of a game's room and record."""
        path = f"{fixture.pairing}.{fixture.pair}.{fixture.leg}.{fixture.attempt}"
        return str(uuid.uuid5(uuid.UUID(self.id), path))

    def seed_of(self, fixture: Fixture) -> int:
        """Return the seed of a game's chance: the same for both legs, and for all attempts."""
        return derived(self.seed, "game", fixture.pairing, fixture.pair)

    def bot_seed(self, fixture: Fixture, seat: Seat) -> int:
        """Return a number for the program on a seat, the same for all attempts. No draw of a game follows from it."""
        return derived(self.seed, "bot", fixture.pairing, fixture.pair, fixture.leg, seat)


def due(plan: Plan, results: Mapping[str, Result]) -> Iterator[Fixture]:
    """Yield the games that are to be played. `results`: those of all games that are recorded, by their ids.

    A game that ended as nobody's is due again, as its next attempt.
    """
    for first in plan.fixtures():
        fixture, result = last_attempt(plan, first, results)
        if result is None:
            yield fixture


def last_attempt(plan: Plan, first: Fixture, results: Mapping[str, Result]) -> tuple[Fixture, Result | None]:
    """Return the attempt at a game that counts, with its result; if there is none, the one that is due, and None."""
    for attempt in count():
        fixture = evolve(first, attempt=attempt)
        result = results.get(plan.id_of(fixture))
        if result is None or not result.is_void:
            break
    return fixture, result


@frozen
class Played:
    """A game that counts."""

    fixture: Fixture
    result: Result

    def score(self, entrant: int) -> float:
        """Return what an entrant got in it: 1, ½ or 0."""
        return self.result.score(self.fixture.seats.index(entrant))


def played(plan: Plan, results: Mapping[str, Result]) -> list[Played]:
    """Return the games that count, in the order of the plan."""
    games = []
    for first in plan.fixtures():
        fixture, result = last_attempt(plan, first, results)
        if result is not None:
            games.append(Played(fixture, result))
    return games


@frozen
class Pair:
    """Both legs of a pair, both of which count."""

    number: int
    score: float
    """The mean of what the pairing's first entrant got in them: 0, ¼, ½, ¾ or 1."""

    first_seat: float
    """The mean of what the first seat got in them."""

    digests: tuple[str, str]
    """What was drawn and moved in them."""


def pairs(plan: Plan, games: Sequence[Played], pairing: int = 0) -> list[Pair]:
    """Return the whole pairs of a pairing, in the order of the plan."""
    first, _ = plan.pairings[pairing]
    legs: dict[int, list[Played]] = {}
    for game in games:
        if game.fixture.pairing == pairing:
            legs.setdefault(game.fixture.pair, []).append(game)
    return [
        Pair(
            number,
            sum(game.score(first) for game in both) / 2,
            sum(game.result.score(0) for game in both) / 2,
            (both[0].result.digest, both[1].result.digest),
        )
        for number, both in sorted(legs.items())
        if len(both) == 2  # noqa: PLR2004 (both legs)
    ]


def distinct(whole: Sequence[Pair]) -> list[Pair]:
    """Return the pairs without those that repeat an earlier one move by move: these are no new evidence."""
    found: dict[tuple[str, str], Pair] = {}
    for pair in whole:
        # The first of equal pairs, where it is: what comes later changes no order, which a sequential test needs.
        found.setdefault(pair.digests, pair)
    return list(found.values())
