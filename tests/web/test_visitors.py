"""Sessions of browsers: cookies and tokens, other sites' pages, and the administrator's login."""

from __future__ import annotations

import json

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.passwords import MOST_HELD
from gamed.web import visitors as module
from gamed.web.answers import Refusal
from gamed.web.visitors import NOBODY, check_origin
from tests.web.harness import PASSWORD, Guest, PlainSecret, WebHarness, Wire


class VisitorsTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = WebHarness("battleship")
        self.addCleanup(self.harness.stop)
        self.ada = self.harness.visitor()

    @property
    def clock(self) -> object:
        return self.harness.harness.clock


class SessionTests(VisitorsTestCase):
    def test_what_a_session_tells(self) -> None:
        answer = self.harness.asked("GET", "/api/v1/session")
        self.assertEqual(answer.json["admin"], False)
        game, *written = answer.json["games"]
        self.assertEqual([one["can"] for one in written], [["record"]])
        self.assertEqual((game["kind"], game["name"], game["can"]), ("battleship", "Battleship", ["watch", "play"]))
        self.assertIn("density", game["bots"])
        self.assertNotIn("seed", game["options"])

    def test_two_daemons_on_a_host_have_cookies_of_their_own(self) -> None:
        for host, name in (
            ("localhost:8054", "gamed-8054"),
            ("localhost:8055", "gamed-8055"),
            ("localhost", "gamed-80"),
            ("[::1]:8055", "gamed-8055"),
            ("localhost:x;y", "gamed-80"),
        ):
            cookie = self.harness.asked("GET", "/api/v1/session", host=host).headers["set-cookie"].partition(";")[0]
            self.assertEqual(cookie.partition("=")[0], name)
            # The other's cookie comes along, and changes nothing.
            both = f"gamed-1=x; {cookie}; gamed-8056=y"
            self.assertEqual(self.harness.asked("GET", "/api/v1/seats", host=host, cookie=both).status, 200)

    def test_the_cookie(self) -> None:
        cookie = self.harness.asked("GET", "/api/v1/session").headers["set-cookie"]
        self.assertRegex(cookie, r"^gamed-8054=[\w-]{32}; Path=/; HttpOnly; SameSite=Strict$")

    def test_it_stays(self) -> None:
        again = self.ada.get("session")
        self.assertEqual(again.json["token"], self.ada.token)
        self.assertEqual(len(self.harness.visitors), 1)

    def test_only_the_session_page_begins_one(self) -> None:
        for path in ("rooms", "rooms/x", "nothing"):
            self.assertNotIn("set-cookie", self.harness.asked("GET", f"/api/v1/{path}").headers)
        self.assertEqual(len(self.harness.visitors), 1)

    def test_it_ends_after_a_long_silence_but_not_while_a_seat_is_held(self) -> None:
        self.patch(module, "EXPIRES", 900.0)
        seat = self.ada.post("seats", {"game": "battleship", "name": "Ada"}).json["id"]
        other = self.harness.visitor()
        tab = self.ada.events(f"seats/{seat}")
        for _ in range(10):
            self.clock.advance(100)
        self.assertIs(self.harness.visitors.find(other.cookie.partition("=")[2]), NOBODY)
        self.assertIsNot(self.harness.visitors.find(self.ada.cookie.partition("=")[2]), NOBODY)
        tab.close()

    def test_there_are_not_too_many(self) -> None:
        self.patch(module, "MOST", 3)
        guests = [
            self.harness.visitor("192.0.2.1"),
            self.harness.visitor("192.0.2.2"),
            self.harness.visitor("192.0.2.3"),
        ]
        self.assertEqual(len(self.harness.visitors), 3)
        # Who was silent longest is forgotten.
        self.assertEqual(self.ada.post("session/logout").status, 401)
        self.assertEqual(guests[0].post("session/logout").status, 200)
        self.harness.visitor("192.0.2.4")
        self.assertEqual([guest.post("session/logout").status for guest in guests], [200, 401, 200])

    def test_nor_of_one_address(self) -> None:
        self.patch(module, "MOST_OF_ADDRESS", 2)
        self.harness.visitor("192.0.2.1")
        crowd = [self.harness.visitor("192.0.2.1") for _ in range(5)]
        self.assertEqual(self.ada.get("session").json["token"], self.ada.token)
        self.assertEqual(len(self.harness.visitors), 3)
        for guest in crowd[-2:]:
            self.assertEqual(guest.post("seats", {"game": "battleship", "name": "x"}).status, 200)
        # All of them hold seats.
        self.assertEqual(self.harness.asked("GET", "/api/v1/session", address="192.0.2.1").code, "sessions")


class ForgeryTests(VisitorsTestCase):
    def seats(self, **headers: str) -> tuple[int, str]:
        given = {"cookie": self.ada.cookie, "x_gamed_token": self.ada.token, **headers}
        headers = {name: value for name, value in given.items() if value}
        answer = self.harness.asked("POST", "/api/v1/seats", {"game": "battleship", "name": "Eve"}, **headers)
        return answer.status, "" if answer.status == 200 else answer.code

    def test_the_right_one(self) -> None:
        own = {"origin": "http://localhost:8054", "sec_fetch_site": "same-origin"}
        self.assertEqual(self.seats(**own), (200, ""))
        self.assertEqual(self.seats(host="127.0.0.1:8054", origin="http://127.0.0.1:8054"), (200, ""))
        ours = self.ada.cookie.replace("gamed-8054", "gamed-80")
        self.assertEqual(self.seats(host="localhost", origin="https://LOCALHOST", cookie=ours), (200, ""))

    def test_forged_tokens(self) -> None:
        other = self.harness.visitor()
        for token in ("", "x", other.token, self.ada.token[:-1], self.ada.token + "x", "\u00e4"):
            self.assertEqual(self.seats(x_gamed_token=token), (403, "token"), token)

    def test_forged_cookies(self) -> None:
        for cookie in ("", "gamed-8054=x", "gamed-8054=", "other=" + self.ada.cookie.partition("=")[2]):
            self.assertEqual(self.seats(cookie=cookie), (401, "session"), cookie)

    def test_other_sites(self) -> None:
        for headers in (
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": "http://localhost:8055"},
            {"origin": "http://localhost:8054.evil.example"},
            {"origin": "http://[bad"},
            {"sec_fetch_site": "cross-site"},
            {"sec_fetch_site": "same-site"},
            {"sec_fetch_site": "none"},
        ):
            self.assertEqual(self.seats(**headers), (403, "origin"), headers)
        self.assertEqual(self.harness.seats.player_sessions, {})

    def test_other_sites_may_not_even_look(self) -> None:
        for headers in ({"sec_fetch_site": "cross-site"}, {"origin": "http://evil.example"}):
            answer = self.harness.asked("GET", "/api/v1/rooms", **headers)
            self.assertEqual((answer.status, answer.code), (403, "origin"))
            self.assertNotIn("access-control-allow-origin", answer.headers)
        check_origin({"sec-fetch-site": "none"}, "GET")
        with self.assertRaises(Refusal):
            check_origin({"sec-fetch-site": "none"}, "DELETE")


class AdministratorTests(VisitorsTestCase):
    def test_login_and_logout(self) -> None:
        old = Guest(self.harness, self.ada.cookie, self.ada.token, self.ada.address)
        self.assertEqual(self.ada.login().json["admin"], True)
        self.assertNotEqual((self.ada.cookie, self.ada.token), (old.cookie, old.token))
        # Who knows the old cookie has nothing of it.
        self.assertEqual(old.post("session/logout").status, 401)
        self.assertEqual([operator.via for operator in self.harness.operators], ["web"])
        self.assertEqual(self.ada.get("session").json["admin"], True)
        self.assertEqual(self.ada.post("session/logout").json["admin"], False)
        self.assertEqual((list(self.harness.operators), self.ada.get("session").json["admin"]), ([], False))

    def test_each_request_comes_from_its_own_port(self) -> None:
        self.ada.login()
        (operator,) = self.harness.operators
        ports = []
        for _ in range(2):
            self.ada.get("session")
            ports.append(operator.port)
            self.assertEqual(operator.name, f"user=admin from=web {self.ada.address}:{operator.port}")
        self.assertEqual(ports[1], ports[0] + 1)

    def test_each_account_has_its_name(self) -> None:
        self.harness.accounts.secrets["anna"] = PlainSecret("Mohn")
        self.assertEqual(self.ada.login("Mohn").status, 403)
        self.assertEqual(self.ada.login("Mohn", "anna").status, 200)
        self.assertEqual([operator.user for operator in self.harness.operators], ["anna"])

    def test_wrong_passwords_are_answered_late(self) -> None:
        began = self.clock.seconds()
        answer = self.ada.login("wrong")
        self.assertEqual((answer.status, answer.code), (403, "password"))
        self.assertGreaterEqual(self.clock.seconds() - began, 1)
        self.assertEqual(self.ada.login(user="root").status, 403)
        self.assertEqual(self.ada.login("x" * 5_000).status, 403)
        self.assertEqual(self.harness.harness.lobby.stats.wrong_passwords, {"web": 2})
        self.assertEqual(self.ada.login().status, 200)

    def login_sent(self, guest: Guest, password: str) -> Wire:
        """Send a login on a connection of its own, and wait for nothing."""
        body = json.dumps({"user": "admin", "password": password})
        head = f"cookie: {guest.cookie}\r\nx-gamed-token: {guest.token}\r\ncontent-length: {len(body)}"
        data = f"POST /api/v1/session/login HTTP/1.1\r\nhost: localhost:8054\r\n{head}\r\n"
        return self.harness.sent(f"{data}content-type: application/json\r\n\r\n{body}".encode(), guest.address)

    def test_the_right_one_is_answered_at_once_whatever_else_its_address_sends(self) -> None:
        wires = [self.login_sent(self.ada, "wrong") for _ in range(MOST_HELD + 20)]
        self.assertEqual(sum(not wire.transport.value() for wire in wires), MOST_HELD)
        bea = self.harness.visitor()
        self.assertEqual(self.login_sent(bea, PASSWORD).transport.value()[9:12], b"200")
        self.harness.pump(31)
        self.assertEqual({wire.transport.value()[9:12] for wire in wires}, {b"403"})

    def test_where_an_administrator_is_wrong_ones_are_answered_at_once(self) -> None:
        self.harness.visitor().login()
        self.assertEqual(self.login_sent(self.ada, "wrong").transport.value()[9:12], b"403")
        other = self.harness.visitor("192.0.2.7")
        self.assertEqual(self.login_sent(other, "wrong").transport.value(), b"")

    def test_a_password_without_a_session(self) -> None:
        answer = self.harness.asked("POST", "/api/v1/session/login", {"user": "admin", "password": "x"})
        self.assertEqual(answer.status, 401)

    def test_silence_ends_it(self) -> None:
        self.ada.login()
        for _ in range(3):
            self.clock.advance(self.harness.operators.idle_seconds - 60)
            self.assertEqual(self.ada.get("session").json["admin"], True)
        self.clock.advance(self.harness.operators.idle_seconds + 1)
        self.assertEqual(self.ada.get("session").json["admin"], False)

    def test_a_session_that_ends_while_the_password_is_looked_at(self) -> None:
        visitor = self.harness.visitors.find(self.ada.cookie.partition("=")[2])
        logged_in = self.harness.visitors.login(visitor, "admin", "wrong", "192.0.2.1", 4711)
        self.harness.visitors.forget(visitor)
        self.clock.advance(2)
        self.failureResultOf(logged_in, Refusal)
