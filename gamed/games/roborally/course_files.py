"""The files of tiles and courses: those that gamed is shipped with, and an administrator's own.

Source: docs/specs/roborally.md#54-files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gamed.core.errors import ConfigError
from gamed.games.roborally.rules.board import Board, NotationError
from gamed.games.roborally.rules.checks import BoardFinding, check_board, check_flags, check_tile
from gamed.games.roborally.rules.courses import Course, CourseError, Limits, parse_course
from gamed.games.roborally.rules.tiles import parse_tile


def board_directory() -> Path:
    """Return the directory of the bundled boards: in the installed package, or else in the checkout."""
    package = Path(__file__).parents[2]
    installed = package / "etc" / "boards"
    return installed if installed.is_dir() else package.parent / "etc" / "boards"


def course_names() -> list[str]:
    """Return the names of the bundled courses, as `load_course` takes them."""
    return sorted(file.stem for file in board_directory().glob("*.course"))


def course_file(name: str) -> Path:
    """Return the file of a course: a bundled one by its name, any other by its path, which ends with .course."""
    file = Path(name)
    return file if file.suffix == ".course" else board_directory() / f"{name}.course"


def load_course(name: str, limits: Limits) -> Course:
    """Return a course by a name or path as in `course_file`. Raises ConfigError, which names the file.

    `limits`: the defaults for limits that the file does not set.
    """
    file = course_file(name)
    if file.suffix != Path(name).suffix and name not in course_names():
        known = ", ".join(course_names())
        raise ConfigError(f"there is no course {name}: choose one of {known}, or a file whose name ends with .course")
    text = _text(file, "utf-8")
    try:
        return parse_course(text, lambda tile: _text(file.parent / tile), limits)
    except CourseError as error:
        raise ConfigError(f"{file}: {error}") from error


def load_tile(file: Path) -> Board:
    """Return the tile of a file. Only its notation is checked. Raises ConfigError, which names the file."""
    try:
        return parse_tile(_text(file))
    except NotationError as error:
        raise ConfigError(f"{file}: {error}") from error


def check_file(file: Path) -> Sequence[BoardFinding]:
    """Return the errors and warnings of a course (`*.course`) or of a tile. Raises ConfigError."""
    if file.suffix != ".course":
        return check_tile(load_tile(file))
    course = load_course(str(file), Limits())
    return [*check_flags(course.board, course.flags), *check_board(course.board)]


def _text(file: Path, encoding: str = "ascii") -> str:
    try:
        return file.read_text(encoding)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: byte {error.start + 1} is not {encoding}") from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{file!r} is not the name of a file: {error}") from error
