"""The tests' own browser: what a page still asks for when a test ends stays within the test."""

from __future__ import annotations

import unittest
from time import sleep

from twisted.trial.unittest import SynchronousTestCase

from tests.web.browser import NO_CHROMIUM, ORIGIN, BrowserTestCase, PageTestCase

# Asks again and again, as the lobby does, so that a request waits for its answer whenever the test ends.
ASKING = """() => { setInterval(() => fetch("/static/app.css").catch(() => {}), 2); }"""
WAITING = 0.1  # seconds in which nobody answers the page


class Board(BrowserTestCase):
    """A test with the shared page that ends while the page asks for something."""

    def ends_early(self) -> None:
        self.page.goto(ORIGIN + "/")
        # The blank page's style sheet is of no game.
        self.errors.clear()
        self.page.evaluate(ASKING)
        sleep(WAITING)

    def is_routed_anew(self) -> None:
        self.page.goto(ORIGIN + "/")
        self.errors.clear()


class Whole(PageTestCase):
    """The same with a page of its own."""

    def ends_early(self) -> None:
        self.visit("/nowhere")
        self.errors.clear()
        self.page.evaluate(ASKING)
        sleep(WAITING)


class EndTests(SynchronousTestCase):
    skip = NO_CHROMIUM

    def run_all(self, *tests: BrowserTestCase) -> None:
        result = unittest.TestResult()
        for test in tests:
            test.run(result)
        self.assertEqual((result.testsRun, result.errors, result.failures), (len(tests), [], []))

    def test_the_shared_page(self) -> None:
        self.run_all(Board("ends_early"), Board("is_routed_anew"))

    def test_a_page_of_its_own(self) -> None:
        self.run_all(Whole("ends_early"))
