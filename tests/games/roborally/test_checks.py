"""What is wrong with boards and flags: each C and W of 5.2 and each rule of 5.6."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.board import PIT, Board, Place, parse_plan
from gamed.games.roborally.rules.checks import BoardFinding, check_board, check_flags, check_tile
from gamed.games.roborally.rules.tiles import PlacedTile, compose, rotated
from tests.games.roborally.shapes import NUMBERS, boards


def plan(*rows: str) -> Board:
    """Return a board of field rows, northern ones first, without horizontal walls."""
    width = parse_width(rows[0])
    return parse_plan(" ".join(["_" * width, *(part for row in rows for part in (row, "_" * width))]))


def parse_width(row: str) -> int:
    """Return how many fields a row has: one of B G D R F each."""
    return sum(row.count(kind) for kind in ("B", "G", "D(L)_", "R(", "F("))


def found(board: Board) -> list[tuple[str, Place | None]]:
    return [(finding.code, finding.place) for finding in check_board(board)]


class FindingTests(SynchronousTestCase):
    def test_errors_and_warnings(self) -> None:
        for code, is_error in (("C1", True), ("F5", True), ("W1", False), ("W7", False)):
            self.assertIs(BoardFinding(code, (1, 2), "x").is_error, is_error)

    def test_as_text(self) -> None:
        self.assertEqual(str(BoardFinding("C1", (1, 2), "do it")), "C1 (1, 2): do it")
        self.assertEqual(str(BoardFinding("F1", None, "do it")), "F1: do it")

    def test_errors_come_first(self) -> None:
        board = plan("_B_F(N,1,()(2,1,))_B_L(1)]G_")
        self.assertEqual(found(board), [("C1", (4, 1)), ("W1", (4, 1)), ("W2", (2, 1))])

    def test_each_says_what_to_do(self) -> None:
        board = plan("_L(1)]G#S(1,)]F(N,1,((W,D(L))(W,D(R)))())#S()]B_")
        for finding in check_board(board):
            self.assertIn(":", finding.text)


class C1Tests(SynchronousTestCase):
    """A device on no wall."""

    def test_each_side(self) -> None:
        for text in ("_ _L(1)]B_ _", "_ _B[S(1,)_ _", "_L(1)] _B_ _", "_ _B_ [S(1,)_"):
            self.assertEqual(found(parse_plan(text)), [("C1", (1, 1))], text)

    def test_the_side_and_the_device_are_named(self) -> None:
        (finding,) = check_board(parse_plan("_ _B[S(1,)_ _"))
        self.assertEqual(finding.text, "the pusher at the side E has no wall to hang on: write # for _")
        (finding,) = check_board(parse_plan("_L(1)] _B_ _"))
        self.assertEqual(finding.text, "the laser at the side N has no wall to hang on: write # for _")

    def test_on_a_wall(self) -> None:
        for text in ("_ #L(1)]B_ _", "_ _B[S(1,)# _", "#L(1)] _B_ _", "_ _B_ [S(1,)#"):
            self.assertEqual(found(parse_plan(text)), [], text)


class C2Tests(SynchronousTestCase):
    """A device outside of the tile."""

    def codes(self, text: str) -> list[tuple[str, Place | None]]:
        return [(finding.code, finding.place) for finding in check_tile(parse_plan(text))]

    def test_each_side(self) -> None:
        for text, place in (
            ("__ [L(1)#B_B_ __", (1, 1)),
            ("__ _B_B#L(1)] __", (2, 1)),
            ("_[S(1,)# _B_B_ __", (2, 1)),
            ("__ _B_B_ #S(1,)]_", (1, 1)),
        ):
            self.assertEqual(self.codes(text), [("C2", place)], text)

    def test_without_a_wall_too(self) -> None:
        self.assertEqual(self.codes("_ [L(1)_B_ _"), [("C2", (1, 1))])

    def test_inside_of_the_edge(self) -> None:
        self.assertEqual(self.codes("#L(1)] #S(1,)]B[S(2,)# [L(2)#"), [])

    def test_inner_walls_have_no_outside(self) -> None:
        self.assertEqual(self.codes("__ _B[L(1)#L(2)]B_ [L(1)#S(1,)]_ _B_B_ __"), [])

    def test_boards_are_not_asked(self) -> None:
        self.assertEqual(found(parse_plan("_ [L(1)#B_ _")), [])


class C3Tests(SynchronousTestCase):
    """Two turns for one side."""

    def test_twice(self) -> None:
        self.assertEqual(found(plan("_F(N,1,((W,D(L))(W,D(L)))())_")), [("C3", (1, 1))])
        self.assertEqual(found(plan("_F(N,1,((W,D(L))(E,D(R))(W,D(L)))())_")), [("C3", (1, 1))])

    def test_once_a_side(self) -> None:
        self.assertEqual(found(plan("_F(N,1,((W,D(L))(E,D(R)))())_")), [])


class W1Tests(SynchronousTestCase):
    """A device over a pit."""

    def test_in_the_pit(self) -> None:
        self.assertEqual(found(plan("#L(1)]G_")), [("W1", (1, 1))])
        self.assertEqual(found(plan("_G[S(1,)#")), [("W1", (1, 1))])

    def test_beside_the_pit(self) -> None:
        self.assertEqual(found(plan("_G#L(1)]B_")), [])


class W2Tests(SynchronousTestCase):
    """Phases out of order."""

    def test_pushers(self) -> None:
        for phases in ("2,1,", "1,1,", "1,3,2,", "5,4,3,2,1,"):
            self.assertEqual(found(plan(f"#S({phases})]B_")), [("W2", (1, 1))], phases)

    def test_a_pusher_without_phases(self) -> None:
        (finding,) = check_board(plan("#S()]B_"))
        self.assertEqual((finding.code, finding.text), ("W2", "the pusher has no phases: give it some, or remove it"))

    def test_crushers(self) -> None:
        for phases in ("2,1,", "3,3,"):
            self.assertEqual(found(plan(f"_F(N,1,()({phases}))_")), [("W2", (1, 1))], phases)

    def test_ascending_ones(self) -> None:
        for phases in ("1,", "1,2,3,4,5,", "2,5,"):
            self.assertEqual(found(plan(f"#S({phases})]F(N,1,()({phases}))_")), [])
        self.assertEqual(found(plan("_F(N,1,()())_")), [])


class W3Tests(SynchronousTestCase):
    """Two pushers on one field."""

    def test_in_the_same_phase(self) -> None:
        (finding,) = check_board(plan("#S(1,2,4,)]B[S(2,3,4,)#"))
        self.assertEqual((finding.code, finding.place), ("W3", (1, 1)))
        self.assertIn("in phase 2, 4", finding.text)

    def test_in_different_phases(self) -> None:
        self.assertEqual(found(plan("#S(1,3,)]B[S(2,4,)#")), [])

    def test_of_three(self) -> None:
        self.assertEqual(found(parse_plan("#S(1,)] #S(2,)]B[S(1,)# _")), [("W3", (1, 1))])

    def test_a_phase_twice_in_one_pusher_is_not_shared(self) -> None:
        self.assertEqual(found(plan("#S(1,1,)]B[S(2,)#")), [("W2", (1, 1))])

    def test_of_different_fields(self) -> None:
        self.assertEqual(found(plan("#S(1,)]B_B[S(1,)#")), [])


class W4Tests(SynchronousTestCase):
    """Turns that do not fit the belt."""

    def text(self, belt: str) -> str:
        (finding,) = check_board(plan(f"_{belt}_"))
        self.assertEqual(finding.code, "W4")
        return finding.text

    def test_the_exit_side(self) -> None:
        for side in "NESW":
            self.assertIn(f"from {side}, where it carries to", self.text(f"F({side},1,(({side},D(L)))())"))

    def test_the_straight_side(self) -> None:
        for side, direction in ("NS", "SN", "EW", "WE"):
            self.assertIn(f"straight from {side}", self.text(f"F({direction},1,(({side},D(R)))())"))

    def test_the_wrong_way_round(self) -> None:
        # Over the west side, eastwards, onto a belt northwards: that is a turn to the left.
        for direction, side, natural in (
            ("N", "W", "L"),
            ("N", "E", "R"),
            ("E", "S", "R"),
            ("S", "E", "L"),
            ("W", "N", "R"),
        ):
            other = "R" if natural == "L" else "L"
            self.assertIn(f"write D({natural})", self.text(f"F({direction},1,(({side},D({other})))())"))
            self.assertEqual(found(plan(f"_F({direction},1,(({side},D({natural})))())_")), [])


class W5Tests(SynchronousTestCase):
    """Belts into walls."""

    def test_each_direction(self) -> None:
        for direction, text in (("E", "_ _{}# _"), ("W", "_ #{}_ _"), ("N", "# _{}_ _"), ("S", "_ _{}_ #")):
            board = parse_plan(text.format(f"F({direction},1,()())"))
            self.assertEqual(found(board), [("W5", (1, 1))], direction)

    def test_other_sides(self) -> None:
        self.assertEqual(found(parse_plan("# #F(E,1,()())_ #")), [])

    def test_a_wall_between_two_belts_is_the_only_finding(self) -> None:
        self.assertEqual(found(plan("_F(E,1,()())#F(W,1,()())_")), [("W5", (1, 1)), ("W5", (2, 1))])
        self.assertEqual(found(plan("_F(E,1,()())#F(N,1,()())_")), [("W5", (1, 1))])

    def test_the_wall_of_the_neighbouring_tile(self) -> None:
        belt, wall = parse_plan("_ _F(E,1,()())_ _"), parse_plan("_ #B_ _")
        self.assertEqual(found(compose([PlacedTile(belt), PlacedTile(wall, (2, 1))])), [("W5", (1, 1))])


class W6Tests(SynchronousTestCase):
    """Head-on belts."""

    def test_once_a_pair(self) -> None:
        self.assertEqual(found(plan("_F(E,1,()())_F(W,2,()())_")), [("W6", (1, 1))])
        self.assertEqual(found(plan("_F(S,1,()())_", "_F(N,1,()())_")), [("W6", (1, 1))])

    def test_with_a_field_between(self) -> None:
        self.assertEqual(found(plan("_F(E,1,()())_B_F(W,1,()())_")), [])

    def test_away_from_each_other(self) -> None:
        self.assertEqual(found(plan("_F(W,1,()())_F(E,1,()())_")), [])

    def test_across_the_border_of_two_tiles(self) -> None:
        tile = parse_plan("_ _F(E,1,()())_ _")
        board = compose([PlacedTile(tile), PlacedTile(tile, (2, 1), 180)])
        self.assertEqual(found(board), [("W6", (1, 1))])


class W7Tests(SynchronousTestCase):
    """Belts that join others round a corner."""

    def test_without_a_turn(self) -> None:
        (finding,) = check_board(plan("_F(E,1,()())_F(N,1,()())_"))
        self.assertEqual((finding.code, finding.place), ("W7", (1, 1)))
        self.assertEqual(finding.text, "it joins the belt at (2, 1) round a corner: add (W,D(L)) there")

    def test_what_it_says_mends_it(self) -> None:
        self.assertEqual(found(plan("_F(E,1,()())_F(N,1,((W,D(L)))())_")), [])
        self.assertEqual(found(plan("_F(E,1,()())_F(S,1,((W,D(R)))())_")), [])
        self.assertEqual(found(plan("_F(E,1,()())_F(S,1,()())_")), [("W7", (1, 1))])

    def test_a_turn_for_another_side_does_not_count(self) -> None:
        self.assertEqual(found(plan("_F(E,1,()())_F(N,1,((E,D(R)))())_")), [("W7", (1, 1))])

    def test_straight_on(self) -> None:
        self.assertEqual(found(plan("_F(E,1,()())_F(E,2,()())_")), [])


class AnyBoardTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=100)
    @given(boards(), st.sampled_from((90, 180, 270)))
    def test_turning_a_board_turns_its_findings(self, board: Board, rotation: int) -> None:
        # A head-on pair is told by one of the two, which may be the other one after turning.
        turned = rotated(board, rotation)
        before, after = check_tile(board), check_tile(turned)
        self.assertEqual([finding.code for finding in before], [finding.code for finding in after])

    @settings(deadline=None, max_examples=100)
    @given(boards())
    def test_every_place_is_on_the_board(self, board: Board) -> None:
        for finding in check_tile(board):
            self.assertIn(finding.place, board.floors)


class FlagTests(SynchronousTestCase):
    """5.6."""

    def codes(self, board: Board, *flags: Place) -> list[tuple[str, Place | None]]:
        return [(finding.code, finding.place) for finding in check_flags(board, flags)]

    def setUp(self) -> None:
        row = "_B_R(1)_G_D(L)_F(N,1,()(1,))#L(1)]B[S(1,)#B_"
        self.board = parse_plan(f"{'_' * 7} {row} {'_' * 7}")

    def test_good_flags(self) -> None:
        self.assertEqual(self.codes(self.board, (1, 1), (2, 1)), [])
        self.assertEqual(self.codes(self.board, (2, 1), (1, 1), (7, 1)), [])

    def test_unkind_flags_are_legal(self) -> None:
        self.assertEqual(self.codes(self.board, (1, 1), (4, 1), (5, 1), (6, 1)), [])

    def test_at_least_two(self) -> None:
        self.assertEqual(self.codes(self.board, (1, 1)), [("F1", None)])
        self.assertEqual(self.codes(self.board), [("F1", None)])

    def test_all_different(self) -> None:
        self.assertEqual(self.codes(self.board, (1, 1), (2, 1), (1, 1)), [("F2", (1, 1))])

    def test_on_tiles(self) -> None:
        self.assertEqual(self.codes(self.board, (1, 1), (8, 1), (1, 0)), [("F3", (8, 1)), ("F3", (1, 0))])
        tile = parse_plan("_ _B_ _")
        gap = compose([PlacedTile(tile), PlacedTile(tile, (2, 2))])
        self.assertEqual(self.codes(gap, (1, 1), (2, 1)), [("F3", (2, 1))])
        self.assertEqual(self.codes(gap, (2, 1), (1, 1)), [("F3", (2, 1))])

    def test_not_in_pits(self) -> None:
        self.assertEqual(self.codes(self.board, (1, 1), (3, 1)), [("F4", (3, 1))])
        self.assertEqual(self.codes(self.board, (3, 1), (1, 1)), [("F4", (3, 1))])

    def test_the_start_is_bare(self) -> None:
        for start in ((4, 1), (5, 1), (6, 1)):
            self.assertEqual(self.codes(self.board, start, (1, 1)), [("F5", start)])

    def test_devices_in_the_neighbouring_field_do_not_count(self) -> None:
        self.assertEqual(self.codes(self.board, (7, 1), (1, 1)), [])

    @settings(deadline=None, max_examples=60)
    @given(
        boards(), st.lists(st.tuples(NUMBERS, NUMBERS) | st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=4)
    )
    def test_any_flags_are_judged(self, board: Board, flags: list[Place]) -> None:
        good = not check_flags(board, flags)
        standing = all(board.floor(*flag) != PIT for flag in flags)
        if good:
            self.assertTrue(standing and len(set(flags)) == len(flags) > 1)
        elif standing and len(set(flags)) == len(flags) > 1:
            self.assertEqual([finding.code for finding in check_flags(board, flags)], ["F5"])
