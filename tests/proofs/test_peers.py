"""Bad peers over TCP, one kind after the other, while honest games are played.

Source: docs/reference/battleship.md#ends.
"""

from __future__ import annotations

import os
import selectors
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Outcome, Termination
from gamed.games.battleship.wire import ATTACK_FIRST, DEFEND_FIRST, END, START
from gamed.records.index import validate
from gamed.records.record import document
from tests.daemon import Daemon, running
from tests.proofs import amount, raise_descriptors, skip, whole  # noqa: F401 (trial looks for `skip`)
from tests.proofs.beside import Beside, Match, described, read
from tests.proofs.clients import connection, named
from tests.proofs.evidence import Evidence, is_last, look, now, seats, settle

MIB = 1 << 20
MEMORY = 30 * MIB
"""Bytes that the daemon may grow by."""

MEMORY_FOR_LARGE_GAMES = 72 * MIB
"""The same where games of 6 MiB are allowed: two such histories, each with its record, which is held several times."""

LARGE = f"game_bytes = {1 << 30}\ngame_lines = {1 << 20}\n"
"""Games of several MiB are allowed, for so much the system takes before a sender is held up."""

SILENCE = 10.0
"""Seconds that the daemon waits for a silent peer, and for one that does not read. Honest games have the same limits,
so it is ten times what an honest move may take."""

MOVE = 1.0
"""Seconds that an honest move takes at most, if the machine has nothing else to do."""

PATIENCE = 60.0
"""Seconds after which something has not happened."""

ROLE, OTHER_ROLE, GO = DEFEND_FIRST + END, ATTACK_FIRST + END, START + END
FLOOD_ADDRESS = "127.0.0.77"


def reset(client: socket.socket) -> None:
    """Close a connection by RST."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def half_close(client: socket.socket) -> None:
    """Close the sending side."""
    client.shutdown(socket.SHUT_WR)


VANISHING: tuple[Callable[[socket.socket], None], ...] = (socket.socket.close, reset, half_close)


def rest(client: socket.socket) -> bytes:
    """Return what arrives until the server has closed, and close. Raises ConnectionError if it was a reset."""
    with client:
        parts = []
        while part := client.recv(MIB):
            parts.append(part)
        # A reset that follows the end is not seen by reading.
        error = client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise ConnectionError(error, os.strerror(error))
        return b"".join(parts)


def offered(client: socket.socket, data: bytes) -> None:
    """Send all of it, or as much as the server takes before it resets."""
    try:
        client.sendall(data)
    except ConnectionError:
        return


def waiting(daemon: Daemon) -> socket.socket:
    """Return a client that waits for a partner."""
    client = connection(daemon.port)
    read(client, ROLE)
    return client


def peak_bytes(daemon: Daemon) -> int:
    """Return the daemon's peak memory."""
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


@define(eq=False)
class Bad:
    """The behaviour of bad peers. Each method waits until the daemon has dealt with it."""

    case: SynchronousTestCase
    daemon: Daemon
    since: str = field(factory=now)

    def outcome(self, name: str) -> Outcome | None:
        """Return how the game of a client ended, by its record, which may have to be waited for."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            stored = Evidence({}, look(self.daemon.directory, self.since).stored).histories()
            places = seats(stored)
            if name in places:
                return stored[places[name][0]].outcome
            time.sleep(0.05)
        raise AssertionError(f"no record of {name}")

    def check_log(self, *words: str) -> None:
        """Wait for a line of the log that has all these words: a busy daemon logs refusals some time later."""
        until = time.monotonic() + PATIENCE
        while not any(all(word in line for word in words) for line in self.daemon.text().splitlines()):
            self.case.assertLess(time.monotonic(), until, words)
            time.sleep(0.05)

    def check_ended(self, loser: str, why: Termination, winner: int | None) -> None:
        self.case.assertEqual(self.outcome(loser), Outcome(why, winner), loser)
        self.check_log("ended:", f"termination={why}", f"winner={winner}", loser)

    # Too much

    def no_line_end_while_waiting(self) -> None:
        client = waiting(self.daemon)
        name = named(client)
        offered(client, bytes(8 * MIB))
        self.case.assertEqual(rest(client), b"")
        self.check_log("line-too-long", name)
        self.nobody_waits()

    def no_line_end_in_a_game(self) -> None:
        match = Match.begin(self.daemon.port, 0)
        match.play(left=20)
        name = named(match.clients[1])
        offered(match.clients[1], bytes(8 * MIB))
        self.case.assertEqual([rest(client) for client in match.clients], [b"", b""])
        self.check_log("line-too-long", name)
        self.check_ended(name, Termination.REMOVED, 0)

    def early_data(self) -> None:
        client = waiting(self.daemon)
        name = named(client)
        offered(client, (b"x" * 1023 + b"\n") * 64)
        self.case.assertEqual(rest(client), b"")
        self.check_log("ended:", "termination=removed", name)
        self.nobody_waits()

    def a_game_too_long(self) -> None:
        match = Match.begin(self.daemon.port, 0)
        defender, attacker = match.clients
        names = [named(client) for client in match.clients]
        attacker.setblocking(False)
        line = b"x" * 1023 + b"\n"
        unsent, got = memoryview(line * 1100), 0
        while part := self.sent_or_read(attacker, defender, unsent):
            unsent, got = unsent[part[0] :], got + part[1]
        self.case.assertEqual(got, MIB // 1023 * 1024)
        attacker.settimeout(PATIENCE)
        self.case.assertEqual([rest(client) for client in match.clients], [b"", b""])
        self.case.assertEqual(self.outcome(names[0]), Outcome(Termination.LIMIT))
        self.check_log("ended:", "termination=limit", names[1])

    def sent_or_read(self, sender: socket.socket, reader: socket.socket, data: memoryview) -> tuple[int, int] | None:
        """Send what can be sent, or read what has arrived; None at the end."""
        if data:
            try:
                return sender.send(data), 0
            except BlockingIOError:
                pass
        got = len(reader.recv(MIB))
        return (0, got) if got else None

    def nobody_waits(self) -> None:
        """Check that the next two clients are paired."""
        Match.begin(self.daemon.port, 0).close()

    # Going away

    def half_closed(self) -> None:
        match = Match.begin(self.daemon.port, 0)
        match.play(left=20)
        leaver, other = match.clients[match.sender], match.clients[1 - match.sender]
        name = named(leaver)
        leaver.sendall(b"(1,[1,1]).\nlast wo")
        leaver.sendall(b"rds")
        leaver.shutdown(socket.SHUT_WR)
        self.case.assertEqual(rest(other), b"(1,[1,1]).\rlast words\r")
        self.case.assertEqual(rest(leaver), b"")
        self.check_ended(name, Termination.LEFT, 1 - match.sender)

    def reset_while_waiting(self) -> None:
        client = waiting(self.daemon)
        name = named(client)
        reset(client)
        reset(connection(self.daemon.port))
        self.nobody_waits()
        self.check_log("ended:", "termination=left", "winner=None", name)

    def reset_when_just_paired(self) -> None:
        for has_read in (False, True):
            first = waiting(self.daemon)
            second = connection(self.daemon.port)
            name = named(second)
            if has_read:
                read(second, OTHER_ROLE + GO)
            reset(second)
            self.case.assertEqual(rest(first), GO)
            self.check_ended(name, Termination.LEFT, 0)

    def reset_in_a_game(self) -> None:
        for seat in (0, 1):
            match = Match.begin(self.daemon.port, seat)
            match.play(left=30)
            name = named(match.clients[seat])
            reset(match.clients[seat])
            self.case.assertEqual(rest(match.clients[1 - seat]), b"")
            self.check_ended(name, Termination.LEFT, 1 - seat)

    def reset_after_the_4(self) -> None:
        for is_loser in (False, True):
            match = Match.begin(self.daemon.port, 0)
            match.play(left=1)
            loser = match.sender
            match.step()
            resetting = loser if is_loser else 1 - loser
            names = [named(client) for client in match.clients]
            reset(match.clients[resetting])
            self.case.assertEqual(rest(match.clients[1 - resetting]), b"")
            self.check_ended(names[loser], Termination.VICTORY, 1 - loser)

    def vanishing(self) -> None:
        """Never pair a client that left while waiting: the next one waits, and the third completes the pair."""
        for number in range(amount(100, 12)):
            ghost = waiting(self.daemon) if number % 2 else connection(self.daemon.port)
            VANISHING[number % 3](ghost)
            match = Match.begin(self.daemon.port, 0)
            match.step()
            match.close()
            ghost.close()

    # Too many

    def two_thousand(self) -> None:
        clients = [connection(self.daemon.port, FLOOD_ADDRESS) for _ in range(2000)]
        try:
            admitted = self.admitted(clients)
            self.case.assertEqual(len(admitted), 512)
            self.check_log("refused:", f"address={FLOOD_ADDRESS}", "connections=512 of 512")
        finally:
            for client in clients:
                client.close()
        self.check_log("refused in all", f"address={FLOOD_ADDRESS}", "times=1488")
        again = connection(self.daemon.port, FLOOD_ADDRESS)
        self.case.assertIn(again.recv(100), (ROLE, OTHER_ROLE + GO))
        again.close()

    def admitted(self, clients: list[socket.socket]) -> list[socket.socket]:
        """Return the clients that receive something; the others are closed."""
        found = []
        with selectors.DefaultSelector() as selector:
            for client in clients:
                selector.register(client, selectors.EVENT_READ, client)
            until = time.monotonic() + PATIENCE
            while selector.get_map() and time.monotonic() < until:
                for key, _ in selector.select(1):
                    selector.unregister(key.fileobj)
                    if self.is_told(key.data):
                        found.append(key.data)
            self.case.assertEqual(len(selector.get_map()), 0)
        return found

    def is_told(self, client: socket.socket) -> bool:
        try:
            return bool(client.recv(100))
        except ConnectionResetError:
            return False

    # Silence

    def silent_while_waiting(self) -> None:
        client = waiting(self.daemon)
        name = named(client)
        self.case.assertEqual(self.seconds_until_closed(client), b"")
        self.check_log("ended:", "termination=idle", name)

    def dripping_while_waiting(self) -> None:
        client = waiting(self.daemon)
        name = named(client)
        self.drip(client)
        self.case.assertEqual(rest(client), b"")
        self.check_log("ended:", "termination=idle", name)

    def silent_in_a_game(self) -> None:
        match = Match.begin(self.daemon.port, 0)
        match.play(left=20)
        sender = match.sender
        name = named(match.clients[sender])
        self.case.assertEqual(self.seconds_until_closed(match.clients[0]), b"")
        self.case.assertEqual(rest(match.clients[1]), b"")
        self.check_ended(name, Termination.IDLE, 1 - sender)

    def dripping_in_a_game(self) -> None:
        match = Match.begin(self.daemon.port, 0)
        match.play(left=20)
        sender = match.sender
        name = named(match.clients[sender])
        self.drip(match.clients[sender])
        self.case.assertEqual([rest(client) for client in match.clients], [b"", b""])
        self.check_ended(name, Termination.IDLE, 1 - sender)

    def drip(self, client: socket.socket) -> None:
        """Send a byte now and then, never a line, until the server closes."""
        begun = time.monotonic()
        client.settimeout(0.1)
        while time.monotonic() < begun + PATIENCE:
            offered(client, b"x")
            try:
                self.case.assertEqual(client.recv(1), b"")
            except TimeoutError:
                continue
            break
        else:
            raise AssertionError(f"not closed within {PATIENCE} s")
        client.settimeout(PATIENCE)

    def seconds_until_closed(self, client: socket.socket) -> bytes:
        begun = time.monotonic()
        client.settimeout(PATIENCE)
        got = rest(client)
        self.case.assertGreater(time.monotonic() - begun, SILENCE - 0.3)
        return got

    # Not reading

    def never_reading(self) -> None:
        reader, sender = self.deaf_pair()
        name = named(reader)
        sent = self.pushed(sender)
        self.case.assertEqual(rest(sender), b"")
        self.check_log("refused not-reading:", name)
        # What was pushed broke the rules, so its sender does not win by this.
        self.check_ended(name, Termination.LIMIT, None)
        print(f"\n  a reader that never reads held up its sender after {sent / MIB:.1f} MiB")
        reader.close()

    def sender_resets_when_held_up(self) -> None:
        reader, sender = self.deaf_pair()
        name = named(reader)
        self.pushed(sender)
        reset(sender)
        self.check_ended(name, Termination.LIMIT, None)
        reader.close()

    def reader_resets_when_stuck(self) -> None:
        reader, sender = self.deaf_pair()
        name = named(reader)
        self.pushed(sender, seconds=0.3)
        reset(reader)
        self.case.assertEqual(rest(sender), b"")
        self.check_ended(name, Termination.LEFT, None)

    def reading_late(self) -> None:
        """Lose nothing for a client that reads again in time; the game goes on."""
        reader, sender = self.deaf_pair()
        sent = self.pushed(sender, seconds=0.3)
        expected, got = (b"x" * 4000 + END) * (sent // 4001 + 1), b""
        sender.settimeout(PATIENCE)
        left = (b"x" * 4000 + b"\n")[sent % 4001 :]
        while len(got) < sent - 4001:
            got += self.received(reader)
        sender.sendall(left)
        while len(got) < len(expected):
            got += self.received(reader)
        self.case.assertEqual(got, expected)
        reader.sendall(b"and back\n")
        read(sender, b"and back\r")
        reader.close()
        sender.close()

    def received(self, client: socket.socket) -> bytes:
        """Return the input of a client that is still connected."""
        data = client.recv(MIB)
        self.case.assertNotEqual(data, b"", "the server has closed")
        return data

    def deaf_pair(self) -> tuple[socket.socket, socket.socket]:
        """Return two paired clients, the first with a small receive buffer."""
        reader = socket.socket()
        self.case.addCleanup(reader.close)
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.settimeout(PATIENCE)
        reader.connect(("127.0.0.1", self.daemon.port))
        read(reader, ROLE)
        sender = connection(self.daemon.port)
        read(sender, OTHER_ROLE + GO)
        read(reader, GO)
        return reader, sender

    def pushed(self, sender: socket.socket, seconds: float = 0.7) -> int:
        """Send until no byte was accepted for so long, or the server has closed. Return how many bytes were sent."""
        line, sent = b"x" * 4000 + b"\n", 0
        sender.settimeout(seconds)
        try:
            while True:
                sent += sender.send(line[sent % len(line) :])
        except (TimeoutError, ConnectionError):
            sender.settimeout(PATIENCE)
            return sent


class BadPeerTests(SynchronousTestCase):
    def setUp(self) -> None:
        raise_descriptors(self, 8_192)

    def disturbed(self, names: tuple[str, ...], pairs: int, **options: str) -> int:
        """Run the named bad peers and honest games at the same time. Return by how much memory grew at most."""
        with running(Path(self.mktemp()).resolve(), **options) as daemon:
            beside, bad = Beside(daemon, pairs), Bad(self, daemon)
            self.addCleanup(beside.kill)
            with beside.during("before"):
                time.sleep(0.7)
            memory = daemon.resident_bytes()
            for name in names:
                with beside.during(name.replace("_", " ")):
                    getattr(bad, name)()
            grown, peak = daemon.resident_bytes() - memory, peak_bytes(daemon) - memory
            held = f"{memory / MIB:.1f} MiB, then {grown / MIB:.1f} MiB more, and at most {peak / MIB:.1f} MiB more"
            print(f"\nthe daemon held {held}")
            self.check_beside(daemon, beside)
            self.check_all(daemon)
            return peak

    def check_beside(self, daemon: Daemon, beside: Beside) -> None:
        moves = beside.moves()
        print("\n".join(described(what, seconds) for what, seconds in moves.items()))
        during = [second for what, seconds in moves.items() if what != "before" for second in seconds]
        self.assertGreater(len(during), 100)
        if whole():
            self.assertLess(max(during), MOVE)
        text = daemon.text()
        self.assertEqual(text.count("peer=127.0.0.9:"), 2 * beside.pairs)
        honest = [line for line in text.splitlines() if "ended: " in line and "=127.0.0.9:" in line]
        self.assertEqual(len(honest), beside.pairs)
        self.assertEqual([line for line in honest if "termination=victory" not in line], [])

    def check_all(self, daemon: Daemon) -> None:
        settle(daemon.directory)
        for record in look(daemon.directory, "").stored.values():
            validate(document(record))
        self.assertEqual(daemon.unexpected(), [])

    def test_floods_resets_and_crowds(self) -> None:
        names = (
            "no_line_end_while_waiting",
            "no_line_end_in_a_game",
            "early_data",
            "a_game_too_long",
            "half_closed",
            "reset_while_waiting",
            "reset_when_just_paired",
            "reset_in_a_game",
            "reset_after_the_4",
            "vanishing",
            "two_thousand",
        )
        self.assertLess(self.disturbed(names, pairs=40), MEMORY)

    def test_silence_and_deaf_ears(self) -> None:
        limits = f"waiting_seconds = {SILENCE}\nidle_seconds = {SILENCE}\nstuck_seconds = {SILENCE / 2}\n"
        names = (
            "silent_while_waiting",
            "dripping_while_waiting",
            "silent_in_a_game",
            "dripping_in_a_game",
            "never_reading",
            "reader_resets_when_stuck",
            "sender_resets_when_held_up",
        )
        self.assertLess(self.disturbed(names, pairs=40, battleship=limits + LARGE), MEMORY_FOR_LARGE_GAMES)

    def test_a_reader_that_is_late(self) -> None:
        # On a busy machine it may be later than the limits of the test above.
        self.assertLess(self.disturbed(("reading_late",), pairs=40, battleship=LARGE), MEMORY_FOR_LARGE_GAMES)


class LastLineTests(SynchronousTestCase):
    def test_the_last_line_and_then_the_end_reach_both(self) -> None:
        """Whatever either side still sends, neither sees a reset."""
        random, times = Random(4), amount(200, 20)
        with running(Path(self.mktemp()).resolve()) as daemon:
            for number in range(times):
                self.last_line(Match.begin(daemon.port, number % 10), random)
            settle(daemon.directory)
            records = look(daemon.directory, "")
            self.assertEqual(daemon.unexpected(), [])
            self.assertNotIn("finding", daemon.text())
        ends = [history.outcome.termination for history in records.histories().values() if history.outcome]
        self.assertEqual(ends, [Termination.VICTORY] * times)
        print(f"\n{times} games ended by a 4 that was read, and then the end of the connection, on both sides")

    def last_line(self, match: Match, random: Random) -> None:
        match.play(left=1)
        seat, (line,) = match.played.sends[-1]
        self.assertTrue(is_last(line))
        loser, winner = match.clients[seat], match.clients[1 - seat]
        sizes = (0, 0, 13, 5_000, 300_000)
        loser.sendall(line + b"\n" + b"(1,[0,0]).\n" * (random.choice(sizes) // 11))
        how = random.randrange(3)
        if how == 0:
            loser.shutdown(socket.SHUT_WR)
        read(winner, line + END)
        if how == 1:
            winner.sendall(b"(1,[0,0]).\n" * (random.choice(sizes) // 11))
        both = [winner, loser]
        random.shuffle(both)
        self.assertEqual([rest(client) for client in both], [b"", b""])
