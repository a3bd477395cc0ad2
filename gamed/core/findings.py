"""The referee's findings.

Source: docs/reference/records.md#gameds-own-records.
"""

from __future__ import annotations

from attrs import frozen

from gamed.core.game import Seat


@frozen
class Finding:
    """A broken rule."""

    code: str
    """Stable: lower-case words with hyphens."""

    seat: Seat
    """The player who broke the rule."""

    entry: int
    """The number of the journal entry that shows it, counted from 0."""

    text: str
    """A sentence for people."""
