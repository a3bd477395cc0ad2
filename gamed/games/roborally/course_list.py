"""The list of a listener's courses: each new lobby takes the next one.

Source: docs/specs/roborally.md#54-files, docs/reference/roborally.md#configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from attrs import define, field

from gamed.core.game import Options
from gamed.games.roborally.course_files import load_course
from gamed.games.roborally.rules.courses import Course, Limits


@define
class CourseList:
    """The courses of the settings, one after the other or, with `order = "random"`, drawn by lot."""

    settings: Any
    random: Random

    _taken: int = 0
    """How many courses were taken one after the other."""

    _chosen: list[str] = field(factory=list)
    """Courses that an operator has chosen for the next games. They come first."""

    def __attrs_post_init__(self) -> None:
        self.configure(self.settings)

    def configure(self, settings: Any) -> None:
        """Take new settings of the listener. Raises ConfigError if one of the courses cannot be used."""
        for name in settings.courses:
            # A course that cannot be used is refused now, and not when a game is to be played on it.
            course_options(name, settings)
        self.settings = settings

    def choose(self, name: str) -> None:
        """Choose the course of the next game, by its name or file. Raises ConfigError."""
        course_options(name, self.settings)
        self._chosen.append(name)

    def next(self) -> Options:
        """Return the options of the next game. Raises ConfigError."""
        return course_options(self._name(), self.settings)

    def _name(self) -> str:
        names: Sequence[str] = self.settings.courses
        if self._chosen:
            return self._chosen.pop(0)
        if self.settings.order == "random":
            return self.random.choice(names)
        self._taken += 1
        return names[(self._taken - 1) % len(names)]


def course_options(name: str, settings: Any) -> Options:
    """Return the options of a game on a course. Raises ConfigError.

    Limits that the course does not set are the listener's. `players` is the largest number of players. `seed` is for
    shuffling the cards; 0 means the room's own random generator.
    """
    course = _course(name, Limits(settings.lives, settings.min_players, settings.max_players))
    return {
        "course": course.name,
        "plan": course.board.plan,
        "flags": flags_to_notation(course),
        "lives": course.limits.lives,
        "min_players": course.limits.min_players,
        "players": course.limits.max_players,
        "max_turns": settings.max_turns,
        "seed": settings.seed,
    }


def overridden(settings: Any) -> Iterator[str]:
    """Yield a sentence for each limit that somebody has set and a course overrides. Raises ConfigError."""
    wanted = Limits(settings.lives, settings.min_players, settings.max_players)
    for name in dict.fromkeys(settings.courses):
        course = _course(name, wanted).limits
        for key in ("lives", "min_players", "max_players"):
            given, own = getattr(wanted, key), getattr(course, key)
            if given not in (own, getattr(Limits(), key)):
                yield f"{key} = {given} has no effect on the course {name}, which has {key} = {own}"


@lru_cache(64)
def _course(name: str, limits: Limits) -> Course:
    return load_course(name, limits)


def flags_to_notation(course: Course) -> str:
    """Return the places of the flags in the form of the rules' option, such as "9,1 12,3"."""
    return " ".join(f"{x},{y}" for x, y in course.flags)
