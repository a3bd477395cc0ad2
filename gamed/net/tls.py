"""TLS listeners whose certificates are read anew on demand, without dropping a connection.

Source: issue "Running it", 2; docs/howto/install.md. Two endpoint strings of Twisted's are taken here:
`ssl:PORT:privateKey=FILE:certKey=FILE` (the certificate's file may go on with its chain, as in `fullchain.pem`) and
`tls:DIRECTORY:PORT` (all *.pem in a directory, chosen by the name that the client asks for).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, field
from OpenSSL.crypto import Error as CryptoError
from OpenSSL.SSL import Connection
from OpenSSL.SSL import Error as SSLError
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ServerEndpoint, TCP6ServerEndpoint, serverFromString
from twisted.internet.interfaces import (
    IAddress,
    IListeningPort,
    IOpenSSLServerConnectionCreator,
    IProtocolFactory,
    IStreamServerEndpoint,
)
from twisted.internet.ssl import Certificate, CertificateOptions, KeyPair
from twisted.protocols.tls import TLSMemoryBIOFactory, TLSMemoryBIOProtocol
from zope.interface import implementer

from gamed.errors import ConfigError

_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----\n.+?\n-----END CERTIFICATE-----", re.DOTALL)
_COLON = re.compile(r"(?<!\\):")
_KEYS = ("privateKey", "certKey", "extraCertChain", "interface", "backlog")


@implementer(IOpenSSLServerConnectionCreator)
@define(eq=False)
class Pinned:
    """One certificate with its chain, for all names."""

    options: CertificateOptions

    def serverConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> Connection:  # noqa: ARG002 (the interface's)
        """Return the OpenSSL side of a new connection."""
        return Connection(self.options.getContext(), None)


@implementer(IOpenSSLServerConnectionCreator)
@define(eq=False)
class Certificates:
    """What new connections are secured with. `read`: reads the files anew. Those that exist keep what they have."""

    read: Callable[[], Any]
    _current: Any = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._current = self.read()

    def reload(self) -> None:
        """Read the files; new connections get what is in them now. Raises ConfigError, and changes nothing then."""
        try:
            self._current = self.read()
        except (OSError, ValueError, SSLError, CryptoError) as error:
            raise ConfigError(f"the certificates stay as they were: {error or type(error).__name__}") from error

    def serverConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> Connection:
        """Return the OpenSSL side of a new connection."""
        connection: Connection = self._current.serverConnectionForTLS(protocol)
        return connection


class TLSFactory(TLSMemoryBIOFactory):
    """A factory under TLS. Twisted's own fails with a traceback where the factory above refuses a connection."""

    def buildProtocol(self, addr: IAddress | None) -> TLSMemoryBIOProtocol | None:  # type: ignore[override]
        """Return the protocol with its TLS, or None: the connection is closed at once."""
        assert addr is not None
        wrapped = self.wrappedFactory.buildProtocol(addr)
        return None if wrapped is None else TLSMemoryBIOProtocol(self, wrapped)


@implementer(IStreamServerEndpoint)
@define(eq=False)
class TLSEndpoint:
    """An endpoint that speaks TLS over another one."""

    below: IStreamServerEndpoint
    certificates: Certificates
    reactor: Any

    def listen(self, protocolFactory: IProtocolFactory) -> Deferred[IListeningPort]:  # noqa: N803 (the interface's)
        """Listen."""
        return self.below.listen(TLSFactory(self.certificates, False, protocolFactory, clock=self.reactor))  # noqa: FBT003 (not a client)


def server_endpoint(reactor: Any, text: str) -> IStreamServerEndpoint:
    """Return the endpoint that a string names. Raises ValueError, TypeError, LookupError, OSError."""
    kind, _, rest = text.partition(":")
    try:
        if kind == "ssl":
            return _ssl(reactor, rest)
        if kind == "tls":
            return _tls(reactor, text)
    except (SSLError, CryptoError) as error:
        # OpenSSL's own errors say little and are no ValueErrors.
        raise ValueError(f"the key or the certificate cannot be used: {error}") from error
    endpoint: IStreamServerEndpoint = serverFromString(reactor, text)
    return endpoint


def _ssl(reactor: Any, text: str) -> TLSEndpoint:
    port, *pairs = [part.replace("\\:", ":").replace("\\\\", "\\") for part in _COLON.split(text)]
    named = dict(pair.partition("=")[::2] for pair in pairs)
    unknown = sorted(set(named) - set(_KEYS))
    if unknown:
        raise ValueError(f"ssl: has no {unknown[0]}; it has {', '.join(_KEYS)}")
    key = Path(named.get("privateKey", "server.pem"))
    files = [
        key,
        Path(named.get("certKey", key)),
        *([Path(named["extraCertChain"])] if "extraCertChain" in named else []),
    ]
    interface, backlog = named.get("interface", ""), int(named.get("backlog", "50"))
    endpoint = TCP6ServerEndpoint if ":" in interface else TCP4ServerEndpoint
    below = endpoint(reactor, int(port), backlog, interface)
    return TLSEndpoint(below, Certificates(lambda: pinned(*files)), reactor)


def pinned(key: Path, certificate: Path, *chain: Path) -> Pinned:
    """Return what is in PEM files. Raises OSError, ValueError, and OpenSSL's errors."""
    certificates = [
        Certificate.loadPEM(found.decode()).original
        for file in (certificate, *chain)
        for found in _PEM.findall(file.read_bytes())
    ]
    if not certificates:
        raise ValueError(f"there is no certificate in {certificate}")
    private = KeyPair.load(key.read_bytes(), 1).original
    options = CertificateOptions(privateKey=private, certificate=certificates[0], extraCertChain=certificates[1:])
    # Made now, so that a key that does not fit is told now.
    options.getContext()
    return Pinned(options)


def _tls(reactor: Any, text: str) -> TLSEndpoint:
    folder = Path(_COLON.split(text)[1].replace("\\:", ":"))

    def read() -> Any:
        if not any(folder.rglob("*.pem")):
            raise ValueError(f"there is no *.pem in {folder}")
        made: Any = serverFromString(reactor, text)
        creator = made.connectionCreator
        # Twisted reads the directory at once, and makes the context with the first connection: rather now.
        creator.defaultContext  # noqa: B018 (it is a cached property)
        return creator

    below: Any = serverFromString(reactor, text)
    return TLSEndpoint(below.endpoint, Certificates(read), reactor)
