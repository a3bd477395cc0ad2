"""Battleship ("Schiffe versenken"): a relay with a referee. Source: docs/reference/battleship.md."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path

from attrs import field, frozen
from attrs.validators import gt, in_

from gamed.core.game import MOST_MOVES, MOVE_TIME, Options
from gamed.registry import Contest, GameType, ListenerSettings, Named


@frozen
class Settings(ListenerSettings):
    """The section [battleship] of the configuration; etc/gamed.toml explains each key."""

    roles: str = field(default="first-defends", validator=in_(("first-defends", "random")))
    referee: str = field(default="observe", validator=in_(("observe", "warn", "enforce")))
    corner_contact: bool = True
    line_bytes: int = field(default=4_096, validator=gt(0))
    early_bytes: int = field(default=16_384, validator=gt(0))
    game_lines: int = field(default=5_000, validator=gt(0))
    game_bytes: int = field(default=1_048_576, validator=gt(0))
    waiting_seconds: float = field(default=3_600.0, validator=gt(0))
    idle_seconds: float = field(default=900.0, validator=gt(0))


# One mapping for all rooms of a listener.
@lru_cache(4)
def _options(settings: Settings) -> Options:
    options: dict[str, str | bool] = {
        "roles": settings.roles,
        "referee": settings.referee,
        "corner_contact": settings.corner_contact,
    }
    # The option is in the record, because earlier versions enforced all rules but this one.
    return {**options, "repeated_shots": "lose"} if settings.referee == "enforce" else options


_player = Named(f"{__name__}.client.player")

game_type = GameType(
    kind="battleship",
    publisher="gamed-battleship",
    version="1.1",
    folder=Path(__file__).parent,
    settings=Settings,
    options=_options,
    # A game has at most two lines for each of 200 shots.
    contest=Contest(
        {"referee": "enforce", "repeated_shots": "lose", MOST_MOVES: 1_000},
        arguments="{host} {port}",
        no_openings="each bot places its fleet itself",
    ),
    room_options={"repeated_shots": "lose", MOVE_TIME: 1_000, MOST_MOVES: 1_000},
    hosted=Named(f"{__name__}.server.hosted"),
    draw=Named(f"{__name__}.text_board.draw"),
    measures=Named(f"{__name__}.rules.measures"),
    players={name: partial(_player, name) for name in ("open-list", "density", "greedy", "random")},
    person=Named(f"{__name__}.person.person"),
)
