"""The wire of `2htdp/universe`: data as Racket's `read` takes them, one a line, from pieces of any size.

Source: quoridor.md B2 and B4, and the corpus beside it. A message is one datum, and all that follows it up to the next
line feed is discarded; no stream can be cut into lines first, because a datum may hold line feeds. What the reader and
the printer work with is imported from here.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import ClassVar, Final, TypeAlias

from attrs import define, field

from gamed.errors import RemoteProtocolError
from gamed.wire.datums import (
    Char,
    Datum,
    Form,
    HashForm,
    ListForm,
    NumbersForm,
    Opaque,
    PairComment,
    PairForm,
    Prefab,
    PrefabForm,
    Prefixed,
    Symbol,
    VectorForm,
    is_sexp,
    nesting,
    write,
)
from gamed.wire.racket_atoms import (
    DELIMITERS,
    IN_OCTETS,
    IN_STRING,
    WHITE_SPACE,
    ExactComplex,
    Extflonum,
    expect,
    integer,
    read_character,
    read_here_string,
    read_name,
    read_number,
    read_string,
)
from gamed.wire.racket_input import SHOWN, Input, Reading, malformed

__all__ = ["Char", "Datum", "DatumReader", "ExactComplex", "Opaque", "Prefab", "Symbol", "is_sexp", "write"]

_SPACE: Final = re.compile(f"[{WHITE_SPACE}]*")
_DELIMITER: Final = re.compile(f"[{DELIMITERS}]")
_DIGITS: Final = re.compile(r"[0-9]*")
_LETTERS: Final = re.compile(r"[A-Za-z]*")
_HASH_NAME: Final = re.compile(r"ash(?:alw)?(?:eqv?)*", re.IGNORECASE)
_ESCAPED_OCTET: Final = re.compile("[\udc80-\udcff]")
_LONGEST_LABEL: Final = 8

_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
_QUOTES: Final = {"'": "quote", "`": "quasiquote", ",": "unquote", ",@": "unquote-splicing"}
_SYNTAX_QUOTES: Final = {"'": "syntax", "`": "quasisyntax", ",": "unsyntax", ",@": "unsyntax-splicing"}

# What most data are made of; what follows a name or number must have come, too.
_COMMON_ATOM: Final = r"(?:[A-Za-z][A-Za-z0-9-]{0,30}+|[0-9]{1,9}+(?:\.[0-9]{1,9}+)?)"
_COMMON: Final = re.compile(rf"[ \n]*+([()]|{_COMMON_ATOM}(?=[ ()\n]))")
# What most messages are, and most of these came before: `(move player 4.0 1.0)`.
_COMMON_LINE: Final = re.compile(rf"\((?:{_COMMON_ATOM}(?: {_COMMON_ATOM})*+)?\)\n")
_LONGEST_COMMON_LINE: Final = 64


@lru_cache(maxsize=4096)
def _common_atom(text: str) -> Datum:
    if text[0] > "9":
        return Symbol(text)
    return float(text) if "." in text else int(text)


@lru_cache(maxsize=4096)
def _common_line(text: str) -> Datum | None:
    """Return the flat list that a whole line holds, or None if that is not all there is in it."""
    return tuple(map(_common_atom, text[1:-2].split())) if _COMMON_LINE.fullmatch(text) else None


# A plain tuple: one is made for each move.
Message: TypeAlias = tuple[Datum, str, str]
"""A datum, the text of its message, and what of that was discarded after the datum; of texts the first characters."""


@define
class _Scanner:
    """Reads data from an input into the forms that are open; there is no recursion, however deep these are."""

    input: Input
    depth: int
    ready: deque[Message] = field(factory=deque)
    begun: bool = False
    # The datum of this message, once it is complete, and the forms that are open before that.
    _datum: list[Datum] = field(factory=list)
    _forms: list[Form] = field(factory=list)
    # Graph labels: what each stands for, and the bytes that its text took.
    _labels: dict[int, tuple[Datum, int]] = field(factory=dict)
    _folds: bool = False
    # The text of the datum, once that is complete.
    _text: str = ""

    def messages(self) -> Reading[None]:
        """Read data into `ready`, each of them when its line has ended, until the stream ends."""
        while (yield from self.input.peek()):
            yield from self._read_message()

    def _read_message(self) -> Reading[None]:
        self._labels.clear()
        source = self.input
        while not self._datum:
            if not self._take_common():
                yield from self._read_element()
        self._text, rest = source.since_mark(), ""
        if source.text.startswith("\n", source.at):
            # As in most messages.
            source.at += 1
        else:
            source.mark(source.at)
            yield from source.skip_line()
            rest = source.since_mark().removesuffix("\n")
        self.begun = False
        self.ready.append((self._datum.pop(), (self._text + rest)[:SHOWN], rest))
        self._text = ""

    @property
    def unfinished(self) -> str:
        """What has been read of the message, or the first `SHOWN` characters of it."""
        return (self._text + self.input.since_mark())[:SHOWN]

    @property
    def ending(self) -> str:
        """What is missing until the message is whole."""
        closers = "".join(form.closer for form in reversed(self._forms))
        if closers:
            return f"{closers} before the line feed" if self.unfinished.endswith("\n") else f"{closers} and a line feed"
        return "a line feed"

    @property
    def is_whole(self) -> bool:
        """Whether all of a message has come but the end of its line."""
        return bool(self._datum)

    def _take_common(self) -> bool:
        """Take a parenthesis or a simple atom if that comes next, without the ado that other elements need."""
        match = _COMMON.match(self.input.text, self.input.at)
        if match is None or self._folds or (self._forms and self._forms[-1].is_strict):
            return False
        self.begun = True
        self.input.at = match.end()
        if not self._forms:
            self.input.size = 0
            self.input.mark(match.start(1))
        self.input.count(len(match[0] if self._forms else match[1]))
        if match[1] == "(":
            self._open_list("(")
        elif match[1] == ")":
            self._close(")")
        else:
            self._place(_common_atom(match[1]))
        return True

    def _read_element(self) -> Reading[None]:
        """Read one atom, or the start or end of a form, and what stands before it."""
        if self._forms:
            yield from self.input.run(_SPACE)
        else:
            self.begun = False
            self.input.size = 0
            yield from self.input.skip(_SPACE)
            self.input.mark(self.input.at)
        character = yield from self.input.take()
        self.begun = True
        form = self._forms[-1] if self._forms else None
        if form is not None and form.is_strict and not (yield from self._is_aside(character)):
            yield from self._read_strictly(form, character)
            return
        steps = self._STARTS.get(character, _Scanner._read_bare)(self, character)
        if steps is not None:
            yield from steps

    def _read_strictly(self, form: Form, character: str) -> Reading[None]:
        if isinstance(form, NumbersForm):
            yield from self._read_number_of(form, character)
        elif isinstance(form, HashForm | PairComment):
            self._open_pair(character)
        elif character == "." and (yield from self._is_at_delimiter()):
            form.dot()
        else:
            raise malformed(f"{character} stands where there should be a dot or a closing bracket")

    def _is_at_delimiter(self) -> Reading[bool]:
        following = yield from self.input.peek()
        return not following or _DELIMITER.match(following) is not None

    def _is_aside(self, character: str) -> Reading[bool]:
        """Tell whether this ends a form or starts a comment, which is the same in every form."""
        return character in ")]};" or (character == "#" and (yield from self.input.peek()) in {"|", ";", "!"})

    # Forms.

    def _open(self, form: Form) -> None:
        self._check_depth(1)
        self._forms.append(form)

    def _check_depth(self, more: int) -> None:
        if len(self._forms) + more > self.depth:
            raise RemoteProtocolError(
                f"more than {self.depth} lists in one another",
                code="datum-too-deep",
                hint="fewer lists in one another: a move is one list",
            )

    def _place(self, datum: Datum) -> None:
        """Put a datum where it belongs: into the forms that it completes, then into the one that goes on after it."""
        while self._forms and isinstance(form := self._forms[-1], Prefixed):
            del self._forms[-1]
            if form.wrap is None:
                return
            datum = form.wrap(datum)
        if self._forms:
            self._forms[-1].add(datum)
        else:
            self._datum.append(datum)

    def _open_list(self, opener: str) -> None:
        self._open(ListForm(_CLOSERS[opener]))

    def _open_pair(self, opener: str) -> None:
        if opener not in _CLOSERS:
            raise malformed("a hash holds something else than pairs, (key . value)")
        self._open(PairForm(_CLOSERS[opener]))

    def _close(self, closer: str) -> None:
        if not self._forms or self._forms[-1].closer != closer:
            raise malformed(self._misplaced(closer))
        self._place(self._forms.pop().close())

    def _misplaced(self, closer: str) -> str:
        if not self._forms:
            return f"{closer} closes nothing: there is one closing bracket too many"
        wanted = self._forms[-1].closer
        return f"{closer} where {wanted} is missing" if wanted else f"{closer} stands where a datum is missing"

    def _quote(self, names: dict[str, str], mark: str) -> Reading[None]:
        if mark == "," and (yield from self.input.peek()) == "@":
            mark += yield from self.input.take()
        symbol = Symbol(names[mark])
        self._open(Prefixed(wrap=lambda datum: (symbol, datum)))

    def _read_quote(self, mark: str) -> Reading[None]:
        return self._quote(_QUOTES, mark)

    def _read_syntax_quote(self, mark: str) -> Reading[None]:
        return self._quote(_SYNTAX_QUOTES, mark)

    def _open_comment(self, _mark: str) -> None:
        self._open(PairComment() if self._forms and isinstance(self._forms[-1], HashForm) else Prefixed())

    def _open_box(self, _mark: str) -> None:
        self._open(Prefixed(wrap=lambda _datum: Opaque("box")))

    def _read_case(self, _mark: str) -> Reading[None]:
        """Read #ci or #cs: whether symbols in the next datum are folded."""
        case = yield from self.input.take()
        if case not in "sSiI":
            raise malformed(f"#c{case} means nothing: there are #ci and #cs")
        before = self._folds

        def restore(datum: Datum) -> Datum:
            self._folds = before
            return datum

        self._open(Prefixed(wrap=restore))
        self._folds = case in "iI"

    def _read_opener(self, what: str) -> Reading[str]:
        """Take an opener; return the closer that belongs to it."""
        opener = yield from self.input.take()
        if opener not in _CLOSERS:
            raise malformed(f"there is no opening bracket after {what}")
        return _CLOSERS[opener]

    def _open_vector(self, opener: str) -> None:
        self._open(VectorForm(_CLOSERS[opener]))

    def _read_prefab(self, _mark: str) -> Reading[None]:
        self._open(PrefabForm((yield from self._read_opener("#s"))))

    def _read_hash(self, _mark: str) -> Reading[None]:
        name = yield from self.input.run(_LETTERS)
        closer = yield from self._read_opener(f"#h{name:.20}")
        if not _HASH_NAME.fullmatch(name):
            raise malformed(f"#h{name:.20} means nothing: a hash begins with #hash")
        self._open(HashForm(closer))

    # Labels, and vectors of a length.

    def _read_numbered(self, digit: str) -> Reading[None]:
        digits = digit + (yield from self.input.run(_DIGITS))
        mark = yield from self.input.take()
        if mark in _CLOSERS:
            self._open(VectorForm(_CLOSERS[mark], length=integer(digits)))
        elif mark in {"=", "#"} and len(digits) <= _LONGEST_LABEL:
            (self._define if mark == "=" else self._refer)(int(digits))
        else:
            raise malformed(f"#{digits:.20}{mark} means nothing")

    def _define(self, label: int) -> None:
        if label in self._labels:
            raise malformed(f"the label #{label}= stands there twice")
        # This stands wherever the label is used in its own datum.
        cycle = Opaque("cycle")
        self._labels[label] = (cycle, 0)
        start = self.input.size

        def label_it(datum: Datum) -> Datum:
            if datum is cycle:
                raise malformed(f"#{label}= stands for itself")
            self._labels[label] = (datum, self.input.size - start)
            return datum

        self._open(Prefixed(wrap=label_it))

    def _refer(self, label: int) -> None:
        """Use a label: what is shared counts each time, as it is written each time."""
        if label not in self._labels:
            raise malformed(f"there is no label #{label}= for #{label}#")
        datum, size = self._labels[label]
        self.input.count(size)
        self._check_depth(nesting(datum))
        self._place(datum)

    # Symbols, numbers and other words.

    def _read_bare(self, first: str) -> Reading[None]:
        name, quoted = yield from read_name(self.input, first, folds=self._folds)
        if name == "." and not quoted:
            if not self._forms:
                raise malformed("a dot stands outside of a list")
            self._forms[-1].dot()
            return
        number = None
        if not quoted and name[0] in "+-.0123456789":
            number = read_number(name, self.input.count)
        self._place_number(Symbol(name) if number is None else number)

    def _place_number(self, datum: Datum | Extflonum) -> None:
        self._place(Opaque("extflonum") if isinstance(datum, Extflonum) else datum)

    def _read_number(self, prefix: str) -> Reading[Datum | Extflonum]:
        """Read a number in a place where there must be one."""
        name, quoted = yield from read_name(self.input)
        number = None if quoted else read_number(prefix + name, self.input.count)
        if number is None:
            raise malformed(f"{prefix}{name:.40} is not a number")
        return number

    def _read_prefixed_number(self, mark: str) -> Reading[None]:
        self._place_number((yield from self._read_number("#" + mark)))

    def _read_number_of(self, form: NumbersForm, first: str) -> Reading[None]:
        """Read an element of a vector of numbers: unlike others it may not be quoted or have a graph label."""
        if first not in ("+-#.0123456789" if form.prefix == "#i" else "+-#0123456789"):
            raise malformed("a vector of numbers holds something else")
        number = yield from self._read_number(form.prefix + first)
        form.add(Opaque("extflonum") if isinstance(number, Extflonum) else number)

    def _read_special_symbol(self, mark: str) -> Reading[None]:
        name, _ = yield from read_name(self.input, mark, folds=self._folds)
        self._place(Symbol("#" + name))

    def _read_keyword(self, _mark: str) -> Reading[None]:
        name, quoted = yield from read_name(self.input)
        if name == "." and not quoted:
            raise malformed("a dot is not a keyword")
        self._place(Opaque("keyword"))

    def _read_boolean(self, mark: str) -> Reading[None]:
        if not (yield from self._is_at_delimiter()):
            if mark in "fF" and (yield from self.input.peek()) in "lx":
                yield from self._read_numbers(mark)
                return
            mistake = f"#{mark} and what follows is not a boolean: there are #t, #f, #true and #false"
            yield from expect(self.input, {"t": "rue", "f": "alse"}.get(mark, ""), mistake)
            if not (yield from self._is_at_delimiter()):
                raise malformed(mistake)
        self._place(mark in "tT")

    def _read_numbers(self, mark: str) -> Reading[None]:
        kind = yield from self.input.take()
        digits = yield from self.input.run(_DIGITS)
        closer = yield from self._read_opener(f"#{mark}{kind}")
        length = integer(digits) if digits else None
        self._open(NumbersForm(closer, length=length, prefix="#i" if kind == "l" else "#e"))

    def _read_string(self, _mark: str) -> Reading[None]:
        self._place((yield from read_string(self.input, IN_STRING)))

    def _read_octets(self, _mark: str) -> Reading[None]:
        self._place((yield from read_string(self.input, IN_OCTETS)).encode("latin-1"))

    def _read_here_string(self, _mark: str) -> Reading[None]:
        yield from expect(
            self.input, "<", "#<...> is what Racket prints of a value that cannot be read: send its parts"
        )
        self._place((yield from read_here_string(self.input)))

    def _read_character(self, _mark: str) -> Reading[None]:
        self._place(Char(ord((yield from read_character(self.input)))))

    def _read_regexp(self, mark: str) -> Reading[None]:
        """Read #rx or #px and a string or byte string. The expression itself is not looked at."""
        mistake = f"#{mark} begins a regular expression, #{mark}x and a string, and nothing else that is a datum"
        yield from expect(self.input, "x", mistake)
        character = yield from self.input.take()
        if character == "#":
            yield from expect(self.input, '"', mistake)
        elif character != '"':
            raise malformed(mistake)
        yield from read_string(self.input, IN_STRING if character == '"' else IN_OCTETS)
        self._place(Opaque("regexp"))

    # Comments, and what follows #.

    def _skip_line_comment(self, _mark: str) -> Reading[None]:
        yield from self.input.skip_line()

    def _skip_block_comment(self, _mark: str) -> Reading[None]:
        yield from self.input.skip_comment()

    def _skip_script_line(self, _mark: str) -> Reading[None]:
        """Pass over a line after #! and a blank or slash, which goes on where it ends in a backslash."""
        following = yield from self.input.take()
        if following not in " /":
            raise malformed("#! begins a script, and no datum")
        while (yield from self.input.skip_line()) == "\\":
            pass

    def _read_sharp(self, _mark: str) -> Reading[None]:
        mark = yield from self.input.take()
        reading = self._SHARP_STARTS.get(mark)
        if reading is None:
            raise malformed(f"#{mark} begins no datum" + ("; #lang belongs into a file" if mark == "l" else ""))
        steps = reading(self, mark)
        if steps is not None:
            yield from steps

    _STARTS: ClassVar[dict[str, Callable[[_Scanner, str], Reading[None] | None]]] = {
        **dict.fromkeys("([{", _open_list),
        **dict.fromkeys(")]}", _close),
        **dict.fromkeys("'`,", _read_quote),
        '"': _read_string,
        ";": _skip_line_comment,
        "#": _read_sharp,
    }
    _SHARP_STARTS: ClassVar[dict[str, Callable[[_Scanner, str], Reading[None] | None]]] = {
        **dict.fromkeys("0123456789", _read_numbered),
        **dict.fromkeys("([{", _open_vector),
        **dict.fromkeys("'`,", _read_syntax_quote),
        **dict.fromkeys("tTfF", _read_boolean),
        **dict.fromkeys("eEiIdDbBoOxX", _read_prefixed_number),
        **dict.fromkeys("cC", _read_case),
        **dict.fromkeys("hH", _read_hash),
        **dict.fromkeys("rp", _read_regexp),
        "s": _read_prefab,
        "&": _open_box,
        ";": _open_comment,
        "|": _skip_block_comment,
        "!": _skip_script_line,
        "%": _read_special_symbol,
        ":": _read_keyword,
        "\\": _read_character,
        '"': _read_octets,
        "<": _read_here_string,
    }


@define
class DatumReader:
    """Reads data from the bytes of a world or a universe.

    `limit`: the longest datum, in bytes, without the comments in it. `depth`: how many forms may be open at once.
    """

    limit: int = 65_536
    depth: int = 100
    _input: Input = field(init=False)
    _scanner: _Scanner = field(init=False)
    _steps: Reading[None] = field(init=False)
    _decoder: codecs.IncrementalDecoder = field(init=False)
    _error: RemoteProtocolError | None = field(init=False, default=None)
    _over: bool = field(init=False, default=False)
    _common: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._common = min(self.limit, _LONGEST_COMMON_LINE) if self.depth else 0
        self._input = Input(self.limit)
        self._scanner = _Scanner(self._input, self.depth)
        self._steps = self._scanner.messages()
        # Each octet that is no UTF-8 is escaped as one surrogate, and becomes one U+FFFD.
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    @property
    def begun(self) -> bool:
        """Whether part of a datum or of its line has come, and the line's end is to come."""
        return self._scanner.begun and not self._over

    def receive_data(self, data: bytes) -> None:
        """Take bytes; empty bytes end the stream. A datum that is then complete counts without its line feed, too."""
        if self._over:
            return
        text = self._decoder.decode(data, not data)
        if not self._scanner.begun and len(text) <= self._common:
            datum = _common_line(text)
            if datum is not None:
                # Between two messages, so it is what the scanner would read.
                self._scanner.ready.append((datum, text, ""))
                return
        self._input.feed(text if text.isascii() else _ESCAPED_OCTET.sub("\ufffd", text), ended=not data)
        self._over = not data
        try:
            next(self._steps, None)
        except RemoteProtocolError as error:
            self._input.skip_to_line_end()
            error.text = self._scanner.unfinished.encode()
            self._error = error.fresh()
            self._over = True

    @property
    def unfinished(self) -> bytes:
        """The first bytes of a message that has begun and not ended; none if there is no such message."""
        return self._scanner.unfinished.encode() if self._scanner.begun and self._error is None else b""

    @property
    def is_whole(self) -> bool:
        """Whether all of that message has come but the end of its line."""
        return self._scanner.is_whole

    @property
    def ending(self) -> str:
        """What is missing until that message is whole."""
        return self._scanner.ending

    def datums(self) -> Iterator[Datum]:
        """Yield the data so far whose lines have ended; raise as `messages` does."""
        return (datum for datum, _, _ in self.messages())

    def messages(self) -> Iterator[Message]:
        """Yield the data so far whose lines have ended, each with its text.

        Raises RemoteProtocolError after those before it, with the code "malformed-datum", "datum-too-long" or
        "datum-too-deep"; nothing more is read then.
        """
        while self._scanner.ready:
            yield self._scanner.ready.popleft()
        if self._error is not None:
            raise self._error.fresh()
