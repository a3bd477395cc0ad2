"""The import of a file's games: one of an XML document, any number of an SGF file.

Source: records.md 2 and 4; issue 15, L4. The command line and the browser take in files by this.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from gamed.errors import RuleError
from gamed.games.go.tree import GoGame
from gamed.records import sgf
from gamed.records.convert import newest
from gamed.records.importer import Imported, Player, Reader, check, refused
from gamed.records.index import Index
from gamed.records.record import RecordError, document
from gamed.records.sgf_values import SgfError

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_START = re.compile(rb"\(\s*;")


def outcomes(
    data: bytes,
    formats: Index,
    players: Mapping[str, Player],
    readers: Mapping[str, Reader],
    most: int | None = None,
) -> Iterator[Imported]:
    """Take all steps but the storing with each game of a file; see `importer.check`. Raises nothing.

    `most`: how many games of an SGF file are taken.
    """
    if not is_sgf(data):
        yield check(data, formats, players, readers)
        return
    try:
        games = sgf.read(data)
    except SgfError as error:
        yield Imported("not-valid", error.reason, error.line)
        return
    if most is not None and len(games) > most:
        yield Imported("forbidden", f"it holds {len(games)} games, more than {most}")
        return
    for number, (game, notes) in enumerate(games, 1):
        outcome = _of_go(game, formats, players)
        place = f"game {number}: " if len(games) > 1 else ""
        yield attrs.evolve(outcome, sentence=place + outcome.sentence, lost=(*outcome.lost, *notes))


def is_sgf(data: bytes) -> bool:
    """Whether a file is SGF and not XML: it begins with a game, or has one after words that are not XML."""
    text = data.decode("utf-16", "replace").encode() if data.startswith(_UTF_16) else data
    begin = text.lstrip(_BLANK)
    return begin.startswith(b"(") or (not begin.startswith(b"<") and _START.search(begin) is not None)


def _of_go(game: GoGame, formats: Index, players: Mapping[str, Player]) -> Imported:
    try:
        return check(document(newest(game)), formats, players)
    except RecordError as error:
        return refused(error)
    except RuleError as error:
        return Imported("illegal", str(error))
