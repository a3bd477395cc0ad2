"""What Hive's board shows of the swarm: the part around it, the bee in danger, the way of the last move."""

from __future__ import annotations

from tests.web.hive_boards import STACKS, HiveBoardTestCase, of, recorded, scene

INSIDE = """
() => {
  const outer = document.querySelector(".h-field-grid").getBoundingClientRect();
  return [...document.querySelectorAll("[data-cell]")].filter(cell => {
    const inner = cell.getBoundingClientRect();
    return outer.left - 1 <= inner.left && inner.right <= outer.right + 1
      && outer.top - 1 <= inner.top && inner.bottom <= outer.bottom + 1;
  }).map(cell => cell.dataset.cell);
}
"""


class ViewTests(HiveBoardTestCase):
    @property
    def shown(self) -> list[float]:
        return [float(part) for part in (self.page.locator(".h-field-grid").get_attribute("viewBox") or "").split()]

    def inside(self) -> set[str]:
        """Return the fields that are in sight."""
        return set(self.page.evaluate(INSIDE))

    def test_where_there_is_room_all_is_shown(self) -> None:
        self.mount("hive", of(STACKS), "watch")
        self.assertEqual((self.shown[1], self.shown[3]), (-88, 176))

    def test_the_part_with_the_pieces_is_shown(self) -> None:
        self.page.set_viewport_size({"width": 400, "height": 800})
        self.mount("hive", scene(recorded(0).state), "watch")
        whole = self.shown
        self.assertGreaterEqual(whole[2], 194)
        self.assertGreaterEqual(whole[3], 176)
        self.assertLess(abs(whole[0] + whole[2] / 2), 0.1)
        for turn in range(1, 60, 7):
            self.update(scene(recorded(turn).state))
            self.assertLessEqual(set(self.marked("stack")), self.inside(), turn)
        self.update(of(STACKS))
        self.assertLess(self.shown[2], whole[2] * 0.8)

    def test_all_targets_are_shown(self) -> None:
        for turn in range(0, 60, 6):
            state = recorded(turn).state
            shown = scene(state, state.mover)
            self.mount("hive", shown)
            targets = {"{},{}".format(*move["to"]) for move in shown["you"]["legal"] if "to" in move}
            self.assertLessEqual(targets, self.inside(), turn)

    def test_the_keys_reach_fields_outside_and_the_mouse_moves_nothing(self) -> None:
        self.page.set_viewport_size({"width": 400, "height": 800})
        self.mount("hive", of(STACKS, 0))
        before = self.shown
        self.field("2,-1").click()
        self.assertEqual(self.shown, before)
        self.page.keyboard.press("ArrowRight")
        for _ in range(6):
            self.page.keyboard.press("ArrowRight")
        far = self.focused()
        self.assertEqual(far.partition(",")[0], "5")
        self.assertIn(far, self.inside())
        self.assertNotEqual(self.shown, before)

    def test_a_bee_in_danger_and_an_arrow_for_the_last_move(self) -> None:
        dangers = {}
        for turn in range(0, 60, 3):
            state = recorded(turn).state
            shown = scene(state)
            self.update(shown) if turn else self.mount("hive", shown, "watch")
            board = shown["board"]
            bees = {
                name
                for name, letters in board["board"].items()
                for seat in (0, 1)
                if "Qq"[seat] in letters and 0 <= board["free"][seat] <= 2
            }
            self.assertEqual(self.marked("danger"), bees)
            closed = sorted(6 - free for free in board["free"] if free >= 0)
            drawn = [one.get_attribute("d") or "" for one in self.page.locator(".h-core").all()]
            self.assertEqual(sorted(sides.count("M") for sides in drawn), closed)
            dangers[turn] = len(bees)
            self.assertFalse(self.page.locator(".h-way").is_visible())
        self.assertGreater(len(set(dangers.values())), 1)
        self.mount("hive", scene(recorded(20).state, last="D 0,0 2,0"), "watch")
        way = self.page.locator(".h-way")
        self.assertEqual((way.get_attribute("hidden"), way.get_attribute("x1")), (None, "1.5"))
        self.update(scene(recorded(20).state, last="D 0,0 1,0"))
        self.assertFalse(way.is_visible(), "between neighbours there is no room for it")

    def test_a_digit_picks_a_piece(self) -> None:
        shown = scene(recorded(6).state, recorded(6).state.mover)
        self.mount("hive", shown)
        settable = {one["piece"] for one in shown["you"]["legal"] if one["do"] == "set"}
        names = ["BEE", "SPIDER", "GRASSHOPPER", "BEETLE", "ANT"]
        self.page.locator('[data-cell="0,0"]').focus()
        for number, name in enumerate(names, 1):
            self.page.keyboard.press(str(number))
            pressed = self.page.locator('.h-held[aria-pressed="true"]')
            chosen = [one.get_attribute("data-piece") for one in pressed.all()]
            self.assertEqual(chosen == [name], name in settable)
        self.assertEqual(self.held("ANT", shown["you"]["seat"]).get_attribute("aria-keyshortcuts"), "5")
