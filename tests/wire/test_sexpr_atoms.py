"""Symbols, strings, byte strings, characters and booleans, recorded from Racket."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.wire.datums import Char, Opaque, Symbol
from tests.wire.reading import MALFORMED, NOTHING, OVERLOOKED, SKIPPED, read, wrong

# What Racket 8.7 made of each text and a line feed: how it prints the first datum.

# Symbols without quoting.
NAMES = {
    "a": "a",
    "abc": "abc",
    "ABC": "ABC",
    "aBc": "aBc",
    "a-b": "a-b",
    "a:b": "a:b",
    "a#b": "a#b",
    "a.b": "a.b",
    "a.": "a.",
    "a%": "a%",
    "#%": "#%",
    "#%app": "#%app",
    "#%a|b": NOTHING,
    "#%1": "#%1",
    "!$%&*/:<=>?^_~": "!$%&*/:<=>?^_~",
    "@": "@",
    "@x": "@x",
    "a@b": "a@b",
    "\u03bb": "\u03bb",
    "na\xefve": "na\xefve",
    "\u4e2d\u6587": "\u4e2d\u6587",
    "\U0001f600": "\U0001f600",
    "a\u0301": "a\u0301",
    "a\u200bb": "a\u200bb",
    "a\u200db": "a\u200db",
    "\u200b": "\u200b",
    "\x00": "\x00",
    "\x01": "\x01",
    "a\x7fb": "a\x7fb",
    "a\x1cb": "a\x1cb",
    "a\x1db": "a\x1db",
    "a\x1eb": "a\x1eb",
    "a\x1fb": "a\x1fb",
    "\ue000": "\ue000",
    "\xad": "\xad",
}

# Bars and backslashes.
QUOTED_NAMES = {
    "||": "||",
    "|a|": "a",
    "|a b|": "|a b|",
    "|a\nb|": "|a\nb|",
    "|(|": "|(|",
    "|1|": "|1|",
    "|+i|": "|+i|",
    "|1e5|": "|1e5|",
    "|1/0|": "|1/0|",
    "|1t0|": "|1t0|",
    "|.|": "|.|",
    "|..|": "..",
    "|#|": "|#|",
    "|#a|": "|#a|",
    "|#%a|": "#%a",
    "|#% a|": "|#% a|",
    "|a\\b|": "|a\\b|",
    "|\\|": "|\\|",
    '|a"b|': '|a"b|',
    "|a'b|": "|a'b|",
    "|a;b|": "|a;b|",
    "|a,b|": "|a,b|",
    "|a`b|": "|a`b|",
    "|\t|": "|\t|",
    "|\xa0|": "|\xa0|",
    "|\ufeff|": "|\ufeff|",
    "|\u2028|": "|\u2028|",
    "|\u03bb|": "\u03bb",
    "a|b|c": "abc",
    "a|b c|d": "|ab cd|",
    "|a||b|": "ab",
    "||||": "||",
    "a||": "a",
    "||a": "a",
    "|1|2": "|12|",
    "1|2|": "|12|",
    "1||": "|1|",
    "|a|b|c|": "abc",
    "a\\ b": "|a b|",
    "a\\\nb": "|a\nb|",
    "\\a": "a",
    "\\1": "|1|",
    "\\.": "|.|",
    "\\|": "\\|",
    "a\\|b": "a\\|b",
    "a\\|b\\ c": "a\\|b\\ c",
    "\\||x y|": "\\|x\\ y",
    "\\#a": "|#a|",
    "a\\#": "a#",
    "\\\\": "|\\|",
    "a\\\\b": "|a\\b|",
    "\\(": "|(|",
    "\\ ": "| |",
    "\\#%a": "#%a",
    "\\#\\%\\|": "#%\\|",
    "|#|\\|a": "\\#\\|a",
    "1\\0": "|10|",
    "+\\i": "|+i|",
    "\\+i": "|+i|",
    "\u0130|i|": "\u0130i",
}

# What ends a symbol, and what does not.
DELIMITED = {
    "a b": "a",
    "a(b)": "a",
    "a[b]": "a",
    "a{b}": "a",
    'a"b"': "a",
    "a'b": "a",
    "a`b": "a",
    "a,b": "a",
    "a;b": "a",
    "a\tb": "a",
    "a\x0bb": "a",
    "a\x0cb": "a",
    "a\rb": "a",
    "a\x85b": "a",
    "a\xa0b": "a",
    "a\u1680b": "a",
    "a\u2000b": "a",
    "a\u200ab": "a",
    "a\u2028b": "a",
    "a\u2029b": "a",
    "a\u202fb": "a",
    "a\u205fb": "a",
    "a\u3000b": "a",
    "a\ufeffb": "a",
    "a#b": "a#b",
    "a#|x|#": "a#x#",
    "a#;b": "a#",
    "a)": "a",
    "a]": "a",
    "a}": "a",
    "1(2)": "1",
    '1"x"': "1",
    "1'x": "1",
    "1#;": SKIPPED,
}

# Strings.
STRINGS = {
    '""': '""',
    '"a"': '"a"',
    '"a b"': '"a b"',
    '"it\'s"': '"it\'s"',
    '"a\nb"': '"a\\nb"',
    '"\t"': '"\\t"',
    '"\x00"': '"\\u0000"',
    '"\x07\x08\x1b\x7f"': '"\\a\\b\\e\\u007F"',
    '"\x1c\x85"': '"\\u001C\\u0085"',
    '"\xa0"': '"\xa0"',
    '"\xad"': '"\\u00AD"',
    '"\u200b"': '"\\u200B"',
    '"\u2028"': '"\\u2028"',
    '"\u3000"': '"\u3000"',
    '"\ufeff"': '"\\uFEFF"',
    '"\ue000"': '"\\uE000"',
    '"\u03bb\u4e2d"': '"\u03bb\u4e2d"',
    '"\U0001f600"': '"\U0001f600"',
    '"\U000e0001"': '"\\U000E0001"',
    '"\U000e0041"': '"\\U000E0041"',
    '"e\u0301"': '"e\u0301"',
    '"\u0301"': '"\u0301"',
    '"\u200d"': '"\\u200D"',
    '"a\u200d"': '"a\u200d"',
    '"a\u200d\u200cb"': '"a\u200d\u200cb"',
    '" \u200d"': '" \\u200D"',
    '"\u200b\u200d"': '"\\u200B\\u200D"',
    '"\U0001f3f4\U000e0067\U000e007f"': '"\U0001f3f4\U000e0067\U000e007f"',
    '"\\"\u200d"': '"\\"\\u200D"',
    '"\\\\\u200d"': '"\\\\\\u200D"',
    '"\n\u200d"': '"\\n\\u200D"',
    '"|;#(,`"': '"|;#(,`"',
}

# Escapes in strings.
ESCAPES = {
    '"\\a\\b\\t\\n\\v\\f\\r\\e"': '"\\a\\b\\t\\n\\v\\f\\r\\e"',
    '"\\"\\\\\\\'"': '"\\"\\\\\'"',
    '"\\0"': '"\\u0000"',
    '"\\7"': '"\\a"',
    '"\\12"': '"\\n"',
    '"\\101"': '"A"',
    '"\\1011"': '"A1"',
    '"\\18"': '"\\u00018"',
    '"\\377"': '"\xff"',
    '"\\400"': MALFORMED,
    '"\\777"': MALFORMED,
    '"\\8"': MALFORMED,
    '"\\x4"': '"\\u0004"',
    '"\\x41"': '"A"',
    '"\\x414"': '"A4"',
    '"\\xfF"': '"\xff"',
    '"\\xg"': MALFORMED,
    '"\\x"': MALFORMED,
    '"\\u41"': '"A"',
    '"\\u3bb"': '"\u03bb"',
    '"\\u03bbb"': '"\u03bbb"',
    '"\\u0"': '"\\u0000"',
    '"\\ug"': MALFORMED,
    '"\\u"': MALFORMED,
    '"\\ud800"': MALFORMED,
    '"\\uD83D\\uDE00"': '"\U0001f600"',
    '"\\ud83d\\ude00x"': '"\U0001f600x"',
    '"\\uD83D\\u41"': MALFORMED,
    '"\\uD83D\\U0001DE00"': MALFORMED,
    '"\\uD83Dx"': MALFORMED,
    '"\\uD83D\\n"': MALFORMED,
    '"\\uDE00\\uD83D"': MALFORMED,
    '"\\uDE00\\uDE00"': MALFORMED,
    '"\\uD83D\\uDE0"': MALFORMED,
    '"\\uDBFF\\uDFFF"': '"\\U0010FFFF"',
    '"\\U1F600"': '"\U0001f600"',
    '"\\U0001F600"': '"\U0001f600"',
    '"\\U0001F6000"': '"\U0001f6000"',
    '"\\U10FFFF"': '"\\U0010FFFF"',
    '"\\U110000"': MALFORMED,
    '"\\UD800"': MALFORMED,
    '"\\U00000041"': '"A"',
    '"\\Ux"': MALFORMED,
    '"a\\\nb"': '"ab"',
    '"a\\\r\nb"': '"ab"',
    '"a\\\rb"': '"ab"',
    '"a\\\n  b"': '"a  b"',
    '"\\q"': MALFORMED,
    '"\\ "': MALFORMED,
    '"\\A"': MALFORMED,
    '"\\N"': MALFORMED,
    '"\\u00e9"': '"\xe9"',
    '"\\\u03bb"': MALFORMED,
}

# Byte strings.
OCTETS = {
    '#""': SKIPPED,
    '#"abc"': SKIPPED,
    '#"a b"': SKIPPED,
    '#"it\'s"': SKIPPED,
    '#"\\"\\\\\\\'"': SKIPPED,
    '#"\\a\\b\\t\\n\\v\\f\\r\\e"': SKIPPED,
    '#"a\nb"': SKIPPED,
    '#"\t"': SKIPPED,
    '#"\x00"': SKIPPED,
    '#"\\0"': SKIPPED,
    '#"\\01"': SKIPPED,
    '#"\\0001"': SKIPPED,
    '#"\\001"': SKIPPED,
    '#"\\18"': SKIPPED,
    '#"\\7\\77\\377"': SKIPPED,
    '#"\\1a\\17b\\177c"': SKIPPED,
    '#"\\400"': MALFORMED,
    '#"\\x41\\x4\\xff"': SKIPPED,
    '#"\\x12"': SKIPPED,
    '#"\\xg"': MALFORMED,
    '#"\\u41"': OVERLOOKED,
    '#"\\U41"': OVERLOOKED,
    '#"\\q"': MALFORMED,
    '#"\xe4\xff"': SKIPPED,
    '#"\u0100"': MALFORMED,
    '#"\u03bb"': MALFORMED,
    '#"\U0001f600"': MALFORMED,
    '#"a\\\nb"': SKIPPED,
    '#"a\\\r\nb"': SKIPPED,
    '#"\x7f\x80"': SKIPPED,
    '#"\\0\\60"': SKIPPED,
    '#"\\10\\67\\70"': SKIPPED,
    '#"|;#("': SKIPPED,
}

# Characters.
CHARACTERS = {
    "#\\a": "#\\a",
    "#\\A": "#\\A",
    "#\\1": "#\\1",
    "#\\8": "#\\8",
    "#\\9": "#\\9",
    "#\\(": "#\\(",
    "#\\)": "#\\)",
    "#\\[": "#\\[",
    "#\\;": "#\\;",
    '#\\"': '#\\"',
    "#\\'": "#\\'",
    "#\\#": "#\\#",
    "#\\|": "#\\|",
    "#\\\\": "#\\\\",
    "#\\ ": "#\\space",
    "#\\\t": "#\\tab",
    "#\\\n": "#\\newline",
    "#\\\r": "#\\return",
    "#\\\x00": "#\\nul",
    "#\\\x01": "#\\u0001",
    "#\\\x7f": "#\\rubout",
    "#\\\xa0": "#\\u00A0",
    "#\\\u03bb": "#\\\u03bb",
    "#\\\u4e2d": "#\\\u4e2d",
    "#\\\u0301": "#\\\u0301",
    "#\\\u200b": "#\\u200B",
    "#\\\u200d": "#\\u200D",
    "#\\\ufeff": "#\\uFEFF",
    "#\\\ue000": "#\\uE000",
    "#\\\U0001f600": "#\\\U0001f600",
    "#\\\U000e0041": "#\\U000E0041",
    "#\\nul": "#\\nul",
    "#\\null": "#\\nul",
    "#\\NUL": "#\\nul",
    "#\\backspace": "#\\backspace",
    "#\\tab": "#\\tab",
    "#\\Tab": "#\\tab",
    "#\\newline": "#\\newline",
    "#\\linefeed": "#\\newline",
    "#\\LineFeed": "#\\newline",
    "#\\vtab": "#\\vtab",
    "#\\page": "#\\page",
    "#\\return": "#\\return",
    "#\\space": "#\\space",
    "#\\SPACE": "#\\space",
    "#\\rubout": "#\\rubout",
    "#\\\u017fpace": "#\\space",
    "#\\delete": MALFORMED,
    "#\\escape": MALFORMED,
    "#\\altmode": MALFORMED,
    "#\\nu": MALFORMED,
    "#\\spac": MALFORMED,
    "#\\spaces": MALFORMED,
    "#\\ab": MALFORMED,
    "#\\a1": "#\\a",
    "#\\a(": "#\\a",
    "#\\a_": "#\\a",
    "#\\x41": "#\\x",
    "#\\x": "#\\x",
    "#\\u": "#\\u",
    "#\\U": "#\\U",
    "#\\u41": "#\\A",
    "#\\u3bb": "#\\\u03bb",
    "#\\u03bb": "#\\\u03bb",
    "#\\u00411": "#\\A",
    "#\\U1F600": "#\\\U0001f600",
    "#\\U0001F600": "#\\\U0001f600",
    "#\\U0001F6000": "#\\\U0001f600",
    "#\\U10FFFF": "#\\U0010FFFF",
    "#\\U110000": MALFORMED,
    "#\\ud800": MALFORMED,
    "#\\uDFFF": MALFORMED,
    "#\\uE000": "#\\uE000",
    "#\\ug": "#\\u",
    "#\\uu": "#\\u",
    "#\\u0": "#\\nul",
    "#\\0": "#\\0",
    "#\\7": "#\\7",
    "#\\12": MALFORMED,
    "#\\12x": MALFORMED,
    "#\\101": "#\\A",
    "#\\1011": "#\\A",
    "#\\377": "#\\\xff",
    "#\\400": MALFORMED,
    "#\\777": MALFORMED,
    "#\\08": "#\\0",
    "#\\18": "#\\1",
    "#\\128": MALFORMED,
    "#\\\u03bba": MALFORMED,
    "#\\a\u03bb": MALFORMED,
}

# Booleans.
BOOLEANS = {
    "#t": "#t",
    "#f": "#f",
    "#T": "#t",
    "#F": "#f",
    "#true": "#t",
    "#false": "#f",
    "#True": MALFORMED,
    "#TRUE": MALFORMED,
    "#tRUE": MALFORMED,
    "#False": MALFORMED,
    "#tr": MALFORMED,
    "#tru": MALFORMED,
    "#fals": MALFORMED,
    "#truex": MALFORMED,
    "#tx": MALFORMED,
    "#fx": MALFORMED,
    "#t1": MALFORMED,
    "#t#f": MALFORMED,
    "#t|a|": MALFORMED,
    "#t\\a": MALFORMED,
    "#t(a)": "#t",
    '#t"a"': "#t",
    "#f;x": "#f",
    "#t.": MALFORMED,
    "#F#": MALFORMED,
    "#ta": MALFORMED,
    "#fa": MALFORMED,
}

# Here strings.
HERE_STRINGS = {
    "#<<E\nabc\nE": SKIPPED,
    "#<<E\nE": SKIPPED,
    "#<<E\na\nb\n\nc\nE": SKIPPED,
    "#<<E\n E\nE \nEE\nE": SKIPPED,
    "#<<\n": SKIPPED,
    "#<<\n\n": SKIPPED,
    "#<<\na\n\nb": SKIPPED,
    '#<<a b\n"x"\na b': SKIPPED,
    "#<<E\r\nx\r\nE\r": SKIPPED,
    "#<<E\n\\n|#;\nE": SKIPPED,
    "#<<E\nx": NOTHING,
    "#<E": MALFORMED,
    "#<": MALFORMED,
    "#< E": MALFORMED,
}

# Readable, but nothing to be sent.
OTHERS = {
    "#:kw": SKIPPED,
    "#:": SKIPPED,
    "#:a|b c|": SKIPPED,
    "#:1": SKIPPED,
    "#:.": MALFORMED,
    "#:\\.": SKIPPED,
    "#:a.b": SKIPPED,
    "#&x": SKIPPED,
    "#&(a b)": SKIPPED,
    "#&#&1": SKIPPED,
    '#rx"a"': SKIPPED,
    '#px"a"': SKIPPED,
    '#rx#"a"': SKIPPED,
    '#px#"a\\\\d"': SKIPPED,
    '#rx"\\""': SKIPPED,
    '#rx"\\n"': SKIPPED,
    "#rxa": MALFORMED,
    "#rx": MALFORMED,
    "#pxx": MALFORMED,
    "#rx#a": MALFORMED,
    "#pa": MALFORMED,
    "#ra": MALFORMED,
    '#R"a"': MALFORMED,
    '#P"a"': MALFORMED,
}

# What `read` refuses.
REFUSED = {
    "#<void>": MALFORMED,
    "#<eof>": MALFORMED,
    "#~": MALFORMED,
    "#~x": MALFORMED,
    "#lang racket": MALFORMED,
    "#lang": MALFORMED,
    "#reader foo": MALFORMED,
    "#!eof": MALFORMED,
    "#!x": MALFORMED,
    "#!\u03bb": MALFORMED,
    "#c": MALFORMED,
    "#ca": MALFORMED,
    "#g": MALFORMED,
    "#z": MALFORMED,
    "#)": MALFORMED,
    "#]": MALFORMED,
    "#}": MALFORMED,
    "#*": MALFORMED,
    "#/": MALFORMED,
    "#@": MALFORMED,
    "#=": MALFORMED,
    "#>": MALFORMED,
    "#?": MALFORMED,
    "#^": MALFORMED,
    "#_": MALFORMED,
    "#$": MALFORMED,
    "##": MALFORMED,
    "#+1": MALFORMED,
    "#-1": MALFORMED,
    "#vu8(1)": MALFORMED,
    "#S(a)": MALFORMED,
    "#A(1)": MALFORMED,
    "#V": MALFORMED,
    "#N": MALFORMED,
    "#\u03bb": MALFORMED,
    "# x": MALFORMED,
    ".": MALFORMED,
    ") x": MALFORMED,
    "]": MALFORMED,
    "}": MALFORMED,
}


class RecordedTests(SynchronousTestCase):
    """Each of the tables above, whole and octet by octet."""

    def test_names(self) -> None:
        self.assertEqual(wrong(NAMES), {})

    def test_quoted_names(self) -> None:
        self.assertEqual(wrong(QUOTED_NAMES), {})

    def test_delimited(self) -> None:
        self.assertEqual(wrong(DELIMITED), {})

    def test_strings(self) -> None:
        self.assertEqual(wrong(STRINGS), {})

    def test_escapes(self) -> None:
        self.assertEqual(wrong(ESCAPES), {})

    def test_octets(self) -> None:
        self.assertEqual(wrong(OCTETS), {})

    def test_characters(self) -> None:
        self.assertEqual(wrong(CHARACTERS), {})

    def test_booleans(self) -> None:
        self.assertEqual(wrong(BOOLEANS), {})

    def test_here_strings(self) -> None:
        self.assertEqual(wrong(HERE_STRINGS), {})

    def test_others(self) -> None:
        self.assertEqual(wrong(OTHERS), {})

    def test_refused(self) -> None:
        self.assertEqual(wrong(REFUSED), {})


class ValueTests(SynchronousTestCase):
    """What atoms are in Python."""

    def test_symbols_are_no_strings(self) -> None:
        self.assertEqual(read(b'a\n"a"\n#"a"\n#\\a\n')[0], [Symbol("a"), "a", Opaque("byte string"), Char(97)])
        self.assertNotEqual(Symbol("a"), "a")

    def test_names_have_no_quotes(self) -> None:
        for text in ("|a b|", "a\\ b", "a| |b", "|a|\\ |b|", "\\a\\ \\b"):
            self.assertEqual(read(text.encode() + b"\n")[0], [Symbol("a b")])

    def test_quoted_numbers_are_symbols(self) -> None:
        for text in ("|1|", "\\1", "1||", "||1"):
            self.assertEqual(read(text.encode() + b"\n")[0], [Symbol("1")])

    def test_bars_hold_what_would_end_a_symbol(self) -> None:
        self.assertEqual(read(b'|(a) "b" ;c\n#|\\|d\n')[0], [Symbol('(a) "b" ;c\n#|d')])

    def test_booleans_are_python_s(self) -> None:
        data, _ = read(b"#t\n#f\n#true\n#false\n#T\n#F\n")
        self.assertEqual(list(map(repr, data)), ["True", "False", "True", "False", "True", "False"])

    def test_characters_are_code_points(self) -> None:
        for text, code in (
            ("a", 97),
            ("space", 32),
            ("u3bb", 0x3BB),
            ("U10FFFF", 0x10FFFF),
            ("101", 65),
            ("\u4e2d", 0x4E2D),
        ):
            self.assertEqual(read(f"#\\{text}\n".encode())[0], [Char(code)])

    def test_kinds_of_what_is_not_kept(self) -> None:
        for text, kind in (
            ("#:a", "keyword"),
            ("#&a", "box"),
            ('#rx"a"', "regular expression"),
            ('#"a"', "byte string"),
            ("#<<E\nE", "here string"),
            ("1t0", "number in another notation"),
            ("#hash()", "hash table"),
        ):
            self.assertEqual(read(text.encode() + b"\n")[0], [Opaque(kind)])

    def test_a_regular_expression_is_not_looked_at(self) -> None:
        self.assertEqual(read(b'#rx"("\n#px"\\\\"\n')[0], [Opaque("regular expression")] * 2)

    def test_every_delimiter_ends_names_but_not_in_bars(self) -> None:
        for mark in "()[]{}\",'`; \t\n\u00a0\ufeff":
            self.assertEqual(read(f"a{mark}b\n".encode())[0][0], Symbol("a"))
            self.assertEqual(read(f"|a{mark}b|\n".encode())[0][0], Symbol(f"a{mark}b"))
            self.assertEqual(read(f"a\\{mark}b\n".encode())[0][0], Symbol(f"a{mark}b"))

    def test_nearly_names_of_characters(self) -> None:
        for name in ("spac", "spacee", "Spacex", "linefeedlinefeed", "backspaces", "nuls"):
            self.assertEqual(read(f"#\\{name}\n".encode())[1], MALFORMED)
