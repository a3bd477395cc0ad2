"""The pace at which a console takes what it is sent."""

from __future__ import annotations

from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase

from gamed.console.input_throttle import LINE_BYTES, LINES_IN_STORE, LINES_PER_SECOND, InputThrottle
from gamed.process.fairness import CONSOLE_BYTES as AT_ONCE
from tests.lobby.doubles import Turns


class IntakeTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Turns()
        self.transport = StringTransport()
        self.taken: list[bytes] = []
        self.overlong: list[bool] = []
        self.input_throttle = InputThrottle(
            self.clock, self.transport, self.taken.append, lambda: self.overlong.append(True)
        )

    @property
    def is_paused(self) -> bool:
        return bool(self.transport.producerState == "paused")

    def test_a_line_a_turn(self) -> None:
        self.input_throttle.feed(b"a\r\nb\nc\rd")
        self.assertEqual((self.taken, self.is_paused), ([b"a\r\n"], True))
        for _ in range(3):
            self.clock.turn()
        self.assertEqual((self.taken, self.is_paused), ([b"a\r\n", b"b\n", b"c\r", b"d"], False))

    def test_a_long_line_in_parts(self) -> None:
        self.input_throttle.feed(b"x" * (AT_ONCE + 1))
        self.assertEqual(self.taken, [b"x" * AT_ONCE])
        self.clock.turn()
        self.assertEqual(self.taken[1:], [b"x"])

    def test_a_flood_of_lines_has_a_rate(self) -> None:
        self.input_throttle.feed(b"\n" * 10_000)
        for _ in range(100):
            self.clock.turn()
        self.assertLessEqual(len(self.taken), LINES_IN_STORE + 1)
        already = len(self.taken)
        for _ in range(1000):
            self.clock.turn(0.001)
        self.assertLess(abs(len(self.taken) - already - LINES_PER_SECOND), 4)
        self.assertTrue(self.is_paused)

    def test_who_types_is_not_held_back(self) -> None:
        for number in range(200):
            self.clock.turn(0.1)
            self.input_throttle.feed(b"\n")
            self.assertEqual(len(self.taken), number + 1)

    def test_the_longest_line_and_a_longer_one(self) -> None:
        self.input_throttle.feed(b"x" * LINE_BYTES)
        while self.is_paused:
            self.clock.turn()
        self.input_throttle.feed(b"\n")
        self.clock.turn()
        self.assertEqual(self.overlong, [])
        self.input_throttle.feed(b"x" * 1_000_000)
        for _ in range(100):
            self.clock.turn()
        self.assertEqual(self.overlong, [True])
        self.assertEqual(sum(map(len, self.taken)), 2 * LINE_BYTES + 1)

    def test_holding(self) -> None:
        self.input_throttle.hold()
        self.input_throttle.feed(b"a\nb\n")
        self.clock.turn()
        self.assertEqual((self.taken, self.is_paused), ([], True))
        self.input_throttle.release()
        self.clock.turn()
        self.clock.turn()
        self.assertEqual((self.taken, self.is_paused), ([b"a\n", b"b\n"], False))

    def test_the_end_is_told_after_all_that_came(self) -> None:
        ended: list[int] = []
        self.input_throttle.feed(b"a\nb\nc\n")
        self.input_throttle.at_end(lambda: ended.append(len(self.taken)))
        for _ in range(5):
            self.clock.turn()
        self.assertEqual(ended, [3])

    def test_nothing_is_taken_after_close(self) -> None:
        self.input_throttle.feed(b"a\nb\n")
        self.input_throttle.close()
        self.input_throttle.feed(b"c\n")
        self.clock.turn()
        self.assertEqual(self.taken, [b"a\n"])
        self.assertEqual(self.clock.getDelayedCalls(), [])
