"""A listening endpoint as a service: it listens before privileges are dropped, and says clearly why it cannot.

Source: design.md, "Traps" (dual stack, the ephemeral range).
"""

from __future__ import annotations

import socket
from typing import Any

from attrs import define, field
from twisted.application.service import Service
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort, IProtocolFactory
from twisted.internet.tcp import Port
from twisted.python.failure import Failure

from gamed.errors import ConfigError
from gamed.net.tls import Certificates, TLSEndpoint, server_endpoint

BACKLOG = 1024

ACCEPTED_AT_ONCE = 4
"""Connections taken in a turn of the reactor; a crowd that comes at once waits in the system's queue."""


def standard_endpoint(port: int) -> str:
    """Return the endpoint of a standard port: all interfaces, both IP families, IPv4 alone where there is no IPv6."""
    try:
        socket.socket(socket.AF_INET6).close()
    except OSError:
        return f"tcp:{port}:backlog={BACKLOG}"
    return f"tcp6:{port}:interface=\\:\\::backlog={BACKLOG}"


def _accept_few(port: Any) -> None:
    accept = port.doRead

    def do_read() -> None:
        # Twisted raises its own number while connections keep coming.
        port.numberAccepts = ACCEPTED_AT_ONCE
        accept()

    port.doRead = do_read


@define(eq=False)
class Listener(Service):
    """One listener. `section`: where its endpoint stands in the configuration."""

    section: str
    endpoint: str
    factory: IProtocolFactory
    reactor: Any
    port: IListeningPort | None = field(default=None, init=False)
    certificates: Certificates | None = field(default=None, init=False)

    def privilegedStartService(self) -> None:
        """Listen. Raises ConfigError."""
        try:
            endpoint = server_endpoint(self.reactor, self.endpoint)
            listening = endpoint.listen(self.factory)
        except (ValueError, TypeError, LookupError, OSError) as error:
            raise ConfigError(f'[{self.section}] endpoint "{self.endpoint}": {error}') from error
        if isinstance(endpoint, TLSEndpoint):
            self.certificates = endpoint.certificates
        failures: list[Failure] = []
        # Every endpoint that can be named in a configuration is done at once.
        listening.addCallbacks(self._listening, failures.append)
        if failures:
            raise self._explained(failures[0])

    def _listening(self, port: IListeningPort) -> None:
        self.port = port
        if isinstance(port, Port):
            _accept_few(port)

    def _explained(self, failure: Failure) -> ConfigError:
        reason = failure.value
        if isinstance(reason, CannotListenError):
            reason = reason.socketError
        return ConfigError(
            f'[{self.section}] cannot listen on "{self.endpoint}": {reason}. If another gamed runs, stop it; if an '
            "outgoing connection holds the port, reserve it (etc/sysctl.d/gamed.conf); or choose another endpoint."
        )

    def reload(self) -> bool:
        """Read certificates anew, for the connections that come; False where there are none. Raises ConfigError."""
        if self.certificates is None:
            return False
        self.certificates.reload()
        return True

    def stopService(self) -> Deferred[Any]:
        """Stop listening."""
        super().stopService()  # type: ignore[no-untyped-call]
        return maybeDeferred(self.port.stopListening) if self.port is not None else maybeDeferred(lambda: None)
