"""Course files: what they say, and how they are refused."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally.rules.board import PIT, Gear
from gamed.games.roborally.rules.courses import Course, CourseError, Limits, parse_course

EMPTY = "\n".join(["_" * 12, *["_" + "B_" * 12, "_" * 12] * 12]) + "\n"
# The field in the south-west is a gear, that in the south-east a pit.
LAST_ROW = "_" + "B_" * 12
MARKED = EMPTY[: EMPTY.rindex(LAST_ROW)] + "_D(L)" + "_B" * 10 + "_G_\n" + "_" * 12 + "\n"
FILES = {"empty.tile": EMPTY, "marked.tile": MARKED, "bad.tile": "x", "outer.tile": EMPTY.replace("_B", "[L(1)#B", 1)}


def course(**changes: Any) -> dict[str, Any]:
    """Return a good course, changed; None removes a key."""
    data = {
        "name": "Probe",
        "tiles": [{"file": "empty.tile", "at": [1, 1], "rot": 0}, {"file": "marked.tile", "at": [13, 1], "rot": 90}],
        "flags": [[2, 2], [17, 4]],
        **changes,
    }
    return {key: value for key, value in data.items() if value is not None}


def read(data: object, limits: Limits | None = None) -> Course:
    return parse_course(json.dumps(data), FILES.__getitem__, limits or Limits())


class ReadTests(SynchronousTestCase):
    def test_name_and_flags(self) -> None:
        found = read(course())
        self.assertEqual(found.name, "Probe")
        self.assertEqual(found.flags, ((2, 2), (17, 4)))

    def test_the_board_is_put_together(self) -> None:
        board = read(course()).board
        self.assertEqual((board.width, board.height), (24, 12))
        # The gear of the turned tile comes to its north-west, the pit to its south-west.
        self.assertEqual(board.floor(13, 12), Gear("L"))
        self.assertEqual(board.floor(13, 1), PIT)

    def test_limits_of_its_own(self) -> None:
        found = read(course(lives=1, min_players=3, max_players=5))
        self.assertEqual(found.limits, Limits(1, 3, 5))

    def test_limits_that_are_given(self) -> None:
        given_limits = Limits(lives=2, min_players=4, max_players=6)
        self.assertEqual(read(course(), given_limits).limits, given_limits)
        self.assertEqual(read(course(max_players=4), given_limits).limits, Limits(2, 4, 4))

    def test_the_classic_limits(self) -> None:
        self.assertEqual(Limits(), Limits(lives=3, min_players=2, max_players=8))


class RefusalTests(SynchronousTestCase):
    def refused(self, data: object) -> str:
        return str(self.assertRaises(CourseError, read, data))

    def test_what_is_no_json(self) -> None:
        for text in ("", "{", "x", "{'name': 1}", "[" * 100_000):
            error = self.assertRaises(CourseError, parse_course, text, FILES.__getitem__, Limits())
            self.assertIn("this is not JSON", str(error))

    def test_what_is_no_object(self) -> None:
        for data in ([], 1, "x", None):
            self.assertEqual(self.refused(data), 'the course is not an object: write {"flags": ...}')

    def test_missing_keys(self) -> None:
        for key in ("name", "tiles", "flags"):
            self.assertEqual(self.refused(course(**{key: None})), f"the course lacks the key '{key}': add it")

    def test_unknown_keys(self) -> None:
        self.assertEqual(self.refused(course(life=3)), "the course has the unknown key 'life': remove it")

    def test_names(self) -> None:
        for name in ("", " ", 1, []):
            self.assertIn("name: ", self.refused(course(name=name)))

    def test_flags(self) -> None:
        self.assertIn("flags: write a list", self.refused(course(flags="x")))
        for flag in ([1], [1, 2, 3], [0, 1], [1, 256], [1.0, 1], [True, 1], "11", 7, {"x": 1}):
            self.assertIn("flag 2: write a place", self.refused(course(flags=[[2, 2], flag])), flag)

    def test_flags_are_checked(self) -> None:
        for flags, code in (
            ([[2, 2]], "F1"),
            ([[2, 2], [2, 2]], "F2"),
            ([[2, 2], [25, 1]], "F3"),
            ([[2, 2], [13, 1]], "F4"),
            ([[13, 12], [2, 2]], "F5"),
        ):
            self.assertIn(f"flags: {code}", self.refused(course(flags=flags)))

    def test_all_that_is_wrong_with_the_flags_is_told(self) -> None:
        text = self.refused(course(flags=[[13, 12], [13, 1]]))
        self.assertIn("F4 (13, 1)", text)
        self.assertIn("F5 (13, 12)", text)

    def test_limits(self) -> None:
        for key, most in (("lives", 3), ("min_players", 8), ("max_players", 8)):
            for limit in (0, most + 1, -1, 1.0, "2", True, []):
                self.assertEqual(self.refused(course(**{key: limit})), f"{key}: write a number 1..{most}")

    def test_more_players_wanted_than_admitted(self) -> None:
        self.assertEqual(
            self.refused(course(min_players=5, max_players=4)), "min_players: 5 is more than max_players, 4"
        )

    def test_given_limits_that_do_not_fit(self) -> None:
        self.assertRaises(CourseError, read, course(max_players=3), Limits(min_players=4))

    def test_tiles(self) -> None:
        self.assertIn("tiles: write a list", self.refused(course(tiles={})))
        self.assertIn("tiles: there are no tiles", self.refused(course(tiles=[])))
        self.assertIn("tile 1 is not an object", self.refused(course(tiles=["empty.tile"])))

    def tile(self, **changes: Any) -> str:
        entry = {"file": "empty.tile", "at": [1, 1], "rot": 0, **changes}
        return self.refused(course(tiles=[{key: value for key, value in entry.items() if value is not None}]))

    def test_the_keys_of_a_tile(self) -> None:
        for key in ("file", "at", "rot"):
            self.assertEqual(self.tile(**{key: None}), f"tile 1 lacks the key '{key}': add it")
        self.assertIn("unknown key 'turn'", self.tile(turn=90))

    def test_the_values_of_a_tile(self) -> None:
        self.assertIn("tile 1: write the name of a file", self.tile(file=1))
        for rotation in (1, 45, 360, -90, "90", 90.0, False, []):
            self.assertIn("tile 1: write 0, 90, 180 or 270", self.tile(rot=rotation))
        for place in ([0, 1], [1], "x", [1.0, 1], [1, 256]):
            self.assertIn("tile 1, 'at': write a place", self.tile(at=place))

    def test_tiles_that_cannot_lie_so(self) -> None:
        self.assertIn("tiles: the south-western corner is (2, 1)", self.tile(at=[2, 1]))
        entry = {"file": "empty.tile", "at": [1, 1], "rot": 0}
        self.assertIn("tiles: tile 2 overlaps", self.refused(course(tiles=[entry, entry])))

    def test_tiles_that_are_refused(self) -> None:
        self.assertIn("bad.tile: ", self.tile(file="bad.tile"))
        self.assertIn("outer.tile: C2 (1, 12)", self.tile(file="outer.tile"))

    def test_what_the_reader_raises_passes(self) -> None:
        self.assertRaises(KeyError, read, course(tiles=[{"file": "none.tile", "at": [1, 1], "rot": 0}]))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=5), children, max_size=4),
    max_leaves=12,
)


class AnyFileTests(SynchronousTestCase):
    @settings(deadline=None, max_examples=150)
    @given(st.sampled_from(("name", "tiles", "flags", "lives", "min_players", "max_players")), JSON)
    def test_any_value_is_read_or_refused(self, key: str, value: object) -> None:
        try:
            found = read({**course(), key: value})
        except CourseError:
            return
        self.assertIsInstance(found, Course)

    @settings(deadline=None, max_examples=150)
    @given(st.sampled_from(("at", "rot")), JSON)
    def test_any_value_of_a_tile_is_read_or_refused(self, key: str, value: object) -> None:
        entry: dict[str, object] = {"file": "empty.tile", "at": [1, 1], "rot": 0, key: value}
        try:
            found = read(course(tiles=[entry], flags=[[1, 1], [2, 2]]))
        except CourseError:
            return
        self.assertEqual((found.board.width, found.board.height), (12, 12))
