"""What the reader keeps of messages for those who look for their mistake: texts, what is missing, why it refuses."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.wire.sexpr import SHOWN, DatumReader
from tests.wire.reading import datums, octets

STREAM = b'(play)\n  ; a comment\n(a\n b) (c) #| x |#\r\n|x\ny| z\n"\xce\xa9\xff"\n#;(no) 17\n(wait)\n'
TEXTS = [
    ("(play)", ""),
    ("(a\n b) (c) #| x |#\r", " (c) #| x |#\r"),
    ("|x\ny| z", " z"),
    ('"Ω\ufffd"', ""),
    ("#;(no) 17", ""),
    ("(wait)", ""),
]


def texts(pieces: Iterable[bytes]) -> list[tuple[str, str]]:
    reader = DatumReader()
    found = []
    for piece in pieces:
        reader.receive_data(piece)
        found += [(text.removesuffix("\n"), rest) for _, text, rest in reader.messages()]
    return found


def refused(text: str) -> RemoteProtocolError:
    reader = DatumReader()
    reader.receive_data(text.encode() + b"\n")
    try:
        list(datums(reader))
    except RemoteProtocolError as error:
        return error
    raise AssertionError(f"{text} is taken")


def begun(data: bytes) -> DatumReader:
    reader = DatumReader()
    reader.receive_data(data)
    list(datums(reader))
    return reader


class TextTests(SynchronousTestCase):
    def test_each_message_is_kept_as_it_came(self) -> None:
        self.assertEqual(texts([STREAM]), TEXTS)
        self.assertEqual(texts(octets(STREAM)), TEXTS)

    @given(st.lists(st.integers(1, len(STREAM) - 1), unique=True).map(sorted))
    def test_in_whatever_pieces(self, cuts: list[int]) -> None:
        edges = [0, *cuts, len(STREAM)]
        pieces = [STREAM[start:end] for start, end in itertools.pairwise(edges)]
        self.assertEqual(texts(pieces), TEXTS)

    def test_of_long_ones_the_beginning(self) -> None:
        long = b"(" + b"x" * 1_000 + b") " + b"y" * 1_000 + b"\n"
        for pieces in ([long], octets(long)):
            ((text, rest),) = texts(pieces)
            self.assertEqual((text, rest), (long[:SHOWN].decode(), (b" " + b"y" * 1_000)[:SHOWN].decode()))


class UnfinishedTests(SynchronousTestCase):
    def test_what_has_come_and_what_is_missing(self) -> None:
        for data, text, ending in (
            (b"", b"", "a line feed"),
            (b"(play)\n", b"", "a line feed"),
            (b"  \n ", b"", "a line feed"),
            (b"(play)", b"(play)", ""),
            (b"(play) (", b"(play) (", ""),
            (b"(a)\n(move [player 4 1", b"(move [player 4 1", "]) and a line feed"),
            (b'(a "b', b'(a "b', ") and a line feed"),
            (b"(move [player 4 1\n", b"(move [player 4 1\n", "]) before the line feed"),
            (b"hello", b"hello", ""),
            (b'"hello', b'"hello', "a line feed"),
        ):
            for reader in (begun(data), begun(data[:3])):
                if reader.unfinished != text:
                    reader.receive_data(data[3:])
                    list(datums(reader))
                self.assertEqual((reader.unfinished, reader.ending), (text, ending), data)

    def test_whether_only_the_line_feed_is_missing(self) -> None:
        texts = (b"", b"(play", b"(play\n", b"(play)", b"(play) ", b"(play)\n", b'"play')
        self.assertEqual([text for text in texts if not begun(text).ending], [b"(play)", b"(play) "])

    def test_it_is_never_long(self) -> None:
        reader = begun(b"(")
        for _ in range(10):
            reader.receive_data(b"x" * 1_000)
        self.assertEqual(reader.unfinished, b"(" + b"x" * (SHOWN - 1))

    def test_half_a_datum_at_the_end_is_known(self) -> None:
        reader = begun(b"(play")
        reader.receive_data(b"")
        self.assertEqual((list(datums(reader)), reader.unfinished), ([], b"(play"))


class SentenceTests(SynchronousTestCase):
    def test_the_reasons_are_sentences(self) -> None:
        for text, words in {
            "#lang racket": "#lang racket begins no datum",
            "#<procedure>": "#<procedure> begins no datum",
            "#tx": "#tx begins no datum",
            ")": ") closes nothing: there is one closing bracket too many",
            "(a]": "] where ) is missing",
            "(a ')": ") closes nothing",
            r'"\q"': "a backslash in a string is written twice",
            r'"\uD83Dx"': "\\uD83D stands for no character",
            r'"\xg"': "\\x stands for no character",
            "1/0": "1/0 is not a number",
            "(a . b c)": "a dot or a closing bracket",
            "#\\newlin": "is not a character",
        }.items():
            self.assertIn(words, str(refused(text)))

    def test_the_message_is_there_and_how_one_is_sent(self) -> None:
        error = refused("(play) \n(move #reader 4 1)\n(wait)")
        self.assertEqual((error.code, error.text), ("malformed-datum", b"(move #reader 4 1)"))
        self.assertIn("a line feed", error.hint)

    def test_what_is_quoted_is_harmless(self) -> None:
        for text in ("#\n", "#\x1b", "#\u2028", '"\\\x1b"'):
            self.assertTrue(str(refused(text)).isprintable(), text)
