"""`gamed show`: a game's boards in the terminal, move by move."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import click
from attrs import frozen

from gamed.cli.sources import go_games, is_sgf, record_of
from gamed.cli.terminal import config_option, printable
from gamed.errors import GamedError

if TYPE_CHECKING:
    from gamed.games.go.tree import GoGame
    from gamed.records.record import Record

STEPS: Final = {"n": 1, " ": 1, "\r": 1, "\x1b[C": 1, "\x1b[B": 1, "p": -1, "\x1b[D": -1, "\x1b[A": -1}
"""What a key moves: n, space, return, right and down go on; p, left and up go back."""

ENDS: Final = ("q", "\x1b", "\x04")
HELP: Final = "n, → next   p, ← previous   q quit"


@frozen
class Shown:
    """A game on a terminal: its facts, its number of moves, and a picture of the position after so many of them."""

    facts: tuple[tuple[str, str], ...]
    length: int
    picture: Callable[[int], str]


@click.command(epilog="Example: gamed show game.xml --move 12")
@click.argument("source", metavar="FILE|ID")
@click.option("--move", type=click.IntRange(0), metavar="N", help="The board after N moves instead of at the end.")
@config_option
def show(source: str, move: int | None, config: str | None) -> None:
    """Print a game: who, the result, and a board.

    Of a GoFans or SGF file, or of a stored record by its id. On a terminal, without --move, keys step through the game:
    n and p, or the arrows; q ends.
    """
    shown = loaded(source, config)
    if move is not None and move > shown.length:
        raise click.BadParameter(f"the game has {shown.length} moves", param_hint="--move")
    width = max(len(name) for name, _ in shown.facts)
    for name, value in shown.facts:
        click.echo(f"{name:<{width}}  {printable(value)}")
    if move is None and sys.stdin.isatty() and sys.stdout.isatty():
        step(shown)
    else:
        draw(shown, shown.length if move is None else move)


def step(shown: Shown) -> None:
    """Let keys go through the game, from its start."""
    at = 0
    while True:
        click.clear()
        draw(shown, at)
        click.echo(HELP)
        key = click.getchar()
        if key in ENDS:
            return
        at = min(max(at + STEPS.get(key, 0), 0), shown.length)


def draw(shown: Shown, moves: int) -> None:
    """Print the position after so many moves."""
    click.echo(f"\nafter {moves} of {shown.length} moves")
    for line in shown.picture(moves).split("\n"):
        click.echo(printable(line))


def loaded(source: str, config: str | None) -> Shown:
    """Return what is shown of a file or a stored record. Raises GamedError."""
    from gamed.records import gofans, own  # noqa: PLC0415 (heavy)

    if is_sgf(source):
        return of_go(go_games(source, config)[0][0])
    record = record_of(source, config)
    if record.publisher == gofans.PUBLISHER:
        return of_go(gofans.read(record))
    if record.publisher.startswith(own.PUBLISHER):
        return of_own(record)
    raise GamedError(f"gamed does not play {record.publisher} {record.version}: there are no boards to show")


def of_own(record: Record) -> Shown:
    """Return what is shown of a record of gamed's own. Raises GamedError."""
    from gamed.cli.records import result  # noqa: PLC0415 (only here)
    from gamed.records import own  # noqa: PLC0415 (heavy)
    from gamed.registry import game_types  # noqa: PLC0415 (heavy)

    history, found, types = own.to_history(record), own.summary(record), game_types()
    if history.kind not in types:
        raise GamedError(f"the game {history.kind} is not installed: its boards cannot be drawn")
    seats = ((f"seat {seat.seat}", seat.name) for seat in found.seats)
    facts = (("game", found.kind), ("started", found.started), *seats, ("result", result(found)))
    return Shown(facts, found.length, lambda moves: types[history.kind].draw(history, moves))


def of_go(game: GoGame) -> Shown:
    """Return what is shown of a Go game; what it names of itself, and nothing that it does not."""
    nodes = list(game.main_line())
    told = [
        *((name, getattr(game, name)) for name in ("title", "event", "date", "place", "rules", "komi", "handicap")),
        *((player.color or f"player {player.id}", _player(player)) for player in game.players),
        ("comment", game.comment),
    ]
    return Shown(_facts(told), len(nodes), lambda moves: _picture(game, moves))


def _facts(told: Iterable[tuple[str, object]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value)) for name, value in told if value is not None)


def _player(player: object) -> str:
    name, rank, points = (getattr(player, key) for key in ("name", "rank", "points"))
    words = [name or "?", rank or ""]
    if points is not None:
        words.append("resigned" if points == -1 else f"{points:g} points")
    return " ".join(word for word in words if word)


def _picture(game: GoGame, moves: int) -> str:
    from gamed.games.go.picture import draw as drawn  # noqa: PLC0415 (heavy)
    from gamed.games.go.picture import name  # noqa: PLC0415 (heavy)
    from gamed.games.go.replay import positions  # noqa: PLC0415 (heavy)

    last = next((node for number, node in enumerate(game.main_line(), 1) if number == moves), None)
    board = drawn(positions(game, moves), None if last is None else last.point)
    if last is None:
        return board
    move = "pass" if last.point is None else name(last.point, game.size)
    comment = f": {last.comment}" if last.comment else ""
    return f"{game.color_of(last) or f'player {last.player}'} {move}{comment}\n{board}"
