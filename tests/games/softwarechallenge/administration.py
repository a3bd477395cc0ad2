"""A hall with an administrator, for tests of what administrators do."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.games.softwarechallenge.harness import Client, SeasonHarness

KICKED = ["sc.protocol.responses.CloseConnection", "</protocol>"]


class AdministrationTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = SeasonHarness()
        self.admin = self.harness.admin()

    def prepared(self, *slots: str) -> tuple[Client, Client]:
        """Return the players of a prepared room that the administrator observes; all have been heard."""
        self.room, codes = self.admin.prepare(*slots)
        self.admin.send(f'<observe roomId="{self.room}"/>')
        red, blue = self.harness.connect(), self.harness.connect()
        red.take(codes[0])
        blue.take(codes[1])
        for client in (self.admin, red, blue):
            client.heard()
        return red, blue

    def pause(self, value: str = "true") -> None:
        """Pause the room, or let it go on."""
        self.admin.send(f'<pause roomId="{self.room}" pause="{value}"/>')

    def step(self, more: str = "") -> None:
        """Let the room go on by one move."""
        self.admin.send(f'<step roomId="{self.room}"{more}/>')

    def assert_heard(self, clients: tuple[Client, ...], *said: tuple[str, ...]) -> None:
        """Check what each client has heard since the last time."""
        self.assertEqual([tuple(client.heard()) for client in clients], list(said))
