"""Code that the commands share: one-line errors, common options, access to the record store, and safe text.

An error that gamed raises on purpose is one line on standard error, with exit status 1. Wrong usage has status 2.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final

import click
from attrs import define

from gamed.core.errors import GamedError
from gamed.texts import printable

if TYPE_CHECKING:
    from gamed.config import StoreConfig
    from gamed.store.sql import Database


CANNOT_WRITE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a write to standard output. A closed pipe is not among them, because click handles it."""


UNFITTED: Final = 10_000
"""The width if standard output is not a terminal: nothing is shortened or wrapped."""

WHOLE: Final = 1_000
"""The longest summary of a command, in characters; high enough that click truncates none."""


class Commands(click.Group):
    """A group whose commands may raise GamedError, and print any text to any standard output."""

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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click's)
        """List the commands with their whole summaries, which click would truncate."""
        rows = [(name, command.get_short_help_str(WHOLE)) for name, command in sorted(self.commands.items())]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

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


def store_settings(config: str | None) -> StoreConfig:
    """Return the section [store] of a configuration. Raises ConfigError."""
    from gamed.config import load  # noqa: PLC0415 (heavy)

    return load(config).store


def missing_database(settings: StoreConfig) -> str | None:
    """Return a sentence that says which database does not exist and what to do; None if it exists."""
    from gamed.store.reading import file_of, is_missing  # noqa: PLC0415 (heavy)

    if not is_missing(settings.url):
        return None
    advice = "If the daemon stores its games elsewhere, give its configuration with --config."
    return f"There is no database {file_of(settings.url)}. {advice}"


def named(settings: StoreConfig) -> str:
    """Return a database's name for messages: its file, or its URL without the password."""
    from gamed.store.reading import file_of  # noqa: PLC0415 (heavy)
    from gamed.store.sql import public_url  # noqa: PLC0415 (heavy)

    return str(file_of(settings.url) or public_url(settings.url))


@contextmanager
def database(settings: StoreConfig, *, writing: bool = False) -> Iterator[Database]:
    """Open the record store that the settings name. Raises StoreError."""
    from gamed.store.reading import readable  # noqa: PLC0415 (heavy)
    from gamed.store.sql import Database  # noqa: PLC0415 (heavy)

    with nullcontext(settings.url) if writing else readable(settings.url) as url:
        store = Database(url)
        store.thd_open()
        try:
            yield store
        finally:
            store.thd_close()


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
