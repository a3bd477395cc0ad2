"""The console by real telnet and ssh clients while bots play, and hostile input to it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import SCRIPTS, Daemon, free_port
from tests.interop.programs import Program, end
from tests.proofs.guests import KINDS, Beside, daemon_of_all

PASSWORD = "Aster und Distel"  # with blanks: as it is typed
IAC_FLOOD = b"\xff\xfd\x2a\xff\xfb\x2b\xff\xfe\x2a\xff\xfc\x2b"


class ConsoleTestCase(SynchronousTestCase):
    """A daemon with a console by telnet and SSH."""

    def setUp(self) -> None:
        for program in ("telnet", "ssh", "ssh-keygen"):
            if shutil.which(program) is None and "CI" not in os.environ:
                self.skipTest(f"{program} is not installed (Debian: telnet, openssh-client); CI always has it")
        self.folder = Path(self.mktemp()).resolve()
        self.telnet_port, self.ssh_port = free_port(), free_port()
        self.daemon = self.make_daemon()
        self.daemon.start()
        self.addCleanup(self.end)

    def make_daemon(self) -> Daemon:
        return Daemon(self.folder, more=self.section())

    def section(self, keys: str = "") -> str:
        return (
            f'[console]\ntelnet = "tcp:{self.telnet_port}:interface=127.0.0.1"\n'
            f'ssh = "tcp:{self.ssh_port}:interface=127.0.0.1"\npassword = "{PASSWORD}"\n'
            f'authorized_keys = "keys"\n{keys}\n'
        )

    def end(self) -> None:
        if self.daemon.process.poll() is None:
            self.daemon.stop()
        self.assertEqual(self.daemon.unexpected(), [])

    def run_program(self, *command: str | Path) -> Program:
        program = Program(command)
        self.addCleanup(program.close)
        return program

    def telnet(self, password: str = PASSWORD) -> Program:
        program = self.run_program("telnet", "127.0.0.1", str(self.telnet_port))
        program.expect("user: ")
        program.type("admin\r")
        program.expect("password: ")
        program.type(f"{password}\r")
        return program

    def logged_in(self) -> Program:
        program = self.telnet()
        program.expect("gamed> ")
        return program

    def ssh_command(self, *more: str) -> list[str]:
        quiet = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR")
        options = [word for option in quiet for word in ("-o", option)]
        return ["ssh", *options, "-p", str(self.ssh_port), *more, "admin@127.0.0.1"]

    def key(self, kind: str = "ed25519") -> Path:
        key = self.folder / f"id-{kind}"
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", key], check=True, timeout=30)
        (self.folder / "keys").write_text(key.with_suffix(".pub").read_text())
        return key

    def answer(self, program: Program, line: str) -> str:
        """Type a command, and return what is shown until the next prompt."""
        program.type(f"{line}\r")
        program.expect(re.escape(line))
        return program.expect(r"\n(.*?)gamed> ")[1].replace("\r", "")

    def bot(self, games: int = 1) -> subprocess.Popen[str]:
        command = [SCRIPTS / "gamed", "bot", "battleship", "--port", str(self.daemon.port), "--games", str(games)]
        bot = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(end, bot)
        return bot

    def player(self) -> socket.socket:
        """Connect a player that sends nothing by itself."""
        player = socket.create_connection(("127.0.0.1", self.daemon.port), timeout=10)
        self.addCleanup(player.close)
        return player

    def logged(self, text: str, seconds: float = 10.0) -> None:
        """Wait until a text is in the log."""
        until = time.monotonic() + seconds
        while text not in self.daemon.text():
            self.assertLess(time.monotonic(), until, f"{text!r} is not in {self.daemon.text()[-2000:]}")
            time.sleep(0.02)

    def connected(self) -> socket.socket:
        peer = socket.create_connection(("127.0.0.1", self.telnet_port), timeout=10)
        self.addCleanup(peer.close)
        return peer

    def received(self, peer: socket.socket) -> bytes:
        """Return all bytes until the connection ends."""
        data = b""
        try:
            while part := peer.recv(65_536):
                data += part
        except ConnectionResetError:
            pass
        return data


class TelnetTests(ConsoleTestCase):
    def test_watching_pausing_kicking_and_draining(self) -> None:
        first, second = self.player(), self.player()
        self.logged("seat=1")
        console = self.logged_in()
        room = re.search(r"\n([0-9a-f]{8})  battleship +(\w+)", self.answer(console, "rooms"))
        assert room is not None
        name, state = room.groups()
        self.assertEqual(state, "playing")
        self.assertIn("Watching room", self.answer(console, f"watch {name}"))
        self.assertIn("is paused", self.answer(console, f"pause {name}"))
        self.assertIn("paused", self.answer(console, "rooms"))
        second.sendall(b"(1,[0,0]).\n")
        line = rf"{name} +[0-9.]+ line seat \d \(1,\[0,0\]\)"
        self.assertNotRegex(console.shown, line)
        console.type(f"resume {name}\r")
        console.expect(line)
        shown = self.answer(console, f"kick {name} 0")
        self.assertIn("goes on", console.shown)
        self.assertIn("is kicked", shown)
        self.assertIn(f"{name} closed", shown)
        # Messages that were sent before arrive before the end.
        self.assertTrue(self.received(first).endswith(b"(1,[0,0]).\r"))
        self.logged("termination=removed winner=1")
        self.answer(console, "drain")
        console.finish()
        self.assertEqual(self.daemon.process.wait(timeout=10), -15)
        for line in ("did=pause", "did=resume", "did=kick", "did=drain"):
            self.assertRegex(self.daemon.text(), rf"audit: user=admin from=telnet 127\.0\.0\.1:\d+ {line}")

    def test_a_wrong_password_is_delayed_and_counted(self) -> None:
        begun = time.monotonic()
        console = self.telnet("wrong")
        console.expect("wrong")
        self.assertGreater(time.monotonic() - begun, 1.0)
        begun = time.monotonic()
        console.expect("user: ")
        console.type("admin\rwrong again\r")
        console.expect("This user or password is wrong")
        self.assertGreater(time.monotonic() - begun, 2.0)
        self.daemon.logs("times=2 in all=2 delay=2 s")
        console.expect("user: ")
        console.type(f"admin\r{PASSWORD}\r")
        console.expect("gamed> ")
        self.assertIn("wrong passwords   2", self.answer(console, "stats"))
        self.assertNotIn(PASSWORD, self.daemon.text())
        self.assertNotIn("Distel", console.shown)

    def test_history_and_completion(self) -> None:
        console = self.logged_in()
        console.type("reser\t\r")
        console.expect("No seat is reserved")
        console.expect("gamed> ")
        console.type("\x1b[A\r")
        console.expect("No seat is reserved")
        console.type("li\x03")
        console.expect(r"\^C")
        console.expect("gamed> ")
        console.type("\x04")
        console.finish()
        self.logged("console: logged out")

    def test_reload(self) -> None:
        console = self.logged_in()
        text = self.daemon.config.read_text()
        changed = text.replace("[console]", "connections = 7\nidle_seconds = 5.0\n[console]\nidle_seconds = 60.0")
        self.daemon.config.write_text(changed.replace(f"tcp6:{self.daemon.port}", "tcp6:1"))
        shown = self.answer(console, "reload")
        self.assertIn("[battleship] connections, [console] idle_seconds", shown)
        self.assertRegex(shown, r"new rooms and connections +\[battleship\] idle_seconds")
        self.assertRegex(shown, r"needs a restart +\[battleship\] endpoint")
        self.assertRegex(self.answer(console, "limits battleship"), r"battleship +0 +7 ")


class AllGamesTests(ConsoleTestCase):
    """gamed's bots play all four games; each answers every 0.4 seconds."""

    def make_daemon(self) -> Daemon:
        daemon, self.ports = daemon_of_all(self.folder, more=self.section())
        return daemon

    def setUp(self) -> None:
        super().setUp()
        self.bots = Beside(self.ports, tables=1, pause=0.4)
        self.addCleanup(self.bots.kill)

    def rooms(self, console: Program) -> dict[str, str]:
        """List the rooms; return the id of one of each game that is on."""
        shown = self.answer(console, "rooms")
        self.assertRegex(shown, r"ID +GAME +STATE +PLAYERS")
        return {game: room for room, game in re.findall(r"^([0-9a-f]{8}) +(\w+) +playing ", shown, re.MULTILINE)}

    def all_rooms(self, console: Program) -> dict[str, str]:
        """Wait until a room of each game is playing: where one has ended, the next one begins at once."""
        until = time.monotonic() + 20
        while set(rooms := self.rooms(console)) != set(KINDS.values()):
            self.assertLess(time.monotonic(), until, rooms)
        return rooms

    def lines(self, console: Program, room: str, count: int = 1) -> str:
        """Wait for several lines about a room that is watched. Return the output until then."""
        return "".join(console.expect(rf"^.*?{room} +[0-9.]+ \w+ [^\n]*\n")[0] for _ in range(count))

    def watch_one_of_each(self, console: Program) -> dict[str, str]:
        rooms = self.all_rooms(console)
        for room in rooms.values():
            console.type(f"watch {room}\r")
            console.expect(f"Watching room {room}")
        for room in rooms.values():
            self.lines(console, room)
        return rooms

    def hold_and_let_go(self, console: Program, held: str, other: str, most: int) -> None:
        """Pause a room that is watched, as the other one is, and resume it: its bots stop, and go on.

        `most`: moves that may still come, as the answers to what was asked before.
        """
        console.type(f"pause {held}\r")
        console.expect(rf"Room {held}\S* is paused\.")
        shown = self.lines(console, other, 6)
        self.assertLessEqual(len(re.findall(rf"{held} +[0-9]", shown)), most, shown)
        console.type("rooms\r")
        console.expect(rf"{held} +\w+ +paused ")
        console.type(f"resume {held}\r")
        console.expect(rf"Room {held}\S* goes on\.")
        self.lines(console, held, 2)

    def kick_a_bot(self, console: Program, game: str) -> None:
        """Kick the player on the first seat of a room: its game ends, and the next one begins."""
        room = self.all_rooms(console)[game]
        console.type(f"kick {room} 0\r")
        console.expect(r"\S+ is kicked\.")
        self.logged(f"room={room}")
        self.assertNotEqual(self.all_rooms(console)[game], room)

    def audited(self, door: str, *commands: str) -> None:
        for command in commands:
            line = rf"user=admin from={door} 127\.0\.0\.1:\d+( key=SHA256:\S+ \(.+\))? did={command}"
            self.assertRegex(self.daemon.text(), f"audit: {line}")
            self.assertRegex((self.folder / "audit.log").read_text(), rf"Z {line}")

    def test_by_telnet(self) -> None:
        console = self.logged_in()
        rooms = self.watch_one_of_each(console)
        self.hold_and_let_go(console, rooms["hive"], rooms["battleship"], most=1)
        console.type("watch\r")
        console.expect("Stopped watching")
        console.expect("gamed> ")
        self.kick_a_bot(console, "quoridor")
        shown = self.answer(console, "players")
        for listener in self.ports:
            self.assertGreater(shown.count(f" {listener} "), 1, shown)
        # No new games: new clients are refused, and the running games go on to their ends.
        self.assertRegex(self.answer(console, "drain"), r"No new games begin; [2-5] go on")
        last = set(self.rooms(console).values())
        self.assertEqual(self.received(self.player()), b"")
        self.assertLessEqual(set(self.rooms(console).values()), last)
        self.bots.finish(300.0)
        self.assertEqual(self.daemon.process.wait(timeout=10), -15)
        log = self.daemon.text()
        self.assertIn("refused not-seated: listener=battleship peer=127.0.0.1:", log)
        for room in last:
            self.assertRegex(log, rf"ended: room={room}\S* \S*.*termination=(victory|draw)")
        self.assertNotIn("opened: ", log.partition("did=drain")[2])
        self.audited("telnet", "pause", "resume", "kick", "drain")

    def test_by_ssh(self) -> None:
        key = self.key()
        console = self.run_program(*self.ssh_command("-i", str(key)))
        console.expect("gamed> ")
        rooms = self.watch_one_of_each(console)
        self.hold_and_let_go(console, rooms["quoridor"], rooms["battleship"], most=0)
        console.type("watch\r")
        console.expect("Stopped watching")
        console.expect("gamed> ")
        self.kick_a_bot(console, "hive")
        self.answer(console, "shutdown")
        console.finish()
        self.assertEqual(self.daemon.process.wait(timeout=10), -15)
        self.audited("ssh", "pause", "resume", "kick", "shutdown")


class StrangerTests(ConsoleTestCase):
    def test_a_request_for_a_page_and_a_line_without_end(self) -> None:
        peer = self.connected()
        peer.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.received(peer)
        self.logged("console: closed: this is not an HTTP server")
        self.assertEqual(self.daemon.text().count("HTTP"), 1)
        peer = self.connected()
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            peer.sendall(b"x" * 1_000_000)
        self.received(peer)
        self.logged("console: closed: a line of more than 4096 bytes")

    def test_a_flood_of_telnet_commands(self) -> None:
        before = self.daemon.resident_bytes()
        peer = self.connected()
        peer.settimeout(0.2)
        try:
            for _ in range(100):
                peer.sendall(IAC_FLOOD * 100 + b"\r\n")
        except (TimeoutError, ConnectionResetError, BrokenPipeError):
            pass
        self.assertIn("gamed> ", self.logged_in().shown)
        self.assertLess(self.daemon.resident_bytes() - before, 30_000_000)

    def test_a_million_commands(self) -> None:
        peer = self.connected()
        peer.sendall(f"admin\n{PASSWORD}\n".encode())
        self.logged("console: logged in")
        peer.settimeout(0.2)
        sent = 0
        try:
            while sent < 1_000_000:
                sent += peer.send(b"rooms\n" * 10_000)
        except TimeoutError:
            pass
        # Others are not kept waiting, games and operators alike.
        begun = time.monotonic()
        self.bot()
        self.assertEqual(self.bot().wait(timeout=30), 0)
        console = self.logged_in()
        self.answer(console, "stats")
        self.assertLess(time.monotonic() - begun, 20)

    def test_escape_sequences_of_a_player(self) -> None:
        players = self.player(), self.player()
        self.logged("seat=1")
        players[1].sendall(b"(1,[0,0])\x1b]0;owned\x07\x1b[2J\x9b2J.\n")
        console = self.logged_in()
        (name,) = re.findall(r"\n([0-9a-f]{8})  battleship", self.answer(console, "rooms"))
        shown = self.answer(console, f"room {name}")
        self.assertIn("\\x1b]0;owned\\x07\\x1b[2J", shown)
        self.assertNotRegex(shown, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")


class SSHTests(ConsoleTestCase):
    def test_a_password_and_a_shell(self) -> None:
        console = self.run_program(*self.ssh_command("-o", "PubkeyAuthentication=no"))
        console.expect("password: ")
        begun = time.monotonic()
        console.type("wrong\r")
        console.expect("password: ")
        self.assertGreater(time.monotonic() - begun, 1.0)
        console.type(f"{PASSWORD}\r")
        console.expect("gamed> ")
        self.assertIn("admin  ssh", self.answer(console, "who"))
        self.assertIn("there is no Python prompt", self.answer(console, "python"))
        console.type("quit\r")
        self.assertEqual(console.finish(), 0)

    def refused(self, *words: str) -> str:
        """Run ssh with these options, which must fail; return its output."""
        # The first value of an option counts.
        command = self.ssh_command("-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", *words)
        command.insert(1, "-oLogLevel=INFO")
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False
        )
        self.assertEqual(done.returncode, 255)
        return done.stderr

    def test_an_rsa_key_logs_in_and_a_strangers_key_is_named_in_the_log(self) -> None:
        stranger, key = self.key("ecdsa"), self.key("rsa")
        command = self.ssh_command("-i", str(key), "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes")
        done = subprocess.run([*command, "rooms"], capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "No room is open.\n"), done.stderr)
        self.assertIn("Permission denied", self.refused("-i", str(stranger)))
        shown = subprocess.run(["ssh-keygen", "-l", "-f", stranger], capture_output=True, text=True, check=True).stdout
        self.daemon.logs(f"user admin has no key {shown.split()[1]} in the authorized keys")

    def test_no_cbc_and_no_forwarding(self) -> None:
        key = str(self.key())
        for cipher in ("3des-cbc", "aes128-cbc", "aes256-cbc"):
            self.assertIn("no matching cipher", self.refused("-i", key, "-o", f"Ciphers={cipher}"))
        self.assertIn("administratively prohibited", self.refused("-i", key, "-W", "127.0.0.1:22"))
        self.daemon.logs("direct-tcpip: only sessions are allowed here")
        self.assertEqual(self.daemon.unexpected(), [])

    def test_a_key_and_a_command(self) -> None:
        key = self.key()
        command = self.ssh_command("-i", str(key), "-o", "BatchMode=yes")
        done = subprocess.run([*command, "rooms", "--json"], capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "[]\n"), done.stderr)
        done = subprocess.run([*command, "room", "abcd"], capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, "there is no room abcd\n"))
        done = subprocess.run([*command, "save"], capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "Everything that was journalled is on the disk.\n"))
        done = subprocess.run(
            [*command[:1], "-T", *command[1:]],
            input="rooms\nwho\n",
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        self.assertEqual(done.stdout.splitlines()[0], "No room is open.")
        shown = subprocess.run(["ssh-keygen", "-lf", key], capture_output=True, text=True, timeout=30, check=True)
        _, fingerprint, comment, _ = shown.stdout.split()
        (line,) = (self.folder / "audit.log").read_text().splitlines()
        self.assertRegex(
            line, rf"user=admin from=ssh 127\.0\.0\.1:\d+ key={re.escape(f'{fingerprint} ({comment})')} did=save"
        )
        self.assertEqual((self.folder / "audit.log").stat().st_mode & 0o777, 0o600)
        self.assertEqual((self.folder / "ssh_host_ed25519_key").stat().st_mode & 0o777, 0o600)


class ManholeTests(ConsoleTestCase):
    def section(self, keys: str = "") -> str:
        return super().section(f"manhole = true\n{keys}")

    def test_python_by_ssh_alone(self) -> None:
        console = self.run_program(*self.ssh_command("-o", "PubkeyAuthentication=no"))
        console.expect("password: ")
        console.type(f"{PASSWORD}\r")
        console.expect("gamed> ")
        console.type("python\r")
        console.expect(">>> ")
        console.type("len(parts.operators) + 41\r")
        console.expect("42")
        console.type("\x04")
        console.finish()
        by_telnet = self.logged_in()
        self.assertIn("there is no Python prompt", self.answer(by_telnet, "python"))
