"""Honest Battleship games at an even pace in a separate process: `python -m tests.proofs.paced`.

The argument is a JSON object: `port`; `host` to come from; `pairs`, how many play at a time; `games`, how many are
prepared: all connect before "playing" is printed, so that none of them is paired with a stranger later; `period`, the
seconds from one send of a pair to its next; `apart`, whether a send is one line, and not an answer with the shot after
it. Played until standard input ends, or all games are over. Printed at last: the moment of each send, and the seconds
until the other side has read it. A send that is late because of the daemon does not wait for its turn any longer than
that: the pace is each pair's own.
"""

from __future__ import annotations

import heapq
import json
import select
import selectors
import socket
import sys
import time
from collections import deque
from collections.abc import Iterator

from attrs import define, field

from gamed.games.battleship.wire import END
from tests.proofs import raise_own_descriptors
from tests.proofs.beside import ADDRESS, Match
from tests.proofs.companion import PlayingCompanion
from tests.proofs.guests import percentile

SCRIPTS = 20
"""Different games; further ones are the same again."""


@define(eq=False)
class Pair:
    """A match, and the bytes that its reader waits for."""

    match: Match
    apart: bool
    sends: Iterator[tuple[int, bytes]] = field(init=False)
    sent_at: float = 0.0
    awaited: bytes = b""
    reader: socket.socket = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.sends = self._sends()

    def _sends(self) -> Iterator[tuple[int, bytes]]:
        for seat, lines in self.match.played.sends:
            for part in [[line] for line in lines] if self.apart else [lines]:
                yield seat, b"".join(line + b"\n" for line in part)

    def send(self) -> bool:
        """Send the next bytes; return False if nothing is left."""
        seat, data = next(self.sends, (0, b""))
        if data:
            self.reader = self.match.clients[1 - seat]
            self.awaited = data.replace(b"\n", END)
            self.sent_at = time.monotonic()
            self.match.clients[seat].sendall(data)
        return bool(data)

    def receive(self) -> bool:
        """Read. Return whether everything has come."""
        got = self.reader.recv(len(self.awaited))
        if not got or not self.awaited.startswith(got):
            raise AssertionError(f"{got!r} came, expected {self.awaited!r}")
        self.awaited = self.awaited[len(got) :]
        return not self.awaited


def main(port: int, host: str, pairs: int, games: int, period: float, *, apart: bool) -> None:  # noqa: PLR0913
    """Play as the module's docstring describes."""
    raise_own_descriptors()
    stock = deque(Pair(Match.begin(port, seed % SCRIPTS, host), apart) for seed in range(games))
    print("playing", flush=True)
    selector, moves, begun = selectors.DefaultSelector(), [], time.monotonic()
    due = [(begun + period * number / pairs, number, stock.popleft()) for number in range(pairs)]
    while (due or selector.get_map()) and not select.select([sys.stdin], [], [], 0)[0]:
        for key, _ in selector.select(max(0.0, due[0][0] - time.monotonic()) if due else 0.1):
            number, pair = key.data
            if pair.receive():
                now = time.monotonic()
                selector.unregister(key.fileobj)
                moves.append((pair.sent_at, now - pair.sent_at))
                heapq.heappush(due, (max(now, pair.sent_at + period), number, pair))
        while due and due[0][0] <= time.monotonic():
            _, number, pair = heapq.heappop(due)
            while not pair.send():
                pair.match.close()
                pair = stock.popleft()
            selector.register(pair.reader, selectors.EVENT_READ, (number, pair))
    waiting = [pair.sent_at for _, pair in (key.data for key in selector.get_map().values())]
    print(json.dumps({"moves": moves, "waiting": waiting, "ended": time.monotonic()}))


class Paced(PlayingCompanion):
    """The process that plays."""

    def __init__(self, port: int, pairs: int, games: int, period: float, *, apart: bool = False) -> None:
        options = {"port": port, "host": ADDRESS, "pairs": pairs, "games": games, "period": period, "apart": apart}
        super().__init__(__name__, options)

    def sends(self) -> dict[str, list[float]]:
        """End the games; return the seconds of the sends in each period. What has not arrived counts as it is late."""
        told = json.loads(self.finish())
        return self.by_period([*told["moves"], *((sent, told["ended"] - sent) for sent in told["waiting"])])


def p99(seconds: list[float]) -> float:
    """Return the 99th percentile, in milliseconds."""
    return 1000 * percentile(seconds, 0.99)


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
