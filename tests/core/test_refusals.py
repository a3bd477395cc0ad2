"""Refusals: what a peer sent in vain, kept, and shown without what must not be seen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.refusals import KEPT, SHOWN, Refusal, Refusals, described, shown

CODE = "0a1b2c3d-1111-4222-8333-444455556666"


class RefusalsTests(SynchronousTestCase):
    def test_the_first_ones_are_kept_and_all_are_counted(self) -> None:
        refusals = Refusals()
        kept = [refusals.add(Refusal("a" if number % 2 else "b", f"reason {number}")) for number in range(25)]
        self.assertEqual(kept, [True] * KEPT + [False] * 15)
        self.assertEqual([refusal.reason for refusal in refusals.first], [f"reason {number}" for number in range(10)])
        self.assertEqual((refusals.total, refusals.summary), (25, "13 b, 12 a"))
        self.assertEqual(
            refusals.reasons,
            {
                name: "; ".join(f"reason {number}" for number in range(first, KEPT, 2))
                for first, name in ((0, "b"), (1, "a"))
            },
        )
        refusals.add(Refusal("a", "reason 1"))
        self.assertEqual(refusals.reasons["a"].count("reason 1"), 1)

    def test_the_first_of_each_code_is_kept_however_many_came_before(self) -> None:
        refusals = Refusals()
        kept = [refusals.add(Refusal(code, "reason")) for code in [*["a"] * 20, "thrown-out", "a", "thrown-out"]]
        self.assertEqual(kept, [True] * KEPT + [False] * 10 + [True, False, False])
        self.assertEqual(refusals.first[-1].code, "thrown-out")

    def test_of_a_long_message_only_a_part_is_kept(self) -> None:
        refusals = Refusals()
        refusals.add(Refusal("a", "b", text=b"x" * 1_000_000))
        self.assertLess(len(refusals.first[0].text), 1_000)
        self.assertEqual(shown(refusals.first[0].text), "x" * SHOWN + "…")


class ShownTests(SynchronousTestCase):
    def test_a_message_is_shown_as_it_came(self) -> None:
        self.assertEqual(shown(b"(move player 4 1) \xc3\xa9"), "(move player 4 1) é")

    def test_what_could_command_a_terminal_is_spelled_out(self) -> None:
        self.assertEqual(shown(b"\x1b[2J\r\n\xe2\x80\xae\xff"), "\\x1b[2J\\r\\n\\u202e\\xff")

    def test_a_long_message_is_cut(self) -> None:
        self.assertEqual(shown(b"x" * 10_000), "x" * SHOWN + "…")
        self.assertEqual(shown(b"x" * SHOWN), "x" * SHOWN)

    def test_passwords_are_taken_out(self) -> None:
        for message in (
            b'<authenticate password="hunter2"/>',
            b"<authenticate passphrase='hunter2'/>",
            b"<authenticate PASSWORD = hunter2 />",
            b"<password>hunter2</password>",
            b'<authenticate password="hunter2',
            '<authenticate password="hunter2"/>'.encode("utf-16-le"),
            '<authenticate password="hunter2"/>'.encode("utf-16-be"),
        ):
            text = shown(message).replace("\\x00", "")
            self.assertNotIn("hunter2", text, message)
            self.assertIn("[removed]", text, message)

    def test_quotation_marks_around_a_secret_stay(self) -> None:
        for message, harmless in (
            ('<joinPrepared reservation="x1"/>', '<joinPrepared reservation="[removed]"/>'),
            ("<a password='x1'/>", "<a password='[removed]'/>"),
            ('<a password="x1', '<a password="[removed]'),
            ('<a password="', '<a password="[removed]'),
            ("password=x1", "password=[removed]"),
        ):
            self.assertEqual(shown(message.encode()), harmless)

    def test_nuls_are_shown(self) -> None:
        self.assertEqual(shown("(1".encode("utf-16-be")), "\\x00(\\x001")
        self.assertEqual(shown(b"\0\x0b(1,[3,4])."), "\\x00\\x0b(1,[3,4]).")

    def test_half_a_code_in_utf_16_at_the_end_of_a_long_message_is_not_shown(self) -> None:
        for before in range(400):
            message = 'password="x" ' + " " * before + CODE + " " * 400
            text = shown(message.encode("utf-16-le"), lambda text: text == CODE)
            self.assertTrue(text.startswith('password="[removed]" '), text)
            self.assertNotIn(CODE[:8], text)

    def test_reservation_codes_are_taken_out_wherever_they_are(self) -> None:
        for message in (f'<joinPrepared reservationCode="{CODE}"/>', f"<join room='{CODE}'/>", CODE.upper()):
            text = shown(message.encode(), lambda text: text == CODE)
            self.assertNotIn(CODE[:8], text.lower(), message)
            self.assertIn("[removed]", text)
        self.assertIn(CODE, shown(f'<room roomId="{CODE}">'.encode()))

    @given(st.integers(0, 2_000))
    def test_half_a_code_at_the_end_of_a_long_message_is_not_shown(self, before: int) -> None:
        text = shown(b"\\" * 0 + b'="' * before + CODE.encode() + b" " * 2_000, lambda text: text == CODE)
        self.assertNotIn(CODE[:8], text)

    @given(st.binary(max_size=2_000))
    def test_anything_is_shown_printable_and_short(self, message: bytes) -> None:
        text = shown(message)
        self.assertTrue(text.isprintable())
        self.assertLessEqual(len(text), SHOWN + 1)

    def test_a_refusal_is_one_line(self) -> None:
        refusal = Refusal("unknown-word", "there is no such word", "(play) or (wait)", b"(hello)")
        self.assertEqual(described(refusal), 'there is no such word; expected: (play) or (wait); message: "(hello)"')
        self.assertEqual(described(Refusal("full", "the table is full")), "the table is full")
