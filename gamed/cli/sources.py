"""Games by what a person calls them: a file, or the id of a stored record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gamed.cli.imports import document_of
from gamed.cli.terminal import database, store_settings
from gamed.errors import GamedError

if TYPE_CHECKING:
    from gamed.games.go.tree import GoGame
    from gamed.records.record import Record

SGF = ".sgf"


def record_of(name: str, config: str | None) -> Record:
    """Return the record in a file, or else the stored one whose id, or its beginning, this is. Raises GamedError."""
    from gamed.cli.players import readers  # noqa: PLC0415 (heavy)
    from gamed.records.importer import check  # noqa: PLC0415 (heavy)
    from gamed.records.index import index  # noqa: PLC0415 (heavy)

    settings = store_settings(config)
    if not Path(name).exists():
        with database(settings) as store:
            return store.thd_record(name)
    formats = index(Path(settings.formats) if settings.formats else None)
    outcome = check(document_of(name, settings.import_bytes), formats, {}, readers())
    if outcome.record is None:
        line = "" if outcome.line is None else f":{outcome.line}"
        raise GamedError(f"{name}{line}: {outcome.code}: {outcome.sentence}")
    return outcome.record


def go_games(name: str, config: str | None) -> list[tuple[GoGame, list[str]]]:
    """Return the Go games in a file, GoFans or SGF, or of a stored record, each with what is not held of it.

    Raises GamedError.
    """
    from gamed.records import gofans, sgf  # noqa: PLC0415 (heavy)

    if is_sgf(name):
        return sgf.read(document_of(name, store_settings(config).import_bytes))
    return [(gofans.read(record_of(name, config)), [])]


def is_sgf(name: str) -> bool:
    """Whether a file's name says that it is SGF."""
    return name.lower().endswith(SGF)
