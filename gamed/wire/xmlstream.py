"""XML streams: in each direction one document that is never finished; each child of its root is a message.

Source: docs/topics/design.md#traps-already-found.

expat, from the standard library, checks the XML and makes the elements. Why not lxml: it keeps all names that it has
read in a table that belongs to the process and never shrinks, and a peer may choose any names for its attributes. The
names that an expat parser has read are freed with it, and each message has a parser of its own.

There are two ways to a message. Most messages arrive whole, in one read: `_read_whole` gives such a read to a parser
as it is. All other input goes through `_Tokens`, which cuts the bytes into tags, comments and so on. The parser gets
whole tokens only, so it never has to read bytes twice, in however small pieces they arrive. Both ways must agree on
every input; tests/wire/test_xmlstream_whole.py compares them.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from attrs import define, field

from gamed.core.errors import RemoteProtocolError

__all__ = ["Element", "XmlStream"]

# What `_Tokens` looks for next: the beginning of markup, or what ends the markup that has begun.
_MARKUP: Final = re.compile(rb"<(?:!.|\?|[^!?])", re.DOTALL)
_TAG: Final = re.compile(rb"[\"'>]")
_QUOTES: Final = {b'"': re.compile(rb'"'), b"'": re.compile(rb"'")}
_COMMENT: Final = re.compile(rb"-->")
_CDATA: Final = re.compile(rb"\]\]>")
_INSTRUCTION: Final = re.compile(rb"\?>")

# A terminator such as `-->` may arrive in two pieces. When more arrives, look again at so many bytes before it.
_OVERLAP: Final = 2

UNFINISHED: Final = 200
"""How many bytes of an unfinished message are shown to people."""

TEXT: Final = 256
"""How many bytes of text a parser collects before it calls its handler."""

KEPT: Final = 1_024
"""How many characters of a message are kept, to be shown to people; also how many bytes of it an error holds."""

_BLANK: Final = "\ufeff \t\r\n"
_BLANKS: Final = re.compile(rb"(?:\xef\xbb\xbf|[ \t\r\n])*")
"""The same characters at the beginning of bytes. One byte of the encoded U+FEFF alone is not a blank."""

_PLAIN: Final = re.compile(rb"(?=[ \t\r\n]*<)(?:[^<>]*<[^<>!?\t\r\n][^<>\t\r\n]*>)+([ \t\r\n]*)")
"""Bytes that may be one whole message: tags and the text between them, with blanks before and after.

Each `>` ends a tag, and no tag contains a tab or a line end. So `_Tokens` would cut these bytes at each `>`, and would
change nothing in them.
"""

_SPACE: Final = re.compile(rb"[\t\n\r]")
_VALUE: Final = re.compile(rb"\"[^\"]*\"|'[^']*'")


@define
class _Tokens:
    """Cuts bytes into tokens: a tag, comment, CDATA section or instruction, each with the text before it."""

    waiting: bytearray = field(factory=bytearray)
    """The bytes after the last token."""

    _at: int = 0
    """Where the search goes on. What is before it was searched already: no byte is searched twice."""

    _sought: re.Pattern[bytes] = _MARKUP
    """What is searched for."""

    _opened: int = 0
    """Where the markup begins that has begun and not ended."""

    @property
    def begun(self) -> bool:
        """Whether markup has begun and not ended."""
        return self._sought is not _MARKUP

    @property
    def text(self) -> bytes:
        """The text before the markup. If the bytes end in `<`, that may be the beginning of markup."""
        return bytes(self.waiting[: self._opened]) if self.begun else bytes(self.waiting).partition(b"<")[0]

    def take(self) -> tuple[int, str] | None:
        """Return the next token with the number of its bytes, or None until more has come.

        Raises RemoteProtocolError(code="doctype").
        """
        while (found := self._sought.search(self.waiting, self._at)) is not None:
            self._at = found.end()
            mark = found.group()
            if self._sought is _MARKUP:
                self._begin(mark, found.start())
            elif self._sought is _TAG and mark != b">":
                self._sought = _QUOTES[mark]
            elif mark in _QUOTES:
                self._sought = _TAG
            else:
                return self._token(self._at)
        self._at = max(self._at, len(self.waiting) - _OVERLAP)
        return None

    def restart(self, waiting: bytes) -> None:
        """Replace what waits, because it was read without tokens, by these bytes, which contain no markup."""
        self.waiting[:] = waiting
        self._at = 0

    def _begin(self, mark: bytes, opened: int) -> None:
        self._opened = opened
        if mark == b"<!-":
            # Search only behind the second hyphen: `<!-->` and `<!--->` begin a comment and do not end it.
            self._at += 1
            self._sought = _COMMENT
        elif mark == b"<![":
            self._sought = _CDATA
        elif mark == b"<?":
            self._sought = _INSTRUCTION
        elif mark.startswith(b"<!"):
            raise RemoteProtocolError("declarations such as <!DOCTYPE are not allowed", code="doctype")
        else:
            self._at = opened + 1
            self._sought = _TAG

    def _token(self, size: int) -> tuple[int, str]:
        token = bytes(self.waiting[:size])
        del self.waiting[:size]
        if self._sought is _TAG and _SPACE.search(token, self._opened):
            tag = _VALUE.sub(_with_spaces_kept, token[self._opened :])
            token = token[: self._opened] + tag
        self._at = 0
        self._sought = _MARKUP
        return size, token.decode("utf-8", "replace")


def _blanks(text: bytes) -> int:
    """Return the number of blank bytes at the beginning of a text."""
    found = _BLANKS.match(text)
    return 0 if found is None else found.end()


def _with_spaces_kept(value: re.Match[bytes]) -> bytes:
    """Return an attribute's value in which tabs and line ends are character references.

    An XML parser replaces the characters themselves by blanks. The official server keeps them (session 74).
    """
    lines = value.group().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return lines.replace(b"\n", b"&#10;").replace(b"\t", b"&#9;")


@define(eq=False)
class _Messages:
    """Builds the messages' elements, as the handlers of a parser.

    It has no reference to the parser, which has one to it: a reference cycle would wait for the garbage collector.
    """

    depth: int
    """The limit on nested elements; the message itself is level 1."""

    attributes: int
    """The limit on an element's attributes."""

    closed: bool = False
    """Whether the root has ended, or the stream."""

    level: int = 0
    """How many elements are open, the root included."""

    root: str = ""
    """The root's name; empty before it has begun."""

    finished: Element | None = None
    """The message that ended with the last token."""

    builder: TreeBuilder = field(init=False)
    """Builds the message that is being read."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element. Raises RemoteProtocolError: `too-many-attributes`, `message-too-deep`."""
        if len(attributes) > self.attributes:
            raise RemoteProtocolError(
                f"an element has more than {self.attributes} attributes", code="too-many-attributes"
            )
        if self.level > self.depth:
            raise RemoteProtocolError(f"elements are nested more than {self.depth} deep", code="message-too-deep")
        if self.level:
            self.builder.start(name, attributes)
        else:
            self.root = name
        self.level += 1

    def end(self, name: str) -> None:
        """End an element; one below the root is a message."""
        self.level -= 1
        if self.level:
            element = self.builder.end(name)
            if self.level == 1:
                self.finished = element
        else:
            self.closed = True


@define(eq=False)
class XmlStream:
    """One direction of a stream.

    The root may have any name. Text, comments and instructions between messages are skipped. Bytes that are not UTF-8
    become U+FFFD.
    """

    limit: int = 65_536
    """How many bytes a message may have, counted from the end of the message before it."""

    depth: int = 32
    """How deep elements may be nested; the message's own element is the first level."""

    attributes: int = 32
    """How many attributes an element may have."""

    _tokens: _Tokens = field(factory=_Tokens, init=False)

    _taken: int = field(default=0, init=False)
    """Bytes of the present message whose tokens were parsed."""

    _messages: _Messages = field(init=False)

    _parser: expat.XMLParserType | None = field(default=None, init=False)
    """The parser of the present message; None before its first token."""

    _error: RemoteProtocolError | None = field(default=None, init=False)
    """What ended the stream. It is raised after the messages before it."""

    _opening: str = field(default="", init=False)
    """The root's tag and all that was received before it."""

    _seen: str = field(default="", init=False)
    """The first `KEPT` characters of the present message."""

    _came: deque[tuple[Element, str] | bytes] = field(factory=deque, init=False)
    """What nobody has taken yet, in order: complete messages with their first `KEPT` characters, and stray text."""

    last: str = field(default="", init=False)
    """The first `KEPT` characters of the message that was taken last."""

    _is_reported: bool = field(default=False, init=False)
    """Whether a line of the text that waits was noted as stray text already."""

    def __attrs_post_init__(self) -> None:
        self._messages = _Messages(self.depth, self.attributes)

    @property
    def closed(self) -> bool:
        """Whether the root or the stream has ended. All later bytes are ignored."""
        return self._messages.closed

    @property
    def begun(self) -> bool:
        """Whether a message has begun and not ended."""
        return not self.closed and (self._messages.level > 1 or self._tokens.begun)

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that has not ended, or of text between messages."""
        if self.closed or self._is_reported or self._error is not None:
            return b""
        text = self._begun_text()
        return text[_blanks(text) :][:UNFINISHED]

    @property
    def opening(self) -> tuple[str, str]:
        """The root's name, and its tag with all that was received before it; both empty before the root begins."""
        return self._messages.root, self._opening

    def stray(self) -> bytes:
        """Return the first line of text outside of all messages, if it is before the next message; each text once."""
        if self._came and isinstance(text := self._came[0], bytes):
            self._came.popleft()
            return text
        return b""

    def _begun_text(self) -> bytes:
        return (self._seen.encode() + self._tokens.waiting[:KEPT])[:KEPT]

    def receive_data(self, data: bytes) -> None:
        """Take bytes; empty bytes end the stream."""
        if self.closed or self._error is not None:
            return
        if data:
            if self._read_whole(data):
                return
            try:
                self._read(data)
                if not self.closed:
                    self._look_for_stray_text()
            except RemoteProtocolError as error:
                # Report the text before the error, as if it had been received in an earlier segment.
                self._look_for_stray_text()
                self._error = RemoteProtocolError(str(error), code=error.code, text=self._begun_text())
            except expat.ExpatError as error:
                fault = expat.ErrorString(error.code).removeprefix("not well-formed ").strip("()")
                reason = f"this is not well-formed XML: {fault} in column {self._column}"
                self._error = RemoteProtocolError(reason, code="malformed-xml", text=self._seen.encode()[:KEPT])
        else:
            self._messages.closed = True
        if self.closed or self._error is not None:
            self._tokens.waiting.clear()

    def take(self) -> Element | None:
        """Return the next complete message, or None if there is none yet.

        Raises RemoteProtocolError after the messages before the error: `malformed-xml`, `doctype`, `message-too-long`,
        `message-too-deep`, `too-many-attributes`.
        """
        while self._came:
            came = self._came.popleft()
            if not isinstance(came, bytes):
                element, self.last = came
                return element
        if self._error is not None:
            raise self._error.fresh()
        return None

    def elements(self) -> Iterator[Element]:
        """Yield the complete messages. Raises as `take` does."""
        while (element := self.take()) is not None:
            yield element

    def _read_whole(self, data: bytes) -> bool:
        """Read bytes that are one whole message, as nearly all moves are, in one go; False: `_read` has to read them.

        One look at the bytes and one parse take a quarter of the time that tokens take. Nothing is decided here: if the
        bytes are anything else, or break a limit, or might, nothing has happened, and `_read` finds what they are.
        """
        waiting = self._tokens.waiting
        is_between = self._messages.level == 1 and not self._taken and not self._tokens.begun
        if not is_between or len(waiting) + len(data) > self.limit or (plain := _PLAIN.fullmatch(data)) is None:
            return False
        # Upper bounds, which are quick to find: each level but the innermost has an end tag, each attribute a `=`.
        if data.count(b"</") >= self.depth or data.count(b"=") > self.attributes:
            return False
        text = (waiting + data[: plain.start(1)]).decode("utf-8", "replace")
        builder = TreeBuilder()
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        try:
            parser.Parse(text, True)  # noqa: FBT003 (it has no name)
        except expat.ExpatError:
            return False
        self._came.append((builder.close(), text[:KEPT]))
        if waiting or plain[1]:
            self._tokens.restart(plain[1])
        return True

    def _read(self, data: bytes) -> None:
        start, messages = 0, self._messages
        # Never take more bytes than the message may have. Else the place of the error would depend on the segments.
        while start < len(data) and not messages.closed:
            room = self.limit - self._taken - len(self._tokens.waiting)
            if room <= 0:
                raise RemoteProtocolError(f"a message is longer than {self.limit} bytes", code="message-too-long")
            self._tokens.waiting += data[start : start + room]
            start += room
            while not messages.closed and (token := self._tokens.take()) is not None:
                self._parse(*token)

    def _parse(self, size: int, token: str) -> None:
        messages = self._messages
        self._taken += size
        if len(self._seen) < KEPT:
            self._seen = (self._seen + token)[:KEPT]
        level = messages.level
        if not token.startswith("<"):
            self._note_stray_text(token[: token.index("<")])
        self._is_reported = False
        if self._parser is None:
            self._parser = self._fresh_parser()
        self._parser.Parse(token)
        if not level and messages.root and not self._opening:
            self._opening = self._seen
        if messages.finished is not None:
            self._came.append((messages.finished, self._seen))
            messages.finished = None
        elif not messages.level > level == 0:
            return
        self._taken = 0
        self._seen = ""
        self._parser = None

    @property
    def _column(self) -> int:
        """The column of the message, from 1, at which its parser has stopped."""
        before = len(f"<{self._messages.root}>".encode()) if self._messages.root else 0
        text = self._seen.encode()
        assert self._parser is not None
        return self._parser.ErrorByteIndex - before - _blanks(text) + 1

    def _look_for_stray_text(self) -> None:
        """Note a whole line of text as stray text now, because markup may never follow it."""
        if b"\n" in self._tokens.waiting:
            text = self._tokens.text
            line, end, _ = text[_blanks(text) :].partition(b"\n")
            if end:
                self._note_stray_text(line.decode("utf-8", "replace"))

    def _note_stray_text(self, text: str) -> None:
        """Note the first line of some text, unless it is part of a message or was noted already."""
        line = text.strip(_BLANK).partition("\n")[0].strip(_BLANK)
        if line and self._messages.level < 2 and not self._is_reported:  # noqa: PLR2004 (the level of messages)
            self._is_reported = True
            self._came.append(line.encode()[:KEPT])

    def _fresh_parser(self) -> expat.XMLParserType:
        """Return a parser for tokens. If the root has begun, its tag has been parsed already."""
        messages = self._messages
        messages.builder = TreeBuilder()
        # This overrides the encoding that a document declares.
        parser = expat.ParserCreate("utf-8")
        # Each parser allocates its buffer at once, 8 KiB by default; messages have hardly any text.
        parser.buffer_size = TEXT
        parser.buffer_text = True
        if messages.root:
            parser.Parse(f"<{messages.root}>")
        parser.StartElementHandler = messages.start
        parser.EndElementHandler = messages.end
        # Outside of all elements a builder ignores text.
        parser.CharacterDataHandler = messages.builder.data
        return parser
