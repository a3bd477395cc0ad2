"""The console by telnet: negotiation, login, and the shell; line by line for clients that do not negotiate.

Source: RFC 854, 857 (ECHO), 858 (SUPPRESS-GO-AHEAD), 1073 (NAWS); docs/reference/console.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from attrs import define, field
from twisted.conch.insults import insults
from twisted.conch.telnet import BRK, ECHO, IP, NAWS, SGA, TelnetTransport
from twisted.internet.interfaces import (
    IAddress,
    IDelayedCall,
    IHandshakeListener,
    IProtocolFactory,
    IPushProducer,
    ISSLTransport,
)
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.admin.accounts import TRIES, Accounts
from gamed.console.entrance import FULL, Entrance
from gamed.console.input_throttle import LINE_BYTES, InputThrottle
from gamed.console.operator import CommandServices, ConsoleOperator
from gamed.console.screens import Keys, Lines, terminal
from gamed.console.session import LOGIN_SECONDS, UNSENT, ConsoleSession, greeting
from gamed.net.addresses import address_text, host_of, port_of
from gamed.net.tls import refuse_handshake

log = Logger()

STUCK: Final = 30.0
"""Seconds that a peer may leave output unread before it is dropped."""

LINGER: Final = 5.0
"""Seconds to send the rest of the output when closing."""

_HTTP: Final = re.compile(r"[A-Z]+ \S+ HTTP/[0-9.]+")


@define(eq=False)
class Login:
    """Asks for the user and the password, three times at most."""

    console_transport: ConsoleTelnetTransport
    _user: str | None = None
    _wrong: int = 0

    def begin(self) -> None:
        """Ask for the user."""
        self._user = None
        self.console_transport.screen.ask("user: ")

    def received(self, line: str) -> None:
        """Take the user's name, or the password."""
        if _HTTP.match(line):
            self.console_transport.drop("this is not an HTTP server")
        elif self._user is None:
            self._user = line.strip()
            self.console_transport.screen.ask("password: ", secret=True)
        else:
            self.console_transport.input_throttle.hold()
            checked = self.console_transport.factory.accounts.check(self._user, line, self.console_transport.address)
            checked.addCallback(self._checked).addErrback(self.console_transport.fault)

    def _checked(self, is_right: bool) -> None:  # noqa: FBT001 (a Deferred's result)
        if self.console_transport.is_over:
            return
        self.console_transport.input_throttle.release()
        if is_right:
            self.console_transport.enter(str(self._user))
            return
        self._wrong += 1
        self.console_transport.screen.show("This user or password is wrong.\n")
        if self._wrong >= TRIES:
            self.console_transport.close()
        else:
            self.begin()

    def interrupted(self) -> None:
        """Leave."""
        self.console_transport.close()

    def ended(self) -> None:
        """Leave."""
        self.console_transport.close()

    def completions(self, _line: str) -> list[str]:
        """Return no completions."""
        return []


@implementer(IPushProducer, IHandshakeListener)
class ConsoleTelnetTransport(TelnetTransport):
    """One telnet connection."""

    transport: Any

    def __init__(self, factory: TelnetFactory, address: str, port: int | None) -> None:
        super().__init__()
        self.factory, self.services = factory, factory.services
        self.address, self.port = address, port
        self.peer_name = f"telnet {address_text(address, port)}"
        self.is_over = False
        self.conversation: Any = Login(self)
        self.console_session: ConsoleSession | None = None
        self.screen: Any = Lines(self, self)
        self._terminal: insults.ServerProtocol | None = None
        self._login: IDelayedCall | None = None
        self._timer: IDelayedCall | None = None
        self._is_congested = False
        self._unsent = self._left_out = 0
        self.input_throttle: InputThrottle

    # The transport's side

    def connectionMade(self) -> None:
        """Prepare the connection. Without TLS, begin at once."""
        self.input_throttle = InputThrottle(self.services.clock, self.transport, self._take, self._overlong)
        self.transport.registerProducer(self, True)  # noqa: FBT003 (Twisted's signature)
        self.negotiationMap[NAWS] = self._resized
        self.commandMap.update({IP: self._break, BRK: self._break})
        # Not `_timer`, which is also the timeout of a peer that does not read, and is cancelled when it reads again.
        self._login = self.services.clock.callLater(LOGIN_SECONDS, self.drop, "nobody logged in")
        # With TLS, output before the handshake would wait and pause this producer, and a paused transport does not
        # read the handshake.
        if not ISSLTransport.providedBy(self.transport):
            self._begin()

    def handshakeCompleted(self) -> None:
        """Begin, because output can be sent now."""
        self._begin()

    def _begin(self) -> None:
        """Negotiate, and ask for the user."""
        for asked in (self.will(ECHO), self.will(SGA), self.do(NAWS)):
            asked.addErrback(lambda _refused: None)
        self.conversation.begin()

    def dataReceived(self, data: bytes) -> None:
        """Pass bytes to the input throttle, which limits their rate."""
        self.input_throttle.feed(data)

    def _take(self, part: bytes) -> None:
        if self.console_session is not None:
            self.console_session.typed()
        try:
            super().dataReceived(part)
        except (ValueError, IndexError, KeyError, AssertionError) as error:
            # Twisted's parser raises these for malformed telnet commands, which no real client sends.
            self.drop(f"broken telnet: {type(error).__name__}")

    def negotiate(self, data: list[bytes]) -> None:
        """Take a subnegotiation; ignore an empty one."""
        if data:
            super().negotiate(data)

    def _overlong(self) -> None:
        self.drop(f"a line of more than {LINE_BYTES} bytes")

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Forget the session."""
        self.is_over = True
        self.input_throttle.close()
        self._cancel_timer()
        self._cancel_login()
        if self.console_session is not None:
            self.console_session.leave()
        super().connectionLost(reason)
        refuse_handshake(self.factory.entrance.limits, self.address, reason)
        self.factory.lost(self)

    # Output that the peer has not read

    def pauseProducing(self) -> None:
        """Stop reading from a peer that does not read, and start its timeout."""
        self._is_congested = True
        if not self.is_over:
            self.input_throttle.hold()
            self._set_timer(STUCK, self._stuck)

    def resumeProducing(self) -> None:
        """Continue: the peer reads again."""
        self._is_congested, self._unsent = False, 0
        left_out, self._left_out = self._left_out, 0
        if not self.is_over:
            self._cancel_timer()
            self.input_throttle.release()
            if left_out:
                self.screen.show(f"({left_out} messages were discarded, because your client did not read)\n")

    def stopProducing(self) -> None:
        """Do nothing: the transport calls this when the connection is lost."""

    def _stuck(self) -> None:
        self.drop("the peer does not read")
        self.transport.abortConnection()

    def write(self, data: bytes) -> None:
        """Send output, with CR LF for line feeds."""
        if self._is_congested:
            self._unsent += len(data)
            if self._unsent > UNSENT:
                self._left_out += 1
                return
        plain = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        self.transport.write(plain.replace(b"\xff", b"\xff\xff"))

    # Telnet's side

    def enableLocal(self, option: bytes) -> bool:
        """Edit keys from now on: the client agrees that we echo, so it sends keys instead of lines."""
        if option == ECHO and self._terminal is None and not self.is_over:
            self._edit_keys()
        return option in (ECHO, SGA)

    def disableLocal(self, option: bytes) -> None:
        """Do nothing: a client that wants to echo again sends lines, which the editor takes as well."""

    def enableRemote(self, option: bytes) -> bool:
        """Accept only the option for the window's size."""
        return bool(option == NAWS)

    def disableRemote(self, option: bytes) -> None:
        """Nothing to do."""

    def unhandledCommand(self, command: bytes, argument: bytes | None) -> None:
        """Do nothing: the prompt answers Are You There and the like."""

    def unhandledSubnegotiation(self, command: bytes, data: list[bytes]) -> None:
        """Nothing to do."""

    def applicationDataReceived(self, data: bytes) -> None:
        """Pass application data to the screen."""
        if not self.is_over:
            (self._terminal or self.screen).dataReceived(data)

    def _edit_keys(self) -> None:
        lines, self.screen = self.screen, Keys(self, *_asked(self.conversation))
        self._terminal = terminal(self.screen, self)
        self.screen.width = lines.width or self.screen.width

    def _resized(self, data: list[bytes]) -> None:
        if len(data) == 4:  # noqa: PLR2004 (two numbers of 16 bits)
            width = int.from_bytes(b"".join(data[:2]), "big")
            self.screen.width = width or 80

    def _break(self, _argument: bytes | None) -> None:
        if not self.is_over:
            self.conversation.interrupted()

    # The methods of a conversation. The login is replaced by the shell, so the transport passes calls on to either

    def received(self, line: str) -> None:
        """Pass a line on."""
        if not self.is_over:
            self.conversation.received(line)

    def interrupted(self) -> None:
        """Pass Ctrl-C on."""
        if not self.is_over:
            self.conversation.interrupted()

    def ended(self) -> None:
        """Pass Ctrl-D on."""
        if not self.is_over:
            self.conversation.ended()

    def completions(self, line: str) -> list[str]:
        """Ask for completions."""
        found: list[str] = self.conversation.completions(line)
        return found

    def enter(self, user: str) -> None:
        """Let the user in."""
        self._cancel_login()
        if not self.factory.entrance.log_in(self):
            self.screen.show(f"{FULL}\n")
            self.drop(FULL)
            return
        operator = ConsoleOperator(
            user, self.address, "telnet", self._notify, self.close, port=self.port, services=self.services
        )
        session = self.console_session = ConsoleSession(operator, self.input_throttle, lambda: self.screen)
        self.conversation = session.shell
        session.open()
        greeting(self.screen)
        session.shell.prompt()

    def _notify(self, text: str) -> None:
        if not self.is_over:
            self.screen.show(text)

    def fault(self, failure: Failure) -> None:
        """Handle an unexpected exception: log it and drop this connection."""
        log.failure("console: server fault: peer={peer}", failure=failure, peer=self.peer_name)
        self.close()

    def drop(self, why: str) -> None:
        """Log the reason and close."""
        if not self.is_over:
            log.warn("console: closed: {why}: peer={peer}", why=why, peer=self.peer_name)
            self.close()

    def displace(self) -> None:
        """Close in favour of a new connection, because nobody has logged in here."""
        self.close()
        self.transport.abortConnection()

    def close(self) -> None:
        """Close when the output has been sent."""
        if self.is_over:
            return
        self.is_over = True
        self._cancel_login()
        if self._terminal is not None:
            # Restore the modes of the terminal.
            self._terminal.resetModes([insults.modes.IRM])
        if self.console_session is not None:
            self.console_session.leave()
        self.input_throttle.close()
        self.transport.unregisterProducer()
        self.transport.resumeProducing()
        self.transport.loseConnection()
        self._set_timer(LINGER, self.transport.abortConnection)

    def _set_timer(self, seconds: float, call: Callable[[], None]) -> None:
        self._cancel_timer()
        self._timer = self.services.clock.callLater(seconds, call)

    def _cancel_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _cancel_login(self) -> None:
        if self._login is not None and self._login.active():
            self._login.cancel()


def _asked(conversation: Any) -> tuple[str]:
    return ("user: ",) if isinstance(conversation, Login) else ("",)


@implementer(IProtocolFactory)
@define(eq=False)
class TelnetFactory:
    """Makes a transport for each connection that the limits admit."""

    services: CommandServices
    accounts: Accounts
    entrance: Entrance
    console_transports: dict[ConsoleTelnetTransport, None] = field(factory=dict)

    def doStart(self) -> None:
        """Nothing to begin."""

    def doStop(self) -> None:
        """Nothing to end."""

    def buildProtocol(self, address: IAddress) -> ConsoleTelnetTransport | None:
        """Return a transport, or None: the connection is closed at once."""
        host = host_of(address)
        if not self.entrance.admit(host):
            return None
        console_transport = ConsoleTelnetTransport(self, host, port_of(address))
        self.entrance.come(console_transport)
        self.console_transports[console_transport] = None
        return console_transport

    def lost(self, console_transport: ConsoleTelnetTransport) -> None:
        """Forget a connection."""
        self.entrance.leave(console_transport)
        self.console_transports.pop(console_transport, None)
