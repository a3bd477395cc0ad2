"""Who gets how much of a reactor turn. All numbers are here, so that their sum can be seen.

A move is relayed in a fraction of a millisecond, and nothing may keep it waiting for much longer. Whatever else there
is to do, however much of it, has a slice of each turn, and waits when the slice is over:

* connections that have said nothing whole yet, and peers that are not heard any longer: `ACCEPT_SLICE`
  (`gamed/net/accept_throttle.py`);
* sessions above their share, all game listeners together: `QUEUE_SLICE` (`gamed/net/fair_queue.py`, round robin);
* web requests, all together: `QUEUE_SLICE`, in a queue of their own;
* streams and lists for browsers: `STREAMS_SLICE`, but a single piece where input waits, and none for `STREAMS_PAUSE`
  after it (`cooperator`, below);
* ended matches: one chunk of a record or of a review a turn (`gamed/lobby/match_recorder.py`);
* each console session: `CONSOLE_BYTES`, and no more than a line (`gamed/console/input_throttle.py`).

Several slices in one turn make a long turn. So the first three share one budget, `TURN`, which begins when the first of
them is served: what those before have used, and the moves between them, leaves less to those after (`TurnBudget`).

Records that browsers read are worked on in a thread. Python's threads take turns every few milliseconds only, so the
thread sleeps for `WORKER_PAUSE` after each `WORKER_SLICE` (`gamed/web/thread_cooperator.py`).

Seconds, unless the name says otherwise. A slice limits when the last thing is begun, which may overrun it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import define
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Cooperator

SHARE: Final = 20.0
"""Messages a second that a session has served when they are read, in the long run: more than any player needs who
thinks, and so few that a thousand who flood are bearable."""

STORE: Final = 40.0
"""Messages of its share that a session may have in store. It has none when it comes: those who come to flood wait."""

MESSAGES_AT_ONCE: Final = 4
"""Messages of a session that are taken in one go, in the queue or not: an ordinary answer has no more."""

TURN: Final = 0.001
"""What all that may wait has of one turn together."""

LEAST: Final = 0.0001
"""What each of them has in any case: a thing or two, so that nobody waits forever."""

QUEUE_SLICE: Final = 0.0005

ACCEPT_SLICE: Final = 0.0005
"""What was begun in it is done to its end."""

ACCEPT_DESCRIPTORS: Final = 4
"""Descriptors that are looked at in one go."""

STREAMS_SLICE: Final = 0.0001
STREAMS_PAUSE: Final = 0.0015

CONSOLE_BYTES: Final = 256
"""Bytes of a console session that are taken in a turn, if no line ends before."""

WORKER_SLICE: Final = 0.0005
WORKER_PAUSE: Final = 0.0002
"""Long enough to give the interpreter away."""


@define(eq=False)
class TurnBudget:
    """The moment at which, in the present turn of the reactor, all that may wait has had its time."""

    seconds: Callable[[], float]
    """The reactor's clock."""

    passes: Callable[[], int] | None = None
    """Counts the reactor's turns; None: each call of `until` begins one."""

    _turn: int = -1
    _ends: float = 0.0

    def until(self, slice_: float) -> float:
        """Return when somebody's slice is over, which begins now: the sooner the more of the turn others have had."""
        now = self.seconds()
        turn = self._turn + 1 if self.passes is None else self.passes()
        if turn != self._turn:
            self._turn, self._ends = turn, now + TURN
        return now + max(LEAST, min(slice_, self._ends - now))


def cooperator(
    clock: IReactorTime, *, slice_: float, pause: float, now: Callable[[], float], is_awaited: Callable[[], bool]
) -> Cooperator:
    """Return what does jobs side by side: for a slice, and then nothing for a pause. `now` measures the slice.

    A slice ends early when something has come that the reactor should look at (`is_awaited`), a move for instance.
    """

    def begin() -> Callable[[], bool]:
        ends = now() + slice_
        return lambda: now() >= ends or is_awaited()

    return Cooperator(begin, lambda call: clock.callLater(pause, call))
