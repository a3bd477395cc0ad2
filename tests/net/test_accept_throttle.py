"""Who comes waits at the door: a crowd there takes a slice of a turn of the reactor, and nobody is passed over."""

from __future__ import annotations

import select
import socket
from typing import Any

from attrs import define, field
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IHalfCloseableDescriptor
from twisted.internet.main import CONNECTION_DONE
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer
from zope.interface.verify import verifyObject

from gamed.net.accept_throttle import AcceptThrottle, IReactorFDSet, IReadDescriptor, accept_throttle_of
from gamed.process.fairness import ACCEPT_DESCRIPTORS as AT_ONCE
from gamed.process.fairness import ACCEPT_SLICE as SLICE
from gamed.process.fairness import TurnBudget


class Reactor(MemoryReactorClock):  # type: ignore[misc]
    """One that is asked for nothing but its clock and its readers and writers. `cost`: seconds that each look takes."""

    cost = 0.0

    def seconds(self) -> float:
        self.rightNow += self.cost
        return float(self.rightNow)


@implementer(IReadDescriptor)
@define(eq=False, slots=False)
class Reader:
    """One end of a socketpair, as Twisted's transports are read."""

    reactor: Any
    near: socket.socket
    far: socket.socket
    heard: list[bytes] = field(factory=list)
    lost: list[Failure] = field(factory=list)
    fault: Exception | None = None

    def fileno(self) -> int:
        return self.near.fileno()

    def doRead(self) -> Any:
        if self.fault is not None:
            raise self.fault
        data = self.near.recv(1)
        self.heard.append(data)
        return None if data else CONNECTION_DONE

    def startReading(self) -> None:
        self.reactor.addReader(self)

    def stopReading(self) -> None:
        self.reactor.removeReader(self)

    def resumeProducing(self) -> None:
        self.startReading()

    def connectionLost(self, reason: Failure) -> None:
        self.lost.append(reason)
        self.near.close()

    def logPrefix(self) -> str:
        return "reader"


@implementer(IHalfCloseableDescriptor)
class HalfCloseable(Reader):
    def readConnectionLost(self, reason: Failure) -> None:
        self.lost.append(reason)

    def writeConnectionLost(self, reason: Failure) -> None:
        raise AssertionError(reason)


class Listening:
    """What is asked of a port."""

    def __init__(self, reactor: Any) -> None:
        self.reactor = reactor
        self.numberAccepts = 100
        self.accepted: list[int] = []
        self.log: list[tuple[str, Any]] = []

    def doRead(self) -> None:
        self.accepted.append(self.numberAccepts)
        self.numberAccepts += 20

    def stopReading(self) -> None:
        self.log.append(("stop", self.reactor))

    def startReading(self) -> None:
        self.log.append(("start", self.reactor))


class AcceptThrottleTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor = Reactor()
        self.budget = TurnBudget(self.reactor.seconds)
        self.accept_throttle = AcceptThrottle(self.reactor, self.budget)
        self.addCleanup(self.accept_throttle._poller.close)

    def come(self, kind: type[Reader] = Reader) -> Reader:
        """Return one that is read at the door."""
        near, far = socket.socketpair()
        self.addCleanup(near.close)
        self.addCleanup(far.close)
        reader = kind(self.accept_throttle, near, far)
        reader.startReading()
        return reader

    def test_it_is_what_a_reactor_asks_for_and_a_transport(self) -> None:
        verifyObject(IReactorFDSet, self.accept_throttle)
        verifyObject(IReadDescriptor, self.accept_throttle)
        self.assertEqual(self.accept_throttle.logPrefix(), "accept throttle")

    def test_what_is_not_about_reading_is_the_reactors(self) -> None:
        called: list[int] = []
        self.accept_throttle.callLater(1.0, called.append, 1)
        self.accept_throttle.addWriter("writer")
        self.reactor.advance(1.0)
        self.assertEqual((called, self.reactor.getWriters()), ([1], ["writer"]))

    def test_it_stands_in_the_reactor_while_somebody_is_there(self) -> None:
        first, second = self.come(), self.come()
        self.assertEqual(self.reactor.getReaders(), [self.accept_throttle])
        first.startReading()
        first.stopReading()
        first.stopReading()
        self.assertEqual(self.reactor.getReaders(), [self.accept_throttle])
        second.stopReading()
        self.assertEqual(self.reactor.getReaders(), [])

    def test_it_is_ready_when_one_of_them_is(self) -> None:
        reader = self.come()
        ready, _, _ = select.select([self.accept_throttle], [], [], 0)
        self.assertEqual(ready, [])
        reader.far.send(b"a")
        ready, _, _ = select.select([self.accept_throttle], [], [], 0)
        self.assertEqual(ready, [self.accept_throttle])
        self.accept_throttle.doRead()
        self.assertEqual(reader.heard, [b"a"])
        ready, _, _ = select.select([self.accept_throttle], [], [], 0)
        self.assertEqual(ready, [])

    def test_a_crowd_takes_a_slice_a_turn_and_nobody_is_passed_over(self) -> None:
        readers = [self.come() for _ in range(3 * AT_ONCE)]
        for reader in readers:
            reader.far.send(b"abcdef")
        self.reactor.cost = SLICE
        counts = []
        for _ in range(3):
            self.accept_throttle.doRead()
            counts.append(sum(len(reader.heard) for reader in readers))
        self.assertEqual(counts, [AT_ONCE, 2 * AT_ONCE, 3 * AT_ONCE])
        self.assertEqual([reader.heard for reader in readers], [[b"a"]] * len(readers))

    def test_nobody_is_served_twice_in_a_turn(self) -> None:
        first, second = self.come(), self.come()
        for _ in range(2):
            first.far.send(b"ab")
        second.far.send(b"c")
        self.accept_throttle.doRead()
        self.assertEqual((first.heard, second.heard), ([b"a"], [b"c"]))

    def test_while_the_slice_lasts_all_are_served(self) -> None:
        readers = [self.come() for _ in range(3 * AT_ONCE)]
        for reader in readers:
            reader.far.send(b"a")
        self.accept_throttle.doRead()
        self.assertEqual([reader.heard for reader in readers], [[b"a"]] * len(readers))

    def test_who_leaves_is_lost(self) -> None:
        reader = self.come()
        reader.far.close()
        self.accept_throttle.doRead()
        self.assertEqual([failure.type for failure in reader.lost], [ConnectionDone])
        self.assertEqual(self.reactor.getReaders(), [])

    def test_who_closes_one_side_is_told_so(self) -> None:
        reader = self.come(HalfCloseable)
        reader.far.shutdown(socket.SHUT_WR)
        self.accept_throttle.doRead()
        self.assertEqual([failure.type for failure in reader.lost], [ConnectionDone])
        self.assertNotEqual(reader.fileno(), -1)
        self.assertEqual(self.reactor.getReaders(), [])

    def test_a_fault_costs_one_its_connection_and_nobody_else_anything(self) -> None:
        bad, good = self.come(), self.come()
        bad.fault = ZeroDivisionError()
        for reader in (bad, good):
            reader.far.send(b"a")
        self.accept_throttle.doRead()
        self.assertEqual([failure.type for failure in bad.lost], [ZeroDivisionError])
        self.assertEqual(good.heard, [b"a"])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_who_is_removed_by_another_of_the_same_look_is_not_read(self) -> None:
        readers = [self.come() for _ in range(2)]
        for reader in readers:
            reader.far.send(b"a")

        def leave(one: Reader, other: Reader) -> None:
            def read() -> None:
                one.heard.append(one.near.recv(1))
                other.stopReading()

            one.doRead = read  # type: ignore[method-assign]

        leave(*readers)
        leave(*reversed(readers))
        self.accept_throttle.doRead()
        self.assertEqual(sorted(reader.heard for reader in readers), [[], [b"a"]])

    def test_one_that_is_closed_and_removed_can_be_removed_again(self) -> None:
        reader = self.come()
        reader.stopReading()
        reader.near.close()
        reader.stopReading()
        self.assertEqual(self.reactor.getReaders(), [])

    def test_let_in_it_is_the_reactors(self) -> None:
        reader, other = self.come(), self.come()
        self.accept_throttle.let_in(reader)
        self.assertIs(reader.reactor, self.reactor)
        self.assertEqual(set(self.reactor.getReaders()), {reader, self.accept_throttle})
        self.accept_throttle.let_in(reader)
        other.stopReading()
        self.assertEqual(self.reactor.getReaders(), [reader])

    def test_let_in_while_nothing_is_read_of_it_it_is_not_read(self) -> None:
        reader = self.come()
        reader.stopReading()
        self.accept_throttle.let_in(reader)
        self.assertIs(reader.reactor, self.reactor)
        self.assertEqual(self.reactor.getReaders(), [])

    def test_what_never_was_at_the_door_is_left_alone(self) -> None:
        reader = self.come()
        reader.stopReading()
        reader.reactor = self.reactor
        reader.startReading()
        self.accept_throttle.let_in(reader)
        self.accept_throttle.let_in(object())
        self.assertEqual(self.reactor.getReaders(), [reader])

    def test_a_port_accepts_one_at_a_time_at_the_door(self) -> None:
        port = Listening(self.reactor)
        self.accept_throttle.keep(port)
        self.assertEqual(port.log, [("stop", self.reactor), ("start", self.accept_throttle)])
        for _ in range(3):
            port.doRead()
        self.assertEqual(port.accepted, [1, 1, 1])

    def test_who_is_not_heard_any_longer_is_read_here_again(self) -> None:
        reader = self.come()
        self.accept_throttle.let_in(reader)  # type: ignore[arg-type]
        self.assertIs(reader.reactor, self.reactor)
        reader.far.send(b"a")
        self.accept_throttle.doRead()
        self.assertEqual(reader.heard, [])
        self.accept_throttle.put_out(reader)  # type: ignore[arg-type]
        self.accept_throttle.doRead()
        self.assertEqual((reader.reactor, reader.heard), (self.accept_throttle, [b"a"]))
        self.accept_throttle.put_out(reader)  # type: ignore[arg-type]
        self.assertEqual(list(self.accept_throttle._reads.values()), [reader])

    def test_there_is_none_without_epoll(self) -> None:
        accept_throttle = accept_throttle_of(self.reactor, self.budget)
        assert accept_throttle is not None
        accept_throttle._poller.close()
        self.patch(select, "epoll", None)
        del select.epoll
        self.assertIsNone(accept_throttle_of(self.reactor, self.budget))
