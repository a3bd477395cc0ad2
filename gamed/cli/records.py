"""`gamed records …`: list, show and export the games that were played, and build anew what is searched of them.

Source: records.md 3 and 5.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gamed.cli.terminal import config_option, database, json_option, printable, shortened, store_settings
from gamed.errors import GamedError
from gamed.game import Termination

if TYPE_CHECKING:
    from gamed.history import Entry, History
    from gamed.records.own import Judgement
    from gamed.records.record import Record, Summary
    from gamed.registry import ReplayFormat, Scores

SHORT_ID: Final = 8
"""Characters of an id that a table shows."""

LEAST: Final = 12
"""Characters that an elastic column keeps on the narrowest terminal."""

UNFITTED: Final = 10_000
"""The width where standard output is no terminal."""

COLUMNS: Final = ("ID", "STARTED (UTC)", "GAME", "PLAYERS", "RESULT", "LENGTH")
ELASTIC: Final = (COLUMNS.index("PLAYERS"), COLUMNS.index("RESULT"))
"""The columns that are cut to fit the terminal, the first of them first."""

AS_IT_IS: Final = "xml"
REPLAY: Final = "replay"
FORMAT_HELP: Final = (
    f"{AS_IT_IS}: as it is stored; {REPLAY}: as the replay of the game's original server; "
    "software-challenge: this of hive."
)

RESULTS: Final = {
    Termination.VICTORY: ("{winner} won", "drawn"),
    Termination.FORFEIT: ("{winner} won by forfeit", "forfeited"),
    Termination.LEFT: ("{winner} won, other left", "nobody won, one left"),
    Termination.IDLE: ("{winner} won, other idle", "nobody won, idle"),
    Termination.TIME: ("{winner} won on time", "nobody won, time passed"),
    Termination.LIMIT: ("{winner} won, limit passed", "nobody won, limit passed"),
    Termination.CANCELLED: ("{winner} won", "cancelled"),
    Termination.SHUTDOWN: ("{winner} won", "gamed was stopped"),
    Termination.SERVER_FAULT: ("{winner} won", "gamed failed"),
}
"""A termination in words: with a winner, and without one."""


@click.group()
def records() -> None:
    """List, show and export the games that were played."""


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
    from gamed.cli.scores import scored  # noqa: PLC0415 (heavy)
    from gamed.store.query import Query  # noqa: PLC0415 (heavy)

    with database(store_settings(config)) as store:
        found = store.thd_find(Query(**criteria, limit=limit))
        scores = list(scored(store, found))
    if as_json:
        import attrs  # noqa: PLC0415 (only here)

        known = [{"scores": score} if score else {} for score in scores]
        click.echo(json.dumps([attrs.asdict(game) | score for game, score in zip(found, known, strict=True)], indent=2))
    elif found:
        print_table(found, scores)
    elif any(criteria.values()):
        click.echo("No game matches.")
    else:
        click.echo("No game is recorded yet. Games are recorded when they end.")


def print_table(found: Iterable[Summary], scores: Sequence[Scores]) -> None:
    """Print summaries as a table that fits the terminal; what was counted is in it where there is room."""
    plain = [COLUMNS, *map(row, found)]
    counted = list(dict.fromkeys(name for score in scores for name in score))
    more = [
        tuple(map(str.upper, counted)),
        *(tuple(":".join(map(str, score.get(name, ()))) for name in counted) for score in scores),
    ]
    width = shutil.get_terminal_size((UNFITTED, 24)).columns
    rows = [(*cells, *others) for cells, others in zip(plain, more, strict=True)]
    widths, excess = _fitted(rows, width)
    if excess > 0 and counted:
        rows = plain
        widths, _ = _fitted(rows, width)
    for number, cells in enumerate(rows):
        line = "  ".join(shortened(cell, width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        click.echo(click.style(line, bold=True) if number == 0 else line)


def _fitted(rows: Sequence[tuple[str, ...]], width: int) -> tuple[list[int], int]:
    """Return the columns' widths, and how much wider than the terminal they still are together."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    excess = sum(widths) + 2 * (len(widths) - 1) - width
    for column in ELASTIC:
        cut = max(0, min(excess, widths[column] - LEAST))
        widths[column] -= cut
        excess -= cut
    return widths, excess


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
    if not summary.termination:
        return "not known"
    won, unwon = RESULTS[Termination(summary.termination)]
    return unwon if summary.winner is None else won.format(winner=f"seat {summary.winner}")


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

    with database(store_settings(config)) as store:
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
@click.argument("id", metavar="ID|DIR")
@config_option
@json_option
@click.option("--all", "every", is_flag=True, help="Write every game, each as a file in the directory DIR.")
@click.option("--format", "chosen", default=AS_IT_IS, show_default=True, metavar="NAME", help=FORMAT_HELP)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write here instead of to the terminal."
)
@click.pass_context
def export(  # noqa: PLR0913 (the options)
    ctx: click.Context,
    id: str,  # noqa: A002
    config: str | None,
    chosen: str,
    output: str | None,
    *,
    every: bool,
    as_json: bool,
) -> None:
    """Write a game as an XML document, or all games with --all.

    ID is the game's id or the beginning of it, as `gamed records list` prints it. A FILE that ends with .gz is packed.

    With --all, each game becomes a file in the directory DIR; games that do not have the format are left out. A game
    that fails is named on standard error, and the status is 1 then. With --json, a JSON object a game is printed: id,
    outcome (written, no-format, failed), and the file or the reason.
    """
    if every:
        if output is not None:
            raise click.UsageError("--all writes into DIR: leave --output out")
        from gamed.cli.bulk import export_all  # noqa: PLC0415 (heavy)

        ctx.exit(export_all(store_settings(config), chosen, Path(id), as_json=as_json))
    if as_json:
        raise click.UsageError("--json goes with --all")
    with database(store_settings(config)) as store:
        record: Record = store.thd_record(id)
    data = in_format(record, chosen)
    if output is None:
        click.echo(data, nl=False)
        return
    try:
        Path(output).write_bytes(gzip.compress(data, mtime=0) if output.endswith(".gz") else data)
    except OSError as error:
        raise GamedError(f"cannot write {output}: {error.strerror}") from error


def in_format(record: Record, chosen: str) -> bytes:
    """Return a record as a document of a format. Raises UsageError if its game has no such format."""
    from gamed.records.own import to_history  # noqa: PLC0415 (heavy)
    from gamed.records.record import document  # noqa: PLC0415 (heavy)

    if chosen == AS_IT_IS:
        return document(record)
    replay = replay_format(record, chosen)
    if replay is None:
        known = ", ".join([AS_IT_IS, *(other.name for other in replay_formats(record))])
        raise click.UsageError(f"{record.publisher} has no format {chosen}; it has {known}")
    return replay.write(to_history(record))


def replay_format(record: Record, chosen: str) -> ReplayFormat | None:
    """Return the format of another program that is meant, None if the record's game does not have it."""
    return next((replay for replay in replay_formats(record) if chosen in (REPLAY, replay.name)), None)


def replay_formats(record: Record) -> Sequence[ReplayFormat]:
    """Return the formats of other programs that a record's game has."""
    from gamed.registry import game_types  # noqa: PLC0415 (heavy)

    return next((made.replays for made in game_types().values() if made.publisher == record.publisher), ())
