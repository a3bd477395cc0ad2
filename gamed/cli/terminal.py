"""Code that the commands share: one-line errors, common options, and safe text.

An error that gamed raises on purpose is one line on standard error, with exit status 1. Wrong usage has status 2.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click
from attrs import define, frozen
from click.shell_completion import CompletionItem

from gamed.core.errors import GamedError
from gamed.core.texts import printable

if TYPE_CHECKING:
    from gamed.registry import Option  # its import is not for the help of a group

CANNOT_WRITE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a write to standard output. A closed pipe is not among them, because click handles it."""


UNFITTED: Final = 10_000
"""The width if standard output is not a terminal: nothing is shortened or wrapped."""


@frozen
class Entry:
    """A command in the table of a group."""

    place: str
    """Where it is: its module and its name in that, or its name in `gamed.cli` for a group."""

    help: str
    """The first sentence of its help."""

    def load(self) -> click.Command:
        """Return the command; import its module."""
        module, _, name = self.place.rpartition(".")
        command: click.Command = getattr(import_module(f"gamed.cli.{module}" if module else "gamed.cli"), name)
        return command


@frozen
class Table(Mapping[str, click.Command]):
    """The commands of a group by their names; one is imported when somebody looks it up."""

    entries: Mapping[str, Entry]

    def __getitem__(self, name: str) -> click.Command:
        return self.entries[name].load()

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


class Commands(click.Group):
    """A group whose commands may raise GamedError, and print any text to any standard output."""

    def __init__(self, *args: Any, table: Mapping[str, Entry], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.table = table
        # Nobody adds to it.
        self.commands: Any = Table(table)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line. If standard output cannot be written, print one line instead of a traceback."""
        for stream in (sys.stdin, sys.stdout):
            # A name outside the terminal's character set is printed as an escape sequence.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            if error.errno not in CANNOT_WRITE:
                raise
            click.echo(f"gamed: cannot write to standard output: {error.strerror}", err=True)
            # At exit Python flushes standard output again, and would print a second error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the first sentences of their help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in sorted(self.table.items())])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin so."""
        begun = [(name, entry) for name, entry in sorted(self.table.items()) if name.startswith(incomplete)]
        named = [CompletionItem(name, help=entry.help) for name, entry in begun]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Print a GamedError as one line, without a traceback."""
        try:
            return super().invoke(ctx)
        except GamedError as error:
            click.echo(f"gamed: {one_line(str(error))}", err=True)
            ctx.exit(1)


config_option = click.option(
    "--config", type=click.Path(dir_okay=False), metavar="FILE", help="The daemon's configuration (TOML)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


encoding_option = click.option(
    "--encoding",
    metavar="NAME",
    help="Read SGF in this encoding instead of the one that it declares: shift_jis, gbk, euc-kr, big5 and others.",
)


def game_options(options: Mapping[str, tuple[Option, str]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add options of games to a command. `options`: by name, each with what is said after its help."""

    def added(command: Callable[..., Any]) -> Callable[..., Any]:
        for name, (option, whose) in reversed([*options.items()]):
            kind: Any = click.Choice(option.choices) if option.choices else option.kind
            if option.kind is not str:
                limited = click.IntRange if option.kind is int else click.FloatRange
                kind = kind if option.least is None else limited(option.least, option.most)
            said = option.help if not whose else f"{option.help[:-1]} ({whose})."
            shown: Any = {} if option.default is None else {"default": option.default, "show_default": True}
            command = click.option(f"--{name}", type=kind, metavar=option.metavar, help=said, **shown)(command)
        return command

    return added


yes_option = click.option(
    "--yes", "is_agreed", is_flag=True, help="Do not ask for confirmation. Required without a terminal."
)


def confirm(question: str, *, is_agreed: bool) -> None:
    """Ask on the terminal before something that cannot be undone. Raises UsageError if there is no terminal."""
    if is_agreed:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} There is no terminal to ask on: confirm with --yes")
    click.confirm(f"{question} This cannot be undone.", abort=True, err=True)


@contextmanager
def private() -> Iterator[None]:
    """Create files that only their owner can read, as the daemon does: stored games contain people's addresses."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def counted_of(number: int, what: str) -> str:
    """Return a number of things in words: `1 move`, `2 moves`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def ending(status: int) -> str:
    """Return how a program has ended. `status`: its exit status, or minus the number of the signal."""
    return f"exit status {status}" if status >= 0 else f"signal {-status}"


def shortened(text: str, width: int) -> str:
    """Return a text of exactly `width` characters. A text that is too long ends with an ellipsis."""
    return f"{text:<{width}}" if len(text) <= width else text[: width - 1] + "…"


def one_line(text: str) -> str:
    """Return a message on one line, without control characters. Messages of some libraries have several lines."""
    return printable(" ".join(text.split()))


@define
class ProgressLine:
    """A line on the terminal that says how far the work is; nothing where standard error is no terminal."""

    _is_shown: bool = False

    def show(self, text: str) -> None:
        """Show a text instead of the last one."""
        if sys.stderr.isatty():
            self._write(text)
            self._is_shown = True

    def clear(self) -> None:
        """Remove the line, so that another one can be printed."""
        if self._is_shown:
            self._write("")
            self._is_shown = False

    def _write(self, text: str) -> None:
        click.echo(f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}", nl=False, err=True)
