"""The lines of the journal: one JSON object a line, with a checksum as its last member.

    {"room":"…","seq":3,"at":1520,"kind":"line","seat":0,"body":"(1,[3,4]).","crc":123456}

`seq` counts the entries of the room from 0. `at` is in milliseconds since the room was opened. `seat`, `body` and
`data` are left out if the entry does not have them. `base64` replaces `body` if that is not UTF-8. `crc` is the CRC-32
of the bytes of the line before `,"crc"`.

Source: docs/topics/design.md#the-journal. The JSON is formatted by hand, because every move is encoded here, and
`json.dumps` takes longer.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, Final
from zlib import crc32

from attrs import frozen

from gamed.core.history import LINE, Entry, Value

FORGOTTEN: Final = "forgotten"
"""The kind of a line that frees all lines of its room. It is not an entry of a history."""

_CRC: Final = b',"crc":'

_is_plain: Final = re.compile(rb"[ !#-\[\]-~]*").fullmatch
"""Whether bytes are a JSON string as they stand: ASCII without controls, quotes and backslashes."""

_json = json.JSONEncoder(separators=(",", ":")).encode


@frozen
class Line:
    """A decoded line."""

    room: str

    seq: int
    """The index of the entry in its room, from 0."""

    entry: Entry


def prefix(room: str) -> bytes:
    """Return the bytes that all lines of a room begin with, for `encode`."""
    return f'{{"room":{quoted(room)},"seq":'.encode("ascii")


def encode(room_prefix: bytes, seq: int, entry: Entry) -> bytes:
    """Encode an entry as a line with its line feed."""
    body = entry.body
    if entry.kind == LINE and entry.seat is not None and body is not None and _is_plain(body) and not entry.data:
        # A relayed line, as nearly all entries are: one template instead of a text that is put together and encoded.
        head = b'%b%d,"at":%d,"kind":"line","seat":%d,"body":"%b"' % (room_prefix, seq, entry.at, entry.seat, body)
    else:
        head = room_prefix + _members(seq, entry).encode("ascii")
    return b'%b,"crc":%d}\n' % (head, crc32(head))


def _members(seq: int, entry: Entry) -> str:
    seat = "" if entry.seat is None else f',"seat":{entry.seat}'
    body = "" if entry.body is None else _body(entry.body)
    data = f',"data":{{{_data(entry.data)}}}' if entry.data else ""
    return f'{seq},"at":{entry.at},"kind":{quoted(entry.kind)}{seat}{body}{data}'


def _data(data: Mapping[str, Value]) -> str:
    # A move's data are its time. The encoder takes ten times as long for a number, and a boolean is an int, too.
    return ",".join([f"{quoted(key)}:{value if type(value) is int else _json(value)}" for key, value in data.items()])


def _body(body: bytes) -> str:
    try:
        return ',"body":' + quoted(body.decode())
    except UnicodeDecodeError:
        return f',"base64":"{base64.b64encode(body).decode("ascii")}"'


def decode(line: bytes) -> Line:
    """Decode a line. Raises ValueError if it is damaged or incomplete."""
    head, mark, tail = line.rpartition(_CRC)
    if not mark or tail != b"%d}\n" % crc32(head):
        raise ValueError("the checksum is wrong")
    members = json.loads(head + b"}")
    try:
        entry = Entry(members["at"], members["kind"], members.get("seat"), _bytes(members), members.get("data", {}))
        return Line(members["room"], members["seq"], entry)
    except KeyError as error:
        raise ValueError(f"there is no member {error}") from error


def _bytes(members: dict[str, Any]) -> bytes | None:
    if "base64" in members:
        return base64.b64decode(members["base64"])
    body: str | None = members.get("body")
    return None if body is None else body.encode()
