"""The content of a record as an outline, for records that gamed keeps and does not play.

Source: docs/reference/records.md#what-is-kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen
from lxml import etree

from gamed.records.parsing import parse_whole
from gamed.records.record import Record, document


@frozen
class Line:
    """An element, a text or a comment of a record, in document order."""

    depth: int
    """How many elements it is in, below header or body."""

    name: str
    """The element's name, with its namespace in braces if it has one. Empty for a text; for a comment `#comment`, and
    for a processing instruction its target after a `#`."""

    attributes: Mapping[str, str]
    text: str
    """The text before the first child, with white space normalised; or the text itself."""


def outline(record: Record) -> Iterator[Line]:
    """Yield the lines of the header, and then of the body; both have depth 0."""
    root = parse_whole(document(record))
    depth = -1
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "end":
            depth -= 1
        elif element is not root:
            yield Line(depth, _name(element), dict(element.attrib), _plain(element.text))
        if event == "start":
            depth += 1
        elif depth >= 1 and (tail := _plain(element.tail)):
            yield Line(depth, "", {}, tail)


def _name(element: Any) -> str:
    if element.tag is etree.Comment:
        return "#comment"
    return f"#{element.target}" if element.tag is etree.ProcessingInstruction else str(element.tag)


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())
