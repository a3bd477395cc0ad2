"""Seats of browsers: joining, acting, being told, leaving, and what becomes of a silent browser."""

from __future__ import annotations

import json
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.reception import SupportsReservations
from gamed.games.battleship import Settings
from gamed.games.roborally import Settings as RoboRallySettings
from gamed.web import seats as seats_module
from gamed.web.seats import AWAY, KEPT, KEPT_SECONDS, PLAYED
from gamed.web.static_files import FOLDER
from tests.web.harness import Guest, WebHarness


class SeatsTestCase(SynchronousTestCase):
    kind = "battleship"
    settings: Any = None

    def setUp(self) -> None:
        self.harness = WebHarness(self.kind, self.settings)
        self.addCleanup(self.harness.stop)
        self.ada, self.grace = self.harness.visitor(), self.harness.visitor("192.0.2.9")

    def sit(self, guest: Guest, **more: Any) -> str:
        answer = guest.post("seats", {"game": self.kind, "name": "Ada", **more})
        self.assertEqual(answer.status, 200, answer.body)
        self.harness.pump(0.3)
        return answer.json["id"]

    def refused(self, guest: Guest, **more: Any) -> tuple[int, str]:
        answer = guest.post("seats", {"game": self.kind, "name": "Ada", **more})
        return answer.status, answer.code

    def act(self, guest: Guest, seat: str, **action: Any) -> Any:
        answer = guest.post(f"seats/{seat}/act", action)
        self.harness.pump(0.3)
        return answer

    def shoot_on(self, guest: Guest, seat: str, limit: int = 100) -> dict[str, Any]:
        """Play Battleship to its end: be ready, shoot at each cell in turn."""
        self.act(guest, seat, do="ready")
        for cell in range(limit):
            scene = guest.get(f"seats/{seat}").json["scene"]
            if scene["won"] is not None:
                return scene
            self.assertEqual(self.act(guest, seat, do="shoot", at=[cell % 10, cell // 10]).status, 200)
        raise AssertionError("the game does not end")


class JoiningTests(SeatsTestCase):
    def test_two_people_meet(self) -> None:
        first = self.sit(self.ada)
        second = self.sit(self.grace, name="Grace")
        rooms = {guest.get(f"seats/{seat}").json["room"] for guest, seat in ((self.ada, first), (self.grace, second))}
        self.assertEqual(len(rooms), 1)
        names = [seat["name"] for seat in self.ada.get(f"seats/{first}").json["scene"]["seats"]]
        self.assertEqual(names, ["Ada", "Grace"])

    def test_the_room_says_which_seat_it_is(self) -> None:
        # Battleship's wire tells nobody.
        seats = [(self.ada, self.sit(self.ada)), (self.grace, self.sit(self.grace))]
        for _ in range(2):
            numbers = [guest.get(f"seats/{seat}").json["scene"]["you"]["seat"] for guest, seat in seats]
            self.assertEqual(numbers, [0, 1])
            # Also when it is over.
            self.ada.delete(f"seats/{seats[0][1]}")
            self.harness.pump()

    def test_a_bot_comes_along(self) -> None:
        seat = self.sit(self.ada, bots=["density"])
        found = self.ada.get(f"seats/{seat}").json
        self.assertEqual([one["name"] for one in found["scene"]["seats"]], ["Ada", "density"])
        self.assertEqual((found["game"], found["name"], found["isLive"]), ("battleship", "Ada", True))
        self.assertEqual(self.ada.get("seats").json[0]["id"], seat)

    def test_names_are_shown_with_their_own_letters(self) -> None:
        for name in ("Jörg", "<b>bold</b>", "\u05d0\u05d1", "a@web:b", 'quote"', "back\\slash \\x41"):
            seat = self.sit(self.ada, name=name)
            found = self.ada.get(f"seats/{seat}").json["scene"]["seats"]
            self.assertEqual(found[-1]["name"] if len(found) > 1 else found[0]["name"], name)
            self.ada.delete(f"seats/{seat}")
            self.harness.pump()

    def test_names_that_are_none(self) -> None:
        for name in ("", "  ", "x" * 41, "a\nb", "\u202egnp.exe", "\u2066x", "\x00"):
            self.assertEqual(self.refused(self.ada, name=name), (400, "name"), name)

    def test_wishes_that_cannot_be(self) -> None:
        self.assertEqual(self.refused(self.ada, game="chess"), (404, "no-game"))
        self.assertEqual(self.refused(self.ada, game="hive"), (503, "no-listener"))
        self.assertEqual(self.refused(self.ada, bots=["nobody"]), (400, "bots"))
        self.assertEqual(self.refused(self.ada, bots=[7]), (400, "bots"))
        self.assertEqual(self.refused(self.ada, bots=["density"] * 2), (400, "bots"))
        self.assertEqual(self.refused(self.ada, bots=[{"strategy": "density", "reservation": 1}]), (400, "type"))
        self.assertEqual(self.refused(self.ada, bots="density"), (400, "type"))
        self.assertEqual(self.refused(self.ada, name=7), (400, "type"))
        self.assertEqual(self.refused(self.ada, reservation="\n"), (400, "reservation"))
        self.assertEqual(self.ada.get("seats").json, [])

    def test_not_while_draining(self) -> None:
        self.harness.harness.lobby.drain(lambda: None)
        self.assertEqual(self.refused(self.ada), (503, "closed"))

    def test_so_many_and_no_more(self) -> None:
        for _ in range(PLAYED):
            self.sit(self.ada)
        self.assertEqual(self.refused(self.ada), (429, "seats"))
        self.sit(self.grace)

    def test_limits_of_the_listener_hold(self) -> None:
        self.harness.harness.factory.limits.per_address = 1
        self.sit(self.ada)
        self.assertEqual(self.refused(self.ada), (429, "address"))
        # The one who came and whose bot did not get in has left again. The first still waits.
        self.harness.harness.factory.limits.per_address = 2
        self.assertEqual(self.refused(self.ada, bots=["density"]), (429, "address"))
        self.harness.pump()
        self.assertEqual(self.harness.harness.factory.limits.count, 1)


class PrivateTests(SeatsTestCase):
    """A person with programs gets a room of its own, whoever waits."""

    strategy = "density"

    def names(self, guest: Guest, seat: str) -> list[str]:
        return [one["name"] for one in guest.get(f"seats/{seat}").json["scene"]["seats"]]

    def test_who_waits_is_not_met(self) -> None:
        waiting = self.sit(self.grace, name="Grace")
        seat = self.sit(self.ada, bots=[self.strategy])
        self.assertEqual(self.names(self.ada, seat), ["Ada", self.strategy])
        rooms = {guest.get(f"seats/{one}").json["room"] for guest, one in ((self.grace, waiting), (self.ada, seat))}
        self.assertEqual(len(rooms), 2)
        # Who comes later meets who waited.
        later = self.sit(self.harness.visitor("192.0.2.10"), name="Linus")
        self.assertEqual(self.names(self.grace, waiting), ["Grace", "Linus"])
        self.assertTrue(later)

    def test_nothing_stays_when_the_person_leaves(self) -> None:
        seat = self.sit(self.ada, bots=[self.strategy])
        self.ada.delete(f"seats/{seat}")
        self.harness.pump(60)
        self.assertEqual([room for room in self.harness.harness.lobby.rooms.values() if not room.is_closed], [])
        self.assertEqual(self.harness.harness.factory.limits.count, 0)


class PrivateQuoridorTests(PrivateTests):
    kind, strategy = "quoridor", "random"

    def test_three_programs_play_with_one_person(self) -> None:
        seat = self.sit(self.ada, bots=["random"] * 3)
        self.act(self.ada, seat, do="vote", players=4)
        self.harness.pump(3)
        self.assertEqual(self.names(self.ada, seat), ["Ada", "random", "randomA", "randomB"])
        self.assertEqual(len(self.harness.harness.lobby.rooms_of("quoridor")), 1)

    def test_two_programs_cannot_come(self) -> None:
        self.assertEqual(self.refused(self.ada, bots=["random"] * 2), (400, "bots"))


class PrivateRoboRallyTests(PrivateTests):
    kind, strategy = "roborally", "random"

    def test_the_game_begins_when_all_are_there(self) -> None:
        seat = self.sit(self.ada, bots=["random", "random"])
        self.assertEqual(self.names(self.ada, seat), ["Ada", "random", "randomA"])
        self.assertEqual(self.ada.get(f"seats/{seat}").json["scene"]["state"], "playing")


class FullRoboRallyTests(SeatsTestCase):
    """No more programs come along than the listener's games have places."""

    kind = "roborally"
    settings = RoboRallySettings(max_players=3)

    def test_as_many_as_there_are_places(self) -> None:
        self.assertEqual(self.ada.get("session").json["games"][0]["opponents"], [1, 2])
        self.assertEqual(self.refused(self.ada, bots=["random"] * 3), (400, "bots"))


class PrivateHiveTests(PrivateTests):
    kind, strategy = "hive", "random"


class PlayingTests(SeatsTestCase):
    def test_a_whole_game_against_a_bot(self) -> None:
        seat = self.sit(self.ada, bots=["open-list"])
        wire = self.ada.events(f"seats/{seat}")
        scene = self.shoot_on(self.ada, seat)
        self.harness.pump()
        self.assertIs(scene["won"], False)
        found = self.ada.get(f"seats/{seat}").json
        self.assertEqual((found["isLive"], found["scene"]["isLive"]), (False, False))
        self.assertEqual(found["scene"]["outcome"], {"termination": "victory", "winner": 1})
        self.assertEqual([move["n"] for move in found["moves"]], list(range(1, len(found["moves"]) + 1)))
        self.assertEqual([record["id"] for record in self.records()], [found["record"]])
        events = wire.events()
        self.assertEqual(events[-1][0], "gone")
        self.assertEqual(events[-2][2]["scene"]["outcome"], found["scene"]["outcome"])
        told = [move["n"] for event in events[:-1] for move in event[2]["moves"]]
        self.assertEqual(told, list(range(1, len(found["moves"]) + 1)))
        self.assertTrue(wire.transport.disconnecting)
        self.assertEqual(self.harness.harness.factory.limits.count, 0)

    def records(self) -> list[dict[str, Any]]:
        return [{"id": record} for record in self.harness.harness.store.records]

    def test_rules_are_told(self) -> None:
        seat = self.sit(self.ada, bots=["density"])
        for action in ({}, {"do": 7}, {"do": "shoot", "at": "A1"}, {"do": ["x"]}, {"do": "fly"}):
            answer = self.act(self.ada, seat, **action)
            self.assertEqual(answer.status, 409, action)
            self.assertTrue(answer.json["error"]["text"])
        self.assertEqual(self.ada.post(f"seats/{seat}/act", b"[]").status, 400)

    def test_two_tabs_are_equal(self) -> None:
        seat = self.sit(self.ada, bots=["density"])
        tabs = [self.ada.events(f"seats/{seat}") for _ in range(2)]
        self.act(self.ada, seat, do="ready")
        self.harness.pump()
        first, second = (tab.events() for tab in tabs)
        self.assertGreater(len(first), 1)
        self.assertEqual(first[-1], second[-1])

    def test_a_reload_goes_on(self) -> None:
        seat = self.sit(self.ada, bots=["density"])
        tab = self.ada.events(f"seats/{seat}")
        last = tab.events()[-1]
        tab.close()
        self.act(self.ada, seat, do="ready")
        self.harness.pump()
        again = self.ada.events(f"seats/{seat}", last_event_id=last[1])
        (event,) = again.events()
        self.assertNotIn("reset", event[2])
        # The enemy's first shot is not told before the ships are placed.
        self.assertEqual([move["n"] for move in event[2]["moves"]], [1, 2])

    def test_who_places_ships_does_not_see_where_the_first_shot_went(self) -> None:
        seat = self.sit(self.ada, bots=["density"])
        self.harness.pump()
        told = self.ada.get(f"seats/{seat}").json
        self.assertEqual((told["scene"]["phase"], told["scene"]["last"], told["moves"]), ("placing", None, []))
        self.assertNotIn("is_blind", told["scene"])
        self.act(self.ada, seat, do="ready")
        self.harness.pump()
        self.assertEqual([move["seat"] for move in self.ada.get(f"seats/{seat}").json["moves"]], [1, 0])

    def test_after_the_end(self) -> None:
        seat = self.sit(self.ada)
        self.ada.delete(f"seats/{seat}")
        self.harness.pump()
        self.assertEqual(self.act(self.ada, seat, do="ready").code, "over")
        self.assertEqual(self.ada.get(f"seats/{seat}").status, 200)
        self.assertEqual([event[0] for event in self.ada.events(f"seats/{seat}").events()], ["scene", "gone"])
        self.assertEqual(self.ada.delete(f"seats/{seat}").status, 200)
        self.assertEqual(self.ada.get(f"seats/{seat}").code, "no-seat")


class OwnersTests(SeatsTestCase):
    def test_other_peoples_seats(self) -> None:
        seat = self.sit(self.ada)
        for answer in (
            self.grace.get(f"seats/{seat}"),
            self.grace.get(f"seats/{seat}/events"),
            self.grace.post(f"seats/{seat}/act", {"do": "ready"}),
            self.grace.delete(f"seats/{seat}"),
        ):
            self.assertEqual((answer.status, answer.code), (403, "not-yours"))
        self.assertEqual(self.grace.get("seats").json, [])
        self.assertEqual(self.grace.get("seats/nothing").status, 404)

    def test_nobodys(self) -> None:
        seat = self.sit(self.ada)
        for path in ("seats", f"seats/{seat}", f"seats/{seat}/events"):
            self.assertEqual(self.harness.asked("GET", f"/api/v1/{path}").status, 401, path)

    def test_the_administrator_keeps_the_seats_had_before(self) -> None:
        seat = self.sit(self.ada)
        self.assertEqual(self.ada.login().status, 200)
        self.assertEqual(self.ada.get(f"seats/{seat}").status, 200)


class AwayTests(SeatsTestCase):
    """Others learn at once when a person's browser has gone, long before the seat is lost."""

    def setUp(self) -> None:
        super().setUp()
        self.seats = [self.sit(self.ada), self.sit(self.grace, name="Grace")]
        self.tabs = [
            guest.events(f"seats/{seat}") for guest, seat in zip((self.ada, self.grace), self.seats, strict=True)
        ]
        room = self.ada.get(f"seats/{self.seats[0]}").json["room"]
        self.spectator = self.harness.opened(f"/api/v1/rooms/{room}/events")
        self.harness.pump()

    def away(self, wire: Any) -> dict[str, float]:
        return wire.events()[-1][2]["scene"]["away"]

    def test_opponents_and_spectators_learn_it_and_for_how_long(self) -> None:
        self.assertEqual([self.away(wire) for wire in (self.tabs[1], self.spectator)], [{}, {}])
        self.tabs[0].close()
        self.harness.pump(AWAY + 0.5)
        for wire in (self.tabs[1], self.spectator):
            self.assertEqual(list(self.away(wire)), ["0"])
            self.assertApproximates(self.away(wire)["0"], AWAY, 0.3)
        self.harness.pump(10 - AWAY)
        # Who comes now learns the same.
        late = self.grace.get(f"seats/{self.seats[1]}").json["scene"]
        self.assertGreater(late["away"]["0"], 10)

    def test_they_learn_that_the_person_is_back(self) -> None:
        self.tabs[0].close()
        self.harness.pump(12)
        self.assertTrue(self.away(self.tabs[1]))
        self.ada.events(f"seats/{self.seats[0]}")
        self.harness.pump(0.5)
        self.assertEqual([self.away(wire) for wire in (self.tabs[1], self.spectator)], [{}, {}])

    def test_a_reload_is_no_absence(self) -> None:
        before = len(self.tabs[1].events())
        self.tabs[0].close()
        self.harness.pump(AWAY / 4)
        self.ada.events(f"seats/{self.seats[0]}")
        self.harness.pump(10)
        self.assertEqual(len(self.tabs[1].events()), before)

    def test_a_second_window_is_presence_enough(self) -> None:
        self.ada.events(f"seats/{self.seats[0]}")
        self.tabs[0].close()
        self.harness.pump(10)
        self.assertEqual(self.away(self.tabs[1]), {})

    def test_a_seat_that_is_left_is_not_away(self) -> None:
        self.tabs[0].close()
        self.harness.pump(AWAY / 2)
        self.ada.delete(f"seats/{self.seats[0]}")
        self.harness.pump(10)
        self.assertEqual(self.away_at_the_end(), [{}, {}])

    def away_at_the_end(self) -> list[dict[str, float]]:
        return [wire.events()[-2][2]["scene"]["away"] for wire in (self.tabs[1], self.spectator)]


class LeavingTests(SeatsTestCase):
    def test_leaving_loses(self) -> None:
        first, second = self.sit(self.ada), self.sit(self.grace, name="Grace")
        self.ada.delete(f"seats/{first}")
        self.harness.pump()
        found = self.grace.get(f"seats/{second}").json
        self.assertEqual(found["scene"]["outcome"], {"termination": "left", "winner": 1})
        self.assertFalse(found["isLive"])

    def test_a_silent_browser_is_a_lost_peer(self) -> None:
        first, second = self.sit(self.ada), self.sit(self.grace, name="Grace")
        watching = self.grace.events(f"seats/{second}")
        self.harness.pump(40)
        self.assertTrue(self.grace.get(f"seats/{second}").json["isLive"])
        self.harness.pump(45)
        self.assertFalse(self.ada.get(f"seats/{first}").json["isLive"])
        self.assertEqual(watching.events()[-2][2]["scene"]["outcome"]["termination"], "left")

    def test_the_grace_begins_when_the_last_tab_closes(self) -> None:
        seat = self.sit(self.ada)
        tab = self.ada.events(f"seats/{seat}")
        self.harness.pump(200)
        tab.close()
        self.harness.pump(50)
        self.assertFalse(self.harness.seats.player_sessions[seat].is_over)
        self.harness.pump(30)
        self.assertTrue(self.harness.seats.player_sessions[seat].is_over)

    def test_bots_leave_with_who_brought_them(self) -> None:
        seat = self.sit(self.ada, bots=["density"])
        self.assertEqual(self.harness.harness.factory.limits.count, 2)
        self.ada.delete(f"seats/{seat}")
        self.harness.pump()
        self.assertEqual(self.harness.harness.factory.limits.count, 0)

    def test_what_is_over_is_kept_for_a_while(self) -> None:
        seats = []
        for _ in range(KEPT + 2):
            seats.append(self.sit(self.ada))
            self.ada.delete(f"seats/{seats[-1]}")
            self.harness.pump()
        kept = [one["id"] for one in self.ada.get("seats").json]
        self.assertEqual(kept, seats[2:])
        self.harness.harness.clock.advance(KEPT_SECONDS + 30)
        self.harness.pump(16)
        self.assertEqual(self.harness.seats.player_sessions, {})

    def test_of_many_visitors_only_the_last_seats_are_kept(self) -> None:
        self.patch(seats_module, "KEPT_IN_ALL", 3)
        seats = []
        for _ in range(5):
            guest = self.harness.visitor()
            seats.append(self.sit(guest, bots=["density"]))
            guest.delete(f"seats/{seats[-1]}")
            self.harness.pump()
        self.assertEqual(list(self.harness.seats.player_sessions), seats[2:])
        self.assertTrue(all(not player_session.bots for player_session in self.harness.seats.player_sessions.values()))


class HiveTests(SeatsTestCase):
    kind = "hive"

    def test_reservations_let_a_person_and_a_bot_meet(self) -> None:
        waiting = self.sit(self.grace, name="Grace")
        seat = self.sit(self.ada, bots=["random"])
        found = self.ada.get(f"seats/{seat}").json
        self.assertEqual([one["name"] for one in found["scene"]["seats"]], ["Ada", "random"])
        self.assertNotEqual(found["room"], self.grace.get(f"seats/{waiting}").json["room"])

    def test_bots_do_not_leave_a_match_with_others(self) -> None:
        reception = self.harness.harness.factory.reception
        assert isinstance(reception, SupportsReservations)
        _, (first, second) = reception.reserve("hive", (), paused=False, history=None, turn=None)
        other = self.sit(self.grace, name="Grace", reservation=first.code)
        seat = self.sit(self.ada, bots=[{"strategy": "random", "reservation": second.code}])
        self.ada.delete(f"seats/{seat}")
        self.harness.pump()
        found = self.grace.get(f"seats/{other}").json
        self.assertEqual([one["name"] for one in found["scene"]["seats"]], ["Grace", "random"])
        self.assertTrue(found["isLive"])

    def test_names_of_persons_stand_in_the_game_and_in_the_record(self) -> None:
        seats = [self.sit(self.ada), self.sit(self.grace, name="Grace <3")]
        found = self.ada.get(f"seats/{seats[0]}").json
        self.assertEqual([one["name"] for one in found["scene"]["seats"]], ["Ada", "Grace <3"])
        self.ada.delete(f"seats/{seats[0]}")
        self.harness.pump()
        (record,) = self.harness.harness.store.records
        header = self.harness.harness.store.records[record].header
        self.assertEqual([name in header for name in (b"Ada", b"Grace &lt;3", b"Unknown")], [True, True, False])

    def test_a_person_may_think(self) -> None:
        seat = self.sit(self.ada, bots=["random"])
        tab = self.ada.events(f"seats/{seat}")
        self.harness.pump(100)
        found = self.ada.get(f"seats/{seat}").json
        self.assertIsNone(found["scene"]["outcome"])
        legal = found["scene"]["you"]["legal"]
        self.assertEqual(self.act(self.ada, seat, **legal[len(legal) // 2]).status, 200)
        self.harness.pump()
        moves = [move for event in tab.events() for move in event[2]["moves"]]
        self.assertEqual([move["seat"] for move in moves], [0, 1])

    def test_a_reserved_room_does_not_wait_for_ever(self) -> None:
        self.harness.harness.factory.limits.per_address = 1
        self.assertEqual(self.refused(self.ada, bots=["random"]), (429, "address"))
        self.harness.pump()
        self.assertEqual([room for room in self.harness.harness.lobby.rooms.values() if not room.is_closed], [])

    def test_a_wrong_code(self) -> None:
        code = "00000000-0000-4000-8000-000000000000"
        self.assertEqual(self.refused(self.ada, reservation=code), (404, "reservation"))

    def test_a_code_is_good_for_one(self) -> None:
        reception = self.harness.harness.factory.reception
        assert isinstance(reception, SupportsReservations)
        _, (kept, _) = reception.reserve("hive", ["Ada", "Grace"], paused=False, history=None, turn=None)
        seat = self.sit(self.ada, reservation=kept.code)
        self.assertTrue(self.ada.get(f"seats/{seat}").json["isLive"])
        self.assertEqual(self.refused(self.grace, reservation=kept.code), (404, "reservation"))


class RoboRallyTests(SeatsTestCase):
    kind = "roborally"

    def test_who_is_told_nothing_asks_and_the_browser_gets_news_alone(self) -> None:
        seat = self.sit(self.ada)
        traffic = self.harness.harness.factory.traffic
        self.harness.pump(5)
        before = traffic.received
        self.harness.pump(5)
        self.assertEqual(traffic.received, before)
        tab = self.ada.events(f"seats/{seat}")
        self.harness.pump(5)
        self.assertGreater(traffic.received, before)
        count = len(tab.events())
        self.harness.pump(10)
        self.assertLessEqual(len(tab.events()) - count, 1)
        self.sit(self.grace, name="Grace")
        self.harness.pump(3)
        self.assertGreater(len(tab.events()), count)

    def test_the_time_that_is_left_and_why_it_was_removed(self) -> None:
        seat = self.sit(self.ada, bots=["random"])
        before = self.ada.get(f"seats/{seat}").json["scene"]
        self.assertEqual(before["you"]["prompt"], "facing")
        self.assertTrue(58 < before["left"] <= 60, before["left"])
        self.harness.pump(40)
        scene = self.ada.get(f"seats/{seat}").json["scene"]
        # A request takes a second here.
        self.assertEqual(round(before["left"] - scene["left"]), 41)
        self.harness.pump(21)
        scene = self.ada.get(f"seats/{seat}").json["scene"]
        self.assertEqual((scene["phase"], scene["you"]["removed"], scene["left"]), ("removed", "time", None))


class DeadlineTests(SeatsTestCase):
    def test_silence_in_battleship(self) -> None:
        seat = self.sit(self.ada, bots=["density"])
        left = self.ada.get(f"seats/{seat}").json["scene"]["left"]
        self.assertTrue(898 < left <= 900, left)

    def test_who_has_any_time(self) -> None:
        self.harness = WebHarness("hive")
        self.addCleanup(self.harness.stop)
        self.kind, ada = "hive", self.harness.visitor()
        seat = self.sit(ada, bots=["random"])
        self.assertIsNone(ada.get(f"seats/{seat}").json["scene"]["left"])


class SettingsTests(SynchronousTestCase):
    def test_the_grace_is_configured(self) -> None:
        harness = WebHarness("battleship", Settings(), {"grace_seconds": 5.0})
        self.addCleanup(harness.stop)
        seat = harness.visitor().post("seats", {"game": "battleship", "name": "Ada"}).json["id"]
        harness.pump(8)
        self.assertTrue(harness.seats.player_sessions[seat].is_over)


class LiarTests(SeatsTestCase):
    """Battleship against an enemy on the wire that lies, or sends what nobody can read."""

    def against(self, *lines: bytes, **settings: Any) -> tuple[WebHarness, Guest, str, Any]:
        """Seat a person who has shot at A1, and an enemy who then sends lines."""
        harness = WebHarness("battleship", Settings(**settings))
        self.addCleanup(harness.stop)
        enemy, guest = harness.harness.connect("198.51.100.7"), harness.visitor()
        seat = guest.post("seats", {"game": "battleship", "name": "Ada"}).json["id"]
        harness.pump(0.3)
        for action in ({"do": "ready"}, {"do": "shoot", "at": [0, 0]}):
            self.assertEqual(guest.post(f"seats/{seat}/act", action).status, 200)
            harness.pump(0.3)
        for line in lines:
            enemy.send(line)
        harness.pump(0.3)
        return harness, guest, seat, enemy

    LIE = b"(2,[0,0,3]).\n"

    def test_a_person_who_is_lied_to_plays_on(self) -> None:
        harness, guest, seat, _ = self.against(self.LIE, b"(1,[0,0]).\n")
        scene = guest.get(f"seats/{seat}").json["scene"]
        self.assertEqual((scene["phase"], scene["won"], scene["isLive"]), ("shoot", None, True))
        self.assertEqual([fault["code"] for fault in scene["you"]["faults"]], ["dishonest"])
        self.assertEqual(guest.post(f"seats/{seat}/act", {"do": "shoot", "at": [5, 5]}).status, 200)
        harness.pump(0.3)
        self.assertEqual(guest.get(f"seats/{seat}").json["scene"]["phase"], "await")

    def test_a_liar_does_not_win_when_the_person_leaves(self) -> None:
        harness, guest, seat, enemy = self.against(self.LIE)
        guest.delete(f"seats/{seat}")
        harness.pump(1.0)
        harness.harness.settle()
        self.assertTrue(enemy.is_closed)
        (summary,) = harness.harness.store.summaries.values()
        self.assertEqual((summary.termination, summary.winner), ("left", None))
        scene = guest.get(f"seats/{seat}").json["scene"]
        self.assertEqual((scene["phase"], scene["won"]), ("over", None))
        self.assertEqual(scene["outcome"], {"termination": "left", "winner": None})

    def test_the_winner_by_forfeit_is_told_so(self) -> None:
        for line, code in ((self.LIE, "no-legal-fleet"), (b"hello\n", "illegible")):
            harness, guest, seat, _ = self.against(line, referee="enforce")
            scene = guest.get(f"seats/{seat}").json["scene"]
            self.assertEqual((scene["phase"], scene["won"], scene["you"]["broken"]), ("over", True, None))
            self.assertEqual(scene["outcome"], {"termination": "forfeit", "winner": 1})
            self.assertEqual((scene["error"], scene["board"]["winner"]), ("", 0))
            self.assertEqual([one["code"] for one in scene["refusals"]], [code])
            harness.stop()

    def test_turns_and_outcomes_are_by_seat_and_the_board_is_by_viewer(self) -> None:
        """docs/reference/web-api.md#events; openapi.json says the same."""
        harness, guest, seat, enemy = self.against()
        for lines, turn, attacker in ((b"", 0, 0), (b"(2,[0,0,1]).\n", 0, 1), (b"(1,[0,0]).\n", 1, 0)):
            enemy.send(lines)
            harness.pump(0.6)
            scene = guest.get(f"seats/{seat}").json["scene"]
            self.assertEqual((scene["you"]["seat"], scene["turn"], scene["board"]["attacker"]), (1, [turn], attacker))
        described = json.loads((FOLDER / "openapi.json").read_text())["components"]["schemas"]["Scene"]["properties"]
        self.assertIn("where a player sees less than everybody, 0 may be the player", described["board"]["description"])
        self.assertIn("as numbered in `seats`", described["turn"]["description"])

    def test_an_enemy_that_leaves_has_lost(self) -> None:
        harness, guest, seat, enemy = self.against()
        enemy.leave()
        harness.pump(0.3)
        scene = guest.get(f"seats/{seat}").json["scene"]
        self.assertEqual((scene["phase"], scene["won"]), ("over", True))
        self.assertEqual(scene["outcome"], {"termination": "left", "winner": 1})
