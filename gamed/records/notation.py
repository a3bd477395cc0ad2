"""How values, texts and bytes are spelt in XML, so that whatever a peer sends comes back as it was.

Source: docs/reference/records.md#gameds-own-records, docs/reference/battleship.md#records (base64 where XML cannot hold
a line).

A value in an attribute is a number if it looks like one, a truth if it is `true` or `false`, and otherwise a text as it
stands. A text that would be taken for one of these, or that holds characters which XML 1.0 cannot hold, is written as a
JSON string with its quotes.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Final

from gamed.core.history import Value

BASE64: Final = "base64"
"""The value of an element's attribute `encoding`, if its text is not the bytes themselves."""

_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NUMBER = re.compile("-?[0-9]+")
_TRUTHS: Final = {"true": True, "false": False}
# Most texts need nothing, and one match is cheaper than a translation.
_PLAIN = re.compile("[ !#-%'-;=?-~]*")
is_plain: Final = re.compile(rb"[ -%'-;=?-~]+").fullmatch
"""Whether bytes are an element's content as they stand."""

_TEXT: Final = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;"))
_ATTRIBUTE: Final = (*_TEXT, ('"', "&quot;"), ("\t", "&#9;"), ("\n", "&#10;"))


def _escaped(text: str, signs: Iterable[tuple[str, str]]) -> str:
    # str.translate() would take forty times as long for letters that are not Latin.
    for sign, reference in signs:
        text = text.replace(sign, reference)
    return text


def attribute(text: str) -> str:
    """Return what stands between the quotes of an attribute. `text` has only characters of XML 1.0."""
    return text if _PLAIN.fullmatch(text) else _escaped(text, _ATTRIBUTE)


def held(text: str) -> str:
    """Return a text with U+FFFD in the place of what XML cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)


def sentence(text: str) -> str:
    """Return a text for persons as an element's content; what XML cannot hold becomes U+FFFD."""
    return _escaped(held(text), _TEXT)


def value(value: Value) -> str:
    """Return a value as it stands between the quotes of an attribute; `read` is the inverse."""
    if isinstance(value, str):
        return attribute(text(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def text(text: str) -> str:
    """Return what an attribute says so that `read` gives this text, before XML's own escapes."""
    return json.dumps(text) if _is_misread(text) else text


def _is_misread(text: str) -> bool:
    return (
        text[:1] == '"' or text in _TRUTHS or _NUMBER.fullmatch(text) is not None or _ILLEGAL.search(text) is not None
    )


def read(text: str) -> Value:
    """Return the value that an attribute spells. Raises ValueError if it begins with a quote and is not JSON."""
    if text in _TRUTHS:
        return _TRUTHS[text]
    if _NUMBER.fullmatch(text):
        return int(text)
    return str(json.loads(text)) if text[:1] == '"' else text


def content(body: bytes) -> str | None:
    """Return bytes as an element's content, or None if they can only stand there in base64.

    That is so for no bytes at all (an empty element has no body), for what is not UTF-8 or not XML, and for a carriage
    return, which editors and parsers take for a line feed.
    """
    if is_plain(body):
        return body.decode("ascii")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if not text or "\r" in text or _ILLEGAL.search(text) else _escaped(text, _TEXT)


def base64(body: bytes) -> str:
    """Return bytes in base64."""
    return b64encode(body).decode("ascii")


def body(content: str | None, encoding: str | None) -> bytes | None:
    """Return the bytes that an element's content spells, None if it has none. Raises ValueError."""
    if encoding == BASE64:
        return b64decode(content or "", validate=True)
    return content.encode() if content else None
