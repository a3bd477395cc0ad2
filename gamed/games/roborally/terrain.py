"""What a course does to a single robot, and how far it is to the flags: the knowledge of the planner.

Source: docs/specs/roborally.md#42-a-register-phase, docs/specs/roborally.md#44-playing-a-card,
docs/specs/roborally.md#45-belts-pushers-gears-and-crushers, without the other robots.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from attrs import define, field

from gamed.games.roborally.rules.cards import ACTIONS, QUARTERS, STEPS, Action, Card
from gamed.games.roborally.rules.elements import Place
from gamed.games.roborally.rules.layout import Layout

Pose: TypeAlias = tuple[Place, int]
"""A place and a facing, which is the value of a Direction."""

NO_CARD: Final[Card] = 0
"""Stands for a card if a robot plays none."""

UNREACHABLE: Final = 60
"""Stands for the distance to a flag that cannot be reached."""

_FACINGS: Final = range(4)
_ONE_OF_EACH: Final = tuple({action: card for card, action in ACTIONS.items()}.values())


class Passage(NamedTuple):
    """The result of a phase that a robot survives."""

    place: Place
    facing: int

    hit: int
    """Points of damage by board lasers."""

    edges: int
    """The number of sides to which a push would be fatal."""


@define
class Terrain:
    """A course as a single robot meets it."""

    layout: Layout

    distances: tuple[Mapping[Pose, int], ...] = field(init=False)
    """For each flag, in the order of the course: how many phases a robot needs from each pose, if it has any card.

    Poses from which the flag cannot be reached are missing. Pushers and crushers are ignored, because they depend on
    the phase.
    """

    onward: tuple[int, ...] = field(init=False)
    """The phases from each flag to the last one."""

    _passages: dict[tuple[Place, int, Action | None, int], Passage | None] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        before = self._predecessors()
        flags = self.layout.flags
        self.distances = tuple(_distances(before, flag) for flag in flags)
        legs = [
            min(distances.get((flag, facing), UNREACHABLE) for facing in _FACINGS)
            for flag, distances in zip(flags, self.distances[1:], strict=False)
        ]
        self.onward = tuple(sum(legs[index:]) for index in range(len(flags)))

    def to_go(self, place: Place, facing: int, flag: int) -> int:
        """Return an estimate of the phases to the last flag. `flag` is the number of the last flag touched."""
        return self.distances[flag].get((place, facing), UNREACHABLE) + self.onward[flag]

    def _predecessors(self) -> Mapping[Pose, list[Pose]]:
        before: dict[Pose, list[Pose]] = defaultdict(list)
        for place in self.layout.ground:
            for facing in _FACINGS:
                for card in _ONE_OF_EACH:
                    # Phase 0: no pusher and no crusher is active.
                    after = moved(self.layout, (place, facing), card, 0)
                    if after is not None:
                        before[after].append((place, facing))
        return before

    def passage(self, place: Place, facing: int, card: Card, phase: int) -> Passage | None:
        """Return the result of a phase in which a robot plays a card, or None if it is destroyed."""
        key = (place, facing, ACTIONS.get(card), phase)
        if key not in self._passages:
            after = moved(self.layout, (place, facing), card, phase)
            self._passages[key] = after and self._passage(*after)
        return self._passages[key]

    def _passage(self, place: Place, facing: int) -> Passage:
        layout = self.layout
        hit = sum(layout.strengths[beam] for beam, _ in layout.lit.get(place, ()))
        around = (ways.get(place) for ways in layout.ways)
        edges = sum(beside is not None and beside not in layout.ground for beside in around)
        return Passage(place, facing, hit, edges)

    def rests(self, pose: Pose) -> Pose | None:
        """Return where a powered-down robot is after a turn, or None if it is destroyed."""
        here: Pose | None = pose
        for phase in range(1, 6):
            here = here and moved(self.layout, here, NO_CARD, phase)
        return here


def moved(layout: Layout, pose: Pose, card: Card, phase: int) -> Pose | None:
    """Return where a robot is after a card and the board elements of a phase, or None if it is destroyed."""
    place, facing = pose
    for step in _card_steps(layout, place, facing, card):
        place = step
        if place not in layout.ground:
            return None
    facing += QUARTERS[card]
    for belts in (layout.express, layout.belts):
        direction = belts.get(place)
        beyond = None if direction is None else layout.ways[direction].get(place)
        if direction is not None and beyond is not None:
            place = beyond
            facing += layout.bends[direction].get(place, 0)
            if place not in layout.ground:
                return None
    direction = layout.pushers[phase].get(place)
    if direction is not None:
        place = layout.ways[direction].get(place, place)
    if place not in layout.ground or place in layout.crushers[phase]:
        return None
    return place, (facing + layout.gears.get(place, 0)) % 4


def _card_steps(layout: Layout, place: Place, facing: int, card: Card) -> Iterator[Place]:
    steps = STEPS[card]
    ways = layout.ways[facing if steps > 0 else (facing + 2) % 4]
    for _ in range(abs(steps)):
        beyond = ways.get(place)
        if beyond is None:
            return
        place = beyond
        yield place


def _distances(before: Mapping[Pose, list[Pose]], flag: Place) -> Mapping[Pose, int]:
    found: dict[Pose, int] = {(flag, facing): 0 for facing in _FACINGS}
    queue = deque(found)
    while queue:
        pose = queue.popleft()
        for earlier in before.get(pose, ()):
            if earlier not in found:
                found[earlier] = found[pose] + 1
                queue.append(earlier)
    return found


@lru_cache(8)
def terrain(layout: Layout) -> Terrain:
    """Return the terrain of a layout, the same one for each call."""
    return Terrain(layout)
