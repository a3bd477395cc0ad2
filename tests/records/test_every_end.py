"""Every game, ended in every way: the record is exported, checked and imported into an empty store, and is equal.

Source: docs/reference/records.md#the-import. The games are played over the wires, in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from random import Random
from typing import Any

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamed.admin.room_actions import cancel
from gamed.core.clients import Player
from gamed.core.game import Termination
from gamed.core.history import LEFT
from gamed.lobby.recovery import recover
from gamed.records.importer import check
from gamed.records.own import judgement, to_history
from gamed.records.record import Record, document
from gamed.registry import game_types
from gamed.replayers import known_formats, replayers
from gamed.store.memory import MemoryStore
from gamed.testing.harness import Harness, Wire
from tests.games.roborally.gathering import gathering, usual
from tests.games.roborally.test_forbidden import CHEATING

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "battleship": {},
    "blokus": {"password": "Aster"},
    "hive": {"password": "Aster"},
    "quoridor": {},
    "roborally": {"courses": ("anlauf",), "max_players": 2, "start_delay": 0.0, "linger": 0.5, "max_turns": 12},
}

MIDDLE = {"battleship": 12, "blokus": 12, "hive": 3, "quoridor": 12, "roborally": 6}
"""Answers of each player, after which a game is under way and cannot be over."""

SILENCE = 4_000.0
"""Seconds after which all limits of the default settings have expired."""


@define(eq=False)
class Seat:
    wire: Wire
    player: Player
    read: int = 0

    def play(self) -> bool:
        """Answer what has come. Return whether anything had."""
        data = self.wire.received[self.read :]
        self.read += len(data)
        answer = self.player.receive_data(data) if data and not self.player.is_done else b""
        if answer and not self.wire.is_closed:
            self.wire.send(answer)
        return bool(data)


@define(eq=False)
class Match:
    """Two programs of a game in a harness."""

    kind: str
    more: Mapping[str, Any] = field(factory=dict)
    harness: Harness = field(init=False)
    seats: list[Seat] = field(init=False)

    def __attrs_post_init__(self) -> None:
        made = game_types()[self.kind]
        self.harness = Harness(self.kind, made.settings(**{**SETTINGS[self.kind], **self.more}))
        strategy = list(made.players)[-1]
        options = [{"name": name} if self.kind == "roborally" else {} for name in ("Anna", "Bert")]
        self.seats = []
        for number, option in enumerate(options):
            seat = Seat(self.harness.connect(), made.players[strategy](Random(number), **option))
            self.seats.append(seat)
            begin = seat.player.begin()
            if begin:
                seat.wire.send(begin)

    def play(self, rounds: int) -> None:
        """Let both answer so many times, or until nothing comes."""
        for _ in range(rounds):
            self.harness.clock.advance(0.01)
            heard = [seat.play() for seat in self.seats]
            if not any(heard):
                return

    @property
    def records(self) -> list[Record]:
        self.harness.clock.advance(1.0)
        self.harness.settle()
        return list(self.harness.store.records.values())


def to_the_end(match: Match) -> None:
    for _ in range(200):
        match.play(10_000)
        match.harness.clock.advance(0.5)


def left(match: Match) -> None:
    match.play(MIDDLE[match.kind])
    if not match.seats[0].wire.is_closed:
        match.seats[0].wire.leave()


def silent(match: Match) -> None:
    match.play(MIDDLE[match.kind])
    for _ in range(400):
        match.harness.clock.advance(SILENCE / 400)


def cancelled(match: Match) -> None:
    match.play(MIDDLE[match.kind])
    for room in list(match.harness.lobby.rooms.values()):
        cancel(room)


def stopped(match: Match) -> None:
    match.play(MIDDLE[match.kind])
    match.harness.lobby.stopService()


def too_long(match: Match) -> None:
    match.play(MIDDLE[match.kind])
    if not match.seats[0].wire.is_closed:
        match.seats[0].wire.send(b"x" * 2_000_000)


def nonsense(match: Match) -> None:
    match.play(MIDDLE[match.kind])
    for _ in range(60):
        if not match.seats[0].wire.is_closed:
            is_xml = match.kind in ("blokus", "hive")
            match.seats[0].wire.send(b"<room><nonsense></room>" if is_xml else b"nonsense\n")


WAYS: Mapping[str, Callable[[Match], None]] = {
    "to the end": to_the_end,
    "a player leaves": left,
    "silence": silent,
    "cancelled": cancelled,
    "the daemon stops": stopped,
    "a message that is too long": too_long,
    "nonsense": nonsense,
}


class EveryEndTests(SynchronousTestCase):
    def comes_back(self, record: Record, what: object) -> None:
        """Check a record, and import it into an empty store."""
        exported = document(record)
        outcome = check(exported, known_formats(), replayers())
        self.assertEqual((outcome.code, outcome.record), ("imported", record), (what, outcome.sentence))
        assert outcome.record is not None
        store = MemoryStore()
        self.successResultOf(store.keep(outcome.record, outcome.summary))
        self.assertEqual(document(self.successResultOf(store.record(record.id))), exported, what)

    def test_all_games_in_all_ways(self) -> None:
        found: dict[str, set[str]] = {}
        for kind in SETTINGS:
            for name, way in WAYS.items():
                match = Match(kind)
                way(match)
                for record in match.records:
                    self.comes_back(record, (kind, name))
                    found.setdefault(kind, set()).add(str(to_history(record).outcome.termination))  # type: ignore[union-attr]
        for kind, ends in found.items():
            self.assertLessEqual({"cancelled", "shutdown", "left", "removed"}, ends, kind)
            self.assertTrue({"victory", "draw"} & ends, kind)
        self.assertEqual(found.keys(), SETTINGS.keys())
        self.assertIn("idle", found["battleship"])
        for kind in ("blokus", "hive", "roborally"):
            self.assertIn("time", found[kind], kind)

    def test_what_a_crash_has_left(self) -> None:
        for kind in SETTINGS:
            match = Match(kind)
            match.play(MIDDLE[match.kind])
            journal = deepcopy(match.harness.journal)
            journal.start()
            again = Harness(kind, match.harness.settings, journal=journal)
            self.assertGreater(recover(again.lobby), 0, kind)
            again.settle()
            (record,) = again.store.records.values()
            self.assertEqual(to_history(record).outcome.termination, Termination.SERVER_FAULT)  # type: ignore[union-attr]
            self.comes_back(record, kind)

    def test_an_enforcing_referee(self) -> None:
        match = Match("battleship", {"referee": "enforce"})
        match.play(MIDDLE[match.kind])
        for seat in match.seats:
            seat.wire.send(b"(1,[0,0]).\n" * 3)
        (record,) = match.records
        self.assertEqual(to_history(record).outcome.termination, Termination.FORFEIT)  # type: ignore[union-attr]
        self.comes_back(record, "enforce")

    def test_a_robot_that_cheats(self) -> None:
        for name, line in {**CHEATING, "violations": "nonsense"}.items():
            found = gathering()
            anna, bert = found.joins("Anna", "Bert")
            found.starts(anna, bert)
            anna.hears()
            bert.says(usual("Bert", "MRP(PK(M1,1))"))
            for _ in range(6):
                if not anna.is_closed:
                    anna.says(line)
            self.assertTrue(anna.is_closed, name)
            found.harness.settle()
            (record,) = found.harness.store.records.values()
            (finding,) = judgement(record).findings
            entry = to_history(record).entries[finding.entry]
            why = "removed" if name == "violations" else "forfeit"
            self.assertEqual((entry.kind, entry.data["why"]), (LEFT, why), name)
            self.comes_back(record, name)

    def test_a_finding_that_nothing_explains_is_still_refused(self) -> None:
        found = gathering()
        anna, bert = found.joins("Anna", "Bert")
        found.starts(anna, bert)
        anna.says(CHEATING["twice"])
        found.harness.settle()
        (record,) = found.harness.store.records.values()
        for wrong in (b'entry="0"', b'seat="1"'):
            name = wrong.partition(b"=")[0]
            header = record.header
            at = header.index(b"<finding")
            start = header.index(name + b'="', at)
            end = header.index(b'"', start + len(name) + 2) + 1
            changed = document(record).replace(header[start:end], wrong, 1)
            if changed != document(record):
                self.assertEqual(check(changed, known_formats(), replayers()).code, "illegal", wrong)
