"""Generators of lots, by the seed of a match: the only place in the core that makes one."""

from __future__ import annotations

from random import Random

from attrs import define


@define(weakref_slot=False)
class Seeded:
    """Makes the random generators of a match: one for each draw, so that a restored match goes on with the same lots.

    Each open room has one: a `partial` is much larger.
    """

    seed: int

    def __call__(self, draw: int) -> Random:
        """Return the generator of the draw with a number, counted from 0."""
        return Random(f"{self.seed}:{draw}")  # noqa: S311 (games, not cryptography)
