"""Modules of the proofs that run in a process of their own, so that what they do takes no time of the test's."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping

from tests.daemon import ROOT


class Companion:
    """A module as a process: its argument is a JSON object, and it ends when its standard input ends."""

    def __init__(self, module: str, options: Mapping[str, object]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, json.dumps(options)],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            cwd=ROOT,
        )

    def expect(self, line: str = "") -> str:
        """Return the next line that it prints. Raises AssertionError, with its errors, if it is not this one."""
        said = self.process.stdout.readline().rstrip()
        if not said or (line and said != line):
            raise AssertionError(f"{said!r}, {self.process.communicate()[1]}")
        return said

    def go(self) -> None:
        """Give it the sign that it waits for."""
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def finish(self, seconds: float = 60.0) -> str:
        """End its standard input and wait; return what it has printed. Raises AssertionError if it has failed."""
        out, err = self.process.communicate(timeout=seconds)
        if self.process.returncode:
            raise AssertionError(err)
        return out

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        # Also if it has ended by itself: otherwise its pipes stay open.
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class PlayingCompanion(Companion):
    """One that plays honest games until it is finished, and the periods in which other things happened."""

    def __init__(self, module: str, options: Mapping[str, object]) -> None:
        super().__init__(module, options)
        self.times: dict[str, tuple[float, float]] = {}
        self.expect("playing")

    @contextlib.contextmanager
    def during(self, what: str) -> Iterator[None]:
        """Note the period of a with-block."""
        begun = time.monotonic()
        yield
        self.times[what] = (begun, time.monotonic())

    def by_period(self, moves: Iterable[tuple[float, float]]) -> dict[str, list[float]]:
        """Return the seconds of the moves in each period. `moves`: the moment and the seconds of each."""
        seen = [*moves]
        return {
            what: [seconds for moment, seconds in seen if begun <= moment < ended]
            for what, (begun, ended) in self.times.items()
        }
