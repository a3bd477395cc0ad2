"""Parses a typed line into the call of a command. Words are split as in a shell.

The usage line of a command is all that describes its arguments: `prepare GAME [NAME...] [--paused] [--from RECORD]`.
Words in capitals are arguments, with a bar between several kinds. An argument in brackets is optional. One with three
dots takes all words that are left. Words in small letters with bars are choices. N and SEAT are whole numbers.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from attrs import field, frozen

from gamed.core.errors import GamedError
from gamed.registry import GameType, example

_PART: Final = re.compile(
    r"\[--(?P<option>[a-z]+)(?: (?P<value>[A-Z]+))?\]|(?P<open>\[)?(?P<word>[A-Za-z|]+)(?P<rest>\.\.\.)?"
)
NUMBERS: Final = ("N", "SEAT")

_EXAMPLES: Final[Mapping[str, Callable[[GameType], object]]] = {
    "{game}": lambda _made: True,
    "{game with boards}": lambda made: made.boards,
    "{game with reservations}": lambda made: "reservation" in made.player_options,
}
"""What stands in docstrings for the name of a game, and which games fit."""

OTHER_NAMES: Final = {"exit": "quit", "logout": "quit", "?": "help"}
"""Aliases: the names that some commands have in other programs."""


class UsageError(GamedError):
    """The usage of a command is wrong."""


@frozen
class Argument:
    """A positional argument."""

    word: str
    """Its word in the usage line."""

    is_needed: bool
    takes_rest: bool

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of things that it may name; nothing if it has choices."""
        return tuple(self.word.split("|")) if self.word.isupper() else ()

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be; nothing if it names a thing."""
        return tuple(self.word.split("|")) if self.word.islower() else ()


@frozen
class Command:
    """A command of the console."""

    name: str
    usage: str
    run: Callable[..., Any]

    changes: bool
    """Whether it changes something, so that the audit log records it."""

    arguments: tuple[Argument, ...] = field(init=False)

    options: dict[str, str | None] = field(init=False)
    """The names of its options, each with the kind of its value; None if it takes no value."""

    def __attrs_post_init__(self) -> None:
        parts = list(_PART.finditer(self.usage.partition(" ")[2]))
        arguments = tuple(Argument(p["word"], not p["open"], bool(p["rest"])) for p in parts if p["word"])
        object.__setattr__(self, "arguments", arguments)
        object.__setattr__(self, "options", {p["option"]: p["value"] for p in parts if p["option"]})

    @property
    def help(self) -> str:
        """The docstring, without its indentation, with the name of a game that fits in its example."""
        text = inspect.getdoc(self.run) or ""
        for words, fits in _EXAMPLES.items():
            text = text.replace(words, example(fits))
        return text

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return self.help.partition("\n")[0]


@frozen
class Call:
    """A command with its arguments and options."""

    command: Command
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    as_json: bool


def split(line: str) -> list[str]:
    """Return a line's words, quoted as in a shell. Raises UsageError."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{str(error).lower()}: close the quotation mark") from error


def parse(words: Iterable[str], commands: dict[str, Command]) -> Call:
    """Return words as the call of a command. Raises UsageError."""
    name, *rest = words
    command = named(name, commands)
    if command is not None and "--help" in rest:
        command, rest = commands["help"], [command.name]
    if command is None:
        raise UsageError(f"there is no command {name}; `help` lists them")
    try:
        return _call(command, rest)
    except UsageError as error:
        raise UsageError(f"{error}\nusage: {command.usage} [--json]") from None


def named(word: str, commands: dict[str, Command]) -> Command | None:
    """Return a command by its name or an alias, in upper or lower case."""
    return commands.get(OTHER_NAMES.get(word.lower(), word.lower()))


def _call(command: Command, rest: list[str]) -> Call:
    words, options, as_json = [], {}, False
    left = iter(rest)
    for word in left:
        option = word[2:]
        if word == "--json":
            as_json = True
        elif not word.startswith("--") or option not in command.options:
            words.append(word)
        else:
            options[_keyword(option)] = _value(option, command.options[option], left)
    return Call(command, tuple(_placed(command, words)), options, as_json)


def _keyword(option: str) -> str:
    return "from_" if option == "from" else option


def _value(option: str, kind: str | None, left: Iterable[str]) -> Any:
    if kind is None:
        return True
    word = next(iter(left), None)
    if word is None:
        raise UsageError(f"--{option} needs a value")
    return _checked(kind, word)


def _placed(command: Command, words: list[str]) -> Iterable[Any]:
    for word in words:
        if word.startswith("--"):
            raise UsageError(f"{command.name} has no option {word}")
    for argument in command.arguments:
        if argument.takes_rest:
            yield from words
            return
        if not words:
            if argument.is_needed:
                raise UsageError(f"{command.name} needs {argument.word}")
            return
        yield _chosen(argument, words.pop(0))
    if words:
        raise UsageError(f"{words[0]} is one argument too many")


def _chosen(argument: Argument, word: str) -> Any:
    if argument.choices and word not in argument.choices:
        raise UsageError(f"{word} is not one of {', '.join(argument.choices)}")
    return _checked(argument.word, word)


def _checked(kind: str, word: str) -> Any:
    if kind not in NUMBERS:
        return word
    # Nine digits are enough for seats and counts, and keep numbers small.
    if not re.fullmatch(r"[0-9]{1,9}", word):
        raise UsageError(f"{kind} is a whole number, not {word}")
    return int(word)
