"""The phases of a client, and the messages that it may send and receive in each of them, as one table.

`follower.py` uses this table, and the diagram in the docs is drawn from it. The phases ATTACK and DEFENCE of the
protocol's text are two phases each here (before and after the first of their two messages), and so is its
INITIALIZATION (before and after the role is known).

Source: docs/reference/battleship.md#states-of-a-client, docs/topics/design.md#habits.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from gamed.games.battleship.wire import Code, Command, Opcode


class Phase(StrEnum):
    """The state of a client, from its own point of view."""

    INITIALIZATION = "initialization"
    TOLD_TO_DEFEND = "told to defend"
    TOLD_TO_ATTACK = "told to attack"
    ATTACK = "attack"
    AWAIT = "await answer"
    DEFENCE = "defence"
    ANSWER = "answer"
    WON = "won"
    LOST = "lost"


class Way(StrEnum):
    """The direction of a message, from the client's point of view."""

    RECEIVES = "receives"
    SENDS = "sends"


class Message(StrEnum):
    """The messages, as far as the next phase depends on them."""

    SHOT = "(1,[X,Y])."
    ANSWER = "(2,[X,Y,1..3])."
    LAST_ANSWER = "(2,[X,Y,4])."
    DEFEND_FIRST = "(3,[])."
    ATTACK_FIRST = "(4,[])."
    START = "(5,[])."


class Row(NamedTuple):
    """In `phase`, a client that receives or sends `message` changes to `then`."""

    phase: Phase
    way: Way
    message: Message
    then: Phase


TABLE: Final = (
    Row(Phase.INITIALIZATION, Way.RECEIVES, Message.DEFEND_FIRST, Phase.TOLD_TO_DEFEND),
    Row(Phase.INITIALIZATION, Way.RECEIVES, Message.ATTACK_FIRST, Phase.TOLD_TO_ATTACK),
    Row(Phase.TOLD_TO_DEFEND, Way.RECEIVES, Message.START, Phase.DEFENCE),
    Row(Phase.TOLD_TO_ATTACK, Way.RECEIVES, Message.START, Phase.ATTACK),
    Row(Phase.ATTACK, Way.SENDS, Message.SHOT, Phase.AWAIT),
    Row(Phase.AWAIT, Way.RECEIVES, Message.ANSWER, Phase.DEFENCE),
    Row(Phase.AWAIT, Way.RECEIVES, Message.LAST_ANSWER, Phase.WON),
    Row(Phase.DEFENCE, Way.RECEIVES, Message.SHOT, Phase.ANSWER),
    Row(Phase.ANSWER, Way.SENDS, Message.ANSWER, Phase.ATTACK),
    Row(Phase.ANSWER, Way.SENDS, Message.LAST_ANSWER, Phase.LOST),
)
"""All permitted messages. Any other message is an error of its sender."""

_THEN: Final = {(row.phase, row.way, row.message): row.then for row in TABLE}

_BY_OPCODE: Final = {
    Opcode.ATTACK: Message.SHOT,
    Opcode.ANSWER: Message.ANSWER,
    Opcode.DEFEND_FIRST: Message.DEFEND_FIRST,
    Opcode.ATTACK_FIRST: Message.ATTACK_FIRST,
    Opcode.START: Message.START,
}


def message(command: Command) -> Message:
    """Return which message a command is, without a check of its numbers."""
    if command.opcode == Opcode.ANSWER and command.numbers[2:] == (Code.LAST_SUNK,):
        return Message.LAST_ANSWER
    return _BY_OPCODE[Opcode(command.opcode)]


def after(phase: Phase, way: Way, command: Command) -> Phase | None:
    """Return the phase after a command, or None if the command is not permitted in this phase."""
    return _THEN.get((phase, way, message(command)))


def diagram() -> str:
    """Return the table as a Mermaid state diagram."""
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in _diagram())])


def _diagram() -> Iterator[str]:
    yield from (f'state "{phase}" as {phase.name}' for phase in Phase)
    yield f"[*] --> {TABLE[0].phase.name}"
    yield from (f"{row.phase.name} --> {row.then.name} : {row.way} {row.message}" for row in TABLE)
    leavable = {row.phase for row in TABLE}
    yield from (f"{phase.name} --> [*]" for phase in Phase if phase not in leavable)
