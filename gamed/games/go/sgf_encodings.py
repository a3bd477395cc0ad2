"""Decode SGF files, in the encoding that `CA` declares or the one that their texts seem to be in.

Source: the SGF specification, FF[4]; docs/reference/records.md#encodings-of-sgf. Most East Asian files declare a subset
of the encoding that they use (`Shift_JIS` for Windows code page 932, `GB2312` for GBK), or declare none. So a declared
encoding is decoded as its superset. If that does not fit, the bytes of the texts decide: UTF-8 if they are valid UTF-8,
otherwise chardet's guess.

A name from a file is never passed to `codecs.lookup`, which would try to import a module of that name, and cache every
name that it does not find.
"""

from __future__ import annotations

import codecs
import re
from encodings.aliases import aliases
from itertools import chain
from typing import Final

from gamed.records.record import RecordError

# This cannot match inside a text, where a closing bracket is escaped.
DECLARED: Final = re.compile(rb"CA(?<![A-Za-z]CA)\s*\[([^\]\\]{0,40})\]")

UTF_8: Final = "utf-8"
_ISO_2022_JP: Final = "iso2022_jp_ext"

# For each codec of Python, the superset that files with this declaration are really written in.
_SUPERSETS: Final = {
    "ascii": UTF_8,
    "utf_8": UTF_8,
    "cp932": "cp932",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "hz": "hz",
    "euc_kr": "cp949",
    "cp949": "cp949",
    "johab": "johab",
    "big5": "cp950",
    "cp950": "cp950",
    "big5hkscs": "big5hkscs",
    "euc_jp": "euc_jp",
    "iso2022_jp": _ISO_2022_JP,
    "iso2022_jp_ext": _ISO_2022_JP,
    "iso2022_kr": "iso2022_kr",
    "latin_1": "cp1252",
    "iso8859_9": "cp1254",
    "tis_620": "cp874",
    "cp874": "cp874",
    "koi8_r": "koi8_r",
    "koi8_u": "koi8_u",
    "mac_roman": "mac_roman",
    **{f"iso8859_{part}": f"iso8859_{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"cp{page}": f"cp{page}" for page in (437, 850, 866, *range(1250, 1259))},
}
# Names that files and editors use but Python does not know.
_FURTHER: Final = {
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "windows-932": "cp932",
    "windows-936": "gbk",
    "windows-949": "cp949",
    "windows-950": "cp950",
    "big5-eten": "cp950",
    "utf-8-bom": "utf_8",
}
# The guesses that chardet may make. Rare encodings would only cause errors: EUC-JP, for example, looks like GBK.
_GUESSED: Final = ("cp932", "gb18030", "cp949", "cp950", "cp1252")
# Names for messages.
_SHOWN: Final = {
    UTF_8: "UTF-8",
    "cp932": "Shift_JIS (cp932)",
    "gb18030": "GBK (gb18030)",
    "cp949": "EUC-KR (cp949)",
    "cp950": "Big5 (cp950)",
    "cp1252": "Latin-1 (cp1252)",
    _ISO_2022_JP: "ISO-2022-JP",
}
# A value in brackets. Letters of two bytes are matched as a whole: the second byte may be that of a bracket.
_TEXT = re.compile(rb"\[((?:[\x81-\xfe][\x40-\xfe]|\\.|[^\]\\])*+)(?:\]|\Z)", re.DOTALL)
LOOK: Final = "by the look of its texts"
_SAMPLE: Final = 65_536
_UTF_16: Final = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"(\0": "utf-16-le",
    b"\0(": "utf-16-be",
}
_REPLACEMENT: Final = "\ufffd"
# The first character that has three bytes in UTF-8.
_THREE_BYTES: Final = "\u0800"


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower().strip().removeprefix("x-")))


_KNOWN: Final = {
    _plain(name): _SUPERSETS[python]
    for name, python in chain(aliases.items(), _FURTHER.items(), ((python, python) for python in _SUPERSETS))
    if python in _SUPERSETS
}


def codec(name: str) -> str | None:
    """Return the Python codec for the name of an encoding, or None if the name is not known."""
    return _KNOWN.get(_plain(name))


def chosen(name: str) -> str:
    """Return the codec of an encoding that the user has chosen. Raises RecordError: `unknown-encoding`."""
    found = codec(name)
    if found is None:
        some = "utf-8, shift_jis, gbk, big5, euc-kr, euc-jp, latin-1"
        raise RecordError(f"the encoding {name!r} is not known; some that are: {some}", code="unknown-encoding")
    return found


def declared(data: bytes) -> set[str | None]:
    """Return the codecs of all encodings that the games of a file declare; None is an unknown encoding."""
    return {codec(name_in(found)) for found in DECLARED.finditer(data)}


def name_in(found: re.Match[bytes]) -> str:
    """Return the name of the encoding in a match of `DECLARED`."""
    return found[1].decode("ascii", "replace").strip()


def is_utf_16(data: bytes) -> bool:
    """Whether an SGF file is in UTF-16: it begins with a byte order mark, or with a bracket in UTF-16."""
    return data[:2] in _UTF_16


def decoded(data: bytes) -> tuple[str, list[str]]:
    """Decode a file, or one of its games. Also return sentences on doubts about its encoding."""
    if is_utf_16(data):
        return _whole(data.decode(_UTF_16[data[:2]], "replace")), []
    found = DECLARED.search(data)
    name = name_in(found) if found else ""
    known = codec(name)
    if known is not None and (known == UTF_8 or not _is_surely_utf_8(data)):
        text, lost = read_as(data, known)
        # A few bytes may be damaged. But if most of the text that is not ASCII is lost, the declaration is wrong.
        if 2 * lost <= _foreign(text):
            return text, replaced(lost, name)
    text, sentence = _guessed(data)
    if sentence is None:
        return text, [f"the encoding {name} is not known"] if name and known is None else []
    why = "no encoding" if not name else f"{name}, which is {'wrong' if known else 'not known'}"
    advice = "; if names are wrong, choose one with --encoding" if sentence.endswith(LOOK) else ""
    return text, [f"it was read as {sentence}, because it declares {why}{advice}"]


def _is_surely_utf_8(data: bytes) -> bool:
    """Whether a text is UTF-8 even if it declares something else: an editor may have saved it and not changed its `CA`.

    It must contain a character of three bytes: names in EUC-KR or GBK are often valid UTF-8 of two-byte characters.
    """
    try:
        return not data.isascii() and max(data.decode(UTF_8)) >= _THREE_BYTES
    except UnicodeDecodeError:
        return False


def read_as(data: bytes, codec: str) -> tuple[str, int]:
    """Decode a text. Also return how many characters were replaced because they are not valid in the codec."""
    text = _whole(data.decode(codec, "replace"))
    lost = text.count(_REPLACEMENT)
    # Do not count U+FFFD that is in the data itself.
    if lost and (marks := _REPLACEMENT.encode(codec, "ignore")):
        lost -= data.count(marks)
    return text, max(lost, 0)


def replaced(lost: int, name: str) -> list[str]:
    """Return a list with the sentence on characters that are not valid in an encoding, or an empty list."""
    return [f"{lost} {'character was' if lost == 1 else 'characters were'} not valid {name}"] if lost else []


def _whole(text: str) -> str:
    # In some encodings Python decodes lone surrogates, which cannot be encoded in UTF-8: replace them.
    return text.encode(errors="replace").decode()


def _foreign(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _guessed(data: bytes) -> tuple[str, str | None]:
    """Decode a text by guessing. Also return the guess for messages; None if the text is ASCII."""
    if data.isascii():
        # ISO-2022-JP switches character sets by escape sequences, and all of its bytes are ASCII.
        if b"\x1b$" in data:
            return read_as(data, _ISO_2022_JP)[0], _SHOWN[_ISO_2022_JP]
        return data.decode("ascii"), None
    try:
        return data.decode(UTF_8), _SHOWN[UTF_8]
    except UnicodeDecodeError:
        found = _detected(_own_bytes(data))
    return read_as(data, found)[0], f"{_SHOWN[found]} {LOOK}"


def _own_bytes(data: bytes) -> bytes:
    """Return the texts that are not ASCII, as a sample for chardet. Moves and numbers would only dilute it."""
    size, texts = 0, []
    for found in _TEXT.finditer(data):
        if not found[1].isascii():
            texts.append(found[1])
            size += len(found[1])
            if size > _SAMPLE:
                break
    return b"\n".join(texts)[:_SAMPLE] or data[:_SAMPLE]


def _detected(texts: bytes) -> str:
    import chardet  # noqa: PLC0415 (seldom needed)

    said = chardet.detect(texts, include_encodings=_GUESSED)["encoding"]
    found = codec(said or "")
    return found if found in _GUESSED else "cp1252"
