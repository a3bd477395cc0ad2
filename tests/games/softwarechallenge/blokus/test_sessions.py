"""Sessions of scripted clients at the official server, played again here: what each client hears, word for word.

Each recorded session is a list of steps: a client connects, sends, ends its connection, or has heard something by
then, or time passes. Ids of rooms and codes are numbered in the order in which they came. Those with numbers were
made by lots, and each has a server of its own.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.games.softwarechallenge.seasons.blokus.moves import StartPiece
from gamed.games.softwarechallenge.seasons.blokus.rules import Blokus
from gamed.games.softwarechallenge.seasons.blokus.shapes import SHAPES
from tests.games.softwarechallenge.harness import Client, SeasonHarness

PACKAGE = "gamed.games.softwarechallenge.seasons.blokus"
RECORDED = Path(__file__).parent / "recorded" / "sessions.json.gz"
SESSIONS: dict[str, list[list[Any]]] = json.loads(gzip.decompress(RECORDED.read_bytes()))

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Session:
    """A recorded session, and the clients that play it again."""

    def __init__(self, steps: list[list[Any]]) -> None:
        self.harness = SeasonHarness(others=(PACKAGE,), usual=PACKAGE)
        self.steps = steps
        self.clients: dict[str, Client] = {}
        self.shown: dict[str, int] = {}
        self.ids: dict[str, str] = {}

    def ours(self, text: str) -> str:
        """Return what is sent, with our ids."""
        known = {number: own for own, number in self.ids.items()}
        return re.sub(r"ID\d+", lambda found: known.get(found[0], found[0]), text)

    def heard(self, name: str) -> str:
        """Return what a client has heard since it was asked last, with numbers for ids."""
        said = self.clients[name].stream.decode()
        news, self.shown[name] = said[self.shown.get(name, 0) :], len(said)
        return UUID.sub(lambda found: self.ids.setdefault(found[0], f"ID{len(self.ids)}"), news)

    def play(self) -> list[tuple[str, str, bool, str]]:
        """Return for each step in which something was heard: who, what the official server said, and what we say.

        What a client hears after its connection has ended here is left out: there it may stay open.
        """
        found: list[tuple[str, str, bool, str]] = []
        ended = set()
        for what, name, *more in self.steps:
            if what == "connect":
                self.clients[name] = self.harness.connect()
                self.clients[name]._said = b""
            elif what == "send":
                self.clients[name].send(self.ours(more[0]))
                self.harness.wait(0.05, 0.05)
            elif what == "end":
                self.clients[name].end()
            elif what == "wait":
                self.harness.wait(more[0], 0.1)
            elif name not in ended:
                found.append((name, *more, self.heard(name)))
                if self.clients[name].is_closed:
                    ended.add(name)
        return found


def draw_of(steps: list[list[Any]]) -> Callable[..., StartPiece]:
    """Return a chance that draws what was drawn in a session, or anything, if no game has begun in it."""
    (start,) = set(re.findall(r'startPiece=\\"(\w+)', json.dumps(steps))) or {"PENTO_L"}
    return lambda *_: StartPiece(SHAPES.index(start))


LAST_WORDS = re.compile(
    r"<protocol/>|(<protocol>)?(\n  <errorpacket message>.*</errorpacket>)?(\n  <left .*/>)?\n</protocol>", re.DOTALL
)
"""What a client is told here before the end of its connection, where the official server may say nothing."""

RESULT = re.compile(r'\n  <room roomId="ID0">\n    <data class="result">.*?</room>', re.DOTALL)
STATE = re.compile(r'\n  <room roomId="ID0">\n    <data class="memento">.*?</room>', re.DOTALL)
ENDED = re.compile(r'((?<=</errorpacket>)\n  <left roomId="ID0"/>)?\n</protocol>$')


def as_told(text: str) -> str:
    """Return what a client heard, without what is gamed's own: sentences of error packets, and how a player left."""
    text = re.sub(r'(<errorpacket message)="[^"]*"', r"\1", text)
    return text.replace("RECEIVED_DISCONNECT", "LOST_CONNECTION")


def as_listed(official: str, ours: str, *, is_closed: bool, is_cancelled: bool) -> tuple[str, str]:
    """Return what the official server and gamed said, without the differences that the reference page lists.

    `is_closed`: whether the connection has ended there; `is_cancelled`: whether the game was cancelled.
    """
    theirs, said = as_told(official), as_told(ours)
    if is_closed and theirs in ("", "\n</protocol>") and LAST_WORDS.fullmatch(said):
        return "", ""
    if 'class="authenticate"' in theirs and not said:
        # The answer comes later.
        return "", ""
    if is_cancelled:
        theirs = RESULT.sub("", theirs)
    if theirs.endswith('<observed roomId="ID0"/>'):
        said = STATE.sub("", said)
    return theirs, ENDED.sub("", said)


class SessionTests(SynchronousTestCase):
    def test_all_words_are_the_same(self) -> None:
        for name, steps in SESSIONS.items():
            self.patch(Blokus, "draw", draw_of(steps))
            is_cancelled = any(step[:2] == ["send", "ADMIN"] and '<cancel roomId="ID0"' in step[2] for step in steps)
            for number, (client, official, is_closed, ours) in enumerate(Session(steps).play()):
                theirs, said = as_listed(official, ours, is_closed=is_closed, is_cancelled=is_cancelled)
                self.assertEqual(said, theirs, (name, number, client))

    def test_what_is_recorded(self) -> None:
        text = json.dumps(SESSIONS)
        for said in ("errorpacket", "paused", "Missachtung", "Regelverletzung", "LOST_CONNECTION", "move=null"):
            self.assertIn(said, text)


class LobbyTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = SeasonHarness(usual=PACKAGE)

    def pair(self) -> tuple[Client, Client]:
        one, two = self.harness.connect(), self.harness.connect()
        for client in (one, two):
            client.send("<join/>")
        return one, two

    def test_the_request_comes_ten_milliseconds_after_the_state(self) -> None:
        one, two = self.pair()
        self.assertIn(b"memento", one.stream)
        self.assertNotIn(b"moveRequest", one.stream)
        self.harness.wait(0.0099)
        self.assertNotIn(b"moveRequest", one.stream)
        self.harness.wait(0.0001)
        self.assertIn(b"moveRequest", one.stream)
        self.assertNotIn(b"moveRequest", two.stream)

    def test_the_clock_starts_with_the_request(self) -> None:
        one, _ = self.pair()
        self.harness.wait(0.01)
        self.harness.wait(9.999)
        self.assertNotIn(b"result", one.stream)
        self.harness.wait(0.002, 0.001)
        self.assertIn(b"ONE hat innerhalb von 2 Sekunden nach Aufforderung keinen Zug gesendet.", one.stream)

    def test_a_late_answer(self) -> None:
        one, two = self.pair()
        self.harness.wait(0.01)
        self.harness.wait(2.1)
        start = re.findall(rb'startPiece="(\w+)"', one.stream)[0].decode()
        piece = f'<piece color="BLUE" kind="{start}" rotation="NONE" isFlipped="false"><position x="0" y="0"/></piece>'
        one.move(f'<data class="sc.plugin2027.SetMove">{piece}</data>')
        self.assertIn(b"ONE hat fuer die Antwort auf die Zugaufforderung laenger als 2 Sekunden gebraucht.", two.stream)

    def test_before_each_close_of_a_seated_client_comes_left(self) -> None:
        for said in (
            "<nonsense/>",
            "<join",
            '<data class="x"/>',
            '<room roomId="@"><data class="x"/></room>',
            "<!DOCTYPE x>",
        ):
            one, two = self.pair()
            room = one.room
            one.send(said.replace("@", room), "</protocol>" if said == "<join" else "")
            self.assertTrue(one.is_closed, said)
            self.assertIn(f'<left roomId="{room}"/>'.encode(), one.stream, said)
            self.assertIn(b"hat das Spiel verlassen", two.stream)
            self.harness.wait(1)

    def test_a_move_before_the_game_begins(self) -> None:
        admin = self.harness.admin()
        _, codes = admin.prepare(game_type="swc_2027_blokus")
        early = self.harness.connect()
        early.take(codes[0])
        early.move('<data class="sc.plugin2027.SkipMove"><color>BLUE</color></data>')
        self.assertTrue(early.is_closed)
        self.assertTrue(early.stream.endswith(f'<left roomId="{early.room}"/>\n</protocol>'.encode()))
        self.assertEqual(early.stream.count(b"<left"), 1)

    def test_before_every_other_close_comes_an_error_packet_with_its_end_tag(self) -> None:
        for said in (
            '<joinPrepared reservationCode="x"/>',
            '<joinRoom roomId="x"/>',
            "<nonsense/>",
            "<join><x/></join>",
        ):
            stranger = self.harness.connect()
            stranger.send(said)
            self.harness.wait(1)
            self.assertTrue(stranger.is_closed, said)
            self.assertTrue(stranger.stream.endswith(b"</errorpacket>\n</protocol>"), said)

    def test_wrong_passwords(self) -> None:
        for _ in range(3):
            guesser = self.harness.connect()
            guesser.authenticate("wrong")
            self.harness.wait(60)
            self.assertTrue(guesser.is_closed)
            self.assertTrue(guesser.stream.endswith(b"</errorpacket>\n</protocol>"))
            self.assertNotIn(b"CloseConnection", guesser.stream)

    def test_an_administrator_stays_after_an_error(self) -> None:
        admin = self.harness.admin()
        admin.send('<observe roomId="x"/>')
        self.assertIn(b'<originalRequest class="observe" roomId="x"/>', admin.stream)
        self.assertFalse(admin.is_closed)

    def test_administrators_are_told_how_many_players_are_there(self) -> None:
        admin = self.harness.admin()
        self.pair()
        self.assertEqual(re.findall(rb'playerCount="(\d)"', admin.stream), [b"1", b"2"])

    def test_both_seasons_on_one_port(self) -> None:
        one, two = self.pair()
        red, blue = self.harness.connect(), self.harness.connect()
        for client in (red, blue):
            client.join()
        self.assertIn(b"moveRequest", self.later(one))
        self.assertIn(b"sc.framework.plugins.protocol.MoveRequest", red.stream)
        self.assertNotIn(b"plugin2027", blue.stream + red.stream)
        red.send("<nonsense/>")
        self.assertNotIn(b"errorpacket", red.stream)
        two.send("<close/>")
        self.assertTrue(two.stream.endswith(b"\n</protocol>"))

    def later(self, client: Client) -> bytes:
        self.harness.wait(0.02)
        return client.stream
