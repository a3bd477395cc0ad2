"""Whole matches, each in a process of its own: `python -m tests.arena.match_trials NAME`.

It is run as the first process of a PID namespace, as tests/arena/slot_trials.py is. It plays with a private daemon, and
ends with an AssertionError, or with status 0 when no process is left.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import UNIXClientEndpoint, connectProtocol
from twisted.internet.task import react

from gamed.arena import runner as arena
from gamed.arena.daemon import LOG, PrivateDaemon
from gamed.arena.entrants import Entrant
from gamed.arena.matches import FolderError, locked
from gamed.arena.runner import ArenaError, Finished, Runner
from gamed.arena.slot_program import become_subreaper
from gamed.core.game import Termination
from gamed.store.database import Database
from gamed.tournament.results import Cause, Result
from gamed.tournament.schedule import Plan, due, pairs, played
from tests.arena.slot_trials import alive
from tests.daemon import ROOT, SCRIPTS
from tests.games.quoridor.worlds import DOWN
from tests.interop.racket import XVFB

ID = "6f0c1f0e-0000-4000-8000-00000000000{}"
BOT = [str(SCRIPTS / "gamed"), "bot"]
ARGUMENTS = {
    "battleship": [],
    "blokus": ["--reservation", "{code}", "--strategy", "greedy"],
    "hive": ["--reservation", "{code}", "--strategy", "greedy"],
    "quoridor": ["--strategy", "path", "--pace", "0", "--stay", "0", "--name", "{name}"],
    "roborally": ["--name", "{name}"],
}
PATIENT = {game: {"soft_milliseconds": 60_000, "hard_milliseconds": 60_000} for game in ("blokus", "hive")}
"""Nobody loses by time, however busy the machine is."""

HOLDS = """
import os, pathlib, sys
from twisted.internet.defer import Deferred
from twisted.internet.task import react
from gamed.arena.daemon import PrivateDaemon
from gamed.arena.matches import locked

async def hold(reactor):
    folder = pathlib.Path(sys.argv[1])
    lock = locked(folder)
    await PrivateDaemon(reactor, folder, lock).start()
    os.close(lock)
    print("ready", flush=True)
    await Deferred()

react(lambda reactor: Deferred.fromCoroutine(hold(reactor)))
"""
"""A runner that lives on when its daemon, and nobody else, has the lock of the folder."""

LEAVES = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2]))).recv(9)"


def ours(game: str, name: str) -> Entrant:
    place = ["--host", "{host}", "--port", "{port}", "--seed", "{seed}"]
    return Entrant(name, [*BOT, game, *place, *ARGUMENTS[game]], Path("/"))


def program(*words: str) -> Entrant:
    return Entrant(words[-1][:9], words, Path("/"))


def prolog(name: str) -> Entrant:
    main = ["swipl", "-q", "-g", "main", "-t", "halt", str(ROOT / "examples" / "battleship" / "main.pl"), "--"]
    return Entrant(name, [*main, "--host", "{host}", "--port", "{port}"], Path("/"))


def racket(name: str) -> Entrant:
    """Return a world that plays a game that is known, on whichever seat it is. It ends with its standard input."""
    sides = {side: " ".join(f"(move {move})" for move in DOWN[number::2]) for number, side in enumerate("AB")}
    joins = {side: f'(join "{{host}}" {{port}} "Quoridor" (play) {moves})' for side, moves in sides.items()}
    run = "racket", str(ROOT / "tests" / "interop" / "quoridor_world.rkt")
    cases = " ".join(f"*{side}) sleep 99 | {' '.join(run)} '{join}';;" for side, join in joins.items())
    return Entrant(name, ["/bin/sh", "-c", f"case {{name}} in {cases} esac"], Path("/"))


class Stopping(Runner):
    """Stops when a game has begun."""

    def begun(self, room: str) -> None:
        super().begun(room)
        self.stop()


class Match:
    """A private daemon, and matches that are played on it."""

    def __init__(self, reactor: Any) -> None:
        self.reactor = reactor
        self.folder = Path(tempfile.mkdtemp(prefix="match-"))
        self.daemon = PrivateDaemon(reactor, self.folder)
        self.finished: list[Finished] = []
        self.results: dict[str, Result] = {}
        self.plan = Plan(ID.format(1), 7, 2, 0)
        self.path = ""
        self.kind = Runner

    async def begin(self) -> None:
        become_subreaper()
        self.path = await self.daemon.start()

    async def runner(self, game: str, entrants: Sequence[Entrant], games: int, **options: Any) -> Runner:
        self.plan = Plan(self.plan.id, 7, len(entrants), games)
        runner = self.kind(
            self.reactor,
            game,
            {"max_moves": 40, **PATIENT.get(game, {}), **options},
            self.plan,
            entrants,
            2,
            {},
            lambda name, seat: f"{name}{'AB'[seat]}",
            self.finished.append,
            is_reaper=True,
            results=self.results,
        )
        await connectProtocol(UNIXClientEndpoint(self.reactor, self.path), runner.client)
        await runner.client.begin("a runner")
        return runner

    async def play(self, game: str, entrants: Sequence[Entrant], games: int, **options: Any) -> list[Result]:
        """Play a match; return the results that count."""
        runner = await self.runner(game, entrants, games, **options)
        await runner.play()
        return [game.result for game in played(self.plan, self.results)]

    async def end(self) -> None:
        """Stop the daemon, and check that nothing is left, and that the daemon met nothing unexpected."""
        await self.daemon.stop()
        assert alive() == [], alive()
        log = (self.folder / LOG).read_text()
        assert "Traceback" not in log, log[-3000:]
        assert "server fault" not in log, log[-3000:]
        shutil.rmtree(self.folder)


async def of_bots(match: Match, game: str) -> None:
    await match.begin()
    results = await match.play(game, [ours(game, "Anna"), ours(game, "Bert")], 2)
    assert len(results) == 2, match.finished
    assert {result.termination for result in results} <= {Termination.VICTORY, Termination.LIMIT}, results
    assert not any(result.causes for result in results), results
    assert [pair.number for pair in pairs(match.plan, played(match.plan, match.results))] == [0]
    assert list(due(match.plan, match.results)) == []
    await match.end()


async def of_prolog_programs(match: Match) -> None:
    await match.begin()
    for other in (prolog("Carl"), ours("battleship", "Bert")):
        match.plan, match.results = Plan(ID.format(len(match.finished)), 7, 2, 2), {}
        results = await match.play("battleship", [prolog("Anna"), other], 2, max_moves=400)
        assert [result.termination for result in results] == 2 * [Termination.VICTORY], results
    await match.end()


async def of_racket_worlds(match: Match) -> None:
    screen = subprocess.Popen(  # noqa: ASYNC220 (nothing else runs)
        XVFB, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert screen.stdout is not None
    os.environ["DISPLAY"] = f":{screen.stdout.readline().strip()}"
    await match.begin()
    results = await match.play("quoridor", [racket("Anna"), racket("Bert")], 2, referee="strict")
    assert [(result.termination, result.winner) for result in results] == 2 * [(Termination.VICTORY, 0)], results
    assert [result.moves for result in results] == 2 * [len(DOWN)], results
    screen.kill()
    screen.wait()
    await match.end()


async def that_is_played_again(match: Match) -> None:
    """Play twice: the same programs with the same seeds make the same moves, under other ids."""
    await match.begin()
    entrants = [ours("hive", "Anna"), ours("hive", "Bert")]
    first = await match.play("hive", entrants, 2)
    match.plan, match.results = Plan(ID.format(2), 7, 2, 2), {}
    second = await match.play("hive", entrants, 2)
    assert [result.digest for result in first] == [result.digest for result in second]
    assert {result.id for result in first}.isdisjoint(result.id for result in second)
    await match.end()


async def of_programs_that_do_not_play(match: Match) -> None:
    await match.begin()
    good = ours("battleship", "Good")
    leaves = sys.executable, "-I", "-S", "-c"
    place = "{host}", "{port}"
    for number, (bad, cause) in enumerate(
        (
            (program("/bin/true"), Cause.NEVER_CONNECTED),
            (program("/nosuch"), Cause.NEVER_CONNECTED),
            (program("/bin/sleep", "99"), Cause.NEVER_CONNECTED),
            (program("/bin/sh", "-c", "echo one >&2; echo two >&2; echo >&2; exit 3"), Cause.CRASHED),
            (program(*leaves, LEAVES, *place), Cause.LEFT),
            (program(*leaves, f"{LEAVES}; import os; os.kill(os.getpid(), 11)", *place), Cause.CRASHED),
            (program(*leaves, f"{LEAVES}; import time; time.sleep(99)", *place), Cause.LEFT),
        )
    ):
        match.plan, match.results = Plan(ID.format(number), 7, 2, 2), {}
        # Short enough to wait for, and long enough for the other program to start on a busy machine.
        arena.START_SECONDS = 6.0 if "99" in bad.command else 30.0  # type: ignore[misc]
        results = await match.play("battleship", [good, bad], 2)
        assert [result.termination for result in results] == 2 * [Termination.LEFT], (bad, results)
        causes = {game.result.causes[game.fixture.seats.index(1)] for game in played(match.plan, match.results)}
        assert causes == {cause}, (bad, causes)
        # What is recorded says the same.
        runner = await match.runner("battleship", [good, bad], 2)
        asked = await runner.client.results([result.id for result in results])
        assert sorted(asked, key=str) == sorted(results, key=str), (asked, results)
        scores = Counter({game.fixture.leg: game.score(0) for game in played(match.plan, match.results)})
        assert scores == {0: 1.0, 1: 1.0}, (bad, scores)
    reasons = [reason for finished in match.finished for reason in finished.reasons.values()]
    assert reasons == 2 * ["/nosuch: No such file or directory"], reasons
    database = Database(f"sqlite:///{match.folder / 'gamed.db'}")
    database.thd_open(upgrades=False)
    kept = [database.thd_evidence(finished.result.id, "") for finished in match.finished]
    database.thd_close()
    assert all(found.keys() == {0, 1} for found in kept), kept
    (loud, _) = (json.loads(text) for found in kept for text in found.values() if "two" in text)
    assert (loud["stderr"], loud["status"], loud["stderr_bytes"]) == ("one\ntwo\n\n", 3, 9), loud
    # Those that were killed have used something, too.
    running = [one for found in kept for one in map(json.loads, found.values()) if "running" in one]
    assert running, kept
    assert all(one["memory"] > 0 and one["cpu"] >= 0 and "status" not in one for one in running), running
    said = Counter(line for finished in match.finished for line in finished.said.values())
    assert said["two"] == 2, said
    await match.end()


async def that_is_withheld(match: Match) -> None:
    """Play pairs whose games nobody sees before both are over."""
    await match.begin()
    runner = await match.runner("battleship", [ours("battleship", "Anna"), ours("battleship", "Bert")], 5)
    runner.withholds = True
    ids = [match.plan.id_of(fixture) for fixture in match.plan.fixtures()]
    shown: dict[str, int] = {}
    client, withhold, disclose = runner.client, runner.client.withhold, runner.client.disclose

    def withheld(rooms: Sequence[str]) -> Deferred[Any]:
        assert shown.keys().isdisjoint(rooms), (shown, rooms)
        return withhold(rooms)

    def disclosed(rooms: Sequence[str]) -> Deferred[Any]:
        shown.update(dict.fromkeys(rooms, len(match.finished)))
        return disclose(rooms)

    client.withhold, client.disclose = withheld, disclosed  # type: ignore[method-assign]
    await runner.play()
    ended = [finished.result.id for finished in match.finished]
    assert shown.keys() == set(ids), (shown, ids)
    for first, second in ((0, 1), (2, 3), (4, 4)):
        at = 1 + max(ended.index(ids[first]), ended.index(ids[second]))
        assert shown[ids[first]] == shown[ids[second]] >= at, (shown, ended)
    await match.end()


async def of_programs_that_are_kept(match: Match) -> None:
    """Play with programs that connect again after each game, that end with it, and that end soon after it."""
    await match.begin()
    client = [sys.executable, "-I", "-S", str(ROOT / "tests" / "benchmarks" / "arena_client.py"), "{host}", "{port}"]
    says = ["/bin/sh", "-c", 'echo started >&2; "$@"; sleep $0']
    kinds = {
        "kept": Entrant("Kept", [*says, "0", *client, "kept"], Path("/")),
        "once": Entrant("Once", [*says, "0", *client, "fresh"], Path("/")),
        "late": Entrant("Late", [*says, "0.01", *client, "fresh"], Path("/")),
    }
    for number, (other, starts) in enumerate((("kept", 2), ("once", 7), ("late", 7))):
        match.plan, match.results = Plan(ID.format(number), 7, 2, 6), {}
        match.finished.clear()
        runner = await match.runner("battleship", [kinds["kept"], kinds[other]], 6, max_moves=400)
        runner.concurrency, runner.is_kept = 1, True
        await runner.play()
        results = [game.result for game in played(match.plan, match.results)]
        assert [(result.termination, result.moves) for result in results] == 6 * [(Termination.VICTORY, 266)], results
        said = [line for finished in match.finished for line in finished.said.values()]
        assert said.count("started") == starts, (other, said)
    await match.end()


async def whose_daemon_is_killed(match: Match) -> None:
    await match.begin()
    runner = await match.runner("battleship", [ours("battleship", "Anna"), ours("battleship", "Bert")], 6)

    def kill(_finished: Finished) -> None:
        runner.on_finished = match.finished.append
        match.daemon.transport.signalProcess("KILL")  # type: ignore[union-attr]

    runner.on_finished = kill
    why = ""
    try:
        await runner.play()
    except ArenaError as error:
        why = str(error)
    assert why.startswith("the daemon has ended"), why
    before = dict(match.results)
    await match.daemon.ended
    assert alive() == [], alive()
    # Another daemon in the folder goes on: what was recorded counts, what was not is played again.
    match.daemon = PrivateDaemon(match.reactor, match.folder)
    match.path = await match.daemon.start()
    runner = await match.runner("battleship", [ours("battleship", "Anna"), ours("battleship", "Bert")], 6)
    ids = [match.plan.id_of(fixture) for fixture in match.plan.fixtures()]
    match.results |= {result.id: result for result in await runner.client.results(ids)}
    assert before.items() <= match.results.items()
    await runner.play()
    assert len(played(match.plan, match.results)) == 6
    await match.end()


async def whose_runner_is_killed(match: Match) -> None:
    """Kill a runner: its daemon ends, and holds the lock of the folder until it has."""
    become_subreaper()
    runner = subprocess.Popen(  # noqa: ASYNC220 (nothing else runs)
        [sys.executable, "-c", HOLDS, str(match.folder)], stdout=subprocess.PIPE, text=True
    )
    assert runner.stdout is not None
    assert runner.stdout.readline() == "ready\n"
    is_locked = False
    try:
        locked(match.folder)
    except FolderError:
        is_locked = True
    assert is_locked
    runner.kill()
    runner.wait()
    # The daemon is a child of this process now.
    os.waitpid(-1, 0)  # noqa: ASYNC222
    assert alive() == [], alive()
    # It has stopped as it should.
    assert not (match.folder / "control.sock").exists()
    os.close(locked(match.folder))
    shutil.rmtree(match.folder)


async def that_the_daemon_refuses(match: Match) -> None:
    await match.begin()
    why = ""
    try:
        await match.play("battleship", [ours("battleship", "Anna"), ours("battleship", "Bert")], 4, nosuch=1)
    except ArenaError as error:
        why = str(error)
    assert why.startswith("the game has no option 'nosuch'"), why
    assert match.results == {}
    await match.end()


async def that_is_stopped(match: Match) -> None:
    match.kind = Stopping
    await match.begin()
    runner = await match.runner("battleship", [ours("battleship", "Anna"), ours("battleship", "Bert")], 50)
    await runner.play()
    assert [result.is_void for result in match.results.values()] in ([True], [True, True]), match.results
    await match.end()


async def whose_bot_kills_its_slot(match: Match) -> None:
    await match.begin()
    connects = 'import socket, time; s = socket.create_connection(("{host}", {port})); time.sleep(98)'
    connects = f"{sys.executable} -I -S -c '{connects}'"
    for text in (
        "setsid sleep 99 & kill -9 $PPID; sleep 98",
        f"setsid {connects} & sleep 0.3; kill -9 $PPID; sleep 98",
    ):
        match.plan, match.results = Plan(ID.format(len(match.finished)), 7, 2, 2), {}
        results = await match.play("battleship", [ours("battleship", "Good"), program("/bin/sh", "-c", text)], 2)
        assert [result.termination for result in results] == 2 * [Termination.LEFT], results
        assert [game.score(0) for game in played(match.plan, match.results)] == [1.0, 1.0], results
    await match.end()


TRIALS: dict[str, Callable[[Match], Coroutine[Any, Any, None]]] = {
    trial.__name__: trial
    for trial in (
        of_prolog_programs,
        of_racket_worlds,
        that_is_played_again,
        of_programs_that_do_not_play,
        of_programs_that_are_kept,
        that_is_withheld,
        whose_daemon_is_killed,
        whose_runner_is_killed,
        that_is_stopped,
        that_the_daemon_refuses,
        whose_bot_kills_its_slot,
    )
} | {f"of_{game}_bots": (lambda match, game=game: of_bots(match, game)) for game in ARGUMENTS}

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    react(lambda reactor: Deferred.fromCoroutine(TRIALS[sys.argv[1]](Match(reactor))))
