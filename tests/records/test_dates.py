"""Dates as people write them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.go.dates import iso


class DateTests(SynchronousTestCase):
    def test_the_first_date_of_a_text(self) -> None:
        for said, found in {
            "2001-08-01": "2001-08-01",
            "2001-08-01,02": "2001-08-01",
            "2001-08": "2001-08",
            "1846": "1846",
            "August 1, 2001": "2001-08-01",
            "1st of August 2001": "2001-08-01",
            "Aug. 2001": "2001-08",
            "2. M\u00e4rz 1999": "1999-03-02",
            "2001/8/1": "2001-08-01",
            "2001\u5e748\u67081\u65e5": "2001-08-01",
            "20010801": "2001-08-01",
            "1.8.2001": "2001-08-01",
            "8/21/2001": "2001-08-21",
            "21/8/2001": "2001-08-21",
            "1/8/2001": "2001",
            "2001-08-01 21:49": "2001-08-01",
            "played in summer 1843, or so": "1843",
            "2001-13-01": "2001",
            "2001-02-31": "2001-02",
            "0000-01-01": "",
            "unknown": "",
            "": "",
        }.items():
            self.assertEqual(iso(said), found, said)
        self.assertEqual(iso(None), "")

    @given(st.text(max_size=40) | st.text("0123456789-/. ", max_size=20))
    def test_whatever_it_says_can_be_sorted(self, said: str) -> None:
        self.assertRegex(iso(said), r"\A(\d{4}(-\d\d(-\d\d)?)?)?\Z")
