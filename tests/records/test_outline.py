"""The outline of a record that gamed does not play: elements, texts and comments in document order."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamed.records.outline import Line, outline
from gamed.records.parsing import parse_whole
from gamed.records.record import Record, document

NAMES = st.sampled_from(["a", "b", "move"])
TEXTS = st.sampled_from(["", " ", "Ada", "x &amp; y"])


def elements(depth: int = 3) -> st.SearchStrategy[str]:
    """Make elements with texts around their children."""
    children = st.just("") if depth == 0 else st.lists(elements(depth - 1), max_size=3).map("".join)
    return st.tuples(NAMES, TEXTS, children, TEXTS).map(lambda made: "<{0} n='1'>{1}{2}</{0}>{3}".format(*made))


def made(header: str, body: str) -> Record:
    return Record("x", "Chess Club", "3.0", f"<header>{header}</header>".encode(), f"<body>{body}</body>".encode())


class OutlineTests(SynchronousTestCase):
    def test_texts_comments_and_instructions_are_where_they_were(self) -> None:
        found = list(outline(made("<w>Ada <b/> Lovelace</w><!-- ok -->", "<e4/> and\n <?pi x?>")))
        expected = [
            Line(0, "header", {}, ""),
            Line(1, "w", {}, "Ada"),
            Line(2, "b", {}, ""),
            Line(2, "", {}, "Lovelace"),
            Line(1, "#comment", {}, "ok"),
            Line(0, "body", {}, ""),
            Line(1, "e4", {}, ""),
            Line(1, "", {}, "and"),
            Line(1, "#pi", {}, "x"),
        ]
        self.assertEqual(found, expected)

    @given(elements(), elements())
    def test_nothing_is_missing(self, header: str, body: str) -> None:
        record = made(header, body)
        root, lines = parse_whole(document(record)), list(outline(record))
        self.assertEqual([line.name for line in lines if line.name], [str(one.tag) for one in root.iter()][1:])
        texts = "".join(line.text for line in lines).replace(" ", "")
        self.assertEqual(texts, "".join("".join(etree.tostring(root, method="text", encoding="unicode")).split()))
        for before, after in pairwise(lines):
            self.assertLessEqual(after.depth, before.depth + 1)
