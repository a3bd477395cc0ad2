"""When two records are the same: publisher, version, and the exclusive C14N (with comments) of header and body.

Source: docs/reference/records.md#what-is-kept.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID, uuid5

from lxml import etree

from gamed.records.parsing import parse_whole
from gamed.records.record import Record, RecordError

NAMESPACE: Final = UUID("b54afabe-d639-5f50-903f-ce846dc8db19")
"""What the ids of imported records are made in; it must never change."""


def canonical(node: etree._Element) -> bytes:
    """Return the exclusive C14N of an element, with its comments.

    Raises RecordError(code="not-standard") where there is none: for a namespace that is no absolute URI.
    """
    try:
        return etree.tostring(node, method="c14n", exclusive=True, with_comments=True)
    except etree.C14NError as error:
        raise RecordError(f"a namespace in {node.tag} is no absolute URI", code="not-standard") from error


def imported_id(publisher: str, version: str, header: etree._Element, body: etree._Element) -> str:
    """Return the UUID that stands for a content; equal contents have equal ids. Raises RecordError: `not-standard`."""
    parts = (publisher, version, canonical(header).decode(), canonical(body).decode())
    # NUL cannot stand in XML, so no two contents give the same name.
    return str(uuid5(NAMESPACE, "\0".join(parts)))


def is_same(one: Record, other: Record) -> bool:
    """Whether two records have the same content, however it is spelt."""
    if one == other:
        return True
    if (one.id, one.publisher, one.version) != (other.id, other.publisher, other.version):
        return False
    try:
        nodes = [canonical(parse_whole(node)) for node in (one.header, one.body, other.header, other.body)]
    except RecordError:
        return False
    return nodes[:2] == nodes[2:]
