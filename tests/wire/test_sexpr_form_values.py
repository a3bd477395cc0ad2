"""What lists, and all other forms that hold data, are in Python."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.wire.datums import Datum, Opaque, Symbol
from tests.wire.reading import is_kept, read, symbols


class ValueTests(SynchronousTestCase):
    """What forms are in Python."""

    def check(self, text: str, expected: Datum) -> None:
        data, code = read(text.encode() + b"\n")
        self.assertEqual((text, data, code), (text, [expected], ""))

    def test_lists_are_tuples_whatever_their_parentheses(self) -> None:
        for text in ("(a (b) ())", "[a [b] []]", "{a {b} {}}", "(a #| [ |# [b] ; )\n {})"):
            self.check(text, (Symbol("a"), symbols("b"), ()))

    def test_abbreviations_are_lists(self) -> None:
        for mark, name in (
            ("'", "quote"),
            ("`", "quasiquote"),
            (",", "unquote"),
            (",@", "unquote-splicing"),
        ):
            self.check(mark + "a", symbols(name, "a"))

    def test_what_is_skipped_leaves_its_kind(self) -> None:
        for text, kind in (
            ("(a . b)", "list with a dot"),
            ("(a . (b))", "list with a dot"),
            ("(a . b . c)", "list with a dot"),
            ("#hash((a . 1))", "hash table"),
            ("#&(a)", "box"),
            ("#(a 1)", "vector"),
            ("#3(a)", "vector"),
            ("#fl(1.0)", "vector"),
            ("#s(pt 1)", "structure"),
            ("#'a", "quoted syntax"),
            ("#,@a", "quoted syntax"),
            ("#ciA", "case mark"),
            ("#0=(a #0#)", "label"),
            ("#0#", "labelled datum"),
        ):
            self.check(text, Opaque(kind))

    def test_what_holds_something_skipped_is_kept_around_it(self) -> None:
        self.check("(a #(1 (b . c)) d)", (Symbol("a"), Opaque("vector"), Symbol("d")))
        self.check("'#hash()", (Symbol("quote"), Opaque("hash table")))
        for text in ("((((#:k))))", "(a . (b . c))", "(#0=a #0#)"):
            ((datum,), _) = read(text.encode() + b"\n")
            self.assertFalse(is_kept(datum))

    def test_brackets_in_what_is_skipped_are_balanced(self) -> None:
        for text in ('#(")" #\\) |)| #;() x)', "#hash((a . #(1 [2])))", "#s(pt #| ) |# (1)\n;)\n)"):
            data, code = read(f"({text} end)\n(next)\n".encode())
            self.assertEqual((text, code, len(data)), (text, "", 2))
