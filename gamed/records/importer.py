"""Check a document that is to be imported, in all steps except storing it.

Source: docs/reference/records.md#the-import. The first of the five steps, reading the file, is done by
`gamed.records.source`. This module does the others: validate against Standard.xsd, look up the publisher and version,
validate against their schema, and replay the game if gamed knows its rules. It does no I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any, Final, TypeAlias

import attrs
from attrs import field, frozen
from lxml import etree

from gamed.core.errors import TOO_MUCH_WORK, RuleError
from gamed.core.texts import UUID
from gamed.records.canonical import imported_id
from gamed.records.index import Format, Index, Schema, named, reason, require
from gamed.records.own import PUBLISHER
from gamed.records.parsing import parse_whole, root_of
from gamed.records.played import Played, Remark
from gamed.records.record import Record, RecordError, Summary, unplayed
from gamed.records.record import document as record_document
from gamed.records.written import Formats

Replayer: TypeAlias = Callable[[Record], Played]
"""Replays a valid record by the rules of its game.

Raises RuleError if the rules reject a move, and RecordError(code="not-valid") for errors that a schema cannot express.
"""

Reader: TypeAlias = Callable[[bytes], Record]
"""Converts another program's document to a record. Raises RecordError and RuleError."""

CODES: Final = (
    "missing",
    "unreadable",
    "not-xml",
    "forbidden",
    "not-standard",
    "unknown-format",
    "not-valid",
    "illegal",
    "conflict",
    "duplicate",
    "imported",
)
"""The outcomes of an import, in the order of its steps. The codes are stable."""

TAKEN: Final = frozenset({"unknown-format", "duplicate", "imported"})
"""The outcomes after which the document is in the store: a record of an unknown format is kept unchecked."""

_XSI: Final = "{http://www.w3.org/2001/XMLSchema-instance}"


@frozen
class Imported:
    """The outcome of an import."""

    code: str
    """One of `CODES`."""

    sentence: str
    """The outcome in words, for the user."""

    line: int | None = None
    """Where the document is wrong, from 1; None if it is not, or if the place is not known. The same holds for
    `column` and `xpath`."""

    column: int | None = None
    xpath: str | None = None

    record: Record | None = None
    """What to store; None if the code is not in `TAKEN`."""

    summary: Summary | None = None
    """The search fields of the record; None if there is no record."""

    detail: Mapping[str, str | int] = field(factory=dict)
    """What is wrong, for programs and translations: `reason`, a code of the rules or of `VIOLATIONS`; and as far as it
    is known `move`, the number of the move, or the names of the `element` and the `attribute`."""

    remarks: tuple[Remark, ...] = ()
    """What is odd about a game that was taken; `sentence` has them, too."""

    lost: tuple[str, ...] = ()
    """What is not kept, in words: comments outside the header and body, what records cannot hold of a file."""

    @property
    def is_taken(self) -> bool:
        """Whether the document is in the store afterwards."""
        return self.code in TAKEN


def refused(error: RecordError) -> Imported:
    """Return the outcome of an import that ended in this error."""
    return Imported(error.code, error.reason, error.line, error.column, error.xpath, detail=error.detail)


def check(
    document: bytes, formats: Index, replayers: Mapping[str, Replayer], readers: Mapping[str, Reader] | None = None
) -> Imported:
    """Take a document through all steps except storing it: `imported` and `unknown-format` mean that it can be stored.

    `replayers`: by publisher. A valid record whose publisher has none is `imported` without being replayed. `readers`:
    by the name of the root element; they convert a document to a record, which then takes the same steps. Raises
    nothing.
    """
    try:
        return _checked(_root(document, readers or {}), formats, replayers)
    except RecordError as error:
        # A record that a reader has made is not in any file, so there is no line to report.
        has_place = error.place is not None and not (readers and root_of(document) in readers)
        return _located(refused(error), error, document) if has_place else refused(error)
    except RuleError as error:
        return illegal(error)


@frozen
class Importer:
    """What gamed knows of formats, and the import of files with that."""

    index: Index

    replayers: Mapping[str, Replayer] = field(factory=dict)
    """The functions that play records, by publisher; records of the others are not played."""

    readers: Mapping[str, Reader] = field(factory=dict)
    """The functions that make records of other programs' documents, by the name of the root element."""

    written: Mapping[str, Formats] = field(factory=dict)
    """The formats of games that are written down, by publisher."""

    def check_encoding(self, name: str) -> None:
        """Raise RecordError if no game's files can be in this encoding."""
        for formats in self.written.values():
            formats.check_encoding(name)

    def check(self, document: bytes) -> Imported:
        """Take a document through all steps except storing it; see `check`."""
        return check(document, self.index, self.replayers, self.readers)

    def outcomes(self, data: bytes, encoding: str | None = None) -> Iterator[Imported]:
        """Do the same for each game of a file: an XML document has one, a file in another format any number.

        A game that cannot be read does not affect the others. `encoding`: of the file, in place of the one that it
        declares. Raises RecordError if `encoding` is not known.
        """
        formats = next((one for one in self.written.values() if one.is_file(data)), None)
        if formats is None:
            yield self.check(data)
            return
        readings = formats.games(data, encoding)
        # Reading two games tells whether messages need the game's number, and the others are still read one at a time.
        first = list(islice(readings, 2))
        for reading in chain(first, readings):
            if reading.error is not None:
                code = "forbidden" if reading.error.code == "forbidden" else "not-valid"
                yield Imported(code, reading.error.reason, reading.error.line)
                continue
            outcome = self._of_game(formats, reading.game)
            place = f"game {reading.number}: " if len(first) > 1 else ""
            line = reading.line if outcome.line is None and not outcome.is_taken else outcome.line
            lost = (*outcome.lost, *reading.notes)
            yield attrs.evolve(outcome, sentence=place + outcome.sentence, line=line, lost=lost)

    def _of_game(self, formats: Formats, game: Any) -> Imported:
        try:
            # `record` has replayed the game to compute the captures. Doing so again would double the time.
            record = formats.record(game)
            played: Replayer = partial(formats.played, game=game)
            return check(record_document(record), self.index, {**self.replayers, record.publisher: played})
        except RecordError as error:
            return refused(error)
        except RuleError as error:
            return illegal(error)


def illegal(error: RuleError) -> Imported:
    """Return the outcome of an import that ended because the rules rejected the game."""
    detail: dict[str, str | int] = {"reason": error.code}
    if error.move is not None:
        detail["move"] = error.move
    return Imported("forbidden" if error.code == TOO_MUCH_WORK else "illegal", str(error), detail=detail)


def _located(outcome: Imported, error: RecordError, document: bytes) -> Imported:
    """Add the line and the XPath of the wrong element to an outcome."""
    assert error.place is not None
    tag, number = error.place
    root = parse_whole(document)
    element: Any = next(islice(root.iter(tag), number, None))
    return attrs.evolve(outcome, line=element.sourceline, xpath=root.getroottree().getpath(element))


def _root(document: bytes, readers: Mapping[str, Reader]) -> etree._Element:
    # Look only at the root: the replay of an aborted game is cut off, and its reader accepts that.
    reader = readers.get(root_of(document)) if readers else None
    return parse_whole(document if reader is None else record_document(reader(document)))


def _checked(root: etree._Element, formats: Index, replayers: Mapping[str, Replayer]) -> Imported:
    _validate(root, formats.standard, "not-standard")
    publisher, version = named(root)
    record, lost = _record(root, publisher, version), tuple(_lost(root))
    found = formats.formats.get((publisher, version))
    if found is None:
        sentence = f"{publisher} {version} is in no format index: it is kept as it is, and not played"
        return Imported("unknown-format", sentence, record=record, summary=unplayed(record), lost=lost)
    _validate(root, found.schema, "not-valid")
    record = _with_own_id(record, root)
    replayer = replayers.get(publisher) if found.is_playable else None
    if replayer is None:
        sentence = f"{publisher} {version} is kept as it is: gamed does not play it"
        return Imported("imported", sentence, record=record, summary=unplayed(record, found.kind), lost=lost)
    # The replayer parses the record again: keeping this tree would double the memory.
    del root
    return _played(replayer, found, record, lost)


def _validate(root: etree._Element, schema: Schema, code: str) -> None:
    try:
        require(root, schema, code)
    except RecordError as error:
        # libxml2 validates fast, and xmlschema explains well: it is asked only about documents that are not valid.
        sentence = reason(root, schema) or error.reason
        raise RecordError(sentence, code=code, line=error.line, xpath=error.xpath, detail=error.detail) from error


def _played(replayer: Replayer, found: Format, record: Record, lost: tuple[str, ...]) -> Imported:
    played = replayer(record)
    summary = attrs.evolve(played.summary, id=record.id)
    moves = "1 move" if summary.length == 1 else f"{summary.length} moves"
    texts = [remark.text for remark in played.remarks]
    sentence = "; ".join([f"{found.publisher} {found.version}: {found.kind}, {moves}", *texts])
    return Imported("imported", sentence, record=record, summary=summary, remarks=played.remarks, lost=lost)


def _record(root: etree._Element, publisher: str, version: str) -> Record:
    header, body = _nodes(root)
    return Record(imported_id(publisher, version, header, body), publisher, version, _written(header), _written(body))


def _nodes(root: etree._Element) -> tuple[etree._Element, etree._Element]:
    header, body = root.find("header"), root.find("body")
    assert header is not None
    assert body is not None
    return header, body


def _written(node: etree._Element) -> bytes:
    # Serialise to str: to bytes, lxml would declare an encoding or escape everything that is not ASCII.
    return etree.tostring(node, encoding="unicode", with_tail=False).encode()


def _with_own_id(record: Record, root: etree._Element) -> Record:
    """Give a record of gamed's own the id of its room; return any other record as it is."""
    record_id = (root.findtext("header/id") or "").strip()
    if not record.publisher.startswith(PUBLISHER) or not UUID.fullmatch(record_id):
        return record
    return attrs.evolve(record, id=record_id)


def _lost(root: etree._Element) -> Iterator[str]:
    outside = [*root.itersiblings(preceding=True), *root.itersiblings(), *root]
    if any(node.tag is etree.Comment for node in outside):
        yield "comments outside header and body"
    if any(node.tag is etree.ProcessingInstruction for node in outside):
        yield "processing instructions outside header and body"
    if any(str(name).startswith(_XSI) for name in root.attrib):
        yield "the location of a schema"
