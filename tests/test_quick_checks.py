"""The quick checks, which are made by `gamed doctor` and at each start."""

from __future__ import annotations

import fcntl
import os
import resource
import socket
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gamed.config import load, structure
from gamed.doctor import examination, ports, quick_checks
from gamed.net.limits import DESCRIPTORS_KEPT
from gamed.store.database import Database
from tests.net.certificates import Authority
from tests.test_cli_doctor import FolderCase

# As in tests/net/test_tls.py.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def spoiled(file: Path) -> None:
    """Make a database in which the pages of an index are damaged."""
    database = Database(f"sqlite:///{file}")
    database.thd_open()
    database.thd_close()
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = DELETE")
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    (page,) = connection.execute(
        "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name = 'seats' LIMIT 1"
    ).fetchone()
    connection.close()
    data = bytearray(file.read_bytes())
    data[(page - 1) * size : page * size] = b"\xff" * size
    file.write_bytes(data)


class GamesTests(FolderCase):
    def test_limits_that_a_course_overrides(self) -> None:
        said = "[roborally] min_players = 3 has no effect on the course anlauf, which has min_players = 2"
        settings = self.config(roborally={"courses": ["anlauf", "anlauf"], "min_players": 3})
        self.assertEqual(list(quick_checks.check_games(settings, ["roborally"])), [("warning", said)])
        settings = self.config(roborally={"courses": ["anlauf"]})
        self.assertEqual(list(quick_checks.check_games(settings, ["roborally"])), [])


class EndpointTests(FolderCase):
    def check(self, text: str) -> Any:
        return [pair for pair in quick_checks.check_endpoints({"battleship": text}) if "each endpoint" not in pair[1]]

    def test_what_the_start_refuses_is_an_error(self) -> None:
        for text, word in (
            ("tpc:28201", 'no kind "tpc"'),
            ("tcp:abc", '"abc" is not a port'),
            ("tcp:99999", '"99999" is not a port'),
            ("tcp6:70000:interface=\\:\\:", '"70000" is not a port'),
            ("ssl:443:privateKey=/no/such.pem", "/no/such.pem: No such file or directory"),
            ("tls:/no/such:443", "no certificate"),
        ):
            self.only(self.check(text), "error", f'[battleship] endpoint "{text}": ', word)

    def test_a_key_that_does_not_fit(self) -> None:
        authority = Authority(self.folder)
        key, certificate = authority.issue("a.example", "a.pem"), authority.issue("a.example", "b.pem")
        found = self.check(f"ssl:443:privateKey={key}:certKey={certificate}")
        self.only(found, "error", "the key or the certificate cannot be used: key values mismatch")

    def test_endpoints_that_can_be_used(self) -> None:
        for text in ("tcp:0", "tcp6:54321:interface=\\:\\::backlog=5", "unix:/run/gamed"):
            self.only(quick_checks.check_endpoints({"battleship": text}), "ok", "each endpoint can be used")

    def test_a_socket_that_systemd_has_not_handed_over(self) -> None:
        for text in ("systemd:domain=INET6:index=0", "systemd:domain=INET6:name=battleship", "systemd:"):
            self.only(self.check(text), "error", f'[battleship] endpoint "{text}": systemd hands over no such socket')
            handed = quick_checks.check_endpoints({"battleship": text}, lambda _: True)
            self.only(handed, "ok", "each endpoint can be used")

    def test_when_a_certificate_ends(self) -> None:
        now = datetime.now(UTC)
        for expires, status, word in (
            (now - timedelta(hours=1), "warning", "expired at"),
            (now + timedelta(days=3), "warning", "expires at"),
            (now + timedelta(days=60), "ok", "the key fits the certificate"),
        ):
            begins = now - timedelta(days=30)
            self.only([quick_checks._lasting("web", begins, expires)], status, word, f"{expires:%Y-%m-%d}")
        begins = now + timedelta(hours=1)
        self.only([quick_checks._lasting("web", begins, expires)], "warning", "is not valid before")

    def test_the_end_is_read_from_the_file(self) -> None:
        file = Authority(self.folder).issue("a.example")
        file.chmod(0o640)
        self.only(self.check(f"ssl:443:privateKey={file}"), "warning", "expires at", "reload gamed")

    def test_a_key_that_everybody_can_read(self) -> None:
        for name, text in (("a.pem", "ssl:443:privateKey={}"), ("all/b.pem", "tls:{}:443")):
            (self.folder / "all").mkdir(exist_ok=True)
            file = Authority(self.folder).issue("a.example", name)
            file.chmod(0o644)
            _, found = self.check(text.format(file if "ssl" in text else file.parent))
            self.only([found], "warning", f"{file} is a private key that everybody can read", "chmod o-r")


class SecretTests(FolderCase):
    def check(self, toml: str, mode: int) -> Any:
        file = self.folder / "gamed.toml"
        file.write_text(toml)
        file.chmod(mode)
        return quick_checks.check_secrets(load(str(file)).file)

    def test_a_password_that_everybody_can_read(self) -> None:
        for toml in (
            "[console]\npassword = 'x'",
            "[softwarechallenge]\npassword = 'x'",
            "[[console.accounts]]\nuser = 'anna'\npassword = 'x'",
            "[store]\nurl = 'postgresql+psycopg://gamed:x@db/gamed'",
        ):
            self.only(self.check(toml, 0o644), "warning", "chmod o-r")
            self.only(self.check(toml, 0o640), "ok")

    def test_no_password(self) -> None:
        self.assertEqual(list(self.check("[store]\nurl = 'sqlite:///x.db'", 0o644)), [])
        self.assertEqual(list(quick_checks.check_secrets(None)), [])


class TelnetTests(FolderCase):
    def test_all_interfaces(self) -> None:
        for text in ("tcp:54322", "tcp6:54322:interface=\\:\\:", "tcp:54322:interface=10.0.0.1"):
            self.only(quick_checks.check_telnet(text), "warning", text, "interface=127.0.0.1")

    def test_this_machine_only(self) -> None:
        for text in ("tcp:54322:interface=127.0.0.1", "tcp6:1:interface=\\:\\:1", "tcp:1:interface=localhost"):
            self.only(quick_checks.check_telnet(text), "ok")

    def test_none(self) -> None:
        for text in ("", "ssl:54322:privateKey=a.pem", "unix:/run/gamed/console"):
            self.assertEqual(list(quick_checks.check_telnet(text)), [])


class DescriptorTests(FolderCase):
    def test_how_many_connections_they_allow(self) -> None:
        config = structure({"battleship": {"connections": 100_000}}, self.folder)
        self.assertIn(("battleship", "connections"), config.written)
        self.patch(resource, "getrlimit", lambda _what: (80, 80))
        self.only(
            quick_checks.check_descriptors(config, {"battleship": "", "console": ""}),
            "error",
            "80 file descriptors allow 16 connections",
            "[battleship] is configured for 100000",
            f"to {100_000 + DESCRIPTORS_KEPT} or more",
        )
        found = quick_checks.check_descriptors(config, {"console": ""})
        self.only(found, "error", "80 file descriptors allow 16 connections: raise LimitNOFILE=")


class PageTests(FolderCase):
    def check(self, **limit: float) -> Any:
        return quick_checks.check_pages(f"sqlite:///{self.folder}/gamed.db", **limit)

    def test_a_damaged_page(self) -> None:
        spoiled(self.folder / "gamed.db")
        self.only(self.check(), "error", "gamed.db is damaged", "save what can be read", "restore a backup")

    def test_a_large_database_is_not_waited_for(self) -> None:
        spoiled(self.folder / "gamed.db")
        self.patch(quick_checks, "_STEPS", 1)
        self.assertEqual(list(self.check(seconds=-1.0)), [])

    def test_a_whole_one_and_none(self) -> None:
        self.assertEqual(list(self.check()), [])
        database = Database(f"sqlite:///{self.folder}/gamed.db")
        database.thd_open()
        database.thd_close()
        self.assertEqual(list(self.check()), [])
        self.assertEqual(list(quick_checks.check_pages("postgresql+psycopg://gamed@/gamed")), [])


class DoctorTests(FolderCase):
    def test_a_state_directory_of_another_daemon(self) -> None:
        (self.folder / "journal").mkdir()
        descriptor = os.open(self.folder / "journal" / "lock", os.O_RDWR | os.O_CREAT)
        self.addCleanup(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, b"%d\n" % os.getpid())
        config = self.config(battleship={"endpoint": "tcp:4711:interface=127.0.0.1"})
        self.patch(ports, "holds", lambda *_: False)
        self.only(examination.check_lock(config), "error", f"another gamed (pid {os.getpid()})", "[store] state")
        for has in (True, None):
            self.patch(ports, "holds", lambda *_, has=has: has)
            self.assertEqual(list(examination.check_lock(config)), [])

    def test_a_port_that_is_not_one_breaks_nothing(self) -> None:
        config = self.config(battleship={"endpoint": "tcp:99999"})
        found = [finding for finding in examination.examine(config) if finding.status == "error"]
        self.assertEqual([finding.check for finding in found], ["endpoints"])

    def test_the_port_of_a_directory_of_certificates_is_tried(self) -> None:
        with socket.create_server(("", 0)) as listener:
            port = listener.getsockname()[1]
            config = self.config(battleship={"endpoint": f"tls:{self.folder}:{port}"})
            self.only(examination.check_ports(config), "error", "cannot listen on", f"sport = :{port}")

    def test_the_disk_of_the_database_is_looked_at_too(self) -> None:
        def note(folder: Path) -> list[tuple[str, str]]:
            seen.append(folder)
            return []

        seen: list[Path] = []
        self.patch(examination, "check_disk", note)
        list(examination.check_disks(self.config()))
        self.assertEqual(seen, [self.folder])
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        list(examination.check_disks(self.config(store={"url": f"sqlite:///{elsewhere}/gamed.db"})))
        self.assertEqual(seen, [self.folder, self.folder, elsewhere])

    def test_a_database_that_cannot_be_used(self) -> None:
        file = self.folder / "gamed.db"
        file.write_bytes(b"garbage " * 2_000)
        self.only(
            examination.check_database(f"sqlite:///{file}"), "error", str(file), "is not an SQLite database", "restore"
        )
        self.only(quick_checks.check_store("games.db"), "error", "[store] url: cannot use the database URL")
        self.patch(os, "access", lambda *_: False)
        self.only(quick_checks.check_store(f"sqlite:///{file}"), "error", "must be writable")

    def test_a_url_that_is_not_one_is_one_error(self) -> None:
        found = examination.examine(self.config(store={"url": "games.db"}))
        self.assertEqual([each.check for each in found if each.status == "error"], ["store"])
