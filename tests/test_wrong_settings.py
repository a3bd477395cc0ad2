"""Whatever is wrong in a configuration: `gamed doctor` and the start of the daemon say the same sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from click.testing import CliRunner
from twisted.logger import capturedLogs

from gamed.cli import main
from gamed.config import AccountConfig, ConsoleConfig, StoreConfig, WebConfig, load
from gamed.doctor import examination, quick_checks
from gamed.registry import games
from tests.net.certificates import Authority
from tests.test_tap import DaemonTestCase

# As in tests/net/test_tls.py.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

KINDS: Final[Mapping[type, Any]] = {str: 1, int: "x", float: "x", bool: "x", tuple: "x"}
"""A value of a wrong kind for a key of each kind, by the type of its default."""

QUICK: Final = frozenset(name for name, _ in quick_checks.checks(load(None), {}))


def sections() -> dict[str, type]:
    """Return the classes of all sections."""
    found: dict[str, type] = {name: maker.load().settings for name, maker in games().items()}
    return {**found, "store": StoreConfig, "console": ConsoleConfig, "web": WebConfig}


def written(value: object) -> str:
    """Return a value in TOML."""
    return str(value) if value in (float("inf"), float("-inf")) else json.dumps(value)


class WrongSettingsTests(DaemonTestCase):
    def setUp(self) -> None:
        super().setUp()
        # There are passwords in it, and that everybody could read them is not what is tested.
        (self.folder / "gamed.toml").touch(0o600)
        # A machine on which gamed is installed has units.
        self.patch(examination, "has_unit", lambda _endpoint: False)

    def toml(self, section: str, text: str) -> str:
        """Return a configuration in which only some keys of a section are there, and no listener of another is on."""
        tables: dict[str, dict[str, str]] = {name: {"endpoint": '""'} for name in (*games(), "web")}
        tables |= {"store": {}, "console": {"telnet": '""', "password": '"Aster"'}}
        if section in games():
            tables[section]["endpoint"] = '"tcp:1:interface=127.0.0.1"'
        own, tail = ("", text) if text.startswith("[[") else (text, "")
        for line in own.splitlines():
            tables[section].pop(line.partition(" ")[0], None)
        lines = []
        for name, keys in tables.items():
            lines += [f"[{name}]", *(f"{key} = {value}" for key, value in keys.items())]
            lines += [own] if name == section else []
        return "\n".join([*lines, tail, ""])

    def start_says(self, toml: str) -> list[str]:
        """Return what the start of the daemon says: the sentences with which it ends, or else its warnings."""
        with capturedLogs() as logs:
            try:
                service = self.daemon(toml)
                service.privilegedStartService()
                if (self.folder / "gamed.db").is_file():
                    service.startService()
            except SystemExit as error:
                return sorted(str(error).removeprefix("gamed: ").splitlines())
        return sorted(str(log["text"]) for log in logs if log.get("check") in QUICK)

    def doctor_says(self) -> list[str]:
        """Return what doctor says: the errors of quick checks and of the database, or else the warnings."""
        done = CliRunner().invoke(main, ["doctor", "--json", "--config", str(self.folder / "gamed.toml")])
        self.assertIsInstance(done.exception, (SystemExit, type(None)), done.output)
        found = json.loads(done.stdout)
        mine = [each for each in found if each["check"] in {*QUICK, "configuration", "database"}]
        errors = [each["text"] for each in mine if each["status"] == "error"]
        warnings = [each["text"] for each in mine if each["status"] == "warning" and each["check"] != "database"]
        return sorted(errors or warnings)

    def same(self, section: str, text: str) -> list[str]:
        """Check that both say the same, and something; return it."""
        toml = self.toml(section, text)
        start = self.start_says(toml)
        self.assertEqual(self.doctor_says(), start, text)
        self.assertNotEqual(start, [], f"{section}: {text}")
        self.assertNotIn("Traceback", "".join(start))
        return start

    def wrong_values(self, cls: type) -> Iterator[tuple[str, object]]:
        """Yield each key with values of a wrong kind, and out of its range."""
        for attribute in attrs.fields(cls):
            default = attribute.default
            kind = str if default is None else type(default)
            yield attribute.name, KINDS[kind]
            if kind is float:
                yield from ((attribute.name, value) for value in (float("inf"), float("nan"), -1.0))
            elif kind is int:
                yield attribute.name, -1
            elif attribute.validator is not None and kind is str and attribute.name not in {"user", "proxies"}:
                yield attribute.name, "no such word"

    def test_each_key_of_a_wrong_kind_or_out_of_range(self) -> None:
        for section, cls in sections().items():
            for key, value in self.wrong_values(cls):
                said = self.same(section, f"{key} = {written(value).replace('NaN', 'nan')}")
                self.assertEqual(len(said), 1, said)
                self.assertIn(f"[{section}]", said[0])
                self.assertIn(key, said[0])

    def test_each_key_of_a_wrong_name(self) -> None:
        for section, cls in sections().items():
            for attribute in attrs.fields(cls):
                (said,) = self.same(section, f"{attribute.name}x = 1")
                self.assertIn(f"[{section}] has no key {attribute.name}x; its keys are ", said)

    def test_accounts(self) -> None:
        for attribute in attrs.fields(AccountConfig):
            self.same("console", f"[[console.accounts]]\n{attribute.name} = 1")
        (said,) = self.same("console", "[[console.accounts]]\nuser = 'bert'")
        self.assertIn("bert has neither a password nor authorized keys", said)

    def test_names_and_paths(self) -> None:
        none = self.folder / "none"
        plain = self.folder / "plain"
        plain.write_text("garbage\n")
        for section, text, said in (
            ("roborally", "courses = ['nosuch']", "nosuch"),
            ("store", "url = 'sqlite:////nosuch/dir/gamed.db'", "there is no directory /nosuch/dir"),
            ("store", "url = 'games.db'", "cannot use the database URL"),
            ("store", "url = 'mysql://x/y'", "not in mysql"),
            ("store", "url = 'postgresql+nosuch://x/y'", "postgresql.nosuch"),
            ("store", "url = 'sqlite://'", "in memory only"),
            ("store", f"state = '{plain}'", f"{plain} must be a directory"),
            ("store", f"state = '{plain}/state'", f"{plain} must be a directory"),
            ("store", f"formats = '{none}'", f"there is no directory {none}"),
            ("softwarechallenge", f"replays = '{plain}/replays'", "cannot be written"),
            (
                "softwarechallenge",
                "password = 'examplepassword'",
                "has the password of the examples",
            ),
            ("console", "telnet = ''\npassword = 'examplepassword'", "[console] has the password of the examples"),
            ("console", f"authorized_keys = '{none}'", f"cannot read {none}"),
            ("console", f"authorized_keys = '{plain}'", f"{plain}, line 1 is not used: it is not a public key"),
            ("web", "endpoint = 'tcp:8054'", "listens on all interfaces without TLS"),
            ("web", "endpoint = 'systemd:'", "systemd hands over no such socket"),
            ("battleship", "endpoint = 'systemd:domain=INET6:index=0'", "systemd hands over no such socket"),
            ("battleship", "endpoint = 'tcp:port'", "is not a port"),
            ("battleship", "endpoint = 'nosuch:1'", 'there is no kind "nosuch"'),
            ("battleship", f"endpoint = 'ssl:1:privateKey={none}'", f"{none}: No such file"),
            ("web", "proxies = 'nobody'", "nobody, which is not an address"),
        ):
            self.assertTrue(any(said in line for line in self.same(section, text)), (text, said))

    def test_keys_and_certificates(self) -> None:
        file = Authority(self.folder).issue("localhost")
        file.chmod(0o644)
        said = self.same("web", f"endpoint = 'ssl:1:interface=127.0.0.1:privateKey={file}'")
        self.assertTrue(any("is a private key that everybody can read" in line for line in said))
        keys = self.folder / "authorized_keys"
        keys.write_text("")
        keys.chmod(0o666)
        said = self.same("console", f"authorized_keys = '{keys}'")
        self.assertEqual(["has no key" in line or "others can write" in line for line in said], [True, True])

    def test_a_host_key_that_is_garbage(self) -> None:
        (self.folder / "ssh_host_ed25519_key").write_text("garbage")
        (said,) = self.same("console", "password = 'Aster'\ntelnet = ''\nssh = 'tcp:1:interface=127.0.0.1'")
        self.assertIn("is not a host key", said)

    def test_a_database_that_is_garbage(self) -> None:
        (self.folder / "gamed.db").write_text("garbage " * 1_000)
        (said,) = self.same("store", f"url = 'sqlite:///{self.folder}/gamed.db'")
        self.assertIn("is not an SQLite database", said)

    def test_directories_that_are_files(self) -> None:
        (self.folder / "plain").write_text("")
        said = self.same("store", f"url = 'sqlite:///{self.folder}/plain/gamed.db'")
        self.assertIn(f"there is no directory {Path(self.folder, 'plain')}", said[0])
