"""The notation of values, texts and bytes in XML, which can hold anything that a peer sends.

Source: docs/reference/records.md#gameds-own-records.

The value of an attribute is an integer if it looks like one, a boolean if it is `true` or `false`, and otherwise text.
A text that could be mistaken for an integer or boolean, or that contains characters which XML 1.0 does not allow, is
written as a JSON string, including the quotes.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Final

from gamed.core.history import Value

BASE64: Final = "base64"
"""The value of the attribute `encoding` of an element whose text is base64."""

_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NUMBER = re.compile("-?[0-9]+")
_BOOLEANS: Final = {"true": True, "false": False}
# Most texts need no escapes, and one match is cheaper than several replacements.
_PLAIN = re.compile("[ !#-%'-;=?-~]*")
is_plain: Final = re.compile(rb"[ -%'-;=?-~]+").fullmatch
"""Whether bytes are an element's content as they stand."""

# The escapes in the text of an element, and in attributes. "&" must be the first.
_TEXT: Final = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;"))
_ATTRIBUTE: Final = (*_TEXT, ('"', "&quot;"), ("\t", "&#9;"), ("\n", "&#10;"))


def _escaped(text: str, escapes: Iterable[tuple[str, str]]) -> str:
    # Not str.translate(), which takes forty times as long for letters that are not Latin.
    for character, reference in escapes:
        text = text.replace(character, reference)
    return text


def attribute(text: str) -> str:
    """Escape a text for an attribute. It must contain only characters that XML 1.0 allows; see `held`."""
    return text if _PLAIN.fullmatch(text) else _escaped(text, _ATTRIBUTE)


def held(text: str) -> str:
    """Return a text with U+FFFD in place of each character that XML 1.0 does not allow."""
    return _ILLEGAL.sub("\ufffd", text)


def sentence(text: str) -> str:
    """Escape a text for people as the content of an element. Characters that XML does not allow become U+FFFD."""
    return _escaped(held(text), _TEXT)


def value(value: Value) -> str:
    """Encode and escape a value for an attribute. `read` is the inverse, after the XML parser has unescaped it."""
    if isinstance(value, str):
        return attribute(text(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def text(text: str) -> str:
    """Encode a text so that `read` returns it. It is not escaped for XML yet."""
    return json.dumps(text) if _is_misread(text) else text


def _is_misread(text: str) -> bool:
    return (
        text[:1] == '"' or text in _BOOLEANS or _NUMBER.fullmatch(text) is not None or _ILLEGAL.search(text) is not None
    )


def read(text: str) -> Value:
    """Decode the value of an attribute. Raises ValueError if it begins with a quote and is not JSON."""
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _NUMBER.fullmatch(text):
        return int(text)
    return str(json.loads(text)) if text[:1] == '"' else text


def content(body: bytes) -> str | None:
    """Escape bytes as the content of an element, or return None if they must be in base64.

    That is: b"", because an empty element means that there is no body at all; bytes that are not UTF-8, or contain
    characters that XML does not allow; and carriage returns, which editors and XML parsers change to line feeds.
    """
    if is_plain(body):
        return body.decode("ascii")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if not text or "\r" in text or _ILLEGAL.search(text) else _escaped(text, _TEXT)


def base64(body: bytes) -> str:
    """Encode bytes in base64."""
    return b64encode(body).decode("ascii")


def body(content: str | None, encoding: str | None) -> bytes | None:
    """Decode the content of an element; None if it is empty. Raises ValueError if it is not valid base64."""
    if encoding == BASE64:
        return b64decode(content or "", validate=True)
    return content.encode() if content else None
