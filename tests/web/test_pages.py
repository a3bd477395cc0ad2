"""The pages, against an API that the tests make up: what they show, send, survive and weigh."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import axe_playwright_python

from tests.web.browser import ORIGIN, STATIC, BrowserTestCase, PageTestCase

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
TRICKY = "<img src=x onerror=alert(1)>"
TAMED = "Ann\ufffdgnp.exe \u05d0\u05d1\u05d2"
TURNED = "Ann\u202egnp.exe \u05d0\u05d1\u05d2"
HEAVIEST = 150_000
ROUND = 40  # ms between looks at a condition
ROUNDS = 125

# A board of squares: enough of a game to see what the shell does with one.
TOY = """
import {el, replace} from "/static/dom.js";
export const words = {
  en: {went: "{name} takes {text}", title: "Toy"},
  de: {went: "{name} nimmt {text}", title: "Spielzeug"},
};
export function describe(move, scene, t) {
  return t("went", {name: scene.seats[move.seat].name, text: move.text});
}
export function create(root, context) {
  return {
    update(scene) {
      context.setStatus(`${scene.phase} ${context.animate ? "animated" : "still"}`);
      const act = (field) => () => context.act({do: "take", field}).catch(() => context.announce("refused"));
      replace(root, scene.board === null ? "none" : scene.board.fields.map(
        (field) => el("button", {type: "button", onclick: act(field)}, String(field))));
      root.dataset.mode = context.mode;
    },
    destroy() { window.destroyed = (window.destroyed ?? 0) + 1; },
  };
}
"""
SEATS = [{"seat": 0, "name": TRICKY, "connected": True}, {"seat": 1, "name": TURNED, "connected": False}]
GAMES = [
    {
        "kind": "toy",
        "name": "Toy",
        "can": ["watch", "play", "prepare", "from"],
        "bots": ["quick", "deep"],
        "options": {},
    },
    {"kind": "go", "name": "Go", "can": [], "bots": [], "options": {}},
]
SESSION = {"token": "secret", "admin": False, "version": "1", "games": GAMES}
ROOM = {
    "id": "r1",
    "game": "toy",
    "state": "playing",
    "seats": SEATS,
    "watchers": 3,
    "moves": 2,
    "started": "2026-11-21T12:00:00Z",
    "options": {"soft_milliseconds": 1000, "note": TRICKY},
    "record": None,
}
OPEN = {**ROOM, "id": "r2", "state": "waiting", "moves": 0, "watchers": 0, "seats": SEATS[:1]}


def move(n: int) -> dict[str, Any]:
    """Return a move of the toy game."""
    return {"n": n, "seat": (n + 1) % 2, "text": f"a{n}", "at": n * 1500, "took": 1500}


def moves(first: int, last: int) -> list[dict[str, Any]]:
    """Return moves of the toy game, the last one included."""
    return [move(n) for n in range(first, last + 1)]


def scene(n: int, **others: Any) -> dict[str, Any]:
    """Return a scene of the toy game after so many moves."""
    return {
        "board": {"fields": [n, n + 1]},
        "phase": "play",
        "seats": SEATS,
        "options": ROOM["options"],
        "outcome": None,
        "last": move(n) if n else None,
        "turn": [n % 2],
        "isLive": True,
        **others,
    }


RECORD = {
    "id": "0a1b2c3d",
    "publisher": "gamed-toy",
    "version": "1.0",
    "game": "toy",
    "started": "2026-11-21T12:00:00Z",
    "ended": "2026-11-21T12:05:00Z",
    "termination": "forfeit",
    "winner": 1,
    "length": 150,
    "seats": [{"seat": 0, "name": TRICKY, "points": 0}, {"seat": 1, "name": TURNED, "points": 1}],
}
WHOLE = {
    **RECORD,
    "moves": moves(1, 150),
    "outcome": {"termination": "forfeit", "winner": 1},
    "options": ROOM["options"],
    "findings": [{"code": "odd", "seat": 0, "entry": 3, "move": 7, "text": "that was odd"}],
    "unjudged": None,
    "formats": ["xml", "replay"],
    "boards": True,
}
NODES = [
    {"id": 1, "parent": 0, "n": 1, "seat": 0, "color": "black", "point": [4, 4], "text": "D6"},
    {
        "id": 2,
        "parent": 1,
        "n": 2,
        "seat": 1,
        "color": "white",
        "point": [5, 5],
        "text": "E5",
        "comment": "White answers",
    },
    {"id": 3, "parent": 2, "n": 3, "seat": 0, "color": "black", "point": [6, 6], "text": "F4"},
    {"id": 4, "parent": 1, "n": 2, "seat": 1, "color": "white", "point": [3, 3], "text": "C7"},
    {"id": 5, "parent": 4, "n": 3, "seat": 0, "color": "black", "point": [2, 2], "text": "B8"},
    {"id": 6, "parent": 0, "n": 1, "seat": 0, "color": "black", "point": None, "text": "pass"},
]
LINE = [{**node, "node": node["id"], "at": None, "took": None} for node in NODES[:3]]
GO_BOARD = {
    "size": 9,
    "stones": {"black": [[4, 4]], "white": []},
    "removed": [],
    "prisoners": [0, 0],
    "to_move": [1],
    "passes": 0,
    "resigned": None,
    "last": [4, 4],
    "ko": None,
    "colors": {},
}
GO_SEATS = [{"seat": 0, "name": "Kuro", "connected": True}, {"seat": 1, "name": "Shiro", "connected": True}]
GO_RECORD = {
    **RECORD,
    "id": "60600000",
    "game": "go",
    "publisher": "gofans",
    "started": "",
    "termination": None,
    "winner": None,
    "length": 3,
    "seats": [{**seat, "points": None} for seat in GO_SEATS],
    "moves": LINE,
    "outcome": None,
    "options": {"size": 9, "komi": 6.5, "handicap": 0, "rules": "japanese"},
    "findings": [],
    "formats": ["xml", "sgf", "gofans"],
    "boards": True,
    "tree": {"comment": "A short game", "nodes": NODES},
    "facts": {"title": "Final", "event": None, "date": None, "place": TRICKY, "comment": None},
}
RECORDING = {
    "id": "g1",
    "scene": {
        "board": GO_BOARD,
        "phase": "play",
        "you": {"seat": 1, "color": "white", "illegal": []},
        "won": None,
        "seats": GO_SEATS,
        "options": GO_RECORD["options"],
        "outcome": None,
        "last": LINE[0],
        "turn": [1],
        "isLive": False,
    },
    "tree": GO_RECORD["tree"],
    "moves": LINE,
    "current": 1,
    "can": {"back": True, "forward": True, "undo": True, "setup": False},
    "facts": {"title": "Final", "event": None, "date": None, "place": None},
    "score": None,
    "saved": None,
}


def refused(status: int, code: str, text: str) -> Any:
    """Return what answers with an error."""
    return lambda _: (status, {"error": {"code": code, "text": text, "hint": ""}})


def positions(first: int, last: int) -> list[dict[str, Any]]:
    """Return positions of the toy game."""
    return [
        {"n": n, "board": {"fields": [n, n + 1]}, "turn": [n % 2], "phase": "play", "last": move(n) if n else None}
        for n in range(first, last + 1)
    ]


class ShellTestCase(PageTestCase):
    """All pages have something to show."""

    def setUp(self) -> None:
        super().setUp()
        self.files = {"/static/games/toy.js": TOY, "/static/games/toy.css": "[data-kind=toy] { display: block }"}
        if not (STATIC / "games" / "go.js").is_file():
            self.files |= {"/static/games/go.js": TOY.replace("fields", "to_move"), "/static/games/go.css": ""}
        go = [{"n": n, "node": n, "board": GO_BOARD, "turn": [1], "phase": "play", "last": None} for n in range(4)]
        self.api = {
            "GET /session": SESSION,
            "GET /rooms": [ROOM, OPEN],
            "GET /seats": [{"id": "s1", "game": "toy", "room": "r1", "name": "Me"}],
            "GET /rooms/r1": {**ROOM, "scene": {**scene(2), "moves": moves(1, 2)}},
            "GET /seats/s1": {
                "id": "s1",
                "game": "toy",
                "room": "r1",
                "name": "Me",
                "scene": {**scene(2), "you": {"seat": 0}, "won": None},
                "moves": moves(1, 2),
            },
            "GET /records": {"records": [RECORD], "next": "older-ones"},
            "GET /records/0a1b2c3d": WHOLE,
            "GET /records/0a1b2c3d/positions?from=0&to=63": positions(0, 63),
            "GET /records/0a1b2c3d/positions?from=64&to=127": positions(64, 127),
            "GET /records/0a1b2c3d/positions?from=128&to=150": positions(128, 150),
            "GET /records/60600000": GO_RECORD,
            "GET /records/60600000/positions": go,
            "GET /recordings": {
                "recordings": [
                    {"id": "g1", "title": TRICKY, "players": ["Kuro", None], "size": 9, "moves": 3, "saved": None}
                ]
            },
            "GET /recordings/g1": RECORDING,
        }

    def text(self, selector: str = "main") -> str:
        """Return the text that is seen."""
        return self.page.inner_text(selector)

    def wait(self, condition: str, arg: Any = None) -> None:
        """Wait for a condition on the page, an expression or function of JavaScript.

        Playwright's own waiting evaluates strings in the page, which the policy forbids.
        """
        for _ in range(ROUNDS):
            if self.page.evaluate(condition, arg):
                return
            self.page.wait_for_timeout(ROUND)
        self.fail(f"not within {ROUNDS * ROUND} ms: {condition} {arg}")

    def see(self, text: str, selector: str = "main") -> None:
        """Wait until a text is seen."""
        self.wait("([where, text]) => document.querySelector(where)?.innerText.includes(text)", [selector, text])


PAGES = {
    "lobby": ("/", "[data-room]"),
    "room": ("/rooms/r1", ".board button"),
    "screen": ("/rooms/r1?screen", ".board button"),
    "seat": ("/seats/s1", ".board button"),
    "records": ("/records", "table"),
    "record": ("/records/0a1b2c3d?move=9", ".board button"),
    "variations": ("/records/60600000?move=2", ".tree"),
    "recorder": ("/recorder", "form"),
    "recording": ("/recorder/g1", ".tree"),
    "missing": ("/nowhere", "h1"),
}
"""Each page: its address, and what stands on it when it is ready."""


class LobbyTest(ShellTestCase):
    """What can be played and seen."""

    def test_rooms_results_and_own_seats_are_shown(self) -> None:
        self.visit("/", ".card[data-room]")
        self.assertIn("playing", self.text('[data-room="r1"]'))
        self.assertIn("2 moves, 3 spectators", self.text('[data-room="r1"]'))
        self.assertIn("waiting", self.text('[data-room="r2"]'))
        self.assertEqual(self.page.get_attribute('[data-room="r1"] a', "href"), "/rooms/r1")
        self.assertEqual(self.page.get_attribute("a.button.primary", "href"), "/seats/s1")
        self.see(f"{TURNED} won (the other broke a rule)")

    def test_a_game_against_programs(self) -> None:
        self.api["POST /seats"] = lambda _: (200, {"id": "s1"})
        self.visit("/", '[data-game="toy"]')
        self.page.click('[data-game="toy"] button')
        self.page.fill('input[name="name"]', "Me")
        self.page.check('input[value="bots"]')
        self.page.click("text=Another program")
        self.page.select_option(".bots label:last-child select", "deep")
        self.page.click('dialog button[type="submit"]')
        self.page.wait_for_selector(".seat .board")
        self.assertEqual(self.requests("POST", "/seats"), [{"game": "toy", "name": "Me", "bots": ["quick", "deep"]}])
        self.assertEqual(self.page.url, f"{ORIGIN}/seats/s1")

    def test_a_reservation_and_a_refusal(self) -> None:
        self.api["POST /seats"] = refused(409, "no-place", "No seat is reserved.")
        self.visit("/", '[data-game="toy"]')
        self.page.click('[data-game="toy"] button')
        self.page.fill('input[name="name"]', "Me")
        self.page.check('input[value="code"]')
        self.page.fill('input[name="code"]', "X-1")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("dialog .complaint:not([hidden])")
        self.assertEqual(self.text("dialog .complaint"), "That is not possible now. No seat is reserved.")
        self.assertEqual(self.requests("POST", "/seats"), [{"game": "toy", "name": "Me", "reservation": "X-1"}])
        self.page.keyboard.press("Escape")
        self.page.wait_for_selector("dialog", state="detached")
        self.errors.clear()

    def test_rooms_are_looked_at_again_and_focus_stays(self) -> None:
        self.visit("/", ".card[data-room]")
        self.page.focus('[data-room="r1"] a')
        self.api["GET /rooms"] = [{**ROOM, "moves": 77}]
        self.see("77 moves")
        self.assertEqual(self.page.evaluate("document.activeElement.dataset.key"), "watch-r1")
        self.see("Nobody is waiting.")

    def test_an_operator_prepares_a_room(self) -> None:
        self.api["GET /session"] = {**SESSION, "admin": True}
        self.api["POST /rooms"] = {"room": "r1", "reservations": ["alpha", "beta"]}
        self.visit("/", '[data-game="toy"]')
        self.page.click("text=Prepare")
        self.page.fill("textarea", "Ann\n\nBen\n")
        self.page.check('input[name="paused"]')
        self.page.click('dialog button[type="submit"]')
        self.page.wait_for_selector(".codes")
        self.assertEqual(self.requests("POST", "/rooms"), [{"game": "toy", "names": ["Ann", "Ben"], "paused": True}])
        self.page.click(".codes li:last-child button")
        self.assertEqual(self.page.input_value('input[name="code"]'), "beta")


class RoomTest(ShellTestCase):
    """A room for spectators, and its big screen."""

    def test_the_game_as_it_stands(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.assertEqual(self.text(".status"), "play still")
        self.assertEqual(self.page.locator(".moves li").count(), 2)
        self.assertEqual(self.page.text_content(".moves li bdi"), f"\u2068{TRICKY}\u2069 takes a1")
        self.assertEqual(self.page.text_content(".moves li:last-child bdi"), f"\u2068{TAMED}\u2069 takes a2")
        self.assertEqual(self.page.locator(".seats li.on").get_attribute("data-seat"), "0")
        self.assertIn("not connected", self.text('.seats [data-seat="1"]'))
        self.assertRegex(self.text(".seats li.on .running"), r"^\+\d+:\d\d")
        self.assertEqual(self.page.locator("img").count(), 0)

    def test_moves_come_and_are_announced(self) -> None:
        self.page.emulate_media(reduced_motion="no-preference")
        self.visit("/rooms/r1", ".board button")
        self.emit("/rooms/r1", "scene", {"scene": scene(3), "moves": [move(3)]})
        self.see("play animated", ".status")
        self.assertEqual(self.page.locator(".moves li").count(), 3)
        self.assertIn(f"{TRICKY}\u2069 takes a3", self.page.text_content("[aria-live]") or "")
        self.emit("/rooms/r1", "scene", {"scene": scene(9), "moves": moves(4, 9)})
        self.wait("document.querySelectorAll('.moves li').length === 9")
        self.assertIn("6 new moves. ", self.page.text_content("[aria-live]") or "")

    def test_events_that_overlap_add_nothing_twice(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.emit("/rooms/r1", "scene", {"scene": scene(4), "moves": moves(1, 4), "reset": True})
        self.emit("/rooms/r1", "scene", {"scene": scene(5), "moves": moves(3, 5)})
        self.assertEqual(self.page.locator(".moves li").count(), 5)

    def test_missing_moves_are_asked_for(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.api["GET /rooms/r1"] = {**ROOM, "scene": {**scene(8), "moves": moves(1, 8)}}
        self.emit("/rooms/r1", "scene", {"scene": scene(8), "moves": [move(8)]})
        self.wait("document.querySelectorAll('.moves li').length === 8")

    def test_another_match_in_the_same_room(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.emit("/rooms/r1", "scene", {"scene": scene(0), "moves": []})
        self.see("No move yet.")
        other = {**move(1), "text": "z9"}
        self.emit("/rooms/r1", "scene", {"scene": {**scene(1), "last": other}, "moves": [other]})
        self.see("z9")
        self.assertEqual(self.page.locator(".moves li").count(), 1)

    def test_the_end_and_the_record(self) -> None:
        self.visit("/rooms/r1", ".board button")
        outcome = {"termination": "left", "winner": 0}
        self.emit("/rooms/r1", "scene", {"scene": scene(2, outcome=outcome, record="0a1b2c3d"), "moves": []})
        self.see(f"{TRICKY} won (the other left). To the record")
        self.assertEqual(self.page.get_attribute(".ending a", "href"), "/records/0a1b2c3d")
        self.emit("/rooms/r1", "gone", {})
        self.see("ended")

    def test_a_stream_that_is_refused_leads_to_the_closed_room(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.lose("/rooms/r1", for_good=True)
        self.see("The server does not answer.", ".banner")
        del self.api["GET /rooms/r1"]
        self.page.click(".banner button")
        self.see("There is nothing here, or not any more.")
        self.wait("document.querySelector('.banner').hidden")
        self.errors.clear()

    def test_a_server_that_was_away(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.is_away = True
        self.lose("/rooms/r1", for_good=True)
        self.see("tries again by itself", ".banner")
        self.page.wait_for_timeout(1500)
        self.is_away = False
        self.api["GET /rooms/r1"] = {**ROOM, "scene": {**scene(5), "moves": moves(1, 5)}}
        self.page.click(".banner button")
        self.wait("document.querySelectorAll('.moves li').length === 5")
        self.wait("document.querySelector('.banner').hidden")
        self.emit("/rooms/r1", "scene", {"scene": scene(6), "moves": [move(6)]})
        self.wait("document.querySelectorAll('.moves li').length === 6")
        self.errors.clear()

    def test_a_stream_that_comes_back_soon_disturbs_nobody(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.lose("/rooms/r1", for_good=False)
        self.assertFalse(self.page.is_visible(".banner"))
        # The browser tries each second; that begins nothing anew.
        for _ in range(3):
            self.page.wait_for_timeout(1_000)
            self.lose("/rooms/r1", for_good=False)
        self.assertTrue(self.page.is_visible(".banner"))
        self.see("tries again by itself", ".banner")

    def test_an_operators_buttons(self) -> None:
        self.api["GET /session"] = {**SESSION, "admin": True}
        self.api |= {"POST /rooms/r1/pause": {}, "POST /rooms/r1/step": {}, "POST /rooms/r1/cancel": {}}
        self.visit("/rooms/r1", ".board button")
        self.assertTrue(self.page.is_disabled("text=One step"))
        self.api["GET /rooms/r1"] = {**ROOM, "state": "paused", "scene": {**scene(2), "moves": moves(1, 2)}}
        self.page.click("text=Pause")
        self.see("paused")
        self.page.click("text=One step")
        self.page.click("aside >> text=Cancel the game")
        self.page.click("dialog .danger")
        self.wait("document.querySelector('dialog') === null")
        self.page.wait_for_timeout(100)
        for what in ("pause", "step", "cancel"):
            self.assertEqual(len(self.requests("POST", f"/rooms/r1/{what}")), 1, what)

    def test_a_spectator_has_no_such_buttons(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.assertEqual(self.page.locator("text=One step").count(), 0)

    def test_the_big_screen_shows_each_move_for_its_time(self) -> None:
        self.visit("/rooms/r1?screen&pace=400", ".board button")
        self.assertFalse(self.page.is_visible(".top"))
        self.page.evaluate("""() => {
            window.seen = [];
            new MutationObserver(() => {
                const text = document.querySelector('.board').innerText;
                if (window.seen.at(-1)?.[0] !== text) window.seen.push([text, performance.now()]);
            }).observe(document.querySelector('.board'), {childList: true, subtree: true});
        }""")
        for n in range(3, 7):
            self.emit("/rooms/r1", "scene", {"scene": scene(n), "moves": [move(n)]})
        self.wait("window.seen.length === 4")
        seen = self.page.evaluate("window.seen")
        self.assertEqual([text.split()[0] for text, _ in seen], ["34", "45", "56", "67"])
        for (_, before), (_, after) in pairwise(seen):
            self.assertGreater(after - before, 380)

    def test_a_game_without_a_board_still_has_its_moves(self) -> None:
        self.api["GET /rooms/r1"] = {**ROOM, "game": "nogame", "scene": {**scene(2), "moves": moves(1, 2)}}
        self.visit("/rooms/r1", ".board p")
        self.see("There is no board for this game.")
        self.see(f"\u2068{TRICKY}\u2069: a1")
        self.errors.clear()


class SeatTest(ShellTestCase):
    """A seat for a person."""

    def test_a_move(self) -> None:
        self.api["POST /seats/s1/act"] = {}
        self.visit("/seats/s1", ".board button")
        self.assertIn("It is your turn.", self.page.title())
        self.page.click(".board button")
        self.wait("true")
        self.assertEqual(self.requests("POST", "/seats/s1/act"), [{"do": "take", "field": 2}])
        self.emit("/seats/s1", "scene", {"scene": scene(3, you={"seat": 0}, won=None), "moves": [move(3)]})
        self.assertEqual(self.page.title(), "Toy · gamed")
        self.emit("/seats/s1", "scene", {"scene": scene(4, you={"seat": 0}, won=None), "moves": [move(4)]})
        self.assertIn("It is your turn.", self.page.text_content("[aria-live]") or "")

    def test_a_refused_move_is_explained_until_one_is_taken(self) -> None:
        self.api["POST /seats/s1/act"] = refused(409, "illegal-move", "This field is taken.")
        self.visit("/seats/s1", ".board button")
        self.page.click(".board button")
        self.see("That is not possible now. This field is taken.")
        self.api["POST /seats/s1/act"] = {}
        self.page.click(".board button")
        self.wait("document.querySelector('.complaint').hidden")
        self.errors.clear()

    def test_leaving_asks_first(self) -> None:
        self.api["DELETE /seats/s1"] = {}
        self.visit("/seats/s1", ".board button")
        self.page.click("text=Leave")
        self.page.click("dialog >> text=Stay")
        self.assertEqual(self.requests("DELETE", "/seats/s1"), [])
        self.page.click("text=Leave")
        self.page.click("dialog .danger")
        self.page.wait_for_selector(".lobby h1")
        self.assertEqual(self.requests("DELETE", "/seats/s1"), [None])
        self.assertEqual(self.page.evaluate("window.destroyed"), 1)

    def test_the_end(self) -> None:
        self.visit("/seats/s1", ".board button")
        self.api["GET /rooms/r1"] = {**ROOM, "state": "ended", "record": "0a1b2c3d", "scene": scene(3)}
        outcome = {"termination": "victory", "winner": 0}
        over = scene(3, you={"seat": 0}, won=True, phase="over", outcome=outcome)
        self.emit("/seats/s1", "scene", {"scene": over, "moves": [move(3)]})
        self.see("You won.")
        self.see("To the record")
        self.page.click("text=Again")
        self.page.wait_for_selector("dialog")

    def test_a_new_page_after_a_reload_has_the_same_game(self) -> None:
        self.visit("/seats/s1", ".board button")
        before = self.text(".table")
        self.page.reload()
        self.page.wait_for_selector(".board button")
        self.assertEqual(re.sub(r"\+\d+:\d+(:\d+)?", "", self.text(".table")), re.sub(r"\+\d+:\d+(:\d+)?", "", before))

    def test_somebody_elses_seat(self) -> None:
        self.api["GET /seats/s1"] = refused(403, "not-yours", "")
        self.visit("/seats/s1")
        self.see("You may not do that.")
        self.errors.clear()


class RecordsTest(ShellTestCase):
    """The archive and the replay."""

    def test_a_search(self) -> None:
        self.visit("/records", "table")
        self.assertIn("Nov 21, 2026", self.text("table"))
        self.page.fill('input[name="player"]', "Ann")
        self.page.select_option('select[name="game"]', "toy")
        self.page.select_option('select[name="termination"]', "time")
        self.page.fill('input[name="since"]', "2026-11-01")
        self.page.click('form button[type="submit"]')
        self.wait("location.search !== ''")
        self.page.wait_for_selector("table")
        asked = [address for _, address, _ in self.asked if address.startswith("/records?limit=25&")]
        self.assertEqual(asked, ["/records?limit=25&player=Ann&game=toy&termination=time&since=2026-11-01"])
        self.assertEqual(self.page.input_value('input[name="player"]'), "Ann")
        self.page.click("text=Older")
        self.wait("location.search.includes('before=older-ones')")
        self.page.go_back()
        self.wait("!location.search.includes('before')")

    def test_a_replay_by_buttons_and_keys(self) -> None:
        self.visit("/records/0a1b2c3d?move=70", ".board button")
        self.see("7071", ".board")
        self.page.keyboard.press("ArrowRight")
        self.see("7172", ".board")
        self.page.keyboard.press("Home")
        self.see("01", ".board")
        self.page.keyboard.press("End")
        self.see("150151", ".board")
        self.page.click('[aria-label="One move back"]')
        self.see("149150", ".board")
        self.assertEqual(self.page.get_attribute("text=Link to this position", "href"), "/records/0a1b2c3d?move=149")
        self.wait("location.search === '?move=149'")
        self.page.click('.moves [data-n="5"] button')
        self.see("56", ".board")
        self.page.fill('input[name="move"]', "12")
        self.page.keyboard.press("ArrowLeft")
        self.page.keyboard.press("Enter")
        self.see("1213", ".board")
        self.assertIn("Move 12 of 150: ", self.page.get_attribute("input[type=range]", "aria-valuetext") or "")

    def test_a_replay_plays_and_stops(self) -> None:
        self.visit("/records/0a1b2c3d?move=147", ".board button")
        self.page.select_option('select[aria-label="Speed"]', "10")
        self.page.keyboard.press("Space")
        self.see("150151", ".board")
        self.page.wait_for_selector('[aria-label="Play the moves"]')

    def test_files_findings_and_a_new_room(self) -> None:
        self.api["POST /rooms"] = {"room": "r9", "reservations": ["alpha", "beta"]}
        self.visit("/records/0a1b2c3d?move=9", ".board button")
        links = self.page.locator("a[download]")
        hrefs = [links.nth(n).get_attribute("href") for n in range(links.count())]
        self.assertEqual(hrefs, [f"/api/v1/records/0a1b2c3d/file?format={name}" for name in ("xml", "replay")])
        self.page.click("summary")
        self.see("that was odd")
        self.page.click("text=Start from here")
        self.page.wait_for_selector(".codes")
        self.assertEqual(self.requests("POST", "/rooms"), [{"game": "toy", "from": {"record": "0a1b2c3d", "move": 9}}])

    def test_variations(self) -> None:
        self.visit("/records/60600000", ".tree")
        self.see("A short game")
        self.page.focus('[data-node="0"]')
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("ArrowRight")
        self.see("White answers", ".comment")
        self.page.keyboard.press("ArrowDown")
        self.wait("document.querySelector('.node.here').dataset.node === '4'")
        self.assertEqual(self.page.evaluate("document.activeElement.dataset.node"), "4")
        self.assertIn("/records/60600000/positions?from=0&to=3&node=4", [address for _, address, _ in self.asked])
        self.page.click('[data-node="6"]')
        self.assertEqual(
            self.page.get_attribute("text=Link to this position", "href"), "/records/60600000?move=1&node=6"
        )

    def test_no_record(self) -> None:
        self.visit("/records/none")
        self.see("There is nothing here, or not any more.")
        self.errors.clear()


class RecorderTest(ShellTestCase):
    """A Go game that is written down."""

    def test_a_new_one(self) -> None:
        self.api["POST /recordings"] = {"id": "g1"}
        self.visit("/recorder", "form")
        self.assertIn(TRICKY, self.text(".card"))
        self.page.fill('input[name="size"]', "9")
        self.page.fill('input[name="black"]', "Kuro")
        self.page.click('form button[type="submit"]')
        self.page.wait_for_selector(".recorder .tree")
        asked = {"size": 9, "handicap": 0, "komi": 6.5, "rules": "japanese", "players": ["Kuro", ""]}
        self.assertEqual(self.requests("POST", "/recordings"), [asked])

    def test_what_is_written(self) -> None:
        self.api["POST /recordings/g1/act"] = {**RECORDING, "current": 4}
        self.api["POST /recordings/g1/save"] = {"record": "60600000", "code": "imported", "sentence": "One game."}
        self.visit("/recorder/g1", ".tree")
        for text in ("Take back", "Back"):
            self.page.click(f"main button:text-is('{text}')")
        self.page.click('[data-node="2"]')
        self.page.fill("textarea", "Good")
        self.page.click("text=Note it")
        self.see("Noted.")
        self.page.keyboard.press("ArrowLeft")
        self.page.click("text=Save as a record")
        self.see("Saved. One game.")
        done = [body.get("do") for body in self.requests("POST", "/recordings/g1/act")]
        self.assertEqual(done, ["undo", "back", "goto", "comment", "back"])

    def test_a_variation_in_place_of_the_last_move(self) -> None:
        self.files |= {"/static/games/go.js": TOY.replace("fields", "to_move").replace('"take"', '"play"')}
        self.api["POST /recordings/g1/act"] = RECORDING
        self.visit("/recorder/g1", ".tree")
        self.page.click("button:text-is('Variation')")
        self.page.click(".board button")
        self.page.wait_for_selector("button[aria-pressed=false]")
        self.page.click(".board button")
        self.page.wait_for_timeout(100)
        self.assertEqual([body["do"] for body in self.requests("POST", "/recordings/g1/act")], ["branch", "play"])


class LooksTest(ShellTestCase):
    """What holds for all pages."""

    def setUp(self) -> None:
        super().setUp()
        self.api["GET /session"] = {**SESSION, "admin": True}

    def check(self, rules: Mapping[str, Any] | None = None) -> None:
        """Fail if axe finds anything serious."""
        if not self.page.evaluate("Boolean(window.axe)"):
            self.page.evaluate(f"() => {{ {AXE} }}")
        found = self.page.evaluate("(rules) => axe.run(document, rules)", rules or {})
        serious = [
            (rule["id"], node["target"], node["failureSummary"])
            for rule in found["violations"]
            if rule["impact"] in ("serious", "critical")
            for node in rule["nodes"]
        ]
        self.assertGreater(len(found["passes"]), 0)
        self.assertEqual(serious, [], self.page.url)

    def test_no_serious_violation_in_light_and_dark(self) -> None:
        for path, ready in PAGES.values():
            self.visit(path, ready)
            self.check()
            self.page.evaluate("document.documentElement.dataset.theme = 'dark'")
            self.check({"runOnly": ["color-contrast"]})

    def test_the_dialogs(self) -> None:
        self.visit("/", '[data-game="toy"]')
        for text in ("Play", "Prepare", "Log out"):
            with self.subTest(text):
                self.assertEqual(self.page.locator(f"button:text-is('{text}')").count() > 0, True)
        self.page.click('[data-game="toy"] button.primary')
        self.page.check('input[value="bots"]')
        self.check()
        self.page.keyboard.press("Escape")
        self.page.click('[data-game="toy"] >> text=Prepare')
        self.check()

    def test_nothing_is_wider_than_a_phone(self) -> None:
        self.page.set_viewport_size({"width": 320, "height": 640})
        for path, ready in PAGES.values():
            self.visit(path, ready)
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(wide, 320, path)

    def test_names_are_text_in_their_own_direction(self) -> None:
        for path, ready in PAGES.values():
            self.visit(path, ready)
            self.assertEqual(self.page.locator("img").count(), 0, path)
            loose = self.page.evaluate(
                """(name) => {
                    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
                    const found = [];
                    while (walker.nextNode()) {
                        const text = walker.currentNode;
                        const hidden = text.parentElement.closest("bdi, [aria-live]");
                        if (text.data.includes(name) && !hidden) found.push(text.parentElement.outerHTML);
                    }
                    return found;
                }""",
                TURNED,
            )
            self.assertEqual(loose, [], path)

    def test_weights(self) -> None:
        games = STATIC / "games"
        boards = [[*games.glob(f"{file.stem}.*"), *games.glob(f"{file.stem}/*")] for file in games.glob("*.js")]
        heaviest = max((sum(file.stat().st_size for file in files) for files in boards), default=0)
        for name, (path, ready) in PAGES.items():
            self.weights.clear()
            self.page.goto("about:blank")
            self.visit(path, ready)
            shell = sum(size for file, size in self.weights.items() if "/games/" not in file)
            self.assertLess(shell + heaviest, HEAVIEST, (name, self.weights))

    def test_the_first_page_is_there_soon(self) -> None:
        self.visit("/", "[data-room]")
        loaded = self.page.evaluate("performance.getEntriesByType('resource').length")
        self.assertLess(loaded, 20)
        errors = self.page.evaluate("document.querySelectorAll('script:not([src]), style, [style]').length")
        self.assertEqual(errors, 0)


class SettingsTest(ShellTestCase):
    """Language, colours, the administrator's login, and ways through the pages."""

    def test_german_and_back(self) -> None:
        self.visit("/", "[data-room]")
        self.page.select_option('select[aria-label="Language"]', "de")
        self.see("Laufende Partien")
        self.assertEqual(self.page.get_attribute("html", "lang"), "de")
        self.page.reload()
        self.see("Laufende Partien")
        self.page.goto(f"{ORIGIN}/rooms/r1")
        self.see("nimmt a1")
        self.page.select_option('select[aria-label="Sprache"]', "en")
        self.see("takes a1")

    def test_colours(self) -> None:
        self.visit("/", "[data-room]")
        ground = "getComputedStyle(document.body).backgroundColor"
        light = self.page.evaluate(ground)
        self.page.select_option('select[aria-label="Colours"]', "dark")
        dark = self.page.evaluate(ground)
        self.assertNotEqual(light, dark)
        self.page.reload()
        self.wait(f"{ground} === '{dark}'")
        self.page.emulate_media(color_scheme="dark")
        self.page.select_option('select[aria-label="Colours"]', "light")
        self.assertEqual(self.page.evaluate(ground), light)
        self.page.select_option('select[aria-label="Colours"]', "auto")
        self.assertEqual(self.page.evaluate(ground), dark)

    def test_login_and_logout(self) -> None:
        self.api["POST /session/login"] = refused(401, "login", "")
        self.api["POST /session/logout"] = {}
        self.visit("/", "[data-room]")
        self.page.click("text=Log in")
        self.page.fill('input[name="user"]', "root")
        self.page.fill('input[name="password"]', "wrong")
        self.page.keyboard.press("Enter")
        self.see("You are not known here", "dialog")
        self.errors.clear()
        self.api["POST /session/login"] = {}
        self.api["GET /session"] = {**SESSION, "admin": True}
        self.page.fill('input[name="password"]', "right")
        self.page.keyboard.press("Enter")
        self.see("Log out", "header")
        self.assertEqual(self.requests("POST", "/session/login")[-1], {"user": "root", "password": "right"})
        self.api["GET /session"] = SESSION
        self.page.click("text=Log out")
        self.see("Log in", "header")

    def test_a_new_token_after_the_daemon_was_started_anew(self) -> None:
        self.visit("/seats/s1", ".board button")
        answers = iter([(403, {"error": {"code": "token", "text": "", "hint": ""}}), (200, {})])
        self.api["POST /seats/s1/act"] = lambda _: next(answers)
        self.api["GET /session"] = {**SESSION, "token": "other"}
        self.page.click(".board button")
        self.page.wait_for_timeout(300)
        self.assertEqual(len(self.requests("POST", "/seats/s1/act")), 2)
        self.assertFalse(self.page.is_visible(".complaint"))
        self.errors.clear()

    def test_by_keyboard_from_the_top(self) -> None:
        self.visit("/", "[data-room]")
        self.page.keyboard.press("Tab")
        self.assertEqual(self.page.inner_text(":focus"), "Skip to the content")
        self.page.keyboard.press("Enter")
        self.page.wait_for_function("document.activeElement.id === 'content'")
        self.page.focus('nav a[href="/records"]')
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("table")
        self.page.wait_for_function("document.activeElement.innerText === 'Records'")
        self.page.go_back()
        self.page.wait_for_selector("[data-room]")

    def test_a_server_that_is_busy_at_first(self) -> None:
        self.api["GET /rooms"] = refused(503, "stopping", "")
        self.visit("/")
        self.see("The server is busy or about to stop.")
        self.api["GET /rooms"] = [ROOM]
        self.page.click(".banner button")
        self.see("Running games")
        self.errors.clear()

    def test_each_status_has_its_sentence(self) -> None:
        for status, words in {401: "log in", 404: "nothing here", 429: "too often", 500: "error 500"}.items():
            self.api["GET /rooms/r1"] = refused(status, "any", "Because.")
            self.visit("/rooms/r1")
            self.see(words)
            self.see("Because.")
        self.errors.clear()


class WordsTest(BrowserTestCase):
    """The dictionaries are complete in both languages."""

    def dictionaries(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """Return the words of the shell and of each board."""
        self.page.goto(ORIGIN + "/")
        files = [
            "/static/words.js",
            *(f"/static/games/{file.name}" for file in sorted((STATIC / "games").glob("*.js"))),
        ]
        load = "async (file) => JSON.stringify((await import(file)).words ?? {en: {}, de: {}})"
        return {file: json.loads(self.page.evaluate(load, file)) for file in files}

    def test_same_keys_and_placeholders(self) -> None:
        self.kind = "toy"
        for file, words in self.dictionaries().items():
            self.assertEqual(set(words), {"en", "de"}, file)
            self.assertEqual(set(words["en"]) ^ set(words["de"]), set(), file)
            for key, text in words["en"].items():
                holes = [sorted(re.findall(r"\{(\w+)\}", one)) for one in (text, words["de"][key])]
                self.assertEqual(holes[0], holes[1], (file, key))
                self.assertTrue(text.strip(), (file, key))
        self.errors.clear()

    def test_every_word_of_the_shell_is_used(self) -> None:
        files = [*STATIC.glob("*.js"), *STATIC.glob("pages/*.js")]
        source = "".join(file.read_text() for file in files if file.name != "words.js")
        built = re.compile(r"(status|state|end|none|any)[A-Z0-9]\w*|\w+OfGame")
        for key in self.dictionaries()["/static/words.js"]["en"]:
            is_used = f'"{key.removesuffix("One")}"' in source or re.search(rf"\b{key}: el\(|\b{key}: choice\(", source)
            self.assertTrue(is_used or built.fullmatch(key), key)
        self.errors.clear()


class StreamTest(ShellTestCase):
    """The browser's own event stream."""

    feeds: ClassVar[bool] = False

    def test_an_event_and_then_a_lost_stream(self) -> None:
        event = {"scene": scene(4), "moves": moves(3, 4)}
        body = f"retry: 100000\n: hello\n\nevent: scene\nid: 1-4\ndata: {json.dumps(event)}\n\n"
        self.api["GET /rooms/r1/events"] = body.encode()
        self.visit("/rooms/r1", ".board button")
        self.wait("document.querySelectorAll('.moves li').length === 4")
        self.see("tries again by itself", ".banner")

    def test_the_end_of_a_stream(self) -> None:
        event = {"scene": scene(2, outcome={"termination": "cancelled", "winner": None}), "moves": []}
        body = f"retry: 100\n\nevent: scene\nid: 1-4\ndata: {json.dumps(event)}\n\nevent: gone\ndata: {{}}\n\n"
        self.api["GET /rooms/r1/events"] = body.encode()
        self.visit("/rooms/r1", ".board button")
        self.see("cancelled.")
        self.page.wait_for_timeout(600)
        self.assertEqual(len(self.requests("GET", "/rooms/r1/events")), 1)
        self.assertFalse(self.page.is_visible(".banner"))
