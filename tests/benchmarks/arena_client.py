"""A Battleship client that starts at once: `python -I -S arena_client.py HOST PORT fresh|kept`.

It shoots at one cell after the other, and hits the last ship of a client like it with its 67th shot. A kept one plays
game after game, until it is killed.
"""

import socket
import sys

SHIPS = ((0, 0, 5), (0, 2, 4), (0, 4, 3), (0, 6, 3), (5, 6, 2))
FLEET = {(x + part, y): number for number, (x, y, length) in enumerate(SHIPS) for part in range(length)}
CELLS = [(x, y) for y in range(10) for x in range(10)]


def play(host: str, port: int) -> None:
    """Play one game."""
    connection = socket.create_connection((host, port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    shots, left = iter(CELLS), [length for _, _, length in SHIPS]
    rest, attacks = b"", False
    while data := connection.recv(4096):
        *lines, rest = (rest + data).split(b"\r")
        for line in lines:
            opcode = line[1:2]
            answer = b""
            if opcode == b"1":
                x, y = map(int, line[4:-3].split(b","))
                ship, result = FLEET.get((x, y)), 1
                if ship is not None:
                    left[ship] -= 1
                    result = 2 if left[ship] else 3 if any(left) else 4
                answer = b"(2,[%d,%d,%d]).\n" % (x, y, result)
                if result == 4:
                    connection.sendall(answer)
                    continue
            elif opcode == b"4":
                attacks = True
                continue
            if opcode == b"1" or (opcode == b"5" and attacks):
                answer += b"(1,[%d,%d]).\n" % next(shots)
            if answer:
                connection.sendall(answer)
    connection.close()


play(sys.argv[1], int(sys.argv[2]))
while sys.argv[3] == "kept":
    play(sys.argv[1], int(sys.argv[2]))
