"""What is imported and made when somebody connects: games, the console and the web site.

A daemon in which nobody plays, and at which nobody looks, has none of their code in memory, and starts without it. The
first connection of a listener waits in the system's queue while a thread imports and makes what serves it. Running
games share the interpreter with that thread and go on: Python gives each of the two 5 ms at a time, and no turn of the
reactor imports anything.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress, IProtocol, IProtocolFactory, IReadDescriptor
from twisted.internet.tcp import Port
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.core.reception import Reception

log = Logger()

T = TypeVar("T")


@define(eq=False)
class Late(Generic[T]):
    """A value that is made when it is first needed; it can be needed in two threads at once."""

    make: Callable[[], T]
    """Imports what the value needs, and returns it. It does nothing that only the reactor's thread may do."""

    is_wanted: bool = field(default=False, init=False)
    """Whether it was made, or is being made."""

    _made: T | None = field(default=None, init=False)
    _lock: Any = field(factory=RLock, init=False)

    def get(self) -> T:
        """Return the value; make it if need be."""
        if self._made is None:
            with self._lock:
                self.is_wanted = True
                if self._made is None:
                    self._made = self.make()
        return self._made


class LateReception(Late[Reception]):
    """A reception whose game is imported when it is asked for something: it can be used as a `Reception`."""

    def __init__(self, make: Callable[[], Reception], check: Callable[[Any], None]) -> None:
        super().__init__(self._make_configured)
        self._make_reception, self._check = make, check
        self._settings: Any = None

    def _make_configured(self) -> Reception:
        reception = self._make_reception()
        if self._settings is not None:
            reception.configure(self._settings)
        return reception

    def configure(self, settings: Any) -> None:
        """Take the listener's settings anew. Raises ConfigError, and has changed nothing then."""
        if self.is_wanted:
            self.get().configure(settings)
        else:
            self._check(settings)
            self._settings = settings

    def __getattr__(self, name: str) -> Any:
        return getattr(self.get(), name)


@implementer(IProtocolFactory)
class LateFactory(Late[IProtocolFactory]):
    """A factory that is imported and made when somebody connects."""

    _is_started = False

    def doStart(self) -> None:
        """Do nothing: the factory itself starts with its first connection."""

    def doStop(self) -> None:
        """Stop the factory if it was started."""
        if self._is_started:
            self.get().doStop()

    def buildProtocol(self, address: IAddress) -> IProtocol | None:
        """Return what the factory makes."""
        factory = self.get()
        if not self._is_started:
            self._is_started = True
            factory.doStart()
        return factory.buildProtocol(address)


@implementer(IReadDescriptor)
@define(eq=False)
class FirstConnection:
    """Keeps a port from accepting until its first connection waits and `load` has loaded what serves it."""

    port: Port
    reactor: Any
    load: Callable[[], Deferred[Any]]

    def wait(self) -> None:
        """Begin."""
        self.port.stopReading()
        self.reactor.addReader(self)

    def stop(self) -> None:
        """End: the port is about to be closed."""
        self.reactor.removeReader(self)

    def doRead(self) -> None:
        """Load, then have the port accept. What cannot be loaded is logged; each connection tries again, and ends."""
        self.reactor.removeReader(self)
        loading = self.load().addErrback(lambda failure: log.failure("a listener cannot be loaded", failure))
        loading.addCallback(lambda _result: self.port.startReading() if self.port.connected else None)

    def fileno(self) -> int:
        """Return the number of the port's descriptor."""
        number: int = self.port.fileno()
        return number

    def connectionLost(self, reason: Failure) -> None:
        """Do nothing: the port is told itself."""

    def logPrefix(self) -> str:
        """Return the log's name for it."""
        return "first connection"
