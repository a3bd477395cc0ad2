"""Boards of histories as text, as `gamed show` draws them."""

from __future__ import annotations

from attrs import evolve

from gamed.core.history import LINE, MOVE, History
from gamed.registry import game_types
from gamed.replayers import pictures


def draw(history: History, moves: int | None = None) -> str:
    """Return the board after so many moves (None: all)."""
    made = game_types()[history.kind]
    length = sum(entry.kind in (LINE, MOVE) for entry in history.entries)
    whole = evolve(history, options={**made.options(made.settings()), **history.options})
    return pictures(made, whole)(length if moves is None else min(moves, length))
