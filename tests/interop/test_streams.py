"""The bytes that a real daemon sends to a spectator and an opponent contain no fleet, hand or program of others.

tests/web/test_taint.py does the same in memory, and for all that the API answers.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.interop.browsing import PATIENCE, WebDaemon, until
from tests.web.harness import unchunked
from tests.web.test_daemon import Browser
from tests.web.test_taint import FLEETS, WATER, plain

Scene = Mapping[str, Any]

SMALL = 20
"""Up to here numbers are places, phases and damage; cards beyond it cannot be confused with them."""

_BESIDE = ("options", "at", "took", "started")
"""What holds numbers of all sizes, and is public."""


class Stream:
    """An event stream, every byte of it, read in a thread."""

    def __init__(self, port: int, path: str, headers: Mapping[str, str] | None = None) -> None:
        self._got = b""
        self._wire = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        head = "".join(
            f"{name}: {value}\r\n" for name, value in {"host": f"127.0.0.1:{port}", **(headers or {})}.items()
        )
        self._wire.sendall(f"GET /api/v1/{path}/events HTTP/1.1\r\n{head}\r\n".encode())
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            while data := self._wire.recv(65_536):
                self._got += data
        except OSError:
            pass

    @property
    def text(self) -> str:
        """Everything that has arrived, with its chunks joined."""
        return unchunked(self._got.partition(b"\r\n\r\n")[2]).decode()

    def events(self) -> list[dict[str, Any]]:
        """Return the complete events that have arrived."""
        blocks = self.text.split("\n\n")[:-1]
        return [json.loads(block.partition("\ndata: ")[2]) for block in blocks if block.startswith("event: scene\n")]

    def shows(self, condition: Callable[[Scene], Any], what: str) -> None:
        """Wait until a scene meets a condition."""
        until(lambda: any(condition(event["scene"]) for event in self.events()), f"no spectator sees {what}")

    def close(self) -> None:
        self._wire.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE)
        self._wire.close()


def numbers(value: Any) -> set[int]:
    """Return all numbers in a JSON value that may be cards, those in texts included."""
    if isinstance(value, Mapping):
        return set().union(*(numbers(one) for name, one in value.items() if name not in _BESIDE))
    if isinstance(value, list):
        return set().union(*map(numbers, value))
    if isinstance(value, str):
        return {int(word) for word in re.findall(r"\b\d{1,3}\b", value)}
    return {value} if isinstance(value, int) else set()


def seas(scene: Scene) -> list[int]:
    """Return how many shots into the water a board of Battleship shows, for each side; nothing if there is none."""
    return [len(sea["water"]) for sea in (scene["board"] or {"boards": []})["boards"]]


def has_come(n: int, scene: Scene) -> bool:
    """Whether a scene shows at least `n` moves."""
    return bool(scene["last"]) and scene["last"]["n"] >= n


def is_settled(scene: Scene) -> bool:
    """Whether a scene shows all of 8 shots, judged, and that Grace may go on."""
    may = scene.get("you", {"may": ["shoot"]})["may"]
    return ((scene["last"] or {}).get("n"), seas(scene), scene["turn"], may) == (16, [4, 4], [1], ["shoot"])


class StreamTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.daemon = WebDaemon(Path(self.mktemp()))
        self.daemon.start()
        self.addCleanup(self.daemon.kill)
        self.guests = [Browser(self.daemon.ports["web"]) for _ in range(2)]

    def tearDown(self) -> None:
        self.assertEqual(self.daemon.unexpected(), [])

    def sit(self, game: str) -> tuple[str, list[str]]:
        """Let Ada and Grace sit down, and return the room and their seats."""
        seats = []
        for guest, name in zip(self.guests, ("Ada", "Grace"), strict=True):
            status, made = guest.post("seats", {"game": game, "name": name})
            self.assertEqual(status, 200, made)
            seats.append(made["id"])
            until(lambda: self.guests[0].get(f"seats/{seats[0]}")["room"], "no room")
        room = self.guests[0].get(f"seats/{seats[0]}")["room"]
        until(lambda: self.guests[1].get(f"seats/{seats[1]}")["room"] == room, "they do not meet")
        return room, seats

    def stream(self, path: str, guest: Browser | None = None) -> Stream:
        """Follow a room or a seat."""
        stream = Stream(self.daemon.ports["web"], path, {"cookie": guest.headers["cookie"]} if guest else None)
        self.addCleanup(stream.close)
        return stream

    def act(self, n: int, seat: str, **action: Any) -> None:
        """Try a call until it is allowed."""

        def done() -> bool:
            status, answer = self.guests[n].post(f"seats/{seat}/act", action)
            self.assertIn(status, (200, 409), answer)
            return status == 200

        until(done, f"{action} cannot be done")

    def you(self, n: int, seat: str) -> Scene:
        """Return what only this player may see."""
        found: Scene = self.guests[n].get(f"seats/{seat}")["scene"]["you"]
        return found

    # Battleship

    def played(self, fleet: list[list[Any]]) -> tuple[list[Stream], str]:
        """Play a game of shots into the water; return a spectator's and Grace's stream, and what Ada alone may see."""
        room, seats = self.sit("battleship")
        streams = [self.stream(f"rooms/{room}"), self.stream(f"seats/{seats[1]}", self.guests[1])]
        for n, ships in enumerate((fleet, FLEETS[0])):
            self.act(n, seats[n], do="place", ships=ships)
        for n in (0, 1):
            self.act(n, seats[n], do="ready")
        for number, (x, y) in enumerate(WATER[:4], 1):
            for n in (1, 0):
                self.act(n, seats[n], do="shoot", at=[x, y])
            for stream in streams:
                # Events that are close together are sent as one scene.
                stream.shows(partial(has_come, 4 * number), f"{number} shots of each")
        for stream in streams:
            stream.shows(is_settled, "all shots")
        secret = self.you(0, seats[0])["fleet"]
        self.assertEqual(secret["ships"], fleet)
        for guest, seat in zip(self.guests, seats, strict=True):
            guest.asked("DELETE", f"seats/{seat}")
        return streams, json.dumps(secret["ships"], separators=(",", ":"))

    def test_fleets(self) -> None:
        """Two games that differ only in Ada's fleet: others must be sent the same."""
        (first, _), (second, secret) = (self.played(fleet) for fleet in FLEETS)
        for stream in second:
            self.assertNotIn(secret, stream.text)
        # So it would be spelled: Grace's own fleet is in her stream.
        self.assertIn(json.dumps(FLEETS[0], separators=(",", ":")), second[1].text)
        for one, other in zip(first, second, strict=True):
            known = [self.scenes(stream) for stream in (one, other)]
            both = known[0].keys() & known[1].keys()
            # The last one is the same in any case.
            self.assertTrue([key for key in both if key.startswith("[16, ")])
            for key in both:
                self.assertEqual(known[0][key], known[1][key])

    def scenes(self, stream: Stream) -> dict[str, str]:
        """Return the scenes that were sent of the running game, by its position.

        How often a scene is sent between two moves, and how far the referee and the player's wire are then, are matters
        of time: shots into the water, and whose turn it is, are the same in both games sooner or later.
        """
        found = {}
        for event in stream.events():
            scene = event["scene"]
            if scene["state"] == "playing":
                # How much time is left is a matter of time alone.
                scene.pop("left", None)
                board, you = scene["board"] or {}, scene.get("you", {})
                wire = [you.get(name) for name in ("may", "started", "awaited", "last", "shots")]
                referee = [scene["turn"], board.get("attacker"), board.get("shot"), seas(scene)]
                at = [(scene["last"] or {"n": 0})["n"], scene["phase"], *wire, *referee]
                found[json.dumps(at)] = plain(json.dumps(scene, separators=(",", ":")))
        self.assertGreater(len(found), 2)
        return found

    # RoboRally

    def test_hands_and_programs(self) -> None:
        room, seats = self.sit("roborally")
        spectator, ada = self.stream(f"rooms/{room}"), self.stream(f"seats/{seats[0]}", self.guests[0])
        for n in (0, 1):
            self.act(n, seats[n], do="facing", facing="E")
        hands = [self.hand(n, seats[n]) for n in (0, 1)]
        self.act(1, seats[1], do="program", cards=hands[1][:5])
        spectator.shows(lambda scene: (scene["board"] or {}).get("waiting") == [0], "that only Ada is waited for")
        self.hides(spectator.events(), *hands)
        self.hides(ada.events(), hands[1])
        # So it would be found: her own cards are in her stream.
        until(lambda: {card for card in hands[0] if card > SMALL} <= numbers(ada.events()), "Ada is not told her hand")
        self.act(0, seats[0], do="program", cards=hands[0][:5])
        spectator.shows(lambda scene: scene["outcome"] or (scene["board"] or {}).get("turn") == 2, "the next turn")
        self.assertTrue(numbers(spectator.events()) & {card for hand in hands for card in hand[:5] if card > SMALL})
        # What was not played, nobody learns; what was, each phase shows its own cards.
        self.hides(self.first_turn(spectator), *(hand[5:] for hand in hands))
        self.hides(self.first_turn(ada), hands[1][5:])
        for event in self.first_turn(spectator):
            board = event["scene"]["board"]
            played = 0 if board["stage"] == "program" else board["phase"] or 5
            self.hides([event], *(hand[played:] for hand in hands))

    def hand(self, n: int, seat: str) -> list[int]:
        """Wait for a player's cards, and return them."""
        return list(until(lambda: self.you(n, seat)["prompt"] == "program" and self.you(n, seat)["hand"], "no hand"))

    def first_turn(self, stream: Stream) -> list[dict[str, Any]]:
        """Return the events of the first turn."""
        found = [event for event in stream.events() if (event["scene"]["board"] or {}).get("turn") == 1]
        self.assertGreater(len(found), 0)
        return found

    def hides(self, events: list[dict[str, Any]], *hands: Iterable[int]) -> None:
        """Check that no number in these events is one of these cards."""
        hidden = {card for hand in hands for card in hand if card > SMALL}
        self.assertGreater(len(hidden), 0)
        self.assertEqual(numbers(events) & hidden, set())
