"""Private tables: a link for friends, and programs that fill the places that are left."""

from __future__ import annotations

from typing import Any

from tests.web.harness import Guest
from tests.web.test_seats import SeatsTestCase


class PrivateTableTests(SeatsTestCase):
    strategy = "density"
    most = 1
    """Others at the table."""

    def invite(self, friends: int = 1) -> tuple[str, str]:
        """Open a table; return the seat and the code."""
        seat = self.sit(self.ada, friends=friends)
        code = self.ada.get(f"seats/{seat}").json["invitation"]
        self.assertRegex(code, r"^[\w-]{16}$")
        return seat, code

    def names(self, guest: Guest, seat: str) -> list[str]:
        return [one["name"] for one in guest.get(f"seats/{seat}").json["scene"]["seats"]]

    def bring(self, seat: str, strategy: str | None = None) -> Any:
        answer = self.ada.post(f"seats/{seat}/bots", {"strategy": strategy or self.strategy})
        self.harness.pump(1)
        return answer

    def begins(self, *players: tuple[Guest, str]) -> None:
        """See that the match begins; in Quoridor, after a vote."""
        for guest, seat in players:
            scene = guest.get(f"seats/{seat}").json["scene"]
            self.assertNotEqual(scene["state"], "waiting")

    def test_a_friend_sits_down_by_the_link_and_nobody_else_does(self) -> None:
        seat, code = self.invite()
        stranger = self.sit(self.harness.visitor("192.0.2.10"), name="Linus")
        friend = self.sit(self.grace, name="Grace", reservation=code)
        self.assertEqual(self.names(self.ada, seat), ["Ada", "Grace"])
        facts = self.grace.get(f"seats/{friend}").json
        self.assertEqual((facts["invitation"], facts["isGuest"]), (None, True))
        self.begins((self.ada, seat), (self.grace, friend))
        self.assertTrue(stranger)

    def test_the_code_works_as_long_as_there_is_a_place(self) -> None:
        seat, code = self.invite()
        self.sit(self.grace, name="Grace", reservation=code)
        late = self.harness.visitor("192.0.2.10")
        self.assertEqual(self.refused(late, name="Linus", reservation=code), (409, "no-place"))
        self.assertEqual(self.refused(late, name="Linus", reservation="x" * 16)[1], "reservation")
        self.ada.delete(f"seats/{seat}")
        self.harness.pump(2)
        self.assertEqual(self.refused(late, name="Linus", reservation=code), (404, "reservation"))

    def test_a_program_instead(self) -> None:
        seat, code = self.invite()
        self.assertEqual(self.bring(seat, "no-such").code, "bots")
        self.assertEqual(self.bring(seat).status, 200)
        self.assertEqual(self.names(self.ada, seat), ["Ada", self.strategy])
        self.begins((self.ada, seat))
        self.assertEqual(self.bring(seat).code, "no-place")
        self.assertEqual(self.refused(self.grace, name="Grace", reservation=code)[1], "no-place")
        self.assertEqual(self.grace.post(f"seats/{seat}/bots", {"strategy": self.strategy}).code, "not-yours")

    def test_the_host_who_leaves_closes_the_table(self) -> None:
        seat, _ = self.invite(self.most)
        self.ada.delete(f"seats/{seat}")
        self.harness.pump(60)
        self.assertEqual([room for room in self.harness.harness.lobby.rooms.values() if not room.is_closed], [])

    def test_without_an_invitation_nobody_is_brought(self) -> None:
        seat = self.sit(self.ada)
        self.assertIsNone(self.ada.get(f"seats/{seat}").json["invitation"])
        self.assertEqual(self.bring(seat).code, "no-place")
        for friends in (-1, 9):
            self.assertEqual(self.refused(self.grace, friends=friends), (400, "bots"))
        self.assertEqual(self.refused(self.grace, friends=1, room="x"), (400, "room-alone"))

    def test_somebody_else_s_seat_says_where_to_go(self) -> None:
        seat, _ = self.invite()
        answer = self.grace.get(f"seats/{seat}")
        self.assertEqual((answer.status, answer.code), (403, "not-yours"))
        self.assertEqual(answer.json["error"]["room"], self.ada.get(f"seats/{seat}").json["room"])


class PrivateHiveTableTests(PrivateTableTests):
    kind, strategy = "hive", "random"


class PrivateQuoridorTableTests(PrivateTableTests):
    kind, strategy, most = "quoridor", "random", 3

    def begins(self, *players: tuple[Guest, str]) -> None:
        for guest, seat in players:
            self.act(guest, seat, do="vote", players=2)
        self.harness.pump(1)
        super().begins(*players)

    def test_a_program_and_two_friends(self) -> None:
        seat, code = self.invite(3)
        others = [self.harness.visitor(f"192.0.2.{n}") for n in (20, 21)]
        friends = [self.sit(other, name=name, reservation=code) for other, name in zip(others, "BC", strict=True)]
        self.bring(seat)
        for guest, one in ((self.ada, seat), *zip(others, friends, strict=True)):
            self.act(guest, one, do="vote", players=4)
        self.harness.pump(3)
        self.assertEqual(self.names(self.ada, seat), ["Ada", "B", "C", "random"])
        self.assertEqual(self.ada.get(f"seats/{seat}").json["scene"]["state"], "playing")


class PrivateRoboRallyTableTests(PrivateTableTests):
    kind, strategy, most = "roborally", "random", 3

    def test_friends_and_programs(self) -> None:
        seat, code = self.invite(3)
        self.sit(self.grace, name="Grace", reservation=code)
        self.assertEqual(self.ada.get(f"seats/{seat}").json["scene"]["state"], "waiting")
        self.bring(seat)
        self.bring(seat)
        self.assertEqual(self.names(self.ada, seat), ["Ada", "Grace", "random", "randomA"])
        self.assertEqual(self.ada.get(f"seats/{seat}").json["scene"]["state"], "playing")

    def test_a_friend_who_leaves_before_makes_place_for_another(self) -> None:
        seat, code = self.invite(self.most)
        friend = self.sit(self.grace, name="Grace", reservation=code)
        self.grace.delete(f"seats/{friend}")
        self.harness.pump(1)
        self.assertTrue(self.ada.get(f"seats/{seat}").json["isLive"])
        self.sit(self.grace, name="Grace", reservation=code)
        self.assertEqual(self.names(self.ada, seat)[:2], ["Ada", "Grace"])


class SecondSeatTests(SeatsTestCase):
    """Another game on changed seats: the program has the first one."""

    def test_a_bot_with_the_first_seat(self) -> None:
        seat = self.sit(self.ada, bots=["density"], second=True)
        scene = self.ada.get(f"seats/{seat}").json["scene"]
        self.assertEqual([one["name"] for one in scene["seats"]], ["density", "Ada"])
        self.assertEqual(scene["you"]["seat"], 1)
        self.ada.delete(f"seats/{seat}")
        self.harness.pump()
        self.assertEqual(self.harness.harness.factory.limits.count, 0)

    def test_nobody_stays_where_the_last_one_is_refused(self) -> None:
        limits = self.harness.harness.factory.limits
        self.patch(limits, "total", 1)
        for second in (False, True):
            status, _ = self.refused(self.ada, bots=["density"], second=second)
            self.assertEqual(status, 503)
            self.harness.pump()
            self.assertEqual(limits.count, 0)
            self.assertFalse(any(one["isLive"] for one in self.ada.get("seats").json))

    def test_nobody_is_invited_by_who_was_refused(self) -> None:
        self.patch(self.harness.harness.factory.limits, "total", 0)
        self.assertEqual(self.refused(self.ada, friends=1)[0], 503)
        self.assertEqual(self.harness.seats._inviters, {})
