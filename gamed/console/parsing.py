"""What is typed, as a call of a command: words as a shell splits them, by the usage line that each command has.

A usage line is the command's one description: `prepare GAME [NAME...] [--paused] [--from RECORD]`. Words in capitals
are arguments (a bar: one of several kinds), in brackets they may be left out, three dots take all that are left, words
in small letters with bars are a choice. N and SEAT are whole numbers.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterable
from typing import Any, Final

from attrs import field, frozen

from gamed.core.errors import GamedError

_PART: Final = re.compile(
    r"\[--(?P<option>[a-z]+)(?: (?P<value>[A-Z]+))?\]|(?P<open>\[)?(?P<word>[A-Za-z|]+)(?P<rest>\.\.\.)?"
)
NUMBERS: Final = ("N", "SEAT")

OTHER_NAMES: Final = {"exit": "quit", "logout": "quit", "?": "help"}
"""Aliases: the names of some commands in other programs."""


class UsageError(GamedError):
    """The usage of a command is wrong."""


@frozen
class Argument:
    """An argument by place. `kinds`: what it may name, in capitals; `choices`: or the words that it may be."""

    word: str
    is_needed: bool
    takes_rest: bool

    @property
    def kinds(self) -> tuple[str, ...]:
        """What it may name."""
        return tuple(self.word.split("|")) if self.word.isupper() else ()

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be."""
        return tuple(self.word.split("|")) if self.word.islower() else ()


@frozen
class Command:
    """A command. `changes`: whether it changes something, and stands in the audit log."""

    name: str
    usage: str
    run: Callable[..., Any]
    changes: bool
    arguments: tuple[Argument, ...] = field(init=False)
    options: dict[str, str | None] = field(init=False)

    def __attrs_post_init__(self) -> None:
        parts = list(_PART.finditer(self.usage.partition(" ")[2]))
        arguments = tuple(Argument(p["word"], not p["open"], bool(p["rest"])) for p in parts if p["word"])
        object.__setattr__(self, "arguments", arguments)
        object.__setattr__(self, "options", {p["option"]: p["value"] for p in parts if p["option"]})

    @property
    def help(self) -> str:
        """The docstring, without its indentation."""
        return inspect.getdoc(self.run) or ""

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return self.help.partition("\n")[0]


@frozen
class Call:
    """A command with what it was given."""

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
    """Return the call that words mean. Raises UsageError."""
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
    """Return the command that a word names, in any case, or by another program's name for it."""
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
        raise UsageError(f"{words[0]} is too much")


def _chosen(argument: Argument, word: str) -> Any:
    if argument.choices and word not in argument.choices:
        raise UsageError(f"{word} is none of {', '.join(argument.choices)}")
    return _checked(argument.word, word)


def _checked(kind: str, word: str) -> Any:
    if kind not in NUMBERS:
        return word
    # Nine digits are enough for all that is counted here.
    if not re.fullmatch(r"[0-9]{1,9}", word):
        raise UsageError(f"{kind} is a whole number, not {word}")
    return int(word)
