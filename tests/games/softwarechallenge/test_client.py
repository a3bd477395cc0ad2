"""The bot at the lobby: joining, answering, leaving, servers that err. Its games are whole, in memory."""

from __future__ import annotations

import gc
import re
from random import Random
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Seat
from gamed.games.softwarechallenge import Settings
from gamed.games.softwarechallenge.client import Player
from gamed.games.softwarechallenge.follower import MOST_UNKNOWN
from gamed.games.softwarechallenge.seasons.hive import game_type
from gamed.games.softwarechallenge.table import SeasonTable
from gamed.lobby.room import Room
from gamed.net.session import Session
from gamed.records.index import validate
from gamed.records.own import judgement, summary
from gamed.records.record import document
from gamed.testing.harness import Harness
from gamed.wire.xmlstream import Element
from tests.games.softwarechallenge.harness import PASSWORD

HEAD = b"<protocol>\n  "
GOODBYE = b"\n  <sc.protocol.responses.CloseConnection/>\n</protocol>"
MOVE_REQUEST = '<data class="sc.framework.plugins.protocol.MoveRequest"/>'
STATE = '<data class="memento"><state turn="0"/></data>'
WON, LOST, DRAWN = (
    f'<data class="result">{winner}</data>'
    for winner in ('<winner color="RED" displayName="a"/>', '<winner color="BLUE" displayName="b"/>', "")
)


class Passing:
    """A brain that always passes, and remembers what it was asked."""

    game_type = "swc_test"

    def __init__(self) -> None:
        self.asked: list[tuple[str | None, Seat]] = []

    def answer(self, state: Element, seat: Seat) -> Element:
        self.asked.append((state.get("turn"), seat))
        return Element("data", {"class": "skipmove"})


def player(reservation: str | None = None) -> Player:
    return Player(Passing.game_type, reservation, brain=Passing())


def said(*messages: str) -> bytes:
    return "".join(messages).encode()


def room(data: str, name: str = "R") -> str:
    return f'<room roomId="{name}">{data}</room>'


def welcome(color: str = "red") -> str:
    return '<joined roomId="R"/>' + room(f'<data class="welcomeMessage" color="{color}"/>')


KEPT = (Session, Room, SeasonTable)
LEFT = '<left roomId="R"/>'


class MannersTests(SynchronousTestCase):
    def begun(self, color: str = "red") -> Player:
        found = player()
        self.assertEqual(found.begin(), HEAD + b'<join gameType="swc_test"/>')
        self.assertEqual(found.receive_data(said("<protocol>", welcome(color))), b"")
        return found

    def test_it_takes_a_reserved_seat(self) -> None:
        self.assertEqual(player("a<b").begin(), HEAD + b'<joinPrepared reservationCode="a&lt;b"/>')

    def test_it_learns_its_colour(self) -> None:
        self.assertEqual((self.begun("red").seat, self.begun("blue").seat), (0, 1))

    def test_it_answers_a_request_with_what_the_brain_says(self) -> None:
        found = self.begun("blue")
        answer = found.receive_data(said(room(STATE), room(MOVE_REQUEST)))
        self.assertEqual(answer, b'\n  <room roomId="R"><data class="skipmove" /></room>')
        assert isinstance(found.brain, Passing)
        self.assertEqual((found.brain.asked, found.moves), ([("0", 1)], 1))

    def test_it_asks_the_brain_about_the_latest_state(self) -> None:
        found = self.begun()
        later = STATE.replace('"0"', '"4"')
        found.receive_data(said(room(STATE), room(later), room(MOVE_REQUEST)))
        assert isinstance(found.brain, Passing)
        self.assertEqual(found.brain.asked, [("4", 0)])

    def test_what_concerns_other_rooms_is_passed_over(self) -> None:
        found = self.begun()
        others = [room(data, "other") for data in (STATE, MOVE_REQUEST, WON)]
        self.assertEqual(found.receive_data(said(*others, '<left roomId="other"/>')), b"")
        self.assertEqual((found.moves, found.won, found.is_done), (0, None, False))

    def test_it_says_goodbye_when_the_game_is_over(self) -> None:
        for result, won in ((WON, True), (LOST, False), (DRAWN, None)):
            found = self.begun()
            self.assertEqual(found.receive_data(said(room(result))), b"")
            self.assertFalse(found.is_done)
            self.assertEqual(found.receive_data(said(LEFT)), GOODBYE)
            self.assertEqual((found.is_done, found.won, found.side), (True, won, "red"))

    def test_after_the_game_it_is_silent(self) -> None:
        found = self.begun()
        farewell = "<sc.protocol.responses.CloseConnection/>\n</protocol>"
        self.assertEqual(found.receive_data(said(room(WON), LEFT, room(MOVE_REQUEST), farewell)), GOODBYE)
        self.assertEqual((found.receive_data(b""), found.moves), (b"", 0))

    def test_what_the_protocol_does_not_define_is_discarded(self) -> None:
        found = self.begun()
        odd = ["<news/>", room('<data class="hint"/>'), "<news/>", *(f"<new{number}/>" for number in range(30))]
        self.assertEqual(found.receive_data(said(*odd)), b"")
        self.assertEqual(found.discarded[:3], ["the element 'news'", "data of the class 'hint'", "the element 'new0'"])
        self.assertEqual(len(found.discarded), MOST_UNKNOWN)
        self.assertNotEqual(found.receive_data(said(room(STATE), room(MOVE_REQUEST))), b"")

    def test_bytes_may_come_one_by_one(self) -> None:
        found = player()
        stream = said("<protocol>", welcome(), room(STATE), room(MOVE_REQUEST), room(LOST), LEFT)
        answers = [found.receive_data(bytes([byte])) for byte in stream]
        self.assertEqual(len([answer for answer in answers if answer]), 2)
        self.assertEqual((found.won, found.is_done), (False, True))


class ErrorTests(SynchronousTestCase):
    def refused(self, *messages: str, closes: bool = False) -> str:
        """Return the code by which a player refuses what the server says."""
        found = player()
        found.begin()
        error = self.assertRaises(RemoteProtocolError, self.feed, found, said("<protocol>", *messages), closes)
        return str(error.code)

    def feed(self, found: Player, data: bytes, closes: bool) -> None:
        found.receive_data(data)
        if closes:
            found.receive_data(b"")

    def test_a_server_that_ends_before_the_game_does(self) -> None:
        self.assertEqual(self.refused(welcome(), closes=True), "closed")
        self.assertEqual(self.refused("<sc.protocol.responses.CloseConnection/>"), "closed")
        self.assertEqual(self.refused("</protocol>"), "closed")

    def test_a_game_that_ends_without_a_result(self) -> None:
        self.assertEqual(self.refused(welcome(), LEFT), "no-result")

    def test_a_request_out_of_step(self) -> None:
        self.assertEqual(self.refused(welcome(), room(MOVE_REQUEST)), "out-of-step")
        self.assertEqual(self.refused('<joined roomId="R"/>', room(STATE), room(MOVE_REQUEST)), "out-of-step")

    def test_a_refused_move(self) -> None:
        self.assertEqual(self.refused(welcome(), room('<data class="error" message="no"/>')), "refused")

    def test_colours_that_there_are_not(self) -> None:
        self.assertEqual(self.refused(welcome("green")), "unknown-value")
        self.assertEqual(self.refused(welcome(), room(WON.replace("RED", "GREEN"))), "unknown-value")

    def test_what_is_no_message(self) -> None:
        self.assertEqual(self.refused("<joined/>"), "missing-attribute")
        self.assertEqual(self.refused("<x></y>"), "malformed-xml")


class GameTests(SynchronousTestCase):
    """Whole games against gamed."""

    def played(self, *names: str, seed: int = 1, codes: tuple[str | None, ...] = (None, None), **keys: Any) -> Harness:
        harness = keys.get("harness") or Harness("hive", Settings(password=PASSWORD))
        self.players = [
            game_type.players[name](Random(seed + seat), reservation=codes[seat]) for seat, name in enumerate(names)
        ]
        self.wires = [harness.connect() for _ in names]
        for found, wire in zip(self.players, self.wires, strict=True):
            wire.send(found.begin())
        read = [0, 0]
        while not all(found.is_done for found in self.players):
            for seat, (found, wire) in enumerate(zip(self.players, self.wires, strict=True)):
                news = wire.received[read[seat] :]
                read[seat] += len(news)
                if news and not found.is_done and (answer := found.receive_data(news)):
                    wire.send(answer)
        harness.settle()
        return harness

    def check_record(self, harness: Harness) -> None:
        (record,) = harness.store.records.values()
        validate(document(record))
        self.assertEqual(judgement(record).findings, ())
        self.assertIn(summary(record).termination, ("victory", "draw"))
        winner = summary(record).winner
        expected = [None, None] if winner is None else [seat == winner for seat in (0, 1)]
        self.assertEqual([found.won for found in self.players], expected)
        self.assertEqual(sum(found.moves for found in self.players), summary(record).length)

    def test_every_strategy_plays_whole_games(self) -> None:
        for names in (("random", "greedy"), ("greedy", "search"), ("random", "random")):
            harness = self.played(*names)
            self.check_record(harness)
            self.assertTrue(all(wire.is_closed for wire in self.wires))
            self.assertEqual(list(harness.lobby.rooms), [])

    def test_reserved_seats_have_their_colours(self) -> None:
        harness = Harness("hive", Settings(password=PASSWORD))
        admin = harness.connect()
        admin.send(f'<protocol><authenticate password="{PASSWORD}"/>'.encode())
        admin.send(b'<prepare gameType="swc_2020_hive"><slot displayName="a"/><slot displayName="b"/></prepare>')
        red, blue = re.findall("<reservation>(.*?)<", admin.received.decode())
        self.played("random", "random", codes=(blue, red), harness=harness)
        self.assertEqual([found.seat for found in self.players], [1, 0])
        (record,) = harness.store.records.values()
        self.assertEqual([seat.name for seat in summary(record).seats], ["a", "b"])

    def test_nothing_of_a_game_stays(self) -> None:
        harness, before = Harness("hive", Settings(password=PASSWORD)), self.kept()
        for number in range(3):
            self.played("random", "random", seed=number, harness=harness)
            for wire in self.wires:
                wire.leave()
        del self.players, self.wires, wire
        self.assertEqual([found for found in self.kept() if not any(found is other for other in before)], [])
        self.assertEqual((len(harness.lobby.rooms), len(harness.lobby.reservations)), (0, 0))
        self.assertEqual(harness.clock.getDelayedCalls(), [])

    def kept(self) -> list[object]:
        """Return the sessions, rooms and tables in the process, those of other tests included."""
        gc.collect()
        return [found for found in gc.get_objects() if isinstance(found, KEPT)]
