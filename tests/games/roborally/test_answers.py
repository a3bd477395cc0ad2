"""What is asked, which answers are legal, and the code of each kind of cheating.

Source: docs/specs/roborally.md#35-move-requests.
"""

from __future__ import annotations

from itertools import islice

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn, RuleError
from gamed.core.game import CHANCE
from gamed.games.roborally.rules.answers import deal, legal, opening, take
from gamed.games.roborally.rules.elements import DIRECTIONS, Direction
from gamed.games.roborally.rules.moves import (
    AskFacing,
    AskProgram,
    AskRepairs,
    AskStayDown,
    Deal,
    Facing,
    Program,
    Repairs,
    StayDown,
)
from gamed.games.roborally.rules.robots import EMPTY
from gamed.games.roborally.rules.state import Stage, State, deck, hand_sizes, requests
from tests.games.roborally.making import CARDS, E, W, empty, plan, robot, state

HAND = (79, 7, 8, 49, 50, 67, 43, 1, 2)


def programming(*hands: tuple[int, ...], waiting: set[int] | None = None, **its: object) -> State:
    """Return a position in which robots, all alike, are asked for programs."""
    asked = frozenset(range(len(hands)) if waiting is None else waiting)
    robots = [robot(number + 1, 1, **its) for number in range(len(hands))]
    return state(empty(8, 1), *robots, stage=Stage.PROGRAM, hands=hands, waiting=asked)


def repairing(damage: int, locked: tuple[int, ...], points: int = 2, stage: Stage = Stage.REPAIR) -> State:
    layout = plan("_", f"_R({points})_", "_")
    its = robot(1, 1, damage=damage, locked=locked, registers=CARDS, is_announced=stage is Stage.POWER)
    return state(layout, its, stage=stage, waiting=frozenset({0}))


class CodeTests(SynchronousTestCase):
    """Checks the codes of refusals."""

    def code(self, position: State, seat: int, answer: object, kind: type[RuleError] = IllegalMove) -> str:
        return self.assertRaises(kind, take, position, seat, answer).code


class ProgramTests(CodeTests):
    def test_registers_in_order(self) -> None:
        after = take(programming(HAND), 0, Program((4, 1, 9, 2, 8)))
        self.assertEqual(after.robots[0].registers, (49, 79, 2, 7, 1))
        self.assertFalse(after.robots[0].is_announced)

    def test_open_registers_only(self) -> None:
        position = programming((1, 52), damage=7, locked=(1, 3, 5), registers=(60, None, 61, None, 62))
        self.assertEqual(take(position, 0, Program((2, 1))).robots[0].registers, (60, 52, 61, 1, 62))

    def test_power_down_is_announced(self) -> None:
        """D33: also undamaged."""
        self.assertTrue(take(programming(HAND), 0, Program((1, 2, 3, 4, 5), power_down=True)).robots[0].is_announced)

    def test_all_registers_locked(self) -> None:
        position = programming((), damage=9, locked=(1, 2, 3, 4, 5), registers=CARDS)
        self.assertEqual(requests(position), {0: AskProgram(())})
        after = take(position, 0, Program((), power_down=True))
        self.assertTrue(after.robots[0].is_announced)
        self.assertEqual(list(legal(position, 0)), [Program(()), Program((), power_down=True)])

    def test_the_rest_of_the_hand_is_put_away(self) -> None:
        after = take(programming(HAND, HAND), 0, Program((1, 2, 3, 4, 5)))
        self.assertEqual(after.hands, ((), HAND))

    def test_the_last_program_begins_the_phases(self) -> None:
        position = programming(HAND, HAND)
        position = take(position, 1, Program((1, 2, 3, 4, 5)))
        self.assertEqual((position.stage, position.waiting), (Stage.PROGRAM, {0}))
        position = take(position, 0, Program((1, 2, 3, 4, 5)))
        self.assertEqual((position.stage, position.waiting), (Stage.REVEAL, frozenset()))

    def test_cheating(self) -> None:
        position = programming(HAND)
        self.assertEqual(self.code(position, 0, Program((1, 2, 3, 4))), "card-count")
        self.assertEqual(self.code(position, 0, Program((1, 2, 3, 4, 5, 6))), "card-count")
        self.assertEqual(self.code(position, 0, Program(())), "card-count")
        self.assertEqual(self.code(position, 0, Program((0, 1, 2, 3, 4))), "card-index")
        self.assertEqual(self.code(position, 0, Program((1, 2, 3, 4, 10))), "card-index")
        self.assertEqual(self.code(position, 0, Program((1, 1, 2, 3, 4))), "card-twice")

    def test_the_index_counts_the_own_hand(self) -> None:
        position = programming(HAND[:5], damage=4)
        self.assertEqual(self.code(position, 0, Program((1, 2, 3, 4, 6))), "card-index")

    def test_refused_programs_change_nothing(self) -> None:
        position = programming(HAND)
        self.code(position, 0, Program((1, 1, 2, 3, 4)))
        self.assertEqual(position, programming(HAND))

    def test_no_way_back(self) -> None:
        """An answer in time is final."""
        position = take(programming(HAND, HAND), 0, Program((1, 2, 3, 4, 5)))
        self.assertEqual(self.code(position, 0, Program((1, 2, 3, 4, 5)), NotYourTurn), "out-of-turn")

    def test_legal_programs(self) -> None:
        programs = list(legal(programming(HAND), 0))
        self.assertEqual(len(programs), 2 * 9 * 8 * 7 * 6 * 5)
        self.assertEqual(len(set(programs)), len(programs))
        position = programming(HAND)
        for program in programs[::997]:
            self.assertEqual(take(position, 0, program).stage, Stage.REVEAL)

    def test_legal_programs_are_made_lazily(self) -> None:
        self.assertEqual(list(islice(legal(programming(HAND), 0), 1)), [Program((1, 2, 3, 4, 5))])


class FacingTests(CodeTests):
    def test_asked_at_the_start_and_after_a_destruction(self) -> None:
        for stage in (Stage.FACING, Stage.NEW_ROBOTS):
            position = state(empty(2, 1), robot(1, 1), robot(2, 1), stage=stage, waiting=frozenset({0, 1}))
            self.assertEqual(requests(position), {0: AskFacing(), 1: AskFacing()})
            self.assertEqual(list(legal(position, 0)), [Facing(facing) for facing in DIRECTIONS])

    def test_answers_take_effect_together(self) -> None:
        """3.8.1: meanwhile everybody sees the state before."""
        position = state(empty(2, 1), robot(1, 1), robot(2, 1), stage=Stage.FACING, waiting=frozenset({0, 1}))
        after = take(position, 0, Facing(E))
        self.assertEqual(after.robots, position.robots)
        self.assertEqual(after.waiting, {1})

    def test_the_order_of_answers_does_not_matter(self) -> None:
        position = state(empty(2, 1), robot(1, 1), robot(2, 1), stage=Stage.FACING, waiting=frozenset({0, 1}))
        one = take(take(position, 0, Facing(E)), 1, Facing(W))
        other = take(take(position, 1, Facing(W)), 0, Facing(E))
        self.assertEqual(one, other)

    def test_no_direction(self) -> None:
        position = state(empty(2, 1), robot(1, 1), stage=Stage.FACING, waiting=frozenset({0}))
        self.assertEqual(self.code(position, 0, Facing("N"), InvalidMove), "invalid-move")


class StayDownTests(CodeTests):
    def test_both(self) -> None:
        its = robot(1, 1, is_active=False, registers=CARDS)
        position = state(empty(2, 1), its, stage=Stage.STAY_DOWN, waiting=frozenset({0}))
        self.assertEqual(requests(position), {0: AskStayDown()})
        self.assertEqual(list(legal(position, 0)), [StayDown(stays=False), StayDown(stays=True)])
        for stays in (False, True):
            after = take(position, 0, StayDown(stays))
            self.assertEqual((after.robots[0].is_announced, after.waiting), (stays, frozenset()))


class RepairTests(CodeTests):
    def test_points_are_not_cut_to_the_damage(self) -> None:
        self.assertEqual(requests(repairing(5, (5,), points=200)), {0: AskRepairs(200)})

    def test_how_many_are_opened(self) -> None:
        def opened(damage: int, points: int) -> int:
            return opening(repairing(damage, tuple(range(10 - damage, 6)), points), 0)

        self.assertEqual([opened(damage, 1) for damage in range(5, 10)], [1, 1, 1, 1, 1])
        self.assertEqual([opened(damage, 3) for damage in range(5, 10)], [1, 2, 3, 3, 3])
        self.assertEqual([opened(damage, 255) for damage in range(5, 10)], [1, 2, 3, 4, 5])

    def test_free_choice(self) -> None:
        """D25."""
        position = repairing(7, (2, 4, 5))
        choices = list(legal(position, 0))
        self.assertEqual(choices, [Repairs((2, 4)), Repairs((2, 5)), Repairs((4, 5))])
        for choice in [*choices, Repairs((5, 2))]:
            self.assertEqual(take(position, 0, choice).answers, ((0, choice),))

    def test_cheating(self) -> None:
        position = repairing(7, (2, 4, 5))
        self.assertEqual(self.code(position, 0, Repairs((2,))), "register-count")
        self.assertEqual(self.code(position, 0, Repairs((2, 4, 5))), "register-count")
        self.assertEqual(self.code(position, 0, Repairs(())), "register-count")
        self.assertEqual(self.code(position, 0, Repairs((4, 4))), "register-twice")
        self.assertEqual(self.code(position, 0, Repairs((3, 4))), "register-open")

    def test_a_power_down_opens_all(self) -> None:
        position = repairing(6, (4, 5), stage=Stage.POWER)
        self.assertEqual(requests(position), {0: AskRepairs(6)})
        self.assertEqual(list(legal(position, 0)), [Repairs((4, 5))])
        self.assertEqual(self.code(position, 0, Repairs((4,))), "register-count")


class QuestionTests(CodeTests):
    def test_nobody_is_asked(self) -> None:
        position = programming(HAND, HAND, waiting={1})
        for seat in (0, 2, CHANCE):
            self.assertEqual(self.code(position, seat, Program((1, 2, 3, 4, 5)), NotYourTurn), "out-of-turn")

    def test_something_else_is_asked(self) -> None:
        answers = {
            Stage.FACING: Facing(Direction.N),
            Stage.PROGRAM: Program((1, 2, 3, 4, 5)),
            Stage.STAY_DOWN: StayDown(stays=True),
            Stage.REPAIR: Repairs((5,)),
        }
        for stage in answers:
            position = state(empty(1, 1), robot(1, 1), stage=stage, waiting=frozenset({0}), hands=(HAND,))
            for other, answer in answers.items():
                if other is not stage:
                    self.assertEqual(self.code(position, 0, answer, NotYourTurn), "other-question")


class DealTests(SynchronousTestCase):
    def dealing(self) -> State:
        robots = (
            robot(1, 1),
            robot(2, 1, damage=3),
            robot(3, 1, damage=9, locked=(1, 2, 3, 4, 5), registers=CARDS),
            robot(4, 1, is_active=False, registers=(52, 11, 69, 12, 53)),
            robot(5, 1, lives=0, damage=10),
        )
        return state(empty(5, 1), *robots, stage=Stage.DEAL)

    def code(self, position: State, cards: tuple[int, ...], seat: int = CHANCE) -> str:
        return self.assertRaises(RuleError, deal, position, seat, Deal(cards)).code

    def test_hands(self) -> None:
        """4.1.2: 9 - damage to each active robot, in order of registration."""
        position = self.dealing()
        self.assertEqual(hand_sizes(position), (9, 6, 0, 0, 0))
        cards = tuple(sorted(deck(position))[:15])
        after = deal(position, CHANCE, Deal(cards))
        self.assertEqual(after.hands, (cards[:9], cards[9:], (), (), ()))
        self.assertEqual(requests(after), {0: AskProgram(cards[:9]), 1: AskProgram(cards[9:]), 2: AskProgram(())})

    def test_the_deck(self) -> None:
        """Without the cards that are locked, and those that a powered-down robot keeps."""
        kept = {*CARDS, 52, 11, 69, 12, 53}
        self.assertEqual(deck(self.dealing()), frozenset(range(1, 85)) - kept)

    def test_all_powered_down(self) -> None:
        position = state(empty(1, 1), robot(1, 1, is_active=False, registers=CARDS), stage=Stage.DEAL)
        after = deal(position, CHANCE, Deal(()))
        self.assertEqual((after.stage, after.waiting), (Stage.REVEAL, frozenset()))

    def test_wrong_deals(self) -> None:
        position = self.dealing()
        cards = tuple(sorted(deck(position))[:15])
        self.assertEqual(self.code(position, cards[:14]), "deal-count")
        self.assertEqual(self.code(position, (*cards, 84)), "deal-count")
        self.assertEqual(self.code(position, (*cards[:14], cards[0])), "deal-card")
        self.assertEqual(self.code(position, (*cards[:14], CARDS[0])), "deal-card")
        self.assertEqual(self.code(position, (*cards[:14], 85)), "deal-card")
        self.assertEqual(self.code(position, (*cards[:14], 0)), "deal-card")

    def test_only_chance_deals_and_only_then(self) -> None:
        position = self.dealing()
        cards = tuple(sorted(deck(position))[:15])
        self.assertEqual(self.code(position, cards, seat=0), "out-of-turn")
        self.assertEqual(self.code(deal(position, CHANCE, Deal(cards)), cards), "out-of-turn")

    def test_registers_are_empty_before(self) -> None:
        self.assertEqual(self.dealing().robots[0].registers, EMPTY)
