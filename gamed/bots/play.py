"""Plays whole matches over the network, one connection a match.

Source: battleship.md A3 (a whole game against any server of the protocol) and B8 (a new connection for each game).
"""

from __future__ import annotations

import re
from typing import Any, cast

from attrs import define, frozen
from OpenSSL.SSL import Error as SSLError
from service_identity import VerificationError
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol, wrapClientTLS
from twisted.internet.error import ConnectError, DNSLookupError
from twisted.internet.interfaces import (
    IOpenSSLClientConnectionCreator,
    IReactorTime,
    IStreamClientEndpoint,
    ITCPTransport,
)
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.ssl import Certificate, optionsForClientTLS, trustRootFromCertificates
from twisted.python.failure import Failure

from gamed.errors import GamedError, RemoteProtocolError
from gamed.registry import Player


class BotError(GamedError):
    """A match could not be played to its end."""


@frozen
class Played:
    """A finished match: `won` is None where nobody won, `seconds` from the connection to the end, waiting included."""

    won: bool | None
    moves: int
    seconds: float


@define(eq=False)
class Bot(Protocol):
    """A player on a transport; `done` fires with Played, or fails with BotError."""

    player: Player
    clock: IReactorTime
    done: Deferred[Played]
    _began: float = 0.0
    _result: Played | BotError | None = None

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
        try:
            answer = self.player.receive_data(data)
        except RemoteProtocolError as error:
            self._end(BotError(f"the match broke off: {error}"))
            return
        if answer:
            self._wire.write(answer)
        if self.player.is_done:
            self._end(Played(self.player.won, self.player.moves, self.clock.seconds() - self._began))

    def _end(self, result: Played | BotError) -> None:
        # The result is told when the last line has left, not before.
        self._result = result
        self._wire.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Fail the match if it is not over by now."""
        if self._result is None and reason.check(SSLError, VerificationError):
            self._result = BotError(f"the server is not to be trusted, or does not speak TLS: {reason.value}")
        if self._result is None:
            self._play(b"")
        if isinstance(self._result, Played):
            self.done.callback(self._result)
        else:
            self.done.errback(self._result)


def trusting(host: str, ca: bytes | None) -> IOpenSSLClientConnectionCreator:
    """Return what makes a connection TLS, and breaks it off if the other side is not `host`.

    `ca`: PEM certificates that are trusted instead of the system's. Raises BotError.
    """
    if ca is None:
        return optionsForClientTLS(host)
    found = re.findall(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", ca, re.DOTALL)
    if not found:
        raise BotError("there is no certificate in the file of --ca")
    return optionsForClientTLS(host, trustRootFromCertificates([Certificate.loadPEM(one.decode()) for one in found]))


async def play(
    reactor: Any,
    host: str,
    port: int,
    player: Player,
    creator: IOpenSSLClientConnectionCreator | None = None,
) -> Played:
    """Connect and play one match. `creator`: makes it TLS (see `trusting`). Raises BotError."""
    bot = Bot(player, reactor, Deferred())
    endpoint: IStreamClientEndpoint = HostnameEndpoint(reactor, host.encode(), port)
    if creator is not None:
        endpoint = wrapClientTLS(creator, endpoint)
    try:
        await connectProtocol(endpoint, bot)
    except (ConnectError, DNSLookupError) as error:
        raise BotError(
            f"cannot connect to {host}:{port}: {str(error).rstrip('.')}. "
            "Is the server running there? `twistd -n gamed` starts one"
        ) from error
    return await bot.done
