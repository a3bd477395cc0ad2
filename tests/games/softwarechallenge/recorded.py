"""What the official server and its clients said to each other, byte for byte.

Source: docs/specs/software-challenge.md#recorded-data. Each file of `transcripts` is a scenario.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from attrs import frozen

from tests import transcripts

TRANSCRIPTS = Path(__file__).parent / "transcripts"


@frozen
class Recording:
    """One connection. `name`: scenario and number; `said` and `heard`: the client's bytes and the server's."""

    name: str
    said: bytes
    heard: bytes


def scenarios() -> list[str]:
    """Return the names of all scenarios."""
    return transcripts.names(TRANSCRIPTS)


@cache
def connections(scenario: str) -> dict[int, Recording]:
    """Return all connections of a scenario by their numbers, which begin with 1."""
    streams = transcripts.streams(TRANSCRIPTS, scenario)
    numbers = sorted({int(connection.removeprefix("c")) for connection, _ in streams})
    return {
        number: Recording(
            f"{scenario[:2]} conn{number}",
            *(streams.get((f"c{number:02}", way), b"") for way in ("c>s", "s>c")),
        )
        for number in numbers
    }


def recordings() -> Iterator[Recording]:
    """Yield all connections of all scenarios."""
    for scenario in scenarios():
        yield from connections(scenario).values()
