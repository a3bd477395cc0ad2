"""A person who chooses a room sits down in that room, or learns that it is full."""

from __future__ import annotations

from typing import Any

from gamed.games.quoridor import Settings
from tests.web.harness import WebHarness
from tests.web.test_seats import SeatsTestCase


class ChoosingTests(SeatsTestCase):
    """`kind`: the game, whose rooms are all filled by `others` more people."""

    others = 1

    def row(self, room: str) -> dict[str, Any]:
        """Return what the lobby says of a room."""
        self.harness.pump(1)
        (found,) = [row for row in self.ada.get("rooms").json if row["id"] == room]
        return dict(found)

    def waiting(self) -> str:
        """Return a room in which somebody waits."""
        seat = self.sit(self.grace, name="Grace")
        return str(self.grace.get(f"seats/{seat}").json["room"])

    def test_the_chosen_room_is_taken(self) -> None:
        room = self.waiting()
        self.assertEqual(self.row(room)["reserved"], 0)
        self.assertGreaterEqual(self.row(room)["free"], 1)
        seat = self.sit(self.ada, name="Ada", room=room)
        self.assertEqual(self.ada.get(f"seats/{seat}").json["room"], room)
        self.harness.pump(1)
        names = [one["name"] for one in self.ada.get(f"seats/{seat}").json["scene"]["seats"]]
        self.assertEqual(names, ["Grace", "Ada"])

    def test_no_other_room_takes_its_place(self) -> None:
        room = self.waiting()
        # Somebody is faster: nobody is seated elsewhere instead.
        for number in range(self.others):
            self.sit(self.harness.visitor(f"192.0.2.{number + 20}"), name=f"Linus{'abcdefg'[number]}")
        self.harness.pump(1)
        self.assertEqual(self.refused(self.ada, room=room), (409, "room-taken"))
        self.assertEqual(self.ada.get("seats").json, [])

    def test_two_are_as_fast(self) -> None:
        room = self.waiting()
        guests = [self.harness.visitor(f"192.0.2.{number + 20}") for number in range(self.others + 1)]
        names = (f"Linus{'abcdefgh'[number]}" for number in range(len(guests)))
        wishes = [{"game": self.kind, "name": name, "room": room} for name in names]
        answers = [guest.post("seats", wish) for guest, wish in zip(guests, wishes, strict=True)]
        self.harness.pump(2)
        # Where the server knows at once, it refuses at once; else the seat says why it has ended.
        late = [
            answer.code if answer.status != 200 else guest.get(f"seats/{answer.json['id']}").json["scene"]["refused"]
            for guest, answer in zip(guests, answers, strict=True)
        ]
        self.assertEqual(late, [None] * self.others + ["room-taken"])
        self.assertEqual([one.id for one in self.harness.harness.lobby.rooms_of(self.kind)], [room])

    def test_rooms_that_cannot_be_chosen(self) -> None:
        private = self.sit(self.grace, bots=["random" if self.kind != "battleship" else "density"])
        room = self.grace.get(f"seats/{private}").json["room"]
        self.assertEqual((self.row(room)["free"], self.refused(self.ada, room=room)), (0, (409, "room-taken")))
        self.assertEqual(self.refused(self.ada, room="nothing"), (409, "room-taken"))
        self.assertEqual(self.refused(self.ada, room=room, reservation="x"), (400, "room-alone"))
        self.assertEqual(self.refused(self.ada, room=7), (400, "type"))


class ChoosingQuoridorTests(ChoosingTests):
    kind = "quoridor"

    def setUp(self) -> None:
        self.harness = WebHarness(self.kind, Settings(tables=0))
        self.addCleanup(self.harness.stop)
        self.ada, self.grace = self.harness.visitor(), self.harness.visitor("192.0.2.9")

    def test_a_table_that_is_not_the_oldest(self) -> None:
        voters = [(self.harness.visitor(), name) for name in ("Linusa", "Linusb")]
        seats = [self.sit(voter, name=name) for voter, name in voters]
        second = self.waiting()
        for (voter, _), seat in zip(voters, seats, strict=True):
            self.act(voter, seat, do="vote", players=4)
        first = voters[0][0].get(f"seats/{seats[0]}").json["room"]
        self.assertEqual([self.row(room)["free"] > 0 for room in (first, second)], [True, True])
        seat = self.sit(self.ada, name="Ada", room=second)
        self.assertEqual(self.ada.get(f"seats/{seat}").json["room"], second)
        self.assertNotEqual(first, second)

    def test_who_is_left_behind_is_seated_anywhere(self) -> None:
        """The choice holds for the first seat: a table that has ended can be nobody's next one."""
        room = self.waiting()
        seat = self.sit(self.ada, name="Ada", room=room)
        (one,) = (
            player_session
            for player_session in self.harness.seats.player_sessions.values()
            if player_session.id == seat
        )
        self.assertIsNone(one.loopback.session.wanted)


class ChoosingRoboRallyTests(ChoosingTests):
    kind, others = "roborally", 7


class ChoosingHiveTests(ChoosingTests):
    kind = "hive"

    def test_two_rooms_wait(self) -> None:
        reception: Any = self.harness.harness.factory.reception
        rooms = [reception.rooms.open(reception.rooms.seasons[self.kind], (), paused=False) for _ in range(2)]
        seat = self.sit(self.ada, name="Ada", room=rooms[1].id)
        self.assertEqual(self.ada.get(f"seats/{seat}").json["room"], rooms[1].id)
