"""Courses: tiles put together, with flags, lives and numbers of players.

Source: docs/specs/roborally.md#54-files, docs/specs/roborally.md#56-flags.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from gamed.core.errors import GamedError
from gamed.games.roborally.rules.board import LARGEST, Board, NotationError, Place
from gamed.games.roborally.rules.checks import BoardFinding, check_flags, check_tile
from gamed.games.roborally.rules.tiles import ROTATIONS, CompositionError, PlacedTile, compose, parse_tile

MOST_LIVES: Final = 3
MOST_PLAYERS: Final = 8

_COURSE_KEYS: Final = {"name", "tiles", "flags"}
_LIMIT_KEYS: Final = {"lives", "min_players", "max_players"}
_TILE_KEYS: Final = {"file", "at", "rot"}


class CourseError(GamedError):
    """A course file cannot be used. The message names the key or tile, and says what to write instead."""


@frozen
class Limits:
    """How many lives and players a game on a course has."""

    lives: int = 3
    """1..3."""

    min_players: int = 2
    """1..8."""

    max_players: int = 8
    """1..8, and not less than `min_players`."""


@frozen
class Course:
    """A course: a board with flags and limits."""

    name: str
    board: Board

    flags: tuple[Place, ...]
    """The places of the flags, in the order in which robots must touch them; the first is the start flag."""

    limits: Limits


def parse_course(text: str, read_tile: Callable[[str], str], limits: Limits) -> Course:
    """Return the course of a file's text. Raises CourseError.

    `read_tile` returns the text of the tile with the name under "file"; its exceptions are not caught here. `limits`
    are the defaults for limits that the file does not set.
    """
    data = _loaded(text)
    board = _board(data["tiles"], read_tile)
    flags = _flags(data["flags"])
    _refuse("flags", check_flags(board, flags))
    return Course(_name(data["name"]), board, flags, _limits(data, limits))


def _loaded(text: str) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CourseError(f"this is not JSON: {error}") from error
    return _checked_keys("the course", data, _COURSE_KEYS, _LIMIT_KEYS)


def _checked_keys(what: str, data: object, needed: set[str], possible: Collection[str] = ()) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise CourseError(f'{what} is not an object: write {{"{min(needed)}": ...}}')
    missing = sorted(needed - data.keys())
    if missing:
        raise CourseError(f"{what} lacks the key {missing[0]!r}: add it")
    unknown = sorted(data.keys() - needed - set(possible))
    if unknown:
        raise CourseError(f"{what} has the unknown key {unknown[0]!r}: remove it")
    return data


def _name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise CourseError("name: write the name of the course")
    return name


def _board(entries: object, read_tile: Callable[[str], str]) -> Board:
    if not isinstance(entries, list):
        raise CourseError("tiles: write a list of tiles")
    try:
        return compose([_placed(number, entry, read_tile) for number, entry in enumerate(entries, 1)])
    except CompositionError as error:
        raise CourseError(f"tiles: {error}") from error


def _placed(number: int, entry: object, read_tile: Callable[[str], str]) -> PlacedTile:
    what = f"tile {number}"
    data = _checked_keys(what, entry, _TILE_KEYS)
    if not isinstance(data["file"], str):
        raise CourseError(f"{what}: write the name of a file under 'file'")
    # Without the check of the type, false and 90.0 would be taken, too.
    if type(data["rot"]) is not int or data["rot"] not in ROTATIONS:
        raise CourseError(f"{what}: write 0, 90, 180 or 270 under 'rot'")
    return PlacedTile(_tile(data["file"], read_tile), _place(f"{what}, 'at'", data["at"]), data["rot"])


def _tile(file: str, read_tile: Callable[[str], str]) -> Board:
    try:
        tile = parse_tile(read_tile(file))
    except NotationError as error:
        raise CourseError(f"{file}: {error}") from error
    _refuse(file, check_tile(tile))
    return tile


def _refuse(what: str, findings: Sequence[BoardFinding]) -> None:
    errors = [str(finding) for finding in findings if finding.is_error]
    if errors:
        raise CourseError(f"{what}: {'; '.join(errors)}")


def _flags(entries: object) -> tuple[Place, ...]:
    if not isinstance(entries, list):
        raise CourseError("flags: write a list of places, [[x, y], ...]")
    return tuple(_place(f"flag {number}", entry) for number, entry in enumerate(entries, 1))


def _place(what: str, entry: object) -> Place:
    if isinstance(entry, list) and len(entry) == len(("x", "y")) and all(_is_within(part, LARGEST) for part in entry):
        return entry[0], entry[1]
    raise CourseError(f"{what}: write a place as [x, y], both 1..{LARGEST}")


def _is_within(number: object, most: int) -> bool:
    return type(number) is int and 1 <= number <= most


def _limits(data: Mapping[str, Any], given: Limits) -> Limits:
    found = Limits(
        _limit(data, "lives", given.lives, MOST_LIVES),
        _limit(data, "min_players", given.min_players, MOST_PLAYERS),
        _limit(data, "max_players", given.max_players, MOST_PLAYERS),
    )
    if found.min_players > found.max_players:
        raise CourseError(f"min_players: {found.min_players} is more than max_players, {found.max_players}")
    return found


def _limit(data: Mapping[str, Any], key: str, given: int, most: int) -> int:
    limit = data.get(key, given)
    if not _is_within(limit, most):
        raise CourseError(f"{key}: write a number 1..{most}")
    return int(limit)
