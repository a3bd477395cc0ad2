"""The board of Blokus in a browser: by mouse, by finger, by keyboard, in both languages."""

from __future__ import annotations

from random import Random
from typing import Any

from gamed.core.game import Seat
from gamed.games.softwarechallenge.seasons.blokus.board import fields
from gamed.games.softwarechallenge.seasons.blokus.moves import LETTERS, SetMove, to_notation
from gamed.games.softwarechallenge.seasons.blokus.person import BlokusGuide, move_of
from gamed.games.softwarechallenge.seasons.blokus.position import State
from gamed.games.softwarechallenge.seasons.blokus.rules import TEXTS
from gamed.games.softwarechallenge.seasons.blokus.shapes import SHAPES, SPELLINGS
from tests.games.softwarechallenge.blokus.test_rules import BLOKUS, opened, played
from tests.web.browser import BrowserTestCase

GUIDE = BlokusGuide()
NAMES = ("Ada & <b>", "Grace")
ROUND = ("B PENTO_L 0,0", "Y PENTO_L 18,0", "R PENTO_L 18,16", "G PENTO_L 0,16")
CELLS = "all => all.map((one) => one.dataset.cell)"
POINT = """
(covered) => covered.find((name) => {
  const field = document.querySelector(`[data-cell="${name}"]`);
  field.dispatchEvent(new PointerEvent("pointerenter", {pointerType: "mouse"}));
  return covered.every((one) => "preview" in document.querySelector(`[data-cell="${one}"]`).dataset);
}) ?? null
"""
"""Returns at which of the fields of a move the chosen piece would cover all of them, and leaves the mouse there."""

LAST = """
([scene, texts]) => texts.map((text) => {
  window.board.update({...scene, last: {n: 1, seat: 0, text}});
  return [...document.querySelectorAll("[data-cell][data-last]")].map((one) => one.dataset.cell);
})
"""
"""Returns which fields are marked after each of some moves."""

TOUCH = """
(field) => {
  field.dispatchEvent(new PointerEvent("pointerenter", {pointerType: "touch"}));
  field.dispatchEvent(new MouseEvent("click", {bubbles: true}));
}
"""
BRIEF = "async (move) => (await import('/static/games/blokus/board.js')).brief(move, (key) => key.slice(5))"


def scene(state: State, seat: Seat | None = None, last: str | None = None, **more: Any) -> dict[str, Any]:
    """Return the scene of a position: a player's if there is a seat, else a spectator's."""
    over = BLOKUS.outcome(state) is not None
    asked = seat is not None and state.mover == seat and not over
    made = last and {"n": state.turn, "seat": LETTERS.index(last[0]) & 1, "text": last, "at": 0, "took": 1}
    shown: dict[str, Any] = {
        "board": BLOKUS.view(state, seat),
        "phase": "over" if over else "play" if asked else "wait",
        "seats": [{"seat": number, "name": name, "connected": True} for number, name in enumerate(NAMES)],
        "options": {"soft_milliseconds": 2000, "hard_milliseconds": 10000},
        "outcome": None,
        "last": made,
        "turn": [state.mover],
        "isLive": True,
    }
    if seat is not None:
        legal = GUIDE.legal(state, seat) if asked else []
        shown["you"] = {"seat": seat, "legal": legal, "mustSkip": False, "last": made, "refusal": None, "result": None}
        shown["won"] = None
    return {**shown, **more}


def middle_game(seed: int, turns: int) -> State:
    """Return a position after so many turns of a random game."""
    state, random = opened(), Random(seed)
    while state.turn < turns:
        state = BLOKUS.apply(state, state.mover, random.choice(BLOKUS.legal_moves(state, state.mover)))
    return state


def ended() -> State:
    """Return a position in which a random game has ended."""
    state, random = opened(), Random(3)
    while moves := BLOKUS.legal_moves(state, state.mover):
        state = BLOKUS.apply(state, state.mover, random.choice(moves))
    return state


def covered(move: SetMove) -> set[str]:
    return {f"{x},{y}" for x, y in move.places()}


class BlokusBoardTestCase(BrowserTestCase):
    def field(self, name: str) -> Any:
        return self.page.locator(f'[data-cell="{name}"]')

    def piece(self, shape: str, letter: str = "B") -> Any:
        return self.page.locator(f'[data-piece="{shape}"][data-color="{letter}"]')

    def marked(self, flag: str) -> set[str]:
        """Return the fields that have a mark."""
        return set(self.page.eval_on_selector_all(f"[data-cell][data-{flag}]", CELLS))

    def status(self) -> str:
        return str(self.page.text_content("#status"))

    def action(self, name: str) -> Any:
        return self.page.locator(f'[data-action="{name}"]')

    def aim(self, move: SetMove) -> str | None:
        """Choose a piece, turn it as a move has it, and return the field at which it would be placed there."""
        self.piece(SHAPES[move.shape], LETTERS[move.color]).click()
        # At most eight ways: turned, and flipped once between.
        for number in range(8):
            found: str | None = self.page.evaluate(POINT, sorted(covered(move)))
            if found is not None:
                return found
            self.page.keyboard.press("f" if number == 3 else "r")
        return None


class DrawingTests(BlokusBoardTestCase):
    def test_every_field_is_drawn(self) -> None:
        state = middle_game(1, 40)
        self.mount("blokus", scene(state), "watch")
        self.assertEqual(self.page.locator("[data-cell]").count(), 400)
        found = self.page.eval_on_selector_all(
            "[data-cell][data-color]", "all => all.map((one) => [one.dataset.cell, one.dataset.color])"
        )
        expected = {
            f"{x},{y}": letter for letter, own in zip(LETTERS, state.covered, strict=True) for x, y in fields(own)
        }
        self.assertEqual(dict(found), expected)
        drawn = self.page.eval_on_selector_all(
            ".k-grid > g > .k-fill", "all => all.map((one) => one.getAttribute('d').split('M').length - 1)"
        )
        self.assertEqual(drawn, [own.bit_count() for own in state.covered])
        left = self.page.eval_on_selector_all(
            "[data-piece]:not([data-used])", "all => all.map((one) => one.dataset.color + one.dataset.piece)"
        )
        expected_left = {
            f"{letter}{SHAPES[shape]}"
            for letter, shapes in zip(LETTERS, BLOKUS.view(state, None)["left"], strict=True)
            for shape in shapes
        }
        self.assertEqual(set(left), expected_left)
        self.assertEqual(self.page.get_attribute("#board", "data-kind"), "blokus")
        self.assertEqual(self.page.get_attribute("#board", "data-phase"), "wait")

    def test_points_and_whose_turn_it_is(self) -> None:
        state = middle_game(1, 41)
        self.mount("blokus", scene(state), "watch")
        self.assertEqual(self.status(), "Yellow is to move.")
        for seat in (0, 1):
            side = self.page.locator(f".k-side-{seat}")
            self.assertIn(f"{state.team_points(seat)} points", side.locator("h2").text_content())
            self.assertEqual("k-to-move" in side.get_attribute("class"), seat == state.mover)
        self.assertEqual(self.page.locator(".k-now h3").text_content()[:6], "Yellow")

    def test_the_last_piece_is_marked_however_it_lies(self) -> None:
        self.mount("blokus", scene(opened()), "watch")
        moves = [SetMove(0, *spelling, 7, 9) for spelling in SPELLINGS]
        texts = [*map(to_notation, moves), "B SKIP"]
        *marked, nothing = self.page.evaluate(LAST, [scene(opened()), texts])
        for move, found in zip(moves, marked, strict=True):
            self.assertEqual(set(found), covered(move), to_notation(move))
        self.assertEqual(nothing, [])

    def test_moves_are_told(self) -> None:
        self.mount("blokus", scene(opened()), "watch")
        for text, told, short in (
            ("B PENTO_L LEFT FLIPPED 3,4", "Blue places PENTO_L at (3,\u00a04).", "B PENTO_L 3,4"),
            ("G MONO 0,19", "Green places MONO at (0,\u00a019).", "G MONO 0,19"),
            ("R SKIP", "Red passes.", "R \u2013"),
            ("START PENTO_X", "All colours begin with PENTO_X.", None),
            ("gibberish", "gibberish", None),
            ("B PENTO_Q 1,1", "B PENTO_Q 1,1", None),
        ):
            move = {"n": 1, "seat": 0, "text": text}
            self.assertEqual(self.described(move, scene(opened())), told)
            self.assertEqual(self.page.evaluate(BRIEF, move), short)

    def test_the_names_of_controls_hold_what_is_seen_on_them(self) -> None:
        for shown in (scene(opened(), 0), scene(middle_game(2, 40), 0)):
            self.mount("blokus", shown)
            self.assertEqual(self.mislabelled(), [])
            self.shoot("blokus")

    def test_names_are_text(self) -> None:
        self.mount("blokus", scene(opened()), "watch")
        self.assertIn("Ada & <b>", self.page.text_content(".k-side-0"))

    def test_nothing_is_known_before_the_game_begins(self) -> None:
        for phase, told in (("joining", "server"), ("waiting", "another player"), ("held", "paused")):
            shown = scene(opened(), 0, phase=phase, board=None)
            shown["you"].update(seat=None, legal=[])
            self.mount("blokus", shown)
            self.assertIn(told, self.status())
            self.page.keyboard.press("n")
            self.field("0,0").click()
            self.assertEqual(self.acted(), [])

    def test_the_end(self) -> None:
        state = ended()
        winner = BLOKUS.view(state, None)["winner"]
        names = ("Blue and Red", "Yellow and Green")
        self.mount("blokus", scene(state), "watch")
        self.assertEqual(self.page.text_content(".k-verdict"), f"{names[winner]} win.")
        self.assertEqual(self.status(), "")
        scores = [{"cause": "REGULAR", "reason": "", "points": ["2", "9"]}] * 2
        scores[1] = {"cause": "RULE_VIOLATION", "reason": "Regel <b>", "points": ["0", "0"]}
        shown = scene(state, 0, won=True)
        shown["you"]["result"] = {"scores": scores}
        self.mount("blokus", shown)
        self.assertEqual(self.page.text_content(".k-verdict"), "You have won.")
        self.assertIn("Yellow and Green broke a rule: Regel <b>", self.page.text_content(".k-end"))
        shown["won"], shown["board"] = None, {**shown["board"], "winner": None}
        self.update(shown)
        self.assertEqual(self.page.text_content(".k-verdict"), "A draw.")


class PlayingTests(BlokusBoardTestCase):
    def test_a_game_by_mouse(self) -> None:
        """Pieces of all kinds, turned and flipped, until both colours of both sides have moved several times."""
        state, random = opened(), Random(5)
        self.mount("blokus", scene(state, 0))
        for _ in range(16):
            move = random.choice(BLOKUS.legal_moves(state, state.mover))
            assert isinstance(move, SetMove)
            if state.mover == 0:
                name = self.aim(move)
                assert name is not None, to_notation(move)
                self.field(name).dispatch_event("click")
                (action,) = self.acted()
                sent = move_of(action, state.color)
                assert isinstance(sent, SetMove)
                self.assertEqual(covered(sent), covered(move))
                self.assertEqual(self.page.locator('[data-piece][aria-disabled="false"]').count(), 0)
            state = BLOKUS.apply(state, state.mover, move)
            self.update(scene(state, 0, to_notation(move)))

    def test_only_what_is_legal_is_offered(self) -> None:
        state = middle_game(4, 40)
        self.mount("blokus", scene(state, 0))
        moves = [move for move in BLOKUS.legal_moves(state, 0) if isinstance(move, SetMove)]
        offered = self.page.eval_on_selector_all(
            '[data-piece][aria-disabled="false"]', "all => all.map((one) => one.dataset.color + one.dataset.piece)"
        )
        self.assertEqual(set(offered), {f"B{SHAPES[move.shape]}" for move in moves})
        shape = SHAPES[max(move.shape for move in moves)]
        self.piece(shape).click()
        self.assertEqual(self.announced()[-1].partition(" ")[0], shape)
        fits: set[str] = set()
        for _ in range(2):
            for _ in range(4):
                fits |= self.marked("target")
                self.action("turn").click()
            self.action("flip").click()
        expected = set().union(*(covered(move) for move in moves if SHAPES[move.shape] == shape))
        self.assertEqual(fits, expected)
        outside = next(f"{x},{y}" for x in range(20) for y in range(20) if f"{x},{y}" not in expected)
        self.field(outside).click()
        self.assertEqual(self.announced()[-1], "The piece does not fit there.")
        self.assertEqual(self.acted(), [])

    def test_corners_show_where_a_piece_can_touch(self) -> None:
        state = played(opened(), *ROUND)
        self.mount("blokus", scene(state, 0))
        # PENTO_L lies on 0,0 to 0,3 and 1,3: free corners of it are 2,2 and 2,4. 1,4 and 0,4 touch it.
        self.assertEqual(self.page.get_attribute(".k-corners", "d").count("M"), 2)

    def test_a_finger_looks_first(self) -> None:
        self.mount("blokus", scene(opened(), 0))
        self.piece("PENTO_L").click()
        self.field("0,5").evaluate(TOUCH)
        self.assertEqual(self.acted(), [])
        shown = self.marked("preview")
        self.assertIn("0,5", shown)
        self.field("0,5").evaluate(TOUCH)
        (action,) = self.acted()
        self.assertEqual({f"{x},{y}" for x, y in move_of(action, 0).places()}, shown)  # type: ignore[union-attr]

    def test_the_wrong_pieces(self) -> None:
        self.mount("blokus", scene(opened(), 0))
        self.field("0,0").click()
        self.assertEqual(self.announced()[-1], "Choose a piece first.")
        for shape, letter, told in (
            ("MONO", "B", "This piece fits nowhere now."),
            ("PENTO_L", "R", "This piece fits nowhere now."),
            ("PENTO_L", "Y", "This colour is not to move."),
        ):
            self.piece(shape, letter).click(force=True)
            self.assertEqual(self.announced()[-1], told)
        self.assertTrue(self.action("turn").is_disabled())
        self.piece("PENTO_L").click()
        self.assertFalse(self.action("turn").is_disabled())
        self.piece("PENTO_L").click()
        self.assertEqual(self.announced()[-1], "Selection cleared.")
        self.assertEqual(self.acted(), [])

    def test_a_pass_is_asked_for_twice(self) -> None:
        self.mount("blokus", scene(opened(), 0))
        self.assertTrue(self.action("skip").is_disabled())
        state = played(opened(), *ROUND)
        self.mount("blokus", scene(state, 0))
        self.action("skip").click()
        self.assertEqual((self.acted(), self.action("skip").text_content()), ([], "Pass? Press again."))
        self.piece("MONO").click()
        self.assertEqual(self.action("skip").text_content(), "Pass")
        self.action("skip").click()
        self.action("skip").click()
        self.assertEqual(self.acted(), [{"do": "skip"}])
        self.action("skip").click(force=True)
        self.assertEqual(self.acted(), [])

    def test_a_refused_move_can_be_made_anew(self) -> None:
        self.mount("blokus", scene(opened(), 0))
        self.page.evaluate("window.refusal = 'no'")
        for _ in range(2):
            self.piece("PENTO_L").click()
            self.field("0,5").hover()
            self.field("0,5").click()
            self.assertEqual(len(self.acted()), 1)

    def test_who_watches_moves_nothing(self) -> None:
        self.mount("blokus", scene(opened()), "watch")
        self.assertEqual(self.page.locator("button").count(), 0)
        self.field("0,0").click()
        self.page.keyboard.press("n")
        self.assertEqual(self.acted(), [])


class KeyboardTests(BlokusBoardTestCase):
    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.dataset.cell ?? document.activeElement.dataset.piece"))

    def test_a_piece_is_placed(self) -> None:
        self.mount("blokus", scene(opened(), 0))
        self.field("0,0").focus()
        self.press("n", "r", "f", "ArrowRight", "ArrowRight", "ArrowDown")
        self.assertEqual(self.focused(), "2,1")
        shown = self.marked("preview")
        self.assertEqual(len(shown), 5)
        self.press("Enter")
        (action,) = self.acted()
        self.assertEqual({f"{x},{y}" for x, y in move_of(action, 0).places()}, shown)  # type: ignore[union-attr]
        self.assertEqual(action["piece"], "PENTO_L RIGHT FLIPPED")

    def test_turning_goes_clockwise_also_when_flipped(self) -> None:
        self.mount("blokus", scene(opened(), 0))
        self.field("9,0").focus()
        self.press("n")
        for name, spelled in (
            ("r", "RIGHT"), ("r", "MIRROR"), ("f", "MIRROR FLIPPED"), ("r", "RIGHT FLIPPED"), ("r", "FLIPPED"),
            ("r", "LEFT FLIPPED"), ("f", "LEFT"), ("r", ""),
        ):  # fmt: skip
            self.press(name)
            self.page.evaluate("window.refusal = 'no'")
            self.field("9,0").hover()
            self.field("9,0").click()
            (action,) = self.acted()
            self.assertEqual(action["piece"].removeprefix("PENTO_L").strip(), spelled)
            # A refused move lets the piece go; take it up again as it lay.
            self.press("n")
            for key in {"RIGHT": "r", "MIRROR": "rr", "LEFT": "rrr"}.get(spelled.split(" ")[0], ""):
                self.press(key)
            if "FLIPPED" in spelled:
                self.press("f")

    def test_the_cursor_stays_on_the_board(self) -> None:
        self.mount("blokus", scene(opened(), 0))
        self.field("0,0").focus()
        self.press("ArrowLeft", "ArrowUp")
        self.assertEqual(self.focused(), "0,0")
        self.press(*["ArrowRight"] * 21, *["ArrowDown"] * 22)
        self.assertEqual(self.focused(), "19,19")
        self.assertEqual(self.page.locator('[data-cell][tabindex="0"]').count(), 1)

    def test_pieces_in_turn(self) -> None:
        state = played(opened(), *ROUND)
        self.mount("blokus", scene(state, 0))
        shapes = {move.shape for move in BLOKUS.legal_moves(state, 0) if isinstance(move, SetMove)}
        fitting = [SHAPES[shape] for shape in sorted(shapes)]
        self.field("0,0").focus()
        for shape in [*fitting, fitting[0]]:
            self.press("n")
            self.assertEqual(self.page.get_attribute('[aria-pressed="true"]', "data-piece"), shape)
        self.press("p")
        self.assertEqual(self.page.get_attribute('[aria-pressed="true"]', "data-piece"), fitting[-1])
        self.press("Escape")
        self.assertEqual(self.page.locator('[aria-pressed="true"]').count(), 0)


class GermanTests(BlokusBoardTestCase):
    language = "de"

    def test_the_same_in_german(self) -> None:
        self.mount("blokus", scene(opened(), 0))
        self.assertEqual(self.status(), "Du bist mit Blau am Zug: Beginne am Rand mit PENTO_L.")
        state = played(opened(), "B PENTO_L 0,0")
        self.update(scene(state, 0, "B PENTO_L 0,0"))
        self.assertEqual(self.status(), "Gelb ist am Zug.")
        self.assertIn("letzter Zug", self.field("0,0").get_attribute("aria-label"))
        told = self.described({"n": 1, "seat": 1, "text": "G SKIP"}, scene(state))
        self.assertEqual(told, "Grün setzt aus.")

    def test_every_error_of_the_rules_has_a_sentence(self) -> None:
        self.mount("blokus", scene(opened()))
        codes = self.page.evaluate("async () => (await import('/static/games/blokus/board.js')).codes.de")
        self.assertEqual({f"refused-{code}" for code in TEXTS} - codes.keys(), set())
