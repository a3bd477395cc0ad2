"""Documents that the tests of the import take in: good ones, and hostile ones."""

from __future__ import annotations

import io
import zlib
from typing import Any, Final

from gamed.records.importer import Imported, check
from gamed.records.index import index
from gamed.records.record import document
from gamed.registry import game_types
from gamed.replayers import replayers
from gamed.testing.harness import Harness

GOFANS: Final = b"""<?xml version="1.0" encoding="UTF-8"?>
<game publisher="GoFans" version="2.1">
  <header>
    <title>A ko</title> <date>2026-11-21</date> <komi>6.5</komi>
    <board size="9"/>
    <players>
      <player id="0" name="Anna" color="black" points="45"/>
      <player id="1" name="Bert" color="white" points="38.5"/>
    </players>
  </header>
  <body>
    <setup><stone x="1" y="2" color="black"/></setup>
    <move playerId="1" x="1" y="1"><comment>in atari</comment></move>
    <move playerId="0" x="2" y="1"><remove x="1" y="1"/></move>
    <move playerId="1"/>
    <move playerId="0"/>
  </body>
</game>
"""

NESTED: Final = b"""<game publisher="GoFans" version="1.2">
<header><board size="9"/><players><player id="0" color="black"/><player id="1" color="white"/></players></header>
<body><move playerId="0" x="3" y="3"><move playerId="1" x="7" y="7"/><move playerId="1" x="5" y="5"/></move></body>
</game>
"""

UNKNOWN: Final = (
    '<game publisher="Klub Löwe" version="3.0"><header xmlns:k="urn:klub" k:b="2" a="1"><!-- kept -->'
    "<k:who>Ä &amp; &lt;Ö&gt; &#13;</k:who><![CDATA[<raw>]]></header><body> <?pi kept?> text <z/> </body></game>"
).encode()

_NODES: Final = b"<header/><body/></game>"
BOMB: Final = (
    b'<?xml version="1.0"?><!DOCTYPE game [<!ENTITY a "lol">'
    + b"".join(b'<!ENTITY %c "%b">' % (98 + level, b"&%c;" % (97 + level) * 10) for level in range(9))
    + b']><game publisher="&j;" version="1.0">'
    + _NODES
)
EXTERNAL: Final = (
    b'<!DOCTYPE game [<!ENTITY x SYSTEM "file:///etc/passwd">]><game publisher="A" version="1"><header>&x;</header>'
    b"<body/></game>"
)
OUTSIDE: Final = b'<!DOCTYPE game SYSTEM "http://127.0.0.1:9/x.dtd"><game publisher="A" version="1">' + _NODES
DEEP: Final = b"<move>" * 100_000 + b"</move>" * 100_000


class Endless(io.RawIOBase):
    """A stream of a gigabyte that begins with some bytes and goes on with one. `given`: how many bytes were asked."""

    def __init__(self, start: bytes, following: bytes, size: int = 1 << 30) -> None:
        super().__init__()
        self.start, self.following, self.size, self.given = start, following, size, 0

    def read(self, size: int = -1, /) -> bytes:
        assert size > 0, "nobody reads a whole gigabyte"
        size = min(size, self.size - self.given)
        head = self.start[self.given : self.given + size]
        self.given += size
        return head + self.following * (size - len(head))


def gzip_bomb(size: int) -> bytes:
    """Return a packed record whose body is that many blanks. Its end is left out: no reader may come so far."""
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)

    def packed(data: bytes) -> bytes:
        # A full flush forgets what was before, so that the same bytes are packed the same way each time.
        return packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)

    head = packed(b'<game publisher="A" version="1"><header/><body>')
    return head + packed(b" " * 1_000_000) * (size // 1_000_000)


def outcome(text: bytes) -> Imported:
    """Return what comes of a document, with gamed's own formats and players."""
    return check(text, index(), replayers())


def battleship(*moves: tuple[int, bytes], **settings: Any) -> bytes:
    """Return the record of a game that was played in memory: who sends which bytes, then silence."""
    harness = Harness("battleship", game_types()["battleship"].settings(**settings))
    seats = [harness.connect(), harness.connect()]
    for seat, line in moves:
        seats[seat].send(line)
    harness.clock.pump([10_000.0, 0.0, 0.0])
    harness.settle()
    (kept,) = harness.store.records.values()
    return document(kept)
