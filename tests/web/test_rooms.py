"""Rooms in the API: the list, watching, and what the administrator does."""

from __future__ import annotations

import json
from typing import Any

from twisted.logger import globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from gamed.lobby.match_recorder import MatchRecorder
from gamed.process.audit import NAMESPACE
from gamed.web.events import PING, PING_SECONDS, STUCK
from tests.web.harness import Guest, WebHarness


class RoomsTestCase(SynchronousTestCase):
    kind = "battleship"

    def setUp(self) -> None:
        self.harness = WebHarness(self.kind)
        self.addCleanup(self.harness.stop)
        self.ada = self.harness.visitor()

    def played(self, shots: int = 0) -> str:
        """Begin a match of two wires, and return the room's id."""
        self.wires = [self.harness.harness.connect(), self.harness.harness.connect()]
        self.shots = 0
        for _ in range(shots):
            self.shoot()
        self.harness.pump(0.5)
        return self.ada.get("rooms").json[0]["id"]

    def shoot(self) -> None:
        attacker, defender = self.wires[1 - self.shots % 2], self.wires[self.shots % 2]
        x, y = self.shots // 2 % 10, self.shots // 20
        attacker.send(b"(1,[%d,%d]).\n" % (x, y))
        defender.send(b"(2,[%d,%d,1]).\n" % (x, y))
        self.shots += 1


class ListTests(RoomsTestCase):
    def test_no_rooms(self) -> None:
        self.assertEqual(self.ada.get("rooms").json, [])

    def test_a_room(self) -> None:
        room = self.played(3)
        (row,) = self.ada.get("rooms").json
        self.assertEqual((row["id"], row["game"], row["state"]), (room, "battleship", "playing"))
        self.assertEqual((row["moves"], row["watchers"], row["record"]), (6, 0, None))
        self.assertEqual([seat["connected"] for seat in row["seats"]], [True, True])
        self.assertEqual(row["options"]["roles"], "first-defends")

    def test_states(self) -> None:
        wire = self.harness.harness.connect()
        self.assertEqual(self.ada.get("rooms").json[0]["state"], "waiting")
        self.harness.pump()
        wire.leave()
        self.harness.pump()
        self.assertEqual(self.ada.get("rooms").json, [])

    def test_many_ask_at_once(self) -> None:
        self.played()
        self.harness.pump()
        wires = [self.harness.opened("/api/v1/rooms") for _ in range(5)]
        self.assertEqual(len({wire.body for wire in wires}), 1)

    def test_there_is_no_such_room(self) -> None:
        for path in ("rooms/nothing", "rooms/nothing/events"):
            self.assertEqual(self.ada.get(path).code, "no-room")


class WithheldTests(RoomsTestCase):
    def test_only_administrators_see_it(self) -> None:
        room = self.played(3)
        withheld = self.harness.harness.lobby.withheld
        withheld.add(room)
        self.harness.pump(1)
        self.assertEqual(self.ada.get("rooms").json, [])
        for path in (f"rooms/{room}", f"rooms/{room}/events"):
            answer = self.ada.get(path)
            self.assertEqual((answer.status, answer.code), (403, "withheld"), path)
        told = self.harness.opened(f"/api/v1/events?topics=rooms/{room}").body
        self.assertIn(b'event: refused\ndata: {"status":403,"error":{"code":"withheld"', told)
        self.ada.login()
        self.assertEqual(self.ada.get(f"rooms/{room}").json["id"], room)
        withheld.clear()
        self.assertEqual(self.harness.visitor().get(f"rooms/{room}").json["id"], room)


class EndedTests(RoomsTestCase):
    """The address of a room that is not open any longer leads to what was played in it."""

    def ended(self) -> str:
        room = self.played(2)
        self.wires[0].leave()
        self.harness.harness.settle()
        self.harness.pump(7)
        self.assertNotIn(room, self.harness.harness.lobby.rooms)
        return room

    def test_its_record(self) -> None:
        room = self.ended()
        for path in (f"rooms/{room}", f"rooms/{room}/events"):
            answer = self.ada.get(path)
            self.assertEqual((answer.status, answer.code), (404, "room-ended"))
            self.assertEqual(answer.json["error"]["record"], room)
            self.assertIn(f"/records/{room}", answer.json["error"]["hint"])

    def test_a_record_that_is_not_stored_yet(self) -> None:
        room = self.ended()
        self.harness.harness.store.records.clear()
        self.assertEqual(self.ada.get(f"rooms/{room}").code, "no-room")
        self.patch(MatchRecorder, "is_on_its_way", lambda *_: True)
        self.assertEqual(self.ada.get(f"rooms/{room}").code, "room-ended")

    def test_after_a_restart(self) -> None:
        room = self.ended()
        again = WebHarness(self.kind)
        self.addCleanup(again.stop)
        again.harness.store.records.update(self.harness.harness.store.records)
        self.assertEqual(again.visitor().get(f"rooms/{room}").code, "room-ended")

    def test_a_room_without_a_match(self) -> None:
        wire = self.harness.harness.connect()
        (room,) = self.harness.harness.lobby.rooms
        wire.leave()
        self.harness.pump()
        answer = self.ada.get(f"rooms/{room}")
        self.assertEqual((answer.status, answer.code), (404, "no-room"))
        self.assertNotIn("record", answer.json["error"])

    def test_the_beginning_of_an_id_is_not_enough(self) -> None:
        self.assertEqual(self.ada.get(f"rooms/{self.ended()[:8]}").code, "no-room")


class WatchTests(RoomsTestCase):
    def test_a_room_with_its_scene(self) -> None:
        room = self.played(2)
        found = self.ada.get(f"rooms/{room}").json
        self.assertEqual([move["text"] for move in found["moves"]][:2], ["(1,[0,0]).", "(2,[0,0,1])."])
        scene = found["scene"]
        self.assertEqual(scene["board"]["boards"][0]["water"], [0])
        self.assertEqual((scene["phase"], scene["turn"], scene["isLive"]), ("play", [1], True))
        self.assertEqual((scene["outcome"], scene["last"]["n"]), (None, 4))
        self.assertNotIn("you", scene)

    def test_live(self) -> None:
        room = self.played()
        wire = self.harness.opened(f"/api/v1/rooms/{room}/events")
        self.assertEqual(wire.events()[0][2]["moves"], [])
        self.shoot()
        self.shoot()
        events = wire.events()
        self.assertEqual([move["n"] for event in events[1:] for move in event[2]["moves"]], [1, 2, 3, 4])
        self.assertEqual(events[-1][2]["scene"]["board"]["boards"][0]["water"], [0])
        self.assertEqual(self.ada.get("rooms").json[0]["watchers"], 1)

    def test_a_stream_is_neither_compressed_nor_held_back(self) -> None:
        wire = self.harness.opened(f"/api/v1/rooms/{self.played()}/events", accept_encoding="gzip")
        head = wire.transport.value().partition(b"\r\n\r\n")[0].lower()
        self.assertNotIn(b"content-encoding", head)
        self.assertIn(b"x-accel-buffering: no", head)
        self.assertEqual(wire.events()[0][2]["moves"], [])

    def test_to_the_end(self) -> None:
        room = self.played(2)
        wire = self.harness.opened(f"/api/v1/rooms/{room}/events")
        self.wires[0].leave()
        events = wire.events()
        self.assertEqual(events[-1][0], "gone")
        scene = events[-2][2]["scene"]
        self.assertEqual((scene["outcome"], scene["phase"]), ({"termination": "left", "winner": 1}, "over"))
        self.assertEqual((scene["isLive"], scene["record"], scene["turn"]), (False, room, []))
        self.assertTrue(wire.transport.disconnecting)
        self.assertEqual(self.harness.feeds._feeds, {})

    def test_it_is_kept_awake(self) -> None:
        room = self.played()
        wire = self.harness.opened(f"/api/v1/rooms/{room}/events")
        before = wire.body.count(PING)
        self.harness.pump(PING_SECONDS * 3 + 1)
        self.assertEqual(wire.body.count(PING) - before, 3)

    def test_who_does_not_read_is_cut_off(self) -> None:
        room = self.played()
        wire = self.harness.opened(f"/api/v1/rooms/{room}/events")
        length = len(wire.body)
        wire.transport.producer.pauseProducing()
        self.harness.pump(STUCK - 1)
        self.assertEqual((len(wire.body), wire.transport.disconnected), (length, False))
        self.harness.pump(PING_SECONDS + 1)
        self.assertTrue(wire.transport.disconnected)

    def test_nothing_ticks_when_nobody_reads(self) -> None:
        wire = self.harness.opened(f"/api/v1/rooms/{self.played()}/events")
        wire.close()
        self.harness.pump(PING_SECONDS + 1)
        self.assertIsNone(self.harness.feeds.lines._beat)

    def test_who_closes_is_forgotten(self) -> None:
        room = self.played()
        wire = self.harness.opened(f"/api/v1/rooms/{room}/events")
        wire.close()
        self.harness.pump()
        self.assertEqual(self.harness.feeds.watchers(self.harness.harness.lobby.rooms[room]), 0)

    def test_head_and_http_1_0(self) -> None:
        room = self.played()
        self.assertEqual(self.harness.asked("HEAD", f"/api/v1/rooms/{room}/events").status, 200)
        wire = self.harness.sent(f"GET /api/v1/rooms/{room}/events HTTP/1.0\r\nhost: localhost\r\n\r\n".encode())
        self.harness.pump()
        data = wire.transport.value()
        self.assertNotIn(b"chunked", data)
        self.assertIn(b"\r\n\r\nretry: 1000\n\nevent: scene\n", data)

    def test_a_fault_of_ours_costs_the_players_nothing(self) -> None:
        room = self.played()
        feed = self.harness.feeds.of(self.harness.harness.lobby.rooms[room])
        feed.followers[lambda: {}["nothing"]] = None
        self.shoot()
        self.assertEqual(self.wires[0].received.count(b"(1,"), 1)
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 2)


class NextMatchTests(RoomsTestCase):
    kind = "quoridor"

    def test_the_stream_goes_on_with_the_next_match(self) -> None:
        guests = [self.ada, self.harness.visitor()]
        seats = [guest.post("seats", {"game": "quoridor", "name": "Ada"}).json["id"] for guest in guests]
        self.harness.pump()
        room = self.ada.get("rooms").json[0]["id"]
        wire = self.harness.opened(f"/api/v1/rooms/{room}/events")
        self.assertIsNone(wire.events()[0][2]["scene"]["board"])
        views = [guest.get(f"seats/{seat}").json["scene"] for guest, seat in zip(guests, seats, strict=True)]
        self.assertEqual({view["phase"] for view in views}, {"voting"})
        self.assertEqual({view["table"]["status"] for view in views}, {"2p?"})

    def test_the_universe_shows_who_has_voted(self) -> None:
        guests = [self.ada, self.harness.visitor()]
        seats = [guest.post("seats", {"game": "quoridor", "name": "Ada"}).json["id"] for guest in guests]
        self.harness.pump()
        wire = self.harness.opened(f"/api/v1/rooms/{self.ada.get('rooms').json[0]['id']}/events")
        asked = {"worlds": [1, 2], "status": "2p?", "last": None, "voted": [], "awaited": [1, 2]}
        self.assertEqual(wire.events()[0][2]["scene"]["table"], asked)
        guests[0].post(f"seats/{seats[0]}/act", {"do": "vote", "players": 4})
        self.harness.pump()
        waits = asked | {"status": "2pw1a", "voted": [1], "awaited": [2]}
        self.assertEqual(wire.events()[-1][2]["scene"]["table"], waits)


class AuditedTestCase(RoomsTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.audited: list[str] = []
        globalLogPublisher.addObserver(self.audit)
        self.addCleanup(globalLogPublisher.removeObserver, self.audit)

    def audit(self, event: Any) -> None:
        if event.get("log_namespace") == NAMESPACE:
            self.audited.append(f"{event['did']} -> {event['result']}")


class AdministratorTests(AuditedTestCase):
    def did(self, guest: Guest, room: str, name: str, **body: Any) -> int:
        answer = guest.post(f"rooms/{room}/{name}", body)
        self.harness.pump(0.5)
        return answer.status

    def test_only_the_administrator(self) -> None:
        room = self.played()
        for name in ("pause", "resume", "step", "cancel"):
            self.assertEqual(self.did(self.ada, room, name), 401)
        self.assertEqual((self.audited, self.ada.get("rooms").json[0]["state"]), ([], "playing"))

    def test_pause_step_resume_cancel(self) -> None:
        room = self.played()
        self.ada.login()
        wire = self.harness.opened(f"/api/v1/rooms/{room}/events")
        self.assertEqual(self.did(self.ada, room, "pause"), 200)
        self.assertEqual(wire.events()[-1][2]["scene"]["state"], "paused")
        self.assertEqual(self.did(self.ada, room, "pause"), 409)
        self.wires[1].send(b"(1,[0,0]).\n")
        self.assertEqual(self.did(self.ada, room, "step", forced=True), 200)
        self.assertEqual(self.ada.get(f"rooms/{room}").json["scene"]["last"]["n"], 1)
        self.assertEqual(self.did(self.ada, room, "resume"), 200)
        self.assertEqual(self.did(self.ada, room, "resume"), 409)
        self.assertEqual(self.did(self.ada, room, "cancel"), 200)
        self.assertEqual(wire.events()[-2][2]["scene"]["outcome"], {"termination": "cancelled", "winner": None})
        said = [line.replace(room, "ROOM") for line in self.audited]
        self.assertEqual(
            said,
            [
                "pause ROOM -> Room ROOM is paused.",
                "pause ROOM -> failed: room ROOM is paused already",
                "step ROOM --forced -> Room ROOM goes one step.",
                "resume ROOM -> Room ROOM goes on.",
                "resume ROOM -> failed: room ROOM is not paused",
                "cancel ROOM -> Room ROOM is cancelled.",
            ],
        )

    def test_who_has_no_session_opens_nothing(self) -> None:
        answer = self.harness.asked("POST", "/api/v1/rooms", {"game": "battleship"})
        self.assertEqual((answer.status, answer.code), (401, "session"))

    def test_a_game_without_reservations(self) -> None:
        self.assertEqual(self.ada.post("rooms", {"game": "battleship"}).status, 401)
        self.ada.login()
        self.assertEqual(self.ada.post("rooms", {"game": "battleship"}).code, "no-reservations")
        self.assertEqual(self.ada.post("rooms", {"game": "chess"}).code, "no-reservations")


class PrepareTests(AuditedTestCase):
    kind = "hive"

    def record(self) -> str:
        """Have a game played by bots, and return its record's id."""
        seat = self.ada.post("seats", {"game": "hive", "name": "Ada", "bots": ["random"]}).json["id"]
        self.harness.pump(0.3)
        for _ in range(3):
            legal = self.ada.get(f"seats/{seat}").json["scene"]["you"]["legal"]
            # The first one is a bee in a corner, where obstructed fields may enclose it: the game would be over.
            self.assertEqual(self.ada.post(f"seats/{seat}/act", legal[len(legal) // 2]).status, 200)
            self.harness.pump(0.3)
        self.ada.delete(f"seats/{seat}")
        self.harness.pump()
        (record,) = self.harness.harness.store.records
        return record

    def test_prepare(self) -> None:
        self.ada.login()
        made = self.ada.post("rooms", {"game": "hive", "names": ["Ada", "Grace"], "paused": True}).json
        self.assertEqual(len(made["reservations"]), 2)
        self.assertEqual(self.audited, [f"prepare hive -> room={made['room']}"])
        seats = [
            self.harness.visitor().post("seats", {"game": "hive", "name": "x", "reservation": code}).status
            for code in made["reservations"]
        ]
        self.harness.pump()
        self.assertEqual(seats, [200, 200])
        (row,) = self.ada.get("rooms").json
        self.assertEqual((row["id"], row["state"]), (made["room"], "paused"))
        self.assertEqual([seat["name"] for seat in row["seats"]], ["Ada", "Grace"])

    def test_from_a_position_of_a_record(self) -> None:
        record = self.record()
        guest = self.harness.visitor()
        made = guest.post("rooms", {"game": "hive", "from": {"record": record, "move": 4}}).json
        bot = {"strategy": "random", "reservation": made["reservations"][1]}
        seat = guest.post(
            "seats", {"game": "hive", "name": "Grace", "reservation": made["reservations"][0], "bots": [bot]}
        ).json["id"]
        tab = guest.events(f"seats/{seat}")
        self.harness.pump(100)
        tab.close()
        found = guest.get(f"seats/{seat}").json
        self.assertEqual((found["room"], len(found["moves"])), (made["room"], 4))
        self.assertEqual((found["scene"]["turn"], found["scene"]["outcome"]), ([0], None))

    def test_wrong_wishes(self) -> None:
        record = self.record()
        for body, status in (
            ({"game": "hive"}, 401),
            ({"game": "hive", "paused": True, "from": {"record": record}}, 401),
            ({"game": "hive", "from": {"record": 7}}, 400),
            ({"game": "hive", "from": {"record": ""}}, 400),
            ({"game": "hive", "from": {"record": record, "move": "x"}}, 400),
            ({"game": "hive", "from": {"record": record, "move": True}}, 400),
            ({"game": "hive", "from": {"record": record, "move": 999}}, 409),
            ({"game": "hive", "from": {"record": "00000000-0000-4000-8000-000000000000"}}, 404),
            ({"game": "hive", "from": []}, 400),
            ({"game": "hive", "options": {"x": 1}}, 400),
            ({"game": "hive", "names": [7], "from": {"record": record}}, 400),
            ({"game": "hive", "names": ["a", "b", "c"], "from": {"record": record}}, 409),
            ({"game": 7}, 400),
        ):
            answer = self.ada.post("rooms", body)
            self.assertEqual(answer.status, status, (body, answer.body))
            self.assertTrue(answer.json["error"]["text"])
        self.assertEqual(self.ada.get("rooms").json, [])

    def test_not_too_many_that_wait(self) -> None:
        record = self.record()
        wish = {"game": "hive", "from": {"record": record, "move": 2}}
        self.assertEqual([self.ada.post("rooms", wish).status for _ in range(5)], [200] * 4 + [429])
        self.assertEqual(self.harness.visitor().post("rooms", wish).status, 200)

    def test_what_the_session_says(self) -> None:
        game, *_ = self.ada.get("session").json["games"]
        self.assertEqual(game["can"], ["watch", "play", "prepare", "from"])
        self.assertNotIn("secret", json.dumps(game))
