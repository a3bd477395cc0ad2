"""A broken bot: `python broken.py FAULT GAME HOST PORT NAME CODE [MEGABYTES]`.

It stands between the daemon and a bot of gamed's own, hands on what each sends, and is broken with the bot's second
move, with its first message, or as soon as it would connect.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

FAULT, GAME, HOST, PORT, NAME, CODE = sys.argv[1:7]
MEGABYTES = int((sys.argv[7:] or ["1"])[0])
MOVES = {
    "battleship": rb"\(1,\[",
    "blokus": rb'class="sc.plugin2027.SetMove"',
    "hive": rb'class="(set|drag)move"',
    "quoridor": rb"\(move ",
    "roborally": rb"TRP\(",
}
"""In which of the bot's messages there is a move."""

OPTIONS = {
    "blokus": ["--reservation", CODE[1:]],
    "hive": ["--reservation", CODE[1:]],
    "quoridor": ["--name", NAME, "--pace", "0", "--stay", "0"],
}

ILLEGAL = {
    "battleship": (rb"\(1,\[\d,\d\]\)", b"(1,[10,0])"),
    "blokus": (rb'<position x="\d+" y="\d+"', b'<position x="9" y="20"'),
    "hive": (rb'<data class="(set|drag)move">.*</data>',
             b'<data class="setmove"><piece owner="RED" type="BEE"/><destination x="5" y="-5" z="0"/></data>'),
    "quoridor": (rb"player \S+ \S+\)", b"player 8 8)"),
    "roborally": (rb",\([\d,]*\),", b",(1,1,1,1,1,),"),
}  # fmt: skip
"""What is put in place of what in a move, so that no rule allows it."""


FIRST = {"first": b"\x16\x03\x01", "dialect": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"}
"""What is sent before, or in place of, the bot's messages: those of another protocol."""


def hang() -> None:
    """Run on, and do nothing."""
    time.sleep(999)


def deadlock() -> None:
    """Wait for a lock of one's own."""
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def burn() -> None:
    """Think for ever."""
    while True:
        pass


def flood() -> None:
    """Write a gigabyte to standard error."""
    for _ in range(MEGABYTES):
        os.write(2, b"debug: x\n" * 111_112)
    hang()


def fork_twice() -> None:
    """Leave a process behind that has left its session, and holds the connection."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            hang()
        os._exit(0)
    os.wait()
    os._exit(0)


def leave(status: int) -> None:
    """End at once."""
    os._exit(status)


def trace() -> None:
    """End by an error, which the interpreter tells."""
    try:
        print(sys.argv[99])
    except IndexError:
        sys.excepthook(*sys.exc_info())
        leave(1)


def altered(fault: str, move: bytes) -> list[bytes | float]:
    """Return what is sent in place of a move; numbers are seconds to wait."""
    return {
        "half": [move[: len(move) // 2], 999.0],
        "illegal": [re.sub(*ILLEGAL[GAME], move, flags=re.DOTALL)],
        "late": [1.3, move],
        "twice": [move, move],
        "long": [b"A" * 1_000_000 + b"\n"],
    }.get(fault, [move])


DEEDS = {
    "segfault": lambda: ctypes.string_at(0),
    "exit": lambda: leave(3),
    "traceback": trace,
    "deadlock": deadlock,
    "cpu": burn,
    "sigterm": hang,
    "stderr": flood,
    "fork": fork_twice,
}


def main() -> None:
    """Be between the daemon and a bot."""
    if FAULT == "sigterm":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    if FAULT == "absent":
        hang()
    listening = socket.create_server(("127.0.0.1", 0))
    command = [str(Path(sys.executable).parent / "gamed"), "bot", GAME, "--host", "127.0.0.1"]
    port = str(listening.getsockname()[1])
    subprocess.Popen(
        [*command, "--port", port, *OPTIONS.get(GAME, [])], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    here, _ = listening.accept()
    # What the start of the bot takes is no time of a move.
    there = unused = socket.create_connection((HOST, int(PORT)))
    if FAULT == "connects":
        there = socket.create_connection((HOST, int(PORT)))
    threading.Thread(target=hand_on, args=(here, there), daemon=True).start()
    with suppress(OSError):
        while data := there.recv(65536):
            here.sendall(data)
    # The daemon has ended the game. Its bot is ended with this program.
    hang()
    unused.close()


def hand_on(here: socket.socket, there: socket.socket) -> None:
    """Hand on what the bot sends, but for its second move."""
    there.sendall(FIRST.get(FAULT, b""))
    if FAULT == "dialect":
        hang()
    moves = 0
    while data := here.recv(65536):
        moves += re.search(MOVES[GAME], data) is not None
        if moves != 2:
            there.sendall(data)
            continue
        moves += 1
        if FAULT == "closes":
            there.shutdown(socket.SHUT_RDWR)
            hang()
        if FAULT in DEEDS:
            DEEDS[FAULT]()
        for part in altered(FAULT, data):
            if isinstance(part, float):
                time.sleep(part)
            else:
                there.sendall(part)


main()
