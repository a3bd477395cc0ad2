"""A plain Battleship relay with TCP_NODELAY and without TCP_QUICKACK, as a reference for gamed's relay.

Started as `python nodelay_relay.py PORT`; prints `ready` when it listens on all interfaces. Clients are paired first
come, first served; the first defends. Source: docs/reference/battleship.md#order,
docs/reference/battleship.md#line-ends, docs/reference/battleship.md#what-the-original-does-differently.
"""

from __future__ import annotations

import asyncio
import re
import socket
import sys

Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]

LAST_SHIP_SUNK = re.compile(rb"\(?2,\[\d+,\d+,4\]")


async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Relay lines from reader to writer until EOF or a code 4; in LF, CR or CRLF, out CR, never empty."""
    held = b""
    while data := await reader.read(4096):
        *lines, held = re.split(rb"[\r\n]", held + data)
        for line in filter(None, lines):
            writer.write(line + b"\r")
            if LAST_SHIP_SUNK.match(line):
                return


async def play(first: Client, second: Client) -> None:
    """Play one game: roles, start signal, lines both ways; close both when either way has ended."""
    for (_, writer), role in ((first, b"(3,[]).\r"), (second, b"(4,[]).\r")):
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        writer.write(role)
    for _, writer in (first, second):
        writer.write(b"(5,[]).\r")
    ways = [asyncio.create_task(relay(a[0], b[1])) for a, b in ((first, second), (second, first))]
    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    for way in ways:
        way.cancel()
    for _, writer in (first, second):
        writer.close()
    # Results are collected, so that a client's reset is not reported as an error of this program.
    await asyncio.gather(*ways, return_exceptions=True)


async def main(port: int) -> None:
    """Listen on `port` on all interfaces forever."""
    waiting: list[Client] = []

    async def arrived(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if waiting:
            await play(waiting.pop(), (reader, writer))
        else:
            waiting.append((reader, writer))

    async with await asyncio.start_server(arrived, port=port) as server:
        print("ready", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
