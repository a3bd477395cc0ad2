"""The time for a move: what is in time, and what is not. How passes of the reactor count: tests/lobby/test_passes.py.

Source: docs/topics/design.md#time, docs/reference/software-challenge.md#time.
"""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import LEFT, MOVE, Entry
from gamed.games.softwarechallenge import Settings
from gamed.records.index import validate
from gamed.records.own import summary, to_history
from gamed.records.record import document
from tests.games.softwarechallenge.harness import PASSWORD, ROW, Client, SeasonHarness, slot
from tests.lobby.doubles import Turns

SOFT = "SOFT_TIMEOUT 0 -1, REGULAR 2 -1"
HARD = "HARD_TIMEOUT 0 -1, REGULAR 2 -1"


def entries(harness: SeasonHarness, kind: str) -> list[Entry]:
    """Return the entries of one kind in the only record."""
    (record,) = harness.records()
    return list(to_history(record).of_kind(kind))


class LimitTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = SeasonHarness()
        self.red, self.blue = self.harness.pair()

    def answer_after(self, seconds: float) -> list[str]:
        """Have RED answer after so many seconds; return what BLUE hears first."""
        self.harness.wait(seconds)
        self.red.move(ROW[0])
        return self.blue.heard()[:1]

    def test_in_time(self) -> None:
        self.assertEqual(self.answer_after(1.95), ["memento 1 Unknown Unknown setmove"])

    def test_exactly_the_soft_limit_is_in_time(self) -> None:
        self.assertEqual(self.answer_after(2.0), ["memento 1 Unknown Unknown setmove"])

    def test_later_than_the_soft_limit(self) -> None:
        self.assertEqual(self.answer_after(2.001), [SOFT])

    def test_the_loser_is_told_and_not_thrown_out(self) -> None:
        self.answer_after(2.1)
        said = self.red.heard()
        self.assertEqual(said[0], SOFT)
        self.assertNotIn("error", " ".join(said))
        text = "Der Spieler hat innerhalb von 2 Sekunden nach Aufforderung keinen Zug gesendet"
        self.assertIn(f'cause="SOFT_TIMEOUT" reason="{text}"', self.red.stream.decode())

    def test_the_evidence_is_in_the_record(self) -> None:
        self.answer_after(2.1)
        (left,) = entries(self.harness, LEFT)
        evidence = {"why": "time", "limit": "soft", "taken": 2100, "gap": 0, "soft": 2000, "hard": 10_000}
        self.assertEqual((left.seat, left.data), (0, evidence))
        (record,) = self.harness.records()
        self.assertEqual((summary(record).termination, summary(record).winner), ("time", 1))

    def test_older_records_tell_of_standstills(self) -> None:
        self.answer_after(2.1)
        (record,) = self.harness.records()
        text = document(record)
        self.assertIn(b'gap="0"', text)
        validate(text.replace(b'gap="0"', b'stalled="16800"'))

    def test_the_time_of_each_move_is_in_the_record(self) -> None:
        for seconds, mover, move in zip((0.25, 1.5, 0.0), (self.red, self.blue, self.red), ROW, strict=False):
            self.harness.wait(seconds)
            mover.move(move)
        self.red.end()
        self.assertEqual([entry.data["taken"] for entry in entries(self.harness, MOVE)], [250, 1500, 0])

    def test_nobody_waits_longer_than_the_hard_limit(self) -> None:
        self.harness.wait(9.99)
        self.assertEqual(self.blue.heard(), [])
        self.harness.wait(0.01)
        self.assertEqual(self.blue.heard()[0], HARD)
        (left,) = entries(self.harness, LEFT)
        self.assertEqual((left.data["limit"], left.data["taken"]), ("hard", 10_000))

    def test_a_move_after_the_hard_limit(self) -> None:
        admin = self.harness.admin()
        admin.join()
        self.harness.connect().join()
        self.harness.wait(10)
        admin.heard()
        admin.move(ROW[0])
        self.assertIn("error there is no such room, or its game is over", admin.heard())

    def test_an_answer_in_the_instant_of_the_hard_limit_counts(self) -> None:
        # The timer is due, and what has arrived is read once more before it judges: the answer is late, and no silence.
        for verdict, read_before, read_after in ((SOFT, True, False), (SOFT, False, True), (HARD, False, False)):
            clock = Turns()
            self.harness = SeasonHarness(clock=clock)
            self.red, self.blue = self.harness.pair()
            move = f'<room roomId="{self.red.room}">{ROW[0]}</room>'.encode()
            clock.rightNow += 10
            if read_before:
                self.red.feed(move)
            clock.turn()
            if read_after:
                self.red.feed(move)
            clock.turn()
            self.red.feed(move)
            self.harness.turn()
            self.assertEqual(self.blue.heard()[0], verdict)

    def test_the_limits_are_the_settings(self) -> None:
        self.harness = SeasonHarness(Settings(password=PASSWORD, soft_seconds=0.5, hard_seconds=1.5))
        self.red, self.blue = self.harness.pair()
        self.harness.wait(1.5)
        self.assertEqual(self.blue.heard()[0], HARD)
        self.assertIn("innerhalb von 1.5 Sekunden", self.blue.stream.decode())
        self.red, self.blue = self.harness.pair()
        self.assertEqual(self.answer_after(0.6), [SOFT])
        self.assertIn("innerhalb von 0.5 Sekunden", self.blue.stream.decode())

    def test_the_limits_fit_each_other(self) -> None:
        self.assertRaises(ValueError, Settings, soft_seconds=3.0, hard_seconds=2.0)
        self.assertEqual(Settings(soft_seconds=3.0, hard_seconds=3.0).hard_seconds, 3.0)

    def test_each_move_has_its_own_time(self) -> None:
        for mover, move in zip((self.red, self.blue) * 5, ROW, strict=False):
            self.harness.wait(1.9)
            mover.move(move)
        self.assertFalse(self.red.is_closed)


class SwitchTests(SynchronousTestCase):
    """Limits are switched by slot, from the next request on."""

    def setUp(self) -> None:
        self.harness = SeasonHarness()
        self.admin = self.harness.admin()

    def prepared(self, *slots: str) -> tuple[Client, Client]:
        """Return the players of a room with these slots."""
        self.room, codes = self.admin.prepare(*slots)
        red, blue = self.harness.connect(), self.harness.connect()
        red.take(codes[0])
        blue.take(codes[1])
        return red, blue

    def switch(self, number: int, value: str) -> None:
        """Switch the limits of a slot."""
        self.admin.send(f'<timeout roomId="{self.room}" slot="{number}" activate="{value}"/>')

    def test_a_slot_without_limits(self) -> None:
        red, blue = self.prepared(slot("p1", can_timeout=False), slot("p2"))
        self.harness.wait(3600)
        red.move(ROW[0])
        self.harness.wait(2.5)
        blue.move(ROW[1])
        self.assertEqual(red.heard()[-4], "REGULAR 2 6, SOFT_TIMEOUT 0 -1")

    def test_switched_off_during_a_request(self) -> None:
        red, blue = self.prepared()
        self.switch(0, "false")
        self.harness.wait(2.5)
        red.move(ROW[0])
        self.assertIn(SOFT, blue.heard())

    def test_switched_off_before_a_request(self) -> None:
        red, blue = self.prepared()
        self.switch(1, "false")
        red.move(ROW[0])
        self.harness.wait(3600)
        blue.move(ROW[1])
        self.assertEqual(red.heard()[-1], "MoveRequest")
        # The timer of the request before must not hit this one, whose limits count.
        self.harness.wait(9.9, 0.1)
        self.assertEqual(blue.heard()[-1], "memento 2 p1 p2 setmove")

    def test_switched_on(self) -> None:
        red, _ = self.prepared(slot("p1", can_timeout=False), slot("p2", can_timeout=False))
        self.switch(1, "true")
        red.move(ROW[0])
        self.harness.wait(10)
        self.assertEqual(red.heard()[-4], "REGULAR 2 6, HARD_TIMEOUT 0 -1")

    def test_a_paused_game_that_nobody_asked_has_all_the_time(self) -> None:
        red, blue = self.prepared()
        self.admin.send(f'<pause roomId="{self.room}" pause="true"/>')
        red.move(ROW[0])
        self.harness.wait(3600)
        self.assertFalse(red.is_closed)
        self.admin.send(f'<pause roomId="{self.room}" pause="false"/>')
        self.harness.wait(1.9)
        blue.move(ROW[1])
        self.assertEqual(red.heard()[-1], "MoveRequest")

    def test_no_timer_of_an_older_request_is_left(self) -> None:
        # The official server let it kill the game (sessions 58, 92).
        red, blue = self.prepared(slot("p1", paused=True), slot("p2"))
        self.admin.send(f'<step roomId="{self.room}"/>' * 2)
        self.harness.wait(1.9)
        red.move(ROW[0])
        self.harness.wait(60)
        self.assertFalse(blue.is_closed)
        self.admin.send(f'<pause roomId="{self.room}" pause="false"/>')
        self.assertEqual(blue.heard()[-2:], ["memento 1 p1 p2 setmove", "MoveRequest"])
