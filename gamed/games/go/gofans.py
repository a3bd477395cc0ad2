"""Read and write Go games in GoFans 1.1, 1.2, 2.1 and 2.2.

Source: docs/reference/records.md#gofans; the schemas describe the formats. In x.1 the moves are a flat list, in x.2
each move is nested in the one before it. 2.x lists the stones that a move captures, 1.x does not. Nothing here
recurses: in x.2 a game of 400 moves is 400 levels deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import lru_cache
from typing import Final

from lxml import etree

from gamed.games.go.tree import GoGame, Node, Player, Point, Stone
from gamed.records import notation
from gamed.records.parsing import LEVELS, parse
from gamed.records.record import Record, RecordError

PUBLISHER: Final = "GoFans"
"""The publisher of all four versions."""

VERSIONS: Final = ("1.1", "1.2", "2.1", "2.2")
"""The versions that are read and written."""

# The first move of a document is nested in two elements: `game` and `body`.
_LEVELS_ABOVE: Final = 2
_MAX_SIZE: Final = 52
_MAX_PLAYERS: Final = 64
_MAX_COUNT: Final = 999_999_999
_TEXTS_BEFORE: Final = ("title", "event", "date", "place")
_TEXTS_AFTER: Final = ("rules", "comment")
_COLOR = re.compile("[a-z]+(-[a-z]+)*")
_MAX_COLOR: Final = 64
_NUMBER = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,6})?")
# Indentation shows where variations begin. It is limited, because it would be most of the bytes of a deep file.
_MAX_PAD: Final = 24


def has_variations(version: str) -> bool:
    """Whether moves are nested, so that there may be variations (x.2)."""
    return version.endswith(".2")


def has_removes(version: str) -> bool:
    """Whether moves list the stones that they capture (2.x)."""
    return version.startswith("2.")


# Reading


def read(record: Record) -> GoGame:
    """Return the game of a record that is valid against its schema.

    Time and memory are proportional to the size of the record, which the caller must have limited.
    Raises RecordError: `unknown-format` for another publisher or version, `forbidden` if moves are nested too deep, and
    `not-valid` for what a schema cannot check: a point outside the board or with only one coordinate, two stones on one
    point, an id that no player has.
    """
    _known(record.publisher, record.version)
    with _reading(record):
        header, body = parse(record.header), parse(record.body)
        moves = _nested if has_variations(record.version) else _in_order
        game = GoGame(
            size=int(_child(header, "board").attrib["size"]),
            players=tuple(_player(element) for element in _child(header, "players")),
            komi=_float(header.findtext("komi")),
            handicap=_int(header.findtext("handicap")),
            setup=tuple(_stone(element) for element in body.iterfind("setup/stone")),
            roots=moves(body, takes=has_removes(record.version)),
            **{name: header.findtext(name) for name in _TEXTS_BEFORE + _TEXTS_AFTER},
        )
        _check(game)
        return game


def _known(publisher: str, version: str) -> None:
    if publisher != PUBLISHER or version not in VERSIONS:
        raise RecordError(f"{publisher} {version} is not a known version of GoFans", code="unknown-format")


class _PlaceError(ValueError):
    """An element violates a rule that a schema cannot check. `place`: see `RecordError.place`."""

    def __init__(self, message: str, tag: str, number: int) -> None:
        super().__init__(message)
        self.place = (tag, number)


@contextmanager
def _reading(record: Record) -> Iterator[None]:
    try:
        yield
    except (KeyError, ValueError) as error:
        place = error.place if isinstance(error, _PlaceError) else None
        raise RecordError(f"not valid GoFans {record.version}: {error}", code="not-valid", place=place) from error


def _child(parent: etree._Element, name: str) -> etree._Element:
    child = parent.find(name)
    if child is None:
        raise ValueError(f"there is no {name} in {parent.tag}")
    return child


def _float(text: str | None) -> float | None:
    return None if text is None else float(text)


def _int(text: str | None) -> int | None:
    return None if text is None else int(text)


def _player(element: etree._Element) -> Player:
    return Player(
        id=int(element.attrib["id"]),
        name=element.get("name"),
        rank=element.get("rank"),
        color=_color(element),
        points=_float(element.get("points")),
    )


def _color(element: etree._Element) -> str | None:
    color = element.get("color")
    return None if color is None else color.strip()


def _stone(element: etree._Element) -> Stone:
    return Stone(_point(element), str(element.attrib["color"]).strip())


def _point(element: etree._Element) -> Point:
    x, y = element.get("x"), element.get("y")
    if x is None or y is None:
        tag = str(element.tag)
        alike: list[etree._Element] = list(element.getroottree().getroot().iter(tag))
        has, lacks = ("x", "y") if y is None else ("y", "x")
        text = f'{has}="{x or y}" is without {lacks}: a point has both, and a pass has neither'
        raise _PlaceError(text, tag, alike.index(element))
    return _at(x, y)


@lru_cache(_MAX_SIZE**2)
def _at(x: str, y: str) -> Point:
    return Point(int(x), int(y))


def _in_order(body: etree._Element, *, takes: bool) -> list[Node]:
    roots: list[Node] = []
    following = roots
    for element in body.iterchildren("move"):
        node = _move(element, takes=takes)
        following.append(node)
        following = node.children
    return roots


def _nested(body: etree._Element, *, takes: bool) -> list[Node]:
    roots: list[Node] = []
    stack = [(body, roots)]
    while stack:
        parent, siblings = stack.pop()
        for element in parent.iterchildren("move"):
            node = _move(element, takes=takes)
            siblings.append(node)
            if len(element):
                stack.append((element, node.children))
    return roots


def _move(element: etree._Element, *, takes: bool) -> Node:
    is_pass = element.get("x") is None and element.get("y") is None
    player = element.get("playerId")
    if player is None:
        raise KeyError("playerId")
    # If there is a comment it is the first child: do not search the others, of which there may be very many.
    has_comment = len(element) > 0 and element[0].tag == "comment"
    return Node(
        player=int(player),
        point=None if is_pass else _point(element),
        color=_color(element),
        comment=(element[0].text or "") if has_comment else None,
        removes=_removes(element) if takes else None,
    )


def _removes(element: etree._Element) -> tuple[Point, ...]:
    # Most moves capture nothing, and testing for that is cheaper than an iterator.
    return tuple(map(_point, element.iterchildren("remove"))) if len(element) else ()


# Checks for reading and writing


def _check(game: GoGame) -> None:
    """Raise ValueError if a game breaks a rule that a schema cannot check."""
    if not 1 <= game.size <= _MAX_SIZE:
        raise ValueError(f"a board of size {game.size}")
    ids: set[int] = set()
    for number, player in enumerate(game.players):
        if player.id in ids:
            raise _PlaceError(f"two players have the id {player.id}", "player", number)
        ids.add(player.id)
    points: set[Point] = set()
    for number, stone in enumerate(game.setup):
        if stone.point in points:
            x, y = stone.point
            raise _PlaceError(f"two stones of the setup are on the point {x}, {y}", "stone", number)
        points.add(stone.point)
        _check_points(game, (stone.point,), "stone", number)
    for number, (_, node) in enumerate(game.walk()):
        if node.player not in ids:
            raise _PlaceError(f"there is no player {node.player}", "move", number)
        if node.point is not None:
            _check_points(game, (node.point,), "move", number)
        if node.removes:
            _check_points(game, node.removes, "move", number)


def _check_points(game: GoGame, points: Iterable[Point], tag: str, number: int) -> None:
    for x, y in points:
        if not (1 <= x <= game.size and 1 <= y <= game.size):
            raise _PlaceError(f"the point {x}, {y} is not on the board", tag, number)


# Writing


def write(game: GoGame, version: str, *, record_id: str) -> Record:
    """Return a game as a record; equal games give equal bytes. Raises RecordError as `nodes` does."""
    header, body = nodes(game, version)
    return Record(record_id, PUBLISHER, version, header, body)


def nodes(game: GoGame, version: str) -> tuple[bytes, bytes]:
    """Return the header and the body of a game as XML, indented as in a file.

    Raises RecordError: `unknown-format` for another version; `forbidden` if the game is too deep for x.2; `not-valid`
    if this version cannot hold the game as it is (see gamed.games.go.convert), or if no version can: a character that
    XML cannot contain, a number that is too long, or anything that `read` rejects.
    """
    _known(PUBLISHER, version)
    try:
        _check(game)
        _check_version(game, version)
        header = "\n    ".join(["<header>", *_header(game)]) + "\n  </header>"
        moves = _written_nested(game.roots) if has_variations(version) else map(_written, game.main_line())
        body = "\n    ".join(["<body>", *_setup(game), *moves]) + "\n  </body>"
    except ValueError as error:
        raise RecordError(f"GoFans {version} cannot hold the game: {error}", code="not-valid") from error
    return header.encode(), body.encode()


def _check_version(game: GoGame, version: str) -> None:
    can_branch, can_remove = has_variations(version), has_removes(version)
    for depth, node in game.walk():
        if (node.removes is not None) is not can_remove:
            raise ValueError("it lists captures" if node.removes is not None else "its captures are not known")
        if not can_branch and len(node.children) > 1:
            raise ValueError("it has variations")
        # The move itself is a level, and its comment or captures are another.
        if can_branch and _LEVELS_ABOVE + depth + (2 if _content(node) else 1) > LEVELS:
            raise RecordError(f"moves would be nested more than {LEVELS:,} levels deep", code="forbidden")
    if not can_branch and len(game.roots) > 1:
        raise ValueError("it has variations")


def _header(game: GoGame) -> Iterator[str]:
    texts = {name: getattr(game, name) for name in _TEXTS_BEFORE + _TEXTS_AFTER}
    yield from (_element(name, texts[name]) for name in _TEXTS_BEFORE if texts[name] is not None)
    if game.komi is not None:
        yield f"<komi>{number(game.komi)}</komi>"
    if game.handicap is not None:
        yield f"<handicap>{_count(game.handicap)}</handicap>"
    yield from (_element(name, texts[name]) for name in _TEXTS_AFTER if texts[name] is not None)
    yield f'<board size="{game.size}"/>'
    yield "<players>"
    yield from _players(game.players)
    yield "</players>"


def _players(players: tuple[Player, ...]) -> Iterator[str]:
    if not 1 <= len(players) <= _MAX_PLAYERS:
        raise ValueError(f"there are {len(players)} players")
    for player in players:
        name = "" if player.name is None else f' name="{_attribute(player.name)}"'
        rank = "" if player.rank is None else f' rank="{_attribute(player.rank)}"'
        points = "" if player.points is None else f' points="{number(player.points)}"'
        yield f'  <player id="{_count(player.id)}"{name}{rank}{_written_color(player.color)}{points}/>'


def _setup(game: GoGame) -> Iterator[str]:
    if game.setup:
        yield "<setup>"
        for (x, y), color in game.setup:
            yield f'  <stone x="{x}" y="{y}"{_written_color(color)}/>'
        yield "</setup>"


def _written_nested(roots: list[Node]) -> Iterator[str]:
    stack: list[tuple[str, Node | None]] = [("", node) for node in reversed(roots)]
    while stack:
        pad, node = stack.pop()
        if node is None:
            yield f"{pad}</move>"
        elif node.children:
            yield f"{pad}<move{_attributes(node)}>{_content(node)}"
            stack.append((pad, None))
            deeper = f"{pad}  " if len(node.children) > 1 and len(pad) < _MAX_PAD else pad
            stack += [(deeper, child) for child in reversed(node.children)]
        else:
            yield pad + _written(node)


def _written(node: Node) -> str:
    content = _content(node)
    return f"<move{_attributes(node)}>{content}</move>" if content else f"<move{_attributes(node)}/>"


def _attributes(node: Node) -> str:
    place = "" if node.point is None else f' x="{node.point.x}" y="{node.point.y}"'
    return f' playerId="{node.player}"{_written_color(node.color)}{place}'


def _content(node: Node) -> str:
    comment = "" if node.comment is None else _element("comment", node.comment)
    return comment + "".join(f'<remove x="{x}" y="{y}"/>' for x, y in node.removes or ())


def _element(name: str, text: str) -> str:
    _check_text(text)
    return f"<{name}>{notation.sentence(text)}</{name}>"


def _attribute(text: str) -> str:
    _check_text(text)
    return notation.attribute(text)


def _check_text(text: str) -> None:
    if notation.held(text) != text:
        raise ValueError(f"XML cannot contain a character of {text[:40]!r}")


@lru_cache(8)
def _written_color(color: str | None) -> str:
    if color is None:
        return ""
    if len(color) > _MAX_COLOR or not _COLOR.fullmatch(color):
        raise ValueError(f"{color[:40]!r} is not a colour")
    return f' color="{color}"'


def _count(value: int) -> int:
    if not 0 <= value <= _MAX_COUNT:
        raise ValueError(f"{value} is not between 0 and {_MAX_COUNT:,}")
    return value


def number(value: float) -> str:
    """Return points or komi as the formats write them.

    Raises ValueError if that takes more than nine digits before the decimal point, or six after it.
    """
    # 7.0 and 7 are equal, so they are written alike.
    text = format(Decimal(repr(value)), "f").removesuffix(".0")
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{value} has too many digits for points")
    return text
