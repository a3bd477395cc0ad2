"""The console by SSH: login by key or password, a shell, one command by `ssh host command`, and an optional Python.

Source: RFC 4252, 4254; docs/reference/console.md. Only the channels of conch are used, not its sessions: there are no
subsystems, and neither ports nor agents are forwarded.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from attrs import define
from twisted.conch.avatar import ConchUser
from twisted.conch.insults import insults
from twisted.conch.interfaces import IConchUser
from twisted.conch.manhole import Manhole
from twisted.conch.ssh import common, keys
from twisted.conch.ssh.channel import SSHChannel
from twisted.conch.ssh.connection import (
    MSG_CHANNEL_OPEN_FAILURE,
    OPEN_ADMINISTRATIVELY_PROHIBITED,
    OPEN_RESOURCE_SHORTAGE,
    SSHConnection,
)
from twisted.conch.ssh.factory import SSHFactory
from twisted.conch.ssh.session import parseRequest_pty_req, parseRequest_window_change
from twisted.conch.ssh.transport import DISCONNECT_PROTOCOL_ERROR, DISCONNECT_TOO_MANY_CONNECTIONS, SSHServerTransport
from twisted.conch.ssh.userauth import SSHUserAuthServer
from twisted.cred.error import UnauthorizedLogin
from twisted.cred.portal import IRealm, Portal
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress, IDelayedCall, ILoggingContext
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.admin.accounts import TRIES, Accounts
from gamed.console.entrance import FULL, Entrance
from gamed.console.input_throttle import LINE_BYTES, InputThrottle
from gamed.console.operator import CommandServices, ConsoleOperator
from gamed.console.screens import Keys, Lines, terminal
from gamed.console.session import LOGIN_SECONDS, UNSENT, ConsoleSession, greeting
from gamed.console.shell import Shell
from gamed.console.ssh_keys import KEY_FILE, AuthorizedKeys, fingerprint_of, host_key
from gamed.net.addresses import address_text, host_of, port_of

with warnings.catch_warnings():
    # conch imports `spwd`, which is deprecated, and which nothing here uses.
    warnings.simplefilter("ignore", DeprecationWarning)
    from twisted.conch.checkers import SSHPublicKeyChecker

log = Logger()

CHANNELS: Final = 8
"""The most sessions of a connection."""

ATTEMPTS: Final = 10
"""The most login attempts of a connection. An agent offers its keys one by one, and each is an attempt."""

CIPHERS: Final = [
    name for name in SSHServerTransport.supportedCiphers if name.startswith(b"aes") and name.endswith(b"ctr")
]
"""The ciphers on offer. CBC modes and 3DES are not, and conch has no authenticated (AEAD) ones."""

MACS: Final = [name for name in SSHServerTransport.supportedMACs if name.startswith(b"hmac-sha2-")]
"""The message authentication codes on offer. MD5 and SHA-1 are not among them."""

KEY_EXCHANGES: Final = [name for name in SSHServerTransport.supportedKeyExchanges if not name.endswith(b"-sha1")]
"""The key exchanges on offer. SHA-1 is not among them."""

_OLD: Final = (b"ssh-rsa", b"ssh-dss")
SIGNATURES: Final = [name for name in SSHServerTransport.supportedPublicKeys if name not in _OLD]
"""The signature algorithms for users' keys. SHA-1 is not among them."""


@define(eq=False)
class KeyChecker(SSHPublicKeyChecker):
    """Checks keys as conch does, and remembers the key that was accepted."""

    found: AuthorizedKeys

    def __attrs_post_init__(self) -> None:
        super().__init__(self.found)

    def requestAvatarId(self, credentials: Any) -> Deferred[tuple[bytes, str]]:
        """Fire with the user and with what the log calls the key."""
        shown: Deferred[bytes] = super().requestAvatarId(credentials)
        return shown.addCallback(lambda user: (user, self.found.name(user, keys.Key.fromString(credentials.blob))))


class Authentication(SSHUserAuthServer):
    """The login: conch checks keys, `Accounts` checks passwords."""

    transport: Any
    user: Any

    loginTimeout = int(LOGIN_SECONDS)  # noqa: N815 (Twisted's name)
    attemptsBeforeDisconnect = ATTEMPTS  # noqa: N815 (Twisted's name)
    wrong = 0

    def serviceStarted(self) -> None:
        """Offer passwords, too."""
        self.clock = self.transport.factory.command_services.clock
        super().serviceStarted()
        self.supportedAuthentications.append(b"password")

    def auth_password(self, packet: bytes) -> Deferred[Any]:
        """Check a password. The answer to a wrong one is delayed."""
        console_transport: ConsoleSSHTransport = self.transport
        password = common.getNS(packet[1:])[0].decode("utf-8", "surrogateescape")
        user = self.user.decode("utf-8", "replace")
        checked: Deferred[Any] = console_transport.factory.accounts.check(user, password, console_transport.address)
        return checked.addCallback(self._checked, user)

    def _checked(self, is_right: bool, user: str) -> tuple[Any, ...]:  # noqa: FBT001 (a Deferred's result)
        if is_right:
            # Not `self.user`: the client may have asked for another one meanwhile.
            return IConchUser, User(user), lambda: None
        self.wrong += 1
        if self.wrong >= TRIES:
            # No attempts are left, so conch ends the connection.
            self.loginAttempts = self.attemptsBeforeDisconnect
        raise UnauthorizedLogin("wrong user or password")

    def auth_publickey(self, packet: bytes) -> Deferred[Any]:
        """Check a key. Log an unknown one."""
        blob = common.getNS(packet[1:], 2)[1]
        fingerprint = None
        with suppress(keys.BadKeyError):
            fingerprint = fingerprint_of(keys.Key.fromString(blob))
        return super().auth_publickey(packet).addErrback(self._unknown, fingerprint)

    def _unknown(self, reason: Failure, fingerprint: str | None) -> Failure:
        if reason.check(UnauthorizedLogin):
            log.warn(
                "console: user {user} has no key {key} in the authorized keys: peer={peer}",
                user=ascii(self.user.decode("utf-8", "replace"))[1:-1],
                key="that can be read" if fingerprint is None else fingerprint,
                peer=self.transport.peer_name,
            )
        return reason

    def _ebBadAuth(self, reason: Failure) -> None:
        # The connection may have gone while the answer was held back.
        if not self.transport.is_over:
            super()._ebBadAuth(reason)

    def _cbFinishedAuth(self, result: Any) -> None:
        if not self.transport.is_over:
            console_transport: ConsoleSSHTransport = self.transport
            if console_transport.factory.entrance.log_in(console_transport):
                super()._cbFinishedAuth(result)
            else:
                console_transport.sendDisconnect(DISCONNECT_TOO_MANY_CONNECTIONS, FULL.encode())


@implementer(IRealm)
@define(eq=False)
class Realm:
    """Makes a user of each login by key."""

    def requestAvatar(self, avatar: Any, _mind: Any, *_interfaces: Any) -> Any:
        """Return a user. `avatar`: the result of `KeyChecker`."""
        user, key = avatar
        return IConchUser, User(user.decode("utf-8", "replace"), key), lambda: None


class User(ConchUser):
    """A logged-in user of one connection. `key`: its name for the log; empty after a login by password."""

    def __init__(self, name: str, key: str = "") -> None:
        super().__init__()
        self.name, self.key = name, key
        self.channelLookup = {b"session": Channel}


class Channels(SSHConnection):
    """The channels of one connection: a limited number of sessions."""

    transport: Any

    def ssh_CHANNEL_OPEN(self, packet: bytes) -> None:
        """Open a session; refuse everything else here, because conch would log a refusal with a traceback."""
        kind, rest = common.getNS(packet)
        if kind != b"session":
            self._refuse(rest, OPEN_ADMINISTRATIVELY_PROHIBITED, f"{ascii(kind)[2:-1]}: only sessions are allowed here")
        elif why := self.transport.refusal:
            self._refuse(rest, OPEN_ADMINISTRATIVELY_PROHIBITED, why)
        elif len(self.channels) >= CHANNELS:
            self._refuse(rest, OPEN_RESOURCE_SHORTAGE, f"a connection may have {CHANNELS} sessions")
        else:
            super().ssh_CHANNEL_OPEN(packet)

    def _refuse(self, rest: bytes, reason: int, text: str) -> None:
        log.warn("console: refused: {text}: peer={peer}", text=text, peer=self.transport.peer_name)
        failure = rest[:4] + struct.pack(">L", reason) + common.NS(text.encode()) + common.NS(b"")
        self.transport.sendPacket(MSG_CHANNEL_OPEN_FAILURE, failure)


class Channel(SSHChannel):
    """One session: a shell on a terminal, a shell without one, or one command."""

    name = b"session"
    conn: Any

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.screen: Any = None
        self.console_session: ConsoleSession | None = None
        self.is_over = False
        self._size: tuple[int, int] | None = None
        self._terminal: insults.ServerProtocol | None = None
        self._input_throttle: InputThrottle | None = None
        self._is_command = False

    # Requests

    def request_pty_req(self, data: bytes) -> int:
        """Remember the size of the terminal."""
        _term, size, _modes = parseRequest_pty_req(data)
        self._size = (size[1], size[0])
        return 1

    def request_window_change(self, data: bytes) -> int:
        """Set the window's new size."""
        size = parseRequest_window_change(data)
        self._size = (size[1], size[0])
        if isinstance(self.screen, Keys):
            self.screen.terminalSize(*self._size)
        return 1

    def request_env(self, _data: bytes) -> int:
        """Ignore environment variables."""
        return 0

    def request_shell(self, _data: bytes) -> int:
        """Begin a shell."""
        if self.console_session is not None or self.is_over:
            return 0
        shell = self._open(has_prompt=self._size is not None)
        if self._size is not None:
            greeting(self.screen)
        shell.prompt()
        return 1

    def request_exec(self, data: bytes) -> int:
        """Execute one command, and close with its status."""
        if self.console_session is not None or self.is_over:
            return 0
        line = common.getNS(data)[0].decode("utf-8", "surrogateescape")
        if len(line) > LINE_BYTES:
            return 0
        shell = self._open(has_prompt=False)
        self._is_command = True
        # The answer to the request goes first.
        self._services.clock.callLater(0, self._run, shell, line)
        return 1

    def _run(self, shell: Shell, line: str) -> None:
        running = shell.run(line)
        if running is None:
            self._done(shell)
        else:
            running.addCallback(lambda _: self._done(shell))

    def _done(self, shell: Shell) -> None:
        if shell.operator.watched:
            # `watch` goes on until the client ends it.
            return
        self.close(1 if shell.has_failed else 0)

    # A session

    @property
    def _services(self) -> CommandServices:
        services: CommandServices = self.conn.transport.factory.command_services
        return services

    def _open(self, *, has_prompt: bool) -> Shell:
        console_transport: ConsoleSSHTransport = self.conn.transport
        services = self._services
        python = self._python if services.reloader.config.console.manhole and self._size is not None else None
        user: User = console_transport.avatar
        operator = ConsoleOperator(
            user.name,
            console_transport.address,
            "ssh",
            self._notify,
            self.close,
            port=console_transport.port,
            key=user.key,
            services=services,
            python=python,
        )
        self._input_throttle = InputThrottle(services.clock, console_transport.transport, self._take, self._overlong)
        session = self.console_session = ConsoleSession(operator, self._input_throttle, lambda: self.screen, has_prompt)
        self._make_screen(session.shell)
        session.open()
        console_transport.opened()
        return session.shell

    def _make_screen(self, shell: Shell) -> None:
        if self._size is None:
            self.screen = Lines(self, shell)
            return
        self.screen = Keys(shell)
        self._terminal = terminal(self.screen, self)
        self.screen.terminalSize(*self._size)

    def _python(self) -> None:
        assert self._terminal is not None
        manhole = Manhole({"parts": self._services})
        self._terminal.terminalProtocol = manhole
        manhole.makeConnection(self._terminal)

    def _notify(self, text: str) -> None:
        # The peer does not read: discard live output, instead of buffering it without limit.
        if not self.is_over and len(self.buf) <= UNSENT:
            self.screen.show(text)

    def dataReceived(self, data: bytes) -> None:
        """Pass bytes to the input throttle, which limits their rate."""
        if self._input_throttle is not None and not self.is_over:
            self._input_throttle.feed(data)

    def _take(self, part: bytes) -> None:
        assert self.console_session is not None
        self.console_session.typed()
        (self._terminal or self.screen).dataReceived(part)

    def _overlong(self) -> None:
        log.warn("console: closed: a line of more than {bytes} bytes: peer={peer}", bytes=LINE_BYTES, peer=self._peer)
        self.close(1)

    @property
    def _peer(self) -> str:
        name: str = self.conn.transport.peer_name
        return name

    # conch calls these when the window is full, and when it is open again

    def stopWriting(self) -> None:
        """Stop reading from a peer that does not read."""
        if self._input_throttle is not None and not self.is_over:
            self._input_throttle.hold()

    def startWriting(self) -> None:
        """Continue."""
        if self._input_throttle is not None and not self.is_over:
            self._input_throttle.release()

    def eofReceived(self) -> None:
        """Close when all lines are done, because no more will come. A single command closes by itself."""
        if self._is_command:
            return
        if self._input_throttle is not None:
            self._input_throttle.at_end(self.close)
        else:
            self.close()

    def closed(self) -> None:
        """Forget the session."""
        self._leave()

    def close(self, status: int = 0) -> None:
        """Close when the output has been sent."""
        if self.is_over:
            return
        if isinstance(self.screen, Keys) and self._terminal is not None:
            self._terminal.resetModes([insults.modes.IRM])
        self._leave()
        self.conn.sendRequest(self, b"exit-status", struct.pack(">L", status))
        self.loseConnection()

    def _leave(self) -> None:
        self.is_over = True
        if self._input_throttle is not None:
            self._input_throttle.close()
        console_session, self.console_session = self.console_session, None
        if console_session is not None:
            console_session.leave()
            self.conn.transport.left()


class ConsoleSSHTransport(SSHServerTransport):
    """One SSH connection."""

    ourVersionString = b"SSH-2.0-gamed"  # noqa: N815 (Twisted's name)
    supportedCiphers = CIPHERS  # noqa: N815 (Twisted's name)
    supportedMACs = MACS  # noqa: N815 (Twisted's name)
    supportedKeyExchanges = KEY_EXCHANGES  # noqa: N815 (Twisted's name)
    address = "local"
    port: int | None = None
    peer_name = "ssh"
    avatar: Any
    is_over = False
    factory: Any
    transport: Any
    lost: Callable[[ConsoleSSHTransport], None]
    _sessions = 0
    _timer: IDelayedCall | None = None

    def connectionMade(self) -> None:
        """Start the timeout of the login and of the first session."""
        self._begin_waiting()
        super().connectionMade()

    def sendExtInfo(self, extensions: list[tuple[bytes, bytes]]) -> None:
        """Send the signature algorithms for users' keys. conch would send the host key's, and exclude RSA keys."""
        known = dict(extensions) | {b"server-sig-algs": b",".join(SIGNATURES)}
        super().sendExtInfo(list(known.items()))

    def _begin_waiting(self) -> None:
        self._timer = self.factory.command_services.clock.callLater(LOGIN_SECONDS, self._give_up)

    def _give_up(self) -> None:
        log.warn("console: closed: nobody logged in, or no session was opened: peer={peer}", peer=self.peer_name)
        self.transport.abortConnection()

    def opened(self) -> None:
        """Register a session."""
        self._sessions += 1
        self._cancel()

    def left(self) -> None:
        """Remove a session that has ended."""
        self._sessions -= 1
        if not self._sessions and not self.is_over:
            self._begin_waiting()

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def displace(self) -> None:
        """Close in favour of a new connection, because nobody has logged in here."""
        self.transport.abortConnection()

    @property
    def refusal(self) -> str:
        """Why a user who has logged in may open no further session; empty if it may."""
        factory: SSHConsoleFactory = self.factory
        if self.avatar.name not in factory.accounts.secrets:
            return "this account was removed"
        return "this address is banned" if factory.command_services.bans.banned(self.address) else ""

    def dispatchMessage(self, messageNum: int, payload: bytes) -> None:  # noqa: N803 (Twisted's names)
        """Take a message. A malformed one ends the connection, with one line in the log."""
        try:
            super().dispatchMessage(messageNum, payload)
        except Exception as error:  # noqa: BLE001 (conch reads what strangers send with asserts and slices)
            text = f"{type(error).__name__}: {error}"
            log.warn("console: closed: broken SSH: {why}: peer={peer}", why=ascii(text)[1:-1], peer=self.peer_name)
            self.sendDisconnect(DISCONNECT_PROTOCOL_ERROR, b"broken message")

    def connectionLost(self, reason: Failure | None = None) -> None:
        """Forget the connection."""
        self.is_over = True
        self._cancel()
        super().connectionLost(reason)
        self.lost(self)


@implementer(ILoggingContext)
class SSHConsoleFactory(SSHFactory):
    """Makes a transport for each connection that the limits admit."""

    protocol = ConsoleSSHTransport
    services = {b"ssh-userauth": Authentication, b"ssh-connection": Channels}  # noqa: RUF012 (Twisted's attribute)

    def __init__(self, services: CommandServices, accounts: Accounts, entrance: Entrance) -> None:
        self.command_services, self.accounts, self.entrance = services, accounts, entrance
        keys_of = AuthorizedKeys(lambda: services.reloader.config.console.everybody)
        self.portal = Portal(Realm(), [KeyChecker(keys_of)])
        self.primes = None

    def logPrefix(self) -> str:
        """Return its name in logs."""
        return "console"

    def startFactory(self) -> None:
        """Do nothing: this is called before privileges are dropped, and `prepare` reads the key later."""

    def prepare(self) -> None:
        """Read the host key, or make one. Raises ConfigError."""
        key = host_key(self.command_services.state)
        self.privateKeys = {key.sshType(): key}
        self.publicKeys = {key.sshType(): key.public()}
        log.info("console: the SSH host key is {file}: {key}", file=KEY_FILE, key=fingerprint_of(key.public()))

    def buildProtocol(self, address: IAddress | None) -> Any:
        """Return a transport, or None: the connection is closed at once."""
        host = host_of(address)
        if not self.entrance.admit(host):
            return None
        console_transport: Any = super().buildProtocol(address)
        console_transport.address, console_transport.port, console_transport.lost = host, port_of(address), self._lost
        console_transport.peer_name = f"ssh {address_text(console_transport.address, console_transport.port)}"
        self.entrance.come(console_transport)
        return console_transport

    def _lost(self, console_transport: ConsoleSSHTransport) -> None:
        self.entrance.leave(console_transport)
