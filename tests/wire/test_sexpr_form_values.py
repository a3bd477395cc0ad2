"""What lists, and all other forms that hold data, are in Python."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.wire.sexpr import Datum, Opaque, Prefab, Symbol, is_sexp
from tests.wire.reading import MALFORMED, read, symbols


class ValueTests(SynchronousTestCase):
    """What forms are in Python."""

    def check(self, text: str, expected: Datum) -> None:
        data, code = read(text.encode() + b"\n")
        self.assertEqual((text, data, code), (text, [expected], ""))

    def test_lists_are_tuples_whatever_their_parentheses(self) -> None:
        for text in ("(a (b) ())", "[a [b] []]", "{a {b} {}}", "(a . ([b] {}))", "((b) . a . ())"):
            self.check(text, (Symbol("a"), symbols("b"), ()))

    def test_abbreviations_are_lists(self) -> None:
        for mark, name in (
            ("'", "quote"),
            ("`", "quasiquote"),
            (",", "unquote"),
            (",@", "unquote-splicing"),
            ("#'", "syntax"),
            ("#`", "quasisyntax"),
            ("#,", "unsyntax"),
            ("#,@", "unsyntax-splicing"),
        ):
            self.check(mark + "a", symbols(name, "a"))

    def test_what_is_no_sexp_leaves_its_kind(self) -> None:
        for text, kind in (
            ("(a . b)", "improper list"),
            ("#hash((a . 1))", "hash"),
            ("#&(a)", "box"),
            ("#fl(1.0)", "number vector"),
            ("#fx2(1)", "number vector"),
            ("#s((pt (1 #:k)) 1)", "prefab"),
        ):
            self.check(text, Opaque(kind))

    def test_a_vector_leaves_its_elements(self) -> None:
        self.check("#(a 1)", Opaque("vector", (Symbol("a"), 1)))
        self.check("#3(a)", Opaque("vector", symbols("a", "a", "a")))
        self.check("#()", Opaque("vector"))

    def test_what_holds_no_sexp_is_none(self) -> None:
        for text in ("(a #(1))", "((((#:k))))", "#s(pt #&1)", "(a . (b . c))", "'#hash()", "(#0=(a #0#))"):
            ((datum,), _) = read(text.encode() + b"\n")
            self.assertFalse(is_sexp(datum))

    def test_a_cycle_is_where_a_label_stands_in_its_own_datum(self) -> None:
        self.check("#0=(a #0#)", (Symbol("a"), Opaque("cycle")))

    def test_what_is_shared_is_the_same(self) -> None:
        ((datum,), _) = read(b"(#0=(a b) #0# (#0#))\n")
        self.assertEqual(datum, (symbols("a", "b"), symbols("a", "b"), (symbols("a", "b"),)))

    def test_prefabs(self) -> None:
        self.check('#s(pt 1 "two")', Prefab("pt", (1, "two")))
        self.check("#s((pt 1 base 1) 1 2)", Prefab("(pt base 1)", (1, 2)))
        self.check("#s(|a b|)", Prefab("|a b|"))
        self.check("#s((pt #(1 0) base 1 (1 x) #(0)) 1 2 3 4)", Prefab("(pt #(0 1) base 1 (1 x) #(0))", (1, 2, 3, 4)))

    def test_the_order_of_a_key_s_parts(self) -> None:
        for key in ("(pt (1 x) 1)", "(pt #(0) 1)", "(pt base (1 x) 1)", "(pt base #(0) 1)", "(1 pt)", "(pt base 1 2)"):
            self.assertEqual(read(f"#s({key} 1 2)\n".encode()), ([], MALFORMED))
