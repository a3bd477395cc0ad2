"""Nobody loses unfairly: answers at 0.8 to 1.2 of the limit, on a machine that is busy with something else.

`python -m tests.proofs.fair_match`, in a PID namespace. Each game is one answer of Hive's first player, whose program
notes when `send` has returned. The verdicts are compared with that: both stamps are of the machine's monotonic clock.

Source: docs/topics/design.md#time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import react

from gamed.arena.entrants import Entrant
from gamed.arena.runner import Finished
from gamed.core.game import Termination
from gamed.core.history import LEFT, MOVE, History
from gamed.records.own import to_history
from gamed.store.database import Database
from tests.arena.match_trials import Match
from tests.proofs import amount

LIMIT = 400
"""Milliseconds for a move."""

LATE = 20.0
"""By how many milliseconds an answer must be late to be lost without fail."""

ROUNDED = 2.0
"""Times of records, and of the match's beginning, are whole milliseconds."""

ANSWERS = """
import random, re, socket, sys, time
host, port, code, seed = sys.argv[1:]
connection = socket.create_connection((host, int(port)))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
connection.sendall(b'<protocol><joinPrepared reservationCode="%s"/>' % code.encode())
heard = b""
while b"MoveRequest" not in heard:
    data = connection.recv(65536)
    if not data:
        sys.exit()
    heard += data
asked = time.monotonic()
x, y, z = re.search(rb'<field x="(-?[0-9]+)" y="(-?[0-9]+)" z="(-?[0-9]+)" isObstructed="false"/>', heard).groups()
room = re.search(rb'roomId="([^"]+)"', heard)[1]
move = b'<room roomId="%s"><data class="setmove"><piece owner="RED" type="BEE"/>' % room
move += b'<destination x="%s" y="%s" z="%s"/></data></room>' % (x, y, z)
time.sleep(LIMIT / 1000 * random.Random(seed).uniform(0.8, 1.2) - (time.monotonic() - asked))
connection.sendall(move)
print("[gamed] sent = %.3f" % (1000 * time.monotonic()), file=sys.stderr, flush=True)
while connection.recv(65536):
    pass
""".replace("LIMIT", str(LIMIT))


@contextmanager
def busy() -> Iterator[None]:
    """Keep all processors busy."""
    hogs = [subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    yield
    for hog in hogs:
        hog.kill()
        hog.wait()


def judge(history: History, found: dict[str, Any]) -> tuple[str, float] | None:
    """Return a verdict, and by how many milliseconds the answer was late by the program's own stamp.

    None: the program was stopped before it could write its stamp.
    """
    sent = next((number for _, number in found["numbers"].get("sent", ())), None)
    (last,) = (entry for entry in history.entries if entry.kind in (LEFT, MOVE))
    if sent is None:
        return None
    asked = found["opened"] + last.at - int(last.data["taken"])
    late = sent - asked - LIMIT
    if last.kind == LEFT:
        assert late > -ROUNDED, (history.room, "lost, and sent in time", late, last.data, found)
        return "lost", late
    allowed = LATE + int(last.data.get("gap", 0)) + ROUNDED
    assert late < allowed, (history.room, "won, and sent too late", late, last.data, found)
    return "counted", late


async def play(match: Match, games: int) -> None:
    """Play, and compare."""
    await match.begin()
    words = [sys.executable, "-I", "-S", "-c", ANSWERS, "{host}", "{port}", "{code}", "{seed}"]
    entrants = [Entrant(name, words, Path("/")) for name in ("Ann", "Bob")]
    limits = {"soft_milliseconds": LIMIT, "hard_milliseconds": LIMIT, "max_moves": 1}
    runner = await match.runner("hive", entrants, games, **limits)
    runner.concurrency = 12
    ends: Counter[Termination] = Counter()

    def look(finished: Finished) -> None:
        ends[finished.result.termination] += 1

    runner.on_finished = look
    begun = time.monotonic()
    with busy():
        await runner.play()
    spent = time.monotonic() - begun
    database = Database(f"sqlite:///{match.folder / 'gamed.db'}")
    database.thd_open(upgrades=False)
    verdicts: dict[str, list[float]] = {"lost": [], "counted": []}
    unstamped = 0
    for game in runner.results:
        history = to_history(database.thd_record(game))
        found = json.loads(database.thd_evidence(game, "")[0])
        verdict = judge(history, found)
        if verdict is None:
            unstamped += 1
        else:
            verdicts[verdict[0]].append(verdict[1])
    database.thd_close()
    await match.end()
    lost, counted = verdicts["lost"], verdicts["counted"]
    print(f"{games} games in {spent:.0f} s: {dict(ends)}; without a stamp {unstamped}")
    print(f"lost {len(lost)}, sent {min(lost):.1f} to {max(lost):.1f} ms after the limit")
    print(f"counted {len(counted)}, sent {min(counted):.1f} to {max(counted):.1f} ms after it")
    assert len(lost) + len(counted) > games * 0.9, verdicts
    assert min(len(lost), len(counted)) > games / 5, verdicts


if __name__ == "__main__":
    react(lambda reactor: Deferred.fromCoroutine(play(Match(reactor), amount(5_000, 60))))
