"""Whole runs of `gamed play`: `python -m tests.arena.play_trials NAME`, as tests/arena/match_trials.py has it."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from zipfile import ZipFile, ZipInfo

from tests.arena.slot_trials import alive
from tests.daemon import SCRIPTS

PLAY = [str(SCRIPTS / "gamed"), "play"]
HIVE = ["--game", "hive", "--seed", "1", "--time", "60"]
BATTLESHIP = ["greedy=bot:greedy", "random=bot:random", "--game", "battleship", "--seed", "1", "--games", "5"]

TO_AND_FRO = """
import socket, sys
connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
connection.sendall(b'(REGISTER ((name "x")))\\n')
for line in connection.makefile():
    call, *words = line[1:].split(" ")
    if call == "wait-or-play":
        connection.sendall(b"(play)\\n")
    elif call in ("start2play", "start2wait"):
        first = (call == "start2play") == (words[0] == "1")
        rows, steps = ((0, 1) if first else (8, 7)), 0
    if call in ("start2play", "play"):
        steps += 1
        connection.sendall(b"(move player 4 %d)\\n" % rows[steps % 2])
"""
"""A world that steps to and fro."""

CALLED = """\
#!/bin/sh
grep Cpus_allowed_list /proc/self/status >> "$OUT"
echo "$1 $3 $5" >> "$OUT"
test ! -e made || exit 3
touch made
while [ $# -gt 0 ]; do
    case $1 in -h|--host) host=$2;; -p|--port) port=$2;; -r|--reservation) code=$2;; esac
    shift 2
done
exec %s bot blokus --strategy random --seed 1 --host $host --port $port --reservation $code
"""
"""A start script that notes how it was called, and on which processors."""

PATIENCE = 1_000.0
"""Seconds for one command; whoever runs the trial has less."""


class Folder:
    """A folder in which the command is run."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="play-"))

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run the command to its end; return the exit status and what it says."""
        command = [*PLAY, *words]
        done = subprocess.run(command, cwd=self.path, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return done.returncode, done.stdout, done.stderr

    def json(self, *words: str) -> Any:
        """Return what the command says with `--json`."""
        status, said, errors = self.run(*words, "--json")
        assert status in (0, 10, 11, 12), (status, errors)
        return json.loads(said)

    def begin(self, *words: str, games: int) -> subprocess.Popen[str]:
        """Start the command, and wait until so many games are played."""
        command = [*PLAY, *words]
        running = subprocess.Popen(command, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert running.stdout is not None
        for _ in range(games + 1):
            running.stdout.readline()
        return running


def end() -> None:
    """Wait until no process is left; those whose parents were killed are children of this one."""
    until = time.monotonic() + 10
    while alive() and time.monotonic() < until:
        with suppress(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
    assert alive() == [], alive()


def that_says_who_is_stronger(folder: Folder) -> None:
    status, said, errors = folder.run("bot:greedy", "bot:random", *HIVE, "--pairs", "6", "--csv", "games.csv")
    assert (status, errors) == (0, ""), (status, errors)
    lines = said.splitlines()
    assert lines[0] == "hive, greedy - random: a match of 12 games begins. Its seed is 1.", said
    assert lines[1].startswith(" 1/12  greedy 1 : 0 random  (victory, "), said
    assert lines[14].split() == ["score", "won", "drawn", "lost", "lost", "by"], said
    assert re.match(r"greedy  1[12]½?/12 ", lines[15]), said
    assert re.match(r"random .* beaten 1[12]$", lines[16]), said
    assert re.search(r"Elo \(6 distinct of 6 pairs\); greedy is the stronger one with (9\d|100)\.\d%", said), said
    assert lines[-2] == "Look at the games with gamed play --browse.", said
    assert lines[-1] == "Why a bot has lost one: gamed play --explain ID", said
    with (folder.path / "games.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["pair"], row["leg"]) for row in rows] == [
        (str(pair), str(leg)) for pair in range(6) for leg in range(2)
    ], rows
    assert {row["winner"] for row in rows} <= {"greedy", ""}, rows
    status, said, _ = folder.run("bot:random", "bot:random", *HIVE, "--games", "1")
    assert (status, said.count("random-2")) == (11, 4), said


def whose_bot_tells_numbers(folder: Folder) -> None:
    """Play with a bot that tells something of itself all the time."""
    ticks = "(while sleep 0.01; do echo '[gamed] tick = 7' >&2; done) & exec "
    bot = f"{PLAY[0]} bot quoridor --host {{host}} --port {{port}} --pace 0 --stay 0"
    words = [f"tells=sh -c {shlex.quote(ticks + bot)}", "bot:greedy", "--game", "quoridor", "--games", "2"]
    found = folder.json(*words, "--csv", "games.csv")
    with (folder.path / "games.csv").open() as file:
        rows = list(csv.DictReader(file))
    told = {row["first"]: (row["first tick"], row["second tick"]) for row in rows}
    assert told == {"tells": ("7.0", ""), "greedy": ("", "7.0")}, told
    game = found["games"][0]
    explained = folder.json("--explain", game["id"])
    numbers = {bot["name"]: bot["evidence"]["numbers"] for bot in explained["bots"]}
    assert numbers["greedy"] == {}, numbers
    assert {number for _, number in numbers["tells"]["tick"]} == {7.0}, numbers
    # Some of them were told while the game was played.
    assert any(0 <= at <= 1000 * game["seconds"] + 1000 for at, _ in numbers["tells"]["tick"]), (game, numbers)


def that_is_tested(folder: Folder) -> None:
    test = ["--sprt", "elo0=-400", "elo1=400", "--concurrency", "2"]
    status, said, _ = folder.run("bot:greedy", "bot:random", *HIVE, *test)
    assert status == 0, said
    assert re.search(r"SPRT of elo0=-400 and elo1=400: H1 is accepted after \d distinct pairs, LLR \d", said), said
    status, said, _ = folder.run("bot:random", "bot:greedy", *HIVE, *test, "--json")
    assert status == 10, said
    found = json.loads(said)
    assert found["pairings"][0]["score"] < len(found["games"]) / 4, found


def that_is_not_fit(folder: Folder) -> None:
    status, said, _ = folder.run("bot:random", "gone=/bin/false", "third=bot:greedy", *HIVE, "--games", "2")
    assert (status, said.count("gone: exit status 1")) == (12, 4), said
    assert said.count("no whole pair yet") == 0, said


def that_is_explained(folder: Folder) -> None:
    """Ask why a bot has lost: in words, and for programs."""
    (folder.path / "bad.py").write_text("import sys; print('I begin', file=sys.stderr); raise ValueError('no')")
    words = ["--game", "hive", "--games", "2", "--memory", "900"]
    found = folder.json(f"bad={sys.executable} bad.py", "bot:random", *words)
    assert [game["cause"] for game in found["games"]] == ["crashed", "crashed"], found
    game = found["games"][1]["id"]
    status, said, errors = folder.run("--explain", game[:8])
    assert (status, errors) == (0, ""), errors
    for part in (
        f"hive, random - bad, {game}: random has won",
        "bad has lost because its program crashed.\nThe program ended by itself, with exit status 1.",
        " of 900 MB of memory.\nThe end of its standard error (",
        "\n  I begin\n",
        "\n  ValueError: no\n",
    ):
        assert part in said, said
    assert said.endswith(f"\nPlay it again: gamed play --again {game[:8]}\n"), said
    explained = folder.json("--explain", game)
    assert [bot["cause"] for bot in explained["bots"]] == [None, "crashed"], explained
    assert explained["bots"][1]["evidence"]["status"] == 1, explained
    assert "there is no record 9999" in folder.run("--explain", "9999")[2]
    assert "there are no games in" in folder.run("--explain", game, "--dir", "elsewhere")[2]


def that_is_played_again(folder: Folder) -> None:
    """Play a game of a ZIP again: it is the same, until the bot draws its lots from the clock."""
    with ZipFile(folder.path / "team.zip", "w") as made:
        run = f"exec {SCRIPTS / 'gamed'} bot battleship --host $1 --port $2 --strategy random"
        made.writestr("start.sh", f"#!/bin/sh\n{run} --seed $3\n")
    bots = ["team.zip {host} {port} {seed}", "bot:random"]
    found = folder.json(*bots, "--game", "battleship", "--games", "3")
    game = found["games"][1]
    status, said, errors = folder.run("--again", game["id"][:6])
    assert (status, errors) == (0, ""), (said, errors)
    lines = said.splitlines()
    assert lines[0] == f"battleship: the game {game['id']} is played again. Its match's seed is {found['seed']}.", said
    score = "random 1 : 0 team" if game["winner"] == "random" else "random 0 : 1 team"
    assert lines[1].startswith(f"1/1  {score}  (victory, {game['moves']} moves, "), said
    assert lines[2] == f"It is the same as {game['id'][:8]}, move by move.", said
    assert lines[3].startswith("Why a bot has lost it: gamed play --explain "), said
    # It is in a match of its own.
    assert "This match has been played to its end" in folder.run(*bots, "--game", "battleship", "--games", "3")[1]
    with ZipFile(folder.path / "team.zip", "w") as made:
        made.writestr("start.sh", f"#!/bin/sh\n{run}\n")
    # What was played again can be played again, too.
    status, said, errors = folder.run("--again", lines[3].split()[-1])
    assert (status, errors) == (10, ""), (said, errors)
    assert said.startswith("Files of team have changed since.\n"), said
    assert re.search(r"^It differs from [0-9a-f]{8} from move \d+ on: \(.*; before: \(", said, re.MULTILINE), said
    told = folder.json("--again", game["id"])
    assert told["again"] == game["id"], told
    assert told["differs_at"], told


def that_cannot_begin(folder: Folder) -> None:
    for words, text in (
        (["--game", "hive", "--connect", "nosuch"], "no daemon answers at nosuch"),
        (["--game", "roborally", "--option", "course=x"], "x"),
        (["--game", "battleship", "--option", "referee=x"], "'referee' must be in"),
    ):
        status, _, errors = folder.run("bot:random", "bot:random", *words)
        assert status == 1, (words, errors)
        assert text in errors, errors
        assert "Traceback" not in errors, errors


def that_is_interrupted(folder: Folder) -> None:
    running = folder.begin(*BATTLESHIP, games=2)
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "Stopping" in said, said
    assert "Look at the games" in said, said
    status, said, _ = folder.run(*BATTLESHIP)
    assert status in (0, 10, 11), said
    assert "a match of 5 games goes on" in said, said
    assert "1/5" not in said, said
    assert "5/5" in said, said


def whose_bot_has_changed(folder: Folder) -> None:
    bot = folder.path / "mine"
    text = f"#!/bin/sh\nexec {SCRIPTS / 'gamed'} bot battleship --host $1 --port $2 --strategy random\n"
    for more, first in (("", "battleship, mine - random"), ("# better\n", "Files of mine have changed")):
        bot.write_text(text + more)
        bot.chmod(0o755)
        status, said, errors = folder.run("./mine", "bot:random", "--game", "battleship", "--games", "1")
        assert status == 11, (said, errors)
        assert said.startswith(first), said


def with_openings(folder: Folder) -> None:
    """Begin both legs after the same random moves, which the records have."""
    found = folder.json("bot:random", "bot:random", *HIVE, "--games", "4", "--openings", "3")
    begun = []
    for game in found["games"]:
        command = [PLAY[0], "export", game["id"]]
        record = subprocess.run(command, cwd=folder.path / "gamed-play", capture_output=True, check=True, timeout=60)
        elements = ET.fromstring(record.stdout).iter()
        begun.append([element.text for element in elements if "replayed" in element.attrib])
    assert [len(moves) for moves in begun] == [3] * 4, begun
    assert begun[0] == begun[1] != begun[2] == begun[3], begun
    for game, why in (("quoridor", "know no moves but"), ("battleship", "its fleet"), ("roborally", "its own cards")):
        status, _, errors = folder.run("bot:random", "bot:random", "--game", game, "--openings", "3")
        assert (status, why in errors) == (2, True), errors


def that_goes_nowhere(folder: Folder) -> None:
    """Play with worlds that step to and fro: a draw by its greatest length."""
    (folder.path / "to_and_fro.py").write_text(TO_AND_FRO)
    bot = f"{sys.executable} -I -S to_and_fro.py {{host}} {{port}}"
    words = [f"a={bot}", f"b={bot}", "--game", "quoridor", "--games", "2", "--moves", "31"]
    found = folder.json(*words)
    assert [(game["termination"], game["moves"], game["winner"]) for game in found["games"]] == 2 * [
        ("limit", 31, None)
    ]
    command = [PLAY[0], "export", found["games"][0]["id"]]
    record = subprocess.run(command, cwd=folder.path / "gamed-play", capture_output=True, check=True, timeout=60)
    root = ET.fromstring(record.stdout)
    assert len(root.findall("body/move")) == 31, record.stdout
    (ended,) = root.findall("header/result")
    assert ended.attrib == {"termination": "limit"}, ended.attrib
    status, said, _ = folder.run(*words)
    assert status == 11, said
    assert re.search(r"^a +1/2 +0 +2 +0$", said, re.MULTILINE), said
    assert said.count("(limit, 31 moves") == 2, said


def of_a_zip(folder: Folder) -> None:
    """Play with a bot whose archive was made where files cannot be executed, and which writes into its folder."""
    with ZipFile(folder.path / "team.zip", "w") as made:
        words = f"{SCRIPTS / 'gamed'} bot battleship --host $1 --port $2 --strategy greedy"
        made.writestr(ZipInfo("team/start.sh"), f"#!/bin/sh\ntest ! -e made && touch made && exec {words}\n")
    for begins in ("battleship, team - random", "This match has been played to its end"):
        status, said, errors = folder.run("team.zip", "bot:random", "--game", "battleship", "--games", "1")
        assert status == 11, (said, errors)
        assert errors.startswith("team: its start.sh has no execute bit"), errors
        assert said.startswith(begins), said
        assert "left" not in said, said
    assert (folder.path / "gamed-play" / "bots" / "1-team" / "made").exists()


def of_a_contest(folder: Folder) -> None:
    """Play with a bot that wants a fresh folder for each game, is on one processor, and is called in two ways."""
    with ZipFile(folder.path / "team.zip", "w") as made:
        script = ZipInfo("team/start.sh")
        script.external_attr = 0o755 << 16
        made.writestr(script, CALLED % (SCRIPTS / "gamed"))
    os.environ["OUT"] = str(folder.path / "out")
    words = ("team.zip", "bot:greedy", "--game", "blokus", "--preset", "software-challenge", "--seed", "1")
    status, said, errors = folder.run(*words, "--pairs", "2", "--concurrency", "1")
    assert (status, errors) == (11, ""), (said, errors)
    head, greedy, team = (line.split() for line in said.splitlines()[6:9])
    assert head == ["score", "won", "drawn", "lost", "Siegpunkte", "\u2300", "Punkte", "lost", "by"], said
    assert (greedy[:2], team[:2]) == (["greedy", "4/4"], ["team", "0/4"]), said
    assert (greedy[5], team[5]) == ("8", "0"), said
    assert float(greedy[6]) > float(team[6]) > 20, said
    noted = (folder.path / "out").read_text().splitlines()
    processors, calls = noted[::2], noted[1::2]
    assert len(processors) == 4, processors
    assert all(re.fullmatch(r"Cpus_allowed_list:\s\d+", line) for line in processors), processors
    assert calls == ["--host --port --reservation"] * 2 + ["-r -p -h"] * 2, calls
    game = said.splitlines()[1][-9:-1]
    status, said, _ = folder.run("--again", game)
    assert status in (0, 10), said
    assert (folder.path / "out").read_text().splitlines()[-1] == "--host --port --reservation"


TRIALS: dict[str, Callable[[Folder], None]] = {
    trial.__name__: trial
    for trial in (
        that_says_who_is_stronger,
        whose_bot_tells_numbers,
        that_is_tested,
        that_is_not_fit,
        that_is_explained,
        that_is_played_again,
        that_cannot_begin,
        that_is_interrupted,
        whose_bot_has_changed,
        with_openings,
        that_goes_nowhere,
        of_a_zip,
        of_a_contest,
    )
}

if __name__ == "__main__":
    made = Folder()
    TRIALS[sys.argv[1]](made)
    end()
    shutil.rmtree(made.path)
