"""A house with games, and an operator in it: no network, no time but a clock."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.logger import LogEvent, LogPublisher, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.admin.accounts import Accounts, Secret
from gamed.admin.operators import Operators
from gamed.config import Config, ConsoleConfig, StoreConfig
from gamed.console.entrance import Entrance
from gamed.console.levels import LogLevels
from gamed.console.operator import CommandServices, ConsoleOperator
from gamed.console.reload import Reloader
from gamed.console.shell import Shell
from gamed.games.battleship import Settings
from gamed.net.game_listeners import GameListeners
from gamed.net.limits import Bans, ConnectionLimits
from gamed.testing.harness import Harness, Wire

PASSWORD = "Distel"
SECRET = Secret.of(PASSWORD)


def everything(events: Iterable[LogEvent]) -> list[str]:
    """Return the sentences of all events."""
    return [str(formatEvent(event)) for event in events]


def at_once(call: Any, *arguments: Any) -> Deferred[Any]:
    """Stand for the thread."""
    return maybeDeferred(call, *arguments)


@define
class Paper:
    """A screen that keeps what is shown."""

    width: int | None = None
    text: str = ""
    prompts: list[str] = field(factory=list)

    def show(self, text: str) -> None:
        self.text += text

    def ask(self, prompt: str, *, secret: bool = False) -> None:
        self.prompts.append(prompt + ("*" if secret else ""))


class ConsoleTestCase(SynchronousTestCase):
    """A house with Battleship, and somebody who is logged in."""

    kind = "battleship"
    settings: Any = Settings()

    def setUp(self) -> None:
        self.harness = Harness(self.kind, self.settings)
        self.bans = self.harness.factory.limits.bans = Bans()
        self.stopped: list[float] = []
        self.config = Config(StoreConfig(state=self.mktemp()), {self.kind: self.settings}, ConsoleConfig())
        lobby, levels = self.harness.lobby, LogLevels(LogPublisher())
        limits = ConnectionLimits("console", 4, 4, self.bans, clock=self.harness.clock.seconds)
        self.entrance = Entrance(limits)
        self.entrance.open_to(4)
        listeners = GameListeners({self.kind: self.harness.listener})
        operators = Operators(self.config.console.idle_seconds)
        self.accounts = Accounts({"admin": SECRET}, self.harness.clock, at_once, lobby.logins)
        self.reloader = Reloader(
            config=self.config,
            read=None,
            lobby=lobby,
            listeners=listeners,
            accounts=self.accounts,
            operators=operators,
            open_to=self.entrance.open_to,
            levels=levels,
        )
        self.services = CommandServices(
            lobby=lobby,
            listeners=listeners,
            operators=operators,
            bans=self.bans,
            limits=limits,
            levels=levels,
            reloader=self.reloader,
            state=Path(self.config.store.state),
            clock=self.harness.clock,
            stop=lambda: self.stopped.append(self.harness.clock.seconds()),
        )
        lobby.alarms.append(operators.alarm)
        lobby.logins.administrators.append(operators.addresses)
        self.paper = Paper()
        self.notified: list[str] = []
        self.closed: list[bool] = []
        self.operator = self.listed_operator(
            "admin", "192.0.2.1", "telnet", self.notified.append, lambda: self.closed.append(True)
        )
        self.held: list[str] = []
        self.shell = Shell(
            self.operator, lambda: self.paper, lambda: self.held.append("hold"), lambda: self.held.append("release")
        )

    def listed_operator(self, *who: Any, **more: Any) -> ConsoleOperator:
        """Return an operator who is listed."""
        operator = ConsoleOperator(*who, services=self.services, **more)
        self.services.operators.add(operator)
        return operator

    def match(self) -> tuple[Wire, Wire]:
        """Begin a match of two who do not play by themselves."""
        return self.harness.connect("192.0.2.7"), self.harness.connect("198.51.100.8")

    @property
    def room(self) -> Any:
        (room,) = self.harness.lobby.rooms.values()
        return room

    def answer(self, line: str) -> str:
        """Type a line, and return what it shows."""
        self.paper.text = ""
        self.shell.received(line)
        return self.paper.text
