"""Battleship's board in a browser: colours and marks, placing by pointer and by keys, shooting, watching."""

from __future__ import annotations

from random import Random
from re import findall
from typing import Any

from playwright.sync_api import Locator

from gamed.core.errors import RemoteProtocolError
from gamed.games.battleship.client import Player
from gamed.games.battleship.person import Person
from gamed.games.battleship.rules import Battleship
from gamed.games.battleship.strategy import OpenList
from gamed.games.battleship.wire import decode
from tests.web.browser import FILES, BrowserTestCase

OPTIONS = {"roles": "first-defends", "referee": "observe", "corner_contact": True}
SHIPS = [[0, 0, 5, "h"], [0, 2, 4, "h"], [0, 4, 3, "v"], [9, 0, 3, "v"], [8, 9, 2, "h"]]
SEATS = [{"seat": 0, "name": "Ada", "connected": True}, {"seat": 1, "name": "<b>Bo</b>", "connected": True}]
FIRST, SECOND = b"(4,[]).\r(5,[]).\r", b"(3,[]).\r(5,[]).\r"
READY = {"do": "ready"}


def person(received: bytes = b"", *, ready: bool = True) -> Person:
    """Return a person with SHIPS, ready or not, who has received bytes."""
    made = Person(Random(1))
    made.act({"do": "place", "ships": SHIPS})
    if ready:
        made.act(READY)
    if received:
        made.receive_data(received)
    return made


def scene(made: Person, **others: Any) -> dict[str, Any]:
    """Return what the shell shows a person."""
    shell = {"seats": SEATS, "options": OPTIONS, "outcome": None, "last": None, "turn": [], "isLive": True}
    return {**made.view(), **shell, **others}


def at_work() -> Person:
    """Return a person in the middle of a game, to move: every state of a cell is there."""
    made = person(FIRST)
    ours = [(4, 4, 1), (5, 4, 2), (5, 5, 3), (0, 9, 1), (7, 7, 2)]
    theirs = [(5, 5), (0, 0), (8, 9), (9, 9), (2, 7)]
    for (x, y, code), (a, b) in zip(ours, theirs, strict=True):
        made.act({"do": "shoot", "at": [x, y]})
        made.receive_data(b"(2,[%d,%d,%d]).\r(1,[%d,%d]).\r" % (x, y, code, a, b))
    return made


def watched(*lines: tuple[int, str], **others: Any) -> dict[str, Any]:
    """Return what the shell shows a spectator after these lines."""
    game = Battleship()
    state = game.setup(OPTIONS)
    for seat, line in lines:
        state = game.apply(state, seat, decode(line.encode()))
    moves = [{"n": n, "seat": seat, "text": text, "at": n, "took": 1} for n, (seat, text) in enumerate(lines, 1)]
    return {
        "phase": "play",
        "board": game.view(state, None),
        "seats": SEATS,
        "options": OPTIONS,
        "outcome": None,
        "last": moves[-1] if moves else None,
        "turn": sorted(game.to_move(state)),
        "isLive": True,
        **others,
    }


LINES = (
    *((1, "(1,[3,4])."), (0, "(2,[3,4,2])."), (0, "(1,[9,9])."), (1, "(2,[9,9,1]).")),
    *((1, "(1,[3,5])."), (0, "(2,[3,5,3])."), (0, "1,[0,1]"), (1, "2,[0,1,2]"), (1, "(1,[7,7]).")),
)


class BoardTestCase(BrowserTestCase):
    """A test of this board."""

    def board(self, name: str) -> Locator:
        return self.page.locator(f'[data-board="{name}"]')

    def cell(self, board: str, x: int, y: int) -> Locator:
        return self.board(board).locator(f'[data-cell="{x},{y}"]')

    def ship(self, index: int) -> Locator:
        return self.page.locator(f'[data-ship="{index}"]')

    def status(self) -> str:
        return self.page.locator("#status").inner_text()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def places(self) -> list[list[Any]]:
        """Return the ships as they lie on the board where they are placed."""
        found = [self.ship(index).get_attribute("data-at") or "" for index in range(5)]
        return [[int(part) if part.isdigit() else part for part in one.split(",")] for one in found]

    def middle(self, x: float, y: float) -> tuple[float, float]:
        """Return the middle of a cell of the board where ships are placed, in pixels."""
        box = self.board("own").bounding_box()
        assert box is not None
        unit = box["width"] / 11.1
        return box["x"] + unit * (x + 1.5), box["y"] + unit * (y + 1.5)

    def drag(self, start: tuple[int, int], *to: tuple[int, int], drop: bool = True) -> None:
        self.page.mouse.move(*self.middle(*start))
        self.page.mouse.down()
        for cell in to:
            self.page.mouse.move(*self.middle(*cell))
        if drop:
            self.page.mouse.up()


class ColourTests(BoardTestCase):
    WANTED = (
        ("enemy", (3, 3), "unknown", "grey"),
        ("enemy", (4, 4), "water", "blue"),
        ("enemy", (7, 7), "hit", "red"),
        ("enemy", (5, 4), "sunk", "black"),
        ("own", (6, 6), "water", "blue"),
        ("own", (1, 0), "ship", "dark grey"),
        ("own", (5, 5), "miss", "light blue"),
        ("own", (0, 0), "hit", "red"),
        ("own", (8, 9), "sunk", "black"),
    )

    @staticmethod
    def named(css: str) -> str:
        """Return a word for a colour that is written rgb(r, g, b)."""
        red, green, blue = (int(part) for part in css.removeprefix("rgb(").removesuffix(")").split(","))
        bright = red + green + blue
        if max(red, green, blue) - min(red, green, blue) < 20:
            return "black" if bright < 30 else "dark grey" if bright < 240 else "grey"
        if red > blue:
            return "red"
        return "light blue" if bright > 500 else "blue"

    def test_the_colours_are_those_of_the_text_and_each_has_a_mark(self) -> None:
        self.mount("battleship", scene(at_work()))
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            for board, (x, y), state, colour in self.WANTED:
                cell = self.cell(board, x, y)
                self.assertEqual(cell.get_attribute("data-state"), state)
                css = self.ink(board, x, y, state)
                self.assertEqual(self.named(css), colour, (board, state, scheme, css))

    def ink(self, board: str, x: int, y: int, state: str) -> str:
        """Return the colour of what is drawn at a cell: a hit's mark, a ship's deck, a field, or the water under it."""
        drawn = self.board(board)
        if state in ("ship", "sunk"):
            (hull,) = (one for one in drawn.locator(".fleet .hull").all() if [x, y] in self.covered(one))
            inked = hull.locator(".deck")
        elif state == "hit":
            inked = drawn.locator(".bs-blast")
        else:
            field = drawn.locator(".field").nth(10 * y + x)
            inked = drawn.locator(".water") if self.fill(field) == "none" else field
        return self.fill(inked)

    @staticmethod
    def fill(one: Locator) -> str:
        return str(one.evaluate("(one) => getComputedStyle(one).fill"))

    @staticmethod
    def covered(hull: Locator) -> list[list[int]]:
        x, y, length, way = (hull.get_attribute("data-at") or "").split(",")
        return [[int(x) + n * (way == "h"), int(y) + n * (way == "v")] for n in range(int(length))]

    def test_a_ship_is_drawn_in_one_piece_and_a_single_hit_is_none(self) -> None:
        self.mount("battleship", scene(at_work()))
        own, enemy = (
            sorted(one.get_attribute("data-at") or "" for one in self.board(board).locator(".fleet .hull").all())
            for board in ("own", "enemy")
        )
        self.assertEqual(own, sorted(",".join(map(str, ship)) for ship in SHIPS))
        self.assertEqual(enemy, ["5,4,2,v"])
        box = "one => { const {left, right} = one.getBoundingClientRect(); return [left, right]; }"
        # The first one lies in row A, in the columns 1 to 5.
        hull = self.board("own").locator("[data-at='0,0,5,h'] .body").evaluate(box)
        stern, bow = (self.cell("own", x, 0).locator(".touch").evaluate(box) for x in (0, 4))
        self.assertTrue(stern[0] < hull[0] < stern[1] < bow[0] < hull[1] < bow[1], (stern, hull, bow))

    def test_marks_differ_where_colours_do(self) -> None:
        self.mount("battleship", scene(at_work()))
        marks = {
            (board, state): self.cell(board, *at).locator(".mark").get_attribute("href") or ""
            for board, at, state, _ in self.WANTED
        }
        drawn = {mark for mark in marks.values() if self.page.locator(mark).count()}
        self.assertEqual(drawn, {"#bs-unknown", "#bs-miss", "#bs-hit", "#bs-sunk"})
        # A ship has a drawing of its own, and plain water none.
        self.assertEqual({state for (board, state), mark in marks.items() if mark not in drawn}, {"ship", "water"})
        self.assertEqual(marks["enemy", "water"], marks["own", "miss"])

    def test_boards_are_labelled_and_headed(self) -> None:
        self.mount("battleship", scene(at_work()))
        self.assertEqual(self.page.locator("h2").all_inner_texts(), ["Enemy board", "Your board"])
        for board in ("enemy", "own"):
            texts = self.board(board).locator(".labels text").all_text_contents()
            self.assertEqual(texts, [*map(str, range(1, 11)), *"ABCDEFGHIJ"])
        self.assertEqual(self.cell("enemy", 7, 7).get_attribute("aria-label"), "H8: hit")
        self.assertEqual(self.cell("own", 9, 0).get_attribute("aria-label"), "A10: ship")

    def test_the_last_shots_are_marked_and_the_fleets_are_counted(self) -> None:
        self.mount("battleship", scene(at_work()))
        for board, key in (("enemy", "7,7"), ("own", "2,7")):
            last = self.board(board).locator("[data-last]")
            self.assertEqual((last.count(), last.get_attribute("data-cell")), (1, key))
        sunk = self.page.locator("[data-length][data-sunk]")
        self.assertEqual([one.get_attribute("aria-label") for one in sunk.all()], ["ship of 2, sunk"] * 2)
        # The enemy has hit the ship of 5 once, at its stern; then amidships, too.
        made = at_work()
        for y, ends in ((1, ["M20"]), (2, ["M20", "M220"])):
            struck = self.page.locator(".roster [data-length] .bs-struck")
            found = [findall(r"M\d+", one.get_attribute("d") or "") for one in struck.all()]
            self.assertEqual(found, [ends])
            made.act({"do": "shoot", "at": [1, y]})
            made.receive_data(b"(2,[1,%d,1]).\r(1,[%d,0]).\r" % (y, 2 * y))
            self.update(scene(made))

    def test_files_are_small(self) -> None:
        self.assertLessEqual(len(FILES.find("games/battleship/board.js").content), 25_600)
        self.assertLessEqual(len(FILES.find("games/battleship/board.css").content), 6_000)


class ShootingTests(BoardTestCase):
    def test_a_click_shoots_once(self) -> None:
        self.mount("battleship", scene(at_work()))
        self.cell("enemy", 3, 2).click()
        self.cell("enemy", 3, 3).click()
        self.assertEqual(self.acted(), [{"do": "shoot", "at": [3, 2]}])

    def test_after_a_refusal_there_is_another_try(self) -> None:
        self.mount("battleship", scene(at_work()))
        self.page.evaluate("window.refusal = 'no'")
        self.cell("enemy", 3, 2).click()
        self.cell("enemy", 3, 3).click()
        self.assertEqual(len(self.acted()), 2)
        self.assertEqual(self.announced(), ["no", "no"])

    def test_a_known_cell_and_the_own_board_take_no_shot(self) -> None:
        self.mount("battleship", scene(at_work()))
        self.cell("enemy", 7, 7).click(force=True)
        self.assertEqual(self.announced(), ["You have shot there before."])
        self.cell("own", 3, 3).click()
        self.assertEqual((self.acted(), self.announced()), ([], []))

    def test_the_board_is_inactive_while_the_other_moves(self) -> None:
        made = at_work()
        self.mount("battleship", scene(made))
        self.assertEqual(self.board("enemy").get_attribute("data-active"), "")
        self.assertEqual(self.cell("enemy", 3, 3).get_attribute("aria-disabled"), "false")
        made.act({"do": "shoot", "at": [1, 1]})
        over = person(FIRST)
        over.act({"do": "shoot", "at": [1, 1]})
        over.receive_data(b"(2,[1,1,4]).\r")
        for other in (person(), person(SECOND), made, over):
            self.update(scene(other))
            self.assertIsNone(self.board("enemy").get_attribute("data-active"))
            self.assertEqual(self.cell("enemy", 3, 3).get_attribute("aria-disabled"), "true")
            self.cell("enemy", 3, 3).click(force=True)
            self.press("Enter", "Space")
            self.assertEqual(self.acted(), [])
            self.assertEqual(self.announced(), [self.status()] * 3)

    def test_a_shot_without_an_answer_is_marked(self) -> None:
        made = person(FIRST)
        made.act({"do": "shoot", "at": [1, 1]})
        self.mount("battleship", scene(made))
        self.assertEqual(self.cell("enemy", 1, 1).get_attribute("data-pending"), "")
        self.assertEqual(self.cell("enemy", 1, 1).get_attribute("aria-label"), "B2: shot at, no answer yet")
        self.assertEqual(self.status(), "Your shot at B2 has not been answered yet.")

    def test_keys_alone(self) -> None:
        self.mount("battleship", scene(person(FIRST)))
        self.press("Tab", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown", "Enter")
        self.assertEqual(self.acted(), [{"do": "shoot", "at": [2, 1]}])
        self.update(scene(at_work()))
        focused = "document.activeElement.dataset.cell"
        self.assertEqual(self.page.evaluate(focused), "2,1", "focus stays where it was")
        self.press("End", "ArrowRight", "Space")
        self.assertEqual(self.acted(), [{"do": "shoot", "at": [9, 1]}])
        self.press("Home", "ArrowLeft")
        self.assertEqual(self.page.evaluate(focused), "0,1")
        self.press("Tab")
        self.assertEqual(self.page.evaluate("document.activeElement.closest('svg').dataset.board"), "own")
        self.assertEqual(self.page.locator('[data-board] [tabindex="0"]').count(), 2, "a board is one stop")


class StatusTests(BoardTestCase):
    def test_who_moves_and_who_has_won(self) -> None:
        lost = person(SECOND)
        for cell in (0, 1, 2, 3, 4, 20, 21, 22, 23, 40, 50, 60, 9, 19, 29, 98, 99):
            lost.receive_data(b"(1,[%d,%d]).\r" % (cell % 10, cell // 10))
            if not lost.is_done:
                lost.act({"do": "shoot", "at": [cell % 10, cell // 10]})
                lost.receive_data(b"(2,[%d,%d,1]).\r" % (cell % 10, cell // 10))
        won = person(FIRST)
        won.act({"do": "shoot", "at": [1, 1]})
        won.receive_data(b"(2,[1,1,4]).\r")
        self.mount("battleship", scene(person(ready=False)))
        for made, phase, said in (
            (person(ready=False), "placing", "Place your ships. No enemy has come yet."),
            (person(SECOND, ready=False), "placing", "Place your ships. The enemy is there."),
            (person(FIRST, ready=False), "placing", "Place your ships. The enemy is waiting for you."),
            (person(), "waiting", "Waiting for an enemy."),
            (person(FIRST), "shoot", "Your turn: choose a cell of the enemy board."),
            (person(SECOND), "defend", "It is the enemy's turn."),
            (won, "over", "You have won."),
            (lost, "over", "You have lost."),
        ):
            self.update(scene(made))
            self.assertEqual(self.status(), said)
            self.assertEqual(self.page.locator("#board").get_attribute("data-phase"), phase)

    def test_a_match_that_is_broken_off(self) -> None:
        self.mount("battleship", scene(person(SECOND)))
        made = person(SECOND)
        self.assertRaises(RemoteProtocolError, made.receive_data, b"")
        self.update(scene(made))
        self.assertEqual(self.status(), "The game was broken off: the enemy has left, or the server has ended it.")
        for won, said in (
            (True, "You have won."),
            (False, "You have lost."),
            (None, "The game ended without a winner."),
        ):
            made.conclude(won=won)
            self.update(scene(made))
            self.assertEqual(self.status(), said)

    def test_a_liar(self) -> None:
        made = person(FIRST)
        for x in range(4):
            made.act({"do": "shoot", "at": [x, 0]})
            made.receive_data(b"(2,[%d,0,2]).\r(1,[%d,9]).\r" % (x, x))
        made.act({"do": "shoot", "at": [0, 1]})
        self.mount("battleship", scene(made))
        self.assertEqual(self.page.locator("[data-fault]").count(), 0)
        made.receive_data(b"(2,[0,1,2]).\r(1,[4,9]).\r")
        self.update(scene(made))
        told = "The enemy is lying: no fleet matches all of its answers. "
        told += "You can play on. If you leave, the enemy does not win."
        self.assertEqual(self.page.locator("[data-fault=lied]").inner_text(), told)
        self.assertEqual(self.status(), "Your turn: choose a cell of the enemy board.")
        made.receive_data(b"junk\r")
        self.update(scene(made))
        self.assertEqual(self.page.locator("[data-fault=erred]").count(), 1)

    def test_who_waits_for_a_legible_answer_is_not_told_to_play_on(self) -> None:
        made = person(FIRST)
        made.act({"do": "shoot", "at": [0, 0]})
        made.receive_data(b"junk\r")
        self.mount("battleship", scene(made))
        told = self.page.locator("[data-fault=erred]").inner_text()
        self.assertIn("You can wait, or leave", told)
        self.assertNotIn("play on", told)
        made.receive_data(b"(2,[0,0,1]).\r")
        self.update(scene(made))
        self.assertIn("You can play on.", self.page.locator("[data-fault=erred]").inner_text())


class WholeGameTests(BoardTestCase):
    """Whole games of a person in the page against the open-list player."""

    def setUp(self) -> None:
        super().setUp()
        self.made = person(ready=False)
        self.bot = Player(OpenList(), Random(4))
        self.made.receive_data(FIRST)
        self.bot.receive_data(SECOND)
        self.mount("battleship", scene(self.made))

    def turn(self) -> None:
        """Have the person do what the page has asked for, and the bot answer."""
        for action in self.acted():
            reply = self.bot.receive_data(self.made.act(action) or b"\n")
            while reply:
                answer = self.made.receive_data(reply)
                reply = self.bot.receive_data(answer) if answer else b""
        self.update(scene(self.made))

    def ended(self) -> None:
        """Hold that the game is over on both sides and on the page."""
        self.assertEqual((self.made.won, self.bot.won), (False, True))
        self.assertEqual(self.status(), "You have lost.")
        self.assertEqual(self.board("own").locator('.cell[data-state="sunk"]').count(), 17)
        water = self.board("enemy").locator('.cell[data-state="water"]').count()
        self.assertEqual(water, len(self.made.view()["you"]["enemy"]["water"]))

    def test_with_the_pointer(self) -> None:
        self.page.locator('[data-do="ready"]').click()
        self.turn()
        while not self.made.is_done:
            self.cell("enemy", *divmod(self.made.view()["you"]["targets"][0], 10)[::-1]).click()
            shots = self.made.shots
            self.turn()
            self.assertEqual(self.made.shots, shots + 1)
        self.ended()

    def test_with_keys_alone(self) -> None:
        self.press("Tab", "Tab", "Tab", "Tab", "Enter")
        self.turn()
        self.assertEqual(self.made.view()["phase"], "shoot", "the ships are one stop, the buttons three")
        while not self.made.is_done:
            shots = self.made.shots
            self.press("Enter")
            self.turn()
            self.assertEqual(self.made.shots, shots + 1)
            self.press(*(["ArrowRight"] if self.made.shots % 10 else ["Home", "ArrowDown"]))
        self.ended()


class WatchingTests(BoardTestCase):
    def test_both_boards_as_far_as_known(self) -> None:
        self.mount("battleship", watched(*LINES), mode="watch")
        self.assertEqual(self.page.locator("h2 .player").all_inner_texts(), ["Ada", "<b>Bo</b>"])
        states = [
            self.cell(board, x, y).get_attribute("data-state")
            for board, x, y in (("0", 3, 4), ("0", 3, 5), ("0", 7, 7), ("1", 9, 9), ("1", 0, 1), ("1", 5, 5))
        ]
        self.assertEqual(states, ["sunk", "sunk", "unknown", "water", "hit", "unknown"])
        self.assertEqual(self.cell("0", 7, 7).get_attribute("data-pending"), "")
        self.assertEqual(self.status(), "\u2068Ada\u2069 has to answer the shot at H8.")
        self.assertEqual(self.page.locator('[data-state="ship"], [data-state="miss"]').count(), 0)

    def test_nothing_that_is_clicked_is_sent(self) -> None:
        self.mount("battleship", watched(*LINES), mode="replay")
        for board in ("0", "1"):
            self.cell(board, 2, 2).click()
            self.press("Enter", "ArrowRight", "Space")
        self.assertEqual((self.acted(), self.announced()), ([], []))
        self.assertEqual(self.page.locator("button").count(), 0)

    def test_the_last_answer_is_marked(self) -> None:
        self.mount("battleship", watched(*LINES[:8]), mode="watch")
        last = self.page.locator("[data-last]")
        self.assertEqual((last.count(), last.get_attribute("data-cell")), (1, "0,1"))
        self.assertEqual(self.status(), "\u2068<b>Bo</b>\u2069 is to shoot.")

    def test_the_status_from_the_start_to_the_end(self) -> None:
        self.mount("battleship", watched(seats=SEATS[:1]), mode="watch")
        self.assertEqual(self.status(), "The game has not begun.")
        self.assertEqual(self.page.locator("h2 .player").all_inner_texts(), ["Ada", ""])
        self.update(watched())
        self.assertEqual(self.status(), "\u2068<b>Bo</b>\u2069 is to shoot.")
        self.update(watched(*LINES, outcome={"termination": "left", "winner": 0}))
        self.assertEqual(self.status(), "\u2068Ada\u2069 has won.")
        self.update(watched(*LINES, outcome={"termination": "cancelled", "winner": None}))
        self.assertEqual(self.status(), "The game ended without a winner.")
        self.update(watched(board=None, phase="waiting"))
        self.assertEqual(self.status(), "The game has not begun.")

    def test_a_board_whose_answers_were_refuted(self) -> None:
        shown = watched(*LINES)
        shown["board"]["boards"][0] = None
        self.mount("battleship", shown, mode="watch")
        self.assertIn("no fleet matches", self.page.locator(".note").inner_text())
        self.update(watched(*LINES))
        self.assertEqual(self.page.locator(".note").count(), 0)


class DescriptionTests(BoardTestCase):
    def said(self, seat: int, text: str, you: dict[str, int] | None = None) -> str:
        move = {"n": 1, "seat": seat, "text": text, "at": None, "took": None}
        shown = watched()
        return self.described(move, {**shown, "you": you} if you else shown).translate({0x2068: "", 0x2069: ""})

    def test_shots_answers_and_anything_else(self) -> None:
        self.mount("battleship", watched(), mode="watch")
        for text, said in (
            ("(1,[3,4]).", "Ada: shot at E4."),
            ("1,[0,9]", "Ada: shot at J1."),
            ("1,[0,9].", "Ada: shot at J1."),
            (" ( 1 , [ 03 ,\t4 ] ) . ", "Ada: shot at E4."),
            ("(1,[3,4])", "Ada says (1,[3,4])"),
            ("(1,[-1,0]).", "Ada says (1,[-1,0])."),
            ("(2,[3,4,1]).", "Ada: E4 is water."),
            ("2,[3,4,2]", "Ada: E4 is hit."),
            ("(2,[3,4,3]).", "Ada: E4 is hit and sunk."),
            ("(2,[3,4,4]).", "Ada: E4 is hit, and the last ship is sunk."),
            ("(2,[3,4,5]).", "Ada says (2,[3,4,5])."),
            ("(1,[3,4,4]).", "Ada says (1,[3,4,4])."),
            ("(1,[3,10]).", "Ada says (1,[3,10])."),
            ("(1,[3,4]", "Ada says (1,[3,4]"),
            ("<i>", "Ada says <i>"),
            ("", "Ada says "),
        ):
            self.assertEqual(self.said(0, text), said)
        self.assertEqual(self.said(7, "(1,[3,4])."), "Seat 8: shot at E4.")
        self.assertEqual(self.said(1, "(1,[3,4]).", {"seat": 1}), "You: shot at E4.")

    def test_a_name_keeps_its_direction_to_itself(self) -> None:
        self.mount("battleship", watched(), mode="watch")
        move = {"n": 1, "seat": 0, "text": "(1,[3,4]).", "at": None, "took": None}
        self.assertEqual(self.described(move, watched()), "\u2068Ada\u2069: shot at E4.")


class GermanTests(BoardTestCase):
    language = "de"

    def test_the_words_of_the_text(self) -> None:
        self.mount("battleship", scene(at_work()))
        self.assertEqual(self.page.locator("h2").all_inner_texts(), ["Gegnerisches Spielfeld", "Eigenes Spielfeld"])
        self.assertEqual(self.status(), "Du bist am Zug: Wähl ein Feld des Gegners.")
        self.assertEqual(self.cell("enemy", 7, 7).get_attribute("aria-label"), "H8: Treffer")

    def test_an_answer_is_a_sentence(self) -> None:
        self.mount("battleship", watched(), mode="watch")
        for code, words in {1: "Wasser", 2: "getroffen", 3: "getroffen und versenkt"}.items():
            move = {"n": 2, "seat": 1, "text": f"(2,[4,5,{code}])."}
            self.assertTrue(self.described(move, watched()).endswith(f": F5 ist {words}."))


class LifeTests(BoardTestCase):
    def test_an_update_changes_nothing_that_has_not_changed(self) -> None:
        self.mount("battleship", scene(at_work()))
        before = self.page.locator("#board").inner_html()
        self.update(scene(at_work()))
        self.assertEqual(self.page.locator("#board").inner_html(), before)

    def test_destroyed_it_leaves_nothing(self) -> None:
        self.mount("battleship", scene(at_work()))
        self.page.evaluate("window.board.destroy()")
        root = self.page.locator("#board")
        self.assertEqual((root.inner_html(), root.get_attribute("data-kind")), ("", None))

    def test_nothing_overflows_or_overlaps_at_any_size(self) -> None:
        widths = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        for made in (person(ready=False), at_work()):
            self.mount("battleship", scene(made))
            for width, height in ((320, 640), (640, 360), (1280, 800), (3840, 2160)):
                self.page.set_viewport_size({"width": width, "height": height})
                needed, given = self.page.evaluate(widths)
                self.assertLessEqual(needed, given, (width, height))
                boxes = [box for side in self.page.locator(".side").all() if (box := side.bounding_box())]
                # On a phone nothing is below the board on which one places ships.
                is_alone = made.view()["phase"] == "placing" and width <= 640
                self.assertEqual(len(boxes), 1 if is_alone else 2, (width, height))
                if is_alone:
                    continue
                boxes.sort(key=lambda box: (box["y"], box["x"]))
                beside = boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
                below = boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
                self.assertEqual((beside, below), (width > 640, width < 640) if width != 640 else (True, False))

    def test_on_a_phone_the_own_board_is_beside_the_own_fleet(self) -> None:
        self.page.set_viewport_size({"width": 360, "height": 740})
        self.mount("battleship", scene(at_work()))
        places = [self.board(name).bounding_box() for name in ("enemy", "own")]
        places.append(self.page.locator(".roster").last.bounding_box())
        enemy, own, fleet = ((box["x"], box["y"], box["width"]) for box in places if box)
        self.assertLess(own[2], 0.6 * enemy[2])
        self.assertGreaterEqual(fleet[0], own[0] + own[2])

    def test_a_cell_can_be_hit_by_a_finger_on_a_phone(self) -> None:
        self.mount("battleship", scene(at_work()))
        self.page.set_viewport_size({"width": 320, "height": 640})
        box = self.cell("enemy", 3, 3).bounding_box()
        assert box is not None
        self.assertGreaterEqual(box["width"], 24)
