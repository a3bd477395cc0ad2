"""A Go game as it is written down by hand: moves, taking back, variations, comments.

Source: records.md 4; issue 3 (`gamed record`). Pure: lines of text go in and sentences come out. Moves are played by
the rules, so that the record knows what each one takes (GoFans 2.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final

import attrs
from attrs import define, field

from gamed.errors import InvalidMove
from gamed.games.go.board import FIRST_COLORS, Board, ruleset
from gamed.games.go.picture import draw, name
from gamed.games.go.tree import GoGame, Node, Point

RESIGNED: Final = -1.0


@define(slots=False)
class Recorder:
    """A game of two that is being recorded. `line`: the moves from the start up to where the recorder stands."""

    game: GoGame
    line: list[Node] = field(factory=list)
    board: Board = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.board = Board.start(self.game.size, self.game.setup, ruleset(self.game.rules))

    @cached_property
    def points(self) -> Mapping[str, Point]:
        """The points by their names, such as D4."""
        lines = range(1, self.game.size + 1)
        return {name(Point(x, y), self.game.size): Point(x, y) for x in lines for y in lines}

    @property
    def to_move(self) -> int:
        """The player to move: the other one; at the start black, or white if there is a handicap."""
        return 1 - self.line[-1].player if self.line else int(bool(self.game.setup))

    @property
    def following(self) -> list[Node]:
        """The moves that are recorded after this one."""
        return self.line[-1].children if self.line else self.game.roots

    def enter(self, text: str) -> str:
        """Do what a line says, and return what to tell. Raises RuleError, and then nothing has changed."""
        word, _, rest = text.strip().partition(" ")
        if word.upper() in self.points and not rest:
            return self._play(self.points[word.upper()])
        action = self._actions.get(word.lower())
        if action is None:
            raise InvalidMove(f"enter a point such as D4, or one of: {', '.join(self._actions)}")
        return action(rest.strip())

    @cached_property
    def _actions(self) -> Mapping[str, Callable[[str], str]]:
        return {
            "pass": lambda _: self._play(None),
            "resign": lambda _: self._resign(),
            "undo": lambda _: self._undo(),
            "back": lambda _: self._back(),
            "forward": lambda _: self._forward(),
            "comment": self._comment,
            "title": self._title,
            "show": lambda _: self.picture(),
        }

    def _play(self, point: Point | None) -> str:
        player = self.to_move
        taken = self.board.play(point, FIRST_COLORS[player])
        known = next((node for node in self.following if node.point == point), None)
        if known is None:
            is_variation = bool(self.following)
            known = Node(player, point, removes=taken)
            self.following.append(known)
            self.line.append(known)
            return f"{self.place}, a variation" if is_variation else self.place
        self.line.append(known)
        return f"{self.place}, as recorded"

    def _resign(self) -> str:
        if self.following:
            raise InvalidMove("a player resigns at the end of a line")
        player = self.to_move
        self._play(None)
        self._set_points({player: RESIGNED})
        return f"{self.game.players[player].name or FIRST_COLORS[player]} resigns"

    def _set_points(self, points: Mapping[int, float]) -> None:
        players = (attrs.evolve(player, points=points.get(player.id)) for player in self.game.players)
        self.game.players = tuple(players)

    def _undo(self) -> str:
        node = self._left()
        # Equal moves are told apart by what they are, not by what they look like.
        self.following[:] = [other for other in self.following if other is not node]
        if self.game.players[node.player].points == RESIGNED:
            self._set_points({})
        return f"taken back: {self.place}"

    def _back(self) -> str:
        self._left()
        return f"{self.place}: another move than the recorded one begins a variation"

    def _left(self) -> Node:
        if not self.line:
            raise InvalidMove("no move was made yet")
        self.board.undo()
        return self.line.pop()

    def _forward(self) -> str:
        if not self.following:
            raise InvalidMove("nothing is recorded after this move")
        return self._play(self.following[0].point)

    def _comment(self, text: str) -> str:
        if self.line:
            self.line[-1].comment = text or None
        else:
            self.game.comment = text or None
        return "noted"

    def _title(self, text: str) -> str:
        self.game.title = text or None
        return "noted"

    @property
    def place(self) -> str:
        """Where the recorder stands, in words."""
        if not self.line:
            return "the start"
        node = self.line[-1]
        move = "pass" if node.point is None else name(node.point, self.game.size)
        return f"move {len(self.line)}, {FIRST_COLORS[node.player]} {move}"

    def picture(self) -> str:
        """Return the board as text."""
        return draw(self.board, self.line[-1].point if self.line else None)
