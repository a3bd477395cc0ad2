"""Convert Go games from SGF (FF[4]) to GoFans, and back.

Source: the SGF specification, FF[4]; docs/reference/records.md#sgf-and-gofans. sgfmill parses the syntax. SGF can hold
much that GoFans cannot, and the other way round: everything that is left out is reported in a sentence. Nothing here
recurses, nor does the parser of sgfmill.

In SGF a resignation is only part of the result; in GoFans it is also a pass. So reading a game adds a pass at the end
of the main line, and writing it removes that pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attrs import define, field
from sgfmill import sgf_grammar

from gamed.games.go import gofans, sgf_values
from gamed.games.go.replay import dropped_removes, sides
from gamed.games.go.sgf_games import Part, parts
from gamed.games.go.sgf_setup import Setup
from gamed.games.go.sgf_values import BLACK, WHITE, Result, SgfError
from gamed.games.go.tree import GoGame, Node, Player
from gamed.records import notation
from gamed.records.written import Reading

Properties: TypeAlias = dict[str, list[bytes]]
"""The properties of an SGF node, with their raw values."""

_COLORS: Final = {BLACK: "black", WHITE: "white"}
_LETTERS: Final = {"black": BLACK, "white": WHITE}
_IDS: Final = {BLACK: 0, WHITE: 1}
_NAMES: Final = {BLACK: "PB", WHITE: "PW"}
_RANKS: Final = {BLACK: "BR", WHITE: "WR"}
_SETUP: Final = {"AB": "black", "AW": "white"}
_CLEARED: Final = "AE"
# Properties that GoFans can hold only before the first move: the setup, and who plays first.
_AT_START: Final = frozenset({*_SETUP, _CLEARED, "PL"})
# What the files of the Nihon Ki-in call the event and the date.
_NIHON_KIIN: Final = {"TE": "EV", "RD": "DT"}
# The texts in the root node, and the fields of `GoGame` that hold them.
_TEXTS: Final = {"GN": "title", "EV": "event", "DT": "date", "PC": "place", "RU": "rules"}
# All properties of the root node that are read there.
_OF_GAME: Final = {*_TEXTS, *_NAMES.values(), *_RANKS.values(), "FF", "GM", "CA", "SZ", "KM", "HA", "RE", "GC", "PL"}
_GO: Final = "1"

SPARE_STONES: Final = 150_000
"""The most setup stones of a file, plus one for every four bytes of it: seven bytes are enough for a full board."""

_MAX_SIZE: Final = 52


# Reading


def games(data: bytes, encoding: str | None = None) -> Iterator[Reading]:
    """Yield the games of a file, one at a time, including those that cannot be read.

    Black is player 0, white is player 1. A game cannot be read if it is not SGF, or if no version of GoFans can hold
    it: if it is not Go, if its board is not square or is larger than 52, or if a move is outside the board.

    `encoding`: of the file, in place of the one that it declares. Raises RecordError if `encoding` is not known.
    """
    number = stones = 0
    try:
        for part in parts(data, encoding):
            number = part.number
            reading = _reading(part)
            stones += len(reading.game.setup) if reading.game else 0
            # A setup stone that is not part of a rectangle takes four bytes: `[aa]`.
            if stones > SPARE_STONES + len(data) // 4:
                what = f"the file sets up {stones:,} stones, too many: game {number} and later ones are not read"
                yield Reading(number, part.line, error=SgfError(what, code="forbidden", line=part.line))
                return
            yield reading
    except SgfError as error:
        yield Reading(number + 1, error.line, error=error)
        return
    if not number:
        yield Reading(1, error=SgfError("there is no game"))


def _reading(part: Part) -> Reading:
    try:
        tree = sgf_grammar.parse_sgf_game(part.utf8)
        root = tree.sequence[0]
        if part.is_headless:
            root |= {name: root.pop(other) for other, name in _NIHON_KIIN.items() if other in root and name not in root}
        game, notes = _Reader(_size(root), list(part.notes)).game(tree)
        return Reading(part.number, part.line, game, tuple(notes))
    except ValueError as error:
        why = f"is not SGF: {error}"
    except SgfError as error:
        why = f"cannot be read: {error}"
    return Reading(part.number, part.line, error=SgfError(f"game {part.number} {why}", line=part.line))


def _size(root: Properties) -> int:
    kind = _said(root, "GM")
    if kind not in {"", _GO}:
        raise SgfError(f"it is not a game of Go: GM[{kind[:20]}]")
    said = _said(root, "SZ")
    columns, _, rows = said.partition(":")
    size = sgf_values.count(columns) if said else 19
    if size is None or not 1 <= size <= _MAX_SIZE or rows not in {"", columns}:
        raise SgfError(f"a board of size {said[:20]!r} is not a square of 1 to {_MAX_SIZE} lines")
    return size


def _said(properties: Mapping[str, list[bytes]], name: str) -> str:
    return sgf_values.simple(properties.get(name, [b""])[0]).strip()


@define
class _Reader:
    """Reads one game."""

    size: int

    notes: list[str]
    """Sentences on what is left out or changed."""

    left_out: Counter[str] = field(factory=Counter)
    """How many times each property is left out."""

    comments: list[str] = field(factory=list)
    """The comments on the whole game."""

    remarks: dict[int, tuple[Node, list[str]]] = field(factory=dict)
    """The comments on each move, by the id() of its node. They are concatenated at the end: there may be very many."""

    setup: Setup = field(init=False)

    turn: bytes | None = None
    """Who plays first, as `PL` states it."""

    joined: int = 0
    """How many comments of nodes without a move were added to the move before."""

    replaced: int = 0
    """How many characters were replaced because XML does not allow them."""

    def __attrs_post_init__(self) -> None:
        self.setup = Setup(self.size)

    def game(self, tree: Any) -> tuple[GoGame, list[str]]:
        root: Properties = tree.sequence[0]
        game = self._header(root)
        end = self._moves(tree, game.roots)
        result = self._result(root)
        game.players = tuple(self._player(root, letter, result) for letter in (BLACK, WHITE))
        if result.resigned is not None:
            # As the first child, so that the pass is part of the main line.
            end.insert(0, Node(_IDS[result.resigned]))
        elif end:
            # The first child has no moves and another has some. In GoFans the first child with moves is the main line.
            self.notes.append("the main line ends where a variation begins; in GoFans it goes on with that variation")
        self._check_turn(next(game.main_line(), None))
        game.setup = self.setup.stones()
        self.notes += self.setup.notes()
        for node, comments in self.remarks.values():
            node.comment = "\n\n".join(comments)
        game.comment = "\n\n".join(self.comments) or None
        return game, list(dict.fromkeys([*self.notes, *self._sentences()]))

    def _header(self, root: Properties) -> GoGame:
        komi = self._value(root, "KM", sgf_values.number)
        handicap = self._value(root, "HA", sgf_values.count)
        self.comments += [self._held(sgf_values.text(raw)) for raw in root.get("GC", []) if raw]
        self.left_out.update(name for name in root if name not in _OF_GAME and not self._is_held(name, at_start=True))
        game = GoGame(size=self.size, players=(), komi=komi, handicap=handicap)
        for name, place in _TEXTS.items():
            setattr(game, place, self._simple(root, name))
        return game

    def _value(self, root: Properties, name: str, reader: Callable[[str], Any]) -> Any:
        said = _said(root, name)
        value = reader(said)
        if said and value is None:
            self.notes.append(f"{name}[{said[:40]}] is left out: it is not a number")
        return value

    def _player(self, root: Properties, letter: str, result: Result) -> Player:
        points = result.black if letter == BLACK else result.white
        name, rank = self._simple(root, _NAMES[letter]), self._simple(root, _RANKS[letter])
        return Player(_IDS[letter], name, rank, _COLORS[letter], points)

    def _result(self, root: Properties) -> Result:
        said = _said(root, "RE")
        result = sgf_values.result(said)
        if result is None:
            self.notes.append(f"the result {said[:40]!r} is left out: GoFans can hold only points and resignations")
        return result or Result()

    def _check_turn(self, first: Node | None) -> None:
        if self.turn is None:
            return
        turn = _IDS.get(sgf_values.simple(self.turn).strip()[:1].upper())
        if first is None or first.player != turn:
            self.left_out["PL"] += 1

    def _moves(self, tree: Any, roots: list[Node]) -> list[Node]:
        """Read the moves of a whole tree. Return the list of children of the last move of the main line."""
        end = roots
        # Branches up to the first fork. A setup in them applies to all variations, so GoFans can hold it.
        trunk = tree
        stack: list[tuple[Any, list[Node], Node | None, bool]] = [(tree, roots, None, True)]
        while stack:
            branch, following, last, is_main = stack.pop()
            for number, properties in enumerate(branch.sequence):
                is_first = branch is tree and number == 0
                for node in self._node(properties, last, at_start=branch is trunk and last is None, is_first=is_first):
                    following.append(node)
                    following, last = node.children, node
            if is_main:
                end = following
            if branch is trunk and len(branch.children) == 1:
                trunk = branch.children[0]
            ways = [(child, following, last, is_main and child is branch.children[0]) for child in branch.children]
            stack += reversed(ways)
        return end

    def _node(self, properties: Properties, last: Node | None, *, at_start: bool, is_first: bool) -> list[Node]:
        if not is_first:
            for name in properties:
                if not self._is_held(name, at_start=at_start):
                    self.left_out[name] += 1
        if at_start and not _AT_START.isdisjoint(properties):
            self._set_up(properties)
        nodes = [self._move(letter, properties[letter]) for letter in properties if letter in _IDS]
        if len(nodes) > 1:
            self.notes.append("a node has a black and a white move: in GoFans one follows the other")
        comment = "\n\n".join(self._held(sgf_values.text(raw)) for raw in properties.get("C", []) if raw)
        if comment:
            self._comment(comment, nodes[-1] if nodes else last, is_joined=not nodes and not is_first)
        return nodes

    def _is_held(self, name: str, *, at_start: bool) -> bool:
        return name == "C" or name in _IDS or (at_start and name in _AT_START)

    def _set_up(self, properties: Properties) -> None:
        stones = {color: properties.get(name, []) for name, color in _SETUP.items()}
        self.setup.change(stones, properties.get(_CLEARED, []))
        self.turn = properties.get("PL", [self.turn])[0]

    def _move(self, letter: str, values: list[bytes]) -> Node:
        if len(values) > 1:
            self.notes.append(f"a node has {len(values)} moves of one colour; all but the first are left out")
        point = sgf_values.point(values[0], self.size)
        return Node(_IDS[letter], point, None if point is None else _COLORS[letter])

    def _comment(self, comment: str, node: Node | None, *, is_joined: bool) -> None:
        self.joined += is_joined
        if node is None:
            self.comments.append(comment)
        else:
            self.remarks.setdefault(id(node), (node, []))[1].append(comment)

    def _simple(self, root: Properties, name: str) -> str | None:
        return self._held(" ".join(map(sgf_values.simple, root.get(name, [])))) or None

    def _held(self, text: str) -> str:
        held = notation.held(text)
        self.replaced += held.count("\ufffd") - text.count("\ufffd")
        return held

    def _sentences(self) -> Iterator[str]:
        for name, times in sorted(self.left_out.items()):
            yield f"{name} is left out{f', {times} times' if times > 1 else ''}"
        if self.joined:
            were = "was" if self.joined == 1 else "were"
            yield f"{_counted(self.joined, 'comment')} without a move {were} added to the move before, or to the game"
        if self.replaced:
            yield f"{_counted(self.replaced, 'character')} of its texts replaced: XML does not allow them"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


# Writing


def write(games: Sequence[GoGame]) -> tuple[bytes, list[str]]:
    """Return games as one file in UTF-8, and sentences on what SGF cannot hold.

    A game with stones of more than two colours is left out. Raises SgfError if no game is left.
    """
    parts, notes = [], []
    for number, game in enumerate(games, 1):
        prefix = f"game {number}: " if len(games) > 1 else ""
        try:
            writer = _Writer(game)
            parts.append(writer.written())
            notes += [prefix + note for note in dict.fromkeys([*writer.notes, *dropped_removes(game)])]
        except (SgfError, ValueError) as error:
            notes.append(f"{prefix}the game is left out: {error}")
    if not parts:
        raise SgfError("; ".join(notes) or "there is no game")
    return b"".join(parts), notes


class _Writer:
    """Writes one game. Raises SgfError if its stones have more than two colours."""

    def __init__(self, game: GoGame) -> None:
        self.game = game
        self.notes: list[str] = []
        self.side = sides(game)
        self.letters = self._letters()
        self.letter_of = self._letters_of_players()
        # The pass that stands for a resignation in GoFans, and is not written.
        self.resigning: Node | None = None

    def written(self) -> bytes:
        root = self._root()
        tree = sgf_grammar.make_coarse_game_tree(
            None, self._children, lambda node: root if node is None else self._properties(node)
        )
        written: bytes = sgf_grammar.serialise_game_tree(tree)
        return written

    # Who is black and who is white

    def _letters(self) -> dict[str, str]:
        """Return the SGF colour of each side (see `sides`).

        Other colours than black and white, and players who all have the same colour, get the free SGF colours.
        """
        stones = (self.side(node) for _, node in self.game.walk() if node.point is not None)
        found = dict.fromkeys([*(stone.color for stone in self.game.setup), *stones])
        others = [name for name in found if name not in _LETTERS]
        free = [letter for name, letter in _LETTERS.items() if name not in found]
        if len(others) > len(free):
            raise SgfError(f"SGF has two colours, and this game has {len(found)}")
        written = dict(zip(others, free, strict=False))
        self.notes += [f"{name} is written as {_COLORS[letter]}" for name, letter in written.items()]
        return _LETTERS | written

    def _letters_of_players(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for _, node in self.game.walk():
            if node.point is not None:
                found.setdefault(node.player, self.letters[self.side(node)])
        for player in self.game.players:
            if player.id not in found:
                free = [letter for letter in _COLORS if letter not in found.values()]
                found[player.id] = self.letters.get(player.color or "") or next(iter(free), BLACK)
        return found

    # The root node

    def _root(self) -> Properties:
        game = self.game
        root = {"FF": [b"4"], "GM": [b"1"], "CA": [b"UTF-8"], "SZ": [str(game.size).encode()]}
        for name, place in _TEXTS.items():
            self._put(root, name, getattr(game, place), sgf_values.simple)
        self._put(root, "GC", game.comment, sgf_values.text)
        if game.komi is not None:
            root["KM"] = [gofans.number(game.komi).encode()]
        if game.handicap is not None:
            root["HA"] = [str(game.handicap).encode()]
        for name, color in _SETUP.items():
            stones = [stone.point for stone in game.setup if _COLORS[self.letters[stone.color]] == color]
            root |= {name: list(map(sgf_values.to_notation, stones))} if stones else {}
        first = next(game.main_line(), None)
        if game.setup and first is not None:
            root["PL"] = [self._letter(first).encode()]
        self._put_players(root)
        return root

    def _put(self, properties: Properties, name: str, text: str | None, reader: Callable[[bytes], str]) -> None:
        if text:
            raw, is_whole = sgf_values.escaped(text, reader)
            properties[name] = [raw]
            if not is_whole:
                self.notes.append(f"{name} has line breaks or tabs that SGF cannot hold exactly")

    def _put_players(self, root: Properties) -> None:
        teams = {letter: [one for one in self.game.players if self.letter_of[one.id] == letter] for letter in _COLORS}
        for letter, team in teams.items():
            self._put(root, _NAMES[letter], _joined(one.name for one in team), sgf_values.simple)
            self._put(root, _RANKS[letter], _joined(one.rank for one in team), sgf_values.simple)
        if any(len(team) > 1 for team in teams.values()):
            self.notes.append("SGF cannot hold which player of a colour made a move, nor the points of each player")
        else:
            self._put_result(root, *(team[0] if team else None for team in teams.values()))

    def _put_result(self, root: Properties, black: Player | None, white: Player | None) -> None:
        said, note = sgf_values.result_to_notation(black, white)
        self.notes += [] if note is None else [note]
        if said is not None:
            root["RE"] = [said.encode()]
            self.resigning = self._resigning_pass(sgf_values.result(said) or Result())

    def _resigning_pass(self, result: Result) -> Node | None:
        """Return the pass at the end of the main line by which a player resigns in GoFans; None if there is none."""
        last = None
        for node in self.game.main_line():
            last = node
        if last is None or last.point is not None or self.letter_of[last.player] != result.resigned:
            return None
        return last

    # The moves

    def _children(self, node: Node | None) -> list[Node]:
        children = self.game.roots if node is None else node.children
        is_only = len(children) == 1 and children[0] is self.resigning and not children[0].comment
        return [] if is_only else children

    def _properties(self, node: Node) -> Properties:
        properties: Properties = {}
        if node is not self.resigning:
            properties[self._letter(node)] = [sgf_values.to_notation(node.point)]
        self._put(properties, "C", node.comment, sgf_values.text)
        return properties

    def _letter(self, node: Node) -> str:
        return self.letter_of[node.player] if node.point is None else self.letters[self.side(node)]


def _joined(texts: Iterator[str | None]) -> str:
    return " & ".join(text for text in texts if text)
