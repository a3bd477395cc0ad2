"""What all commands share: errors on one line, the options that many have, the record store, and safe text.

Source: the contract in README.md. Errors that gamed raises on purpose are one line on standard error and exit status 1,
wrong usage is 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from gamed.errors import GamedError

if TYPE_CHECKING:
    from gamed.config import StoreConfig
    from gamed.store.sql import Database


class Commands(click.Group):
    """A group whose commands may raise GamedError."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; end with one line instead of a traceback where it raises GamedError."""
        try:
            return super().invoke(ctx)
        except GamedError as error:
            click.echo(f"gamed: {printable(' '.join(str(error).split()))}", err=True)
            ctx.exit(1)


config_option = click.option(
    "--config", type=click.Path(dir_okay=False), metavar="FILE", help="The daemon's configuration (TOML)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def store_settings(config: str | None) -> StoreConfig:
    """Return the section [store] of a configuration. Raises ConfigError."""
    from gamed.config import load  # noqa: PLC0415 (heavy)

    return load(config).store


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


def shortened(text: str, width: int) -> str:
    """Return a text in exactly `width` characters; an ellipsis stands for what is cut off."""
    return f"{text:<{width}}" if len(text) <= width else text[: width - 1] + "…"


def printable(text: str) -> str:
    """Return a text that cannot command the terminal: names and lines come from strangers."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
