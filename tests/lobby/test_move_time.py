"""Rooms with a time for each move, or with a greatest length, in all games.

Whoever takes longer loses, and the record has the numbers; who moves for longer than the room allows, draws.

Source: docs/topics/design.md#fixtures.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Outcome, Termination
from gamed.core.history import LEFT, LINE, MOVE, History
from gamed.records.importer import check
from gamed.records.index import index
from gamed.records.own import to_history
from gamed.records.record import document
from gamed.registry import game_types
from gamed.replayers import replayers
from gamed.testing.harness import Harness
from tests.lobby.test_entrances import Arena
from tests.records.test_every_end import Seat

LIMIT = 2
"""Seconds for each move."""

OPTIONS: dict[str, dict[str, Any]] = {
    "battleship": {"move_milliseconds": 1000 * LIMIT},
    "hive": {"soft_milliseconds": 1000 * LIMIT, "hard_milliseconds": 1000 * LIMIT},
    "quoridor": {"move_milliseconds": 1000 * LIMIT},
    # The protocol tells whole seconds.
    "roborally": {"move_milliseconds": 1000 * LIMIT - 100},
}


class MatchTests(SynchronousTestCase):
    def begun(self, kind: str, options: Mapping[str, Any]) -> tuple[Harness, list[Seat]]:
        """Return a match of two programs that has begun, in a room with these options."""
        arena = Arena(kind)
        arena.open(**options)
        return arena.harness, [arena.come(0), arena.come(1)]

    def play(self, harness: Harness, seats: list[Seat], rounds: int) -> None:
        for _ in range(rounds):
            harness.clock.advance(0.01)
            for seat in seats:
                if not seat.wire.is_closed:
                    seat.play()

    def history(self, harness: Harness) -> History:
        harness.settle()
        (record,) = harness.store.records.values()
        outcome = check(document(record), index(), replayers())
        self.assertEqual((outcome.code, outcome.record), ("imported", record), outcome.sentence)
        return to_history(record)


class MoveTimeTests(MatchTests):
    def lost(self, harness: Harness, kind: str, taken: range) -> History:
        """Return the history of a match in which the player who was to move has lost by time."""
        history = self.history(harness)
        self.assertEqual(history.outcome and history.outcome.termination, Termination.TIME, kind)
        (left,) = [entry for entry in history.of_kind(LEFT) if entry.data["why"] == "time"][:1]
        assert history.outcome is not None
        self.assertNotEqual(history.outcome.winner, left.seat)
        self.assertIn(left.data["taken"], taken, kind)
        limit = left.data["limit"]
        # Hive names one of its two limits.
        self.assertEqual(left.data[limit] if isinstance(limit, str) else limit, 1000 * LIMIT, kind)
        return history

    def test_whoever_does_not_answer_loses(self) -> None:
        for kind, options in OPTIONS.items():
            harness, seats = self.begun(kind, options)
            self.play(harness, seats, 14)
            for _ in range(300):
                harness.clock.advance(0.01)
            history = self.lost(harness, kind, range(1000 * LIMIT, 1000 * LIMIT + 60))
            code = {"hive": "hard-timeout", "roborally": "mrp-too-late"}.get(kind, "move-too-late")
            self.assertIn(code, [entry.data["code"] for entry in history.refused], kind)

    def test_each_move_has_its_own_time(self) -> None:
        for kind, options in OPTIONS.items():
            harness, seats = self.begun(kind, options)
            self.play(harness, seats, 14)
            for _ in range(8):
                for _ in range(190):
                    harness.clock.advance(0.01)
                # A robot asks for its state before it answers.
                self.play(harness, seats, 4)
            self.assertEqual(harness.lobby.stats.ended[kind, "time"], 0, kind)

    def test_a_late_move_of_quoridor_and_battleship(self) -> None:
        """It is read before the clock is judged, and still comes too late."""
        for kind in ("battleship", "quoridor"):
            harness, seats = self.begun(kind, OPTIONS[kind])
            self.play(harness, seats, 14)
            table = next(iter(harness.lobby.rooms.values())).table
            harness.clock.rightNow += LIMIT + 0.5
            for seat in seats:
                # The program that has won hears of it as of an end of the connection.
                with contextlib.suppress(RemoteProtocolError):
                    seat.play()
            history = self.lost(harness, kind, range(1000 * LIMIT + 500, 1000 * LIMIT + 560))
            self.assertIs(table.outcome and table.outcome.termination, Termination.TIME)
            (refused,) = [entry for entry in history.refused if entry.data["code"] == "move-too-late"]
            self.assertIn(f"after {LIMIT}.5 s, later than the {LIMIT} s", str(refused.data["reason"]))

    def test_who_speaks_too_late_without_being_asked_has_not_lost(self) -> None:
        harness, seats = self.begun("battleship", OPTIONS["battleship"])
        self.play(harness, seats, 14)
        table = next(iter(harness.lobby.rooms.values())).table
        table.review()
        (mover,) = table.game.to_move(table.state)
        harness.clock.rightNow += LIMIT + 0.5
        seats[1 - mover].wire.send(b"(1,[0,0]).\n")
        history = self.lost(harness, "battleship", range(1000 * LIMIT + 500, 1000 * LIMIT + 560))
        self.assertEqual(history.outcome and history.outcome.winner, 1 - mover)
        (refused,) = [entry for entry in history.refused if entry.data["code"] == "move-too-late"]
        self.assertEqual((refused.seat, refused.body), (mover, None))
        self.assertIn(f"no line came within {LIMIT} s", str(refused.data["reason"]))

    def test_a_pause_of_quoridor_takes_no_time(self) -> None:
        harness, seats = self.begun("quoridor", OPTIONS["quoridor"])
        self.play(harness, seats, 14)
        room = next(iter(harness.lobby.rooms.values()))
        harness.clock.advance(LIMIT / 2)
        room.pause()
        harness.clock.advance(10 * LIMIT)
        room.resume()
        harness.clock.advance(LIMIT / 2 - 0.1)
        self.assertEqual(list(harness.store.records), [])
        for _ in range(30):
            harness.clock.advance(0.01)
        self.lost(harness, "quoridor", range(1000 * LIMIT, 1000 * LIMIT + 60))

    def test_other_rooms_have_no_such_limit(self) -> None:
        for kind in ("battleship", "quoridor"):
            harness = Harness(kind, game_types()[kind].settings())
            table = harness.lobby.open(kind).table
            self.assertEqual(table.overdue(100.0), ())
            self.assertIsNone(table.delivered(0.0))


class LengthTests(MatchTests):
    def test_a_match_of_the_greatest_length_is_a_draw(self) -> None:
        for kind in OPTIONS:
            harness, seats = self.begun(kind, {"max_moves": 5})
            self.play(harness, seats, 40)
            self.assertEqual([seat.wire.is_closed for seat in seats], [True, True], kind)
            history = self.history(harness)
            self.assertEqual(history.outcome, Outcome(Termination.LIMIT), kind)
            self.assertEqual(history.options["max_moves"], 5)
            self.assertEqual(len([*history.of_kind(MOVE), *history.of_kind(LINE)]), 5, kind)
            self.assertEqual(list(history.refused), [], kind)

    def test_without_one_it_goes_on(self) -> None:
        for kind in OPTIONS:
            harness, seats = self.begun(kind, {})
            self.play(harness, seats, 12)
            self.assertEqual(harness.lobby.stats.ended[kind, "limit"], 0, kind)

    def test_hive_tells_both_why(self) -> None:
        harness, seats = self.begun("hive", {"max_moves": 4})
        self.play(harness, seats, 40)
        for seat in seats:
            self.assertIn("Die vereinbarte Zahl von Zuegen wurde erreicht.", seat.wire.received.decode())
            self.assertNotIn("<winner", seat.wire.received.decode())
