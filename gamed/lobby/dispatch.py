"""What a room hands to the lobby: entries with the events that follow them, and ended matches."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from attrs import define, field

from gamed.core.events import Event
from gamed.core.history import Entry, History
from gamed.core.peer import Peer
from gamed.core.table import Judged

if TYPE_CHECKING:
    from gamed.lobby.room import Room


@define
class Dispatch:
    """Entries to append to the journal. When that is done, the events are delivered and then the peers are released."""

    room: Room | None = None
    """None: the events are those of a reception."""

    journal_room: str = ""
    """The id of the room's present match, which its entries have in the journal."""

    entries: tuple[Entry, ...] = ()
    events: Sequence[tuple[Peer, Event]] = ()
    released: Sequence[Peer] = ()
    """The peers that leave the room. Their reception decides what happens to them."""

    dismissed: Sequence[Peer] = ()
    """The peers that are disconnected."""

    began: float = field(factory=perf_counter)
    """When the step was made, to measure the latency."""


@define
class Ended:
    """An ended match that is to become a record."""

    history: History
    judged: Judged
    """The referee's results."""

    owners: frozenset[str] = frozenset()
    """Whose game it was: `Summary.owners`."""
