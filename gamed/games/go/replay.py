"""Walking the tree of a game over a board: judging it by the rules, and reaching its positions.

Source: docs/reference/records.md#gofans. No copy of the board is made: where the walk goes back to a variation, the
moves are taken back.

Two passes in a row end a game, but records go on after them, where the players resumed to settle what is dead.
So a move after two passes is legal here; `after_end` finds it for those who want to tell the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Final

from gamed.core.errors import IllegalMove, RuleError
from gamed.games.go.board import Board, ruleset
from gamed.games.go.tree import GoGame, Node, Point

MOST_EFFORT: Final = 500_000
"""How many cells may be looked at to find what the moves of one tree take; real games need thousands."""

TOO_MUCH_WORK: Final = "too-much-work"
"""The code of the error where they are not enough. It says nothing about the move."""


class IllegalRecordMove(IllegalMove):
    """A move of a record that the rules refuse; `code` is the rule's, or "wrong-removes".

    `number`: which move of its line it is, from 1; `node`: the move.
    """

    def __init__(self, error: RuleError, number: int, node: Node) -> None:
        where = "pass" if node.point is None else f"({node.point.x},{node.point.y})"
        super().__init__(f"move {number}, player {node.player}, {where}: {error}", code=error.code)
        self.number = number
        self.node = node


def removes(game: GoGame) -> Iterator[tuple[Node, tuple[Point, ...]]]:
    """Yield each move of the tree, a move before its continuations, with the points that it takes by the rules.

    What the tree itself says of removes is not looked at. Raises InvalidMove for a setup that is none, and
    IllegalRecordMove at the first move that is refused.
    """
    for _, node, removed in _played(game):
        yield node, removed


def replay(game: GoGame) -> Iterator[tuple[Node, tuple[Point, ...]]]:
    """Judge a whole tree: as `removes`, and the removes that it has must be what the rules take ("wrong-removes")."""
    for number, node, removed in _played(game):
        if node.removes is not None and node.removes != removed and tuple(sorted(node.removes, key=_row)) != removed:
            text = f"removes {_listed(node.removes)} where the rules take {_listed(removed)}"
            raise IllegalRecordMove(IllegalMove(text, code="wrong-removes"), number, node)
        yield node, removed


def _played(game: GoGame) -> Iterator[tuple[int, Node, tuple[Point, ...]]]:
    side = sides(game)
    board = Board.start(game.size, game.setup, ruleset(game.rules))
    last = 0
    for depth, node in game.walk():
        for _ in range(last - depth):
            board.undo()
        last = depth + 1
        try:
            removed = board.play(node.point, side(node))
        except RuleError as error:
            raise IllegalRecordMove(error, depth + 1, node) from error
        if board.effort > MOST_EFFORT:
            tired = RuleError("to find what its moves take would cost too much time", code=TOO_MUCH_WORK)
            raise IllegalRecordMove(tired, depth + 1, node)
        yield depth + 1, node, removed


def positions(game: GoGame, move: int | None = None) -> Board:
    """Return the board after so many moves of the main line (None, or more than there are: all of them).

    Where a move says what it removes, that is used and nothing else; the others are played by the rules.
    Raises as `removes` does.
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
    """Return what says whose stone a move plays: its colour, or its player where colours do not tell.

    They do not where there are none, and in a one-coloured game: there, the player decides. Such a side is
    called "player 0".
    """
    colors = {player.id: player.color for player in game.players}
    if _is_one_coloured(game, colors):
        return lambda node: f"player {node.player}"
    return lambda node: node.color or colors.get(node.player) or f"player {node.player}"


def _is_one_coloured(game: GoGame, colors: dict[int, str | None]) -> bool:
    """Return whether different players place stones, and all of one colour."""
    seen: set[str | None] = set()
    players: set[int] = set()
    for _, node in game.walk():
        if node.point is not None:
            seen.add(node.color or colors.get(node.player))
            players.add(node.player)
            if len(seen) > 1:
                return False
    return len(players) > 1


def _row(point: Point) -> tuple[int, int]:
    return point.y, point.x


def _listed(points: tuple[Point, ...]) -> str:
    return " ".join(f"({x},{y})" for x, y in points) or "nothing"
