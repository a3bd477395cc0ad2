"""The import of a document, in the five steps of the BGoV text, up to storing it.

Source: docs/reference/records.md#the-import. `gamed.records.source` does the first step, that the file is there; here
are the others: valid against Standard.xsd, publisher and version, valid against their own schema, and the game is
played if gamed can play it. Bytes go in and a value comes out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, TypeAlias

import attrs
from attrs import frozen
from lxml import etree

from gamed.core.errors import RuleError
from gamed.games.go.replay import TOO_MUCH_WORK
from gamed.records.canonical import imported_id
from gamed.records.index import Format, Index, Schema, named, reason, require
from gamed.records.own import PUBLISHER
from gamed.records.parsing import parse_whole, root_of
from gamed.records.played import Played
from gamed.records.record import Record, RecordError, Summary
from gamed.records.record import document as record_document

Replayer: TypeAlias = Callable[[Record], Played]
"""Plays a valid record through.

Raises RuleError if the rules refuse a move, and RecordError(code="not-valid") for what no schema can say.
"""

Reader: TypeAlias = Callable[[bytes], Record]
"""Makes a record of another program's document. Raises RecordError and RuleError."""

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
"""What can come of an import, in the order of its steps. The codes are stable."""

TAKEN: Final = frozenset({"unknown-format", "duplicate", "imported"})
"""The codes of documents that are in the store afterwards."""

_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_XSI: Final = "{http://www.w3.org/2001/XMLSchema-instance}"


@frozen
class Imported:
    """What came of an import: a code of `CODES`, and a sentence for a person.

    `line`, `column`: where in the document, counted from 1; `xpath`: of the element; None where there is no such place.
    `record`: what is to be stored, if the code is one of `TAKEN`; `summary`: what is searched of it, if it was played.
    `lost`: what stood outside header and body, and is not kept.
    """

    code: str
    sentence: str
    line: int | None = None
    column: int | None = None
    xpath: str | None = None
    record: Record | None = None
    summary: Summary | None = None
    lost: tuple[str, ...] = ()

    @property
    def is_taken(self) -> bool:
        """Whether the document is in the store afterwards."""
        return self.code in TAKEN


def refused(error: RecordError) -> Imported:
    """Return the outcome that an error means."""
    return Imported(error.code, error.reason, error.line, error.column, error.xpath)


def check(
    document: bytes, formats: Index, replayers: Mapping[str, Replayer], readers: Mapping[str, Reader] | None = None
) -> Imported:
    """Take all steps but the storing: `imported` and `unknown-format` mean that the record can be stored.

    `players`: by publisher. A valid record of a publisher without one is `imported`, and not played. `readers`: by the
    document's element; what they read becomes a record first, which takes the same steps. Raises nothing.
    """
    try:
        return _checked(_root(document, readers or {}), formats, replayers)
    except RecordError as error:
        # What a reader has made of another program's document has its places in no file.
        has_place = error.place is not None and not (readers and root_of(document) in readers)
        return _located(refused(error), error, document) if has_place else refused(error)
    except RuleError as error:
        return judged(error)


def judged(error: RuleError) -> Imported:
    """Return the outcome that a rule's refusal means."""
    return Imported("forbidden" if error.code == TOO_MUCH_WORK else "illegal", str(error))


def _located(outcome: Imported, error: RecordError, document: bytes) -> Imported:
    """Return an outcome with the line and the XPath of the element that is wrong."""
    assert error.place is not None
    tag, number = error.place
    root = parse_whole(document)
    element: Any = next(islice(root.iter(tag), number, None))
    return attrs.evolve(outcome, line=element.sourceline, xpath=root.getroottree().getpath(element))


def _root(document: bytes, readers: Mapping[str, Reader]) -> etree._Element:
    # A reader may take what is no whole XML: replays of games that broke off break off, too.
    reader = readers.get(root_of(document)) if readers else None
    return parse_whole(document if reader is None else record_document(reader(document)))


def _checked(root: etree._Element, formats: Index, replayers: Mapping[str, Replayer]) -> Imported:
    _validate(root, formats.standard, "not-standard")
    publisher, version = named(root)
    record, lost = _record(root, publisher, version), tuple(_lost(root))
    found = formats.formats.get((publisher, version))
    if found is None:
        sentence = f"{publisher} {version} is in no format index: it is kept as it is, and not played"
        return Imported("unknown-format", sentence, record=record, lost=lost)
    _validate(root, found.schema, "not-valid")
    record = _with_own_id(record, root)
    player = replayers.get(publisher) if found.is_playable else None
    if player is None:
        sentence = f"{publisher} {version} is kept as it is: gamed does not play it"
        return Imported("imported", sentence, record=record, lost=lost)
    # The player reads the record anew: two trees at a time would take twice the memory.
    del root
    return _played(player, found, record, lost)


def _validate(root: etree._Element, schema: Schema, code: str) -> None:
    try:
        require(root, schema, code)
    except RecordError as error:
        sentence = reason(root, schema) or error.reason
        raise RecordError(sentence, code=code, line=error.line, xpath=error.xpath) from error


def _played(player: Replayer, found: Format, record: Record, lost: tuple[str, ...]) -> Imported:
    played = player(record)
    summary = attrs.evolve(played.summary, id=record.id)
    moves = "1 move" if summary.length == 1 else f"{summary.length} moves"
    sentence = "; ".join([f"{found.publisher} {found.version}: {found.kind}, {moves}", *played.remarks])
    return Imported("imported", sentence, record=record, summary=summary, lost=lost)


def _record(root: etree._Element, publisher: str, version: str) -> Record:
    header, body = _nodes(root)
    return Record(imported_id(publisher, version, header, body), publisher, version, _written(header), _written(body))


def _nodes(root: etree._Element) -> tuple[etree._Element, etree._Element]:
    header, body = root.find("header"), root.find("body")
    assert header is not None
    assert body is not None
    return header, body


def _written(node: etree._Element) -> bytes:
    # As text, so that lxml neither declares an encoding nor escapes what is not ASCII.
    return etree.tostring(node, encoding="unicode", with_tail=False).encode()


def _with_own_id(record: Record, root: etree._Element) -> Record:
    """Return a record of gamed's own with the id that its room was given; any other as it is."""
    id = (root.findtext("header/id") or "").strip()  # noqa: A001 (the column's name)
    if not record.publisher.startswith(PUBLISHER) or not _UUID.fullmatch(id):
        return record
    return attrs.evolve(record, id=id)


def _lost(root: etree._Element) -> Iterator[str]:
    outside = [*root.itersiblings(preceding=True), *root.itersiblings(), *root]
    if any(node.tag is etree.Comment for node in outside):
        yield "comments outside header and body"
    if any(node.tag is etree.ProcessingInstruction for node in outside):
        yield "processing instructions outside header and body"
    if any(str(name).startswith(_XSI) for name in root.attrib):
        yield "the place of a schema"
