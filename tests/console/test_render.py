"""Answers as text and as JSON, and what strangers would have a terminal do."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.console.render import Facts, Picture, Table, render
from gamed.core.texts import printable

TABLE = Table(("ID", "PLAYERS", "N"), [("a", ["Ada", "Grace Hopper"], 3), ("b", [], None)], "Nothing.", ("PLAYERS",))
FACTS = Facts({"id": "a", "paused": True, "seats": TABLE, "board": Picture("x\ny")})


class TextTests(SynchronousTestCase):
    def test_a_table(self) -> None:
        self.assertEqual(
            render(TABLE), "ID  PLAYERS            N\na   Ada, Grace Hopper  3\nb   -                  -\n"
        )

    def test_a_table_that_is_too_wide(self) -> None:
        for width in (16, 20, 23):
            lines = render(TABLE, width).splitlines()
            self.assertLessEqual(max(map(len, lines)), width)
            for word in ("Ada,", "Grace", "Hopper"):
                self.assertEqual(sum(word in line for line in lines), 1)

    def test_words_are_not_broken_at_44_columns(self) -> None:
        table = Table(
            ("COMMAND", "WHAT"),
            [("records [list|show|export] [ID]", "a configuration is read again")],
            elastic=("COMMAND", "WHAT"),
        )
        shown = render(table, 44)
        self.assertLessEqual(max(map(len, shown.splitlines())), 44)
        for word in ("[list|show|export]", "configuration"):
            self.assertIn(word, shown)

    def test_nothing_is_cut_where_no_column_can_be_wrapped(self) -> None:
        code = "0a1b2c3d-1111-4222-8333-444455556666"
        self.assertIn(code, render(Table(("SEAT", "CODE"), [(0, code)]), 20))

    def test_a_column_below_is_shown_whole_however_narrow_the_terminal_is(self) -> None:
        table = Table(("ID", "WHY"), [("a", ["a long reason\n", "another"]), ("b", [])], below="WHY")
        self.assertEqual(render(table, 8), "ID\na\n    a long reason\\n\n    another\nb\n")
        rows = [{"id": "a", "why": ["a long reason\n", "another"]}, {"id": "b", "why": []}]
        self.assertEqual(json.loads(render(table, as_json=True)), rows)

    def test_an_empty_table(self) -> None:
        self.assertEqual(render(Table(("A",), [], "Nothing.")), "Nothing.\n")

    def test_facts(self) -> None:
        self.assertEqual(
            render(FACTS).split("\n")[:5], ["id      a", "paused  yes", "", "seats:", "ID  PLAYERS            N"]
        )
        self.assertTrue(render(FACTS).endswith("\nboard:\nx\ny\n"))

    def test_a_sentence(self) -> None:
        self.assertEqual(render("Done."), "Done.\n")


class JsonTests(SynchronousTestCase):
    def test_each_kind(self) -> None:
        rows = [{"id": "a", "players": ["Ada", "Grace Hopper"], "n": 3}, {"id": "b", "players": [], "n": None}]
        for answer, data in (
            (TABLE, rows),
            (FACTS, {"id": "a", "paused": True, "seats": rows, "board": ["x", "y"]}),
            (Picture("x\ny"), ["x", "y"]),
            ("Done.", {"message": "Done."}),
        ):
            self.assertEqual(json.loads(render(answer, 10, as_json=True)), data)


class HarmlessTests(SynchronousTestCase):
    def test_what_commands_a_terminal_is_spelled_out(self) -> None:
        self.assertEqual(printable("\x1b[2J\x9b2J\r\n\u202eé"), "\\x1b[2J\\x9b2J\\r\\n\\u202eé")

    @settings(deadline=None, max_examples=100)
    @given(st.text(), st.none() | st.integers(5, 100), st.booleans())
    def test_whatever_is_shown(self, text: str, width: int | None, as_json: bool) -> None:
        for answer in (
            Table(("A", "B"), [(text, [text])]),
            Facts({"a": text, "b": Picture(text)}),
            Picture(text),
            text,
        ):
            shown = render(answer, width, as_json=as_json)
            self.assertTrue(all(char.isprintable() for char in shown.replace("\n", "")), ascii(shown))
