"""Histories, records and summaries to test with."""

from __future__ import annotations

from hypothesis import strategies as st

from gamed.core.history import Entry, History
from gamed.records.record import Record, SeatSummary, Summary

ROOM = "123e4567-e89b-42d3-a456-426614174000"

values = st.one_of(st.text(max_size=8), st.integers(), st.booleans())
entries = st.builds(
    Entry,
    at=st.integers(0, 2**53),
    kind=st.sampled_from(["joined", "line", "left", "geändert"]),
    seat=st.none() | st.integers(-1, 7),
    body=st.none() | st.binary(max_size=30) | st.text(max_size=10).map(str.encode),
    data=st.dictionaries(st.text(max_size=8), values, max_size=3),
)
"""Whatever an entry may be, `opened` aside."""


def history(room: str = ROOM) -> History:
    """Return a room that was just opened."""
    return History(room, "battleship", "2026-11-21T09:00:00.000Z", 7, {"enforce": False, "size": 10})


def line(at: int, body: bytes = b"(1,[3,4]).") -> Entry:
    """Return a line of a Battleship game."""
    return Entry(at, "line", at % 2, body)


def record(number: int, body: bytes = b"<body/>") -> Record:
    """Return the record whose id begins with a number in eight hexadecimal digits."""
    return Record(f"{number:08x}-e89b-42d3-a456-426614174000", "gamed-battleship", "1.0", b"<header/>", body)


def summary(  # noqa: PLR0913 (its fields)
    number: int,
    names: tuple[str, ...] = ("Ada", "Grace"),
    kind: str = "battleship",
    termination: str = "victory",
    started: str = "2026-11-21T09:00:00.000Z",
    *,
    ended: str | None = None,
) -> Summary:
    """Return the summary of `record(number)`; its length is 40 + number, and its game took no time."""
    seats = tuple(SeatSummary(seat, name, None if seat else 1.5) for seat, name in enumerate(names))
    own = record(number)
    facts = (own.id, own.publisher, own.version, kind, started, ended or started)
    return Summary(*facts, termination, 0, 40 + number, seats)
