"""What the records of both games of a pair must have in common."""

from __future__ import annotations

from xml.etree import ElementTree as ET

Ply = tuple[str, str, str]
"""Whether it was drawn or moved, by which seat, and what."""


def plies(body: bytes) -> list[Ply]:
    """Return what was drawn and moved, by a record's body."""
    return [
        (element.tag, element.get("seat", ""), element.text or "")
        for element in ET.fromstring(body)
        if element.tag in ("drawn", "move")
    ]


def replayed(body: bytes) -> list[Ply]:
    """Return the moves of an opening."""
    return [
        ("move", move.get("seat", ""), move.text or "") for move in ET.fromstring(body) if "replayed" in move.attrib
    ]


def same_chance(first: bytes, second: bytes) -> int:
    """Return how many draws two games have in common.

    Raises AssertionError if their first draws differ, or if another draw does before a move.
    """
    games = plies(first), plies(second)
    deals = [next(ply for ply in game if ply[0] == "drawn") for game in games]
    assert deals[0] == deals[1], deals
    draws = 0
    for one, other in zip(*games, strict=False):
        if one != other:
            assert one[0] == other[0] == "move", (one, other)
            break
        draws += one[0] == "drawn"
    return max(draws, 1)
