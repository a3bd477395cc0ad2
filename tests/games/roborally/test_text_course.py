"""Pictures of courses and of recorded games, and the commands that show and check boards."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner
from twisted.trial.unittest import SynchronousTestCase

from gamed.cli import main
from gamed.config import structure
from gamed.core.errors import ConfigError
from gamed.core.history import MOVE
from gamed.games.roborally.rules.board import parse_plan
from gamed.games.roborally.rules.json_views import tiles
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.text_course import course_of, picture
from tests.games.pictures import draw
from tests.games.roborally.gathering import COURSE
from tests.games.roborally.test_table import program, started

PLAN = "___ _B_D(L)_R(1)_ #__ #G_F(E,2,()())_F(S,1,()(1,))[L(1)# ___ ."


def robot_at(place: tuple[int, int], *, damage: int = 0, virtual: bool = False, active: bool = True) -> dict[str, Any]:
    """Return what is to be drawn of a robot that faces east."""
    locked = {5: "M1"} if damage == 5 else {}
    about = {"flag": 1, "damage": damage, "lives": 3, "locked": locked, "active": active, "virtual": virtual}
    return {"facing": "E", "place": list(place), **about}


class PictureTests(SynchronousTestCase):
    def lines(self, *robots: tuple[str, dict[str, Any] | None]) -> list[str]:
        course = course_of(tiles(Layout(parse_plan(PLAN.replace("[L(1)#", "#")), ())))
        return picture(course, ((1, 2), (3, 2)), robots, {"Anna": ["M3"]})

    def test_fields_walls_and_flags(self) -> None:
        self.assertEqual(
            self.lines()[:5],
            ["    1  2  3", "  2 *1 l  *2", "    --", "  1|O  >> vX|", "    1  2  3"],
        )

    def test_robots(self) -> None:
        lines = self.lines(("Anna", robot_at((2, 2))), ("Bert", robot_at((3, 1), virtual=True)), ("Carl", None))
        self.assertEqual(lines[1], "  2 *1 A> *2")
        self.assertEqual(lines[3], "  1|O  >> b>|")
        self.assertRegex(lines[6], r"^A Anna +\(2,2\) E +flag 1  damage  0  lives 3  M3$")
        self.assertRegex(lines[8], r"^C Carl +removed$")

    def test_several_on_one_field_and_the_destroyed(self) -> None:
        lines = self.lines(
            ("Anna", robot_at((2, 2), virtual=True)),
            ("Bert", robot_at((2, 2), virtual=True)),
            ("Carl", robot_at((1, 1), damage=10)),
        )
        self.assertEqual(lines[1], "  2 *1 a& *2")
        self.assertIn("destroyed", lines[8])

    def test_what_else_is_to_be_known(self) -> None:
        line = self.lines(("Anna", robot_at((2, 2), damage=5, active=False)))[6]
        self.assertTrue(line.endswith("powered down, M1 locked in 5"), line)


class DrawingTests(SynchronousTestCase):
    def test_each_move_in_words(self) -> None:
        found, anna, bert, carl = started()
        for peer in (anna, bert):
            program(peer)
        carl.leaves()
        bert.leaves()
        (history,) = found.records
        count = sum(1 for _ in history.of_kind(MOVE))
        captions = [draw(history, number).splitlines()[0] for number in range(count + 1)]
        self.assertEqual(captions[:4], ["before the first move", "Anna: E", "Bert: E", "Carl: E"])
        self.assertRegex(captions[4], r"^Anna:( [A-Z][A-Z0-9]){5}$")
        self.assertEqual(draw(history), draw(history, count))
        self.assertEqual(draw(history).splitlines()[1], "turn 2, over")


class CommandTests(SynchronousTestCase):
    def run_check(self, *arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["check", "--board", *arguments])
        return done.exit_code, done.output

    def test_a_course_that_is_well(self) -> None:
        self.assertEqual(self.run_check(COURSE), (0, f"valid {COURSE}\n"))

    def test_what_is_wrong_is_said(self) -> None:
        with TemporaryDirectory() as folder:
            course = json.loads(Path(COURSE).read_text())
            course["tiles"][0]["file"] = str(Path(COURSE).parent / course["tiles"][0]["file"])
            course["flags"] = [[9, 1], [9, 1]]
            file = Path(folder) / "twice.course"
            file.write_text(json.dumps(course))
            status, text = self.run_check(str(file), "--json", COURSE)
        self.assertEqual(status, 1)
        bad, good = map(json.loads, text.splitlines())
        self.assertEqual((bad["valid"], good["valid"]), (False, True))
        self.assertIn("flags", bad["error"])

    def test_a_file_that_is_none(self) -> None:
        status, text = self.run_check("/no/such.tile")
        self.assertEqual((status, text), (1, "refused /no/such.tile cannot be read: No such file or directory\n"))

    def test_a_channel_needs_a_name_of_letters(self) -> None:
        done = CliRunner().invoke(main, ["watch", "roborally", "--name", "Tafel 1"])
        self.assertEqual(done.exit_code, 2)


class ConfigurationTests(SynchronousTestCase):
    def test_courses_are_a_list_of_strings(self) -> None:
        config = structure({"roborally": {"courses": ["winkel"]}}, Path())
        self.assertEqual(config.listeners["roborally"].courses, ("winkel",))
        for wrong in ("winkel", [1], [], {}):
            self.assertRaises(ConfigError, structure, {"roborally": {"courses": wrong}}, Path())

    def test_what_cannot_be(self) -> None:
        for key, value in (
            ("lives", 4),
            ("move_timeout", 65_536),
            ("order", "any"),
            ("max_players", 1),
            ("linger", -1.0),
        ):
            self.assertRaises(ConfigError, structure, {"roborally": {key: value}}, Path())
