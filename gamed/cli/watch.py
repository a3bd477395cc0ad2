"""`gamed watch`: draws a game in the terminal, as a client that watches by the game's own protocol."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from string import ascii_uppercase
from typing import Any, Final

import click
from attrs import define
from twisted.internet.defer import Deferred
from twisted.internet.task import react

from gamed.bots.play import BotError
from gamed.bots.watch import watch as watch_game
from gamed.cli.terminal import UNFITTED, json_option
from gamed.core.clients import Frame, Viewer
from gamed.core.errors import GamedError
from gamed.core.texts import printable
from gamed.net.timers import install_reactor
from gamed.registry import games

GAMES: Final = {
    made.kind: (made.viewer, maker.port)
    for maker in games().values()
    for made in maker.load_all()
    if made.viewer is not None
}
"""The games that can be watched so, and what watches them."""

NAME: Final = "Tafel"
"""The default of `--name`."""

PACE: Final = 0.5
"""The default of `--pace` on a terminal, in seconds."""

HOME, CLEAR, CLEAR_LINE, CLEAR_BELOW = "\x1b[H", "\x1b[2J", "\x1b[K", "\x1b[J"


def _watchable(_ctx: click.Context, _param: click.Parameter, game: str) -> str:
    if game not in GAMES:
        # Not click.Choice: its message does not say why.
        raise click.BadParameter(f"{printable(game)} cannot be watched on a terminal; {', '.join(GAMES)} can")
    return game


def _complete_games(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    return [game for game in GAMES if game.startswith(incomplete)]


@click.command(epilog=f"Example: gamed watch {next(iter(GAMES), 'GAME')} --host localhost --name {NAME}")
@click.argument("game", metavar="GAME", callback=_watchable, shell_complete=_complete_games)
@click.option("--host", default="localhost", show_default=True, help="The server's host.")
@click.option("--port", type=click.IntRange(1, 65535), help="Its port. Default: the game's standard port.")
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
    """Watch a game of GAME as an output channel, from the lobby to the end, step by step.

    The game waits while a step is shown, for as long as --pace says. All steps of a turn together take at most 15
    seconds, so that the server does not drop the channel. On a terminal the board is redrawn in place and fitted to
    the terminal's size. Otherwise one board per step is printed, with --json one object per step. The exit status is 1
    if the game broke off.
    """
    names = (name,) if name is not None else (NAME, *(f"{NAME}{letter}" for letter in ascii_uppercase[1:]))
    if not re.fullmatch("[A-Za-z]{1,32}", names[0]):
        raise click.BadParameter("a name is 1 to 32 letters", param_hint="--name")
    make, port = GAMES[game]
    where = (options["host"], options["port"] or port)
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and not options["as_json"]
    show = _report if options["as_json"] else Terminal().draw if is_terminal else print_lines
    if pace is None:
        pace = PACE if is_terminal else 0.0
    viewer = make(names[0], pace, names[1:])
    ended: list[GamedError | None] = []
    # `react` exits when the reactor has stopped. The exit status is set below instead.
    install_reactor()
    with suppress(SystemExit):
        react(lambda reactor: Deferred.fromCoroutine(_watch(reactor, where, viewer, ended, show)))
    if not ended:
        raise click.Abort
    if ended[0] is not None:
        raise ended[0]


async def _watch(
    reactor: Any,
    where: tuple[str, int],
    viewer: Viewer,
    ended: list[GamedError | None],
    show: Callable[[Frame], None],
) -> None:
    error: GamedError | None = None
    try:
        await watch_game(reactor, *where, viewer, show)
    except BotError as broken:
        error = broken
    ended.append(error)


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
