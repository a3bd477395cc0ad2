"""Pictures that are fitted to a terminal."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.roborally import COURSES, Settings
from gamed.games.roborally.course_list import course_options
from gamed.games.roborally.rules.elements import Place
from gamed.games.roborally.rules.game import laid_out
from gamed.games.roborally.rules.json_views import tiles
from gamed.games.roborally.screen import Frame, all_lines, fitted
from gamed.games.roborally.text_course import course_of
from tests.games.roborally.test_text_course import robot_at


def frame(course: str, place: Place = (1, 1), names: tuple[str, ...] = ("Anna",)) -> Frame:
    """Return a frame with a robot for each name, one north of the other."""
    options = course_options(course, Settings())
    layout = laid_out(str(options["plan"]), str(options["flags"]))
    x, y = place
    robots = {name: robot_at((x, y + north)) for north, name in enumerate(names)}
    facts = {"robots": robots, "played": {}}
    return Frame("turn 1, phase 1: Anna", facts, course_of(tiles(layout)), layout.flags, place)


class ScreenTests(SynchronousTestCase):
    def test_every_course_is_seen_whole_at_80_columns(self) -> None:
        for course in COURSES:
            shown = frame(course)
            lines = all_lines(fitted(shown, 80, 60))
            self.assertLessEqual(max(map(len, lines)), 80, course)
            rows = [line for line in lines if re.match(r" *\d+[ |LS][^ ] ?[^\d]", line)]
            self.assertEqual(len(rows), shown.course.height, course)
            cell = 3 if shown.course.width <= 24 else 2
            text = "\n".join(lines)
            for number in range(2, len(shown.flags) + 1):
                self.assertRegex(text, rf"\*{number}" if cell == 3 else rf"[ |]{number}")

    def test_the_default_course_is_seen_whole_at_80_by_24(self) -> None:
        lines = all_lines(fitted(frame("doppelhalle", (4, 4), ("Anna", "Bert", "Carl")), 80, 24))
        self.assertLessEqual(len(lines), 23)
        self.assertEqual(len([line for line in lines if re.match(r" *\d+[ |LS][^ ] ?[^\d]", line)]), 12)
        text = "\n".join(lines)
        for sign in ("*1", "*2", "*3", "A>", "B>", "C>", "._"):
            self.assertIn(sign, text)

    def test_narrow_fields_tell_what_matters_most(self) -> None:
        lines = fitted(frame("treppe", (2, 1)), 80, 60).board
        self.assertEqual(lines[0][:16], "    1   3   5   ")
        self.assertEqual(lines[-2][:14], "  1 1 A . . . ")
        self.assertTrue(any(" X " in line for line in lines))

    def test_what_does_not_fit_is_scrolled_to_the_robot(self) -> None:
        for place in ((1, 1), (34, 24), (18, 12)):
            lines = all_lines(fitted(frame("treppe", place), 40, 24))
            self.assertLessEqual(max(map(len, lines)), 40)
            self.assertEqual(len(lines), 23)
            self.assertTrue(any(re.match(rf" *{place[1]}.*A", line) for line in lines[2:-1]), place)

    def test_a_terminal_may_be_very_small(self) -> None:
        for width, height in ((1, 1), (4, 2), (10, 5)):
            lines = all_lines(fitted(frame("doppelhalle", (5, 5)), width, height))
            self.assertLessEqual(max(map(len, lines)), max(width, 3))

    def test_without_a_terminal_everything_is_shown(self) -> None:
        lines = all_lines(fitted(frame("treppe")))
        self.assertEqual(max(map(len, lines[1:-2])), 112)
        self.assertIn("crusher", lines[-1])
