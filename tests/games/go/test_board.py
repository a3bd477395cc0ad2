"""The engine: captures, suicide, ko, superko, many colours, and taking back."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import IllegalMove, InvalidMove, RuleError
from gamed.games.go.board import FIRST_COLORS, Board, neighbours, points, ruleset
from gamed.games.go.tree import Point, Stone
from tests.games.go.slow import beside

COLORS = {"X": "black", "O": "white", "R": "red", "G": "green"}


def stones(*rows: str) -> list[Stone]:
    """Return the stones of a picture: X black, O white, R red, G green."""
    return [
        Stone(Point(x, y), COLORS[sign])
        for y, row in enumerate(rows, 1)
        for x, sign in enumerate(row, 1)
        if sign in COLORS
    ]


def picture(board: Board) -> list[str]:
    signs = {color: sign for sign, color in COLORS.items()}
    size = range(1, board.size + 1)
    placed = board.stones
    return ["".join(signs[placed[x, y]] if (x, y) in placed else "." for x in size) for y in size]


def board(*rows: str, rules: str | None = None) -> Board:
    return Board.start(len(rows), stones(*rows), ruleset(rules))


class BoardCase(SynchronousTestCase):
    def refused(self, of: Board, x: int, y: int, color: str) -> str:
        """Return the code of a refusal, and see that it changed nothing."""
        before = (picture(of), of.ko, of.moves)
        error = self.assertRaises(RuleError, of.play, Point(x, y), color)
        self.assertEqual((picture(of), of.ko, of.moves), before)
        return error.code


class GeometryTests(SynchronousTestCase):
    def test_points_go_row_by_row_from_the_top(self) -> None:
        self.assertEqual(points(2), ((1, 1), (2, 1), (1, 2), (2, 2)))

    def test_neighbours(self) -> None:
        for size in (1, 2, 3, 7):
            for point, near in zip(points(size), neighbours(size), strict=True):
                self.assertEqual([points(size)[cell] for cell in near], beside(point, size))

    def test_sizes(self) -> None:
        self.assertEqual(Board.start(52).stones, {})
        for size in (-1, 0, 53):
            self.assertEqual(self.assertRaises(InvalidMove, Board.start, size).code, "size")

    def test_setup(self) -> None:
        rows = ["X.O", "...", "G.R"]
        self.assertEqual(picture(board(*rows)), rows)

    def test_setups_that_are_none(self) -> None:
        twice = [Stone(Point(1, 1), "black"), Stone(Point(1, 1), "white")]
        self.assertEqual(self.assertRaises(InvalidMove, Board.start, 3, twice).code, "occupied")
        outside = [Stone(Point(4, 1), "black")]
        self.assertEqual(self.assertRaises(InvalidMove, Board.start, 3, outside).code, "off-board")

    def test_colours_have_a_limit(self) -> None:
        many = [Stone(point, f"color {point}") for point in points(19)]
        self.assertEqual(len(Board.start(19, many[:253]).stones), 253)
        self.assertEqual(self.assertRaises(InvalidMove, Board.start, 19, many[:254]).code, "too-many-colors")


class RulesetTests(SynchronousTestCase):
    def test_names_as_records_have_them(self) -> None:
        cases = {
            "japanese": ("Japanese", "japanese", " JAPANESE "),
            "chinese": ("Chinese", "chinese"),
            "aga": ("AGA", "aga"),
            "new-zealand": ("NZ", "nz", "New Zealand", "new-zealand"),
            "tromp-taylor": ("Tromp-Taylor", "tromp taylor", "TrompTaylor"),
            "goe": ("GOE", "Ing"),
            "unknown": (None, "", "unknown", "Korean", "Foo"),
        }
        for name, spellings in cases.items():
            for spelling in spellings:
                self.assertEqual(ruleset(spelling).name, name)

    def test_what_they_allow(self) -> None:
        for name, suicide, superko, area in (
            ("japanese", False, False, False),
            ("unknown", False, False, False),
            ("chinese", False, True, True),
            ("aga", False, True, True),
            ("nz", True, True, True),
            ("tromp-taylor", True, True, True),
            ("goe", True, False, True),
        ):
            rules = ruleset(name)
            self.assertEqual((rules.suicide, rules.superko, rules.area), (suicide, superko, area), name)


class CaptureTests(BoardCase):
    def test_one_stone_in_the_middle_at_the_side_and_in_the_corner(self) -> None:
        for rows, at, taken in (
            ([".....", "..X..", ".XO..", "..X..", "....."], (4, 3), (3, 3)),
            (["..XO.", ".....", ".....", ".....", "....."], (5, 1), (4, 1)),
            (["OX...", ".....", ".....", ".....", "....."], (1, 2), (1, 1)),
        ):
            of = board(*rows)
            if taken == (4, 1):
                of.play(Point(4, 2), "black")
            self.assertEqual(of.play(Point(*at), "black"), (taken,))
            self.assertNotIn(taken, of.stones)
            self.assertEqual(of.prisoners, {"black": 1})

    def test_rows_of_one_to_seventeen_stones(self) -> None:
        for length in range(1, 18):
            of = Board.start(19)
            for x in range(1, length + 1):
                of.play(Point(x, 1), "white")
                self.assertEqual(of.play(Point(x, 2), "black"), ())
            self.assertEqual(of.play(Point(length + 1, 1), "black"), tuple(Point(x, 1) for x in range(1, length + 1)))
            self.assertEqual(set(of.stones.values()), {"black"})

    def test_several_groups_at_once_in_the_order_of_rows(self) -> None:
        of = board(".XOX.", "XO.OX", ".XOX.", "..X..", ".....")
        self.assertEqual(of.play(Point(3, 2), "black"), ((3, 1), (2, 2), (4, 2), (3, 3)))
        self.assertEqual(picture(of), [".X.X.", "X.X.X", ".X.X.", "..X..", "....."])
        self.assertEqual(of.prisoners, {"black": 4})

    def test_a_group_that_touches_the_move_twice_is_taken_once(self) -> None:
        of = board("X.X", "OOO", "XXX")
        self.assertEqual(of.play(Point(2, 1), "black"), ((1, 2), (2, 2), (3, 2)))
        self.assertEqual(of.prisoners, {"black": 3})

    def test_a_large_capture(self) -> None:
        of = Board.start(52, [Stone(point, "white") for point in points(52) if point != (30, 30)])
        self.assertEqual(len(of.play(Point(30, 30), "black")), 52 * 52 - 1)
        of.undo()
        self.assertEqual(len(of.stones), 52 * 52 - 1)

    def test_taking_comes_before_suicide(self) -> None:
        of = board(".OX", "OX.", "X..")
        self.assertEqual(of.play(Point(1, 1), "black"), ((2, 1), (1, 2)))

    def test_snapback(self) -> None:
        of = board("XO.OX", "XO.OX", "XXXXX", ".....", ".....")
        of.play(Point(3, 1), "black")
        self.assertEqual(of.play(Point(3, 2), "white"), ((3, 1),))
        self.assertEqual(of.play(Point(3, 1), "black"), ((2, 1), (4, 1), (2, 2), (3, 2), (4, 2)))
        self.assertEqual(of.prisoners, {"black": 5, "white": 1})


class SuicideTests(BoardCase):
    def test_of_one_stone(self) -> None:
        rows = [".O.", "O..", "..."]
        for name in (None, "japanese", "chinese", "aga"):
            self.assertEqual(self.refused(board(*rows, rules=name), 1, 1, "black"), "suicide")

    def test_of_several_stones(self) -> None:
        rows = ["X.O", "XOO", "OO."]
        self.assertEqual(self.refused(board(*rows), 2, 1, "black"), "suicide")
        of = board(*rows, rules="nz")
        self.assertEqual(of.play(Point(2, 1), "black"), ((1, 1), (2, 1), (1, 2)))
        self.assertEqual(picture(of), ["..O", ".OO", "OO."])
        self.assertEqual(of.prisoners, {})
        of.undo()
        self.assertEqual(picture(of), rows)

    def test_of_one_stone_repeats_the_position(self) -> None:
        rows = [".O.", "O..", "..."]
        self.assertEqual(self.refused(board(*rows, rules="nz"), 1, 1, "black"), "superko")
        of = board(*rows, rules="goe")
        self.assertEqual(of.play(Point(1, 1), "black"), ((1, 1),))
        self.assertEqual((picture(of), of.ko), (rows, None))
        of.undo()
        self.assertEqual(picture(of), rows)

    def test_joining_a_living_group_is_none(self) -> None:
        of = board(".X.", "OOX", "...")
        self.assertEqual(of.play(Point(1, 1), "black"), ())


class KoTests(BoardCase):
    ROWS = (".XO..", "XO.O.", ".XO..", ".....", ".....")

    def taken(self, rules: str | None = None) -> Board:
        of = board(*self.ROWS, rules=rules)
        self.assertEqual(of.play(Point(3, 2), "black"), ((2, 2),))
        return of

    def test_not_at_once(self) -> None:
        for rules in (None, "chinese"):
            self.assertEqual(self.refused(self.taken(rules), 2, 2, "white"), "ko")

    def test_after_a_threat(self) -> None:
        for rules in (None, "chinese"):
            of = self.taken(rules)
            of.play(Point(5, 5), "white")
            of.play(Point(4, 5), "black")
            self.assertEqual(of.play(Point(2, 2), "white"), ((3, 2),))
            self.assertEqual(self.refused(of, 3, 2, "black"), "ko")

    def test_after_a_pass(self) -> None:
        of = self.taken()
        of.play(None, "white")
        of.play(None, "black")
        self.assertEqual(of.play(Point(2, 2), "white"), ((3, 2),))

    def test_after_passes_superko_still_refuses(self) -> None:
        of = self.taken("chinese")
        of.play(None, "white")
        of.play(None, "black")
        self.assertEqual(self.refused(of, 2, 2, "white"), "superko")

    def test_the_taker_may_fill_it(self) -> None:
        self.assertEqual(self.taken().play(Point(2, 2), "black"), ())

    def test_taking_back_restores_the_ko(self) -> None:
        of = self.taken()
        of.play(Point(5, 5), "white")
        self.assertIsNone(of.ko)
        of.undo()
        self.assertEqual(self.refused(of, 2, 2, "white"), "ko")
        of.undo()
        self.assertEqual((picture(of), of.ko), (list(self.ROWS), None))

    def test_taking_more_than_the_last_stone_is_no_ko(self) -> None:
        of = board(".XO..", "XO.O.", "OXOO.", "XO...", ".....")
        self.assertEqual(of.play(Point(3, 2), "black"), ((2, 2),))
        self.assertEqual(of.play(Point(2, 2), "white"), ((3, 2), (2, 3)))

    def test_another_colour_may_take_there(self) -> None:
        of = self.taken()
        self.assertEqual(of.play(Point(2, 2), "red"), ((3, 2),))


class SuperkoTests(BoardCase):
    def test_a_cycle_of_six_moves_on_a_small_board(self) -> None:
        """Three kos on one board: simple ko lets the position come again, superko does not."""
        cycle = list(triple_ko_cycle())
        of = triple_ko("japanese")
        before = picture(of)
        for point, color in cycle:
            self.assertEqual(len(of.play(point, color)), 1)
        self.assertEqual(picture(of), before)
        for name in ("chinese", "aga", "nz", "tromp-taylor"):
            of = triple_ko(name)
            for point, color in cycle[:-1]:
                of.play(point, color)
            last, color = cycle[-1]
            self.assertEqual(self.refused(of, *last, color), "superko")
            of.undo()
            of.play(*cycle[-2])
            self.assertEqual(self.refused(of, *last, color), "superko")

    def test_what_was_taken_back_was_not_there(self) -> None:
        of = board("...", "...", "...", rules="nz")
        for _ in range(3):
            of.play(Point(1, 1), "black")
            of.undo()
        self.assertEqual(of.moves, 0)

    def test_a_placed_position_counts(self) -> None:
        of = board("...", "...", "...", rules="nz")
        of.place(Point(1, 1), "black", ())
        of.place(None, "white", (Point(1, 1),))
        self.assertEqual(self.refused(of, 1, 1, "black"), "superko")
        of.undo()
        of.undo()
        self.assertEqual(of.play(Point(1, 1), "black"), ())

    def test_so_does_one_that_a_pass_with_removes_made(self) -> None:
        of = board("XO.", "...", "...", rules="nz")
        of.place(None, "black", (Point(2, 1),))
        of.place(None, "white", (Point(1, 1),))
        self.assertEqual(self.refused(of, 1, 1, "black"), "superko")
        self.assertEqual(of.play(Point(1, 1), "white"), ())


def triple_ko(rules: str) -> Board:
    """Return three kos side by side, two of them for white to take and one for black."""
    rows = (
        ".XO....",
        "XO.O...",
        ".XO....",
        ".......",
    )
    setup = [Stone(Point(x, y + at), color) for at in (0, 5, 10) for (x, y), color in stones(*rows)]
    setup.remove(Stone(Point(2, 12), "white"))
    setup.append(Stone(Point(3, 12), "black"))
    return Board.start(19, setup, ruleset(rules))


def triple_ko_cycle() -> list[tuple[Point, str]]:
    """Return six captures after which the position is the first one."""
    black, white = FIRST_COLORS
    return [
        (Point(3, 2), black),
        (Point(2, 12), white),
        (Point(3, 7), black),
        (Point(2, 2), white),
        (Point(3, 12), black),
        (Point(2, 7), white),
    ]


class ColorTests(BoardCase):
    def test_groups_of_all_other_colours_are_taken_at_once(self) -> None:
        # Neither red nor green, which touch each other, may live by the other's removal.
        of = board("RGG", "R.G", "XXX")
        self.assertEqual(of.play(Point(2, 2), "black"), ((1, 1), (2, 1), (3, 1), (1, 2), (3, 2)))
        of.undo()
        self.assertEqual(picture(of), ["RGG", "R.G", "XXX"])

    def test_a_stone_has_no_liberty_in_a_third_colour(self) -> None:
        of = board("RG.", "...", "...")
        self.assertEqual(of.play(Point(1, 2), "black"), ((1, 1),))
        self.assertEqual(of.prisoners, {"black": 1})

    def test_colours_keep_their_names(self) -> None:
        of = Board.start(3)
        of.play(Point(1, 1), "silver")
        of.play(Point(2, 2), "white")
        self.assertEqual(of.stones, {Point(1, 1): "silver", Point(2, 2): "white"})


class RefusalTests(BoardCase):
    def test_off_the_board(self) -> None:
        of = board("...", "...", "...")
        for x, y in ((0, 1), (1, 0), (4, 1), (1, 4), (-1, -1), (10**9, 2)):
            self.assertEqual(self.refused(of, x, y, "black"), "off-board")
            self.assertRaises(InvalidMove, of.play, Point(x, y), "black")

    def test_occupied(self) -> None:
        for color in FIRST_COLORS:
            of = board("X..", "...", "...")
            self.assertEqual(self.refused(of, 1, 1, color), "occupied")
            self.assertRaises(IllegalMove, of.play, Point(1, 1), color)


class PlaceTests(BoardCase):
    def test_the_removes_are_used_and_nothing_else(self) -> None:
        of = board("OX.", "...", "...")
        self.assertEqual(of.place(Point(1, 2), "black", ()), ())
        self.assertEqual(picture(of), ["OX.", "X..", "..."])
        self.assertEqual(of.place(Point(3, 3), "black", (Point(2, 1), Point(1, 1))), ((1, 1), (2, 1)))
        self.assertEqual(picture(of), ["...", "X..", "..X"])
        self.assertEqual(of.prisoners, {"black": 1})

    def test_a_suicide_removes_its_own_stone(self) -> None:
        of = board("...", "...", "...")
        self.assertEqual(of.place(Point(1, 1), "black", (Point(1, 1),)), ((1, 1),))
        self.assertEqual(of.stones, {})
        of.undo()
        self.assertEqual(of.stones, {})

    def test_no_ko(self) -> None:
        of = board(*KoTests.ROWS)
        of.place(Point(3, 2), "black", (Point(2, 2),))
        self.assertEqual(of.place(Point(2, 2), "white", (Point(3, 2),)), ((3, 2),))
        self.assertEqual(picture(of), list(KoTests.ROWS))

    def test_refusals_change_nothing(self) -> None:
        rows = ["OX.", "...", "..."]
        of = board(*rows)
        for point, removes, code in (
            (Point(1, 1), (), "occupied"),
            (Point(3, 3), (Point(3, 2),), "remove-empty"),
            (Point(3, 3), (Point(1, 1), Point(1, 1)), "remove-empty"),
            (None, (Point(3, 3),), "remove-empty"),
            (Point(3, 3), (Point(4, 1),), "off-board"),
            (Point(4, 4), (), "off-board"),
        ):
            self.assertEqual(self.assertRaises(InvalidMove, of.place, point, "black", removes).code, code)
            self.assertEqual((picture(of), of.moves), (rows, 0))

    def test_taking_back(self) -> None:
        of = board("OX.", "...", "...")
        of.place(Point(1, 2), "black", (Point(1, 1),))
        of.place(None, "white", (Point(2, 1),))
        of.undo()
        self.assertEqual(picture(of), [".X.", "X..", "..."])
        of.undo()
        self.assertEqual(picture(of), ["OX.", "...", "..."])

    def test_there_is_nothing_to_take_back(self) -> None:
        self.assertRaises(IndexError, board(".").undo)


class LegalTests(SynchronousTestCase):
    def test_points_where_a_colour_may_play(self) -> None:
        of = board(".O.", "O.O", ".O.")
        self.assertEqual(list(of.legal("white")), [(1, 1), (3, 1), (2, 2), (1, 3), (3, 3)])
        self.assertEqual(list(of.legal("black")), [])
        self.assertEqual(picture(of), [".O.", "O.O", ".O."])

    def test_suicide_of_several_stones_where_it_is_allowed(self) -> None:
        rows = ["X.O", "XOO", "OO."]
        self.assertEqual(list(board(*rows).legal("black")), [])
        self.assertEqual(list(board(*rows, rules="nz").legal("black")), [(2, 1)])
