"""A picture fitted to a terminal: narrower fields where they do not fit, and else the part of the board that matters.

What the lines are coloured with is the terminal's affair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from attrs import frozen

from gamed.games.roborally import messages as m
from gamed.games.roborally.rules.board import Board, Place
from gamed.games.roborally.text_course import (
    LEGEND,
    MARGIN,
    NARROW,
    NARROW_LEGEND,
    WIDE,
    board_lines,
    flat_lines,
    robot_lines,
)

LEAST: Final = 3
"""Lines of the board that are shown in the lowest terminal: a row with what is north and south of it."""

BLANKS: Final = 2
"""Blank lines around what is told of the robots, where there is room for a legend."""

UNBOUNDED: Final = 1_000_000
"""More columns and lines than a picture has."""


@frozen
class Frame:
    """What a viewer wants shown."""

    # What has happened, and when: one line.
    caption: str
    # The same and all else as JSON-ready data.
    facts: dict[str, Any]
    board: Board
    flags: Sequence[Place]
    robots: Mapping[str, m.RobotAnswer | m.RobotGone]
    # The cards that were shown in this turn, by the player's name.
    played: Mapping[str, Sequence[m.ProgramCard]]
    # The field that must be seen where not all of the board can be.
    focus: Place


@frozen
class Screen:
    """The lines of a frame, by what they show."""

    caption: str
    board: Sequence[str]
    robots: Sequence[str]
    legend: Sequence[str]


def fitted(frame: Frame, width: int = UNBOUNDED, height: int = UNBOUNDED) -> Screen:
    """Return the lines that a terminal of this size can show, without its last line, where the cursor stands."""
    cell = WIDE if MARGIN + WIDE * frame.board.width + 1 <= width else NARROW
    robots = list(frame.robots.items())
    board = board_lines(frame.board, frame.flags, robots, cell)
    described = [line[:width] for line in robot_lines(robots, frame.played)]
    legend = wrap(LEGEND if cell == WIDE else NARROW_LEGEND, width)
    # The caption and the cursor take a line each.
    free = height - 2 - len(described)
    if len(board) + len(legend) + BLANKS > free:
        legend = []
    if len(board) - 1 > free:
        # Without the lines of the walls more of it can be seen; the columns' numbers need not stand there twice.
        flat = flat_lines(frame.board, frame.flags, robots, cell)
        board = flat if len(flat) <= free else board
    rows = _rows(board, frame.focus[1], max(free, LEAST))
    return Screen(frame.caption[:width], _columns(rows, frame.focus[0] * cell, width - MARGIN), described, legend)


def all_lines(screen: Screen) -> list[str]:
    """Return the lines of a screen from the top to the bottom."""
    if not screen.legend:
        return [screen.caption, *screen.board, *screen.robots]
    return [screen.caption, *screen.board, "", *screen.robots, "", *screen.legend]


def _rows(lines: Sequence[str], y: int, most: int) -> Sequence[str]:
    """Return the lines with the columns' numbers and, where not all fit, those around a row."""
    if len(lines) <= most:
        return lines
    numbers, *rows = lines[:-1]
    at = next((index for index, line in enumerate(rows) if line.startswith(f"{y:>{MARGIN}}")), 0)
    return [numbers, *_around(rows, at, most - 1)]


def _columns(lines: Sequence[str], at: int, most: int) -> Sequence[str]:
    """Return the lines with the rows' numbers and, where not all fit, what is around a column."""
    length = max(map(len, lines)) - MARGIN
    padded = [line.ljust(length + MARGIN) for line in lines]
    return [line[:MARGIN] + "".join(_around(line[MARGIN:], at, most)).rstrip() for line in padded]


def _around(items: Sequence[str], at: int, most: int) -> Sequence[str]:
    first = max(0, min(at - most // 2, len(items) - most))
    return items[first : first + most]
