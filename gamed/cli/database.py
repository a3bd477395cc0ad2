"""The database of the records, as the commands open it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from gamed.config import StoreConfig, load
from gamed.store.database import Database, public_url
from gamed.store.reading import file_of, is_missing, readable


def store_settings(config: str | None) -> StoreConfig:
    """Return the section [store] of a configuration. Raises ConfigError."""
    return load(config).store


def missing_database(settings: StoreConfig) -> str | None:
    """Return a sentence that says which database does not exist and what to do; None if it exists."""
    if not is_missing(settings.url):
        return None
    advice = "If the daemon stores its games elsewhere, give its configuration with --config."
    return f"There is no database {file_of(settings.url)}. {advice}"


def named(settings: StoreConfig) -> str:
    """Return a database's name for messages: its file, or its URL without the password."""
    return str(file_of(settings.url) or public_url(settings.url))


@contextmanager
def database(settings: StoreConfig, *, writing: bool = False) -> Iterator[Database]:
    """Open the record store that the settings name. Raises StoreError."""
    with nullcontext(settings.url) if writing else readable(settings.url) as url:
        store = Database(url)
        store.thd_open()
        try:
            yield store
        finally:
            store.thd_close()
