"""One run of `gamed play`: it goes on with the match that was asked for, or begins one.

Source: docs/reference/play.md#what-it-goes-on-with.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import signal
import socket
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TextIO, cast

import click
from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import UNIXClientEndpoint, connectProtocol
from twisted.internet.error import ConnectError
from twisted.internet.task import react

from gamed.arena.archives import unpack
from gamed.arena.daemon import PrivateDaemon, configuration
from gamed.arena.entrants import Entrant, digest
from gamed.arena.matches import FolderError, Match, add, locked, matches, secret_of
from gamed.arena.runner import ArenaError, Finished, Runner
from gamed.arena.slot_program import become_subreaper
from gamed.cli.scoreboard import Scoreboard
from gamed.cli.terminal import ProgressLine, counted_of
from gamed.core.errors import GamedError
from gamed.core.keys import key_of
from gamed.core.texts import printable
from gamed.net.timers import install_reactor
from gamed.registry import GameType, Preset
from gamed.tournament.schedule import Plan, due
from gamed.tournament.sprt import Sprt

FOLDER: Final = "gamed-play"
"""The folder of the games, unless another is named."""

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as shells have it."""

PATIENCE: Final = 8.0
"""Seconds to wait for a folder: the daemon of a runner that was killed is about to end."""

LOOKS: Final = 1.0
"""Seconds between two changes of the line of progress."""

BOTS: Final = "bots"
"""The folder in it into which archives are unpacked."""

DATABASE: Final = "gamed.db"
CONFIGURATION: Final = "browse.toml"
PAGES: Final = 8054
"""The port of the pages, if it is free."""


def database_of(folder: Path) -> Path:
    """Return the database of a folder's games. Raises GamedError if there is none."""
    file = folder.absolute() / DATABASE
    if not file.exists():
        raise GamedError(f"there are no games in {folder}; choose another folder with --dir")
    return file


def command_of(folder: Path, words: str) -> str:
    """Return a command that does something with the games of a folder."""
    return f"gamed play {words}" + ("" if str(folder) == FOLDER else f" --dir {shlex.quote(str(folder))}")


def browse(folder: Path) -> None:
    """Become a daemon that has nothing but the pages of a folder's games."""
    database_of(folder)
    # As long as the pages are there, nobody plays in this folder.
    os.set_inheritable(_locked(folder), True)  # noqa: FBT003 (os's)
    key = key_of(secret_of(folder))
    os.chdir(folder)
    port = _free_port()
    Path(CONFIGURATION).write_text(configuration(web=f"tcp:{port}:interface=127.0.0.1"), encoding="utf-8")
    click.echo(f"The games are at http://localhost:{port}/#key={key} until you press Ctrl-C.")
    click.echo("With its key, this address also shows what the bots have written and used.")
    sys.stdout.flush()
    run = "from twisted.scripts.twistd import run; run()"
    os.execv(sys.executable, [sys.executable, "-c", run, "-n", "--pidfile=", "gamed", "--config", CONFIGURATION])  # noqa: S606


def _free_port() -> int:
    """Return the usual port of the pages, or another one if a daemon has it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PAGES))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def run(playing: Playing) -> None:
    """Play, and end this process with the status."""
    # Twisted keeps a handler that is there already.
    signal.signal(signal.SIGINT, playing.interrupted)
    errors: list[GamedError] = []

    async def begin(reactor: Any) -> None:
        try:
            await playing.play(reactor)
        except GamedError as error:
            errors.append(error)

    # `react` exits when the reactor has stopped. The exit status is set below instead.
    install_reactor()
    with suppress(SystemExit):
        react(lambda reactor: Deferred.fromCoroutine(begin(reactor)))
    playing.line.clear()
    if playing.scoreboard is not None:
        playing.report(playing.scoreboard)
    if playing.is_interrupted:
        sys.exit(INTERRUPTED)
    if errors:
        raise errors[0]
    if playing.scoreboard is None:
        raise click.Abort
    sys.exit(playing.status(playing.scoreboard))


def _locked(folder: Path) -> int:
    """Return a descriptor that locks a folder. Raises FolderError."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return locked(folder)
        except FolderError:
            if time.monotonic() > until or not folder.is_dir():
                raise
            time.sleep(0.1)


@define(eq=False)
class Playing:
    """One run of the command."""

    game_type: GameType
    entrants: Sequence[Entrant]
    asked: Mapping[str, Any]
    options: Mapping[str, Any]
    line: ProgressLine = field(factory=ProgressLine)
    scoreboard: Scoreboard | None = None
    is_interrupted: bool = False
    _reactor: Any = None
    _runner: Runner | None = None
    _timer: Any = None
    _began: float = 0.0
    _before: int = 0
    """How many games were played when this run began."""

    @property
    def folder(self) -> Path:
        """The folder of the games."""
        folder: Path = self.options["folder"]
        return folder

    @property
    def preset(self) -> Preset | None:
        """The preset of the match, if it has one."""
        return self.game_type.contest.presets.get(self.asked.get("preset", ""))

    def say(self, text: str) -> None:
        """Print a line for people."""
        self.line.clear()
        if not self.options["as_json"]:
            click.echo(text)

    def interrupted(self, _signal: int, _frame: Any) -> None:
        """Stop, as Ctrl-C says; at the second time, at once."""
        if self.is_interrupted or self._reactor is None:
            os._exit(INTERRUPTED)
        self.is_interrupted = True
        self._reactor.callFromThread(self._stop)

    def _stop(self) -> None:
        self.line.clear()
        click.echo("Stopping; Ctrl-C again ends at once.", err=True)
        if self._runner is not None:
            self._runner.stop()

    async def play(self, reactor: Any) -> None:
        """Play what is left of the match. Raises GamedError."""
        lock = _locked(self.folder)
        for entrant in self.entrants:
            if entrant.archive is not None and not entrant.is_fresh:
                unpack(entrant.archive, entrant.folder)
        self._reactor = reactor
        path, daemon = self.asked["connect"], None
        if path is None:
            daemon = PrivateDaemon(reactor, self.folder, lock)
            path = await daemon.start()
        try:
            await self._match(path)
        finally:
            if self._timer is not None and self._timer.active():
                self._timer.cancel()
            if daemon is not None:
                await daemon.stop()
            os.close(lock)

    async def _match(self, path: str) -> None:
        seed = secrets.randbits(63) if self.asked["seed"] is None else self.asked["seed"]
        names = [entrant.name for entrant in self.entrants]
        new = Match(str(uuid.uuid4()), seed, self.asked, names, [digest(entrant) for entrant in self.entrants])
        old = self._last(new)
        runner = self._runner = Runner(
            self._reactor,
            self.game_type.kind,
            self.asked["options"],
            (old or new).plan,
            self.entrants,
            self.options["concurrency"] or len(os.sched_getaffinity(0)) // 2 or 1,
            {"memory": self.asked["memory"]},
            self.game_type.contest.seat_name,
            self._finished,
            secret=secret_of(self.folder),
            is_kept=self.asked["start"] == "kept",
            is_reaper=True,
            is_pinned=self.preset is not None,
            withholds=self.game_type.contest.draws_later,
        )
        try:
            await connectProtocol(UNIXClientEndpoint(self._reactor, path), runner.client)
        except ConnectError as error:
            raise ArenaError(f"no daemon answers at {path}; see [control] in its configuration") from error
        await runner.take_over(str(self.folder.resolve()))
        if old is not None:
            await runner.recall()
        scoreboard = self._scoreboard(runner)
        if old is not None and any(due(runner.plan, runner.results)) and scoreboard.decision.verdict is None:
            self._announce(runner.plan, "goes on")
        else:
            if old is not None:
                self.say("This match has been played to its end; a new one begins beside it.")
            add(self.folder, new)
            runner.plan, runner.results = new.plan, {}
            scoreboard = self._scoreboard(runner)
            self._announce(runner.plan, "begins")
        self.scoreboard, self._before, self._began = scoreboard, scoreboard.count, self._reactor.seconds()
        if sys.stderr.isatty():
            self._look(scoreboard)
        if not self.is_interrupted:
            become_subreaper()
            try:
                await runner.play()
                if self.options["csv_file"] is not None:
                    scoreboard.means = await runner.means()
                if scoreboard.columns:
                    scoreboard.scores = await runner.scores()
            finally:
                scoreboard.settle(runner.results)

    def _scoreboard(self, runner: Runner) -> Scoreboard:
        names, sprt = [entrant.name for entrant in self.entrants], self.asked["sprt"]
        test = None if sprt is None else Sprt(**sprt)
        columns = () if self.preset is None else self.preset.columns
        return Scoreboard(runner.game, runner.plan, names, runner.options, test, dict(runner.results), columns)

    def _last(self, new: Match) -> Match | None:
        """Return the last match that was asked for in the same way, if the bots are still the same."""
        asked = json.loads(json.dumps(self.asked))
        last = next((match for match in reversed(list(matches(self.folder))) if match.asked == asked), None)
        if last is None or list(last.digests) == list(new.digests):
            return last
        names = ", ".join(map(printable, last.changed(new.digests)))
        self.say(f"Files of {names} have changed since the last match; a new one begins beside it.")
        return None

    def _announce(self, plan: Plan, does: str) -> None:
        games = counted_of(plan.total, "game")
        names = " - ".join(printable(entrant.name) for entrant in self.entrants)
        self.say(f"{self.game_type.kind}, {names}: a match of {games} {does}. Its seed is {plan.seed}.")

    def _finished(self, finished: Finished) -> None:
        assert self.scoreboard is not None
        self.say(self.scoreboard.line(finished))
        if self._runner is not None and self.scoreboard.decision.verdict is not None:
            self._runner.finish()

    def _look(self, scoreboard: Scoreboard) -> None:
        """Show how far the match is, now and every second."""
        self._timer = self._reactor.callLater(LOOKS, self._look, scoreboard)
        played, left = scoreboard.count - self._before, scoreboard.plan.total - scoreboard.count
        minutes = (self._reactor.seconds() - self._began) / played * left / 60 if played else 0.0
        time_left = f", {minutes:.0f} min left" if played else ""
        self.line.show(f"{scoreboard.count} of {scoreboard.plan.total} games{time_left}: {scoreboard.so_far()}")

    def status(self, scoreboard: Scoreboard) -> int:
        """Return the exit status of a match that has come to its end."""
        return scoreboard.status()

    def report(self, scoreboard: Scoreboard) -> None:
        """Print what the match has come to. Raises GamedError if the CSV file cannot be written."""
        if self.options["as_json"]:
            click.echo(scoreboard.json())
        elif scoreboard.count:
            click.echo()
            click.echo("\n".join(scoreboard.lines()))
            connected = self.asked["connect"]
            browsing = command_of(self.folder, "--browse")
            place = f"on the pages of the daemon at {connected}" if connected else f"with {browsing}"
            click.echo(f"Look at the games {place}.")
            if connected:
                secret = secret_of(self.folder)
                click.echo("What a bot has written and used is on the pages of its games, with its key behind them:")
                for entrant in self.entrants:
                    click.echo(f"  {printable(entrant.name)}: #key={key_of(secret, entrant.name)}")
            else:
                click.echo(f"Why a bot has lost one: {command_of(self.folder, '--explain ID')}")
        if self.options["csv_file"] is not None:
            with open_csv(self.options["csv_file"], "w") as file:
                scoreboard.write_csv(file)


def open_csv(path: Path, mode: str) -> TextIO:
    """Open a CSV file for writing. Raises GamedError."""
    try:
        return cast("TextIO", path.open(mode, newline="", encoding="utf-8"))
    except OSError as error:
        raise GamedError(f"cannot write {path}: {error.strerror}") from error
