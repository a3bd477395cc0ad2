"""Runners: their rooms, their leases, and what a lost connection of a program means. In memory.

Source: docs/topics/design.md#control.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from random import Random
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.test.iosim import connectedServerAndClient
from twisted.trial.unittest import SynchronousTestCase

from gamed.arena.client import DaemonClient, DaemonLost, Opening
from gamed.config import ControlConfig
from gamed.control.runners import Control, Runners, scores_of
from gamed.core.errors import RoomError
from gamed.core.game import Seat, Termination
from gamed.core.refusals import Refusal
from gamed.net.entrance import Entrance
from gamed.records.index import validate
from gamed.records.own import to_history
from gamed.records.record import Record, document
from gamed.registry import game_types
from gamed.testing.harness import Harness
from gamed.tournament.results import Cause, Result, result_of
from tests.lobby.test_entrances import ID, Port
from tests.records.test_every_end import SETTINGS
from tests.records.test_every_end import Seat as Program

KEY = "a runner"


@define
class Told:
    """What a runner was told."""

    words: list[str] = field(factory=list)
    results: list[Result] = field(factory=list)
    word: dict[str, Any] = field(factory=lambda: {"running": True})
    """What it says of programs that have left."""

    def seated(self, room: str, seat: Seat) -> None:
        self.words.append(f"seated {room[-1]} {seat}")

    def begun(self, room: str) -> None:
        self.words.append(f"begun {room[-1]}")

    def ended(self, result: Result) -> None:
        self.words.append(f"ended {result.id[-1]} {result.termination} {result.winner}")
        self.results.append(result)

    def recorded(self, room: str) -> None:
        self.words.append(f"recorded {room[-1]}")

    def testify(self, _room: str, _seat: Seat) -> Deferred[dict[str, Any]]:
        return succeed(self.word)

    def lost(self, _reason: str) -> None:
        self.words.append("lost")


class RunnerTestCase(SynchronousTestCase):
    kind = "battleship"

    def setUp(self) -> None:
        self.made = game_types()[self.kind]
        self.harness = Harness(self.kind, self.made.settings(**SETTINGS[self.kind]))
        self.runners = Runners(
            self.harness.lobby, {self.kind: self.harness.listener}, maybeDeferred, self.harness.clock, ControlConfig()
        )
        self.runners.doStart()
        self.addCleanup(self.runners.doStop)
        self.told = Told()
        self.rooms = self.connect()

    def connect(self, key: str = KEY) -> list[str]:
        """Connect a runner; return the rooms that it still has."""
        self.client, self.server, self.pump = connectedServerAndClient(
            lambda: Control(self.runners), lambda: DaemonClient(self.told), clock=self.harness.clock
        )
        rooms = self.of(self.client.begin(key))
        runner = self.runners.by_key[key]
        for number in range(2):
            runner.entrances.setdefault(number, Entrance(self.harness.factory, Port()))
        self.entrances = [runner.entrances[number] for number in range(2)]
        return rooms

    def of(self, asked: Deferred[Any]) -> Any:
        self.pump.flush()
        self.harness.clock.advance(0)
        self.pump.flush()
        return self.successResultOf(asked)

    def open(self, number: int = 1, **options: Any) -> list[str]:
        fixture = Opening(self.kind, ID.format(number), 7, options, ("A", "B"))
        return self.of(self.client.open(fixture, [0, 1]))

    def come(self, number: int) -> Program:
        player = self.made.players[list(self.made.players)[-1]](Random(number))
        program = Program(self.harness.connect(entrance=self.entrances[number]), player)
        begin = program.player.begin()
        if begin:
            program.wire.send(begin)
        self.pump.flush()
        return program

    def play(self, programs: list[Program], rounds: int = 10_000) -> None:
        for _ in range(rounds):
            self.harness.clock.advance(0.01)
            heard = [program.play() for program in programs]
            if not any(heard):
                break
        self.pump.flush()

    def settle(self) -> list[str]:
        """Let all be recorded; return the terminations of the records."""
        self.harness.clock.advance(0.3)
        self.harness.settle()
        self.pump.flush()
        return [result.termination for result in self.of(self.client.results(list(self.harness.store.records)))]


class GameTests(RunnerTestCase):
    def test_a_whole_game(self) -> None:
        codes = self.open()
        self.assertEqual(len(set(codes)), 2)
        programs = [self.come(0), self.come(1)]
        self.assertEqual(self.told.words, ["seated 1 0", "seated 1 1", "begun 1"])
        self.play(programs)
        self.assertRegex(self.told.words[3], r"ended 1 victory [01]$")
        self.assertEqual(self.settle(), [Termination.VICTORY])
        self.assertEqual(self.told.words[4:], ["recorded 1"])
        (result,) = self.told.results
        self.assertEqual(self.of(self.client.results([result.id, ID.format(9)])), [result])
        self.assertGreater(result.moves, 30)
        self.assertEqual(len(result.digest), 16)

    def test_what_cannot_be_opened(self) -> None:
        fixture = Opening("chess", ID.format(1), 7, {}, ("A", "B"))
        for opening, entrances, reason in (
            (fixture, [0, 1], "there is no game chess"),
            (Opening("battleship", ID.format(1), 7, {}, ("A", "B")), [0, 7], "there is no entrance 7"),
            (Opening("battleship", ID.format(1), 7, {"x": 1}, ("A", "B")), [0, 1], "has no option 'x'"),
            (Opening("battleship", ID.format(1), 7, {"referee": "x"}, ("A", "B")), [0, 1], "'referee' must be in"),
        ):
            failures: list[Any] = []
            self.client.open(opening, entrances).addErrback(failures.append)
            self.pump.flush()
            self.assertIsInstance(failures[0].value, RoomError)
            self.assertIn(reason, str(failures[0].value))
        self.assertEqual(self.harness.lobby.rooms, {})

    def test_games_are_withheld_until_it_says_otherwise_or_has_gone(self) -> None:
        ids = [ID.format(number) for number in range(1, 4)]
        self.of(self.client.withhold(ids))
        self.assertEqual(self.harness.lobby.withheld, set(ids))
        self.of(self.client.disclose(ids[:1]))
        self.assertEqual(self.harness.lobby.withheld, set(ids[1:]))
        self.runners.by_key[KEY].end()
        self.assertEqual(self.harness.lobby.withheld, set())

    def test_who_does_not_begin_with_its_key_opens_nothing(self) -> None:
        client, _, pump = connectedServerAndClient(lambda: Control(self.runners), lambda: DaemonClient(Told()))
        failures: list[Any] = []
        client.open(Opening("battleship", ID.format(1), 7, {}, ()), []).addErrback(failures.append)
        pump.flush()
        self.assertIn("a runner begins with its key", str(failures[0].value))

    def test_one_who_never_comes_has_lost(self) -> None:
        self.open()
        self.come(0)
        self.of(self.client.absent(ID.format(1), 1, {"running": True}))
        self.assertEqual(self.told.words, ["seated 1 0", "ended 1 left 0"])
        self.assertEqual(self.told.results[0].causes, {1: Cause.NEVER_CONNECTED})
        self.assertEqual(self.told.results[0].seconds, 0)

    def test_the_cause_of_one_who_never_comes_is_what_was_refused_unless_it_has_crashed(self) -> None:
        refusal = Refusal("illegible", "is no message", "a message", b"HELO")
        words = [({"running": True}, Cause.PROTOCOL), ({"status": 0}, Cause.PROTOCOL), ({"status": 3}, Cause.CRASHED)]
        for number, (word, cause) in enumerate(words, 1):
            self.open(number)
            room, came = self.harness.lobby.rooms[ID.format(number)], self.harness.connect().session
            room.refused(0, refusal, came)
            self.of(self.client.absent(room.id, 0, word))
            self.assertEqual(self.told.results[-1].causes, {0: cause})

    def test_a_game_that_is_made_void(self) -> None:
        self.open()
        programs = [self.come(0), self.come(1)]
        # It has begun: nobody is absent.
        self.of(self.client.absent(ID.format(1), 1, {}))
        self.play(programs, 5)
        self.of(self.client.void(ID.format(1)))
        self.of(self.client.void(ID.format(1)))
        self.assertEqual(self.told.words[3:], ["ended 1 cancelled None"])
        self.assertTrue(self.told.results[0].is_void)

    def test_whatever_is_asked_of_a_daemon_that_has_ended_fails_by_name(self) -> None:
        self.open()
        asked = [self.client.results([ID.format(1)])]
        self.pump.flush()
        self.runners.by_key[KEY].control.abort()  # type: ignore[union-attr]
        self.pump.flush()
        asked.append(self.client.results([ID.format(1)]))
        for each in asked:
            self.assertIn("the daemon has ended: ", str(self.failureResultOf(each, DaemonLost).value))

    def test_results_are_asked_for_while_games_run(self) -> None:
        """A runner that comes after a killed one asks before it plays on: what is not recorded by then, it repeats."""
        self.open()
        self.open(2)
        asked = self.client.results([ID.format(number) for number in range(4)])
        self.pump.flush()
        self.of(self.client.void(ID.format(1)))
        self.harness.clock.advance(0.3)
        self.harness.settle()
        self.assertNoResult(asked)
        self.of(self.client.void(ID.format(2)))
        self.assertNoResult(asked)
        self.harness.clock.advance(0.3)
        self.harness.settle()
        self.assertEqual({result.id for result in self.of(asked)}, {ID.format(1), ID.format(2)})

    def test_a_fault_of_the_server_is_told_when_it_is_recorded(self) -> None:
        self.open()
        self.harness.lobby.rooms[ID.format(1)].cut_off()
        self.settle()
        self.assertEqual(self.told.words, ["ended 1 server-fault None", "recorded 1"])


class LeavingTests(RunnerTestCase):
    def test_a_program_that_leaves_while_its_runner_lives_has_lost(self) -> None:
        self.open()
        programs = [self.come(0), self.come(1)]
        self.play(programs, 5)
        programs[0].wire.leave()
        self.pump.flush()
        self.assertEqual(self.told.words[3:], ["ended 1 left 1"])

    def test_what_the_runner_says_of_it_is_the_cause_and_is_in_the_record(self) -> None:
        words = [
            ({"status": 1, "cpu": 80, "memory": 9100}, Cause.CRASHED),
            ({"status": -24, "cpu": 60_000, "memory": 9100}, Cause.CPU),
            ({"status": 0, "cpu": 80, "memory": 9100}, Cause.LEFT),
            ({"running": True}, Cause.LEFT),
            ({}, Cause.LEFT),
        ]
        for number, (word, cause) in enumerate(words, 1):
            self.told.word = {**word, "unknown": "x", "failed": ""}
            self.open(number)
            programs = [self.come(0), self.come(1)]
            self.play(programs, 5)
            programs[0].wire.leave()
            self.pump.flush()
            self.assertEqual(self.told.results[-1].causes, {0: cause})
            self.assertEqual(self.told.results[-1].cause(0), cause)
            self.assertIsNone(self.told.results[-1].cause(1))
            self.settle()
            record = self.harness.store.records[ID.format(number)]
            validate(document(record))
            self.assertEqual([entry.data for entry in to_history(record).attested], [word] if word else [])
            self.assertEqual(result_of(to_history(record)), self.told.results[-1])

    def test_evidence_is_kept_beside_the_record(self) -> None:
        now = datetime(2026, 11, 29, tzinfo=UTC)
        self.runners.now = lambda: now
        self.open()
        self.of(self.client.void(ID.format(1)))
        self.settle()
        self.runners.milliseconds = lambda: 10**9
        zero = self.runners.milliseconds() - self.runners.by_key[KEY].transcripts[ID.format(1)][1].now()
        self.of(self.client.evidence(ID.format(1), 1, '{"stderr": "x"}'))
        store = self.harness.store
        kept = json.dumps({"stderr": "x", "opened": zero, "numbers": {}, "messages": []})
        for day, found in (("2026-12-29", {1: kept}), ("2026-12-30", {})):
            self.assertEqual(self.successResultOf(store.evidence(ID.format(1), f"{day}T00:00:00.000Z")), found)
        self.assertNotIn(b"stderr", document(store.records[ID.format(1)]))

    def test_what_programs_tell_of_themselves_has_the_times_of_the_match(self) -> None:
        self.open()
        programs = [self.come(0), self.come(1)]
        self.play(programs, 5)
        self.of(self.client.void(ID.format(1)))
        self.settle()
        ended = to_history(self.harness.store.records[ID.format(1)]).entries[-1].at
        now = self.runners.milliseconds()
        self.runners.milliseconds = lambda: now
        spent = self.runners.by_key[KEY].transcripts[ID.format(1)][0].now() - ended
        data = json.dumps({"numbers": {"depth": [[now - spent - 100, 4.0], [now - spent, 5.0]]}})
        for seat in (0, 1):
            self.of(self.client.evidence(ID.format(1), seat, data))
        kept = json.loads(self.successResultOf(self.harness.store.evidence(ID.format(1), ""))[1])
        self.assertEqual(kept["numbers"], {"depth": [[ended - 100, 4.0], [ended, 5.0]]})
        self.assertEqual(kept["messages"][-1]["from"], "bot")
        means = {0: {"depth": 4.5}, 1: {"depth": 4.5}}
        self.assertEqual(self.of(self.client.means([ID.format(1), ID.format(2)])), [means, {}])
        # Nothing is kept of a game on which there is all evidence, and nothing is known of its times.
        self.assertEqual(self.runners.by_key[KEY].transcripts, {})
        self.of(self.client.evidence(ID.format(1), 0, data))
        self.assertEqual(json.loads(self.successResultOf(self.harness.store.evidence(ID.format(1), ""))[0]), {})

    def test_one_that_leaves_with_its_runner_has_not(self) -> None:
        self.open()
        programs = [self.come(0), self.come(1)]
        self.play(programs, 5)
        # The runner was killed, and its programs with it: the daemon reads of that in any order.
        programs[0].wire.leave()
        self.server.connectionLost()
        programs[1].wire.leave()
        self.harness.clock.advance(9)
        self.assertEqual(len(self.harness.lobby.rooms), 1)
        self.harness.clock.advance(1.1)
        self.connect("another")
        self.assertEqual(self.settle(), [Termination.CANCELLED])
        self.assertNotIn(KEY, self.runners.by_key)

    def test_a_runner_that_comes_back_goes_on(self) -> None:
        self.open()
        programs = [self.come(0), self.come(1)]
        self.play(programs, 5)
        self.server.connectionLost()
        programs[0].wire.leave()
        self.harness.clock.advance(9)
        self.assertEqual(self.connect(), [ID.format(1)])
        self.harness.clock.advance(20)
        self.pump.flush()
        self.assertEqual(self.told.words[-2:], ["ended 1 left 1", "recorded 1"])

    def test_a_runner_that_does_not_answer_is_away(self) -> None:
        self.open()
        programs = [self.come(0), self.come(1)]
        self.play(programs, 5)
        # It is stopped: nothing is pumped.
        programs[0].wire.leave()
        self.harness.clock.advance(10.1)
        self.server.connectionLost()
        self.harness.clock.advance(10.1)
        self.connect("another")
        self.assertEqual(self.settle(), [Termination.CANCELLED])

    def test_who_says_goodbye_needs_no_witness(self) -> None:
        """Nor does one that is removed for what it sent."""
        self.open()
        programs = [self.come(0), self.come(1)]
        self.play(programs, 5)
        programs[0].wire.send(b"x" * 100_000)
        self.pump.flush()
        self.assertEqual(self.told.words[3:], ["ended 1 removed 1"])


class ScoreTests(RunnerTestCase):
    kind = "blokus"

    def test_scores_of_recorded_games(self) -> None:
        self.open()
        programs = [self.come(0), self.come(1)]
        self.play(programs)
        self.settle()
        # One whose program never came.
        self.open(2)
        self.of(self.client.absent(ID.format(2), 0, {}))
        self.settle()
        whole, absent = self.of(self.client.scores([ID.format(1), ID.format(2)]))
        self.assertEqual(sum(whole["victory"]), 2)
        self.assertGreater(min(whole["points"]), 20)
        self.assertEqual(absent, {"victory": [0, 2], "points": [0, 0]})

    def test_a_record_that_cannot_be_replayed_has_none(self) -> None:
        record = Record("1", "gamed-blokus", "1.0", b"<header/>", b"<body/>")
        self.assertEqual(scores_of(self.harness.lobby.game_types, record), "{}")
