"""What bots do to a slot, each in a process of its own: `python -m tests.arena.slot_trials NAME`.

It is run as the first process of a PID namespace, so that a mistake kills nothing else. It ends with an AssertionError,
or with status 0 when no process is left.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater, react

from gamed.arena import slot_program
from gamed.arena.slots import KEPT_BYTES, Exit, Slot, SlotError, Start, sweep

LATE = 1.0 if os.environ.get("PROVE") else 30.0
"""Seconds after the end of a game, within which no process of a bot may live. On a machine that has other work to do,
only that they end can be tested."""

GIGABYTE = 1_000_000_000
TREE = "import os, time\nfor _ in range(8): os.fork()\nif os.getpid() != os.getpgid(0): os.setsid()\ntime.sleep(99)"
"""2**8 processes, most of them in sessions of their own."""


def alive() -> list[int]:
    """Return all processes of this namespace but this one."""
    return [
        int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal() and int(path.name) != os.getpid()
    ]


def shell(text: str) -> Start:
    return Start(["/bin/sh", "-c", text], Path("/"), {"PATH": os.environ["PATH"]})


def python(text: str, **limits: int) -> Start:
    return Start([sys.executable, "-I", "-S", "-c", text], Path("/"), {}, **limits)


class Trial:
    """One slot with one bot."""

    def __init__(self, reactor: Any) -> None:
        self.reactor = reactor
        self.slot = Slot(reactor)
        self.slot.open()

    async def run(self, start: Start) -> None:
        reason = await self.slot.start(start)
        assert not reason, reason

    async def until(self, condition: Callable[[], object], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it has not come to that"
            await deferLater(self.reactor, 0.005, lambda: None)

    async def exit(self) -> Exit:
        await self.until(lambda: self.slot.exited)
        assert self.slot.exited is not None
        return self.slot.exited

    async def cleared(self) -> int:
        """Clear the slot, and check that nothing but its program is left soon."""
        begun = time.monotonic()
        killed: int = await self.slot.clear()
        took = time.monotonic() - begun
        assert len(alive()) == 1, alive()
        assert took < LATE, took
        return killed


async def exits(trial: Trial) -> None:
    await trial.run(shell("echo out; echo err >&2; exit 3"))
    assert (await trial.exit()).status == 3
    assert await trial.cleared() == 0
    assert [output.text for output in trial.slot.outputs] == ["out\n", "err\n"]


async def is_killed(trial: Trial) -> None:
    await trial.run(shell("kill -9 $$"))
    assert (await trial.exit()).status == -signal.SIGKILL
    assert await trial.cleared() == 0


async def cannot_be_started(trial: Trial) -> None:
    assert await trial.slot.start(Start(["/nosuch"], Path("/"), {})) == "No such file or directory"
    assert await trial.slot.start(Start(["/bin/true"], Path("/nosuch"), {})) == "No such file or directory"
    assert await trial.cleared() == 0


async def ignores_signals(trial: Trial) -> None:
    await trial.run(shell("trap '' TERM INT HUP; echo ready; while :; do sleep 1; done"))
    await trial.until(lambda: trial.slot.outputs[0].total)
    assert await trial.cleared() >= 1
    assert trial.slot.exited is not None
    assert trial.slot.exited.status == -signal.SIGKILL


async def forks_twice(trial: Trial) -> None:
    await trial.run(shell("(setsid sleep 99 & setsid sh -c 'sleep 98 & sleep 97' &) ; exit 0"))
    assert (await trial.exit()).status == 0
    await trial.until(lambda: len(alive()) >= 4)
    assert await trial.cleared() >= 3


async def is_a_tree(trial: Trial) -> None:
    await trial.run(python(TREE))
    await trial.until(lambda: len(alive()) >= 2**8)
    assert await trial.cleared() >= 2**8


async def fills_stderr(trial: Trial) -> None:
    await trial.run(shell(f"head -c {GIGABYTE} /dev/zero >&2; printf end >&2"))
    assert (await trial.exit()).status == 0
    assert await trial.cleared() == 0
    output = trial.slot.outputs[1]
    assert output.total == GIGABYTE + 3, output.total
    assert output.text.endswith("\0end")
    assert len(output.text) == KEPT_BYTES
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 200_000


async def floods_when_it_is_cleared(trial: Trial) -> None:
    """Leave output behind: it is this bot's own, not the next one's."""
    await trial.run(shell("yes"))
    await trial.until(lambda: trial.slot.outputs[0].total)
    await trial.cleared()
    await trial.run(shell("echo mine"))
    await trial.exit()
    await trial.cleared()
    assert trial.slot.outputs[0].text == "mine\n", trial.slot.outputs[0].text[:100]


async def makes_its_output_nonblocking(trial: Trial) -> None:
    await trial.run(python("import os; os.set_blocking(1, False)"))
    await trial.exit()
    await trial.run(python("import os; print(os.get_blocking(1))"))
    await trial.exit()
    await trial.cleared()
    assert trial.slot.outputs[0].text == "True\n"


async def burns_the_processor(trial: Trial) -> None:
    await trial.run(python("while True: pass", cpu_seconds=1))
    found = await trial.exit()
    assert found.status in (-signal.SIGXCPU, -signal.SIGKILL), found
    # The kernel counts whole ticks for the limit, and the true time for the report: on a busy machine 0.83 s were seen.
    assert 0.5 < found.cpu < 3, found
    assert await trial.cleared() == 0


async def takes_much_memory(trial: Trial) -> None:
    await trial.run(python("x = bytearray(300_000_000)", memory=60))
    assert (await trial.exit()).status == 1
    assert await trial.cleared() == 0
    assert "MemoryError" in trial.slot.outputs[1].text
    await trial.run(python("x = bytearray(30_000_000)", memory=60))
    assert (await trial.exit()).status == 0


async def kills_the_slot(trial: Trial) -> None:
    slot_program.become_subreaper()
    # It may be faster than the word that it was started.
    with contextlib.suppress(SlotError):
        await trial.run(shell("setsid sleep 99 & kill -9 $PPID; sleep 98"))
    await trial.slot.ended
    try:
        await trial.slot.clear()
    except SlotError:
        pass
    else:
        raise AssertionError("the slot is there")
    assert sweep([]) >= 2
    assert alive() == [], alive()


async def outlives_its_runner(trial: Trial) -> None:
    await trial.slot.close()
    text = "from tests.arena.slot_trials import a_runner; a_runner()"
    runner = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)  # noqa: ASYNC220 (nothing else runs)
    assert runner.stdout is not None
    assert runner.stdout.readline() == b"started\n"
    runner.kill()
    runner.wait()
    begun = time.monotonic()
    # Nobody here waits for the slot's program.
    await trial.until(lambda: all(_is_zombie(process) for process in alive()))
    assert time.monotonic() - begun < LATE


def _is_zombie(process: int) -> bool:
    return ") Z " in Path(f"/proc/{process}/stat").read_text()


def a_runner() -> None:
    """Start a bot with processes of its own, say so, and wait."""

    async def begin(reactor: Any) -> None:
        trial = Trial(reactor)
        await trial.run(shell("setsid sleep 99 & sleep 98"))
        print("started", flush=True)
        await Deferred()

    react(lambda reactor: Deferred.fromCoroutine(begin(reactor)))


async def others_are_not_killed(trial: Trial) -> None:
    await trial.run(shell("sleep 99"))
    for other in (0, 1, -1, os.getpid(), os.getppid(), 2**22):
        try:
            slot_program.kill(other)
        except ValueError:
            continue
        raise AssertionError(f"killed {other}")
    await trial.cleared()


async def is_closed(trial: Trial) -> None:
    await trial.run(shell("setsid sleep 99 & sleep 98"))
    await trial.slot.close()
    assert alive() == [], alive()


TRIALS: dict[str, Callable[[Trial], Coroutine[Any, Any, None]]] = {
    trial.__name__: trial
    for trial in (
        exits,
        is_killed,
        cannot_be_started,
        ignores_signals,
        forks_twice,
        is_a_tree,
        fills_stderr,
        floods_when_it_is_cleared,
        makes_its_output_nonblocking,
        burns_the_processor,
        takes_much_memory,
        kills_the_slot,
        outlives_its_runner,
        others_are_not_killed,
        is_closed,
    )
}

if __name__ == "__main__":
    react(lambda reactor: Deferred.fromCoroutine(TRIALS[sys.argv[1]](Trial(reactor))))
