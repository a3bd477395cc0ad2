"""The whole daemon: options, listeners, starting, errors at the start, and the order of stopping."""

from __future__ import annotations

import gc
import io
import json
import os
import resource
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from twisted.internet import reactor as real_reactor
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import ILoggingContext, IReactorFromThreads
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import LogEvent, LogLevel, capturedLogs, formatEvent
from twisted.python import usage
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from gamed import __version__, tap
from gamed import daemon as services
from gamed.core.errors import RemoteProtocolError, StoreError
from gamed.core.game import Outcome, Termination
from gamed.core.history import MOVE
from gamed.daemon import CLOSE_WITHIN, STOP_WITHIN, Daemon, Storage
from gamed.games.softwarechallenge.table import SeasonTable
from gamed.lobby.expiry import FIRST
from gamed.lobby.lobby import Lobby
from gamed.lobby.match_recorder import AFTERWARDS
from gamed.net.listener import Listener
from gamed.process import audit
from gamed.records.own import summary as summary_of
from gamed.registry import games
from gamed.replayers import importer
from gamed.store.database import Database
from gamed.store.journal import FileJournal
from gamed.tap import Options, makeService
from gamed.web.archive import Archive
from tests.battleship_matches import play_history
from tests.lobby.doubles import SHOT, Peer
from tests.records.samples import ROOM, game, record
from tests.store.contract import OTHER
from tests.store.logs import sentences
from tests.store.pump import Pump
from tests.test_quick_checks import spoiled
from tests.web.harness import dispatch
from tests.web.test_archive import Visitor, at_once, played

OTHERS = [name for name, *_ in Options.optParameters if name not in ("config", "battleship")]


@implementer(IReactorFromThreads)
class Reactor(MemoryReactorClock):
    """A reactor in memory that threads can call."""

    def __init__(self) -> None:
        super().__init__()
        self.threads = Pump()
        self.callFromThread = self.threads.callFromThread


class OptionsTests(SynchronousTestCase):
    def parsed(self, *arguments: str) -> Options:
        options = Options()
        options.parseOptions(arguments)
        return options

    def test_there_is_one_for_each_game(self) -> None:
        options = self.parsed()
        for name in ("config", *games()):
            self.assertIsNone(options[name])

    def test_they_are_taken_as_they_stand(self) -> None:
        options = self.parsed("-c", "a.toml", "--battleship", "tcp6:4711:interface=\\:\\:")
        self.assertEqual((options["config"], options["battleship"]), ("a.toml", "tcp6:4711:interface=\\:\\:"))

    def test_others_are_refused(self) -> None:
        self.assertRaises(usage.UsageError, self.parsed, "--chess", "tcp:1")
        self.assertRaises(usage.UsageError, self.parsed, "argument")

    def test_the_help_names_the_standard_port(self) -> None:
        shown = " ".join(str(Options()).split())
        for name, maker in games().items():
            self.assertIn(f"endpoint string of the {name} listener (standard port {maker.port}); empty: off", shown)

    def test_the_version_is_ours_and_twisteds(self) -> None:
        out = io.StringIO()
        self.patch(sys, "stdout", out)
        self.assertRaises(SystemExit, self.parsed, "--version")
        ours, twisteds = out.getvalue().splitlines()
        self.assertEqual(ours, f"gamed {__version__}")
        self.assertTrue(twisteds.startswith("Twisted version: "))


class DaemonTestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.reactor = Reactor()
        self.notified: list[str] = []
        self.patch(services, "notify", self.notified.append)
        self.patch(tap, "raise_descriptor_limit", lambda: 1_000)
        self.patch(resource, "getrlimit", lambda _what: (100_000, 100_000))
        self.addCleanup(os.umask, os.umask(0o022))
        # Frozen objects are never collected, and the test process continues.
        self.patch(gc, "freeze", lambda: None)

    def daemon(self, toml: str = "", *arguments: str) -> Daemon:
        config = self.folder / "gamed.toml"
        # The tests need one listener; the ports of the others may be in use on this machine.
        control = "" if "[control]" in toml else '\n[control]\nendpoint = ""\n'
        config.write_text(toml + control, encoding="utf-8")
        options = Options()
        off = [f"--{name}=" for name in OTHERS if f"[{name}]" not in toml and f"--{name}" not in arguments]
        options.parseOptions(["--config", str(config), *off, *arguments])
        service = makeService(options, self.reactor)
        assert isinstance(service, Daemon)
        return service

    def files(self) -> list[str]:
        return [path.name for path in self.folder.iterdir()]

    def exits(self, call: Callable[..., object], *args: Any) -> str:
        """Return the message with which a call ends the process."""
        return str(self.assertRaises(SystemExit, call, *args))


class ListenerTests(DaemonTestCase):
    def endpoints(self, toml: str = "", *arguments: str) -> list[str]:
        return [listener.endpoint for listener in self.daemon(toml, *arguments).listeners]

    def test_the_standard_port(self) -> None:
        self.patch(tap, "standard_endpoint", "standard {}".format)
        self.assertEqual(self.endpoints(), ["standard 54321"])

    def test_the_endpoint_of_the_configuration(self) -> None:
        self.assertEqual(self.endpoints('[battleship]\nendpoint = "tcp:1"'), ["tcp:1"])

    def test_the_command_line_stands_above_it(self) -> None:
        self.assertEqual(self.endpoints('[battleship]\nendpoint = "tcp:1"', "--battleship", "tcp:2"), ["tcp:2"])
        self.assertEqual(self.endpoints('[battleship]\nendpoint = ""', "--battleship", "tcp:2"), ["tcp:2"])

    def test_an_empty_endpoint_is_no_listener(self) -> None:
        self.assertEqual(self.endpoints('[battleship]\nendpoint = ""'), [])
        self.assertEqual(self.endpoints('[battleship]\nendpoint = "tcp:1"', "--battleship", ""), [])

    def test_it_serves_its_game_with_its_settings(self) -> None:
        daemon = self.daemon("[battleship]\nconnections = 20\nconnections_per_address = 3\nline_bytes = 5")
        (listener,) = daemon.listeners
        daemon.console.services.listeners.load()
        factory: Any = listener.factory
        self.assertEqual((factory.reception.kind, factory.limits.listener), ("battleship", "battleship"))
        self.assertEqual((factory.limits.total, factory.limits.per_address), (20, 3))
        connection = factory.connect()
        connection.receive_data(b"12345\n")
        self.assertEqual(len(list(connection.events())), 1)
        connection.receive_data(b"123456\n")
        self.assertRaises(RemoteProtocolError, list, connection.events())

    def test_there_are_no_more_connections_than_descriptors(self) -> None:
        (listener,) = self.daemon("[battleship]\nconnections = 2000").listeners
        self.assertEqual(listener.factory.limits.total, 1_000)  # type: ignore[attr-defined]


class MakeServiceTests(DaemonTestCase):
    def test_the_log_begins_with_what_runs_where(self) -> None:
        with capturedLogs() as logs:
            self.daemon("[store]\nstate = 'here'\nurl = 'postgresql+psycopg://gamed:secret@db/gamed'")
        line = formatEvent(logs[0])
        self.assertRegex(line, r"^gamed \S+: configuration=\S+gamed.toml state=\S*here database=postgresql\+psycopg://")
        self.assertNotIn("secret", line)

    def test_a_hangup_says_what_was_read_again_and_what_needs_a_restart(self) -> None:
        daemon = self.daemon("[battleship]\nconnections = 20\n", "--web", "tcp:8054")
        toml = "[battleship]\nconnections = 30\nreferee = 'enforce'\n"
        for more, level, restart in (
            ("", LogLevel.info, "nothing"),
            ("url = 'sqlite://'", LogLevel.warn, "[store] url"),
        ):
            (self.folder / "gamed.toml").write_text(f"{toml}[store]\n{more}\n")
            with capturedLogs() as logs:
                daemon.reload()
            self.assertEqual(formatEvent(logs[0]), "no certificates were read")
            changed = "changed: [battleship] connections; for new rooms and connections: [battleship] referee"
            said = formatEvent(logs[-1])
            self.assertEqual(said, f"configuration and certificates read again: {changed}; needs a restart: {restart}")
            self.assertEqual(logs[-1]["log_level"], level)
            toml = toml.replace("30", "40").replace("enforce", "warn")

    def test_a_hangup_with_a_configuration_that_cannot_be_used_changes_nothing(self) -> None:
        daemon = self.daemon("[battleship]\nconnections = 20\n", "--web", "tcp:8054")
        (self.folder / "gamed.toml").write_text("[battleship]\nconnections = 'many'\n")
        with capturedLogs() as logs:
            daemon.reload()
        self.assertTrue(formatEvent(logs[0]).startswith("the configuration stays as it was: "), formatEvent(logs[0]))
        self.assertEqual(formatEvent(logs[1]), "no certificates were read")
        (factory, _web) = (listener.factory for listener in daemon.listeners)
        self.assertEqual(factory.limits.total, 20)  # type: ignore[attr-defined]

    def test_a_hangup_without_console_and_web_does_the_same(self) -> None:
        daemon = self.daemon("[battleship]\nconnections = 20\n")
        (self.folder / "gamed.toml").write_text("[battleship]\nconnections = 30\n[console]\npassword = 'x'\n")
        with capturedLogs() as logs:
            daemon.reload()
        self.assertIn("read again: changed: [battleship] connections", formatEvent(logs[-1]))
        (listener,) = daemon.listeners
        self.assertEqual(listener.factory.limits.total, 30)  # type: ignore[attr-defined]

    def test_nothing_is_touched_before_the_start(self) -> None:
        self.daemon("[store]\nstate = 'state'")
        self.assertEqual(self.files(), ["gamed.toml"])
        self.assertEqual(self.reactor.tcpServers, [])

    def test_without_a_reactor_it_is_the_real_one(self) -> None:
        options = Options()
        options.parseOptions([])
        self.assertIs(makeService(options).reactor, real_reactor)  # type: ignore[attr-defined]

    def test_a_bad_configuration_ends_with_a_sentence(self) -> None:
        path = self.folder / "gamed.toml"
        said = self.exits(self.daemon, "[battleship]\nroles = 1")
        self.assertEqual(said, f"gamed: {path}: [battleship] roles is a string, not 1")
        options = Options()
        options.parseOptions(["--config", "/no/such.toml"])
        said = self.exits(makeService, options, self.reactor)
        self.assertEqual(said, "gamed: cannot read the configuration /no/such.toml: No such file or directory")


class StartTests(DaemonTestCase):
    def start(self, toml: str = "") -> Daemon:
        """Start a daemon that is stopped after the test."""
        service = self.daemon(toml, "--battleship", "tcp:4711")
        service.privilegedStartService()
        service.startService()
        self.addCleanup(self.stop, service)
        return service

    def stop(self, service: Daemon) -> None:
        if service.storage.running:
            self.reactor.threads.result(service.stopService())

    def infos(self, logs: Sequence[LogEvent]) -> list[str]:
        return [formatEvent(log) for log in logs if log["log_namespace"] == "gamed.tap"]

    def test_it_says_ready_when_it_runs_and_once(self) -> None:
        with capturedLogs() as logs:
            self.start()
            self.assertEqual((len(self.infos(logs)), self.notified), (1, []))
            self.reactor.run()
        _what_runs, listening, ready = self.infos(logs)
        self.assertTrue(listening.startswith("listening: battleship on "), listening)
        self.assertEqual((ready, self.notified), ("ready", ["READY=1"]))
        self.assertEqual([log for log in logs if log["log_level"] >= LogLevel.warn], [])

    def test_twisted_logs_each_listener_by_its_name(self) -> None:
        """As "battleship starting on 4711"."""
        service = self.daemon("", *(f"--{name}=tcp:0:interface=127.0.0.1" for name in (*games(), "console", "web")))
        service.privilegedStartService()
        self.addCleanup(self.stop, service)
        said = [ILoggingContext(server[1]).logPrefix() for server in self.reactor.tcpServers]
        self.assertEqual(sorted(said), sorted([*games(), "console", "web"]))

    def test_it_listens_before_privileges_are_dropped_and_opens_files_after(self) -> None:
        service = self.daemon("", "--battleship", "tcp:4711")
        service.privilegedStartService()
        self.assertEqual([server[0] for server in self.reactor.tcpServers], [4711])
        self.assertEqual(self.files(), ["gamed.toml"])
        service.startService()
        self.addCleanup(self.stop, service)
        self.assertLessEqual({"gamed.toml", "gamed.db", "journal"}, set(self.files()))

    def test_a_damaged_page_of_the_database_is_told_and_games_are_played(self) -> None:
        spoiled(self.folder / "gamed.db")
        with capturedLogs() as logs:
            service = self.start()
            self.reactor.run()
        (notified,) = [log for log in logs if log.get("check") == "database"]
        self.assertEqual(notified["log_level"], LogLevel.error)
        self.assertIn("gamed.db is damaged", formatEvent(notified))
        self.assertIn("gamed.db is damaged", service.warnings["database"])
        self.assertEqual(self.notified, ["READY=1"])

    def test_what_the_journal_holds_is_recovered(self) -> None:
        history = play_history(("open-list", "open-list"), 3)
        journal = FileJournal(self.folder / "journal", durability="process", reactor=self.reactor)
        journal.start()
        journal.append([(history.room, (history.opened(), *history.entries[:-1]))])
        journal.stop()
        service = self.start()
        while service.lobby.record_writer.unstored:
            self.reactor.threads.turn()
        record = self.reactor.threads.result(service.storage.store.record(history.room))
        self.assertIn(b'termination="server-fault"', record.header)

    def test_a_match_is_written_as_its_replay_where_the_configuration_wants_that(self) -> None:
        service = self.start('[softwarechallenge]\nreplays = "replays"')
        writers = service.storage.replays.values()
        self.assertEqual({writer.directory for writer in writers}, {self.folder / "replays"})
        self.assertEqual(list(service.lobby.recorder.replays), ["hive", "blokus"])
        lobby = service.lobby
        room = lobby.open("hive")
        assert isinstance(room.table, SeasonTable)
        room.table.prepare(room.id, (), paused=False)
        for name in ("a", "b"):
            room.join(Peer(name, []))
        self.reactor.advance(0)
        self.reactor.threads.result(service.stopService())
        (file,) = (self.folder / "replays").iterdir()
        self.assertEqual(file.name[:42], "replay_swc_2020_hive_Unknown_Unknown_" + room.history.opened_at[:4] + ".")
        self.assertIn(b'<data class="memento">', file.read_bytes())

    def test_records_of_a_season_that_is_switched_off_stay_playable(self) -> None:
        service = self.start()
        self.assertEqual([listener.section for listener in service.listeners], ["battleship"])
        store, (kept, history) = service.storage.store, played("hive")
        self.reactor.threads.result(store.keep(kept, None))
        known = importer()
        archive = Archive(store, known, service.lobby.game_types, at_once(), at_once())
        moves = len(list(history.of_kind(MOVE)))
        span = {"from": "0", "to": str(moves)}
        asked = dispatch(archive.routes, ["records", kept.id, "positions"], "GET", span, None, Visitor())
        positions = json.loads(self.reactor.threads.result(asked).encoded())
        self.assertEqual((len(positions), positions[-1]["phase"]), (1 + moves, "over"))

    def test_without_that_none_is_written(self) -> None:
        service = self.start()
        self.assertEqual((service.storage.replays, service.lobby.recorder.replays), ({}, {}))

    def test_what_is_said_in_the_audit_log_is_in_its_file_until_the_stop(self) -> None:
        service = self.start("[store]\nstate = 'state'\n")
        audit.say("user=anna from=ssh 192.0.2.1:4711", "pause 6f0c", "done")
        file = self.folder / "state" / "audit.log"
        self.assertTrue(file.read_text().endswith("Z user=anna from=ssh 192.0.2.1:4711 did=pause 6f0c result=done\n"))
        self.stop(service)
        audit.say("user=anna", "resume", "done")
        self.assertEqual(len(file.read_text().splitlines()), 1)

    def test_games_that_ended_too_long_ago_are_deleted(self) -> None:
        database = Database(f"sqlite:///{self.folder}/gamed.db")
        database.thd_open()
        self.addCleanup(database.thd_close)
        for room, started in ((ROOM, "2020-01-01T00:00:00.000Z"), (OTHER, "9000-01-01T00:00:00.000Z")):
            kept = record(game(room=room, started=started))
            database.thd_keep([(kept, summary_of(kept))])
        service = self.start("[store]\nkeep_days = 30\n")
        self.assertEqual(service.storage.store.folders, {})
        self.reactor.run()
        self.reactor.advance(FIRST)
        with capturedLogs() as logs:
            self.reactor.threads.turn()
        self.assertEqual([one.id for one in database.thd_records()], [OTHER])
        (notified,) = [formatEvent(event) for event in logs if event["log_namespace"] == audit.NAMESPACE]
        self.assertRegex(notified, "did=records delete, ended more than 30 days ago result=[0-9a-f-]{36}$")

    def test_a_match_is_recorded_at_the_stop(self) -> None:
        service = self.start()
        heard: list[tuple[str, object]] = []
        for name in ("a", "b", "c"):
            peer = Peer(name, heard)
            service.lobby.arrive("battleship", peer)
            room = peer.room
            self.reactor.advance(0)
        first = next(iter(service.lobby.rooms.values()))
        first.receive(1, [SHOT])
        with capturedLogs() as logs:
            self.reactor.threads.result(service.stopService())
        self.assertEqual((sentences(logs), self.notified), ([], ["STOPPING=1"]))
        self.assertEqual(heard[-4:], [("a", SHOT), ("a", "closed"), ("b", "closed"), ("c", "closed")])
        database = Database(f"sqlite:///{self.folder}/gamed.db")
        database.thd_open()
        self.addCleanup(database.thd_close)
        self.assertIn(b'termination="shutdown"', database.thd_record(first.id).header)
        journal = FileJournal(self.folder / "journal", durability="process", reactor=self.reactor)
        journal.start()
        self.addCleanup(journal.stop)
        self.assertEqual(list(journal.open_rooms()), [])
        self.assertNotEqual(room.id, first.id)

    def test_the_calls_that_are_left_after_the_stop_do_no_harm(self) -> None:
        service = self.start()
        service.lobby.arrive("battleship", Peer("a"))
        self.reactor.threads.result(service.stopService())
        with capturedLogs() as logs:
            for _ in range(5):
                self.reactor.advance(AFTERWARDS)
        self.assertEqual(sentences(logs), [])


class FailingTests(DaemonTestCase):
    def test_an_endpoint_whose_port_systemd_holds(self) -> None:
        self.patch(tap, "activated", lambda *_: "systemd:domain=INET6:name=battleship")
        self.patch(tap, "port_of", lambda *_: 4711)
        said = self.exits(self.daemon, "", "--battleship", "tcp:4711")
        self.assertTrue(said.startswith('gamed: [battleship] endpoint "tcp:4711": systemd holds port 4711'), said)

    def test_an_endpoint_that_cannot_be_used(self) -> None:
        said = self.exits(self.daemon("", "--battleship", "nonsense:1").privilegedStartService)
        self.assertTrue(said.startswith('gamed: [battleship] endpoint "nonsense:1": '), said)

    def test_all_endpoints_that_cannot_be_used_are_named(self) -> None:
        said = self.exits(self.daemon("", "--battleship", "tpc:28201", "--web", "tcp:abc").privilegedStartService)
        first, second = said.splitlines()
        self.assertTrue(first.startswith('gamed: [battleship] endpoint "tpc:28201": '), first)
        self.assertTrue(second.startswith('[web] endpoint "tcp:abc": '), second)
        self.assertEqual(self.reactor.tcpServers, [])

    def test_what_doctor_warns_of_is_logged(self) -> None:
        self.patch(resource, "getrlimit", lambda _what: (80, 80))
        service = self.daemon("", "--console", "tcp:54322", "--battleship", "tcp:4711")
        (self.folder / "gamed.toml").write_text("[console]\npassword = 'secret'\n")
        (self.folder / "gamed.toml").chmod(0o644)
        with capturedLogs() as logs:
            service.privilegedStartService()
        checks = [(log["log_level"].name, log["check"]) for log in logs if "check" in log]
        self.assertEqual(checks, [("warn", "secrets"), ("warn", "telnet"), ("error", "descriptors")])
        self.assertIn("80 file descriptors allow 16 connections", " ".join(sentences(logs)))

    def test_a_database_whose_header_is_garbage(self) -> None:
        (self.folder / "gamed.db").write_bytes(b"garbage " * 2_000)
        said = self.exits(self.daemon().startService)
        self.assertTrue(said.startswith(f"gamed: the database sqlite:///{self.folder}/gamed.db: "), said)
        self.assertIn("is not an SQLite database, or its beginning is damaged: restore a backup", said)

    def test_a_database_that_cannot_be_opened(self) -> None:
        said = self.exits(self.daemon('[store]\nurl = "sqlite:////no/such/games.db"').startService)
        self.assertTrue(said.startswith("gamed: the database sqlite:////no/such/games.db: "), said)

    def test_a_url_of_no_database(self) -> None:
        said = self.exits(self.daemon('[store]\nurl = "games.db"').startService)
        self.assertTrue(said.startswith("gamed: cannot use the database URL: "), said)

    def test_a_journal_that_another_daemon_has(self) -> None:
        journal = FileJournal(self.folder / "journal", durability="process", reactor=self.reactor)
        journal.start()
        self.addCleanup(journal.stop)
        service = self.daemon()
        said = self.exits(service.startService)
        self.addCleanup(service.storage.database.thd_close)
        self.addCleanup(service.storage.store._pool.stop)
        self.assertTrue(said.startswith(f"gamed: the journal {self.folder}/journal is in use by another gamed"), said)

    def test_a_recovery_that_cannot_be_written(self) -> None:
        def refuse(_lobby: Lobby) -> int:
            raise StoreError("the disk is full")

        self.patch(Storage, "startService", lambda _storage: None)
        self.patch(services, "recover", refuse)
        self.assertEqual(self.exits(self.daemon().startService), "gamed: the disk is full")


class StoppingTests(DaemonTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.order: list[str] = []
        # The lobby's Deferred fires when it is cancelled, as a DeferredList does.
        self.lobby_stops: Deferred[None] = Deferred(lambda stops: stops.callback(None))
        for cls, stops in ((Listener, succeed(None)), (Lobby, self.lobby_stops), (Storage, succeed(None))):
            self.patch(cls, "stopService", partial(self.note, cls.__name__, stops))
        self.service = self.daemon()

    def note(self, name: str, stops: Deferred[None]) -> Deferred[None]:
        self.order.append(name)
        return stops

    def test_storage_is_closed_last(self) -> None:
        done = self.service.stopService()
        self.assertEqual(self.order, ["Listener", "Lobby"])
        self.assertNoResult(done)
        self.lobby_stops.callback(None)
        self.assertEqual(self.order, ["Listener", "Lobby", "Storage"])
        self.successResultOf(done)
        self.assertEqual(self.notified, ["STOPPING=1"])

    def test_the_records_are_waited_for_only_so_long(self) -> None:
        done = self.service.stopService()
        self.reactor.advance(STOP_WITHIN - CLOSE_WITHIN - 0.1)
        self.assertEqual(self.order, ["Listener", "Lobby"])
        self.reactor.advance(0.1)
        self.assertEqual(self.order, ["Listener", "Lobby", "Storage"])
        self.successResultOf(done)
        self.assertEqual(list(self.reactor.getDelayedCalls()), [])


class HangingTests(DaemonTestCase):
    def test_a_database_that_hangs_does_not_keep_the_daemon(self) -> None:
        service = self.daemon("", "--battleship", "")
        service.startService()
        for name in "ab":
            peer = Peer(name)
            service.lobby.arrive("battleship", peer)
            room = peer.room
            self.reactor.advance(0)
        # The database thread is busy, and the reactor that would notice its end does not run.
        done = service.stopService()
        with capturedLogs() as logs:
            self.reactor.advance(STOP_WITHIN)
        self.successResultOf(done)
        self.assertEqual(self.flushLoggedErrors(), [])
        said = [formatEvent(log) for log in logs if log["log_level"] >= LogLevel.warn]
        self.assertEqual(len(said), 3, said)
        self.assertIn(f"has not answered for {STOP_WITHIN:.1f} seconds; all calls fail until it does", said[0])
        self.assertIn(f"not recorded: room={room.id}: the database ", said[1])
        self.assertIn("it stays in the journal and is offered again at the next start", said[1])
        self.assertIn("it is not closed", said[2])
        service.storage.store._pool.stop()
        service.storage.database.thd_close()
        journal = FileJournal(self.folder / "journal", durability="process", reactor=self.reactor)
        journal.start()
        self.addCleanup(journal.stop)
        (history,) = journal.open_rooms()
        self.assertEqual((history.room, history.outcome), (room.id, Outcome(Termination.SHUTDOWN)))
