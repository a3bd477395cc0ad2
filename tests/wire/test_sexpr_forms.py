"""Lists, and all other forms that hold data, recorded from Racket."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.wire.sexpr import Datum, Opaque, Prefab, Symbol, is_sexp
from tests.wire.test_sexpr import MALFORMED, NO_SEXP, NOTHING, read, symbols, wrong

# What Racket 8.7 made of each text and a line feed: how it prints the first datum.

# Lists.
LISTS = {
    "()": "()",
    "[]": "()",
    "{}": "()",
    "(a)": "(a)",
    "[a]": "(a)",
    "{a}": "(a)",
    "( a )": "(a)",
    "(a b c)": "(a b c)",
    "(a(b)c)": "(a (b) c)",
    "((a) (b (c)) ())": "((a) (b (c)) ())",
    "[a (b {c})]": "(a (b (c)))",
    "(a\nb)": "(a b)",
    "(\n)": "()",
    '(a"b"c)': '(a "b" c)',
    '(1 2.0 #t #\\a "s" #"b" s)': '(1 2.0 #t #\\a "s" #"b" s)',
    "(a]": MALFORMED,
    "(a}": MALFORMED,
    "[a)": MALFORMED,
    "{a]": MALFORMED,
    "((a]": MALFORMED,
    "([)]": MALFORMED,
}

# Dots in lists.
DOTS = {
    "(a . b)": NO_SEXP,
    "(a b . c)": NO_SEXP,
    "(a . (b))": "(a b)",
    "(a . [b c])": "(a b c)",
    "(a . ())": "(a)",
    "(a b . (c . (d)))": "(a b c d)",
    "(a . (b . c))": NO_SEXP,
    "(a . #(b))": NO_SEXP,
    '(a . "s")': NO_SEXP,
    "(a . 'b)": "(a quote b)",
    "(a .(b))": "(a b)",
    "(a . b c)": MALFORMED,
    "(a . b . c)": "(b a c)",
    "(1 . 2 . 3)": "(2 1 3)",
    "(a b . c . d e)": "(c a b d e)",
    "(a . (b) . c)": "((b) a c)",
    "(a . b . c . d)": MALFORMED,
    "(a . b . )": MALFORMED,
    "(a . . b)": MALFORMED,
    "(a . )": MALFORMED,
    "(a .)": MALFORMED,
    "( . a)": MALFORMED,
    "(. a)": MALFORMED,
    "(.)": MALFORMED,
    "( . )": MALFORMED,
    "(a . b .c)": MALFORMED,
    "(a .b)": "(a .b)",
    "(a. b)": "(a. b)",
    "(.a b)": "(.a b)",
    "(a . b. c)": MALFORMED,
    "(a .. b)": "(a .. b)",
    "(a ... b)": "(a ... b)",
    "(a |.| b)": "(a |.| b)",
    "(a \\. b)": "(a |.| b)",
    "(a . |.| . b)": "(|.| a b)",
    "(a .#t)": "(a .#t)",
    '(a ."b")': NO_SEXP,
    "(a .;x\n b)": NO_SEXP,
    "(a . #;x b)": NO_SEXP,
    "(a . b #;x)": NO_SEXP,
    "(a #;x . b)": NO_SEXP,
    "(#;x . b)": MALFORMED,
    "(a . b #;x . c)": "(b a c)",
    "(a . b . #;x)": MALFORMED,
    "(a . #|x|# b)": NO_SEXP,
    "[a . b . c]": "(b a c)",
    "{a . (b)}": "(a b)",
    "'(a . b)": NO_SEXP,
    "(a . (b . c . d))": "(a c b d)",
    "((a . b))": NO_SEXP,
    "(a . #:kw)": NO_SEXP,
}

# Abbreviations.
QUOTES = {
    "'x": "(quote x)",
    "`x": "(quasiquote x)",
    ",x": "(unquote x)",
    ",@x": "(unquote-splicing x)",
    "#'x": "(syntax x)",
    "#`x": "(quasisyntax x)",
    "#,x": "(unsyntax x)",
    "#,@x": "(unsyntax-splicing x)",
    "' x": "(quote x)",
    "'\nx": "(quote x)",
    "', x": "(quote (unquote x))",
    ",@ x": "(unquote-splicing x)",
    ", @x": "(unquote @x)",
    ", @": "(unquote @)",
    "'()": "(quote ())",
    "'(a b)": "(quote (a b))",
    "''x": "(quote (quote x))",
    "'`,x": "(quote (quasiquote (unquote x)))",
    '\'"s"': '(quote "s")',
    "'1": "(quote 1)",
    "(a 'b)": "(a (quote b))",
    "(a ' b)": "(a (quote b))",
    "'#t": "(quote #t)",
    "',x": "(quote (unquote x))",
    "'#\\a": "(quote #\\a)",
    "(quote x)": "(quote x)",
    "(quote . (x))": "(quote x)",
    "(quasiquote (a (unquote b)))": "(quasiquote (a (unquote b)))",
    "(a quote b)": "(a quote b)",
    "(quote)": "(quote)",
    "'|a b|": "(quote |a b|)",
    "')": MALFORMED,
    "(')": MALFORMED,
    "(a ')": MALFORMED,
    "('.)": MALFORMED,
    "'.": MALFORMED,
    "('. a)": MALFORMED,
    "#'#'x": "(syntax (syntax x))",
    "#, x": "(unsyntax x)",
    "#,@ x": "(unsyntax-splicing x)",
    "#,#@x": MALFORMED,
}

# Vectors, with a length or without.
VECTORS = {
    "#()": NO_SEXP,
    "#(1 2)": NO_SEXP,
    "#[1 2]": NO_SEXP,
    "#{1}": NO_SEXP,
    "#(#(1) 2)": NO_SEXP,
    "(#(1))": NO_SEXP,
    "#0()": NO_SEXP,
    "#1()": NO_SEXP,
    "#2(a)": NO_SEXP,
    "#3(1 2)": NO_SEXP,
    "#2(1 2)": NO_SEXP,
    "#1(1 2)": MALFORMED,
    "#0(1)": MALFORMED,
    "#00002(1)": NO_SEXP,
    "#140737488355328(1)": MALFORMED,
    "#1(1 . 2)": MALFORMED,
    "#(1 . 2)": MALFORMED,
    "#(. 1)": MALFORMED,
    "#(1 . 2 . 3)": MALFORMED,
    "#(1]": MALFORMED,
    "#[1)": MALFORMED,
    "#2[a]": NO_SEXP,
    "#2{a}": NO_SEXP,
    "#2 (a)": MALFORMED,
    "#2a": MALFORMED,
    "#2": MALFORMED,
    "#(": NOTHING,
    "#99999999999999999999()": MALFORMED,
}

# Vectors of numbers.
NUMBER_VECTORS = {
    "#fl()": NO_SEXP,
    "#fl(1.0 2.0)": NO_SEXP,
    "#fl(1)": NO_SEXP,
    "#fl(1/2)": NO_SEXP,
    "#fl(.5)": NO_SEXP,
    "#fl(-.5)": NO_SEXP,
    "#fl(+inf.0)": NO_SEXP,
    "#fl(#x10)": NO_SEXP,
    "#fl(#e1)": MALFORMED,
    "#fl(+i)": MALFORMED,
    "#fl(1t0)": MALFORMED,
    "#fl(1a)": MALFORMED,
    "#fl(a)": MALFORMED,
    '#fl("a")': MALFORMED,
    "#fl((1))": MALFORMED,
    "#fl('1)": MALFORMED,
    "#fl(1 #;x 2)": NO_SEXP,
    "#fl(1 ;x\n2)": NO_SEXP,
    "#fl(#|x|# 1)": NO_SEXP,
    "#fl(1 . 2)": MALFORMED,
    "#fl(|1|)": MALFORMED,
    "#fl(1|2|)": MALFORMED,
    "#fl(\\1)": MALFORMED,
    "#fl[1]": NO_SEXP,
    "#fl{1}": NO_SEXP,
    "#fl2(1)": NO_SEXP,
    "#fl1(1 2)": MALFORMED,
    "#fl2()": NO_SEXP,
    "#fl(1 #;2)": NO_SEXP,
    "#fl 1": MALFORMED,
    "#flx": MALFORMED,
    "#fx()": NO_SEXP,
    "#fx(1)": NO_SEXP,
    "#fx(-1 +2)": NO_SEXP,
    "#fx(1.0)": NO_SEXP,
    "#fx(1.5)": MALFORMED,
    "#fx(.0)": MALFORMED,
    "#fx(1/2)": MALFORMED,
    "#fx(#x10)": NO_SEXP,
    "#fx(#i1)": MALFORMED,
    "#fx(a)": MALFORMED,
    "#fx(1152921504606846975)": NO_SEXP,
    "#fx(1152921504606846976)": MALFORMED,
    "#fx(-1152921504606846976)": NO_SEXP,
    "#fx(-1152921504606846977)": MALFORMED,
    "#fx3(1 2)": NO_SEXP,
    "#fx[1]": NO_SEXP,
    "#FX(1)": MALFORMED,
    "#Fx(1)": NO_SEXP,
    "#Fl(1)": NO_SEXP,
    "#fxx": MALFORMED,
    "#fl(#! x\n1)": NO_SEXP,
    "#fl(#t)": MALFORMED,
    "#fl(#0=1)": MALFORMED,
}

# Hashes.
HASHES = {
    "#hash()": NO_SEXP,
    "#hash[]": NO_SEXP,
    "#hash{}": NO_SEXP,
    "#hash((a . 1))": NO_SEXP,
    "#hash((a . 1) (b . 2))": NO_SEXP,
    "#hash([a . 1]{b . 2})": NO_SEXP,
    "#hash((a . (1 2)))": NO_SEXP,
    "#hash(((a) . 1))": NO_SEXP,
    "#hash(('a . 'b))": NO_SEXP,
    "#hash((a . 1) ;x\n)": NO_SEXP,
    "#hash( #|x|# (a . 1))": NO_SEXP,
    "#hash(#;(a . 1) (b . 2))": NO_SEXP,
    "#hash(#;(a . 1))": NO_SEXP,
    "#hash(#;x)": MALFORMED,
    "#hash(#;x (a . 1))": MALFORMED,
    "#hash(#;#;x (a . 1) (b . 2))": NO_SEXP,
    "#hash(#;)": MALFORMED,
    "#hash((a #;x . 1))": NO_SEXP,
    "#hash((a . 1 #;x))": NO_SEXP,
    "#hash((#;x a . 1))": NO_SEXP,
    "#hash((a . #;x 1))": NO_SEXP,
    "#hash((a 1))": MALFORMED,
    "#hash((a))": MALFORMED,
    "#hash(())": MALFORMED,
    "#hash((a . ))": MALFORMED,
    "#hash((. a))": MALFORMED,
    "#hash((a . 1 2))": MALFORMED,
    "#hash((a . 1 . 2))": MALFORMED,
    "#hash((a b . 1))": MALFORMED,
    "#hash((a .b . 1))": MALFORMED,
    "#hash((a . . 1))": MALFORMED,
    "#hash((a . 1]))": MALFORMED,
    "#hash((a . 1)]": MALFORMED,
    "#hash(a)": MALFORMED,
    "#hash('(a . 1))": MALFORMED,
    "#hash(#(a . 1))": MALFORMED,
    '#hash("a")': MALFORMED,
    "#hash((a . 1) . (b . 2))": MALFORMED,
    "#hash(.)": MALFORMED,
    "#hasheq()": NO_SEXP,
    "#hasheq((a . 1))": NO_SEXP,
    "#hasheqv((a . 1))": NO_SEXP,
    "#hashalw((a . 1))": NO_SEXP,
    "#HASH((a . 1))": NO_SEXP,
    "#HashEqV()": NO_SEXP,
    "#hasheqeq()": NO_SEXP,
    "#hasheqveq()": NO_SEXP,
    "#hashalweq()": NO_SEXP,
    "#hashalweqv()": NO_SEXP,
    "#hashv()": MALFORMED,
    "#hasheqvv()": MALFORMED,
    "#hasheqalw()": MALFORMED,
    "#hashx()": MALFORMED,
    "#hash ()": MALFORMED,
    "#has()": MALFORMED,
    "#h": MALFORMED,
    "#hash": MALFORMED,
    "#hash1()": MALFORMED,
    "#hasheq ()": MALFORMED,
}

# Prefab structures.
PREFABS = {
    "#s(pt)": "#s(pt)",
    "#s(pt 1 2)": "#s(pt 1 2)",
    "#s[pt 1]": "#s(pt 1)",
    "#s{pt 1}": "#s(pt 1)",
    '#s(pt 1 "two")': '#s(pt 1 "two")',
    "#s(|a b| 1)": "#s(|a b| 1)",
    "#s(|1| 1)": "#s(|1| 1)",
    "#s(pt (1 2))": "#s(pt (1 2))",
    "(#s(pt 1) end)": "(#s(pt 1) end)",
    "#s(pt #s(pt 1))": "#s(pt #s(pt 1))",
    "#s(pt #(1))": NO_SEXP,
    "#s(pt . (1))": "#s(pt 1)",
    "#s(1 . pt . 2)": "#s(pt 1 2)",
    "#s(pt . 1)": MALFORMED,
    "#s((pt) 1 2)": "#s(pt 1 2)",
    "#s((pt 2) 1 2)": "#s(pt 1 2)",
    "#s((pt 3) 1 2)": MALFORMED,
    "#s((pt 1) 1 2)": MALFORMED,
    "#s((pt 0))": "#s(pt)",
    "#s([pt 1] 1)": "#s(pt 1)",
    "#s((pt . (1)) 1)": "#s(pt 1)",
    "#s((pt base 1) 1 2)": "#s((pt base 1) 1 2)",
    "#s((pt 1 base 1) 1 2)": "#s((pt base 1) 1 2)",
    "#s((pt 2 base 1) 1 2)": MALFORMED,
    "#s((pt base 3) 1 2)": MALFORMED,
    "#s((pt base) 1)": MALFORMED,
    "#s((pt 1 base) 1)": MALFORMED,
    "#s((pt base 1 top 1) 1 2 3)": "#s((pt base 1 top 1) 1 2 3)",
    "#s((pt base 0 top 0))": "#s((pt base 0 top 0))",
    "#s((pt |b c| 1) 1)": "#s((pt |b c| 1) 1)",
    "#s((pt (1 #f)) 1)": "#s((pt (1 #f)) 1)",
    "#s((pt 1 (1 #f)) 1 2)": "#s((pt (1 #f)) 1 2)",
    "#s((pt 1 (1 #f)) 1)": MALFORMED,
    "#s((pt (0 x)) 1)": "#s(pt 1)",
    "#s((pt 1 (0 x)) 1)": "#s(pt 1)",
    '#s((pt (2 (a "b"))) 1 2 3)': '#s((pt (2 (a "b"))) 1 2 3)',
    '#s((pt (1 #f) base 1 (1 "x")) 1 2 3)': '#s((pt (1 #f) base 1 (1 "x")) 1 2 3)',
    "#s((pt (1)) 1)": MALFORMED,
    "#s((pt (1 2 3)) 1)": MALFORMED,
    "#s((pt (-1 2)) 1)": MALFORMED,
    "#s((pt (a 2)) 1)": MALFORMED,
    "#s((pt ()) 1)": MALFORMED,
    "#s((pt #()) 1)": "#s(pt 1)",
    "#s((pt #(0)) 1)": "#s((pt #(0)) 1)",
    "#s((pt 1 #(0)) 1)": "#s((pt #(0)) 1)",
    "#s((pt #(1 0)) 1 2)": "#s((pt #(0 1)) 1 2)",
    "#s((pt #(1 2 0)) 1 2 3)": "#s((pt #(0 1 2)) 1 2 3)",
    "#s((pt #(1)) 1)": MALFORMED,
    "#s((pt 1 #(1)) 1)": MALFORMED,
    "#s((pt 1 (1 #f) #(0)) 1 2)": "#s((pt (1 #f) #(0)) 1 2)",
    "#s((pt 1 (1 #f) #(1)) 1 2)": MALFORMED,
    "#s((pt #(0) base 1 #(0)) 1 2)": "#s((pt #(0) base 1 #(0)) 1 2)",
    "#s((pt base 1 #(1)) 1 2)": MALFORMED,
    "#s((pt base 1 (1 x) #(1)) 1 2)": "#s((pt base 1 (1 x) #(1)) 1 2)",
    "#s((pt #(0 0)) 1)": MALFORMED,
    "#s((pt #(-1)) 1)": MALFORMED,
    "#s((pt #(a)) 1)": MALFORMED,
    "#s((pt #(0.0)) 1)": MALFORMED,
    "#s((pt #1()) 1)": "#s((pt #(0)) 1)",
    "#s((pt #2(0)) 1 2)": MALFORMED,
    "#s((pt #fl(0)) 1)": MALFORMED,
    "#s((pt #(0) #(0)) 1)": MALFORMED,
    "#s((pt #(0) (1 x)) 1 2)": MALFORMED,
    '#s((pt "b" 1) 1)': MALFORMED,
    "#s((pt 1.0) 1)": MALFORMED,
    "#s((pt #t) 1)": MALFORMED,
    '#s(("pt") 1)': MALFORMED,
    '#s("pt" 1)': MALFORMED,
    "#s(1)": MALFORMED,
    "#s(() 1)": MALFORMED,
    "#s((1) 1)": MALFORMED,
    "#s()": MALFORMED,
    "#s (pt)": MALFORMED,
    "#spt": MALFORMED,
    "#s'(pt)": MALFORMED,
    "#s(pt 1]": MALFORMED,
    "#s('pt 1)": MALFORMED,
}

# Graph labels.
LABELS = {
    "#0=a": "a",
    "(#0=a #0# #0#)": "(a a a)",
    "(#0=a #00#)": "(a a)",
    "(#1=(b) #1# #1#)": "((b) (b) (b))",
    "(#0=#1=x #0# #1#)": "(x x x)",
    "(#0=(a #1=b) #1# #0#)": "((a b) b (a b))",
    '(#0="s" (#0#))': '("s" ("s"))',
    "#12345678=x": "x",
    "(#12345678=x #12345678#)": "(x x)",
    "#123456789=x": MALFORMED,
    "(#0=a #123456789#)": MALFORMED,
    "#0#": MALFORMED,
    "(#0#)": MALFORMED,
    "(#1# #1=a)": MALFORMED,
    "(#0=a #1#)": MALFORMED,
    "(#0=a #0=b)": MALFORMED,
    "#0=(a #0#)": NO_SEXP,
    "#0=(a . #0#)": NO_SEXP,
    "#0=#(#0#)": NO_SEXP,
    "#0=#&#0#": NO_SEXP,
    "(#0=(#0#) b)": NO_SEXP,
    "#0=#0#": MALFORMED,
    "(#;#0=a #0#)": "(a)",
    "(#0=#;#0# x #0#)": "(x x)",
    "(a . #0=(b c))": "(a b c)",
    "(#0=(b) a . #0#)": "((b) a b)",
    "(#0=a . #0# . b)": "(a a b)",
    "#0=)": MALFORMED,
    "(#0=)": MALFORMED,
    "#0= a": "a",
    "#0=.": MALFORMED,
    "#0x": MALFORMED,
    "#0=#1=#2=a": "a",
    "#s(pt #0=1 #0#)": "#s(pt 1 1)",
    "#(#0=1 #0#)": NO_SEXP,
    "#hash((#0=a . #0#))": NO_SEXP,
    "(#0=#s(pt 1) #0#)": "(#s(pt 1) #s(pt 1))",
    "'#0=(a #0=b)": MALFORMED,
    "(#0='a #0#)": "((quote a) (quote a))",
}

# Comments.
COMMENTS = {
    ";x\na": "a",
    "; x": NOTHING,
    "a;x": "a",
    "(;x\n)": "()",
    "(a;x\nb)": "(a b)",
    "(a;x)\nb)": "(a b)",
    "#|x|#a": "a",
    "#||#a": "a",
    "#|#|x|#|#a": "a",
    "#|#|x|#a|#b": "b",
    "#||x||#a": "a",
    "#|#|#|#a": NOTHING,
    "#|x|##|y|#a": "a",
    "#|#|#|x|#y|#z|#a": "a",
    "(a#|x|#b)": "(a#x#b)",
    "(a #|x|# b)": "(a b)",
    "#;x a": "a",
    "#; x a": "a",
    "#;(x y) a": "a",
    "#;#;x y a": "a",
    "#;'x a": "a",
    "#;#;#;x y z a": "a",
    "(a #;b)": "(a)",
    "(a #;b c)": "(a c)",
    "(#;a)": "()",
    "(a #;)": MALFORMED,
    "#;)": MALFORMED,
    '#;"(" a': "a",
    "#;#|x|#b a": "a",
    "#;;x\nb a": "a",
    "#;1/0 a": MALFORMED,
    "#;#<void> a": MALFORMED,
    "#! x\na": "a",
    "#!/bin/sh\na": "a",
    "#! x\\\ny\na": "a",
    "#! x\\\\\ny\na": "a",
    "#! x\\y\na": "a",
    "#! \na": "a",
    "#!\na": MALFORMED,
    "#!x\na": MALFORMED,
    "(a #! x\n b)": "(a b)",
    "#|x": NOTHING,
    "#;": NOTHING,
    "#; ": NOTHING,
    "(#;": NOTHING,
    "#": MALFORMED,
    "a #|x": "a",
    "a #;x": "a",
}

# Case folding.
CASES = {
    "#ciABC": "abc",
    "#ci ABC": "abc",
    "#CIAbc": "abc",
    "#cIaB": "ab",
    "#Ciab": "ab",
    "#csABC": "ABC",
    "#cS AbC": "AbC",
    "#ci|A|b": "Ab",
    "#ciA|B|C": "aBc",
    "#ci\\AB": "Ab",
    "#ci(A B)": "(a b)",
    "(#ciA B)": "(a B)",
    "(#ci(A) B)": "((a) B)",
    "#ci(A #csB C)": "(a B c)",
    "#cs(A #ciB C)": "(A b C)",
    '#ci"ABC"': '"ABC"',
    "#ci#\\A": "#\\A",
    "#ci#t": "#t",
    "#ciStra\xdfe": "strasse",
    "#ci\u0130": "i\u0307",
    "#ci\u03a3": "\u03c3",
    "#ci1E3": "1000.0",
    "#ci+INF.0": "+inf.0",
    "#ci'A": "(quote a)",
    "#ci#;A B": "b",
    "(#;#ciA B)": "(B)",
    "#ci#%APP": "#%app",
    "#ci)": MALFORMED,
    "(#ci)": MALFORMED,
    "#cx": MALFORMED,
    "#c": MALFORMED,
    "#c i": MALFORMED,
    "#ci#ciA": "a",
    "#ci#0=A": "a",
    "#ci1A": "1a",
}

# White space.
SPACES = {
    " a": "a",
    "\ta": "a",
    "\x0ba": "a",
    "\x0ca": "a",
    "\ra": "a",
    "\n\n\na": "a",
    "\r\na": "a",
    "\xa0a": "a",
    "\x85a": "a",
    "\u1680a": "a",
    "\u2007a": "a",
    "\u2028a": "a",
    "\u2029a": "a",
    "\u202fa": "a",
    "\u205fa": "a",
    "\u3000a": "a",
    "\ufeffa": "a",
    "\ufeff(a)": "(a)",
    "\u200ba": "\u200ba",
    "\x1ca": "\x1ca",
    "\x1fa": "\x1fa",
    "(a\xa0b)": "(a b)",
    "(a\ufeffb)": "(a b)",
    "(a\u2028b)": "(a b)",
    "(a\u200bb)": "(a\u200bb)",
    "(\u3000)": "()",
}


class RecordedTests(SynchronousTestCase):
    """Each of the tables above, whole and octet by octet."""

    def test_lists(self) -> None:
        self.assertEqual(wrong(LISTS), {})

    def test_dots(self) -> None:
        self.assertEqual(wrong(DOTS), {})

    def test_quotes(self) -> None:
        self.assertEqual(wrong(QUOTES), {})

    def test_vectors(self) -> None:
        self.assertEqual(wrong(VECTORS), {})

    def test_number_vectors(self) -> None:
        self.assertEqual(wrong(NUMBER_VECTORS), {})

    def test_hashes(self) -> None:
        self.assertEqual(wrong(HASHES), {})

    def test_prefabs(self) -> None:
        self.assertEqual(wrong(PREFABS), {})

    def test_labels(self) -> None:
        self.assertEqual(wrong(LABELS), {})

    def test_comments(self) -> None:
        self.assertEqual(wrong(COMMENTS), {})

    def test_cases(self) -> None:
        self.assertEqual(wrong(CASES), {})

    def test_spaces(self) -> None:
        self.assertEqual(wrong(SPACES), {})


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
