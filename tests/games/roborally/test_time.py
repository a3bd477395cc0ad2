"""The time for the decisions of the clean-up: MBD and MRR.

Source: docs/specs/roborally.md#34-a-turn, docs/specs/roborally.md#351-common-rules,
docs/specs/roborally.md#354-mbd-and-tbd, docs/specs/roborally.md#355-mrr-and-trr.
"""

from __future__ import annotations

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import LEFT
from gamed.games.roborally.rules.game import RoboRally
from gamed.games.roborally.rules.moves import Deal
from gamed.games.roborally.rules.state import State, deck, hand_sizes
from tests.games.roborally.gathering import Gathering, Peer, gathering, usual

TURNING = range(7, 43)
"""The cards that turn a robot where it stands: to the left and to the right by turns."""


def draw(_self: RoboRally, state: State, _random: object) -> Deal:
    """Deal nothing but cards that turn."""
    there = deck(state)
    return Deal(tuple(card for card in TURNING if card in there)[: sum(hand_sizes(state))])


class DecisionTests(SynchronousTestCase):
    """Three robots turn on the first flag, where damage is repaired; Carl is asked something at the end of a turn."""

    def setUp(self) -> None:
        self.patch(RoboRally, "draw", draw)
        self.found: Gathering = gathering()
        self.anna, self.bert, self.carl = self.found.joins("Anna", "Bert", "Carl")
        self.found.starts(self.anna, self.bert, self.carl)

    def program(self, *peers: Peer) -> None:
        for peer in peers:
            self.assertEqual([line[:4] for line in peer.hears()], ["MRP("], peer.name)
            peer.says(usual(peer.name, "MRP"))

    def carl_is_hurt(self, damage: int, *locked: int) -> None:
        """Change Carl's robot where it stands: nothing in this turn would do it."""
        state = self.found.table.state
        hurt = state.robots[2]._replace(damage=damage, locked=locked)
        self.found.table.state = evolve(state, robots=(*state.robots[:2], hurt))

    def asked_to_stay_down(self) -> None:
        self.program(self.anna, self.bert)
        self.carl.says("TRP(Carl,(1,2,3,4,5,),t)")
        self.program(self.anna, self.bert)
        self.assertEqual(self.carl.hears(), ["MBD"])

    def asked_for_repairs(self) -> None:
        self.carl.says(usual("Carl", "MRP"))
        self.program(self.bert)
        self.carl_is_hurt(5, 5)
        self.program(self.anna)
        self.assertEqual(self.carl.hears(), ["MRR(1)"])

    def asked_for_repairs_at_power_down(self) -> None:
        self.carl.says("TRP(Carl,(1,2,3,4,5,),t)")
        self.program(self.bert)
        self.carl_is_hurt(6, 4, 5)
        self.program(self.anna)
        self.assertEqual(self.carl.hears(), ["MRR(1)"])
        self.found.passes(59)
        # Each request has its own time.
        self.assertEqual(self.carl.says("TRR(Carl,5,)"), ["MRR(5)"])

    def too_late(self) -> None:
        """See that Carl is removed when the time is over, not before, and that the others go on with the next turn."""
        self.assertEqual((self.anna.hears(), self.bert.hears()), ([], []))
        self.found.passes(59.9)
        self.assertEqual(self.carl.says("GSS", "GTO"), ["SS(LAU)", "TO(60)"])
        self.assertEqual(self.anna.hears(), [])
        self.found.passes(0.1)
        self.assertEqual((self.carl.hears(), self.carl.is_closed), (["REN(TO)"], True))
        (left,) = self.found.rooms[0].history.of_kind(LEFT)
        self.assertEqual((left.seat, left.data["why"], left.data["taken"]), (2, "time", 60_000))
        for peer in (self.anna, self.bert):
            self.assertEqual([line[:4] for line in peer.hears()], ["MRP("])
            self.assertEqual(peer.says("GRS(Carl)", "GSN"), ["RSE", "(Anna,Bert,Carl,)"])

    def in_time(self, answer: str, *, is_down: bool = False) -> None:
        """Answer in the last moment: it counts, and all go on."""
        self.found.passes(59.9)
        heard = self.carl.says(answer)
        self.assertEqual([line[:4] for line in heard], [] if is_down else ["MRP("])
        self.assertEqual([line[:4] for line in self.anna.hears()], ["MRP("])
        self.assertFalse(self.carl.is_closed)

    def test_nobody_says_whether_it_stays_down(self) -> None:
        self.asked_to_stay_down()
        self.too_late()

    def test_nobody_says_what_is_repaired(self) -> None:
        self.asked_for_repairs()
        self.too_late()

    def test_nobody_says_what_is_repaired_at_power_down(self) -> None:
        self.asked_for_repairs_at_power_down()
        self.too_late()

    def test_an_answer_in_the_last_moment(self) -> None:
        self.asked_to_stay_down()
        self.in_time("TBD(Carl,f)")

    def test_repairs_in_the_last_moment(self) -> None:
        self.asked_for_repairs()
        self.in_time("TRR(Carl,5,)")

    def test_repairs_at_power_down_in_the_last_moment(self) -> None:
        self.asked_for_repairs_at_power_down()
        self.in_time("TRR(Carl,4,)", is_down=True)
        self.assertEqual(self.anna.says("GRS(Carl)"), ["RS(N,(9,1),1,(9,1),0,3,()f,t,)"])

    def test_an_answer_after_the_time(self) -> None:
        for asked, answer in ((self.asked_to_stay_down, "TBD(Carl,f)"), (self.asked_for_repairs, "TRR(Carl,5,)")):
            self.setUp()
            asked()
            # The clock goes on, and nothing has ticked yet.
            self.found.harness.clock.rightNow += 60.1
            self.assertEqual(self.carl.says(answer), ["REN(TO)"])
            self.assertTrue(self.carl.is_closed)
            self.assertEqual([line[:4] for line in self.anna.hears()], ["MRP("])
