"""Games between strategies, each move judged by the rules."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

from attrs import define, field

from gamed.core.game import Seat
from gamed.games.quoridor.strategy import Strategy
from tests.games.quoridor.positions import RULES

LONGEST = 400
"""A game that is longer counts for nobody."""


@define
class Match:
    """Games of one player against others, who sit on all other seats; the player's seat goes around.

    `seconds`: how long each of the player's moves took to choose; `longest`: the most moves that a game had.
    """

    player: Strategy
    other: Strategy
    players: int = 2
    won: int = 0
    lost: int = 0
    longest: int = 0
    seconds: list[float] = field(factory=list)

    def play(self, games: int) -> None:
        for number in range(games):
            seats = [self.other] * self.players
            seats[number % self.players] = self.player
            winner = self.played(seats, Random(number))
            self.won += winner == number % self.players
            self.lost += winner not in {number % self.players, None}

    def played(self, seats: Sequence[Strategy], random: Random) -> Seat | None:
        """Play one game and return who has won."""
        state = RULES.setup({"players": self.players})
        for number in range(LONGEST):
            strategy, seat = seats[state.mover], state.mover
            began = time.thread_time()
            move = strategy.choose(state, seat, random)
            if strategy is self.player:
                self.seconds.append(time.thread_time() - began)
            state = RULES.apply(state, seat, move)
            self.longest = max(self.longest, number + 1)
            if state.winner is not None:
                return state.winner
        return None
