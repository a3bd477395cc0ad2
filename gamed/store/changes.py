"""Changes to stored records: delete them, rewrite them, and replace their search fields.

Source: docs/howto/operate.md#deleting-games. Each function works in the caller's transaction, which must have been
begun by `begin_writing`, because it reads before it writes. Replay files are changed before the transaction is
committed: if the process is killed in between, the record is unchanged, and the same command repeats the change of the
file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import BindParameter, Connection, bindparam, select
from sqlalchemy import delete as delete_from

from gamed.records.own import PUBLISHER
from gamed.records.record import Record, Summary
from gamed.store.dialects import insert_games
from gamed.store.replays import Folders
from gamed.store.rows import game_row, insert_summaries, record_of
from gamed.store.tables import games, seats, summaries

Rewritten: TypeAlias = tuple[Record, Record, Summary | None]
"""A record, the record that replaces it, and the search fields of the latter."""

_IDS: Final[BindParameter[Any]] = bindparam("ids", expanding=True)
_LOCK: Final = select(games).where(games.c.id.in_(_IDS)).order_by(games.c.id).with_for_update(key_share=True)
# The search fields and owners are deleted with the record, by ON DELETE CASCADE.
_DELETE: Final = delete_from(games).where(games.c.id.in_(_IDS)).returning(games.c.id)
_DELETE_SUMMARIES: Final = delete_from(summaries).where(summaries.c.game_id.in_(_IDS))
_DELETE_SEATS: Final = delete_from(seats).where(seats.c.game_id.in_(_IDS))


def delete(connection: Connection, ids: Sequence[str], folders: Folders) -> frozenset[str]:
    """Delete records and their files; return the ids of those that existed. Raises StoreError."""
    if folders:
        for row in connection.execute(_LOCK, {"ids": list(ids)}).all():
            if row.publisher in folders:
                folders[row.publisher].thd_remove(record_of(row))
    return frozenset(connection.execute(_DELETE, {"ids": list(ids)}).scalars())


def expired(connection: Connection, before: str, most: int) -> Sequence[str]:
    """Return the ids of gamed's own games that ended before a time.

    Records of other publishers were imported. They do not expire: their games may have been played a century ago.
    """
    found = select(summaries.c.game_id).join_from(summaries, games)
    # Of a game that a later version of gamed has recorded, nothing is known.
    is_old = (summaries.c.ended < before) & (summaries.c.ended != "")
    is_own = games.c.publisher.startswith(PUBLISHER, autoescape=True)
    return connection.execute(found.where(is_old, is_own).limit(most)).scalars().all()


def replace_summaries(connection: Connection, found: Sequence[tuple[Record, Summary | None]]) -> None:
    """Replace the search fields of records, unless they have been deleted or changed since they were read."""
    # This locks the records against other processes that change them: the next statements would not see their rows.
    same = _unchanged(connection, [record for record, _ in found])
    for statement in (_DELETE_SUMMARIES, _DELETE_SEATS):
        connection.execute(statement, {"ids": list(same)})
    insert_summaries(connection, [(record, summary) for record, summary in found if record.id in same])


def rewrite(connection: Connection, rewritten: Sequence[Rewritten], folders: Folders) -> frozenset[str]:
    """Replace records by others, unless they have been deleted or changed since they were read.

    Return the ids of those that were replaced. A new record may have another id, and may be stored already.
    """
    same = _unchanged(connection, [record for record, _, _ in rewritten])
    done = [(record, new, summary) for record, new, summary in rewritten if record.id in same]
    if not done:
        return frozenset()
    for record, new, _ in done:
        if record.publisher in folders:
            folders[record.publisher].thd_replace(record, new)
    connection.execute(_DELETE, {"ids": list(same)})
    connection.execute(insert_games(connection.dialect.name), [game_row(new) for _, new, _ in done])
    ids = {"ids": [new.id for _, new, _ in done]}
    for statement in (_DELETE_SUMMARIES, _DELETE_SEATS):
        connection.execute(statement, ids)
    # Two imported records may have become equal, and then have the same id.
    insert_summaries(connection, list({new.id: (new, summary) for _, new, summary in done}.values()))
    return same


def _unchanged(connection: Connection, records: Sequence[Record]) -> frozenset[str]:
    """Lock records; return the ids of those that have not been changed since they were read."""
    stored = {row.id: record_of(row) for row in connection.execute(_LOCK, {"ids": [one.id for one in records]})}
    return frozenset(record.id for record in records if stored.get(record.id) == record)
