"""The shell: completion, waiting for answers, and the log's levels."""

from __future__ import annotations

import attrs
from attrs import define
from twisted.internet.defer import Deferred
from twisted.logger import LogEvent, Logger, LogLevel, LogPublisher, capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from gamed.console.commands import COMMANDS
from gamed.console.levels import LogLevels
from gamed.core.errors import StoreError
from gamed.process.audit import NAMESPACE
from gamed.records.record import Summary
from tests.console.sessions import ConsoleTestCase, everything

SUMMARY = Summary(
    id="x",
    publisher="p",
    version="1",
    kind="battleship",
    started="",
    ended="",
    length=0,
    termination="",
    winner=None,
    seats=(),
)


@define
class SupportsCoursesStub:
    known: tuple[str, ...]

    def choose(self, course: str) -> None:
        raise AssertionError(course)


class OtherWordsTests(ConsoleTestCase):
    def test_what_other_programs_call_it(self) -> None:
        for word in ("exit", "logout", "QUIT"):
            self.assertEqual(self.answer(word), "Bye.\n")
        self.assertEqual(self.answer("?"), self.answer("help"))
        self.assertEqual(self.answer("Rooms"), "No room is open.\n")

    def test_help_of_a_command(self) -> None:
        self.assertEqual(self.answer("rooms --help"), self.answer("help rooms"))
        self.assertEqual(self.answer("HELP ROOMS"), self.answer("help rooms"))
        self.assertEqual(self.answer("cancel --help"), self.answer("help cancel"))

    def test_a_change_is_audited_however_it_is_written(self) -> None:
        with capturedLogs() as logs:
            self.answer("CANCEL abcd")
        self.assertTrue(any("did=CANCEL abcd result=failed" in text for text in everything(logs)))


class CompletionTests(ConsoleTestCase):
    def test_commands(self) -> None:
        self.assertEqual(self.shell.completions(""), sorted(COMMANDS))
        self.assertEqual(self.shell.completions("res"), ["reservations", "resume"])
        self.assertEqual(self.shell.completions("help wa"), ["watch"])
        self.assertEqual(self.shell.completions("nonsense a"), [])

    def test_what_arguments_may_be(self) -> None:
        defender, attacker = self.match()
        names = sorted(wire.session.name for wire in (defender, attacker))
        self.assertEqual(self.shell.completions(f"room {self.room.id[:3]}"), [self.room.id])
        self.assertEqual(self.shell.completions("kick "), sorted([*names, self.room.id]))
        self.assertEqual(self.shell.completions("players b"), ["battleship"])
        self.assertIn("hive", self.shell.completions("prepare "))
        self.assertEqual(self.shell.completions("records s"), ["show"])
        self.assertEqual(self.shell.completions("rooms battleship x"), [])

    def test_options_and_their_values(self) -> None:
        self.assertEqual(self.shell.completions("prepare hive --"), ["--from", "--json", "--paused", "--turn"])
        self.assertEqual(self.shell.completions("records list --game b"), ["battleship", "blokus"])

    def test_records_causes_and_courses(self) -> None:
        self.assertIn("victory", self.shell.completions("records --termination v"))
        self.assertEqual(self.shell.completions("records show a"), [])
        self.operator.note_records([attrs.evolve(SUMMARY, id="abcd"), attrs.evolve(SUMMARY, id="abce")])
        self.assertEqual(self.shell.completions("records show abc"), ["abcd", "abce"])
        reception = SupportsCoursesStub(("doppelhalle", "other"))
        self.patch(self.harness.factory, "reception", reception)
        self.assertEqual(self.shell.completions("course battleship d"), ["doppelhalle"])

    def test_banned_networks(self) -> None:
        self.answer("ban 203.0.113.0/24")
        self.assertEqual(self.shell.completions("unban 2"), ["203.0.113.0/24"])


class WaitingTests(ConsoleTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.found: Deferred[object] = Deferred()
        self.patch(type(self.harness.store), "find", lambda _store, _query: self.found)

    def test_nothing_further_is_taken_until_the_answer_is_there(self) -> None:
        self.shell.received("records")
        self.assertEqual((self.held, self.paper.prompts), (["hold"], []))
        self.found.callback([])
        self.assertEqual((self.held, self.paper.prompts), (["hold", "release"], ["gamed> "]))
        self.assertTrue(self.paper.text.startswith("No game matches. The games here are "))

    def test_an_answer_that_does_not_come(self) -> None:
        self.shell.received("records")
        self.found.errback(StoreError("the database is locked"))
        self.assertEqual((self.paper.text, self.held), ("the database is locked\n", ["hold", "release"]))

    def test_who_has_left_meanwhile_is_told_nothing(self) -> None:
        self.shell.received("records")
        self.shell.close()
        self.found.callback([])
        self.assertEqual((self.paper.text, self.paper.prompts), ("", []))

    def test_an_empty_line(self) -> None:
        self.shell.received("  ")
        self.assertEqual((self.paper.text, self.paper.prompts), ("", ["gamed> "]))


class LevelTests(SynchronousTestCase):
    def test_what_is_written(self) -> None:
        events: list[LogEvent] = []
        publisher = LogPublisher(events.append)
        levels = LogLevels(publisher)
        logger, audit = Logger("gamed.net", observer=publisher), Logger(NAMESPACE, observer=publisher)
        for level, written in (("info", 2), ("warn", 1), ("critical", 0), ("debug", 3)):
            levels.change(level)
            self.assertEqual(levels.level, level)
            events.clear()
            for said in (LogLevel.debug, LogLevel.info, LogLevel.warn):
                logger.emit(said, "said")
            self.assertEqual(len(events), written, level)
            audit.info("audit: done")
            self.assertEqual(len(events), written + 1, level)

    def test_conch_is_not_written(self) -> None:
        events: list[LogEvent] = []
        publisher = LogPublisher(events.append)
        LogLevels(publisher).change("debug")
        for namespace in ("twisted.conch.ssh.connection", "gamed.console.ssh.ConsoleSSHTransport"):
            Logger(namespace, observer=publisher).error("Got remote error, code 11")
        self.assertEqual(events, [])
        Logger("gamed.console.ssh", observer=publisher).warn("closed")
        self.assertEqual(len(events), 1)
