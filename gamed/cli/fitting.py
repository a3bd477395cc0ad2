"""Fits text boards to a narrow terminal: a part that is too wide is cut into pieces, one below the other."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

GUTTER: Final = "   "
"""The space between parts of a picture that are next to each other."""

BOARD: Final = 3
"""A block with at least so many lines that are too wide is a board. Fewer are sentences, which are wrapped."""


def fitted(lines: Sequence[str], width: int) -> Iterator[str]:
    """Yield the lines of a picture in pieces that are at most `width` wide."""
    for is_blank, group in groupby(lines, lambda line: not line.strip()):
        block = list(group)
        wide = [number for number, line in enumerate(block) if len(line) > width]
        if is_blank or not wide:
            yield from block
        elif len(wide) < BOARD:
            # A legend, or captions.
            yield from (piece for line in block for piece in textwrap.wrap(line, width) or [line])
        else:
            yield from block[: wide[0]]
            yield from _pieces(block[wide[0] : wide[-1] + 1], width)
            yield from block[wide[-1] + 1 :]


def _pieces(block: Sequence[str], width: int) -> Iterator[str]:
    """Yield the left part of a block, and below it the rest, cut in the same way."""
    longest = max(map(len, block))
    while longest > width:
        padded = [line.ljust(longest) for line in block]
        cut = _cut(padded, width)
        yield from (line[:cut].rstrip() for line in padded)
        yield ""
        block = [line[cut:].rstrip() for line in padded]
        longest = max(map(len, block))
    yield from block


def _cut(padded: Sequence[str], width: int) -> int:
    """Return where to cut: at the last gutter of all lines, or else at the last column that is blank in all."""
    for gap in (GUTTER, " "):
        for at in range(width, width // 2, -1):
            if all(line[at - len(gap) : at] == gap for line in padded):
                return at
    return width
