"""What the daemon needs to host RoboRally: the connection, the reception and the table."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from random import Random
from string import ascii_uppercase
from typing import Any

from gamed.core.game import Options, Seat, move_seconds
from gamed.core.lots import Seeded
from gamed.core.reception import LobbyServices
from gamed.games import HostedGame
from gamed.games.roborally.course_list import CourseList, course_options, overridden
from gamed.games.roborally.limits import TableLimits
from gamed.games.roborally.person import LONGEST_NAME, letters_of
from gamed.games.roborally.reception import ManagerReception
from gamed.games.roborally.rules.moves import Program, parse
from gamed.games.roborally.table import Manager
from gamed.games.roborally.wire import RoboRallyConnection


def options(settings: Any) -> Options:
    """Return the options of a game on the first course."""
    return course_options(settings.courses[0], settings)


def completed(settings: Any, options: Options) -> Options:
    """Return options in which the course, if there is one, is whole. Raises ConfigError."""
    if "course" not in options:
        return options
    course = course_options(str(options["course"]), settings)
    return {**{key: course[key] for key in ("plan", "flags", "lives")}, **options, "course": course["course"]}


def seat_name(name: str, seat: Seat) -> str:
    """Return a name as the protocol allows it, which no other robot of the game has."""
    return letters_of(name)[: LONGEST_NAME - 1] + ascii_uppercase[seat]


def check_courses(settings: Any) -> list[str]:
    """Return sentences on limits that a course overrides. Raises ConfigError if a course cannot be played on."""
    return list(overridden(settings))


def connection(_settings: Any) -> RoboRallyConnection:
    """Return the manager's side of the dialect."""
    return RoboRallyConnection()


def reception(settings: Any, services: LobbyServices) -> ManagerReception:
    """Return what leads peers to lobbies."""
    courses = CourseList(settings, Random(settings.seed or None))  # noqa: S311 (shuffling, not a secret)
    return ManagerReception(services, settings, courses)


def table(settings: Any, options: Options, random: Callable[[int], Random], now: float) -> Manager:
    """Return a fresh lobby with its manager."""
    limits = TableLimits(
        min_players=int(options["min_players"]),
        max_channels=settings.max_channels,
        # The protocol tells whole seconds.
        move_timeout=ceil(move_seconds(options)) or settings.move_timeout,
        ack_timeout=settings.ack_timeout,
        ack_budget=settings.ack_budget,
        start_delay=settings.start_delay,
        linger=settings.linger,
        max_violations=settings.max_violations,
    )
    # With a seed in the settings, each match shuffles in the same way.
    seed = int(options["seed"])
    return Manager(options, limits, Seeded(seed) if seed else random, now)


def hosted() -> HostedGame:
    """Return what hosts the game."""
    return HostedGame(connection, reception, {"roborally": table})


def is_program(move: str) -> bool:
    """Whether a move is a program, which nobody else may know yet."""
    return isinstance(parse(move), Program)
