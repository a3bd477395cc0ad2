"""The boards that are shipped, and how boards are found."""

from __future__ import annotations

import json
from collections import deque
from itertools import pairwise, product
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import ConfigError
from gamed.games.roborally import course_files
from gamed.games.roborally.course_files import board_directory, course_file, course_names, load_course, load_tile
from gamed.games.roborally.grammar import Sender, parse, serialize
from gamed.games.roborally.messages import FieldAnswer, PlanAnswer
from gamed.games.roborally.rules.board import DX, DY, PIT, PLAIN, Board, Direction, Place, Repair, parse_plan
from gamed.games.roborally.rules.checks import check_board, check_tile
from gamed.games.roborally.rules.courses import Course, Limits

OF_THE_SPEC = ("presswerk", "rangierhof", "schiessstand")


def courses() -> dict[str, Course]:
    return {name: load_course(name, Limits()) for name in course_names()}


def answer(board: Board, x: int, y: int) -> str:
    """Return the answer to SFI((x,y))."""
    return serialize(FieldAnswer(board.floor(x, y), board.walls(x, y))).decode()


def steps(board: Board, start: Place, goal: Place) -> int | None:
    """Return how many steps on foot it is from one place to another; None: no way leads there."""
    known = {start: 0}
    queue = deque([start])
    while queue and goal not in known:
        x, y = queue.popleft()
        for side in Direction:
            ahead = (x + DX[side], y + DY[side])
            if ahead not in known and board.floor(*ahead) != PIT and not board.is_walled(x, y, side):
                known[ahead] = known[x, y] + 1
                queue.append(ahead)
    return known.get(goal)


class TileTests(SynchronousTestCase):
    def test_there_are_those_of_the_specification_and_more(self) -> None:
        names = {file.stem for file in board_directory().glob("*.tile")}
        self.assertTrue(names.issuperset(OF_THE_SPEC))
        self.assertGreaterEqual(len(names - set(OF_THE_SPEC)), 4)

    def test_nothing_is_wrong_with_any(self) -> None:
        for file in board_directory().glob("*.tile"):
            self.assertEqual(list(map(str, check_tile(load_tile(file)))), [], file.name)

    def test_they_are_written_one_row_a_line(self) -> None:
        for file in board_directory().glob("*.tile"):
            lines = file.read_text("ascii").splitlines()
            self.assertEqual(lines, list(load_tile(file).rows), file.name)
            self.assertEqual(len(lines), 25)

    def test_each_lies_on_a_course(self) -> None:
        used = {
            tile["file"]
            for name in course_names()
            for tile in json.loads(course_file(name).read_text("utf-8"))["tiles"]
        }
        self.assertEqual(used, {file.name for file in board_directory().glob("*.tile")})

    def test_the_pictures_of_the_specification(self) -> None:
        # 5.7: row 7 of rangierhof and row 5 of presswerk, from west to east.
        tile = load_tile(board_directory() / "rangierhof.tile")
        self.assertEqual([x for x in range(1, 13) if (x, 7) in tile.belts], [3, 10, 11, 12])
        self.assertTrue(tile.is_walled(4, 7, Direction.E))
        tile = load_tile(board_directory() / "presswerk.tile")
        self.assertEqual([x for x in range(1, 13) if (x, 5) in tile.belts and tile.belts[x, 5].crush], [5, 9])
        self.assertEqual(len([belt for belt in tile.belts.values() if belt.crush]), 7)
        self.assertEqual(sorted(site.points for site in tile.repairs.values()), [1, 1, 2, 2])

    def test_the_devices_of_schiessstand(self) -> None:
        tile = load_tile(board_directory() / "schiessstand.tile")
        self.assertEqual(sorted(beam.strength for beam in tile.beams), [1, 1, 1, 2, 3])
        self.assertEqual(sum(len(pushers) for pushers in tile.pushers.values()), 9)


class CourseTests(SynchronousTestCase):
    def test_there_are_those_of_the_specification_and_more(self) -> None:
        self.assertTrue({"doppelhalle", "winkel"}.issubset(course_names()))
        self.assertGreaterEqual(len(course_names()), 6)

    def test_nothing_is_wrong_with_any(self) -> None:
        for name, course in courses().items():
            self.assertEqual(list(map(str, check_board(course.board))), [], name)

    def test_every_flag_can_be_walked_to(self) -> None:
        for name, course in courses().items():
            for before, after in pairwise(course.flags):
                self.assertIsNotNone(steps(course.board, before, after), (name, before, after))

    def test_flags_and_players(self) -> None:
        for name, course in courses().items():
            self.assertIn(len(course.flags), range(2, 6), name)
            self.assertLessEqual(2, course.limits.min_players)
            self.assertIsInstance(course.board.floor(*course.flags[0]), (type(PLAIN), Repair))

    def test_one_is_large(self) -> None:
        self.assertEqual(max(len(course.board.covered) for course in courses().values()), 4 * 144)

    def test_names_are_told_apart(self) -> None:
        names = [course.name for course in courses().values()]
        self.assertEqual(len(names), len(set(names)))


class AnswerTests(SynchronousTestCase):
    """5.5: GPL and SFI."""

    def test_the_examples_of_the_specification(self) -> None:
        board = load_course("doppelhalle", Limits()).board
        self.assertEqual((board.width, board.height), (24, 12))
        for place, text in (
            ((12, 8), "(B,_#S(2,4,)]__)"),
            ((13, 8), "(B,___#S(2,4,)])"),
            ((14, 13), "(G,__#S(1,3,5,)]_)"),
            ((14, 0), "(G,____)"),
            ((255, 255), "(G,____)"),
        ):
            self.assertEqual(answer(board, *place), text, place)
        board = load_course("winkel", Limits()).board
        self.assertEqual((board.width, board.height), (24, 24))
        self.assertEqual(answer(board, 20, 12), "(G,[S(1,3,5,)#___)")

    def test_the_plan_of_doppelhalle(self) -> None:
        plan = load_course("doppelhalle", Limits()).board.plan
        self.assertTrue(plan.startswith("_____________#S(1,3,5,)]___#S(2,4,)]______ _R(1)_B_B_"))
        self.assertTrue(plan.endswith("_ ."))

    def test_the_fields_of_the_session(self) -> None:
        board = load_tile(board_directory() / "rangierhof.tile")
        self.assertEqual(answer(board, 10, 7), "(F(S,1,((E,D(L)))()),____)")
        self.assertEqual(answer(board, 4, 7), "(B,_#__)")

    def test_the_plan_read_again_is_the_board(self) -> None:
        for name, course in courses().items():
            line = serialize(PlanAnswer(course.board))
            self.assertEqual(parse(line, Sender.MANAGER), PlanAnswer(course.board), name)
            self.assertEqual(parse_plan(line.decode()), course.board, name)

    def test_the_answers_of_all_places_are_the_plan(self) -> None:
        for name, course in courses().items():
            board = parse_plan(course.board.plan)
            for x, y in product(range(256), range(256)) if name == "winkel" else product(range(40), range(40)):
                walls = course.board.walls(x, y)
                self.assertEqual(walls, tuple(board.wall(x, y, side) for side in Direction))
                self.assertEqual(course.board.floor(x, y), board.floor(x, y))

    def test_the_board_can_be_made_of_the_answers(self) -> None:
        for name, course in courses().items():
            board = course.board
            found: dict[Place, FieldAnswer] = {}
            for x, y in product(range(board.width + 2), range(board.height + 2)):
                event = parse(answer(board, x, y).encode(), Sender.MANAGER)
                assert isinstance(event, FieldAnswer)
                found[x, y] = event
            made = Board(
                board.width,
                board.height,
                {place: found[place].floor for place in board.floors},
                {place: found[place].walls[Direction.W] for place in board.vertical},
                {place: found[place].walls[Direction.S] for place in board.horizontal},
                board.covered,
            )
            self.assertEqual(made.plan, board.plan, name)


class FindTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)

    def refused(self, name: str) -> str:
        return str(self.assertRaises(ConfigError, load_course, name, Limits()))

    def test_the_directory(self) -> None:
        self.assertTrue((board_directory() / "doppelhalle.course").is_file())

    def test_the_installed_package_comes_first(self) -> None:
        module = self.folder / "gamed" / "games" / "roborally" / "course_files.py"
        self.patch(course_files, "__file__", str(module))
        self.assertEqual(board_directory(), self.folder / "etc" / "boards")
        (self.folder / "gamed" / "etc" / "boards").mkdir(parents=True)
        self.assertEqual(board_directory(), self.folder / "gamed" / "etc" / "boards")

    def test_the_names_are_those_of_the_files(self) -> None:
        self.patch(course_files, "__file__", str(self.folder / "gamed" / "games" / "roborally" / "course_files.py"))
        directory = self.folder / "gamed" / "etc" / "boards"
        directory.mkdir(parents=True)
        for name in ("b.course", "a.course", "c.tile", "readme.txt"):
            (directory / name).touch()
        self.assertEqual(course_names(), ["a", "b"])
        self.assertEqual(course_file("a"), directory / "a.course")

    def test_by_name(self) -> None:
        self.assertEqual(course_file("winkel"), board_directory() / "winkel.course")
        self.assertEqual(load_course("winkel", Limits()).name, "Winkel")

    def test_by_path(self) -> None:
        own = self.folder / "own.course"
        own.write_text(
            '{"name": "Öfen", "tiles": [{"file": "t.tile", "at": [1, 1], "rot": 0}], "flags": [[2, 2], [3, 3]]}',
            "utf-8",
        )
        (self.folder / "t.tile").write_bytes((board_directory() / "rangierhof.tile").read_bytes())
        self.assertEqual(course_file(str(own)), own)
        course = load_course(str(own), Limits(lives=1))
        self.assertEqual((course.name, course.limits.lives), ("Öfen", 1))

    def test_no_such_course(self) -> None:
        said = self.refused("none")
        self.assertTrue(said.startswith("there is no course none: choose one of anlauf, "), said)
        self.assertTrue(said.endswith("or a file whose name ends with .course"), said)

    def test_no_such_tile(self) -> None:
        own = self.folder / "own.course"
        own.write_text('{"name": "A", "tiles": [{"file": "t.tile", "at": [1, 1], "rot": 0}], "flags": []}')
        self.assertEqual(self.refused(str(own)), f"{self.folder / 't.tile'} cannot be read: No such file or directory")

    def test_a_name_that_no_file_can_have(self) -> None:
        own = self.folder / "own.course"
        own.write_text('{"name": "A", "tiles": [{"file": "\\u0000", "at": [1, 1], "rot": 0}], "flags": []}')
        self.assertIn("is not the name of a file", self.refused(str(own)))

    def test_the_file_is_named(self) -> None:
        own = self.folder / "own.course"
        own.write_text("{}")
        self.assertEqual(self.refused(str(own)), f"{own}: the course lacks the key 'flags': add it")
        own.write_bytes(b"\xff")
        self.assertEqual(self.refused(str(own)), f"{own}: byte 1 is not utf-8")

    def test_tiles_that_cannot_be_read(self) -> None:
        tile = self.folder / "t.tile"
        tile.write_text("x")
        error = self.assertRaises(ConfigError, load_tile, tile)
        self.assertTrue(str(error).startswith(f"{tile}: 1 rows"), error)
        tile.write_text("_ö_", "utf-8")
        error = self.assertRaises(ConfigError, load_tile, tile)
        self.assertEqual(str(error), f"{tile}: byte 2 is not ascii")
