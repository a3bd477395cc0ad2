"""The control listener: a UNIX socket that only the daemon's user may use.

Source: docs/topics/design.md#control.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IProtocolFactory

from gamed.core.errors import ConfigError
from gamed.net.late import FirstConnection

LONGEST_PATH: Final = 107
"""The longest path of a UNIX socket, in bytes."""


@define(eq=False)
class ControlListener(Service):
    """The listener as a service."""

    path: str
    factory: IProtocolFactory
    reactor: Any

    load: Callable[[], Deferred[Any]]
    """Loads in a thread what the first connection needs, while the connection waits."""

    _port: Any = field(default=None, init=False)
    _first: Any = field(default=None, init=False)

    def privilegedStartService(self) -> None:
        """Listen. Raises ConfigError."""
        length = len(self.path.encode())
        if length > LONGEST_PATH:
            text = f"its path has {length} bytes, and that of a UNIX socket has at most {LONGEST_PATH}"
            raise ConfigError(f'[control] endpoint: {text}; set a shorter one, such as "unix:/run/gamed/control.sock"')
        try:
            remove_unused(Path(self.path))
            self._port = self.reactor.listenUNIX(self.path, self.factory, mode=0o600)
        except (CannotListenError, OSError) as error:
            reason = error.socketError if isinstance(error, CannotListenError) else error.strerror
            raise ConfigError(f'[control] cannot listen on "{self.path}": {reason}') from error
        self._first = FirstConnection(self._port, self.reactor, self.load)
        self._first.wait()

    def stopService(self) -> Deferred[Any]:
        """Stop listening."""
        super().stopService()  # type: ignore[no-untyped-call]
        if self._first is not None:
            self._first.stop()
        return maybeDeferred(lambda: None if self._port is None else self._port.stopListening())


def remove_unused(path: Path) -> None:
    """Remove a socket that a killed daemon has left. Raises ConfigError if somebody listens there, and OSError.

    Not by a process number in a file beside it: in a container, the next daemon has the same number.
    """
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX) as probe:
        # Where the queue of a listener is full, this fails at once, too, but in another way.
        probe.settimeout(0)
        with suppress(BlockingIOError):
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()
                return
    raise ConfigError(f'[control] endpoint "unix:{path}": another daemon listens there; give each its own')
