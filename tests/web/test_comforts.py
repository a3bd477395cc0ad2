"""What makes the pages pleasant: the list of keys, links that copy, a sound, and the way back to the same place."""

from __future__ import annotations

from tests.web.canned import OPEN, RECORD, ROOM, TOY, ShellTestCase, scene

RINGS = """() => {
  window.rung = 0;
  window.AudioContext = class {
    currentTime = 0;
    destination = {};
    createGain() { return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: (to) => to }; }
    createOscillator() { return { frequency: {}, connect: (to) => to, start() { window.rung += 1; }, stop() {} }; }
  };
  window.Notification = class {
    static permission = "granted";
    static requestPermission() { window.isAsked = true; }
    constructor() { window.notified = (window.notified ?? 0) + 1; throw new TypeError("Illegal constructor"); }
  };
}"""


class KeysTest(ShellTestCase):
    """`?` lists the keys of the page, with those of its board."""

    def test_of_a_seat(self) -> None:
        own = 'measure_ground: "Ground"'
        self.files["/static/games/toy/board.js"] = TOY.replace(own, f'{own}, keys: "x: jump\\ny: sit"')
        self.visit("/seats/s1", ".board button")
        self.page.keyboard.press("?")
        lines = self.page.locator("dialog li").all_inner_texts()
        self.assertEqual(lines, ["x: jump", "y: sit", "s: sound on or off", "?: this list"])
        self.page.keyboard.press("Escape")
        self.page.wait_for_selector("dialog", state="detached")

    def test_of_a_replay_and_by_mouse(self) -> None:
        self.visit("/records/0a1b2c3d?move=9", ".board button")
        self.page.click("header button:text-is('?')")
        lines = self.page.locator("dialog li").all_inner_texts()
        self.assertEqual(len(lines), 2)
        self.assertIn("Home and End", lines[0])
        self.assertEqual(self.mislabelled(), [])
        self.page.click("dialog button")
        self.page.fill(".steering input[type=number]", "3")
        self.page.keyboard.press("?")
        self.assertEqual(self.page.locator("dialog").count(), 0, "a field for text keeps its keys")


class BellTest(ShellTestCase):
    def test_it_rings_only_if_it_is_switched_on(self) -> None:
        self.visit("/seats/s1", ".board button")
        self.page.evaluate(RINGS)
        theirs, mine = scene(0, turn=[1]), scene(1, turn=[0])
        for shown in (theirs, mine):
            for one in (theirs, mine):
                one["you"] = {"seat": 0}
            self.emit("/seats/s1", "scene", {"scene": shown, "moves": []})
        self.assertEqual(self.page.evaluate("window.rung"), 0)
        self.page.keyboard.press("s")
        self.page.wait_for_selector("button[aria-pressed=true][aria-label='Sound']")
        self.assertEqual(self.page.evaluate("[window.rung, window.isAsked]"), [1, True])
        for shown in (theirs, mine):
            self.emit("/seats/s1", "scene", {"scene": shown, "moves": []})
        self.page.wait_for_function("() => window.rung === 2")
        # A phone refuses the notification, and the page goes on.
        self.page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
        for shown in (theirs, mine):
            self.emit("/seats/s1", "scene", {"scene": shown, "moves": []})
        self.page.wait_for_function("() => window.rung === 3 && window.notified === 1")
        self.page.click("button[aria-label='Sound']")
        self.page.wait_for_selector("button[aria-pressed=false][aria-label='Sound']")


class WaysTest(ShellTestCase):
    def test_a_link_to_a_position_is_copied(self) -> None:
        self.visit("/records/0a1b2c3d?move=9", ".board button")
        self.page.evaluate("() => document.addEventListener('copy', () => { window.copied = String(getSelection()); })")
        self.page.click("text=Copy the link to this position")
        self.page.wait_for_function("() => window.copied")
        self.assertTrue(self.page.evaluate("window.copied").endswith("/records/0a1b2c3d?move=9"))
        self.see("Copied.", "aside")
        self.see("Copy the link to this position", "aside")

    def test_the_way_back_leads_to_the_same_place(self) -> None:
        many = [{**RECORD, "id": f"{n:08x}"} for n in range(40)]
        self.api["GET /records"] = {"records": many, "next": None}
        self.api["GET /records/00000014"] = self.api["GET /records/0a1b2c3d"]
        self.visit("/records", "table")
        self.page.evaluate("window.scrollTo(0, 900)")
        top = self.page.evaluate("scrollY")
        self.assertGreater(top, 800)
        self.page.evaluate("document.querySelector('[data-key=\"00000014\"]').click()")
        self.page.wait_for_selector(".steering")
        self.assertEqual(self.page.evaluate("scrollY"), 0)
        self.page.go_back()
        self.page.wait_for_selector("table")
        self.page.wait_for_function("(top) => scrollY === top", arg=top)


class MiniatureTest(ShellTestCase):
    """Running games have small boards in the lobby, which are drawn again after a move."""

    def asked_for(self) -> int:
        return sum(address == "/rooms/r1" for _, address, _ in self.asked)

    def test_of_a_running_game(self) -> None:
        self.visit("/", "[data-room=r1] .mini .board button")
        self.assertEqual(self.page.locator(".mini").count(), 1, "a room that waits has none")
        self.assertTrue(self.page.evaluate("document.querySelector('.mini').inert"))
        self.page.wait_for_timeout(2_500)
        self.assertEqual(self.asked_for(), 1, "nothing has changed")
        self.api["GET /rooms"] = [{**ROOM, "moves": 3}, OPEN]
        self.api["GET /rooms/r1"] = {**self.api["GET /rooms/r1"], "scene": scene(0, board={"fields": [7]})}
        self.see("7", ".mini")
        self.assertEqual(self.asked_for(), 2)
        self.assertEqual(self.page.evaluate("window.destroyed ?? 0"), 0)
        self.api["GET /rooms"] = [OPEN]
        self.page.wait_for_selector(".mini", state="detached")
        self.assertEqual(self.page.evaluate("window.destroyed"), 1, "its board listens no longer")
