"""`gamed watch`: draws a game in the terminal while it runs.

Where the game's protocol has clients that watch, it is one of these. Other games are watched by a room's event stream.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from string import ascii_uppercase
from typing import Any, Final

import click
from attrs import define
from twisted.internet.defer import Deferred
from twisted.internet.task import react

from gamed.bots.play import BotError
from gamed.bots.stream import watch_room
from gamed.bots.watch import watch as watch_game
from gamed.cli.fitting import fitted
from gamed.cli.terminal import UNFITTED, json_option
from gamed.core.clients import Frame
from gamed.core.errors import GamedError
from gamed.core.texts import printable
from gamed.net.timers import install_reactor
from gamed.registry import Draw, games

GAMES: Final = {made.kind: (made, maker.port) for maker in games().values() for made in maker.load_all()}
"""The games that are played, and the standard ports of their listeners."""

OWN: Final = sorted(kind for kind, (made, _) in GAMES.items() if made.viewer is not None)
"""The games with clients that watch."""

PAGES: Final = 8054
"""The standard port of a daemon's pages."""

NAME: Final = "Tafel"
"""The default of `--name`."""

PACE: Final = 0.5
"""The default of `--pace` on a terminal, in seconds."""

HOME, CLEAR, CLEAR_LINE, CLEAR_BELOW = "\x1b[H", "\x1b[2J", "\x1b[K", "\x1b[J"


@click.command(epilog=f"Example: gamed watch {next(iter(GAMES), 'GAME')} --host localhost")
@click.argument("game", metavar="GAME", type=click.Choice(sorted(GAMES)))
@click.option("--host", default="localhost", show_default=True, help="The server's host.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help=f"Its port. Default: that of the daemon's pages, {PAGES}; for {', '.join(OWN)} the game's standard port.",
)
@click.option(
    "--name",
    metavar="NAME",
    help=f"The channel's name: 1 to 32 letters. Default: {NAME}, and if that is in use, {NAME}B and so on.",
)
@click.option(
    "--pace",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help=f"How long each step is shown at most. Default: {PACE} on a terminal, otherwise 0.",
)
@json_option
def watch(game: str, name: str | None, pace: float | None, **options: Any) -> None:
    """Watch the newest game of GAME in the terminal, move by move to the end. If there is none, wait for one.

    On a terminal the board is redrawn in place and fitted to the terminal's size. Otherwise one board per move is
    printed, with --json one object per move. Moves that follow each other within a tenth of a second are shown
    together. The exit status is 1 if the game broke off.

    Where the game's protocol has output channels, the command is one, from the lobby on, and takes --name and --pace.
    The game waits while a step is shown, for as long as --pace says. All steps of a turn together take at most 15
    seconds, so that the server does not drop the channel.
    """
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not options["as_json"]
    show = _report if options["as_json"] else Terminal().draw if is_terminal else print_lines
    made, port = GAMES[game]
    if made.viewer is None:
        if name is not None or pace is not None:
            raise click.UsageError(f"{game} has no output channels: --name and --pace are for {', '.join(OWN)}")
        origin = f"http://{options['host']}:{options['port'] or PAGES}"
        _run(lambda reactor: watch_room(reactor, origin, game, partial(show_scene, made.draw, show)))
        return
    names = (name,) if name is not None else (NAME, *(f"{NAME}{letter}" for letter in ascii_uppercase[1:]))
    if not re.fullmatch("[A-Za-z]{1,32}", names[0]):
        raise click.BadParameter("a name is 1 to 32 letters", param_hint="--name")
    if pace is None:
        pace = PACE if is_terminal else 0.0
    viewer = made.viewer(names[0], pace, names[1:])
    _run(lambda reactor: watch_game(reactor, options["host"], options["port"] or port, viewer, show))


def _run(watching: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
    """Run the reactor until somebody has watched a game. Raises GamedError."""
    ended: list[GamedError | None] = []

    async def watched(reactor: Any) -> None:
        error: GamedError | None = None
        try:
            await watching(reactor)
        except BotError as broken:
            error = broken
        ended.append(error)

    # `react` exits when the reactor has stopped. The exit status is set below instead.
    install_reactor()
    with suppress(SystemExit):
        react(lambda reactor: Deferred.fromCoroutine(watched(reactor)))
    if not ended:
        raise click.Abort
    if ended[0] is not None:
        raise ended[0]


@define
class SceneFrame:
    """A scene of a room, as it is drawn."""

    facts: dict[str, Any]
    text: str

    def drawn(self, width: int, height: int, *, colored: bool) -> str:  # noqa: ARG002 (as for each frame)
        """Return the scene as text for a terminal of this size."""
        return "\n".join(list(fitted(self.text.split("\n"), width))[: height - 1])


def show_scene(draw: Draw, show: Callable[[Frame], None], scene: Any, moves: Sequence[Any]) -> None:
    """Show a scene, with the moves so far, as a frame."""
    names = {seat["seat"]: seat["name"] for seat in scene["seats"]}
    if scene["board"] is None:
        text = f"waiting for the start: {', '.join(names.values()) or 'nobody has come yet'}"
    else:
        text = draw(scene["board"], moves, names)
    if outcome := scene["outcome"]:
        seat = outcome["winner"]
        won = "nobody won" if seat is None else f"{names.get(seat, '')} (seat {seat}) won".lstrip()
        text += f"\n\nthe game is over: {won} ({outcome['termination']})"
    show(SceneFrame(scene, "\n".join(map(printable, text.split("\n")))))


def _report(frame: Frame) -> None:
    click.echo(json.dumps(frame.facts))


def print_lines(frame: Frame) -> None:
    """Print a frame below the one before it."""
    click.echo(f"{frame.drawn(UNFITTED, UNFITTED, colored=False)}\n")


@define
class Terminal:
    """Draws each frame in the place of the one before it."""

    is_fresh: bool = True
    """Whether nothing has been drawn yet: the first frame clears the screen."""

    def draw(self, frame: Frame) -> None:
        """Draw a frame as large as the terminal is now."""
        text = frame.drawn(*shutil.get_terminal_size(), colored=not os.environ.get("NO_COLOR"))
        lines = text.replace("\n", f"{CLEAR_LINE}\n") + CLEAR_LINE
        click.echo(f"{CLEAR if self.is_fresh else ''}{HOME}{lines}\n{CLEAR_BELOW}", nl=False)
        self.is_fresh = False
