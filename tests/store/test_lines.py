"""The lines of the journal: every entry comes back, and nothing broken is taken."""

from __future__ import annotations

import json
from zlib import crc32

from hypothesis import example, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import Entry
from gamed.store.lines import Line, decode, encode, prefix
from tests.store.examples import entries

ROOM = prefix("room-1")
PLAIN = encode(ROOM, 3, Entry(1520, "line", 0, b"(1,[3,4])."))


def _sealed(head: bytes) -> bytes:
    return head + b',"crc":%d}\n' % crc32(head)


class LinesTests(SynchronousTestCase):
    def test_a_line_is_json_with_its_checksum_last(self) -> None:
        head = b'{"room":"room-1","seq":3,"at":1520,"kind":"line","seat":0,"body":"(1,[3,4])."'
        self.assertEqual(PLAIN, _sealed(head))

    def test_what_an_entry_has_not_is_left_out(self) -> None:
        members = json.loads(encode(ROOM, 0, Entry(0, "started")))
        self.assertEqual(list(members), ["room", "seq", "at", "kind", "crc"])

    def test_a_body_that_is_no_text_stands_in_base64(self) -> None:
        members = json.loads(encode(ROOM, 0, Entry(0, "line", 1, b"\xff\x00")))
        self.assertEqual(members["base64"], "/wA=")
        self.assertNotIn("body", members)

    @settings(deadline=None)
    @given(st.text(), st.integers(0, 10**9), entries)
    @example('"\\', 0, Entry(0, "line", 0, b'","crc":1}\n'))
    @example("r", 0, Entry(0, "line", 0, b""))
    @example("r", 0, Entry(0, "line", None, None, {"crc": True, "a": 1, "b": "1", "c": -(10**30)}))
    def test_every_entry_comes_back_from_one_line(self, room: str, seq: int, entry: Entry) -> None:
        line = encode(prefix(room), seq, entry)
        self.assertEqual(line.count(b"\n"), 1)
        self.assertTrue(line.isascii())
        read = decode(line)
        self.assertEqual(read, Line(room, seq, entry))
        # True == 1 in Python, and they are different values all the same.
        self.assertEqual(repr(read.entry.data), repr(entry.data))

    def test_no_cut_line_is_taken(self) -> None:
        for end in range(len(PLAIN)):
            self.assertRaises(ValueError, decode, PLAIN[:end])

    def test_no_line_with_a_changed_byte_is_taken(self) -> None:
        for place in range(len(PLAIN)):
            changed = bytearray(PLAIN)
            changed[place] ^= 1
            self.assertRaises(ValueError, decode, bytes(changed))

    def test_a_line_with_a_right_checksum_must_still_be_ours(self) -> None:
        for head in (b'{"room":"r","seq":0,"at":1', b'{"room":', b'["room"'):
            self.assertRaises(ValueError, decode, _sealed(head))
