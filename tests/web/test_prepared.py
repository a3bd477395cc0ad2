"""Prepared rooms: their codes stay with who has made them."""

from __future__ import annotations

import json
from io import BytesIO

import segno
from twisted.trial.unittest import SynchronousTestCase

from tests.web.harness import WebHarness


class PreparedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = WebHarness("hive")
        self.addCleanup(self.harness.stop)
        self.ada = self.harness.visitor()
        self.ada.login()
        self.made = self.ada.post("rooms", {"game": "hive", "names": ["Grace"]}).json

    def test_the_maker_finds_them_again(self) -> None:
        (room,) = self.ada.get("prepared").json
        self.assertEqual(
            (room["room"], room["game"], room["port"], room["tls"]), (self.made["room"], "hive", 13_050, False)
        )
        self.assertEqual([seat["code"] for seat in room["seats"]], self.made["reservations"])
        self.assertEqual(
            [(seat["seat"], seat["name"], seat["isUsed"]) for seat in room["seats"]],
            [(0, "Grace", False), (1, "", False)],
        )
        self.assertEqual(room["seats"][1]["link"], f"/?play=hive#{self.made['reservations'][1]}")

    def test_nobody_else_finds_them(self) -> None:
        other = self.harness.visitor()
        path = f"prepared/{self.made['room']}/0/qr"
        self.assertEqual((other.get("prepared").json, other.get(path).code), ([], "no-code"))
        other.login()
        self.assertEqual((other.get("prepared").json, other.get(path).code), ([], "no-code"))
        for place in ("prepared", path):
            self.assertEqual(self.harness.asked("GET", f"/api/v1/{place}").code, "session")

    def test_used_codes_are_marked(self) -> None:
        seat = {"game": "hive", "name": "x", "reservation": self.made["reservations"][1]}
        self.assertEqual(self.harness.visitor().post("seats", seat).status, 200)
        self.harness.pump()
        (room,) = self.ada.get("prepared").json
        self.assertEqual([seat["isUsed"] for seat in room["seats"]], [False, True])
        self.assertEqual(self.ada.get(f"prepared/{self.made['room']}/1/qr").code, "no-code")

    def test_the_link_as_a_picture(self) -> None:
        answer = self.ada.get(f"prepared/{self.made['room']}/1/qr")
        self.assertEqual(
            (answer.headers["content-type"], answer.headers["cache-control"]), ("image/svg+xml", "no-store")
        )
        self.assertEqual(answer.body, self.picture("http"))
        self.assertEqual(self.ada.get(f"prepared/{self.made['room']}/1/qr?scheme=https").body, self.picture("https"))

    def picture(self, scheme: str) -> bytes:
        svg = BytesIO()
        link = f"{scheme}://localhost:8054/?play=hive#{self.made['reservations'][1]}"
        segno.make(link, micro=False).save(svg, kind="svg", scale=4, light="white")
        return svg.getvalue()

    def test_a_closed_room_is_forgotten(self) -> None:
        self.ada.post(f"rooms/{self.made['room']}/cancel")
        self.harness.pump()
        self.assertEqual(self.ada.get("prepared").json, [])

    def test_the_lobby_says_that_seats_are_reserved(self) -> None:
        (row,) = self.harness.visitor().get("rooms").json
        self.assertEqual((row["free"], row["reserved"]), (0, 2))
        self.assertNotIn(self.made["reservations"][0], json.dumps(row))
        wish = {"game": "hive", "name": "Linus", "room": self.made["room"]}
        self.assertEqual(self.harness.visitor().post("seats", wish).code, "room-taken")
