"""Clients without I/O, at the connections of a hall."""

from __future__ import annotations

from typing import Any

from tests.games.softwarechallenge.harness import Client


class SeatedClient:
    """A person or a bot on a connection."""

    def __init__(self, who: Any, client: Client) -> None:
        self.who, self.client, self.read = who, client, 0
        self.send(who.begin())

    def send(self, data: bytes) -> None:
        self.client.feed(data)
        self.client.harness.turn()

    def news(self) -> bytes:
        """Return what has come since the last time."""
        news = self.client.stream[self.read :]
        self.read += len(news)
        return news

    def listen(self) -> bool:
        """Hand over what has come, and send what is answered at once. Return whether there was any."""
        news = self.news()
        if not news or self.who.is_done:
            return False
        answer = self.who.receive_data(news)
        if answer:
            self.send(answer)
        return True

    def act(self, action: dict[str, Any]) -> None:
        self.send(self.who.act(action))


def heard(*seated_clients: SeatedClient) -> None:
    """Let all hear and answer until nobody is told anything more."""
    while any(seated_client.listen() for seated_client in seated_clients):
        pass
