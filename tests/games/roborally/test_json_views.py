"""What is drawn of a course, and of the steps of a turn.

Source: docs/specs/roborally.md#38-queries, docs/specs/roborally.md#42-a-register-phase,
docs/specs/roborally.md#51-geometry.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.board import parse_plan
from gamed.games.roborally.rules.json_views import tiles, trail
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.state import Kind, State
from gamed.games.roborally.strategy import at_random
from tests.games.roborally.making import plan
from tests.games.roborally.random_play import options, positions
from tests.games.roborally.scenes import GAME, played, programmed, started

ELEMENTS = plan(
    "#__#_",
    "_B_G_D(L)_R(2)[L(3)#B_",
    "_#___",
    "#S(1,3,)]F(N,2,((W,D(L))(E,D(R)))(2,4,))_B_D(R)_B_B#",
    "_____",
    flags=((2, 1), (5, 2)),
)


def shown(state: State) -> Any:
    """Return the trail as JSON has it."""
    return json.loads(json.dumps(GAME.view(state, None)))["trail"]


class TileTests(SynchronousTestCase):
    def test_floors(self) -> None:
        floors = {(x, y): rest for x, y, *rest in tiles(ELEMENTS)["floors"]}
        self.assertEqual(
            floors,
            {
                (2, 2): ["pit"],
                (3, 2): ["gear", "L"],
                (4, 2): ["repair", 2],
                (1, 1): ["belt", "N", 2, "WLER", [2, 4]],
                (3, 1): ["gear", "R"],
            },
        )

    def test_devices(self) -> None:
        found = tiles(ELEMENTS)
        self.assertEqual(found["lasers"], [[4, 2, "E", 3, 4]])
        self.assertEqual(found["pushers"], [[1, 1, "W", [1, 3]]])
        self.assertEqual((found["width"], found["height"]), (5, 2))

    def test_each_wall_stands_once(self) -> None:
        walls = sorted(tiles(ELEMENTS)["walls"])
        self.assertEqual(walls, [[1, 1, "W"], [1, 2, "N"], [2, 1, "N"], [4, 2, "E"], [4, 2, "N"], [5, 1, "E"]])

    def test_all_walls_of_the_courses_are_there(self) -> None:
        for course in ("anlauf", "winkel", "grossfabrik"):
            board = parse_plan(str(options(course, 2)["plan"]))
            count = sum(wall.is_wall for walls in (board.vertical, board.horizontal) for wall in walls.values())
            self.assertEqual(len(tiles(Layout(board, ()))["walls"]), count)

    def test_a_course_is_described_once(self) -> None:
        self.assertIs(tiles(ELEMENTS), tiles(ELEMENTS))


class TrailTests(SynchronousTestCase):
    def test_before_the_first_turn(self) -> None:
        found = shown(started("anlauf", 2))
        self.assertEqual(found["turn"], 0)
        self.assertEqual([step[1] for step in found["steps"]], ["placed"])
        self.assertEqual(trail(()), {"turn": 0, "steps": []})

    def test_a_turn_is_told_in_its_order(self) -> None:
        found = shown(played(programmed(started("anlauf", 2))))
        self.assertEqual(found["turn"], 1)
        kinds = [kind for _, kind, *_ in found["steps"]]
        self.assertEqual(kinds[:3], ["revealed", "played", "played"])
        self.assertEqual(kinds.count("revealed"), 5)
        phases = [phase for phase, *_ in found["steps"] if phase]
        self.assertEqual(phases, sorted(phases))

    def test_who_played_which_card(self) -> None:
        state = programmed(started("anlauf", 2))
        cards = {(seat, card) for seat, robot in enumerate(state.robots) for card in robot.registers}
        steps = shown(played(state))["steps"]
        told = [(seat, card) for _, kind, _, seat, card in steps if kind == "played"]
        self.assertLessEqual(set(told), cards)
        self.assertEqual(len(told), len(set(told)))
        self.assertTrue(all(seat is None and card is None for _, kind, _, seat, card in steps if kind != "played"))

    def test_the_changes_lead_from_the_first_position_to_the_last(self) -> None:
        """In random games with players who leave."""
        checked = 0
        for seed in range(4):
            first = GAME.setup(options("mahlstrom", 4, max_turns=6))
            for state in positions(first, Random(seed), at_random, leaving=0.01):
                if not state.trail:
                    continue
                robots: list[Any] = [_told(robot) for robot in state.trail[0].robots]
                for _, _, changes, *_ in trail(state.trail)["steps"]:
                    for seat, *pose in changes:
                        robots[seat] = pose or None
                self.assertEqual(robots, [_told(robot) for robot in state.trail[-1].robots])
                checked += 1
        self.assertGreater(checked, 400)

    def test_it_does_not_count_when_positions_are_compared(self) -> None:
        state = played(programmed(started("anlauf", 2)))
        self.assertEqual(evolve(state, trail=()), state)

    def test_it_tells_nothing_of_what_is_hidden(self) -> None:
        """Up to phase 2 the cards of later registers make no difference."""
        state = programmed(started("anlauf", 2))
        other = evolve(
            state,
            robots=tuple(
                robot._replace(registers=(*robot.registers[:2], *reversed(robot.registers[2:])), is_announced=True)
                for robot in state.robots
            ),
        )
        for one in (state, other):
            self.assertEqual(shown(one)["turn"], 0)
        while state.phase < 3:
            state, other = GAME.advance(state), GAME.advance(other)
            if state.phase < 3:
                self.assertEqual(shown(state), shown(other))
        self.assertEqual(state.happened, Kind.REVEALED)


def _told(robot: Any) -> list[Any] | None:
    if robot.is_removed:
        return None
    return [*robot.place, robot.facing.name, robot.damage, robot.is_virtual]


class RevealedTests(SynchronousTestCase):
    """The cards of programs, for those who read the moves: each when it is revealed, and never before."""

    def test_no_card_is_told_before_its_phase(self) -> None:
        before = GAME.setup(options("anlauf", 4, max_turns=12))
        programs: list[list[tuple[int, ...]]] = [[] for _ in before.robots]
        for state in positions(before, Random(7), at_random, leaving=0.003):
            for seat, robot in enumerate(state.robots):
                if state.happened is Kind.REVEALED and robot.is_active and robot.is_standing:
                    if state.phase == 1:
                        programs[seat].append(())
                    # The registers are those of this turn; what is told of them ends with the phase.
                    programs[seat][-1] = tuple(card for card in robot.registers[: state.phase] if card is not None)
            self.assertEqual([list(told) for told in GAME.revealed(state)] or [[]] * 4, programs)
        self.assertGreater(max(map(len, programs)), 2)

    def test_who_leaves_or_is_destroyed_leaves_what_was_revealed(self) -> None:
        state = GAME.advance(programmed(started("anlauf", 3)))
        first = GAME.revealed(state)
        self.assertEqual([len(told[0]) for told in first], [1, 1, 1])
        state = GAME.remove(state, 1)
        self.assertEqual(GAME.revealed(state)[1], first[1])
        state = played(state)
        # The first robot was destroyed in the second phase.
        self.assertEqual([len(told[0]) for told in GAME.revealed(state)], [2, 1, 5])
