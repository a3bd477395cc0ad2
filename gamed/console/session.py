"""What telnet and SSH share of a console session: who is logged in, and for how long nothing may be typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from gamed.console.operator import CommandServices
from gamed.console.screens import Screen
from gamed.console.shell import Shell
from gamed.core.errors import StoreError
from gamed.store.query import Query

log = Logger()

NEWEST: Final = 200
"""Records that completion offers when somebody has logged in."""


@define(eq=False)
class ConsoleSession:
    """A logged-in session. `close`: ends the connection."""

    services: CommandServices
    shell: Shell
    close: Callable[[], None]
    _idle: IDelayedCall | None = field(default=None, init=False)

    def open(self) -> None:
        """Write the operator down, and watch the clock."""
        operator = self.shell.operator
        self.services.operators.add(operator)
        log.info("console: logged in: {who}", who=operator.name)
        self._idle = self.services.clock.callLater(self.services.operators.idle_seconds, self._look)
        # Completion offers the newest records from the beginning; without them it offers none.
        newest = self.services.lobby.store.find(Query(limit=NEWEST))
        newest.addCallbacks(operator.note_records, lambda failure: failure.trap(StoreError))

    def typed(self) -> None:
        """Take note that something was typed."""
        if self._idle is not None and self._idle.active():
            self._idle.reset(self.services.operators.idle_seconds)

    def _look(self) -> None:
        if self.shell.operator.watched:
            # Who watches need not type.
            self._idle = self.services.clock.callLater(self.services.operators.idle_seconds, self._look)
            return
        log.info("console: idle: {who}", who=self.shell.operator.name)
        self.close()

    def leave(self) -> None:
        """Take the operator off the list; nothing is shown any more."""
        self.shell.close()
        if self._idle is not None and self._idle.active():
            self._idle.cancel()
        if self.services.operators.remove(self.shell.operator):
            log.info("console: logged out: {who}", who=self.shell.operator.name)


def greeting(screen: Screen) -> None:
    """Say what this is."""
    screen.show("This is gamed. `help` lists the commands.\n")
