"""The wire of `2htdp/universe`: data as Racket's `read` takes them, one a line, from pieces of any size.

A message is one datum, and all that follows it up to the next line feed is discarded. No stream can be cut into lines
first, because a datum may hold line feeds. Symbols, strings, numbers, booleans, characters, lists and quotes are read.
A datum of any other kind is skipped, up to the byte where it ends for Racket, and becomes an `Opaque`.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from attrs import define, field

from gamed.core.errors import RemoteProtocolError
from gamed.wire import datums
from gamed.wire.datums import DELIMITERS, WHITE_SPACE, Datum, Opaque, Symbol, malformed

SHOWN: Final = 200
"""How many characters of a message are kept, to be shown to its author when it is refused."""

# The states of the reader: each is the pattern of what may come next, and its groups say what that is. What may be long
# comes in parts. Everything else is matched only when no further character could change it, and is short: what is left
# of a piece has no more characters than `_CUT` allows, so no text is scanned more than a few times.
_HEX: Final = "[0-9a-fA-F]"
_COMMA: Final = ",(?:@|(?=[^@]))"
_ATOM: Final = r"(?:[A-Za-z][A-Za-z0-9-]{0,30}+|[0-9]{1,9}+(?:\.[0-9]{1,9}+)?)"
_ELEMENT: Final = re.compile(
    rf"(?P<atom>{_ATOM}(?=[ ()\n]))"
    rf"|(?P<space>[{WHITE_SPACE}]+)|(?P<list>[(\[{{])|(?P<close>[)\]}}])|(?P<quote>['`]|{_COMMA})"
    r"|(?P<comment>;|#\||#!(?=[ /]))|(?P<skip>#;)"
    rf"|(?P<boolean>#(?:true|false|[tTfF])(?=[{DELIMITERS}]))"
    rf"|(?P<character>#\\(?>u{_HEX}{{1,4}}|U{_HEX}{{1,8}}|[uU]|[0-7][0-7].|[0-7](?![0-7])|[^\W\d_]{{1,12}}|[^0-7])(?=.))"
    r'|(?P<string>")|(?P<byte_string>#")|(?P<regular_expression>#[rp]x#?")|(?P<here_string>#<<)'
    r"|(?P<vector>#(?:[fF][lx])?[0-9]{0,60}[(\[{])|(?P<structure>#s[(\[{])"
    r"|(?P<hash_table>#(?i:hash(?:alw)?(?:eqv?)*)[(\[{])"
    rf"|(?P<box>#&)|(?P<quoted_syntax>#(?:['`]|{_COMMA}))|(?P<case_mark>#[cC][iIsS])|(?P<label>#[0-9]{{1,8}}=)"
    rf"|(?P<labelled_datum>#[0-9]{{1,8}}#)|(?P<keyword>#:)|(?P<number_with_a_prefix>#(?=[eibodxEIBODX]))"
    rf"|(?P<symbol>#%|(?=[^#{DELIMITERS}]))",
    re.DOTALL,
)
# Between two messages: what most of them are is matched at once. It is short, because `_common_line` keeps it.
_LIST: Final = rf"\((?:{_ATOM}(?: {_ATOM}){{0,7}}+)?\)(?=\n)"
_LONGEST_LINE: Final = 64
_START: Final = re.compile(rf"(?P<message>{_LIST})|{_ELEMENT.pattern}", re.DOTALL)
_NAME: Final = re.compile(
    rf"(?P<part>[^{DELIMITERS}|\\]+)|\\(?P<quoted>.)|(?P<bar>\|)|(?P<end>(?=[{DELIMITERS}]))", re.DOTALL
)
_BARS: Final = re.compile(r"(?P<part>[^|]+)|(?P<bar>\|)")
_STRING: Final = re.compile(
    rf'(?P<part>[^"\\]+)|(?P<end>")|(?P<escape>\\(?>[0-7]{{1,3}}|x{_HEX}{{1,2}}|U{_HEX}{{1,8}}'
    rf"|u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|u{_HEX}{{1,4}}|\r\n|.)(?=.)(?!\\(?:u{_HEX}{{0,3}})?\Z))",
    re.DOTALL,
)
_HERE: Final = re.compile(r"(?P<part>[^\n]+)|(?P<line>\n)")
_COMMENTS: Final = {
    ";": re.compile(r"(?P<inside>[^\n]+)|(?P<close>\n)"),
    "#!": re.compile(r"(?P<inside>[^\n\\]+|\\\n|\\(?=.))|(?P<close>\n)", re.DOTALL),
    "#|": re.compile(r"(?P<open>#\|)|(?P<close>\|#)|(?P<inside>[^|#]+|[|#](?=.))", re.DOTALL),
}
_REST: Final = re.compile(r"(?P<part>[^\n]+)|(?P<end>\n)")
# The longest in a string is \U with eight digits before a \u that is cut.
_CUT: Final = re.compile(r"(?:[,|]|\\.{0,14}|#(?:,|!|<|\\.{0,12}|[A-Za-z0-9]{0,64}#?)?)?", re.DOTALL)

_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
_QUOTES: Final = {"'": "quote", "`": "quasiquote", ",": "unquote", ",@": "unquote-splicing"}
_MISTAKES: Final = {
    **dict.fromkeys("tfTF", "and what follows is not a boolean: there are #t, #f, #true and #false"),
    **dict.fromkeys("rp", "begins a regular expression, #rx or #px and a string, and nothing else that is a datum"),
    "l": "begins no datum; #lang belongs into a file",
    "<": "...> is what Racket prints of a value that cannot be read: send its parts",
}
# The groups of `_ELEMENT` that open a list, that need one more datum, and that are a datum.
_LISTS: Final = {"list", "vector", "structure", "hash_table"}
_MARKS: Final = {"quote", "skip", "box", "quoted_syntax", "case_mark", "label"}
_WHOLE: Final[dict[str, Callable[[str], Datum]]] = {
    "boolean": lambda token: token[1] in "tT",
    "character": datums.to_character,
    "labelled_datum": lambda _token: Opaque("labelled datum"),
}
_SKIPPED: Final = {group: Opaque(group.replace("_", " ")) for group in _ELEMENT.groupindex}
_DOT: Final = Opaque("dot")
_ESCAPED_OCTET: Final = re.compile("[\udc80-\udcff]")


@lru_cache(maxsize=4096)
def _common_line(line: str) -> Datum | None:
    """Return the flat list that a whole line holds, or None if there is anything else in it."""
    return tuple(map(datums.to_atom, line[1:-2].split())) if re.fullmatch(_LIST + "\n", line) else None


# A plain tuple: one is made for each move.
Message: TypeAlias = tuple[Datum, str, str]
"""A datum, the text of its message, and what of that was discarded after the datum; of texts the first characters."""


@define
class _Form:
    """A list that is open, which has a `closer`; or a mark such as ', which the next datum completes."""

    closer: str = ""
    # A quote, or what is skipped. None: a list is kept, and a mark is a comment.
    becomes: Symbol | Opaque | None = None
    elements: list[Datum] = field(factory=list)

    def close(self) -> Datum:
        """Return the list, or what it becomes. A dot stands before its tail, or two around its first element."""
        dots = [at for at, element in enumerate(self.elements) if element is _DOT]
        if not dots:
            return self.becomes if isinstance(self.becomes, Opaque) else tuple(self.elements)
        elements, first, last = self.elements, dots[0], dots[-1]
        before, dotted, after = elements[:first], elements[first + 1 :][:1], elements[last + 1 :]
        fits = dots[1:] == [dots[0] + 2] if dots[1:] else len(after) == 1
        if not (before and after and fits and self.becomes in {None, Opaque("structure")}):
            raise malformed("a dot goes before the last element of a list, which a dot or a closing bracket follows")
        if isinstance(self.becomes, Opaque):
            return self.becomes
        if dots[1:]:
            return (*dotted, *before, *after)
        return (*before, *after[0]) if isinstance(after[0], tuple) else Opaque("improper list")


@define
class DatumReader:
    """Reads data from the bytes of a world or a universe."""

    # The longest datum in bytes, without the comments in it; and how many lists and marks may be open at once.
    limit: int = 65_536
    depth: int = 100

    # What is ready for `messages`, and the error that comes after it.
    _ready: deque[Message] = field(init=False, factory=deque)
    _error: RemoteProtocolError | None = field(init=False, default=None)
    _over: bool = field(init=False, default=False)
    # Each octet that is not UTF-8 is escaped as one surrogate, and becomes one U+FFFD.
    _decoder: codecs.IncrementalDecoder = field(
        init=False, factory=lambda: codecs.getincrementaldecoder("utf-8")("surrogateescape")
    )
    # What may come next, the end of the last piece, which the next one continues, and what is open.
    _state: re.Pattern[str] = field(init=False, default=_START)
    _cut: str = field(init=False, default="")
    _forms: list[_Form] = field(init=False, factory=list)
    _comments: int = field(init=False, default=0)
    # The name, string or discarded text that is being read: its group in `_ELEMENT`, its parts, whether it was quoted.
    _kind: str = field(init=False, default="")
    _parts: list[str] = field(init=False, factory=list)
    _quoted: bool = field(init=False, default=False)
    # The message: its first characters, how many bytes its datum has, and the datum.
    _text: str = field(init=False, default="")
    _size: int = field(init=False, default=0)
    _datum: Datum = field(init=False, default=())

    @property
    def _is_open(self) -> bool:
        return self._error is None and (self._state is not _START or self._cut != "")

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that has begun and not ended; none if there is no such message."""
        return (self._text + self._cut)[:SHOWN].encode() if self._is_open else b""

    @property
    def ending(self) -> str:
        """What is missing of that message; "" if only the end of its line is."""
        closers = "".join(form.closer for form in reversed(self._forms))
        link = "before the" if self.unfinished.endswith(b"\n") else "and a"
        return f"{closers} {link} line feed" if closers else "" if self._state is _REST else "a line feed"

    def messages(self) -> Iterator[Message]:
        """Yield the data so far whose lines have ended, each with its text.

        Raises RemoteProtocolError after those before it, with the code "malformed-datum", "datum-too-long" or
        "datum-too-deep"; nothing more is read then.
        """
        while self._ready:
            yield self._ready.popleft()
        if self._error is not None:
            raise self._error.fresh()

    def receive_data(self, data: bytes) -> None:
        """Take bytes; empty bytes end the stream. A datum that is then complete counts without its line feed, too."""
        if self._over:
            return
        text = self._decoder.decode(data, not data)
        if self._state is _START and not self._cut and len(text) <= _LONGEST_LINE and self.depth:
            datum = _common_line(text)
            if datum is not None and len(text) <= self.limit:
                self._ready.append((datum, text, ""))
                return
        self._over = not data
        self._scan(text if text.isascii() else _ESCAPED_OCTET.sub("\ufffd", text))
        if not data and self._error is None and self._state is not _STRING:
            # The end stands for a line feed, but that is not a part of what is unfinished.
            text = self.unfinished.decode()
            self._scan("\n")
            self._text, self._cut = text, ""

    def _scan(self, text: str) -> None:
        text, at = self._cut + text, 0
        try:
            while match := self._state.match(text, at):
                at = match.end()
                self._take(str(match.lastgroup), match[0])
            self._cut = text[at:]
            if self._cut and not _CUT.fullmatch(self._cut.rstrip("\n") if self._over else self._cut):
                mistake = _MISTAKES.get(self._cut[1:2])
                raise malformed(f"{self._cut[:2]} {mistake}" if mistake else f"{self._cut:.20} begins no datum")
        except RemoteProtocolError as error:
            line, _, _ = text[at : at + SHOWN].partition("\n")
            error.text = (self._text + line)[:SHOWN].encode()
            self._error, self._over = error.fresh(), True

    def _take(self, group: str, token: str) -> None:
        state = self._state
        if state is _START:
            self._text, self._size = "", 0
            if group == "space":
                return
        self._text = (self._text + token)[:SHOWN]
        if state is not _REST and not self._comments:
            self._size += len(token) if token.isascii() else len(token.encode())
        if self._size > self.limit:
            hint = "shorter data: a move has 40 bytes"
            raise RemoteProtocolError(f"a datum is longer than {self.limit} bytes", code="datum-too-long", hint=hint)
        if self._comments:
            self._comments += {"open": 1, "close": -1}.get(group, 0)
            self._state = state if self._comments else _ELEMENT if self._forms else _START
        elif state is _ELEMENT or state is _START:
            self._take_element(group, token)
        elif group == "end":
            self._end("".join(self._parts))
        else:
            self._take_part(group, token)

    def _take_element(self, group: str, token: str) -> None:
        if group == "atom":
            self._place(datums.to_atom(token))
        elif group in _LISTS:
            self._open(_Form(_CLOSERS[token[-1]], None if group == "list" else _SKIPPED[group]))
        elif group == "close":
            self._close(token)
        elif group == "message":
            self._check_depth()
            self._place(_common_line(token + "\n") or ())
        elif group in _MARKS:
            becomes = Symbol(_QUOTES[token]) if group == "quote" else _SKIPPED[group]
            self._open(_Form(becomes=None if group == "skip" else becomes))
        elif group in _WHOLE:
            self._place(_WHOLE[group](token))
        elif group != "space":
            self._begin(group, token)

    def _begin(self, group: str, token: str) -> None:
        if group == "comment":
            self._state, self._comments = _COMMENTS[token], 1
        else:
            self._state = _HERE if group == "here_string" else _STRING if token[-1:] == '"' else _NAME
            self._kind, self._quoted = group, False
            self._parts = [token] if token and self._state is _NAME else []

    def _check_depth(self) -> None:
        if len(self._forms) >= self.depth:
            hint = "fewer lists in one another: a move is one list"
            raise RemoteProtocolError(f"more than {self.depth} lists in one another", code="datum-too-deep", hint=hint)

    def _open(self, form: _Form) -> None:
        self._check_depth()
        self._forms.append(form)
        self._state = _ELEMENT

    def _close(self, closer: str) -> None:
        wanted = self._forms[-1].closer if self._forms else None
        if wanted is None:
            raise malformed(f"{closer} closes nothing: there is one closing bracket too many")
        if closer != wanted:
            raise malformed(f"{closer} {f'where {wanted} is missing' if wanted else 'stands where a datum is missing'}")
        self._place(self._forms.pop().close())

    def _take_part(self, group: str, token: str) -> None:
        """Take a part of a name, of a string or of the rest of a line."""
        self._quoted = self._quoted or group in {"bar", "quoted"}
        if group == "bar":
            self._state = _NAME if self._state is _BARS else _BARS
        elif group == "line":
            line, self._parts = "".join(self._parts) + "\n", []
            if line == self._kind:
                self._place(Opaque("here string"))
            self._kind = line if self._kind == "here_string" else self._kind
        else:
            self._parts.append(datums.to_meaning(token) if group == "escape" else token[group == "quoted" :])
        if self._state is _REST:
            self._parts = ["".join(self._parts)[:SHOWN]]

    def _end(self, text: str) -> None:
        if self._state is _REST:
            self._ready.append((self._datum, self._text, text))
            self._state = _START
        elif self._kind == "string":
            self._place(text)
        elif text == "." and not self._quoted:
            self._place(_DOT)
        else:
            self._place(datums.to_atom(text, self._kind, is_quoted=self._quoted))

    def _place(self, datum: Datum) -> None:
        """Add a datum to the innermost list, after the marks that stand before it have been completed."""
        if datum is _DOT and not (self._forms and self._forms[-1].closer):
            raise malformed("a dot stands outside of a list")
        while self._forms and not self._forms[-1].closer:
            mark = self._forms.pop().becomes
            if mark is None:
                self._state = _ELEMENT if self._forms else _START
                return
            datum = (mark, datum) if isinstance(mark, Symbol) else mark
        self._state = _ELEMENT
        if self._forms:
            self._forms[-1].elements.append(datum)
        else:
            self._datum, self._state, self._parts = datum, _REST, []
