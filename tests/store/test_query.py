"""Queries, and the refusals that all stores share."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.store.query import Query, conflict, only
from tests.store.examples import summary


class QueryTests(SynchronousTestCase):
    def test_nothing_asked_fits_everything(self) -> None:
        self.assertTrue(Query().matches(summary(1)))

    def test_each_question_counts(self) -> None:
        fitting = Query(kind="battleship", player="Ada", termination="victory", since="2026-11-21")
        self.assertTrue(fitting.matches(summary(1)))
        self.assertFalse(fitting.matches(summary(1, kind="hive")))
        self.assertFalse(fitting.matches(summary(1, names=("Grace",))))
        self.assertFalse(fitting.matches(summary(1, termination="left")))
        self.assertFalse(fitting.matches(summary(1, started="2026-11-20T23:59:59.999Z")))


class OnlyTests(SynchronousTestCase):
    def test_one_is_returned(self) -> None:
        self.assertEqual(only(["x"], "abcd"), "x")

    def test_none_and_several_are_refused_differently(self) -> None:
        none = str(self.assertRaises(StoreError, only, [], "abcd"))
        several = str(self.assertRaises(StoreError, only, ["x", "y"], "abcd"))
        self.assertIn("no record abcd", none)
        self.assertIn("more than one record has an id that begins with abcd", several)

    def test_a_conflict_names_the_id(self) -> None:
        self.assertIn("abcd", str(conflict("abcd")))
