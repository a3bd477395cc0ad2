"""The time for a move over TCP, with a daemon whose reactor stalls now and then.

Source: docs/reference/software-challenge.md#time.
"""

from __future__ import annotations

import select
import signal
import socket
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import LEFT, MOVE, Entry
from gamed.games.softwarechallenge.client import Player
from gamed.registry import game_types
from tests.daemon import Daemon, free_port, section
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.evidence import look, settle
from tests.proofs.stalling_daemon import STALL

SEASONS = ("hive", "blokus")
LIMIT = 2.0
WAIT = amount(195, 160) / 100
"""Seconds that clients think. In the short form, the machine may be busy."""

LATEST = LIMIT - 0.02
"""Seconds after which a move must have been sent: if this process has slept too long, it proves nothing."""


@define(eq=False)
class Slow:
    """A client that answers each request after a delay. `waits`: the delay of each request in seconds."""

    port: int
    waits: list[float]
    kind: str = "hive"
    player: Player = field(init=False)
    socket: socket.socket = field(init=False)
    due: float | None = None
    took: list[float] = field(factory=list)
    _held: bytes = b""
    _asked: float = 0.0
    _is_heard: bool = False

    def __attrs_post_init__(self) -> None:
        player = game_types()[self.kind].players["random"](Random(1))
        assert isinstance(player, Player)
        self.player = player
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.sendall(player.begin())

    @property
    def is_over(self) -> bool:
        return self.player.result is not None

    @property
    def fault(self) -> tuple[int, str] | None:
        """Who has lost by a fault, and by which."""
        found = None if self.player.result is None else self.player._connection.dialect.fault_in(self.player.result)
        return None if found is None else (found[0], str(found[1].get("limit", found[1]["why"])))

    def read(self, since: float | None = None) -> None:
        """Take what has come. `since`: when nothing had come yet, because this process may be late; None: just now."""
        now, moves, state = time.monotonic(), self.player.moves, self.player.state
        answer = self.player.receive_data(self.socket.recv(1 << 16))
        self._is_heard |= self.player.state is not state
        if self.player.moves > moves:
            self._held, self._asked = answer, now if since is None else since
            self.due = now + self.waits.pop(0) if self.waits else None
        elif answer:
            self.socket.sendall(answer)

    def answer(self) -> None:
        """Move, and note how long that has taken."""
        self.due = None
        self._is_heard = False
        self.took.append(time.monotonic() - self._asked)
        self.socket.sendall(self._held)

    @property
    def is_done(self) -> bool:
        """Whether it has sent all its answers and they were read, or the game is over."""
        return self.is_over or (not self.waits and self.due is None and self._is_heard)


def play(clients: Sequence[Slow], stalls: Iterable[float], daemon: Daemon) -> None:
    """Let clients play until all are done. `stalls`: when the reactor stalls, in seconds from now."""
    begun = time.monotonic()
    due = sorted(begun + at for at in stalls)
    by_socket = {client.socket: client for client in clients}
    looked = begun
    while not all(client.is_done for client in clients):
        waking = [client.due for client in clients if client.due is not None] + due[:1]
        wait = max(0.0, min(waking, default=begun + 60) - time.monotonic())
        since = looked
        # What came while it waited woke it, unless it was late itself.
        found = select.select(list(by_socket), [], [], min(wait, 0.01))[0]
        looked = time.monotonic()
        for ready in found:
            by_socket[ready].read(since)
        now = time.monotonic()
        if now - begun > 60:
            raise AssertionError("the games do not end")
        if due and due[0] <= now:
            daemon.process.send_signal(signal.SIGRTMIN)
            due.pop(0)
        for client in clients:
            if client.due is not None and client.due <= now:
                client.answer()


class TimeTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.port = free_port()
        self.folder = Path(self.mktemp())
        self.keys = section("softwarechallenge", self.port, 'password = "x"')

    def played(
        self, games: Sequence[tuple[list[float], list[float]]], stalls: Iterable[float] = ()
    ) -> list[list[Slow]]:
        """Play games of the seasons in turn, whose sides wait before their moves; afterwards all leave."""
        daemon = Daemon(self.folder, more=self.keys)
        daemon.program = [sys.executable, Path(__file__).with_name("stalling_daemon.py")]
        daemon.start()
        self.addCleanup(lambda: daemon.process.poll() is None and daemon.kill())
        daemon.load(self.port)
        pairs = [
            [Slow(self.port, list(waits), SEASONS[number % 2]) for waits in game] for number, game in enumerate(games)
        ]
        play([client for pair in pairs for client in pair], stalls, daemon)
        for pair in pairs:
            for client in pair:
                client.socket.close()
        daemon.settled(len(games))
        settle(daemon.directory)
        self.assertEqual(daemon.unexpected(), [])
        daemon.stop()
        self.stored = look(daemon.directory, "").histories()
        return pairs

    def entries(self, kind: str) -> list[Entry]:
        """Return the entries of a kind in all records."""
        return [entry for history in self.stored.values() for entry in history.of_kind(kind)]

    def test_who_answers_in_time_never_loses(self) -> None:
        moves = amount(10, 2)
        stalls = [number * 0.77 for number in range(round(moves * 2 * WAIT / 0.77) + 1)]
        pairs = self.played([([WAIT] * moves, [WAIT] * moves)] * amount(20, 6), stalls)
        proven = [pair for pair in pairs if max(took for client in pair for took in client.took) <= LATEST]
        self.assertEqual([client.fault for pair in proven for client in pair], [None, None] * len(proven))
        # Boards are random: now and then a bee is enclosed sooner.
        lasting = [pair for pair in proven if not any(client.is_over for client in pair)]
        self.assertGreater(len(lasting), 0)
        for pair in lasting:
            self.assertEqual([len(client.took) for client in pair], [moves, moves])

    def test_who_answers_too_late_loses(self) -> None:
        pairs = self.played([([2.1], [])] * 5)
        for first, second in pairs:
            self.assertEqual(second.fault or first.fault, (0, "soft"))
        entries = self.entries(LEFT)
        self.assertEqual(len(entries), 5)
        for entry in entries:
            self.assertEqual((entry.data["why"], entry.data["limit"], entry.data["soft"]), ("time", "soft", 2000))
            self.assertGreater(entry.data["taken"], 2000)

    def test_what_came_while_the_server_stood_still_at_the_limit_is_in_time(self) -> None:
        # The limit expires during the stall, wherever in the first quarter of a second the requests came.
        pairs = self.played([([1.8], [])] * 5, [1.75])
        proven = [first for first, _ in pairs if first.took[0] <= LATEST]
        self.assertGreater(len(proven), 0)
        self.assertEqual([first.fault for first in proven], [None] * len(proven))
        moved = [entry.data for entry in self.entries(MOVE) if "gap" in entry.data]
        self.assertGreaterEqual(len(moved), len(proven))
        for data in moved:
            self.assertGreater(data["taken"], 2_000)
            self.assertLessEqual(data["taken"] - data["gap"], 2_000)

    def test_a_standstill_before_that_is_not_deducted(self) -> None:
        pairs = self.played([([2.0 + STALL - 0.1], [])] * 5, [0.6])
        for first, second in pairs:
            self.assertEqual(second.fault or first.fault, (0, "soft"))
