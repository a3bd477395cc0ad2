"""Real boards on real pages, with names of 80 characters: on a phone in German, with Noto Sans, on the big screen."""

from __future__ import annotations

import os
import subprocess
from typing import Any, ClassVar

from playwright.sync_api import Route

from tests.games.roborally.scenes import scene as robots
from tests.games.roborally.scenes import started
from tests.web import test_board_battleship as battleship
from tests.web import test_board_quoridor as quoridor
from tests.web.browser import NO_CHROMIUM, SHOTS
from tests.web.canned import PAGES, SESSION, ShellTestCase
from tests.web.hive_boards import STACKS, of

NAMES = tuple(letter * 80 for letter in "WMQG")
SHORT = tuple(39 * letter + "…" for letter in "WMQG")
NO_NOTO = "Noto Sans is not installed: apt-get install fonts-noto-core"

SEEN = """
(name) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const isSeen = !text.parentElement.closest(".unseen, [hidden]") && text.parentElement.checkVisibility();
    if (isSeen && text.data.includes(name)) found.push(text.parentElement.outerHTML);
  }
  return found;
}
"""
"""Returns what shows a text, without what is for screen readers alone."""

WIDTH = """
(family) => {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `40px ${family}`;
  return pen.measureText("Handgloves").width;
}
"""


def named(scene: dict[str, Any]) -> dict[str, Any]:
    """Return a scene with long names."""
    return {**scene, "isLive": True, "seats": [{**one, "name": NAMES[one["seat"]]} for one in scene["seats"]]}


def boards() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return of each game a scene for spectators and one for the first player."""
    begun, fleet = quoridor.after(), battleship.scene(battleship.at_work())
    robot = started("anlauf", 2)
    return {
        "battleship": (battleship.watched(*battleship.LINES), {**fleet, "you": {**fleet["you"], "seat": 0}}),
        "hive": (of(STACKS), of(STACKS, 0)),
        "quoridor": (quoridor.shown(begun), quoridor.scene(begun)),
        "roborally": (robots(robot), robots(robot, 0)),
    }


class LongNameTests(ShellTestCase):
    """Each name is cut to 40 characters, and no page grows too wide by it, and in German, which is longer."""

    font: ClassVar[str] = "DejaVu Sans"

    def _send(self, route: Route, path: str, body: bytes) -> None:
        if path.endswith("app.css"):
            body += f':root {{ font-family: "{self.font}", sans-serif; }}'.encode()
        super()._send(route, path, body)

    def speak_german(self) -> None:
        self.visit("/about")
        self.page.evaluate("localStorage.setItem('gamed.language', 'de')")

    def take_boards(self) -> None:
        games = [{"kind": kind, "name": kind, "can": ["play"], "bots": [], "options": {}} for kind in boards()]
        self.api["GET /session"] = {**SESSION, "games": games}

    def show(self, kind: str, way: str) -> None:
        watched, played = boards()[kind]
        here = {"id": "r1", "game": kind, "name": "Me", "state": "playing", "started": "2026-01-01T00:00:00Z"}
        scene = named(watched if way.startswith("/rooms") else played)
        self.api[f"GET {way.partition('?')[0]}"] = {**here, "seats": scene["seats"], "moves": [], "scene": scene}
        self.visit(way, ".board *")
        self.page.wait_for_function("() => document.querySelectorAll('.player:not(:empty), .versus > *').length === 2")

    def shoot_as(self, name: str) -> None:
        if "SHOTS" in os.environ:
            SHOTS.mkdir(exist_ok=True)
            self.page.screenshot(path=str(SHOTS / f"{name}.png"))

    def test_the_big_screen_has_each_name_once(self) -> None:
        self.take_boards()
        for size in ((1280, 720), (3840, 2160)):
            self.page.set_viewport_size({"width": size[0], "height": size[1]})
            for kind in boards():
                self.show(kind, "/rooms/r1?screen")
                for name in SHORT[:2]:
                    self.assertEqual(len(self.page.evaluate(SEEN, name)), 1, kind)
                self.shoot_as(f"screen-{kind}-{size[0]}")
                self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), size[0], kind)

    def test_names_are_cut_and_told_whole_where_one_points(self) -> None:
        self.take_boards()
        for way in ("/rooms/r1", "/seats/s1"):
            for kind in boards():
                self.show(kind, way)
                self.assertGreater(len(self.page.evaluate(SEEN, SHORT[1])), 0, kind)
                self.assertEqual(self.page.evaluate(SEEN, NAMES[1]), [], kind)
                self.assertEqual(self.page.get_attribute('[data-player="1"] bdi', "title"), NAMES[1])
                # The page has no list of players beside the board's.
                self.assertEqual(self.page.locator(".seats:visible").count(), 0, kind)

    def test_pages_are_not_wider_than_a_phone(self) -> None:
        self.page.set_viewport_size({"width": 360, "height": 740})
        self.speak_german()
        for path, ready in PAGES.values():
            self.visit(path, ready)
            self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 360, path)

    def test_boards_are_not_wider_than_a_phone(self) -> None:
        self.take_boards()
        self.page.set_viewport_size({"width": 360, "height": 740})
        self.speak_german()
        for kind in boards():
            for way in ("/rooms/r1", "/seats/s1", "/rooms/r1?screen"):
                self.show(kind, way)
                self.shoot_as(f"phone-{kind}-{way.strip('/').translate(str.maketrans('/?', '--'))}")
                self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 360, (kind, way))


class NotoTests(LongNameTests):
    """The same with Noto Sans, which many systems have instead of DejaVu: other widths, other heights."""

    font = "Noto Sans"

    skip = NO_CHROMIUM or (
        None if subprocess.run(["fc-list", "Noto Sans"], capture_output=True, check=False).stdout else NO_NOTO
    )

    def test_the_font_is_there(self) -> None:
        self.visit("/about")
        used, other = (self.page.evaluate(WIDTH, f'"{family}"') for family in (self.font, "DejaVu Sans"))
        self.assertNotEqual(used, other)
        self.assertIn(self.font, self.page.evaluate("getComputedStyle(document.body).fontFamily"))
