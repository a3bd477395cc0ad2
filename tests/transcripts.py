"""Recorded sessions of original programs: one text file a session, which keeps every byte (see tests/README.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

_LINE = re.compile(r" *(\d+\.\d+)  (c\d\d) (---|\w>\w) (.*)")


@frozen
class Line:
    """A line of a transcript: what happened on a connection, and when."""

    time: float

    connection: str
    """c01, c02, ..., by the time of the connection."""

    way: str
    """The first letters of who sent and who received, such as c>s; or --- for what happened to the connection."""

    data: bytes
    """What was sent; empty if it was nothing."""

    what: str
    """What else happened: EOF, an error, or that the connection was made or lost; empty if something was sent."""


def names(folder: Path) -> list[str]:
    """Return the names of the sessions in a folder."""
    return sorted(path.stem for path in folder.glob("*.log"))


def lines(folder: Path, name: str) -> Iterator[Line]:
    """Yield the events of a session in chronological order. Lines that begin with # are notes."""
    for text in (folder / f"{name}.log").read_text().splitlines():
        if text.startswith("#"):
            continue
        found = _LINE.fullmatch(text)
        assert found is not None, text
        time, connection, way, what = found.groups()
        is_sent = what.startswith("b")
        yield Line(float(time), connection, way, ast.literal_eval(what) if is_sent else b"", "" if is_sent else what)


def streams(folder: Path, name: str) -> dict[tuple[str, str], bytes]:
    """Return all bytes of a session, by connection and direction."""
    parts: dict[tuple[str, str], list[bytes]] = {}
    for line in lines(folder, name):
        parts.setdefault((line.connection, line.way), []).append(line.data)
    return {key: b"".join(sent) for key, sent in parts.items()}
