"""Convert records and summaries to rows of the tables, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, insert

from gamed.core.errors import StoreError
from gamed.records.record import Record, SeatSummary, Summary, unplayed
from gamed.store.tables import owners, seats, summaries

# Built once: SQLAlchemy caches compiled statements, but computing the cache key of a new statement takes time.
_INSERT_SUMMARY: Final = insert(summaries)
_INSERT_SEAT: Final = insert(seats)
_INSERT_OWNER: Final = insert(owners)

_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")


def held(text: str) -> str:
    """Return a text with U+FFFD in place of NUL and lone surrogates, which databases cannot store.

    Players choose their names. A record contains such a name as it was, and a search for it finds the record, because
    the name in the query is converted in the same way.
    """
    return _NOT_STORABLE.sub("\ufffd", text)


def insert_summaries(connection: Connection, records: Sequence[tuple[Record, Summary | None]]) -> None:
    """Insert the search fields of stored records; without them, a record is found by its format only."""
    found = [summary or unplayed(record) for record, summary in records]
    if found:
        connection.execute(_INSERT_SUMMARY, [_summary_row(summary) for summary in found])
    seat_rows = [_seat_row(summary.id, seat) for summary in found for seat in summary.seats]
    if seat_rows:
        connection.execute(_INSERT_SEAT, seat_rows)


def insert_owners(connection: Connection, records: Sequence[tuple[Record, Summary | None]]) -> None:
    """Insert whose games they are, if that is known."""
    owner_rows = [{"game_id": one.id, "owner": owner} for _, one in records if one for owner in sorted(one.owners)]
    if owner_rows:
        connection.execute(_INSERT_OWNER, owner_rows)


def game_row(record: Record) -> Mapping[str, object]:
    """Return the row of a record. Raises StoreError if it is not UTF-8."""
    try:
        header, body = record.header.decode(), record.body.decode()
    except UnicodeDecodeError as error:
        raise StoreError(f"the record {record.id} is not UTF-8: {error}") from error
    return {
        "id": record.id,
        "publisher": record.publisher,
        "version": record.version,
        "header": header,
        "body": body,
    }


def _summary_row(summary: Summary) -> Mapping[str, object]:
    return {
        "game_id": summary.id,
        "kind": summary.kind,
        "started": summary.started,
        "ended": summary.ended,
        "termination": summary.termination,
        "winner": summary.winner,
        "length": summary.length,
    }


def _seat_row(game_id: str, seat: SeatSummary) -> Mapping[str, object]:
    return {"game_id": game_id, "seat": seat.seat, "name": held(seat.name), "points": seat.points}


def record_of(row: Any) -> Record:
    """Return the record of a row."""
    return Record(row.id, row.publisher, row.version, row.header.encode(), row.body.encode())
