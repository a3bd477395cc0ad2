"""A second implementation of the rules for the tests: sets of cells and paths, as part C words them. Slow.

It judges well-formed moves only: on the plane x + y + z = 0, destinations and starts on the hexagon.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gamed.games.softwarechallenge.seasons.hive.board import Cell
from gamed.games.softwarechallenge.seasons.hive.moves import DragMove, Move, SetMove, SkipMove
from gamed.games.softwarechallenge.seasons.hive.position import State

OFFSETS = ((1, -1), (-1, 1), (1, 0), (0, 1), (0, -1), (-1, 0))
NAMES = {"Q": "BEE", "A": "ANT", "B": "BEETLE", "G": "GRASSHOPPER", "S": "SPIDER"}
HEXAGON = [(x, y) for x in range(-5, 6) for y in range(-5, 6) if -5 <= -x - y <= 5]


def beside(cell: Cell) -> set[Cell]:
    return {(cell[0] + x, cell[1] + y) for x, y in OFFSETS} & set(HEXAGON)


def first_broken(checks: Iterable[tuple[bool, str]]) -> str:
    """Return the text of the first check that does not hold, or nothing."""
    return next((text for holds, text in checks if not holds), "")


class Slow:
    """A position: `stacks` by cell, `walls`, and whose turn it is (`mine`: the hand in upper case)."""

    def __init__(self, state: State) -> None:
        self.stacks = state.board()
        self.walls = set(state.obstructed)
        self.turn = state.turn
        self.is_red = state.turn % 2 == 0
        self.hand = state.hand(0 if self.is_red else 1)
        self.other_hand = state.hand(1 if self.is_red else 0)

    def is_mine(self, cell: Cell) -> bool:
        return cell in self.stacks and self.stacks[cell][-1].isupper() == self.is_red

    def is_theirs(self, cell: Cell) -> bool:
        return cell in self.stacks and not self.is_mine(cell)

    def is_empty(self, cell: Cell) -> bool:
        return cell in HEXAGON and cell not in self.stacks and cell not in self.walls

    @property
    def on_duty(self) -> bool:
        return self.turn // 2 >= 3 and "Q" in self.hand

    def refusal(self, move: Move) -> str:
        """Return the text of the official server, or nothing where it accepts."""
        if isinstance(move, SkipMove):
            others = {*self.sets(), *self.drags()}
            return "Skipping a turn is only allowed when no other moves can be made" if others else ""
        if (move.x, move.y) in self.walls:
            return "The target field is obstructed"
        return self.set_refusal(move) if isinstance(move, SetMove) else self.drag_refusal(move)

    def set_refusal(self, move: SetMove) -> str:
        cell = (move.x, move.y)
        near = beside(cell)
        piece = f"Piece(owner={['RED', 'BLUE'][move.owner]}, type={NAMES[move.type]})"
        color = "RED" if self.is_red else "BLUE"
        checks = [
            (cell not in self.stacks, "Set destination is not empty"),
            (move.owner == (not self.is_red), f"The piece {piece} does not belong to the current Player({color})"),
        ]
        if any(map(self.is_mine, self.stacks)):
            checks += [
                (move.type in self.hand, f"Piece {piece} is not an undeployed piece of the current player"),
                (move.type == "Q" or not self.on_duty, "The bee must be placed in fourth round latest"),
                (any(map(self.is_mine, near)), "A newly placed piece must touch an own piece"),
                (not any(map(self.is_theirs, near)), "A newly placed piece must not touch a piece of the other player"),
            ]
        else:
            touches = not self.stacks or any(map(self.is_theirs, near))
            checks += [(touches, "Your first piece has to touch the piece of the other player")]
        return first_broken(checks)

    def drag_refusal(self, move: DragMove) -> str:
        start, end = (move.start_x, move.start_y), (move.x, move.y)
        letter = self.stacks.get(start, " ")[-1].upper()
        checks = [
            ("Q" not in self.hand, "You have to place the Bee to be able to perform dragmoves"),
            (start in self.stacks, "There is no piece to move"),
            (self.is_mine(start), "Trying to move piece of the other player"),
            (start != end, "Destination and start are equal"),
            (letter == "B" or end not in self.stacks, "Only beetles are allowed to climb on other Pieces"),
        ]
        return first_broken(checks) or self.lifted_refusal(letter, start, end)

    def lifted_refusal(self, letter: str, start: Cell, end: Cell) -> str:
        whole = dict(self.stacks)
        self.stacks = {cell: stack for cell, stack in whole.items() if cell != start}
        if whole[start][:-1]:
            self.stacks[start] = whole[start][:-1]
        try:
            if not self.is_one():
                return "Moving piece would disconnect swarm"
            return getattr(self, f"refused_{NAMES[letter].lower()}")(start, end)
        finally:
            self.stacks = whole

    def is_one(self) -> bool:
        """Whether all pieces are one group."""
        left = set(self.stacks)
        edge = {left.pop()} if left else set()
        while edge:
            edge = {cell for one in edge for cell in beside(one)} & left
            left -= edge
        return not left

    # What each type may do; the piece is lifted

    def slides(self, start: Cell) -> Iterator[Cell]:
        for end in beside(start):
            shared = beside(start) & beside(end)
            contact = any(cell in self.stacks for cell in shared)
            gate = len(shared) == 1 or any(map(self.is_empty, shared))
            if self.is_empty(end) and contact and gate:
                yield end

    def refused_bee(self, start: Cell, end: Cell) -> str:
        if end not in beside(start):
            return "Destination field is not next to start field"
        return "" if end in self.slides(start) else "There is no path to your destination"

    def refused_ant(self, start: Cell, end: Cell) -> str:
        seen, edge = {start}, {start}
        while edge:
            edge = {cell for one in edge for cell in self.slides(one)} - seen
            seen |= edge
        return "" if end in seen else "No path found for Ant move"

    def refused_spider(self, start: Cell, end: Cell) -> str:
        paths = [[start]]
        for _ in range(3):
            paths = [[*path, cell] for path in paths for cell in self.slides(path[-1]) if cell not in path]
        return "" if any(path[-1] == end for path in paths) else "No path found for Spider move"

    def refused_beetle(self, start: Cell, end: Cell) -> str:
        if end not in beside(start):
            return "Destination field is not next to start field"
        along = {start, end} | beside(start) & beside(end)
        return "" if along & set(self.stacks) else "Beetle has to move along swarm"

    def refused_grasshopper(self, start: Cell, end: Cell) -> str:
        (x, y), (end_x, end_y) = start, end
        if x != end_x and y != end_y and x + y != end_x + end_y:
            return "Grasshopper can only move in straight lines"
        if end in beside(start):
            return "Grasshopper has to jump over at least one piece"
        far = max(abs(end_x - x), abs(end_y - y))
        row = {(x + (end_x - x) * n // far, y + (end_y - y) * n // far) for n in range(1, far)}
        return "" if row <= set(self.stacks) else "Grasshopper can only jump over occupied fields"

    # The official list

    def sets(self) -> Iterator[SetMove]:
        kinds = "Q" if self.on_duty else "".join(sorted(set(self.hand)))
        for cell in filter(self.is_empty, HEXAGON):
            mine, theirs = any(map(self.is_mine, beside(cell))), any(map(self.is_theirs, beside(cell)))
            as_first = theirs or len(self.other_hand) == 11
            if (mine and not theirs) if len(self.hand) < 11 else as_first:
                yield from (SetMove(kind, int(not self.is_red), *cell, -sum(cell)) for kind in kinds)

    def drags(self) -> Iterator[DragMove]:
        for start in filter(self.is_mine, list(self.stacks)):
            for end in HEXAGON:
                move = DragMove(*start, -sum(start), *end, -sum(end))
                if end not in self.walls and not self.drag_refusal(move):
                    yield move

    def legal(self) -> set[Move]:
        """Return what may be done in a game that goes on."""
        return {*self.sets(), *self.drags()} or {SkipMove()}
