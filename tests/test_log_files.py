"""Only the daemon's user can read its files; logrotate and signals do not end it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamed.process.logs import reopen
from tests.daemon import Daemon


class LogFileTests(SynchronousTestCase):
    def test_log_and_database_are_the_users_alone_and_a_signal_reopens_the_log(self) -> None:
        daemon = Daemon(Path(self.mktemp()))
        log = daemon.directory / "gamed.log"
        old = daemon.directory / "gamed.log.old"
        command = [*daemon.program, "-n", "--pidfile=", f"--logfile={log}", "gamed", "--config", daemon.config]
        off = ["--softwarechallenge=", "--quoridor=", "--roborally=", "--console=", "--web="]
        before = os.umask(0o022)
        daemon.process = subprocess.Popen([*command, *off], cwd=daemon.directory)
        os.umask(before)
        self.addCleanup(lambda: daemon.process.poll() is None and daemon.kill())
        self.wait(lambda: log.exists() and "#info] ready" in log.read_text())
        for path in (log, daemon.directory / "gamed.db", *daemon.directory.glob("journal/*")):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        log.rename(old)
        daemon.process.send_signal(signal.SIGUSR2)
        daemon.process.send_signal(signal.SIGUSR1)
        self.wait(log.exists)
        self.assertEqual(log.stat().st_mode & 0o077, 0)
        daemon.stop()
        self.assertIn("Server Shut Down", log.read_text())
        self.assertNotIn("Server Shut Down", old.read_text())

    def wait(self, condition: object) -> None:
        until = time.monotonic() + 60
        while not condition():  # type: ignore[operator]
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def test_a_log_that_was_removed_is_made_anew(self) -> None:
        path = Path(self.mktemp())
        with path.open("a") as file:
            file.write("before\n")
            file.flush()
            path.unlink()
            reopen(str(path))
            file.write("after\n")
        self.assertEqual(path.read_text(), "after\n")
