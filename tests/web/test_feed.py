"""Streams: numbers, what was missed, what is left out, and one rendering for all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamed.web.feed import GONE, INTERVAL, RING, SCENES, VIEWS, Stream
from gamed.web.turn_cooperator import TurnCooperator


class Reader:
    """Takes what is sent, or, while it is congested, nothing."""

    def __init__(self, number: tuple[str, int] | None = None) -> None:
        self.number = number
        self.is_congested = False
        self.sent: list[bytes] = []
        self.is_ended = False

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def end(self) -> None:
        self.is_ended = True

    @property
    def events(self) -> list[dict[str, Any]]:
        blocks = b"".join(self.sent).decode().split("\n\n")
        found = []
        for block in blocks:
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            if fields.get("event") == "scene":
                found.append({"id": fields["id"], **json.loads(fields["data"])})
        return found

    @property
    def moves(self) -> list[int]:
        """All moves as the browser has them: an event with `reset` begins anew."""
        moves: list[int] = []
        for event in self.events:
            moves = [] if event.get("reset") else moves
            moves += [move["n"] for move in event["moves"]]
        return moves


class Source:
    """A game whose state is the number of its moves."""

    def __init__(self) -> None:
        self.count = 0
        self.renderings = 0
        self.is_broken = False

    def capture(self) -> int:
        return self.count

    def scene(self, captured: int) -> Mapping[str, Any]:
        self.renderings += 1
        if self.is_broken:
            raise KeyError("scene")
        return {"board": captured}

    def moves(self, captured: int) -> Sequence[Mapping[str, Any]]:
        return [{"n": n} for n in range(1, captured + 1)]


class StreamTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.source = Clock(), Source()
        self.stream = Stream(self.source, TurnCooperator(self.clock, self.clock.seconds), self.clock)

    def move(self, count: int = 1) -> None:
        for _ in range(count):
            self.source.count += 1
            self.stream.changed()

    def wait(self, seconds: float = 1.0) -> None:
        for _ in range(round(seconds / 0.01)):
            self.clock.advance(0.01)

    def joined(self, number: tuple[str, int] | None = None) -> Reader:
        reader = Reader(number)
        self.stream.join(reader)
        self.wait()
        return reader


class ReadingTests(StreamTestCase):
    def test_who_joins_gets_all(self) -> None:
        self.move(3)
        reader = self.joined()
        self.assertEqual(reader.moves, [1, 2, 3])
        self.assertEqual([event["scene"] for event in reader.events], [{"board": 3}])
        self.assertTrue(reader.events[0]["reset"])
        self.assertEqual(reader.events[0]["id"], f"{self.stream.generation}-1")

    def test_each_change_is_an_event(self) -> None:
        reader = self.joined()
        self.move()
        self.wait()
        self.move()
        self.wait()
        self.assertEqual([event["moves"] for event in reader.events], [[], [{"n": 1}], [{"n": 2}]])
        self.assertEqual([event["id"][-2:] for event in reader.events], ["-1", "-2", "-3"])
        self.assertNotIn("reset", reader.events[1])

    def test_nothing_is_rendered_for_nobody(self) -> None:
        self.move(50)
        self.wait()
        self.assertEqual((self.source.renderings, self.clock.getDelayedCalls()), (0, []))

    def test_one_rendering_for_all(self) -> None:
        readers = [self.joined() for _ in range(20)]
        before = self.source.renderings
        self.move()
        self.wait()
        self.assertEqual(self.source.renderings, before + 1)
        self.assertEqual({reader.sent[-1] for reader in readers}, {readers[0].sent[-1]})

    def test_a_crowd_that_joins_at_once_shares_one(self) -> None:
        readers = [Reader() for _ in range(100)]
        for reader in readers:
            self.stream.join(reader)
        self.wait()
        self.assertEqual(self.source.renderings, 1)
        self.assertEqual({len(reader.events) for reader in readers}, {1})

    def test_many_changes_are_few_writes(self) -> None:
        reader = self.joined()
        began = len(reader.sent)
        for _ in range(100):
            self.move()
            self.clock.advance(0.01)
        self.wait()
        self.assertLessEqual(len(reader.sent) - began, round(1 / INTERVAL) + 1)
        self.assertEqual(reader.moves, list(range(1, 101)))

    def test_scenes_are_left_out_but_no_moves(self) -> None:
        reader = self.joined()
        self.move(VIEWS + 20)
        self.wait()
        self.assertEqual(len(reader.events), 1 + VIEWS)
        self.assertEqual(reader.moves, list(range(1, VIEWS + 21)))
        self.assertEqual(reader.events[-1]["scene"], {"board": VIEWS + 20})

    def test_fewer_scenes_for_a_crowd(self) -> None:
        readers = [self.joined() for _ in range(SCENES // 4)]
        self.move(10)
        self.wait()
        self.assertEqual({len(reader.events) for reader in readers}, {1 + 4})
        self.assertEqual(readers[0].moves, list(range(1, 11)))

    def test_who_leaves_gets_nothing(self) -> None:
        reader, other = self.joined(), self.joined()
        self.stream.leave(reader)
        self.stream.leave(reader)
        self.move()
        self.wait()
        self.assertEqual((len(reader.events), len(other.events)), (1, 2))

    def test_the_first_to_come_and_the_last_to_leave_are_told_of(self) -> None:
        told: list[int] = []
        self.stream.watched = lambda: told.append(len(self.stream.readers))
        first, second = self.joined(), self.joined()
        self.stream.leave(first)
        self.assertEqual(told, [1])
        self.stream.leave(second)
        self.assertEqual(told, [1, 0])

    def test_who_leaves_between_rendering_and_sending(self) -> None:
        reader = self.joined()
        self.move()
        self.stream.leave(reader)
        self.wait()
        self.assertEqual(len(reader.events), 1)


class MissedTests(StreamTestCase):
    def number(self, reader: Reader) -> tuple[str, int]:
        generation, _, number = reader.events[-1]["id"].rpartition("-")
        return generation, int(number)

    def test_who_has_missed_nothing_gets_nothing(self) -> None:
        reader = self.joined()
        self.move()
        self.wait()
        self.stream.leave(reader)
        again = self.joined(self.number(reader))
        self.assertEqual(again.events, [])

    def test_who_comes_back_gets_what_was_missed(self) -> None:
        reader = self.joined()
        self.move(2)
        self.wait()
        self.stream.leave(reader)
        self.move(3)
        again = self.joined(self.number(reader))
        self.assertEqual(again.moves, [3, 4, 5])
        self.assertNotIn("reset", again.events[0])

    def test_while_others_go_on_reading(self) -> None:
        reader, other = self.joined(), self.joined()
        self.stream.leave(reader)
        for _ in range(5):
            self.move()
            self.wait(0.2)
        again = self.joined(self.number(reader))
        self.assertEqual(again.moves, [1, 2, 3, 4, 5])
        self.assertEqual(other.moves, [1, 2, 3, 4, 5])
        self.move()
        self.wait()
        self.assertEqual((again.moves[-1], other.moves[-1]), (6, 6))

    def test_too_long_ago(self) -> None:
        reader, other = self.joined(), self.joined()
        self.stream.leave(reader)
        for _ in range(RING + 1):
            self.move()
            self.wait(0.15)
        again = self.joined(self.number(reader))
        self.assertTrue(again.events[0]["reset"])
        self.assertEqual(again.moves, other.moves)

    def test_of_another_life(self) -> None:
        self.joined()
        for number in (("other", 1), (self.stream.generation, 99), (self.stream.generation, 0)):
            again = self.joined(number)
            self.assertTrue(again.events[0]["reset"], number)

    def test_who_reads_slowly_gets_the_newest(self) -> None:
        slow, other = self.joined(), self.joined()
        slow.is_congested = True
        for _ in range(4):
            self.move()
            self.wait(0.2)
        self.assertEqual((len(slow.events), len(other.events)), (1, 5))
        slow.is_congested = False
        self.stream.catch_up(slow)
        self.wait()
        self.assertEqual((len(slow.events), slow.moves), (2, [1, 2, 3, 4]))
        self.assertEqual(slow.events[-1]["id"], other.events[-1]["id"])
        self.assertNotIn("reset", slow.events[-1])

    def test_a_new_match_begins_anew(self) -> None:
        reader = self.joined()
        self.move(3)
        self.wait()
        self.source.count = 0
        self.stream.restart()
        self.move()
        self.wait()
        self.assertTrue(reader.events[-1]["reset"])
        self.assertEqual(reader.moves, [1])
        self.assertEqual(self.joined((reader.events[1]["id"].split("-")[0], 2)).moves, [1])

    def test_a_fault_in_a_rendering_is_told_once(self) -> None:
        reader = self.joined()
        self.source.is_broken = True
        self.move()
        self.wait()
        self.joined()
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 2)
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.source.is_broken = False
        self.move()
        self.wait()
        self.assertEqual(reader.moves, [1, 2])

    @given(
        st.lists(
            st.tuples(st.sampled_from(["move", "wait", "leave", "come", "slow", "fast", "new"]), st.integers(0, 3)),
            max_size=40,
        )
    )
    @settings(deadline=None, max_examples=60)
    def test_whatever_happens_everybody_has_all_moves_at_the_end(self, script: list[tuple[str, int]]) -> None:
        self.setUp()
        readers = [self.joined() for _ in range(4)]
        for what, which in script:
            reader = readers[which]
            if what == "move":
                self.move(which + 1)
            elif what == "wait":
                self.wait(0.01 * 3**which)
            elif what == "leave":
                self.stream.leave(reader)
            elif what == "come":
                self.stream.join(reader)
            elif what == "new":
                self.source.count = 0
                self.stream.restart()
                self.stream.changed()
            elif what in ("slow", "fast"):
                reader.is_congested = what == "slow"
                self.stream.catch_up(reader)
        for reader in readers:
            reader.is_congested = False
            self.stream.join(reader)
        self.wait()
        for reader in readers:
            self.assertEqual(reader.moves, list(range(1, self.source.count + 1)))
            self.assertEqual(reader.events[-1]["scene"], {"board": self.source.count})
        self.assertEqual(self.clock.getDelayedCalls(), [])


class Narrow(Reader):
    """Takes one piece; then nothing goes through the line that it shares with others."""

    line: list[bytes]

    def send(self, data: bytes) -> None:
        super().send(data)
        self.line.append(data)

    @property
    def is_congested(self) -> bool:
        return bool(self.line)

    @is_congested.setter
    def is_congested(self, _value: bool) -> None:
        """Change nothing: the line says it."""


class SharedLineTests(StreamTestCase):
    def test_a_line_that_is_full_gets_no_more(self) -> None:
        """Readers of one stream may share a line: what one of them sends may fill it for all."""
        line: list[bytes] = []
        readers = [Narrow() for _ in range(8)]
        for reader in readers:
            reader.line = line
            self.stream.join(reader)
            self.wait()
            line.clear()
        self.move()
        self.wait()
        self.assertEqual(sum(len(reader.events) for reader in readers), len(readers) + 1)
        for _ in readers:
            line.clear()
            for reader in readers:
                self.stream.catch_up(reader)
            self.wait()
        self.assertEqual([reader.moves for reader in readers], [[1]] * len(readers))


class EndTests(StreamTestCase):
    def test_the_last_news_then_the_end(self) -> None:
        reader = self.joined()
        self.move()
        self.stream.end()
        self.wait()
        self.assertEqual(reader.moves, [1])
        self.assertEqual((reader.sent[-1], reader.is_ended, len(self.stream.readers)), (GONE, True, 0))

    def test_who_comes_after_the_end(self) -> None:
        self.stream.end()
        self.wait()
        reader = self.joined()
        self.assertEqual((len(reader.events), reader.sent[-1]), (1, GONE))

    def test_a_browser_that_leaves_during_the_farewell_is_not_told_it(self) -> None:
        first, second = self.joined(), self.joined()
        before = list(second.sent)
        first.end = lambda: self.stream.leave(second)  # type: ignore[method-assign]
        self.stream.end()
        self.wait()
        self.assertEqual((first.sent[-1], second.sent, second.is_ended), (GONE, before, False))
