"""Who is logged in as an administrator, by the console or by a browser.

Source: docs/reference/console.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from attrs import define, field
from twisted.logger import Logger

from gamed.audit import say
from gamed.core.findings import Finding
from gamed.lobby.room import Room
from gamed.net.addresses import address_text
from gamed.texts import printable

log = Logger()

SHOWN = 8
"""Characters of an id that a table shows."""


@define(eq=False)
class Operator:
    """Somebody who is logged in."""

    user: str
    address: str
    via: str
    """telnet, ssh or web."""

    notify: Callable[[str], None]
    """Shows a text on the terminal at any time; does nothing in a browser."""

    close: Callable[[], None]
    """Ends the session."""

    since: float = field(default=0.0, kw_only=True)
    port: int | None = field(default=None, kw_only=True)
    """Of `address`; None where a reverse proxy tells the address, and not the port."""

    key: str = field(default="", kw_only=True)
    """The key that was shown, as the log has it: its fingerprint and its name; empty with a password."""

    @property
    def name(self) -> str:
        """Who this is, in logs."""
        key = f" key={ascii(self.key)[1:-1]}" if self.key else ""
        return f"user={ascii(self.user)[1:-1]} from={self.via} {address_text(self.address, self.port)}{key}"

    @property
    def watching(self) -> int:
        """How many rooms are shown step by step: none in a browser's session."""
        return 0

    def noted(self, line: str, result: str) -> None:
        """Write to the audit log what was done, and what came of it."""
        say(self.name, line, result)


@define(eq=False)
class Operators:
    """All who are logged in, in the order in which they came."""

    idle_seconds: float
    """Seconds of silence until a session ends."""

    _here: list[Operator] = field(factory=list)

    def __iter__(self) -> Iterator[Operator]:
        """Yield all; they may leave meanwhile."""
        return iter(list(self._here))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._here)

    def add(self, operator: Operator) -> None:
        """List somebody who has logged in."""
        self._here.append(operator)

    def remove(self, operator: Operator) -> bool:
        """Forget somebody who has logged out; return whether that is news."""
        if operator not in self._here:
            return False
        self._here.remove(operator)
        return True

    def addresses(self) -> Iterable[str]:
        """Return where they are: wrong passwords from there are not held back."""
        return (operator.address for operator in self)

    def alarm(self, room: Room, finding: Finding) -> None:
        """Show everybody a finding."""
        text = f"{room.id[:SHOWN]} finding {finding.code} seat {finding.seat}: {finding.text}"
        for operator in self:
            # What goes wrong here must not go wrong for the room.
            with log.failureHandler("console: cannot show a finding"):
                operator.notify(printable(text) + "\n")
