"""Certificates made for a test: an authority of its own, and a server's certificate signed by it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from attrs import define, field
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


@define
class Authority:
    """Signs certificates. `folder`: where they are put."""

    folder: Path
    _key: ec.EllipticCurvePrivateKey = field(factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def pem(self) -> Path:
        """The authority's own certificate."""
        return self.folder / "ca.crt"

    def __attrs_post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pem.write_bytes(self._signed("the authority", self._key, None))

    def issue(self, name: str, file: str = "server.pem") -> Path:
        """Write key and certificate for a name into one file; return it."""
        key = ec.generate_private_key(ec.SECP256R1())
        path = self.folder / file
        plain = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        path.write_bytes(plain + self._signed(name, key, name))
        return path

    def _signed(self, common: str, key: ec.EllipticCurvePrivateKey, host: str | None) -> bytes:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(_name(common))
            .issuer_name(_name("the authority"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
        )
        if host is not None:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
