"""XML streams: what passes, what is refused and after what, segmentation, memory."""

from __future__ import annotations

import contextlib
import gc
import tracemalloc
import weakref
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise, repeat
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from hypothesis import example, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.wire.xmlstream import KEPT, Element, XmlStream

JOIN = b'<join gameType="g"/>'
BOMB = (
    b'<!DOCTYPE p [<!ENTITY a "'
    + b"x" * 10_000
    + b'">'
    + b"".join(b'<!ENTITY a%d "&a;&a;&a;&a;">' % number for number in range(500))
    + b"]><p><join gameType='&a0;'/>"
)


Tree = tuple[str, dict[str, str], str, list[tuple[Any, str]]]


class ReleaseTests(SynchronousTestCase):
    def test_nothing_waits_for_the_garbage_collector(self) -> None:
        gc.disable()
        self.addCleanup(gc.enable)
        for data in (b"", b"<a><b", b"<a><b/>", b"<a><b></c>", b"<a></a>"):
            stream = XmlStream()
            stream.receive_data(data)
            alive = weakref.ref(stream)
            del stream
            self.assertIsNone(alive(), data)


class Outcome(NamedTuple):
    """What a stream came to: the messages, the code of the error, and whether it has ended."""

    messages: list[Tree]
    code: str | None = None
    closed: bool = False


def tree(element: Element) -> Tree:
    """Return what is in an element as something that can be compared."""
    return element.tag, element.attrib, element.text or "", [(tree(child), child.tail or "") for child in element]


def read(*segments: bytes, limit: int = 65_536, depth: int = 32, attributes: int = 32) -> Outcome:
    stream = XmlStream(limit, depth, attributes)
    messages = []
    code = None
    for segment in segments:
        stream.receive_data(segment)
        try:
            for element in stream.elements():
                messages.append(tree(element))  # noqa: PERF401 (what came before an error must stay)
        except RemoteProtocolError as error:
            code = error.code
    return Outcome(messages, code, stream.closed)


def one_by_one(data: bytes) -> list[bytes]:
    return [data[index : index + 1] for index in range(len(data))]


def joins(count: int = 1, *, closed: bool = False) -> Outcome:
    return Outcome([("join", {"gameType": "g"}, "", [])] * count, None, closed)


class MessageTests(SynchronousTestCase):
    def test_a_message_is_there_with_its_last_byte(self) -> None:
        stream = XmlStream()
        document = b'<protocol>\n  <room roomId="1"><data class="a>b">x</data></room >' + JOIN
        ends = {document.index(b"</room >") + 8: "room", len(document): "join"}
        for index, byte in enumerate(one_by_one(document), 1):
            stream.receive_data(byte)
            found = [element.tag for element in stream.elements()]
            self.assertEqual(found, [ends[index]] if index in ends else [], document[:index])

    def test_a_message_is_a_whole_tree(self) -> None:
        message = b'<room roomId="1"><data class="c">text<a b="1"><c></c></a>tail</data></room>'
        data = ("data", {"class": "c"}, "text", [(("a", {"b": "1"}, "", [(("c", {}, "", []), "")]), "tail")])
        self.assertEqual(read(b"<protocol>" + message), Outcome([("room", {"roomId": "1"}, "", [(data, "")])]))

    def test_messages_that_nobody_took_stay_in_order(self) -> None:
        stream = XmlStream()
        stream.receive_data(b"<p><a/><b/>")
        stream.receive_data(b"<c/>")
        self.assertEqual([element.tag for element in stream.elements()], ["a", "b", "c"])

    def test_whoever_stops_reading_goes_on_where_they_stopped(self) -> None:
        stream = XmlStream()
        stream.receive_data(b"<p><a/><b/>")
        self.assertEqual(next(stream.elements()).tag, "a")
        self.assertEqual([element.tag for element in stream.elements()], ["b"])

    def test_what_may_stand_before_the_root(self) -> None:
        for prolog in (
            b"",
            b'<?xml version="1.0" encoding="UTF-8"?>\n',
            b"\xef\xbb\xbf",
            b'\xef\xbb\xbf<?xml version="1.0"?>',
            b" \r\n\t",
            b"<!-- <p> --><?a b?>",
            b"<!-- <!DOCTYPE p> -->",
        ):
            self.assertEqual(read(prolog + b"<protocol>" + JOIN), joins(), prolog)

    def test_the_root_may_have_any_name_and_attributes(self) -> None:
        for root in (b"foo", b"object-stream", b'protocol version="1.0"', b"a:b", b"\xc3\xa4", b"p x='>'"):
            name = root.split(b" ")[0]
            self.assertEqual(read(b"<" + root + b">" + JOIN * 2), joins(2), root)
            self.assertEqual(read(b"<" + root + b">" + JOIN + b"</" + name + b">"), joins(closed=True), root)

    def test_what_may_stand_between_messages(self) -> None:
        for between in (
            b"text",
            b"\n\n  ",
            b" a > b ",
            b"&amp;&#64;",
            b"<!-- hi -->",
            b"<!---->",
            b"<!--><join/>-->",
            b"<!--->-->",
            b"<?foo bar?>",
            b"<?a > <b/>?>",
            b"<![CDATA[x]]>",
            b"<![CDATA[<join/>]] ]>]]>",
            b"",
        ):
            self.assertEqual(read(b"<p>" + between + JOIN + between + JOIN), joins(2), between)

    def test_namespaces_are_not_looked_at(self) -> None:
        expected = [("join", {"a:b": "1", "xmlns": "x"}, "", []), ("c:d", {}, "", [])]
        self.assertEqual(read(b'<x:p><join a:b="1" xmlns="x"/><c:d/>'), Outcome(expected))

    def test_attributes_keep_their_white_space(self) -> None:
        stream = XmlStream()
        stream.receive_data(b'<p><slot\n\ta="  b\tc "\n b=\'1\n2\r\n3\r4>\t\' c="&#10;&lt;"/>')
        (slot,) = stream.elements()
        self.assertEqual(slot.attrib, {"a": "  b\tc ", "b": "1\n2\n3\n4>\t", "c": "\n<"})

    def test_what_looks_like_an_attribute_in_a_text_is_text(self) -> None:
        stream = XmlStream()
        stream.receive_data(b"<p><hint>='\t'<![CDATA[<a b=\"\t\">]]></hint>")
        (hint,) = stream.elements()
        self.assertEqual(hint.text, "='\t'<a b=\"\t\">")

    def test_bytes_that_are_not_utf_8_are_replaced_whatever_is_declared(self) -> None:
        document = b'<?xml version="1.0" encoding="ISO-8859-1"?><p><join gameType="g\xfc"/><a b="\xc3\xa4"/>'
        for segments in ([document], one_by_one(document)):
            messages = [("join", {"gameType": "g\ufffd"}, "", []), ("a", {"b": "\u00e4"}, "", [])]
            self.assertEqual(read(*segments), Outcome(messages))

    def test_every_character_of_a_message_survives(self) -> None:
        name = "Käfer <1> \"q\" '&' \U0001f41d \u2205"
        element = ET.Element("slot", displayName=name)
        stream = XmlStream()
        for byte in one_by_one(b"<p>" + ET.tostring(element, encoding="utf-8", xml_declaration=False)):
            stream.receive_data(byte)
        (slot,) = stream.elements()
        self.assertEqual(slot.get("displayName"), name)


class EndTests(SynchronousTestCase):
    def test_the_end_of_the_root_ends_the_stream(self) -> None:
        for end in (b"</protocol>", b"</protocol \n>"):
            self.assertEqual(read(b"<protocol>" + JOIN + end), joins(closed=True))
        self.assertEqual(read(b"<protocol/>"), joins(0, closed=True))
        self.assertEqual(read(JOIN), joins(0, closed=True))

    def test_what_follows_the_end_is_ignored(self) -> None:
        for more in (JOIN, b"</a>", b"<!DOCTYPE p>", b"\x00", b"<protocol>" + JOIN, b"x" * 99):
            self.assertEqual(read(b"<protocol>" + JOIN + b"</protocol>" + more, limit=64), joins(closed=True))
            self.assertEqual(read(b"<protocol>" + JOIN + b"</protocol>", more, limit=64), joins(closed=True))

    def test_empty_bytes_end_the_stream_wherever_it_is(self) -> None:
        for begun in (b"", b"garb", b"<", b"<p>", b"<p><a", b"<p><a>", b"<p><!--"):
            self.assertEqual(read(begun, b"", JOIN), joins(0, closed=True), begun)
        self.assertEqual(read(b"<p>" + JOIN, b""), joins(closed=True))

    def test_the_end_comes_after_the_messages_before_it(self) -> None:
        stream = XmlStream()
        stream.receive_data(b"<p>" + JOIN + b"</p>")
        self.assertTrue(stream.closed)
        self.assertEqual(len(list(stream.elements())), 1)

    def test_whether_a_message_is_begun(self) -> None:
        for data, begun in (
            (b"", False),
            (b"<p>", False),
            (b"<p>\n  ", False),
            (b"<p><a", True),
            (b"<p><a>", True),
            (b"<p><a><b/>", True),
            (b"<p><a/>", False),
            (b"<p><a></a>", False),
            (b"<p><!-- ", True),
            (b"<p><!-- -->", False),
            (b"<p></p>", False),
        ):
            stream = XmlStream()
            stream.receive_data(data)
            self.assertEqual(stream.begun, begun, data)
        stream = XmlStream()
        stream.receive_data(b"<p><a")
        stream.receive_data(b"")
        self.assertFalse(stream.begun)


class RefusalTests(SynchronousTestCase):
    def refused(self, data: bytes, code: str, count: int = 1, **limits: int) -> None:
        """Check that a text after `<p>` and two messages is refused after `count` more, however it comes."""
        document = b"<p>" + JOIN * 2 + data
        for segments in ([document], one_by_one(document), [document[:9], document[9:]]):
            outcome = read(*segments, b"<later/>", b"", **limits)
            self.assertEqual((len(outcome.messages), outcome.code), (count + 1, code), data[:99])
            self.assertFalse(outcome.closed)

    def test_malformed(self) -> None:
        for data in (
            b"<a></b>",
            b"</q>",
            b"<a b=1/>",
            b'<a b="1" b="2"/>',
            b'<a b="<"/>',
            b"<a b/>",
            b'<a b="1"c="2"/>',
            b"<1/>",
            b"<>",
            b"< a/>",
            b"&bogus;<a/>",
            b'<a b="&bogus;"/>',
            b"<a>&bogus;</a>",
            b"&amp<a/>",
            b"<a>\x00</a>",
            b"\x01<a/>",
            b'<a b="&#0;"/>',
            b'<a b="&#xFFFFFFFFFF;"/>',
            b"<a>]]></a>",
            b"<!-- -- -->",
            b"<!-x -->",
            b"<![x]]>",
            b"<?xml version='1.0'?>",
            b"<??>",
        ):
            self.refused(data, "malformed-xml")

    def test_before_the_root(self) -> None:
        for data, code in (
            (b"garbage<p>", "malformed-xml"),
            (b"\x00\x01\x02<p>", "malformed-xml"),
            (b"<![CDATA[x]]><p>", "malformed-xml"),
            (b"\n<?xml version='1.0'?><p>", "malformed-xml"),
            (b"</p>", "malformed-xml"),
            (b"&a;<p>", "malformed-xml"),
            (b"\xff\xfe<\x00p\x00>\x00", "malformed-xml"),
        ):
            for segments in ([data], one_by_one(data)):
                self.assertEqual(read(*segments, JOIN), Outcome([], code), data)

    def test_a_doctype_is_refused_with_its_first_letter(self) -> None:
        for prolog in (b"", b"\xef\xbb\xbf \n", b'<?xml version="1.0"?><!-- x -->', b"<p>"):
            for doctype in (b"<!D", b"<!DOCTYPE p>", b"<!doctype", b"<!ENTITY", b'<!DOCTYPE p SYSTEM "file:///x">'):
                self.assertEqual(read(prolog + doctype), Outcome([], "doctype"), prolog + doctype)
        self.refused(b"<!DOCTYPE p>", "doctype")

    def test_too_long(self) -> None:
        for data in (
            b"<a>" + b"x" * 64 + b"</a>",
            b"<a>" + b"<b/>" * 32 + b"</a>",
            b'<a b="' + b"x" * 64,
            b'<a b="' + b">" * 64,
            b"<a" + b" " * 64,
            b"<" + b"a" * 64,
            b"<!--" + b"x" * 64,
            b"<![CDATA[" + b"x" * 64,
            b"<?" + b"x" * 64,
            b"x" * 65,
            b"\n" * 65,
            b"<!-- -->" * 9,
        ):
            self.refused(data, "message-too-long", limit=64)

    def test_the_prolog_counts_too(self) -> None:
        self.assertEqual(read(b"x" * 65, limit=64), Outcome([], "message-too-long"))
        self.assertEqual(read(b"<" + b"p" * 64, limit=64), Outcome([], "message-too-long"))
        self.assertEqual(read(b"<p" + b" " * 61 + b">" + JOIN, limit=64), joins())

    def test_a_message_at_the_limit_passes_and_a_longer_one_does_not(self) -> None:
        for form in (b"<a>%s</a>", b'<a b="%s"/>', b"<!--%s--><a/>", b"%s<a/>"):
            padding = 64 - len(form % b"")
            fits, too_long = form % (b"x" * padding), form % (b"x" * (padding + 1))
            for prefix in (b"<p>", b"<p>" + JOIN * 9):
                for segment in (prefix + fits + fits, prefix + fits + fits + too_long):
                    for segments in ([segment], one_by_one(segment)):
                        outcome = read(*segments, limit=64)
                        self.assertEqual(len(outcome.messages), prefix.count(b"<join") + 2)
                        self.assertEqual(outcome.code, "message-too-long" if too_long in segment else None)

    def test_white_space_in_values_counts_once(self) -> None:
        message = b'<a b="\n\t\n\t\n\t"/>'
        self.assertEqual(read(b"<p>" + message + message + JOIN, limit=len(JOIN)).code, None)
        self.refused(message.replace(b"/", b"") + b"<x/>" * 2, "message-too-long", limit=len(JOIN))

    def test_too_deep(self) -> None:
        for depth in (1, 2, 31):
            fits = b"<a>" * (depth - 1) + b"<b/>" + b"</a>" * (depth - 1)
            self.assertEqual(len(read(b"<p>" + fits * 2, depth=depth).messages), 2)
            self.refused(b"<a>" + fits, "message-too-deep", depth=depth)
        self.refused(b"<a>" * 10_000, "message-too-deep")

    def test_too_many_attributes(self) -> None:
        three = b"<a x='1' y='' z='>'"
        self.refused(three + b" v='1'/>", "too-many-attributes", attributes=3)
        self.refused(b"<a>" + three + b" v='1'>", "too-many-attributes", attributes=3)
        self.assertEqual(len(read(b"<p>" + three + b">" + three + b"/></a>", attributes=3).messages), 1)
        self.assertEqual(read(three + b" v=''>", attributes=3).code, "too-many-attributes")

    def test_an_error_is_said_again(self) -> None:
        stream = XmlStream()
        stream.receive_data(b"<p></q>")
        for _ in range(2):
            error = self.assertRaises(RemoteProtocolError, list, stream.elements())
            self.assertEqual(error.code, "malformed-xml")

    def test_the_text_says_what_is_wrong(self) -> None:
        stream = XmlStream()
        stream.receive_data(b"<p><a></b>")
        error = self.assertRaises(RemoteProtocolError, list, stream.elements())
        self.assertEqual(str(error), "this is not well-formed XML: mismatched tag in column 6")


# Pieces that are valid alone, pieces that are not, and pieces of pieces.
PIECES = st.lists(
    st.sampled_from(
        [
            b"<a>", b"</a>", b"<b/>", b'<a b="1">', b"<c x='1' y=\"'\"/>", b"text", b" \r\n", b"\t", b"&amp;", b"&",
            b";", b"<", b">", b'"', b"'", b"/", b"=", b"!", b"-", b"--", b"-->", b"<!--", b"<!-- x -->", b"<![CDATA[",
            b"]]>", b"]", b"[", b"<?", b"?>", b"?", b"x", b"\xc3\xa4", b"\xc3", b"\xe2\x88", b"\x85", b"\xff", b"\x00",
            b"<!D", b"</p>", b"<a><a><a>", b"<d 1='' 2=''>", b'<a b="\t\n\r\n">', b"&#10;", b"\xef\xbb\xbf",
            b"xmlns:a=''",
        ]
    ),
    max_size=24,
).map(b"".join)  # fmt: skip
STREAMS = st.tuples(st.sampled_from([b"<p>", b"<q>", b"<?xml version='1.0'?>\n<p>"]), PIECES).map(b"".join)


class ForPeopleTests(SynchronousTestCase):
    """What people are shown of a stream: it changes nothing of what is read."""

    def test_a_message_that_has_not_ended(self) -> None:
        for data, text in (
            (b"", b""),
            (b"<p>", b""),
            (b"<p>\n  ", b""),
            (b"<p><join/>", b""),
            (b"<p><a/>\n <b x='1'><c/>", b"<b x='1'><c/>"),
            (b"<p><a/><b", b"<b"),
            (b"<p><a/>text<b", b"text<b"),
            (b"<p", b"<p"),
            (b"hello", b"hello"),
            (b"<p>" + b"<a>" * 30 + b"x" * 1000, b"<a>" * 30 + b"x" * 110),
            (b"<p><a>" + b"<!--" + b"y" * 1000, b"<a><!--" + b"y" * 193),
            (b"<p><a></p>", b""),
            (b"<p></p>", b""),
        ):
            stream = XmlStream()
            stream.receive_data(data)
            self.assertEqual(stream.unfinished, text, data)

    def test_a_message_that_is_complete(self) -> None:
        stream = XmlStream()
        stream.receive_data(b"<p>\n<a x='1' /> <!-- x --><b>\n1</b><c>" + b"z" * 2000 + b"</c>")
        found = [stream.last for _ in stream.elements()]
        self.assertEqual(found[:2], ["\n<a x='1' />", " <!-- x --><b>\n1</b>"])
        self.assertEqual((found[2][:6], len(found[2])), ("<c>zzz", KEPT))

    def test_what_an_error_was_in(self) -> None:
        for data, text in (
            (b"<p><a/><b><c></b>", b"<b><c></b>"),
            (b"<p><a x=1>", b"<a x=1>"),
            (b"<!DOCTYPE x><p>", b"<!DOCTYPE x><p>"),
            (b"<p><a>" + b"x" * 99_999, (b"<a>" + b"x" * 99_999)[:KEPT]),
        ):
            stream = XmlStream()
            stream.receive_data(data)
            error = self.assertRaises(RemoteProtocolError, lambda found=stream: list(found.elements()))
            self.assertEqual(error.text, text)

    def test_the_root(self) -> None:
        for data, opening in (
            (b"", ("", "")),
            (b"<joi", ("", "")),
            (b"<?xml version='1.0'?><join x='1'", ("", "")),
            (b"<!-- x --><join x='1'>", ("join", "<!-- x --><join x='1'>")),
            (b"<join x='1'/>", ("join", "<join x='1'/>")),
            (b"<p><join/>", ("p", "<p>")),
        ):
            stream = XmlStream()
            stream.receive_data(data)
            self.assertEqual(stream.opening, opening)

    def test_text_that_no_element_holds(self) -> None:
        stream = XmlStream()
        for data, texts in (
            (b"\xef\xbb\xbf<?xml version='1.0'?>\r\n<p>\n", []),
            (b"hello", []),
            (b" world\r\n", [b"hello world"]),
            (b"more\n", []),
            (b"<a/>", []),
            (b"one<a/>two<a/>", [b"one", b"two"]),
            (b" \t\r\n<a>text\n</a>\n<!-- text\n -->", []),
            (b"<a>text\n<b", []),
            (b"/>text\n</a>\n <", []),
            (b"b/>", []),
            (b"x" * 9_999 + b"\n", [b"x" * KEPT]),
            (b"</p>hello\n", []),
        ):
            stream.receive_data(data)
            self.assertEqual(list(self.strays(stream)), texts, data)

    def strays(self, stream: XmlStream) -> Iterator[bytes]:
        """Yield the stray text between the messages."""
        while (text := stream.stray()) or next(stream.elements(), None) is not None:
            if text:
                yield text

    @given(
        st.lists(
            st.sampled_from(
                [b"<p>", b"<a>", b"</a>", b"<", b"b/>", b"\n", b" ", b"x", b"\0", b"\xc3", b"\xbc", b"\xbf"]
            )
        )
    )
    @example([b"\xbf", b"x", b"\n", b"<p>"])
    def test_segments_do_not_matter_to_it(self, pieces: list[bytes]) -> None:
        def found(segments: list[bytes]) -> list[bytes]:
            stream, texts = XmlStream(), []
            for segment in segments:
                stream.receive_data(segment)
                with contextlib.suppress(RemoteProtocolError):
                    texts.extend(self.strays(stream))
            return texts

        self.assertEqual(found(one_by_one(b"".join(pieces))), found([b"".join(pieces)]))

    def test_little_is_kept_of_a_message_of_many_parts(self) -> None:
        stream = XmlStream()
        stream.receive_data(b"<p><a>" + b"<b/>" * 15_000)
        self.assertEqual(len(stream._seen), KEPT)


@st.composite
def elements(draw: st.DrawFn, levels: int = 2) -> ET.Element:
    words = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=6)
    names = st.sampled_from(["a", "b", "room", "data", "sc.protocol.x", "\u00e4"])
    element = ET.Element(draw(names), draw(st.dictionaries(names, words, max_size=3)))
    element.text = draw(words)
    if levels:
        for child in draw(st.lists(elements(levels=levels - 1), max_size=3)):
            child.tail = draw(words)
            element.append(child)
    return element


class SegmentationTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=500)
    @given(STREAMS, st.lists(st.integers(0, 200)), st.booleans())
    def test_segments_do_not_matter(self, data: bytes, cuts: list[int], end: bool) -> None:
        last = [b""] if end else []
        whole = read(data, *last, limit=40, depth=2, attributes=2)
        self.assertEqual(read(*one_by_one(data), *last, limit=40, depth=2, attributes=2), whole)
        places = [0, *sorted({min(cut, len(data)) for cut in cuts}), len(data)]
        segments = [data[start:stop] for start, stop in pairwise(places) if start < stop]
        self.assertEqual(read(*segments, *last, limit=40, depth=2, attributes=2), whole)

    @settings(deadline=None, max_examples=25)
    @given(st.lists(elements(), max_size=4), st.integers(1, 50))
    def test_what_the_standard_library_reads_from_a_document_comes_as_messages(
        self, messages: list[ET.Element], size: int
    ) -> None:
        root = ET.Element("protocol")
        root.extend(messages)
        document = ET.tostring(root, encoding="utf-8")
        expected = [tree(child) for child in ET.fromstring(document)]
        segments = [document[start : start + size] for start in range(0, len(document), size)]
        self.assertEqual(read(*segments), Outcome(expected, None, closed=True))

    @settings(deadline=None, max_examples=300)
    @given(st.lists(st.one_of(st.binary(max_size=40), STREAMS), max_size=4))
    def test_whatever_comes_is_read_or_refused(self, segments: list[bytes]) -> None:
        outcome = read(*segments)
        self.assertIn(outcome.code, (None, "malformed-xml", "doctype"))


class MemoryTests(SynchronousTestCase):
    def held(self, segments: Iterable[bytes], code: str | None) -> int:
        """Return the most bytes that reading took, the segment itself not counted."""
        stream = XmlStream()
        found = None
        tracemalloc.start()
        try:
            for segment in segments:
                stream.receive_data(segment)
                try:
                    for _ in stream.elements():
                        pass
                except RemoteProtocolError as error:
                    found = error.code
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        self.assertEqual(found, code)
        return peak

    def test_what_never_ends(self) -> None:
        megabyte = b"x" * 2**20
        for begun in (b"<p><!--", b'<p><a b="', b"<p><", b"<p><a>", b"<p><![CDATA[", b"<p><?", b"<p>", b"\n"):
            self.assertLess(self.held(chain([begun], repeat(megabyte, 64)), "message-too-long"), 2**20, begun)

    def test_64_megabytes_at_once(self) -> None:
        attribute = b'<p><a b="' + b"x" * 2**26
        self.assertLess(self.held([attribute], "message-too-long"), 2**20)

    def test_100_000_levels(self) -> None:
        self.assertLess(self.held([b"<p>" + b"<a>" * 100_000], "message-too-deep"), 2**20)

    def test_a_bomb_of_entities(self) -> None:
        self.assertLess(self.held([BOMB], "doctype"), 2**20)

    def test_a_stream_that_has_read_much_holds_no_more_than_one_that_has_not(self) -> None:
        message = b"<room><data class='c'><a>text</a></data></room>\n"
        self.assertLess(self.held(repeat(b"<p>" + message * 20, 1), None), 2**18)
        self.assertLess(self.held(chain([b"<p>"], repeat(message, 5_000)), None), 2**18)

    def test_names_are_forgotten(self) -> None:
        self.assertLess(self.held(chain([b"<p>"], islice(new_names(), 2_000)), None), 2**19)


def new_names() -> Iterator[bytes]:
    """Yield messages none of whose attributes has ever been heard of."""
    number = 0
    while True:
        number += 10
        names = range(number, number + 10)
        yield b"<room><data %s/></room>" % b" ".join(b'%s%d=""' % (b"name" * 20, name) for name in names)
