"""Racket's text as it comes, in pieces: what its readers take from it, what they count, and what they refuse.

Source: quoridor.md B2 and B4. What reads is a generator: it pauses where the text ends, and goes on when there is more.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Final, TypeAlias, TypeVar

from attrs import define

from gamed.errors import RemoteProtocolError
from gamed.refusals import legible

T = TypeVar("T")
Reading: TypeAlias = Generator[None, None, T]

IN_LINE: Final = re.compile(r"[^\n]*")
_COMMENT_MARK: Final = re.compile(r"\|#|#\|")

SHOWN: Final = 200
"""How many characters are kept of a message for those who look for their mistake."""


def malformed(message: str) -> RemoteProtocolError:
    """Build the error for text that `read` refuses."""
    hint = "one datum and a line feed, as Racket's write and newline print them"
    # It may quote what came.
    return RemoteProtocolError(legible(message), code="malformed-datum", hint=hint)


@define
class Input:
    """The text that has come in, how far it is read, and how many bytes of the limit the datum has taken.

    `_marked` is where the text begins in `text` that `since_mark` returns, and `_before` what came of it in the pieces
    before this one.
    """

    limit: int
    text: str = ""
    at: int = 0
    ended: bool = False
    size: int = 0
    _marked: int = 0
    _before: str = ""

    def feed(self, text: str, *, ended: bool) -> None:
        """Take the next piece; the one before has been read."""
        self._before = self.since_mark()
        self._marked = self.at = 0
        self.text, self.ended = text, ended

    def mark(self, at: int) -> None:
        """Begin to keep the text at a place, for `since_mark`."""
        self._marked, self._before = at, ""

    def since_mark(self) -> str:
        """Return what has been read since the mark, or the first `SHOWN` characters of it."""
        room = SHOWN - len(self._before)
        return self._before + self.text[self._marked : min(self.at, self._marked + room)]

    def skip_to_line_end(self) -> None:
        """Pass over what has come of the line."""
        self._matching(IN_LINE)

    def count(self, size: int) -> None:
        """Count bytes of the datum."""
        self.size += size
        if self.size > self.limit:
            raise RemoteProtocolError(
                f"a datum is longer than {self.limit} bytes",
                code="datum-too-long",
                hint="shorter data: a move has 40 bytes",
            )

    def peek(self) -> Reading[str]:
        """Return the next character, or "" at the end of the stream."""
        while self.at == len(self.text):
            if self.ended:
                return ""
            yield
        return self.text[self.at]

    def take(self) -> Reading[str]:
        """Take the next character. At the end of the stream this never returns: half a datum is none."""
        while self.at == len(self.text):
            yield
        character = self.text[self.at]
        self.at += 1
        self.count(len(character.encode()))
        return character

    def run(self, pattern: re.Pattern[str]) -> Reading[str]:
        """Take all characters of a class, in however many pieces they come."""
        parts = []
        while True:
            part = self._matching(pattern)
            self.count(len(part) if part.isascii() else len(part.encode()))
            parts.append(part)
            if self.at < len(self.text) or self.ended:
                return "".join(parts)
            yield

    def skip(self, pattern: re.Pattern[str]) -> Reading[None]:
        """Pass over all characters of a class, which are part of no datum."""
        self._matching(pattern)
        while self.at == len(self.text) and not self.ended:
            yield
            self._matching(pattern)

    def skip_line(self) -> Reading[str]:
        """Pass over everything up to and including a line feed; return the character before it, "" if there is none."""
        last = ""
        while True:
            last = self._matching(IN_LINE)[-1:] or last
            if self.at < len(self.text):
                self.at += 1
                return last
            if self.ended:
                return ""
            yield

    def skip_comment(self) -> Reading[None]:
        """Pass over the rest of a comment in #| and |#, and those in it."""
        depth, last = 1, ""
        while depth:
            mark = self._comment_mark(last)
            if mark:
                depth += 1 if mark == "#|" else -1
                last = ""
            else:
                last = self.text[self.at :][-1:] or last
                self.at = len(self.text)
                yield

    def _comment_mark(self, last: str) -> str:
        """Pass over a comment up to the next start or end of one, which the last piece may have begun."""
        cut = last + self.text[self.at : self.at + 1]
        if _COMMENT_MARK.fullmatch(cut):
            self.at += 1
            return cut
        mark = _COMMENT_MARK.search(self.text, self.at)
        self.at = mark.end() if mark else self.at
        return mark[0] if mark else ""

    def _matching(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]
