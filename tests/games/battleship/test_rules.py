"""The referee's rules: whose turn it is, what may be said, and the code of each finding."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RuleError
from gamed.core.game import CHANCE, Outcome, Termination
from gamed.games.battleship.rules import Battleship, State
from gamed.games.battleship.wire import Command, Opcode

OPTIONS = {"roles": "first-defends", "referee": "observe", "corner_contact": True}
GAME = Battleship()


def shot(x: int, y: int) -> Command:
    return Command(Opcode.ATTACK, (x, y))


def answer(x: int, y: int, code: int) -> Command:
    return Command(Opcode.ANSWER, (x, y, code))


def after(*moves: tuple[int, Command]) -> State:
    state = GAME.setup(OPTIONS)
    for seat, move in moves:
        state = GAME.apply(state, seat, move)
    return state


class TurnTests(SynchronousTestCase):
    def test_the_first_to_connect_defends(self) -> None:
        self.assertEqual(GAME.to_move(after()), {1})

    def test_chance_draws_random_roles(self) -> None:
        state = GAME.setup({**OPTIONS, "roles": "random"})
        self.assertEqual(GAME.to_move(state), {CHANCE})
        for first in (0, 1):
            self.assertEqual(GAME.to_move(GAME.apply(state, CHANCE, first)), {first})

    def test_chance_draws_both_roles(self) -> None:
        state = GAME.setup({**OPTIONS, "roles": "random"})
        self.assertEqual({GAME.draw(state, Random(seed)) for seed in range(20)}, {0, 1})

    def test_one_shot_a_turn_also_after_a_hit(self) -> None:
        for code in (1, 2):
            state = after((1, shot(3, 4)))
            self.assertEqual(GAME.to_move(state), {0})
            state = GAME.apply(state, 0, answer(3, 4, code))
            self.assertEqual(GAME.to_move(state), {0})
            self.assertEqual(GAME.to_move(GAME.apply(state, 0, shot(0, 0))), {1})

    def test_legal_shots_and_answers(self) -> None:
        self.assertEqual(len(list(GAME.legal_moves(after(), 1))), 100)
        self.assertEqual(list(GAME.legal_moves(after(), 0)), [])
        state = after((1, shot(3, 4)))
        self.assertEqual(list(GAME.legal_moves(state, 0)), [answer(3, 4, 1), answer(3, 4, 2)])

    def test_nobody_moves_before_chance_has(self) -> None:
        state = GAME.setup({**OPTIONS, "roles": "random"})
        self.assertEqual(list(GAME.legal_moves(state, CHANCE)), [])


class FindingTests(SynchronousTestCase):
    def code(self, state: State, seat: int, move: Command) -> str:
        return self.assertRaises(RuleError, GAME.apply, state, seat, move).code

    def test_out_of_turn(self) -> None:
        self.assertEqual(self.code(after(), 0, shot(0, 0)), "out-of-turn")
        self.assertEqual(self.code(after((1, shot(0, 0))), 1, shot(0, 1)), "out-of-turn")

    def test_wrong_opcode(self) -> None:
        self.assertEqual(self.code(after(), 1, answer(0, 0, 1)), "wrong-opcode")
        self.assertEqual(self.code(after(), 1, Command(Opcode.START)), "wrong-opcode")
        self.assertEqual(self.code(after((1, shot(0, 0))), 0, shot(0, 0)), "wrong-opcode")

    def test_wrong_numbers(self) -> None:
        self.assertEqual(self.code(after(), 1, Command(Opcode.ATTACK, (1,))), "wrong-numbers")
        self.assertEqual(self.code(after((1, shot(0, 0))), 0, Command(Opcode.ANSWER, (0, 0))), "wrong-numbers")

    def test_off_the_board(self) -> None:
        self.assertEqual(self.code(after(), 1, shot(10, 0)), "off-board")
        self.assertEqual(self.code(after(), 1, shot(0, 10)), "off-board")
        for x, y in ((-1, 0), (0, -1)):
            self.assertEqual(self.code(after(), 1, shot(x, y)), "off-board")

    def test_another_cell(self) -> None:
        self.assertEqual(self.code(after((1, shot(0, 0))), 0, answer(0, 1, 1)), "other-cell")

    def test_unknown_code(self) -> None:
        for code in (0, 5, 6):
            self.assertEqual(self.code(after((1, shot(0, 0))), 0, answer(0, 0, code)), "unknown-code")

    def test_contradiction(self) -> None:
        state = after((1, shot(0, 0)), (0, answer(0, 0, 1)), (0, shot(0, 0)), (1, answer(0, 0, 1)), (1, shot(0, 0)))
        self.assertEqual(self.code(state, 0, answer(0, 0, 2)), "contradiction")

    def test_sunk_at_the_first_hit(self) -> None:
        self.assertEqual(self.code(after((1, shot(0, 0))), 0, answer(0, 0, 3)), "no-legal-fleet")

    def test_the_last_ship_sunk_too_early(self) -> None:
        self.assertEqual(self.code(after((1, shot(0, 0))), 0, answer(0, 0, 4)), "no-legal-fleet")

    def test_nothing_after_the_end(self) -> None:
        state = State(0, None, GAME.setup(OPTIONS).seas, winner=1)
        self.assertEqual(self.code(state, 0, shot(0, 0)), "out-of-turn")
        self.assertEqual(GAME.to_move(state), frozenset())
        self.assertEqual(GAME.outcome(state), Outcome(Termination.VICTORY, 1))


class StrictTests(SynchronousTestCase):
    """What a referee who enforces does not let pass, because both original clients stop at it."""

    def test_a_second_shot_at_a_cell(self) -> None:
        state = GAME.setup({**OPTIONS, "repeated_shots": "lose"})
        for seat, move in ((1, shot(3, 4)), (0, answer(3, 4, 1)), (0, shot(3, 4)), (1, answer(3, 4, 1))):
            state = GAME.apply(state, seat, move)
        error = self.assertRaises(RuleError, GAME.apply, state, 1, shot(3, 4))
        self.assertEqual((error.code, str(error)), ("repeated-shot", "(3,4) was shot at before"))
        self.assertEqual(len(list(GAME.legal_moves(state, 1))), 99)


class PardonTests(SynchronousTestCase):
    def test_a_refuted_fleet_is_judged_no_more_but_turns_are(self) -> None:
        state = after((1, shot(0, 0)))
        lie = answer(0, 0, 3)
        error = self.assertRaises(RuleError, GAME.apply, state, 0, lie)
        state = GAME.pardon(state, 0, lie, error)
        self.assertEqual(GAME.to_move(state), {0})
        self.assertIsNone(state.seas[0])
        state = GAME.apply(GAME.apply(state, 0, shot(5, 5)), 1, answer(5, 5, 1))
        state = GAME.apply(GAME.apply(state, 1, shot(0, 0)), 0, answer(0, 0, 3))
        self.assertRaises(RuleError, GAME.apply, state, 1, shot(0, 0))

    def test_after_a_line_out_of_turn_the_other_side_tells_where_the_dialogue_stands(self) -> None:
        error = self.assertRaises(RuleError, GAME.apply, after(), 0, shot(0, 0))
        state = GAME.pardon(after(), 0, shot(0, 0), error)
        self.assertRaises(RuleError, GAME.apply, state, 0, shot(0, 0))
        for move, due in ((answer(0, 0, 1), 1), (shot(3, 3), 0)):
            resumed = GAME.apply(state, 1, move)
            self.assertEqual((GAME.to_move(resumed), resumed.misled), ({due}, frozenset()))

    def test_a_wrong_answer_passes_the_turn(self) -> None:
        state = after((1, shot(0, 0)))
        for wrong in (answer(0, 1, 1), answer(0, 0, 0), answer(10, 0, 1), Command(Opcode.ANSWER, (0, 0))):
            error = self.assertRaises(RuleError, GAME.apply, state, 0, wrong)
            pardoned = GAME.pardon(state, 0, wrong, error)
            self.assertEqual(GAME.to_move(pardoned), {0})
            self.assertEqual(pardoned.seas, state.seas, "what it told is not believed")

    def test_whoever_is_misled_can_break_rules_all_the_same(self) -> None:
        error = self.assertRaises(RuleError, GAME.apply, after(), 0, shot(0, 0))
        state = GAME.pardon(after(), 0, shot(0, 0), error)
        for move, code in (
            (Command(Opcode.START), "wrong-opcode"),
            (shot(10, 0), "off-board"),
            (answer(0, 0, 9), "unknown-code"),
            (answer(0, 0, 3), "no-legal-fleet"),
        ):
            self.assertEqual(self.assertRaises(RuleError, GAME.apply, state, 1, move).code, code)


class EndTests(SynchronousTestCase):
    def test_code_four_ends_in_both_forms(self) -> None:
        for line in (b"(2,[3,4,4]).", b"2,[3,4,4]"):
            self.assertEqual(GAME.ends(line, 0), Outcome(Termination.VICTORY, 1))

    def test_a_shot_at_four_does_not(self) -> None:
        for line in (b"(1,[3,4]).", b"1,[3,4]", b"(2,[3,4,3]).", b"x,4]).", b"(2,[1,4])."):
            self.assertIsNone(GAME.ends(line, 0), line)


class ViewTests(SynchronousTestCase):
    def test_it_shows_what_was_told(self) -> None:
        state = after((1, shot(3, 4)), (0, answer(3, 4, 2)), (0, shot(9, 9)))
        view = GAME.view(state, None)
        self.assertEqual(view["boards"][0], {"water": [], "hits": [43], "sunk": [], "afloat": [5, 4, 3, 3, 2]})
        self.assertEqual((view["attacker"], view["shot"], view["winner"]), (0, [9, 9], None))
        self.assertEqual(GAME.view(state, 0), view)

    def test_it_shows_what_is_sunk_and_what_floats(self) -> None:
        state = after((1, shot(3, 4)), (0, answer(3, 4, 2)), (0, shot(9, 9)), (1, answer(9, 9, 1)))
        state = GAME.apply(GAME.apply(state, 1, shot(3, 5)), 0, answer(3, 5, 3))
        boards = GAME.view(state, None)["boards"]
        self.assertEqual(boards[0], {"water": [], "hits": [], "sunk": [43, 53], "afloat": [5, 4, 3, 3]})
        self.assertEqual(boards[1], {"water": [99], "hits": [], "sunk": [], "afloat": [5, 4, 3, 3, 2]})
