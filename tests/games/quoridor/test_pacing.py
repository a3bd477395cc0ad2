"""Mails that are held back after a move: how long, in which order, and for whom."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.table import Addressed
from gamed.games.quoridor.pacing import ANIMATED, Outbox
from gamed.games.quoridor.signup import Call
from gamed.games.quoridor.wire import Told

PACE = 1.5


def mail(seat: int, call: Call, number: int = 0) -> Addressed:
    return Addressed(seat, Told(call, number))


class OutboxTests(SynchronousTestCase):
    def test_without_a_pace_nothing_waits(self) -> None:
        box = Outbox(0.0)
        events = (mail(0, Call.PLAY), mail(0, Call.PLAY))
        self.assertEqual(box.post(events, 1.0), events)
        self.assertIsNone(box.due)
        self.assertEqual(box.release(9.0), ())

    def test_after_a_move_the_next_mail_waits(self) -> None:
        box = Outbox(PACE)
        first, second = mail(0, Call.WAIT, 1), mail(0, Call.PLAY, 2)
        self.assertEqual(box.post((first,), 10.0), (first,))
        self.assertEqual(box.post((second,), 10.1), ())
        self.assertEqual(box.due, 10.0 + PACE)
        self.assertEqual(box.release(11.4), ())
        self.assertEqual(box.release(11.5), (second,))
        self.assertIsNone(box.due)

    def test_who_was_told_long_ago_does_not_wait(self) -> None:
        box = Outbox(PACE)
        box.post((mail(0, Call.WAIT),), 10.0)
        late = mail(0, Call.PLAY)
        self.assertEqual(box.post((late,), 11.5), (late,))

    def test_mails_to_others_do_not_wait(self) -> None:
        box = Outbox(PACE)
        one, other = mail(0, Call.WAIT), mail(1, Call.PLAY)
        self.assertEqual(box.post((one, other), 10.0), (one, other))
        self.assertEqual(box.post((mail(0, Call.PLAY), mail(2, Call.WAIT)), 10.0), (mail(2, Call.WAIT),))

    def test_after_what_is_no_move_nothing_waits(self) -> None:
        box = Outbox(PACE)
        for call in set(Call) - ANIMATED:
            self.assertEqual(box.post((mail(0, call),), 10.0), (mail(0, call),))

    def test_what_is_no_move_does_not_overtake(self) -> None:
        box = Outbox(PACE)
        box.post((mail(0, Call.WAIT),), 10.0)
        late = (mail(0, Call.LOST), mail(0, Call.START2PLAY), mail(0, Call.PLAY))
        self.assertEqual(box.post(late, 10.0), ())
        self.assertEqual(box.release(11.5), late[:1])
        self.assertEqual(box.due, 13.0)
        self.assertEqual(box.release(13.0), late[1:])
        self.assertIsNone(box.due)

    def test_who_has_gone_is_forgotten(self) -> None:
        box = Outbox(PACE)
        box.post((mail(0, Call.WAIT), mail(0, Call.PLAY)), 10.0)
        box.forget(0)
        box.forget(3)
        self.assertIsNone(box.due)
        self.assertEqual(box.release(99.0), ())

    @settings(deadline=None, max_examples=100)
    @given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(list(Call)), st.floats(0, 2)), max_size=20))
    def test_each_gets_all_in_order_and_no_move_too_early(self, posted: list[tuple[int, Call, float]]) -> None:
        box, now = Outbox(PACE), 0.0
        sent: list[Addressed] = []
        left: list[tuple[float, Addressed]] = []
        for number, (seat, call, passed) in enumerate(posted):
            while box.due is not None and box.due <= now + passed:
                due = box.due
                left += [(due, one) for one in box.release(due)]
            now += passed
            sent.append(mail(seat, call, number))
            left += [(now, one) for one in box.post((sent[-1],), now)]
        while box.due is not None:
            now = box.due
            left += [(now, one) for one in box.release(now)]
        for seat in range(3):
            events = [(at, one) for at, one in left if one.seat == seat]
            self.assertEqual([one for _, one in events], [one for one in sent if one.seat == seat])
            for (at, one), (then, _) in pairwise(events):
                if one.event.call in ANIMATED:
                    self.assertGreaterEqual(then - at, PACE - 1e-9)
