"""Lines ended by LF, CR or CRLF, also when a segment ends between CR and LF.

Source: docs/reference/battleship.md#line-ends. No other character ends a line.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define

from gamed.core.errors import RemoteProtocolError

UNFINISHED = 200
"""Bytes of an unfinished line that are shown."""


@define(weakref_slot=False)
class LineReader:
    """Cuts a byte stream into lines. `limit`: the longest line accepted, in bytes without its terminator."""

    limit: int
    _text: bytes = b""
    _after_cr: bool = False
    # The last line first, so that taking the next one is cheap however many there are. None: there are none, and never
    # were; most readers of a busy listener are idle.
    _lines: list[bytes] | None = None
    _over: bool = False
    # The first bytes of the line that was too long.
    _too_long: bytes = b""

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a line that has not ended."""
        return self._text[:UNFINISHED]

    def receive_data(self, data: bytes) -> None:
        """Take bytes; empty bytes end the stream, and unterminated text becomes the last line."""
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
