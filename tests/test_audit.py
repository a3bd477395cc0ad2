"""The audit log's file: what a line says, who may read it, and what happens where it cannot be written."""

from __future__ import annotations

import os
import pwd
import re
from pathlib import Path
from unittest.mock import patch

from twisted.logger import Logger, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from gamed.core.errors import StoreError
from gamed.process.audit import AuditObserver, note, noted, say, user

ME = pwd.getpwuid(os.getuid()).pw_name
TIME = r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z "


class AuditCase(SynchronousTestCase):
    """A state directory that does not exist yet."""

    def setUp(self) -> None:
        self.state = Path(self.mktemp())

    @property
    def lines(self) -> list[str]:
        return (self.state / "audit.log").read_text(encoding="ascii").splitlines()


class TestNote(AuditCase):
    """A line for each change."""

    def test_a_line_has_its_time_and_is_appended(self) -> None:
        note(self.state, "user=anna from=ssh 192.0.2.1:4711", "pause 6f0c", "Room 6f0c is paused.")
        note(self.state, "user=bert from=web 192.0.2.2:4712", "resume 6f0c", "Room 6f0c goes on.")
        first, second = self.lines
        self.assertRegex(first, TIME + "user=anna from=ssh 192.0.2.1:4711 did=pause 6f0c result=Room 6f0c is paused.$")
        self.assertRegex(second, TIME + "user=bert ")

    def test_only_the_owner_may_read_it_whatever_the_umask_is(self) -> None:
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        note(self.state, "user=anna", "x", "y")
        self.assertEqual((self.state / "audit.log").stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.state.stat().st_mode & 0o777, 0o700)

    def test_it_stays_one_line_of_ascii_whatever_is_typed(self) -> None:
        note(self.state, "user=anna", "kick 'a\x1b[2J\nb\udce4ö'", "x\r\ny")
        self.assertTrue(self.lines[0].endswith(r"did=kick 'a\x1b[2J\nb\udce4\xf6' result=x\r\ny"), self.lines)

    def test_a_line_is_not_endless(self) -> None:
        note(self.state, "user=anna", "x" * 100_000, "")
        self.assertLess(len(self.lines[0]), 2_100)
        self.assertIn("xxx... and 98000 characters more result=", self.lines[0])

    def test_it_goes_on_in_a_new_file_after_a_rotation(self) -> None:
        note(self.state, "user=anna", "one", "done")
        (self.state / "audit.log").rename(self.state / "audit.log.1")
        note(self.state, "user=anna", "two", "done")
        self.assertEqual(["did=two" in line for line in self.lines], [True])

    def test_what_cannot_be_written_names_the_file_and_a_remedy(self) -> None:
        (self.state / "audit.log").mkdir(parents=True)
        error = self.assertRaises(StoreError, note, self.state, "user=anna", "x", "y")
        self.assertIn(f"cannot write the audit log {self.state}/audit.log: Is a directory", str(error))

    def test_root_gives_the_file_to_the_owner_of_the_directory(self) -> None:
        self.state.mkdir()
        owner = self.state.stat()
        others = os.stat_result((0o600, 1, 1, 1, owner.st_uid + 1, 0, 0, 0, 0, 0))
        with (
            patch("os.geteuid", return_value=0),
            patch("os.fstat", return_value=others),
            patch("os.fchown") as given,
        ):
            note(self.state, "user=root", "x", "y")
        self.assertEqual(given.call_args.args[1:], (owner.st_uid, owner.st_gid))


class TestNoted(AuditCase):
    """A command of the command line."""

    def test_it_has_a_line_at_its_begin_and_one_at_its_end(self) -> None:
        with noted(self.state, "import club/") as command:
            (begun,) = self.lines
            command.result = "3 imported"
        self.assertTrue(begun.endswith(f"{user()} did=import club/ result=begun"), begun)
        self.assertTrue(self.lines[1].endswith(" did=import club/ result=3 imported"), self.lines)

    def test_no_id_is_cut(self) -> None:
        ids = [f"{number:08x}-0000-4000-8000-000000000000" for number in range(120)]
        with noted(self.state, "records delete") as command:
            command.add(ids)
            command.result = "120 games"
        _, *lines, last = self.lines
        self.assertEqual([line.count("-4000-8000-") for line in lines], [50, 50, 20])
        self.assertEqual([word for line in lines for word in re.findall(r"[0-9a-f]{8}(?:-\w+){4}", line)], ids)
        self.assertTrue(last.endswith("result=120 games"), last)

    def test_a_failure_is_noted_with_what_was_done_before(self) -> None:
        def fail() -> None:
            with noted(self.state, "import club/") as command:
                command.result = "100 imported"
                raise StoreError("the database is locked")

        self.assertRaises(StoreError, fail)
        self.assertTrue(self.lines[1].endswith("result=failed: the database is locked; so far: 100 imported"))

    def test_an_interruption_is_noted(self) -> None:
        def interrupt() -> None:
            with noted(self.state, "import club/"):
                raise KeyboardInterrupt

        self.assertRaises(KeyboardInterrupt, interrupt)
        self.assertTrue(self.lines[1].endswith("result=failed: KeyboardInterrupt; so far: nothing known"))

    def test_nothing_is_done_that_cannot_be_noted(self) -> None:
        (self.state / "audit.log").mkdir(parents=True)
        was_done = False

        def do() -> None:
            nonlocal was_done
            with noted(self.state, "records delete 6f0c"):
                was_done = True

        self.assertRaises(StoreError, do)
        self.assertFalse(was_done)

    def test_who_uses_sudo_is_named(self) -> None:
        with patch.dict(os.environ, {"SUDO_USER": "anna"}):
            self.assertEqual(user(), f"user=anna as={ME} from=commandline")
        with patch.dict(os.environ):
            os.environ.pop("SUDO_USER", None)
            self.assertEqual(user(), f"user={ME} from=commandline")


class TestSay(AuditCase):
    """What the daemon says."""

    def setUp(self) -> None:
        super().setUp()
        observer = AuditObserver(self.state)
        globalLogPublisher.addObserver(observer)
        self.addCleanup(globalLogPublisher.removeObserver, observer)

    def test_it_is_in_the_log_and_in_the_audit_log(self) -> None:
        found = []
        globalLogPublisher.addObserver(found.append)
        self.addCleanup(globalLogPublisher.removeObserver, found.append)
        Logger().info("something else")
        say("user=anna from=ssh 192.0.2.1:4711", "kick 'a\nb'", "gone")
        (line,) = self.lines
        self.assertRegex(line, TIME + r"user=anna from=ssh 192\.0\.2\.1:4711 did=kick 'a\\nb' result=gone$")
        self.assertEqual(found[-1]["log_namespace"], "gamed.console.audit")

    def test_a_line_that_cannot_be_written_is_an_error_in_the_log(self) -> None:
        (self.state / "audit.log").mkdir(parents=True)
        found = []
        globalLogPublisher.addObserver(found.append)
        self.addCleanup(globalLogPublisher.removeObserver, found.append)
        say("user=anna", "pause", "done")
        self.assertIn("cannot write the audit log", str(found[-1].get("error", found[0].get("error"))))
