"""RoboRally, played by the protocol of the SWP'99, a software course at a German university in 1999.

Source: docs/reference/roborally.md. gamed is the protocol's manager (Verwalter): players (Spieler) and output channels
(Ausgabekanäle) connect to it. This module joins the parts of the game to the `GameType` that the registry loads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil
from operator import attrgetter
from pathlib import Path
from typing import Final

from attrs import field, frozen
from attrs.validators import ge, gt, in_, le, min_len

from gamed.core.game import MOST_MOVES, MOVE_TIME, Options, move_time
from gamed.core.history import Entry
from gamed.registry import Contest, GameType, ListenerSettings, Named, Option, everything

COURSES: Final = ("doppelhalle", "anlauf", "karussell", "treppe", "winkel", "mahlstrom", "archipel", "grossfabrik")
"""The courses of the default configuration. The first one is plain: new players begin on it."""


@frozen
class Settings(ListenerSettings):
    """The section [roborally] of the configuration. etc/gamed.toml explains each key for administrators."""

    courses: tuple[str, ...] = field(default=COURSES, validator=min_len(1))
    order: str = field(default="listed", validator=in_(("listed", "random")))
    seed: int = field(default=0, validator=ge(0))
    move_timeout: int = field(default=60, validator=[ge(0), le(65_535)])
    ack_timeout: float = field(default=10.0, validator=gt(0))
    ack_budget: float = field(default=30.0, validator=gt(0))
    start_delay: float = field(default=10.0, validator=ge(0))
    linger: float = field(default=30.0, validator=ge(0))
    idle_unregistered: float = field(default=60.0, validator=gt(0))
    max_violations: int = field(default=5, validator=gt(0))
    min_players: int = field(default=2, validator=[ge(1), le(8)])
    max_players: int = field(default=8, validator=[ge(1), le(8)])
    max_channels: int = field(default=8, validator=ge(0))
    lives: int = field(default=3, validator=[ge(1), le(3)])
    max_games: int = field(default=16, validator=gt(0))
    max_turns: int = field(default=200, validator=gt(0))
    messages_per_second: float = field(default=50.0, validator=ge(0))
    unsent_bytes: int = field(default=16_777_216, validator=gt(0))

    def __attrs_post_init__(self) -> None:
        if self.min_players > self.max_players:
            raise ValueError(f"min_players is {self.min_players}, more than max_players, {self.max_players}")


_CHECKED: Final = attrgetter("courses", "lives", "min_players", "max_players")
"""The settings that decide whether a course can be played on."""


def _check(settings: Settings) -> Sequence[str]:
    """Return what a course overrides. Raises ConfigError if one cannot be played on.

    Those of the default settings can be: a test tries them.
    """
    found: Sequence[str] = () if _CHECKED(settings) == _CHECKED(Settings()) else _check_courses(settings)
    return found


def _public_text(entry: Entry) -> str | None:
    """Return the public notation of a move; None for a program, which stays hidden until its cards are revealed."""
    move = everything(entry)
    return None if move is not None and _is_program(move) else move


def _time(seconds: float) -> Options:
    # The protocol tells whole seconds.
    return move_time(ceil(seconds))


_is_program = Named(f"{__name__}.server.is_program")
_check_courses = Named(f"{__name__}.server.check_courses")
_player = Named(f"{__name__}.client.player")

game_type = GameType(
    kind="roborally",
    publisher="gamed-roborally",
    version="1.1",
    title="RoboRally",
    folder=Path(__file__).parent,
    settings=Settings,
    options=Named(f"{__name__}.server.options"),
    count_options=("players", "min_players"),
    contest=Contest(
        {MOST_MOVES: 1_000},
        time=_time,
        arguments="{host} {port} {name}",
        no_openings="each pair has its own cards",
        draws_later=True,
        seat_name=Named(f"{__name__}.server.seat_name"),
        completed=partial(Named(f"{__name__}.server.completed"), Settings()),
    ),
    room_options={MOVE_TIME: 1_000, MOST_MOVES: 1_000},
    hosted=Named(f"{__name__}.server.hosted"),
    draw=Named(f"{__name__}.text_board.draw"),
    measures=Named(f"{__name__}.rules.json_views.measures"),
    players={name: partial(_player, name) for name in ("planner", "greedy", "random")},
    person=Named(f"{__name__}.person.person"),
    player_options={"name": Option("The player's name.", metavar="NAME")},
    viewer=Named(f"{__name__}.viewer.Viewer"),
    boards=("tiles and courses (*.course)", Named(f"{__name__}.course_files.check_file")),
    opponents=lambda settings: range(1, settings.max_players),
    public_text=_public_text,
    check=_check,
)
