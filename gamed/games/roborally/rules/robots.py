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
"""Points of damage at which a robot is destroyed. A robot that stands on the board has fewer."""

NEW_DAMAGE: Final = 2
"""Points of damage with which a destroyed robot comes back: docs/specs/roborally.md#411-decisions (D21)."""

Registers: TypeAlias = tuple[Card | None, Card | None, Card | None, Card | None, Card | None]
"""The cards in registers 1..5."""

EMPTY: Final[Registers] = (None, None, None, None, None)


# A named tuple is made in a quarter of the time of a frozen attrs class. Each move of a robot makes one, and the rules
# are also run by planners, replays and proofs, which play millions of turns.
class Robot(NamedTuple):
    """The robot of one player, destroyed and removed ones included."""

    facing: Direction

    place: Place
    """Where it stands; for a destroyed robot its archive, where it will come back."""

    archive: Place
    """Where the robot comes back after its destruction: the last flag or repair site on which it ended a phase."""

    lives: int
    """Lives left, the present one included; 0: the player is out of the game."""

    flag: int = 1
    """The number of the last flag touched in order; 1 is the start flag."""

    damage: int = 0
    """0..9; DESTROYED (10) for a robot that waits for the end of the turn to come back, or is out of the game."""

    registers: Registers = EMPTY

    locked: tuple[int, ...] = ()
    """The numbers of the locked registers, ascending. Their cards stay in them for the next turn."""

    is_active: bool = True
    """False while powered down."""

    is_virtual: bool = False
    """Whether other robots pass through it, because it appeared on a field with another robot."""

    is_announced: bool = False
    """Whether it will power down, or stay powered down, at the end of this turn."""

    fell_in: int = 0
    """The phase of this turn in which it was destroyed, by whatever cause; 0: it was not."""

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
    """Return how many registers are locked at this damage: one for each point above four."""
    return max(0, damage - 4)


def damaged(robot: Robot, points: int, phase: int) -> Robot:
    """Return a standing robot after a hit. Its highest open registers lock, and keep the cards in them."""
    damage = robot.damage + points
    if damage >= DESTROYED:
        return destroyed(robot, phase)
    count = locks(damage) - len(robot.locked)
    if count <= 0:
        return robot._replace(damage=damage)
    return robot._replace(damage=damage, locked=tuple(sorted(robot.locked + robot.free[-count:])))


def destroyed(robot: Robot, phase: int) -> Robot:
    """Return a standing robot after its destruction: on its archive, with one life less, no locks and no power down.

    Its cards stay in the registers until the clean-up, because GSA lists those of the played phases until then. The
    cards that a powered-down robot keeps in locked registers are never listed, so they are taken away at once.
    """
    return robot._replace(
        place=robot.archive,
        lives=robot.lives - 1,
        damage=DESTROYED,
        registers=robot.registers if robot.is_active else EMPTY,
        locked=(),
        # Destruction cancels a power down: the new robot is asked for a program in the next turn.
        is_active=True,
        is_virtual=False,
        is_announced=False,
        fell_in=phase,
    )


def removed(robot: Robot) -> Robot:
    """Return the robot of a player who has left: off the board, without lives and cards."""
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
    # By name, so that mypy sees that there are five.
    one, two, three, four, five = new
    return robot._replace(registers=(one, two, three, four, five))


def opened(robot: Robot, damage: int, numbers: tuple[int, ...]) -> Robot:
    """Return a robot that was repaired down to `damage`, with the registers `numbers` opened.

    The cards stay in the opened registers until they are wiped.
    """
    return robot._replace(damage=damage, locked=tuple(number for number in robot.locked if number not in numbers))


def wiped(robot: Robot) -> Robot:
    """Return a robot with empty open registers. Their cards are in the deck again."""
    if robot.locked:
        one, two, three, four, five = (
            card if number in robot.locked else None for number, card in enumerate(robot.registers, 1)
        )
        return robot._replace(registers=(one, two, three, four, five))
    return robot if robot.registers == EMPTY else robot._replace(registers=EMPTY)
