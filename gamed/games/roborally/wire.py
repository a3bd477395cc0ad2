"""The two ends of a RoboRally connection: lines of bytes become events, and events become lines.

Source: docs/specs/roborally.md#11-transport, docs/reference/roborally.md#what-is-not-acceptable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import ClassVar, Final

from attrs import define, field

from gamed.core.errors import LocalProtocolError, RemoteProtocolError
from gamed.core.events import Event, Unread
from gamed.core.refusals import Refusal
from gamed.games.roborally.grammar import SAYABLE, Sender, malformed, parse, serialize
from gamed.games.roborally.messages import Malformed

LONGEST_LINE: Final = 1_024
"""The most bytes of a peer's line, without its end. A longer line is malformed."""

MOST_UNENDED: Final = 65_536
"""A peer that sends this many bytes without a message is disconnected: a line without an end, or blank lines."""

UNFINISHED: Final = 200
"""How many bytes of an unfinished line are shown to operators."""

LONGEST_ANSWER: Final = 8_388_608
"""The most bytes of a manager's line: more than the plan of 255 x 255 fields needs."""

END: Final = b"\n"
"""The end of the lines that we send. Peers may also send CR LF."""


@define
class _Lines:
    """Cuts a byte stream into lines at LF or CR LF."""

    longest: int
    """The most bytes of a line, without its end. A longer line is malformed, and only its beginning is kept."""

    most: int
    """The number of bytes without a message that ends the connection."""

    is_over: bool = False
    """Whether that many have come. The lines before them are still valid."""

    is_closed: bool = False
    """Whether our side has closed: nothing is read any longer."""

    _lines: deque[bytes | Malformed] = field(factory=deque)
    """Complete lines."""

    _kept: bytearray = field(factory=bytearray)
    """The beginning of the line that has not ended."""

    _length: int = 0
    """How many bytes of that line have come, kept or not."""

    _blank: int = 0
    """How many bytes of blank lines have come since the last other line."""

    def receive_data(self, data: bytes) -> None:
        begin = 0
        while not (self.is_over or self.is_closed):
            end = data.find(b"\n", begin)
            if end < 0:
                self._add(data[begin:])
                break
            if not self._length and end - begin < self.longest:
                # Nearly all lines come whole.
                self._lines.append(data[begin:end].removesuffix(b"\r"))
            else:
                self._add(data[begin:end])
                if not self.is_over:
                    self._end_line()
            begin = end + 1

    def _add(self, data: bytes) -> None:
        self._length += len(data)
        # Keep one byte more than the longest line, because it may be the CR of the line's end.
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
        """Yield the lines that are not blank.

        Raises RemoteProtocolError after the last valid one, with the code "line-too-long" or "no-message".
        """
        while self._lines and self._blank < self.most:
            line = self._lines.popleft()
            if isinstance(line, Malformed) or line.strip(b" \t"):
                self._blank = 0
                yield line
            else:
                self._blank += len(line) + 1
        if self._blank >= self.most and not self.is_closed:
            text = f"{self.most} bytes of blank lines have come without a message"
            raise RemoteProtocolError(text, code="no-message", hint="blank lines are not needed")
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
        yield line if isinstance(line, Malformed) else parse(line, sender)


def _said(event: Event, sender: Sender) -> bytes:
    if type(event) not in SAYABLE[sender]:
        raise LocalProtocolError(f"a RoboRally {sender.value} cannot say {event!r}")
    return serialize(event) + END


_HALF: Final = "the connection ended within a message"


@define
class RoboRallyConnection:
    """The manager's side of one connection."""

    ending: ClassVar[str] = "a line feed"
    is_answered: ClassVar[bool] = True

    _lines: _Lines = field(factory=lambda: _Lines(LONGEST_LINE, MOST_UNENDED), init=False)

    @property
    def begun(self) -> bool:
        """False: a line may take any time, because people type here."""
        return False

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a line that has not ended."""
        return self._lines.unfinished

    _has_ended: bool = field(default=False, init=False)
    """Whether the peer has closed, and a line without an end must still be reported."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the peer. Empty bytes mean that it has closed; a line without an end is dropped then."""
        self._has_ended = not data
        self._lines.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Yield a message, or Malformed, for each line that is not blank; Unread for a line without an end.

        Raises RemoteProtocolError("line-too-long" or "no-message") after the last valid line.
        """
        yield from _events(self._lines, Sender.PEER)
        if self._has_ended and self.unfinished:
            self._has_ended = False
            yield Unread(Refusal("unfinished", _HALF, self.ending, self.unfinished))

    def send(self, event: Event) -> bytes:
        """Return a line for the peer. Raises LocalProtocolError for an event that a manager cannot say."""
        return _said(event, Sender.MANAGER)

    def close(self) -> bytes:
        """Drop what has been received and all that follows. This dialect has no message for the end."""
        self._lines.close()
        return b""


@define
class ClientConnection:
    """A peer's side of one connection. It yields Malformed for lines that it does not understand."""

    _lines: _Lines = field(factory=lambda: _Lines(LONGEST_ANSWER, LONGEST_ANSWER), init=False)

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the manager; empty bytes mean that it has closed."""
        self._lines.receive_data(data)

    def events(self) -> Iterator[Event]:
        """Yield a message, or Malformed, for each line that is not blank.

        Raises RemoteProtocolError(code="line-too-long") after the last valid line.
        """
        return _events(self._lines, Sender.MANAGER)

    def send(self, event: Event) -> bytes:
        """Return a line for the manager. Raises LocalProtocolError for an event that a peer cannot say."""
        return _said(event, Sender.PEER)
