"""What a call of the table has made so far of its step, and the players whose robots are still to be taken off."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from gamed.core.events import Event
from gamed.core.findings import Finding
from gamed.core.game import Outcome, Seat, Termination
from gamed.core.history import Entry, Value
from gamed.core.refusals import Refusal
from gamed.core.table import Addressed


@define
class Leaver:
    """A player who has left and stands on the board until the step that is being told is over.

    `broken`: the code and the sentence of the rule that was broken.
    """

    number: Seat
    why: Termination
    data: Mapping[str, Value]
    broken: tuple[str, str] | None = None


@define
class StepBuilder:
    """What a call of the table has made so far of its Step."""

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
