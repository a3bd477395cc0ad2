"""An editor for Go records: add and undo moves, and enter variations and comments.

Source: docs/reference/records.md#gofans. It does no I/O: a terminal passes lines of text to `enter`, a browser calls
the other methods; both get sentences to show. Moves are played by the rules, which give the captures that GoFans 2.2
needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import attrs
from attrs import define, field

from gamed.core.errors import InvalidMove, RuleError
from gamed.games.go.board import BLACK, FIRST_COLORS, Board, ruleset
from gamed.games.go.hoshi import handicap
from gamed.games.go.text_board import draw
from gamed.games.go.tree import RESIGNED, GoGame, Node, Point, Stone, name


@define(slots=False)
class Recorder:
    """A game of two players that is being recorded."""

    game: GoGame

    line: list[Node] = field(factory=list)
    """The moves from the start to the current position."""

    board: Board = field(init=False)
    """The current position."""

    def __attrs_post_init__(self) -> None:
        self.board = Board.start(self.game.size, self.game.setup, ruleset(self.game.rules))

    @cached_property
    def points(self) -> Mapping[str, Point]:
        """The points by name, such as D4."""
        lines = range(1, self.game.size + 1)
        return {name(Point(x, y), self.game.size): Point(x, y) for x in lines for y in lines}

    @property
    def to_move(self) -> int:
        """The player to move. Black begins, but white if only black has stones in the setup, as with a handicap."""
        if self.line:
            return 1 - self.line[-1].player
        return int({stone.color for stone in self.game.setup} == {BLACK})

    @property
    def following(self) -> list[Node]:
        """The recorded moves that continue the current position."""
        return self.line[-1].children if self.line else self.game.roots

    def enter(self, text: str) -> str:
        """Execute a line of text, and return a sentence to show. Raises RuleError, and then nothing has changed."""
        word, _, rest = text.strip().partition(" ")
        if word.upper() in self.points and not rest:
            return self.play(self.points[word.upper()])
        action = self._actions.get(word.lower())
        if action is None:
            raise InvalidMove(f"enter a point such as D4, or one of: {', '.join(self._actions)}")
        return action(rest.strip())

    @cached_property
    def _actions(self) -> Mapping[str, Callable[[str], str]]:
        return {
            "pass": lambda _: self.play(None),
            "resign": lambda _: self.resign(),
            "undo": lambda _: self.undo(),
            "back": lambda _: self.back(),
            "forward": lambda _: self.forward(),
            "comment": self.comment,
            "title": self._title,
            "show": lambda _: self.picture(),
        }

    def play(self, point: Point | None) -> str:
        """Play a move (None: pass) in the current position: a new one, or one that is recorded there already.

        Raises RuleError as `Board.play` does, and InvalidMove("resigned") after a resignation.
        """
        if self.has_resigned:
            raise InvalidMove("a resignation ends the game: undo it first", code="resigned")
        player = self.to_move
        taken = self.board.play(point, FIRST_COLORS[player])
        known = next((node for node in self.following if node.point == point), None)
        if known is None:
            is_variation = bool(self.following)
            known = Node(player, point, removes=taken)
            self.following.append(known)
            self.line.append(known)
            late = ", which comes after two passes: the game had ended" if self._has_ended else ""
            return f"{self.place}, a variation{late}" if is_variation else f"{self.place}{late}"
        self.line.append(known)
        return f"{self.place}, as recorded"

    @property
    def _has_ended(self) -> bool:
        """Whether two passes in a row precede the last move."""
        return any(one.point is None is other.point for one, other in pairwise(self.line[:-1]))

    @property
    def has_resigned(self) -> bool:
        """Whether the last move is a resignation, that is, the final pass of the player who has resigned."""
        return bool(self.line) and self._is_resignation(self.line[-1])

    def _is_resignation(self, node: Node) -> bool:
        return node.point is None and not node.children and self.game.players[node.player].points == RESIGNED

    def resign(self) -> str:
        """Let the player to move resign. Raises InvalidMove if moves are recorded after this position."""
        if self.following:
            raise InvalidMove("a player can only resign at the end of a line")
        player = self.to_move
        self.play(None)
        self.set_points({player: RESIGNED})
        return f"{self.game.players[player].name or FIRST_COLORS[player]} resigns"

    def set_points(self, points: Mapping[int, float]) -> None:
        """Set the points of all players, by their id. The points of a player who is not listed become unknown."""
        players = (attrs.evolve(player, points=points.get(player.id)) for player in self.game.players)
        self.game.players = tuple(players)

    def undo(self) -> str:
        """Delete the last move and everything recorded after it. Raises InvalidMove if there is no move."""
        is_resignation, undone = self.has_resigned, self.place
        node = self._left()
        # Compare by identity: another variation may begin with an equal node.
        self.following[:] = [other for other in self.following if other is not node]
        if is_resignation:
            self.set_points({})
        return f"undone: {undone}; now at {self.place}"

    def back(self) -> str:
        """Go to the position before the last move, and keep that move. Raises InvalidMove if there is none."""
        self._left()
        return f"{self.place}: a move other than the recorded one begins a variation"

    def _left(self) -> Node:
        if not self.line:
            raise InvalidMove("no move has been made yet")
        self.board.undo()
        return self.line.pop()

    def forward(self) -> str:
        """Play the first of the recorded moves. Raises InvalidMove if there is none."""
        if not self.following:
            raise InvalidMove("nothing is recorded after this move")
        return self.play(self.following[0].point)

    def go_to(self, line: Sequence[Node]) -> str:
        """Go to the position after these recorded moves, which begin at the start."""
        shared = 0
        while shared < min(len(line), len(self.line)) and line[shared] is self.line[shared]:
            shared += 1
        while len(self.line) > shared:
            self._left()
        for node in line[shared:]:
            self.play(node.point)
        return self.place

    def branch(self, point: Point | None) -> str:
        """Play a move as an alternative to the last one, which is kept.

        Raises RuleError, and then nothing has changed.
        """
        node = self._left()
        try:
            return self.play(point)
        except RuleError:
            self.play(node.point)
            raise

    def set_up(self, stones: Sequence[Stone]) -> str:
        """Begin with these stones on the board. Raises InvalidMove if moves are recorded or the setup is not legal."""
        self._require_start()
        self.board = Board.start(self.game.size, stones, ruleset(self.game.rules))
        self.game.setup, self.game.handicap = tuple(stones), None
        return "set up"

    def give_handicap(self, count: int) -> str:
        """Begin with `count` handicap stones. Raises InvalidMove if moves are recorded or the board is too small."""
        self._require_start()
        self.set_up(handicap(self.game.size, count))
        self.game.handicap = count or None
        return "set up"

    def set_rules(self, rules: str | None) -> str:
        """Change the rules. Raises InvalidMove if moves are recorded."""
        self._require_start()
        self.game.rules = rules
        self.board = Board.start(self.game.size, self.game.setup, ruleset(rules))
        return "noted"

    def _require_start(self) -> None:
        if self.game.roots:
            raise InvalidMove("moves are recorded already: this can be changed only before the first", code="moves")

    def comment(self, text: str) -> str:
        """Set the comment of the last move, or of the game if there is no move; "" deletes it."""
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
        """The current position in words."""
        if not self.line:
            return "the start"
        node = self.line[-1]
        move = "pass" if node.point is None else name(node.point, self.game.size)
        return f"move {len(self.line)}, {FIRST_COLORS[node.player]} {move}"

    def picture(self) -> str:
        """Return the board as text."""
        return draw(self.board, self.line[-1].point if self.line else None)
