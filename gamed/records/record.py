"""A record of a game as it is stored, and what can be searched of it.

Source: docs/reference/records.md#the-base-format, docs/reference/records.md#what-is-kept.
"""

from __future__ import annotations

from attrs import frozen

from gamed.core.errors import GamedError
from gamed.records.notation import attribute


class RecordError(GamedError):
    """A document is no record, or a record is not what its format says.

    `code` is stable, see docs/reference/records.md#the-import: `missing`, `unreadable`, `not-xml`, `forbidden`,
    `not-standard`, `unknown-format`, `not-valid`. `reason`: the sentence alone. `line`, `column`: where in the
    document, counted from 1; `xpath`: of the element; None where there is no such place. `place`: of a record without
    its document, the name of the element and which of that name it is, from 0.
    """

    def __init__(  # noqa: PLR0913 (where it is)
        self,
        message: str,
        *,
        code: str,
        line: int | None = None,
        column: int | None = None,
        xpath: str | None = None,
        place: tuple[str, int] | None = None,
    ) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.place = place
        self.code = code
        self.reason = message
        self.line = line
        self.column = column
        self.xpath = xpath


@frozen
class Record:
    """A game as the database holds it: five columns.

    `id`: a UUID in lower case with hyphens. `publisher`, `version`: name the format. `header`, `body`: the whole nodes,
    XML in UTF-8.
    """

    id: str
    publisher: str
    version: str
    header: bytes
    body: bytes


@frozen
class SeatSummary:
    """Who sat on a seat (counted from 0), and the points that were given, if they are known."""

    seat: int
    name: str
    points: float | None


@frozen
class Summary:
    """What is searched of a record.

    `id`, `publisher`, `version`: the record's. `kind`: the game's name in the registry. `started`, `ended`: UTC, ISO
    8601, of Go as far as the date is known. `termination`: a value of `Termination`. `winner`: a seat, None for nobody.
    `length`: moves or lines.
    """

    id: str
    publisher: str
    version: str
    kind: str
    started: str
    ended: str
    termination: str
    winner: int | None
    length: int
    seats: tuple[SeatSummary, ...]


def document(record: Record) -> bytes:
    """Return a record as a file: UTF-8 with an XML declaration, and a line feed at the end."""
    head = f'<game publisher="{attribute(record.publisher)}" version="{attribute(record.version)}">'
    return b'<?xml version="1.0" encoding="UTF-8"?>\n%b\n  %b\n  %b\n</game>\n' % (
        head.encode(),
        record.header,
        record.body,
    )
