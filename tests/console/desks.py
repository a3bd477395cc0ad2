"""A house with games, and an operator in it: no network, no time but a clock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.logger import LogEvent, LogPublisher, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamed.config import Config, ConsoleConfig, StoreConfig
from gamed.console.accounts import Accounts, Secret
from gamed.console.levels import LogLevels
from gamed.console.operator import Operator, Parts
from gamed.console.shell import Shell
from gamed.games.battleship import Settings
from gamed.net.limits import Bans, ConnectionLimits
from gamed.testing.house import House, Wire

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


class DeskTestCase(SynchronousTestCase):
    """A house with Battleship, and somebody who is logged in."""

    kind = "battleship"
    settings: Any = Settings()

    def setUp(self) -> None:
        self.house = House(self.kind, self.settings)
        self.bans = self.house.factory.limits.bans = Bans()
        self.stopped: list[float] = []
        self.config = Config(StoreConfig(state=self.mktemp()), {self.kind: self.settings}, ConsoleConfig())
        self.parts = Parts(
            lobby=self.house.lobby,
            listeners={self.kind: self.house.factory},
            kinds={self.kind: self.kind},
            accounts=Accounts({"admin": SECRET}, self.house.clock, at_once, self.house.lobby.logins),
            bans=self.bans,
            config=self.config,
            clock=self.house.clock,
            limits=ConnectionLimits("console", 4, 4, self.bans),
            stop=lambda: self.stopped.append(self.house.clock.seconds()),
            levels=LogLevels(LogPublisher()),
        )
        self.paper = Paper()
        self.told: list[str] = []
        self.closed: list[bool] = []
        self.operator = Operator(
            self.parts, "admin", "192.0.2.1", "telnet", self.told.append, lambda: self.closed.append(True)
        )
        self.parts.operators.append(self.operator)
        self.held: list[str] = []
        self.shell = Shell(
            self.operator, lambda: self.paper, lambda: self.held.append("hold"), lambda: self.held.append("release")
        )

    def match(self) -> tuple[Wire, Wire]:
        """Begin a match of two who do not play by themselves."""
        return self.house.connect("192.0.2.7"), self.house.connect("198.51.100.8")

    @property
    def room(self) -> Any:
        (room,) = self.house.lobby.rooms.values()
        return room

    def answer(self, line: str) -> str:
        """Type a line, and return what it shows."""
        self.paper.text = ""
        self.shell.received(line)
        return self.paper.text
