"""The table: one match between seats, pure. It takes the time as `now` and returns what to do as a `Step`.

Source: docs/topics/design.md#central-types, docs/topics/design.md#the-journal. `gamed/core/relay.py` forwards, and
judges beside it; `gamed/core/match.py` is what the tables that play by the rules have in common.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from attrs import define

from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import Outcome, Seat, Termination
from gamed.core.history import ENDED, Entry, History
from gamed.core.refusals import Refusal

OBSERVERS: Final[Seat] = -2
"""The place of all who watch: an event to it goes to each of them."""

CHANNELS: Final[Seat] = 1_000_000
"""From this place in a room on, nobody plays: RoboRally's output channels.

A lobby that saw as many players takes no more.
"""

# Neither is frozen, for the reason given in events.py.


@define
class Addressed:
    """An event with its addressee: the peer on a seat, or all observers."""

    seat: Seat
    event: Event


@define
class Step:
    """What a table wants done, in this order: journal the entries, deliver the events, empty the seats.

    `wake_at`: the moment to call `tick`, None for no other than before. `review`: there is something to review now;
    call `review` after the events have left, until it says that there is not.
    `findings`: what the referee found. `outcome`: set by the step that ends a match, and by no other.
    `opened`: the entries are the first ones of another match in the same room. `closed`: the room is done with; all its
    peers are released. `held`: where a match stands that goes on by itself and waits, for the journal alone; its
    data are those with which a match ends there.
    `refused`: messages that had no effect, or cost their senders the game, with the senders' seats.
    """

    events: tuple[Addressed, ...] = ()
    dropped: tuple[Seat, ...] = ()
    wake_at: float | None = None
    journal: tuple[Entry, ...] = ()
    review: bool = False
    findings: tuple[Finding, ...] = ()
    outcome: Outcome | None = None
    opened: bool = False
    closed: bool = False
    held: Entry | None = None
    refused: tuple[tuple[Seat, Refusal], ...] = ()

    @property
    def is_last(self) -> bool:
        """Whether it must be done before the next one: after it others are there, or another match begins."""
        return bool(self.dropped) or self.outcome is not None or self.closed or self.held is not None

    def join(self, later: Step) -> None:
        """Become this step and the later one, done as one."""
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
    """A match, as its record asks for it. `unjudged`: from this journal entry on nothing was judged; None: all was."""

    findings: list[Finding]
    unjudged: int | None


class Table(Protocol):
    """One match, or several, one after the other."""

    outcome: Outcome | None
    """How the match has ended; None while one runs."""

    forwards: bool
    """Whether what a peer sends goes to others without a bound. Then a peer that does not read must stop the others."""

    arrived: float
    """When the event that `receive` is given counts as arrived. The room sets it before each call.

    Time limits are judged by it. It may be earlier than `now`; if it is later, `now` counts.
    """

    @property
    def is_next_elsewhere(self) -> bool:
        """Whether the peer that was heard last gets something before it has to say more.

        Its system is not asked to acknowledge what was read of it then: what is sent to it does that.
        """

    @property
    def game(self) -> Any:
        """The rules."""

    @property
    def state(self) -> Any:
        """Where the match stands by the rules."""

    @property
    def match(self) -> Judged:
        """What a record says of the match beside its history."""

    @property
    def free(self) -> Sequence[Seat]:
        """The seats that a newcomer may take, the next one first."""

    @property
    def is_paused(self) -> bool:
        """Whether the match is held by an operator."""

    def join(self, name: str, now: float, seat: Seat | None = None) -> Step:
        """Seat a newcomer, on the next free seat if none is named; the last one starts the match."""

    def receive(self, seat: Seat, event: Event, now: float) -> Step:
        """Take what a peer sent."""

    def leave(self, seat: Seat, why: Termination, now: float, text: str = "") -> Step:
        """Empty a seat: its peer has gone, or was thrown out. `text`: why, for those whom it concerns."""

    def delivered(self, now: float, unsent: Collection[Seat] = ()) -> float | None:
        """Take note that the events of the last step have left; return the new `wake_at`, if it moves.

        `unsent`: the seats whose events have not, because their peers read too slowly.
        """

    def overdue(self, now: float) -> Collection[Seat]:
        """Return the seats whose silence `tick` would judge now."""

    def tick(self, now: float) -> Step:
        """Judge the clock."""

    def review(self) -> Step:
        """Judge some of what was forwarded; `Step.review` says that there is more."""

    def observe(self) -> tuple[Event, ...]:
        """Return what a newcomer among the observers is told of the match so far."""

    def pause(self, now: float) -> Step:
        """Hold the match; nothing is lost of what peers send."""

    def resume(self, now: float) -> Step:
        """Let a held match go on."""

    def step(self, now: float, *, forced: bool = False) -> Step:
        """Let a held match go on by one move. `forced`: start it without those who are missing."""

    def stop(self, why: Termination, now: float) -> Step:
        """End the match for a reason that costs nobody the game, and close the room."""

    def restore(self, entry: Entry) -> None:
        """Take an entry of the journal as if it happened now, judging included."""


@runtime_checkable
class NamesSeats(Protocol):
    """What a table may have besides: names for its seats, which their peers do not tell."""

    def display_name(self, seat: Seat) -> str | None:
        """Return what a seat is called, if it has a name."""


def replay(table: Table, history: History) -> Iterator[Entry]:
    """Feed a history into a fresh table, entry by entry; after each, the table stands where the match stood.

    Recovery, the players of records and golden playthroughs all go through here.
    """
    for entry in history.entries:
        table.restore(entry)
        if entry.kind == ENDED:
            table.outcome = history.outcome
        yield entry
