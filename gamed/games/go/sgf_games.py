"""Split an SGF file into its games, and convert each to UTF-8.

Time is proportional to the size of the file. The parser makes objects of hundreds of bytes for a token of one byte, so
a game of too many tokens is rejected here, before it is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attrs import frozen

from gamed.games.go import sgf_encodings
from gamed.games.go.sgf_encodings import UTF_8
from gamed.games.go.sgf_values import SgfError

MOST_TOKENS: Final = 300_000
"""The most brackets, semicolons, values and property names of a game; a move has three of them."""

MOST_BYTES: Final = 5_000_000
"""The most bytes of a game; the largest that we know, a dictionary of joseki, has 1.5 million."""

MOST_ESCAPES: Final = 500_000
"""The most backslashes of a game: the tokeniser of sgfmill uses 130 bytes of memory for each."""

SPARE_GAMES: Final = 2_000
"""The most games of a file, plus one for every `GAME_BYTES` bytes of it: three bytes, `(;)`, make a whole record."""

GAME_BYTES: Final = 256
"""See `SPARE_GAMES`. Most real games are larger."""

# A value in brackets. A backslash escapes the byte after it. The value ends with the file if its bracket is missing.
_VALUE: Final = rb"\[[^\\\]]*+(?:\\.[^\\\]]*+)*+(?:\]|\Z)"
# The same in an encoding of `_WIDE`, where the second byte of a letter may be that of a bracket or a backslash.
_WIDE_VALUE: Final = rb"\[(?:[^\\\]\x81-\xfe]|\\?[\x81-\xfe][\x40-\xfe]|\\.|[\x80-\xff])*+(?:\]|\Z)"
_REST: Final = rb"|[A-Za-z]{1,64}|[();]"
_TOKEN: Final = re.compile(_VALUE + _REST, re.DOTALL)
_WIDE_TOKEN: Final = re.compile(_WIDE_VALUE + _REST, re.DOTALL)
# The codecs in which a letter may have two bytes, of which the second may be an ASCII character.
_WIDE: Final = frozenset({"cp932", "gb18030", "cp949", "cp950", "big5hkscs", "johab"})
# The second form is that of the Nihon Ki-in, which writes no semicolon before the root node.
_START: Final = re.compile(rb"\(\s*(?:;|(?=[A-Z]{1,2}\s*\[))")
_HEAD: Final = b"(;"


@frozen
class Part:
    """A game of a file, not parsed yet."""

    number: int
    """The index of the game in the file, from 1."""

    line: int
    """The line in which it begins, from 1."""

    utf8: bytes
    """Its bytes in UTF-8, beginning with `(;`."""

    notes: tuple[str, ...]
    """Sentences on doubts about its encoding."""

    is_headless: bool
    """Whether the semicolon before its root node was missing, as in files of the Nihon Ki-in."""


def parts(data: bytes, encoding: str | None) -> Iterator[Part]:
    """Yield the games of a file. `encoding`: of the whole file; None: the one that it declares.

    Raises SgfError at a game that is too large; the games after it are not read.
    """
    if encoding is None and not sgf_encodings.is_utf_16(data) and len(sgf_encodings.declared(data)) > 1:
        yield from _each_in_its_own(data)
        return
    if encoding is None:
        text, notes = sgf_encodings.decoded(data)
    else:
        codec = sgf_encodings.chosen(encoding)
        text, lost = sgf_encodings.read_as(data, codec)
        notes = sgf_encodings.replaced(lost, encoding)
    # A byte of an East Asian letter may look like a bracket, so decode the file before splitting it.
    utf8 = text.encode()
    for number, line, start, end in _split(utf8):
        yield _part(number, line, utf8[start:end], notes)


def _each_in_its_own(data: bytes) -> Iterator[Part]:
    # The games declare different encodings, so the file must be split before it is decoded.
    for number, line, start, end in _split(data, is_raw=True):
        text, notes = sgf_encodings.decoded(data[start:end])
        yield _part(number, line, text.encode(), notes)


def _part(number: int, line: int, utf8: bytes, notes: list[str]) -> Part:
    found = _START.match(utf8)
    assert found is not None
    is_headless = not found[0].endswith(b";")
    return Part(number, line, _HEAD + utf8[found.end() :] if is_headless else utf8, tuple(notes), is_headless)


def _split(data: bytes, *, is_raw: bool = False) -> Iterator[tuple[int, int, int, int]]:
    """Yield the number of each game, its line, its start and its end.

    `is_raw`: the data is not decoded yet; then the encoding that a game declares tells how to find its end.
    """
    number, line, position = 0, 1, 0
    most = SPARE_GAMES + len(data) // GAME_BYTES
    declaration = sgf_encodings.DECLARED.search(data) if is_raw else None
    while start := _START.search(data, position):
        number += 1
        line += data.count(b"\n", position, start.start())
        if number > most:
            text = f"it has more than {most:,} games, too many for its size: game {number} and later ones are not read"
            raise SgfError(text, code="forbidden", line=line)
        if declaration is not None and declaration.start() < start.start():
            declaration = sgf_encodings.DECLARED.search(data, start.start())
        codec = sgf_encodings.codec(sgf_encodings.name_in(declaration)) if declaration else UTF_8
        position = _end(data, start.start(), _WIDE_TOKEN if codec in _WIDE else _TOKEN, number, line)
        if codec in _WIDE and declaration is not None and declaration.start() > position:
            # The declaration is that of a later game. This game has none, so read it byte by byte.
            position = _end(data, start.start(), _TOKEN, number, line)
        _check_size(data, start.start(), position, number, line)
        yield number, line, start.start(), position
        line += data.count(b"\n", start.start(), position)


def _check_size(data: bytes, start: int, end: int, number: int, line: int) -> None:
    if end - start > MOST_BYTES:
        what = f"{MOST_BYTES:,} bytes"
    elif data.count(b"\\", start, end) > MOST_ESCAPES:
        what = f"{MOST_ESCAPES:,} backslashes"
    else:
        return
    raise SgfError(f"game {number} has more than {what}: it and later ones are not read", code="forbidden", line=line)


def _end(data: bytes, start: int, token: re.Pattern[bytes], number: int, line: int) -> int:
    """Return the end of a game: after its last bracket, or that of the file. Raises SgfError if it is too large."""
    level = 0
    for tokens, found in enumerate(token.finditer(data, start), 1):
        sign = data[found.start()]
        if sign == ord("("):
            level += 1
        elif sign == ord(")"):
            level -= 1
            if level == 0:
                return found.end()
        if tokens > MOST_TOKENS:
            text = f"game {number} has more than {MOST_TOKENS:,} brackets and values: it and later ones are not read"
            raise SgfError(text, code="forbidden", line=line)
    return len(data)
