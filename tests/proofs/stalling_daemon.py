"""twistd with a reactor that stalls at each SIGRTMIN: `stalling_daemon.py` takes the options of twistd."""

from __future__ import annotations

import signal
import time

STALL = 0.5
"""Seconds for which the reactor stalls."""


if __name__ == "__main__":
    from twisted.scripts.twistd import run

    # A handler runs in the thread of the reactor, which does nothing else meanwhile.
    signal.signal(signal.SIGRTMIN, lambda _number, _frame: time.sleep(STALL))
    run()
