"""The administrators that are logged in, on the console or in a browser.

Source: docs/reference/console.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from attrs import define, field
from twisted.logger import Logger

from gamed.core.findings import Finding
from gamed.core.texts import printable
from gamed.lobby.room import Room
from gamed.net.addresses import address_text
from gamed.process.audit import say

log = Logger()

SHOWN = 8
"""Characters of an id that a table shows."""


@define(eq=False)
class Operator:
    """An administrator who is logged in."""

    user: str
    address: str
    via: str
    """telnet, ssh or web."""

    notify: Callable[[str], None]
    """Shows a text on the terminal, at any time. In a browser it does nothing."""

    close: Callable[[], None]
    """Ends the session."""

    since: float = field(default=0.0, kw_only=True)
    port: int | None = field(default=None, kw_only=True)
    """The peer's port; None if a reverse proxy sends only the address."""

    key: str = field(default="", kw_only=True)
    """The fingerprint and the name of the SSH key, for the log; empty for a login by password."""

    @property
    def name(self) -> str:
        """The operator's name in logs."""
        key = f" key={ascii(self.key)[1:-1]}" if self.key else ""
        return f"user={ascii(self.user)[1:-1]} from={self.via} {address_text(self.address, self.port)}{key}"

    @property
    def watching(self) -> int:
        """The number of rooms that are shown step by step; 0 for a browser."""
        return 0

    def noted(self, line: str, result: str) -> None:
        """Write an action and its result to the audit log."""
        say(self.name, line, result)


def described(room: Room, finding: Finding) -> str:
    """Return a finding as one line."""
    return f"{room.id[:SHOWN]} finding {finding.code} seat {finding.seat} {room.culprit(finding.seat)}: {finding.text}"


@define(eq=False)
class Operators:
    """The operators that are logged in, in the order of their logins."""

    idle_seconds: float
    """The idle timeout of a session, in seconds."""

    _here: list[Operator] = field(factory=list)

    def __iter__(self) -> Iterator[Operator]:
        """Yield all of a copy, so that operators can leave during the iteration."""
        return iter(list(self._here))

    def __len__(self) -> int:
        """Return the number of operators."""
        return len(self._here)

    def add(self, operator: Operator) -> None:
        """Add an operator who has logged in."""
        self._here.append(operator)

    def remove(self, operator: Operator) -> bool:
        """Remove an operator; return False if it was not in the list."""
        if operator not in self._here:
            return False
        self._here.remove(operator)
        return True

    def addresses(self) -> Iterable[str]:
        """Return the operators' addresses. Wrong passwords from these are not delayed."""
        return (operator.address for operator in self)

    def alarm(self, room: Room, finding: Finding) -> None:
        """Show a finding to all operators."""
        text = described(room, finding)
        for operator in self:
            # An exception here must not reach the room.
            with log.failureHandler("console: cannot show a finding"):
                operator.notify(printable(text) + "\n")
