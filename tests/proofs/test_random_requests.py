"""Random requests and messages at all listeners of a daemon, for half an hour: no traceback, and others are answered.

PROVE=short: twenty seconds. The seed is printed; `SEED=n` makes the same things be sent again, as far as the daemon's
answers are the same.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
import urllib.request
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import Daemon, free_port
from tests.proofs import amount, raise_descriptors, skip  # noqa: F401 (trial looks for `skip`)
from tests.proofs.fuzzing import SHORT, Console, Web, Wires
from tests.proofs.guests import running_all

SECONDS: Final = amount(28 * 60, 20)
PAUSE: Final = 0.002
"""Seconds between two messages. This is not a flood; floods have their own proofs."""

PATIENCE: Final = 10.0
"""Seconds within which an honest request is answered; the machine may have other things to do."""

MIB: Final = 1 << 20
GROWTH: Final = 150 * MIB
"""Bytes by which the daemon may grow: sessions, records held open, games that run, and arenas of Python's allocator."""

PASSWORD: Final = "x"


@define(eq=False)
class Honest:
    """A visitor that looks, plays a little against a program and leaves, again and again."""

    port: int
    slowest: float = 0.0
    answers: int = 0
    failures: list[str] = field(factory=list)
    is_over: bool = False

    def run(self) -> None:
        """Go on until it is over."""
        while not self.is_over:
            try:
                self._visit()
            except Exception as error:  # noqa: BLE001 (the test says so)
                self.failures.append(repr(error))
            time.sleep(0.2)

    def _visit(self) -> None:
        answer, cookies = self._ask("GET", "session", {})
        jar = SimpleCookie(cookies)
        headers = {"Cookie": "; ".join(f"{name}={value.value}" for name, value in jar.items())}
        headers["X-Gamed-Token"] = answer["token"]
        self._ask("GET", "rooms", headers)
        self._ask("GET", "records?limit=5", headers)
        seat, _ = self._ask("POST", "seats", headers, {"game": "battleship", "name": "Honest", "bots": ["open-list"]})
        path = f"seats/{seat['id']}"
        self._ask("GET", path, headers)
        self._ask("POST", f"{path}/act", headers, {"do": "ready"})
        self._ask("DELETE", path, headers)

    def _ask(self, method: str, path: str, headers: dict[str, str], body: Any = None) -> tuple[Any, str]:
        data = None if body is None else json.dumps(body).encode()
        given = headers | ({} if data is None else {"Content-Type": "application/json"})
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/v1/{path}", data, given, method=method)
        begun = time.monotonic()
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            found = json.loads(answer.read())
            cookies = answer.headers.get("set-cookie") or ""
        self.slowest = max(self.slowest, time.monotonic() - begun)
        self.answers += 1
        return found, cookies


def at_rest(daemon: Daemon) -> int:
    """Return the bytes that the daemon holds when no password is judged: each takes 16 MiB for a moment."""
    time.sleep(amount(3, 1))
    return daemon.resident_bytes()


class RandomRequestsTests(SynchronousTestCase):
    def setUp(self) -> None:
        raise_descriptors(self)

    def test_no_traceback_and_others_are_answered(self) -> None:
        seed = int(os.environ.get("SEED") or random.randrange(10**6))
        ports = {name: free_port() for name in ("telnet", "ssh", "web")}
        more = f'[console]\ntelnet = "tcp:{ports["telnet"]}:interface=127.0.0.1"\n'
        more += f'ssh = "tcp:{ports["ssh"]}:interface=127.0.0.1"\npassword = "{PASSWORD}"\n'
        more += f'[web]\nendpoint = "tcp:{ports["web"]}:interface=127.0.0.1"\n'
        with running_all(Path(self.mktemp()), None, more) as (daemon, wires):
            made = [
                Web(ports["web"], random.Random(seed), PASSWORD),
                Wires(wires, random.Random(seed + 1)),
                Console(ports["telnet"], ports["ssh"], random.Random(seed + 2), PASSWORD),
            ]
            honest = Honest(ports["web"])
            thread = threading.Thread(target=honest.run, daemon=True)
            thread.start()
            for one in made:
                self.addCleanup(one.end)
            chance, counts = random.Random(seed + 3), [0, 0, 0]
            held, begun = [], time.monotonic()
            while (spent := time.monotonic() - begun) < SECONDS:
                (which,) = chance.choices((0, 1, 2), (4, 12, 1))
                made[which].act()
                counts[which] += 1
                # The first time counts when all is loaded and used once.
                if spent > (len(held) + 1) * SECONDS / 5:
                    held.append(at_rest(daemon))
                time.sleep(PAUSE)
            held.append(at_rest(daemon))
            honest.is_over = True
            thread.join(10 * PATIENCE)
            told = f"seed {seed}: {counts} things, statuses {dict(sorted(made[0].statuses.items()))}"
            told += f", {made[1].ended} players; honest: {honest.answers} answers, slowest {honest.slowest:.2f} s"
            print(f"\n{told}; it held {', '.join(f'{each / MIB:.0f}' for each in held)} MiB")
            # All listeners are still there.
            for port in (*ports.values(), *wires.values()):
                made[0].port = port
                made[0].send(b"\n", "127.66.2.1", SHORT)
        self.assertEqual(daemon.unexpected(), [], told)
        self.assertEqual(honest.failures, [], told)
        self.assertGreater(honest.answers, SECONDS, told)
        self.assertLess(held[-1] - held[0], GROWTH, told)
        self.assertNotIn(500, made[0].statuses, told)
        self.assertTrue({200, 400, 403, 404} <= made[0].statuses.keys(), told)
