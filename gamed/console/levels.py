"""Set the level of the log while the daemon runs."""

from __future__ import annotations

from typing import Final

from attrs import define, field
from twisted.logger import (
    FilteringLogObserver,
    LogLevel,
    LogLevelFilterPredicate,
    LogPublisher,
    globalLogPublisher,
)

from gamed.process.audit import NAMESPACE
from gamed.process.logs import observers_of

_CONCH: Final = ("Authentication", "Channel", "ConsoleSSHTransport", "SSHConsoleFactory")
CHATTY: Final = ("twisted.conch", *(f"gamed.console.ssh.{name}" for name in _CONCH))
"""conch's loggers of packets, which log a client's disconnect as an error. gamed logs itself what matters."""


@define(eq=False)
class LogLevels:
    """One filter before all observers of a publisher. Before `change` is called, nothing is filtered."""

    publisher: LogPublisher = field(default=globalLogPublisher)

    level: str = "debug"
    """The name of the current level."""

    _predicate: LogLevelFilterPredicate | None = None

    def change(self, name: str) -> None:
        """Log events of this level and above, and those of the audit log."""
        if self._predicate is None:
            self._predicate = self._installed()
        self._predicate.setLogLevelForNamespace("", LogLevel.levelWithName(name))
        self.level = name

    def _installed(self) -> LogLevelFilterPredicate:
        predicate = LogLevelFilterPredicate()
        # The audit log's lines are written at any level.
        predicate.setLogLevelForNamespace(NAMESPACE, LogLevel.debug)
        for namespace in CHATTY:
            predicate.setLogLevelForNamespace(namespace, LogLevel.critical)
        for observer in observers_of(self.publisher):
            self.publisher.removeObserver(observer)
            self.publisher.addObserver(FilteringLogObserver(observer, [predicate]))
        return predicate
