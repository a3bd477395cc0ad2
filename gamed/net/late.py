"""Lazy imports: games, the console and the web site are loaded when somebody connects to them.

So a daemon starts faster, and has only the code in memory that is used. The first connection of a listener stays in the
kernel's accept queue (`FirstConnection`) while a thread imports and makes what serves it. The reactor itself imports
nothing, and games that run go on: Python's threads take turns of 5 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress, ILoggingContext, IProtocol, IProtocolFactory, IReadDescriptor
from twisted.internet.tcp import Port
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

log = Logger()

T = TypeVar("T")


@define(eq=False)
class Late(Generic[T]):
    """A value that is made on first use, which may happen in two threads at once."""

    make: Callable[[], T]
    """Imports what the value needs, and returns it. It runs in any thread."""

    is_wanted: bool = field(default=False, init=False)
    """Whether the value was made, or is being made."""

    _made: T | None = field(default=None, init=False)
    _lock: Any = field(factory=RLock, init=False)

    def get(self) -> T:
        """Return the value; make it if necessary."""
        if self._made is None:
            with self._lock:
                self.is_wanted = True
                if self._made is None:
                    self._made = self.make()
        return self._made


@implementer(IProtocolFactory, ILoggingContext)
class LateFactory(Late[IProtocolFactory]):
    """A proxy of a protocol factory that is imported and made when somebody connects. `name`: its name in logs."""

    _is_started = False

    def __init__(self, name: str, make: Callable[[], IProtocolFactory]) -> None:
        super().__init__(make)
        self.name = name

    def logPrefix(self) -> str:
        """Return its name in logs."""
        return self.name

    def doStart(self) -> None:
        """Do nothing: the factory is started by its first connection."""

    def doStop(self) -> None:
        """Stop the factory if it was started."""
        if self._is_started:
            self.get().doStop()

    def buildProtocol(self, address: IAddress) -> IProtocol | None:
        """Return the factory's protocol."""
        factory = self.get()
        if not self._is_started:
            self._is_started = True
            factory.doStart()
        return factory.buildProtocol(address)


@implementer(IReadDescriptor)
@define(eq=False)
class FirstConnection:
    """Keeps a port from accepting until a connection waits and what serves it is loaded.

    It is in the reactor instead of the port, with the same descriptor: when that is ready, a connection waits.
    """

    port: Port
    reactor: Any
    load: Callable[[], Deferred[Any]]
    """Loads in a thread what serves the connection."""

    def wait(self) -> None:
        """Wait for a connection."""
        self.port.stopReading()
        self.reactor.addReader(self)

    def stop(self) -> None:
        """Stop waiting: the port is about to be closed."""
        self.reactor.removeReader(self)

    def doRead(self) -> None:
        """Load, and then have the port accept. If that fails, the connection is closed; the next one tries again."""
        self.reactor.removeReader(self)
        self.load().addCallbacks(self._loaded, self._not_loaded)

    def _loaded(self, _result: object) -> None:
        if self.port.connected:
            self.port.startReading()

    def _not_loaded(self, failure: Failure) -> None:
        log.failure("a listener cannot be loaded", failure)
        if self.port.connected:
            # Its factory has nothing that could serve the connection.
            self.port.doRead()
            self.reactor.addReader(self)

    def fileno(self) -> int:
        """Return the port's descriptor."""
        number: int = self.port.fileno()
        return number

    def connectionLost(self, reason: Failure) -> None:
        """Do nothing: the port learns of it itself."""

    def logPrefix(self) -> str:
        """Return its name in logs."""
        return "first connection"
