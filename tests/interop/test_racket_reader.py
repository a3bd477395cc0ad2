"""Racket's own reader and ours, on random streams: each datum ends at the same byte, or neither reads it.

Source: docs/specs/quoridor.md#framing, docs/reference/quoridor.md#data.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.wire.sexpr import DatumReader
from tests.wire.test_sexpr_properties import MARKS, PARENTHESES, SPACES, STARTS, WORDS

PROGRAM = Path(__file__).with_name("reader.rkt")
STREAMS = 4_000
SEED = 2026
MISFITS = re.compile(rb'#(?:[0-9\[({s"]|[hf][alx]|[rp]x|e[+-](?:inf|nan))')
"""The beginning of a datum whose parts may not fit together. Racket refuses it as a whole, and we skip it."""

ENDS = re.compile(rb"#ci|\\\Z")
"""At the end of a stream Racket takes a #ci without a datum for nothing; and a backslash is followed by nothing."""


def streams() -> list[bytes]:
    """Return streams of scraps of syntax, most of which are nearly right."""
    lots = random.Random(SEED)
    scraps = [*PARENTHESES, *MARKS, *STARTS, *SPACES, *WORDS, *WORDS, *SPACES]
    return [b"".join(lots.choices(scraps, k=lots.randrange(1, 14))) + lots.choice((b"", b"\n")) for _ in range(STREAMS)]


def racket(found: list[bytes]) -> list[tuple[list[int], str]]:
    """Return where Racket's data end in each stream, and how the stream ends."""
    text = "".join(f"{stream.hex()}\n" for stream in found)
    told = subprocess.run(["racket", PROGRAM], input=text, capture_output=True, text=True, check=True).stdout
    lines = [line.strip("()").split() for line in told.splitlines()]
    return [([int(end) for end in ends], how) for *ends, how in lines]


def ours(stream: bytes) -> tuple[list[int | None], str]:
    """Return the same for our reader. None: an end that is not known, because bytes after it are not UTF-8."""
    reader, ends = DatumReader(), list[int | None]()
    cuts = [0, *(at for at, octet in enumerate(stream, 1) if octet == 0x0A), len(stream)]
    pieces = [(end, stream[start:end]) for start, end in pairwise(cuts) if start < end]
    try:
        for end, piece in [*pieces, (len(stream), b"")]:
            reader.receive_data(piece)
            for _, _, rest in reader.messages():
                feed = piece.endswith(b"\n")
                ends.append(None if "\ufffd" in rest else end - feed - len(rest.encode()))
    except RemoteProtocolError:
        return ends, "malformed"
    return ends, "incomplete" if reader.unfinished else "end"


def agree(stream: bytes, theirs: tuple[list[int], str], found: tuple[list[int | None], str]) -> bool:
    """Tell whether both readers make the same of a stream."""
    count = len(theirs[0])
    if any(end not in (None, their) for their, end in zip(theirs[0], found[0], strict=False)):
        return False
    if theirs[1] == "malformed" and (len(found[0]) > count or found[1] != "malformed"):
        # Our reader has skipped something that Racket's refuses, or neither has read it.
        return MISFITS.search(stream) is not None or (len(found[0]) == count and found[1] == "incomplete")
    if len(found[0]) == count and ENDS.search(stream):
        return True
    return len(found[0]) == count and (theirs[1] == "end") == (found[1] == "end")


class ReaderTests(SynchronousTestCase):
    def test_each_datum_ends_where_it_ends_for_racket(self) -> None:
        if shutil.which("racket") is None:
            self.skipTest("racket is not installed (Debian: racket)")
        found = streams()
        compared = list(zip(found, racket(found), map(ours, found), strict=True))
        different = [each for each in compared if not agree(*each)]
        self.assertEqual(different[:10], [])
        self.assertGreater(sum(bool(theirs[0]) for _, theirs, _ in compared), STREAMS // 3)
