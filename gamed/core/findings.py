"""What a referee finds.

Source: docs/reference/battleship.md#the-referee; docs/reference/records.md#gameds-own-records.
"""

from __future__ import annotations

from attrs import frozen

from gamed.core.game import Seat


@frozen
class Finding:
    """A broken rule.

    `code`: stable, lower-case words with hyphens. `seat`: who broke it. `entry`: the number of the journal entry that
    shows it, counted from 0. `text`: a sentence for people.
    """

    code: str
    seat: Seat
    entry: int
    text: str
