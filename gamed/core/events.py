"""The events between wire dialects, tables and rooms.

A dialect's `Connection` turns bytes into events, and events into bytes. A game may subclass `Event` in its own folder;
events that several games need are here. They are treated as immutable, but not frozen: creating an instance of a frozen
attrs class costs three times as much, and each line of a game creates one or two.

Source: docs/topics/design.md#central-types.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import define

from gamed.core.game import Seat
from gamed.core.refusals import Refusal


@define
class Event:
    """Something that happened between a peer and a table."""

    is_rated: ClassVar[bool] = True
    """Whether the listener's `messages_per_second` counts it when a peer sends it."""


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
    """A move in the dialect's notation."""

    body: bytes
    """The wire line without its terminator."""
