"""The scenarios of the specification, and our own for players who leave.

Source: docs/specs/roborally.md#6-scenarios; scenarios.json.
"""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.games.roborally.scenarios import failures, scenarios


class ScenarioTests(SynchronousTestCase):
    def test_all_scenarios_of_the_specification(self) -> None:
        all_of_them = scenarios("scenarios.json")
        self.assertEqual(len(all_of_them), 100)
        self.assertEqual([failure for scenario in all_of_them for failure in failures(scenario)], [])

    def test_our_own_of_players_who_leave(self) -> None:
        ours = scenarios("leaving.json")
        self.assertGreaterEqual(len(ours), 3)
        self.assertEqual([failure for scenario in ours for failure in failures(scenario)], [])

    def test_a_wrong_expectation_is_noticed(self) -> None:
        scenario = scenarios("scenarios.json")[0]
        told = {**scenario, "expect": {"A": {"at": [2, 2], "dir": "N"}}, "requests": ["A:MNR"], "ended": ["A"]}
        self.assertEqual(
            failures(told),
            [
                "move-forward-2: A.at is [2, 3], not [2, 2]",
                "move-forward-2: requests is [], not ['A:MNR']",
                "move-forward-2: ended is None, not ['A']",
            ],
        )
