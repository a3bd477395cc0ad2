"""Each text of the official server, the order of its checks, and coordinates that are not well-formed.

Source: docs/reference/software-challenge.md#what-is-refused,
docs/specs/software-challenge.md#more-than-the-generator-lists, docs/specs/software-challenge.md#malformed-coordinates,
docs/specs/software-challenge.md#order-of-the-checks.
"""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, RuleError
from gamed.games.softwarechallenge.seasons.hive.board import Cell, connected
from gamed.games.softwarechallenge.seasons.hive.checks import TEXTS, checked
from gamed.games.softwarechallenge.seasons.hive.generator import generated
from gamed.games.softwarechallenge.seasons.hive.moves import NOBODY, NOTHING, DragNowhere, SetMove, parse
from gamed.games.softwarechallenge.seasons.hive.position import HAND, State, position
from tests.games.softwarechallenge.hive.recorded import named

LINE = {(-1, 0): "Q", (0, 0): "A", (1, 0): "q", (2, 0): "a"}
"""Four pieces in a row, from west to east."""


def placed(
    board: dict[Cell, str],
    turn: int = 10,
    red: str = "SSSGGBBAAA",
    blue: str = "sssggbbaaa",
    walls: tuple[Cell, ...] = (),
) -> State:
    return position(board, (red, blue.upper()), turn, walls)


class CheckCase(SynchronousTestCase):
    def refused(self, state: State, move: str | SetMove | DragNowhere, code: str, text: str | None = None) -> None:
        """Check that a move is illegal, by code and, where it is given, by text."""
        with self.assertRaises(IllegalMove) as caught:
            checked(state, parse(move) if isinstance(move, str) else move)
        self.assertEqual(caught.exception.code, code, move)
        if text is not None:
            self.assertEqual(str(caught.exception), text, move)

    def invalid(self, state: State, move: str, code: str) -> None:
        """Check that the official server would drop the connection."""
        with self.assertRaises(InvalidMove) as caught:
            checked(state, parse(move))
        self.assertEqual(caught.exception.code, code, move)

    def accepted(self, state: State, move: str) -> State:
        return checked(state, parse(move))


class TextTests(CheckCase):
    """One violation each."""

    def test_the_texts_are_those_of_the_official_server(self) -> None:
        # And one of ours, for what has no text there.
        self.assertEqual(len(TEXTS), 24 + 1)
        self.assertEqual(len(set(TEXTS.values())), 25)

    def test_out_of_bounds(self) -> None:
        self.refused(placed({}, 0, HAND, HAND), "S A 9,0", "out-of-bounds", "Destination (9,0,-9) is out of bounds")
        self.refused(placed(LINE), "D 0,0 0,-6", "out-of-bounds", "Destination (0,-6,6) is out of bounds")
        self.refused(placed(LINE), "S A -6,0,2", "out-of-bounds", "Destination (-6,0,2) is out of bounds")

    def test_obstructed(self) -> None:
        state = placed(LINE, walls=((-2, 0),))
        self.refused(state, "S A -2,0", "obstructed", "The target field is obstructed")
        self.refused(state, "D -1,0 -2,0", "obstructed")

    def test_occupied(self) -> None:
        self.refused(placed(LINE), "S A 0,0", "occupied", "Set destination is not empty")

    def test_not_your_piece(self) -> None:
        text = "The piece Piece(owner=BLUE, type=ANT) does not belong to the current Player(RED)"
        self.refused(placed(LINE), "S a -2,0", "not-your-piece", text)
        text = "The piece Piece(owner=RED, type=SPIDER) does not belong to the current Player(BLUE)"
        self.refused(placed(LINE, 11), "S S 3,0", "not-your-piece", text)

    def test_a_piece_without_an_owner_or_a_type(self) -> None:
        for state in (placed(LINE), placed({}, 0, HAND, HAND), placed({(0, 0): "Ab"}, 2, HAND[:-1], HAND[:-1])):
            text = "The piece Piece(owner=null, type=ANT) does not belong to the current Player(RED)"
            self.refused(state, SetMove("A", NOBODY, -2, 0, 2), "not-your-piece", text)
            text = "Piece Piece(owner=RED, type=null) is not an undeployed piece of the current player"
            self.refused(state, SetMove(NOTHING, 0, -2, 0, 2), "not-in-hand", text)

    def test_a_drag_without_a_destination(self) -> None:
        self.refused(placed({}, 0, HAND, HAND), DragNowhere(None), "bee-not-placed")
        self.refused(placed(LINE), DragNowhere((0, 0, 0)), "no-destination", "There is no destination to move to")

    def test_first_contact(self) -> None:
        state = placed({(0, 0): "A"}, 1, HAND[:-1], HAND)
        text = "Your first piece has to touch the piece of the other player"
        self.refused(state, "S a 2,0", "first-contact", text)
        self.accepted(state, "S a 1,0")

    def test_not_in_hand(self) -> None:
        text = "Piece Piece(owner=RED, type=BEE) is not an undeployed piece of the current player"
        self.refused(placed(LINE), "S Q -2,0", "not-in-hand", text)
        text = "Piece Piece(owner=BLUE, type=GRASSHOPPER) is not an undeployed piece of the current player"
        self.refused(placed(LINE, 11, blue="sss"), "S g 3,0", "not-in-hand", text)

    def test_bee_duty(self) -> None:
        state = named("round 4 blue without bee").state
        self.refused(state, "S g 4,0", "bee-duty", "The bee must be placed in fourth round latest")
        self.accepted(state, "S q 4,0")

    def test_bee_duty_begins_with_the_fourth_round(self) -> None:
        board = {(0, 0): "A", (1, 0): "a", (-1, 0): "G", (2, 0): "g"}
        for turn, is_due in ((4, False), (5, False), (6, True), (7, True), (8, True)):
            state = placed(board, turn, "QSSS", "QSSS")
            move = "S S -2,0" if turn % 2 == 0 else "S s 3,0"
            if is_due:
                self.refused(state, move, "bee-duty")
            else:
                self.accepted(state, move)

    def test_contact(self) -> None:
        self.refused(placed(LINE), "S A -3,0", "no-contact", "A newly placed piece must touch an own piece")
        text = "A newly placed piece must not touch a piece of the other player"
        self.refused(placed(LINE), "S A 0,1", "enemy-contact", text)

    def test_contact_is_with_the_tops(self) -> None:
        state = placed({(0, 0): "aB", (1, 0): "Qb", (2, 0): "q"})
        self.accepted(state, "S A -1,0")
        self.refused(state, "S A 1,1", "no-contact")

    def test_bee_not_placed(self) -> None:
        state = placed({(2, -3): "A", (3, -3): "a"}, 2, HAND[:-1], HAND[:-1])
        self.refused(
            state, "D 2,-3 2,-2", "bee-not-placed", "You have to place the Bee to be able to perform dragmoves"
        )

    def test_no_piece(self) -> None:
        self.refused(placed(LINE), "D 3,0 3,1", "no-piece", "There is no piece to move")
        self.refused(placed(LINE, walls=((3, 0),)), "D 3,0 3,1", "no-piece")

    def test_other_players_piece(self) -> None:
        self.refused(placed(LINE), "D 2,0 2,1", "other-players-piece", "Trying to move piece of the other player")
        self.refused(placed({(0, 0): "Qb", (1, 0): "q"}), "D 0,0 0,1", "other-players-piece")

    def test_same_cell(self) -> None:
        self.refused(placed(LINE), "D 0,0 0,0", "same-cell", "Destination and start are equal")

    def test_climbing(self) -> None:
        text = "Only beetles are allowed to climb on other Pieces"
        self.refused(placed(LINE), "D -1,0 0,0", "climbing", text)

    def test_swarm(self) -> None:
        self.refused(placed(LINE), "D 0,0 0,1", "swarm", "Moving piece would disconnect swarm")

    def test_paths(self) -> None:
        self.refused(
            placed({(0, 0): "A", (1, 0): "Q", (2, 0): "q"}), "D 0,0 5,0", "ant-path", "No path found for Ant move"
        )
        self.refused(
            placed({(0, 0): "S", (1, 0): "Q", (2, 0): "q"}), "D 0,0 0,1", "spider-path", "No path found for Spider move"
        )
        board = {(0, 0): "Q", (1, -1): "q", (0, 1): "A", (-1, 1): "A", (-1, 0): "A", (0, -1): "A"}
        self.refused(placed(board), "D 0,0 1,0", "bee-path", "There is no path to your destination")

    def test_not_next(self) -> None:
        text = "Destination field is not next to start field"
        self.refused(placed(LINE), "D -1,0 3,0", "not-next", text)
        self.refused(placed({(0, 0): "B", (1, 0): "Q", (2, 0): "q"}), "D 0,0 2,0", "not-next", text)

    def test_off_the_swarm(self) -> None:
        state = placed({(0, 0): "B", (1, 0): "Q", (2, 0): "q"})
        self.refused(state, "D 0,0 -1,0", "off-the-swarm", "Beetle has to move along swarm")

    def test_jumps(self) -> None:
        state = placed({(0, 0): "G", (1, 0): "Q", (2, 0): "q"})
        self.refused(state, "D 0,0 2,1", "not-straight", "Grasshopper can only move in straight lines")
        self.refused(state, "D 0,0 0,1", "no-jump", "Grasshopper has to jump over at least one piece")
        self.refused(state, "D 0,0 4,0", "gap", "Grasshopper can only jump over occupied fields")
        self.refused(placed(state.board(), walls=((3, 0),)), "D 0,0 4,0", "gap")
        self.accepted(state, "D 0,0 3,0")

    def test_skip(self) -> None:
        text = "Skipping a turn is only allowed when no other moves can be made"
        self.refused(placed({}, 0, HAND, HAND), "P", "skip", text)
        self.refused(placed({(0, 0): "Q", (1, 0): "q", (2, 0): "a"}, red="", blue=""), "P", "skip", text)

    def test_a_skip_where_nothing_else_can_be_done(self) -> None:
        self.assertEqual(self.accepted(named("ant in the corner").state, "P").turn, 11)
        self.assertEqual(self.accepted(named("all own pieces covered, bee in hand").state, "P").turn, 15)


class OrderTests(CheckCase):
    """Two violations at once: the text is that of the first one."""

    def test_sets(self) -> None:
        walls = ((-2, 0), (3, 0))
        duty = placed({(0, 0): "A", (1, 0): "a", (-1, 0): "G", (2, 0): "g"}, 6, "QSSS", "QSSS", walls)
        self.refused(duty, "S a -2,0", "obstructed")
        self.refused(duty, "S a 2,0", "occupied")
        self.refused(duty, "S s -1,1", "not-your-piece")
        self.refused(duty, "S A -1,1", "not-in-hand")
        self.refused(duty, "S S 5,0", "bee-duty")
        self.refused(duty, "S Q 2,1", "no-contact")
        self.refused(duty, "S Q 0,1", "enemy-contact")
        self.refused(duty, "S Q 9,9", "out-of-bounds", "Destination (9,9,-18) is out of bounds")

    def test_drags(self) -> None:
        walls = ((0, 2),)
        self.refused(placed(LINE, red="Q", walls=walls), "D 2,0 0,2", "obstructed")
        self.refused(placed(LINE, red="Q"), "D 5,0 5,0", "bee-not-placed")
        self.refused(placed(LINE), "D 5,0 5,0", "no-piece")
        self.refused(placed(LINE), "D 2,0 2,0", "other-players-piece")
        self.refused(placed(LINE), "D 0,0 1,0", "climbing")
        self.refused(placed(LINE), "D 0,0 5,0", "swarm")

    def test_jumps(self) -> None:
        state = placed({(0, 0): "G", (1, 0): "Q", (2, 0): "q"})
        self.refused(state, "D 0,0 1,1", "not-straight")
        self.refused(state, "D 0,0 0,2", "gap")


class CoveredTests(CheckCase):
    """Every own piece is covered: the validator takes a set for a first one."""

    def test_a_piece_that_is_not_in_the_hand_is_accepted_and_the_hand_stays(self) -> None:
        state = named("all own pieces covered (bee").state
        self.assertEqual(generated(state), [])
        after = self.accepted(state, "S Q 1,1")
        self.assertEqual((after.hand(0), after.stack(1, 1)), ("SSSGGBBAAA", "Q"))

    def test_a_piece_that_is_in_the_hand_leaves_it(self) -> None:
        after = self.accepted(named("all own pieces covered (bee").state, "S S 1,1")
        self.assertEqual(after.hand(0), "SSGGBBAAA")

    def test_bee_duty_is_not_asked_for(self) -> None:
        self.accepted(named("all own pieces covered, bee in hand").state, "S A 1,1")

    def test_it_has_to_touch_the_other_side(self) -> None:
        self.refused(named("all own pieces covered (bee").state, "S S 4,1", "first-contact")

    def test_the_owner_is_asked_for(self) -> None:
        state = named("all own pieces covered (bee").state
        text = "The piece Piece(owner=BLUE, type=SPIDER) does not belong to the current Player(RED)"
        self.refused(state, "S s 1,1", "not-your-piece", text)

    def test_a_pass_is_accepted_too(self) -> None:
        self.accepted(named("all own pieces covered (bee").state, "P")


class OffTheBoardTests(CheckCase):
    """docs/specs/software-challenge.md#malformed-coordinates."""

    def test_in_the_square_but_off_the_hexagon(self) -> None:
        self.invalid(placed({}, 0, HAND, HAND), "S A 5,5", "off-the-board")
        self.invalid(placed(LINE), "D 0,0 -3,-3", "off-the-board")

    def test_a_start_off_the_board(self) -> None:
        self.invalid(placed(LINE), "D 9,0 0,1", "off-the-board")
        self.invalid(placed(LINE), "D 5,5 0,1", "off-the-board")

    def test_before_the_bee_the_start_is_not_looked_at(self) -> None:
        state = placed(LINE, red="Q")
        self.refused(state, "D 9,0 0,1", "bee-not-placed")
        self.refused(state, "D - 0,1", "bee-not-placed")

    def test_a_drag_without_a_start(self) -> None:
        self.invalid(placed(LINE), "D - 0,1", "no-start")
        self.refused(placed(LINE), "D - 9,0", "out-of-bounds", "Destination (9,0,-9) is out of bounds")

    def test_huge_coordinates(self) -> None:
        for text in ("S A 2147483647,0", "D 0,0 0,-2147483648", "S A 0,6,2147483647"):
            with self.assertRaises(IllegalMove) as caught:
                checked(placed(LINE), parse(text))
            self.assertEqual(caught.exception.code, "out-of-bounds")


class OffThePlaneTests(CheckCase):
    """A wrong third coordinate, as in sessions 28 and 29."""

    def test_the_first_set_of_a_game_may_have_any(self) -> None:
        state = placed({}, 0, HAND, HAND)
        self.assertEqual(self.accepted(state, "S A 0,-4,17"), self.accepted(state, "S A 0,-4"))
        self.assertEqual(self.accepted(state, "S A 0,-3,0").board(), {(0, -3): "A"})

    def test_the_first_set_of_blue_then_touches_nothing(self) -> None:
        self.refused(placed({(0, 0): "A"}, 1, HAND[:-1], HAND), "S a 1,0,0", "first-contact")

    def test_a_later_set(self) -> None:
        self.invalid(placed(LINE), "S A -2,0,0", "off-the-plane")
        self.refused(
            placed(LINE, red="S"),
            "S G -2,0,0",
            "not-in-hand",
            TEXTS["not-in-hand"].format(piece="Piece(owner=RED, type=GRASSHOPPER)"),
        )

    def test_ants_and_spiders(self) -> None:
        for letter, code, end in (("A", "ant-path", "2,1"), ("S", "spider-path", "2,1")):
            state = placed({(0, 0): letter, (1, 0): "Q", (2, 0): "q", (3, 0): "a"})
            self.accepted(state, f"D 0,0 {end}")
            self.refused(state, f"D 0,0 {end},0", code)
            self.invalid(state, f"D 0,0,1 {end}", "off-the-plane")

    def test_bees_and_beetles(self) -> None:
        for letter in "QB":
            state = placed({(0, 0): letter, (1, 0): "a", (2, 0): "q"})
            self.accepted(state, "D 0,0 0,1")
            self.refused(state, "D 0,0 0,1,5", "not-next")
            self.invalid(state, "D 0,0 0,1,-2", "off-the-plane")
            self.invalid(state, "D 0,0,1 0,1", "off-the-plane")

    def test_the_same_cell_by_another_name(self) -> None:
        self.refused(placed(LINE), "D -1,0 -1,0,0", "climbing")
        self.refused(placed(LINE), "D -1,0,0 -1,0,0", "same-cell")

    def test_jumps_that_the_official_server_accepts(self) -> None:
        state = placed({(0, 0): "G", (1, 0): "Q", (2, 0): "q"})
        self.assertEqual(self.accepted(state, "D 0,0 0,1,5").stack(0, 1), "G")
        self.refused(state, "D 0,0 0,1,-2", "no-jump")
        self.refused(state, "D 0,0 2,1,5", "not-straight")

    def test_a_grasshopper_with_a_wrong_start_is_not_lifted(self) -> None:
        state = placed({(-1, 0): "Q", (0, 0): "G", (0, 1): "A", (0, 2): "q"})
        self.refused(state, "D 0,0 0,3", "swarm")
        parted = self.accepted(state, "D 0,0,7 0,3")
        self.assertFalse(connected(parted.occupied))
        # From then on every drag parts the swarm, but for the pieces that are alone.
        self.refused(parted.skipped(), "D 0,3 0,4", "swarm")
        self.assertTrue(generated(parted.skipped()))

    def test_a_row_off_the_plane_or_off_the_board(self) -> None:
        state = placed({(5, -5): "G", (4, -5): "Q", (3, -4): "q"})
        self.invalid(state, "D 5,-5,4 0,-4", "off-the-board")
        self.invalid(state, "D 5,-5,-9 5,-2", "off-the-plane")

    def test_anything_else_is_a_rule_error(self) -> None:
        state = placed({(0, 0): "G", (1, 0): "Q", (2, 0): "q", (0, 1): "S", (-1, 0): "A", (-1, 1): "B"})
        for x, y in state.board():
            for end_x in range(-2, 4):
                for z in range(-3, 4):
                    for text in (f"D {x},{y},{z} {end_x},1", f"D {x},{y} {end_x},-1,{z}", f"S A {x},{end_x},{z}"):
                        try:
                            after = checked(state, parse(text))
                        except RuleError:
                            continue
                        self.assertEqual(after.turn, state.turn + 1)
