"""TLS listeners whose certificates can be reloaded without dropping a connection.

Source: docs/howto/install.md#tls. Two of Twisted's endpoint strings are handled here:
`ssl:PORT:privateKey=FILE:certKey=FILE` (the certificate's file may also contain its chain, as `fullchain.pem` does) and
`tls:DIRECTORY:PORT` (all *.pem in a directory, chosen by the server name that the client asks for).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from attrs import define, field
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from OpenSSL.crypto import X509, PKey
from OpenSSL.crypto import Error as CryptoError
from OpenSSL.SSL import NO_OVERLAPPING_PROTOCOLS, Connection
from OpenSSL.SSL import Error as SSLError
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ServerEndpoint, TCP6ServerEndpoint, serverFromString
from twisted.internet.error import TimeoutError  # noqa: A004 (Twisted's own)
from twisted.internet.interfaces import (
    IAddress,
    IDelayedCall,
    IListeningPort,
    IOpenSSLServerConnectionCreator,
    IProtocolFactory,
    IReactorTime,
    IStreamServerEndpoint,
)
from twisted.internet.ssl import CertificateOptions
from twisted.protocols.tls import TLSMemoryBIOFactory, TLSMemoryBIOProtocol
from twisted.python.failure import Failure
from zope.interface import implementer

from gamed.core.errors import ConfigError
from gamed.net import strings
from gamed.net.limits import ConnectionLimits

HANDSHAKE: Final = 10.0
"""Seconds that a client has for its TLS handshake."""

HTTP: Final = b"http/1.1"
"""The protocol that is agreed on (ALPN) if the client offers it, as browsers do: the web listener speaks no other one.
The games' protocols have no such name; clients of theirs that offer something get no answer to it.
"""

_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----\n.+?\n-----END CERTIFICATE-----", re.DOTALL)
_KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----\n.+?\n-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)
_COLON = re.compile(r"(?<!\\):")
_KEYS = ("privateKey", "certKey", "extraCertChain", "interface", "backlog")


@implementer(IOpenSSLServerConnectionCreator)
@define(eq=False)
class Chosen:
    """Certificates with their chains, chosen by the server name that a client asks for (SNI)."""

    by_name: Mapping[str, CertificateOptions]
    """The first one is for all other names."""

    begins: datetime
    """When the last one of them becomes valid."""

    expires: datetime
    """When the first one of them expires."""

    keys: Sequence[Path] = ()
    """The files of their keys."""

    def __attrs_post_init__(self) -> None:
        for options in self.by_name.values():
            # The context is made now, so that a key that does not match raises its error now.
            context = options.getContext()
            context.set_tlsext_servername_callback(self._choose)
            # Twisted's own callback looks for the protocol's factory, and fails the handshake if it agrees on nothing.
            context.set_alpn_select_callback(_agreed)

    def _choose(self, connection: Connection) -> None:
        name = (connection.get_servername() or b"").decode("ascii", "replace").lower()
        options = self.by_name.get(name) or self.by_name.get(f"*.{name.partition('.')[2]}")
        if options is not None:
            connection.set_context(options.getContext())

    def serverConnectionForTLS(self, _protocol: TLSMemoryBIOProtocol) -> Connection:
        """Return the OpenSSL side of a new connection."""
        return Connection(next(iter(self.by_name.values())).getContext(), None)


def _agreed(_connection: Connection, offered: list[bytes]) -> Any:
    return HTTP if HTTP in offered else NO_OVERLAPPING_PROTOCOLS


def failed_handshake(reason: Failure) -> str | None:
    """Return why a connection's TLS handshake failed; None if the connection was lost for another reason."""
    error = reason.value
    return _said(error) if isinstance(error, (SSLError, TimeoutError)) else None


def refuse_handshake(limits: ConnectionLimits, address: str, reason: Failure) -> None:
    """Log why the TLS handshake of a lost connection failed, if it did. Peers of games have refusals instead."""
    failed = failed_handshake(reason)
    if failed is not None:
        text = "refused no-tls: listener={listener} address={address}: the TLS handshake failed: {reason}"
        limits.series.warn(address, text, reason=failed)


@implementer(IOpenSSLServerConnectionCreator)
@define(eq=False)
class Certificates:
    """The certificates for new connections. Existing connections keep the ones that they have."""

    read: Callable[[], Chosen]
    """Reads the files."""

    current: Chosen = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.current = self.read()

    def reload(self) -> None:
        """Read the files again, for new connections. Raises ConfigError and changes nothing if they cannot be used."""
        try:
            self.current = self.read()
        except (OSError, ValueError, TypeError, SSLError, CryptoError) as error:
            raise ConfigError(f"the certificates stay as they were: {_said(error)}") from error

    @property
    def expires(self) -> datetime:
        """When the first one of them expires."""
        return self.current.expires

    def serverConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> Connection:
        """Return the OpenSSL side of a new connection."""
        return self.current.serverConnectionForTLS(protocol)


class TLSProtocol(TLSMemoryBIOProtocol):
    """TLS on a connection, with a time limit for the handshake.

    A client that speaks plain TCP may wait for our first message, as we wait for its handshake.
    """

    limit: IDelayedCall | None = None
    """The timer of the handshake."""

    def expect(self, clock: IReactorTime) -> TLSProtocol:
        """Give the peer `HANDSHAKE` seconds from now."""
        self.limit = clock.callLater(HANDSHAKE, self._too_late)
        return self

    def _too_late(self) -> None:
        # The call refers to this object, so both would be in a reference cycle.
        self.limit = None
        # `get_peer_finished` returns None until the peer has completed its handshake.
        connection: Connection | None = self.getHandle()  # type: ignore[no-untyped-call]
        if connection is not None and connection.get_peer_finished() is None:
            late = TimeoutError("the TLS handshake took too long")
            self.failVerification(Failure(late))  # type: ignore[no-untyped-call]

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]
        """Cancel the time limit."""
        if self.limit is not None:
            self.limit.cancel()
            self.limit = None
        super().connectionLost(reason)  # type: ignore[no-untyped-call]


class TLSFactory(TLSMemoryBIOFactory):
    """Twisted's factory for TLS, which may also refuse: Twisted's logs a traceback if the wrapped one returns None."""

    def __init__(self, certificates: Certificates, wrapped: IProtocolFactory, clock: Any) -> None:
        super().__init__(certificates, False, wrapped, clock=clock)  # noqa: FBT003 (not a client)
        self.clock = clock

    def buildProtocol(self, addr: IAddress | None) -> TLSMemoryBIOProtocol | None:  # type: ignore[override]
        """Return the TLS protocol, or None if the wrapped factory refuses the connection, which is then closed."""
        assert addr is not None
        wrapped = self.wrappedFactory.buildProtocol(addr)
        if wrapped is None:
            return None
        made = TLSProtocol(self, wrapped)  # type: ignore[no-untyped-call]
        return made.expect(self.clock)


@implementer(IStreamServerEndpoint)
@define(eq=False)
class TLSEndpoint:
    """An endpoint that speaks TLS over another one."""

    below: IStreamServerEndpoint
    certificates: Certificates
    reactor: Any

    def listen(self, protocolFactory: IProtocolFactory) -> Deferred[IListeningPort]:  # noqa: N803 (the interface's)
        """Listen."""
        return self.below.listen(TLSFactory(self.certificates, protocolFactory, self.reactor))


def server_endpoint(reactor: Any, text: str) -> IStreamServerEndpoint:
    """Return the endpoint that a string describes. Raises ValueError, TypeError, LookupError, OSError."""
    kind = text.partition(":")[0]
    strings.check(text)
    text = strings.with_backlog(text)
    try:
        if kind == "ssl":
            return _ssl(reactor, text.removeprefix("ssl:"))
        if kind == "tls":
            return _tls(reactor, text)
    except (SSLError, CryptoError) as error:
        raise ValueError(f"the key or the certificate cannot be used: {_said(error)}") from error
    endpoint: IStreamServerEndpoint = serverFromString(reactor, text)
    return endpoint


def _said(error: Exception) -> str:
    """Return the text of an OpenSSL error, whose arguments are tuples of library, function and reason."""
    reasons = [part[-1] for part in error.args[0]] if error.args and isinstance(error.args[0], list) else []
    return ", ".join(reasons) or str(error) or type(error).__name__


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
    interface, backlog = named.get("interface", ""), int(named["backlog"])
    endpoint = TCP6ServerEndpoint if ":" in interface else TCP4ServerEndpoint
    below = endpoint(reactor, int(port), backlog, interface)
    return TLSEndpoint(below, Certificates(lambda: pinned(*files)), reactor)


def pinned(key: Path, certificate: Path, *chain: Path) -> Chosen:
    """Return the key and certificates of PEM files. Raises OSError, ValueError, and OpenSSL's errors."""
    certificates = [found for file in (certificate, *chain) for found in _certificates(file)]
    if not certificates:
        raise ValueError(f"there is no certificate in {certificate}")
    keys = _keys(key)
    if not keys:
        raise ValueError(f"there is no key in {key}")
    first = certificates[0]
    return Chosen(
        {"": _options(keys[0], certificates)}, first.not_valid_before_utc, first.not_valid_after_utc, keys=[key]
    )


def named(folder: Path) -> Chosen:
    """Return the keys and certificates of all *.pem in a directory, by the certificates' names.

    Keys and certificates may be in the same file or not. If two certificates have the same name, the newer one is used.
    Raises OSError, ValueError, and OpenSSL's errors; ValueError also if a certificate has no key, or a key no
    certificate.
    """
    files = sorted(folder.rglob("*.pem"))
    known = [certificate for file in files for certificate in _certificates(file)]
    keys = {_public(key): key for file in files for key in _keys(file)}
    with_keys = [file for file in files if _keys(file)]
    authorities = {certificate.subject: certificate for certificate in known if _is_authority(certificate)}
    by_name: dict[str, CertificateOptions] = {}
    used: dict[bytes, x509.Certificate] = {}
    for certificate in sorted(known, key=lambda each: each.not_valid_before_utc):
        public = _public(certificate)
        if public in keys:
            options = _options(keys[public], [certificate, *_chain(certificate, authorities)])
            by_name |= dict.fromkeys(_names(certificate), options)
            used[public] = certificate
        elif not _is_authority(certificate):
            raise ValueError(f"there is no key in {folder} for the certificate of {', '.join(_names(certificate))}")
    if len(used) < len(keys):
        raise ValueError(f"there is a key in {folder} without a certificate")
    if not by_name:
        raise ValueError(f"there is no certificate with its key in the *.pem of {folder}")
    begins = max(each.not_valid_before_utc for each in used.values())
    return Chosen(by_name, begins, min(each.not_valid_after_utc for each in used.values()), with_keys)


def _certificates(file: Path) -> list[x509.Certificate]:
    return _loaded(file, _PEM, x509.load_pem_x509_certificate)


def _keys(file: Path) -> list[Any]:
    return _loaded(file, _KEY, lambda pem: load_pem_private_key(pem, None))


def _loaded(file: Path, kind: re.Pattern[bytes], load: Callable[[bytes], Any]) -> list[Any]:
    try:
        return [load(pem) for pem in kind.findall(file.read_bytes())]
    except (ValueError, TypeError) as error:
        raise ValueError(f"{file} has a key or a certificate that cannot be used: {error}") from error


def _public(owner: Any) -> bytes:
    key: bytes = owner.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return key


def _options(key: Any, certificates: Sequence[x509.Certificate]) -> CertificateOptions:
    first, *rest = map(X509.from_cryptography, certificates)
    return CertificateOptions(privateKey=PKey.from_cryptography_key(key), certificate=first, extraCertChain=rest)


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return [certificate.subject.rfc4514_string()]
    return [name.lower() for name in names.get_values_for_type(x509.DNSName)]


def _is_authority(certificate: x509.Certificate) -> bool:
    try:
        return bool(certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca)
    except x509.ExtensionNotFound:
        return False


def _chain(certificate: x509.Certificate, authorities: Mapping[x509.Name, x509.Certificate]) -> list[x509.Certificate]:
    chain: list[x509.Certificate] = []
    issuer = authorities.get(certificate.issuer)
    while issuer is not None and issuer not in chain and issuer.subject != issuer.issuer:
        chain.append(issuer)
        issuer = authorities.get(issuer.issuer)
    return chain


def _tls(reactor: Any, text: str) -> TLSEndpoint:
    folder = Path(_COLON.split(text)[1].replace("\\:", ":"))
    below: Any = serverFromString(reactor, text)
    return TLSEndpoint(below.endpoint, Certificates(lambda: named(folder)), reactor)
