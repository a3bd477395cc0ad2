"""The courses of a listener: each new lobby takes the next one.

Source: roborally.md 5.4 and 1.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from attrs import define, field, frozen

from gamed.game import Options
from gamed.games.roborally.boards import load_course
from gamed.games.roborally.rules.courses import Course, Limits


@frozen
class Setting:
    """What a game is played with where its course says nothing of its own. `seed`: of the shuffling; 0: the room's."""

    limits: Limits
    max_turns: int
    seed: int


@define
class CourseList:
    """Courses by their names. `random`: draws the next one; None: they are taken in turn."""

    names: Sequence[str]
    setting: Setting
    random: Random | None = None
    _taken: int = 0
    _chosen: list[str] = field(factory=list)

    def choose(self, name: str) -> None:
        """Have the next game that opens played on a course, by its name or file. Raises ConfigError."""
        course_options(name, self.setting)
        self._chosen.append(name)

    def next(self) -> Options:
        """Return the options of the next game. Raises ConfigError."""
        if self._chosen:
            return course_options(self._chosen.pop(0), self.setting)
        if self.random is not None:
            return course_options(self.random.choice(self.names), self.setting)
        name = self.names[self._taken % len(self.names)]
        self._taken += 1
        return course_options(name, self.setting)


@lru_cache(64)
def course_options(name: str, setting: Setting) -> Options:
    """Return the options of a game on a course. `players`: the most that it takes. Raises ConfigError."""
    course = load_course(name, setting.limits)
    return {
        "course": course.name,
        "plan": course.board.plan,
        "flags": spelled_flags(course),
        "lives": course.limits.lives,
        "min_players": course.limits.min_players,
        "players": course.limits.max_players,
        "max_turns": setting.max_turns,
        "seed": setting.seed,
    }


def spelled_flags(course: Course) -> str:
    """Return the places of the flags as the rules' option has them, such as "9,1 12,3"."""
    return " ".join(f"{x},{y}" for x, y in course.flags)
