"""The pages of records and of games that are written down, against a made-up API."""

from __future__ import annotations

from typing import Any

from tests.web.canned import (
    GO_RECORD,
    KEPT,
    PREPARED,
    RECORD,
    RECORDING,
    SESSION,
    TOY,
    TRICKY,
    UNREMARKABLE,
    ShellTestCase,
    refused,
    scene,
)

GERMAN = "localStorage.setItem('gamed.language', 'de')"
UNNAMED = [{"seat": seat, "name": "", "unnamed": True, "connected": True} for seat in range(2)]


class RecordsTest(ShellTestCase):
    """The archive and the replay."""

    def test_a_search(self) -> None:
        self.visit("/records", "table")
        self.assertIn("Nov 21, 2026", self.text("table"))
        self.page.fill('input[name="player"]', "Ann")
        self.page.select_option('select[name="game"]', "toy")
        self.page.select_option('select[name="termination"]', "time")
        self.page.click("summary")
        self.page.fill('input[name="since"]', "2026-11-01")
        self.page.click('form button[type="submit"]')
        self.wait("location.search !== ''")
        self.requests("GET", "/records", 2)
        asked = [address for _, address, _ in self.asked if address.startswith("/records?limit=25&")]
        self.assertEqual(asked, ["/records?limit=25&player=Ann&game=toy&termination=time&since=2026-11-01"])
        self.assertEqual(self.page.input_value('input[name="player"]'), "Ann")
        self.page.click("text=Older")
        self.wait("location.search.includes('before=older-ones')")
        self.page.go_back()
        self.wait("!location.search.includes('before')")

    def test_who_won_and_how_long_it_lasted(self) -> None:
        moments = {"started": "2026-11-21T12:00:00Z", "ended": "2026-11-21"}
        rows: list[dict[str, Any]] = [
            RECORD,
            {**RECORD, "termination": "victory"},
            {**RECORD, **moments, "winner": None},
        ]
        self.api["GET /records"] = {"records": rows, "next": None}
        self.visit("/records", "table")
        cells = [self.page.locator(f".listing td:nth-child({n})") for n in (3, 4)]
        shown = [[text.split() for text in cell.all_inner_texts()] for cell in cells]
        self.assertEqual(shown[0][1][-1], "won")  # against the rules, what ended it
        self.assertEqual([row[-1] for row in shown[0]].count("won"), 1)
        self.assertEqual(shown[1], [["150", "5:00"], ["150", "5:00"], ["150"]])

    def test_a_search_by_format(self) -> None:
        self.visit("/records", "table")
        self.assertEqual(self.page.inner_text("tbody small"), "gamed-toy 1.0")
        self.page.click("summary")
        self.page.fill('input[name="publisher"]', "Chess Club")
        self.page.fill('input[name="version"]', "1.0b")
        self.page.click('form button[type="submit"]')
        self.wait("location.search === '?publisher=Chess+Club&version=1.0b'")
        self.requests("GET", "/records", 2)
        asked = [address for _, address, _ in self.asked if address.startswith("/records?limit=25&")]
        self.assertEqual(asked, ["/records?limit=25&publisher=Chess+Club&version=1.0b"])

    def test_one_s_own_games(self) -> None:
        rows = self.api["GET /records"]["records"]
        mine = {**rows[0], "id": "0a1b2c3e", "own": True}
        self.api["GET /records"] = {"records": [mine, *rows], "next": None}
        self.visit("/records", "table")
        self.assertEqual(self.page.locator("tbody tr").count(), 2)
        self.assertEqual(self.page.locator("tbody tr:first-child .badge").inner_text(), "Yours")
        self.assertEqual(self.page.locator(".badge").count(), 1)
        self.page.check('input[name="own"]')
        self.page.click('form button[type="submit"]')
        self.wait("location.search === '?own=1'")
        self.requests("GET", "/records", 2)
        self.assertEqual(self.asked[-1][1], "/records?limit=25&own=1")
        self.assertTrue(self.page.is_checked('input[name="own"]'))

    def test_a_record_that_is_not_played(self) -> None:
        lines = [
            {"depth": 0, "name": "header", "attributes": {"a": "1", "b": "2"}, "text": ""},
            {"depth": 1, "name": "white", "attributes": {}, "text": "Ada <b>"},
            {"depth": 2, "name": "", "attributes": {}, "text": "Lovelace"},
            {"depth": 0, "name": "body", "attributes": {}, "text": ""},
            {"depth": 1, "name": "e4", "attributes": {}, "text": ""},
        ]
        known = {"id": "c4e55000", "publisher": "Chess Club", "version": "1.0b", "game": None, "seats": [], "length": 0}
        empty = {"started": "", "ended": "", "termination": None, "winner": None}
        listed = {**known, **empty}
        more = {"outcome": None, "unjudged": None, "moves": [], "options": {}, **UNREMARKABLE, "formats": ["xml"]}
        self.api["GET /records?limit=25"] = {"records": [listed], "next": None}
        self.api["GET /records/c4e55000"] = {**listed, **more, "boards": False, "content": lines, "isCut": True}
        self.visit("/records", "table")
        self.assertEqual(self.page.inner_text("tbody td:nth-child(1)"), "Chess Club 1.0b")
        self.page.click("tbody a")
        self.see("It does not play Chess Club 1.0b")
        self.assertEqual(self.page.inner_text(".outline > li:first-child").splitlines()[0], 'header a="1" b="2"')
        self.assertEqual(self.page.inner_text(".outline > li:first-child ul ul li"), "Lovelace")
        self.see("white: Ada <b>", ".outline")
        self.assertEqual(self.page.inner_text(".outline > li:last-child li"), "e4")
        self.see("The file has all of it.")
        self.assertEqual(self.page.locator(".steering, .moves").count(), 0)

    def test_an_import_says_what_is_wrong_and_where(self) -> None:
        empty = {"line": None, "xpath": None, "id": None, "taken": False, "detail": {}, "remarks": [], "lost": []}
        at = {"line": 4, "xpath": "/game/body/stone"}
        missing = {"reason": "attribute-missing", "element": "stone", "attribute": "x"}
        removes = {"code": "wrong-removes", "text": "It removes nothing."}
        outcomes = [
            {"code": "not-valid", "sentence": "No x.", "detail": missing, **at},
            {"code": "illegal", "sentence": "Move 8: suicide.", "detail": {"reason": "suicide", "move": 8}},
            {"code": "not-valid", "sentence": "Off the board."},
            {"code": "imported", "sentence": "Odd.", "taken": True, "id": "0a1b2c3d", "remarks": [removes]},
        ]
        odd = "Ein Zug entfernt andere Steine, als die Regeln schlagen. Gezeigt wird, was die Datei angibt."
        wrong = "Das Dokument erfüllt das Schema seines Formats nicht."
        told = {
            "en": ["Line 4, /game/body/stone: No x.", "Move 8: suicide.", "Off the board.", "Odd."],
            "de": [
                f"Zeile 4, /game/body/stone: {wrong} Dem Element stone fehlt das Attribut x.",
                "Die Regeln erlauben einen Zug nicht. Zug 8: Das wäre Selbstmord.",
                f"{wrong} Off the board.",
                f"Die Aufzeichnung ist gespeichert. {odd}",
            ],
        }
        self.api["GET /session"] = {**SESSION, "admin": True}
        self.api["POST /import"] = {"outcomes": [empty | one for one in outcomes]}
        for language, lines in told.items():
            self.visit("/about")
            self.page.evaluate("(language) => localStorage.setItem('gamed.language', language)", language)
            self.visit("/records", "table")
            self.page.click(".title button")
            self.page.set_input_files('input[type="file"]', {"name": "a.xml", "mimeType": "", "buffer": b"{}"})
            self.page.click('dialog button[type="submit"]')
            self.page.wait_for_selector("dialog li")
            self.assertEqual(self.page.locator("dialog li").all_inner_texts(), lines)

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

    def test_a_program_takes_the_other_seat_of_a_position(self) -> None:
        self.api["POST /rooms"] = {"room": "r9", "reservations": ["alpha", "beta"]}
        self.api["POST /seats"] = refused(429, "seats", "Too many.")
        self.visit("/records/0a1b2c3d?move=9", ".board button")
        self.page.click("text=Start from here")
        self.page.fill('dialog input[name="name"]', "Me")
        self.page.select_option('dialog select[name="seat"]', "1")
        self.assertIn(f"Program on Seat 1 (\u2068{TRICKY}\u2069)", self.text("dialog .bots"))
        self.page.select_option("dialog .bots select", "deep")
        self.page.keyboard.press("Enter")
        self.page.click('dialog button[type="submit"]')
        self.see("Too many.", "dialog .complaint")
        # Another try takes the same room.
        self.api["POST /seats"] = lambda _: (200, {"id": "s1"})
        self.page.click('dialog button[type="submit"]')
        self.page.wait_for_selector(".seat .board")
        self.assertEqual(self.requests("POST", "/rooms"), [{"game": "toy", "from": {"record": "0a1b2c3d", "move": 9}}])
        wish = {
            "game": "toy",
            "name": "Me",
            "reservation": "beta",
            "bots": [{"strategy": "deep", "reservation": "alpha"}],
        }
        self.assertEqual(self.requests("POST", "/seats")[-1], wish)
        self.errors.clear()

    def test_files_findings_and_a_new_room(self) -> None:
        self.api["POST /rooms"] = {"room": "r3", "reservations": ["alpha", "beta"]}
        self.api["GET /rooms/r3"] = {**KEPT, "scene": {**scene(0), "moves": []}}
        self.api["GET /prepared"] = [PREPARED]
        self.visit("/records/0a1b2c3d?move=9", ".board button")
        links = self.page.locator("a[download]")
        hrefs = [links.nth(n).get_attribute("href") for n in range(links.count())]
        self.assertEqual(hrefs, [f"/api/v1/records/0a1b2c3d/file?format={name}" for name in ("xml", "replay")])
        self.page.click("summary")
        self.see("that was odd")
        self.page.click("text=Start from here")
        self.page.check('dialog input[value="codes"]')
        self.page.click('dialog button[type="submit"]')
        self.page.wait_for_selector(".room .codes")
        self.assertEqual(self.requests("POST", "/rooms"), [{"game": "toy", "from": {"record": "0a1b2c3d", "move": 9}}])

    def test_variations(self) -> None:
        self.visit("/records/60600000?move=0", ".tree")
        self.see("A short game")
        self.page.focus('[data-node="0"]')
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("ArrowRight")
        self.see("White answers", ".comment")
        self.page.keyboard.press("ArrowDown")
        self.wait("document.querySelector('.node.here').dataset.node === '4'")
        self.assertEqual(self.page.evaluate("document.activeElement.dataset.node"), "4")
        self.requests("GET", "/records/60600000/positions", 2)
        self.assertIn("/records/60600000/positions?from=0&to=3&node=4", [address for _, address, _ in self.asked])
        self.page.click('[data-node="6"]')
        self.assertEqual(
            self.page.get_attribute("text=Link to this position", "href"), "/records/60600000?move=1&node=6"
        )

    def test_the_page_of_a_player(self) -> None:
        def played(n: int, winner: int | None, termination: str, other: str) -> dict[str, Any]:
            seats = [{"seat": 0, "name": "Ann", "points": 0}, {"seat": 1, "name": other, "points": 0}]
            return {**RECORD, "id": f"{n:08x}", "seats": seats, "winner": winner, "termination": termination}

        games = [
            played(1, 1, "time", "Bob"),
            played(2, 0, "victory", TRICKY),
            played(3, None, "draw", "Bob"),
            played(4, None, "cancelled", "Bob"),
            played(5, 1, "victory", "Bob"),
        ]
        found = {"records": games, "next": None}
        self.api["GET /records"] = self.api["GET /records?player=Ann&limit=200"] = found
        self.visit("/records", "table")
        self.page.click("table a:has-text('Ann')")
        self.see("Of the latest 5 games", "section.card")
        shown = self.text("section.card")
        for text in ("Won 1, drawn 1, lost 2", "Without a result: 1", "the time ran out: 1, by the rules: 1"):
            self.assertIn(text, shown)
        self.assertEqual(self.page.locator(".form").all_inner_texts(), ["L", "W", "D", "L"])
        self.assertEqual(self.page.locator(".form").first.get_attribute("href"), "/records/00000001")
        rows = [
            row.replace("\n", "").split("\t") for row in self.page.locator("section.card tbody tr").all_inner_texts()
        ]
        self.assertEqual(rows[0], ["Bob", "Toy", "Won 0, drawn 1, lost 2"])
        self.assertEqual(self.page.locator("img").count(), 0)

    def test_it_opens_at_its_end(self) -> None:
        for path, moves in (("0a1b2c3d", 150), ("60600000", 3)):
            self.visit(f"/records/{path}", ".board")
            self.wait(f"document.querySelector('a[href*=\"?move={moves}\"]')")
        self.see(f"{moves}", ".moves .here")

    def test_going_on_with_a_game_of_go(self) -> None:
        won = {**GO_RECORD, "termination": "victory", "winner": 0}
        won["seats"] = [{**seat, "points": points} for seat, points in zip(GO_RECORD["seats"], (40.5, 38), strict=True)]
        self.api["GET /records"] = {"records": [won], "next": None}
        self.api["GET /records/60600000"] = {**won, "outcome": {"termination": "victory", "winner": 0}}
        self.api["POST /recordings"] = {"id": "g1"}
        self.visit("/records", "table")
        self.assertIn("by 2.5 points", self.text("table"))
        self.visit("/records/60600000", ".tree")
        self.assertIn("won by 2.5 points", self.text(".ending"))
        self.page.click("text=Go on in the recorder")
        self.page.wait_for_selector(".recorder .noting")
        self.assertEqual(self.requests("POST", "/recordings"), [{"record": "60600000"}])

    def test_a_file_of_go_is_opened(self) -> None:
        self.api["POST /recordings/file"] = {"id": "g1"}
        self.visit("/", "[data-game=go] a")
        self.page.click("[data-game=go] a")
        self.page.wait_for_selector("input[type=file]")
        self.page.set_input_files("input[type=file]", {"name": "a.sgf", "mimeType": "x", "buffer": b"0"})
        self.page.click("button:text-is('Open')")
        self.page.wait_for_selector(".recorder .noting")

    def test_sides_of_go_without_names(self) -> None:
        ended = {**GO_RECORD, "seats": UNNAMED, "termination": "victory", "winner": 1}
        self.api["GET /records"] = {"records": [ended], "next": None}
        self.api["GET /records/60600000"] = {**ended, "outcome": {"termination": "victory", "winner": 1}}
        self.visit("/records", "table")
        self.assertEqual(self.page.inner_text(".listing .won").split(), ["2", "White"])
        self.visit("/records/60600000", ".steering")
        self.assertEqual(self.text(".ending").split(), ["2", "White", "won"])
        self.assertEqual([one.split()[0] for one in self.page.locator(".player").all_inner_texts()], ["Black", "White"])

    def test_numbers_are_german_on_german_pages(self) -> None:
        self.visit("/")
        self.page.evaluate(GERMAN)
        self.visit("/records/60600000", ".steering")
        self.assertIn("Komi: 6,5", self.text(".options"))
        self.assertIn("0,5 pro Sekunde", self.text(".steering"))

    def test_no_record(self) -> None:
        self.visit("/records/none")
        self.see("There is nothing here. It may no longer exist.")
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
        for button in (":text-is('Take back')", "[title='One move back']"):
            self.page.click(f"main button{button}")
        self.page.click('[data-node="2"]')
        self.page.fill("textarea", "Good")
        self.page.click("button:text-is('Save')")
        self.see("Saved.")
        self.page.keyboard.press("ArrowLeft")
        self.page.click("text=Save as a record")
        self.see("Saved. One game.")
        done = [body.get("do") for body in self.requests("POST", "/recordings/g1/act", 5)]
        self.assertEqual(done, ["undo", "back", "goto", "comment", "back"])

    def test_a_comment_that_is_not_noted_is_not_lost(self) -> None:
        self.files |= {"/static/games/go/board.js": TOY.replace("fields", "to_move").replace('"take"', '"play"')}
        self.api["POST /recordings/g1/act"] = lambda body: (200, {**RECORDING, "current": 1 if "text" in body else 3})
        self.visit("/recorder/g1", ".tree")
        self.page.fill("textarea", "A good move")
        self.page.click(".board button")
        self.requests("POST", "/recordings/g1/act", 2)
        self.wait("document.querySelector('textarea').value === ''")
        self.page.click(".board button")
        sent = self.requests("POST", "/recordings/g1/act", 3)
        self.assertEqual(sent[0], {"do": "comment", "text": "A good move"})
        self.assertEqual([body["do"] for body in sent[1:]], ["play", "play"])
        self.page.fill("textarea", "The last one")
        self.page.click("nav a:text-is('Lobby')")
        sent = self.requests("POST", "/recordings/g1/act", 4)
        self.assertEqual(sent[3], {"do": "comment", "text": "The last one"})

    def test_dead_stones_and_the_result(self) -> None:
        scene = RECORDING["scene"]
        ended = {**scene, "board": {**scene["board"], "passes": 2, "dead": []}, "phase": "over"}
        over = {**RECORDING, "scene": ended, "score": {"black": 50.0, "white": 30.5}, "points": [None, None]}
        marked = {**over, "scene": {**ended, "board": {**ended["board"], "dead": [[4, 4]]}}}
        won = {
            **marked,
            "points": [50, 30.5],
            "scene": {**marked["scene"], "outcome": {"termination": "victory", "winner": 0}},
        }
        self.api["GET /recordings/g1"] = over
        self.api["POST /recordings/g1/act"] = lambda body: (200, marked if body["do"] == "dead" else won)
        self.visit("/recorder/g1", ".tree")
        self.see("Select the dead stones")
        self.assertEqual(self.page.locator("[data-mark=taken]").count(), 0)
        self.page.click('[data-point="4,4"]')
        self.page.wait_for_selector("[data-mark=taken]", state="attached")
        self.page.click("button:text-is('Result')")
        values = [field.input_value() for field in self.page.locator("dialog input").all()]
        self.assertEqual(values, ["50", "30.5"])
        self.page.click('dialog button[type="submit"]')
        self.see("Kuro won by 19.5 points. Black: 50, White: 30.5")
        sent = self.requests("POST", "/recordings/g1/act", 2)
        self.assertEqual(sent, [{"do": "dead", "point": [4, 4]}, {"do": "points", "points": [50, 30.5]}])

    def test_a_result_without_names_is_a_sides_and_its_points_stand_once(self) -> None:
        scene = {
            **RECORDING["scene"],
            "seats": UNNAMED,
            "phase": "over",
            "outcome": {"termination": "victory", "winner": 1},
        }
        points = {"score": {"black": 0.0, "white": 7.5}, "points": [0, 7.5]}
        self.api["GET /recordings/g1"] = {**RECORDING, "scene": scene, **points}
        self.visit("/recorder/g1", ".tree")
        self.assertEqual(self.text(".ending"), "White won by 7.5 points. Black: 0, White: 7.5")
        self.page.evaluate(GERMAN)
        self.visit("/recorder/g1", ".tree")
        self.see("Wei\u00df hat gewonnen mit 7,5 Punkten Vorsprung. Schwarz: 0, Wei\u00df: 7,5", ".ending")
        self.assertIn("Komi: 6,5", self.text(".options"))

    def test_a_variation_in_place_of_the_last_move(self) -> None:
        self.files |= {"/static/games/go/board.js": TOY.replace("fields", "to_move").replace('"take"', '"play"')}
        self.api["POST /recordings/g1/act"] = RECORDING
        self.visit("/recorder/g1", ".tree")
        self.page.click("button:text-is('Variation')")
        self.page.click(".board button")
        self.page.wait_for_selector("button[aria-pressed=false]")
        self.page.click(".board button")
        done = [body["do"] for body in self.requests("POST", "/recordings/g1/act", 2)]
        self.assertEqual(done, ["branch", "play"])
