"""Convert games between the versions of GoFans.

Source: docs/reference/records.md#gofans. x.1 holds only the main line, x.2 variations too; 2.x lists the stones that
each move captures, 1.x does not. What a version cannot hold is left out and reported.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from gamed.games.go import gofans
from gamed.games.go.gofans import has_removes, has_variations
from gamed.games.go.replay import dropped_removes, removes
from gamed.games.go.tree import GoGame, Node
from gamed.records.record import Record, RecordError

NEWEST: Final = ("2.2", "2.1")
"""The versions that a game is written in: 2.1, which does not nest moves, if 2.2 would nest them too deep."""


def convert(game: GoGame, version: str) -> tuple[GoGame, list[str]]:
    """Return a copy of a game that a version of GoFans can hold, and sentences on what was left out.

    For x.1, the variations are dropped. For 1.x, the captures are dropped; for 2.x, the rules compute them, unless all
    moves have them already. Raises RuleError if the rules reject a move of the copy.
    """
    notes = [] if has_variations(version) else left_out(game)
    copy = evolve(game, roots=_copied(game.roots, has_variations(version)))
    if not has_removes(version):
        notes += dropped_removes(copy)
        for _, node in copy.walk():
            node.removes = None
    elif any(node.removes is None for _, node in copy.walk()):
        for node, points in removes(copy):
            node.removes = points
    return copy, notes


def newest(game: GoGame) -> Record:
    """Return a game as a record in the newest version of GoFans that can hold all of it. The record has no id.

    Raises RecordError, and RuleError if the rules reject a move.
    """
    nested, in_order = NEWEST
    converted, _ = convert(game, nested)
    try:
        return gofans.write(converted, nested, record_id="")
    except RecordError as error:
        # It is nested too deep. Without variations, 2.1 can hold it, too, and does not nest.
        if error.code != "forbidden" or left_out(converted):
            raise
    return gofans.write(converted, in_order, record_id="")


def left_out(game: GoGame) -> list[str]:
    """Return a list with a sentence on the variations that x.1 cannot hold; an empty list if there are none."""
    moves = sum(1 for _ in game.walk()) - sum(1 for _ in game.main_line())
    branches = (game.roots, *(node.children for _, node in game.walk()))
    variations = sum(len(siblings) - 1 for siblings in branches if siblings)
    if not variations:
        return []
    are = "1 variation is" if variations == 1 else f"{variations} variations are"
    return [f"{are} left out, with {moves} {'move' if moves == 1 else 'moves'}: only the main line is held"]


def _copied(roots: list[Node], with_variations: bool) -> list[Node]:  # noqa: FBT001 (private, and called once)
    end = None if with_variations else 1
    copies: list[Node] = []
    stack = [(roots, copies)]
    while stack:
        nodes, siblings = stack.pop()
        for node in nodes[:end]:
            # Not attrs.evolve(), which takes four times as long.
            copy = Node(node.player, node.point, node.color, node.comment, node.removes)
            siblings.append(copy)
            stack.append((node.children, copy.children))
    return copies
