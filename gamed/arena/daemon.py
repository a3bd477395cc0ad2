"""A private daemon: a child of the runner, in a folder, with no listener but the control socket.

Source: docs/topics/design.md#the-runner.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from gamed.arena.runner import ArenaError
from gamed.control.listener import LONGEST_PATH
from gamed.registry import games

LOG: Final = "daemon.log"
READY: Final = b"#info] ready"
_TWISTD: Final = """
from gamed.arena.slot_program import end_with_parent
end_with_parent()
from twisted.scripts.twistd import run
run()
"""


@define(eq=False)
class PrivateDaemon(ProcessProtocol):
    """`twistd -n gamed` in a folder. Its log is the file `daemon.log` there."""

    reactor: Any
    folder: Path
    lock: int | None = None
    """A descriptor that locks the folder: the daemon has it, too, because it may live longer than its runner."""

    ended: Deferred[None] = field(factory=Deferred)
    """Fires when it has ended."""

    socket: str = field(init=False)
    """The path of its control socket: in the folder, or elsewhere if that is too long for one."""

    _ready: Deferred[str] = field(factory=Deferred)
    _said: bytes = b""
    _log: Any = None

    def start(self) -> Deferred[str]:
        """Start it; fire with the path of its control socket when it is ready. Fails with ArenaError."""
        self._log = (self.folder / LOG).open("ab", buffering=0)
        config = self.folder / "gamed.toml"
        config.write_text(configuration(control=f"unix:{self.socket}"), encoding="utf-8")
        command = [sys.executable, "-c", _TWISTD, "-n", "--pidfile=", "gamed", "--config", config.name]
        descriptors: dict[int, Any] = {1: "r", 2: "r"} | ({} if self.lock is None else {3: self.lock})
        self.reactor.spawnProcess(self, command[0], command, os.environ, str(self.folder), childFDs=descriptors)
        return self._ready

    def __attrs_post_init__(self) -> None:
        self.socket = str(self.folder.resolve() / "control.sock")
        if len(self.socket.encode()) > LONGEST_PATH:
            self.socket = str(Path(tempfile.mkdtemp(prefix="gamed-")) / "control.sock")

    def stop(self) -> Deferred[None]:
        """Stop it as an operator would; fire when it has ended."""
        transport: Any = self.transport
        with suppress(ProcessExitedAlready):
            transport.signalProcess("TERM")
        return self.ended

    # ProcessProtocol

    def childDataReceived(self, _childFD: int, data: bytes) -> None:  # noqa: N803 (Twisted's signature)
        """Write its log, and look for the line that says that it is ready."""
        with suppress(OSError):  # A full disk costs lines of the log, not the match.
            self._log.write(data)
        if not self._ready.called:
            self._said += data
            if READY in self._said:
                self._ready.callback(self.socket)

    def processEnded(self, reason: Failure) -> None:
        """Take note that it has ended."""
        self._log.close()
        if Path(self.socket).parent != self.folder.resolve():
            shutil.rmtree(Path(self.socket).parent, ignore_errors=True)
        if not self._ready.called:
            last = self._said.decode(errors="replace").strip().splitlines()[-1:]
            text = f"the daemon in {self.folder} has not started: {''.join(last) or reason.getErrorMessage()}"
            self._ready.errback(Failure(ArenaError(text)))
        self.ended.callback(None)


def configuration(*, control: str = "", web: str = "") -> str:
    """Return the configuration of a daemon that has no listeners but these, as TOML."""
    off = "".join(f'[{name}]\nendpoint = ""\n\n' for name in games())
    return f'{off}[web]\nendpoint = "{web}"\n\n[console]\ntelnet = ""\n\n[control]\nendpoint = "{control}"\n'
