"""The log of refusals: at once and whole for each peer, at a limited rate for all, and kept for the rooms' pages."""

from __future__ import annotations

from typing import Any

from attrs import define, field
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.refusals import KEPT, Refusal
from gamed.core.stats import Stats
from gamed.lobby.refusals import A_SECOND, A_TURN, ADDRESSES, ROOMS, WAITING, RefusalLog, Refused
from tests.lobby.doubles import Peer, Turns
from tests.store.logs import sentences

REFUSAL = Refusal("unknown-word", "there is no such word", "(play)", b"(hello)")
LINE = 'there is no such word; expected: (play); message: "(hello)"'


@define(eq=False)
class Watching:
    seen: list[tuple[str, str]] = field(factory=list)

    def take(self, refused: Refused, line: str) -> None:
        self.seen.append((refused.where, line))


class RefusalLogTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Turns()
        self.stats = Stats()
        self.log = RefusalLog(self.clock, self.stats, lambda text: text.startswith("0a"))
        self.peer = Peer("Ada@10.0.0.1:4711")

    def said(self, seconds: float = 0.0) -> list[str]:
        with capturedLogs() as logs:
            self.clock.turn(seconds)
            while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
                self.clock.turn()
        return sentences(logs)

    def test_a_refusal_is_logged_in_a_later_turn_of_the_reactor(self) -> None:
        with capturedLogs() as logs:
            self.log.add(self.peer, REFUSAL, "room-1", 1)
        self.assertEqual(sentences(logs), [])
        where = "listener=test room=room-1 seat=1 peer=Ada@10.0.0.1:4711"
        self.assertEqual(self.said(), [f"refused unknown-word: {where}: {LINE}"])

    def test_after_the_first_ten_of_a_peer_they_are_counted(self) -> None:
        for _ in range(50):
            self.log.add(self.peer, REFUSAL)
        self.assertEqual(len(self.said()), KEPT)
        with capturedLogs() as logs:
            self.log.ended(self.peer)
        self.assertEqual(sentences(logs), ["refused in all: peer=Ada@10.0.0.1:4711: 50 unknown-word"])
        self.assertEqual(self.stats.refusals["unknown-word"], 50)

    def test_a_crowd_is_logged_at_a_limited_rate(self) -> None:
        for number in range(A_SECOND + 30):
            self.log.add(self.from_address(number), REFUSAL)
        with capturedLogs() as logs:
            self.clock.turn()
        self.assertEqual(len(sentences(logs)), A_TURN)
        self.assertEqual(len(self.said()), A_SECOND - A_TURN)
        self.assertEqual(len(self.said(1.0)), 30)
        self.log.add(Peer("later"), REFUSAL)
        self.assertEqual(len(self.said()), 1)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def from_address(self, number: int) -> Peer:
        peer = Peer(f"10.0.{number // 250}.{number % 250}:4711")
        peer.address = peer.name.partition(":")[0]
        return peer

    def test_a_flood_from_two_addresses_hides_nobody_else(self) -> None:
        students = [self.from_address(2 + number) for number in range(6)]
        for _ in range(1_000):
            for flooder in (0, 1):
                self.log.add(self.from_address(flooder), REFUSAL)
        for student in students:
            self.log.add(student, REFUSAL)
        said = self.said()
        self.assertEqual([sum(student.name in line for line in said[:8]) for student in students], [1] * 6)
        self.assertEqual(len(said), A_SECOND)
        self.assertEqual(len(self.said(1.0)), 2 * WAITING + 6 - A_SECOND)
        self.assertEqual(self.said(1.0), [f"refused, not logged one by one: {2_000 - 2 * WAITING} unknown-word"])

    def test_of_many_addresses_only_so_many_wait(self) -> None:
        for number in range(ADDRESSES + 5):
            self.log.add(self.from_address(number), REFUSAL)
        for _ in range(ADDRESSES // A_SECOND - 1):
            self.assertEqual(len(self.said(1.0)), A_SECOND)
        self.said(1.0)
        self.assertEqual(self.said(1.0), ["refused, not logged one by one: 5 unknown-word"])

    def test_watchers_are_told_and_a_fault_of_one_harms_nobody(self) -> None:
        watching = Watching()

        def fault(*_: Any) -> None:
            raise ZeroDivisionError

        self.log.watchers += [fault, watching.take]
        self.log.add(self.peer, REFUSAL)
        self.said()
        self.assertEqual(watching.seen, [("listener=test peer=Ada@10.0.0.1:4711", LINE)])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_a_code_is_not_shown_that_is_used_up_before_the_line_is_written(self) -> None:
        codes = {"0a1b2c3d-1111-4222-8333-444455556666"}
        self.log.is_code = codes.__contains__
        self.log.add(self.peer, Refusal("x", "y", text=b"0a1b2c3d-1111-4222-8333-444455556666"))
        codes.clear()
        self.assertNotIn("0a1b2c3d", self.said()[0])

    def test_those_of_a_room_stay_when_the_peer_has_left(self) -> None:
        self.log.add(self.peer, REFUSAL, "room-1", 1)
        ((seat, name),) = self.log.of("room-1")
        self.assertEqual((seat, name), (1, "Ada@10.0.0.1:4711"))
        self.assertEqual(self.log.of("room-1")[seat, name].first, [REFUSAL])
        self.assertEqual(self.log.of("room-2"), {})

    def test_only_the_newest_rooms_are_kept(self) -> None:
        for number in range(ROOMS + 5):
            self.log.add(Peer("a"), REFUSAL, f"room-{number}", 0)
        self.assertEqual(self.log.of("room-4"), {})
        self.assertEqual(len(self.log.of("room-5")), 1)
