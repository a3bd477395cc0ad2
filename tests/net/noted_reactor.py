"""Run Twisted's reactor for a moment, and say whether its passes are noted as `StallClock` needs it."""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import Any

from gamed.net.stall_clock import StallClock
from gamed.net.timers import install_reactor

install_reactor()

reactor: Any = import_module("twisted.internet.reactor")
heart = StallClock(reactor, time.monotonic)
written: list[float] = []
found: list[str] = []


class Pipe:
    """A pipe that is written to while a timer runs, after the reactor's poll has found it empty."""

    def __init__(self) -> None:
        self.ends = os.pipe()

    def fileno(self) -> int:
        return self.ends[0]

    def logPrefix(self) -> str:
        return "pipe"

    def write(self) -> None:
        time.sleep(0.005)
        written.append(heart.seconds())
        written.append(heart.number)
        os.write(self.ends[1], b"x")
        time.sleep(0.005)

    def doRead(self) -> None:
        os.read(self.ends[0], 1)
        if heart.number != written[1] + 1:
            found.append("a pass is not noted once, before its poll: Twisted's main loop has changed (doIteration)")
        elif not heart.before < written[0] < heart.began:
            found.append("the pass before did not begin before what this one reads: Twisted's main loop has changed")
        else:
            found.append("noted")
        reactor.stop()

    def connectionLost(self, reason: object) -> None:
        """Nothing to do."""


pipe = Pipe()
reactor.addReader(pipe)
heart.startService()
reactor.callLater(0.01, pipe.write)
reactor.callLater(5, reactor.stop)
reactor.run()
print(*found or ["nothing was read"])
