"""Watches a game over the network: a viewer without I/O on a transport.

A viewer answers at once, except for an acknowledgement that it holds back (`Viewer.hold`). Its frames are shown as they
arrive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from attrs import define
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.error import ConnectError, DNSLookupError
from twisted.internet.interfaces import IDelayedCall, IReactorTime, ITCPTransport
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from gamed.bots.play import BotError, unreachable
from gamed.core.clients import Frame, Viewer
from gamed.core.errors import RemoteProtocolError

ASK_AGAIN: Final = 1.0
"""Seconds between two questions about who is waiting for the start."""


@define(eq=False)
class Watcher(Protocol):
    """A viewer on a transport."""

    viewer: Viewer
    show: Callable[[Frame], None]

    done: Deferred[None]
    """Fires with None when the game is over, or fails with BotError."""

    clock: IReactorTime
    _error: BotError | None = None

    _held: IDelayedCall | None = None
    """The timer of an acknowledgement that is held back."""

    _question: IDelayedCall | None = None
    """The timer of the next question about who is waiting."""

    def connectionMade(self) -> None:
        """Register."""
        self._wire.setTcpNoDelay(True)
        self._wire.write(self.viewer.begin())

    @property
    def _wire(self) -> ITCPTransport:
        return cast("ITCPTransport", self.transport)

    def dataReceived(self, data: bytes) -> None:
        """Send the viewer's answer, and show its frames."""
        self._receive(data)
        if self.viewer.is_done or self._error is not None:
            self._wire.loseConnection()

    def _receive(self, data: bytes) -> None:
        if self._error is not None:
            return
        try:
            answer = self.viewer.receive_data(data)
        except RemoteProtocolError as error:
            self._error = BotError(f"the game broke off: {error}")
        else:
            if answer:
                self._wire.write(answer)
        while self.viewer.frames:
            self.show(self.viewer.frames.popleft())
        if self._error is None and not self.viewer.is_done:
            self._go_on_later()

    def _go_on_later(self) -> None:
        """Schedule what the viewer does not send at once."""
        if self.viewer.hold is not None and self._held is None:
            self._held = self.clock.callLater(self.viewer.hold, self._acknowledge)
        if self.viewer.is_registered and not self.viewer.is_started and self._question is None:
            self._question = self.clock.callLater(ASK_AGAIN, self._ask)

    def _acknowledge(self) -> None:
        self._held = None
        self._wire.write(self.viewer.acknowledge())

    def _ask(self) -> None:
        self._question = None
        if not self.viewer.is_started:
            self._wire.write(self.viewer.ask_who())

    def connectionLost(self, _reason: Failure = connectionDone) -> None:
        """Report the end of the game, or why it broke off."""
        self._receive(b"")
        for call in (self._held, self._question):
            if call is not None:
                call.cancel()
        if self._error is not None:
            self.done.errback(self._error)
        else:
            self.done.callback(None)


async def watch(reactor: Any, host: str, port: int, viewer: Viewer, show: Callable[[Frame], None]) -> None:
    """Connect and watch one game. Raises BotError."""
    watcher = Watcher(viewer, show, Deferred(), reactor)
    try:
        await connectProtocol(HostnameEndpoint(reactor, host.encode(), port), watcher)
    except (ConnectError, DNSLookupError) as error:
        raise unreachable(f"{host}:{port}", error) from error
    await watcher.done
