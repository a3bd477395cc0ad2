"""The 84 program cards. Each is identified by its priority.

Source: docs/specs/roborally.md#411-the-deck, docs/specs/roborally.md#44-playing-a-card.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

Card: TypeAlias = int
"""A card is represented by its priority, 1..84, because no two cards have the same one."""

HAND: Final = 9
"""Cards that are dealt to a robot without damage."""


class Action(StrEnum):
    """What a card does. The values are the protocol's names of the actions."""

    UT = "UT"
    """Turn by 180 degrees."""
    RL = "RL"
    """Turn left."""
    RR = "RR"
    """Turn right."""
    BU = "BU"
    """One field back."""
    M1 = "M1"
    """One field forward."""
    M2 = "M2"
    """Two fields forward."""
    M3 = "M3"
    """Three fields forward."""


def _deck() -> dict[Card, Action]:
    turns = {card: Action.RL if card % 2 else Action.RR for card in range(7, 43)}
    moves = ((Action.UT, 1, 6), (Action.BU, 43, 48), (Action.M1, 49, 66), (Action.M2, 67, 78), (Action.M3, 79, 84))
    straight = {card: action for action, first, last in moves for card in range(first, last + 1)}
    return dict(sorted((turns | straight).items()))


ACTIONS: Final = _deck()
"""What each card does."""

DECK: Final = frozenset(ACTIONS)

_TURNS: Final = {Action.RR: 1, Action.UT: 2, Action.RL: 3}
_STEPS: Final = {Action.BU: -1, Action.M1: 1, Action.M2: 2, Action.M3: 3}

QUARTERS: Final = tuple(_TURNS.get(ACTIONS[card], 0) if card else 0 for card in range(85))
"""Clockwise quarter turns of each card, indexed by the card; 0 is no card."""

STEPS: Final = tuple(_STEPS.get(ACTIONS[card], 0) if card else 0 for card in range(85))
"""Fields that each card moves forward, -1 for one back, indexed by the card; 0 is no card."""
