"""The status of a game as its peers see it, and the table of all changes from one status to another.

Source: docs/specs/roborally.md#3-the-manager, docs/reference/roborally.md#states, docs/topics/design.md#habits. Each
stage of a turn (`rules.state.Stage`) belongs to one status. `Manager` calls `went` for each change, which checks it
against `TABLE`; the diagram in the docs is drawn from the same table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from gamed.core.game import Outcome, Seat, Termination
from gamed.games.roborally.rules.state import Stage, State

STOPPED: Final[Mapping[Termination, str]] = {Termination.SHUTDOWN: "Shutdown", Termination.CANCELLED: "Cancelled"}
"""The word in REN(SO(...)) if the game is stopped before its end; for other reasons it is Error."""


def ending(state: State, by_rules: Outcome, left_by: Mapping[Seat, Termination]) -> Outcome:
    """Return how a game has ended. If a player who left or was removed leaves one robot alone, that is the cause.

    `by_rules`: the outcome that the rules know. `left_by`: why players left.
    """
    alive = sum(robot.lives > 0 for robot in state.robots)
    if state.finishers or alive > 1 or not state.removals:
        return by_rules
    why = left_by.get(state.removals[-1][-1], by_rules.termination)
    # Who has gone last of all has not won.
    return Outcome(why, None if by_rules.winner in left_by else by_rules.winner)


class Status(StrEnum):
    """The status of a game."""

    LOBBY = "lobby"
    """Players and channels register."""
    STARTING = "starting"
    """The start is announced to all (NTS), and each player chooses a facing (MNR)."""
    PROGRAM = "programming"
    """The players of active robots are asked for programs at the same time (MRP)."""
    PHASE = "register phases 1 to 5"
    """Steps are made; after each, channels are notified (NTC). Players are not asked anything."""
    CLEANUP = "clean-up"
    """The end of a turn: players are asked MRR, MBD, MNR, and MRR again."""
    ENDED = "ended"
    """Queries are still answered for the linger time."""
    CLOSED = "closed"
    """All connections are closed."""


class Row(NamedTuple):
    """A change from one status to another."""

    status: Status

    occasion: str
    """When it happens, for the diagram."""

    then: Status


TABLE: Final = (
    Row(Status.LOBBY, "all places are taken, or there are enough and the start delay is over", Status.STARTING),
    Row(Status.STARTING, "every player has answered MNR", Status.PROGRAM),
    Row(Status.STARTING, "one player is left", Status.ENDED),
    Row(Status.PROGRAM, "every program is there", Status.PHASE),
    Row(Status.PROGRAM, "one player is left", Status.ENDED),
    Row(Status.PHASE, "phase 5 is over", Status.CLEANUP),
    Row(Status.PHASE, "the last flag is reached, or one player is left", Status.ENDED),
    Row(Status.CLEANUP, "the next turn begins", Status.PROGRAM),
    Row(Status.CLEANUP, "the last turn is over, or one player is left", Status.ENDED),
    Row(Status.ENDED, "the linger time is over, or nobody is left", Status.CLOSED),
)
"""All changes, except that a game that is stopped by an operator or the daemon goes from any status to CLOSED."""

STAGES: Final[Mapping[Stage, Status]] = {
    Stage.FACING: Status.STARTING,
    Stage.DEAL: Status.PROGRAM,
    Stage.PROGRAM: Status.PROGRAM,
    **{stage: Status.PHASE for stage in Stage if Stage.REVEAL <= stage <= Stage.TOUCH},
    **{stage: Status.CLEANUP for stage in Stage if Stage.REPAIR <= stage <= Stage.POWER},
    Stage.ENDING: Status.ENDED,
    Stage.OVER: Status.ENDED,
}
"""The status of a running game, by the stage of the rules."""

_POSSIBLE: Final = {(row.status, row.then) for row in TABLE}


def went(status: Status, then: Status) -> Status:
    """Return the new status. Raises AssertionError, our own defect, if the table does not have this change."""
    if status is not then and (status, then) not in _POSSIBLE:
        raise AssertionError(f"there is no change from {status.name} to {then.name}")
    return then


def diagram() -> str:
    """Return the table as a Mermaid state diagram."""
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in _diagram())])


def _diagram() -> Iterator[str]:
    yield from (f'state "{status}" as {status.name}' for status in Status)
    yield f"[*] --> {Status.LOBBY.name}"
    yield from (f"{row.status.name} --> {row.then.name} : {row.occasion}" for row in TABLE)
    yield from (f"{status.name} --> CLOSED : stopped" for status in Status if status is not Status.CLOSED)
    yield "CLOSED --> [*]"
