"""Games from one version of GoFans to another.

Source: docs/reference/records.md#gofans. x.1 is the main line of x.2, and 2.x is 1.x with the stones that each move
takes. What a version cannot hold is left out and said.
"""

from __future__ import annotations

from typing import Final

from attrs import evolve

from gamed.games.go.replay import removes
from gamed.games.go.tree import GoGame, Node
from gamed.records import gofans
from gamed.records.gofans import has_removes, has_variations
from gamed.records.record import Record, RecordError

NEWEST: Final = ("2.2", "2.1")
"""The versions of GoFans that a game is written in: the second where moves would stand too deep in one another."""


def convert(game: GoGame, version: str) -> tuple[GoGame, list[str]]:
    """Return a game as a version of GoFans can hold it, and sentences on what was left out; `game` stays as it is.

    For x.1 only the main line stays. For 1.x the removes go; for 2.x they are computed by the rules, unless all moves
    have them, and then they are kept as they are. Raises RuleError if the rules refuse a move that stays.
    """
    notes = [] if has_variations(version) else left_out(game)
    copy = evolve(game, roots=_copied(game.roots, has_variations(version)))
    if not has_removes(version):
        for _, node in copy.walk():
            node.removes = None
    elif any(node.removes is None for _, node in copy.walk()):
        for node, points in removes(copy):
            node.removes = points
    return copy, notes


def newest(game: GoGame) -> Record:
    """Return a game as a record, without an id, of the newest version of GoFans that holds all of it.

    Raises RecordError, and RuleError if the rules refuse a move.
    """
    nested, in_order = NEWEST
    converted, _ = convert(game, nested)
    try:
        return gofans.write(converted, nested, record_id="")
    except RecordError as error:
        if error.code != "forbidden" or left_out(converted):
            raise
    return gofans.write(converted, in_order, record_id="")


def left_out(game: GoGame) -> list[str]:
    """Return the sentence on the variations that x.1 does not hold; nothing if there are none."""
    moves = sum(1 for _ in game.walk()) - sum(1 for _ in game.main_line())
    beside = [len(siblings) - 1 for siblings in (game.roots, *(node.children for _, node in game.walk())) if siblings]
    variations = sum(beside)
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
            # evolve() takes four times as long.
            copy = Node(node.player, node.point, node.color, node.comment, node.removes)
            siblings.append(copy)
            stack.append((node.children, copy.children))
    return copies
