"""Records and summaries as rows of the tables, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, insert

from gamed.core.errors import StoreError
from gamed.records.record import Record, SeatSummary, Summary
from gamed.store.tables import seats, summaries

# Built once: SQLAlchemy finds a statement's compiled form by its structure, and building that costs time.
_INSERT_SUMMARY: Final = insert(summaries)
_INSERT_SEAT: Final = insert(seats)

_UNHOLDABLE = re.compile("[\0\ud800-\udfff]")


def held(text: str) -> str:
    """Return a text with U+FFFD in the place of what no database holds: halves of characters, and PostgreSQL no NUL.

    Names come from strangers. Their records spell such a name as it was, and are found by it.
    """
    return _UNHOLDABLE.sub("\ufffd", text)


def insert_summaries(connection: Connection, found: Sequence[Summary]) -> None:
    """Insert what is searched of records that are there."""
    if found:
        connection.execute(_INSERT_SUMMARY, [_summary_row(summary) for summary in found])
    seat_rows = [_seat_row(summary.id, seat) for summary in found for seat in summary.seats]
    if seat_rows:
        connection.execute(_INSERT_SEAT, seat_rows)


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
