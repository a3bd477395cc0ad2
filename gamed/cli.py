"""The command line: `gamed …`.

Source: the contract in README.md; records.md 3 and 5. What is imported at the top is light, so that `gamed --help`
answers at once; each command imports what it needs. Errors that gamed raises on purpose are one line on standard error
and exit status 1, wrong usage is 2.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gamed import __version__
from gamed.errors import GamedError
from gamed.game import Termination

if TYPE_CHECKING:
    from gamed.history import Entry, History
    from gamed.records.own import Judgement
    from gamed.records.record import Record, Summary
    from gamed.store.sql import Database

SHORT_ID: Final = 8
"""Characters of an id that a table shows."""

LEAST: Final = 12
"""Characters that an elastic column keeps on the narrowest terminal."""

UNFITTED: Final = 10_000
"""The width where standard output is no terminal."""

COLUMNS: Final = ("ID", "STARTED (UTC)", "GAME", "PLAYERS", "RESULT", "LENGTH")
ELASTIC: Final = (COLUMNS.index("PLAYERS"), COLUMNS.index("RESULT"))
"""The columns that are cut to fit the terminal, the first of them first."""

RESULTS: Final = {
    Termination.VICTORY: ("{winner} won", "drawn"),
    Termination.FORFEIT: ("{winner} won by forfeit", "forfeited"),
    Termination.LEFT: ("{winner} won, other left", "nobody won, one left"),
    Termination.IDLE: ("{winner} won, other idle", "nobody won, idle"),
    Termination.LIMIT: ("{winner} won, limit passed", "nobody won, limit passed"),
    Termination.SHUTDOWN: ("{winner} won", "gamed was stopped"),
    Termination.SERVER_FAULT: ("{winner} won", "gamed failed"),
}
"""A termination in words: with a winner, and without one."""


class Commands(click.Group):
    """A group whose commands may raise GamedError."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; end with one line instead of a traceback where it raises GamedError."""
        try:
            return super().invoke(ctx)
        except GamedError as error:
            click.echo(f"gamed: {printable(' '.join(str(error).split()))}", err=True)
            ctx.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gamed", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Look after a game server for the protocols that game programs already speak.

    The server itself is started with `twistd -n gamed`.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


@main.group()
def records() -> None:
    """List, show and export the games that were played."""


config_option = click.option(
    "--config", type=click.Path(dir_okay=False), metavar="FILE", help="The daemon's configuration (TOML)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@contextmanager
def database(config: str | None) -> Iterator[Database]:
    """Open the record store that a configuration names. Raises ConfigError and StoreError."""
    from sqlalchemy import make_url  # noqa: PLC0415 (heavy)

    from gamed.config import load  # noqa: PLC0415 (heavy)
    from gamed.store.sql import Database  # noqa: PLC0415 (heavy)

    url = load(config).store.url
    # Reading must not make the daemon's file, which could then belong to the wrong user: an empty store stands for it.
    if url.startswith("sqlite:///") and not Path(make_url(url).database or "").exists():
        url = "sqlite://"
    store = Database(url)
    store.thd_open()
    try:
        yield store
    finally:
        store.thd_close()


# gamed records list


@records.command("list", epilog="Example: gamed records list --player 127.0.0.1:4711 --limit 5")
@config_option
@json_option
@click.option("--player", metavar="NAME", help="Only games of this player: the exact name.")
@click.option("--game", "kind", metavar="GAME", help="Only this game, for example battleship.")
@click.option("--termination", type=click.Choice([str(item) for item in Termination]), help="Only games that ended so.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many games at most.")
def list_records(config: str | None, *, as_json: bool, limit: int, **criteria: Any) -> None:
    """Print a table of the games, the newest first."""
    from gamed.store.query import Query  # noqa: PLC0415 (heavy)

    with database(config) as store:
        found = store.thd_find(Query(**criteria, limit=limit))
    if as_json:
        import attrs  # noqa: PLC0415 (only here)

        click.echo(json.dumps([attrs.asdict(summary) for summary in found], indent=2))
    elif found:
        print_table(found)
    elif any(criteria.values()):
        click.echo("No game matches.")
    else:
        click.echo("No game is recorded yet. Games are recorded when they end.")


def print_table(found: Iterable[Summary]) -> None:
    """Print summaries as a table that fits the terminal."""
    rows = [COLUMNS, *map(row, found)]
    widths = [max(len(cells[column]) for cells in rows) for column in range(len(COLUMNS))]
    excess = sum(widths) + 2 * (len(COLUMNS) - 1) - shutil.get_terminal_size((UNFITTED, 24)).columns
    for column in ELASTIC:
        cut = max(0, min(excess, widths[column] - LEAST))
        widths[column] -= cut
        excess -= cut
    for number, cells in enumerate(rows):
        line = "  ".join(shortened(cell, width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        click.echo(click.style(line, bold=True) if number == 0 else line)


def row(summary: Summary) -> tuple[str, ...]:
    """Return the table's cells of a game."""
    return (
        summary.id[:SHORT_ID],
        summary.started[:16].replace("T", " "),
        summary.kind,
        ", ".join(printable(seat.name) for seat in summary.seats),
        result(summary),
        str(summary.length),
    )


def result(summary: Summary) -> str:
    """Return how a game ended, in words."""
    won, unwon = RESULTS[Termination(summary.termination)]
    return unwon if summary.winner is None else won.format(winner=f"seat {summary.winner}")


def shortened(text: str, width: int) -> str:
    """Return a text in exactly `width` characters; an ellipsis stands for what is cut off."""
    return f"{text:<{width}}" if len(text) <= width else text[: width - 1] + "…"


def printable(text: str) -> str:
    """Return a text that cannot command the terminal: names and lines come from strangers."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


# gamed records show


@records.command(epilog="Example: gamed records show 6f0c1f0e --move 12")
@click.argument("id")
@config_option
@json_option
@click.option("--move", type=click.IntRange(0), metavar="N", help="The boards after N moves instead of at the end.")
@click.option("--moves", "every", is_flag=True, help="The boards after each move.")
def show(id: str, config: str | None, *, as_json: bool, move: int | None, every: bool) -> None:  # noqa: A002
    """Print a game: who, when, result, findings, boards.

    ID is the game's id or the beginning of it, as `gamed records list` prints it.
    """
    if as_json + every + (move is not None) > 1:
        raise click.UsageError("use only one of --json, --move and --moves")
    from gamed.records.own import judgement, summary, to_history  # noqa: PLC0415 (heavy)

    with database(config) as store:
        record = store.thd_record(id)
    facts, history, judged = summary(record), to_history(record), judgement(record)
    if as_json:
        click.echo(json.dumps(as_data(facts, history, judged), indent=2))
        return
    if move is not None and move > facts.length:
        raise click.BadParameter(f"the game has {facts.length} moves", param_hint="--move")
    print_facts(facts, history)
    print_judgement(judged)
    for moves in range(facts.length + 1) if every else [facts.length if move is None else move]:
        print_boards(history, moves, facts.length)


def print_facts(summary: Summary, history: History) -> None:
    """Print what a record's header says."""
    facts = [
        ("id", summary.id),
        ("game", summary.kind),
        ("started", summary.started),
        ("ended", summary.ended),
        *((f"seat {seat.seat}", printable(seat.name)) for seat in summary.seats),
        ("result", result(summary)),
        ("moves", str(summary.length)),
        *((name.replace("_", " "), json.dumps(value).strip('"')) for name, value in sorted(history.options.items())),
        ("seed", str(history.seed)),
    ]
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        click.echo(f"{name:<{width}}  {value}")


def print_judgement(judged: Judgement) -> None:
    """Print what the referee found, if anything."""
    for finding in judged.findings:
        text = f"finding: {finding.code}, seat {finding.seat}, entry {finding.entry}: {printable(finding.text)}"
        click.echo(click.style(text, fg="red"))
    if judged.unjudged is not None:
        click.echo(click.style(f"unjudged from entry {judged.unjudged} on", fg="yellow"))


def print_boards(history: History, moves: int, length: int) -> None:
    """Print the position after so many moves of a game's `length`."""
    from gamed.registry import game_types  # noqa: PLC0415 (heavy)

    types = game_types()
    if history.kind not in types:
        raise GamedError(f"the game {history.kind} is not installed: its boards cannot be drawn")
    click.echo(f"\nafter {moves} of {length} moves")
    for line in types[history.kind].draw(history, moves).split("\n"):
        click.echo(printable(line))


def as_data(summary: Summary, history: History, judged: Judgement) -> dict[str, Any]:
    """Return a record as JSON-ready data; the history's entries as the journal spells them."""
    import attrs  # noqa: PLC0415 (only here)

    return {
        **attrs.asdict(summary),
        "options": dict(history.options),
        "seed": history.seed,
        **attrs.asdict(judged),
        "entries": [entry_data(entry) for entry in history.entries],
    }


def entry_data(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON-ready data: `base64` stands in place of `body` where that is not UTF-8."""
    from gamed.records.spelling import base64  # noqa: PLC0415 (only here)

    data: dict[str, Any] = {"at": entry.at, "kind": entry.kind}
    if entry.seat is not None:
        data["seat"] = entry.seat
    if entry.body is not None:
        try:
            data["body"] = entry.body.decode()
        except UnicodeDecodeError:
            data["base64"] = base64(entry.body)
    return {**data, "data": dict(entry.data)} if entry.data else data


# gamed records export


@records.command(epilog="Example: gamed records export 6f0c1f0e --output game.xml")
@click.argument("id")
@config_option
@click.option(
    "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write here instead of to the terminal."
)
def export(id: str, config: str | None, output: str | None) -> None:  # noqa: A002
    """Write a game as an XML document.

    ID is the game's id or the beginning of it, as `gamed records list` prints it.
    """
    from gamed.records.record import document  # noqa: PLC0415 (heavy)

    with database(config) as store:
        record: Record = store.thd_record(id)
    if output is None:
        click.echo(document(record), nl=False)
        return
    try:
        Path(output).write_bytes(document(record))
    except OSError as error:
        raise GamedError(f"cannot write {output}: {error.strerror}") from error


# gamed bot


@main.command(epilog="Example: gamed bot battleship --host localhost --port 54321 --strategy density --games 3")
@click.argument("game")
@click.option("--host", default="localhost", show_default=True, help="Where the server runs.")
@click.option("--port", type=click.IntRange(1, 65535), help="Its port; left out: the game's standard port.")
@click.option("--strategy", metavar="NAME", help="How to play; a wrong name lists the right ones.")
@click.option("--games", type=click.IntRange(1), default=1, show_default=True, help="How many games, one by one.")
@json_option
def bot(game: str, **options: Any) -> None:
    """Play GAME against whoever the server pairs this bot with.

    Works with any server of the game's protocol. Prints a line a game; ends with status 1 if a game broke off.
    """
    from twisted.internet.defer import Deferred  # noqa: PLC0415 (heavy)
    from twisted.internet.task import react  # noqa: PLC0415 (heavy)

    from gamed.registry import games  # noqa: PLC0415 (heavy)

    makers = games()
    if game not in makers:
        raise click.BadParameter(f"there is no {game}; there are {', '.join(makers)}", param_hint="GAME")
    players = makers[game].load().players
    strategy = options["strategy"] or next(iter(players))
    if strategy not in players:
        raise click.BadParameter(f"{game} has no {strategy}; it has {', '.join(players)}", param_hint="--strategy")
    port = options["port"] or makers[game].port
    ended: list[GamedError | None] = []
    # `react` ends the process when it has ended the reactor; the exit status is this command's affair.
    with suppress(SystemExit):
        react(
            lambda reactor: Deferred.fromCoroutine(_play(reactor, players[strategy], {**options, "port": port}, ended))
        )
    if not ended:
        raise click.Abort
    if ended[0] is not None:
        raise ended[0]


async def _play(reactor: Any, make_player: Any, options: dict[str, Any], ended: list[GamedError | None]) -> None:
    from random import Random  # noqa: PLC0415 (with the rest)

    from gamed.bots.play import BotError, play  # noqa: PLC0415 (heavy)

    results: list[dict[str, Any]] = []
    error: GamedError | None = None
    try:
        for number in range(1, options["games"] + 1):
            played = await play(reactor, options["host"], options["port"], make_player, Random())  # noqa: S311 (a game)
            results.append(
                {"game": number, "won": played.won, "moves": played.moves, "seconds": round(played.seconds, 3)}
            )
            if not options["as_json"]:
                outcome = "won" if played.won else "lost"
                click.echo(f"game {number}: {outcome} after {played.moves} moves in {played.seconds:.3f} s")
    except BotError as broken:
        error = broken
    won = sum(result["won"] for result in results)
    if options["as_json"]:
        click.echo(json.dumps(results, indent=2))
    else:
        click.echo(f"{len(results)} played, {won} won, {len(results) - won} lost")
    ended.append(error)
