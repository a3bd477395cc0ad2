"""A program on a pseudo-terminal, for dialogues as a person has them."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path

SECONDS = 20.0


def end(process: subprocess.Popen[str]) -> None:
    """Kill a program if it is still running, and read its output."""
    if process.poll() is None:
        process.kill()
    process.communicate()


class Program:
    """A program on a pseudo-terminal. `shown`: all output so far."""

    def __init__(
        self, command: Sequence[str | Path], *, columns: int = 100, environment: dict[str, str] | None = None
    ) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.process = subprocess.Popen(
            # ssh asks for a password on its controlling terminal.
            ["setsid", "--ctty", *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, **(environment or {})},
        )
        os.close(slave)
        self.shown = ""
        self._seen = 0

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def expect(self, pattern: str, seconds: float = SECONDS) -> re.Match[str]:
        """Wait until a pattern appears after the previous match, and return the match."""
        until = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.shown[self._seen :], re.DOTALL)
            if found:
                self._seen += found.end()
                return found
            left = until - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"not shown: {pattern!r} in {self.shown[self._seen :]!r}")

    def _read(self, seconds: float) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65_536)
        except OSError:
            # Linux answers so when the other side has closed.
            return False
        self.shown += data.decode(errors="replace")
        return bool(data)

    def finish(self, seconds: float = SECONDS) -> int:
        """Read to the end, and return the exit status."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self._read(0.2):
            pass
        return self.process.wait(timeout=5)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
