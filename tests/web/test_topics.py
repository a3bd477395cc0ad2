"""Several streams over one connection: whose events are whose, what cannot be read, what was missed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gamed.web.events import PING, PING_SECONDS
from gamed.web.topics import MOST_TOPICS
from tests.web.harness import Guest, Wire
from tests.web.test_seats import SeatsTestCase


class TopicsTests(SeatsTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.seats = [self.sit(self.ada), self.sit(self.grace, name="Grace")]
        self.room = self.ada.get(f"seats/{self.seats[0]}").json["room"]

    def opened(self, guest: Guest | None, *topics: str) -> Wire:
        cookie = {} if guest is None else {"cookie": guest.cookie}
        wire = self.harness.opened(f"/api/v1/events?topics={','.join(topics)}", **cookie)
        self.harness.pump()
        return wire

    def sorted(self, wire: Wire, count: int) -> Sequence[list[tuple[str, str, Any]]]:
        """Return the events of each topic."""
        found: list[list[tuple[str, str, Any]]] = [[] for _ in range(count)]
        number = None
        for event in wire.events():
            if event[0] == "topic":
                number = event[2]
            else:
                found[number].append(event)
        return found

    def test_each_topic_has_the_events_of_its_own_stream(self) -> None:
        topics = (f"rooms/{self.room}", f"seats/{self.seats[0]}")
        wire = self.opened(self.ada, *topics)
        alone = [self.harness.opened(f"/api/v1/{topic}/events", cookie=self.ada.cookie) for topic in topics]
        for guest, seat in ((self.ada, self.seats[0]), (self.grace, self.seats[1])):
            self.act(guest, seat, do="ready")
            self.act(guest, seat, do="shoot", at=[0, 0])
        self.harness.pump()
        for events, single in zip(self.sorted(wire, 2), alone, strict=True):
            self.assertEqual(events[-1], single.events()[-1])
            self.assertGreater(len(events), 1)

    def test_two_windows_of_one_room_are_two_topics(self) -> None:
        wire = self.opened(None, f"rooms/{self.room}", f"rooms/{self.room}")
        self.assertEqual(len({str(events) for events in self.sorted(wire, 2)}), 1)
        self.assertEqual(self.ada.get("rooms").json[0]["watchers"], 2)
        wire.close()
        self.harness.pump()
        self.assertEqual(self.ada.get("rooms").json[0]["watchers"], 0)

    def test_what_cannot_be_read_is_refused_alone(self) -> None:
        wire = self.opened(self.ada, f"seats/{self.seats[1]}", "rooms/none", "seats/none", "x", f"rooms/{self.room}")
        *refused, room = self.sorted(wire, 5)
        self.assertEqual(
            [[(kind, data["status"], data["error"]["code"]) for kind, _, data in events] for events in refused],
            [
                [("refused", 403, "not-yours")],
                [("refused", 404, "no-room")],
                [("refused", 404, "no-seat")],
                [("refused", 404, "not-found")],
            ],
        )
        self.assertEqual([event[0] for event in room], ["scene"])

    def test_a_seat_is_its_visitors_alone(self) -> None:
        for guest, status in ((None, 401), (self.grace, 403)):
            (events,) = self.sorted(self.opened(guest, f"seats/{self.seats[0]}"), 1)
            self.assertEqual([(kind, data["status"]) for kind, _, data in events], [("refused", status)])

    def test_another_connection_goes_on_where_the_first_one_ended(self) -> None:
        topics = (f"rooms/{self.room}", f"seats/{self.seats[0]}")
        first = self.sorted(self.opened(self.ada, *topics), 2)
        for guest, seat in ((self.ada, self.seats[0]), (self.grace, self.seats[1])):
            self.act(guest, seat, do="ready")
            self.act(guest, seat, do="shoot", at=[0, 0])
        last = [events[-1][1] for events in first]
        again = self.sorted(self.opened(self.ada, *(f"{name}@{at}" for name, at in zip(topics, last, strict=True))), 2)
        for events in again:
            self.assertNotIn("reset", events[0][2])
            self.assertEqual([move["n"] for event in events for move in event[2]["moves"]][:2], [1, 2])

    def test_the_end_of_one_is_not_the_end_of_all(self) -> None:
        wire = self.opened(self.ada, f"seats/{self.seats[0]}", f"seats/{self.sit(self.ada)}")
        self.ada.delete(f"seats/{self.seats[0]}")
        self.harness.pump()
        first, second = self.sorted(wire, 2)
        self.assertEqual((first[-1][0], second[-1][0]), ("gone", "scene"))
        self.assertFalse(wire.transport.disconnecting)
        # A ping may be on its way: it is sent in a slice of a later turn.
        self.harness.pump(0.1)
        before = wire.body.count(PING)
        self.harness.pump(PING_SECONDS)
        self.assertEqual(wire.body.count(PING) - before, 1)

    def test_how_many(self) -> None:
        for count, status in ((MOST_TOPICS, 200), (MOST_TOPICS + 1, 400)):
            topics = ",".join([f"rooms/{self.room}"] * count)
            self.assertEqual(self.harness.asked("GET", f"/api/v1/events?topics={topics}").status, status, count)
        self.assertEqual(self.harness.asked("GET", "/api/v1/events").code, "topics")
