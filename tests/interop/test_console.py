"""The console by a real telnet and a real ssh, while bots play; and what strangers may send to it."""

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
from tests.interop.programs import Program

PASSWORD = "Aster und Distel"  # with blanks: as it is typed
IAC_FLOOD = b"\xff\xfd\x2a\xff\xfb\x2b\xff\xfe\x2a\xff\xfc\x2b"


class ConsoleTestCase(SynchronousTestCase):
    """A daemon with a console on both doors."""

    def setUp(self) -> None:
        for program in ("telnet", "ssh", "ssh-keygen"):
            if shutil.which(program) is None and "CI" not in os.environ:
                self.skipTest(f"{program} is not installed (Debian: telnet, openssh-client); CI always has it")
        self.folder = Path(self.mktemp()).resolve()
        self.telnet_port, self.ssh_port = free_port(), free_port()
        self.daemon = Daemon(self.folder, more=self.section())
        self.daemon.start()
        self.addCleanup(self.end)

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

    def answer(self, program: Program, line: str) -> str:
        """Type a command, and return what is shown until the next prompt."""
        program.type(f"{line}\r")
        program.expect(re.escape(line))
        return program.expect(r"\n(.*?)gamed> ")[1].replace("\r", "")

    def bot(self, games: int = 1) -> subprocess.Popen[str]:
        command = [SCRIPTS / "gamed", "bot", "battleship", "--port", str(self.daemon.port), "--games", str(games)]
        bot = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(self.end_bot, bot)
        return bot

    def end_bot(self, bot: subprocess.Popen[str]) -> None:
        if bot.poll() is None:
            bot.kill()
        bot.communicate()

    def player(self) -> socket.socket:
        """Connect a player who says nothing of itself."""
        player = socket.create_connection(("127.0.0.1", self.daemon.port), timeout=10)
        self.addCleanup(player.close)
        return player

    def logged(self, text: str, seconds: float = 10.0) -> None:
        """Wait until the log has a text."""
        until = time.monotonic() + seconds
        while text not in self.daemon.text():
            self.assertLess(time.monotonic(), until, f"{text!r} is not in {self.daemon.text()[-2000:]}")
            time.sleep(0.02)

    def connected(self) -> socket.socket:
        peer = socket.create_connection(("127.0.0.1", self.telnet_port), timeout=10)
        self.addCleanup(peer.close)
        return peer

    def received(self, peer: socket.socket) -> bytes:
        """Return all that comes until the connection ends."""
        data = b""
        try:
            while part := peer.recv(65_536):
                data += part
        except ConnectionResetError:
            pass
        return data


class TelnetTests(ConsoleTestCase):
    def test_a_session_while_bots_play(self) -> None:
        bots = [self.bot(200), self.bot(200)]
        console = self.logged_in()
        self.logged("#info] joined: ")
        until = time.monotonic() + 20
        while "playing" not in (shown := self.answer(console, "rooms battleship")):
            self.assertLess(time.monotonic(), until, shown)
        self.assertRegex(shown, r"ID +GAME +STATE +PLAYERS")
        self.assertIn("battleship", self.answer(console, "players"))
        self.assertIn("up for", self.answer(console, "stats"))
        for bot in bots:
            self.assertIsNone(bot.poll())

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
        time.sleep(0.2)
        shown = self.answer(console, f"resume {name}")
        self.assertRegex(shown, rf"{name} +[0-9.]+ line seat \d \(1,\[0,0\]\)")
        self.assertIn("goes on", shown)
        shown = self.answer(console, f"kick {name} 0")
        self.assertIn("is kicked", shown)
        self.assertIn(f"{name} closed", shown)
        # What it was told before stands before the end.
        self.assertTrue(self.received(first).endswith(b"(1,[0,0]).\r"))
        self.logged("termination=left winner=1")
        self.answer(console, "drain")
        console.finish()
        self.assertEqual(self.daemon.process.wait(timeout=10), -15)
        for line in ("did=pause", "did=resume", "did=kick", "did=drain"):
            self.assertIn(f"audit: user=admin from=telnet 127.0.0.1 {line}", self.daemon.text())

    def test_a_draining_daemon_lets_a_game_end(self) -> None:
        players = self.player(), self.player()
        self.logged("seat=1")
        console = self.logged_in()
        self.assertIn("1 go on", self.answer(console, "drain"))
        refused = self.player()
        self.assertEqual(self.received(refused), b"")
        self.assertIsNone(self.daemon.process.poll())
        players[0].close()
        self.assertEqual(self.daemon.process.wait(timeout=10), -15)
        self.assertIn("not seated: peer=127.0.0.1:", self.daemon.text())

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
        self.assertIn("times=2 in all=2 delay=2 s", self.daemon.text())
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


class StrangerTests(ConsoleTestCase):
    def test_a_request_for_a_page(self) -> None:
        peer = self.connected()
        peer.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.received(peer)
        self.logged("console: closed: this is no HTTP server")
        self.assertEqual(self.daemon.text().count("HTTP"), 1)

    def test_a_line_without_end(self) -> None:
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

    def key(self) -> Path:
        key = self.folder / "id"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True, timeout=30)
        (self.folder / "keys").write_text(key.with_suffix(".pub").read_text())
        return key

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
        self.assertEqual((self.folder / "ssh_host_ed25519_key").stat().st_mode & 0o777, 0o600)

    def test_a_session_while_a_game_is_played(self) -> None:
        players = self.player(), self.player()
        self.logged("seat=1")
        console = self.run_program(*self.ssh_command("-i", str(self.key())))
        console.expect("gamed> ")
        (name,) = re.findall(r"\n([0-9a-f]{8})  battleship", self.answer(console, "rooms"))
        self.answer(console, f"watch {name}")
        self.answer(console, f"pause {name}")
        players[1].sendall(b"(1,[0,0]).\n")
        time.sleep(0.2)
        shown = self.answer(console, f"resume {name}")
        self.assertRegex(shown, rf"{name} +[0-9.]+ line seat \d \(1,\[0,0\]\)")
        self.answer(console, f"kick {name} 0")
        self.logged("termination=left winner=1")
        self.answer(console, "shutdown")
        console.finish()
        self.assertEqual(self.daemon.process.wait(timeout=10), -15)


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
