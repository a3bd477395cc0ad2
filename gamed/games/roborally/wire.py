"""The two ends of a RoboRally connection: bytes become events, one a line, and events bytes.

Source: docs/specs/roborally.md#11-transport, docs/reference/roborally.md#what-is-not-acceptable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import ClassVar, Final

from attrs import define, field

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event
from gamed.games.roborally.grammar import SAYABLE, Sender, malformed, parse, serialize
from gamed.games.roborally.messages import Malformed

LONGEST_LINE: Final = 1_024
"""Bytes of a peer's line, at most, without its end; longer ones are malformed."""

MOST_UNENDED: Final = 65_536
"""So many bytes of a peer without the end of a line are the end of the connection."""

UNFINISHED: Final = 200
"""Bytes of an unfinished line that are shown."""

LONGEST_ANSWER: Final = 8_388_608
"""Bytes of a line of the manager, at most: more than the plan of 255 x 255 fields needs."""

END: Final = b"\n"
"""What both sides end their lines with here. A peer may send CR LF as well."""


@define
class _Lines:
    """Cuts a byte stream into lines at LF or CR LF."""

    longest: int
    """Bytes of a line, at most, without its end; a longer one is malformed, and only its beginning is kept."""

    most: int
    """So many bytes without an LF are too many."""

    is_over: bool = False
    is_closed: bool = False
    _lines: deque[bytes | Malformed] = field(factory=deque)
    _kept: bytearray = field(factory=bytearray)
    _length: int = 0

    def receive_data(self, data: bytes) -> None:
        begin = 0
        while not (self.is_over or self.is_closed):
            end = data.find(b"\n", begin)
            if end < 0:
                self._add(data[begin:])
                break
            self._add(data[begin:end])
            if not self.is_over:
                self._end_line()
            begin = end + 1

    def _add(self, data: bytes) -> None:
        self._length += len(data)
        # One byte more than the longest line: it may be the CR of its end.
        self._kept += data[: self.longest + 1 - len(self._kept)]
        if self._length >= self.most:
            self.is_over = True
            self._kept.clear()

    def _end_line(self) -> None:
        line = bytes(self._kept)
        is_whole = self._length == len(line)
        self._kept.clear()
        self._length = 0
        if line.endswith(b"\r"):
            line = line[:-1]
        if is_whole and len(line) <= self.longest:
            self._lines.append(line)
        else:
            reason, expected = "the line is too long", f"at most {self.longest} bytes a line"
            self._lines.append(malformed("long-line", reason, expected, line[:UNFINISHED]))

    @property
    def unfinished(self) -> bytes:
        return bytes(self._kept[:UNFINISHED])

    def pop(self) -> Iterator[bytes | Malformed]:
        """Yield the complete lines so far. Raises RemoteProtocolError(code="line-too-long") after those before it."""
        while self._lines:
            yield self._lines.popleft()
        if self.is_over and not self.is_closed:
            raise RemoteProtocolError(
                f"{self.most} bytes without the end of a line",
                code="line-too-long",
                hint="end each message with a line feed",
            )

    def close(self) -> None:
        self.is_closed = True
        self._lines.clear()
        self._kept.clear()


def _events(lines: _Lines, sender: Sender) -> Iterator[Event]:
    for line in lines.pop():
        if isinstance(line, Malformed):
            yield line
        elif line.strip(b" \t"):
            yield parse(line, sender)


def _said(event: Event, sender: Sender) -> bytes:
    if type(event) not in SAYABLE[sender]:
        raise LocalProtocolError(f"a RoboRally {sender.value} cannot say {event!r}")
    return serialize(event) + END


@define
class RoboRallyConnection:
    """The manager's side of one connection."""

    ending: ClassVar[str] = "a line feed"

    _lines: _Lines = field(factory=lambda: _Lines(LONGEST_LINE, MOST_UNENDED), init=False)

    @property
    def begun(self) -> bool:
        """False: a line may take any time, for people type here."""
        return False

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a line that has not ended."""
        return self._lines.unfinished

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the peer. Empty bytes mean that it has closed: a line without an end is none."""
        self._lines.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Yield a message, or Malformed, for each line that is not blank.

        Raises RemoteProtocolError(code="line-too-long") after those before it.
        """
        return _events(self._lines, Sender.PEER)

    def send(self, event: Event) -> bytes:
        """Return a line for the peer. Raises LocalProtocolError for an event that a manager cannot say."""
        return _said(event, Sender.MANAGER)

    def close(self) -> bytes:
        """Drop what came in and was not pulled, and whatever comes. Nothing is said last in this dialect."""
        self._lines.close()
        return b""


@define
class ClientConnection:
    """A peer's side of one connection. What it does not understand is Malformed, and may be ignored."""

    _lines: _Lines = field(factory=lambda: _Lines(LONGEST_ANSWER, LONGEST_ANSWER), init=False)

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the manager; empty bytes mean that it has closed."""
        self._lines.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Yield a message, or Malformed, for each line that is not blank.

        Raises RemoteProtocolError(code="line-too-long") after those before it.
        """
        return _events(self._lines, Sender.MANAGER)

    def send(self, event: Event) -> bytes:
        """Return a line for the manager. Raises LocalProtocolError for an event that a peer cannot say."""
        return _said(event, Sender.PEER)
