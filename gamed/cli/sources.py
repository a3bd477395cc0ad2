"""Finds a game by what the user gives: a file, or the id of a stored record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gamed.cli.checking import document_of
from gamed.cli.database import database, missing_database, store_settings
from gamed.config import StoreConfig
from gamed.core.errors import GamedError, UnknownRecord
from gamed.records.importer import check
from gamed.records.record import Record
from gamed.records.written import Reading
from gamed.registry import WrittenGame, written_games
from gamed.replayers import known_formats, readers

XML = ".xml"
_ID = re.compile("[0-9A-Fa-f-]{1,36}")


def record_of(name: str, config: str | None) -> Record:
    """Return the record in a file, or else the stored record by its id or first characters. Raises GamedError."""
    settings = store_settings(config)
    if not Path(name).exists():
        if not _ID.fullmatch(name):
            raise GamedError(f"there is no file {name}, and it is not the id of a record")
        return stored(name, settings)
    with _named(name):
        document = document_of(name, settings.import_bytes)
        outcome = check(document, known_formats(settings.formats), {}, readers())
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


def written_in(name: str, config: str | None, encoding: str | None = None) -> tuple[WrittenGame, list[Reading]]:
    """Return the games in a file, or in a stored record, of a game that people write down; one at least could be read.

    `encoding`: of the file, instead of the one that it declares. Raises GamedError.
    """
    found = in_file(name, config, encoding)
    if found is not None:
        return found
    record = record_of(name, config)
    game = written_of(record) or next(iter(written_games().values()))
    return game, [Reading(1, game=game.formats.read(record))]


def written_of(record: Record) -> WrittenGame | None:
    """Return the game of a record that people write down."""
    return next((game for game in written_games().values() if game.publisher == record.publisher), None)


def in_file(name: str, config: str | None, encoding: str | None = None) -> tuple[WrittenGame, list[Reading]] | None:
    """Return the games of a file whose name or content says that it is not XML; None for any other.

    At least one of the games could be read. Raises GamedError.
    """
    by_name = by_ending(name)
    if by_name is None and not Path(name).is_file():
        return None
    with _named(name):
        data = document_of(name, store_settings(config).import_bytes)
        game = by_name or next((one for one in written_games().values() if one.formats.is_file(data)), None)
        if game is None:
            return None
        readings = list(game.formats.games(data, encoding))
        if all(reading.game is None for reading in readings):
            raise readings[0].error or AssertionError(readings)
        return game, readings


def by_ending(name: str) -> WrittenGame | None:
    """Return the game whose files have names that end so; None for XML."""
    games = (game for game in written_games().values() if game.format_of(name))
    return None if name.lower().endswith(XML) else next(games, None)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Add the name of the file to errors."""
    try:
        yield
    except GamedError as error:
        raise GamedError(f"{name}: {error}") from error
