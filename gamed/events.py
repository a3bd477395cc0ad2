"""The one vocabulary of events between wire dialects, tables and rooms.

Source: design.md, "Central types". A dialect's `Connection` turns bytes into these and these into bytes. A game may
subclass `Event` in its own folder; what two games need moves up to this file.
"""

from __future__ import annotations

from attrs import frozen

from gamed.game import Seat


@frozen
class Event:
    """Something that happened between a peer and a table."""


@frozen
class Seated(Event):
    """The table tells a seat whether it moves first."""

    seat: Seat
    first: bool


@frozen
class Started(Event):
    """The table tells a seat that the game begins."""


@frozen
class Moved(Event):
    """A move, in the dialect's own words: `body` is the wire line without its terminator."""

    body: bytes
