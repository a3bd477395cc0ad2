"""The board of Hive in a browser: by mouse, by keyboard, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from gamed.games.softwarechallenge.seasons.hive import game_type
from tests.games.softwarechallenge.harness import SeasonHarness
from tests.games.softwarechallenge.seated import SeatedClient, heard
from tests.web.hive_boards import (
    BARRED,
    HIVE,
    PASSING,
    STACKS,
    HiveBoardTestCase,
    contrast,
    of,
    recorded,
    scene,
)


class DrawingTests(HiveBoardTestCase):
    def test_every_field_piece_and_wall_is_drawn(self) -> None:
        state = recorded(52).state
        self.mount("hive", scene(state), "watch")
        self.assertEqual(self.page.locator("[data-cell]").count(), 91)
        stacks = self.page.eval_on_selector_all(
            "[data-cell][data-stack]", "all => all.map((one) => [one.dataset.cell, one.dataset.stack])"
        )
        self.assertEqual(dict(stacks), HIVE.view(state, None)["board"])
        barred = self.page.eval_on_selector_all(".h-barred", "all => all.map((one) => one.dataset.cell)")
        self.assertEqual(sorted(barred), sorted(f"{x},{y}" for x, y in state.obstructed))
        self.assertEqual(self.page.get_attribute("#board", "data-kind"), "hive")
        self.assertEqual(self.page.get_attribute("#board", "data-phase"), "wait")

    def test_the_names_of_buttons_hold_what_is_seen_on_them(self) -> None:
        self.mount("hive", of("first move", 0))
        self.assertEqual(self.mislabelled(), [])
        self.assertEqual(self.held("ANT").get_attribute("aria-label"), "ant, An\u00d73 in hand")

    def test_the_names_of_fields_hold_what_is_seen_on_them(self) -> None:
        for shown in (
            scene(recorded(52).state, last="D 0,1 -2,3"),
            of("stack of five"),
            of(PASSING, 0),
            of("turn 60, red more free"),
        ):
            self.mount("hive", shown)
            self.assertEqual(self.mislabelled(), [])
        self.mount("hive", of(STACKS, 0))
        self.field("0,0").click()
        for width in (1280, 320):
            self.page.set_viewport_size({"width": width, "height": 800})
            self.assertEqual(self.mislabelled(), [])
        label = self.field("0,0").get_attribute("aria-label")
        self.assertEqual(label.replace("\u00a0", ""), "stack of 2, from the top: beetle (Red), bee (Blue); 0,0; chosen")

    def test_a_barred_field_can_still_be_read(self) -> None:
        self.mount("hive", scene(recorded(52).state), "watch")
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            fields = self.page.eval_on_selector_all(".h-barred", BARRED)
            self.assertEqual(len(fields), 3)
            for bars, place, ink, ground in fields:
                self.assertLess(bars, place)
                self.assertGreater(contrast(ink, ground), 4.5)

    def test_every_field_has_its_coordinates_until_a_piece_covers_them(self) -> None:
        self.mount("hive", scene(recorded(52).state), "watch")
        places = self.page.eval_on_selector_all(
            "[data-cell]:not([data-stack])",
            "all => all.map((one) => [one.dataset.cell, one.querySelector('.h-place').textContent])",
        )
        self.assertGreater(len(places), 60)
        for name, place in places:
            self.assertEqual(place.replace("\u00a0", ""), name)
        # They are seen while one points at the board.
        opacity = "one => getComputedStyle(one).opacity"
        place = self.field("5,-5").locator(".h-place")
        self.page.mouse.move(0, 0)
        self.assertEqual(place.evaluate(opacity), "0")
        self.field("0,0").hover()
        self.assertEqual(place.evaluate(opacity), "1")

    def test_every_move_of_a_list_names_its_piece(self) -> None:
        shown = of("first move")
        self.mount("hive", shown, "watch")
        texts = [
            "S Q 0,0",
            "S q 1,0",
            "S B -1,0",
            "S g 2,0",
            "D -1,0 0,0",
            "P",
            "D 0,0 -1,0",
            "D 2,0 -2,0",
            "D 0,0 0,1",
        ]
        moves = [{"n": n, "seat": (n - 1) % 2, "text": text} for n, text in enumerate(texts, 1)]
        tell = """([moves, scene]) => moves.map((move) => window.describe(move, scene, moves))"""
        told = self.page.evaluate(tell, [moves, shown])
        self.assertEqual(told[4], "Red moves a beetle from (-1,\u00a00) to (0,\u00a00).")
        self.assertEqual(told[6], "Red moves a beetle from (0,\u00a00) to (-1,\u00a00).")
        self.assertEqual(told[7], "Blue moves a grasshopper from (2,\u00a00) to (-2,\u00a00).")
        self.assertEqual(told[8], "Red moves the bee from (0,\u00a00) to (0,\u00a01).")
        # The board of a scene may be that of the move before: there, the bee is climbed upon.
        before = {**shown, "last": moves[4], "board": {**shown["board"], "board": {"0,0": ["Q"], "-1,0": ["B"]}}}
        told = self.page.evaluate(tell, [moves[:5], before])
        self.assertEqual(told[4], "Red moves a beetle from (-1,\u00a00) to (0,\u00a00).")

    def test_neighbours_lie_side_by_side(self) -> None:
        self.mount("hive", of("first move"), "watch")
        boxes = {
            name: self.field(name).bounding_box() for name in ("0,0", "1,-1", "1,0", "0,1", "-1,1", "-1,0", "0,-1")
        }
        middle = boxes.pop("0,0")
        gaps = {
            name: ((box["x"] - middle["x"]) ** 2 + (box["y"] - middle["y"]) ** 2) ** 0.5 / middle["width"]
            for name, box in boxes.items()
        }
        for name, gap in gaps.items():
            self.assertTrue(0.9 < gap < 1.1, (name, gap))

    def test_a_stack_shows_its_height_and_tells_what_is_in_it(self) -> None:
        self.mount("hive", of("stack of five"), "watch")
        stack = self.field("0,0")
        self.assertEqual(self.page.text_content('[data-count="0,0"]'), "5")
        self.assertEqual(self.page.locator(".h-hides").count(), 1, "a bee is among the covered pieces")
        expected = "stack of 5, from the top: beetle (Red), beetle (Blue), beetle (Red), bee (Blue), bee (Red)"
        self.assertIn(expected, stack.get_attribute("aria-label"))
        stack.hover()
        self.assertIn(expected, self.page.text_content(".h-detail"))
        self.assertEqual(self.page.locator(".h-detail svg").count(), 5)
        self.field("4,0").hover()
        self.assertEqual(self.page.locator(".h-detail svg").count(), 0)

    def test_pieces_differ_by_their_insects_and_sides_by_shape(self) -> None:
        self.mount("hive", scene(recorded(40).state), "watch")
        kinds = ("BEE", "SPIDER", "GRASSHOPPER", "BEETLE", "ANT")
        drawn = {self.held(kind, seat).locator(".h-insect").inner_html() for kind in kinds for seat in (0, 1)}
        self.assertEqual(len(drawn), len(kinds))
        letters = {self.held(kind, seat).locator(".h-short").text_content() for kind in kinds for seat in (0, 1)}
        self.assertEqual(letters, {"Be", "Sp", "Gr", "Bt", "An"})
        self.assertEqual(self.page.locator(".h-piece.h-seat-0 > rect, .h-piece.h-seat-1 > circle").count(), 0)
        self.assertGreater(self.page.locator(".h-piece.h-seat-0 > circle").count(), 4)

    def test_hands_and_the_bees_are_counted(self) -> None:
        shown = scene(recorded(12).state)
        self.mount("hive", shown, "watch")
        for seat, letters in enumerate(shown["board"]["hands"]):
            for letter, piece in zip("QSGBA", ("BEE", "SPIDER", "GRASSHOPPER", "BEETLE", "ANT"), strict=True):
                number = letters.count(letter)
                self.assertEqual(self.held(piece, seat).is_visible(), number > 0)
                if number:
                    self.assertIn(f"\N{MULTIPLICATION SIGN}{number}", self.held(piece, seat).text_content())
        for seat, (free, gaps) in enumerate(zip(shown["board"]["free"], shown["board"]["gaps"], strict=True)):
            words = "Bee not placed yet" if free < 0 else f"Free around the bee: {free}"
            self.assertEqual(self.page.locator(f".h-side-{seat} .h-bee").text_content(), words)
            beside = f"free field next to the bee of {('Red', 'Blue')[seat]}"
            self.assertEqual(self.page.locator(f"[data-cell][aria-label*='{beside}']").count(), len(gaps))

    def test_the_last_move_is_marked(self) -> None:
        self.mount("hive", scene(recorded(40).state, last="D 0,1 -2,3"), "watch")
        self.assertEqual(self.field("-2,3").get_attribute("data-last"), "to")
        self.assertEqual(self.field("0,1").get_attribute("data-last"), "from")
        self.update(scene(recorded(41).state, last="S A 1,1"))
        self.assertEqual(self.marked("last"), {"1,1"})
        self.update(scene(recorded(42).state, last="P"))
        self.assertEqual(self.marked("last"), set())

    def test_names_are_text(self) -> None:
        self.mount("hive", of("first move"), "watch")
        self.assertIn("Ada & <b>", self.page.text_content(".h-side-0"))
        self.assertEqual(self.page.locator(".hive b").count(), 0)

    def test_nothing_is_known_before_the_game_begins(self) -> None:
        shown = of("first move", 0, board=None, phase="waiting", seats=[])
        shown["you"] = {"seat": None, "legal": [], "mustSkip": False, "last": None, "refusal": None, "result": None}
        self.mount("hive", shown)
        self.assertEqual(self.status(), "Waiting for another player.")
        self.field("0,0").click()
        self.assertEqual((self.acted(), self.page.locator("[data-piece]:visible").count()), ([], 0))

    def test_who_watches_moves_nothing(self) -> None:
        shown = of("beetle on top", 0)
        self.mount("hive", shown, "watch")
        self.assertEqual(self.marked("movable"), set())
        self.field("0,0").click()
        self.field("1,-1").click()
        self.assertEqual((self.acted(), self.page.locator("button").count()), ([], 0))


class MouseTests(HiveBoardTestCase):
    def test_a_piece_is_placed(self) -> None:
        shown = scene(recorded(6).state, recorded(6).state.mover)
        seat = shown["you"]["seat"]
        piece = next(one["piece"] for one in shown["you"]["legal"] if one["do"] == "set")
        self.mount("hive", shown)
        self.assertEqual(self.status()[:9], "Your turn")
        self.held(piece, seat).click()
        expected = self.targets(shown, do="set", piece=piece)
        self.assertEqual(self.marked("target"), expected)
        self.assertEqual(self.held(piece, seat).get_attribute("aria-pressed"), "true")
        goal = min(expected)
        self.field(goal).click()
        x, y = map(int, goal.split(","))
        self.assertEqual(self.acted(), [{"do": "set", "piece": piece, "to": [x, y, -x - y]}])
        self.assertEqual(self.marked("target"), set())

    def test_a_piece_is_moved_and_may_climb(self) -> None:
        shown = of(STACKS, 0)
        self.mount("hive", shown)
        self.assertIn("0,0", self.marked("movable"))
        self.field("0,0").click()
        self.assertEqual(self.marked("chosen"), {"0,0"})
        expected = self.targets(shown, **{"do": "move", "from": [0, 0, 0]})
        self.assertEqual(self.marked("target"), expected)
        # Where the other bee, or the own one, is in the way, the beetle climbs.
        self.assertIn("1,0", expected)
        self.field("1,0").click()
        self.assertEqual(self.acted(), [{"do": "move", "from": [0, 0, 0], "to": [1, 0, -1]}])

    def test_only_targets_are_taken(self) -> None:
        shown = of(STACKS, 0)
        self.mount("hive", shown)
        self.field("0,0").click()
        self.announced()
        self.field("3,-3").click()
        self.assertEqual((self.acted(), self.announced()), ([], ["The chosen piece cannot go there."]))
        self.assertEqual(self.marked("chosen"), {"0,0"})
        self.field("0,0").click()
        self.assertEqual((self.marked("chosen"), self.announced()), (set(), ["Selection cleared."]))
        self.field("3,-3").click()
        self.assertEqual(self.announced(), ["Choose one of your pieces first."])

    def test_another_piece_may_be_chosen_instead(self) -> None:
        shown = of(STACKS, 0)
        self.mount("hive", shown)
        self.held("ANT").click()
        self.field("0,0").click()
        self.assertEqual((self.marked("chosen"), self.held("ANT").get_attribute("aria-pressed")), ({"0,0"}, "false"))
        self.held("ANT").click()
        self.assertEqual(self.marked("target"), self.targets(shown, do="set", piece="ANT"))
        self.held("ANT").click()
        self.assertEqual((self.marked("target"), self.acted()), (set(), []))

    def test_the_bee_is_due(self) -> None:
        self.mount("hive", of("round 4 blue without bee", 1))
        self.assertEqual(self.status(), "Your turn. You have to place your bee now.")
        self.held("ANT", 1).click(force=True)
        self.assertEqual(self.marked("target"), set())
        self.assertIn("This piece cannot be placed now.", self.announced())
        self.assertEqual(self.held("BEE", 1).get_attribute("aria-disabled"), "false")

    def test_the_other_sides_hand_is_not_ours(self) -> None:
        self.mount("hive", of("first move", 0))
        self.held("ANT", 1).click(force=True)
        self.assertEqual((self.marked("target"), self.acted()), (set(), []))

    def test_a_refused_move_can_be_made_anew(self) -> None:
        shown = of(STACKS, 0)
        self.mount("hive", shown)
        self.page.evaluate("window.refusal = 'no'")
        for _ in range(2):
            self.field("0,0").click()
            self.field("1,0").click()
        self.assertEqual(len(self.acted()), 2)
        self.assertEqual(self.marked("stack"), set(shown["board"]["board"]))

    def test_nothing_is_sent_twice(self) -> None:
        shown = of(STACKS, 0)
        self.mount("hive", shown)
        self.field("0,0").click()
        self.field("1,0").click()
        self.field("0,0").click()
        self.field("1,0").click()
        self.assertEqual(len(self.acted()), 1)
        self.update(shown)
        self.assertEqual((self.marked("movable"), self.status()), (set(), "Red is to move."))

    def test_who_must_skip_does(self) -> None:
        self.mount("hive", of(PASSING, 0))
        self.assertEqual(self.status(), "You can neither place nor move a piece: you have to pass.")
        button = self.page.locator('[data-action="skip"]')
        self.assertEqual(button.text_content(), "Pass")
        button.click()
        self.assertEqual((self.acted(), self.page.locator(".h-skip").is_visible()), ([{"do": "skip"}], False))
        self.update(of(STACKS, 0))
        self.assertEqual(self.page.locator('[data-action="skip"]').count(), 0)


class KeyboardTests(HiveBoardTestCase):
    def test_a_piece_is_placed(self) -> None:
        shown = of("second move, centre", 1)
        self.mount("hive", shown)
        self.page.keyboard.press("Tab")
        self.assertEqual(self.focused(), "0,0")
        self.press("Tab", "Tab")
        self.assertEqual(self.focused(), "SPIDER")
        self.press("Enter")
        self.assertEqual(self.marked("target"), self.targets(shown, do="set", piece="SPIDER"))
        self.press("Shift+Tab", "Shift+Tab", "ArrowRight", "Enter")
        self.assertEqual(self.acted(), [{"do": "set", "piece": "SPIDER", "to": [1, -1, 0]}])
        self.assertEqual(self.focused(), "1,-1")

    def test_a_piece_is_moved(self) -> None:
        self.mount("hive", of(STACKS, 0))
        self.field("0,0").focus()
        self.press("Space")
        self.assertEqual(self.marked("chosen"), {"0,0"})
        self.press("Escape")
        self.assertEqual(self.marked("chosen"), set())
        self.press("Enter", "PageUp", "Enter")
        self.assertEqual(self.acted(), [{"do": "move", "from": [0, 0, 0], "to": [1, 0, -1]}])

    def test_the_cursor_goes_six_ways_and_straight_on(self) -> None:
        self.mount("hive", of("first move"), "watch")
        self.field("0,0").focus()
        ways = {
            "ArrowRight": "1,-1",
            "ArrowLeft": "-1,1",
            "PageUp": "1,0",
            "Home": "0,1",
            "PageDown": "0,-1",
            "End": "-1,0",
        }
        for key, name in ways.items():
            self.field("0,0").focus()
            self.page.evaluate("document.querySelector('[data-cell=\"0,0\"]').dispatchEvent(new MouseEvent('click'))")
            self.press(key)
            self.assertEqual(self.focused(), name, key)
        # Up and down keep to their column: two rows further the cursor is straight above where it was.
        start = self.middle("0,0")
        for key in ("ArrowUp", "ArrowDown"):
            self.field("0,0").click()
            self.press(key, key)
            self.assertEqual(abs(self.row(self.focused())), 2)
            self.assertAlmostEqual(self.middle(self.focused()), start, delta=2)

    def test_it_stays_on_the_board_and_reaches_every_edge(self) -> None:
        self.mount("hive", of("first move"), "watch")
        for key, z in (("ArrowUp", -5), ("ArrowDown", 5)):
            self.field("0,0").click()
            self.press(*[key] * 12)
            self.assertEqual(self.row(self.focused()), z)
        self.field("0,0").click()
        self.press(*["ArrowLeft"] * 7)
        self.assertEqual(self.focused(), "-5,5")
        self.press("ArrowUp", "ArrowUp")
        self.assertEqual(self.focused(), "-3,5")

    def test_the_board_is_one_stop(self) -> None:
        self.mount("hive", of("first move", 0))
        self.field("3,-1").click()
        self.assertEqual(self.page.locator('[data-cell][tabindex="0"]').count(), 1)
        self.assertEqual(self.field("3,-1").get_attribute("tabindex"), "0")

    def test_focus_survives_a_new_scene(self) -> None:
        self.mount("hive", of(STACKS, 0))
        self.field("0,0").focus()
        self.update(of("stack of five", 0))
        self.assertEqual(self.focused(), "0,0")
        self.held("ANT").focus()
        self.update(of(STACKS, 0))
        self.assertEqual(self.focused(), "ANT")

    def test_the_skip_has_a_button(self) -> None:
        self.mount("hive", of(PASSING, 0))
        self.field("0,0").focus()
        self.press("Shift+Tab", "Enter")
        self.assertEqual(self.acted(), [{"do": "skip"}])


class PlayTests(HiveBoardTestCase):
    """A person's client behind the board, against a bot, through a lobby in memory."""

    def setUp(self) -> None:
        super().setUp()
        self.random = Random(7)
        harness = SeasonHarness()
        self.seated_client = SeatedClient(game_type.person(Random(1), "Ada"), harness.connect())
        self.bot = SeatedClient(game_type.players["random"](Random(2)), harness.connect())
        heard(self.seated_client, self.bot)

    def scene(self) -> dict[str, Any]:
        view = self.seated_client.who.view()
        return {**view, "seats": [], "options": {}, "outcome": None, "last": None, "turn": [], "isLive": True}

    def moved(self, choose: Callable[[str], None], take: Callable[[str], None]) -> None:
        """Make moves through the board: of each kind that is possible, by turns."""
        self.mount("hive", self.scene())
        kinds = []
        for number in range(9):
            legal = self.seated_client.who.view()["you"]["legal"]
            wanted = [one for one in legal if one["do"] == ("move" if number % 2 else "set")] or legal
            move = self.random.choice([one for one in wanted if one.get("piece") == "BEE"] or wanted)
            kinds.append(move["do"])
            if move["do"] == "set":
                take(move["piece"])
            else:
                choose("{},{}".format(*move["from"]))
            choose("{},{}".format(*move["to"]))
            self.assertEqual(self.acted(), [move])
            self.seated_client.act(move)
            heard(self.seated_client, self.bot)
            self.update(self.scene())
            self.assertEqual(self.marked("stack"), set(self.seated_client.who.view()["board"]["board"]))
            text = self.seated_client.who.view()["you"]["last"]["text"]
            self.assertEqual(len(self.marked("last")), {"S": 1, "D": 2, "P": 0}[text[0]], text)
        self.assertEqual(set(kinds), {"set", "move"})

    def test_by_mouse(self) -> None:
        self.moved(lambda name: self.field(name).click(), lambda piece: self.held(piece).click())

    def test_by_keyboard(self) -> None:
        self.moved(self.steer, self.tab_to)

    def tab_to(self, piece: str) -> None:
        for _ in range(12):
            self.press("Tab")
            if self.focused() == piece:
                break
        self.press("Enter")

    def steer(self, name: str) -> None:
        """Go to a field by keys alone, and press Enter on it."""
        for _ in range(12):
            if "," in self.focused():
                break
            self.press("Tab")
        while self.row(self.focused()) != self.row(name):
            self.press("ArrowDown" if self.row(self.focused()) < self.row(name) else "ArrowUp")
        x, goal = (int(one.partition(",")[0]) for one in (self.focused(), name))
        self.press(*["ArrowRight" if goal > x else "ArrowLeft"] * abs(goal - x), "Enter")
