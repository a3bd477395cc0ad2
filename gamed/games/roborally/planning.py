"""The planner's search for a program: a beam search over the cards of a hand, phase by phase.

It ignores the other robots. Costs are counted in phases; their values are those with which planners won most games
against each other (tests/proofs/test_roborally.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from attrs import define, field

from gamed.games.roborally.rules.cards import ACTIONS, Action, Card
from gamed.games.roborally.rules.elements import Place
from gamed.games.roborally.rules.robots import REGISTERS, Robot
from gamed.games.roborally.terrain import NO_CARD, Passage, Pose, Terrain

WIDTH: Final = 400
"""The width of the beam: nodes that are kept from one phase to the next."""
DEATH: Final = 14.0
"""The cost of being destroyed, besides the way back."""
HIT: Final = 0.5
"""The cost of a point of damage."""
EDGE: Final = 0.2
"""The cost of ending a phase on a field from which a push would be fatal, for each side of the push."""
WON: Final = -1000.0
"""The cost of reaching the last flag, besides the cards for it: less than any other."""

Chosen: TypeAlias = tuple[int, ...]
"""Indices of cards in the hand, from 0, in the order of the open registers."""


class Node(NamedTuple):
    """Where a program has led after a phase."""

    place: Place
    facing: int

    flag: int
    """The number of the last flag touched."""

    used: int
    """The cards of the hand that the program has used, as bits."""


Layer: TypeAlias = dict[Node, tuple[float, Chosen]]
"""The nodes after a phase, each with its lowest cost so far and the program that leads to it at that cost."""


class End(NamedTuple):
    """A program that was searched to its end."""

    cost: float
    """Its cost, with the estimate of the way that is left."""

    chosen: Chosen

    pose: Pose | None
    """Where it leaves the robot; None if the robot has won or is destroyed."""


def best_program(where: Terrain, robot: Robot, hand: tuple[Card, ...], width: int = WIDTH) -> End:
    """Return the best program found. If it ends before phase 5, it has fewer cards than there are open registers.

    `width`: the width of the beam; with 1, each register gets the card that looks best for the next position.
    """
    search = _Search(where, robot, hand, width)
    layer: Layer = {Node(robot.place, robot.facing, robot.flag, 0): (0.0, ())}
    for phase in range(1, REGISTERS + 1):
        layer = search.next_layer(layer, phase)
    search.ends += (
        End(cost + where.to_go(node.place, node.facing, node.flag), chosen, (node.place, node.facing))
        for node, (cost, chosen) in layer.items()
    )
    return min(search.ends, key=lambda end: end.cost)


@define
class _Search:
    """The search for one program."""

    where: Terrain
    robot: Robot
    hand: tuple[Card, ...]
    width: int

    ends: list[End] = field(factory=list)
    """The complete programs that have been found."""

    def next_layer(self, layer: Layer, phase: int) -> Layer:
        """Return the most promising nodes that a layer leads to."""
        found: Layer = {}
        for node, (cost, chosen) in layer.items():
            for index, card in self._choices(node.used, phase):
                program = chosen if index is None else (*chosen, index)
                used = node.used if index is None else node.used | 1 << index
                passage = self.where.passage(node.place, node.facing, card, phase)
                self._add(found, node._replace(used=used), passage, cost, program)
        return self._narrowed(found)

    def _choices(self, used: int, phase: int) -> Iterator[tuple[int | None, Card]]:
        """Yield the cards that can be in a register: the locked one, or one for each action left in the hand.

        Cards of one action differ in their priorities only, and these matter for conflicts with other robots only.
        """
        if phase in self.robot.locked:
            yield None, self.robot.registers[phase - 1] or NO_CARD
            return
        seen: set[Action] = set()
        for index, card in enumerate(self.hand):
            if not used >> index & 1 and ACTIONS[card] not in seen:
                seen.add(ACTIONS[card])
                yield index, card

    def _add(self, found: Layer, node: Node, passage: Passage | None, cost: float, chosen: Chosen) -> None:
        if passage is None:
            home = self.where.to_go(self.robot.archive, self.robot.facing, node.flag)
            self.ends.append(End(cost + DEATH + home, chosen, None))
            return
        cost += HIT * passage.hit + EDGE * passage.edges
        flag = node.flag + (self.where.layout.numbers.get(passage.place) == node.flag + 1)
        if flag == len(self.where.layout.flags):
            self.ends.append(End(WON + len(chosen), chosen, None))
            return
        after = Node(passage.place, passage.facing, flag, node.used)
        if after not in found or cost < found[after][0]:
            found[after] = cost, chosen

    def _narrowed(self, layer: Layer) -> Layer:
        if len(layer) <= self.width:
            return layer
        to_go = self.where.to_go
        ranked = sorted(layer.items(), key=lambda it: it[1][0] + to_go(it[0].place, it[0].facing, it[0].flag))
        return dict(ranked[: self.width])
