"""Documents from anywhere into elements, without what makes XML dangerous.

Source: docs/reference/records.md#the-import, docs/reference/records.md#limits,
docs/topics/design.md#traps-already-found: no DOCTYPE (and so no entities), no network, a limited depth, bytes only. How
many bytes come in is limited where they are read: `gamed.records.source`. Here is limited what they may cost: work and
memory are in proportion to them.
"""

from __future__ import annotations

import codecs
import re
from typing import Any, Final

from lxml import etree

from gamed.records.record import RecordError

LEVELS: Final = 2_000
"""How deep elements may be nested: in GoFans x.2 each move is nested in the one before it."""

TAGS: Final = 180_000
"""How many tags a document may have: each takes hundreds of bytes of memory, and more where it becomes a move."""

ALL_ATTRIBUTES: Final = 250_000
"""How many attributes. The largest game that is known to be real, a dictionary of 62,000 moves, has nearly as many."""

ATTRIBUTES: Final = 256
"""How many attributes and namespaces one element may have: C14N sorts them by insertion."""

NAMESPACES: Final = 1_000
"""How many namespaces may be declared around one element: C14N looks through all of them for each prefix."""

_CHUNK: Final = 4096
"""Bytes that are looked at in one go for the root; few documents need a second one."""

# A start tag with too many attributes. The parser would take a while for it, too.
_WIDE = re.compile(rb"""<[^<>"'=!?]++(?:=\s*+(?:"[^"<]*+"|'[^'<]*+')[^<>"'=]*+){%d}""" % (ATTRIBUTES + 1))
# All that may stand before a DOCTYPE. It is looked for before the parser could expand anything.
_DOCTYPE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|(?><\?.*?\?>)|(?><!--.*?-->))*+<!DOCTYPE", re.DOTALL)
_DECLARED = re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Where libxml2 was, which stands in the error's fields, too.
_PLACE = re.compile(r", line \d+, column \d+\Z")


def parse(document: bytes) -> etree._Element:
    """Return the root of a document in UTF-8, without comments and processing instructions.

    Raises RecordError: `not-xml`, or `forbidden` for a DOCTYPE and for what would cost too much time or memory:
    elements nested too deep, too many of them, too many attributes or namespaces.
    """
    return _parsed(document, remove_comments=True, remove_pis=True)


def parse_whole(document: bytes) -> etree._Element:
    """Return the same with its comments and processing instructions."""
    return _parsed(document, remove_comments=False, remove_pis=False)


def root_of(document: bytes) -> str:
    """Return the name of a document's root, also where its end is missing; "" if it has none.

    Raises RecordError(code="forbidden") for a DOCTYPE, and for too many tags and attributes.
    """
    _check_bytes(document)
    parser = etree.XMLPullParser(("start",), encoding="utf-8", resolve_entities=False, no_network=True)
    try:
        for at in range(0, len(document), _CHUNK):
            parser.feed(document[at : at + _CHUNK])
            for _, element in parser.read_events():
                return str(getattr(element, "tag", ""))
    except etree.XMLSyntaxError:
        # Whoever parses all of it says what is wrong, and where.
        pass
    return ""


def _check_bytes(document: bytes) -> None:
    """Raise RecordError for what the parser must not even see."""
    if _DOCTYPE.match(document):
        raise RecordError("a DOCTYPE is not allowed", code="forbidden")
    if document.count(b"<") > TAGS:
        raise RecordError(f"it has more than {TAGS:,} tags", code="forbidden")
    if document.count(b"=") > ALL_ATTRIBUTES:
        raise RecordError(f"it has more than {ALL_ATTRIBUTES:,} attributes", code="forbidden")
    if found := _WIDE.search(document):
        line = document.count(b"\n", 0, found.start()) + 1
        text = f"an element has more than {ATTRIBUTES} attributes and namespaces"
        raise RecordError(text, code="forbidden", line=line)


def _parsed(document: bytes, *, remove_comments: bool, remove_pis: bool) -> etree._Element:
    _check_bytes(document)
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        # libxml2's own limit of depth would be 256; with this it is 2,048.
        huge_tree=True,
        remove_comments=remove_comments,
        remove_pis=remove_pis,
    )
    try:
        root = etree.fromstring(document, parser)
    except etree.XMLSyntaxError as error:
        raise _refusal(error, _other_encoding(document)) from error
    # Every level but the last has an end tag of its own, and counting these is a thousand times faster.
    if document.count(b"</") >= LEVELS and depth(root) > LEVELS:
        raise _too_deep()
    if document.count(b"xmlns") > NAMESPACES:
        _check_namespaces(root)
    return root


def _check_namespaces(root: etree._Element) -> None:
    """Raise RecordError if too many namespaces are declared around an element."""
    around = 0
    walk: Any = etree.iterwalk(root, events=("start-ns", "start", "end-ns"))
    for event, element in walk:
        if event == "start-ns":
            around += 1
        elif event == "end-ns":
            around -= 1
        elif around > NAMESPACES:
            text = f"an element has {around:,} namespaces on it and around it, more than {NAMESPACES:,}"
            path = element.getroottree().getpath(element)
            raise RecordError(text, code="forbidden", line=element.sourceline, xpath=path)


def _other_encoding(document: bytes) -> str | None:
    """Return the encoding of a document that is not UTF-8, as its first bytes tell it; None where they do not."""
    if document.startswith(_UTF_16):
        return "UTF-16"
    found = _DECLARED.match(document)
    try:
        document.decode()
    except UnicodeDecodeError:
        return found[1].decode() if found else None
    return None


def _refusal(error: Any, encoding: str | None) -> RecordError:
    if error.code == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        return _too_deep()
    line, column = error.position
    if encoding is not None:
        advice = f"convert it, for example with `iconv -f {encoding} -t UTF-8`"
        return RecordError(f"it is in {encoding}, and records are in UTF-8: {advice}", code="not-xml", line=line)
    message = _PLACE.sub("", error.msg or "nothing is there")
    return RecordError(f"not XML: {message}", code="not-xml", line=line, column=column)


def _too_deep() -> RecordError:
    return RecordError(f"elements are nested more than {LEVELS:,} levels deep", code="forbidden")


def depth(root: etree._Element) -> int:
    """Return how many levels an element has, itself included."""
    level = deepest = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        level += 1 if event == "start" else -1
        deepest = max(deepest, level)
    return deepest
