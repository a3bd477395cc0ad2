"""`gamed watch`: an output channel that draws a game in the terminal.

Source: roborally.md 3.6.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import click

from gamed.cli.terminal import json_option, printable
from gamed.errors import GamedError

if TYPE_CHECKING:
    from gamed.games.roborally.viewer import Frame

GAMES: Final = ("roborally",)
"""The games that have output channels."""

_ROBOT: Final = re.compile(r"(?<=[ |LS\d])[A-Ha-h][\^>v<&](?=[ |LS]|$)")


@click.command(epilog="Example: gamed watch roborally --host localhost --name Tafel")
@click.argument("game", type=click.Choice(GAMES), metavar="GAME")
@click.option("--host", default="localhost", show_default=True, help="Where the server runs.")
@click.option("--port", type=click.IntRange(1, 65535), help="Its port; left out: the game's standard port.")
@click.option("--name", default="Tafel", show_default=True, help="What the channel is called: letters only.")
@json_option
def watch(game: str, host: str, port: int | None, name: str, *, as_json: bool) -> None:
    """Watch a game of GAME as an output channel, from the lobby to the end, phase by phase.

    Draws the board in the terminal, as wide as that is; with --json prints an object a phase. Ends with status 1 if
    the game broke off.
    """
    from twisted.internet.defer import Deferred  # noqa: PLC0415 (heavy)
    from twisted.internet.task import react  # noqa: PLC0415 (heavy)

    from gamed.registry import games  # noqa: PLC0415 (heavy)

    if not re.fullmatch("[A-Za-z]{1,32}", name):
        raise click.BadParameter("a name is 1 to 32 letters", param_hint="--name")
    port = port or games()[game].port
    show = _tell if as_json else _draw
    ended: list[GamedError | None] = []
    # `react` ends the process when it has ended the reactor; the exit status is this command's affair.
    with suppress(SystemExit):
        react(lambda reactor: Deferred.fromCoroutine(_watch(reactor, (host, port), name, ended, show)))
    if not ended:
        raise click.Abort
    if ended[0] is not None:
        raise ended[0]


async def _watch(
    reactor: Any, where: tuple[str, int], name: str, ended: list[GamedError | None], show: Callable[[Frame], None]
) -> None:
    from gamed.bots.play import BotError  # noqa: PLC0415 (heavy)
    from gamed.bots.watch import watch as watch_game  # noqa: PLC0415 (heavy)
    from gamed.games.roborally.viewer import Viewer  # noqa: PLC0415 (with the rest)

    error: GamedError | None = None
    try:
        await watch_game(reactor, *where, Viewer(name), show)
    except BotError as broken:
        error = broken
    ended.append(error)


def _tell(frame: Frame) -> None:
    click.echo(json.dumps(frame.facts))


def _draw(frame: Frame) -> None:
    width = shutil.get_terminal_size().columns
    click.echo(click.style(printable(frame.caption)[:width], bold=True))
    for line in frame.lines:
        click.echo(_ROBOT.sub(lambda found: click.style(found[0], fg="green", bold=True), printable(line)[:width]))
    click.echo()
