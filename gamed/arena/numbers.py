"""Numbers that a bot tells of itself: lines `[gamed] NAME = NUMBER` on its standard error.

Source: docs/reference/play.md#a-bots-own-numbers.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Final

from attrs import define, field

MARK: Final = b"[gamed] "
LINE: Final = re.compile(rb"^\[gamed\] (\w[\w.-]{0,29}) = ([-+0-9.eE]{1,24})[ \t\r]*$", re.MULTILINE)
LONGEST: Final = 200
"""Bytes of a line that has not ended which are kept: the first ones. A longer one is no such line."""

NAMES: Final = 20
"""Different names a game."""

MOST: Final = 1_000
"""Numbers a game; later ones are not kept. All of them fit into the evidence, with 45 bytes at most for each."""


@define
class Numbers:
    """The numbers of one bot in one game."""

    found: dict[str, list[tuple[int, float]]] = field(factory=dict)
    """By their names, in their order: when each came, in milliseconds on the monotonic clock, and the number."""

    _count: int = 0
    _rest: bytes = b""

    def add(self, data: bytes, at: int) -> None:
        """Take what the bot has written."""
        text = self._rest + data
        ended = text.rfind(b"\n") + 1
        self._rest = text[ended : ended + LONGEST]
        if self._count < MOST and MARK in text:
            for line in LINE.finditer(text[:ended]):
                self._take(line[1].decode(), line[2].decode(), at)

    def _take(self, name: str, text: str, at: int) -> None:
        try:
            number = float(text)
        except ValueError:
            return
        if self._count < MOST and isfinite(number) and (name in self.found or len(self.found) < NAMES):
            self._count += 1
            self.found.setdefault(name, []).append((at, number))
