"""How a reactor turn is divided. All its limits are here, so that their sum can be seen.

Relaying a move takes a fraction of a millisecond, and no other work may delay it by much more. So any other work has a
slice of each turn, however much of it there is, and what exceeds the slice waits for the next turn:

* new connections without a complete message, and muted peers: `ACCEPT_SLICE` (`gamed/net/accept_throttle.py`);
* sessions above their share, of all game listeners together: `QUEUE_SLICE` (`gamed/net/fair_queue.py`, round robin);
* web requests, all together: `QUEUE_SLICE`, in a queue of their own;
* streams and lists for browsers: `STREAMS_SLICE`, but only one step if input is waiting, and then a pause of
  `STREAMS_PAUSE` (`cooperator`, below);
* ended matches: one chunk of a record or of a review a turn (`gamed/lobby/match_recorder.py`), and `STORED_AT_ONCE` of
  those that the database has stored (`gamed/store/sql.py`);
* each console session: `CONSOLE_BYTES`, and at most a line (`gamed/console/input_throttle.py`).

Several slices in one turn would make a long turn. So the first three share one budget, `TURN`, which begins when the
first of them is served. The time that they use, and the moves between them, is taken from those that follow
(`TurnBudget`).

Records for browsers are read in a thread. Python switches between threads only every few milliseconds, so the thread
sleeps for `WORKER_PAUSE` after each `WORKER_SLICE` (`gamed/web/thread_cooperator.py`).

The numbers are seconds, unless the name says otherwise. No work begins after its slice is over, but work that has begun
may overrun it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import define
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Cooperator

SHARE: Final = 20.0
"""Messages a second of one session that are served as soon as they are read, in the long run: more than a player needs,
and so few that a thousand sessions that flood are bearable."""

STORE: Final = 40.0
"""The capacity of a session's bucket for its share. It is empty at first, so a client that floods at once must wait."""

MESSAGES_AT_ONCE: Final = 4
"""Messages of a session that are served in one go, in the fair queue or not. An ordinary answer has no more."""

TURN: Final = 0.001
"""The budget that the first three slices share in one turn."""

LEAST: Final = 0.0001
"""The part that each of them gets even if the budget is used up, so that none of them starves."""

QUEUE_SLICE: Final = 0.0005

ACCEPT_SLICE: Final = 0.0005

ACCEPT_DESCRIPTORS: Final = 4
"""Descriptors that one poll of the accept throttle returns at most."""

STREAMS_SLICE: Final = 0.0001
STREAMS_PAUSE: Final = 0.0015

CONSOLE_BYTES: Final = 256
"""Bytes of a console session that are taken in a turn, if no line ends before."""

STORED_AT_ONCE: Final = 5
"""Records whose storing is reported in one turn. For each, the journal forgets a room and a line is logged."""

WORKER_SLICE: Final = 0.0005
WORKER_PAUSE: Final = 0.0002
"""Long enough for another thread to take the interpreter's lock."""


@define(eq=False)
class TurnBudget:
    """The time that is left of the present turn of the reactor for work that may wait."""

    seconds: Callable[[], float]
    """The reactor's clock."""

    passes: Callable[[], int] | None = None
    """Returns the number of the reactor's turn; None: each call of `until` begins a turn."""

    _turn: int = -1
    """The turn in which the budget was begun."""

    _ends: float = 0.0
    """When the budget is used up."""

    def until(self, slice_: float) -> float:
        """Return when a slice ends that begins now. It is shorter if the turn's budget is nearly used up."""
        now = self.seconds()
        turn = self._turn + 1 if self.passes is None else self.passes()
        if turn != self._turn:
            self._turn, self._ends = turn, now + TURN
        return now + max(LEAST, min(slice_, self._ends - now))


def cooperator(
    clock: IReactorTime, *, slice_: float, pause: float, now: Callable[[], float], is_awaited: Callable[[], bool]
) -> Cooperator:
    """Return a `Cooperator` that works for a slice, and then pauses. `now` measures the slice.

    A slice ends early when there is input for the reactor, such as a move (`is_awaited`).
    """

    def begin() -> Callable[[], bool]:
        ends = now() + slice_
        return lambda: now() >= ends or is_awaited()

    return Cooperator(begin, lambda call: clock.callLater(pause, call))


def one_a_turn(clock: IReactorTime) -> Cooperator:
    """Return a `Cooperator` that does one step of one task in each turn of the reactor."""
    return Cooperator(lambda: lambda: True, lambda call: clock.callLater(0, call))
