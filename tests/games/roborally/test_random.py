"""Games of random legal play on all courses, with and without players who leave.

Source: docs/specs/roborally.md#6-scenarios.
"""

from __future__ import annotations

from random import Random

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import CHANCE
from gamed.games.roborally.course_files import course_names
from gamed.games.roborally.rules.moves import parse, to_notation
from gamed.games.roborally.rules.state import Kind, Stage, State, changed, revealed
from tests.games.roborally.random_play import GAME, answer, broken, options, positions


class RandomTests(SynchronousTestCase):
    def games(self, count: int, leaving: float) -> list[State]:
        """Play games of 2 to 8 robots, check every position, and return the last ones."""
        random = Random(int(leaving * 1000))
        ends = []
        courses = course_names()
        for number in range(count):
            course = courses[number % len(courses)]
            position = GAME.setup(options(course, 2 + number % 7, max_turns=12))
            for position in positions(position, random, leaving=leaving):  # noqa: B020 (the last one is wanted)
                self.assertEqual(broken(position), [], f"game {number} on {course}, {position.stage.name}")
            ends.append(position)
        return ends

    def test_games_to_the_end(self) -> None:
        for end in self.games(28, 0):
            self.assertEqual(end.stage, Stage.OVER)
            self.assertEqual(sorted(GAME.ranking(end)), list(range(len(end.robots))))
            left = sum(robot.lives > 0 for robot in end.robots)
            self.assertTrue(end.finishers or left <= 1 or end.turn == end.max_turns)

    def test_with_players_who_leave(self) -> None:
        for end in self.games(28, 0.01):
            self.assertEqual(end.stage, Stage.OVER)

    def test_all_steps_at_once_lead_where_single_steps_lead(self) -> None:
        found, begins = set(), {Stage.FACING, Stage.REVEAL, Stage.EXPRESS, Stage.REPAIR, Stage.WIPE, Stage.ENDING}
        for number, course in enumerate(course_names()[:5]):
            for position in positions(GAME.setup(options(course, 2 + number, max_turns=2)), Random(number)):
                if GAME.to_move(position) or position.stage not in begins:
                    continue
                settled, count = GAME.settle(position)
                single = position
                for _ in range(count):
                    single = GAME.advance(single)
                for name, value in vars(settled).items():
                    self.assertEqual(value, vars(single)[name], f"{name} on {course}")
                found.add(settled.stage)
        self.assertLessEqual({Stage.DEAL, Stage.REPAIR, Stage.OVER}, found)

    def test_games_are_repeatable(self) -> None:
        def game() -> State:
            position = GAME.setup(options("winkel", 4, max_turns=5))
            return list(positions(position, Random(3)))[-1]

        self.assertEqual(game(), game())

    def test_a_game_replays_from_its_moves(self) -> None:
        """Records hold moves as text; automatic steps and the generator are not in them."""
        random = Random(8)
        start = position = GAME.setup(options("doppelhalle", 5, max_turns=6))
        moves: list[tuple[int, str]] = []
        while GAME.outcome(position) is None:
            asked = GAME.to_move(position)
            seat = min(asked, default=None)
            if seat is None:
                position = GAME.advance(position)
                continue
            move = GAME.draw(position, random) if seat == CHANCE else answer(position, seat, random)
            moves.append((seat, to_notation(move)))
            position = GAME.apply(position, seat, move)
        again = start
        while GAME.outcome(again) is None:
            if GAME.to_move(again):
                seat, text = moves.pop(0)
                again = GAME.apply(again, seat, parse(text))
            else:
                again = GAME.advance(again)
        self.assertEqual((again, moves), (position, []))

    def test_what_is_told_adds_up(self) -> None:
        """A channel that asks after each NTC what the named robots are like knows all robots at any time."""
        before = GAME.setup(options("doppelhalle", 6, max_turns=8))
        known = list(before.robots)
        ends = 0
        for after in positions(before, Random(4), leaving=0.004):
            event = changed(before, after)
            for seat in event.seats if event else ():
                known[seat] = after.robots[seat]
            ends += event is not None and event.kind is Kind.ENDED
            shown = [GAME.view(after, None)["robots"]]
            self.assertEqual(shown, [GAME.view(evolve(after, robots=tuple(known)), None)["robots"]])
            before = after
        self.assertEqual(ends, 1)

    def test_no_card_is_shown_before_its_phase(self) -> None:
        for position in positions(GAME.setup(options("winkel", 4, max_turns=4)), Random(5)):
            for seat, cards in revealed(position):
                self.assertLessEqual(len(cards), position.phase)
                self.assertEqual(cards, position.robots[seat].registers[: len(cards)])
