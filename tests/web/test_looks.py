"""What holds for all pages: looks, access, weight, settings, and words in both languages."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gamed.games.go.played import REMARKS
from gamed.records.importer import CODES
from gamed.records.index import VIOLATIONS
from gamed.registry import game_types, kinds
from tests.web.browser import AXE, FILES, ORIGIN, BrowserTestCase, chromium
from tests.web.canned import (
    KEPT,
    PAGES,
    PREPARED,
    ROOM,
    SESSION,
    TAMED,
    TOY,
    ShellTestCase,
    moves,
    refused,
    scene,
)

HEAVIEST = 60_000
SHELL = "/static/words"
REFUSED = {
    "seat": 0,
    "name": "Ann",
    "code": "out-of-turn",
    "reason": "the other side is to move",
    "count": 2,
    "messages": [],
}
REFERENCES = {
    **{kind: kind for kind in ("battleship", "quoridor", "roborally")},
    "software-challenge": "hive",
}
ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


class LooksTest(ShellTestCase):
    """What holds for all pages."""

    def setUp(self) -> None:
        super().setUp()
        self.api["GET /session"] = {**SESSION, "admin": True}

    def check(self, rules: Mapping[str, Any] | None = None) -> None:
        """Fail if axe finds anything serious."""
        if not self.page.evaluate("Boolean(window.axe)"):
            self.page.evaluate(f"() => {{ {AXE} }}")
        # To describe what passes would take most of the time.
        asked = {"resultTypes": ["violations"], **(rules or {})}
        found = self.page.evaluate("(rules) => axe.run(document, rules)", asked)
        all_of_them = [
            (rule["id"], node["target"], node["failureSummary"])
            for rule in found["violations"]
            for node in rule["nodes"]
        ]
        self.assertGreater(len(found["passes"]), 0)
        self.assertEqual(all_of_them, [], self.page.url)

    def test_no_violation_in_light_and_dark(self) -> None:
        for path, ready in PAGES.values():
            self.visit(path, ready)
            self.check()
            self.page.evaluate("document.documentElement.dataset.theme = 'dark'")
            self.check({"runOnly": ["color-contrast"]})

    def test_no_address_breaks_the_page_and_errors_can_be_read(self) -> None:
        for path, said in (
            ("/records/%ff", "There is nothing here. It may no longer exist."),
            ("/rooms/%E0%A4%A", "There is nothing here. It may no longer exist."),
            ("/nosuch", "There is no such page."),
        ):
            self.visit(path, "[role=alert]")
            self.see(said)
            self.check()
        self.errors.clear()

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

    def test_the_codes_of_a_prepared_room(self) -> None:
        picture = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
        long = {"code": 36 * "8", "link": f"/?play=toy#{36 * '8'}"}
        first, second = PREPARED["seats"]
        self.api |= {
            "GET /rooms": [KEPT],
            "GET /prepared": [{**PREPARED, "seats": [{**first, "isUsed": True}, {**second, **long}]}],
            "GET /prepared/r3/1/qr": picture,
            "GET /rooms/r3": {**KEPT, "scene": {**scene(0), "moves": []}},
        }
        for path in ("/", "/rooms/r3"):
            self.visit(path, ".codes > li")
            self.page.evaluate("document.querySelectorAll('.codes details').forEach((one) => { one.open = true; })")
            self.check()
            self.assertEqual(self.mislabelled(), [])
            self.page.set_viewport_size({"width": 320, "height": 640})
            self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 320)
            self.page.set_viewport_size({"width": 1280, "height": 800})
            self.page.evaluate("document.documentElement.dataset.theme = 'dark'")
            self.check({"runOnly": ["color-contrast"]})
            reached = set()
            for _ in range(40):
                self.page.keyboard.press("Tab")
                reached.add(
                    self.page.evaluate("document.activeElement.closest('.codes') && document.activeElement.ariaLabel")
                )
            self.assertEqual(len(reached - {None}), 6, path)

    def test_a_seat_on_a_position(self) -> None:
        self.visit("/records/0a1b2c3d?move=9", ".board button")
        self.page.click("text=Start from here")
        self.check()
        self.assertEqual(self.mislabelled(), [])

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
                TAMED,
            )
            self.assertEqual(loose, [], path)

    def test_weights(self) -> None:
        heaviest = max(
            sum(len(FILES.find(name).packed) for name in FILES.names if name.startswith(f"games/{kind}/"))
            for kind in FILES.games
        )
        german = {"seat in German": PAGES["seat"]}
        for name, (path, ready) in (PAGES | german).items():
            if name in german:
                self.page.evaluate("localStorage.setItem('gamed.language', 'de')")
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

    def test_a_language_that_cannot_be_loaded(self) -> None:
        self.visit("/", "[data-room]")
        self.page.route("**/words/de.js", lambda route: route.abort())
        self.page.select_option('select[aria-label="Language"]', "de")
        self.see("The server does not answer.", ".unseen[aria-live]")
        self.see("Running games")
        self.assertEqual(self.page.input_value('select[aria-label="Language"]'), "en")
        self.page.unroute("**/words/de.js")
        self.errors.clear()

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
        self.see("You are not logged in", "dialog")
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
        self.assertEqual(len(self.requests("POST", "/seats/s1/act", 2)), 2)
        self.assertFalse(self.page.is_visible(".complaint"))
        self.errors.clear()

    def test_by_keyboard_from_the_top(self) -> None:
        self.visit("/", "[data-room]")
        self.page.keyboard.press("Tab")
        self.assertEqual(self.page.inner_text(":focus"), "Skip to the content")
        self.page.keyboard.press("Enter")
        self.wait("document.activeElement.id === 'content'")
        self.page.focus('nav a[href="/records"]')
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("table")
        self.wait("document.activeElement.innerText === 'Records'")
        self.page.go_back()
        self.page.wait_for_selector("[data-room]")

    def test_addresses_that_people_type_lead_somewhere(self) -> None:
        for path, seen in {
            "/records/": "Records",
            "/about": "gamed 1",
            "/about/": "MIT licence",
            "/rooms": "Running games",
            "/seats/": "Running games",
            "/login": "Log in with an account of the console.",
        }.items():
            self.visit(path, "h1")
            self.see(seen)
            self.assertEqual(self.page.locator("[role=alert]:not([hidden])").count(), 0, path)
        self.api["POST /session/login"] = SESSION
        self.page.click("main button.primary")
        self.page.fill('input[name="user"]', "admin")
        self.page.fill('input[name="password"]', "secret")
        self.api["GET /session"] = {**SESSION, "admin": True}
        self.page.keyboard.press("Enter")
        self.see("Running games")
        self.assertEqual(self.page.url, f"{ORIGIN}/")

    def test_a_browser_without_scripts_is_told_so(self) -> None:
        context = chromium().new_context(java_script_enabled=False)
        self.addCleanup(context.close)
        page = context.new_page()
        page.route("**/*", self._serve)
        page.goto(ORIGIN + "/")
        self.assertIn("These pages need JavaScript.", page.inner_text("body"))
        self.assertIn("Diese Seiten brauchen JavaScript.", page.inner_text("body"))

    def test_a_record_on_paper(self) -> None:
        self.visit("/records/0a1b2c3d?move=9", ".board button")
        self.page.emulate_media(media="print", color_scheme="dark")
        for selector in ("header", ".steering", "main .buttons"):
            self.assertFalse(self.page.locator(selector).first.is_visible(), selector)
        for selector in ("main h1", ".board", ".moves li:last-child"):
            self.assertTrue(self.page.locator(selector).is_visible(), selector)
        whole = "((box) => box.scrollHeight <= box.clientHeight)(document.querySelector('.scroller.tall'))"
        self.assertTrue(self.page.evaluate(whole))
        ground = self.page.evaluate("getComputedStyle(document.body).backgroundColor")
        light = self.page.evaluate("matchMedia('print').matches")
        self.assertEqual((ground, light), ("rgb(255, 255, 255)", True))

    def test_a_server_that_is_busy_at_first(self) -> None:
        self.api["GET /rooms"] = refused(503, "stopping", "")
        self.visit("/")
        self.see("The server is busy or about to stop.")
        self.api["GET /rooms"] = [ROOM]
        self.page.click(".banner button")
        self.see("Running games")
        self.errors.clear()

    def test_each_status_has_its_sentence(self) -> None:
        for status, words in {
            401: "log in",
            404: "may no longer exist",
            429: "Too many requests",
            500: "error 500",
        }.items():
            self.api["GET /rooms/r1"] = refused(status, "any", "")
            self.visit("/rooms/r1")
            self.see(words)
            self.api["GET /rooms/r1"] = refused(status, "any", "because of that")
            self.visit("/rooms/r1")
            self.see("Because of that.")
            self.assertNotIn(words, self.text())
        self.errors.clear()

    def test_a_file_that_is_too_long_is_not_sent(self) -> None:
        self.visit("/recorder", "form")
        self.page.evaluate("""() => {
            const files = new DataTransfer();
            files.items.add(new File([new Uint8Array(50 * 2 ** 20)], "long.sgf"));
            document.querySelector("input[type=file]").files = files.files;
        }""")
        self.page.click("button:text-is('Open')")
        self.see("What was sent is too long.", ".complaint")
        self.assertEqual(self.requests("POST", "/recordings/file"), [])

    def test_the_server_speaks_german_by_its_codes(self) -> None:
        self.visit("/")
        self.page.evaluate("localStorage.setItem('gamed.language', 'de')")
        self.api["GET /rooms/r1"] = refused(404, "no-room", "there is no such room")
        self.visit("/rooms/r1")
        self.see("Diesen Raum gibt es nicht.")
        self.assertNotIn("Hier ist nichts", self.text())
        self.assertNotIn("there is", self.text())
        self.api["GET /rooms/r1"] = {**ROOM, "scene": {**scene(0), "refusals": [REFUSED]}}
        self.visit("/rooms/r1", ".refusals li")
        told = self.page.text_content(".refusals li")
        self.assertEqual(told, "Ann: Das Programm war nicht am Zug. (out-of-turn, 2\u00d7)")
        found = {"seat": 0, "name": "Ann", "code": "out-of-turn", "text": "the other side is to move", "move": 1}
        self.api["GET /rooms/r1"] = {**ROOM, "scene": {**scene(2), "moves": moves(1, 2), "findings": [found]}}
        self.visit("/rooms/r1", ".findings li")
        self.page.click(".findings summary")
        self.page.click(".findings button")
        self.assertIn("Das Programm war nicht am Zug.", self.page.text_content(".findings li"))
        self.assertEqual(self.page.locator(".moves .here").count(), 1)
        self.errors.clear()

    def test_findings_and_outcomes_are_german_by_their_codes(self) -> None:
        self.visit("/")
        self.page.evaluate("localStorage.setItem('gamed.language', 'de')")
        own = {"de": {"refused-repeated-shot": "Auf {1} wurde schon geschossen."}}
        self.files["/static/games/toy/board.js"] = f"{TOY}\nexport const codes = {json.dumps(own)};"
        finding = {
            "code": "repeated-shot",
            "seat": 0,
            "name": "Ann",
            "entry": 9,
            "move": 4,
            "text": "cell (1,2) was shot at before",
        }
        self.api["GET /records/0a1b2c3d"] = {**self.api["GET /records/0a1b2c3d"], "findings": [finding]}
        message = {"text": "(1,[3,4])", "expected": "(1,[X,Y]).", "move": 12, "at": 400}
        same = {**finding, "code": "out-of-turn", "move": 12, "text": "no"}
        self.api["GET /records/0a1b2c3d"]["findings"].append(same)
        refusal = {"seat": 0, "name": "Ann", "code": "out-of-turn", "reason": "no", "count": 1, "messages": [message]}
        late = {"seat": 1, "name": "Bob", "why": "time", "move": 150, "at": 9, "limit": 2000, "taken": 3204, "gap": 4}
        crashed = {"status": -11, "cpu": 80, "memory": 9100}
        gone = {"seat": 1, "name": "Bob", "why": "left", "move": 149, "at": 8, "program": crashed}
        self.api["GET /records/0a1b2c3d"] |= {"refusals": [refusal], "departures": [gone, late]}
        lost = {"seat": 1, "name": "Bob", "cause": "crashed"}
        self.api["GET /records/0a1b2c3d"]["losses"] = [{"seat": 0, "name": "Ann", "cause": "illegal"}, lost]
        self.visit("/records/0a1b2c3d", ".steering")
        self.see("hat verloren, weil ein Zug gegen die Regeln war: Das Programm war nicht am Zug.")
        self.see(
            "hat verloren, weil das Programm abgestürzt ist: sein Programm wurde durch Signal 11 beendet, nach 80 ms"
        )
        self.page.click(".refusals summary")
        self.assertIn("Ann: Das Programm war nicht am Zug.", self.page.text_content(".refusals li"))
        self.page.click("text=nach Zug 12")
        self.page.wait_for_function("document.querySelector('.steering [name=move]').value === '12'")
        self.assertEqual(self.page.text_content(".notes"), "\u2068Ann\u2069: Das Programm war nicht am Zug.")
        self.page.focus(".steering input")
        self.page.keyboard.press("End")
        told = "\u2068Bob\u2069: die Zeit ist abgelaufen (erlaubt waren 2 s, gebraucht 3,2 s, davon zählen 4 ms nicht)"
        self.page.wait_for_function("(told) => document.querySelector('.notes').textContent === told", arg=told)
        self.page.keyboard.press("ArrowLeft")
        died = "sein Programm wurde durch Signal 11 beendet, nach 80 ms Rechenzeit, mit höchstens 9 MB"
        self.page.wait_for_function("(died) => document.querySelector('.notes').textContent.includes(died)", arg=died)
        marked = self.page.locator(".moves li:has([role=img])").evaluate_all("all => all.map(one => one.dataset.n)")
        self.assertEqual(marked, ["4", "12", "149", "150"])
        self.page.click("summary:has-text('Feststellungen')")
        self.see("Auf (1,2) wurde schon geschossen.")
        self.assertNotIn("was shot at", self.text())
        self.api["POST /recordings/g1/save"] = {"record": "60600000", "code": "imported", "sentence": "One game."}
        self.visit("/recorder/g1", ".tree")
        self.page.click("text=Als Aufzeichnung speichern")
        self.see("Die Aufzeichnung ist gespeichert.")
        self.assertNotIn("One game", self.text())
        self.errors.clear()

    def test_german_sentences_keep_their_particulars(self) -> None:
        self.visit("/")
        self.page.evaluate("localStorage.setItem('gamed.language', 'de')")
        self.visit("/")
        self.page.evaluate(
            "(kinds) => import('/static/board.js').then((board) => Promise.all(kinds.map(board.boardOf)))",
            [*FILES.games],
        )
        for code, text, told in (
            ("pawn-unreachable", "the pawn at (3, 0) cannot go to (7, 7); it is still your turn",
             "Die Figur auf (3, 0) kann nicht nach (7, 7)."),
            ("soft-timeout", "the answer came 3204 ms after the MoveRequest, later than the soft limit of 2 seconds: …",
             "Die Antwort kam erst nach 3204 ms; erlaubt waren 2 Sekunden. Die Partie ist verloren."),
            ("hard-timeout", "no answer came within 10 seconds of the MoveRequest, the hard limit: the game is lost",
             "Innerhalb von 10 Sekunden kam keine Antwort; die Partie ist verloren."),
            ("hard-timeout", "no answer came within 10 seconds of …; a message was begun: <room> is still open, …",
             "Innerhalb von 10 Sekunden kam keine ganze Antwort: <room> ist noch offen; die Partie ist verloren."),
            ("mrp-too-late", "the answer to MRP came after 63.2 s, later than the 60 s; the player is removed: REN(TO)",
             "Das Programm des Roboters kam erst nach 63.2 s; erlaubt waren 60 s."),
            ("card-count", "the answer to MRP is not allowed: 3 cards for 5 open registers; …",
             "Das sind 3 Karten für 5 offene Register."),
            # Where no form has holes, places and quoted words are appended.
            ("ant-path", "No path found for Ant move; move was Drag from (1,0,-1) to (2,-1,-1)",
             "Die Ameise kommt dort nicht hin: (1,0,-1), (2,-1,-1)."),
            ("unknown-class", "there is no move of class 'foo'", "Diese Klasse gibt es nicht: 'foo'."),
            ("skip", "Skipping a turn is only allowed when no other moves can be made",
             "Aussetzen geht nur, wenn sonst nichts möglich ist."),
        ):  # fmt: skip
            said = "([code, text]) => import('/static/parts.js').then((parts) => parts.worded('refused', code, text))"
            self.assertEqual(self.page.evaluate(said, [code, text]), told)
        expected = "import('/static/words.js').then((words) => words.phrased('a legal move, such as (a) or (b)'))"
        self.assertEqual(self.page.evaluate(expected), "ein erlaubter Zug, zum Beispiel (a) oder (b)")
        self.errors.clear()

    def test_options_are_told_in_words(self) -> None:
        options = {"roles": "random", "corner_contact": True, "own_key": "x_y"}
        self.api["GET /rooms"] = [{**ROOM, "game": "battleship", "options": options}]
        for language, told in {
            "en": ["Who begins", "drawn by lot", "Ships may touch at corners", "yes"],
            "de": ["Wer beginnt", "ausgelost", "Schiffe dürfen sich an Ecken berühren", "ja"],
        }.items():
            self.visit("/")
            self.page.evaluate("(language) => localStorage.setItem('gamed.language', language)", language)
            self.visit("/")
            for words in (*told, "own_key", "x_y"):
                self.see(words)
        self.errors.clear()


NEVER_SEEN = {
    # Codes of clients on the wire, which a program's developer reads, and of the operator's commands.
    *("course", "disconnect", "missing-attribute", "missing-element", "no-command", "no-mail", "no-result"),
    *("not-accepted", "out-of-phase", "out-of-step", "refused", "removed"),
    # Codes of requests that no page makes.
    *("header", "json", "method", "origin", "termination", "token", "topics", "type"),
    # Defects of ours: chance deals by the rules.
    *("chances-move", "not-chances-move", "deal-card", "deal-count", "obstructed-cells", "remove-empty"),
    # Of replay files, which an import tells as "not-valid".
    *("no-beginning", "no-state", "other-position", "other-result", "several-rooms"),
}
"""Codes that no page shows."""


def codes_in(source: str) -> set[str]:
    """Return all that is given as `code` by keyword in a source, or as a refusal's first text."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    given = [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "code"]
    refusals = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Refusal"]
    # A page's refusal has a status before its code.
    given += [next(filter(_is_code, call.args[:2])) for call in refusals if any(map(_is_code, call.args[:2]))]
    nodes = (node for value in given for node in ast.walk(value))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant))
    return {text for text in texts if isinstance(text, str)}


def _is_code(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and re.fullmatch("[a-z]+(-[a-z]+)*", str(node.value)) is not None


class WordsTest(BrowserTestCase):
    """The dictionaries are complete in both languages."""

    def dictionaries(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """Return the words of the shell and of each board."""
        self.page.goto(ORIGIN + "/")
        files = [f"/static/{name}" for name in FILES.names if re.fullmatch(r"(games|pages)/.+\.js", name)]
        load = "async (file) => JSON.stringify((await import(file)).words ?? {en: {}, de: {}})"
        boards = {file: json.loads(self.page.evaluate(load, file)) for file in files}
        return {SHELL: {language: self.exported(language, "words") for language in ("en", "de")}, **boards}

    def exported(self, file: str, name: str) -> Mapping[str, str]:
        """Return what a module exports: the `words` of a language, or the German texts for the server's `codes`."""
        load = "async ([file, name]) => (await import(`/static/words/${file}.js`))[name]"
        found: Mapping[str, str] = self.page.evaluate(load, [file, name])
        return found

    def german(self, *kinds: str) -> set[str]:
        """Return the codes for which the shell or one of these games has a German text."""
        load = "async (kind) => (await import(`/static/games/${kind}/board.js`)).codes.de"
        return {*self.exported("de", "codes"), *(code for kind in kinds for code in self.page.evaluate(load, kind))}

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

    def test_every_code_of_the_references_has_a_german_sentence(self) -> None:
        self.page.goto(ORIGIN + "/")
        for game, kind in REFERENCES.items():
            german = self.german(kind)
            text = (REFERENCE / f"{game}.md").read_text()
            tables = re.findall(r"^\| Code \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
            cells = [row.split("|")[1] for table in tables for row in table.splitlines()]
            codes = {f"refused-{code}" for cell in cells for code in re.findall(r"`([a-z-]+)`", cell)}
            self.assertGreater(len(codes), 15, game)
            self.assertEqual(codes - german, set(), game)
        self.errors.clear()

    def test_every_code_of_the_api_has_a_german_sentence(self) -> None:
        self.page.goto(ORIGIN + "/")
        german = self.german(*kinds())
        source = "".join(file.read_text() for file in (ROOT / "gamed" / "web").glob("*.py"))
        codes = set(re.findall(r'Refusal\(\s*\d+,\s*"([a-z-]+)"', source)) | {"disk", "store", "no-record"}
        # A page never makes these requests; their English sentences are for whoever writes one by hand.
        codes -= {"header", "json", "method", "origin", "termination", "token", "topics", "type"}
        self.assertGreater(len(codes), 40)
        self.assertEqual({f"error-{code}" for code in codes} - german, set())
        self.errors.clear()

    def test_whatever_the_server_says_by_a_code_has_a_german_sentence(self) -> None:
        """All codes that the sources raise, not those of requests alone: rules, persons, records, imports."""
        self.page.goto(ORIGIN + "/")
        german = self.german(*kinds())
        known = {key.partition("-")[2] for key in german}
        folders = ("games", "records", "web", "lobby", "wire")
        files = [file for folder in folders for file in (ROOT / "gamed" / folder).rglob("*.py")]
        files += [
            ROOT / "gamed" / "core" / name
            for name in ("errors.py", "referee.py", "relay.py", "match.py", "table.py", "reception.py")
        ]
        found = {code: file for file in files for code in codes_in(file.read_text())}
        self.assertGreater(len(found), 120)
        missing = {code: file.name for code, file in found.items() if code not in known | NEVER_SEEN}
        self.assertEqual(missing, {})
        self.assertEqual(NEVER_SEEN - found.keys(), set())
        german |= self.exported("imports", "codes").keys()
        for kind, codes in (("import", CODES), ("violation", VIOLATIONS), ("remark", REMARKS)):
            self.assertEqual({f"{kind}-{code}" for code in codes} - german, set())
        self.errors.clear()

    def test_every_option_has_its_words(self) -> None:
        dictionaries = self.dictionaries()
        shell = dictionaries[SHELL]["en"]
        own = {kind: dictionaries[f"/static/games/{kind}/board.js"]["en"] for kind in kinds()}
        for kind, game_type in game_types().items():
            for key, value in game_type.options(game_type.settings()).items():
                if key not in ("seed", "plan"):
                    self.assertIn(f"option_{key}", own[kind], kind)
                if isinstance(value, bool) or key in ("roles", "referee"):
                    self.assertIn(f"value_{str(value).lower()}", {**shell, **own[kind]}, kind)
        for key in ("size", "komi", "handicap", "rules"):
            self.assertIn(f"option_{key}", own["go"])
        rules = re.search(r"const RULES = (\[.*\]);", FILES.find("games/go/recorder.js").content.decode())
        for name in json.loads(rules[1]):
            self.assertIn(f"value_{name}", own["go"])
        self.errors.clear()

    def test_every_word_of_the_shell_is_used(self) -> None:
        source = "".join(FILES.find(name).content.decode() for name in FILES.names if name.endswith(".js"))
        built = re.compile(r"(status|state|end|none|any)[A-Z0-9]\w*|\w+OfGame|(option|value)_[\w-]+")
        for key in self.dictionaries()[SHELL]["en"]:
            is_used = f'"{key.removesuffix("One")}"' in source or re.search(rf"\b{key}: el\(|\b{key}: choice\(", source)
            self.assertTrue(is_used or built.fullmatch(key), key)
        self.errors.clear()
