"""What gamed uses of Twisted's network without Twisted having promised it. A failure here says what to do."""

from __future__ import annotations

import select
import socket
from typing import Any

from twisted.internet import posixbase, tcp
from twisted.internet.base import ReactorBase
from twisted.internet.error import ConnectionDone
from twisted.internet.main import CONNECTION_DONE
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

import twisted
from gamed.net.sockets import read_at_most
from gamed.net.turn_reactor import TurnReactor
from gamed.net.twisted_private import PolledReader, accept_with

CHANGED = f"Twisted {twisted.__version__} has changed"
READ = f"{CHANGED} how its reactors read: PolledReader in gamed/net/twisted_private.py is to do it in the new way"
ACCEPT = f"{CHANGED} how a port accepts: see tcp.Port.doRead, and change accept_with in gamed/net/twisted_private.py"
INPUT = f"{CHANGED} its reactor for epoll: see EPollReactor._poller, and change gamed/net/turn_reactor.py"
SIZE = f"{CHANGED} how much connections read at a time: see tcp.Connection, and change read_at_most of sockets.py"
CONTEXT = f"{CHANGED} its reactor for epoll: see EPollReactor.doPoll, and change gamed/net/turn_reactor.py"
PASS = f"{CHANGED} its reactors' main loop: see ReactorBase.mainLoop, and change gamed/net/turn_reactor.py"


class Reads(PolledReader):
    def __init__(self) -> None:
        self._reads: dict[int, Any] = {}


class Reader:
    """A descriptor that says why it has ended."""

    def __init__(self, why: Any) -> None:
        self.why, self.read, self.lost = why, 0, list[Failure]()

    def fileno(self) -> int:
        return 7

    def doRead(self) -> Any:
        self.read += 1
        return self.why

    def connectionLost(self, reason: Failure) -> None:
        self.lost.append(reason)


class PollTests(SynchronousTestCase):
    def reads(self, why: Any, event: int) -> Reader:
        reads, reader = Reads(), Reader(why)
        reads._reads[7] = reader
        reads.removeReader = reads.removeWriter = lambda _: None  # type: ignore[attr-defined]
        reads.read(reader, 7, event)
        return reader

    def test_what_has_come_is_read(self) -> None:
        for name in ("_doReadOrWrite", "_POLL_IN", "_POLL_OUT", "_POLL_DISCONNECTED"):
            self.assertTrue(hasattr(posixbase._PollLikeMixin, name) or hasattr(PolledReader, name), READ)
        reader = self.reads(None, select.EPOLLIN)
        self.assertEqual((reader.read, reader.lost), (1, []), READ)

    def test_what_has_ended_is_told_so(self) -> None:
        for why, event in ((CONNECTION_DONE, select.EPOLLIN), (None, select.EPOLLHUP)):
            reader = self.reads(why, event)
            self.assertEqual([failure.check(ConnectionDone) for failure in reader.lost], [ConnectionDone], READ)


class PortTests(SynchronousTestCase):
    def test_a_port_accepts_one_connection_a_turn_for_the_reactor_it_is_given(self) -> None:
        first, second = MemoryReactorClock(), MemoryReactorClock()
        made: list[Any] = []

        class Factory:
            def buildProtocol(self, _address: Any) -> None:
                made.append(port.numberAccepts)

            def doStart(self) -> None:
                """Nothing to begin."""

            def doStop(self) -> None:
                """Nothing to end."""

        port: Any = tcp.Port(0, Factory(), interface="127.0.0.1", reactor=first)
        port.startListening()
        self.addCleanup(port.connectionLost, Failure(ConnectionDone()))
        accept_with(port, second)
        self.assertEqual((first.getReaders(), second.getReaders()), ([], [port]), ACCEPT)
        peers = [socket.create_connection(("127.0.0.1", port.getHost().port)) for _ in range(3)]
        for peer in peers:
            self.addCleanup(peer.close)
        port.doRead()
        self.assertEqual(len(made), 1, ACCEPT)


class ReadSizeTests(SynchronousTestCase):
    def test_a_connection_reads_no_more_than_it_is_told_to(self) -> None:
        near, far = socket.socketpair()
        self.addCleanup(near.close)
        self.addCleanup(far.close)
        heard: list[bytes] = []

        class Protocol:
            def dataReceived(self, data: bytes) -> None:
                heard.append(data)

        connection: Any = tcp.Connection(near, Protocol(), MemoryReactorClock())
        read_at_most(connection, 5)
        far.send(b"0123456789")
        connection.doRead()
        self.assertEqual(heard, [b"01234"], SIZE)


class PollWithoutContextTests(SynchronousTestCase):
    def test_what_is_ready_is_read_and_a_fault_is_logged(self) -> None:
        reactor = TurnReactor()
        self.addCleanup(reactor._poller.close)
        pairs = [socket.socketpair() for _ in range(2)]
        heard: list[bytes] = []

        class Broken:
            def fileno(self) -> int:
                return pairs[0][0].fileno()

            def logPrefix(self) -> str:
                raise AssertionError("a context was made")

            def doRead(self) -> ConnectionDone:
                heard.append(pairs[0][0].recv(9))
                return CONNECTION_DONE

            def connectionLost(self, _reason: Failure) -> None:
                raise ZeroDivisionError

        class Protocol:
            def dataReceived(self, data: bytes) -> None:
                heard.append(data)

        for pair in pairs:
            for end in pair:
                self.addCleanup(end.close)
        reactor.addReader(Broken())  # type: ignore[no-untyped-call]
        connection: Any = tcp.Connection(pairs[1][0], Protocol(), reactor)  # type: ignore[arg-type]
        reactor.addReader(connection)  # type: ignore[no-untyped-call]
        for pair in pairs:
            pair[1].send(b"a move")
        reactor.doIteration(0)
        self.assertEqual(heard, [b"a move"] * 2, CONTEXT)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)


class InputTests(SynchronousTestCase):
    def test_it_is_known_whether_input_waits(self) -> None:
        reactor = TurnReactor()
        near, far = socket.socketpair()
        self.addCleanup(near.close)
        self.addCleanup(far.close)
        self.addCleanup(reactor._poller.close)
        connection: Any = tcp.Connection(near, None, reactor)
        reactor.addReader(connection)
        self.assertFalse(reactor.has_input())
        far.send(b"a move")
        self.assertTrue(reactor.has_input(), INPUT)


class PassTests(SynchronousTestCase):
    def test_reactors_poll_in_a_method_that_they_look_up_at_each_pass(self) -> None:
        self.assertIn("doIteration", ReactorBase.mainLoop.__code__.co_names, PASS)
