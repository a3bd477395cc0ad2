"""Lines ended by LF, CR or CRLF, also when a segment ends between CR and LF.

No other character ends a line.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define

from gamed.core.errors import RemoteProtocolError

UNFINISHED = 200
"""How many bytes of an unfinished or too long line are kept, to be shown."""


@define(weakref_slot=False)
class LineReader:
    """Splits a byte stream into lines."""

    limit: int
    """The longest line that is accepted, in bytes without its terminator."""

    _text: bytes = b""
    """The beginning of the next line."""

    _after_cr: bool = False
    """Whether the last byte was CR: a LF after it belongs to the same line end."""

    _lines: list[bytes] | None = None
    """The lines that have not been taken, the last one first, so that taking the next one is cheap.

    None if there never were any: most readers of a busy listener are idle.
    """

    _over: bool = False
    """Whether a line was too long. Nothing is read after it."""

    _too_long: bytes = b""
    """The first bytes of that line."""

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a line that has not ended."""
        return self._text[:UNFINISHED]

    def receive_data(self, data: bytes) -> None:
        """Take bytes. Empty bytes end the stream, and text without a terminator becomes the last line."""
        if self._over:
            return
        if not data:
            self._end()
            return
        if self._after_cr and data[:1] == b"\n":
            data = data[1:]
        self._after_cr = data[-1:] == b"\r"
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        parts = (self._text + data).split(b"\n")
        self._text = parts.pop()
        if len(self._text) > self.limit:
            self._too_long = self._text[:UNFINISHED]
            self._text = b""
            self._over = True
        if parts:
            parts.reverse()
            self._lines = parts + self._lines if self._lines else parts

    def _end(self) -> None:
        if self._text:
            self._lines = [self._text, *(self._lines or ())]
            self._text = b""

    def lines(self) -> Iterator[bytes]:
        """Yield the complete lines so far. Raises RemoteProtocolError(code="line-too-long") after those before it."""
        while self._lines:
            line = self._lines.pop()
            if len(line) > self.limit:
                self._too_long = line[:UNFINISHED]
                self._over = True
                self._lines.clear()
                break
            yield line
        if self._over:
            raise RemoteProtocolError(
                f"a line is longer than {self.limit} bytes",
                code="line-too-long",
                hint="a line feed after each message",
                text=self._too_long,
            )
