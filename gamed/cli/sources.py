"""Finds a game by what the user gives: a file, or the id of a stored record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gamed.cli.database import database, missing_database, store_settings
from gamed.cli.imports import document_of
from gamed.config import StoreConfig
from gamed.core.errors import GamedError, UnknownRecord
from gamed.games.go import files, gofans, sgf
from gamed.games.go.sgf import Reading
from gamed.records.importer import check
from gamed.records.index import index
from gamed.records.record import Record
from gamed.replayers import readers

SGF = ".sgf"
_ID = re.compile("[0-9A-Fa-f-]{1,36}")


def record_of(name: str, config: str | None) -> Record:
    """Return the record in a file, or else the stored record by its id or first characters. Raises GamedError."""
    settings = store_settings(config)
    if not Path(name).exists():
        if not _ID.fullmatch(name):
            raise GamedError(f"there is no file {name}, and it is not the id of a record")
        return stored(name, settings)
    formats = index(Path(settings.formats) if settings.formats else None)
    with _named(name):
        outcome = check(document_of(name, settings.import_bytes), formats, {}, readers())
    if outcome.record is None:
        line = "" if outcome.line is None else f":{outcome.line}"
        raise GamedError(f"{name}{line}: {outcome.code}: {outcome.sentence}")
    return outcome.record


def stored(id: str, settings: StoreConfig) -> Record:  # noqa: A002 (the column's name)
    """Return a stored record by its id or its first characters. Raises GamedError."""
    missing = missing_database(settings)
    if missing is not None:
        raise UnknownRecord(f"there is no record {id}. {missing}")
    with database(settings) as store:
        # Ids are stored in lower case; people copy them in either.
        return store.thd_record(id.lower())


def go_games(name: str, config: str | None, encoding: str | None = None) -> list[Reading]:
    """Return the Go games in a file (GoFans or SGF) or a stored record; at least one of them could be read.

    `encoding`: of an SGF file, instead of the one that it declares. Raises GamedError.
    """
    found = sgf_games(name, config, encoding)
    return found or [Reading(1, game=gofans.read(record_of(name, config)))]


def sgf_games(name: str, config: str | None, encoding: str | None = None) -> list[Reading]:
    """Return the games of a file that is SGF by its name or its content; nothing if it is not.

    At least one of the games could be read. Raises GamedError.
    """
    if not is_sgf(name) and not Path(name).is_file():
        return []
    with _named(name):
        data = document_of(name, store_settings(config).import_bytes)
        if not is_sgf(name) and not files.is_sgf(data):
            return []
        readings = list(sgf.games(data, encoding))
        if all(reading.game is None for reading in readings):
            raise readings[0].error or AssertionError(readings)
        return readings


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Add the name of the file to errors."""
    try:
        yield
    except GamedError as error:
        raise GamedError(f"{name}: {error}") from error


def is_sgf(name: str) -> bool:
    """Whether a file's name says that it is SGF."""
    return name.lower().endswith(SGF)
