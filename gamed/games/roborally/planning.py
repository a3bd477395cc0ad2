"""Search for a program: a beam search over the cards of a hand, phase by phase, with one robot alone.

Costs are counted in phases. Their values were found by letting four planners play (tests/proofs/test_roborally.py).
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
"""Nodes that are followed from one phase to the next."""
DEATH: Final = 14.0
"""What being destroyed costs, beside the way back."""
HIT: Final = 0.5
"""What a point of damage costs."""
EDGE: Final = 0.2
"""What it costs to end a phase where a push from one side would be fatal."""
WON: Final = -1000.0
"""What reaching the last flag costs, beside the cards for it."""

Chosen: TypeAlias = tuple[int, ...]
"""Indices of cards in the hand, from 0, in the order of the open registers."""


class Node(NamedTuple):
    """Where a program has led after a phase. `used`: the cards of the hand that are in it, as bits."""

    place: Place
    facing: int
    flag: int
    used: int


Layer: TypeAlias = dict[Node, tuple[float, Chosen]]
"""The nodes after a phase, each with the least cost so far and the program for it."""


class End(NamedTuple):
    """How a program ends. `cost`: with what is to go; `pose`: where it leaves the robot, None if won or destroyed."""

    cost: float
    chosen: Chosen
    pose: Pose | None


def best_program(where: Terrain, robot: Robot, hand: tuple[Card, ...]) -> End:
    """Return the best program found; it is shorter than the open registers where it ends before phase 5."""
    search = _Search(where, robot, hand)
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
    """The search for one program. `ends`: the ends found."""

    where: Terrain
    robot: Robot
    hand: tuple[Card, ...]
    ends: list[End] = field(factory=list)

    def next_layer(self, layer: Layer, phase: int) -> Layer:
        """Return what the nodes of a layer lead to: the most promising ones."""
        found: Layer = {}
        for node, (cost, chosen) in layer.items():
            for index, card in self._choices(node.used, phase):
                program = chosen if index is None else (*chosen, index)
                used = node.used if index is None else node.used | 1 << index
                passage = self.where.passage(node.place, node.facing, card, phase)
                self._add(found, node._replace(used=used), passage, cost, program)
        return self._narrowed(found)

    def _choices(self, used: int, phase: int) -> Iterator[tuple[int | None, Card]]:
        """Yield the cards for a register: the locked one, or one for each action that is left in the hand."""
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
        if len(layer) <= WIDTH:
            return layer
        to_go = self.where.to_go
        ranked = sorted(layer.items(), key=lambda it: it[1][0] + to_go(it[0].place, it[0].facing, it[0].flag))
        return dict(ranked[:WIDTH])
