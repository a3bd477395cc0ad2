"""How texts and moments are written wherever people read them: on terminals, in logs, in records."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

UUID: Final = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The id of a room or a record, as gamed writes it."""


def printable(text: str) -> str:
    """Return a text in which each character that a terminal does not show is spelled out, as an escape sequence."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def timestamp(moment: datetime) -> str:
    """Return a moment with milliseconds: `2026-11-23T14:00:00.000Z` if it is in UTC."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
