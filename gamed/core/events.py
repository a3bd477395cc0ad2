"""The one vocabulary of events between wire dialects, tables and rooms.

Source: docs/topics/design.md#central-types. A dialect's `Connection` turns bytes into these and these into bytes. A
game may subclass `Event` in its own folder; what two games need moves up to this file. They are not frozen, because an
attrs class that refuses assignment costs three times as much to make, and one or two are made a line; nobody assigns to
them.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import define

from gamed.core.game import Seat
from gamed.core.refusals import Refusal


@define
class Event:
    """Something that happened between a peer and a table.

    `is_rated`: whether it counts for a listener's `messages_per_second` when a peer says it.
    """

    is_rated: ClassVar[bool] = True


@define
class Unread(Event):
    """A message that the dialect skipped because it could not read it; the connection goes on."""

    refusal: Refusal


@define
class Seated(Event):
    """The table tells a seat whether it moves first."""

    seat: Seat
    first: bool


@define
class Started(Event):
    """The table tells a seat that the game begins."""


@define
class Moved(Event):
    """A move, in the dialect's own words: `body` is the wire line without its terminator."""

    body: bytes
