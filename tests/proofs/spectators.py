"""Spectators of rooms in a separate process: `spectators.py PORT COUNT ROOM…` reads until its input ends.

Prints a line when all have their first event. When its input has ended it reads on until nothing comes any more, and
prints, as JSON, how many events came and the fewest of one.
"""

from __future__ import annotations

import json
import select
import socket
import sys
import time

REQUEST = (
    "GET /api/v1/rooms/{room}/events HTTP/1.1\r\nHost: localhost\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: text/event-stream\r\nAccept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
    "Referer: http://localhost/rooms/{room}\r\nConnection: keep-alive\r\nSec-Fetch-Dest: empty\r\n"
    "Sec-Fetch-Mode: cors\r\nSec-Fetch-Site: same-origin\r\nPragma: no-cache\r\nCache-Control: no-cache\r\n\r\n"
)
QUIET = 1.0
"""Seconds without an event after which no more are expected: the watched game does not go on."""


def main(port: int, count: int, rooms: list[str]) -> None:
    """Watch."""
    events: dict[int, int] = {}
    sockets = {}
    poll = select.epoll()
    for number in range(count):
        watcher = socket.create_connection(("127.0.0.1", port))
        watcher.sendall(REQUEST.format(room=rooms[number % len(rooms)]).encode())
        watcher.setblocking(False)
        sockets[watcher.fileno()] = watcher
        events[watcher.fileno()] = 0
        poll.register(watcher.fileno(), select.EPOLLIN)
        if number % 20 == 0:
            time.sleep(0.01)
    poll.register(sys.stdin.fileno(), select.EPOLLIN | select.EPOLLHUP)
    is_told = is_over = False
    while True:
        ready = poll.poll(QUIET)
        if is_over and not ready:
            print(json.dumps({"events": sum(events.values()), "fewest": min(events.values())}))
            return
        for descriptor, _ in ready:
            if descriptor == sys.stdin.fileno():
                is_over = True
                poll.unregister(descriptor)
                continue
            data = sockets[descriptor].recv(1_000_000)
            if not data:
                raise SystemExit(f"a spectator was dropped after {events[descriptor]} events")
            events[descriptor] += data.count(b"event: scene")
        if not is_told and all(events.values()):
            is_told = True
            print("all watch", flush=True)
        # Many events are read at once, as browsers on other machines would not be in our way.
        time.sleep(0.02)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
