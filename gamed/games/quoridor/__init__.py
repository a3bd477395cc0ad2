"""Quoridor: the universe of the authors' worlds, and a referee. Source: docs/reference/quoridor.md."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from attrs import field, frozen
from attrs.validators import ge, gt, in_

from gamed.core.clients import STAY
from gamed.core.game import MOST_MOVES, MOVE_TIME, Options
from gamed.registry import Contest, GameType, ListenerSettings, Named, Option


@frozen
class Settings(ListenerSettings):
    """The section [quoridor] of the configuration; etc/gamed.toml explains each key."""

    tables: int = field(default=1, validator=ge(0))
    referee: str = field(default="observe", validator=in_(("observe", "strict")))
    pace: float = field(default=0.0, validator=ge(0))
    reseat: bool = False
    register_seconds: float = field(default=30.0, validator=gt(0))
    datum_bytes: int = field(default=65_536, validator=gt(0))
    datum_depth: int = field(default=100, validator=gt(0))
    game_moves: int = field(default=10_000, validator=gt(0))
    unsent_bytes: int = field(default=262_144, validator=gt(0))


def _options(settings: Settings) -> Options:
    return {"referee": settings.referee}


_player = Named(f"{__name__}.client.player")

game_type = GameType(
    kind="quoridor",
    publisher="gamed-quoridor",
    version="1.1",
    folder=Path(__file__).parent,
    settings=Settings,
    options=_options,
    contest=Contest(
        {"referee": "strict", MOST_MOVES: 300},
        arguments="{host} {port} {name}",
        no_openings="its worlds know no moves but their own",
    ),
    room_options={MOVE_TIME: 1_000, MOST_MOVES: 1_000},
    hosted=Named(f"{__name__}.server.hosted"),
    draw=Named(f"{__name__}.text_board.draw"),
    measures=Named(f"{__name__}.strategy.measures"),
    players={name: partial(_player, name) for name in ("search", "path", "greedy", "random")},
    person=Named(f"{__name__}.person.person"),
    player_options={
        "players": Option("The number of players to vote for.", choices=("2", "4")),
        "name": Option("The player's name.", metavar="NAME"),
        "stay": Option(
            f"How long to stay at the table after a game, in case of a reset; default: {STAY:g}.",
            float,
            least=0,
            metavar="SECONDS",
        ),
        "pace": Option(
            "How long to wait before each move, so that clients can show the last one; default: 3.13, until the "
            "opponent turns out to be a bot that waits, too.",
            float,
            least=0,
            metavar="SECONDS",
        ),
    },
    opponents=lambda _: (1, 3),
)
