"""A listening endpoint as a service. It listens before privileges are dropped, and explains why it cannot.

Source: docs/topics/design.md#traps-already-found (dual stack, the ephemeral range).
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort, IProtocolFactory, IStreamServerEndpoint
from twisted.internet.tcp import Port
from twisted.python.failure import Failure

from gamed.core.errors import ConfigError
from gamed.net.accept_throttle import AcceptThrottle
from gamed.net.late import FirstConnection
from gamed.net.sockets import hold_little
from gamed.net.tls import Certificates, TLSEndpoint, server_endpoint


def standard_endpoint(port: int) -> str:
    """Return the endpoint of a port: all interfaces, IPv6 and IPv4, or IPv4 alone if the host has no IPv6."""
    try:
        socket.socket(socket.AF_INET6).close()
    except OSError:
        return f"tcp:{port}"
    return f"tcp6:{port}:interface=\\:\\:"


def endpoint_of(section: str, text: str, reactor: Any) -> IStreamServerEndpoint:
    """Return the endpoint that a string of a section describes, without opening it. Raises ConfigError."""
    try:
        return server_endpoint(reactor, text)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except (ValueError, TypeError, LookupError) as error:
        reason = str(error)
    if reason.startswith("Unknown endpoint type"):
        reason = f'there is no kind "{text.partition(":")[0]}": write "tcp:PORT", "tcp6:PORT" or "ssl:PORT:…"'
    raise ConfigError(f'[{section}] endpoint "{text}": {reason}')


def why_not(section: str, text: str, error: object) -> str:
    """Return a sentence on why an endpoint cannot be listened on, and what to do."""
    number = error.errno if isinstance(error, OSError) else None
    remedy = {
        errno.EADDRNOTAVAIL: "This machine has no such address: correct the interface.",
        errno.EACCES: "Only root can open a port below 1024: choose a higher one, or have systemd open it.",
    }.get(
        number or 0,
        "If another gamed runs, stop it; if an outgoing connection holds the port, reserve it "
        "(etc/sysctl.d/gamed.conf); or choose another endpoint.",
    )
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return f'[{section}] cannot listen on "{text}": {reason}. {remedy}'


def expiries(listeners: Iterable[Listener]) -> dict[str, datetime]:
    """Return when the certificates of TLS listeners expire, by the listeners' sections."""
    return {each.section: each.certificates.expires for each in listeners if each.certificates is not None}


@define(eq=False)
class Listener(Service):
    """One listener."""

    section: str
    """The section of the configuration that has its endpoint."""

    endpoint: str
    factory: IProtocolFactory
    reactor: Any

    accept_throttle: AcceptThrottle | None = None
    """What accepts its connections; None: the reactor does."""

    load: Callable[[], Deferred[Any]] | None = None
    """Loads in a thread what the first connection needs, while the connection waits. None: nothing is to be loaded."""

    port: IListeningPort | None = field(default=None, init=False)
    certificates: Certificates | None = field(default=None, init=False)
    _first: FirstConnection | None = field(default=None, init=False)

    def privilegedStartService(self) -> None:
        """Listen. Raises ConfigError."""
        endpoint = endpoint_of(self.section, self.endpoint, self.reactor)
        try:
            listening = endpoint.listen(self.factory)
        except (ValueError, TypeError, LookupError, OSError) as error:
            raise ConfigError(f'[{self.section}] endpoint "{self.endpoint}": {error}') from error
        if isinstance(endpoint, TLSEndpoint):
            self.certificates = endpoint.certificates
        failures: list[Failure] = []
        # For each kind of endpoint that a configuration can name, the Deferred has fired already.
        listening.addCallbacks(self._listening, failures.append)
        if failures:
            raise self._explained(failures[0])

    def _listening(self, port: IListeningPort) -> None:
        self.port = port
        if self.accept_throttle is not None and isinstance(port, Port):
            hold_little(port.socket)
            self.accept_throttle.keep(port)
        if self.load is not None and isinstance(port, Port):
            self._first = FirstConnection(port, self.reactor, self.load)
            self._first.wait()

    @property
    def address(self) -> str:
        """The address at which it listens, for logs: host and port, or the endpoint's own description."""
        where: Any = None if self.port is None else self.port.getHost()
        host = getattr(where, "host", None)
        if host is None:
            return str(where)
        return f"[{host}]:{where.port}" if ":" in host else f"{host}:{where.port}"

    def _explained(self, failure: Failure) -> ConfigError:
        reason = failure.value
        if isinstance(reason, CannotListenError):
            reason = reason.socketError
        return ConfigError(why_not(self.section, self.endpoint, reason))

    def reload(self) -> bool:
        """Read the certificates again, for new connections. Return False if it has none. Raises ConfigError."""
        if self.certificates is None:
            return False
        self.certificates.reload()
        return True

    def stopService(self) -> Deferred[Any]:
        """Stop listening."""
        super().stopService()  # type: ignore[no-untyped-call]
        if self._first is not None:
            self._first.stop()
        return maybeDeferred(self.port.stopListening) if self.port is not None else maybeDeferred(lambda: None)
