"""Values and bytes in XML: as they stand where they can, and always back again."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamed.records import notation
from tests.records.samples import bodies, texts, values


def through_xml(attributes: str, content: str = "") -> etree._Element:
    """Return the element that a parser makes of what was spelt."""
    return etree.fromstring(f"<x{attributes}>{content}</x>".encode())


class ValueTests(SynchronousTestCase):
    @settings(deadline=None)
    @given(values)
    def test_every_value_comes_back(self, value: Any) -> None:
        back = notation.read(str(through_xml(f' a="{notation.value(value)}"').get("a")))
        self.assertEqual((back, type(back)), (value, type(value)))

    def test_plain_values_stand_as_they_are(self) -> None:
        for value, spelt in (
            (True, "true"),
            (False, "false"),
            (7, "7"),
            (-7, "-7"),
            ("a b", "a b"),
            ("", ""),
            ("5a", "5a"),
        ):
            self.assertEqual(notation.value(value), spelt)

    def test_texts_that_would_be_misread_are_json(self) -> None:
        for text, spelt in (
            ("true", "&quot;true&quot;"),
            ("5", "&quot;5&quot;"),
            ('"', "&quot;\\&quot;&quot;"),
            ("a\0", "&quot;a\\u0000&quot;"),
            ("\ufffe", "&quot;\\ufffe&quot;"),
            ("\udcff", "&quot;\\udcff&quot;"),
        ):
            self.assertEqual(notation.value(text), spelt)

    def test_whitespace_survives_attribute_normalisation(self) -> None:
        self.assertEqual(notation.value(" a\tb\nc\rd "), " a&#9;b&#10;c&#13;d ")

    def test_a_lone_quote_is_an_error(self) -> None:
        self.assertRaises(ValueError, notation.read, '"')
        self.assertRaises(ValueError, notation.read, '"a" b')


class BodyTests(SynchronousTestCase):
    @settings(deadline=None)
    @given(bodies)
    def test_all_bytes_come_back(self, body: bytes) -> None:
        content = notation.content(body)
        if content is None:
            content, encoding = notation.base64(body), notation.BASE64
        else:
            encoding = ""
        element = through_xml(f' encoding="{encoding}"', content)
        self.assertEqual(notation.body(element.text, str(element.get("encoding"))), body)

    @settings(deadline=None)
    @given(texts)
    def test_legal_text_is_never_base64(self, text: str) -> None:
        if text.isprintable() and text:
            self.assertIsNotNone(notation.content(text.encode()))

    def test_what_cannot_be_text(self) -> None:
        for body in (b"", b"\r", b"a\rb", b"\0", b"\x1b[2J", b"\xff", b"\xef\xbf\xbf", b"\xed\xa0\x80"):
            self.assertIsNone(notation.content(body), body)

    def test_no_content_is_no_body(self) -> None:
        self.assertIsNone(notation.body(None, None))
        self.assertEqual(notation.body(None, notation.BASE64), b"")

    def test_base64_must_be_whole(self) -> None:
        for broken in ("AP8", "A*==", "AP8=\u00e4"):
            self.assertRaises(ValueError, notation.body, broken, notation.BASE64)


class SentenceTests(SynchronousTestCase):
    @settings(deadline=None)
    @given(texts)
    def test_a_sentence_is_always_well_formed(self, text: str) -> None:
        self.assertEqual(len(through_xml("", notation.sentence(text)).text or ""), len(text))
