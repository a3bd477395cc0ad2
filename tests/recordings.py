"""The recorded sessions of the original Battleship programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

DIRECTORY = Path(__file__).parent / "games" / "battleship" / "recorded"


class Turn(NamedTuple):
    """One segment: connection 1 or 2, whether it came from the client, its bytes."""

    connection: int
    from_client: bool
    data: bytes


def names() -> list[str]:
    """Return the recordings' names."""
    return sorted(path.stem for path in DIRECTORY.glob("*.jsonl"))


def turns(name: str) -> list[Turn]:
    """Return a recording's segments in order."""
    found = []
    for line in (DIRECTORY / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["ev"] == "data":
            data = bytes.fromhex(event["hex"]) if "hex" in event else event["txt"].encode()
            found.append(Turn(event["conn"], event["dir"] == "C>S", data))
    return found


def received(name: str, connection: int) -> bytes:
    """Return all that a connection received in a recording."""
    return b"".join(turn.data for turn in turns(name) if turn.connection == connection and not turn.from_client)


def defender(name: str) -> int:
    """Return the connection that was told to defend first."""
    return 1 if received(name, 1).startswith(b"(3,[]).") else 2
