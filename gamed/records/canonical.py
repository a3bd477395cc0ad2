"""Whether two records have the same content: publisher, version, and the exclusive C14N of header and body.

Source: docs/reference/records.md#what-is-kept. C14N (canonical XML) includes the comments here.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID, uuid5

from lxml import etree

from gamed.records.parsing import parse_whole
from gamed.records.record import Record, RecordError

NAMESPACE: Final = UUID("b54afabe-d639-5f50-903f-ce846dc8db19")
"""The namespace of the UUIDs of imported records. It must never change, or equal records would get new ids."""


def canonical(node: etree._Element) -> bytes:
    """Return the exclusive C14N of an element, with its comments.

    Raises RecordError(code="not-standard") if a namespace is not an absolute URI: C14N is not defined for that.
    """
    try:
        return etree.tostring(node, method="c14n", exclusive=True, with_comments=True)
    except etree.C14NError as error:
        raise RecordError(f"a namespace in {node.tag} is not an absolute URI", code="not-standard") from error


def imported_id(publisher: str, version: str, header: etree._Element, body: etree._Element) -> str:
    """Return a UUID made of the content, so that equal contents get equal ids. Raises RecordError as `canonical`."""
    parts = (publisher, version, canonical(header).decode(), canonical(body).decode())
    # XML cannot contain NUL, so different contents cannot be joined into the same string.
    return str(uuid5(NAMESPACE, "\0".join(parts)))


def is_same(one: Record, other: Record) -> bool:
    """Whether two records have the same content, even if their XML is formatted differently."""
    if one == other:
        return True
    if (one.id, one.publisher, one.version) != (other.id, other.publisher, other.version):
        return False
    try:
        nodes = [canonical(parse_whole(node)) for node in (one.header, one.body, other.header, other.body)]
    except RecordError:
        return False
    return nodes[:2] == nodes[2:]
