"""The encodings of SGF files."""

from __future__ import annotations

from encodings.aliases import aliases

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go import sgf_encodings

NAMES = ["utf-8", "utf-7", "idna", "gbk", "cp037", "shift_jis", "iso-2022-jp", "hz", "\xff"]

ADVICE = "; if names are wrong, choose one with --encoding"


NAMELESS = (b"CA[" * 300_000, b"CA[" + b" " * 1_000_000, b"CA " * 300_000, b"CA" + b" " * 1_000_000)
GUESSED = (b"[" * 500_000 + b"\xff", b"[\xe9" * 200_000, b"\x81" * 500_000, b"[\\\xe9" * 200_000)
"""What would take long to look through if anything were looked at twice: `tests.proofs.test_refusals` measures it."""


class DeclaredTests(SynchronousTestCase):
    def test_the_names_that_a_file_has(self) -> None:
        data = b"(;CA[UTF-8]C[CA\\[x\\]])(;XCA[no]CA [ gbk ])(;CA[rot13])"
        self.assertEqual(sgf_encodings.declared(data), {"utf-8", "gb18030", None})

    def test_names_without_an_end(self) -> None:
        for data in NAMELESS:
            self.assertEqual(sgf_encodings.declared(data), set())

    def test_every_codec_is_pythons_and_holds_what_sgf_is_made_of(self) -> None:
        for name in {sgf_encodings.codec(alias) for alias in aliases} - {None}:
            assert name is not None
            self.assertEqual("(;CA[x])".encode(name), b"(;CA[x])", name)


class DecodedTests(SynchronousTestCase):
    def test_ascii_needs_no_name(self) -> None:
        self.assertEqual(sgf_encodings.decoded(b"(;)"), ("(;)", []))

    def test_letters_in_seven_bits(self) -> None:
        text, notes = sgf_encodings.decoded("(;C[\u56f2\u7881])".encode("iso-2022-jp"))
        self.assertEqual(
            (text, notes),
            ("(;C[\u56f2\u7881])", ["it was read as ISO-2022-JP, because it declares no encoding"]),
        )

    @settings(deadline=None)
    @given(st.binary(max_size=60), st.sampled_from(["", *NAMES]))
    def test_whatever_comes_can_be_written_as_utf_8(self, data: bytes, name: str) -> None:
        text, notes = sgf_encodings.decoded(b"(;CA[" + name.encode("latin-1") + b"]" + data)
        text.encode()
        self.assertTrue(all(notes))

    def test_a_guess_without_a_text(self) -> None:
        for data in GUESSED:
            text, notes = sgf_encodings.decoded(data)
            self.assertEqual(len(text), len(data))
            self.assertEqual(
                notes,
                [f"it was read as Latin-1 (cp1252) by the look of its texts, because it declares no encoding{ADVICE}"],
            )
