"""`gamed records …`: lists and exports the stored games. Its other commands are in modules of their own.

Source: docs/reference/records.md#what-is-kept, docs/reference/records.md#gameds-own-records.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import attrs
import click

from gamed.cli.completion import complete_kinds
from gamed.cli.database import database, missing_database, named, store_settings
from gamed.cli.scores import scored
from gamed.cli.terminal import UNFITTED, config_option, json_option, shortened
from gamed.core.game import Termination
from gamed.core.texts import printable
from gamed.records.record import Summary
from gamed.registry import Scores, example, kinds, written_games
from gamed.store.query import Query

SHORT_ID: Final = 8
"""Characters of an id that a table shows."""

LEAST: Final = 12
"""The least width of an elastic column."""

COLUMNS: Final = ("ID", "STARTED (UTC)", "GAME", "PLAYERS", "RESULT", "LENGTH")
ELASTIC: Final = tuple(map(COLUMNS.index, ("PLAYERS", "RESULT", "GAME")))
"""The columns that are shortened to fit the terminal, in this order."""

FORMAT: Final = ("PUBLISHER", "VERSION")
"""The columns that follow if there is room for them."""

RESULTS: Final = {
    Termination.VICTORY: ("{winner} won", "drawn"),
    Termination.DRAW: ("{winner} won", "drawn"),
    Termination.FORFEIT: ("{winner} won by forfeit", "forfeited"),
    Termination.REMOVED: ("{winner} won, other removed", "nobody won, one removed"),
    Termination.RESIGNED: ("{winner} won by resignation", "nobody won, one resigned"),
    Termination.LEFT: ("{winner} won, other left", "nobody won, one left"),
    Termination.IDLE: ("{winner} won, other idle", "nobody won, idle"),
    Termination.TIME: ("{winner} won on time", "nobody won, time passed"),
    Termination.LIMIT: ("{winner} won, limit passed", "nobody won, limit passed"),
    Termination.CANCELLED: ("{winner} won", "cancelled"),
    Termination.SHUTDOWN: ("{winner} won", "gamed was stopped"),
    Termination.SERVER_FAULT: ("{winner} won", "gamed failed"),
}
"""Each termination in words, with a winner and without one."""


def selection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that select games to a command."""
    for option in (
        click.option(
            "--termination", type=click.Choice(list(map(str, Termination))), help="Only games that ended in this way."
        ),
        click.option(
            "--game",
            "kind",
            metavar="GAME",
            shell_complete=complete_kinds,
            help=f"Only this game, for example {example()}.",
        ),
        click.option("--player", metavar="NAME", help="Only games of the player with exactly this name."),
        click.option("--version", metavar="TEXT", help="Only records of exactly this version of their format."),
        click.option("--publisher", metavar="TEXT", help="Only records whose format has exactly this publisher."),
    ):
        command = option(command)
    return command


# gamed records list


@click.command("list", epilog="Example: gamed records list --player 127.0.0.1:4711 --limit 5")
@config_option
@json_option
@selection_options
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="The most games to list.")
def list_records(config: str | None, *, as_json: bool, limit: int, **criteria: Any) -> None:
    """Print a table of the games. The one that ended last comes first.

    Records that gamed does not play come last; they are listed by the publisher and version of their format.
    """
    settings = store_settings(config)
    with database(settings) as store:
        # One more than the limit, to know whether there are more.
        found = store.thd_find(Query(**criteria, limit=limit + 1))
        has_more, found = len(found) > limit, found[:limit]
        scores = list(scored(store, found))
    if as_json:
        games = [attrs.asdict(game, filter=attrs.filters.exclude("owners")) for game in found]
        known = [{"scores": score} if score else {} for score in scores]
        click.echo(json.dumps([game | score for game, score in zip(games, known, strict=True)], indent=2))
    elif found:
        print_table(found, scores)
    elif any(criteria.values()):
        click.echo(f"No game in {printable(named(settings))} matches.{_kinds(criteria['kind'])}")
    else:
        why = missing_database(settings) or f"Games are recorded in {named(settings)} when they end."
        click.echo(f"No game is recorded yet. {printable(why)}")
    if has_more:
        click.echo(f"There are more such games: --limit {2 * limit} prints more of them.", err=True)


def _kinds(kind: str | None) -> str:
    """Return a sentence on the games that can be asked for, if `kind` is not one of them."""
    if kind is None or kind in (known := kinds()):
        return ""
    return f" There is no game {printable(kind)}; there are {', '.join(known)}."


def print_table(found: Iterable[Summary], scores: Sequence[Scores]) -> None:
    """Print summaries as a table that fits the terminal, with scores and formats if there is room for them."""
    found = list(found)
    plain = [COLUMNS, *map(row, found)]
    formats = [FORMAT, *((printable(summary.publisher), printable(summary.version)) for summary in found)]
    counted = list(dict.fromkeys(name for score in scores for name in score))
    more = [
        tuple(map(str.upper, counted)),
        *(tuple(":".join(map(str, score.get(name, ()))) for name in counted) for score in scores),
    ]
    width = shutil.get_terminal_size((UNFITTED, 24)).columns
    rows = plain
    widths, _ = _fitted(rows, width)
    for others in (more, formats):
        wider = [(*cells, *other) for cells, other in zip(rows, others, strict=True)]
        wanted, excess = _fitted(wider, width)
        # Not if the other columns would be shortened for them.
        if excess <= 0 and wanted[: len(widths)] == widths:
            rows, widths = wider, wanted
    for number, cells in enumerate(rows):
        line = "  ".join(shortened(cell, width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        click.echo(click.style(line, bold=True) if number == 0 else line)


def _fitted(rows: Sequence[tuple[str, ...]], width: int) -> tuple[list[int], int]:
    """Return the columns' widths, and by how much the table is still too wide."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    excess = sum(widths) + 2 * (len(widths) - 1) - width
    for column in ELASTIC:
        cut = max(0, min(excess, widths[column] - LEAST))
        widths[column] -= cut
        excess -= cut
    return widths, excess


def row(summary: Summary) -> tuple[str, ...]:
    """Return a game's row of the table."""
    return (
        summary.id[:SHORT_ID],
        summary.started[:16].replace("T", " "),
        summary.kind or printable(f"{summary.publisher} {summary.version}"),
        ", ".join(printable(seat.name) for seat in summary.seats),
        result(summary),
        str(summary.length) if summary.seats else "",
    )


def result(summary: Summary) -> str:
    """Return how a game ended, in words."""
    if not summary.termination:
        return "not known"
    won, unwon = RESULTS[Termination(summary.termination)]
    return unwon if summary.winner is None else won.format(winner=winner(summary)) + _lead(summary)


def _lead(summary: Summary) -> str:
    """Return by how many points a game was won, if they decide it and those of all are known."""
    game = written_games().get(summary.kind)
    points = [seat.points for seat in summary.seats if seat.points is not None and seat.points >= 0]
    if game is None or not game.by_points or len(points) != len(summary.seats) or max(points) == min(points):
        return ""
    return f" by {max(points) - min(points):g}"


def winner(summary: Summary) -> str:
    """Return the winner's name; its seat if the name is not known, or if another player has the same name."""
    names = {seat.seat: printable(seat.name) for seat in summary.seats}
    name = names.get(summary.winner) if summary.winner is not None else None
    return name if name and list(names.values()).count(name) == 1 else f"seat {summary.winner}"
