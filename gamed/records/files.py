"""The import of a file's games: one of an XML document, any number of an SGF file.

Source: docs/reference/records.md#the-import, docs/reference/records.md#gofans. The command line and the browser take in
files by this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Final

import attrs

from gamed.core.errors import RuleError
from gamed.games.go.tree import GoGame
from gamed.records import sgf, sgf_encodings
from gamed.records.convert import newest
from gamed.records.gofans import PUBLISHER
from gamed.records.importer import Imported, Reader, Replayer, check, judged, refused
from gamed.records.index import Index
from gamed.records.played import played_go
from gamed.records.record import RecordError, document

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"
_START = re.compile(rb"\(\s*;")


def outcomes(
    data: bytes,
    formats: Index,
    players: Mapping[str, Replayer],
    readers: Mapping[str, Reader],
    encoding: str | None = None,
) -> Iterator[Imported]:
    """Take all steps but the storing with each game of a file; see `importer.check`.

    A game that cannot be read does not keep the others out. `encoding`: of an SGF file, whatever it declares. Raises
    RecordError if that is not known.
    """
    if not is_sgf(data):
        yield check(data, formats, players, readers)
        return
    readings = sgf.games(data, encoding)
    first = list(islice(readings, 2))
    for reading in chain(first, readings):
        if reading.game is None:
            yield _unreadable(reading)
            continue
        outcome = _of_go(reading.game, formats, players)
        place = f"game {reading.number}: " if len(first) > 1 else ""
        line = reading.line if outcome.line is None and not outcome.is_taken else outcome.line
        lost = (*outcome.lost, *reading.notes)
        yield attrs.evolve(outcome, sentence=place + outcome.sentence, line=line, lost=lost)


def is_sgf(data: bytes) -> bool:
    """Whether a file is SGF and not XML: it begins with a game, or has one after words that are not XML."""
    text = sgf_encodings.decoded(data)[0].encode() if sgf_encodings.is_utf_16(data) else data
    begin = text.lstrip(_BLANK)
    return begin.startswith(b"(") or (not begin.startswith(b"<") and _START.search(begin) is not None)


def _unreadable(reading: sgf.Reading) -> Imported:
    error = reading.error
    assert error is not None
    return Imported("forbidden" if error.code == "forbidden" else "not-valid", error.reason, error.line)


def _of_go(game: GoGame, formats: Index, players: Mapping[str, Replayer]) -> Imported:
    try:
        # To write it, its moves were judged; reading and judging it once more would take half of the time.
        return check(document(newest(game)), formats, {**players, PUBLISHER: partial(played_go, game=game)})
    except RecordError as error:
        return refused(error)
    except RuleError as error:
        return judged(error)
