"""The step that a call of the table is building, and the players whose robots are still to be removed."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import Outcome, Seat, Termination
from gamed.core.history import Entry, Value
from gamed.core.refusals import Refusal
from gamed.core.table import Addressed, Step


@define
class Leaver:
    """A player who has left, and whose robot is on the board until the channels have acknowledged the present step."""

    number: Seat
    """The player's number in the match."""

    why: Termination

    data: Mapping[str, Value]
    """The numbers behind a verdict of time, for the journal."""

    broken: tuple[str, str] | None = None
    """The code and the description of the rule that the player broke, if any."""


@define
class StepBuilder:
    """Collects what becomes a `Step`. The fields are the same as there."""

    events: list[Addressed] = field(factory=list)
    dropped: list[Seat] = field(factory=list)
    journal: list[Entry] = field(factory=list)
    findings: list[Finding] = field(factory=list)
    outcome: Outcome | None = None
    closed: bool = False
    refused: list[tuple[Seat, Refusal]] = field(factory=list)

    def send(self, seat: Seat, event: Event | None) -> None:
        """Add an event, if there is one."""
        if event is not None:
            self.events.append(Addressed(seat, event))

    def refuse(self, seat: Seat, refusal: Refusal) -> None:
        """Note why a message of a peer had no effect."""
        self.refused.append((seat, refusal))

    def step(self, wake_at: float | None, held: Entry | None) -> Step:
        """Return the finished step."""
        return Step(
            tuple(self.events),
            tuple(self.dropped),
            wake_at,
            tuple(self.journal),
            findings=tuple(self.findings),
            outcome=self.outcome,
            closed=self.closed,
            held=held,
            refused=tuple(self.refused),
        )
