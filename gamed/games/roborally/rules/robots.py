"""A robot, and what damage does to it.

Source: docs/specs/roborally.md#382-the-state-of-a-robot, docs/specs/roborally.md#46-lasers-damage-flags,
docs/specs/roborally.md#47-power-down (what destruction cancels).
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from gamed.games.roborally.rules.cards import Card
from gamed.games.roborally.rules.elements import Direction, Place

REGISTERS: Final = 5
"""Registers of a robot, and phases of a turn."""

DESTROYED: Final = 10
"""Points of damage that a robot does not survive; a standing one has fewer."""

NEW_DAMAGE: Final = 2
"""Points of damage with which a destroyed robot comes back: docs/specs/roborally.md#411-decisions (D21)."""

Registers: TypeAlias = tuple[Card | None, Card | None, Card | None, Card | None, Card | None]
"""The cards in registers 1..5."""

EMPTY: Final[Registers] = (None, None, None, None, None)


# A named tuple is made in a quarter of the time of a frozen attrs class, and dozens are made in a turn.
class Robot(NamedTuple):
    """A robot.

    `flag`: the number of the last flag touched in order; 1 is the start flag. `archive`: where a new robot would
    appear. `damage`: 0..9, or 10 for one that is destroyed and waits for the end of the turn; then `place` is the
    archive. `lives`: those left, the present one included; 0 means that the player has been removed. `locked`: the
    numbers of the locked registers, ascending. `is_active`: False while powered down. `is_announced`: goes or stays
    down at the end of this turn. `fell_in`: the phase of this turn in which it was destroyed, or 0.
    """

    facing: Direction
    place: Place
    archive: Place
    lives: int
    flag: int = 1
    damage: int = 0
    registers: Registers = EMPTY
    locked: tuple[int, ...] = ()
    is_active: bool = True
    is_virtual: bool = False
    is_announced: bool = False
    fell_in: int = 0

    @property
    def is_standing(self) -> bool:
        """Whether it stands on the board: neither destroyed nor removed."""
        return self.damage < DESTROYED

    @property
    def is_removed(self) -> bool:
        """Whether its player is out of the game."""
        return self.lives == 0

    @property
    def free(self) -> tuple[int, ...]:
        """The numbers of the open registers, ascending."""
        return tuple(number for number in range(1, REGISTERS + 1) if number not in self.locked)

    @property
    def locked_cards(self) -> tuple[tuple[int, Card | None], ...]:
        """The locked registers with their cards, ascending."""
        return tuple((number, self.registers[number - 1]) for number in self.locked)


def locks(damage: int) -> int:
    """Return how many registers are locked with so much damage."""
    return max(0, damage - 4)


def damaged(robot: Robot, points: int, phase: int) -> Robot:
    """Return a standing robot after a hit. The highest open registers lock with the cards in them."""
    damage = robot.damage + points
    if damage >= DESTROYED:
        return destroyed(robot, phase)
    count = locks(damage) - len(robot.locked)
    if count <= 0:
        return robot._replace(damage=damage)
    return robot._replace(damage=damage, locked=tuple(sorted(robot.locked + robot.free[-count:])))


def destroyed(robot: Robot, phase: int) -> Robot:
    """Return a standing robot after its destruction: one life less, no locks, no power down, on its archive.

    The cards stay until the wipe, for those of the phases played are shown until then; the ones that a
    powered-down robot keeps are never shown.
    """
    return robot._replace(
        place=robot.archive,
        lives=robot.lives - 1,
        damage=DESTROYED,
        registers=robot.registers if robot.is_active else EMPTY,
        locked=(),
        is_active=True,
        is_virtual=False,
        is_announced=False,
        fell_in=phase,
    )


def removed(robot: Robot) -> Robot:
    """Return the robot of a player who has left: off the board, all its lives and cards gone."""
    return robot._replace(
        place=robot.archive,
        lives=0,
        damage=DESTROYED,
        registers=EMPTY,
        locked=(),
        is_active=True,
        is_virtual=False,
        is_announced=False,
    )


def programmed(robot: Robot, cards: tuple[Card, ...]) -> Robot:
    """Return a robot with one of `cards` in each of its open registers, in ascending order."""
    new = list(robot.registers)
    for number, card in zip(robot.free, cards, strict=True):
        new[number - 1] = card
    one, two, three, four, five = new
    return robot._replace(registers=(one, two, three, four, five))


def opened(robot: Robot, damage: int, numbers: tuple[int, ...]) -> Robot:
    """Return a robot after a repair down to `damage` that opens the registers `numbers`; their cards stay in them."""
    return robot._replace(damage=damage, locked=tuple(number for number in robot.locked if number not in numbers))


def wiped(robot: Robot) -> Robot:
    """Return a robot whose open registers are empty: their cards are back in the deck."""
    if robot.locked:
        one, two, three, four, five = (
            card if number in robot.locked else None for number, card in enumerate(robot.registers, 1)
        )
        return robot._replace(registers=(one, two, three, four, five))
    return robot if robot.registers == EMPTY else robot._replace(registers=EMPTY)
