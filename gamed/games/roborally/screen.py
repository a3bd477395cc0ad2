"""Fits the picture of a game to the size of a terminal.

If the board is too wide, its fields are drawn narrower; if it still does not fit, the part around the last change is
shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import Any, Final

from attrs import frozen

from gamed.core.texts import printable
from gamed.games.roborally.rules.elements import Place
from gamed.games.roborally.text_course import (
    LEGEND,
    MARGIN,
    NARROW,
    NARROW_LEGEND,
    WIDE,
    Course,
    board_lines,
    flat_lines,
    robot_lines,
)

LEAST: Final = 3
"""The fewest lines of the board that are shown, however low the terminal is: a row and its neighbours."""

BLANKS: Final = 2
"""Blank lines before and after the lines of the robots, if there is room for a legend."""

COLORS: Final = (32, 31, 33, 36, 35, 34, 97, 91)
"""The colours of the robots as codes of ANSI terminals, in the order of their letters."""

_ROBOT: Final = re.compile(r"([A-Ha-h])([\^>v<&]?)")
"""A robot on a line of a board. Nothing else there is one of these letters."""

_ROBOT_LINE: Final = re.compile(r"^([A-H])( \S+)")

UNBOUNDED: Final = 1_000_000
"""More columns and lines than any picture has: no limit."""


@frozen
class Frame:
    """A position that a viewer wants shown."""

    caption: str
    """What has happened, and when, in one line."""

    facts: dict[str, Any]
    """The whole frame as JSON-ready data."""

    course: Course
    flags: Sequence[Place]

    focus: Place
    """The field that must be visible if the board does not fit."""

    def drawn(self, width: int, height: int, *, colored: bool) -> str:
        """Return the frame as text for a terminal of this size, whose last line is left to the cursor."""
        found = fitted(self, width, height)
        if colored:
            found = Screen(
                f"\x1b[1m{printable(found.caption)}\x1b[0m",
                [_ROBOT.sub(_colored, printable(line)) for line in found.board],
                [_ROBOT_LINE.sub(_colored, printable(line)) for line in found.robots],
                found.legend,
            )
            return "\n".join(all_lines(found))
        return "\n".join(map(printable, all_lines(found)))


def _colored(robot: re.Match[str]) -> str:
    letter, more = robot.groups()
    return f"\x1b[{COLORS[ord(letter.upper()) - ord('A')]}m\x1b[1m{letter}{more}\x1b[0m"


@frozen
class Screen:
    """The lines of a frame, by what they show."""

    caption: str
    board: Sequence[str]
    robots: Sequence[str]
    legend: Sequence[str]


def fitted(frame: Frame, width: int = UNBOUNDED, height: int = UNBOUNDED) -> Screen:
    """Return the lines for a terminal of this size. They leave its last line to the cursor."""
    cell = WIDE if MARGIN + WIDE * frame.course.width + 1 <= width else NARROW
    robots = list(frame.facts["robots"].items())
    board = board_lines(frame.course, frame.flags, robots, cell)
    described = [line[:width] for line in robot_lines(robots, frame.facts["played"])]
    legend = wrap(LEGEND if cell == WIDE else NARROW_LEGEND, width)
    # The caption and the cursor take a line each.
    free = height - 2 - len(described)
    if len(board) + len(legend) + BLANKS > free:
        legend = []
    if len(board) - 1 > free:
        # Without the lines for walls more of the board fits. The numbers of the columns are not repeated below it.
        flat = flat_lines(frame.course, frame.flags, robots, cell)
        board = flat if len(flat) <= free else board
    rows = _rows(board, frame.focus[1], max(free, LEAST))
    return Screen(frame.caption[:width], _columns(rows, frame.focus[0] * cell, width - MARGIN), described, legend)


def all_lines(screen: Screen) -> list[str]:
    """Return the lines of a screen from the top to the bottom."""
    if not screen.legend:
        return [screen.caption, *screen.board, *screen.robots]
    return [screen.caption, *screen.board, "", *screen.robots, "", *screen.legend]


def _rows(lines: Sequence[str], y: int, most: int) -> Sequence[str]:
    """Return all lines if they fit, else the numbers of the columns and the lines around a row."""
    if len(lines) <= most:
        return lines
    numbers, *rows = lines[:-1]
    at = next((index for index, line in enumerate(rows) if line.startswith(f"{y:>{MARGIN}}")), 0)
    return [numbers, *_around(rows, at, most - 1)]


def _columns(lines: Sequence[str], at: int, most: int) -> Sequence[str]:
    """Return the lines whole if they fit, else the numbers of the rows and the parts around a column."""
    length = max(map(len, lines)) - MARGIN
    padded = [line.ljust(length + MARGIN) for line in lines]
    return [line[:MARGIN] + "".join(_around(line[MARGIN:], at, most)).rstrip() for line in padded]


def _around(items: Sequence[str], at: int, most: int) -> Sequence[str]:
    first = max(0, min(at - most // 2, len(items) - most))
    return items[first : first + most]
