"""Ten thousand Battleship rooms open in one process, in 200 of which somebody says something each 100 ms."""

from __future__ import annotations

import contextlib
import resource
import time
from collections.abc import Sequence

from tests.benchmarks.measuring import Programs
from tests.proofs.beside import Match
from tests.proofs.guests import described
from tests.proofs.paced import Paced, p99

ROOMS, ACTIVE, PERIOD = 10_000, 200, 0.1
GAMES = 8 * ACTIVE
"""Games that the active ones play one after the other; of those that have not begun, the rooms are open, too."""

SECONDS = 8.0
RESERVE = 400
"""Descriptors of the daemon, or of the clients' process, that are not those of rooms."""

LIMITS = "connections = 100000\nconnections_per_address = 100000\nconnections_per_second = 0.0"
ADDRESS = "127.0.0.10"


def rooms() -> int:
    """Return how many rooms can be open: each takes two descriptors."""
    return min(ROOMS, (resource.getrlimit(resource.RLIMIT_NOFILE)[1] - RESERVE) // 2)


def open_rooms(programs: Programs) -> Sequence[float]:
    """Return the MiB that the daemon holds with all rooms, and the milliseconds that a line takes longer at the p99."""
    with contextlib.ExitStack() as stack:
        daemon = stack.enter_context(programs.daemon(battleship=LIMITS))
        paced = Paced(daemon.port, ACTIVE, GAMES, PERIOD, apart=True)
        stack.callback(paced.kill)
        time.sleep(1.0)
        with paced.during("alone"):
            time.sleep(SECONDS)
        idle = [Match.begin(daemon.port, 0, ADDRESS) for _ in range(rooms() - GAMES)]
        stack.callback(lambda: [match.close() for match in idle])
        # In place of those whose games have ended meanwhile.
        idle += [Match.begin(daemon.port, 0, ADDRESS) for _ in range(daemon.text().count("] closed: room="))]
        time.sleep(1.0)
        with paced.during("all"):
            time.sleep(SECONDS)
        held = daemon.resident_bytes() / 2**20
        took = paced.sends()
    print(f"  {rooms()} rooms, {ACTIVE} active: {held:.0f} MiB")
    for what, seconds in took.items():
        print(described(what, seconds))
    return held, p99(took["all"]) - p99(took["alone"])
