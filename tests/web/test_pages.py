"""The pages of the lobby, a room and a seat, against a made-up API: what they show, send and survive."""

from __future__ import annotations

import json
import re
from typing import ClassVar
from urllib.parse import parse_qs

from tests.web.browser import ORIGIN
from tests.web.canned import (
    GAMES,
    KEPT,
    OPEN,
    PREPARED,
    RECORD,
    ROOM,
    SESSION,
    TAMED,
    TRICKY,
    WHOLE,
    ShellTestCase,
    move,
    moves,
    refused,
    scene,
)


class LobbyTest(ShellTestCase):
    """What can be played and seen."""

    def test_rooms_results_and_own_seats_are_shown(self) -> None:
        self.visit("/", ".card[data-room]")
        self.assertIn("playing", self.text('[data-room="r1"]'))
        self.assertIn("2 moves, 3 spectators", self.text('[data-room="r1"]'))
        self.assertIn("free", self.text('[data-room="r2"]'))
        self.assertEqual(self.page.get_attribute('[data-room="r1"] a', "href"), "/rooms/r1")
        self.assertEqual(self.page.get_attribute("a.button.primary", "href"), "/seats/s1")
        self.see("a rule was broken")
        self.assertEqual(self.page.inner_text(".listing .won a"), TAMED)

    def test_a_game_has_its_picture(self) -> None:
        self.api["GET /session"] = {**SESSION, "games": [{**GAMES[0], "icon": True}, GAMES[1]]}
        self.files["/static/games/toy/icon.svg"] = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"/>'
        self.visit("/", "[data-game]")
        self.assertEqual(self.page.locator("[data-game] img").count(), 1)
        self.assertIn("/games/toy/icon.svg", self.page.get_attribute("[data-game=toy] img", "src"))

    def test_one_s_own_game_says_against_whom(self) -> None:
        self.api["GET /rooms"] = [ROOM]
        self.api["GET /seats"] = {
            "seats": [{"id": "s1", "game": "toy", "room": "r1"}, {"id": "s2", "game": "toy", "room": "r9"}]
        }
        self.visit("/", ".card")
        first, second = self.page.locator("[data-key]:text-is('Continue')").locator("xpath=ancestor::li").all()
        self.assertEqual(first.locator(".names bdi").count(), len(ROOM["seats"]))
        self.assertIn("2 moves", first.inner_text())
        self.assertEqual(second.inner_text().split(), ["Toy", "Continue"])

    def test_no_name_turns_or_hides_what_stands_round_it(self) -> None:
        hidden = "\u202e\u2067\u200f\u061c\u200b\u00ad\u2060\ufeff\u3164\U000e0041\x07\u2028"
        kept = [
            "\U0001f468\u200d\U0001f469",
            "\u2764\ufe0f\u200d\U0001f525",
            "\u0645\u06cc\u200c\u062e",
            "J\u00f6rg \u05d0",
        ]
        seats = [{"seat": n, "name": f"{name}|", "points": 0} for n, name in enumerate((*hidden, "A\u200d", *kept))]
        self.api["GET /rooms"] = [{**ROOM, "seats": seats}]
        self.api["GET /records"] = {"records": [{**RECORD, "seats": seats}], "next": None}
        self.api["GET /records/0a1b2c3d"] = {**WHOLE, "seats": seats[:2]}
        self.visit("/", "table")
        shown = ["\ufffd|"] * len(hidden) + ["A\ufffd|", *(f"{name}|" for name in kept)]
        for where in ("[data-room] .names bdi", "table .names bdi"):
            self.assertEqual(self.page.locator(where).all_text_contents(), shown, where)
        self.visit("/records/0a1b2c3d", ".board button")
        self.assertEqual(
            self.page.title(),
            "Toy: \u2068\ufffd|\u2069 \u2013 \u2068\ufffd|\u2069, Nov 21, 2026, 12:00 PM \u00b7 gamed",
        )
        self.assertNotRegex(self.text(), "[\u202e\u2067]")

    def test_a_game_against_programs(self) -> None:
        self.api["POST /seats"] = lambda _: (200, {"id": "s1"})
        self.visit("/", '[data-game="toy"]')
        self.page.click('[data-game="toy"] button')
        self.page.fill('input[name="name"]', "Me")
        self.page.check('input[value="bots"]')
        self.page.click("text=Add a program")
        self.page.select_option(".bots label:last-child select", "deep")
        self.page.click('dialog button[type="submit"]')
        self.page.wait_for_selector(".seat .board")
        self.assertEqual(self.requests("POST", "/seats"), [{"game": "toy", "name": "Me", "bots": ["quick", "deep"]}])
        self.assertEqual(self.page.url, f"{ORIGIN}/seats/s1")

    def test_as_many_programs_as_the_game_can_seat(self) -> None:
        (game, *others) = SESSION["games"]
        self.api["GET /session"] = {**SESSION, "games": [{**game, "opponents": [1, 3]}, *others]}
        self.visit("/", '[data-game="toy"]')
        self.page.click('[data-game="toy"] button')
        self.page.check('input[value="bots"]')
        for button, count in (("Add a program", 3), ("Remove a program", 1)):
            self.page.click(f"text={button}")
            self.assertEqual(self.page.locator(".bots select").count(), count)
            # Where there is no place for it, it is not offered.
            self.assertTrue(self.page.is_hidden(f"text={button}"))

    def test_a_reservation_and_a_refusal(self) -> None:
        self.api["POST /seats"] = refused(409, "no-place", "No seat is reserved.")
        self.visit("/", '[data-game="toy"]')
        self.page.click('[data-game="toy"] button')
        self.page.fill('input[name="name"]', "Me")
        self.page.check('input[value="code"]')
        self.page.fill('input[name="code"]', "X-1")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("dialog .complaint:not([hidden])")
        self.assertEqual(self.text("dialog .complaint"), "No seat is reserved.")
        self.assertEqual(self.requests("POST", "/seats"), [{"game": "toy", "name": "Me", "reservation": "X-1"}])
        self.page.keyboard.press("Escape")
        self.page.wait_for_selector("dialog", state="detached")
        self.errors.clear()

    def test_rooms_are_looked_at_again_and_focus_stays(self) -> None:
        self.visit("/", ".card[data-room]")
        self.page.focus('[data-room="r1"] a')
        self.api["GET /rooms"] = [{**ROOM, "moves": 77}]
        self.see("77 moves")
        self.assertEqual(self.page.evaluate("document.activeElement.dataset.key"), "watch-r1")
        self.see("Nobody is waiting.")

    def test_an_operator_prepares_a_room(self) -> None:
        self.api["GET /session"] = {**SESSION, "admin": True}
        self.api["POST /rooms"] = {"room": "r3", "reservations": ["alpha", "beta"]}
        self.api["GET /rooms/r3"] = {**KEPT, "scene": {**scene(0), "moves": []}}
        self.api["GET /prepared"] = [PREPARED]
        self.visit("/", '[data-game="toy"]')
        self.page.click("text=Prepare")
        self.page.fill("textarea", "Ann\n\nBen\n")
        self.page.check('input[name="paused"]')
        self.page.click('dialog button[type="submit"]')
        self.page.wait_for_selector(".codes")
        self.assertEqual(self.requests("POST", "/rooms"), [{"game": "toy", "names": ["Ann", "Ben"], "paused": True}])
        self.assertEqual(self.page.url, f"{ORIGIN}/rooms/r3")
        self.page.click(".codes li:last-child button")
        self.assertEqual(self.page.input_value('input[name="code"]'), "beta")

    def test_play_beside_a_room_sits_down_in_it(self) -> None:
        self.api["POST /seats"] = lambda _: (200, {"id": "s1"})
        self.visit("/", '[data-room="r2"]')
        self.assertEqual(
            self.page.get_attribute('[data-key="play-r2"]', "aria-label"), f"Play Toy with \u2068{TRICKY}\u2069"
        )
        self.page.click('[data-key="play-r2"]')
        self.page.fill('input[name="name"]', "Me")
        self.assertEqual(self.page.locator("dialog input").count(), 1)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(".seat .board")
        self.assertEqual(self.requests("POST", "/seats"), [{"game": "toy", "name": "Me", "room": "r2"}])

    def test_a_room_with_nobody_in_it_says_so(self) -> None:
        self.api["GET /rooms"] = [{**OPEN, "seats": []}, {**KEPT, "state": "paused"}]
        self.visit("/", '[data-room="r2"]')
        for room in ("r2", "r3"):
            self.assertIn("Nobody has joined yet.", self.text(f'[data-room="{room}"]'))
        self.assertNotIn("0 moves", self.text())

    def test_a_room_that_was_taken_meanwhile(self) -> None:
        self.api["POST /seats"] = refused(409, "room-taken", "Nobody can sit down here.")
        self.visit("/", '[data-room="r2"]')
        self.page.click('[data-key="play-r2"]')
        self.page.fill('input[name="name"]', "Me")
        self.page.keyboard.press("Enter")
        self.see("Nobody can sit down here.", "dialog .complaint")
        self.errors.clear()

    def test_a_reserved_room_says_so_and_takes_a_code(self) -> None:
        self.api["GET /rooms"] = [KEPT]
        self.api["POST /seats"] = lambda _: (200, {"id": "s1"})
        self.visit("/", '[data-room="r3"]')
        self.assertIn("2 reserved seats: whoever has a code can take one.", self.text('[data-room="r3"]'))
        self.assertEqual(self.page.locator('[data-key="play-r3"]').count(), 0)
        self.page.click('[data-key="code-r3"]')
        self.page.fill('input[name="name"]', "Me")
        self.page.fill('input[name="code"]', "alpha")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(".seat .board")
        self.assertEqual(self.requests("POST", "/seats"), [{"game": "toy", "name": "Me", "reservation": "alpha"}])

    def test_a_link_takes_a_seat(self) -> None:
        self.api["POST /seats"] = lambda _: (200, {"id": "s1"})
        self.visit("/?play=toy#alpha")
        self.page.wait_for_selector("dialog")
        self.assertEqual(self.page.url, f"{ORIGIN}/")
        self.page.fill('input[name="name"]', "Me")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(".seat .board")
        self.assertEqual(self.requests("POST", "/seats"), [{"game": "toy", "name": "Me", "reservation": "alpha"}])

    def test_an_organiser_sees_the_actions_above_the_codes(self) -> None:
        self.api["GET /session"] = {**SESSION, "admin": True}
        self.api["GET /rooms/r3"] = {**KEPT, "state": "paused", "scene": {**scene(0), "board": None}, "moves": []}
        self.api["GET /prepared"] = [{**PREPARED, "seats": [{**PREPARED["seats"][1], "seat": n} for n in range(8)]}]
        for width, height in ((1280, 800), (360, 640)):
            self.page.set_viewport_size({"width": width, "height": height})
            self.visit("/rooms/r3", ".codes")
            for text in ("Resume", "Cancel the game"):
                box = self.page.locator(f"button:text-is('{text}')").bounding_box()
                self.assertLess(box["y"] + box["height"], height)

    def test_codes_stay_with_their_maker(self) -> None:
        self.api["GET /rooms"] = [KEPT]
        self.api["GET /prepared"] = [PREPARED]
        self.api["GET /prepared/r3/1/qr"] = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
        self.visit("/", ".codes")
        self.page.evaluate("document.addEventListener('copy', () => { window.clip = String(getSelection()); })")
        for name, text in (
            ("Copy: Code of the reservation, Seat 2", "beta"),
            ("Copy: Link to take the seat, Seat 2", f"{ORIGIN}/?play=toy#beta"),
            ("Copy: Command, Seat 2", "gamed bot toy --host gamed.test --port 13050 --reservation beta"),
        ):
            if "Command" in name:
                self.page.click('.codes > li:last-child summary:text-is("For a program")')
            self.page.get_by_role("button", name=name).press("Enter")
            self.wait("(text) => window.clip === text", text)
        self.page.click('.codes > li:last-child summary:text-is("QR code of the link")')
        self.requests("GET", "/prepared/r3/1/qr")
        # A code is used: the other one stays as it was, with what is open in it.
        self.api["GET /prepared"] = [
            {**PREPARED, "seats": [{**PREPARED["seats"][0], "isUsed": True}, PREPARED["seats"][1]]}
        ]
        self.see("used", ".codes > li:first-child")
        self.assertEqual(self.page.locator(".codes > li:first-child button").count(), 0)
        self.assertEqual(self.page.locator(".codes details[open]").count(), 2)
        self.page.reload()
        self.page.wait_for_selector(".codes")
        # All are used, or the room is gone.
        self.api["GET /rooms"] = [{**KEPT, "reserved": 0}]
        self.wait("document.querySelector('.prepared').hidden")

    def test_a_text_that_cannot_be_copied_is_selected(self) -> None:
        self.api["GET /rooms"] = [KEPT]
        self.api["GET /prepared"] = [PREPARED]
        self.visit("/", ".codes")
        self.page.evaluate("document.execCommand = () => false")
        self.page.click(".codes li:last-child .copied button")
        self.see("Selected. Copy it with the keyboard.", ".codes")
        self.assertEqual(self.page.evaluate("String(getSelection())"), "beta")


class RoomTest(ShellTestCase):
    """A room for spectators, and its big screen."""

    def test_the_game_as_it_stands(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.assertEqual(self.text(".status"), "play still")
        self.assertEqual(self.page.locator(".moves li").count(), 2)
        self.assertEqual(self.page.text_content(".moves li bdi"), f"\u2068{TRICKY}\u2069 takes a1")
        self.assertEqual(self.page.text_content(".moves li:last-child bdi"), f"\u2068{TAMED}\u2069 takes a2")
        self.assertEqual(self.page.locator(".seats li.on").get_attribute("data-seat"), "0")
        self.assertIn("not connected", self.text('.seats [data-seat="1"]'))
        self.assertRegex(self.text(".seats li.on .running"), r"^\+\d+:\d\d")
        self.assertEqual(self.page.locator("img").count(), 0)

    def test_moves_come_and_are_announced(self) -> None:
        self.page.emulate_media(reduced_motion="no-preference")
        self.visit("/rooms/r1", ".board button")
        self.emit("/rooms/r1", "scene", {"scene": scene(3), "moves": [move(3)]})
        self.see("play animated", ".status")
        self.assertEqual(self.page.locator(".moves li").count(), 3)
        self.assertIn(f"{TRICKY}\u2069 takes a3", self.page.text_content("[aria-live]") or "")
        self.emit("/rooms/r1", "scene", {"scene": scene(9), "moves": moves(4, 9)})
        self.wait("document.querySelectorAll('.moves li').length === 9")
        self.assertIn("6 new moves. ", self.page.text_content("[aria-live]") or "")

    def test_events_that_overlap_add_nothing_twice(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.emit("/rooms/r1", "scene", {"scene": scene(4), "moves": moves(1, 4), "reset": True})
        self.emit("/rooms/r1", "scene", {"scene": scene(5), "moves": moves(3, 5)})
        self.wait("document.querySelectorAll('.moves li').length === 5")

    def test_missing_moves_are_asked_for(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.api["GET /rooms/r1"] = {**ROOM, "scene": {**scene(8), "moves": moves(1, 8)}}
        self.emit("/rooms/r1", "scene", {"scene": scene(8), "moves": [move(8)]})
        self.wait("document.querySelectorAll('.moves li').length === 8")

    def test_another_match_in_the_same_room(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.emit("/rooms/r1", "scene", {"scene": scene(0), "moves": []})
        self.see("No moves yet.")
        other = {**move(1), "text": "z9"}
        self.emit("/rooms/r1", "scene", {"scene": {**scene(1), "last": other}, "moves": [other]})
        self.see("z9")
        self.assertEqual(self.page.locator(".moves li").count(), 1)

    def test_the_end_and_the_record(self) -> None:
        self.visit("/rooms/r1", ".board button")
        outcome = {"termination": "left", "winner": 0}
        self.emit("/rooms/r1", "scene", {"scene": scene(2, outcome=outcome, record="0a1b2c3d"), "moves": []})
        self.see(f"{TRICKY} won (the opponent left). To the record")
        self.assertEqual(self.page.get_attribute(".ending a", "href"), "/records/0a1b2c3d")
        self.emit("/rooms/r1", "gone", {})
        self.see("ended")

    def test_a_stream_that_is_refused_leads_to_the_closed_room(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.emit("/rooms/r1", "refused", {"status": 404, "error": {"code": "no-room"}})
        self.see("The server does not answer.", ".banner")
        del self.api["GET /rooms/r1"]
        self.page.click(".banner button")
        self.see("This room is closed.", ".ending")
        self.wait("document.querySelector('.banner').hidden")
        self.errors.clear()

    def test_a_room_that_closed_unseen_is_followed_by_its_record(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.page.wait_for_selector(".clock.running")
        gone = {"code": "room-ended", "text": "this room has closed", "hint": "", "record": "0a1b2c3d"}
        room = self.api["GET /rooms/r1"]
        self.api["GET /rooms/r1"] = lambda _: (404, {"error": gone})
        self.emit("/rooms/r1", "refused", {"status": 404, "error": gone})
        self.page.click(".banner button")
        self.page.wait_for_selector(".steering")
        self.assertEqual(self.page.evaluate("location.pathname"), "/records/0a1b2c3d")
        self.assertEqual(self.page.locator(".clock.running, .complaint:not([hidden])").count(), 0)
        self.api["GET /rooms/r1"] = room
        self.visit("/rooms/r1?screen", ".board button")
        self.api["GET /rooms/r1"] = lambda _: (404, {"error": gone})
        self.emit("/rooms/r1", "refused", {"status": 404, "error": gone})
        self.page.click(".banner button")
        self.wait("location.pathname === '/records/0a1b2c3d' && location.search.includes('screen')")
        self.assertEqual(self.page.locator(".steering, .top:visible").count(), 0)
        self.errors.clear()

    def test_a_server_that_was_away(self) -> None:
        self.page.clock.install()
        self.visit("/rooms/r1", ".board button")
        self.lose("/rooms/r1")
        self.page.clock.fast_forward(3_000)
        self.see("keeps trying", ".banner")
        self.restore()
        self.page.click(".banner button")
        self.wait("document.querySelector('.banner').hidden")
        self.emit("/rooms/r1", "scene", {"scene": scene(6), "moves": moves(3, 6)})
        self.wait("document.querySelectorAll('.moves li').length === 6")

    def test_a_stream_that_comes_back_soon_disturbs_nobody(self) -> None:
        self.page.clock.install()
        self.visit("/rooms/r1", ".board button")
        self.lose("/rooms/r1")
        self.page.clock.run_for(700)
        self.assertFalse(self.page.is_visible(".banner"))
        self.restore()
        # The page tries by itself.
        self.page.clock.run_for(1_000)
        self.hold("/rooms/r1")
        self.page.clock.run_for(3_000)
        self.assertFalse(self.page.is_visible(".banner"))

    def test_a_stream_that_brings_nothing_is_lost(self) -> None:
        """A network that swallows everything resets nothing: the pings are missed."""
        self.page.clock.install()
        self.visit("/rooms/r1", ".board button")
        self.hold("/rooms/r1")
        for _ in range(3):
            self.page.clock.fast_forward(8_000)
            self.emit("/rooms/r1", "ping", {})
        self.assertFalse(self.page.is_visible(".banner"))
        self.page.evaluate("window.isAway = true")
        self.page.clock.run_for(13_000)
        self.see("keeps trying", ".banner")
        self.wait("window.streams.at(-1).readyState === 2")
        self.restore()
        self.page.clock.run_for(60_000)
        self.hold("/rooms/r1")
        self.wait("document.querySelector('.banner').hidden")

    def test_an_operators_buttons(self) -> None:
        self.api["GET /session"] = {**SESSION, "admin": True}
        self.api |= {"POST /rooms/r1/pause": {}, "POST /rooms/r1/step": {}, "POST /rooms/r1/cancel": {}}
        self.visit("/rooms/r1", ".board button")
        self.assertTrue(self.page.is_disabled("text=One step"))
        self.api["GET /rooms/r1"] = {**ROOM, "state": "paused", "scene": {**scene(2), "moves": moves(1, 2)}}
        self.page.click("text=Pause")
        self.see("paused")
        self.page.click("text=One step")
        self.page.click(".title >> text=Cancel the game")
        self.page.click("dialog .danger")
        self.wait("document.querySelector('dialog') === null")
        for what in ("pause", "step", "cancel"):
            self.assertEqual(len(self.requests("POST", f"/rooms/r1/{what}", 1)), 1, what)

    def test_no_step_is_offered_before_the_players_are_there(self) -> None:
        self.api["GET /session"] = {**SESSION, "admin": True}
        peers = [{"seat": 0, "peer": "192.0.2.1:3333"}]
        waiting = {**ROOM, "state": "paused", "peers": peers, "scene": {**scene(0), "board": None}, "moves": []}
        self.api["GET /rooms/r1"] = waiting
        self.visit("/rooms/r1", ".board")
        self.see("192.0.2.1:3333")
        self.assertTrue(self.page.is_hidden("text=One step"))
        self.emit("/rooms/r1", "scene", {"scene": {**scene(0), "state": "paused"}, "moves": []})
        self.page.wait_for_selector("text=One step")
        self.assertTrue(self.page.is_enabled("text=One step"))

    def test_the_address_of_a_room_that_has_ended_leads_to_its_record(self) -> None:
        error = {"code": "room-ended", "text": "this room has ended", "hint": "", "record": "0a1b2c3d"}
        self.api["GET /rooms/r9"] = lambda _: (404, {"error": error})
        self.visit("/rooms/r9", ".steering")
        self.assertEqual(self.page.url.partition("?")[0], f"{ORIGIN}/records/0a1b2c3d")
        # The way back does not lead here again.
        self.assertEqual(self.page.evaluate("history.length"), 2)
        self.errors.clear()

    def test_the_record_of_a_room_that_is_gone_meanwhile(self) -> None:
        self.visit("/rooms/r1", ".board button")
        error = {"code": "room-ended", "text": "this room has ended", "hint": "", "record": "0a1b2c3d"}
        self.api["GET /rooms/r1"] = lambda _: (404, {"error": error})
        outcome = {"termination": "victory", "winner": 1}
        self.emit("/rooms/r1", "scene", {"scene": scene(2, outcome=outcome, record=None), "moves": []})
        self.emit("/rooms/r1", "gone", {})
        self.page.wait_for_selector('.ending a[href="/records/0a1b2c3d"]')
        self.errors.clear()

    def test_a_spectator_has_no_such_buttons(self) -> None:
        self.visit("/rooms/r1", ".board button")
        self.assertEqual(self.page.locator("text=One step").count(), 0)

    def test_a_game_without_a_board_still_has_its_moves(self) -> None:
        self.api["GET /rooms/r1"] = {**ROOM, "game": "nogame", "scene": {**scene(2), "moves": moves(1, 2)}}
        self.visit("/rooms/r1", ".board p")
        self.see("There is no board for this game.")
        self.see(f"\u2068{TRICKY}\u2069: a1")
        self.errors.clear()


class SeatTest(ShellTestCase):
    """A seat for a person."""

    def test_a_move(self) -> None:
        self.api["POST /seats/s1/act"] = {}
        self.visit("/seats/s1", ".board button")
        # The time limit is one of programs.
        self.assertNotIn("Time for a move", self.text())
        self.assertIn("It is your turn.", self.page.title())
        self.page.click(".board button")
        self.assertEqual(self.requests("POST", "/seats/s1/act", 1), [{"do": "take", "field": 2}])
        self.emit("/seats/s1", "scene", {"scene": scene(3, you={"seat": 0}, won=None), "moves": [move(3)]})
        self.wait("document.title === 'Toy · gamed'")
        self.emit("/seats/s1", "scene", {"scene": scene(4, you={"seat": 0}, won=None), "moves": [move(4)]})
        self.see("It is your turn.", "[aria-live]")

    def test_a_refused_move_is_explained_until_one_is_taken(self) -> None:
        self.api["POST /seats/s1/act"] = refused(409, "illegal-move", "This field is taken.")
        self.visit("/seats/s1", ".board button")
        self.page.click(".board button")
        self.see("This field is taken.")
        self.api["POST /seats/s1/act"] = {}
        self.page.click(".board button")
        self.wait("document.querySelector('.complaint').hidden")
        self.errors.clear()

    def test_leaving_asks_first(self) -> None:
        self.api["DELETE /seats/s1"] = {}
        self.visit("/seats/s1", ".board button")
        self.page.click("text=Leave")
        self.page.click("dialog >> text=Stay")
        self.assertEqual(self.requests("DELETE", "/seats/s1"), [])
        self.page.click("text=Leave")
        self.page.click("dialog .danger")
        self.page.wait_for_selector(".lobby h1")
        self.assertEqual(self.requests("DELETE", "/seats/s1"), [None])
        self.assertEqual(self.page.evaluate("window.destroyed"), 1)

    def test_the_end(self) -> None:
        self.visit("/seats/s1", ".board button")
        self.api["GET /rooms/r1"] = {**ROOM, "state": "ended", "record": "0a1b2c3d", "scene": scene(3)}
        outcome = {"termination": "victory", "winner": 0}
        over = scene(3, you={"seat": 0}, won=True, phase="over", outcome=outcome)
        self.emit("/seats/s1", "scene", {"scene": over, "moves": [move(3)]})
        self.see("You won.")
        self.see("To the record")
        self.page.click("text=Play again")
        self.page.wait_for_selector("dialog")

    def test_a_new_page_after_a_reload_has_the_same_game(self) -> None:
        self.visit("/seats/s1", ".board button")
        before = self.text(".table")
        self.page.reload()
        self.page.wait_for_selector(".board button")
        self.assertEqual(re.sub(r"\+\d+:\d+(:\d+)?", "", self.text(".table")), re.sub(r"\+\d+:\d+(:\d+)?", "", before))

    def test_another_was_faster(self) -> None:
        self.api["GET /seats/s1/events"] = b"event: gone\ndata: {}\n\n"
        over = {**scene(0), "seats": [], "you": {"seat": 0}, "won": None, "refused": "room-taken", "error": ""}
        self.api["GET /seats/s1"] = {"id": "s1", "game": "toy", "room": None, "name": "Me", "scene": over, "moves": []}
        # A change of the language shows the page anew, which takes its time.
        self.visit("/about")
        self.page.select_option('select[aria-label="Language"]', "de")
        self.see("Ein Server")
        self.visit("/seats/s1", ".board")
        self.emit("/seats/s1", "gone", {})
        self.see("In diesem Raum ist kein Platz mehr frei.", ".complaint")

    def test_a_record_that_comes_late_is_found(self) -> None:
        self.page.clock.install()
        self.visit("/seats/s1", ".board button")
        self.api["GET /rooms/r1"] = {**ROOM, "record": None}
        self.emit("/seats/s1", "scene", {"scene": scene(3, you={"seat": 0}, won=True), "moves": [move(3)]})

        def looks() -> int:
            self.page.clock.run_for(1_000)
            return sum(address == "/rooms/r1" for _, address, _ in self.asked)

        while looks() < 3:
            pass
        self.api["GET /rooms/r1"] = {**ROOM, "record": "0a1b2c3d"}
        # An answer takes real time, in which the page's clock must not stand still for good.
        while not self.page.locator(".ending a").count():
            self.assertLess(looks(), 30)

    def test_somebody_elses_seat(self) -> None:
        self.api["GET /seats/s1"] = refused(403, "not-yours", "")
        self.visit("/seats/s1")
        self.see("You may not do that.")
        self.errors.clear()


class StreamTest(ShellTestCase):
    """The browser's own event stream."""

    feeds: ClassVar[bool] = False

    def test_an_event_and_then_a_lost_stream(self) -> None:
        event = {"scene": scene(4), "moves": moves(3, 4)}
        self.answer(f"event: scene\nid: 1-4\ndata: {json.dumps(event)}\n\n")
        self.page.clock.install()
        self.visit("/rooms/r1", ".board button")
        self.wait("document.querySelectorAll('.moves li').length === 4")
        self.is_away = True
        self.page.clock.fast_forward(3_000)
        self.requests("GET", "/events", 2)
        self.page.clock.fast_forward(3_000)
        self.see("keeps trying", ".banner")
        # What was missed is asked for.
        self.assertEqual(self.topics(), ["rooms/r1", "rooms/r1@1-4"])
        # It goes on trying.
        self.page.goto("about:blank")
        self.errors.clear()

    def test_the_end_of_a_stream(self) -> None:
        event = {"scene": scene(2, outcome={"termination": "cancelled", "winner": None}), "moves": []}
        self.answer(f"event: scene\nid: 1-4\ndata: {json.dumps(event)}\n\nevent: gone\ndata: {{}}\n\n")
        self.visit("/rooms/r1", ".board button")
        self.see("cancelled.")
        self.page.wait_for_timeout(600)
        self.assertEqual(self.topics(), ["rooms/r1"])
        self.assertFalse(self.page.is_visible(".banner"))

    def answer(self, events: str) -> None:
        self.api["GET /events"] = f"retry: 100\n: hello\n\nevent: topic\ndata: 0\n\n{events}".encode()

    def topics(self) -> list[str]:
        """Return what was asked for on the streams so far."""
        addresses = [address for _, address, _ in self.asked if address.startswith("/events?")]
        return [parse_qs(address.partition("?")[2])["topics"][0] for address in addresses][:2]
