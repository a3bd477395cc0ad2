"""What all commands share: errors on one line, the options that many have, the record store, and safe text.

Errors that gamed raises on purpose are one line on standard error and exit status 1, wrong usage is 2.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final

import click

from gamed.core.errors import GamedError
from gamed.texts import printable

if TYPE_CHECKING:
    from gamed.config import StoreConfig
    from gamed.store.sql import Database


CANNOT_WRITE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a write to standard output can fail with, a closed pipe aside, which click knows."""


UNFITTED: Final = 10_000
"""The width where standard output is not a terminal."""

WHOLE: Final = 1_000
"""The longest summary of a command."""


class Commands(click.Group):
    """A group whose commands may raise GamedError, and print any text wherever standard output goes."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line; end with one line instead of a traceback where nothing can be printed."""
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
            # Python tries once more at its end, and would say so.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click's)
        """List the commands with whole sentences; click cuts them to one line."""
        rows = [(name, command.get_short_help_str(WHOLE)) for name, command in sorted(self.commands.items())]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; end with one line instead of a traceback where it raises GamedError."""
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
    help="Read SGF in this encoding, whatever it declares: shift_jis, gbk, euc-kr, big5 and others",
)


yes_option = click.option("--yes", "is_agreed", is_flag=True, help="Do not ask; without a terminal this is needed.")


def confirm(question: str, *, is_agreed: bool) -> None:
    """Ask on the terminal before something that cannot be undone. Raises UsageError where nobody can be asked."""
    if is_agreed:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} Nobody can be asked here: say --yes")
    click.confirm(f"{question} This cannot be undone.", abort=True, err=True)


def store_settings(config: str | None) -> StoreConfig:
    """Return the section [store] of a configuration. Raises ConfigError."""
    from gamed.config import load  # noqa: PLC0415 (heavy)

    return load(config).store


def missing_database(settings: StoreConfig) -> str | None:
    """Return a sentence that says which database does not exist and what to do; None if it is there."""
    from gamed.store.reading import file_of, is_missing  # noqa: PLC0415 (heavy)

    if not is_missing(settings.url):
        return None
    advice = "If the daemon keeps its games elsewhere, name its configuration with --config."
    return f"There is no database {file_of(settings.url)}. {advice}"


def named(settings: StoreConfig) -> str:
    """Return the database in words: its file, or its URL without the password."""
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
    """Have files made that only their owner may read, as the daemon does: stored games name people's addresses."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def counted_of(number: int, what: str) -> str:
    """Return a number of things in words: `1 move`, `2 moves`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def shortened(text: str, width: int) -> str:
    """Return a text in exactly `width` characters; an ellipsis stands for what is cut off."""
    return f"{text:<{width}}" if len(text) <= width else text[: width - 1] + "…"


def one_line(text: str) -> str:
    """Return a sentence on one line that cannot command the terminal: some libraries' sentences have several."""
    return printable(" ".join(text.split()))
