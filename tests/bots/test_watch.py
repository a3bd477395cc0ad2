"""A viewer on a transport: it holds its `ok`, and asks who waits."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransportWithDisconnection
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamed.bots.play import BotError
from gamed.bots.watch import ASK_AGAIN, Watcher
from gamed.games.roborally.screen import Frame
from gamed.games.roborally.viewer import Viewer

COURSE = b"__ _B_F(N,1,()())_ __ #B#G_ __ .\n(1,1)(1,2)\n"


class WatcherTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.frames, self.done = Clock(), list[Frame](), Deferred[None]()
        self.watcher = Watcher(Viewer("Tafel", pace=0.4), self.frames.append, self.done, self.clock)
        self.transport = StringTransportWithDisconnection()
        self.transport.protocol = self.watcher
        self.transport.setTcpNoDelay = lambda _enabled: None  # type: ignore[attr-defined]
        self.watcher.makeConnection(self.transport)

    def said(self, data: bytes = b"") -> bytes:
        """Tell the watcher something; return what it has said since the last time."""
        if data:
            self.watcher.dataReceived(data)
        said: bytes = self.transport.value()
        self.transport.clear()
        return said

    def test_it_asks_who_waits_until_the_game_starts(self) -> None:
        self.said(b"ok\n" + COURSE + b"()\n")
        self.clock.advance(ASK_AGAIN)
        self.assertEqual(self.said(), b"GSN\n")
        self.said(b"(Anna,)\n")
        self.assertEqual([frame.facts["waiting"] for frame in self.frames], [[], ["Anna"]])
        self.assertEqual(self.said(b"NTS\n"), b"GSN\nok\n")
        self.clock.pump([ASK_AGAIN] * 3)
        self.assertEqual(self.said(), b"")

    def test_it_shows_the_step_and_holds_the_ok(self) -> None:
        self.said(b"ok\n" + COURSE + b"()\nNTS\n(Anna,Bert,)\nNTC(Anna,)\n")
        before = len(self.frames)
        self.said(b"RS(N,(1,1),1,(1,1),0,3,()t,f,)\nSA()\nSS(LAU)\n")
        self.assertEqual(len(self.frames), before + 1)
        self.clock.advance(0.39)
        self.assertEqual(self.said(b"TO(60)\n"), b"")
        self.clock.advance(0.01)
        self.assertEqual(self.said(), b"ok\n")

    def test_nothing_is_left_behind_where_the_game_breaks_off(self) -> None:
        self.said(b"ok\n" + COURSE + b"()\nNTS\n(Anna,Bert,)\nNTC(Anna,)\n")
        self.said(b"RS(N,(1,1),1,(1,1),0,3,()t,f,)\nSA()\nSS(LAU)\n")
        self.watcher.connectionLost(Failure(ConnectionDone()))
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.failureResultOf(self.done, BotError)
