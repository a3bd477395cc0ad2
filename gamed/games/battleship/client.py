"""A Battleship player without I/O: it places a fleet, answers shots, and shoots by a strategy.

It plays against gamed, and against any other server of this protocol.

Source: docs/specs/battleship.md#gameds-players, docs/reference/battleship.md#messages,
docs/specs/battleship.md#the-open-list-strategy.
"""

from __future__ import annotations

from random import Random

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.games.battleship.fleet import Cell
from gamed.games.battleship.follower import Follower
from gamed.games.battleship.placement import Defence, place_fleet
from gamed.games.battleship.states import Phase
from gamed.games.battleship.strategy import Strategy, strategies
from gamed.games.battleship.wire import Command


@define
class Player(Follower):
    """Plays one match with a strategy."""

    strategy: Strategy
    random: Random
    moves: int = 0
    """The number of its shots."""

    side: str = ""
    """`first` if it shoots first, or `second`; nothing before the match begins."""

    _defence: Defence = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._defence = Defence(place_fleet(self.random))

    def _learn(self, code: int) -> None:
        self.strategy.learn(self._shot, code)

    def _defend(self, cell: Cell) -> list[Command]:
        self.side = self.side or "second"
        answer = self._answers(cell, self._defence.answer(cell))
        return [answer, *self._attack()] if self.phase is Phase.ATTACK else [answer]

    def _attack(self) -> list[Command]:
        self.side = self.side or "first"
        try:
            cell = self.strategy.shoot(self.random)
        except LookupError as error:
            raise RemoteProtocolError("all cells are known, but the fleet is not sunk", code="dishonest") from error
        self.moves += 1
        return [self._shoots(cell)]


def player(strategy: str, random: Random) -> Player:
    """Return a player. `strategy`: the name of its strategy."""
    return Player(strategies[strategy](), random)
