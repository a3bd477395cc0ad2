"""Real worlds of Racket's 2htdp/universe, one process each, on a virtual display.

`quoridor_world.rkt` describes the commands that a world accepts, and its output.

Source: docs/specs/quoridor.md#what-a-world-does.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from twisted.internet import defer, reactor
from twisted.internet.defer import Deferred, DeferredQueue
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure
from twisted.trial.unittest import TestCase

PROGRAM = Path(__file__).with_name("quoridor_world.rkt")
XVFB = ("Xvfb", "-displayfd", "1", "-screen", "0", "640x480x8", "-nolisten", "tcp", "-noreset")
PATIENCE = 60.0
"""Seconds until a line that is waited for counts as missing. Racket's start takes two to five."""


class Program(ProcessProtocol):
    """A process whose output is awaited line by line. It is killed at the end of the test."""

    def __init__(self, test: TestCase, *command: str, **environment: str) -> None:
        self.held = b""
        self.errors = b""
        self.seen: list[str] = []
        self.lines: DeferredQueue[str] = DeferredQueue()
        self.ended: Deferred[None] = Deferred()
        executable = shutil.which(command[0])
        assert executable is not None, command
        reactor.spawnProcess(self, executable, command, {**os.environ, **environment})
        test.addCleanup(self.kill)

    def outReceived(self, data: bytes) -> None:
        *lines, self.held = (self.held + data).split(b"\n")
        for line in lines:
            self.lines.put(line.decode())

    def errReceived(self, data: bytes) -> None:
        self.errors += data

    def processEnded(self, reason: Failure) -> None:
        # Whoever waits for a line sees the end at once, and why.
        self.lines.put(f"{reason.getErrorMessage()} {self.errors.decode()}")
        self.ended.callback(None)

    async def line(self) -> str:
        """Return the next line."""
        try:
            line = await self.lines.get().addTimeout(PATIENCE, reactor)
        except defer.TimeoutError:
            raise AssertionError(f"nothing more after {self.seen[-10:]}") from None
        self.seen.append(line)
        return line

    async def prints(self, *lines: str) -> None:
        """Wait for exactly these lines."""
        for line in lines:
            before = self.seen[-10:]
            found = await self.line()
            if found != line:
                raise AssertionError(f"{found!r} instead of {line!r} after {before}")

    async def kill(self) -> None:
        """Kill the process if it still runs, and wait for its end."""
        with suppress(ProcessExitedAlready):
            self.transport.signalProcess("KILL")
        await self.ended


class World(Program):
    """A process that runs one world after the other."""

    def __init__(self, test: TestCase, display: str) -> None:
        super().__init__(test, "racket", str(PROGRAM), DISPLAY=display)

    async def join(self, port: int, *steps: str, name: str = '"Quoridor"') -> None:
        """Register with a server; `steps` is what the world will then do by itself, `name` its name as a datum."""
        self.send(f'(join "127.0.0.1" {port} {name} {" ".join(steps)})')
        await self.prints(
            "trying to register with 127.0.0.1 ...",
            "... successfully registered and ready to receive",
        )

    def send(self, *messages: str) -> None:
        """Send messages, one a tick."""
        self.transport.write("".join(f"{message}\n" for message in messages).encode())

    async def receives(self, *events: str) -> None:
        """Wait for exactly these messages."""
        await self.prints(*(f"mail {mail}" for mail in events))

    async def leave(self) -> None:
        """End the world in an orderly way."""
        self.send("(leave)")
        await self.prints("left")

    async def disappears(self) -> None:
        """Wait until the world has seen that the server closed its connection."""
        await self.prints("disappeared")


async def screen(test: TestCase) -> str:
    """Start a virtual display and return its name; skip the test if Racket is not installed, except in CI."""
    for program in ("racket", "Xvfb"):
        if shutil.which(program) is None and "CI" not in os.environ:
            test.skipTest(f"{program} is not installed (Debian: racket xvfb libgtk-3-0); CI always has it")
    return f":{await Program(test, *XVFB).line()}"


async def worlds(test: TestCase, count: int) -> list[World]:
    """Start several worlds on a new display."""
    display = await screen(test)
    return [World(test, display) for _ in range(count)]
