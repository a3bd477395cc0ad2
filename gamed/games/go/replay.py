"""Replay the tree of a game on a board, to check it by the rules or to reach a position.

Source: docs/reference/records.md#gofans. The board is not copied: to go back to a variation, moves are undone.

Two passes in a row end a game, but records may have moves after them, if the players resumed the game to settle which
stones are dead. So these moves are legal here. `after_end` finds them, so that users can be told.

A record that lists the stones that each move removes is played by that: it was made so that programs need not know the
rules of capture. `differences` finds the moves that remove other stones than the rules would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice, pairwise
from typing import Final

from gamed.core.errors import TOO_MUCH_WORK, IllegalMove, RuleError
from gamed.games.go.board import Board, ruleset
from gamed.games.go.tree import GoGame, Node, Point

MOST_EFFORT: Final = 500_000
"""The most cells that may be visited to find the captures in one tree; real games need thousands."""


class IllegalRecordMove(IllegalMove):
    """The rules reject a move of a record. `code` is that of the rule; `move` is the move's number in its line."""

    node: Node
    """The move."""

    def __init__(self, error: RuleError, number: int, node: Node) -> None:
        super().__init__(f"{_place(number, node)}: {error}", code=error.code, move=number)
        self.node = node


def removes(game: GoGame) -> Iterator[tuple[Node, tuple[Point, ...]]]:
    """Yield each move of the tree, a move before its continuations, with the points of its captures by the rules.

    `Node.removes` is ignored. Raises InvalidMove for an invalid setup, and IllegalRecordMove at the first illegal move.
    """
    for _, node, captured in _played(game, _by_rules):
        yield node, captured


def differences(game: GoGame) -> Iterator[str]:
    """Play a game by `Node.removes`, where it is known; yield a sentence for each move that the rules play otherwise.

    Raises the same errors as `removes`.
    """
    for number, node, captured in _played(game, _by_record):
        if node.removes is not None and tuple(sorted(node.removes, key=_row)) != captured:
            yield (
                f"{_place(number, node)}: it removes {_listed(node.removes)}, "
                f"but by the rules it captures {_listed(captured)}"
            )


def dropped_removes(game: GoGame) -> list[str]:
    """Return a list with a sentence on what is lost without `Node.removes`; an empty list if the rules say the same.

    Raises nothing: a game that the rules reject says so when it is read again.
    """
    if all(node.removes is None for _, node in game.walk()):
        return []
    count = 0
    with suppress(RuleError):
        for _ in differences(game):
            count += 1
    if not count:
        return []
    moves = "1 move removes" if count == 1 else f"{count} moves remove"
    return [f"{moves} other stones than the rules capture; without the list of them, other stones are removed"]


def _by_rules(board: Board, node: Node, side: str) -> tuple[Point, ...]:
    return board.play(node.point, side)


def _by_record(board: Board, node: Node, side: str) -> tuple[Point, ...]:
    """Play a move as the record has it; return what it captures by the rules."""
    if node.removes is None:
        return board.play(node.point, side)
    try:
        captured = board.play(node.point, side)
    except IllegalMove as error:
        # Other rules than ours let a stone that has no liberty remove its own group.
        if error.code != "suicide" or not node.removes:
            raise
        captured = ()
    else:
        if tuple(sorted(node.removes, key=_row)) == captured:
            return captured
        board.undo()
    board.place(node.point, side, node.removes)
    return captured


def _played(
    game: GoGame, play: Callable[[Board, Node, str], tuple[Point, ...]]
) -> Iterator[tuple[int, Node, tuple[Point, ...]]]:
    side = sides(game)
    board = Board.start(game.size, game.setup, ruleset(game.rules))
    last = 0
    for depth, node in game.walk():
        for _ in range(last - depth):
            board.undo()
        last = depth + 1
        try:
            captured = play(board, node, side(node))
        except RuleError as error:
            raise IllegalRecordMove(error, depth + 1, node) from error
        if board.effort > MOST_EFFORT:
            tired = RuleError("finding the captures would take too much time", code=TOO_MUCH_WORK)
            raise IllegalRecordMove(tired, depth + 1, node)
        yield depth + 1, node, captured


def positions(game: GoGame, move: int | None = None) -> Board:
    """Return the board after `move` moves of the main line (None, or more than there are: all of them).

    If `Node.removes` of a move is known, these stones are removed without checking the rules; other moves are played by
    the rules. Raises the same errors as `removes`.
    """
    side = sides(game)
    board = Board.start(game.size, game.setup, ruleset(game.rules))
    for number, node in enumerate(islice(game.main_line(), move), 1):
        try:
            if node.removes is None:
                board.play(node.point, side(node))
            else:
                board.place(node.point, side(node), node.removes)
        except RuleError as error:
            raise IllegalRecordMove(error, number, node) from error
    return board


def after_end(game: GoGame) -> int | None:
    """Return the number of the first move of the main line that follows two passes in a row, or None."""
    passes = (node.point is None for node in game.main_line())
    ended = next((number for number, pair in enumerate(pairwise(passes), 2) if all(pair)), None)
    if ended is None or next(islice(game.main_line(), ended, None), None) is None:
        return None
    return ended + 1


def sides(game: GoGame) -> Callable[[Node], str]:
    """Return a function that returns the side of a move, to which its stone belongs: usually the colour.

    Without colours, and in one-colour Go, where both players use the same stones, each player is a side, which is
    called "player 0".
    """
    colors = {player.id: player.color for player in game.players}
    if _is_one_coloured(game, colors):
        return lambda node: f"player {node.player}"
    return lambda node: node.color or colors.get(node.player) or f"player {node.player}"


def _is_one_coloured(game: GoGame, colors: dict[int, str | None]) -> bool:
    """Whether several players place stones, and all stones have the same colour."""
    seen: set[str | None] = set()
    players: set[int] = set()
    for _, node in game.walk():
        if node.point is not None:
            seen.add(node.color or colors.get(node.player))
            players.add(node.player)
            if len(seen) > 1:
                return False
    return len(players) > 1


def _place(number: int, node: Node) -> str:
    where = "pass" if node.point is None else f"({node.point.x},{node.point.y})"
    return f"move {number}, player {node.player}, {where}"


def _row(point: Point) -> tuple[int, int]:
    return point.y, point.x


def _listed(points: tuple[Point, ...]) -> str:
    return " ".join(f"({x},{y})" for x, y in points) or "nothing"
