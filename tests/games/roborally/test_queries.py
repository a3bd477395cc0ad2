"""What is told of a running turn, and how much may be asked.

Source: docs/reference/roborally.md#configuration, docs/specs/roborally.md#383-the-revealed-cards.
"""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.game import RoboRally
from gamed.games.roborally.rules.moves import Deal
from gamed.games.roborally.rules.state import State, deck, hand_sizes
from tests.games.roborally.gathering import Gathering, Peer, gathering

RATE = 50
STEP = 49
"""The card of one step forward that Carl gets in the second turn."""


def draw(_self: RoboRally, state: State, _random: object) -> Deal:
    """Deal cards that turn, to the left and to the right by turns; the third hand ends with a step."""
    turning = [card for card in range(7, 43) if card in deck(state)]
    sizes = hand_sizes(state)
    hands = turning[: sum(sizes)]
    hands[sum(sizes[:3]) - 1] = STEP
    return Deal(tuple(hands))


def program(name: str, request: str, actions: str, power_down: str = "f") -> tuple[str, list[str]]:
    """Return the answer that puts the first cards with these actions into the registers, and the cards."""
    hand = re.findall(r"PK\(..,\d+\)", request)
    indices: list[int] = []
    for action in actions.split():
        indices.append(next(n for n, card in enumerate(hand, 1) if n not in indices and card[3:5] == action))
    line = f"TRP({name},({''.join(f'{index},' for index in indices)}),{power_down})"
    return line, [hand[index - 1] for index in indices]


class RevealedTests(SynchronousTestCase):
    """In the second turn Bert is powered down, Carl drives off the board in phase 3, and Dora leaves in phase 4."""

    def setUp(self) -> None:
        self.patch(RoboRally, "draw", draw)
        self.found: Gathering = gathering()
        self.players = self.found.joins("Anna", "Bert", "Carl", "Dora")
        self.tafel = self.found.watches()
        self.found.starts(*self.players, self.tafel)
        self.cards: dict[str, list[str]] = {}

    def acknowledged(self) -> str:
        """Say `ok` until cards are revealed, or the channel is told nothing more; return what is shown then."""
        heard = self.tafel.hears() or self.tafel.says("ok")
        while heard and heard != ["NTC()"]:
            heard = self.tafel.says("ok")
        return self.shown()

    def shown(self) -> str:
        return self.tafel.says("GSA")[0]

    def programs(self, peer: Peer, actions: str, power_down: str = "f") -> None:
        (request,) = peer.hears()
        line, self.cards[peer.name] = program(peer.name, request, actions, power_down)
        self.assertEqual(peer.says(line), [])

    def expected(self, phase: int, **counts: int) -> str:
        hands = "".join(f"({name},{''.join(self.cards[name][:count])})" for name, count in counts.items())
        return f"SA({phase},{hands})"

    def second_turn(self) -> None:
        """Play the first turn, and have the second one programmed."""
        anna, bert, carl, dora = self.players
        self.assertEqual(self.acknowledged(), "SA()")
        for peer in self.players:
            self.programs(peer, "RR RL RR RL RR", power_down="t" if peer is bert else "f")
        for phase in range(1, 6):
            shown = self.expected(phase, Anna=phase, Bert=phase, Carl=phase, Dora=phase)
            self.assertEqual(self.acknowledged(), shown)
        self.assertEqual(self.acknowledged(), "SA()")
        self.assertEqual(bert.hears(), [])
        for peer in (anna, dora):
            self.programs(peer, "RL RR RL RR RL")
        self.programs(carl, "RL RR M1 RL RR")

    def test_with_robots_powered_down_destroyed_and_removed_at_once(self) -> None:
        anna, bert, carl, dora = self.players
        self.second_turn()
        for phase in range(1, 4):
            self.assertEqual(self.acknowledged(), self.expected(phase, Anna=phase, Carl=phase, Dora=phase))
        self.assertEqual(self.acknowledged(), self.expected(4, Anna=4, Carl=3, Dora=4))
        self.assertRegex(anna.says("GRS(Carl)")[0], r"^RS\(\w,\(9,1\),1,\(9,1\),10,2,")
        dora.leaves()
        # While the channel looks, nothing changes.
        self.assertEqual(self.shown(), self.expected(4, Anna=4, Carl=3, Dora=4))
        self.assertEqual(self.tafel.says("ok"), ["NTC(Dora,)"])
        for peer in (self.tafel, anna, bert, carl):
            self.assertEqual(peer.says("GSA"), [self.expected(4, Anna=4, Carl=3)])
        self.assertEqual(self.acknowledged(), self.expected(5, Anna=5, Carl=3))
        self.assertEqual(self.acknowledged(), "SA()")
        # Carl is asked for a facing of the new robot, and Bert whether it stays down.
        self.assertEqual((bert.hears(), anna.says("GSN")), (["MBD"], ["(Anna,Bert,Carl,Dora,)"]))

    def test_with_nobody_left_to_be_shown(self) -> None:
        anna, _, carl, dora = self.players
        self.second_turn()
        self.assertEqual(self.acknowledged(), self.expected(1, Anna=1, Carl=1, Dora=1))
        for peer in (anna, dora):
            peer.leaves()
        self.tafel.says("ok")
        self.tafel.says("ok")
        self.assertEqual(self.shown(), self.expected(1, Carl=1))
        carl.leaves()
        self.assertEqual(self.acknowledged(), "SA()")


class RateTests(SynchronousTestCase):
    """Of what a peer says, queries alone have a rate."""

    def setUp(self) -> None:
        self.found = gathering()
        self.found.harness.factory.messages_per_second = float(RATE)

    def test_too_many_queries_wait(self) -> None:
        (anna,) = self.found.joins("Anna")
        self.found.passes(2)
        heard = anna.says(*["GTO"] * (2 * RATE))
        for _ in range(RATE):
            self.found.passes(0)
            heard += anna.hears()
        self.assertEqual(len(heard), RATE)
        for _ in range(10):
            self.found.passes(0.101)
            heard += anna.hears()
        self.assertEqual(heard, ["TO(60)"] * (2 * RATE))

    def test_nothing_else_does(self) -> None:
        (anna,) = self.found.joins("Anna")
        self.found.passes(2)
        heard = anna.says(*["ok", "error"] * RATE, "GSS")
        for _ in range(RATE):
            self.found.passes(0)
            heard += anna.hears()
        self.assertEqual(heard, ["SS(LAU)"])

    def test_the_order_is_kept(self) -> None:
        anna, _ = self.found.joins("Anna", "Bert")
        self.found.passes(self.found.settings.start_delay)
        self.assertEqual(anna.hears(), ["NTS"])
        heard = anna.says(*["GTO"] * (RATE + 1), "ok")
        for _ in range(RATE):
            self.found.passes(0)
            heard += anna.hears()
        self.assertEqual(heard, ["TO(60)"] * RATE)
        self.found.passes(0.1)
        self.assertEqual(anna.hears(), ["TO(60)", "MNR"])
