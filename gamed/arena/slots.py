"""Slots, seen from the runner: each runs one bot at a time, and is cleared after it.

Source: docs/topics/design.md#slots.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import define, field, frozen
from twisted.internet.defer import Deferred
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from gamed.arena import slot_program
from gamed.arena.numbers import Numbers

KEPT_BYTES: Final = 60 * 1024
"""How much of each output of a bot is kept: the last bytes."""

STANDARD_ERROR: Final = 2
MEGABYTE: Final = 1_000_000


@frozen
class Start:
    """How a bot is started."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    memory: int = 0
    """MB that each of its processes may allocate; 0: no limit."""

    cpu_seconds: int = 0
    """Processor seconds that each of its processes may take; 0: no limit."""

    processor: int | None = None
    """The number of the processor on which its processes run; None: any."""

    @property
    def limits(self) -> dict[str, int]:
        """The limits of each process, by their names in the module `resource`.

        Not `RLIMIT_AS`: node and the JVM reserve far more addresses than they use.
        """
        found = {"RLIMIT_CORE": 0}
        if self.memory:
            found["RLIMIT_DATA"] = self.memory * MEGABYTE
        if self.cpu_seconds:
            found["RLIMIT_CPU"] = self.cpu_seconds
        return found


@frozen
class Exit:
    """How a bot's first process ended."""

    status: int
    """The exit status, or minus the number of the signal."""

    cpu: float
    """Seconds."""

    memory: float
    """The most that was resident, in MB."""

    @property
    def used(self) -> dict[str, int]:
        """Processor time in milliseconds, and memory in kB."""
        return {"cpu": round(self.cpu * 1000), "memory": round(self.memory * 1000)}

    @property
    def word(self) -> dict[str, int]:
        """The data of an `ATTESTED` entry."""
        return {"status": self.status, **self.used}


@define
class Output:
    """What a bot writes to one of its outputs: the last bytes, and how many there were."""

    total: int = 0
    _parts: deque[bytes] = field(factory=deque)
    _kept: int = 0

    def add(self, data: bytes) -> None:
        """Take what has come."""
        self.total += len(data)
        self._parts.append(data)
        self._kept += len(data)
        while self._kept - len(self._parts[0]) >= KEPT_BYTES:
            self._kept -= len(self._parts.popleft())

    @property
    def text(self) -> str:
        """The last bytes as text."""
        return b"".join(self._parts)[-KEPT_BYTES:].decode(errors="replace")

    @property
    def last_line(self) -> str:
        """The last line that is not blank; "" if there is none."""
        return (self.text.rstrip().splitlines() or [""])[-1].strip()


class SlotError(Exception):
    """The program of a slot has ended."""


@define(eq=False)
class Slot(ProcessProtocol):
    """One slot: a process of ours (`slot_program.py`) that runs bots."""

    reactor: Any
    exited: Exit | None = None
    """How the present bot ended; None: it runs, or there is none."""

    outputs: tuple[Output, Output] = field(factory=lambda: (Output(), Output()))
    """Standard output and standard error of the present bot."""

    numbers: Numbers = field(factory=Numbers)
    """What the present bot has told of itself."""

    on_exit: Any = None
    """Called with an `Exit` when the present bot's first process ends."""

    is_lost: bool = False
    """Whether the slot's own program has ended."""

    ended: Deferred[None] = field(factory=Deferred)
    """Fires when it has."""

    _awaiting: list[Deferred[Exit | None]] = field(factory=list)
    """Those who wait for the end of the present bot."""

    _answers: deque[Deferred[Any]] = field(factory=deque)
    _rest: bytes = b""

    def open(self) -> None:
        """Start the slot's program."""
        program = [sys.executable, "-I", "-S", slot_program.__file__]
        self.reactor.spawnProcess(self, program[0], program, os.environ, childFDs={0: "w", 1: "r", 2: "r", 3: "r"})

    def forget(self) -> None:
        """Forget what the present bot has written so far."""
        self.outputs, self.numbers = (Output(), Output()), Numbers()

    def start(self, start: Start) -> Deferred[str]:
        """Start a bot; fire with the reason why it cannot be started, "" if it was. The slot must be clear."""
        self.exited = None
        self.forget()
        asked = {
            "command": list(start.command),
            "folder": str(start.folder),
            "environment": dict(start.environment),
            "limits": start.limits,
            "processor": start.processor,
        }
        return self._ask({"start": asked})

    def exit_within(self, seconds: float) -> Deferred[Exit | None]:
        """Fire with how the present bot ended as soon as it has; with None if it runs after this time."""
        awaiting: Deferred[Exit | None] = Deferred()
        if self.exited is not None or self.is_lost:
            awaiting.callback(self.exited)
        else:
            self._awaiting.append(awaiting)
            awaiting.addTimeout(seconds, self.reactor, lambda _failure, _seconds: None)
        return awaiting

    def clear(self) -> Deferred[int]:
        """Kill all that the bot has started; fire with the number of processes when the last one has ended."""
        return self._ask({"clear": True})

    def close(self) -> Deferred[None]:
        """End the slot, and all in it; fire when that is done."""
        if not self.is_lost:
            self._transport.closeStdin()
        return self.ended

    @property
    def _transport(self) -> Any:
        return self.transport

    def _ask(self, asked: Mapping[str, Any]) -> Deferred[Any]:
        answer: Deferred[Any] = Deferred()
        if self.is_lost:
            answer.errback(Failure(SlotError("the slot's program has ended")))
        else:
            self._answers.append(answer)
            self._transport.write(json.dumps(asked).encode() + b"\n")
        return answer

    # ProcessProtocol

    def childDataReceived(self, childFD: int, data: bytes) -> None:  # noqa: N803 (Twisted's name)
        """Take what the slot says, or what the bot writes."""
        if childFD != slot_program.EVENTS:
            self.outputs[childFD - 1].add(data)
            if childFD == STANDARD_ERROR:
                self.numbers.add(data, int(time.monotonic() * 1000))
            return
        if self.is_lost:
            # Said before it was killed, and read after everybody has learnt of its end.
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._told(json.loads(line))

    def _told(self, told: Mapping[str, Any]) -> None:
        if "exited" in told:
            self._ended(Exit(told["exited"], told["cpu"], told["memory"]))
        elif "cleared" in told:
            self._drain()
            self._answers.popleft().callback(told["cleared"])
        else:
            self._answers.popleft().callback(told.get("failed", ""))

    def _ended(self, how: Exit) -> None:
        self.exited = how
        awaiting, self._awaiting = self._awaiting, []
        for each in awaiting:
            if not each.called:
                each.callback(how)
        if self.on_exit is not None:
            self.on_exit(how)

    def _drain(self) -> None:
        """Read what is left in the pipes of a bot's outputs: the next bot uses them, too."""
        for number, output in enumerate(self.outputs, 1):
            before = -1
            while output.total > before:
                before = output.total
                self._transport.pipes[number].doRead()

    def processExited(self, _reason: Failure) -> None:
        """Take note that the slot's program has ended. Bots may still hold its pipes."""
        self.is_lost = True
        answers, self._answers = self._answers, deque()
        for answer in answers:
            answer.errback(Failure(SlotError("the slot's program has ended")))
        if self.exited is None:
            self._ended(Exit(-signal.SIGKILL, 0.0, 0.0))
        self.ended.callback(None)


def sweep(known: Iterable[int]) -> int:
    """Kill the children of this process that are not known, and return how many there were.

    They were in a slot whose program has ended, and came here because this process is a subreaper.
    """
    kept, killed = set(known), 0
    while orphans := [child for child in slot_program.children() if child not in kept]:
        for child in orphans:
            slot_program.kill(child)
            os.waitpid(child, 0)
        killed += len(orphans)
    return killed
