"""Go games for tests: small ones, deep ones, and strategies for random ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gamed.games.go import gofans, sgf
from gamed.games.go.board import UNKNOWN, Board
from gamed.games.go.tree import GoGame, Node, Player, Point, Stone
from gamed.records.record import Record

BLACK, WHITE = Player(0, color="black"), Player(1, color="white")

# What XML can hold, with what it spells in its own way.
TEXTS = st.text(
    st.sampled_from("\t\n\r &<>\"'\\[]:;()\ufffd") | st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=20
)
NUMBERS = st.integers(-20_000, 20_000).map(lambda quarters: quarters / 4)


def record(game: GoGame, version: str) -> Record:
    """Return a game as a record."""
    return gofans.write(game, version, record_id="7a0e1ad4-4f4e-5b4e-8e63-0d5a3c1c9d11")


def plain(game: GoGame) -> tuple[Any, ...]:
    """Return all that a game is, in a shape that can be compared."""
    header = (game.size, game.players, game.title, game.event, game.date, game.place, game.komi, game.handicap)
    nodes = [(depth, node.player, node.point, node.color, node.comment, node.removes) for depth, node in game.walk()]
    return *header, game.rules, game.comment, game.setup, nodes


def line(length: int, size: int = 19, removes: tuple[Point, ...] | None = None) -> GoGame:
    """Return a game of so many moves, each on the next point, one after the other."""
    game = GoGame(size, (BLACK, WHITE))
    following = game.roots
    for number in range(length):
        point = Point(1 + number % size, 1 + number // size % size)
        node = Node(number % 2, point, removes=removes)
        following.append(node)
        following = node.children
    return game


def captured() -> GoGame:
    """Return a game in which white loses a stone in the corner, with a variation at its third move."""
    end = Node(0, Point(2, 1), "black")
    answer = Node(1, Point(9, 9), "white", children=[end])
    other = Node(0, Point(5, 5), "black", comment="or here", children=[Node(1, Point(6, 6), "white")])
    third = Node(0, Point(1, 2), "black", children=[answer])
    second = Node(1, Point(1, 1), "white", children=[third, other])
    first = Node(0, Point(3, 3), "black", children=[second])
    return GoGame(9, (BLACK, WHITE), roots=[first])


@st.composite
def any_games(draw: st.DrawFn, version: str) -> GoGame:
    """Return any game that a version holds; its moves need not be legal."""
    size = draw(st.integers(1, 52))
    points = st.builds(Point, st.integers(1, size), st.integers(1, size))
    colors = st.sampled_from(["black", "white", "red", "dark-blue"])
    players = [_player(draw, colors, number) for number in draw(st.sets(st.integers(0, 9), min_size=1, max_size=4))]
    setup = draw(st.dictionaries(points, colors, max_size=5))
    texts = {name: draw(st.none() | TEXTS) for name in ("title", "event", "date", "place", "rules", "comment")}
    game = GoGame(
        size,
        tuple(players),
        komi=draw(st.none() | NUMBERS),
        handicap=draw(st.none() | st.integers(0, 100)),
        setup=tuple(Stone(point, color) for point, color in setup.items()),
        **texts,  # type: ignore[arg-type]
    )
    nodes = st.builds(
        Node,
        st.sampled_from([player.id for player in players]),
        st.none() | points,
        st.none() | colors,
        st.none() | TEXTS,
        st.lists(points, max_size=3).map(tuple) if gofans.has_removes(version) else st.none(),
    )
    _grow(draw, game, draw(st.lists(nodes, max_size=12)), branches=gofans.has_variations(version))
    return game


def _player(draw: st.DrawFn, colors: st.SearchStrategy[str], number: int) -> Player:
    return Player(
        number, draw(st.none() | TEXTS), draw(st.none() | TEXTS), draw(st.none() | colors), draw(st.none() | NUMBERS)
    )


def _grow(draw: st.DrawFn, game: GoGame, nodes: list[Node], *, branches: bool) -> None:
    places = [game.roots]
    for node in nodes:
        place = draw(st.sampled_from(places)) if branches else places[-1]
        place.append(node)
        places.append(node.children)


@st.composite
def legal_games(draw: st.DrawFn) -> GoGame:
    """Return a game of black and white by the rules, with variations, as SGF can hold it."""
    size = draw(st.integers(2, 5))
    stones = draw(st.sampled_from([(), (Stone(Point(1, 2), "black"),), (Stone(Point(2, 2), "white"),)]))
    points = draw(st.sampled_from([(None, None), (0.0, 6.5), (12.0, 0.0), (0.0, 0.0)]))
    players = (Player(0, "Kuro", "1d", "black", points[0]), Player(1, "Shiro", None, "white", points[1]))
    game = GoGame(size, players, komi=draw(st.sampled_from([None, 0.5, 7.0])), setup=stones)
    board = Board.start(size, stones, UNKNOWN)
    line = [game.roots]
    for choice in draw(st.lists(st.integers(0, 10_000), max_size=30)):
        if choice % 5 == 0:
            for _ in range(min(choice % 7, board.moves)):
                board.undo()
                line.pop()
        _move(board, line, choice)
    return game


def _move(board: Board, line: list[list[Node]], choice: int) -> None:
    color = "white" if board.moves % 2 else "black"
    points: list[Point | None] = [None, *board.legal(color)]
    point = points[choice % len(points)]
    taken = {node.point for node in line[-1]}
    if point not in taken:
        board.play(point, color)
        node = Node(int(color == "white"), point, color if point else None)
        line[-1].append(node)
        line.append(node.children)


def read_sgf(data: bytes, encoding: str | None = None) -> list[tuple[GoGame, list[str]]]:
    """Return the games of a file, each with its notes. Raises SgfError at the first that cannot be read."""
    found = []
    for reading in sgf.games(data, encoding):
        if reading.game is None:
            raise reading.error or AssertionError(reading)
        found.append((reading.game, list(reading.notes)))
    return found
