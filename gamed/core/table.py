"""The table: a match as a pure state machine. It takes the time as `now` and returns what to do as a `Step`.

There are two kinds of tables: `gamed/core/relay.py` forwards messages unchanged and judges them afterwards, and
`gamed/core/match.py` has the common part of the tables that play by the rules.

Source: docs/topics/design.md#central-types, docs/topics/design.md#the-journal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import inf
from typing import Any, Final, Protocol, runtime_checkable

from attrs import define

from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import Outcome, Seat, Termination
from gamed.core.history import ENDED, Entry, History
from gamed.core.refusals import Refusal

OBSERVERS: Final[Seat] = -2
"""The seat number that means all observers. An event for it goes to each of them."""

# Neither class is frozen, for the reason given in events.py.


@define
class Addressed:
    """An event with its addressee: the peer on a seat, or all observers."""

    seat: Seat
    event: Event


@define
class Step:
    """What a table asks for. The entries are journalled first, then the events are delivered and the seats emptied."""

    events: tuple[Addressed, ...] = ()
    dropped: tuple[Seat, ...] = ()
    """The seats to empty."""

    wake_at: float | None = None
    """When to call `tick`; None: as before."""

    journal: tuple[Entry, ...] = ()
    review: bool = False
    """Whether there is something to review: call `review` after the events have left, until it returns False here."""

    findings: tuple[Finding, ...] = ()
    outcome: Outcome | None = None
    """Set by the step that ends a match, and by no other."""

    opened: bool = False
    """Whether another match begins in the room: the entries are its first ones."""

    closed: bool = False
    """Whether the room is closed. All its peers are released."""

    held: Entry | None = None
    """The progress of a match that waits between two entries. Only the journal gets it, for recovery: if the daemon
    stops here, its data become those of the match's end."""

    refused: tuple[tuple[Seat, Refusal], ...] = ()
    """Messages that had no effect, or cost their senders the game, with the senders' seats."""

    @property
    def is_last(self) -> bool:
        """Whether the step must be performed by itself: after it, the peers or the match may be other ones."""
        return bool(self.dropped) or self.outcome is not None or self.closed or self.held is not None

    def send(self, seat: Seat, event: Event | None) -> None:
        """Add an event, if there is one."""
        if event is not None:
            self.events += (Addressed(seat, event),)

    def refuse(self, seat: Seat, refusal: Refusal) -> None:
        """Note why a message had no effect."""
        self.refused += ((seat, refusal),)

    def join(self, later: Step) -> None:
        """Add a later step to this one, to perform both as one."""
        self.events += later.events
        self.journal += later.journal
        self.dropped += later.dropped
        self.wake_at = self.wake_at if later.wake_at is None else later.wake_at
        self.review |= later.review
        self.findings += later.findings
        self.outcome = self.outcome or later.outcome
        self.opened |= later.opened
        self.closed |= later.closed
        self.held = later.held or self.held
        self.refused += later.refused


class Judged(Protocol):
    """The referee's results of a match, for its record."""

    findings: list[Finding]
    unjudged: int | None
    """The number of the first journal entry that was not judged; None: all were."""


class Table(Protocol):
    """One match, or several one after the other."""

    outcome: Outcome | None
    """How the match has ended; None while one runs."""

    forwards: bool
    """Whether peers' messages are forwarded without limit, as a relay does.

    Then a peer that does not read pauses the others, peers that have left are kept for findings about them, and no
    clock waits for `delivered`.
    """

    @property
    def game(self) -> Any:
        """The rules."""

    @property
    def state(self) -> Any:
        """The position."""

    @property
    def match(self) -> Judged:
        """The referee's results, which the record has besides the history."""

    @property
    def free(self) -> Sequence[Seat]:
        """The seats that a new peer may take, the next one first."""

    def is_player(self, seat: Seat) -> bool:
        """Whether a seat is a player's, and not that of a program that watches by the game's own protocol."""

    @property
    def is_paused(self) -> bool:
        """Whether an operator has paused the match."""

    def join(self, name: str, now: float, seat: Seat | None = None) -> Step:
        """Seat a new peer, on the next free seat if none is given. The last seat starts the match."""

    def receive(self, seat: Seat, event: Event, now: float, arrived: float = inf) -> Step:
        """Take a peer's event. `arrived`: when it counts as arrived, for time limits; at the latest, that is now."""

    def leave(
        self, seat: Seat, why: Termination, now: float, text: str = "", *, refusal: Refusal | None = None
    ) -> Step:
        """Empty a seat because its peer has left or was removed. `text`: the reason, for the other peers.

        `refusal`: noted if the peer still had a part in the match.
        """

    def delivered(self, now: float, unsent: Collection[Seat] = ()) -> float | None:
        """Take note that the events of the last step have left. Return the new `wake_at`, if it changes.

        `unsent`: seats whose events have not left, because their peers read too slowly.
        """

    def overdue(self, now: float) -> Collection[Seat]:
        """Return the seats that `tick` would judge now for not having sent anything."""

    def tick(self, now: float) -> Step:
        """Judge the time limits."""

    def review(self) -> Step:
        """Judge some of the forwarded messages. `Step.review` tells whether there are more."""

    def observe(self) -> tuple[Event, ...]:
        """Return the events that tell a new observer of the match so far."""

    def pause(self, now: float) -> Step:
        """Pause the match. Messages that peers send meanwhile are kept."""

    def resume(self, now: float) -> Step:
        """Resume a paused match."""

    def step(self, now: float, *, forced: bool = False) -> Step:
        """Let a paused match go on by one move. `forced`: start it without the players who are missing."""

    def stop(self, why: Termination, now: float) -> Step:
        """End the match for a reason that makes nobody lose, and close the room."""

    def restore(self, entry: Entry) -> None:
        """Replay an entry of the journal, and judge it."""


@runtime_checkable
class Outlasts(Protocol):
    """A table that outlasts its match: another one may follow, or its peers may still look."""

    is_single: bool
    """Whether the room closes with the end of its first match, as a fixture's does."""


@runtime_checkable
class NamesSeats(Protocol):
    """A table that gives names to its seats. Their peers do not send any."""

    def display_name(self, seat: Seat) -> str | None:
        """Return the name of a seat, if it has one."""


@runtime_checkable
class NumbersPlayers(Protocol):
    """A table whose players have other numbers in the match, and in its record, than seats in the room."""

    numbers: dict[Seat, Seat]
    """The players' numbers by their seats; empty before the start."""


@runtime_checkable
class ShowsState(Protocol):
    """A table with a state of its own around the match, such as a vote, that everybody may know."""

    def public_state(self) -> Mapping[str, Any]:
        """Return it as JSON-ready data; numbers and names are those of the game's protocol."""


@runtime_checkable
class HasTimeLimits(Protocol):
    """A table with time limits that can be switched off for a seat."""

    def set_timed(self, seat: Seat, *, timed: bool) -> None:
        """Switch a seat's time limits on or off, beginning with the next request for a move."""


@runtime_checkable
class HasDeadlines(Protocol):
    """A table with deadlines."""

    def due_of(self, seat: Seat) -> float | None:
        """Return the time by which a seat must act, by the tables' clock; None if it has no deadline now."""


def replay(table: Table, history: History) -> Iterator[Entry]:
    """Replay a history at a new table, and yield after each entry, when the table has the position of that moment.

    Recovery, the players of records and golden playthroughs use it.
    """
    for entry in history.entries:
        table.restore(entry)
        if entry.kind == ENDED:
            table.outcome = history.outcome
        yield entry
