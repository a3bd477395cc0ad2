"""The encodings of SGF files: the one that `CA` declares, or the one that their texts seem to be in.

Source: the SGF specification, FF[4]; docs/reference/records.md#encodings-of-sgf. Most files of East Asia declare a
subset of what they are written in (`Shift_JIS` for Windows' code page 932, `GB2312` for GBK), or nothing at all. So
supersets are read, and where nothing fits, the texts' own bytes decide: UTF-8 if they are UTF-8, else what chardet
takes them for.

Nothing here hands a stranger's word to Python's search for codecs: it would import modules by that name, and remember
each name that it does not find.
"""

from __future__ import annotations

import codecs
import re
from encodings.aliases import aliases
from itertools import chain
from typing import Final

from gamed.records.record import RecordError

# A text cannot look like it: its own closing bracket is escaped.
DECLARED: Final = re.compile(rb"CA(?<![A-Za-z]CA)\s*\[([^\]\\]{0,40})\]")

UTF_8: Final = "utf-8"
_ISO_2022_JP: Final = "iso2022_jp_ext"

# What is read for each codec of Python: the superset that files are written in.
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
# Names that files and editors use, and Python does not know.
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
# chardet's answers. Fewer of them are fewer ways to be wrong: EUC-JP, for one, is seldom in SGF, and looks like GBK.
_GUESSED: Final = ("cp932", "gb18030", "cp949", "cp950", "cp1252")
_SHOWN: Final = {
    UTF_8: "UTF-8",
    "cp932": "Shift_JIS (cp932)",
    "gb18030": "GBK (gb18030)",
    "cp949": "EUC-KR (cp949)",
    "cp950": "Big5 (cp950)",
    "cp1252": "Latin-1 (cp1252)",
    _ISO_2022_JP: "ISO-2022-JP",
}
# Two bytes of a letter are taken together, because the second may be a bracket or a backslash.
_TEXT = re.compile(rb"\[((?:[\x81-\xfe][\x40-\xfe]|\\.|[^\]\\])*+)(?:\]|\Z)", re.DOTALL)
_SAMPLE: Final = 65_536
_UTF_16: Final = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"(\0": "utf-16-le",
    b"\0(": "utf-16-be",
}
_REPLACEMENT: Final = "\ufffd"
_THREE_BYTES: Final = "\u0800"
"""The first letter that has three bytes in UTF-8."""


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower().strip().removeprefix("x-")))


_KNOWN: Final = {
    _plain(name): _SUPERSETS[python]
    for name, python in chain(aliases.items(), _FURTHER.items(), ((python, python) for python in _SUPERSETS))
    if python in _SUPERSETS
}


def codec(name: str) -> str | None:
    """Return the codec of Python that reads an encoding by one of its names, or None if the name is not known."""
    return _KNOWN.get(_plain(name))


def chosen(name: str) -> str:
    """Return the codec of an encoding that the user names. Raises RecordError: `unknown-encoding`."""
    found = codec(name)
    if found is None:
        some = "utf-8, shift_jis, gbk, big5, euc-kr, euc-jp, latin-1"
        raise RecordError(f"the encoding {name!r} is not known; some that are: {some}", code="unknown-encoding")
    return found


def declared(data: bytes) -> set[str | None]:
    """Return the codecs of the encodings that the games of a file declare; None stands for one that is not known."""
    return {codec(name_in(found)) for found in DECLARED.finditer(data)}


def name_in(found: re.Match[bytes]) -> str:
    """Return the encoding that a match of `DECLARED` names."""
    return found[1].decode("ascii", "replace").strip()


def is_utf_16(data: bytes) -> bool:
    """Whether a file of SGF is in UTF-16: it begins with a byte order mark, or a bracket of two bytes."""
    return data[:2] in _UTF_16


def decoded(data: bytes) -> tuple[str, list[str]]:
    """Return the text of a file, or of one of its games, and sentences on what was doubtful about its encoding."""
    if is_utf_16(data):
        return _whole(data.decode(_UTF_16[data[:2]], "replace")), []
    found = DECLARED.search(data)
    name = name_in(found) if found else ""
    known = codec(name)
    if known is not None and (known == UTF_8 or not _is_surely_utf_8(data)):
        text, lost = read_as(data, known)
        # A few bytes may be damaged; but where most of what is not ASCII is lost, the declaration is wrong.
        if 2 * lost <= _foreign(text):
            return text, replaced(lost, name)
    text, sentence = _guessed(data)
    if sentence is None:
        return text, [f"the encoding {name} is not known"] if name and known is None else []
    why = "names no encoding" if not name else f"names {name}, which {'it is not' if known else 'is not known'}"
    return text, [f"it was read as {sentence}: it {why}"]


def _is_surely_utf_8(data: bytes) -> bool:
    """Whether a text is UTF-8 whatever it declares: an editor may have stored it anew, and left its `CA` as it was.

    Letters of two bytes prove nothing, because names in EUC-KR or GBK often look like them.
    """
    try:
        return not data.isascii() and max(data.decode(UTF_8)) >= _THREE_BYTES
    except UnicodeDecodeError:
        return False


def read_as(data: bytes, codec: str) -> tuple[str, int]:
    """Return a text, and how many of its characters the codec does not have."""
    text = _whole(data.decode(codec, "replace"))
    lost = text.count(_REPLACEMENT)
    if lost and (marks := _REPLACEMENT.encode(codec, "ignore")):
        lost -= data.count(marks)
    return text, max(lost, 0)


def replaced(lost: int, name: str) -> list[str]:
    """Return what is said of characters that an encoding does not have."""
    return [f"{lost} {'character was' if lost == 1 else 'characters were'} not {name}"] if lost else []


def _whole(text: str) -> str:
    # Python decodes lone surrogates in some encodings, and UTF-8 has none.
    return text.encode(errors="replace").decode()


def _foreign(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _guessed(data: bytes) -> tuple[str, str | None]:
    """Return a text, and what it was taken for; None where it is ASCII, and there was nothing to guess."""
    if data.isascii():
        # This encoding shifts to other letters by an escape sequence, all in seven bits.
        if b"\x1b$" in data:
            return read_as(data, _ISO_2022_JP)[0], _SHOWN[_ISO_2022_JP]
        return data.decode("ascii"), None
    try:
        return data.decode(UTF_8), _SHOWN[UTF_8]
    except UnicodeDecodeError:
        found = _detected(_own_bytes(data))
    return read_as(data, found)[0], f"{_SHOWN[found]}, which its texts look like"


def _own_bytes(data: bytes) -> bytes:
    """Return the texts that are not ASCII: moves and numbers would only thin them out."""
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
