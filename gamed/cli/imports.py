"""`gamed import` and `gamed check`: documents on their way into the record store.

Source: records.md 2 and 6. A line a document, and only when it is committed; some documents share a transaction, so an
import that is killed leaves whole records, and running it again takes the rest.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import attrs
import click

from gamed.cli.terminal import config_option, database, json_option, printable, store_settings
from gamed.errors import StoreConflict

if TYPE_CHECKING:
    from gamed.records.importer import Imported
    from gamed.store.sql import Database

    Checked: TypeAlias = tuple[str, Imported]

STREAM: Final = "-"
ENDINGS: Final = (".xml", ".xml.gz")
"""What the names of documents in a directory end with."""

SHARED: Final = 100
"""How many documents share a transaction at most."""

VALID: Final = "valid"
"""What `gamed check` says where `gamed import` says `imported`."""

paths_argument = click.argument("paths", nargs=-1, required=True, metavar="FILE|DIR|-…")


@click.command("import", epilog="Example: gamed import club/ final.xml.gz")
@paths_argument
@config_option
@json_option
@click.pass_context
def import_command(ctx: click.Context, paths: Sequence[str], config: str | None, *, as_json: bool) -> None:
    """Check documents and store them as records.

    A directory stands for all .xml and .xml.gz files below it, and - for the standard input. Prints a line a document
    and a summary; with --json a JSON object a line. Ends with status 0 only if everything is in the store afterwards.
    """
    settings = store_settings(config)
    sources = list(found(paths))
    with database(settings, writing=True) as store:
        outcomes = kept(store, checked(sources, settings.formats, settings.import_bytes))
        ctx.exit(told(outcomes, len(sources), as_json=as_json))


@click.command("check", epilog="Example: gamed check game.xml")
@paths_argument
@click.option("--board", "boards", is_flag=True, help="The files are RoboRally's: tiles, or courses (*.course).")
@config_option
@json_option
@click.pass_context
def check_command(ctx: click.Context, paths: Sequence[str], config: str | None, *, boards: bool, as_json: bool) -> None:
    """Check documents as `gamed import` does, and store nothing; with --board, tiles and courses of RoboRally."""
    if boards:
        from gamed.cli.boards import check_boards  # noqa: PLC0415 (seldom)

        ctx.exit(check_boards(map(Path, paths), as_json=as_json))
    settings = store_settings(config)
    sources = list(found(paths))
    outcomes = checked(sources, settings.formats, settings.import_bytes)
    ctx.exit(told(outcomes, len(sources), as_json=as_json, good=VALID))


def found(paths: Iterable[str]) -> Iterator[str]:
    """Yield the names of documents; a directory is replaced by those below it, in the order of their names."""
    for path in paths:
        if path != STREAM and Path(path).is_dir():
            yield from sorted(str(file) for file in Path(path).rglob("*") if file.name.endswith(ENDINGS))
        else:
            yield path


def checked(sources: Iterable[str], formats: str, budget: int) -> Iterator[Checked]:
    """Yield each document's name with what came of it, up to the storing. Raises ConfigError."""
    from gamed.cli.players import players, readers  # noqa: PLC0415 (heavy)
    from gamed.records.importer import check, refused  # noqa: PLC0415 (heavy)
    from gamed.records.index import index  # noqa: PLC0415 (heavy)
    from gamed.records.record import RecordError  # noqa: PLC0415 (heavy)

    known, playing, reading = index(Path(formats) if formats else None), players(), readers()
    for name in sources:
        try:
            document = document_of(name, budget)
        except RecordError as error:
            yield name, refused(error)
        else:
            yield name, check(document, known, playing, reading)


def document_of(name: str, budget: int) -> bytes:
    """Return a document by the name of its file, or `-`. Raises RecordError."""
    from gamed.records.source import read, read_stream  # noqa: PLC0415 (heavy)

    if name == STREAM:
        return read_stream(sys.stdin.buffer, budget)
    return read(Path(name), budget)


def kept(store: Database, outcomes: Iterator[Checked]) -> Iterator[Checked]:
    """Store what can be stored, some documents in one transaction; yield all when that is committed."""
    while batch := list(islice(outcomes, SHARED)):
        taken = [outcome for _, outcome in batch if outcome.record is not None]
        stored = iter(_stored(store, taken))
        for name, outcome in batch:
            yield name, outcome if outcome.record is None else next(stored)


def _stored(store: Database, taken: Sequence[Imported]) -> list[Imported]:
    records = [(outcome.record, outcome.summary) for outcome in taken if outcome.record is not None]
    try:
        fresh = set(store.thd_keep(records))
    except StoreConflict as error:
        if len(taken) == 1:
            return [attrs.evolve(taken[0], code="conflict", sentence=str(error))]
        return [one for outcome in taken for one in _stored(store, [outcome])]
    return [_marked(outcome, fresh) for outcome in taken]


def _marked(outcome: Imported, fresh: set[str]) -> Imported:
    """Return an outcome of a committed transaction; the first of its id is new, if the id was."""
    assert outcome.record is not None
    if outcome.record.id in fresh:
        fresh.remove(outcome.record.id)
        return outcome
    return attrs.evolve(outcome, code="duplicate", sentence=f"the record {outcome.record.id} is there already")


def told(outcomes: Iterable[Checked], total: int, *, as_json: bool, good: str = "imported") -> int:
    """Print outcomes as they come, and a summary; return the exit status."""
    counts: Counter[str] = Counter()
    refusals = 0
    tell: Callable[[str, Imported, str], None] = _json if as_json else _line
    with _bar(total) as bar:
        for name, outcome in outcomes:
            code = good if outcome.code == "imported" else outcome.code
            counts[code] += 1
            refusals += not outcome.is_taken
            _above(bar, partial(tell, name, outcome, code))
    if not as_json:
        listed = ", ".join(f"{count} {code}" for code, count in counts.items())
        counted = "1 document" if total == 1 else f"{total} documents"
        click.echo(counted + (f": {listed}" if listed else ""))
    return 1 if refusals else 0


def _line(name: str, outcome: Imported, code: str) -> None:
    place = name + "".join(f":{number}" for number in (outcome.line, outcome.column) if number is not None)
    where = "" if outcome.xpath is None else f"{outcome.xpath}: "
    text = f"{click.style(code, fg='green' if outcome.is_taken else 'red')} {printable(place)}: "
    lost = f" (not kept: {', '.join(outcome.lost)})" if outcome.lost else ""
    click.echo(text + printable(f"{where}{outcome.sentence}{lost}"))


def _json(name: str, outcome: Imported, code: str) -> None:
    data = attrs.asdict(outcome, filter=attrs.filters.exclude("record", "summary"))
    record = None if outcome.record is None else outcome.record.id
    click.echo(json.dumps({"file": name, **data, "code": code, "id": record}))


def _bar(total: int) -> Any:
    # On a terminal only: a log has no use for it.
    return click.progressbar(length=total, file=sys.stderr) if sys.stderr.isatty() else nullcontext()


def _above(bar: Any, tell: Callable[[], None]) -> None:
    """Print a line where the progress bar stands, and the bar below it."""
    if bar is None:
        tell()
        return
    click.echo("\r\x1b[K", nl=False, err=True)
    tell()
    bar.update(1)
    bar.render_progress()
