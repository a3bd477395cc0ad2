"""A session of the console, for telnet and SSH: its operator and its idle timeout."""

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
"""The number of newest records that completion offers after the login."""


@define(eq=False)
class ConsoleSession:
    """A logged-in session."""

    services: CommandServices
    shell: Shell

    close: Callable[[], None]
    """Ends the connection."""

    _idle: IDelayedCall | None = field(default=None, init=False)

    def open(self) -> None:
        """Register the operator, and start the idle timeout."""
        operator = self.shell.operator
        self.services.operators.add(operator)
        log.info("console: logged in: {who}", who=operator.name)
        self._idle = self.services.clock.callLater(self.services.operators.idle_seconds, self._look)
        # So that completion offers the newest records. If the store fails, it offers none.
        newest = self.services.lobby.store.find(Query(limit=NEWEST))
        newest.addCallbacks(operator.note_records, lambda failure: failure.trap(StoreError))

    def typed(self) -> None:
        """Restart the idle timeout."""
        if self._idle is not None and self._idle.active():
            self._idle.reset(self.services.operators.idle_seconds)

    def _look(self) -> None:
        if self.shell.operator.watched:
            # Watching a room counts as activity: the operator does not have to type.
            self._idle = self.services.clock.callLater(self.services.operators.idle_seconds, self._look)
            return
        log.info("console: idle: {who}", who=self.shell.operator.name)
        self.close()

    def leave(self) -> None:
        """Remove the operator, and show nothing any longer."""
        self.shell.close()
        if self._idle is not None and self._idle.active():
            self._idle.cancel()
        if self.services.operators.remove(self.shell.operator):
            log.info("console: logged out: {who}", who=self.shell.operator.name)


def greeting(screen: Screen) -> None:
    """Show the first line."""
    screen.show("This is gamed. `help` lists the commands.\n")
