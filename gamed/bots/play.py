"""Plays whole matches over the network, one connection a match, or several where the game has resets.

Source: docs/reference/strategies.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from attrs import define, field, frozen
from OpenSSL.SSL import Error as SSLError
from service_identity import VerificationError
from service_identity.hazmat import DNS_ID
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol, wrapClientTLS
from twisted.internet.error import ConnectError, DNSLookupError
from twisted.internet.interfaces import (
    IDelayedCall,
    IOpenSSLClientConnectionCreator,
    IReactorTime,
    IStreamClientEndpoint,
    ITCPTransport,
)
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.ssl import Certificate, optionsForClientTLS, trustRootFromCertificates
from twisted.python.failure import Failure

from gamed.bots.pace import Pace
from gamed.core.clients import Discards, Player, PlaysOn, TakesSides
from gamed.core.errors import GamedError, RemoteProtocolError


def unreachable(where: str, error: Exception) -> BotError:
    """Return what is said of a server that cannot be reached."""
    why = str(error).rstrip(".")
    return BotError(f"cannot connect to {where}: {why}. Is the server running there? `twistd -n gamed` starts one")


class BotError(GamedError):
    """A match could not be played to its end."""


@frozen
class Played:
    """A finished match."""

    won: bool | None
    """None: a draw."""

    moves: int

    seconds: float
    """From the connection, or the end of the match before, to the end, waiting included."""

    side: str = ""
    """The player's side, for people; nothing if the game has none."""


def _take_note(_played: Played) -> None:
    """Do nothing."""


def _ignore(_what: str) -> None:
    """Do nothing."""


@define(eq=False)
class Bot(Protocol):
    """A player on a transport."""

    player: Player
    clock: IReactorTime

    done: Deferred[Played]
    """Fires with the last match when the connection has ended, or fails with BotError if that broke off."""

    ended: Callable[[Played], None] = _take_note
    """Called with each match as soon as it has ended."""

    discarded: Callable[[str], None] = _ignore
    """Called with what the player discards, each once."""

    pace: Pace = field(factory=lambda: Pace(0.0))
    """How long it waits before its answers."""

    _began: float = 0.0
    _count: int = 0
    """How many matches have ended."""

    _last: Played | None = None
    _result: Played | BotError | None = None
    """The result of `done`; set when the connection is being closed."""

    _leaving: IDelayedCall | None = None
    """The timer of the stay after a match."""

    _told: int = 0
    """How much of what the player has discarded was reported."""

    def connectionMade(self) -> None:
        """Begin."""
        self._began = self.clock.seconds()
        self._wire.setTcpNoDelay(True)
        greeting = self.player.begin()
        if greeting:
            self._wire.write(greeting)

    @property
    def _wire(self) -> ITCPTransport:
        return cast("ITCPTransport", self.transport)

    def dataReceived(self, data: bytes) -> None:
        """Let the player answer."""
        if self._result is None:
            self._play(data)

    def _play(self, data: bytes) -> None:
        error: RemoteProtocolError | None = None
        heard_at = self.clock.seconds()
        try:
            self._send(self.player.receive_data(data), heard_at)
        except RemoteProtocolError as raised:
            error = raised
        self._note_discarded()
        self._note_matches()
        if self._last is not None and self.player.is_done:
            self._stay_or_leave(self._last, can_stay=error is None and bool(data))
        elif error is not None:
            self._end(BotError(f"the match broke off: {error}"))
        else:
            # Another match may have begun.
            self._stay_on()

    def _send(self, answer: bytes, heard_at: float) -> None:
        if answer and (wait := self.pace.wait(heard_at)):
            self.clock.callLater(max(0.0, heard_at + wait - self.clock.seconds()), self._wire.write, answer)
        elif answer:
            self._wire.write(answer)

    def _note_discarded(self) -> None:
        if isinstance(self.player, Discards):
            found = self.player.discarded[self._told :]
            self._told += len(found)
            for what in found:
                self.discarded(what)

    def _note_matches(self) -> None:
        """Report the matches that have ended. The time of a match begins at the end of the one before."""
        player = self.player
        if isinstance(player, PlaysOn):
            results: list[tuple[bool | None, int]] = [*player.results[self._count :]]
        else:
            results = [(player.won, player.moves)] if player.is_done and not self._count else []
        for won, moves in results:
            now = self.clock.seconds()
            side = player.side if isinstance(player, TakesSides) else ""
            self._last = Played(won, moves, now - self._began, side)
            self._began = now
            self._count += 1
            self._stay_on()
            self.pace.begin()
            self.ended(self._last)

    def _stay_or_leave(self, last: Played, *, can_stay: bool) -> None:
        stay = self.player.stay if can_stay and isinstance(self.player, PlaysOn) else 0.0
        if not stay:
            self._end(last)
        elif self._leaving is None:
            self._leaving = self.clock.callLater(stay, self._end, last)

    def _stay_on(self) -> None:
        """Do not leave when the stay is over."""
        if self._leaving is not None and self._leaving.active():
            self._leaving.cancel()
        self._leaving = None

    def _end(self, result: Played | BotError) -> None:
        # `done` fires when the connection is closed, so that the last line has been sent.
        self._result = result
        self._stay_on()
        self._wire.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Fail the match if it is not over by now."""
        if self._result is None and isinstance(reason.value, VerificationError):
            self._result = BotError(_misnamed(reason.value))
        if self._result is None and reason.check(SSLError):
            self._result = BotError(f"the server is not to be trusted, or does not speak TLS: {reason.value}")
        if self._result is None:
            self._play(b"")
        if isinstance(self._result, Played):
            self.done.callback(self._result)
        else:
            self.done.errback(self._result)


def _misnamed(error: VerificationError) -> str:
    wanted = (mismatch.mismatched_id for mismatch in error.errors)
    names = ", ".join(
        each.hostname.decode() if isinstance(each, DNS_ID) else str(getattr(each, "ip", each)) for each in wanted
    )
    return (
        f"the server is not to be trusted: its certificate is not for {names}; "
        "call the server by a name that the certificate has"
    )


def trusting(host: str, ca: bytes | None) -> IOpenSSLClientConnectionCreator:
    """Return the creator of TLS connections that fail unless the server's certificate is for `host`.

    `ca`: PEM certificates to trust instead of the system's. Raises BotError.
    """
    if ca is None:
        return optionsForClientTLS(host)
    found = re.findall(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", ca, re.DOTALL)
    if not found:
        raise BotError("there is no certificate in the file of --ca")
    return optionsForClientTLS(host, trustRootFromCertificates([Certificate.loadPEM(one.decode()) for one in found]))


async def play(  # noqa: PLR0913 (how to connect, and what to do then)
    reactor: Any,
    host: str,
    port: int,
    player: Player,
    creator: IOpenSSLClientConnectionCreator | None = None,
    *,
    ended: Callable[[Played], None] = _take_note,
    discarded: Callable[[str], None] = _ignore,
    pace: Pace | None = None,
) -> Played:
    """Connect and play one match, and further ones for which the player stays; return the last one.

    `creator`: makes it TLS (see `trusting`). `ended`: called with each match as soon as it has ended. `discarded`:
    called with each kind of message that the player does not know. `pace`: how long to wait before each answer; None:
    not at all. Raises BotError.
    """
    bot = Bot(player, reactor, Deferred(), ended, discarded, pace or Pace(0.0))
    endpoint: IStreamClientEndpoint = HostnameEndpoint(reactor, host.encode(), port)
    if creator is not None:
        endpoint = wrapClientTLS(creator, endpoint)
    try:
        await connectProtocol(endpoint, bot)
    except (ConnectError, DNSLookupError) as error:
        raise unreachable(f"{host}:{port}", error) from error
    return await bot.done
