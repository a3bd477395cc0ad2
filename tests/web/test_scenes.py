"""What is told of rooms: names, ledgers, moves, and what is left out."""

from __future__ import annotations

from random import Random

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.game import Termination
from gamed.core.history import JOINED, LEFT, LINE, MOVE, STARTED, Entry, History
from gamed.core.refusals import KEPT, Refusal
from gamed.games.battleship import Settings
from gamed.games.roborally.table import CHANNELS
from gamed.records.positions import LONGEST, Data
from gamed.registry import game_types
from gamed.testing.harness import Harness, Wire
from gamed.web.live import Feeds
from gamed.web.moves import Moves
from gamed.web.naming import Naming
from gamed.web.scenes import Ledger, Ledgers, findings, options, refusals, row, seats, short_options, state_of

OPEN = game_types()["battleship"]
"""A game that hides no moves."""


def moves_of(entries: list[Entry]) -> list[Data]:
    """Return all moves of a match that hides none."""
    collected = Moves(OPEN)
    collected.take(entries)
    return collected.moves


class LedgerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.history = History("id", "hive", "now", 7)
        self.ledger = Ledger(self.history)

    def test_entries_are_read_once(self) -> None:
        self.history.entries += [Entry(0, JOINED, 0, data={"name": "Ada"}), Entry(1, STARTED), Entry(2, MOVE, 0, b"a")]
        self.ledger.read()
        self.history.entries += [Entry(3, LINE, 0, b"b"), Entry(4, LEFT, 0, data={"why": "left"})]
        self.ledger.read()
        self.ledger.read()
        self.assertEqual((self.ledger.names, self.ledger.left, self.ledger.moves), ({0: "Ada"}, {0}, 2))
        self.assertTrue(self.ledger.is_started)

    def test_each_match_has_its_own(self) -> None:
        harness = Harness("battleship", Settings())
        harness.connect()
        (room,) = harness.lobby.rooms.values()
        ledgers = Ledgers(harness.lobby.rooms)
        first = ledgers.of(room)
        self.assertIs(ledgers.of(room), first)
        room.history = History("other", "battleship", "now", 7)
        self.assertIsNot(ledgers.of(room), first)
        ledgers._ledgers.update({str(number): first for number in range(100)})
        room.history = History("third", "battleship", "now", 7)
        ledgers.of(room)
        self.assertEqual(list(ledgers._ledgers), [room.id])


class RefusalTests(SynchronousTestCase):
    """What the public page says of messages without effect."""

    def setUp(self) -> None:
        self.harness = Harness("battleship", Settings())
        self.wire, self.second = self.harness.connect(), self.harness.connect()
        (self.room,) = self.harness.lobby.rooms.values()

    def refuse(self, *, is_hidden: bool = False) -> None:
        refusal = Refusal("unknown-word", "there is no such word", "(1,[X,Y]).", b"shoot!", is_hidden)
        self.harness.lobby.refusals.add(self.wire.session, refusal, self.room.id, 0)

    def shown(self) -> Data:
        (found,) = refusals(self.harness.lobby.refusals, self.room, Naming(shows_addresses=True))
        return found

    def test_while_the_match_runs_the_reason_and_the_count(self) -> None:
        self.refuse()
        self.refuse()
        self.assertEqual(
            self.shown(),
            {
                "seat": 0,
                "name": self.wire.session.called,
                "code": "unknown-word",
                "reason": "there is no such word",
                "count": 2,
                "messages": [],
            },
        )

    def test_after_its_end_the_text_too(self) -> None:
        self.refuse()
        self.room.stop(Termination.CANCELLED)
        self.assertEqual(self.shown()["messages"], [{"text": "shoot!", "expected": "(1,[X,Y])."}])

    def test_what_may_be_hidden_is_never_shown(self) -> None:
        self.refuse(is_hidden=True)
        self.room.stop(Termination.CANCELLED)
        self.assertEqual((self.shown()["count"], self.shown()["messages"]), (1, []))

    def test_what_the_referee_finds_is_shown_with_its_move(self) -> None:
        feed = Feeds(self.harness.lobby, self.harness.clock).of(self.room)
        defender, attacker = self.wire, self.second
        attacker.send(b"(1,[0,0]).\n(1,[1,0]).\n")
        self.harness.settle()
        (found,) = feed.scene(feed.capture())["findings"]
        text = found.pop("text")
        self.assertEqual(found, {"seat": 1, "name": "", "unnamed": True, "code": "out-of-turn", "move": 2})
        self.assertTrue(text)
        hiding = Moves(game_types()["roborally"])
        ledger = Ledger(self.room.history).read()
        self.assertEqual(findings(self.room, hiding, ledger)[0]["text"], "")
        defender.leave()
        self.assertEqual(findings(self.room, hiding, ledger)[0]["text"], text)

    def test_one_that_no_table_tells_of_is_news_at_once(self) -> None:
        feed = Feeds(self.harness.lobby, self.harness.clock).of(self.room)
        self.assertTrue(feed._is_news())
        told: list[None] = []
        feed.followers[lambda: told.append(None)] = None
        self.wire.session.refused(Refusal("unfinished", "a message has not ended", text=b"(1,["))
        self.assertEqual((len(told), self.shown()["code"]), (1, "unfinished"))

    def test_a_stream_has_it_as_news_for_as_long_as_it_is_kept(self) -> None:
        feed = Feeds(self.harness.lobby, self.harness.clock).of(self.room)
        self.assertTrue(feed._is_news())
        news = []
        for _ in range(KEPT + 2):
            self.refuse()
            news.append(feed._is_news())
        self.assertEqual(news, [True] * KEPT + [False] * 2)
        self.assertEqual(feed.scene(feed.capture())["refusals"][0]["count"], KEPT + 2)


class RoomTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.harness = Harness("battleship", Settings())
        self.wires = [self.harness.connect()]
        (self.room,) = self.harness.lobby.rooms.values()
        self.ledgers = Ledgers(self.harness.lobby.rooms)

    def test_states_and_seats(self) -> None:
        self.assertEqual(state_of(self.room, self.ledgers.of(self.room)), "waiting")
        self.wires.append(self.harness.connect())
        found = row(self.room, self.ledgers.of(self.room), 3, self.harness.lobby.reservations)
        self.assertEqual((found["state"], found["watchers"], len(found["seats"])), ("playing", 3, 2))
        self.room.pause()
        self.assertEqual(state_of(self.room, self.ledgers.of(self.room)), "paused")
        self.room.resume()
        self.wires[1].leave()
        ledger = self.ledgers.of(self.room)
        self.assertEqual(state_of(self.room, ledger), "ended")
        self.assertEqual([seat["connected"] for seat in seats(self.room, ledger)], [False, False])

    def test_players_who_come_after_many_others_are_shown(self) -> None:
        manager = Harness("roborally", game_types()["roborally"].settings())

        def come(message: bytes) -> Wire:
            wire = manager.connect()
            wire.send(message)
            return wire

        come(b"RGS(Stays)\n")
        for _ in range(100):
            come(b"RGS(Early)\n").leave()
        come(b"RGS(Ada)\n")
        come(b"RGA(Screen)\n")
        (room,) = manager.lobby.rooms.values()
        self.assertEqual(sorted(room.peers), [0, 101, CHANNELS])
        found = seats(room, Ledgers(manager.lobby.rooms).of(room))
        self.assertEqual([seat["name"] for seat in found], ["Stays", "Ada"])

    def test_the_seed_is_told_nobody(self) -> None:
        self.room.history.options = {"seed": 7, "plan": "x" * 500, "lives": 3}
        self.assertEqual(options(self.room), {"plan": "x" * 500, "lives": 3})
        self.assertEqual(short_options(self.room.history.options), {"lives": 3})
        found = row(self.room, self.ledgers.of(self.room), 0, self.harness.lobby.reservations)
        self.assertEqual(found["options"], {"lives": 3})


class MovesTests(SynchronousTestCase):
    def test_moves_are_counted_and_timed(self) -> None:
        entries = [
            Entry(500, STARTED),
            Entry(600, MOVE, 0, b"e5", {"taken": 90}),
            Entry(700, LEFT, 1, data={"why": "left"}),
            Entry(800, LINE, 1, b"\xff" + b"x" * 500),
        ]
        first, second = moves_of(entries)
        self.assertEqual(first, {"n": 1, "seat": 0, "text": "e5", "at": 100, "took": 90})
        self.assertEqual((second["n"], second["at"], second["took"]), (2, 300, 200))
        self.assertTrue(second["text"].startswith("\\xffxx"))
        self.assertEqual(len(second["text"]), LONGEST)

    def test_what_must_stay_hidden_has_its_number(self) -> None:
        told = Moves(evolve(OPEN, public_text=lambda entry: None if entry.body == b"secret" else "x"))
        told.take([Entry(0, MOVE, 0, b"secret"), Entry(0, MOVE, 1, b"open")])
        self.assertEqual([(move["n"], move["text"]) for move in told.moves], [(1, ""), (2, "x")])
        # Where moves are hidden, all think at the same time.
        self.assertEqual([move["took"] for move in told.moves], [None, None])

    def test_programs_of_roborally_are_hidden(self) -> None:
        told = game_types()["roborally"].public_text
        for body, text in (
            (b"4,1,9,2,8", None),
            (b"4,1,9,2,8 down", None),
            (b"-", None),
            (b"E", "E"),
            (b"stay", "stay"),
        ):
            self.assertEqual(told(Entry(0, MOVE, 0, body)), text, body)
        self.assertIsNone(told(Entry(0, MOVE, 0)))

    @given(st.lists(st.sampled_from((MOVE, LINE, JOINED, STARTED)), max_size=30), st.integers(0, 2**32))
    @settings(deadline=None, max_examples=60)
    def test_in_pieces_or_at_once(self, kinds: list[str], seed: int) -> None:
        entries = [Entry(at, kind, 0, b"x") for at, kind in enumerate(kinds)]
        pieces, random, count = Moves(OPEN), Random(seed), 0
        while count < len(entries):
            count = min(len(entries), count + random.randrange(4))
            pieces.take(entries[:count])
        self.assertEqual(pieces.moves, moves_of(entries))
