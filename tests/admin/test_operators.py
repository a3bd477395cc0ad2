"""Who is logged in, and what is said to all of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.admin.operators import Operator, Operators
from gamed.core.findings import Finding

FINDING = Finding("impossible", 1, 7, "no fleet is left\x1b[2J")
ROOM: Any = SimpleNamespace(id="6f0c0d9f-0000", culprit=lambda _seat: "Ann")


class OperatorsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.told: list[str] = []
        self.operators = Operators(60.0)
        self.ada = Operator("ada", "192.0.2.1", "web", self.told.append, list, port=4711)
        self.operators.add(self.ada)

    def test_who_has_left_is_forgotten_once(self) -> None:
        self.assertEqual((list(self.operators), list(self.operators.addresses())), ([self.ada], ["192.0.2.1"]))
        self.assertEqual([self.operators.remove(self.ada) for _ in range(2)], [True, False])
        self.assertEqual((len(self.operators), list(self.operators.addresses())), (0, []))

    def test_all_may_leave_while_they_are_told_something(self) -> None:
        self.operators.add(Operator("grace", "192.0.2.2", "ssh", self.told.append, list))
        for operator in self.operators:
            self.operators.remove(operator)
        self.assertEqual(len(self.operators), 0)

    def test_a_finding_is_shown_to_all_and_cannot_command_a_terminal(self) -> None:
        self.operators.alarm(ROOM, FINDING)
        self.assertEqual(self.told, ["6f0c0d9f finding impossible seat 1 Ann: no fleet is left\\x1b[2J\n"])

    def test_a_terminal_that_fails_costs_the_others_nothing(self) -> None:
        self.operators.remove(self.ada)
        for tell in ([].pop, self.told.append):
            self.operators.add(Operator("ada", "192.0.2.1", "web", tell, list))
        self.operators.alarm(ROOM, FINDING)
        self.assertEqual(len(self.told), 1)
        self.assertEqual(len(self.flushLoggedErrors(TypeError)), 1)
