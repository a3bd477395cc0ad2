"""Hive: what a move costs in the rules and in XML, and rooms of instant clients over TCP.

The instant clients play prepared games of sixty moves in the middle of the board. A client takes the first game that
does not use the obstructed cells of its room. It calculates nothing else, so that the server never waits for it.
"""

from __future__ import annotations

import re
import selectors
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from xml.etree.ElementTree import Element, tostring

from lxml import etree

from gamed.core.errors import RuleError
from gamed.core.game import CHANCE
from gamed.games.softwarechallenge.messages import Memento
from gamed.games.softwarechallenge.seasons.hive.board import Cell
from gamed.games.softwarechallenge.seasons.hive.checks import checked
from gamed.games.softwarechallenge.seasons.hive.client import data_of
from gamed.games.softwarechallenge.seasons.hive.generator import generated
from gamed.games.softwarechallenge.seasons.hive.moves import COLORS, TYPES, DragMove, Move, Obstructed, SetMove
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import LAST_TURN, Hive
from gamed.games.softwarechallenge.seasons.hive.strategy import legal
from gamed.games.softwarechallenge.seasons.hive.wire import GAME_TYPES, echo, memento
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection

HIVE = Hive()
SCRIPTS = 42
CENTRES = ((0, 0), (2, -2), (-2, 2), (0, 2), (0, -2), (2, 0), (-2, 0))
NAMES = ("p1", "p2")


# Games


def start(cells: tuple[Cell, ...]) -> State:
    """Return the empty board with these cells obstructed."""
    return HIVE.apply(HIVE.setup({}), CHANCE, Obstructed(tuple(sorted(cells))))


@cache
def script(seed: int) -> tuple[Move, ...]:
    """Return a game of sixty moves that stays as near to a cell as possible, and does not end earlier."""
    centre = CENTRES[seed % len(CENTRES)]
    for attempt in range(1_000):
        random = Random(1_000 * seed + attempt)
        state, moves = start(((-5, 5), (0, -5), (5, -5))), []
        while HIVE.to_move(state):
            move = _quiet(state, centre, random)
            moves.append(move)
            state = HIVE.apply(state, state.mover, move)
        if len(moves) == LAST_TURN:
            return tuple(moves)
    raise AssertionError("no game lasts")


def _quiet(state: State, centre: Cell, random: Random) -> Move:
    """Return one of the legal moves that end nearest to a cell and leave room around both bees."""
    moves = legal(state)
    random.shuffle(moves)
    moves.sort(key=lambda move: _distance(move, centre))
    return next((move for move in moves if _leaves_room(HIVE.apply(state, state.mover, move))), moves[0])


def _distance(move: Move, centre: Cell) -> int:
    if not isinstance(move, (SetMove, DragMove)):
        return 0
    x, y = move.x - centre[0], move.y - centre[1]
    return max(abs(x), abs(y), abs(x + y))


def _leaves_room(state: State) -> bool:
    return all(state.free(seat) not in (0, 1) for seat in (0, 1))


def fits(moves: tuple[Move, ...], cells: tuple[Cell, ...]) -> bool:
    """Whether a game can be played if these cells are obstructed."""
    state = start(cells)
    try:
        for move in moves:
            state = checked(state, move)
            if state.turn < LAST_TURN and HIVE.outcome(state) is not None:
                return False
    except RuleError:
        return False
    return True


# Without a network


def positions() -> list[tuple[State, Move]]:
    """Return the positions of random games, each with the move that was made in it."""
    found = []
    for seed in range(30):
        random = Random(seed)
        state = HIVE.apply(HIVE.setup({}), CHANCE, HIVE.draw(HIVE.setup({}), random))
        while HIVE.to_move(state):
            move = random.choice(legal(state))
            found.append((state, move))
            state = HIVE.apply(state, state.mover, move)
    return found


def each(call: Callable[[], object], times: int, rounds: int = 7) -> float:
    """Return the microseconds of one step of a call that does so many steps: the best of several rounds."""
    best = float("inf")
    for _ in range(rounds):
        begun = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begun)
    return best / times * 1e6


def rules() -> tuple[float, float]:
    """Return the microseconds to validate a move, and to list the legal ones."""
    found = positions()
    validation = each(lambda: [checked(state, move) for state, move in found], len(found))
    return validation, each(lambda: [generated(state) for state, _ in found], len(found))


def mementos() -> tuple[float, float]:
    """Return the microseconds to make a memento's bytes, ours and by an lxml tree; the bytes are the same."""
    found = [(HIVE.apply(state, state.mover, move), echo(move)) for state, move in positions()]

    def ours() -> list[bytes]:
        wire = SoftwareChallengeConnection()
        return [wire.send(Memento("R", memento(state, NAMES, last))) for state, last in found]

    def tree() -> list[bytes]:
        return [by_tree(state, last) for state, last in found]

    for one, other in zip(ours(), tree(), strict=True):
        if one.removeprefix(b"<protocol>").strip() != other.strip():
            raise AssertionError(f"{one.decode()}\n{other.decode()}")
    return each(ours, len(found)), each(tree, len(found), 3)


def by_tree(state: State, last: str) -> bytes:
    """Return a memento's bytes, made from a tree of elements."""
    room = etree.Element("room", roomId="R")
    data = etree.SubElement(room, "data", {"class": "memento"})
    top = etree.SubElement(data, "state", {"class": "state"})
    top.set("startPlayerColor", "RED")
    top.set("turn", str(state.turn))
    top.set("currentPlayerColor", COLORS[state.mover])
    for color, name in zip(COLORS, NAMES, strict=True):
        etree.SubElement(top, color.lower(), color=color, displayName=name)
    board = etree.SubElement(top, "board")
    barred, stacks = set(state.obstructed), state.board()
    for x in range(-5, 6):
        fields = etree.SubElement(board, "fields")
        for y in range(-5, 6):
            if abs(x + y) > 5:
                etree.SubElement(fields, "null")
                continue
            place = {"x": str(x), "y": str(y), "z": str(-x - y), "isObstructed": str((x, y) in barred).lower()}
            _pieces(etree.SubElement(fields, "field", place), stacks.get((x, y), ""))
    _pieces(etree.SubElement(top, "undeployedRedPieces"), state.hand(0))
    _pieces(etree.SubElement(top, "undeployedBluePieces"), state.hand(1).lower())
    top.append(etree.fromstring(last))
    for element in top[-1].iter():
        element.text = element.tail = None
    etree.indent(room, level=1)
    return etree.tostring(room)


def _pieces(parent: etree._Element, letters: str) -> None:
    for letter in letters:
        etree.SubElement(parent, "piece", owner=COLORS[letter.islower()], type=TYPES[letter.upper()])


# Over TCP

LEFT = b"<left "
LEAVE = b"</protocol>"
OBSTRUCTED = re.compile(rb'<field x="(-?\d)" y="(-?\d)" z="-?\d" isObstructed="true"')
ROOM = re.compile(rb'<joined roomId="([^"]+)"')
TAIL = 64
"""How many bytes are searched again with the next ones, because a word may have been cut."""


class Game:
    """Two instant clients in a room.

    made: How many moves were sent.
    length: After how many moves a client leaves.
    left: Whether it has.
    """

    game_type = GAME_TYPES[0]
    request = b"plugins.protocol.MoveRequest"

    def __init__(self, port: int, length: int = LAST_TURN) -> None:
        self.made, self.length, self.left = 0, length, False
        self.moves: Iterator[bytes] | None = None
        self.head = b""
        self.tails = [b"", b""]
        self.sockets = [client(port, self.game_type)]
        # A client joins when the one before it has its seat. Else two games that begin together could be mixed up.
        while b"<joined" not in self.head:
            self.head += self.sockets[0].recv(4_096)
        self.sockets.append(client(port, self.game_type))
        while b"<joined" not in self.tails[1]:
            self.tails[1] += self.sockets[1].recv(4_096)

    def receive(self, seat: int) -> bool:
        """Read what a client was sent. Return False when its game is over."""
        news = self.sockets[seat].recv(262_144)
        if not news:
            if self.left:
                return False
            raise AssertionError("closed in the middle of a game")
        if self.moves is None and not seat:
            self.head += news
        data = self.tails[seat] + news
        if self.request not in data:
            self.tails[seat] = data[-TAIL:]
            return LEFT not in data
        self.tails[seat] = b""
        if self.moves is None:
            self.moves = self.chosen()
        message = next(self.moves)
        self.left = message == LEAVE
        self.sockets[seat].sendall(message)
        self.made += 1
        return True

    def chosen(self) -> Iterator[bytes]:
        """Return the messages that are sent in this room."""
        cells = tuple((int(x), int(y)) for x, y in OBSTRUCTED.findall(self.head))
        room = ROOM.search(self.head)
        assert room is not None
        moves = next((script(seed) for seed in range(SCRIPTS) if fits(script(seed), cells)), ())
        return encoded([data_of(move) for move in moves[: self.length]], room[1].decode())

    def close(self) -> None:
        for sock in self.sockets:
            sock.close()


def client(port: int, game_type: str) -> socket.socket:
    """Return a connection that has asked to join."""
    sock = socket.create_connection(("127.0.0.1", port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.sendall(f'<protocol><join gameType="{game_type}"/>'.encode())
    return sock


def encoded(moves: Sequence[Element], room: str) -> Iterator[bytes]:
    """Yield the messages of moves, and then the end of the document, by which the client leaves."""
    for move in moves:
        yield f'<room roomId="{room}">{tostring(move, "unicode")}</room>'.encode()
    yield LEAVE


def play(port: int, rooms: int, games: int, length: int = LAST_TURN, make: type[Game] = Game) -> tuple[int, float]:
    """Play so many games of at most this length, in so many rooms at once. Return the moves and the seconds."""
    selector = selectors.DefaultSelector()
    begun, made, left = time.perf_counter(), 0, games

    def begin() -> None:
        game = make(port, length)
        for seat, sock in enumerate(game.sockets):
            selector.register(sock, selectors.EVENT_READ, (game, seat))

    for _ in range(min(rooms, games)):
        begin()
        left -= 1
    while selector.get_map():
        # Poll without sleeping, because waking the clients would cost the server time that is not to be measured.
        for key, _ in selector.select(timeout=0):
            game, seat = key.data
            if game.sockets[seat].fileno() >= 0 and not game.receive(seat):
                made += game.made
                for sock in game.sockets:
                    selector.unregister(sock)
                game.close()
                if left:
                    begin()
                    left -= 1
    return made, time.perf_counter() - begun
