"""The interface to systemd: notifications (sd_notify, which Twisted does not have), its sockets and its credentials.

Source: sd_notify(3), sd_listen_fds(3), systemd.exec(5); docs/howto/install.md.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.endpoints import serverFromString
from twisted.internet.interfaces import IDelayedCall, IListeningPort, IReactorTime
from twisted.internet.protocol import Factory
from twisted.logger import Logger

from gamed.core.errors import ConfigError

log = Logger()


def notify(state: str) -> None:
    """Send a state such as `READY=1` to the service manager, if there is one."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A leading @ stands for the zero byte of Linux's abstract names.
    name = "\0" + address[1:] if address[0] == "@" else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.sendto(state.encode(), name)
    except OSError as error:
        # A missing service manager is not a reason to fail, least of all while stopping.
        log.warn("the service manager was not notified of {state}: {error}", state=state, error=error)


def watchdog_seconds() -> float | None:
    """Return within how many seconds the service manager expects a notification; None if it has no watchdog."""
    environ = os.environ
    if environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    microseconds = environ.get("WATCHDOG_USEC", "")
    return int(microseconds) / 1_000_000 if microseconds.isdigit() and int(microseconds) else None


@define(eq=False)
class Watchdog:
    """Notifies the service manager's watchdog. The reactor makes the calls, so they stop if it hangs."""

    clock: IReactorTime
    _call: IDelayedCall | None = None

    def start(self) -> None:
        """Begin if the manager has a watchdog: two notifications in the time that it allows."""
        seconds = watchdog_seconds()
        if seconds is not None:
            self._feed(seconds / 2)

    def _feed(self, interval: float) -> None:
        notify("WATCHDOG=1")
        self._call = self.clock.callLater(interval, self._feed, interval)

    def stop(self) -> None:
        """Stop."""
        if self._call is not None and self._call.active():
            self._call.cancel()


def activated(name: str, reactor: Any) -> str | None:
    """Return the endpoint string of a socket that the service manager holds under a name, or None.

    `FileDescriptorName=` in a socket unit gives the name; ours are those of the listeners. Twisted reads and removes
    the environment variables when it is imported, so only Twisted knows the sockets.
    """
    endpoint = f"systemd:domain=INET6:name={name}"
    try:
        serverFromString(reactor, endpoint)
    except LookupError:
        return None
    return endpoint


REMEDY = "mask its unit (`systemctl list-sockets` shows it, `systemctl mask --now UNIT`), or leave the endpoint out"
"""What to do about a socket of systemd's whose listener has an endpoint of its own."""


class _NobodyIsServed(Factory):
    """Closes each connection."""

    noisy = False

    def buildProtocol(self, addr: Any) -> None:
        """Return None: Twisted then closes the connection."""


@define(eq=False)
class UnusedSocket(Service):
    """A socket that systemd holds for a listener that is off, or listens elsewhere.

    systemd goes on listening, and clients would wait forever. So their connections are accepted and closed.
    """

    section: str
    endpoint: str
    reactor: Any
    _port: IListeningPort | None = field(default=None, init=False)

    @property
    def warning(self) -> str:
        """What the administrator should know."""
        return (
            "systemd holds a socket for this listener, whose endpoint in the configuration is another one; connections "
            f"to the socket are closed: {REMEDY}"
        )

    def privilegedStartService(self) -> None:
        """Accept and close, and log a warning."""
        log.warn("[{section}] {text}", section=self.section, text=self.warning)
        serverFromString(self.reactor, self.endpoint).listen(_NobodyIsServed()).addCallback(self._listening)

    def _listening(self, port: IListeningPort) -> None:
        self._port = port

    def stopService(self) -> Deferred[Any]:
        """Stop accepting."""
        super().stopService()  # type: ignore[no-untyped-call]
        return maybeDeferred(lambda: None if self._port is None else self._port.stopListening())


def port_of(endpoint: str, reactor: Any) -> int:
    """Return the port of a socket that systemd holds. `endpoint`: from `activated`."""
    made: Any = serverFromString(reactor, endpoint)
    # The descriptor stays the endpoint's.
    with socket.socket(fileno=os.dup(made.fileno)) as held:
        port: int = held.getsockname()[1]
    return port


def is_handed_over(endpoint: str) -> bool:
    """Whether systemd has handed over the socket that an endpoint string names."""
    try:
        serverFromString(None, endpoint)
    except (LookupError, ValueError, TypeError):
        return False
    return True


def credential(name: str) -> str:
    """Return a secret of the unit's (`LoadCredential=`), or "" if there is none. Raises ConfigError."""
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    if not folder:
        return ""
    try:
        return Path(folder, name).read_text(encoding="utf-8").rstrip("\r\n")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the credential {name} cannot be read: {error}") from error
