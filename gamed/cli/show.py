"""`gamed show`: prints a game, its facts and its boards, move by move, or all of it as JSON."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, Final

import attrs
import click
from attrs import frozen

from gamed.cli.fitting import fitted
from gamed.cli.records import result
from gamed.cli.sources import in_file, record_of, written_of
from gamed.cli.terminal import UNFITTED, config_option, counted_of, encoding_option, ending, json_option
from gamed.core.errors import GamedError
from gamed.core.history import Entry, History
from gamed.core.texts import printable
from gamed.records import own
from gamed.records.notation import base64
from gamed.records.outline import Line, outline
from gamed.records.own import Judgement
from gamed.records.positions import departures, findings, refusals
from gamed.records.record import Record, Summary
from gamed.registry import WrittenGame, game_types
from gamed.replayers import pictures

STEPS: Final = {"n": 1, " ": 1, "\r": 1, "\x1b[C": 1, "\x1b[B": 1, "p": -1, "\x1b[D": -1, "\x1b[A": -1}
"""By how many moves a key steps: n, space, return, right and down forward; p, left and up back."""

ENDS: Final = ("q", "\x1b", "\x04")
HELP: Final = "n, → next   p, ← previous   q quit"


@frozen
class Shown:
    """A game as it is printed."""

    facts: tuple[tuple[str, str], ...]
    """The lines of its header: name and value."""
    length: int
    """The number of its moves."""
    picture: Callable[[int], str]
    """Draws the position after so many moves. Raises GamedError."""
    data: Callable[[], dict[str, Any]]
    """Returns all of it, JSON-ready."""
    remarks: tuple[str, ...] = ()
    """The findings of the referee, styled."""
    no_boards: str = ""
    """Why there are no boards; "" if there are."""


@click.command(epilog="Example: gamed show 6f0c1f0e --move 12")
@click.argument("source", metavar="FILE|ID")
@click.option("--move", type=click.IntRange(0), metavar="N", help="Print the board after N moves, not the last one.")
@click.option("--moves", "every", is_flag=True, help="Print the board after each move.")
@json_option
@encoding_option
@config_option
def show(  # noqa: PLR0913 (options)
    source: str, move: int | None, encoding: str | None, config: str | None, *, every: bool, as_json: bool
) -> None:
    """Print a game: its players, times, result, findings and boards.

    FILE is a record, a replay or a file in another format. ID is the id of a stored record, or its first characters as
    `gamed records list` prints them. On a terminal, without an option, you can step through the game with the keys n
    and p or the arrow keys; q quits.
    """
    if as_json + every + (move is not None) > 1:
        raise click.UsageError("use only one of --json, --move and --moves")
    shown = loaded(source, config, encoding)
    if as_json:
        click.echo(json.dumps(shown.data(), indent=2))
        return
    if shown.no_boards:
        if every or move is not None:
            raise GamedError(shown.no_boards)
        print_facts(shown)
        return
    if move is not None and move > shown.length:
        raise click.BadParameter(f"the game has {counted_of(shown.length, 'move')}", param_hint="--move")
    print_facts(shown)
    if every:
        for moves in range(shown.length + 1):
            draw(shown, moves)
    elif move is None and sys.stdin.isatty() and sys.stdout.isatty():
        step(shown)
    else:
        draw(shown, shown.length if move is None else move)


def print_facts(shown: Shown) -> None:
    """Print a game's header, and the findings of the referee."""
    width = max(len(name) for name, _ in shown.facts)
    indent = " " * (width + 2)
    for name, value in shown.facts:
        # At once: a comment may have two million lines.
        first, *others = map(printable, value.splitlines() or [""])
        click.echo("\n".join([f"{name:<{width}}  {first}", *(f"{indent}{line}" for line in others)]))
    for remark in shown.remarks:
        click.echo(remark)


def step(shown: Shown) -> None:
    """Step through the game with keys, from its start."""
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
    click.echo(f"\nafter {moves} of {counted_of(shown.length, 'move')}")
    lines = [printable(line) for line in shown.picture(moves).split("\n")]
    for line in fitted(lines, shutil.get_terminal_size((UNFITTED, 24)).columns):
        click.echo(line)


def loaded(source: str, config: str | None, encoding: str | None = None) -> Shown:
    """Load a file or a stored record. Raises GamedError."""
    if found := in_file(source, config, encoding):
        game_type, readings = found
        first = next(reading for reading in readings if reading.game is not None)
        if len(readings) > 1:
            which = "the first" if first.number == 1 else f"game {first.number}, the first that can be read"
            click.echo(f"{printable(source)} has {len(readings)} games; this is {which}", err=True)
        for note in first.notes:
            click.echo(printable(note), err=True)
        return of_written(game_type, first.game)
    record = record_of(source, config)
    if written := written_of(record):
        return of_written(written, written.formats.read(record))
    if record.publisher.startswith(own.PUBLISHER):
        return of_own(record)
    return of_unplayed(record)


def of_unplayed(record: Record) -> Shown:
    """Prepare a record for printing whose format gamed does not play: what it contains, and no boards."""
    why = f"gamed does not play {record.publisher} {record.version}: there are no boards, and no moves"
    lines = list(outline(record))
    return Shown(
        facts=(
            *(("id", record.id), ("publisher", record.publisher), ("version", record.version)),
            *(("content", "\n".join(map(_written, lines))), ("note", why)),
        ),
        length=0,
        picture=lambda _moves: "",
        data=lambda: {
            "id": record.id,
            "publisher": record.publisher,
            "version": record.version,
            "content": [attrs.asdict(line) for line in lines],
        },
        no_boards=why,
    )


def _written(line: Line) -> str:
    """Return a line of an outline as text."""
    if line.name == "#comment":
        return f"{'  ' * line.depth}<!-- {line.text} -->"
    if line.name.startswith("#"):
        return f"{'  ' * line.depth}<?{line.name[1:]} {line.text}?>"
    words = [line.name, *(f'{name}="{value}"' for name, value in line.attributes.items())]
    return "  " * line.depth + ": ".join(filter(None, (" ".join(words), line.text)))


def of_own(record: Record) -> Shown:
    """Prepare a record of gamed's own for printing. Raises GamedError."""
    found, history, judged = own.summary(record), own.to_history(record), own.judgement(record)
    replayed = cache(partial(_pictures, history))
    return Shown(
        facts=tuple(_facts_of_own(found, history)),
        length=found.length,
        picture=lambda moves: replayed()(moves),  # noqa: PLW0108 (it is replayed for the first board)
        data=lambda: as_data(found, history, judged),
        remarks=(*_departures(history), *_remarks(history, judged), *_refusals(history)),
    )


def _facts_of_own(summary: Summary, history: History) -> Iterator[tuple[str, str]]:
    yield from (("id", summary.id), ("game", summary.kind), ("started", summary.started), ("ended", summary.ended))
    yield from ((f"seat {seat.seat}", seat.name) for seat in summary.seats)
    yield from (("result", result(summary)), ("moves", str(summary.length)))
    for name, value in sorted(history.options.items()):
        yield name.replace("_", " "), json.dumps(value).strip('"')
    yield "seed", str(history.seed)


def _departures(history: History) -> Iterator[str]:
    for one in departures(history):
        words = [one["text"]] if "text" in one else []
        words += [f"{name} {one[name] / 1000:.3f} s" for name in ("limit", "taken", "gap") if name in one]
        words += [_program(one["program"])] if "program" in one else []
        text = f"{one['why']}: {_who(one)}, {_place(one)}, {one['at'] / 1000:.1f} s"
        yield click.style(printable("; ".join([text, *words])), fg="red")


def _program(word: Mapping[str, Any]) -> str:
    """Return what became of a player's program, in words."""
    how = "it never connected; " if word.get("seated") is False else ""
    if "failed" in word:
        return f"{how}its program cannot be started: {word['failed']}"
    if word.get("running"):
        return f"{how}its program had not ended"
    status, cpu, memory = (int(word.get(name, 0)) for name in ("status", "cpu", "memory"))
    used = f"after {cpu / 1000:.2f} s of CPU, with at most {memory / 1000:.1f} MB"
    return f"{how}its program ended with {ending(status)}, {used}"


def _who(row: Mapping[str, Any]) -> str:
    """Return a player's name with the seat, or the seat alone."""
    return f"{row['name']} (seat {row['seat']})" if row["name"] else f"seat {row['seat']}"


def _place(row: Mapping[str, Any]) -> str:
    return f"after {counted_of(row['move'], 'move')}"


def _remarks(history: History, judged: Judgement) -> Iterator[str]:
    for one in findings(history, judged.findings):
        text = f"finding: {one['code']}, {_who(one)}, {_place(one)}, entry {one['entry']}: {one['text']}"
        yield click.style(printable(text), fg="red")
    if judged.unjudged is not None:
        yield click.style(f"unjudged from entry {judged.unjudged} on", fg="yellow")


def _refusals(history: History) -> Iterator[str]:
    for row in refusals(history):
        many = f", {row['count']} times" if row["count"] > 1 else ""
        yield click.style(f"refused: {row['code']}{many}, {printable(_who(row))}: {printable(row['reason'])}", fg="red")
        for one in row["messages"]:
            where = f"{_place(one)}, {one['at'] / 1000:.1f} s"
            expected = f"expected: {one['expected']}" if one["expected"] else ""
            yield printable("  " + "; ".join(filter(None, (where, expected, one["text"]))))


def _pictures(history: History) -> Callable[[int], str]:
    """Return what draws the boards of a game. Raises GamedError."""
    if history.kind not in (types := game_types()):
        raise GamedError(f"the game {history.kind} is not installed: its boards cannot be drawn")
    return pictures(types[history.kind], history)


def as_data(summary: Summary, history: History, judged: Judgement) -> dict[str, Any]:
    """Return a record as JSON-ready data; the history's entries as in the journal."""
    return {
        **attrs.asdict(summary, filter=attrs.filters.exclude("owners")),
        "options": dict(history.options),
        "seed": history.seed,
        **attrs.asdict(judged),
        "entries": [entry_data(entry) for entry in history.entries],
        "refused": [entry_data(entry) for entry in history.refused],
        "attested": [entry_data(entry) for entry in history.attested],
    }


def entry_data(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON-ready data. A body that is not UTF-8 is in `base64` instead of `body`."""
    data: dict[str, Any] = {"at": entry.at, "kind": entry.kind}
    if entry.seat is not None:
        data["seat"] = entry.seat
    if entry.body is not None:
        try:
            data["body"] = entry.body.decode()
        except UnicodeDecodeError:
            data["base64"] = base64(entry.body)
    return {**data, "data": dict(entry.data)} if entry.data else data


def of_written(game_type: WrittenGame, game: Any) -> Shown:
    """Prepare a game that people have written down, with those facts only that it names."""
    formats = game_type.formats
    facts = tuple((name, str(value)) for name, value in formats.facts(game) if value is not None)
    return Shown(facts, formats.length(game), partial(formats.picture, game), partial(formats.to_data, game))
