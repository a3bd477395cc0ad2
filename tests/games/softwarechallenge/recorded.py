"""What the official server and its clients said to each other, byte for byte.

Source: software-challenge.md D. A folder of `transcripts` is a scenario; its connections are numbered from 1.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

TRANSCRIPTS = Path(__file__).parent / "transcripts"


@frozen
class Recording:
    """One connection. `name`: scenario and number; `said` and `heard`: the client's bytes and the server's."""

    name: str
    said: bytes
    heard: bytes


def content(path: Path) -> bytes:
    """Return a file's bytes, or what is in a file of that name with .gz."""
    if path.exists():
        return path.read_bytes()
    return gzip.decompress(path.with_name(f"{path.name}.gz").read_bytes())


def scenarios() -> list[Path]:
    """Return the folders of all scenarios."""
    return sorted(TRANSCRIPTS.iterdir())


def recordings() -> Iterator[Recording]:
    """Yield all connections of all scenarios."""
    for scenario in scenarios():
        for path in sorted(scenario.glob("conn*.c2s")):
            name = f"{scenario.name[:2]} {path.stem}"
            yield Recording(name, content(path), content(path.with_suffix(".s2c")))
