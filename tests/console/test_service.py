"""The console as a part of the daemon: its endpoints, its password, and what may keep it from starting."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

from twisted.conch.ssh.keys import Key
from twisted.logger import LogPublisher, capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed import daemon as services
from gamed import tap
from gamed.config import ConsoleConfig, load
from gamed.console import service as console_service
from gamed.console.entrance import PLACES
from gamed.console.levels import LogLevels
from gamed.console.ssh_keys import KEY_FILE, host_key
from gamed.core.errors import ConfigError
from gamed.daemon import Daemon
from gamed.registry import games
from gamed.tap import Options, makeService
from tests.console.sessions import everything
from tests.store.logs import sentences
from tests.test_tap import Reactor

OFF = [f"--{name}=" for name in (*games(), "web")]


class ConsoleServiceTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.patch(services, "notify", lambda _text: None)
        self.patch(tap, "raise_descriptor_limit", lambda: 1_000)
        self.patch(gc, "freeze", lambda: None)
        # The filter would stay before the observers of the whole test run.
        self.patch(console_service, "LogLevels", lambda: LogLevels(LogPublisher()))

    def daemon(self, toml: str = "", *arguments: str) -> Any:
        config = self.folder / "gamed.toml"
        config.write_text(toml, encoding="utf-8")
        options = Options()
        options.parseOptions(["--config", str(config), *OFF, *arguments])
        service = makeService(options, Reactor())
        assert isinstance(service, Daemon)
        return service


class EndpointTests(ConsoleServiceTestCase):
    def endpoints(self, toml: str = "", *arguments: str) -> list[str]:
        return [listener.endpoint for listener in self.daemon(toml, *arguments).listeners]

    def test_telnet_on_loopback_is_the_default(self) -> None:
        self.assertEqual(self.endpoints(), ["tcp:54322:interface=127.0.0.1"])

    def test_both_none_and_the_command_line(self) -> None:
        self.assertEqual(self.endpoints('[console]\ntelnet = "tcp:1"\nssh = "tcp:2"'), ["tcp:1", "tcp:2"])
        self.assertEqual(self.endpoints('[console]\ntelnet = "tcp:1"', "--console", "tcp:3"), ["tcp:3"])
        for off in (self.daemon('[console]\ntelnet = ""'), self.daemon("", "--console", "")):
            self.assertEqual((off.listeners, off.console.is_open), ([], False))

    def test_reload_reads_the_same_file(self) -> None:
        daemon = self.daemon()
        (self.folder / "gamed.toml").write_text("[console]\nidle_seconds = 7.0\n")
        self.assertEqual(daemon.console.services.reloader.read().console.idle_seconds, 7.0)

    def test_limits_and_bans_are_shared(self) -> None:
        daemon = self.daemon("[console]\nconnections = 3", "--battleship", "tcp:1")
        services = daemon.console.services
        battleship = services.listeners.factories["battleship"].limits
        self.assertIs(battleship.bans, services.bans)
        self.assertIs(services.limits.bans, services.bans)
        self.assertEqual((services.limits.total, battleship.most), (3 + PLACES + 1, 1_000))


class StartTests(ConsoleServiceTestCase):
    def start(self, toml: str) -> Any:
        console = self.daemon(toml).console
        console.startService()
        return console

    def test_without_a_password_a_random_one_is_told_of(self) -> None:
        with capturedLogs() as logs:
            console = self.start("")
        (said,) = [text for text in sentences(logs) if "[console]" in text]
        self.assertRegex(said, r"^\[console\] has no password; until the daemon stops it is [\w-]{16}$")
        self.assertIs(console.accounts.secrets["admin"].thd_matches(said.rpartition(" ")[2]), True)

    def test_a_password_is_not_told(self) -> None:
        with capturedLogs() as logs:
            console = self.start('[console]\npassword = "Distel"\nuser = "op"\nlog_level = "warn"')
        self.assertNotIn("Distel", "\n".join(everything(logs)))
        self.assertNotIn("Distel", repr(console.services.reloader.config))
        self.assertIs(console.accounts.secrets["op"].thd_matches("Distel"), True)
        self.assertEqual((list(console.accounts.secrets), console.services.levels.level), (["op"], "warn"))

    def test_before_the_start_no_password_is_right(self) -> None:
        self.assertEqual(self.daemon().console.accounts.secrets, {})

    def test_the_host_key_is_made_at_the_start_and_kept(self) -> None:
        self.assertFalse((self.folder / KEY_FILE).exists())
        with capturedLogs() as logs:
            self.start('[console]\nssh = "tcp:1"')
        key = Key.fromString((self.folder / KEY_FILE).read_bytes())
        self.assertEqual(key.sshType(), b"ssh-ed25519")
        self.assertTrue(any("the SSH host key is" in text for text in everything(logs)))
        self.assertEqual(host_key(self.folder), key)
        self.assertEqual((self.folder / KEY_FILE).stat().st_mode & 0o777, 0o600)

    def test_a_host_key_that_is_none(self) -> None:
        (self.folder / KEY_FILE).write_text("garbage")
        error = self.assertRaises(ConfigError, host_key, self.folder)
        self.assertIn(f"[console] {self.folder / KEY_FILE} is not a host key", str(error))

    def test_a_host_key_that_cannot_be_written(self) -> None:
        (self.folder / "file").write_text("")
        self.assertIn("cannot use the host key", str(self.assertRaises(ConfigError, host_key, self.folder / "file")))


class ConfigurationTests(ConsoleServiceTestCase):
    def console(self, toml: str) -> ConsoleConfig:
        (self.folder / "gamed.toml").write_text(f"[console]\n{toml}")
        return load(str(self.folder / "gamed.toml")).console

    def test_the_path_of_the_keys_is_relative_to_the_file(self) -> None:
        self.assertEqual(self.console('authorized_keys = "keys"').authorized_keys, str(self.folder / "keys"))
        self.assertEqual(self.console("").authorized_keys, "")

    def test_what_is_refused(self) -> None:
        for toml, said in (
            ('user = ""', "user is a name"),
            ("idle_seconds = 0", "'idle_seconds' must be > 0"),
            ("connections = -1", "'connections' must be > 0"),
            ('log_level = "loud"', "'log_level' must be in ('debug', 'info'"),
            ("manhole = 1", "manhole is true or false"),
            ("port = 1", "[console] has no key port"),
        ):
            self.assertIn(said, str(self.assertRaises(ConfigError, self.console, toml)))
