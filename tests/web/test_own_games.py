"""Whose games are whose: those of a browser, and those of programs at the visitor's address."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from gamed.web.visitors import MOST_AT_HOME
from tests.web.harness import Guest, Reply, WebHarness
from tests.web.test_addresses import HOSTS, Played
from tests.web.test_archive import archive

KEY = "0123456789abcdef01234567"


class ProgramTests(SynchronousTestCase):
    """A game of two programs, as a visitor at the address of one of them finds it."""

    def setUp(self) -> None:
        self.played = Played(self, "battleship", shows=False)
        self.record = self.played.play()

    def listed(self, address: str, query: str = "", method: str = "GET") -> list[dict[str, object]]:
        answer = self.played.harness.asked(method, f"/api/v1/records{query}", address=address)
        found: list[dict[str, object]] = answer.json["records"]
        return found

    def named(self, address: str) -> list[str]:
        (game,) = self.listed(address)
        return [seat["name"] for seat in game["seats"]]  # type: ignore[attr-defined]

    def test_at_their_own_address_games_are_marked_and_found(self) -> None:
        for address in HOSTS:
            (game,) = self.listed(address, "?own=1")
            self.assertEqual((game["id"], game["own"]), (self.record, True))
        (game,) = self.listed("198.51.100.9")
        self.assertIs(game["own"], False)
        self.assertEqual(self.listed("198.51.100.9", "?own=1"), [])

    def test_one_s_own_address_is_a_name_and_that_of_others_is_not(self) -> None:
        first, second = self.named(HOSTS[0])
        self.assertTrue(first.startswith(f"{HOSTS[0]}:"), first)
        self.assertEqual(second, "")
        self.assertEqual(self.named("198.51.100.9"), ["", ""])

    def test_an_address_of_many_browsers_is_nobody_s(self) -> None:
        for _ in range(MOST_AT_HOME):
            self.played.harness.visitor(HOSTS[0])
        self.assertEqual(len(self.listed(HOSTS[0], "?own=1")), 1)
        self.played.harness.visitor(HOSTS[0])
        self.assertEqual(self.listed(HOSTS[0], "?own=1"), [])
        self.assertEqual(self.named(HOSTS[0]), ["", ""])

    def test_no_answer_says_from_where_a_game_was_played(self) -> None:
        for path in ("records", f"records/{self.record}", f"records/{self.record}/file"):
            said = self.played.harness.asked("GET", f"/api/v1/{path}", address=HOSTS[0]).body.decode()
            self.assertNotIn("owners", said)
            self.assertNotIn(HOSTS[1], said)


class BrowserTests(SynchronousTestCase):
    """A browser knows its games again, after the session has ended and from elsewhere, too."""

    def setUp(self) -> None:
        self.harness = WebHarness("battleship")
        self.addCleanup(self.harness.stop)
        self.archive = archive(self.harness.harness.store)
        self.archive.owners = self.harness.visitors.owners
        self.harness.routes += self.archive.routes

    def visitor(self, key: str, address: str) -> tuple[Guest, Reply]:
        answer = self.harness.asked("GET", "/api/v1/session", None, address, x_gamed_browser=key)
        cookie = answer.headers["set-cookie"].partition(";")[0]
        return Guest(self.harness, cookie, answer.json["token"], address), answer

    def test_a_game_against_a_program(self) -> None:
        ada, answer = self.visitor("", "203.0.113.1")
        key = answer.json["browser"]
        self.assertRegex(key, "^[0-9a-f]{24}$")
        seat = ada.post("seats", {"game": "battleship", "name": "Ada", "bots": [{"strategy": "density"}]}).json["id"]
        self.harness.pump(2)
        ada.delete(f"seats/{seat}")
        self.harness.harness.settle()
        self.harness.pump(7)
        elsewhere, again = self.visitor(key, "203.0.113.2")
        self.assertEqual(again.json["browser"], key)
        (game,) = elsewhere.get("records?own=1").json["records"]
        self.assertIs(game["own"], True)
        other, _ = self.visitor(KEY, "203.0.113.3")
        self.assertEqual(other.get("records?own=1").json["records"], [])
        self.assertEqual(len(other.get("records").json["records"]), 1)

    def test_a_key_that_is_none_is_replaced(self) -> None:
        for key in ("", "x", KEY.upper(), f"{KEY}0", "203.0.113.77"):
            _, answer = self.visitor(key, "203.0.113.1")
            self.assertRegex(answer.json["browser"], "^[0-9a-f]{24}$")
            self.assertNotEqual(answer.json["browser"], key)
        _, answer = self.visitor(KEY, "203.0.113.1")
        self.assertEqual(answer.json["browser"], KEY)
