"""`[store] keep_days`: the daemon deletes its own games that ended too long ago, a few at a time.

The database's thread does the work. Between two chunks it serves others: games that have just ended, and readers of the
archive.

Source: docs/howto/operate.md#deleting-games.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamed.core.errors import StoreError
from gamed.core.texts import timestamp
from gamed.process import audit
from gamed.store import Store

log = Logger()

FIRST: Final = 60.0
"""Seconds from the start of the daemon to the first round."""

EVERY: Final = 3_600.0
"""Seconds from one round to the next."""

PORTION: Final = 20
"""Records that are deleted at once."""

PAUSE: Final = 1.0
"""Seconds between two chunks."""


@define(eq=False)
class Expiry:
    """Has the store delete old games every hour."""

    store: Store
    clock: IReactorTime
    days: int
    """How long games are kept; 0: forever."""

    now: Callable[[], datetime] = field(default=partial(datetime.now, UTC))
    _timer: IDelayedCall | None = None
    _is_stopped: bool = False

    def start(self) -> None:
        """Start, if there is a limit."""
        if self.days:
            self._later(FIRST)

    def stop(self) -> None:
        """Stop. A chunk that the store was asked to delete will be deleted."""
        self._is_stopped = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _later(self, seconds: float) -> None:
        if not self._is_stopped:
            self._timer = self.clock.callLater(seconds, self._look)

    def _look(self) -> None:
        self.store.expire(self._before(), PORTION).addCallbacks(self._gone, self._refused)

    def _before(self) -> str:
        before = self.now() - timedelta(days=self.days)
        return timestamp(before)

    def _gone(self, ids: frozenset[str]) -> None:
        for text in audit.listed(ids):
            did = f"records delete, ended more than {self.days} days ago"
            audit.say("user=gamed from=keep_days", did, text)
        self._later(PAUSE if len(ids) == PORTION else EVERY)

    def _refused(self, failure: Failure) -> None:
        failure.trap(StoreError)
        log.warn(
            "games older than {days} days are not deleted; it is tried again in an hour: {error}",
            days=self.days,
            error=failure.value,
        )
        self._later(EVERY)
