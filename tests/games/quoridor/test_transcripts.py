"""The recorded sessions, real Racket worlds and their authors' own programs among them, replayed against gamed.

Each world receives the recorded bytes. Where it does not, `DIFFERENCES` says what it receives, and why; the page in
docs/reference lists the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from twisted.trial.unittest import SynchronousTestCase

from gamed.records.index import validate
from gamed.records.own import judgement
from gamed.records.record import document
from gamed.testing.harness import Harness, Wire
from tests import transcripts
from tests.games.quoridor.worlds import universe

FOLDER: Final = Path(__file__).parent / "transcripts"
PAGE: Final = Path(__file__).resolve().parents[3] / "docs" / "reference" / "quoridor.md"

REJECTED, LOBBY = b"(rejected 0 ())\n", b"(wait-for-players 0 ())\n"

DIFFERENCES: Final[Mapping[tuple[str, str], tuple[tuple[bytes, bytes], ...]]] = {
    # A newcomer finds a fresh table after a disconnect; the original rejects it until the last survivor has left.
    ("04-own-4p", "c05"): ((REJECTED, LOBBY),),
    ("08-real-disconnect", "c03"): ((REJECTED, LOBBY),),
    # The table is dissolved by the first disconnect: there is no second one.
    ("04-own-4p", "c02"): ((b"(disconnect 4 (wall 4 4 horizontal))\n", b""),),
    ("04-own-4p", "c03"): (
        (b"(disconnect 4 (wall 4 4 horizontal))\n", b""),
        (b"(disconnect 2 (wall 4 4 horizontal))\n", b""),
    ),
    # The check of the shape: the orientation of `(move wall 8 8 weird extra)` is none.
    ("04-own-2p", "c01"): ((b"(play 2 (wall 8 8 extra))\n", b""),),
    ("04-own-2p", "c02"): ((b"(wait 2 (wall 8 8 extra))\n", b""),),
}
"""By session and connection: what the original sent, and what gamed sends in its place."""

RECORDS: Final[Mapping[str, list[tuple[str, int | None, int]]]] = {
    "04-own-2p": [("victory", 0, 5), ("left", 1, 0)],
    "04-own-4p": [("victory", 0, 5), ("left", None, 3)],
    "05-real-2p": [("victory", 0, 15), ("left", 1, 2)],
    "06-real-reject": [],
    "07-real-votes": [],
    "08-real-disconnect": [("left", 0, 1)],
    "10-real-4p": [("victory", 0, 33), ("left", None, 1)],
}
"""By session: how each game ended, who won, and how many moves it had."""


class Segment(NamedTuple):
    """What happened on a connection: `connect`, or bytes in a direction; no bytes: the end."""

    connection: str
    way: str
    data: bytes


def names() -> list[str]:
    """Return the sessions' names."""
    return transcripts.names(FOLDER)


def timeline(name: str) -> Iterator[Segment]:
    """Yield a session's segments in the order of time."""
    for line in transcripts.lines(FOLDER, name):
        if line.way != "---":
            yield Segment(line.connection, line.way, line.data)
        elif line.what.startswith("connect"):
            yield Segment(line.connection, "connect", b"")


def recorded(name: str, connection: str) -> bytes:
    """Return all that a world received in a session."""
    return transcripts.streams(FOLDER, name)[connection, "s>w"]


def replayed(name: str, cut: Random | None) -> tuple[Harness, dict[str, Wire]]:
    """Play a session against gamed's defaults, whole segments or cut at random; return its worlds' wires."""
    harness = universe()
    wires: dict[str, Wire] = {}
    for connection, way, data in timeline(name):
        if way == "connect":
            wires[connection] = harness.connect()
        elif way == "w>s" and data:
            at = cut.randrange(len(data) + 1) if cut else 0
            for piece in filter(None, (data[:at], data[at:])):
                wires[connection].send(piece)
        elif way == "w>s":
            wires[connection].leave()
    harness.settle()
    return harness, wires


class TranscriptTests(SynchronousTestCase):
    def check(self, cut: Random | None) -> None:
        for name in names():
            _, wires = replayed(name, cut)
            for connection, wire in wires.items():
                wanted = recorded(name, connection)
                for theirs, ours in DIFFERENCES.get((name, connection), ()):
                    self.assertEqual(wanted.count(theirs), 1, (name, connection))
                    wanted = wanted.replace(theirs, ours)
                self.assertEqual(wire.received, wanted, (name, connection))

    def test_each_world_receives_the_recorded_bytes(self) -> None:
        self.check(None)

    def test_however_its_segments_are_cut(self) -> None:
        for seed in range(5):
            self.check(Random(seed))

    def test_who_was_closed_is_closed(self) -> None:
        for name in names():
            _, wires = replayed(name, None)
            for connection, wire in wires.items():
                rejected = wire.received.endswith(REJECTED)
                self.assertEqual(wire.is_closed, rejected, (name, connection))

    def test_the_games_are_recorded(self) -> None:
        self.assertEqual(sorted(RECORDS), names())
        for name in names():
            harness, _ = replayed(name, None)
            found = [(one.termination, one.winner, one.length) for one in harness.store.summaries.values()]
            self.assertEqual(found, RECORDS[name], name)
            for record in harness.store.records.values():
                validate(document(record))

    def test_the_authors_played_by_the_rules_but_where_their_client_errs(self) -> None:
        """In 05-real-2p and 10-real-4p every move was made by the real client, which is the rules' oracle."""
        for name, findings in (("05-real-2p", []), ("10-real-4p", [])):
            harness, _ = replayed(name, None)
            found = [one.code for record in harness.store.records.values() for one in judgement(record).findings]
            self.assertEqual(found, findings, name)

    def test_the_differences_are_those_of_the_page(self) -> None:
        shown = set(re.findall(r"`(\d\d-[\w-]+)` (c\d\d)", PAGE.read_text()))
        self.assertEqual(shown, set(DIFFERENCES))
