"""More than one account: the configuration, who may log in by what, and what the logs call each person."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from twisted.conch.ssh.common import NS
from twisted.conch.ssh.keys import Key
from twisted.cred.credentials import SSHPrivateKey
from twisted.cred.error import UnauthorizedLogin
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import LogPublisher, capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.admin.accounts import NO_SECRET, Secret, secrets_of
from gamed.admin.operators import Operator
from gamed.config import AccountConfig, ConsoleConfig, structure
from gamed.console import service as console_service
from gamed.console.levels import LogLevels
from gamed.console.ssh import (
    Authentication,
    Channels,
    KeyChecker,
    Realm,
    SSHConsoleFactory,
    User,
)
from gamed.console.ssh_keys import AuthorizedKeys, fingerprint_of
from gamed.core.errors import ConfigError
from gamed.doctor import quick_checks
from gamed.net.limits import network_of
from gamed.registry import games
from gamed.tap import build, with_credentials
from tests.console.sessions import PASSWORD, ConsoleTestCase, everything
from tests.console.test_reload import ReloadTestCase
from tests.store.logs import sentences

PEOPLE = {
    "accounts": [
        {"user": "anna", "password": "Mohn"},
        {"user": "bert", "authorized_keys": "bert.keys"},
    ]
}


def console(**keys: Any) -> ConsoleConfig:
    return structure({"console": keys}, Path("/etc/gamed")).console


class ConfigurationTests(SynchronousTestCase):
    def error(self, **keys: Any) -> str:
        return str(self.assertRaises(ConfigError, console, **keys))

    def test_accounts_are_tables(self) -> None:
        found = console(user="root", password="Aster", **PEOPLE)
        self.assertEqual(
            found.everybody,
            (
                AccountConfig("root", "Aster"),
                AccountConfig("anna", "Mohn"),
                AccountConfig("bert", "", "/etc/gamed/bert.keys"),
            ),
        )

    def test_without_them_there_is_one(self) -> None:
        self.assertEqual(console().everybody, (AccountConfig("admin"),))

    def test_no_password_is_shown(self) -> None:
        self.assertNotIn("Mohn", repr(console(**PEOPLE)))

    def test_what_cannot_be_used_is_said(self) -> None:
        for keys, said in (
            ([{"user": "a", "passwort": ""}], "[[console.accounts]] has no key passwort; its keys are user, password"),
            ([{"user": 7}], "[[console.accounts]] user is a string, not 7"),
            ([{"password": "x"}], "[console] user is a name, and not empty"),
            ({"user": "a"}, "[console] accounts are tables: write [[console.accounts]] and the keys of each below it"),
            (["a"], "[console] accounts are tables"),
            ([{"user": "admin"}], '[console] two accounts have the user "admin"; `user` is one of them'),
            ([{"user": "a"}, {"user": "a"}], '[console] two accounts have the user "a"'),
        ):
            self.assertIn(said, self.error(accounts=keys))

    def test_systemd_hands_passwords_over_by_the_accounts_names(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        (folder / "console.bert.password").write_text("from systemd\n")
        self.patch(__import__("os"), "environ", {"CREDENTIALS_DIRECTORY": str(folder)})
        found = with_credentials(structure({"console": PEOPLE}, folder)).console.accounts
        self.assertEqual([account.password for account in found], ["Mohn", "from systemd"])


class SecretTests(SynchronousTestCase):
    def test_an_account_without_a_password_has_no_secret(self) -> None:
        found = secrets_of(console(**PEOPLE).accounts)
        self.assertIs(found["anna"].thd_matches("Mohn"), True)
        self.assertIs(found["bert"], NO_SECRET)
        self.assertIs(NO_SECRET.thd_matches(""), False)

    def test_what_has_not_changed_is_not_hashed_again(self) -> None:
        before = console(**PEOPLE).accounts
        known = secrets_of(before)
        after = (before[0], AccountConfig("bert", "Aster"), AccountConfig("carl", "Mohn"))
        found = secrets_of(after, before, known)
        self.assertIs(found["anna"], known["anna"])
        self.assertIs(found["bert"].thd_matches("Aster"), True)
        self.assertIsNot(found["carl"], known["anna"])


class StartTests(SynchronousTestCase):
    def setUp(self) -> None:
        # The filter would stay before the observers of the whole test run.
        self.patch(console_service, "LogLevels", lambda: LogLevels(LogPublisher()))

    def start(self, **keys: Any) -> tuple[Any, str]:
        """Start the console; return its accounts, and what the log says."""
        folder = Path(self.mktemp())
        folder.mkdir()
        config = structure({"console": keys}, folder)
        daemon = build(config, dict.fromkeys(games(), ""), MemoryReactorClock())
        assert daemon.console is not None
        with capturedLogs() as logs:
            daemon.console.startService()
        return daemon.console.accounts, "\n".join(everything(logs))

    def test_with_accounts_no_password_is_made_up(self) -> None:
        accounts, said = self.start(**PEOPLE)
        self.assertEqual(list(accounts.secrets), ["admin", "anna", "bert"])
        self.assertIs(accounts.secrets["admin"], NO_SECRET)
        self.assertNotIn("has no password", said)
        self.assertNotIn("Mohn", said)

    def test_an_account_that_nobody_can_use_is_told_of(self) -> None:
        console = ConsoleConfig(accounts=(AccountConfig("carl"),))
        ((status, text),) = quick_checks.check_accounts(console)
        self.assertEqual(status, "warning")
        self.assertIn("[[console.accounts]] carl has neither a password nor authorized keys, and cannot log in", text)


class LoginTests(ConsoleTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.accounts.secrets = {"admin": Secret.of(PASSWORD), "anna": Secret.of("Mohn"), "bert": NO_SECRET}

    def check(self, user: str, password: str) -> Any:
        checked = self.accounts.check(user, password, "192.0.2.1")
        self.harness.clock.advance(60)
        return self.successResultOf(checked)

    def test_each_by_their_own_password_alone(self) -> None:
        for user, password, is_right in (
            ("anna", "Mohn", True),
            ("admin", PASSWORD, True),
            ("anna", PASSWORD, False),
            ("admin", "Mohn", False),
            ("bert", "", False),
            ("nobody", "Mohn", False),
        ):
            self.assertIs(self.check(user, password), is_right, (user, password))


class NameTests(ConsoleTestCase):
    def operator_from(self, address: str, **more: Any) -> str:
        return Operator("anna", address, "ssh", print, print, **more).name

    def test_it_has_the_port_and_the_key(self) -> None:
        self.assertEqual(self.operator_from("192.0.2.1", port=4711), "user=anna from=ssh 192.0.2.1:4711")
        self.assertEqual(self.operator_from("2001:db8::1", port=4711), "user=anna from=ssh [2001:db8::1]:4711")
        self.assertEqual(
            self.operator_from("local", key="SHA256:x (anna@\x1blaptop)"),
            r"user=anna from=ssh local key=SHA256:x (anna@\x1blaptop)",
        )


class KeyTests(ConsoleTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.file = Path(self.mktemp())
        accounts = (AccountConfig("bert", "", str(self.file)), AccountConfig("carl", "Aster"))
        self.reloader.config = attrs.evolve(self.config, console=ConsoleConfig(accounts=accounts))
        self.key, self.bare = Key(Ed25519PrivateKey.generate()), Key(Ed25519PrivateKey.generate())
        lines = [b"# of Bert", b"ssh-ed25519 broken", self.line(self.key) + b"  bert @ work ", self.line(self.bare)]
        self.file.write_bytes(b"\n".join(lines))
        self.keys = AuthorizedKeys(lambda: self.reloader.config.console.everybody)

    def line(self, key: Key) -> bytes:
        kind, blob = key.public().toString("openssh").split()[:2]
        return bytes(kind + b" " + blob)

    def shown(self, user: bytes, key: Key) -> Any:
        """Show a key; return what it gives, None if it is refused."""
        data = b"what is signed"
        asked = SSHPrivateKey(user, b"ssh-ed25519", key.public().blob(), data, key.sign(data))
        found: list[Any] = []
        KeyChecker(self.keys).requestAvatarId(asked).addCallbacks(found.append, lambda why: why.trap(UnauthorizedLogin))
        return found[0] if found else None

    def test_a_key_is_called_by_its_fingerprint_and_its_comment(self) -> None:
        self.assertEqual(self.shown(b"bert", self.key), (b"bert", f"{fingerprint_of(self.key)} (bert @ work)"))
        self.assertEqual(self.shown(b"bert", self.bare), (b"bert", fingerprint_of(self.bare)))
        self.flushLoggedErrors()

    def test_a_key_is_its_users_alone(self) -> None:
        for user in (b"admin", b"carl", b"nobody", b"\xff"):
            self.assertIsNone(self.shown(user, self.key), user)

    def test_a_file_that_cannot_be_read_lets_nobody_in(self) -> None:
        self.file.unlink()
        with capturedLogs() as logs:
            self.assertIsNone(self.shown(b"bert", self.key))
        self.assertIn(f"console: cannot read {self.file}: No such file or directory", sentences(logs))

    def test_what_the_key_gives_is_the_session_user(self) -> None:
        _, user, _ = Realm().requestAvatar((b"bert", "SHA256:x (bert)"), None)
        self.assertEqual((user.name, user.key), ("bert", "SHA256:x (bert)"))

    def test_another_user_while_a_password_is_looked_at_gets_nothing_of_it(self) -> None:
        looking: Deferred[bool] = Deferred()
        self.accounts.secrets = {"carl": Secret.of("Aster")}
        self.accounts.in_thread = lambda *_: looking
        asked = Authentication()
        factory = SimpleNamespace(command_services=self.services, accounts=self.accounts)
        asked.transport = SimpleNamespace(factory=factory, address="192.0.2.1")
        asked.user = b"carl"
        logged_in = asked.auth_password(b"\0" + NS(b"Aster"))
        asked.user = b"admin"
        looking.callback(True)
        self.assertEqual(self.successResultOf(logged_in)[1].name, "carl")


class RefusalTests(ConsoleTestCase):
    """A connection that is logged in opens no further sessions where its user may not log in any more."""

    def opened(self, *banned: Any) -> bytes:
        """Ask for a session after networks were banned; return the refusal."""
        sent: list[tuple[int, bytes]] = []
        channels = Channels()
        factory = SSHConsoleFactory(self.services, self.accounts, self.entrance)
        factory.prepare()
        console_transport = factory.buildProtocol(SimpleNamespace(host="192.0.2.7", port=4711))
        for network in banned:
            self.bans.ban(network)
        console_transport.avatar = User("anna")
        console_transport.sendPacket = lambda *packet: sent.append(packet)
        channels.transport = console_transport
        channels.serviceStarted()
        channels.ssh_CHANNEL_OPEN(NS(b"session") + b"\0\0\0\0" * 3)
        (_, packet), *_ = sent
        return packet

    def test_a_removed_account(self) -> None:
        self.assertIn(b"this account was removed", self.opened())

    def test_a_banned_address(self) -> None:
        self.accounts.secrets["anna"] = NO_SECRET
        self.assertIn(b"this address is banned", self.opened(network_of("192.0.2.7")))


class ReloadTests(ReloadTestCase):
    def secrets(self) -> list[str]:
        return list(self.accounts.secrets)

    def test_accounts_hold_at_once(self) -> None:
        said = self.reload(console=console(**PEOPLE))
        self.assertEqual(said["changed"], ["[console] accounts"])
        self.assertEqual(set(self.secrets()), {"admin", "anna", "bert"})
        self.assertIs(self.successResultOf(self.accounts.check("anna", "Mohn", "local")), True)
        self.assertIs(self.successResultOf(self.accounts.check("admin", PASSWORD, "local")), True)

    def test_who_is_removed_is_thrown_out(self) -> None:
        self.reload(console=console(**PEOPLE))
        closed: list[str] = []
        for user in ("anna", "bert"):
            self.listed_operator(user, "192.0.2.2", "ssh", print, lambda user=user: closed.append(user))
        self.reload(console=console(accounts=PEOPLE["accounts"][:1]))
        self.assertEqual((closed, set(self.secrets())), (["bert"], {"admin", "anna"}))

    def test_a_password_that_is_taken_out_of_a_listed_account_is_gone(self) -> None:
        self.reload(console=console(**PEOPLE))
        self.reload(console=console(accounts=[{"user": "anna", "authorized_keys": "x"}]))
        self.assertIs(self.accounts.secrets["anna"], NO_SECRET)
