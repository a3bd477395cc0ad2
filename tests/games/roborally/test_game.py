"""The `Game`: options, moves, views.

Source: docs/specs/roborally.md#32-the-lobby, docs/specs/roborally.md#38-queries,
docs/reference/roborally.md#configuration.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import ConfigError, GamedError, IllegalMove, InvalidMove, NotYourTurn
from gamed.core.game import CHANCE, Outcome, Termination
from gamed.games.roborally.rules.board import NotationError
from gamed.games.roborally.rules.elements import Direction
from gamed.games.roborally.rules.game import RoboRally, laid_out
from gamed.games.roborally.rules.moves import AskFacing, AskProgram, Deal, Facing, Leave, Program, StayDown
from gamed.games.roborally.rules.robots import destroyed
from gamed.games.roborally.rules.state import Event, Kind, Stage, State, deck
from tests.games.roborally.making import CARDS, N, empty, ghost, robot, state

GAME = RoboRally()
PLAN = empty(5, 2).board.plan
OPTIONS: dict[str, Any] = {"plan": PLAN, "flags": "2,1 5,2", "players": 2, "lives": 3, "max_turns": 200}
HANDS = Deal((79, 7, 8, 9, 10, 49, 67, 43, 1, 12, 50, 2, 68, 11, 51, 80, 13, 14))


def dealt() -> State:
    """Return the position after the first deal to two players."""
    position = GAME.setup(OPTIONS)
    for seat in (0, 1):
        position = GAME.apply(position, seat, Facing(Direction.E))
    return GAME.apply(GAME.advance(position), CHANCE, HANDS)


def programmed() -> State:
    """Return the position in which both have answered."""
    position = dealt()
    for seat in (0, 1):
        position = GAME.apply(position, seat, Program((1, 2, 3, 4, 5)))
    return position


class DesertedTests(SynchronousTestCase):
    """The end of a game in which nobody is left, where that of too few is not certain yet, or never."""

    def test_a_game_of_one_ends_with_its_player(self) -> None:
        position = GAME.remove(state(empty(2, 1), robot(1, 1), stage=Stage.PROGRAM, waiting=frozenset({0})), 0)
        self.assertEqual((position.stage, position.waiting), (Stage.ENDING, frozenset()))

    def test_a_phase_is_not_played_without_robots(self) -> None:
        position = GAME.remove(state(empty(2, 1), robot(1, 1), robot(2, 1), stage=Stage.BELTS, phase=2), 0)
        self.assertEqual(position.stage, Stage.BELTS)
        self.assertEqual(GAME.remove(position, 1).stage, Stage.ENDING)

    def test_nor_after_a_step_in_which_the_last_robots_fell(self) -> None:
        gone = destroyed(robot(1, 1, lives=1), 2)
        position = state(empty(2, 1), gone, gone, stage=Stage.GEARS, phase=2)
        self.assertEqual(GAME.advance(position).stage, Stage.ENDING)

    def test_an_end_that_was_told_is_not_told_again(self) -> None:
        gone = destroyed(robot(1, 1, lives=1), 2)
        self.assertEqual(GAME.advance(state(empty(2, 1), gone, stage=Stage.ENDING)).stage, Stage.OVER)


class SetupTests(SynchronousTestCase):
    def test_the_start(self) -> None:
        """3.2: on the start flag, facing N, virtual, undamaged."""
        position = GAME.setup(OPTIONS)
        self.assertEqual(position.robots, (ghost(2, 1, N),) * 2)
        self.assertEqual((position.stage, position.turn, position.phase), (Stage.FACING, 1, 0))
        self.assertEqual(GAME.requests(position), {0: AskFacing(), 1: AskFacing()})

    def test_lives_and_turns(self) -> None:
        position = GAME.setup({**OPTIONS, "lives": 1, "max_turns": 7, "players": 8})
        self.assertEqual([its.lives for its in position.robots], [1] * 8)
        self.assertEqual(position.max_turns, 7)

    def test_options_that_cannot_be(self) -> None:
        wrong: list[tuple[str, Any]] = [
            ("players", 0),
            ("players", 9),
            ("players", "2"),
            ("players", True),
            ("lives", 0),
            ("lives", 4),
            ("max_turns", 0),
            ("flags", ""),
            ("flags", "2,1"),
            ("flags", "2,1 2,1"),
            ("flags", "2,1 6,1"),
            ("flags", "2,1 0,1"),
            ("flags", "2,1 5"),
            ("flags", "2,1 5,"),
            ("flags", "2,1 5,2,3"),
            ("flags", "2,1 a,b"),
            ("flags", "2,1 -1,1"),
            ("flags", "2,1 \u0661,1"),
        ]
        for key, value in wrong:
            self.assertRaises(ConfigError, GAME.setup, {**OPTIONS, key: value})

    def test_a_flag_on_a_pit(self) -> None:
        self.assertRaises(ConfigError, GAME.setup, {**OPTIONS, "plan": "__ _B_G_ __ .", "flags": "1,1 2,1"})

    def test_a_plan_that_is_none(self) -> None:
        self.assertRaises(NotationError, GAME.setup, {**OPTIONS, "plan": "__ _B_"})
        self.assertTrue(issubclass(NotationError, GamedError))

    def test_games_share_a_layout(self) -> None:
        """Else every game would survey the board anew."""
        self.assertIs(laid_out(PLAN, "2,1 5,2"), laid_out(PLAN, "2,1 5,2"))
        self.assertIs(GAME.setup(OPTIONS).layout, GAME.setup(OPTIONS).layout)


class MoveTests(SynchronousTestCase):
    def test_all_who_are_asked_may_move(self) -> None:
        position = GAME.setup(OPTIONS)
        self.assertEqual(GAME.to_move(position), {0, 1})
        position = GAME.apply(position, 1, Facing(Direction.E))
        self.assertEqual(GAME.to_move(position), {0})
        position = GAME.apply(position, 0, Facing(Direction.E))
        self.assertEqual(GAME.to_move(position), frozenset())
        self.assertIsNone(GAME.outcome(position))
        position = GAME.advance(position)
        self.assertEqual(GAME.to_move(position), {CHANCE})

    def test_hands(self) -> None:
        self.assertEqual(GAME.requests(dealt()), {0: AskProgram(HANDS.cards[:9]), 1: AskProgram(HANDS.cards[9:])})

    def test_codes_pass(self) -> None:
        position = dealt()
        self.assertEqual(self.code(IllegalMove, position, 0, Program((1, 1, 2, 3, 4))), "card-twice")
        self.assertEqual(self.code(NotYourTurn, position, 2, Program((1, 2, 3, 4, 5))), "out-of-turn")
        self.assertEqual(self.code(NotYourTurn, position, 0, StayDown(stays=True)), "other-question")
        self.assertEqual(self.code(NotYourTurn, position, CHANCE, HANDS), "out-of-turn")
        self.assertEqual(self.code(InvalidMove, position, 0, "1,2,3,4,5"), "invalid-move")

    def code(self, kind: type[Exception], position: State, seat: int, move: Any) -> str:
        return self.assertRaises(kind, GAME.apply, position, seat, move).code

    def test_legal_moves(self) -> None:
        position = dealt()
        self.assertEqual(len(list(GAME.legal_moves(position, 0))), 30_240)
        self.assertEqual(list(GAME.legal_moves(position, 2)), [])
        self.assertEqual(list(GAME.legal_moves(position, CHANCE)), [])
        self.assertEqual(list(GAME.legal_moves(programmed(), 0)), [])

    def test_leaving_is_a_move_at_any_time(self) -> None:
        for position in (GAME.setup(OPTIONS), dealt(), programmed()):
            after = GAME.apply(position, 1, Leave())
            self.assertEqual(after, GAME.remove(position, 1))
            self.assertTrue(after.robots[1].is_removed)

    def test_only_seats_can_leave(self) -> None:
        for seat in (-1, 2):
            self.assertRaises(NotYourTurn, GAME.apply, dealt(), seat, Leave())

    def test_changed(self) -> None:
        before = programmed()
        self.assertEqual(GAME.changed(before, GAME.advance(before)), Event(Kind.REVEALED, ()))


class ChanceTests(SynchronousTestCase):
    def test_a_draw_is_a_legal_deal(self) -> None:
        robots = [robot(1, 1, damage=2), robot(2, 1, is_active=False, registers=CARDS), robot(3, 1)]
        position = state(empty(5, 1), *robots, stage=Stage.DEAL)
        for seed in range(20):
            draw = GAME.draw(position, Random(seed))
            self.assertEqual(len(draw.cards), 16)
            self.assertLessEqual(set(draw.cards), deck(position))
            GAME.apply(position, CHANCE, draw)

    def test_it_depends_on_the_generator_alone(self) -> None:
        position = GAME.advance(evolve(GAME.setup(OPTIONS), waiting=frozenset()))
        self.assertEqual(GAME.draw(position, Random(1)), GAME.draw(position, Random(1)))
        self.assertNotEqual(GAME.draw(position, Random(1)), GAME.draw(position, Random(2)))

    def test_every_card_comes(self) -> None:
        position = GAME.advance(evolve(GAME.setup(OPTIONS), waiting=frozenset()))
        drawn = {card for seed in range(60) for card in GAME.draw(position, Random(seed)).cards}
        self.assertEqual(len(drawn), 84)


class OutcomeTests(SynchronousTestCase):
    def test_the_first_in_winning_order(self) -> None:
        position = state(empty(5, 1), robot(1, 1), robot(2, 1, flag=2), stage=Stage.ENDING)
        self.assertIsNone(GAME.outcome(position))
        position = GAME.advance(position)
        self.assertEqual(GAME.outcome(position), Outcome(Termination.VICTORY, 1))
        self.assertEqual(GAME.ranking(position), (1, 0))
        self.assertEqual(GAME.to_move(position), frozenset())


class ValueTests(SynchronousTestCase):
    def test_positions_are_values(self) -> None:
        self.assertEqual(programmed(), programmed())
        self.assertEqual(len({programmed(), programmed(), dealt()}), 2)


class ViewTests(SynchronousTestCase):
    def view(self, position: State, seat: int | None) -> dict[str, Any]:
        view = GAME.view(position, seat)
        self.assertEqual(json.loads(json.dumps(view)), view)
        assert isinstance(view, dict)
        return view

    def test_a_hand_is_for_its_owner(self) -> None:
        position = dealt()
        own = self.view(position, 0)["own"]
        self.assertEqual(own, {"hand": [*HANDS.cards[:9]], "registers": [None] * 5, "announced": False, "asked": "MRP"})
        self.assertIsNone(self.view(position, None)["own"])
        self.assertIsNone(self.view(position, CHANCE)["own"])

    def test_nothing_of_the_others_can_be_seen(self) -> None:
        """Positions that differ in what is secret look alike."""
        position = programmed()
        secret = position.robots[1]._replace(registers=(84, 83, 82, 81, 6), is_announced=True)
        other = evolve(position, robots=(position.robots[0], secret), hands=((), (3, 4)))
        for seat in (0, None):
            self.assertEqual(self.view(position, seat), self.view(other, seat))
        self.assertNotEqual(self.view(position, 1), self.view(other, 1))

    def test_revealed_cards_are_for_all(self) -> None:
        position = GAME.advance(programmed())
        for seat in (0, 1, None):
            self.assertEqual(self.view(position, seat)["revealed"], [[0, [79]], [1, [12]]])

    def test_locked_cards_are_for_all(self) -> None:
        its = robot(1, 1, damage=6, locked=(4, 5), registers=CARDS)
        seen = self.view(state(empty(5, 1), its, stage=Stage.PROGRAM, hands=((),)), None)["robots"][0]
        self.assertEqual(
            seen,
            {
                "facing": "N",
                "place": [1, 1],
                "flag": 1,
                "archive": [1, 1],
                "damage": 6,
                "lives": 3,
                "locked": [[4, 10], [5, 51]],
                "active": True,
                "virtual": False,
            },
        )

    def test_removed_robots(self) -> None:
        robots = [robot(1, 1), destroyed(robot(2, 1, lives=1), 2), destroyed(robot(3, 1), 2)]
        seen = self.view(state(empty(5, 1), *robots, stage=Stage.LASERS, phase=2), None)["robots"]
        self.assertEqual([its is None for its in seen], [False, True, False])
        self.assertEqual((seen[2]["place"], seen[2]["damage"]), ([3, 1], 10))

    def test_where_the_game_stands(self) -> None:
        view = self.view(GAME.advance(programmed()), None)
        self.assertEqual(
            {key: view[key] for key in ("stage", "turn", "phase", "happened", "waiting", "ranking")},
            {
                "stage": "cards",
                "turn": 1,
                "phase": 1,
                "happened": "revealed",
                "waiting": [],
                "ranking": None,
            },
        )
        self.assertEqual(view["flags"], [[2, 1], [5, 2]])

    def test_the_end(self) -> None:
        position = GAME.advance(state(empty(5, 1), robot(1, 1), robot(2, 1, flag=2), stage=Stage.ENDING))
        self.assertEqual(self.view(position, None)["ranking"], [1, 0])

    def test_what_is_asked(self) -> None:
        its = robot(1, 1, damage=6, locked=(4, 5), registers=CARDS, is_announced=True)
        asked = {
            Stage.FACING: "MNR",
            Stage.PROGRAM: "MRP",
            Stage.STAY_DOWN: "MBD",
            Stage.POWER: "MRR(6)",
        }
        for stage, word in asked.items():
            position = state(empty(5, 1), its, stage=stage, waiting=frozenset({0}))
            self.assertEqual(self.view(position, 0)["own"]["asked"], word)
            self.assertIsNone(self.view(evolve(position, waiting=frozenset()), 0)["own"]["asked"])
