"""A Software-Challenge lobby on a simulated reactor: time passes as a test says, in each part of each pass.

The connections are socket pairs, so that what was sent is in the kernel until it is read; nothing waits for real time.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable

from attrs import define, field

from gamed.core.game import Outcome
from gamed.games.softwarechallenge import Settings
from gamed.games.softwarechallenge.table import SeasonTable
from gamed.net.session import READ_BYTES, Session
from gamed.net.stall_clock import StallClock
from tests.games.softwarechallenge.harness import HIVE, PASSWORD, ROW, SeasonHarness
from tests.lobby.doubles import Turns
from tests.net.transports import Handle, TCPTransport

LIMIT = 2.0


@define(eq=False)
class Player:
    """A client's end, and what the server has of it."""

    end: socket.socket
    transport: TCPTransport
    session: Session

    def says(self, text: str) -> None:
        self.end.send(text.encode())


@define(eq=False)
class Simulation:
    """A game of two, whose first player is asked for a move. `sends`: what is sent at which moment, in order."""

    clock: Turns = field(factory=Turns)
    heart: StallClock = field(init=False)
    harness: SeasonHarness = field(init=False)
    players: list[Player] = field(factory=list)
    takes: int | None = None
    """How many bytes the system takes for a player at a time."""

    sends: list[tuple[float, Callable[[], None]]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.clock.rightNow = 100.0
        self.heart = StallClock(self.clock, self.clock.seconds)
        settings = Settings(password=PASSWORD, soft_seconds=LIMIT, hard_seconds=LIMIT)
        self.harness = SeasonHarness(settings, clock=self.clock, passes=self.heart)
        for _ in range(2):
            self.connect().says(f'<protocol><join gameType="{HIVE}"/>')
        self.passes(4)

    def connect(self) -> Player:
        near, far = socket.socketpair()
        far.setblocking(False)
        transport = TCPTransport(Handle(near.detach()))
        transport.handle.takes = self.takes
        self.players.append(Player(far, transport, self.harness.connect(transport=transport).session))
        return self.players[-1]

    def close(self) -> None:
        for player in self.players:
            player.end.close()
            player.transport.handle.close()

    @property
    def table(self) -> SeasonTable:
        return self.harness.tables[0]

    @property
    def asked_at(self) -> float:
        assert self.table._clock.asked_at is not None
        return self.table._clock.asked_at

    @property
    def outcome(self) -> Outcome | None:
        return self.table.outcome

    @property
    def has_moved(self) -> bool:
        return bool(self.table.match.state.turn)

    def move(self, more: str = "") -> None:
        """Have the first player send its move."""
        self.players[0].says(f'{more}<room roomId="{self.table.room}">{ROW[0]}</room>')

    def elapse(self, seconds: float) -> None:
        """Let time pass, in which players send."""
        until = self.clock.rightNow + seconds
        while self.sends and self.sends[0][0] <= until:
            at, send = self.sends.pop(0)
            self.clock.rightNow = max(at, self.clock.rightNow)
            send()
        self.clock.rightNow = until

    def pass_once(self, timers: float = 0.0, polling: float = 0.0, reading: float = 0.0) -> None:
        """Let the reactor make one pass. `timers`, `polling`, `reading`: the seconds that its parts take."""
        self.clock.turn()
        self.elapse(timers)
        self.heart.note_pass()
        self.elapse(polling)
        ready = [player for player in self.players if self._is_ready(player)]
        self.elapse(reading)
        for player in ready:
            player.session.dataReceived(player.transport.handle.recv(READ_BYTES))

    @staticmethod
    def _is_ready(player: Player) -> bool:
        is_read = player.transport.producerState == "producing" and not player.transport.disconnected
        return is_read and bool(select.select([player.transport.handle], [], [], 0)[0])

    def passes(self, count: int, timers: float = 0.0, polling: float = 0.0, reading: float = 0.0) -> None:
        for _ in range(count):
            self.pass_once(timers, polling, reading)
