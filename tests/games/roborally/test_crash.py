"""After kill -9: what is shown is what clients were told, and no step further."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from random import Random

from click.testing import CliRunner
from twisted.trial.unittest import SynchronousTestCase

from gamed.cli import main
from gamed.core.history import HELD, MOVE, Entry
from gamed.core.table import replay
from gamed.games.roborally.rules.game import RoboRally
from gamed.games.roborally.rules.moves import Deal
from gamed.games.roborally.rules.state import State
from gamed.games.roborally.table import Manager
from gamed.lobby.recovery import recover
from gamed.records.own import summary, to_history
from gamed.records.record import Record, document
from gamed.testing.harness import Harness
from tests.games.pictures import draw
from tests.games.roborally.gathering import COURSE, Gathering, Peer, gathering, usual

NAMES = ("Anna", "Bert", "Carl")
HANDS = (*range(49, 58), *range(7, 16), *range(58, 67))
"""Anna's and Carl's cards go ahead, Bert's turn."""

_draw = RoboRally.draw


def first_dealt(rules: RoboRally, state: State, random: Random) -> Deal:
    """Deal these hands in the first turn, and others after it."""
    return Deal(HANDS) if state.turn == 1 else _draw(rules, state, random)


class CrashTests(SynchronousTestCase):
    def setUp(self) -> None:
        """Begin a game with one life; Anna faces the southern edge, one field away, Carl has room."""
        self.patch(RoboRally, "draw", first_dealt)
        found = json.loads(Path(COURSE).read_text())
        found["lives"] = 1
        found["tiles"][0]["file"] = str(Path(COURSE).parent / found["tiles"][0]["file"])
        course = Path(f"{self.mktemp()}.course").resolve()
        course.write_text(json.dumps(found))
        self.found: Gathering = gathering(courses=(str(course),))
        self.players = self.found.joins(*NAMES)
        self.tafel: Peer | None = None

    def start(self, *, is_watched: bool = True) -> None:
        """Let the game begin, up to the programs."""
        if is_watched:
            self.tafel = self.found.watches()
        self.found.passes(10)
        for peer, letter in zip(self.players, "SEN", strict=True):
            peer.says("ok", f"TNR({peer.name},{letter})")
        if self.tafel is not None:
            self.tafel.says("ok")
            self.assertEqual(self.tafel.says("ok"), [])

    def program(self) -> None:
        for peer in self.players:
            peer.says(usual(peer.name, "MRP"))

    @property
    def live(self) -> Manager:
        return self.found.table

    def killed(self) -> Record:
        """Return the record that is made after a kill at this moment."""
        journal = deepcopy(self.found.harness.journal)
        journal.start()
        harness = Harness("roborally", self.found.settings, journal=journal)
        self.assertEqual(recover(harness.lobby), 1)
        harness.settle()
        (record,) = harness.store.records.values()
        self.assertEqual(summary(record).termination, "server-fault")
        return record

    def replayed(self, record: Record) -> Manager:
        table = gathering().harness.lobby.open("roborally", to_history(record).options).table
        assert isinstance(table, Manager)
        for _ in replay(table, to_history(record)):
            pass
        return table

    def test_the_record_stands_where_the_clients_saw_the_game(self) -> None:
        """At each step of a turn, with a channel that has not acknowledged it."""
        self.start()
        self.program()
        assert self.tafel is not None
        stages = set()
        while self.live.members.channels[0].is_notified:
            table = self.replayed(self.killed())
            self.assertEqual((table.steps, table.state), (self.live.steps, self.live.state))
            stages.add((table.state.phase, table.state.stage))
            self.tafel.says("ok")
        self.assertGreater(len(stages), 10)
        table = self.replayed(self.killed())
        self.assertEqual((table.steps, table.state), (self.live.steps, self.live.state))

    def test_no_robot_is_removed_that_nobody_saw_removed(self) -> None:
        self.start()
        self.program()
        assert self.tafel is not None
        # The cards of the first phase are shown; Anna's is played with the next step.
        self.assertEqual(self.tafel.hears(), ["NTC()"])
        self.assertIs("removed" in draw(to_history(self.killed())), False)
        while "REN(LL)" not in self.players[0].hears():
            self.tafel.says("ok")
        self.assertRegex(draw(to_history(self.killed())), r"\nA Anna +removed\n")

    def test_gamed_show_tells_the_same(self) -> None:
        self.start()
        self.program()
        path = Path(self.mktemp())
        path.write_bytes(document(self.killed()))
        shown = CliRunner().invoke(main, ["show", str(path)])
        self.assertEqual(shown.exit_code, 0, shown.output)
        self.assertIn("\nturn 1, cards\n", shown.output)
        self.assertIs("removed" in shown.output, False)
        checked = CliRunner().invoke(main, ["check", str(path)])
        self.assertEqual(checked.exit_code, 0, checked.output)

    def test_without_channels_the_whole_turn_was_told(self) -> None:
        self.start(is_watched=False)
        self.program()
        table = self.replayed(self.killed())
        self.assertEqual((table.steps, table.state), (self.live.steps, self.live.state))
        self.assertEqual(self.held(), [])

    def test_a_game_that_an_operator_holds(self) -> None:
        self.start(is_watched=False)
        (room,) = self.found.rooms
        room.pause()
        self.program()
        for _ in range(5):
            table = self.replayed(self.killed())
            self.assertEqual((table.steps, table.state), (self.live.steps, self.live.state))
            room.step()
            self.found.passes(0)
        room.resume()
        self.found.passes(0)
        self.assertEqual(self.replayed(self.killed()).state, self.live.state)

    def test_a_leaving_between_two_steps(self) -> None:
        self.start()
        self.program()
        assert self.tafel is not None
        self.players[1].leaves()
        self.tafel.says("ok")
        for _ in range(3):
            table = self.replayed(self.killed())
            self.assertEqual((table.steps, table.state), (self.live.steps, self.live.state))
            self.tafel.says("ok")

    def held(self) -> list[Entry]:
        journal = deepcopy(self.found.harness.journal)
        journal.start()
        (history,) = journal.open_rooms()
        return [entry for entry in history.entries if entry.kind == HELD]

    def test_the_journal_alone_has_where_it_was_held(self) -> None:
        self.start()
        self.program()
        self.assertGreater(len(self.held()), 0)
        (room,) = self.found.rooms
        self.assertEqual([entry for entry in room.history.entries if entry.kind == HELD], [])
        self.assertEqual(sum(entry.kind == MOVE for entry in room.history.entries), 6)
