"""Replay files that the official server wrote: byte for byte, there and back, and what is refused."""

from __future__ import annotations

import gzip
import re
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError, RuleError
from gamed.core.game import Outcome, Termination
from gamed.core.history import DRAWN, JOINED, LEFT, MOVE, STARTED, Entry, History, Value, ended
from gamed.games.softwarechallenge.replays import LIMITS, UNKNOWN_TIME
from gamed.games.softwarechallenge.seasons.blokus.board import fields
from gamed.games.softwarechallenge.seasons.blokus.moves import SetMove, SkipMove, to_notation
from gamed.games.softwarechallenge.seasons.blokus.replays import file_name, read_replay, scores, write
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.games.softwarechallenge.seasons.blokus.shapes import SHAPES
from gamed.records.importer import check
from gamed.replayers import known_formats, readers, replayers
from tests.games.softwarechallenge.blokus.test_rules import State, games

BLOKUS = Blokus()
RECORDED = Path(__file__).parent / "recorded"
ROOM = "6f0c1f0e-7c7e-4c1b-9d5e-2f6d3a1b4c5d"


def recorded(name: str) -> bytes:
    return gzip.decompress((RECORDED / f"replay-{name}.xml.gz").read_bytes())


def history(states: list[State], *end: Entry, names: tuple[str, str] = ("A&a", "B")) -> History:
    """Return a game that went through these states."""
    joined = [Entry(0, JOINED, seat, data={"name": name}) for seat, name in enumerate(names)]
    assert states[0].start is not None
    entries = [*joined, Entry(0, STARTED), Entry(0, DRAWN, body=f"START {SHAPES[states[0].start]}".encode())]
    for before, after in pairwise(states):
        covered = set(fields(after.covered[before.color] & ~before.covered[before.color]))
        moves = BLOKUS.legal_moves(before, before.mover) if covered else []
        made = [move for move in moves if isinstance(move, SetMove) and set(move.places()) == covered]
        text = to_notation(made[0] if made else SkipMove(before.color))
        entries.append(Entry(0, MOVE, before.mover, text.encode()))
    return History(ROOM, "blokus", UNKNOWN_TIME, 0, LIMITS, [*entries, *end])


def lost(seat: int, why: Termination, **data: Value) -> tuple[Entry, Entry]:
    """Return the entries of an end by fault."""
    return Entry(0, LEFT, seat, data={"why": str(why), **data}), ended(0, Outcome(why, 1 - seat))


class OfficialTests(SynchronousTestCase):
    def test_what_is_read_is_written_as_it_is(self) -> None:
        """The official server forgets the number of the round where it copies a state for the file: it is always 1."""
        for name in ("whole", "left"):
            ours = write(read_replay(recorded(name)))
            self.assertEqual(re.sub(rb'round="\d+"', b'round="1"', ours), recorded(name), name)

    def test_a_file_with_an_error_message(self) -> None:
        """The official server also saves what it tells the player of an illegal move; that is not in a record."""
        found = read_replay(recorded("illegal"))
        self.assertEqual(found.outcome, Outcome(Termination.FORFEIT, 1))
        (left,) = found.of_kind(LEFT)
        self.assertIn("Der erste Zug muss an den Rand gesetzt werden bei 'Setze", str(left.data["text"]))
        official = recorded("illegal")
        start = official.index(b'<room roomId="', official.index(b"</room>"))
        without = official[:start] + official[official.index(b"</room>\n", start) + len(b"</room>\n") :]
        self.assertEqual(write(found), without)

    def test_a_game_to_which_nobody_came(self) -> None:
        entries = [Entry(0, LEFT, 1, data={"why": "left"}), ended(0, Outcome(Termination.LEFT, 0))]
        found = History("room", "blokus", "2026-11-30T07:00:00.000Z", 1, {}, entries)
        self.assertEqual(scores(found), {"victory": [2, 0], "points": [0, 0]})
        self.assertIn(b'regular="false"', write(found))

    def test_an_import_knows_whose_they_are(self) -> None:
        """Files of all seasons have the same root element."""
        for name in ("illegal", "left", "whole"):
            outcome = check(recorded(name), known_formats(), replayers(), readers())
            self.assertEqual((outcome.code, outcome.record and outcome.record.publisher), ("imported", "gamed-blokus"))

    def test_what_they_say(self) -> None:
        found = read_replay(recorded("left"))
        self.assertEqual([entry.data["name"] for entry in found.of_kind(JOINED)], ["A&a", "B"])
        self.assertEqual(found.outcome, Outcome(Termination.LEFT, 0))
        self.assertEqual(scores(found), {"victory": [2, 0], "points": [5, 0]})
        nameless = read_replay(recorded("whole"))
        self.assertEqual([entry.data.get("side") for entry in nameless.of_kind(JOINED)], ["ONE", "TWO"])
        self.assertEqual(nameless.outcome, Outcome(Termination.VICTORY, 1))
        self.assertTrue(file_name(found).startswith("replay_swc_2027_blokus_A_a_B_"))

    def test_a_file_that_is_cut_off(self) -> None:
        whole = recorded("whole")
        found = read_replay(whole[: len(whole) // 2])
        self.assertEqual(found.outcome, Outcome(Termination.CANCELLED))
        self.assertGreater(sum(1 for _ in found.of_kind(MOVE)), 20)

    def test_what_is_refused(self) -> None:
        good = recorded("left")
        for was, now, code in (
            (b'turn="0"', b'turn="4"', "no-beginning"),
            (b'content="BLUE"', b'content="RED"', "other-position"),
            (b'class="memento"', b'class="other"', "no-state"),
            (b"LOST_CONNECTION", b"so", ""),
            (b"hat das Spiel verlassen", b"ist weg", "unknown-value"),
            (b'team="ONE" regular', b'team="SIX" regular', "unknown-value"),
        ):
            self.assertIn(was, good)
            changed = good.replace(was, now)
            if not code:
                self.assertEqual(read_replay(changed).outcome, Outcome(Termination.LEFT, 0))
                continue
            error = self.assertRaises((RemoteProtocolError, RuleError), read_replay, changed)
            self.assertEqual(error.code, code, was)


class ThereAndBackTests(SynchronousTestCase):
    @given(games(), st.integers(0, 1))
    @settings(max_examples=6)
    def test_all_ends(self, states: list[State], seat: int) -> None:
        # Most of the time goes into playing the moves again, for each end.
        states = states if BLOKUS.outcome(states[-1]) else states[:12]
        outcome = BLOKUS.outcome(states[-1])
        ends: list[tuple[Entry, ...]] = [(ended(0, outcome),)] if outcome else [
            lost(seat, Termination.LEFT),
            lost(seat, Termination.RESIGNED),
            lost(seat, Termination.FORFEIT, text="x: y <&"),
            lost(seat, Termination.FORFEIT, code="out-of-turn", text="It's not your turn yet"),
            lost(seat, Termination.TIME, limit="soft"),
            lost(seat, Termination.TIME, limit="hard"),
            (ended(0, Outcome(Termination.CANCELLED)),),
        ]  # fmt: skip
        for end in ends:
            made = history(states, *end)
            again = read_replay(write(made))
            names = [entry.data for entry in again.of_kind(JOINED)]
            if end[-1].data.get("termination") == "cancelled":
                self.assertEqual([name["name"] for name in names], ["", ""], "only a result has names")
            else:
                self.assertEqual(again.entries, made.entries)
