"""Many of gamed's bots as clients of all four listeners in one process: `python -m tests.proofs.guests JSON`.

The JSON object: `ports` by listener, `host` to come from, `tables` of each game at a time, `pause` in seconds before
each answer. All tables begin, "playing" is printed, and then games are played, one after the other at each table, until
standard input ends; Battleship, where a table that begins anew could get a stranger as a partner, once only. Printed at
last: the games, and the moves: listener, moment, and the seconds from a send until anybody at that table heard
something.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import json
import os
import select
import selectors
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any

from attrs import define, field

from gamed.core.clients import Player
from gamed.core.errors import RemoteProtocolError
from gamed.registry import game_types, games
from tests.daemon import PATIENT, Daemon, free_port, section
from tests.proofs.clients import connection, named
from tests.proofs.companion import PlayingCompanion

LISTENERS = tuple(games())
KINDS = {name: maker.load().kind for name, maker in games().items()}
STRATEGIES = {"battleship": "open-list", "quoridor": "path", "softwarechallenge": "random", "roborally": "random"}
"""Quick ones, where the first one is not: what is measured is the daemon."""

KEYS = {
    "quoridor": "tables = 0\n",
    "roborally": 'courses = ["anlauf"]\nmax_players = 2\nmax_games = 10000\nstart_delay = 0.0\nlinger = 2.0\n',
}
"""Games for two at each listener, without a limit on their number."""

TYPES = game_types()

_numbers = itertools.count(os.getpid() * 100_000)


def letters() -> str:
    """Return a name that no other guest has, in this process or another running one."""
    number, name = next(_numbers), ""
    for _ in range(8):
        number, letter = divmod(number, 26)
        name = ascii_lowercase[letter] + name
    return f"guest{name}"


def daemon_of_all(
    directory: Path, keys: Mapping[str, str] | None = None, more: str = ""
) -> tuple[Daemon, dict[str, int]]:
    """Return a daemon with all listeners, and their ports.

    `keys`: more of a listener's section, as TOML. Without them, nobody loses a game of Hive by a busy machine's clock.
    """
    own = keys or {"softwarechallenge": PATIENT}
    wanted = {name: KEYS.get(name, "") + own.get(name, "") for name in LISTENERS}
    ports = {name: free_port() for name in LISTENERS if name not in ("battleship", "quoridor")}
    sections = "".join(section(name, port, wanted[name]) for name, port in ports.items())
    daemon = Daemon(directory, battleship=wanted["battleship"], quoridor=wanted["quoridor"], more=sections + more)
    return daemon, {"battleship": daemon.port, "quoridor": daemon.quoridor_port, **ports}


@contextlib.contextmanager
def running_all(
    directory: Path, keys: Mapping[str, str] | None = None, more: str = ""
) -> Iterator[tuple[Daemon, dict[str, int]]]:
    """Run it for the time of a with-block: stopped cleanly at the end, killed after a failure."""
    daemon, ports = daemon_of_all(directory, keys, more)
    daemon.start()
    try:
        yield daemon, ports
        daemon.stop()
    finally:
        if daemon.process.poll() is None:
            daemon.kill()


def make_player(listener: str, random: Random, name: str) -> Player:
    """Return a player, with a name if the dialect has names."""
    game = TYPES[KINDS[listener]]
    make = game.players.get(STRATEGIES.get(listener, "")) or next(iter(game.players.values()))
    return make(random, name=name) if "name" in game.player_options else make(random)


@define(eq=False)
class Guest:
    """One player on one connection.

    `error`: why its game was not finished. `heard`: the number of reads with data. `was_closed`: whether the server has
    closed the connection. `ended`: whether the server or the player has.
    """

    listener: str
    socket: socket.socket
    player: Player
    name: str
    heard: int = 0
    ended: bool = False
    was_closed: bool = False
    error: str = ""

    @classmethod
    def come(cls, listener: str, port: int, random: Random, host: str | None = None) -> Guest:
        """Connect from a new address or from `host`, and send the first message."""
        name = letters()
        client = connection(port, host)
        player = make_player(listener, random, name)
        client.sendall(player.begin())
        return cls(listener, client, player, named(client) if listener == "battleship" else name)

    @property
    def place(self) -> str:
        """What identifies its seat in the records: the room if the dialect has it, otherwise its name."""
        return str(getattr(self.player, "room", None) or self.name)

    def read(self) -> bytes:
        """Read what has arrived, and return the answer without sending it."""
        try:
            data = self.socket.recv(262_144)
        except ConnectionError:
            data = b""
        self.heard += 1
        self.was_closed = not data
        answer = b""
        try:
            if not self.player.is_done:
                answer = self.player.receive_data(data)
        except RemoteProtocolError as error:
            self.error = str(error)
        self.ended = self.was_closed or bool(self.error)
        return answer

    def play(self) -> None:
        """Read what has arrived and answer it; leave when the game is over."""
        self.send(self.read())
        if self.player.is_done:
            self.end()

    def send(self, data: bytes) -> None:
        """Send; an end of the connection is noticed when reading."""
        if data and not self.ended:
            with contextlib.suppress(ConnectionError):
                self.socket.sendall(data)

    def end(self) -> None:
        """Close the connection."""
        self.ended = True
        self.socket.close()


@define(eq=False)
class Table:
    """Two clients that play together. `sent`: when one of them sent something that has not reached the other yet."""

    listener: str
    guests: list[Guest] = field(factory=list)
    sent: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether both have left."""
        return len(self.guests) == 2 and all(guest.ended for guest in self.guests)

    def report(self) -> dict[str, Any]:
        """Return what is printed of a game."""
        return {
            "listener": self.listener,
            "places": [guest.place for guest in self.guests],
            "won": [guest.player.won for guest in self.guests],
            "errors": [guest.error for guest in self.guests],
        }


@define(eq=False)
class Party:
    """Tables on a selector. The second player of a table connects after the first one's messages were read.

    Each game has one table at a time.
    """

    ports: Mapping[str, int]
    random: Random
    host: str | None = None
    pause: float = 0.0
    tables: list[Table] = field(factory=list)
    moves: list[tuple[str, float, float]] = field(factory=list)
    games: list[dict[str, Any]] = field(factory=list)
    seen: list[Guest] = field(factory=list)
    _waiting: list[tuple[float, int, Table, Guest, bytes]] = field(factory=list)
    _selector: selectors.BaseSelector = field(factory=selectors.DefaultSelector)
    _order: Iterator[int] = field(factory=itertools.count)

    def sit_down(self, table: Table) -> None:
        """Connect one more client to a table."""
        host = self.host
        guest = Guest.come(table.listener, self.ports[table.listener], self.random, host)
        table.guests.append(guest)
        self.seen.append(guest)
        self._selector.register(guest.socket, selectors.EVENT_READ, (table, guest))

    def begin(self, listener: str) -> Table:
        """Start a table: connect one client now, and the other one as soon as it is seated."""
        table = Table(listener)
        self.tables.append(table)
        self.sit_down(table)
        return table

    def begun(self, listener: str, seconds: float = 60.0) -> Table:
        """Start a table, and continue until both clients have received something."""
        table, until = self.begin(listener), time.monotonic() + seconds
        while len(table.guests) < 2 or not table.guests[1].heard:
            if time.monotonic() > until:
                raise AssertionError(f"nobody is heard at a table of {listener}")
            self.step(0.05)
        return table

    @property
    def played(self) -> Counter[str]:
        """The number of finished games, by listener."""
        return Counter(game["listener"] for game in self.games)

    def release(self, table: Table) -> None:
        """Send at once what waits to be sent at a table."""
        mine = [waiting for waiting in self._waiting if waiting[2] is table]
        for waiting in mine:
            self._waiting.remove(waiting)
            self._say(table, waiting[3], waiting[4])
        heapq.heapify(self._waiting)

    def step(self, longest: float) -> None:
        """Read what has arrived, and send what is due."""
        now = time.monotonic()
        due = self._waiting[0][0] - now if self._waiting else longest
        for key, _ in self._selector.select(max(0.0, min(longest, due))):
            self._heard(*key.data)
        now = time.monotonic()
        while self._waiting and (self._waiting[0][0] <= now or not self.pause):
            _, _, table, guest, answer = heapq.heappop(self._waiting)
            self._say(table, guest, answer)

    def _heard(self, table: Table, guest: Guest) -> None:
        moment = time.monotonic()
        if table.sent is not None:
            self.moves.append((table.listener, table.sent, moment - table.sent))
            table.sent = None
        answer = guest.read()
        if guest.ended:
            self._leave(guest)
        elif answer:
            heapq.heappush(self._waiting, (moment + self.pause, next(self._order), table, guest, answer))
        elif guest.player.is_done:
            self._leave(guest)
        if len(table.guests) < 2:
            self.sit_down(table)
        self._over(table)

    def _over(self, table: Table) -> None:
        if table.is_over and table in self.tables:
            self.tables.remove(table)
            self.games.append(table.report())

    def _say(self, table: Table, guest: Guest, answer: bytes) -> None:
        table.sent = time.monotonic()
        guest.send(answer)
        if guest.player.is_done and not guest.ended:
            self._leave(guest)
        self._over(table)

    def _leave(self, guest: Guest) -> None:
        self._selector.unregister(guest.socket)
        guest.end()

    def renew(self, tables: int) -> None:
        """Start the missing games. Only one table of a game starts at a time."""
        for listener in (name for name in LISTENERS if name != "battleship"):
            mine = [table for table in self.tables if table.listener == listener]
            if len(mine) < tables and all(len(table.guests) == 2 and table.guests[1].heard for table in mine):
                self.begin(listener)

    def play_on(self, seconds: float = 600.0) -> None:
        """Play all games to the end."""
        until = time.monotonic() + seconds
        while self.tables:
            if time.monotonic() > until:
                raise AssertionError(f"games that do not end: {[table.report() for table in self.tables][:5]}")
            self.step(0.1)

    def close(self) -> None:
        """Close everything."""
        for table in self.tables:
            for guest in table.guests:
                guest.socket.close()
        self._selector.close()


def main(ports: Mapping[str, int], host: str, tables: int, pause: float) -> None:
    """Play as the module's docstring describes."""
    # With the pause from the beginning: else the first tables are nearly over when the last one begins.
    party = Party(ports, Random(7), host, pause)
    for listener in LISTENERS:
        for _ in range(tables):
            party.begun(listener)
    print("playing", flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        party.step(0.02)
        party.renew(tables)
    party.pause = 0.0
    party.play_on()
    party.close()
    print(json.dumps({"games": party.games, "moves": party.moves}))


class Beside(PlayingCompanion):
    """The process that plays honest games at all listeners."""

    def __init__(self, ports: Mapping[str, int], tables: int, pause: float) -> None:
        super().__init__(__name__, {"ports": dict(ports), "host": "127.0.0.9", "tables": tables, "pause": pause})
        self.games: list[dict[str, Any]] = []

    def moves(self) -> dict[str, list[float]]:
        """Let all games be finished; return the seconds of the moves in each period."""
        told = json.loads(self.finish(300.0))
        self.games = told["games"]
        return self.by_period((moment, took) for _, moment, took in told["moves"])


def percentile(seconds: Sequence[float], share: float) -> float:
    """Return the value below which a share (0 to 1) of the values lies."""
    return sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))]


def described(what: str, seconds: Sequence[float]) -> str:
    """Return a line about how long moves took."""
    if not seconds:
        return f"  {what}: over before a move fell into it"
    p50, p99 = (1000 * percentile(seconds, share) for share in (0.5, 0.99))
    return f"  {what}: {len(seconds)} moves, p50 {p50:.2f} ms, p99 {p99:.1f} ms, longest {1000 * max(seconds):.0f} ms"


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
