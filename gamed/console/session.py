"""A session of the console, by telnet or SSH: its operator, its shell and its idle timeout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from gamed.console.input_throttle import InputThrottle
from gamed.console.operator import ConsoleOperator
from gamed.console.screens import Screen
from gamed.console.shell import Shell
from gamed.core.errors import StoreError
from gamed.store.query import Query

log = Logger()

LOGIN_SECONDS: Final = 120.0
"""The timeout of the login, in seconds. It includes the delays after wrong passwords."""

UNSENT: Final = 262_144
"""The number of bytes that may wait for a peer that does not read. Further output is discarded."""

NEWEST: Final = 200
"""The number of newest records that completion offers after the login."""


@define(eq=False)
class ConsoleSession:
    """A logged-in session."""

    operator: ConsoleOperator
    throttle: InputThrottle

    screen: Callable[[], Screen]
    """Returns the screen for answers; see `Shell.screen`."""

    has_prompt: bool = True
    shell: Shell = field(init=False)
    _idle: IDelayedCall | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.shell = Shell(self.operator, self.screen, self.throttle.hold, self.throttle.release, self.has_prompt)

    def open(self) -> None:
        """Register the operator, and start the idle timeout."""
        operator, services = self.operator, self.operator.services
        operator.since = services.clock.seconds()
        services.operators.add(operator)
        log.info("console: logged in: {who}", who=operator.name)
        self._idle = services.clock.callLater(services.operators.idle_seconds, self._look)
        # So that completion offers the newest records. If the store fails, it offers none.
        newest = services.lobby.store.find(Query(limit=NEWEST))
        newest.addCallbacks(operator.note_records, lambda failure: failure.trap(StoreError))

    def typed(self) -> None:
        """Restart the idle timeout."""
        if self._idle is not None and self._idle.active():
            self._idle.reset(self.operator.services.operators.idle_seconds)

    def _look(self) -> None:
        if self.operator.watched:
            # Watching a room counts as activity: the operator does not have to type.
            services = self.operator.services
            self._idle = services.clock.callLater(services.operators.idle_seconds, self._look)
            return
        log.info("console: idle: {who}", who=self.operator.name)
        self.operator.close()

    def leave(self) -> None:
        """Remove the operator, and show nothing any longer."""
        self.shell.close()
        if self._idle is not None and self._idle.active():
            self._idle.cancel()
        if self.operator.services.operators.remove(self.operator):
            log.info("console: logged out: {who}", who=self.operator.name)


def greeting(screen: Screen) -> None:
    """Show the first line."""
    screen.show("This is gamed. `help` lists the commands.\n")
