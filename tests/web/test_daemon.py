"""A real daemon: people and bots play whole games of each kind over HTTP, and watch them.

Persons act on what they are shown alone: each takes the first or some legal thing.
"""

from __future__ import annotations

import gzip
import http.client
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.daemon import free_port, running

Act = Mapping[str, Any]


class Browser:
    """A browser with a session, one request a connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.headers: dict[str, str] = {}
        _, cookie, session = self.asked("GET", "session")
        self.headers = {"cookie": cookie.partition(";")[0], "x-gamed-token": session["token"]}

    def asked(self, method: str, path: str, body: Any = None) -> tuple[int, str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {**self.headers, "content-type": "application/json", "accept-encoding": "gzip"}
        connection.request(method, f"/api/v1/{path}", None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        found = answer.status, answer.headers.get("set-cookie", ""), json.loads(body)
        connection.close()
        return found

    def get(self, path: str) -> Any:
        status, _, found = self.asked("GET", path)
        if status != 200:
            raise AssertionError(f"GET {path}: {status} {found}")
        return found

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        status, _, found = self.asked("POST", path, body)
        return status, found


def battleship(scene: Mapping[str, Any], random: Random) -> Act | None:
    """Return what to do in a game of Battleship; None: nothing just now."""
    you = scene["you"]
    if "ready" in you["may"]:
        return {"do": "ready"}
    if "shoot" not in you["may"]:
        return None
    cell = random.choice(you["targets"])
    return {"do": "shoot", "at": [cell % 10, cell // 10]}


def quoridor(scene: Mapping[str, Any], random: Random) -> Act | None:
    """Return what to do in a game of Quoridor: to the goal, with some detours, or walls would be the end of it."""
    you = scene["you"]
    if scene["phase"] == "voting":
        return {"do": "vote", "players": 2}
    if scene["phase"] != "play" or not you.get("moves"):
        return None
    goal = scene["board"]["goals"][you["seat"]][0][1]
    x, y = min(you["moves"], key=lambda cell: abs(cell[1] - goal) + 3 * random.random())
    return {"do": "move", "to": [x, y]}


def hive(scene: Mapping[str, Any], random: Random) -> Act | None:
    """Return what to do in a game of Hive."""
    legal = scene.get("you", {}).get("legal") or []
    return random.choice(legal) if legal and scene["phase"] == "play" else None


def roborally(scene: Mapping[str, Any], random: Random) -> Act | None:
    """Return what to do in a game of RoboRally."""
    you = scene["you"]
    match scene["phase"]:
        case "facing":
            return {"do": "facing", "facing": random.choice("NESW")}
        case "program":
            hand = iter(you["hand"])
            cards = [kept if number in you["locked"] else next(hand) for number, kept in enumerate(you["registers"], 1)]
            return {"do": "program", "cards": cards}
        case "repair":
            return {"do": "repair", "registers": you["locked"][: you["opens"]]}
        case "power":
            return {"do": "power", "down": False}
    return None


class WholeGameTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.web = free_port()
        roborally = "start_delay = 0.2\nmax_turns = 4\nlinger = 0.1\n"
        other = "".join(
            f'[{name}]\nendpoint = "tcp:{free_port()}:interface=127.0.0.1"\n{keys}'
            for name, keys in (("softwarechallenge", ""), ("roborally", roborally))
        )
        self.more = f'{other}[web]\nendpoint = "tcp:{self.web}:interface=127.0.0.1"\n'

    def play(self, browser: Browser, game: str, bot: str, chooses: Callable[..., Act | None]) -> dict[str, Any]:
        random = Random(5)
        status, made = browser.post("seats", {"game": game, "name": "Ada", "bots": [bot]})
        self.assertEqual(status, 200, made)
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            found = browser.get(f"seats/{made['id']}")
            scene = found["scene"]
            if scene["outcome"]:
                return found
            # The person's client may know who has won before the room does.
            action = chooses(scene, random) if scene["won"] is None and found["isLive"] else None
            if action is None:
                time.sleep(0.005)
                continue
            status, answer = browser.post(f"seats/{made['id']}/act", action)
            self.assertIn(status, (200, 409), (action, answer))
        raise AssertionError(f"{game} does not end: {json.dumps(scene)[:2000]}")

    def test_a_person_plays_each_game_to_its_end(self) -> None:
        games = (
            ("battleship", "open-list", battleship),
            ("quoridor", "path", quoridor),
            ("hive", "random", hive),
            ("roborally", "random", roborally),
        )
        with running(Path(self.mktemp()), quoridor="", more=self.more) as daemon:
            browser = Browser(self.web)
            for game, bot, chooses in games:
                found = self.play(browser, game, bot, chooses)
                self.assertIsNotNone(found["scene"]["outcome"], game)
                self.assertIn(found["scene"]["outcome"]["termination"], ("victory", "draw"), game)
                self.assertGreater(len(found["moves"]), 5, game)
                browser.asked("DELETE", f"seats/{found['id']}")
            daemon.settled(len(games))
            records = browser.get("records?player=Ada")["records"]
            self.assertEqual({record["game"] for record in records}, {game for game, *_ in games})
            self.assertEqual(daemon.unexpected(), [])

    def test_the_password_of_the_console(self) -> None:
        more = self.more + '[console]\ntelnet = ""\npassword = "open sesame"\n'
        with running(Path(self.mktemp()), more=more):
            browser = Browser(self.web)
            wrong = browser.post("session/login", {"user": "admin", "password": "open"})
            self.assertEqual(wrong[0], 403)
            status, cookie, session = browser.asked(
                "POST", "session/login", {"user": "admin", "password": "open sesame"}
            )
            self.assertEqual((status, session["admin"]), (200, True))
            browser.headers = {"cookie": cookie.partition(";")[0], "x-gamed-token": session["token"]}
            _, made = browser.post("rooms", {"game": "hive", "paused": True})
            self.assertEqual(len(made["reservations"]), 2)
            self.assertEqual(browser.post(f"rooms/{made['room']}/cancel", {})[0], 200)
