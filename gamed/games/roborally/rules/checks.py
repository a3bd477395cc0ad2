"""What is wrong with a board or its flags although their notation is right.

Source: docs/specs/roborally.md#52-checks-of-a-tile, docs/specs/roborally.md#56-flags.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from attrs import frozen

from gamed.games.roborally.rules.board import (
    DX,
    DY,
    LETTERS,
    Belt,
    Board,
    Device,
    Direction,
    Pit,
    Place,
    Plain,
    Pusher,
    Repair,
    Turn,
)

LEAST_FLAGS = 2


@frozen
class BoardFinding:
    """Something that a board's author should change."""

    code: str
    """C1..C3 or F1..F5 for errors, W1..W7 for warnings."""

    place: Place | None
    """The field; None if the finding does not concern a single field."""

    text: str
    """What is wrong, and what to do about it."""

    @property
    def is_error(self) -> bool:
        """Whether the file is refused."""
        return self.code[0] != "W"

    def __str__(self) -> str:
        return f"{self.code} {self.place}: {self.text}" if self.place else f"{self.code}: {self.text}"


def check_tile(tile: Board) -> list[BoardFinding]:
    """Return what is wrong with a tile, errors first."""
    return sorted([*_outer_devices(tile), *check_board(tile)], key=_rank)


def check_board(board: Board) -> list[BoardFinding]:
    """Return what is wrong with a board, errors first; belts that meet across the border of two tiles included."""
    found = [*_devices(board)]
    for place, pushers in board.pushers.items():
        found += _pushers(place, [pusher for _, pusher in pushers])
    for place, belt in board.belts.items():
        found += [*_turns(place, belt), *_crusher(place, belt), *_way(board, place, belt)]
    return sorted(found, key=_rank)


def check_flags(board: Board, flags: Sequence[Place]) -> list[BoardFinding]:
    """Return what is wrong with the flags of a course."""
    return [*_flag_list(flags), *_flag_fields(board, flags), *_start(board, flags)]


def _rank(finding: BoardFinding) -> tuple[str, Place]:
    return finding.code, finding.place or (0, 0)


def _outer_devices(tile: Board) -> Iterator[BoardFinding]:
    for (x, y), wall in tile.vertical.items():
        if (x == 1 and wall.left) or (x > tile.width and wall.right):
            yield _outer_device((min(x, tile.width), y))
    for (x, y), wall in tile.horizontal.items():
        if (y == 1 and wall.right) or (y > tile.height and wall.left):
            yield _outer_device((x, min(y, tile.height)))


def _outer_device(place: Place) -> BoardFinding:
    text = "a device hangs outside of the tile: write it on the other side of the wall, or in the neighbouring tile"
    return BoardFinding("C2", place, text)


def _devices(board: Board) -> Iterator[BoardFinding]:
    for place, side, device in board.devices:
        if not board.is_walled(*place, side):
            text = f"the {_name(device)} at the side {LETTERS[side]} has no wall to hang on: write # for _"
            yield BoardFinding("C1", place, text)
        if isinstance(board.floor(*place), Pit):
            yield BoardFinding("W1", place, f"the {_name(device)} hangs over a pit: move it, or fill the pit")


def _name(device: Device) -> str:
    return "pusher" if isinstance(device, Pusher) else "laser"


def _pushers(place: Place, pushers: Sequence[Pusher]) -> Iterator[BoardFinding]:
    for pusher in pushers:
        if not pusher.phases:
            yield BoardFinding("W2", place, "the pusher has no phases: give it some, or remove it")
        if not _ascends(pusher.phases):
            yield BoardFinding("W2", place, "the pusher's phases are not ascending: sort them, each once")
    counts = Counter(phase for pusher in pushers for phase in set(pusher.phases))
    shared = sorted(phase for phase, count in counts.items() if count > 1)
    if shared:
        numbers = ", ".join(map(str, shared))
        text = f"two pushers on one field cancel each other in phase {numbers}: give them different phases"
        yield BoardFinding("W3", place, text)


def _crusher(place: Place, belt: Belt) -> Iterator[BoardFinding]:
    if not _ascends(belt.crush):
        yield BoardFinding("W2", place, "the crusher's phases are not ascending: sort them, each once")


def _ascends(phases: Sequence[int]) -> bool:
    return all(earlier < later for earlier, later in pairwise(phases))


def _turns(place: Place, belt: Belt) -> Iterator[BoardFinding]:
    counts = Counter(side for side, _ in belt.turns)
    for side in (side for side, count in counts.items() if count > 1):
        yield BoardFinding("C3", place, f"the belt has two turns for the side {LETTERS[side]}: keep one of them")
    for side, turn in belt.turns:
        text = _odd_turn(belt.direction, side, turn)
        if text:
            yield BoardFinding("W4", place, text)


def _odd_turn(direction: Direction, side: Direction, turn: Turn) -> str | None:
    letter = LETTERS[side]
    if side is direction:
        return f"the belt turns what comes from {letter}, where it carries to: remove the turn"
    if side is direction.opposite:
        return f"the belt turns what comes straight from {letter}: remove the turn"
    natural = _natural_turn(side.opposite, direction)
    if turn != natural:
        return f"the belt turns what comes from {letter} against its own bend: write D({natural})"
    return None


def _natural_turn(before: Direction, after: Direction) -> Turn:
    return "R" if after is before.right else "L"


def _way(board: Board, place: Place, belt: Belt) -> Iterable[BoardFinding]:
    direction = belt.direction
    if board.is_walled(*place, direction):
        text = f"the belt runs into a wall at {LETTERS[direction]}: remove the wall, or turn the belt"
        return [BoardFinding("W5", place, text)]
    ahead = (place[0] + DX[direction], place[1] + DY[direction])
    following = board.belts.get(ahead)
    return [] if following is None else _joint(place, belt, ahead, following)


def _joint(place: Place, belt: Belt, ahead: Place, following: Belt) -> Iterator[BoardFinding]:
    side = belt.direction.opposite
    if following.direction is side:
        # Both belts are checked: report the pair once, at the western or southern one.
        if place < ahead:
            yield BoardFinding(
                "W6", place, f"the belt and the one at {ahead} carry towards each other: turn one of them"
            )
    elif following.direction is not belt.direction and following.turn(side) is None:
        turn = _natural_turn(belt.direction, following.direction)
        text = f"it joins the belt at {ahead} round a corner: add ({LETTERS[side]},D({turn})) there"
        yield BoardFinding("W7", place, text)


def _flag_list(flags: Sequence[Place]) -> Iterator[BoardFinding]:
    if len(flags) < LEAST_FLAGS:
        yield BoardFinding("F1", None, f"a course has at least {LEAST_FLAGS} flags: add some")
    for place, count in Counter(flags).items():
        if count > 1:
            yield BoardFinding("F2", place, "two flags stand on one field: move one of them")


def _flag_fields(board: Board, flags: Sequence[Place]) -> Iterator[BoardFinding]:
    for place in flags:
        if place not in board.covered:
            yield BoardFinding("F3", place, "the flag is not on a tile: move it")
        elif isinstance(board.floor(*place), Pit):
            yield BoardFinding("F4", place, "the flag is in a pit: move it")


def _start(board: Board, flags: Sequence[Place]) -> Iterator[BoardFinding]:
    if not flags or flags[0] not in board.covered:
        return
    start = flags[0]
    has_device = any(board.device(*start, side) for side in Direction)
    if has_device or not isinstance(board.floor(*start), (Plain, Repair, Pit)):
        text = "the start flag must be on a field B or R(n) without devices: move it"
        yield BoardFinding("F5", start, text)
