"""The Software-Challenge: a lobby with administrators and reservations, in which each season plays another game.

Source: docs/reference/software-challenge.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from attrs import Attribute, evolve, field, frozen
from attrs.validators import gt

from gamed.core.game import MOST_MOVES, OPENING_PLIES, Options
from gamed.registry import Column, Contest, GameType, ListenerSettings, Named, Option, Preset, ReplayFormat

_MOST_MOVES: Final = 100
"""Of a match that `gamed play` begins. By the rules, no season's game is so long."""

_SECONDS: Final = 2.0
_ARGUMENTS: Final = ("--host {host} --port {port} --reservation {code}", "-r {code} -p {port} -h {host}")


def _not_sooner(settings: Settings, attribute: Attribute[Any], value: float) -> None:
    if value < settings.soft_seconds:
        raise ValueError(f"{attribute.name} must not be less than soft_seconds, {settings.soft_seconds:g}")


def _known(_settings: Settings, attribute: Attribute[Any], value: int) -> None:
    # Imported here, because the seasons import this module.
    years = import_module(f"{__name__}.seasons").SEASONS
    if value not in years:
        raise ValueError(f"{attribute.name} must be one of {', '.join(map(str, years))}")


@frozen
class Settings(ListenerSettings):
    """The section [softwarechallenge] of the configuration. etc/gamed.toml explains each key."""

    season: int = field(default=2027, validator=_known)
    password: str = field(default="", repr=False)
    replays: str = ""
    paused: bool = False
    soft_seconds: float = field(default=2.0, validator=gt(0))
    hard_seconds: float = field(default=10.0, validator=[gt(0), _not_sooner])
    waiting_seconds: float = field(default=3600.0, validator=gt(0))
    message_bytes: int = field(default=65_536, validator=gt(0))
    message_seconds: float = field(default=10.0, validator=gt(0))
    messages_per_second: float = field(default=50.0, validator=gt(0))

    def below(self, directory: Path) -> Settings:
        """Return these settings with relative paths made absolute, below `directory`."""
        return evolve(self, replays=str(directory / self.replays) if self.replays else "")


def _options(settings: Settings) -> Options:
    return {
        "soft_milliseconds": round(settings.soft_seconds * 1000),
        "hard_milliseconds": round(settings.hard_seconds * 1000),
    }


def _time(seconds: float) -> Options:
    soft = round(seconds * 1000)
    return {"soft_milliseconds": soft, "hard_milliseconds": 5 * soft}


def season_type(
    package: str, version: str, players: Sequence[str], mark: bytes, columns: Mapping[str, str]
) -> GameType:
    """Return the game type of a season, whose folder is a package with modules of certain names.

    `version`: of the records' format. `players`: the names of the bots' strategies. `mark`: a text that only this
    season's replay files have. `columns`: the titles of what the contest's table counts, by the names of the scores:
    the sum of the first one, and the means of the others.
    """
    kind = package.rpartition(".")[2]
    counted = tuple(Column(name, title, number > 0) for number, (name, title) in enumerate(columns.items()))
    replays = (Named(f"{package}.replays.{name}") for name in ("write", "read_replay", "file_name"))
    return GameType(
        kind=kind,
        publisher=f"gamed-{kind}",
        version=version,
        folder=Path(__file__).parent / "seasons" / kind,
        settings=Settings,
        options=_options,
        contest=Contest(
            {MOST_MOVES: _MOST_MOVES},
            _SECONDS,
            time=_time,
            arguments=_ARGUMENTS[0],
            presets={"software-challenge": Preset(_SECONDS, 1_500, _ARGUMENTS, counted)},
        ),
        room_options={MOST_MOVES: 1_000, OPENING_PLIES: 4},
        hosted=Named(f"{__name__}.server.hosted"),
        draw=Named(f"{package}.text_board.draw"),
        players={name: partial(Named(f"{package}.client.player"), name) for name in players},
        person=Named(f"{package}.person.person"),
        player_options={
            "reservation": Option(
                "Take the seat that is reserved under this code, with the name for which it was prepared.",
                metavar="CODE",
            )
        },
        replays=(ReplayFormat("software-challenge", "protocol", mark, *replays),),
        scores=Named(f"{package}.replays.scores"),
        measures=Named(f"{package}.rules.measures"),
    )
