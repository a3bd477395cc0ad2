"""Requests for seats: who wants to play with whom.

Source: docs/reference/web-api.md#private-tables.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from string import ascii_uppercase
from typing import Final

from attrs import define

from gamed.core.peer import Party
from gamed.web.answers import Refusal

NO_BOT: Final = Refusal(400, "bots", "there is no such bot", "GET /api/v1/session lists the bots of each game")

NO_PLACE: Final = Refusal(
    409, "no-place", "there is no place at this table any longer", "ask for another link, or play with others"
)

TAKEN: Final = Refusal(409, "room-taken", "this room has no free seat any longer", "join another room, or wait")


@define
class JoinRequest:
    """A request for a seat."""

    game: str
    name: str

    reservation: str | None = None
    """The code of a reservation, or of an invitation."""

    bots: tuple[tuple[str, str | None], ...] = ()
    """The bots that come with the player: for each its strategy, and the code of its reservation or None."""

    room: str | None = None
    """The id of the room to join; None: any."""

    friends: int = 0
    """How many others the player will invite by a link."""

    is_second: bool = False
    """Whether the bots sit down before the player, and so have the first seats."""


def new_code() -> str:
    """Return the code of an invitation, which cannot be guessed."""
    return secrets.token_urlsafe(12)


def party_of(join_request: JoinRequest) -> Party | None:
    """Return the party of a person with bots or friends; None: the person plays with anybody.

    Bots with a code are not counted: they go to the room of the code.
    """
    others = join_request.friends + sum(code is None for _, code in join_request.bots)
    return Party(1 + others) if others and join_request.reservation is None else None


def bot_name(strategy: str, others: Iterable[str]) -> str:
    """Return a name for a bot: the strategy's, with a letter if one of the others has that name."""
    taken = set(map(_plain, others))
    return next(name for name in (strategy, *map(strategy.__add__, ascii_uppercase)) if _plain(name) not in taken)


def _plain(name: str) -> str:
    return "".join(filter(str.isalpha, name)).casefold()
