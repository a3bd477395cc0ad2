"""The program of a slot: it runs one bot at a time, owns whatever that starts, and clears it to the last process.

It needs nothing but the standard library, so that it is small and starts fast: `python -I -S slot_program.py`. Lines of
JSON come by descriptor 0 and go by descriptor 3; the bot's output goes to descriptors 1 and 2 of this process.

    {"start": {"command": [...], "folder": "...", "environment": {...}, "limits": {"RLIMIT_DATA": 1000000},
               "processor": 0}}
    {"clear": true}

    {"started": true}    {"failed": "No such file or directory"}
    {"exited": -9, "cpu": 0.02, "memory": 9.1}           status or minus the signal, seconds, MB
    {"cleared": 3}                                       so many processes were killed

It is the reaper of all its descendants (`PR_SET_CHILD_SUBREAPER`): a process whose parent ends becomes its child,
whatever session or group it is in. When descriptor 0 ends, because the runner has ended, it clears and ends, too.

Source: docs/topics/design.md#slots.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import sys
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
EVENTS = 3
"""The descriptor of what is told."""

NOT_FOUND = 127
"""The exit status of a bot that cannot be started."""


def become_subreaper() -> None:
    """Make orphaned descendants children of this process. Raises OSError."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """Have this process terminated when its parent has ended, and not by Control-C. Raises OSError."""
    parent = os.getppid()
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    os.setsid()
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def children() -> list[int]:
    """Return the children of this process, those included that have ended and were not waited for.

    While some are being made, others may be missing.
    """
    own = os.getpid()
    return [int(child) for child in Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii").split()]


def kill(child: int) -> None:
    """Kill a child that was not waited for, so that nobody else can have its number. Raises ValueError for others."""
    if child <= 1:
        raise ValueError(f"{child} is no child of this process")
    try:
        handle = os.pidfd_open(child)
    except ProcessLookupError as error:
        raise ValueError(f"{child} is no process") from error
    try:
        # Asks whose child it is. A list of children would not do: it may lack some while others end.
        os.waitid(os.P_PIDFD, handle, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ChildProcessError as error:
        raise ValueError(f"{child} is no child of this process") from error
    finally:
        os.close(handle)


class Slot:
    """One bot and its processes."""

    def __init__(self) -> None:
        self.leader = 0
        """The bot's first process; 0: it has ended, or there was none."""

    def start(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Start a bot in a session of its own; return what to tell."""
        failed, to_parent = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(failed)
            try:
                self._become(wanted)
            except (OSError, ValueError) as error:
                os.write(to_parent, str(getattr(error, "strerror", None) or error).encode())
            finally:
                os._exit(NOT_FOUND)
        os.close(to_parent)
        with os.fdopen(failed, "rb") as reason:
            text = reason.read().decode(errors="replace")
        if text:
            os.waitpid(child, 0)
            return {"failed": text}
        self.leader = child
        return {"started": True}

    def _become(self, wanted: dict[str, Any]) -> None:
        os.setsid()
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for output in (1, 2):
            # Opened anew: flags that a bot sets are not the next one's.
            os.dup2(os.open(f"/proc/self/fd/{output}", os.O_WRONLY), output)
        os.closerange(3, 4)
        for name, most in wanted["limits"].items():
            resource.setrlimit(getattr(resource, name), (most, most))
        if wanted["processor"] is not None:
            os.sched_setaffinity(0, {wanted["processor"]})
        os.chdir(wanted["folder"])
        os.execvpe(wanted["command"][0], wanted["command"], wanted["environment"])  # noqa: S606 (no shell is wanted)

    def reap(self) -> list[dict[str, Any]]:
        """Wait for all children that have ended; return what to tell."""
        told: list[dict[str, Any]] = []
        while True:
            try:
                child, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return told
            if not child:
                return told
            if child == self.leader:
                self.leader = 0
                cpu = round(usage.ru_utime + usage.ru_stime, 3)
                exited = os.waitstatus_to_exitcode(status)
                told.append({"exited": exited, "cpu": cpu, "memory": round(usage.ru_maxrss / 1000, 1)})

    def clear(self) -> list[dict[str, Any]]:
        """Kill all descendants: as their parents end, they become children of this process. Return what to tell."""
        told, killed = self.reap(), set[int]()
        while True:
            found = set(children())
            for child in found - killed:
                kill(child)
            killed |= found
            try:
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT | (0 if found else os.WNOHANG))
            except ChildProcessError:
                return [*told, {"cleared": len(killed)}]
            told += self.reap()


def main() -> None:
    """Do what comes by descriptor 0, until it ends."""
    become_subreaper()
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # Control-C, too: the runner says when to end.
        signal.signal(number, signal.SIG_IGN)
    signal.set_wakeup_fd(wake)
    slot, rest = Slot(), b""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
        tell(slot.reap())
        if 0 not in ready:
            continue
        data = os.read(0, 65_536)
        if not data:
            slot.clear()
            return
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            asked = json.loads(line)
            tell([slot.start(asked["start"])] if "start" in asked else slot.clear())


def tell(told: list[dict[str, Any]]) -> None:
    """Write lines to the runner."""
    data = "".join(json.dumps(one) + "\n" for one in told).encode()
    while data:
        data = data[os.write(EVENTS, data) :]


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # The runner has ended.
        Slot().clear()
        sys.exit(1)
