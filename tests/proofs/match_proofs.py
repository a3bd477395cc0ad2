"""Long matches of `gamed play` and of the runner: `python -m tests.proofs.match_proofs NAME`, in a PID namespace.

Each prints what it has found, and ends with an AssertionError or with status 0.
"""

from __future__ import annotations

import csv
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree as ET

from twisted.internet.defer import Deferred
from twisted.internet.process import reapProcessHandlers
from twisted.internet.task import react

from gamed.arena import runner as arena
from gamed.arena.matches import matches
from gamed.arena.runner import Finished
from gamed.cli.explaining import explanation
from gamed.core.game import MOVE_TIME, Termination
from gamed.tournament.schedule import Plan, played
from tests.arena.match_trials import ARGUMENTS, Match, ours, program
from tests.arena.play_trials import BATTLESHIP, PLAY, Folder, end
from tests.arena.slot_trials import alive
from tests.daemon import ROOT, SCRIPTS
from tests.interop.racket import XVFB
from tests.proofs import amount, whole
from tests.proofs.mirrored import replayed, same_chance
from tests.test_howto import STEP, put

PROLOG = f"swipl -q -g main -t halt {ROOT / 'examples' / 'battleship' / 'main.pl'} -- --host {{host}} --port {{port}}"
WALKER = ROOT / "examples" / "quoridor" / "walker.rkt"
PORT = "(define PORT 4567)"
MIRRORED = (("blokus", "--openings", "2"), ("hive", "--openings", "2"), ("roborally",))
PLAIN = (sys.executable, "-I", "-S", "-c")
START_SECONDS = 5.0
"""What a program has in these matches."""

TIMES = {game: {"soft_milliseconds": 1_000, "hard_milliseconds": 1_000} for game in ("blokus", "hive")}
BY_ARGUMENT = "(define PORT (string->number (vector-ref (current-command-line-arguments) 0)))"
Running: TypeAlias = subprocess.Popen[str]
FAULTLESS = {"victory", "draw", "limit"}


def report(text: str) -> None:
    """Say what was found."""
    print(text, flush=True)


def a_new_users_match(folder: Folder) -> None:
    """Play pairs of Hive as the README has it, within three minutes for fifty of them."""
    pairs = amount(50, 2)
    begun = time.monotonic()
    status, said, _ = folder.run("--game", "hive", "--pairs", str(pairs), "bot:greedy", "bot:random")
    spent = time.monotonic() - begun
    report(f"{pairs} pairs of Hive: status {status}, {spent:.0f} s\n{said[said.index('score') :]}")
    if whole():
        assert (status, spent < 180) == (0, True), spent
    assert status in (0, 11), said
    found = folder.json("--game", "hive", "--pairs", str(pairs), "bot:greedy", "bot:random", "--csv", "games.csv")
    with (folder.path / "games.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(found["games"]) == 2 * pairs


def faultless(folder: Folder, game: str, *bots: str) -> None:
    """Play a pairing, four games at a time: no game is void, and nobody breaks a rule or leaves."""
    games, place, begun = amount(100, 2), f"{game}-{len(list(folder.path.iterdir()))}", time.monotonic()
    words = [*bots, "--game", game, "--games", str(games), "--concurrency", "4", "--time", "60", "--dir", place]
    found = folder.json(*words)
    ends = Counter(row["termination"] for row in found["games"])
    (pairing,) = found["pairings"]
    names = " - ".join(pairing["entrants"])
    report(f"{game}, {names}: {dict(ends)}, score {pairing['score']}, {time.monotonic() - begun:.0f} s")
    assert ends.total() == games, ends
    assert ends.keys() <= {"victory", "draw", "limit"}, ends
    subprocess.run([PLAY[0], "export", "--all", "records"], cwd=folder.path / place, check=True, capture_output=True)
    records = [file.read_text() for file in (folder.path / place / "records").iterdir()]
    assert len(records) == games, len(records)
    assert not any("<refused" in record or "<finding" in record for record in records), place


@contextmanager
def screen() -> Iterator[None]:
    """Give programs with windows a display."""
    made = subprocess.Popen(XVFB, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert made.stdout is not None
    os.environ["DISPLAY"] = f":{made.stdout.readline().strip()}"
    yield
    made.kill()
    made.wait()


def of_programs_of_all_kinds(folder: Folder) -> None:
    """Play with programs in Prolog, Racket and Python."""
    faultless(folder, "battleship", f"prolog={PROLOG}", f"prolog={PROLOG}")
    faultless(folder, "battleship", f"prolog={PROLOG}", "bot:greedy")
    walker = folder.path / "walker.rkt"
    walker.write_text(WALKER.read_text().replace(PORT, BY_ARGUMENT))
    subprocess.run(["raco", "make", str(walker)], check=True, timeout=100)
    world = f"racket={shutil.which('racket')} {walker} {{port}}"
    with screen():
        faultless(folder, "quoridor", world, world)
        faultless(folder, "quoridor", world, "bot:path")
    # These reserve far more memory than they use.
    here = ROOT / "tests" / "proofs"
    for runtime, file in (("node", "hello.js"), ("java", "Hello.java")):
        if shutil.which(runtime) is None:
            report(f"{runtime} is not installed")
        else:
            faultless(folder, "battleship", f"{runtime}={runtime} {here / file} {{host}} {{port}}", "bot:random")
    for game in ("battleship", "quoridor", "blokus", "hive", "roborally"):
        faultless(folder, game, "bot:greedy", "bot:random")


def that_is_mirrored(folder: Folder) -> None:
    """Play pairs by processes: the same chance in both games, with swapped seats."""
    pairs = amount(50, 1)
    for game, *more in MIRRORED:
        words = ["a=bot:random", "b=bot:random", "--game", game, *more, "--pairs", str(pairs), "--concurrency", "2"]
        found = folder.json(*words, "--time", "60", "--dir", game)
        place = folder.path / game
        subprocess.run([PLAY[0], "export", "--all", "records"], cwd=place, check=True, capture_output=True)
        bodies = {
            file.stem: ET.tostring(body)
            for file in (place / "records").iterdir()
            for body in ET.parse(file).getroot().iter("body")
        }
        draws = 0
        rows = sorted(found["games"], key=lambda row: (row["pair"], row["leg"]))
        for one, other in zip(rows[::2], rows[1::2], strict=True):
            assert (one["first"], one["second"]) == (other["second"], other["first"]), (one, other)
            first, second = bodies[one["id"]], bodies[other["id"]]
            draws += same_chance(first, second)
            assert replayed(first) == replayed(second)
            assert len(replayed(first)) == 2 * bool(more), first
        assert len(rows) == 2 * pairs
        report(f"{game}: {pairs} pairs, {draws} draws in common")


def games_of(found: Any) -> set[tuple[Any, ...]]:
    """Return what two runs of one match have in common."""
    games = {tuple(game[key] for key in ("pair", "leg", "first", "winner", "moves")) for game in found["games"]}
    assert len(games) == len(found["games"])
    return games


def daemon() -> int:
    """Return the process of the private daemon."""
    (found,) = (pid for pid in alive() if b"\0gamed.toml\0" in Path(f"/proc/{pid}/cmdline").read_bytes())
    return found


def disturbed(folder: Folder, place: str, whole: Any, after: float, disturb: Callable[[Running, int], None]) -> str:
    """Run a match, disturb it, and run it again to its end: no game has been lost. Return how the first run ended.

    `whole`: what an undisturbed one says. `disturb`: called after some seconds, with the descriptor of the daemon.
    """
    words = [*BATTLESHIP, "--dir", place]
    running = folder.begin(*words, games=0)
    refereeing = os.pidfd_open(daemon())
    with suppress(subprocess.TimeoutExpired):
        running.wait(after)
    with suppress(ProcessLookupError):
        disturb(running, refereeing)
    os.close(refereeing)
    said, _ = running.communicate(timeout=100)
    found = folder.json(*words)
    begun = list(matches(folder.path / place))
    # A match whose last game was recorded by then, told or not, is followed by another one.
    assert len(begun) <= 2, said
    assert begun[-1].id == found["match"]
    if len(begun) == 2:
        plan = begun[0].plan
        listed = [PLAY[0], "records", "list", "--json"]
        told = subprocess.run(listed, cwd=folder.path / place, check=True, capture_output=True, text=True).stdout
        assert all(plan.id_of(fixture) in told for fixture in plan.fixtures()), (said, told)
    assert games_of(found) == games_of(whole), (said, found, whole)
    assert running.returncode in (1, 11, -signal.SIGKILL), said
    ended = any(reason in said for reason in ("the daemon has ended", "No space left on device"))
    assert ended == (running.returncode == 1), said
    return f"status {running.returncode}"


def that_is_killed_again_and_again(folder: Folder) -> None:
    """Kill the runner, the daemon or both at any time: the same command goes on to the same end."""
    whole = folder.json(*BATTLESHIP, "--dir", "whole")
    lots, trials, ends = random.Random(34), amount(180, 3), Counter[str]()
    for number in range(trials):
        whom = ("runner", "daemon", "both")[number % 3]

        def kill(running: Running, refereeing: int, whom: str = whom) -> None:
            if whom != "daemon":
                running.kill()
            if whom != "runner":
                signal.pidfd_send_signal(refereeing, signal.SIGKILL)

        ends[f"{whom}, {disturbed(folder, str(number), whole, lots.uniform(0, 3), kill)}"] += 1
        shutil.rmtree(folder.path / str(number))
    report(f"{trials} kills: {dict(ends)}")


def whose_daemon_stands_still(folder: Folder) -> None:
    """Stop the daemon for ten seconds at any time, as a machine that is suspended does."""
    whole = folder.json(*BATTLESHIP, "--dir", "whole")
    lots, trials, ends = random.Random(36), amount(20, 1), Counter[str]()

    def stand(_running: Running, refereeing: int) -> None:
        signal.pidfd_send_signal(refereeing, signal.SIGSTOP)
        time.sleep(10)
        signal.pidfd_send_signal(refereeing, signal.SIGCONT)

    for number in range(trials):
        ends[disturbed(folder, str(number), whole, lots.uniform(0, 3), stand)] += 1
    report(f"{trials} times ten seconds: {dict(ends)}")


def whose_disk_is_full(folder: Folder) -> None:
    """Fill the disk for two seconds at any time."""
    whole = folder.json(*BATTLESHIP, "--dir", "whole")
    lots, trials, ends = random.Random(37), amount(60, 1), Counter[str]()
    for number in range(trials):
        place = folder.path / str(number)
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "gamed-test", str(place)], check=True)

        def fill(_running: Running, _refereeing: int, place: Path = place) -> None:
            ballast = place / "ballast"
            with suppress(OSError), ballast.open("wb", buffering=0) as file:
                while file.write(bytes(4_096)):
                    pass
            time.sleep(2)
            ballast.unlink()

        ends[disturbed(folder, str(number), whole, lots.uniform(0, 3), fill)] += 1
        subprocess.run(["umount", "--lazy", str(place)], check=True)
    report(f"{trials} times a full disk: {dict(ends)}")


def that_is_played_again(folder: Folder) -> None:
    """Play games of each kind again: bots whose lots come from their seed make the same moves."""
    games = amount(25, 1)
    for game in ARGUMENTS:
        begun, words = time.monotonic(), ["--game", game, "--games", str(games), "--dir", game]
        found = folder.json("bot:greedy", "bot:random", *words)
        differ = [row["id"] for row in found["games"] if folder.run("--again", row["id"], "--dir", game)[0] != 0]
        report(f"{game}: {games - len(differ)} of {games} the same, {time.monotonic() - begun:.0f} s")
        assert not differ, differ


def of_broken_bots(folder: Folder) -> None:
    """Play with bots that are broken in many ways: each is told the right cause, with its evidence."""
    games, bot = amount(8, 2), f"{sys.executable} {ROOT / 'tests' / 'proofs' / 'broken.py'}"
    cases = [(fault, game) for fault in BROKEN for game in ARGUMENTS if (fault, game) not in HARMLESS]
    for fault, game in cases if whole() else cases[14::25]:
        begun, place = time.monotonic(), f"{game}-{fault}"
        broken = f"broken={bot} {fault} {game} {{host}} {{port}} {{name}} x{{code}} {amount(1_000, 20)}"
        words = ["--game", game, "--games", str(games), "--time", "1", "--concurrency", "4", "--dir", place]
        found = folder.json(broken, "bot:random", *words)
        causes = Counter(row["cause"] for row in found["games"] if row["winner"] == "random")
        expected = OTHERWISE.get((fault, game), BROKEN[fault][0])
        assert causes == {expected: games}, (fault, game, causes, found)
        for row in found["games"]:
            told = explanation(folder.path / place, row["id"])
            said = " ".join(told.lines("en"))
            assert BROKEN[fault][1] in said, (fault, game, said)
        report(f"{place}: {expected}, {time.monotonic() - begun:.0f} s")


def of_the_tutorial(folder: Folder) -> None:
    """Follow the tutorial to the letter."""
    text = (ROOT / "docs" / "tutorial" / "compare.md").read_text()
    steps = list(STEP.finditer(text))
    commands = re.findall(r"^    (\S(?:.*\\\n)*.*)$", re.sub(r"(?ms)^```.*?^```$", "", text), re.MULTILINE)
    assert (len(steps), len(commands)) == (4, 6), (steps, commands)
    (folder.path / ".venv").mkdir()
    (folder.path / ".venv" / "bin").symlink_to(SCRIPTS)

    def run(command: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=folder.path, capture_output=True, text=True, timeout=200, check=True
        )
        assert "left" not in done.stdout, done.stdout
        return done.stdout

    put(folder.path, steps[0])
    assert "bot is the stronger one" in run(commands[0])
    run(commands[1])
    put(folder.path, steps[1])
    put(folder.path, steps[2])
    assert "H1 is accepted" in run(commands[2])
    put(folder.path, steps[3])
    lost = subprocess.run(
        commands[3], shell=True, cwd=folder.path, capture_output=True, text=True, timeout=200, check=False
    )
    game = re.search(r"^1/2  new 0 : 1 old  \(left, 0 moves, .*, ([0-9a-f]{8})\)$", lost.stdout, re.MULTILINE)
    assert game, lost.stdout
    said = run(re.sub(r"[0-9a-f]{8}$", game[1], commands[4]))
    for part in (
        "new has lost because its program crashed.",
        "  walls so far: 0",
        "  IndexError: list index out of range",
    ):
        assert part in said, said
    assert commands[5] == ".venv/bin/gamed play --browse"


BROKEN = {
    "segfault": ("crashed", "signal 11"),
    "exit": ("crashed", "exit status 3"),
    "traceback": ("crashed", "IndexError: list index out of range"),
    "deadlock": ("time", "still running"),
    "cpu": ("time", "still running"),
    "sigterm": ("time", "still running"),
    "stderr": ("time", "debug: x"),
    "fork": ("time", "exit status 0"),
    "half": ("time", "begun"),
    "late": ("time", "allowed were"),
    "closes": ("left", "still running"),
    "illegal": ("illegal", "expected was: "),
    "twice": ("illegal", "The referee: "),
    "long": ("protocol", "bytes"),
    "absent": ("never-connected", "It had 30 s"),
    "first": ("protocol", r"\x16\x03\x01"),
    "dialect": ("protocol", "HTTP request"),
    "connects": ("time", "has its seat by another connection"),
}
"""Faults of tests/proofs/broken.py, with the cause, and what is told of it."""

HARMLESS = {("twice", "quoridor"), ("twice", "roborally")} | {
    ("connects", game) for game in ("blokus", "hive", "quoridor", "roborally")
}
OTHERWISE = {("illegal", "quoridor"): "time"}
"""The world is told that its move was illegal, and still has the turn."""

MISBEHAVES = """
import os, resource, signal, socket, subprocess, sys, time
if sys.argv[3] != "absent":
    connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
how = sys.argv[4]
if how == "exits":
    sys.exit(3)
if how == "is killed":
    os.kill(os.getpid(), signal.SIGKILL)
if how == "ignores":
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
if how == "forks":
    if os.fork() == 0:
        os.setsid()
        for _ in range(20):
            if os.fork() == 0:
                time.sleep(99)
        os._exit(0)
    time.sleep(0.2)
    sys.exit(0)
if how == "fills":
    for _ in range(int(sys.argv[5])):
        os.write(2, bytes(1_000_000))
while how == "burns":
    pass
time.sleep(99)
"""
WAYS = ("exits", "is killed", "ignores", "forks", "fills", "burns", "sleeps")


async def nothing_is_left(match: Match) -> None:
    """Play against programs that misbehave, in all games: when a game is over, no process of theirs lives."""
    await match.begin()
    arena.START_SECONDS = START_SECONDS  # type: ignore[misc]
    ends: Counter[Termination] = Counter()

    def look(finished: Finished) -> None:
        known = {process.pid for process in reapProcessHandlers.values()}
        assert set(alive()) <= known, (alive(), known)
        ends[finished.result.termination] += 1

    ways = [(place, way) for way in WAYS for place in ("there", "absent")]
    for number, game in enumerate(ARGUMENTS):
        begun = time.monotonic()
        ends.clear()
        for place, way in ways if whole() else ways[3 * number :: 14]:
            bad = program(*PLAIN, MISBEHAVES, "{host}", "{port}", place, way, str(amount(1_000, 50)))
            match.plan, match.results = Plan(str(uuid.uuid4()), 7, 2, 2), {}
            runner = await match.runner(game, [ours(game, "Good"), bad], 2, **TIMES.get(game, {MOVE_TIME: 1_000}))
            runner.concurrency, runner.on_finished = 1, look
            await runner.play()
            scores = [one.score(0) for one in played(match.plan, match.results)]
            assert scores == [1.0, 1.0], (game, place, way, match.results)
        report(f"{game}: { ({str(end): count for end, count in ends.items()}) }, {time.monotonic() - begun:.0f} s")
    await match.end()


TRIALS: dict[str, Callable[[Folder], None]] = {
    trial.__name__: trial
    for trial in (
        a_new_users_match,
        of_programs_of_all_kinds,
        that_is_mirrored,
        that_is_killed_again_and_again,
        whose_daemon_stands_still,
        whose_disk_is_full,
        that_is_played_again,
        of_broken_bots,
        of_the_tutorial,
    )
}

if __name__ == "__main__":
    if sys.argv[1] == nothing_is_left.__name__:
        react(lambda reactor: Deferred.fromCoroutine(nothing_is_left(Match(reactor))))
    made = Folder()
    TRIALS[sys.argv[1]](made)
    end()
    shutil.rmtree(made.path)
