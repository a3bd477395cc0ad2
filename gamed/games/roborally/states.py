"""Where a game stands, seen from its peers: one table, from which the diagram in the docs is drawn.

Source: docs/specs/roborally.md#3-the-manager, docs/reference/roborally.md#states, docs/topics/design.md#habits. The
rules know the stages of a turn (`rules.state.Stage`); each belongs to a status here, and `table.py` goes from one
status to another by this table and by nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from gamed.games.roborally.rules.state import Stage


class Status(StrEnum):
    """Where a game stands."""

    LOBBY = "lobby"
    """Players and channels register."""
    STARTING = "starting"
    """NTS to all, then MNR to each player."""
    PROGRAM = "programming"
    """MRP to all active robots' players at the same time."""
    PHASE = "register phases 1 to 5"
    """Nobody but the channels is asked."""
    CLEANUP = "clean-up"
    """MRR, MBD, MNR and MRR again."""
    ENDED = "ended"
    """Queries are answered for some time yet."""
    CLOSED = "closed"
    """All connections are closed."""


class Row(NamedTuple):
    """From one status to the next, and when."""

    status: Status
    occasion: str
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
"""All that may happen, but for a game that an operator or the daemon stops: that leads to CLOSED from everywhere."""

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
    """Return the new status. Raises AssertionError where the table has no such row: a defect of ours."""
    if status is not then and (status, then) not in _POSSIBLE:
        raise AssertionError(f"no way leads from {status.name} to {then.name}")
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
