"""The phases of a session: each transition of the table, made by what really happens to a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from twisted.internet.interfaces import ISSLTransport
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from gamed.net.factory import SessionFactory
from gamed.net.limits import ConnectionLimits
from gamed.net.phase import (
    CAUGHT_UP,
    CLOSED,
    DEAF,
    HANDS_SHAKEN,
    LEFT,
    PEER_ENDED,
    RATE_EXCEEDED,
    RATE_REFILLED,
    SEATS_EMPTIED,
    SHARE_EXCEEDED,
    SILENCED,
    TABLE,
    Occasion,
    Phase,
)
from gamed.net.session import Session
from tests.lobby.doubles import Turns
from tests.net.test_floods import ADDRESS, Lines, Listening

RATE = 10.0


@implementer(ISSLTransport)
class Secure(StringTransport):  # type: ignore[misc]
    """A transport whose TLS shakes hands when a test says so."""

    def setTcpNoDelay(self, enabled: bool) -> None:
        pass

    def setTcpKeepAlive(self, enabled: bool) -> None:
        pass


class TableTests(SynchronousTestCase):
    def test_each_phase_can_be_reached_and_leads_to_the_end(self) -> None:
        self.assertEqual(self.reached_from(Phase.HANDSHAKING), set(Phase))
        for phase in Phase:
            self.assertIn(Phase.GONE, self.reached_from(phase))

    @staticmethod
    def reached_from(phase: Phase) -> set[Phase]:
        reached, new = set[Phase](), {phase}
        while new:
            reached |= new
            new = {occasion.then[one] for one in new for occasion in TABLE if one in occasion.then} - reached
        return reached

    def test_nothing_is_heard_again_of_who_is_not_heard(self) -> None:
        for phase in DEAF:
            self.assertLessEqual(self.reached_from(phase), DEAF)

    def test_who_is_silenced_is_deaf_in_each_phase(self) -> None:
        self.assertLessEqual({SILENCED.then[phase] for phase in Phase}, DEAF)

    def test_who_has_ended_leaves_in_each_phase(self) -> None:
        self.assertLessEqual({PEER_ENDED.then[phase] for phase in set(Phase) - LEFT}, LEFT)

    def test_what_cannot_happen_raises(self) -> None:
        session: Any = Session.__new__(Session)
        for phase in set(Phase) - RATE_REFILLED.then.keys():
            session.phase = phase
            self.assertRaises(KeyError, session._go, RATE_REFILLED)

    def test_nobody_comes_back_who_has_left(self) -> None:
        for phase in LEFT:
            self.assertLessEqual(self.reached_from(phase), LEFT)


class SessionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Turns()
        limits = ConnectionLimits("lines", 1_000, 1_000)
        reception: Any = Listening(lambda: None)
        self.factory = SessionFactory(limits, self.clock, unsent_bytes=1_000, messages_per_second=RATE)
        self.factory.connect, self.factory.reception = Lines, reception
        self.ways: Mapping[Phase, Callable[[Session], object]] = {
            Phase.HANDSHAKING: lambda _: None,
            Phase.OPEN: Session.handshakeCompleted,
            Phase.QUEUED: self.exceed_share,
            Phase.RATED: lambda session: session.dataReceived(b"x\n" * 11),
            Phase.MUTED: Session.mute,
            Phase.CLOSING: Session.close,
            Phase.LEAVING: self.end,
            Phase.DEPARTING: lambda session: (session.mute(), self.end(session)),
            Phase.GONE: lambda session: (self.end(session), self.go_on()),
        }
        self.causes: Mapping[Occasion, Callable[[Session], object]] = {
            HANDS_SHAKEN: Session.handshakeCompleted,
            SHARE_EXCEEDED: self.exceed_share,
            RATE_EXCEEDED: self.exceed_rate,
            CAUGHT_UP: lambda _: self.go_on(),
            RATE_REFILLED: lambda _: self.clock.turn(2.0),
            SILENCED: Session.mute,
            # It is muted already where this means anything.
            CLOSED: Session.close,
            PEER_ENDED: self.end,
            SEATS_EMPTIED: lambda _: self.go_on(),
        }

    def exceed_share(self, session: Session) -> None:
        """Have something wait in the fair queue: nothing is served while all is held."""
        self.factory.hold(True)
        session.dataReceived(b"x\n")

    def exceed_rate(self, session: Session) -> None:
        assert session.inbox.rate is not None
        session.inbox.rate.take(session.inbox.rate.level(self.clock.seconds()))
        if session.phase is Phase.OPEN:
            session.dataReceived(b"x\n")
        else:
            self.go_on()

    def end(self, session: Session) -> None:
        """Have the peer end, while its turn in the fair queue does not come."""
        self.factory.hold(True)
        session.readConnectionLost()

    def go_on(self) -> None:
        self.factory.hold(False)
        self.clock.turn()

    def session(self, phase: Phase) -> Session:
        """Return a session in a phase."""
        self.factory.hold(False)
        session = self.factory.buildProtocol(ADDRESS)
        assert session is not None
        shakes_hands = phase in {Phase.HANDSHAKING, Phase.OPEN}
        session.makeConnection((Secure if shakes_hands else StringTransport)(peerAddress=ADDRESS))
        # Its share fills.
        self.clock.turn(2.0)
        self.ways[phase](session)
        self.assertIs(session.phase, phase)
        return session

    def test_each_transition(self) -> None:
        for occasion in TABLE:
            for phase, then in occasion.then.items():
                session = self.session(phase)
                self.causes[occasion](session)
                self.assertIs(session.phase, then, (phase, occasion.text))

    def test_what_peers_and_rooms_do_at_any_time(self) -> None:
        for phase in Phase:
            for occasion in (SILENCED, PEER_ENDED):
                session = self.session(phase)
                # So that the fair queue does not empty the seats at once.
                self.factory.hold(True)
                self.causes[occasion](session)
                self.assertIs(session.phase, occasion.then.get(phase, phase), (phase, occasion.text))

    def test_who_is_muted_in_the_queue_and_leaves_departs_once(self) -> None:
        session = self.session(Phase.QUEUED)
        session.mute()
        session.readConnectionLost()
        self.go_on()
        self.clock.turn()
        reception: Any = self.factory.reception
        self.assertEqual((session.phase, reception.heard), (Phase.GONE, [b"departed"]))
