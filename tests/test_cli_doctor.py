"""`gamed doctor`: its findings, and its advice."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import resource
import shutil
import socket
import sqlite3
import time
from collections import namedtuple
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from twisted.trial.unittest import SynchronousTestCase

from gamed.cli import main
from gamed.config import Config, structure
from gamed.doctor import examination, ports, quick_checks
from gamed.net import strings
from gamed.registry import games
from gamed.store.database import Database
from tests.daemon import ROOT, free_port

UNITS = ROOT / "etc" / "systemd"


def found(pairs: Any) -> list[tuple[str, str]]:
    return list(pairs)


class FolderCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir(mode=0o700, parents=True)

    def config(self, **sections: dict[str, Any]) -> Config:
        """Return a configuration in which all listeners are off except the named ones."""
        off: dict[str, dict[str, Any]] = {name: {"endpoint": ""} for name in (*games(), "web")}
        return structure({**off, "console": {"telnet": ""}, **sections}, self.folder)

    def only(self, pairs: Any, status: str, *words: str) -> None:
        """Check that there is one finding, with this status and these words in its sentence."""
        ((seen, text),) = found(pairs)
        self.assertEqual(seen, status, text)
        for word in words:
            self.assertIn(word, text)


class PortTests(FolderCase):
    def listen(self) -> tuple[socket.socket, int]:
        listener = socket.create_server(("127.0.0.1", free_port()))
        self.addCleanup(listener.close)
        return listener, listener.getsockname()[1]

    def on(self, port: int) -> Config:
        return self.config(battleship={"endpoint": f"tcp:{port}:interface=127.0.0.1"})

    def lock(self) -> None:
        """Hold the lock of the journal, as a running daemon does."""
        (self.folder / "journal").mkdir()
        descriptor = os.open(self.folder / "journal" / "lock", os.O_RDWR | os.O_CREAT)
        self.addCleanup(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, b"%d\n" % os.getpid())

    def test_a_free_port(self) -> None:
        port = free_port()
        self.only(examination.check_ports(self.on(port)), "ok", f"[battleship] port {port} is free")

    def test_a_port_of_a_stranger(self) -> None:
        _, port = self.listen()
        self.only(
            examination.check_ports(self.on(port)), "error", "Address already in use", f"ss -tlnp sport = :{port}"
        )

    def test_a_port_of_the_daemon_that_runs(self) -> None:
        _, port = self.listen()
        self.lock()
        self.only(examination.check_ports(self.on(port)), "ok", f"held by the running gamed (pid {os.getpid()})")

    def test_a_port_of_a_stranger_while_a_daemon_runs(self) -> None:
        _, port = self.listen()
        self.lock()
        self.patch(ports, "holds", lambda *_: False)
        self.only(examination.check_ports(self.on(port)), "error", "cannot listen on", "If another gamed runs")
        self.patch(ports, "holds", lambda *_: None)
        self.only(examination.check_ports(self.on(port)), "warning", "run this as its user")

    def test_one_port_for_two(self) -> None:
        port = free_port()
        config = self.config(battleship={"endpoint": f"tcp:{port}"}, web={"endpoint": f"tcp:{port}"})
        first, second = found(examination.check_ports(config))
        self.assertEqual((first[0], second[0]), ("ok", "error"))
        self.assertIn(f"[web] and [battleship] both use port {port}", second[1])

    def test_a_port_for_root(self) -> None:
        def refuse(_endpoint: object) -> OSError:
            return PermissionError(errno.EACCES, "Permission denied")

        self.patch(ports, "taken", refuse)
        self.only(examination.check_ports(self.on(80)), "error", "below 1024")

    def test_what_has_no_port(self) -> None:
        config = self.config(battleship={"endpoint": "systemd:domain=INET6:index=0"})
        self.only(examination.check_ports(config), "ok", "from elsewhere (systemd)")

    def test_endpoint_strings(self) -> None:
        for text, kind, port, interface, family in (
            ("tcp:4711", "tcp", 4711, "", socket.AF_INET),
            ("tcp6:4711:interface=\\:\\::backlog=5", "tcp6", 4711, "::", socket.AF_INET6),
            ("tcp:port=4711:interface=10.0.0.1", "tcp", 4711, "10.0.0.1", socket.AF_INET),
            ("ssl:443:privateKey=a.pem", "ssl", 443, "", socket.AF_INET),
            ("tls:443:certificate=a.pem:interface=\\:\\:", "tls", 443, "::", socket.AF_INET6),
            ("tls:/etc/certificates:443", "tls", 443, "", socket.AF_INET),
            ("unix:/run/gamed", "unix", None, "", None),
        ):
            endpoint = strings.parse(text)
            self.assertEqual((endpoint.kind, endpoint.port, endpoint.interface), (kind, port, interface))
            self.assertEqual(endpoint.family, family, text)

    def test_the_standard_endpoints_are_known(self) -> None:
        config = structure({}, self.folder)
        named = examination.endpoints(config)
        seen = [strings.parse(named[name]).port for name in ("battleship", "web", "console")]
        self.assertEqual(seen, [54321, 8054, 54322])

    def test_nobody_runs_without_a_lock(self) -> None:
        self.assertIsNone(ports.running(self.folder / "lock"))
        (self.folder / "lock").write_text("1\n")
        self.assertIsNone(ports.running(self.folder / "lock"))

    def test_a_daemon_is_found_where_stat_shows_another_device(self) -> None:
        lock, locks = self.folder / "lock", self.folder / "locks"
        lock.write_text("4711\n")
        inode = lock.stat().st_ino
        for pid, number, found in ((4711, inode, 4711), (4712, inode, None), (4711, inode + 1, None)):
            locks.write_text(f"1: FLOCK  ADVISORY  WRITE {pid} 00:ff:{number} 0 EOF\n")
            self.assertEqual(ports.running(lock, locks), found)

    def test_a_process_that_cannot_be_seen(self) -> None:
        self.assertIsNone(ports.holds(2**22 + 1, {"1"}))
        self.assertIs(ports.holds(os.getpid(), {"no such"}), False)


class ReservedTests(FolderCase):
    def check(self, reserved: str, port: int) -> Any:
        for name, text in (("RESERVED", reserved), ("EPHEMERAL", "32768\t60999")):
            path = self.folder / name
            path.write_text(f"{text}\n")
            self.patch(examination, name, path)
        return examination.check_reserved(self.config(battleship={"endpoint": f"tcp:{port}"}))

    def test_outside_of_the_range(self) -> None:
        self.only(self.check("", 4711), "ok")

    def test_inside_of_it(self) -> None:
        self.only(self.check("", 54321), "warning", "54321", "sysctl --system")
        self.only(self.check("54320,54322-54329", 54321), "warning", "54321")

    def test_held_by_systemd(self) -> None:
        self.patch(examination, "SOCKETS", self.folder / "wants")
        self.only(self.check("", 54321), "warning", "54321")
        examination.SOCKETS.mkdir()
        (examination.SOCKETS / "gamed.socket").write_text("[Socket]\nListenStream=[::]:54321\nBacklog=4096\n")
        self.only(self.check("", 54321), "ok")
        self.only(self.check("", 54322), "warning", "54322")

    def test_reserved(self) -> None:
        for text in ("54321", "1,54320-54322"):
            self.only(self.check(text, 54321), "ok")


class StateTests(FolderCase):
    def test_a_directory_of_ours(self) -> None:
        self.only(examination.check_state(self.folder), "ok", "nobody else")

    def test_a_directory_that_is_still_to_be_made(self) -> None:
        self.only(examination.check_state(self.folder / "a" / "b"), "ok", "first start")

    def test_one_that_cannot_be_made(self) -> None:
        (self.folder / "file").touch()
        self.only(examination.check_state(self.folder / "file"), "error", "cannot be created")
        self.patch(os, "access", lambda *_: False)
        self.only(examination.check_state(self.folder / "a"), "error", "cannot be created in")

    def test_one_that_cannot_be_written_to(self) -> None:
        self.patch(os, "access", lambda *_: False)
        self.only(examination.check_state(self.folder), "error", "run this as that user")

    def test_one_that_others_can_write_to(self) -> None:
        self.folder.chmod(0o777)
        self.only(examination.check_state(self.folder), "warning", "chmod go-w")

    def test_a_journal_of_somebody_else(self) -> None:
        if os.geteuid():
            return
        (self.folder / "journal").mkdir()
        segment = self.folder / "journal" / "00000001.journal"
        segment.touch()
        os.chown(segment, 12345, 12345)
        self.assertEqual(found(examination.check_state(self.folder))[-1][0], "error")


class JournalTests(FolderCase):
    def test_a_whole_one(self) -> None:
        self.only(examination.check_journal(self.folder / "journal"), "ok", "no damaged segment")

    def test_segments_that_were_kept_aside(self) -> None:
        (self.folder / "00000003.damaged").touch()
        self.only(examination.check_journal(self.folder), "warning", "00000003.damaged", "then remove it")
        findings = examination.examine(self.config(store={"state": str(self.folder)}))
        self.assertEqual([finding.status for finding in findings if finding.check == "journal"], ["ok"])


class DiskTests(FolderCase):
    def measured(self, seconds: float, kind: str = "ext4") -> Any:
        self.patch(examination, "honest", lambda _folder: seconds)
        self.patch(examination, "filesystem", lambda _folder: kind)
        return examination.check_disk(self.folder)

    def test_a_real_disk_is_read_back_and_nothing_is_left(self) -> None:
        self.assertGreater(examination.honest(self.folder), 0)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_disk_that_keeps_something_else(self) -> None:
        self.patch(os, "urandom", iter_bytes())
        error = self.assertRaises(OSError, self.lying)
        self.assertIn("not what was written", str(error))

    def lying(self) -> float:
        def spoil(descriptor: int, *_: int) -> None:
            os.pwrite(descriptor, b"other", 100)

        self.patch(os, "posix_fadvise", spoil)
        return examination.honest(self.folder)

    def test_a_good_one(self) -> None:
        self.only(self.measured(0.002), "ok", "2.00 ms on ext4")

    def test_one_that_is_too_fast_to_be_true(self) -> None:
        self.only(self.measured(0.000_001), "warning", "faster than any disk")

    def test_a_slow_one(self) -> None:
        self.only(self.measured(0.08), "warning", "adds that to each move")

    def test_one_in_memory(self) -> None:
        (kind, _), (speed, _) = found(self.measured(0.000_001, "tmpfs"))
        self.assertEqual((kind, speed), ("warning", "ok"))

    def test_one_that_fails(self) -> None:
        def fail(_folder: Path) -> float:
            raise OSError(errno.EIO, "Input/output error")

        self.patch(examination, "honest", fail)
        self.assertEqual(found(examination.check_disk(self.folder))[-1][0], "error")

    def test_one_that_is_nearly_full(self) -> None:
        Space = namedtuple("Space", "f_bavail f_frsize")  # noqa: PYI024 (as os.statvfs has them)
        self.patch(os, "statvfs", lambda _folder: Space(10, 4096))
        self.assertIn("make room", found(self.measured(0.002))[0][1])

    def test_the_filesystem_is_the_innermost(self) -> None:
        mounts = self.folder / "mounts"
        mounts.write_text(f"a / ext4 rw 0 0\nb {self.folder.resolve()} xfs rw 0 0\nc /proc proc rw 0 0\n")
        self.assertEqual(examination.filesystem(self.folder, mounts), "xfs")
        self.assertEqual(examination.filesystem(self.folder.parent, mounts), "ext4")
        self.assertEqual(examination.filesystem(self.folder, self.folder / "none"), "an unknown filesystem")


def iter_bytes() -> Any:
    """Return a source of random bytes that is the same for all pages."""
    return lambda count: b"x" * count


class DatabaseTests(FolderCase):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "gamed.db"
        self.url = f"sqlite:///{self.file}"

    def make(self) -> None:
        database = Database(self.url)
        database.thd_open()
        database.thd_close()

    def test_one_that_is_still_to_be_made(self) -> None:
        self.only(examination.check_database(self.url), "ok", "first start")
        self.assertFalse(self.file.exists())

    def test_one_in_memory(self) -> None:
        self.only(quick_checks.check_store("sqlite://"), "warning", "memory")

    def test_one_that_is_whole(self) -> None:
        self.make()
        self.only(examination.check_database(self.url), "ok", "is intact")

    def test_one_of_a_later_version(self) -> None:
        self.make()
        self.execute("UPDATE alembic_version SET version_num = '9999'")
        self.only(examination.check_database(self.url), "error", "9999", "newer gamed")

    def test_one_that_cannot_be_opened(self) -> None:
        self.file.mkdir()
        self.only(examination.check_database(self.url), "error", f"the database {self.url}: ")

    def test_root_is_told_to_ask_as_the_daemons_user(self) -> None:
        self.file.mkdir()
        for user, is_told in ((0, True), (1000, False)):
            self.patch(os, "geteuid", lambda user=user: user)
            ((_, text),) = found(examination.check_database(self.url))
            self.assertEqual("Run this as the daemon's user" in text, is_told)

    def test_one_without_a_schema(self) -> None:
        self.execute("CREATE TABLE something (a)")
        self.only(examination.check_database(self.url), "warning", "the next start")

    def test_one_that_is_damaged(self) -> None:
        self.make()
        self.execute("PRAGMA journal_mode = DELETE")
        data = bytearray(self.file.read_bytes())
        data[4096:] = os.urandom(len(data) - 4096)
        self.file.write_bytes(data)
        ((status, text),) = [(f.status, f.text) for f in examination.examine(self.stored()) if f.check == "database"]
        self.assertEqual(status, "error", text)

    def stored(self) -> Config:
        return self.config(store={"url": self.url})

    def execute(self, sql: str) -> None:
        connection = sqlite3.connect(self.file)
        connection.execute(sql)
        connection.commit()
        connection.close()


class OtherTests(FolderCase):
    def test_the_clocks(self) -> None:
        self.only(examination.check_clocks(self.folder), "ok", "the clocks go forward")

    def test_a_clock_that_stands(self) -> None:
        self.patch(time, "monotonic", lambda: 1.0)
        self.assertEqual(found(examination.check_clocks(self.folder))[0][0], "error")

    def test_a_date_that_cannot_be(self) -> None:
        self.patch(examination, "LEAST_YEAR", 3000)
        self.only(examination.check_clocks(self.folder), "error", "set-ntp")

    def test_a_journal_from_the_future(self) -> None:
        (self.folder / "journal").mkdir()
        segment = self.folder / "journal" / "1.journal"
        segment.touch()
        os.utime(segment, (time.time() + 5000, time.time() + 5000))
        self.only(examination.check_clocks(self.folder), "warning", "set back")

    def test_descriptors(self) -> None:
        for limit, status in ((100, "error"), (1024, "warning"), (100_000, "ok")):
            self.patch(resource, "getrlimit", lambda _what, limit=limit: (limit, limit))
            config = self.config(battleship={"connections": 20_000})
            self.only(quick_checks.check_descriptors(config, games()), status, str(limit))

    def test_the_default_number_of_connections_fits_what_the_machine_allows(self) -> None:
        for limit, status in ((100, "error"), (1024, "ok"), (20_000, "ok")):
            self.patch(resource, "getrlimit", lambda _what, limit=limit: (limit, limit))
            self.only(quick_checks.check_descriptors(self.config(), games()), status, str(limit))

    def test_no_unit(self) -> None:
        self.only(examination.check_unit([self.folder / "none"]), "ok", "no systemd unit")

    def test_a_unit(self) -> None:
        unit, program, config = (self.folder / name for name in ("gamed.service", "twistd", "gamed.toml"))
        unit.write_text(f"[Service]\nExecStart={program} -n gamed --config {config}\n")
        self.only(examination.check_unit([self.folder]), "error", str(program))
        program.touch()
        self.only(examination.check_unit([self.folder]), "error", str(config))
        config.touch()
        self.only(examination.check_unit([self.folder]), "ok")
        unit.write_text("[Service]\n")
        self.only(examination.check_unit([self.folder]), "error", "does not start")

    def test_sockets_that_no_listener_uses(self) -> None:
        etc, usr = self.folder / "etc", self.folder / "usr"
        etc.mkdir()
        shutil.copytree(UNITS, usr)
        for keys, status, said in (
            ({"endpoint": ""}, "warning", "connections to that port are closed"),
            ({"endpoint": "tcp:4711"}, "warning", "connections to that port are closed"),
            ({"endpoint": "ssl:4567:privateKey=x"}, "error", "it cannot be opened"),
        ):
            config = structure({"quoridor": keys}, self.folder)
            self.only(examination.check_sockets(config, [etc, usr]), status, "[quoridor]", "4567", said)
        self.assertEqual(found(examination.check_sockets(structure({}, self.folder), [etc, usr])), [])
        (etc / "gamed-quoridor.socket").symlink_to("/dev/null")
        self.assertEqual(found(examination.check_sockets(config, [etc, usr])), [])


class CommandTests(FolderCase):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "gamed.toml"
        off = "".join(f'[{name}]\nendpoint = ""\n' for name in (*games(), "web"))
        self.file.write_text(f'{off}[console]\ntelnet = ""\n')

    def run_doctor(self, *options: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["doctor", "--config", str(self.file), *options])
        return done.exit_code, done.output

    def test_all_is_well(self) -> None:
        status, output = self.run_doctor()
        self.assertEqual(status, 0, output)
        self.assertTrue(output.startswith("ok       configuration "), output)
        for check in ("disk", "database", "clocks", "descriptors", "unit"):
            self.assertIn(f" {check} ", output)

    def test_the_quick_checks_alone(self) -> None:
        with self.file.open("a") as file:
            file.write('password = "examplepassword"\n')
        status, output = self.run_doctor("--quick", "--json")
        checks = {finding["check"] for finding in json.loads(output)}
        self.assertEqual((status, checks), (0, {"configuration", "secrets", "passwords", "endpoints", "descriptors"}))
        with self.file.open("a") as file:
            file.write('[store]\nurl = "games.db"\n')
        self.assertEqual(self.run_doctor("--quick")[0], 1)

    def test_json(self) -> None:
        status, output = self.run_doctor("--json")
        findings = json.loads(output)
        self.assertEqual((status, findings[0]["check"], findings[0]["status"]), (0, "configuration", "ok"))
        self.assertEqual({key for finding in findings for key in finding}, {"check", "status", "text"})

    def test_a_configuration_that_cannot_be_used(self) -> None:
        self.file.write_text("[stroe]\n")
        status, output = self.run_doctor("--json")
        (finding,) = json.loads(output)
        self.assertEqual((status, finding["status"]), (1, "error"))
        self.assertIn("there is no section [stroe]", finding["text"])

    def test_a_check_that_breaks_is_an_error_and_the_others_go_on(self) -> None:
        def broken(*_: object) -> None:
            raise ZeroDivisionError

        self.patch(examination, "check_disk", broken)
        status, output = self.run_doctor()
        self.assertEqual(status, 1)
        self.assertIn("error    disk          cannot be checked: ZeroDivisionError()", output)
        self.assertIn("clocks", output)
