"""Lines: terminators, segmentation, the limit."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.wire.lines import LineReader

LIMIT = 8
ALPHABET = st.sampled_from([b"a", b"(", b"\x0b", b"\x0c", b"\x85", b"\xff", b"\n", b"\r", b"\r\n", b"\x00"])


def read(*segments: bytes, limit: int = LIMIT) -> list[bytes]:
    reader = LineReader(limit)
    lines = []
    for segment in segments:
        reader.receive_data(segment)
        lines += reader.lines()
    return lines


def oracle(data: bytes) -> list[bytes]:
    """Split by walking over the bytes, one at a time."""
    lines, line, after_cr = [], b"", False
    for byte in data:
        char = bytes([byte])
        if char == b"\n" and after_cr:
            after_cr = False
            continue
        after_cr = char == b"\r"
        if char in b"\r\n":
            lines.append(line)
            line = b""
        else:
            line += char
    return [*lines, line] if line else lines


class LineReaderTests(SynchronousTestCase):
    def test_each_terminator(self) -> None:
        for end in (b"\n", b"\r", b"\r\n"):
            self.assertEqual(read(b"a" + end + b"b" + end), [b"a", b"b"])

    def test_cr_and_lf_in_two_segments_are_one_terminator(self) -> None:
        self.assertEqual(read(b"a\r", b"\nb\n"), [b"a", b"b"])

    def test_cr_then_a_lone_lf_segment_then_an_empty_line(self) -> None:
        self.assertEqual(read(b"a\r", b"\n", b"\nb\n"), [b"a", b"", b"b"])

    def test_empty_lines_are_lines(self) -> None:
        self.assertEqual(read(b"x\n\ry\n"), [b"x", b"", b"y"])

    def test_nothing_else_ends_a_line(self) -> None:
        line = b"a\x0bb\x0cc\x85d\xe2\x80\xa8e\x1cf\x00"
        self.assertEqual(read(line + b"\n", limit=99), [line])

    def test_text_at_the_end_of_the_stream_is_a_line(self) -> None:
        self.assertEqual(read(b"a\nb", b""), [b"a", b"b"])
        self.assertEqual(read(b"a\n", b""), [b"a"])

    def test_unread_lines_stay_in_order(self) -> None:
        reader = LineReader(LIMIT)
        for segment in (b"a\nb\n", b"c\nd", b"e\n", b"f", b""):
            reader.receive_data(segment)
        self.assertEqual(list(reader.lines()), [b"a", b"b", b"c", b"de", b"f"])

    def test_a_line_at_the_limit_passes(self) -> None:
        self.assertEqual(read(b"x" * LIMIT + b"\n"), [b"x" * LIMIT])

    def test_a_longer_line_ends_the_stream_after_the_lines_before_it(self) -> None:
        for tail in (b"x" * (LIMIT + 1) + b"\nc\n", b"x" * (LIMIT + 1)):
            reader = LineReader(LIMIT)
            reader.receive_data(b"a\nb\n" + tail)
            seen = []
            error = self.assertRaises(RemoteProtocolError, take, reader, seen)
            self.assertEqual(seen, [b"a", b"b"])
            self.assertEqual(error.code, "line-too-long")
            self.assertIn(str(LIMIT), str(error))
            reader.receive_data(b"late\n")
            self.assertRaises(RemoteProtocolError, next, reader.lines())

    def test_a_line_without_end_is_not_kept(self) -> None:
        reader = LineReader(LIMIT)
        for _ in range(100):
            reader.receive_data(b"x" * 65_536)
        self.assertEqual(reader._text, b"")

    def test_many_lines_in_one_segment_cost_no_more_each(self) -> None:
        reader = LineReader(LIMIT)
        reader.receive_data(b"\n" * 1_000_000)
        self.assertEqual(sum(1 for _ in reader.lines()), 1_000_000)

    @settings(deadline=None)
    @given(st.lists(ALPHABET), st.lists(st.integers(0, 60)))
    def test_segmentation_changes_nothing(self, parts: list[bytes], cuts: list[int]) -> None:
        data = b"".join(parts)
        edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
        segments = [data[a:b] for a, b in pairwise(edges)]
        self.assertEqual(read(*segments, b"", limit=1000), oracle(data))


def take(reader: LineReader, seen: list[bytes]) -> None:
    for line in reader.lines():
        seen.append(line)  # noqa: PERF402 (what came before the error is wanted)
