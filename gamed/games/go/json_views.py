"""Boards, moves and game trees as data for JSON, for the browser.

The shape of a board is that of `rules.Go.view`. Points are [x, y] as in GoFans: x from 1 at the left, y from 1 at the
top. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import define, field

from gamed.core.errors import RuleError
from gamed.games.go.board import FIRST_COLORS, Board, neighbours, points, ruleset
from gamed.games.go.replay import IllegalRecordMove, removes, sides
from gamed.games.go.tree import RESIGNED, GoGame, Node, Point, name

Data: TypeAlias = dict[str, Any]


@define(eq=False)
class Listing:
    """A game tree with numbered nodes: first in preorder, the main line first, then as added. The start is 0."""

    game: GoGame

    ids: dict[Node, int] = field(init=False, factory=dict)
    """The number of each node."""

    nodes: dict[int, Node] = field(init=False, factory=dict)
    """The nodes by number."""

    parents: dict[int, int] = field(init=False, factory=dict)
    """The number of the parent of each node, by its number."""

    last: int = field(init=False, default=0)
    """The number that was assigned last."""

    side: Callable[[Node], str] = field(init=False)
    """Returns the side of a move; see `sides`."""

    seats: Mapping[int, int] = field(init=False)
    """The seat of each player, by the player's id."""

    colors: dict[str, str | None] = field(init=False, factory=dict)
    """The colour of each side, None if it is not known."""

    taken: dict[Node, int] = field(init=False, factory=dict)
    """The number of captures of each move, after `played`."""

    def __attrs_post_init__(self) -> None:
        self.side = sides(self.game)
        self.seats = {player.id: seat for seat, player in enumerate(self.game.players)}
        path: list[Node] = []
        for depth, node in self.game.walk():
            del path[depth:]
            self.add(node, path[-1] if path else None)
            path.append(node)
        of_players = (Node(player.id) for player in self.game.players)
        for node in (*of_players, *self.nodes.values()):
            self.colors.setdefault(self.side(node), self.game.color_of(node))

    def add(self, node: Node, parent: Node | None) -> None:
        """Assign a number to a node, unless it has a number. `parent`: None for the start. Numbers are never reused."""
        if node not in self.ids:
            self.last += 1
            self.ids[node], self.nodes[self.last] = self.last, node
            self.parents[self.last] = 0 if parent is None else self.ids[parent]

    def drop(self, node: Node) -> None:
        """Forget a deleted node and all its descendants."""
        stack = [node]
        while stack:
            gone = stack.pop()
            number = self.ids.pop(gone)
            del self.nodes[number], self.parents[number]
            stack += gone.children

    def played(self) -> Iterator[None]:
        """Replay the tree, a move for each step of this generator, to fill `taken`; stop at the first illegal move.

        If the record has the captures of all moves, do nothing.
        """
        if all(node.removes is not None for node in self.nodes.values()):
            return
        try:
            for node, points in removes(self.game):
                self.taken[node] = len(points)
                yield
        except RuleError:
            return

    def path(self, id: int) -> list[Node]:  # noqa: A002 (what it is)
        """Return the moves from the start to a node. Raises KeyError if there is no such node."""
        found: list[Node] = []
        while id:
            found.append(self.nodes[id])
            id = self.parents[id]  # noqa: A001 (what it is)
        found.reverse()
        return found

    def line(self, id: int) -> list[Node]:  # noqa: A002 (what it is)
        """Return the moves from the start to a node and on along first children. Raises KeyError for unknown nodes."""
        found = self.path(id)
        following = found[-1].children if found else self.game.roots
        while following:
            found.append(following[0])
            following = following[0].children
        return found

    def move(self, node: Node, number: int) -> Data:
        """Return a move, the `number`th of its line. `taken` and `comment` are left out if they are 0 or empty."""
        data: Data = {
            "n": number,
            "seat": self.seats[node.player],
            "text": "pass" if node.point is None else name(node.point, self.game.size),
            "at": None,
            "took": None,
            "node": self.ids[node],
            "color": self.side(node),
            "point": None if node.point is None else list(node.point),
        }
        taken = len(node.removes) if node.removes is not None else self.taken.get(node)
        if taken:
            data["taken"] = taken
        return {**data, "comment": node.comment} if node.comment else data

    def moves(self, line: Iterable[Node]) -> list[Data]:
        """Return the moves of a line."""
        return [self.move(node, number) for number, node in enumerate(line, 1)]

    def tree(self) -> Data:
        """Return the comment of the start, and all nodes in preorder, with their parents and numbers in their lines."""
        return {"comment": self.game.comment, "nodes": [self.node(node, depth + 1) for depth, node in self.game.walk()]}

    def node(self, node: Node, number: int) -> Data:
        """Return a node of the tree, the `number`th move of its line."""
        data = self.move(node, number)
        id = data.pop("node")  # noqa: A001 (what it is)
        del data["at"], data["took"]
        return {"id": id, "parent": self.parents[id], **data}

    def positions(self, line: Sequence[Node], first: int, last: int) -> Iterator[Data]:
        """Yield the positions after `first` to `last` moves of a line.

        If `Node.removes` of a move is known, these stones are removed; other moves are played by the rules. Raises
        InvalidMove for an invalid setup, and IllegalRecordMove.
        """
        board = Board.start(self.game.size, self.game.setup, ruleset(self.game.rules))
        removed: tuple[Point, ...] = ()
        for number in range(last + 1):
            if number:
                removed = self._made(board, line[number - 1], number)
            if number >= first:
                yield self.position(board, line, number, removed)

    def _made(self, board: Board, node: Node, number: int) -> tuple[Point, ...]:
        try:
            if node.removes is None:
                return board.play(node.point, self.side(node))
            return board.place(node.point, self.side(node), node.removes)
        except RuleError as error:
            raise IllegalRecordMove(error, number, node) from error

    def position(self, board: Board, line: Sequence[Node], number: int, removed: tuple[Point, ...]) -> Data:
        """Return a position: the board after `number` moves of a line, and the seat to move."""
        made = line[number - 1] if number else None
        turn = [self.seats[line[number].player]] if number < len(line) else []
        seen = view(board, removed, None if made is None else made.point)
        seen |= {
            "prisoners": self.prisoners(board),
            "to_move": turn,
            "passes": passes(line[:number]),
            "resigned": None if turn or made is None else self.resigned(made),
            **self.named(),
        }
        return {
            "n": number,
            "node": 0 if made is None else self.ids[made],
            "board": seen,
            "turn": turn,
            "phase": "play" if turn else "over",
            "last": None if made is None else self.move(made, number),
        }

    def named(self) -> Data:
        """Return the side of each player, and the colours of all sides other than "black" and "white"."""
        return {
            "sides": [self.side(Node(player.id)) for player in self.game.players],
            "colors": {side: color for side, color in self.colors.items() if side not in FIRST_COLORS},
        }

    def prisoners(self, board: Board) -> list[int]:
        """Return the number of stones that the side of each player has captured."""
        taken = board.prisoners
        return [taken.get(self.side(Node(player.id)), 0) for player in self.game.players]

    def resigned(self, node: Node) -> int | None:
        """Return the seat that resigns by this move, which is then a pass at the end of a line, or None."""
        player = self.game.players[self.seats[node.player]]
        gives_up = node.point is None and not node.children and player.points == RESIGNED
        return self.seats[node.player] if gives_up else None


def passes(line: Sequence[Node]) -> int:
    """Return the number of passes in a row at the end of a line."""
    count = 0
    for node in reversed(line):
        if node.point is not None:
            break
        count += 1
    return count


def view(board: Board, removed: Iterable[Point], last: Point | None) -> Data:
    """Return the stones of a board by side, the last captures, the last stone, and the point that a ko forbids."""
    stones: dict[str, list[list[int]]] = {color: [] for color in FIRST_COLORS}
    for point, side in board.stones.items():
        stones.setdefault(side, []).append(list(point))
    return {
        "size": board.size,
        "stones": stones,
        "removed": [list(point) for point in removed],
        "last": None if last is None else list(last),
        "ko": None if (ko := _ko(board)) is None else list(ko),
    }


def _ko(board: Board) -> Point | None:
    """Return the point that a ko forbids. `Board.ko` is set after any capture of one stone, so try the move."""
    if board.ko is None:
        return None
    cell, number, _ = board.ko
    point = points(board.size)[cell]
    try:
        board.play(point, board.colors[number - 1])
    except RuleError as error:
        return point if error.code == "ko" else None
    board.undo()
    return None


def refused(board: Board, color: str) -> Iterator[tuple[Point, str]]:
    """Yield the empty points where the rules forbid a stone of `color`, with the code of the rule.

    Trying every point of a large board takes long. So only points are tried that may be forbidden: those without an
    empty neighbour, a ko, and, under superko, all points as soon as stones have been captured.
    """
    near, cells = neighbours(board.size), board.cells
    ko = None if board.ko is None else board.ko[0]
    asks_all = board.rules.superko and bool(board.prisoners)
    for cell, point in enumerate(points(board.size)):
        if cells[cell] or not (asks_all or cell == ko or all(cells[there] for there in near[cell])):
            continue
        try:
            board.play(point, color)
        except RuleError as error:
            yield point, error.code
        else:
            board.undo()
