"""The command line on a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import gamed

ROOT = str(Path(gamed.__file__).parents[1])
SECONDS = 30.0


def on_terminal(*args: str, keys: Sequence[bytes] = (), prompt: bytes = b"") -> str:
    """Run `gamed` on a terminal, press a key after each prompt, and return all that the terminal showed.

    It must end with status 0, and must not be silent for long.
    """
    master, slave = pty.openpty()
    command = [sys.executable, "-c", "from gamed.cli import main; main()", *args]
    with subprocess.Popen(command, cwd=ROOT, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        try:
            shown = _talk(master, keys, prompt)
        except BaseException:
            process.kill()
            raise
        finally:
            os.close(master)
    assert process.returncode == 0, shown
    return shown


def _talk(master: int, keys: Sequence[bytes], prompt: bytes) -> str:
    shown, answered = b"", 0
    while chunk := _read(master):
        shown += chunk
        while answered < len(keys) and shown.count(prompt) > answered:
            # Input that was typed before the program switches to single keys is discarded.
            select.select([], [], [], 0.05)
            os.write(master, keys[answered])
            answered += 1
    return shown.decode()


def _read(master: int) -> bytes:
    if not select.select([master], [], [], SECONDS)[0]:
        raise AssertionError("the program is silent")
    try:
        return os.read(master, 65_536)
    except OSError:
        # The error on Linux when the other side has closed.
        return b""
