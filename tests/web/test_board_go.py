"""The Go board in a browser: mouse, finger and keyboard, what it draws, what it says."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from gamed.games.go.hoshi import handicap
from gamed.games.go.json_views import Listing
from gamed.games.go.recorder import Recorder
from gamed.games.go.recording import Recording
from gamed.games.go.tree import GoGame, Node, Player, Point
from tests.records.gogames import captured
from tests.web.browser import BrowserTestCase

KO = ("C4", "D4", "B3", "E3", "C2", "D2", "D3", "C3")
"""Moves on 9 lines after which black may not take back at D3."""

SHOT = ("go-19", "go-colors")
"""The scenes that pictures are taken of."""


def recording(*moves: str, size: int = 9, names: tuple[str, str] = ("Anna", "Bert"), **facts: Any) -> Recording:
    """Return a recording after some moves, by their names."""
    players = (Player(0, names[0], color="black"), Player(1, names[1], color="white"))
    made = Recording(Recorder(GoGame(size, players, **facts)))
    for move in moves:
        point = made.recorder.points.get(move)
        made.act({"do": "play", "point": list(point)} if point else {"do": move})
    return made


def replayed(game: GoGame, number: int) -> dict[str, Any]:
    """Return the scene of a replay after so many moves."""
    listing = Listing(game)
    (position,) = listing.positions(listing.line(0), number, number)
    seats = [{"seat": seat, "name": player.name or "", "connected": False} for seat, player in enumerate(game.players)]
    return {**position, "won": None, "seats": seats, "options": {}, "outcome": None, "isLive": False}


def colorful(size: int = 9) -> GoGame:
    """Return a game of three colours."""
    players = (Player(4, "Rosa", color="red"), Player(7, "Bob", color="dark-blue"), Player(9, "Kai", color="black"))
    moves = [Node(4, Point(3, 3)), Node(7, Point(5, 5)), Node(9, Point(7, 7)), Node(4, Point(3, 4))]
    for move, following in pairwise(moves):
        move.children.append(following)
    return GoGame(size, players, roots=moves[:1])


class GoBoardCase(BrowserTestCase):
    def at(self, point: str) -> Any:
        return self.page.locator(f'[data-point="{point}"]')

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()

    def status(self) -> str:
        return self.page.locator("#status").inner_text()

    def show(self, made: Recording, mode: str = "play") -> None:
        self.mount("go", made.scene(), mode)


class DrawingTests(GoBoardCase):
    def test_stones_stand_where_they_were_set(self) -> None:
        self.show(recording("C3", "G7", "D5"))
        self.assertEqual(self.count('[data-side="black"]'), 2)
        self.assertEqual(self.count('[data-stone="7,3"][data-side="white"]'), 1)
        self.assertEqual(self.count('[data-mark="last"]'), 1)
        self.assertEqual(self.status(), "White to move")
        box, board = (self.page.locator(one).bounding_box() for one in ('[data-stone="7,3"]', ".go-board"))
        assert box is not None
        assert board is not None
        # The seventh column is right of the middle, the third line above it.
        self.assertGreater(box["x"] + box["width"] / 2, board["x"] + board["width"] / 2)
        self.assertLess(box["y"] + box["height"] / 2, board["y"] + board["height"] / 2)

    def test_root_says_what_it_is(self) -> None:
        self.show(recording("pass", "pass"))
        root = self.page.locator("#board")
        self.assertEqual((root.get_attribute("data-kind"), root.get_attribute("data-phase")), ("go", "over"))
        self.assertEqual(self.status(), "Both have passed; Black may go on. Select the dead stones")

    def test_star_points_and_lines_of_all_sizes(self) -> None:
        for size, stars in ((1, 0), (6, 0), (7, 4), (9, 5), (13, 5), (15, 9), (19, 9), (52, 4)):
            self.show(recording(size=size))
            self.assertEqual(self.count(".go-star"), stars, size)
            self.assertEqual(self.count(".go-grid line"), 2 * size, size)
            self.assertEqual(self.count("[data-point]"), size * size, size)

    def test_column_names_leave_out_i(self) -> None:
        self.show(recording(size=19))
        names = self.page.locator(".go-column-name").all_text_contents()
        # Above and below the board.
        self.assertEqual("".join(names[::2]), "ABCDEFGHJKLMNOPQRST")
        self.assertEqual(names[::2], names[1::2])
        self.assertEqual(self.page.locator(".go-line-name").first.text_content(), "19")

    def test_captured_stones_are_counted_and_marked(self) -> None:
        made = recording("A8", "A9", "B9")
        self.show(made)
        self.assertEqual(self.count("[data-stone]"), 2)
        self.assertEqual(self.count('[data-mark="taken"]'), 1)
        self.assertEqual(self.page.locator('[data-seat="0"] .go-taken').inner_text(), "1 captured")
        self.assertEqual(self.page.locator('[data-seat="1"] .go-taken').inner_text(), "0 captured")
        move = made.listing.move(made.recorder.line[-1], 3)
        self.assertEqual(self.described(move, made.scene()), "Black plays B9 and captures 1 stone")

    def test_a_ko_is_marked_and_refused(self) -> None:
        made = recording(*KO)
        self.show(made)
        self.assertEqual(made.scene()["you"]["illegal"], [[4, 7, "ko"]])
        self.assertEqual((self.count('[data-mark="ko"]'), self.count('[data-mark="taken"]')), (1, 0))
        self.at("4,7").click()
        self.assertEqual(self.acted(), [])
        self.assertEqual(self.announced(), ["D3: this would retake the ko at once"])
        self.assertEqual(self.count('[data-cursor="4,7"][data-refused="ko"] .go-refused'), 1)

    def test_more_than_two_colours_have_letters(self) -> None:
        self.mount("go", replayed(colorful(), 4), "replay")
        self.assertEqual(self.page.locator(".go-stones .go-letter").all_text_contents(), ["R", "R", "D"])
        self.assertEqual(self.page.locator(".go-sides .player").all_text_contents(), ["Rosa", "Bob", "Kai"])
        self.assertEqual(self.status(), "The game is over")

    def test_a_game_of_one_colour_tells_the_players_apart(self) -> None:
        moves = [Node(0, Point(3, 3)), Node(1, Point(5, 5))]
        moves[0].children.append(moves[1])
        game = GoGame(9, (Player(0, color="white"), Player(1, color="white")), roots=moves[:1])
        self.mount("go", replayed(game, 2), "replay")
        self.assertEqual(self.page.locator(".go-stones .go-letter").all_text_contents(), ["0", "1"])
        self.assertEqual(self.count(".go-stones .go-white.go-stone"), 2)

    def test_letters_stand_on_points_and_stones(self) -> None:
        scene = recording("C3", "G7").scene()
        scene["board"]["marks"] = [{"point": [5, 5], "text": "A"}, {"point": [3, 7], "text": "B"}]
        self.mount("go", scene)
        labels = self.page.locator('[data-mark="label"]')
        self.assertEqual(labels.all_text_contents(), ["A", "B"])
        self.assertIn("go-on-board", labels.first.get_attribute("class"))
        self.assertIn("go-on-black", labels.last.get_attribute("class"))
        self.assertEqual(self.count('[data-mark="last"]'), 1)

    def test_letters_where_variations_begin(self) -> None:
        self.mount("go", recording("C3").scene())
        nodes = Listing(captured()).tree()["nodes"]
        found = self.page.evaluate(
            "(nodes) => import('/static/tree.js').then(({letters}) => [0, 1, 2, 3].map((id) => letters(nodes, id)))",
            nodes,
        )
        letters = [{"point": [1, 2], "text": "A"}, {"point": [5, 5], "text": "B"}]
        self.assertEqual(found, [[], [], letters, []])

    def test_names_are_text(self) -> None:
        self.show(recording(names=("<img src=x onerror=alert(1)>", "\u202egnp")))
        self.assertEqual(self.page.locator('[data-seat="0"] bdi').text_content(), "<img src=x onerror=alert(1)>")
        self.assertEqual(self.count("#board img"), 0)

    def test_an_update_redraws_and_keeps_the_focus(self) -> None:
        made = recording("C3")
        self.show(made)
        self.page.keyboard.press("Tab")
        made.act({"do": "play", "point": [5, 5]})
        self.update(made.scene())
        self.update(made.scene())
        self.assertEqual(self.count("[data-stone]"), 2)
        self.assertTrue(self.page.evaluate("document.activeElement.classList.contains('go-board')"))
        self.assertEqual(self.count("[data-cursor]"), 1)

    def test_who_has_resigned(self) -> None:
        made = recording("C3", "resign")
        self.show(made)
        self.assertEqual(self.status(), "White has resigned")
        move = made.listing.move(made.recorder.line[-1], 2)
        self.assertEqual(self.described(move, made.scene()), "White resigns")
        self.assertTrue(self.page.locator('[data-do="pass"]').is_disabled())
        self.at("5,5").click()
        self.assertEqual(self.acted(), [])


class PlayingTests(GoBoardCase):
    def test_a_click_plays(self) -> None:
        self.show(recording("C3"))
        self.at("5,4").click()
        self.assertEqual(self.acted(), [{"do": "play", "point": [5, 4]}])

    def test_a_stone_is_shown_before_it_is_set(self) -> None:
        self.show(recording("C3"))
        self.at("5,4").hover()
        self.assertEqual(self.count('[data-cursor="5,4"] .go-white'), 1)
        self.at("3,7").hover()
        self.assertEqual(self.count('[data-cursor="3,7"][data-refused="occupied"] .go-stone'), 0)
        self.page.locator("#status").hover()
        self.assertEqual(self.count(".go-cursor .go-stone"), 0)

    def test_a_point_that_is_taken_is_refused(self) -> None:
        self.show(recording("C3"))
        self.at("3,7").click()
        self.assertEqual(self.acted(), [])
        self.assertEqual(self.status(), "C3: there is already a stone")

    def test_the_buttons(self) -> None:
        self.show(recording())
        self.page.get_by_role("button", name="Pass").click()
        self.page.get_by_role("button", name="Resign").click()
        self.assertEqual(self.acted(), [{"do": "pass"}, {"do": "resign"}])

    def test_what_the_server_refuses_is_said(self) -> None:
        self.show(recording())
        self.page.evaluate("window.refusal = 'not now'")
        self.at("5,5").click()
        self.assertEqual(self.announced(), ["not now"])
        self.page.evaluate("window.refusal = null")
        self.at("5,5").click()
        self.assertEqual(len(self.acted()), 2)

    def test_the_keyboard_alone(self) -> None:
        self.show(recording("C3"))
        self.page.keyboard.press("Tab")
        # The cursor begins on the last stone.
        for key in ("ArrowRight", "ArrowUp", "Enter"):
            self.page.keyboard.press(key)
        self.assertEqual(self.announced(), ["D3, empty", "D4, empty"])
        self.assertEqual(self.acted(), [{"do": "play", "point": [4, 6]}])
        for key, point in (("Home", "1,6"), ("End", "9,6"), ("PageUp", "9,1"), ("PageDown", "9,9")):
            self.page.keyboard.press(key)
            self.assertEqual(self.count(f'[data-cursor="{point}"]'), 1, key)
        for key in ("ArrowRight", "ArrowDown"):
            self.page.keyboard.press(key)
        self.assertEqual(self.count('[data-cursor="9,9"]'), 1)
        self.page.keyboard.press("Escape")
        self.assertEqual(self.count(".go-cursor *"), 0)
        self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")
        self.assertEqual(self.acted(), [{"do": "pass"}])

    def test_the_keyboard_says_what_stands_there(self) -> None:
        self.show(recording("C3", "D3"))
        self.page.keyboard.press("Tab")
        self.page.keyboard.press("ArrowLeft")
        self.page.keyboard.press(" ")
        self.assertEqual(self.announced(), ["C3, Black", "C3: there is already a stone"])
        self.assertEqual(self.acted(), [])

    def test_a_finger_confirms_on_a_board_with_narrow_lines(self) -> None:
        tap = """([point, x]) => document.querySelector(`[data-point="${point}"]`).dispatchEvent(
            new PointerEvent("click", {bubbles: true, pointerType: "touch"}))"""
        self.page.set_viewport_size({"width": 320, "height": 640})
        self.show(recording(size=19))
        self.page.evaluate(tap, ["4,4", 0])
        self.assertEqual((self.acted(), self.status()), ([], "Tap D16 again to play there"))
        self.page.evaluate(tap, ["4,4", 0])
        self.assertEqual(self.acted(), [{"do": "play", "point": [4, 4]}])
        self.show(recording(size=9))
        self.page.evaluate(tap, ["4,4", 0])
        self.assertEqual(self.acted(), [{"do": "play", "point": [4, 4]}])

    def test_whoever_watches_cannot_play(self) -> None:
        for mode in ("watch", "replay"):
            self.show(recording("C3"), mode)
            self.assertEqual(self.count("[data-point], button, [tabindex]"), 0)


class GermanTests(GoBoardCase):
    language = "de"

    def test_sentences(self) -> None:
        made = recording("A8", "A9", "B9")
        self.show(made)
        move = made.listing.move(made.recorder.line[-1], 3)
        self.assertEqual(self.described(move, made.scene()), "Schwarz setzt auf B9 und schlägt 1 Stein")
        self.assertEqual(self.status(), "Weiß ist am Zug")

    def test_colours_by_name(self) -> None:
        scene = replayed(colorful(), 4)
        self.mount("go", scene, "replay")
        moves = [{"n": 1, "seat": 0, "color": color, "point": [3, 3]} for color in ("red", "dark-blue", "black")]
        said = [self.described({**scene["last"], **move}, scene).partition(" setzt auf")[0] for move in moves]
        self.assertEqual(said, ["Rot", "dark-blue", "Schwarz"])


class PictureTests(GoBoardCase):
    def test_pictures(self) -> None:
        """Some are taken to be looked at; none may be wider than the window."""
        setup = handicap(19, 4)
        moves = ["Q3", "R6", "C6", "F3", "D10", "K10", "P17", "C3", "D3", "C2", "D2", "B4"]
        scenes = {
            "go-19": recording(*moves, size=19, setup=setup, handicap=4).scene(),
            "go-13": recording("D4", "K10", "K4", size=13, names=("A" * 60, "Bert")).scene(),
            "go-9-ko": recording(*KO).scene(),
            "go-52": recording("D4", "AZ40", "Q16", size=52).scene(),
            "go-colors": replayed(colorful(), 4),
            "go-1": recording(size=1).scene(),
        }
        for name, scene in scenes.items():
            self.mount("go", scene)
            self.page.keyboard.press("Tab")
            self.page.keyboard.press("ArrowRight")
            if name in SHOT:
                self.shoot(name)
            self.page.set_viewport_size({"width": 320, "height": 640})
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(wide, 320, name)

    def test_a_capture_of_the_tests_game(self) -> None:
        self.mount("go", replayed(captured(), 5), "replay")
        self.assertEqual(self.count('[data-mark="taken"]'), 1)
        self.assertEqual(self.status(), "The game is over")
