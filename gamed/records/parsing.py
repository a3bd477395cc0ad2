"""Documents from anywhere into elements, without what makes XML dangerous.

Source: design.md, "Traps already found": no DOCTYPE (and so no entities), no network, no huge trees, bytes only.
"""

from __future__ import annotations

import re

from lxml import etree

from gamed.records.record import RecordError

# All that may stand before a DOCTYPE. It is looked for before the parser could expand anything.
_DOCTYPE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|(?><\?.*?\?>)|(?><!--.*?-->))*+<!DOCTYPE", re.DOTALL)


def parse(document: bytes) -> etree._Element:
    """Return the root of a document in UTF-8, without comments and processing instructions.

    Raises RecordError: `not-xml`, or `forbidden` for a DOCTYPE.
    """
    if _DOCTYPE.match(document):
        raise RecordError("a DOCTYPE is not allowed", code="forbidden")
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(document, parser)
    except etree.XMLSyntaxError as error:
        raise RecordError(f"not XML: {error.msg}", code="not-xml", line=error.lineno) from error
