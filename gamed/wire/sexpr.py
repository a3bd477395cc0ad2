r"""The wire of `2htdp/universe`: data as Racket's `read` takes them, one a line, from pieces of any size.

A message is one datum, and all that follows it up to the next line feed is discarded. A datum may hold line feeds. So
the lines are read one by one as they end, and what a line leaves open is continued in the next one. Symbols, strings,
numbers, booleans, characters, lists and quotes are read. A datum of any other kind is skipped, up to the byte where it
ends for Racket, and becomes an `Opaque`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from attrs import Factory, define, field

from gamed.core.errors import RemoteProtocolError
from gamed.wire.datums import DELIMITERS, HEX, WHITE_SPACE, Datum, Opaque, Symbol, malformed, to_datum

SHOWN: Final = 200
"""How many characters of a message are kept, to be shown to its author when it is refused."""

# What may come next in a line, which ends with a line feed. The groups are the kinds of `to_datum`, and more.
_TOKEN: Final = re.compile(
    rf"(?s)(?P<space>(?:[{WHITE_SPACE}]|;[^\n]*+)++)|(?P<comment>#\|)|(?P<line_comment>#!(?=[ /]))|(?P<close>[)\]}}])"
    r"|(?P<list>[(\[{])|(?P<vector>#(?:[fF][lx])?[0-9]{0,60}[(\[{])|(?P<structure>#s[(\[{])"
    r"|(?P<hash_table>#(?i:hash(?:alw)?(?:eqv?)*)[(\[{])"
    r"|(?P<quote>['`]|,@?)|(?P<skip>#;)|(?P<box>#&)|(?P<quoted_syntax>#(?:['`]|,@?))|(?P<case_mark>#[cC][iIsS])"
    r"|(?P<label>#[0-9]{1,8}=)|(?P<labelled_datum>#[0-9]{1,8}#)"
    rf"|(?P<boolean>#(?:true|false|[tTfF])(?=[{DELIMITERS}]))"
    rf"|(?P<character>#\\(?>u{HEX}{{1,4}}|U{HEX}{{1,8}}|[uU]|[0-7][0-7].|[0-7](?![0-7])|[^\W\d_]{{1,12}}|[^0-7]))"
    r'|(?P<string>")|(?P<byte_string>#")|(?P<regular_expression>#[rp]x#?")|(?P<here_string>#<<)'
    rf"|(?P<keyword>#:)|(?P<number_with_a_prefix>#(?=[eibodxEIBODX]))|(?P<symbol>#%|(?=[^#{DELIMITERS}]))"
)
# What may go on in the next line, up to the group `end`.
_STRING: Final = re.compile(r'(?:[^"\\]|\\.)*+(?P<end>")?', re.DOTALL)
_NAME: Final = re.compile(rf"(?:[^{DELIMITERS}|\\]|\\.)*+(?P<end>(?=[{DELIMITERS}|]))?", re.DOTALL)
_BARS: Final = re.compile(r"[^|]*+(?P<end>\|)?")
_COMMENT: Final = re.compile(r"(?:[^|#]|\|(?!#)|#(?!\|))*+(?P<end>\|#|#\|)?")
_LINE: Final = re.compile(r"[^\n]*+(?P<end>\n)?")
_CONTINUED_LINE: Final = re.compile(r"(?:[^\n\\]|\\\n|\\)*+(?P<end>\n)?")

_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
_QUOTES: Final = {"'": "quote", "`": "quasiquote", ",": "unquote", ",@": "unquote-splicing"}
# The kinds that open a list, that need one more datum, and that mean nothing.
_LISTS: Final = frozenset({"list", "vector", "structure", "hash_table"})
_MARKS: Final = frozenset({"quote", "skip", "box", "quoted_syntax", "case_mark", "label"})
_IGNORED: Final = frozenset({"space", "comment", "line_comment"})
# What tokens of some kinds go on with.
_RESTS: Final = {
    **dict.fromkeys(("string", "byte_string", "regular_expression"), _STRING),
    **dict.fromkeys(("symbol", "keyword", "number_with_a_prefix"), _NAME),
    "line_comment": _CONTINUED_LINE,
}
_DOT: Final = Opaque("dot")
_ESCAPED_OCTET: Final = re.compile("[\udc80-\udcff]")

MOST_SKIPPED: Final = 65_536
"""A peer that sends more bytes than this of comments and blank lines, and no message, is disconnected."""

# What most messages are: a list of short atoms.
_ATOM: Final = r"(?:[A-Za-z][A-Za-z0-9-]{0,30}+|[0-9]{1,9}+(?:\.[0-9]{1,9}+)?)"
_COMMON: Final = re.compile(rf"\((?:{_ATOM}(?: {_ATOM}){{0,7}}+)?\)".encode())
_LONGEST_COMMON: Final = 64

Message: TypeAlias = tuple[Datum, str, str]
"""A datum, the text of its message, and what of that was discarded after the datum; of texts the first characters."""


@lru_cache(maxsize=4096)
def _common_message(line: bytes) -> Message | None:
    """Return the message if a line holds a list of short atoms and nothing else; None if it may be anything else."""
    if not _COMMON.fullmatch(line):
        return None
    text = line.decode()
    return tuple(to_datum("symbol", atom) for atom in text[1:-1].split()), text, ""


@define
class _Form:
    """A list that is open, which has a `closer`; or a mark such as ', which the next datum completes."""

    closer: str
    # A quote, or what is skipped. None: a list is kept, and a mark is a comment.
    becomes: Symbol | Opaque | None
    elements: list[Datum] = field(factory=list)


@define
class _Scanner:
    """Reads one message. Its generators yield where they need the next line: whether a message has begun."""

    depth: int
    line: str = ""
    at: int = 0
    forms: list[_Form] = field(factory=list)

    def message(self) -> Generator[bool, None, tuple[Datum, str]]:
        """Return a datum, and the rest of its line without the line feed."""
        datum = None
        while datum is None:
            while self.at == len(self.line):
                yield bool(self.forms)
            kind, token = yield from self._token()
            if kind == "close":
                datum = self._place(self._close(token))
            elif kind in _LISTS or kind in _MARKS:
                self._open(kind, token)
            elif kind not in _IGNORED:
                datum = self._place(_DOT if (kind, token) == ("symbol", ".") else to_datum(kind, token))
        while self.at == len(self.line):
            yield True
        return datum, self.line[self.at : -1]

    def _token(self) -> Generator[bool, None, tuple[str, str]]:
        """Return the next token, the whole of it, and its kind."""
        match = _TOKEN.match(self.line, self.at)
        if match is None:
            raise malformed(f"{self.line[self.at : self.at + 20].rstrip()} begins no datum")
        kind, token, self.at = str(match.lastgroup), match[0], match.end()
        if kind in _RESTS:
            token += yield from self._until(_RESTS[kind])
        while _RESTS.get(kind) is _NAME and self.line[self.at] == "|":
            self.at += 1
            token += "|" + (yield from self._until(_BARS)) + (yield from self._until(_NAME))
        if kind == "here_string":
            end = yield from self._until(_LINE)
            while (yield from self._until(_LINE)) != end:
                pass
        inside = int(kind == "comment")
        while inside:
            inside += 1 if (yield from self._until(_COMMENT)).endswith("#|") else -1
        return kind, token

    def _until(self, pattern: re.Pattern[str]) -> Generator[bool, None, str]:
        """Return what a pattern matches up to its group `end`, over as many lines as that takes."""
        parts = []
        while True:
            match = pattern.match(self.line, self.at)
            assert match is not None
            self.at = match.end()
            parts.append(match[0])
            if match["end"] is not None:
                return "".join(parts)
            yield True

    def _open(self, kind: str, token: str) -> None:
        if len(self.forms) >= self.depth:
            hint = "fewer lists in one another: a move is one list"
            raise RemoteProtocolError(f"more than {self.depth} lists in one another", code="datum-too-deep", hint=hint)
        becomes = Symbol(_QUOTES[token]) if kind == "quote" else Opaque(kind.replace("_", " "))
        self.forms.append(_Form(_CLOSERS.get(token[-1], ""), None if kind in {"list", "skip"} else becomes))

    def _close(self, closer: str) -> Datum:
        """Return the innermost list, or what it becomes. A dot stands before the last element, or two around one."""
        wanted = self.forms[-1].closer if self.forms else ""
        if closer != wanted:
            reason = f"where {wanted} is missing" if wanted else "closes nothing: there is one closing bracket too many"
            raise malformed(f"{closer} {reason}")
        form = self.forms.pop()
        shape = "".join("." if element is _DOT else "a" for element in form.elements)
        if "." not in shape:
            return form.becomes or tuple(form.elements)
        if not re.fullmatch(r"a+\.a(\.a+)?", shape) or form.becomes not in {None, Opaque("structure")}:
            raise malformed("a dot goes before the last element of a list, which a dot or a closing bracket follows")
        return form.becomes or Opaque("list with a dot")

    def _place(self, datum: Datum) -> Datum | None:
        """Complete the marks before a datum, and add it to the innermost list; return it if no list is open."""
        if datum is _DOT and not (self.forms and self.forms[-1].closer):
            raise malformed("a dot stands outside of a list")
        while self.forms and not self.forms[-1].closer:
            mark = self.forms.pop().becomes
            if mark is None:
                return None
            datum = (mark, datum) if isinstance(mark, Symbol) else mark
        if not self.forms:
            return datum
        self.forms[-1].elements.append(datum)
        return None


@define
class DatumReader:
    """Reads data from the bytes of a world or a universe."""

    # The longest message in bytes, without its line feed; and how many lists and marks may be open at once.
    limit: int = 65_536
    depth: int = 100
    # The lines that have not been read, without their line feeds; and the beginning of the next one.
    _lines: deque[bytes] = field(init=False, factory=deque)
    _begun: bytes = field(init=False, default=b"")
    # No more bytes are taken: the stream has ended, or there is an error.
    _over: bool = field(init=False, default=False)
    _error: RemoteProtocolError | None = field(init=False, default=None)
    _scanner: _Scanner = field(init=False, default=Factory(lambda self: _Scanner(self.depth), takes_self=True))
    # The message that an earlier line began: what reads it, its first characters, and how many bytes it has so far.
    _reading: Generator[bool, None, tuple[Datum, str]] | None = field(init=False, default=None)
    _text: str = field(init=False, default="")
    _size: int = field(init=False, default=0)
    # How many bytes of comments and blank lines have come since the last message.
    _skipped: int = field(init=False, default=0)

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that has begun and not ended; none if there is no such message."""
        text = (self._text.encode() + self._begun).lstrip()
        return b"" if self._lines or self._error is not None else text[:SHOWN]

    @property
    def ending(self) -> str:
        """What is missing of that message; "" if only the end of its line is. It is right for short messages."""
        text, probe = self.unfinished, DatumReader(self.limit, self.depth)
        if probe._read(text) is not None:
            return ""
        closers = "".join(form.closer for form in reversed(probe._scanner.forms))
        link = "before the" if text.endswith(b"\n") else "and a"
        return f"{closers} {link} line feed" if closers else "a line feed"

    def receive_data(self, data: bytes) -> None:
        """Take bytes; empty bytes end the stream. A datum that is then complete counts without its line feed, too."""
        if self._over:
            return
        *lines, self._begun = (self._begun + data).split(b"\n")
        self._lines += lines
        if not data or len(self._begun) > self.limit:
            self._lines.append(self._begun)
            self._begun, self._over = b"", True

    def messages(self) -> Iterator[Message]:
        """Yield the data so far whose lines have ended, each with its text.

        Raises RemoteProtocolError after those before it, with the code "malformed-datum", "datum-too-long",
        "datum-too-deep" or "no-message"; nothing more is read then.
        """
        while self._lines:
            line = self._lines.popleft()
            message = None
            # A blank line that is too long is refused, as it is where it comes in pieces.
            if self._over or self._reading or line.strip() or len(line) > self.limit:
                is_short = self._reading is None and len(line) <= min(_LONGEST_COMMON, self.limit) and self.depth
                message = (_common_message(line) if is_short else None) or self._read(line)
            if message is not None:
                self._skipped = 0
                yield message
            elif self._reading is None and self._error is None:
                self._skip(line)
        if self._error is not None:
            raise self._error.fresh()

    def _skip(self, line: bytes) -> None:
        """Count a line that is blank or a comment. Too many of them are an error: a flood of them would have no end."""
        self._skipped += len(line) + 1
        if self._skipped > MOST_SKIPPED:
            text = f"{MOST_SKIPPED} bytes of comments and blank lines have come without a message"
            self._error = RemoteProtocolError(text, code="no-message", hint="comments are not needed")
            self._error.text, self._over = line[:SHOWN], True
            self._lines.clear()

    def _read(self, line: bytes) -> Message | None:
        """Read a line; return the message that ends with it. An error is kept for `messages`."""
        # Each octet that is not UTF-8 is escaped as one surrogate, and becomes one U+FFFD.
        text = _ESCAPED_OCTET.sub("\ufffd", line.decode("utf-8", "surrogateescape"))
        # The end of the stream stands for a line feed, which is not shown.
        self._text = (self._text + text + ("" if self._over and not self._lines else "\n"))[:SHOWN]
        self._size += len(line) + 1
        self._scanner.line, self._scanner.at = text + "\n", 0
        message = None
        try:
            if self._size > self.limit + 1:
                text = f"a message has over {self.limit} bytes; a move has 40"
                raise RemoteProtocolError(text, code="datum-too-long", hint="shorter data")  # noqa: TRY301 (as others)
            self._reading = self._reading or self._scanner.message()
            if next(self._reading):
                return None
        except StopIteration as end:
            datum, rest = end.value
            message = datum, self._text, rest[:SHOWN]
        except RemoteProtocolError as error:
            error.text = self._text.rstrip("\n").encode()
            self._error, self._over = error.fresh(), True
            self._lines.clear()
        self._reading, self._text, self._size = None, "", 0
        return message
