"""Parse XML from untrusted sources.

Source: docs/reference/records.md#the-import, docs/reference/records.md#limits,
docs/topics/design.md#traps-already-found: no DOCTYPE (and so no entities), no network, a limited depth, bytes only.
`gamed.records.source` limits the size of a document; the limits of this module keep time and memory proportional to it.
"""

from __future__ import annotations

import codecs
import re
from typing import Any, Final

from lxml import etree

from gamed.records.record import RecordError

LEVELS: Final = 2_000
"""The most levels of elements. They are many because in some formats each move is nested in the one before it."""

TAGS: Final = 180_000
"""The most tags of a document: each takes hundreds of bytes of memory, and more if it becomes a move."""

ALL_ATTRIBUTES: Final = 250_000
"""The most attributes of a document. The largest real game that we know, of 62,000 moves, needs nearly as many."""

ATTRIBUTES: Final = 256
"""The most attributes and namespaces of one element: C14N sorts them by insertion, in quadratic time."""

NAMESPACES: Final = 1_000
"""The most namespaces in the scope of one element: C14N searches all of them for each prefix."""

# The bytes that are parsed at a time to find the root; few documents need a second chunk.
_CHUNK: Final = 4096

# A start tag with too many attributes. It must be found before parsing, because libxml2 is slow with it, too.
_WIDE = re.compile(rb"""<[^<>"'=!?]++(?:=\s*+(?:"[^"<]*+"|'[^'<]*+')[^<>"'=]*+){%d}""" % (ATTRIBUTES + 1))
# A DOCTYPE after anything that may precede it. It must be found before the parser can expand any entity.
_DOCTYPE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|(?><\?.*?\?>)|(?><!--.*?-->))*+<!DOCTYPE", re.DOTALL)
_DECLARED = re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# The position at the end of a message of libxml2. It is also in fields of the error.
_PLACE = re.compile(r", line \d+, column \d+\Z")


def parse(document: bytes) -> etree._Element:
    """Return the root of a document in UTF-8, without comments and processing instructions.

    Raises RecordError: `not-xml`, or `forbidden` for a DOCTYPE and for what would cost too much time or memory:
    elements nested too deep, too many of them, too many attributes or namespaces.
    """
    return _parsed(document, remove_comments=True, remove_pis=True)


def parse_whole(document: bytes) -> etree._Element:
    """Do the same as `parse`, but keep the comments and processing instructions."""
    return _parsed(document, remove_comments=False, remove_pis=False)


def root_of(document: bytes) -> str:
    """Return the name of a document's root element, even if the document is cut off; "" if it has none.

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
        # The error is reported when all of the document is parsed.
        pass
    return ""


def _check_bytes(document: bytes) -> None:
    """Raise RecordError for anything that must be rejected before parsing."""
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
        # Otherwise libxml2 limits the depth to 256; with this, to 2,048.
        huge_tree=True,
        remove_comments=remove_comments,
        remove_pis=remove_pis,
    )
    try:
        root = etree.fromstring(document, parser)
    except etree.XMLSyntaxError as error:
        raise _refusal(error, _other_encoding(document)) from error
    # Each level except the deepest needs an end tag. Counting those first is a thousand times faster than the walk.
    if document.count(b"</") >= LEVELS and depth(root) > LEVELS:
        raise _too_deep()
    if document.count(b"xmlns") > NAMESPACES:
        _check_namespaces(root)
    return root


def _check_namespaces(root: etree._Element) -> None:
    """Raise RecordError if too many namespaces are in the scope of an element."""
    around = 0
    walk: Any = etree.iterwalk(root, events=("start-ns", "start", "end-ns"))
    for event, element in walk:
        if event == "start-ns":
            around += 1
        elif event == "end-ns":
            around -= 1
        elif around > NAMESPACES:
            text = f"an element has {around:,} namespaces in scope, more than {NAMESPACES:,}"
            path = element.getroottree().getpath(element)
            raise RecordError(text, code="forbidden", line=element.sourceline, xpath=path)


def _other_encoding(document: bytes) -> str | None:
    """Return the encoding of a document by its byte order mark or declaration; None if it is UTF-8 or unknown."""
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
    message = _PLACE.sub("", error.msg or "the document is empty")
    hint = ""
    if "not proper UTF-8" in message or "bytes in character encoding" in message:
        hint = ". If it is in another encoding, convert it, for example with `iconv -f ISO-8859-1 -t UTF-8`"
    sentence = "the file is empty" if "ocument is empty" in message else f"not XML: {message}{hint}"
    return RecordError(sentence, code="not-xml", line=line, column=column)


def _too_deep() -> RecordError:
    return RecordError(f"elements are nested more than {LEVELS:,} levels deep", code="forbidden")


def depth(root: etree._Element) -> int:
    """Return the depth of an element tree; that of a single element is 1."""
    level = deepest = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        level += 1 if event == "start" else -1
        deepest = max(deepest, level)
    return deepest
