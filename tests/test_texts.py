"""Texts and times in the form for people."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.texts import printable, timestamp


class PrintableTests(SynchronousTestCase):
    def test_what_a_terminal_does_not_show_is_spelled_out(self) -> None:
        for text, shown in (
            ("Ada", "Ada"),
            ("ä\\", "ä\\"),
            ("a\nb", "a\\nb"),
            ("\x1b[2J", "\\x1b[2J"),
            ("\u202e", "\\u202e"),
        ):
            self.assertEqual(printable(text), shown)

    @given(st.text())
    def test_whatever_it_is_no_terminal_is_commanded(self, text: str) -> None:
        self.assertTrue(printable(text).isprintable())


class TimestampTests(SynchronousTestCase):
    def test_it_has_milliseconds_and_a_z(self) -> None:
        self.assertEqual(timestamp(datetime(2026, 11, 23, 14, 0, 0, 1_999, tzinfo=UTC)), "2026-11-23T14:00:00.001Z")
