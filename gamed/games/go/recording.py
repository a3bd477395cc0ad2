"""A game that is being written down in the browser.

Source: docs/reference/web-api.md#calls. The whole game is sent to the browser after every move. So that a long game
costs little, the JSON of each node is rendered only once.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from functools import cached_property
from typing import Any, Final, TypeAlias, TypeVar

import attrs
from attrs import define, field

from gamed.core.errors import IllegalMove, InvalidMove, InvalidRequest
from gamed.games.go import gofans
from gamed.games.go.board import BLACK, FIRST_COLORS, LARGEST
from gamed.games.go.gofans import number as number_text
from gamed.games.go.hoshi import handicap
from gamed.games.go.json_views import Listing, passes, refused, view
from gamed.games.go.played import outcome_of
from gamed.games.go.recorder import Recorder
from gamed.games.go.scoring import count
from gamed.games.go.tree import GoGame, Node, Player, Point, Stone
from gamed.records import notation
from gamed.records.record import Record

Data: TypeAlias = dict[str, Any]
T = TypeVar("T")

_json: Final = json.JSONEncoder(separators=(",", ":")).encode

MOST_MOVES: Final = 1_000
"""The maximal number of moves, including those of variations."""

MOST_COMMENT: Final = 4_000
"""The maximal length of a comment, in characters."""

MOST_COMMENTS: Final = 100_000
"""The maximal length of all comments together, in characters."""

MOST_TEXT: Final = 200
"""The maximal length of a name or of another text about the game, in characters."""

MOST_STONES: Final = 9
"""The maximal number of handicap stones: one on each star point."""

FACTS: Final = ("title", "event", "date", "place")
"""The texts about the game."""

_MOST_STEPS: Final = 100_000
"""The maximal number of moves of one step back or forward."""

_PLAYERS: Final = 2

_ENDED: Final = 2
"""After this many passes, one after the other, the game has ended."""


@define(eq=False, slots=False)
class Recording:
    """A recording."""

    recorder: Recorder

    saved: str | None = None
    """The id of the record, if the recording was saved and has not been changed since."""

    listing: Listing = field(init=False)
    """Numbers the nodes of the game's tree, and renders them."""

    dead: dict[Node, frozenset[Point]] = field(init=False, factory=dict)
    """The stones that are marked as dead, by the pass after which they were marked."""

    _written: dict[Node, tuple[str, str]] = field(init=False, factory=dict)
    """The JSON of each node, as an item of the tree and as an item of the list of moves."""

    def __attrs_post_init__(self) -> None:
        self.listing = Listing(self.recorder.game)

    @property
    def game(self) -> GoGame:
        """The game as it is written down so far."""
        return self.recorder.game

    # Doing

    def act(self, body: Any) -> None:
        """Do the action of a request's body. Raises InvalidRequest, and RuleError if the rules forbid it."""
        name = body.get("do") if isinstance(body, dict) else None
        action = self._actions.get(name) if isinstance(name, str) else None
        if action is None:
            raise InvalidRequest("action", "there is no such action", f"do: one of {', '.join(self._actions)}")
        action(body)
        line = self.recorder.line
        if line:
            self.listing.add(line[-1], line[-2] if len(line) > 1 else None)

    @cached_property
    def _actions(self) -> Mapping[str, Callable[[Data], object]]:
        return {
            "play": lambda body: self._play(point(body.get("point"))),
            "pass": lambda _: self._play(None),
            "resign": lambda _: self._resign(),
            "undo": lambda _: self._undo(),
            "back": lambda body: self._step(body, -1),
            "forward": lambda body: self._step(body, 1),
            "goto": self._go_to,
            "branch": self._branch,
            "comment": self._comment,
            "setup": self._set_up,
            "handicap": self._give_handicap,
            "facts": self._facts,
            "points": self._points,
            "dead": self._mark_dead,
        }

    def _play(self, point: Point | None) -> None:
        self._require_room(self.recorder.following, point)
        self.recorder.play(point)
        self.saved = None

    def _branch(self, body: Data) -> None:
        there = None if body.get("point") is None else point(body["point"])
        line = self.recorder.line
        siblings = line[-2].children if len(line) > 1 else self.recorder.game.roots
        self._require_room(siblings, there)
        self.recorder.branch(there)
        self.saved = None

    def _require_room(self, following: list[Node], point: Point | None) -> None:
        if len(self.listing.nodes) >= MOST_MOVES and all(node.point != point for node in following):
            raise IllegalMove(f"a recording has at most {MOST_MOVES} moves", code="too-many-moves")

    def _resign(self) -> None:
        self._require_room([], None)
        self.recorder.resign()
        self.saved = None

    def _undo(self) -> None:
        node = self.recorder.line[-1] if self.recorder.line else None
        self.recorder.undo()
        if node is not None:
            self.listing.drop(node)
            self.dead.pop(node, None)
        self._written = {node: rendered for node, rendered in self._written.items() if node in self.listing.ids}
        self.saved = None

    def _step(self, body: Data, way: int) -> None:
        steps = whole(body.get("count", 1), "count", 1, _MOST_STEPS)
        line = self.listing.line(self._current)
        at = min(max(len(self.recorder.line) + way * steps, 0), len(line))
        if at == len(self.recorder.line):
            raise InvalidMove("there is no move in this direction", code="no-move")
        self.recorder.go_to(line[:at])

    def _go_to(self, body: Data) -> None:
        node = body.get("node")
        if not isinstance(node, int) or isinstance(node, bool) or (node and node not in self.listing.nodes):
            raise InvalidRequest("node", "there is no such node", "the tree lists the nodes")
        self.recorder.go_to(self.listing.path(node))

    def _comment(self, body: Data) -> None:
        said = text(body.get("text"), "text", MOST_COMMENT) or ""
        game, line = self.recorder.game, self.recorder.line
        comments = [game.comment, *(node.comment for node in self.listing.nodes.values())]
        if said and sum(len(comment or "") for comment in comments) + len(said) > MOST_COMMENTS:
            raise IllegalMove(f"all comments together are longer than {MOST_COMMENTS} characters", code="too-much-text")
        self.recorder.comment(said)
        if line:
            self._written.pop(line[-1], None)
        self.saved = None

    def _set_up(self, body: Data) -> None:
        stones = [Stone(there, color) for color in FIRST_COLORS for there in points(body.get(color), color)]
        self.recorder.set_up(stones)
        self.saved = None

    def _give_handicap(self, body: Data) -> None:
        self.recorder.give_handicap(whole(body.get("count"), "count", 0, MOST_STONES))
        self.saved = None

    def _facts(self, body: Data) -> None:
        game = self.recorder.game
        texts = {name: text(body[name], name) for name in FACTS if name in body}
        given = komi(body["komi"]) if "komi" in body else game.komi
        names = pair(body["players"], "players", text) if "players" in body else [one.name for one in game.players]
        if "rules" in body and (rules := text(body["rules"], "rules")) != game.rules:
            self.recorder.set_rules(rules)
        for name, said in texts.items():
            setattr(game, name, said)
        game.komi = given
        game.players = tuple(attrs.evolve(one, name=name) for one, name in zip(game.players, names, strict=True))
        self.saved = None

    def _points(self, body: Data) -> None:
        given = pair(body.get("points"), "points", amount)
        self.recorder.set_points({seat: one for seat, one in enumerate(given) if one is not None})
        self.saved = None

    def _mark_dead(self, body: Data) -> None:
        there = point(body.get("point"))
        if not self._is_counted:
            raise InvalidMove("dead stones can be marked only after both players have passed", code="not-over")
        chain = _chain(self.recorder.board.stones, there)
        if not chain:
            raise InvalidMove("there is no stone on this point", code="no-stone")
        self.dead[self.recorder.line[-1]] = self._dead - chain if there in self._dead else self._dead | chain

    # Showing

    @property
    def _is_counted(self) -> bool:
        return passes(self.recorder.line) >= _ENDED and not self.recorder.has_resigned

    @property
    def _dead(self) -> frozenset[Point]:
        line = self.recorder.line
        return self.dead.get(line[-1], frozenset()) if line else frozenset()

    @property
    def _current(self) -> int:
        line = self.recorder.line
        return self.listing.ids[line[-1]] if line else 0

    def entry(self) -> Data:
        """Return the recording's entry in the list of recordings."""
        game = self.recorder.game
        names = [player.name for player in game.players]
        moves = len(self.listing.nodes)
        rendered = {"title": game.title, "players": names, "size": game.size}
        return {**rendered, "moves": moves, "saved": self.saved}

    def shown(self, id: str) -> bytes:  # noqa: A002 (the name in the answer)
        """Return the whole recording as JSON."""
        recorder, game = self.recorder, self.recorder.game
        small = {
            "id": id,
            "scene": self.scene(),
            "current": self._current,
            "can": {
                "back": bool(recorder.line),
                "forward": bool(recorder.following),
                "undo": bool(recorder.line),
                "setup": not game.roots,
            },
            "facts": {name: getattr(game, name) for name in FACTS},
            "score": self._score(),
            "points": [player.points for player in game.players],
            "saved": self.saved,
        }
        nodes = ",".join([self._rendered(node, depth + 1)[0] for depth, node in game.walk()])
        line = self.listing.line(self._current)
        moves = ",".join([self._rendered(node, number)[1] for number, node in enumerate(line, 1)])
        tree = f'{{"comment":{_json(game.comment)},"nodes":[{nodes}]}}'
        return f'{_json(small)[:-1]},"tree":{tree},"moves":[{moves}]}}'.encode()

    def _rendered(self, node: Node, number: int) -> tuple[str, str]:
        """Return the JSON of a node as an item of the tree, and as an item of the list of moves."""
        rendered = self._written.get(node)
        if rendered is None:
            data, move = self.listing.node(node, number), self.listing.move(node, number)
            rendered = self._written[node] = _json(data), _json(move)
        return rendered

    def scene(self) -> Data:
        """Return the scene: the position, whose turn it is, and where that player may not play."""
        recorder, game, board = self.recorder, self.recorder.game, self.recorder.board
        last = recorder.line[-1] if recorder.line else None
        mover, has_resigned, ended = recorder.to_move, recorder.has_resigned, passes(recorder.line)
        turn = [] if has_resigned else [mover]
        illegal = () if has_resigned else refused(board, FIRST_COLORS[mover])
        seen = view(board, (last.removes if last else None) or (), last.point if last else None) | {
            "prisoners": self.listing.prisoners(board),
            "to_move": turn,
            "passes": ended,
            "resigned": last.player if last and has_resigned else None,
            **self.listing.named(),
        }
        if self._is_counted:
            seen["dead"] = sorted(self._dead)
        return {
            "board": seen,
            "phase": "over" if has_resigned or ended >= _ENDED else "play",
            "you": {"seat": mover, "color": FIRST_COLORS[mover], "illegal": [[*at, code] for at, code in illegal]},
            "won": None,
            "seats": [{"seat": one.id, "name": one.name or "", "connected": True} for one in game.players],
            "options": {"size": game.size, "komi": game.komi, "handicap": game.handicap, "rules": game.rules},
            "outcome": self._outcome(),
            "last": self.listing.move(last, len(recorder.line)) if last else None,
            "turn": turn,
            "isLive": False,
        }

    def _outcome(self) -> Data | None:
        found = outcome_of(self.recorder.game.players)
        return None if found is None else {"termination": str(found.termination), "winner": found.winner}

    def _score(self) -> Mapping[str, float] | None:
        board, game, dead = self.recorder.board, self.recorder.game, self._dead
        if not self._is_counted:
            return None
        living = {there: color for there, color in board.stones.items() if there not in dead}
        prisoners = Counter(board.prisoners)
        prisoners.update(FIRST_COLORS[board.stones[there] == FIRST_COLORS[0]] for there in dead)
        return count(game.size, living, prisoners, board.rules, game.komi or 0.0)


def _chain(stones: Mapping[Point, str], start: Point) -> frozenset[Point]:
    """Return the stones that are connected to the one on a point; empty if there is none."""
    found = {start} if start in stones else set[Point]()
    waiting = list(found)
    while waiting:
        x, y = waiting.pop()
        near = {Point(x - 1, y), Point(x + 1, y), Point(x, y - 1), Point(x, y + 1)} - found
        more = {there for there in near if stones.get(there) == stones[start]}
        found |= more
        waiting += more
    return frozenset(found)


def continued(record: Record) -> Generator[None, None, Recording]:
    """Return a recording that stands at the end of a record's game. Raises InvalidRequest and RecordError."""
    game = gofans.read(record)
    yield
    if [player.id for player in game.players] != [0, 1] or game.players[0].color not in (None, BLACK):
        raise InvalidRequest("no-pair", "the recorder takes games of two players, black and white")
    listing = Listing(game)
    if len(listing.nodes) > MOST_MOVES:
        raise InvalidRequest("too-many-moves", f"a recording has at most {MOST_MOVES} moves")
    yield from listing.played()
    recorder = Recorder(game)
    recorder.go_to(list(game.main_line()))
    return Recording(recorder)


def begun(body: Mapping[str, Any]) -> Recording:
    """Begin a game with the properties of a request's body. Raises InvalidRequest, and RuleError for the handicap."""
    size, stones = _count(body, "size", 19, 1, LARGEST), _count(body, "handicap", 0, 0, MOST_STONES)
    names = pair(body.get("players"), "players", text)
    game = GoGame(
        size,
        (Player(0, names[0], color="black"), Player(1, names[1], color="white")),
        komi=komi(body.get("komi")),
        handicap=stones or None,
        setup=handicap(size, stones),
        rules=text(body.get("rules"), "rules"),
        title=text(body.get("title"), "title"),
        event=text(body.get("event"), "event"),
        date=text(body.get("date"), "date"),
        place=text(body.get("place"), "place"),
    )
    return Recording(Recorder(game))


def _count(body: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    found = body.get(name)
    return default if found is None else whole(found, name, least, most)


# Values of a request's body


def text(value: Any, name: str, most: int = MOST_TEXT) -> str | None:
    """Return a text, None if it is empty. Raises InvalidRequest if it is too long, or XML cannot hold it."""
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > most or notation.held(value) != value:
        hint = "control characters are not possible in XML"
        raise InvalidRequest("text", f"{name} must be a text of at most {most} characters", hint)
    return value or None


def amount(value: Any, name: str) -> float | None:
    """Return a number of points, or None. Raises InvalidRequest if a record cannot contain it."""
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            found = float(value)
            if math.isfinite(found):
                number_text(found)
                return found
        except (ValueError, OverflowError):
            pass
    raise InvalidRequest("number", f"{name} must be a number of points")


def komi(value: Any) -> float | None:
    """Return a komi, or None. Raises InvalidRequest."""
    return amount(value, "komi")


def pair(value: Any, name: str, read: Callable[[Any, str], T]) -> list[T]:
    """Return the values for black and for white; both are None if the pair is. Raises InvalidRequest."""
    found = [None, None] if value is None else value
    if not isinstance(found, list) or len(found) != _PLAYERS:
        raise InvalidRequest("type", f"{name} must be an array of two: for black and for white")
    return [read(one, name) for one in found]


def whole(value: Any, name: str, least: int, most: int) -> int:
    """Return an integer. Raises InvalidRequest if it is not one between `least` and `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidRequest("number", f"{name} must be a number from {least} to {most}")
    return value


def point(value: Any) -> Point:
    """Return a point, which may be off the board; the rules check that. Raises InvalidRequest if it is not a point."""
    if isinstance(value, list) and len(value) == len(Point._fields):
        x, y = value
        if type(x) is int and type(y) is int:
            return Point(x, y)
    raise InvalidRequest("point", "a point must be [x, y], counted from 1, from the left and from the top")


def points(value: Any, name: str) -> list[Point]:
    """Return a list of points; None is the empty list. Raises InvalidRequest."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InvalidRequest("point", f"{name} must be an array of points")
    return [point(one) for one in value]
