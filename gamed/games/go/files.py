"""The import of all games of a file: an XML document has one, an SGF file any number.

Source: docs/reference/records.md#the-import, docs/reference/records.md#gofans. The command line and the browser both
import through this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Final

import attrs

from gamed.core.errors import RuleError
from gamed.games.go import sgf, sgf_encodings
from gamed.games.go.convert import newest
from gamed.games.go.gofans import PUBLISHER
from gamed.games.go.played import played_go
from gamed.games.go.tree import GoGame
from gamed.records.importer import Imported, Reader, Replayer, check, illegal, refused
from gamed.records.index import Index
from gamed.records.record import RecordError, document

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"
_START = re.compile(rb"\(\s*;")


def outcomes(
    data: bytes,
    formats: Index,
    replayers: Mapping[str, Replayer],
    readers: Mapping[str, Reader],
    encoding: str | None = None,
) -> Iterator[Imported]:
    """Take each game of a file through all steps except storing it; see `importer.check` for the arguments.

    A game that cannot be read does not affect the others. `encoding`: of an SGF file, in place of the one that it
    declares. Raises RecordError if `encoding` is not known.
    """
    if not is_sgf(data):
        yield check(data, formats, replayers, readers)
        return
    readings = sgf.games(data, encoding)
    # Reading two games tells whether messages need the game's number, and the others are still read one at a time.
    first = list(islice(readings, 2))
    for reading in chain(first, readings):
        if reading.game is None:
            yield _unreadable(reading)
            continue
        outcome = _of_go(reading.game, formats, replayers)
        place = f"game {reading.number}: " if len(first) > 1 else ""
        line = reading.line if outcome.line is None and not outcome.is_taken else outcome.line
        lost = (*outcome.lost, *reading.notes)
        yield attrs.evolve(outcome, sentence=place + outcome.sentence, line=line, lost=lost)


def is_sgf(data: bytes) -> bool:
    """Whether a file is SGF and not XML: it begins with a game, or has one after text that is not XML."""
    text = sgf_encodings.decoded(data)[0].encode() if sgf_encodings.is_utf_16(data) else data
    begin = text.lstrip(_BLANK)
    return begin.startswith(b"(") or (not begin.startswith(b"<") and _START.search(begin) is not None)


def _unreadable(reading: sgf.Reading) -> Imported:
    error = reading.error
    assert error is not None
    return Imported("forbidden" if error.code == "forbidden" else "not-valid", error.reason, error.line)


def _of_go(game: GoGame, formats: Index, replayers: Mapping[str, Replayer]) -> Imported:
    try:
        # `newest` has replayed the game to compute the captures. Doing so again would double the time, so the replayer
        # of this record returns the game that is already here.
        return check(document(newest(game)), formats, {**replayers, PUBLISHER: partial(played_go, game=game)})
    except RecordError as error:
        return refused(error)
    except RuleError as error:
        return illegal(error)
