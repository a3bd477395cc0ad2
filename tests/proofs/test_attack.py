"""Honest games of all listeners while others do what they can to the daemon. Source: issue 7, "Shows" 2.

Everybody here comes over loopback and shares the processors with the daemon, so that times are printed only.
Asserted are the right ends of all honest games, bounds on memory, and a log without anything unexpected.
"""

from __future__ import annotations

import contextlib
import resource
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from random import Random

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.game import Termination
from tests.daemon import Daemon, free_port
from tests.proofs import amount, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.clients import connection
from tests.proofs.evidence import look, settle
from tests.proofs.guests import LISTENERS, Beside, Guest, Party, described, running_all
from tests.proofs.test_kills_all import rooms_by_place

MIB = 1 << 20
MEMORY = 100 * MIB
BACK = 1.2
"""How much of what it held before the daemon may hold when all is over."""

TABLES, PAUSE, QUIET, WARM = 4, 0.2, 6.0, 20
ATTACK = 4.0
"""Seconds that a flood lasts."""

KEYS = {"softwarechallenge": "soft_seconds = 10.0\nhard_seconds = 20.0\n"}
"""What a busy machine does to our own bots loses no game."""

BOMB = (
    b"<?xml version='1.0'?><!DOCTYPE protocol [<!ENTITY a 'aaaaaaaaaa'>"
    + b"".join(b"<!ENTITY %c '%s'>" % (98 + number, b"&%c;" % (97 + number) * 10) for number in range(9))
    + b"]><protocol>&j;"
)
ENDLESS = (b"<protocol><join gameType='", b"<protocol>" + b"<a>" * 10_000, b"<protocol><!--", b"<protocol><![CDATA[")
FILLING = b"x" * 65_536
LINES = {
    "battleship": b"(1,[0,0]).\n" * 6_000,
    "quoridor": b"(hello)\n(move wall 1 1 vertical)\n" * 2_000,
    "softwarechallenge": b"<room roomId='no'><data class='nothing'/></room>" * 1_500,
    "roborally": b"GGS\nGPH\nGPL\nGFL\n" * 4_000,
}
COMMANDS = b"rooms\r\n" * 1_000_000


def address(number: int) -> str:
    """Return an address of this machine: each limit by address counts a few connections only."""
    return f"127.77.{number // 250 % 250}.{number % 250 + 1}"


def pushed(clients: Iterable[tuple[socket.socket, bytes]], seconds: float) -> int:
    """Send on all connections what goes, again and again, and read what comes; return how many bytes went."""
    waiting, until, sent = dict(clients), time.monotonic() + seconds, 0
    for client in waiting:
        client.setblocking(False)
    while waiting and time.monotonic() < until:
        for client, data in list(waiting.items()):
            try:
                sent += client.send(data)
            except BlockingIOError:
                pass
            except OSError:
                del waiting[client]
                continue
            with contextlib.suppress(OSError):
                client.recv(MIB)
        time.sleep(0.001)
    return sent


@define(eq=False)
class Attack:
    """What is done. Each method returns what there is to say about it."""

    ports: Mapping[str, int]
    console: int
    pairs: dict[str, list[Guest]] = field(factory=dict)
    clients: list[socket.socket] = field(factory=list)

    def take_seats(self) -> None:
        """Seat two of our own at each listener, before honest players come, so that nobody is paired with these."""
        for listener in LISTENERS:
            pair = []
            for _ in range(2):
                guest = Guest.come(listener, self.ports[listener], Random(1), "127.0.0.66")
                guest.socket.settimeout(10.0)
                pair.append(guest)
                guest.send(guest.read())
            self.pairs[listener] = pair
            time.sleep(0.3)
            for guest in pair:
                # Quoridor's second votes after one more mail.
                guest.send(guest.read())

    def dial(self, listener: str, number: int) -> socket.socket:
        """Return a connection, to be closed at last."""
        client = connection(self.ports[listener], address(number))
        self.clients.append(client)
        return client

    def slow_connections(self) -> str:
        """Open connections that say half a word each, and drip."""
        count, refused = amount(10_000, 500), 0
        began = time.monotonic()
        for number in range(count):
            client = self.dial(LISTENERS[number % 4], number // 8)
            with contextlib.suppress(OSError):
                client.send(b"(")
        for client in self.clients[-count:]:
            try:
                client.send(b"x")
            except OSError:
                refused += 1
        time.sleep(1.0)
        return f"{count} in {time.monotonic() - began:.1f} s, {refused} closed by then"

    def no_more_slow_connections(self) -> str:
        """Close them all at once."""
        for client in self.clients:
            client.close()
        self.clients.clear()
        time.sleep(2.0)
        return "closed"

    def entity_bombs(self) -> str:
        """Send what would be a gigabyte, were it expanded."""
        clients = [self.dial("softwarechallenge", number) for number in range(amount(500, 50))]
        for client in clients:
            with contextlib.suppress(OSError):
                client.sendall(BOMB)
        closed = self.closed(clients)
        time.sleep(1.0)
        return f"{len(clients)}, {closed} closed"

    def closed(self, clients: list[socket.socket], seconds: float = 10.0) -> int:
        """Return how many the daemon closes within a time."""
        until, count = time.monotonic() + seconds, 0
        for client in clients:
            client.settimeout(max(0.01, until - time.monotonic()))
            try:
                while client.recv(MIB):
                    pass
                count += 1
            except TimeoutError:
                continue
            except OSError:
                count += 1
        return count

    def endless_messages(self) -> str:
        """Begin messages that do not end."""
        clients = [(self.dial("softwarechallenge", number), ENDLESS[number % 4]) for number in range(amount(200, 20))]
        for client, begin in clients:
            client.sendall(begin)
        sent = pushed([(client, FILLING) for client, _ in clients], ATTACK)
        return f"{sent / MIB:.1f} MiB went; {self.closed([client for client, _ in clients])} closed of {len(clients)}"

    def flood(self, listener: str) -> Callable[[], str]:
        """Return what floods a listener: from two who have a seat there, and from strangers."""

        def flooding() -> str:
            clients = [(guest.socket, LINES[listener]) for guest in self.pairs[listener]]
            if listener != "battleship":
                # A stranger is a partner there at once.
                clients += [(self.dial(listener, number), LINES[listener]) for number in range(20)]
            return f"{pushed(clients, ATTACK) / MIB:.1f} MiB went"

        return flooding

    def log_in(self) -> socket.socket:
        """Return a connection to the console whose user is logged in."""
        client = connection(self.console, "127.0.0.1")
        self.clients.append(client)
        for line in (b"admin\r\n", b"x\r\n"):
            time.sleep(0.5)
            client.sendall(line)
        time.sleep(1.0)
        greeting = client.recv(MIB)
        if b"wrong" in greeting:
            raise AssertionError(greeting)
        return client

    def console_commands(self) -> str:
        """Log in and send a million commands in one piece, reading the answers."""
        client = self.log_in()
        client.setblocking(False)
        sent, answers, until = 0, 0, time.monotonic() + ATTACK
        while time.monotonic() < until:
            with contextlib.suppress(BlockingIOError):
                sent += client.send(COMMANDS[sent:])
            with contextlib.suppress(BlockingIOError):
                answers += len(client.recv(MIB))
            time.sleep(0.001)
        return f"{sent / MIB:.1f} of {len(COMMANDS) / MIB:.1f} MiB went, {answers / MIB:.2f} MiB of answers came"

    def end(self) -> None:
        """Close everything."""
        for client in self.clients:
            client.close()
        for pair in self.pairs.values():
            for guest in pair:
                guest.end()


def peak_bytes(daemon: Daemon) -> int:
    """Return the most memory that the daemon has ever held."""
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


class AttackTests(SynchronousTestCase):
    def setUp(self) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))

    @contextlib.contextmanager
    def attacked(self) -> Iterator[tuple[Daemon, Attack, Beside]]:
        """Run a daemon, attackers that have seats, and honest games beside."""
        console = free_port()
        more = f'[console]\ntelnet = "tcp:{console}:interface=127.0.0.1"\npassword = "x"\n'
        with running_all(Path(self.mktemp()), KEYS, more) as (daemon, ports):
            attack = Attack(ports, console)
            self.addCleanup(attack.end)
            self.warm_up(attack)
            attack.take_seats()
            beside = Beside(ports, TABLES, PAUSE)
            self.addCleanup(beside.end)
            yield daemon, attack, beside

    def warm_up(self, attack: Attack) -> None:
        """Have everything loaded and used once: all games, and a login, whose scrypt takes 16 MiB."""
        party = Party(attack.ports, Random(3), "127.0.0.8")
        for listener in LISTENERS:
            for _ in range(WARM):
                party.begun(listener)
        party.play_on()
        party.close()
        attack.log_in().close()

    def test_honest_games_go_on(self) -> None:
        with self.attacked() as (daemon, attack, beside):
            with beside.during("quiet"):
                time.sleep(QUIET)
            memory = daemon.resident_bytes()
            for name, does in self.attacks(attack):
                with beside.during(name):
                    print(f"\n{name}: {does()}; the daemon holds {daemon.resident_bytes() / MIB:.1f} MiB", end="")
            attack.end()
            moves = beside.finish()
            peak = peak_bytes(daemon)
            settle(daemon.directory, 60.0)
            time.sleep(2.0)
            after = daemon.resident_bytes()
            print(f"\nmemory {memory / MIB:.1f} MiB before, {peak / MIB:.1f} at most, {after / MIB:.1f} after")
            print("\n".join(described(what, seconds) for what, seconds in moves.items()))
            print(f"  {daemon.text().count('stalled: ')} stalls of the reactor are in the log")
            self.check_games(daemon, beside)
            self.assertEqual(daemon.unexpected(), [])
        self.check_moves(moves)
        self.assertLess(peak - memory, MEMORY)
        self.assertLess(after, BACK * memory)

    def attacks(self, attack: Attack) -> list[tuple[str, Callable[[], str]]]:
        return [
            ("slow connections", attack.slow_connections),
            ("no more slow connections", attack.no_more_slow_connections),
            ("entity bombs", attack.entity_bombs),
            ("endless messages", attack.endless_messages),
            *((f"flood of {listener}", attack.flood(listener)) for listener in LISTENERS),
            ("a million console commands", attack.console_commands),
        ]

    def check_games(self, daemon: Daemon, beside: Beside) -> None:
        """All honest games have come to the ends that their players were told."""
        places = rooms_by_place(look(daemon.directory, "").histories())
        self.assertGreaterEqual(len(beside.games), TABLES * len(LISTENERS))
        for game in beside.games:
            self.assertEqual(game["errors"], ["", ""], game)
            if game["listener"] != "battleship":
                outcome = places[game["places"][0]].outcome
                assert outcome is not None
                self.assertEqual(outcome.termination, Termination.VICTORY, game)
            elif sorted(game["won"]) != [False, True]:
                raise AssertionError(game)

    def check_moves(self, moves: Mapping[str, list[float]]) -> None:
        """There were moves at all times. How long they took is for reading, not for asserting."""
        self.assertGreater(min(map(len, moves.values())), 0)
