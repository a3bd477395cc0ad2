"""Worlds that do what they should not, beside a game that must not notice."""

from __future__ import annotations

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.quoridor.table import REFUSED_MOST
from gamed.testing.harness import Harness
from tests.games.quoridor.worlds import (
    DOWN,
    World,
    gone,
    heard,
    played,
    two,
    universe,
)
from tests.store.logs import sentences

REGISTER = b"(REGISTER ((name x)))\n"
FINAL = "(player 4.0 8.0 8.0)"


class BadPeerTests(SynchronousTestCase):
    """Whatever a world does, it alone suffers; the others are told that it has gone, if it has."""

    def beside(self, harness: Harness) -> tuple[World, World]:
        """Return a world in a game that is as bad as may be, and its partner; another game goes on beside it."""
        self.honest = two(harness)
        bad, other = two(harness)
        return bad, other

    def check(self, harness: Harness, other: World, *told: str) -> None:
        self.assertEqual(other.heard, list(told))
        # The game beside it has noticed nothing.
        played(self.honest, DOWN[:-1])
        self.honest[0].says(f"(move {DOWN[-1]})")
        self.assertEqual(heard(self.honest), [[f"(won 1 {FINAL})"], [f"(lost 1 {FINAL})"]])
        harness.settle()

    def test_half_a_datum_for_ever(self) -> None:
        harness = universe(tables=0)
        bad, other = self.beside(harness)
        bad.wire.send(b"(move player 4.0 ")
        harness.clock.advance(1e5)
        self.check(harness, other)
        self.assertFalse(bad.wire.is_closed)
        bad.says("1.0)")
        self.assertEqual(other.heard, ["(play 1 (player 4.0 1.0 1.0))"])

    def test_half_a_registration_for_ever(self) -> None:
        harness = universe(tables=0)
        _, other = self.beside(harness)
        wire = harness.connect()
        for _ in range(40):
            wire.send(b"(")
            harness.clock.advance(1)
        self.assertEqual((wire.is_closed, wire.received), (True, b""))
        self.check(harness, other)

    def test_an_endless_string(self) -> None:
        for begin in (b'"', b"|", b"(", b"#|", b'#"', b"#<<X\n", b"a", b"1", b";", b"(play) ", b" "):
            harness = universe(tables=0)
            bad, other = self.beside(harness)
            bad.wire.send(begin)
            for _ in range(64):
                bad.wire.send(b"x" * 65_536)
            self.assertTrue(bad.wire.is_closed, begin)
            self.check(harness, other, *gone(1))

    def test_deep_nesting(self) -> None:
        for opener in (b"(", b"[", b"#(", b"'", b"#;", b"#&", b"#s(x ", b"#hash(("):
            harness = universe(tables=0)
            bad, other = self.beside(harness)
            bad.wire.send(opener * 100_000)
            bad.wire.send(b"\n")
            self.assertTrue(bad.wire.is_closed, opener)
            self.check(harness, other, *gone(1))

    def test_invalid_utf8(self) -> None:
        harness = universe(tables=0)
        bad, other = self.beside(harness)
        bad.wire.send(b"\xff\xfe(\xc3)\n\xc3(\x80 \xf0\x9f)\n(move pl\xffayer 4 1)\n")
        bad.wire.send(b"(move player 4 1)\n")
        self.check(harness, other, "(play 1 (player 4 1 1))")
        self.assertFalse(bad.wire.is_closed)

    def test_non_sexps(self) -> None:
        harness = universe(tables=0)
        bad, other = self.beside(harness)
        bad.says("#(1 2)", "(a . b)", "#&x", "#hash((a . 1))", "#:kw", '#rx"x"', "(move #(player) 4 1)")
        bad.says("(move player #(4) 1)", "(move player . 4)", "#0=(a #0#)", "(move player 4 1 #(x))")
        self.check(harness, other)
        bad.says("(play #(1))", "(move player 4 1)")
        self.assertEqual(other.heard, ["(play 1 (player 4 1 1))"])

    def test_junk_is_explained_at_once_and_counted(self) -> None:
        harness = universe(tables=0)
        bad, other = self.beside(harness)
        with capturedLogs() as logs:
            bad.says(*["(hello)"] * 30)
            harness.clock.pump([0.0] * 10)
        self.assertEqual(len([line for line in sentences(logs) if "refused unknown-word" in line]), 10)
        self.assertIn("no message begins with hello; expected: (play)", sentences(logs)[0])
        self.assertIn('message: "(hello)"', sentences(logs)[0])
        self.check(harness, other)
        with capturedLogs() as logs:
            bad.leaves()
        self.assertIn(f"refused in all: peer={bad.wire.session.name}: 30 unknown-word", sentences(logs))
        self.assertEqual([line for line in sentences(logs) if "ignored" in line], [])

    def test_a_flood_of_messages(self) -> None:
        harness = universe(tables=0)
        bad, other = self.beside(harness)
        with capturedLogs() as logs:
            bad.wire.send(b"(reset)\n" * 10_000 + b"(move player 4 1)\n")
            harness.clock.pump([0.0] * 400)
        lines = [line for line in sentences(logs) if line.startswith("refused ")]
        self.assertEqual([line.split()[1] for line in lines[:11]], ["no-reset:"] * 10 + ["too-many:"])
        self.check(harness, other, *gone(1))
        self.assertTrue(bad.wire.is_closed)
        self.assertEqual(bad.wire.session.refusals.counts, {"no-reset": REFUSED_MOST, "too-many": 1})

    def test_who_was_left_behind_is_told_that_in_the_log_and_thrown_out_for_a_flood(self) -> None:
        harness = universe(tables=0)
        one, two_ = two(harness)
        one.leaves()
        self.assertEqual(two_.heard, gone(1))
        two_.says("(move player 4 7)")
        self.assertEqual(two_.wire.session.refusals.counts, {"table-over": 1})
        self.assertEqual(two_.wire.session.refusals.first[0].text, b"(move player 4 7)")
        two_.says(*["(reset) (play)"] * REFUSED_MOST)
        harness.clock.pump([0.0] * 400)
        self.assertTrue(two_.wire.is_closed)
        self.assertEqual(two_.wire.session.refusals.counts["too-many"], 1)

    def test_who_does_not_read_is_dropped(self) -> None:
        harness = universe(tables=0)
        bad, other = self.beside(harness)
        bad.wire.session.outbox.pauseProducing()
        harness.clock.advance(harness.settings.stuck_seconds - 1)
        self.assertFalse(bad.wire.is_closed)
        harness.clock.advance(1)
        harness.clock.advance(0)
        self.check(harness, other, *gone(1))
        self.assertTrue(bad.wire.is_closed)

    def test_a_register_in_a_game_is_junk(self) -> None:
        harness = universe(tables=0)
        bad, other = self.beside(harness)
        bad.says("(REGISTER ((name x)))")
        self.check(harness, other)
        self.assertFalse(bad.wire.is_closed)
