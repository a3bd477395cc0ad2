"""The functions that play records, and those that convert the files of other programs to records.

They are in the shell, because the games are Twisted plugins. The core gets them as arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Options
from gamed.core.history import History
from gamed.core.table import Table
from gamed.records import own
from gamed.records.importer import Importer, Reader, Replayer
from gamed.records.index import Index, index
from gamed.records.parsing import parse_whole
from gamed.records.played import play_own
from gamed.records.positions import Replayed, names_of
from gamed.records.record import Record, RecordError, Summary, unplayed
from gamed.records.written import Formats
from gamed.registry import GameType, ReplayFormat, game_types, kinds, written_games


def importer(further: str = "") -> Importer:
    """Return the importer of all installed games. `further`: the operator's formats (`[store] formats`).

    Raises ConfigError.
    """
    return Importer(known_formats(further), replayers(), readers(), written())


def known_formats(further: str = "") -> Index:
    """Return the index of the formats of all installed games, and of the operator's. Raises ConfigError."""
    folders = [game.folder / "schemas" for game in kinds().values()]
    return index(*(folder for folder in folders if folder.is_dir()), *([Path(further)] if further else []))


def written() -> Mapping[str, Formats]:
    """Return the formats of games that are written down, by publisher."""
    return {game.publisher: game.formats for game in written_games().values()}


def replayers() -> Mapping[str, Replayer]:
    """Return the functions that play records, by publisher."""
    own = {made.publisher: partial(play_own, table=partial(table_of, made)) for made in game_types().values()}
    return {**own, **{publisher: formats.play for publisher, formats in written().items()}}


def table_of(made: GameType, options: Options) -> Table:
    """Return a table on which a record of a game can be replayed."""
    return made.table(made.settings(), options, Random, 0.0)


def pictures(made: GameType, history: History) -> Callable[[int], str]:
    """Replay a history, and return what draws its position after a number of moves, which raises RuleError.

    It shows what the public would see: in a running match, no cards.
    """
    replayed = Replayed(table_of(made, history.options), history, made.public_text)
    for _ in replayed.played():
        pass
    names = names_of(history)
    return lambda number: made.draw(replayed.position(number)["board"], replayed.moves[:number], names)


def readers() -> Mapping[str, Reader]:
    """Return the functions that make records of other programs' documents, by the root element."""
    found: dict[str, list[tuple[GameType, ReplayFormat]]] = {}
    for made in game_types().values():
        for replay in made.replays:
            found.setdefault(replay.root, []).append((made, replay))
    return {root: partial(_read, formats) for root, formats in found.items()}


def _read(formats: Sequence[tuple[GameType, ReplayFormat]], document: bytes) -> Record:
    made, replay = next((one for one in formats if one[1].mark in document), formats[0])
    try:
        history = replay.read(document)
    except RemoteProtocolError as error:
        if error.code == "malformed-xml":
            # This says where.
            parse_whole(document)
        raise RecordError(f"no {replay.name} replay: {error}", code="not-valid") from error
    return own.from_history(history, publisher=made.publisher, version=made.version, findings=(), unjudged=None)


def summary(record: Record, formats: Index) -> Summary:
    """Return the search fields of a stored record without replaying it.

    Raises RecordError if the record violates its format.
    """
    found = formats.formats.get((record.publisher, record.version))
    if found is not None and found.is_playable:
        if formats_of := written().get(record.publisher):
            return formats_of.summary(record, formats_of.read(record))
        if record.publisher.startswith(own.PUBLISHER):
            return own.summary(record)
    return unplayed(record, "" if found is None else found.kind)
