"""Hidden things: no byte that a spectator or an opponent gets tells a fleet, a hand or a program.

Two games are played that differ in nothing but what is hidden; what others are sent must not differ. So no way of
writing a secret down can pass unseen.
"""

from __future__ import annotations

import json
import re
from collections import deque
from random import Random
from typing import Any

from twisted.logger import formatEvent, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.history import History
from gamed.games.roborally import Settings as RoboRallySettings
from gamed.games.roborally.rules.game import RoboRally
from gamed.games.roborally.rules.moves import Deal
from gamed.records.positions import Replayed
from gamed.registry import game_types
from tests.web.harness import Guest, WebHarness

FLEETS = (
    [[0, 0, 5, "h"], [0, 2, 4, "h"], [0, 4, 3, "h"], [0, 6, 3, "h"], [0, 8, 2, "h"]],
    [[5, 1, 5, "h"], [6, 3, 4, "h"], [7, 5, 3, "h"], [7, 7, 3, "h"], [8, 9, 2, "h"]],
)
WATER = [(x, y) for x in (0, 1, 2) for y in (1, 3, 5, 7, 9)]
"""Cells that both fleets leave free, and shots at which tell nothing of either."""

VOLATILE = re.compile(
    r'"(id|room|record|started|at|took|left|token)":("[^"]*"|\d+(?:\.\d+)?|null)|[0-9a-f]{8}-\d+|web:[^"@]*'
)
"""What differs from one game to the next in any case: ids and times."""


def plain(text: str) -> str:
    """Return what was sent without what differs in any case."""
    # Pings keep a stream alive; where they stand depends on how busy the machine is.
    return VOLATILE.sub("", text).replace("event: ping\ndata: {}\n\n", "")


class BattleshipTests(SynchronousTestCase):
    def played(self, fleet: list[list[Any]]) -> tuple[WebHarness, list[str], str]:
        """Play until each shot was water; return what a spectator and the opponent were sent, and what Ada was."""
        harness = WebHarness("battleship")
        self.addCleanup(harness.stop)
        guests = [harness.visitor(), harness.visitor()]
        seats = []
        for guest, name in zip(guests, ("Ada", "Grace"), strict=True):
            seats.append(guest.post("seats", {"game": "battleship", "name": name}).json["id"])
            harness.pump(0.3)
        room = guests[0].get(f"seats/{seats[0]}").json["room"]
        streams = [harness.opened(f"/api/v1/rooms/{room}/events"), guests[1].events(f"seats/{seats[1]}")]
        own = guests[0].events(f"seats/{seats[0]}")
        self.act(harness, guests[0], seats[0], do="place", ships=fleet)
        self.act(harness, guests[1], seats[1], do="place", ships=FLEETS[0])
        for guest, seat in zip(guests, seats, strict=True):
            self.act(harness, guest, seat, do="ready")
        told = []
        for x, y in WATER:
            self.act(harness, guests[1], seats[1], do="shoot", at=[x, y])
            self.act(harness, guests[0], seats[0], do="shoot", at=[x, y])
        harness.pump()
        told += [stream.body.decode() for stream in streams]
        told += [
            harness.asked("GET", "/api/v1/rooms").body.decode(),
            harness.asked("GET", f"/api/v1/rooms/{room}").body.decode(),
            guests[1].get(f"seats/{seats[1]}").body.decode(),
            guests[1].get("seats").body.decode(),
            guests[1].get(f"seats/{seats[0]}").body.decode(),
        ]
        return harness, told, own.body.decode()

    def act(self, harness: WebHarness, guest: Guest, seat: str, **action: Any) -> None:
        answer = guest.post(f"seats/{seat}/act", action)
        self.assertEqual(answer.status, 200, (action, answer.body))
        harness.pump(0.2)

    def test_where_the_ships_are(self) -> None:
        first, second = (self.played(fleet) for fleet in FLEETS)
        for one, other in zip(first[1], second[1], strict=True):
            self.assertGreater(len(one), 10)
            self.assertEqual(plain(one), plain(other))
        # This would tell: who has the ships sees another thing.
        self.assertNotEqual(plain(first[2]), plain(second[2]))


class RoboRallyTests(SynchronousTestCase):
    def played(self, others: tuple[int, ...], order: tuple[int, ...]) -> tuple[list[str], str]:
        """Return what a spectator and Ada are sent until Grace's program is in, and what Grace is sent.

        `others`: Grace's hand; `order`: which of its cards she takes.
        """
        hands = (*range(1, 10), *others)
        self.patch(RoboRally, "draw", lambda *_: Deal(hands))
        harness = WebHarness("roborally", RoboRallySettings(start_delay=0.2, max_players=2))
        self.addCleanup(harness.stop)
        guests, seats = [harness.visitor(), harness.visitor()], []
        for guest, name in zip(guests, ("Ada", "Grace"), strict=True):
            seats.append(guest.post("seats", {"game": "roborally", "name": name}).json["id"])
            harness.pump(0.1)
        harness.pump(1)
        room = guests[0].get(f"seats/{seats[0]}").json["room"]
        spectator = harness.opened(f"/api/v1/rooms/{room}/events")
        ada, grace = (guest.events(f"seats/{seat}") for guest, seat in zip(guests, seats, strict=True))
        for guest, seat in zip(guests, seats, strict=True):
            self.act(harness, guest, seat, do="facing", facing="E")
        self.act(harness, guests[1], seats[1], do="power", down=bool(order[0] % 2))
        self.act(harness, guests[1], seats[1], do="program", cards=[others[index] for index in order])
        told = [spectator.body.decode(), ada.body.decode()]
        told += [
            harness.asked("GET", "/api/v1/rooms").body.decode(),
            harness.asked("GET", f"/api/v1/rooms/{room}").body.decode(),
            guests[0].get(f"seats/{seats[0]}").body.decode(),
        ]
        return told, grace.body.decode()

    def act(self, harness: WebHarness, guest: Guest, seat: str, **action: Any) -> None:
        answer = guest.post(f"seats/{seat}/act", action)
        self.assertEqual(answer.status, 200, (action, answer.body))
        harness.pump(0.5)

    def test_hands_and_programs(self) -> None:
        first = self.played(tuple(range(20, 29)), (0, 1, 2, 3, 4))
        second = self.played(tuple(range(50, 59)), (7, 5, 8, 6, 4))
        for one, other in zip(first[0], second[0], strict=True):
            self.assertGreater(len(one), 10)
            self.assertEqual(plain(one), plain(other))
        # The program is in, and whose it is knows it.
        self.assertIn('"waiting":[0]', first[0][0])
        self.assertNotEqual(plain(first[1]), plain(second[1]))


class RoboRallyBotsTests(SynchronousTestCase):
    def test_marked_hands_of_a_bots_game(self) -> None:
        """Whole games of bots: what a spectator is sent tells no card before it is played."""
        harness = WebHarness("roborally", RoboRallySettings(start_delay=0.1, seed=3, max_players=2, max_turns=3))
        self.addCleanup(harness.stop)
        wires = [harness.harness.connect() for _ in range(2)]
        players = [game_types()["roborally"].players["random"](Random(seed), name="ab"[seed] * 4) for seed in (0, 1)]
        for wire, player in zip(wires, players, strict=True):
            wire.send(player.begin())
        harness.pump(0.05)
        (room,) = harness.harness.lobby.rooms.values()
        spectator = harness.opened(f"/api/v1/rooms/{room.id}/events")
        taken = [0, 0]
        for _ in range(2_000):
            for index, (wire, player) in enumerate(zip(wires, players, strict=True)):
                data = wire.received[taken[index] :]
                taken[index] += len(data)
                if data and not player.is_done:
                    wire.send(player.receive_data(data))
            harness.pump(0.05)
            if all(player.is_done for player in players):
                break
        self.assertEqual([player.is_done for player in players], [True, True])
        drawn = [entry.body.decode() for entry in room.history.entries if entry.kind == "drawn"]
        self.assertGreater(len(drawn), 1)
        events = spectator.body.decode()
        self.assertNotIn("deal", events)
        programs = [
            entry.body.decode()
            for entry in room.history.entries
            if entry.kind == "move" and b"," in entry.body and not entry.body.startswith(b"open")
        ]
        self.assertGreater(len(programs), 1)
        for program in programs:
            self.assertNotIn(f'"text":"{program}"', events)
        self.check_cards(harness, room.id, room.history, events)

    def check_cards(self, harness: WebHarness, room: str, history: History, events: str) -> None:
        """Check that the moves have the revealed programs, in streams, in answers and in the replay."""
        made = game_types()["roborally"]
        replayed = Replayed(made.table(made.settings(), history.options, Random, 0.0), history, made.public_text)
        deque(replayed.played(), 0)
        expected = {move["n"]: list(move["cards"]) for move in replayed.moves if "cards" in move}
        self.assertGreater(len(expected), 3)
        # Robots that are destroyed have fewer.
        self.assertEqual(max(map(len, expected.values())), 5)
        answered = harness.asked("GET", f"/api/v1/rooms/{room}").json["moves"]
        self.assertEqual([move["n"] for move in answered], [move["n"] for move in replayed.moves])
        self.assertEqual({move["n"]: move["cards"] for move in answered if "cards" in move}, expected)
        streamed: dict[int, Any] = {}
        for line in events.splitlines():
            event = json.loads(line.removeprefix("data: ")) if line.startswith("data: {") else {}
            streamed |= {move["n"]: move.get("cards") for move in event.get("moves", ())}
            board = event["scene"]["board"] if event.get("scene") else None
            if board is not None and board["phase"]:
                # In the midst of a turn nothing is told that its phase has not revealed.
                public = dict(board["revealed"])
                latest = {move["seat"]: move["cards"] for move in event["moves"] if "cards" in move}
                self.assertTrue(all(latest[seat] == public[seat] for seat in latest.keys() & public.keys()))
        self.assertEqual({n: cards for n, cards in streamed.items() if cards}, expected)


class RefusedProgramTests(SynchronousTestCase):
    """A program that nobody could read is as hidden as one that is played: nobody but its player has it."""

    def played(self, program: str) -> list[str]:
        """Return what a spectator gets, during a game and after its end, of a player who cannot write its program."""
        harness = WebHarness("roborally", RoboRallySettings(start_delay=0.1, seed=3, max_violations=20, min_players=3))
        self.addCleanup(harness.stop)
        harness.harness.factory.doStart()
        self.addCleanup(harness.harness.factory.doStop)
        wires = [harness.harness.connect() for _ in range(3)]
        for wire, name in zip(wires, ("Ada", "Bert", "Carl"), strict=True):
            wire.send(f"RGS({name})\n".encode())
        harness.pump(0.2)
        (room,) = harness.harness.lobby.rooms.values()
        spectator = harness.opened(f"/api/v1/rooms/{room.id}/events")
        wires[0].send(b"TNR(Ada,O)\n")
        for wire, name in zip(wires, ("Ada", "Bert", "Carl"), strict=True):
            wire.send(f"ok\nTNR({name},E)\n".encode())
        self.assertIn(b"MRP(", wires[2].received)
        for line in (
            f"TRP(Carl,({program},),true)",
            f"TRP(Carl,({program.replace(',', ' ')}),f)",
            f"trp(Carl,({program},),f)",
            f"TNR(Carl,({program},),f)",
            f"TRP(J\u00f6rg,({program},),f)",
            f"SFI({program})",
            program,
            f"TRP(Carl,({program},){' ' * 1100},f)",
            f"RGS(TRP(Carl,({program},),f))",
        ):
            wires[2].send(f"{line}\n".encode())
        wires[2].send(f"TRP(Carl,({program}".encode())
        harness.pump(15)
        told = [spectator.body.decode(), harness.asked("GET", f"/api/v1/rooms/{room.id}").body.decode()]
        for wire in wires[:2]:
            wire.leave()
        harness.pump(1)
        self.assertIn(b"REN(GO)", wires[2].received)
        return [*told, spectator.body.decode(), harness.asked("GET", f"/api/v1/rooms/{room.id}").body.decode()]

    def test_programs_that_cannot_be_read(self) -> None:
        first, second = (self.played(program) for program in ("4,1,9,2,8", "7,6,5,3,2"))
        for one, other in zip(first, second, strict=True):
            self.assertEqual(plain(one), plain(other))
        # The refusals are told, and a message that hides nothing is, too, once the game is over.
        self.assertIs('"code":"white-space"' in first[0], True)
        self.assertIs('"code":"unfinished"' in first[2], True)
        self.assertIs("TNR(Ada,O)" in first[0], False)
        self.assertIs("TNR(Ada,O)" in first[2], True)


class PreparedRoomTests(SynchronousTestCase):
    """The codes of a prepared room are its maker's: they are in nothing that others get, and in no line of the log."""

    def test_codes(self) -> None:
        said: list[str] = []

        def hear(event: Any) -> None:
            said.append(formatEvent(event))

        globalLogPublisher.addObserver(hear)
        self.addCleanup(globalLogPublisher.removeObserver, hear)
        harness = WebHarness("hive")
        self.addCleanup(harness.stop)
        maker, guest = harness.visitor(), harness.visitor()
        maker.login()
        made = maker.post("rooms", {"game": "hive", "names": ["Ada", "Grace"]}).json
        room, codes = made["room"], made["reservations"]
        streams = [harness.opened(f"/api/v1/rooms/{room}/events"), guest.events(f"rooms/{room}")]
        # The maker sees them.
        self.assertEqual([maker.get("prepared").body.count(code.encode()) for code in codes], [2, 2])
        told = [guest.get("rooms").body, guest.get("prepared").body, guest.get(f"prepared/{room}/0/qr").body]
        seat = guest.post("seats", {"game": "hive", "name": "Grace", "reservation": codes[1]}).json["id"]
        other = guest.events(f"seats/{seat}")
        harness.pump()
        told += [guest.get("rooms").body, guest.get(f"rooms/{room}").body, guest.get(f"seats/{seat}").body]
        maker.post("seats", {"game": "hive", "name": "Ada", "reservation": codes[0]})
        harness.pump()
        told += [guest.get("rooms").body, guest.get(f"rooms/{room}").body, other.body, *(one.body for one in streams)]
        self.assertGreater(len(said), 2)
        for code in codes:
            for text in told:
                self.assertNotIn(code.encode(), text)
            self.assertNotIn(code, "\n".join(said))
