"""The deck. Source: docs/specs/roborally.md#411-the-deck."""

from __future__ import annotations

from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.cards import ACTIONS, DECK, QUARTERS, STEPS, Action


class DeckTests(SynchronousTestCase):
    def test_84_cards(self) -> None:
        self.assertEqual(DECK, frozenset(range(1, 85)))
        self.assertEqual(list(ACTIONS), list(range(1, 85)))

    def test_how_many_of_each(self) -> None:
        counts = Counter(action.value for action in ACTIONS.values())
        self.assertEqual(counts, {"UT": 6, "RL": 18, "RR": 18, "BU": 6, "M1": 18, "M2": 12, "M3": 6})

    def test_priorities(self) -> None:
        def of(action: Action) -> list[int]:
            return [card for card, its in ACTIONS.items() if its is action]

        self.assertEqual(of(Action.UT), list(range(1, 7)))
        self.assertEqual(of(Action.RL), list(range(7, 42, 2)))
        self.assertEqual(of(Action.RR), list(range(8, 43, 2)))
        self.assertEqual(of(Action.BU), list(range(43, 49)))
        self.assertEqual(of(Action.M1), list(range(49, 67)))
        self.assertEqual(of(Action.M2), list(range(67, 79)))
        self.assertEqual(of(Action.M3), list(range(79, 85)))

    def test_what_they_do(self) -> None:
        done = {action: (QUARTERS[card], STEPS[card]) for card, action in ACTIONS.items()}
        self.assertEqual(
            done,
            {
                Action.UT: (2, 0),
                Action.RL: (3, 0),
                Action.RR: (1, 0),
                Action.BU: (0, -1),
                Action.M1: (0, 1),
                Action.M2: (0, 2),
                Action.M3: (0, 3),
            },
        )

    def test_no_card_does_nothing(self) -> None:
        self.assertEqual((QUARTERS[0], STEPS[0]), (0, 0))
