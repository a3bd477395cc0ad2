"""A game record as it is stored, and the fields it can be searched by.

Source: docs/reference/records.md#the-base-format, docs/reference/records.md#what-is-kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from gamed.core.errors import GamedError
from gamed.records.notation import attribute


class RecordError(GamedError):
    """A document is not a record, or a record violates its format.

    Its message is `reason`, after the line number if the line is known.
    """

    code: str
    """Stable; docs/reference/records.md#the-import lists the codes. `SgfError` adds `not-sgf`, and the choice of an
    encoding `unknown-encoding`."""

    reason: str
    """What is wrong, without the line number."""

    line: int | None
    """The line in the document, from 1; None if it is not known. The same holds for `column` and `xpath`."""

    column: int | None
    xpath: str | None

    place: tuple[str, int] | None
    """Where the error is in a record that was parsed without its document: the name of an element, and its index among
    the elements of this name, from 0. The importer finds the line and the XPath by it."""

    detail: Mapping[str, str | int]
    """How a document is not valid; see `Imported.detail`."""

    def __init__(  # noqa: PLR0913 (an error has as many coordinates)
        self,
        message: str,
        *,
        code: str,
        line: int | None = None,
        column: int | None = None,
        xpath: str | None = None,
        place: tuple[str, int] | None = None,
        detail: Mapping[str, str | int] | None = None,
    ) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.place = place
        self.detail = detail or {}
        self.code = code
        self.reason = message
        self.line = line
        self.column = column
        self.xpath = xpath


@frozen
class Record:
    """A game as the database holds it: five columns."""

    id: str
    """A UUID in lower case with hyphens."""

    publisher: str
    """Who defines the format. Publisher and version name a format."""

    version: str

    header: bytes
    """The whole element, its tags included: XML in UTF-8. The same holds for `body`."""

    body: bytes


@frozen
class SeatSummary:
    """A player of a recorded game."""

    seat: int
    """From 0."""

    name: str

    points: float | None
    """None if they are not known."""


@frozen
class Summary:
    """The fields that a record can be searched by."""

    id: str
    """The record's, as are `publisher` and `version`."""

    publisher: str
    version: str

    kind: str
    """The game's name in the format index; nothing if no index has the record's format."""

    started: str
    """UTC in ISO 8601. A record may give only a day, a month, a year or nothing; then so does this. The same holds
    for `ended`."""

    ended: str

    termination: str
    """A value of `Termination`, or nothing if the record does not say how the game ended."""

    winner: int | None
    """A seat; None if nobody won."""

    length: int
    """The number of moves; of a game whose lines are relayed without being understood, the number of lines."""

    seats: tuple[SeatSummary, ...]
    """Nothing if gamed does not play the format; then `started`, `ended` and `termination` are nothing, too."""

    owners: frozenset[str] = frozenset()
    """Whose game it was: the players' addresses, and the keys of their browsers. The store keeps them beside the
    record; they are in no file and in no list."""


def unplayed(record: Record, kind: str = "") -> Summary:
    """Return the search fields of a record that gamed does not play: it is found by its format only."""
    return Summary(
        id=record.id,
        publisher=record.publisher,
        version=record.version,
        kind=kind,
        started="",
        ended="",
        termination="",
        winner=None,
        length=0,
        seats=(),
    )


def document(record: Record) -> bytes:
    """Return a record as an XML file in UTF-8, with an XML declaration and a final line feed."""
    head = f'<game publisher="{attribute(record.publisher)}" version="{attribute(record.version)}">'
    return b'<?xml version="1.0" encoding="UTF-8"?>\n%b\n  %b\n  %b\n</game>\n' % (
        head.encode(),
        record.header,
        record.body,
    )
