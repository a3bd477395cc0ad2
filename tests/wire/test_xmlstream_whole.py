"""A message that comes whole is read in one go. That must be seen by nothing but its speed: compared on all input."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.wire.xmlstream import XmlStream
from tests.wire.test_xmlstream import tree

MOVE = (
    b'<room roomId="1">\n  <data class="dragmove">\n    <start x="0" y="-1" z="1"/>\n'
    b'    <destination x="1" y="-1" z="0"/>\n    <hint content="\xc3\xa4"/>\n  </data>\n</room>'
)

# Messages, what may be taken for one, and what stands between them. Limits are 60 bytes, 2 levels and 2 attributes.
MESSAGES = st.sampled_from(
    [
        b"<a/>", b"<a></a>", b"<a>text</a>", b'<a b="1"/>', b"<a b='1' c='=='/>", b'<a b="1" c="2" d="3"/>',
        b"<a><b/></a>", b"<a><b><c/></b></a>", b"<a><b></b><b/></a>", b"<a>\n <b/>\r\n\t<b/>x</a >",
        b"<a\tb='1'/>", b"<a b='\t'/>", b"<a b='1\r\n2'/>", b'<a b="x>y"/>', b"<a>x > y</a>", b"<a>]]></a>",
        b"<a b='<'/>", b"<a>&lt;</a>", b"<a>&x;</a>", b"<a b='&x;'/>", b"<a>&#0;</a>", b"<a b='1' b='2'/>",
        b"<a></b>", b"</a>", b"</p>", b"<a/></p>", b"<a/><b/>", b"<a/>x", b"x<a/>", b"<a/>\n",
        b"\n\t<a/>\r\n", b"\xef\xbb\xbf<a/>", b"<a>\xef\xbb\xbf</a>", b"<\xc3\xa4/>", b"<a>\xc3\xa4</a>",
        b"<a>\xc3</a>", b"<a b='\xff'/>", b"<a>\xed\xa0\x80</a>", b"<a>\xef\xbf\xbe</a>", b"<a>\x00</a>",
        b"<a>\x0b</a>", b"\x0b<a/>", b"<a>\x85</a>", b"<x:a/>", b"<x:a xmlns:x='1'/>", b"<xml:a xml:b=''/>",
        b"<a><!-- x --></a>", b"<a><?x?></a>", b"<a><![CDATA[<]]></a>", b"<!-- <a/> -->", b"<!DOCTYPE a><a/>",
        b"<?xml version='1.0' encoding='utf-16'?><a/>", b"<a", b"/>", b"<", b">", b"<a>", b"</a>", b" ",
        b"\n", b"text\n", b" " * 30, b"<a>" + b"x" * 53 + b"</a>", b"<a>" + b"x" * 54 + b"</a>", b"< a/>",
        b"<a/ >", b"<p>", b"<1/>", b"<=/>",
    ]
)  # fmt: skip
ANY = st.lists(st.sampled_from([*b"<>/ab='\"& \n\t!?\xc3\xa4p"]), max_size=12).map(bytes)
SEGMENTS = st.lists(st.one_of(MESSAGES, MESSAGES, MESSAGES, ANY), max_size=8)


def seen(segments: list[bytes], *, limit: int = 60, depth: int = 2, attributes: int = 2) -> list[Any]:
    """Return all that a stream tells, after each segment."""
    stream = XmlStream(limit, depth, attributes)
    found: list[Any] = []
    for segment in segments:
        stream.receive_data(segment)
        try:
            found.append(stream.stray())
            while (element := stream.take()) is not None:
                found.append((tree(element), element.tail, stream.last, stream.stray()))
        except RemoteProtocolError as error:
            found.append((error.code, str(error), error.text))
        found.append((stream.begun, stream.closed, stream.unfinished, stream.opening))
    return found


def seen_by_tokens(segments: list[bytes], **limits: int) -> list[Any]:
    with patch.object(XmlStream, "_read_whole", lambda *_: False):
        return seen(segments, **limits)


class WholeTests(SynchronousTestCase):
    def test_a_move_needs_no_tokens(self) -> None:
        stream = XmlStream()
        stream.receive_data(b"<protocol>")
        with patch.object(XmlStream, "_read", side_effect=AssertionError):
            for blanks in (b"", b"\n", b"\r\n  "):
                stream.receive_data(blanks + MOVE + blanks)
        self.assertEqual([element.tag for element in stream.elements()], ["room"] * 3)

    @settings(deadline=None, max_examples=1_500)
    @given(SEGMENTS)
    @example([b"          ", b"<a/>", b"<a/><b/>"])
    @example([b"\xef\xbb\xbf", b"<a/>"])
    @example([b"text", b"<a/>", b"text\n", b"<a/>", b"<", b"<a/>", b"<a/>"])
    def test_whole_and_by_tokens_is_the_same(self, segments: list[bytes]) -> None:
        self.assertEqual(seen([b"<p>", *segments]), seen_by_tokens([b"<p>", *segments]))

    @settings(deadline=None, max_examples=200)
    @given(SEGMENTS)
    def test_at_the_beginning_it_is_the_same_too(self, segments: list[bytes]) -> None:
        self.assertEqual(seen(segments), seen_by_tokens(segments))

    @settings(deadline=None, max_examples=200)
    @given(st.lists(MESSAGES, max_size=6).map(b"".join), st.lists(st.integers(0, 300), max_size=6))
    def test_wherever_it_is_cut(self, data: bytes, cuts: list[int]) -> None:
        places = [0, *sorted({min(cut, len(data)) for cut in cuts}), len(data)]
        segments = [data[start:stop] for start, stop in pairwise(places) if start < stop]
        self.assertEqual(seen([b"<p>", *segments]), seen_by_tokens([b"<p>", *segments]))

    def test_each_cut_of_a_move(self) -> None:
        for cut in range(len(MOVE) + 1):
            segments = [b"<p>", MOVE[:cut], MOVE[cut:] + MOVE, MOVE]
            limits = {"limit": 400, "depth": 4, "attributes": 8}
            self.assertEqual(seen(segments, **limits), seen_by_tokens(segments, **limits))

    def test_each_limit(self) -> None:
        segments = [b"<p>", b" \n", MOVE, b"\n" + MOVE + b"\n", MOVE]
        for limit in range(len(MOVE) - 1, len(MOVE) + 5):
            for depth in range(1, 6):
                for attributes in range(9):
                    limits = {"limit": limit, "depth": depth, "attributes": attributes}
                    self.assertEqual(seen(segments, **limits), seen_by_tokens(segments, **limits), limits)
