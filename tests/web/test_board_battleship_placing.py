"""Battleship's board in a browser: the fleet is placed, by pointer and by keys."""

from __future__ import annotations

from tests.web.test_board_battleship import FIRST, READY, SECOND, SHIPS, BoardTestCase, person, scene


class PlacingTests(BoardTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.made = person(ready=False)
        self.mount("battleship", scene(self.made))

    def taken(self) -> None:
        """Have the person take what the board has sent, and show it."""
        for action in self.acted():
            self.made.act(action)
        self.update(scene(self.made))

    def test_a_ship_is_dragged(self) -> None:
        self.drag((2, 0), (3, 4), (6, 6))
        wanted = [[4, 6, 5, "h"], *SHIPS[1:]]
        self.assertEqual(self.acted(), [{"do": "place", "ships": wanted}])
        self.assertEqual(self.places(), wanted)
        self.assertEqual(self.announced(), ["Placed. Ship of 5, G5 to G9"])

    def test_a_ship_stays_on_the_board(self) -> None:
        self.drag((2, 0), (9, 6))
        self.assertEqual(self.places()[0], [5, 6, 5, "h"])

    def test_a_ship_turns_in_the_hand_about_where_it_is_held(self) -> None:
        self.drag((2, 0), (5, 5), drop=False)
        self.press("r")
        self.assertEqual(self.places()[0], [5, 3, 5, "v"])
        self.page.mouse.move(*self.middle(6, 5))
        self.page.mouse.up()
        self.assertEqual(self.acted()[0]["ships"][0], [6, 3, 5, "v"])

    def test_what_does_not_fit_is_shown_and_goes_back(self) -> None:
        ring = self.ship(0).locator(".ring")
        plain = ring.get_attribute("d")
        self.drag((2, 0), (2, 1), drop=False)
        self.assertEqual(self.ship(0).get_attribute("data-bad"), "")
        self.assertNotEqual(ring.get_attribute("d"), plain, "not by colour alone")
        self.page.mouse.up()
        self.assertEqual((self.acted(), self.places()), ([], SHIPS))
        self.assertEqual(self.announced(), ["The ship does not fit there: ships must not touch."])

    def test_a_drag_that_goes_nowhere_says_nothing_to_the_server(self) -> None:
        self.drag((2, 0), (4, 5), (2, 0))
        self.assertEqual((self.acted(), self.places()), ([], SHIPS))

    def test_keys_alone(self) -> None:
        self.press("Tab", "ArrowRight", "Enter")
        self.assertEqual(self.announced(), ["Picked up. Ship of 4, C1 to C4"])
        self.press("r", "ArrowRight", "ArrowRight", "ArrowDown", "Enter")
        self.assertEqual(self.announced()[-1], "Placed. Ship of 4, D3 to G3")
        self.assertEqual(self.acted(), [{"do": "place", "ships": [SHIPS[0], [2, 3, 4, "v"], *SHIPS[2:]]}])
        self.press("Enter", "ArrowUp", "ArrowUp", "Space")
        self.assertIn("it does not fit here", self.announced()[-2])
        self.assertEqual(self.ship(1).get_attribute("data-picked"), "", "it stays in the hand")
        self.press("Escape")
        self.assertEqual(self.announced(), ["Put back. Ship of 4, D3 to G3"])
        self.assertEqual(self.acted(), [])
        self.press("Tab", "Tab", "Tab", "Enter")
        self.assertEqual(self.acted(), [READY])

    def test_after_ready_the_focus_is_on_the_enemy_board(self) -> None:
        self.page.locator('[data-do="ready"]').focus()
        self.press("Enter")
        self.made.receive_data(FIRST)
        self.taken()
        self.press("Enter")
        self.assertEqual(self.acted(), [{"do": "shoot", "at": [0, 0]}])

    def test_a_ship_is_turned_by_a_button(self) -> None:
        self.page.mouse.click(*self.middle(8, 9))
        self.page.locator('[data-do="turn"]').click()
        self.assertEqual(self.acted()[0]["ships"][4], [8, 8, 2, "v"])
        # C1 to C4 turns about C3: further west, the ship at E1 is in the way.
        self.page.mouse.click(*self.middle(1, 2))
        self.page.locator('[data-do="turn"]').click()
        self.assertEqual(self.places()[1], [2, 2, 4, "v"])

    def test_a_ship_without_room_is_not_turned(self) -> None:
        self.made.act({"do": "place", "ships": [*SHIPS[:2], [5, 2, 3, "v"], *SHIPS[3:]]})
        self.update(scene(self.made))
        self.page.locator('[data-do="turn"]').click()
        self.assertEqual((self.acted(), self.announced()), ([], ["There is no room to turn this ship."]))

    def test_shuffled(self) -> None:
        self.page.locator('[data-do="roll"]').click()
        self.taken()
        self.assertNotEqual(self.places(), SHIPS)
        self.assertEqual(self.places(), self.made.view()["you"]["fleet"]["ships"])

    def test_what_the_server_refuses_goes_back(self) -> None:
        self.page.evaluate("window.refusal = 'not so'")
        self.drag((2, 0), (6, 6))
        self.wait("window.said.includes('not so')")
        self.assertEqual(self.places(), SHIPS)

    def test_ships_do_not_touch_at_corners_either(self) -> None:
        self.drag((8, 9), (4, 3))
        self.assertEqual((self.acted(), self.places()), ([], SHIPS))
        self.assertIn("The ship does not fit there: ships must not touch.", self.announced())

    def test_another_scene_does_not_take_the_ship_out_of_the_hand(self) -> None:
        self.press("Tab", "Enter", "ArrowDown")
        self.made.receive_data(SECOND)
        self.update(scene(self.made))
        self.assertEqual(self.ship(0).get_attribute("data-at"), "0,1,5,h")
        self.made.act({"do": "place", "ships": [[4, 7, 5, "h"], *SHIPS[1:]]})
        self.update(scene(self.made))
        self.assertEqual(self.places()[0], [4, 7, 5, "h"], "another window has moved it")
        self.assertIsNone(self.ship(0).get_attribute("data-picked"))
