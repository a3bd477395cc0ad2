"""The board of RoboRally in a browser: the course, the robots, the registers."""

from __future__ import annotations

from random import Random
from typing import Any, ClassVar

from attrs import evolve

from gamed.core.game import CHANCE
from gamed.games.roborally.rules.moves import Program
from gamed.games.roborally.rules.robots import Robot
from gamed.games.roborally.rules.state import Stage, State
from tests.games.roborally.making import N, plan, robot
from tests.games.roborally.making import state as position
from tests.games.roborally.scenes import GAME, played, programmed, scene, started
from tests.web.browser import BrowserTestCase

EVERYTHING = plan(
    "______#__",
    "_B_G_D(L)_D(R)_R(2)_F(E,1,((S,D(R)))())_F(E,2,()(2,4,))_B#S(1,3,)]B_",
    "#S(5,)]________",
    "_B_B_B_B_B[L(1)#L(2)]B_B_B_B_",
    "_________",
    flags=((1, 1), (9, 1)),
)
"""One of each element. The row of fields in the south is (1,1) to (9,1), that in the north (1,2) to (9,2)."""

ANIMATED = """
(scene) => {
  window.later = null;
  window.setTimeout = (call, ms) => { window.later = call; window.waits = ms; return 1; };
  window.clearTimeout = () => { window.later = null; };
  return import("/static/games/roborally/board.js").then((board) => {
  window.board.destroy();
  const words = board.words.en;
  const t = (key, params = {}) => words[key].replace(/\\{(\\w+)\\}/g, (_, name) => params[name]);
  const context = { t, mode: "watch", act: async () => {}, announce() {}, animate: true, pace: 2,
    player: () => document.createElement("b"), setStatus() {} };
  window.board = board.create(document.getElementById("board"), context);
  window.board.update(scene);
});
}
"""
"""Shows a scene on a board that animates; `ON` lets its next timer ring."""

ON = "(() => { const call = window.later; window.later = null; call?.(); return call !== null; })()"


def everything(*robots: Robot) -> State:
    return position(EVERYTHING, *robots, stage=Stage.DEAL)


def with_locks(state: State) -> State:
    """Return the next deal, with registers 2 and 5 of the first robot locked."""
    first = robot(6, 6, damage=6, locked=(2, 5), registers=(None, 50, None, None, 9))
    others = [its._replace(is_virtual=False, place=(7, 6 + seat)) for seat, its in enumerate(state.robots[1:])]
    state = evolve(state, robots=(first, *others), stage=Stage.DEAL, hands=((),) * len(state.robots))
    return GAME.apply(state, CHANCE, GAME.draw(state, Random(5)))


class BoardCase(BrowserTestCase):
    def show(self, state: State, seat: int | None = None, **you: Any) -> None:
        self.mount("roborally", scene(state, seat, **you), mode="watch" if seat is None else "play")

    def acted(self) -> list[Any]:
        """Return the decisions since the last call."""
        return [action for action in super().acted() if action["do"] != "preview"]

    def registers(self) -> list[str | None]:
        """Return what stands in the registers, as the screen reader says it."""
        return [self.page.locator(f"[data-register='{n}']").text_content() for n in range(1, 6)]

    def explained(self, x: int, y: int) -> str:
        self.page.locator(f"[data-cell='{x},{y}']").hover()
        return self.page.locator("[data-explain]").inner_text()


def laser_end() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return three scenes: before the end, when a laser has destroyed Anna's robot, and when Bert has won."""
    ending = position(EVERYTHING, robot(1, 1), robot(9, 1, flag=2), stage=Stage.ENDING)
    before, over = scene(ending), scene(GAME.advance(ending))
    hit = [1, "lasers", [[0, 1, 1, "E", 10, False]], None, None]
    turn = before["board"]["trail"]["turn"]

    def then(found: dict[str, Any], *steps: Any) -> dict[str, Any]:
        first, *others = found["board"]["robots"]
        board = {**found["board"], "robots": [{**first, "damage": 10}, *others]}
        return {**found, "board": {**board, "trail": {"turn": turn, "steps": steps}}}

    before["board"]["trail"] = {"turn": turn, "steps": []}
    shot = then(before, hit)
    end = then(over, hit, [1, "touched", [], None, None], [0, "ended", [], None, None])
    return before, shot, {**end, "phase": "over", "outcome": {"termination": "victory", "winner": 1}}


class ProgramTests(BoardCase):
    def setUp(self) -> None:
        super().setUp()
        self.state = started("anlauf", 2)
        self.hand = list(self.state.hands[0])
        self.show(self.state, 0)

    def test_by_keyboard(self) -> None:
        """A program is typed as the protocol has it: 4, 1, 9, 2, 8, and Enter."""
        self.page.locator("[data-card]").first.focus()
        for key in "41928":
            self.page.keyboard.press(key)
        self.assertEqual(self.acted(), [])
        self.page.keyboard.press("Enter")
        cards = [self.hand[index - 1] for index in (4, 1, 9, 2, 8)]
        self.assertEqual(self.acted(), [{"do": "program", "cards": cards, "down": False}])
        self.assertEqual(self.page.locator("[data-submit]").count(), 0)

    def check_digits(self) -> None:
        for key in "41928":
            self.page.keyboard.press(key)
        told = self.registers()
        for n, index in enumerate((4, 1, 9, 2, 8)):
            self.assertIn(str(self.hand[index - 1]), told[n] or "", told)

    def test_digits_fill_the_registers_from_the_first_one(self) -> None:
        self.page.locator("[data-register='1']").focus()
        self.check_digits()

    def test_digits_need_no_focus(self) -> None:
        self.page.evaluate("document.activeElement.blur()")
        self.check_digits()

    def test_backspace_takes_a_card_back(self) -> None:
        self.page.locator("[data-card]").first.focus()
        for key in ("1", "2", "Backspace", "3"):
            self.page.keyboard.press(key)
        self.assertIn(str(self.hand[0]), self.registers()[0] or "")
        self.assertIn(str(self.hand[2]), self.registers()[1] or "")
        self.assertTrue((self.registers()[2] or "").endswith("empty"))

    def test_a_register_is_chosen_first(self) -> None:
        self.page.locator("[data-register='1']").focus()
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("Enter")
        self.assertEqual(self.page.locator("[data-register='3']").get_attribute("aria-pressed"), "true")
        self.page.locator("[data-card]").nth(6).press("Enter")
        self.assertIn(str(self.hand[6]), self.registers()[2] or "")

    def test_arrows_go_through_the_hand(self) -> None:
        self.page.locator("[data-card]").first.focus()
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("Space")
        self.assertIn(str(self.hand[2]), self.registers()[0] or "")
        self.assertEqual(self.page.evaluate("document.activeElement.dataset.card"), str(self.hand[2]))

    def test_the_names_of_buttons_hold_what_is_seen_on_them(self) -> None:
        self.page.locator("[data-card]").nth(2).click()
        self.assertEqual(self.mislabelled(), [])
        used = self.page.locator("[data-card]").nth(2)
        self.assertRegex(used.text_content() or "", r"^3: .+, priority \d+, in register → 1$")

    def test_by_clicks(self) -> None:
        for index in range(5):
            self.page.locator("[data-card]").nth(index).click()
        self.page.locator("[data-register='2']").click()
        self.page.locator("[data-card]").nth(7).click()
        self.page.locator("[data-submit]").click()
        cards = [self.hand[index] for index in (0, 7, 2, 3, 4)]
        self.assertEqual(self.acted(), [{"do": "program", "cards": cards, "down": False}])

    def drags(self, what: str, where: str) -> None:
        self.page.locator(what).hover()
        self.page.mouse.down()
        box = self.page.locator(where).bounding_box()
        assert box is not None
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
        self.page.mouse.up()

    def test_by_dragging(self) -> None:
        for number, index in enumerate((8, 3, 5, 0, 2), 1):
            self.drags(f"[data-card='{self.hand[index]}']", f"[data-register='{number}']")
        self.drags("[data-register='1']", "[data-register='5']")
        self.page.locator("[data-submit]").click()
        cards = [self.hand[index] for index in (2, 3, 5, 0, 8)]
        self.assertEqual(self.acted(), [{"do": "program", "cards": cards, "down": False}])

    def test_a_card_is_dragged_back(self) -> None:
        self.drags(f"[data-card='{self.hand[0]}']", "[data-register='4']")
        self.assertIn(str(self.hand[0]), self.registers()[3] or "")
        self.drags("[data-register='4']", ".rr-hand")
        self.assertTrue((self.registers()[3] or "").endswith("empty"))

    def test_an_incomplete_program_cannot_be_sent(self) -> None:
        self.page.locator("[data-card]").first.click()
        self.assertTrue(self.page.locator("[data-submit]").is_disabled())
        self.assertIn("4 more", self.page.locator("[data-submit]").inner_text())

    def test_the_way_ahead_is_asked_for_and_drawn(self) -> None:
        self.page.locator("[data-card]").first.click()
        self.page.locator("[data-card]").nth(1).click()
        self.page.locator("[data-register='2']").click()
        asked = [action["cards"] for action in BrowserTestCase.acted(self)]
        one, two = self.hand[:2]
        self.assertEqual(asked, [[one, *[None] * 4], [one, two, *[None] * 3], [one, *[None] * 4]])
        (x, y), drawn = self.state.robots[0].place, self.page.locator(".rr-svg .rr-ahead")
        for preview, numbers, ends in (
            ([[x, y, "E"], [x, y + 1, "E"]], ["1", "2"], ".rr-end"),
            ([[x, y, "E"], [x, y, "S"]], ["1 2"], ".rr-end"),
            ([[x, y + 1, "N"], None], ["1"], ".rr-lost"),
            ([], [], None),
        ):
            self.update(scene(self.state, 0, preview=preview))
            self.assertEqual(drawn.locator("text").all_text_contents(), numbers)
            shown = {name for name in (".rr-end", ".rr-lost") if drawn.locator(name).count()}
            self.assertEqual(shown, {ends} - {None})

    def test_on_phones_the_part_round_ones_own_robot_is_shown_enlarged(self) -> None:
        self.page.set_viewport_size({"width": 360, "height": 740})
        for seat in (0, None):
            self.show(started("doppelhalle", 2), seat)
            parts = [self.page.locator(f".{name}").is_visible() for name in ("rr-lens", "rr-view")]
            self.assertEqual(parts, [seat is not None] * 2)
            pointed = self.page.locator(".rr-lens .rr-toward text").all_text_contents()
            self.assertEqual(pointed, ["2"] if seat == 0 else [])  # the second flag is out of sight

    def test_power_down(self) -> None:
        self.page.locator("[data-power]").check()
        self.assertEqual(self.acted(), [{"do": "power", "down": True}])
        self.page.locator("[data-card]").first.focus()
        for key in "12345":
            self.page.keyboard.press(key)
        self.page.locator("[data-submit]").click()
        self.assertEqual(self.acted(), [{"do": "program", "cards": self.hand[:5], "down": True}])

    def test_a_refused_program_can_be_mended(self) -> None:
        self.page.evaluate("window.refusal = 'no'")
        self.page.locator("[data-card]").first.focus()
        for key in "12345":
            self.page.keyboard.press(key)
        self.page.locator("[data-submit]").click()
        self.assertEqual(len(self.acted()), 1)
        self.page.locator("[data-submit]").wait_for()
        self.assertIn(str(self.hand[4]), self.registers()[4] or "")

    def test_the_same_scene_again_keeps_cards_and_focus(self) -> None:
        self.page.locator("[data-card]").first.focus()
        self.page.keyboard.press("1")
        before = self.page.evaluate("document.activeElement.dataset.key")
        self.update(scene(self.state, 0))
        self.assertIn(str(self.hand[0]), self.registers()[0] or "")
        self.assertEqual(self.page.evaluate("document.activeElement.dataset.key"), before)

    def test_the_next_hand_empties_the_registers(self) -> None:
        self.page.locator("[data-card]").first.click()
        self.update(scene(started("anlauf", 2, seed=9), 0))
        self.assertTrue(all((label or "").endswith("empty") for label in self.registers()))

    def test_watchers_have_no_registers(self) -> None:
        self.show(self.state)
        self.assertEqual(self.page.locator("[data-register]:visible").count(), 0)
        self.assertEqual(self.page.locator("[data-seat]").count(), 2)


class LockTests(BoardCase):
    def setUp(self) -> None:
        super().setUp()
        self.state = with_locks(started("karussell", 2))
        self.hand = list(self.state.hands[0])

    def test_locked_registers_keep_their_cards(self) -> None:
        self.show(self.state, 0)
        self.assertEqual(self.registers()[1], "Register 2: Move 1, priority 50, locked")
        self.page.locator("[data-register='2']").click(force=True)
        self.page.locator("[data-card]").first.focus()
        for key in "123":
            self.page.keyboard.press(key)
        self.page.keyboard.press("Enter")
        one, three, four = self.hand
        self.assertEqual(self.acted(), [{"do": "program", "cards": [one, 50, three, four, 9], "down": False}])

    def test_registers_to_unlock_are_chosen(self) -> None:
        state = evolve(self.state, stage=Stage.REPAIR, waiting=frozenset({0}), hands=((), ()))
        self.show(state, 0, prompt="repair", opens=1)
        self.assertTrue(self.page.locator("[data-submit]").is_disabled())
        self.page.locator("[data-open='5']").press("Enter")
        self.page.locator("[data-submit]").click()
        self.assertEqual(self.acted(), [{"do": "repair", "registers": [5]}])


class DecisionTests(BoardCase):
    def test_a_facing(self) -> None:
        state = evolve(started("anlauf", 2), stage=Stage.FACING, waiting=frozenset({0}))
        self.show(state, 0)
        self.page.locator("[data-facing='N']").focus()
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("Enter")
        self.assertEqual(self.acted(), [{"do": "facing", "facing": "E"}])

    def test_waking_up(self) -> None:
        state = evolve(started("anlauf", 2), stage=Stage.STAY_DOWN, waiting=frozenset({0}))
        for word, down in (("true", True), ("false", False)):
            self.show(state, 0)
            self.page.locator(f"[data-stay='{word}']").click()
            self.assertEqual(self.acted(), [{"do": "power", "down": down}])

    def test_prompts_are_announced_once(self) -> None:
        state = started("anlauf", 2)
        self.show(state, 0)
        self.update(scene(state, 0))
        self.assertEqual(self.announced(), ["Program your robot"])


class CourseTests(BoardCase):
    def test_every_element_is_explained(self) -> None:
        self.show(everything(robot(1, 1, N, damage=3), robot(2, 1, N, is_virtual=True)))
        expected = {
            (2, 2): "pit",
            (3, 2): "gear: turns robots left",
            (4, 2): "gear: turns robots right",
            (5, 2): "repair site: repairs 2 damage",
            (6, 2): "belt: carries one field east; turns robots that come from the south to the right",
            (7, 2): "express belt: carries up to two fields east; crusher: destroys in phases 2, 4; walls: north",
            (9, 2): "pusher on the west wall: pushes east in phases 1, 3; walls: west",
            (1, 1): "flag 1, the start; laser beam: 1 damage; pusher on the north wall: pushes south in phases 5; "
            "walls: north; robot 1 (Anna), facing north, damage 3; archive of Anna",
            (5, 1): "laser on the east wall: 1 damage",
            (6, 1): "laser on the west wall: 2 damage",
            (4, 1): "laser beam: 1 damage",
            (8, 1): "laser beam: 2 damage",
            (2, 1): "robot 2 (Bert), facing north, damage 0; virtual; archive of Bert",
            (9, 1): "flag 2",
        }
        for (x, y), text in expected.items():
            self.assertIn(text, self.explained(x, y))

    def test_the_keyboard_goes_over_the_course(self) -> None:
        self.show(everything(robot(1, 1, N)))
        self.page.locator("[data-cell='1,1']").focus()
        for key in ("ArrowUp", "ArrowRight", "ArrowRight", "ArrowUp"):
            self.page.keyboard.press(key)
        self.assertEqual(self.page.evaluate("document.activeElement.dataset.cell"), "3,2")
        self.assertIn("gear", self.page.locator("[data-explain]").inner_text())
        self.assertEqual(self.page.locator("[data-cell][tabindex='0']").count(), 1)
        frame = self.page.locator(".rr-cursor")
        self.assertTrue(frame.is_visible())
        self.assertEqual((frame.get_attribute("x"), frame.get_attribute("y")), ("80", "0"))

    def test_robots_stand_where_they_are(self) -> None:
        self.show(everything(robot(3, 1, N, damage=2), robot(5, 2, N), robot(4, 1, N, damage=10)))
        first = self.page.locator("[data-robot='0']")
        self.assertEqual((first.get_attribute("data-place"), first.get_attribute("data-facing")), ("3,1", "N"))
        self.assertIn("gone", self.page.locator("[data-robot='2']").get_attribute("class") or "")
        self.assertIn("destroyed", self.page.locator("[data-seat='2']").inner_text())
        cell, drawn = (self.page.locator(its).bounding_box() for its in ("[data-cell='3,1']", "[data-robot='0']"))
        assert cell is not None
        assert drawn is not None
        off = cell["x"] + cell["width"] / 2 - drawn["x"] - drawn["width"] / 2
        self.assertLess(abs(off), cell["width"] / 4)

    def test_another_course(self) -> None:
        self.show(everything(robot(1, 1, N)))
        self.update(scene(started("anlauf", 2)))
        self.assertEqual(self.page.locator("[data-cell]").count(), 144)
        self.assertEqual(self.page.locator("[data-robot]").count(), 2)

    def test_names_are_text(self) -> None:
        found = scene(everything(robot(1, 1, N)))
        found["seats"][0]["name"] = "<img src=x onerror=alert(1)>"
        self.mount("roborally", found, mode="watch")
        self.assertIn("<img", self.page.locator("[data-seat='0']").inner_text())
        self.assertEqual(self.page.locator("img").count(), 0)

    def test_before_the_course_is_known(self) -> None:
        waiting = {**scene(started("anlauf", 2), 0), "board": None, "phase": "joining"}
        waiting["you"].update(prompt=None, hand=[], registers=[None] * 5, seat=None)
        self.mount("roborally", waiting)
        self.assertIn("Registering", self.page.locator("#board").inner_text())
        self.update(scene(started("anlauf", 2), 0))
        self.assertEqual(self.page.locator("[data-robot]").count(), 2)


class StepTests(BoardCase):
    def test_the_phases_are_shown_step_by_step(self) -> None:
        before = started("anlauf", 2)
        after = played(programmed(before))
        self.show(before)
        self.page.evaluate(ANIMATED, scene(before))
        start = self.page.locator("[data-robot='0']").get_attribute("data-place")
        self.update(scene(after))
        shown = [self.page.locator(".rr-now").inner_text()]
        self.assertEqual(self.page.locator("[data-robot='0']").get_attribute("data-place"), start)
        opened = [self.page.locator(".rr-shown:not(.rr-back)").count()]
        for _ in after.trail[2:]:
            self.page.evaluate(ON)
            opened.append(self.page.locator(".rr-shown:not(.rr-back)").count())
            shown.append(self.page.locator(".rr-now").inner_text())
        self.assertEqual(shown[0], "Register phase 1: the cards are revealed")
        # The registers of both robots are turned over phase by phase.
        self.assertEqual(sorted(set(opened))[:2], [2, 4])
        self.assertEqual(opened, sorted(opened))
        self.assertEqual(opened[-1], sum(its.kind == "played" for its in after.trail))
        self.assertRegex(shown[1], "^1/5 · (Anna|Bert) plays ")
        self.assertEqual(sum("are revealed" in text for text in shown), 5)
        self.assertEqual(sum(" plays " in text for text in shown), sum(its.kind == "played" for its in after.trail))

    def test_after_the_last_step_the_robots_stand_as_told(self) -> None:
        state = started("anlauf", 2)
        self.show(state)
        self.page.evaluate(ANIMATED, scene(state))
        after = played(programmed(state))
        self.update(scene(after))
        while self.page.evaluate(ON):
            pass
        places = [self.page.locator(f"[data-robot='{seat}']").get_attribute("data-place") for seat in (0, 1)]
        self.assertEqual(places, [f"{its.place[0]},{its.place[1]}" for its in after.robots])

    def test_a_scene_without_new_steps_does_not_cut_them_short(self) -> None:
        state = started("anlauf", 2)
        after = played(programmed(state))
        self.show(state)
        self.page.evaluate(ANIMATED, scene(state))
        self.update(scene(after))
        self.page.evaluate(ON)
        before = self.page.locator(".rr-now").inner_text()
        self.update(scene(after))
        self.assertEqual(self.page.locator(".rr-now").inner_text(), before)

    def test_it_rests_after_the_last_step(self) -> None:
        state = started("anlauf", 2)
        self.show(state)
        self.page.evaluate(ANIMATED, scene(state))
        self.update(scene(played(programmed(state))))
        self.page.evaluate("() => { window.board.rest().then(() => { window.rested = true; }); }")
        self.assertFalse(self.page.evaluate("Boolean(window.rested)"))
        while self.page.evaluate(ON):
            pass
        self.assertTrue(self.page.evaluate("Boolean(window.rested)"))
        self.assertTrue(self.page.evaluate("window.board.rest().then(() => true)"))

    def test_steps_are_as_fast_as_the_page_says_and_faster_where_many_wait(self) -> None:
        state = started("anlauf", 2)
        after = scene(played(programmed(state)))
        self.show(state)
        self.page.evaluate(ANIMATED, scene(state))
        self.update(after)
        self.assertEqual(self.page.evaluate("window.waits"), 190)
        self.assertEqual(self.page.locator(".rr").evaluate("(one) => one.style.getPropertyValue('--rr-step')"), "171ms")
        steps = after["board"]["trail"]["steps"]
        self.update({**after, "board": {**after["board"], "trail": {"turn": 9, "steps": steps * 5}}})
        self.page.evaluate(ON)
        self.assertLess(self.page.evaluate("window.waits"), 150)

    def test_without_motion_a_turn_is_shown_at_once(self) -> None:
        state = started("anlauf", 2)
        after = played(programmed(state))
        for seat in (0, None):
            self.show(state, seat)
            self.update(scene(after, seat))
            self.assertEqual(
                self.page.locator("[data-robot='0']").get_attribute("data-place"),
                "{},{}".format(*after.robots[0].place),
            )
            self.assertEqual(self.page.locator(".rr.moving").count(), 0)

    def test_going_back_is_shown_at_once(self) -> None:
        state = started("anlauf", 2)
        self.show(state)
        self.page.evaluate(ANIMATED, scene(state))
        self.update(scene(played(programmed(state))))
        self.update(scene(state))
        self.assertFalse(self.page.evaluate(ON))
        self.assertEqual(self.page.locator("[data-robot='0']").get_attribute("data-place"), "6,1")

    def test_what_becomes_of_robots_is_told_when_the_steps_have_come_there(self) -> None:
        before, shot, over = laser_end()
        self.mount("roborally", before, mode="watch")
        self.page.evaluate(ANIMATED, before)
        crew, now = self.page.locator(".rr-crew"), self.page.locator(".rr-now")
        self.update(shot)
        self.update(over)
        self.assertNotIn("destroyed", crew.inner_text())
        self.assertNotIn("Ranking", crew.inner_text())
        self.assertNotIn("wins", now.inner_text())
        # The next step is after the first board, and before the second.
        self.page.evaluate(ON)
        self.assertIn("destroyed", crew.inner_text())
        self.assertNotIn("Ranking", crew.inner_text())
        self.assertNotIn("wins", now.inner_text())
        while self.page.evaluate(ON):
            pass
        self.assertIn("Ranking", crew.inner_text())
        self.assertIn("Bert wins", now.inner_text())

    def test_the_first_scene_is_shown_at_once(self) -> None:
        after = played(programmed(started("anlauf", 2)))
        self.show(after)
        self.page.evaluate(ANIMATED, scene(after))
        place = self.page.locator("[data-robot='0']").get_attribute("data-place")
        self.assertEqual(place, "{},{}".format(*after.robots[0].place))


class EndTests(BoardCase):
    def test_the_ranking(self) -> None:
        state = GAME.advance(position(EVERYTHING, robot(1, 1), robot(9, 1, flag=2), stage=Stage.ENDING))
        self.show(state)
        self.assertEqual([its.get_attribute("data-seat") for its in self.page.locator("[data-seat]").all()], ["1", "0"])
        self.assertIn("Bert wins", self.page.locator(".rr-now").inner_text())
        self.assertEqual(self.announced(), ["The game is over. Bert wins."])

    def test_winning_oneself(self) -> None:
        state = GAME.advance(position(EVERYTHING, robot(1, 1), robot(9, 1, flag=2), stage=Stage.ENDING))
        self.mount("roborally", {**scene(state, 1), "phase": "over", "won": True})
        self.assertEqual(self.announced(), ["You win!"])

    def test_a_flag_is_announced(self) -> None:
        self.show(everything(robot(1, 1), robot(2, 1)))
        self.announced()
        self.update(scene(everything(robot(1, 1, flag=2), robot(2, 1, lives=2, damage=10))))
        self.assertEqual(self.announced(), ["Anna reaches flag 2", "Bert is destroyed"])


class PictureTests(BoardCase):
    def test_pictures(self) -> None:
        """Some are taken to be looked at; none may be wider than the window."""
        crowd = (robot(1, 1, N, damage=3), robot(2, 1, N, is_virtual=True), robot(9, 2), robot(8, 1, damage=9))
        locked = with_locks(started("karussell", 2))
        ending = position(EVERYTHING, robot(1, 1), robot(9, 1, flag=2), stage=Stage.ENDING)
        scenes = {
            "roborally-elements": scene(everything(*crowd)),
            "roborally-locked": scene(locked, 0),
            "roborally-repair": scene(
                evolve(locked, stage=Stage.REPAIR, waiting=frozenset({0}), hands=((), ())), 0, prompt="repair", opens=1
            ),
            "roborally-facing": scene(evolve(started("anlauf", 8), stage=Stage.FACING, waiting=frozenset({0})), 0),
            "roborally-over": {**scene(GAME.advance(ending), 1), "phase": "over", "won": True},
        }
        for name, shown in scenes.items():
            self.mount("roborally", shown, mode="play" if "you" in shown else "watch")
            for card in self.page.locator("[data-card]").all()[:2]:
                card.click()
            self.shoot(name)
            self.page.set_viewport_size({"width": 320, "height": 640})
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(wide, 320, name)


class WordTests(BoardCase):
    def test_moves_in_words(self) -> None:
        state = started("anlauf", 2)
        self.show(state)
        expected = {
            "E": "Anna faces east",
            "": "Anna has programmed the robot",
            GAME.to_notation(Program((1, 2, 3, 4, 5))): "Anna has programmed the robot",
            GAME.to_notation(Program((), power_down=True)): "Anna has programmed the robot and will power down",
            "stay": "Anna stays powered down",
            "wake": "Anna wakes up",
            "open 3,5": "Anna unlocks 3,5",
            "leave": "Anna has left",
        }
        for text, sentence in expected.items():
            move = {"n": 1, "seat": 0, "text": text, "at": None, "took": None}
            self.assertEqual(self.described(move, scene(state)), sentence)


class GermanTests(BoardCase):
    language: ClassVar[str] = "de"

    def test_the_german_terms(self) -> None:
        self.show(everything(robot(1, 1, N)))
        terms = {
            (2, 2): "Grube",
            (3, 2): "Drehelement",
            (5, 2): "Reparaturfeld",
            (6, 2): "Fließband",
            (9, 2): "Schieber",
        }
        for (x, y), term in {**terms, (7, 2): "Stampfer"}.items():
            self.assertIn(term, self.explained(x, y))

    def test_the_german_prompt(self) -> None:
        self.show(started("anlauf", 2), 0)
        self.assertIn("Abgeben", self.page.locator("[data-submit]").inner_text())
        self.assertEqual(self.announced(), ["Programmiere deinen Roboter"])
