"""`gamed check`: check documents as `gamed import` does, and store nothing. Loads no database.

Source: docs/reference/records.md#the-import, docs/reference/records.md#limits.
"""

from __future__ import annotations

import gc
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import attrs
import click
from attrs import define, field

from gamed.cli.boards import DESCRIBED, check_boards
from gamed.cli.terminal import config_option, counted_of, encoding_option, json_option, one_line
from gamed.config import load
from gamed.core.texts import printable
from gamed.records.importer import Imported, refused
from gamed.records.record import RecordError
from gamed.records.source import read, read_stream
from gamed.replayers import importer

if TYPE_CHECKING:
    Checked: TypeAlias = tuple[str, Imported]

STREAM: Final = "-"
ENDINGS: Final = (".xml", ".xml.gz", ".sgf", ".sgf.gz")
"""The endings of the names of documents in a directory."""

WHOLE: Final = 1_000
"""What a document is of the length of the progress bar."""

ALLOCATIONS: Final = 200_000
"""The garbage collector's threshold of new objects while documents are read; Python's default is 700."""

VALID: Final = "valid"
"""The code that `gamed check` prints where `gamed import` prints `imported`."""

paths_argument = click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())


@click.command("check", epilog="Example: gamed check game.xml")
@paths_argument
@click.option("--board", "boards", is_flag=True, help=f"Check {DESCRIBED}.")
@encoding_option
@config_option
@json_option
@click.pass_context
def check_command(  # noqa: PLR0913 (options)
    ctx: click.Context, paths: Sequence[str], encoding: str | None, config: str | None, *, boards: bool, as_json: bool
) -> None:
    """Check documents as `gamed import` does, but store nothing.

    PATH is the same as for `gamed import`. With --board it is a file that describes a board.
    """
    if boards:
        ctx.exit(check_boards(map(Path, paths), as_json=as_json))
    settings = load(config).store
    reporter = Reporter(as_json, VALID)
    with reporter.progress(list(found(paths))) as sources:
        status = reporter.report(checked(sources, settings.formats, settings.import_bytes, encoding, reporter.take))
    ctx.exit(status)


def found(paths: Iterable[str]) -> Iterator[str]:
    """Yield the names of documents. A directory yields those below it, sorted by name."""
    for path in paths:
        if path == STREAM or not Path(path).is_dir():
            yield path
        elif below := sorted(str(file) for file in Path(path).rglob("*") if _is_document(file)):
            yield from below
        else:
            click.echo(f"{printable(path)}: no file below this directory ends with {', '.join(ENDINGS)}", err=True)


def _is_document(file: Path) -> bool:
    # Opening a named pipe would wait for its writer. A broken link is included, so that it is reported.
    return file.name.endswith(ENDINGS) and (file.is_file() or not file.exists())


def _ignore(_name: str, _document: bytes) -> None:
    """Do nothing."""


def checked(
    sources: Iterable[str],
    formats: str,
    budget: int,
    encoding: str | None = None,
    take: Callable[[str, bytes], None] = _ignore,
) -> Iterator[Checked]:
    """Yield the outcome of checking each game, with the name of its document.

    `encoding`: of SGF files, instead of the one that they declare. `take`: called with each document that is read.
    Raises ConfigError, and RecordError if the encoding is not known.
    """
    known = importer(formats)
    if encoding is not None:
        known.check_encoding(encoding)
    with collected_seldom():
        for name in sources:
            try:
                document = document_of(name, budget)
            except RecordError as error:
                yield name, refused(error)
            else:
                take(name, document)
                for outcome in known.outcomes(document, encoding):
                    yield name, outcome


@contextmanager
def collected_seldom() -> Iterator[None]:
    """Run the garbage collector less often while documents are read.

    Trees of moves have no reference cycles, and the collector would take a third of the time to look for them.
    """
    usual = gc.get_threshold()
    gc.set_threshold(ALLOCATIONS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def document_of(name: str, budget: int) -> bytes:
    """Read a document from its file; `-` is standard input. Raises RecordError."""
    if name == STREAM:
        return read_stream(sys.stdin.buffer, budget)
    return read(Path(name), budget)


@define
class Reporter:
    """Prints the outcome of each document at once, on a terminal above a progress bar."""

    as_json: bool
    good: str = "imported"
    """The code that is printed for a document without errors."""
    _counts: Counter[str] = field(init=False, factory=Counter)
    _refusals: int = field(init=False, default=0)
    _bar: Any = field(init=False, default=None)
    _name: str | None = field(init=False, default=None)
    """The document whose games are reported."""

    _left: float = field(init=False, default=0.0)
    """How much of it the bar does not show as done: of 1,000 for each document."""

    _shares: dict[str, float] = field(init=False, factory=dict)
    """What a game of a document is of that, as far as it is known: the others are not read yet, or reported."""

    @contextmanager
    def progress(self, sources: Sequence[str]) -> Iterator[Iterable[str]]:
        """Yield the documents, with a progress bar that follows what is reported; at the end print a summary."""
        # On a terminal only: a log has no use for it.
        if sys.stderr.isatty():
            length = WHOLE * len(sources)
            with click.progressbar(length=length, file=sys.stderr, width=0, item_show_func=self._done) as bar:
                self._bar = bar
                yield sources
                self._advance(None)
        else:
            yield sources
        if not self.as_json:
            self._summarize(len(sources))

    def take(self, name: str, document: bytes) -> None:
        """Take note of a document that is read. Its number of games is estimated: a variation looks like a game."""
        if self._bar is not None:
            self._shares[name] = WHOLE / max(1, document.count(b"(;"))

    def _advance(self, name: str | None) -> None:
        """Have the bar show that a game of a document is done, and all of the documents before it."""
        done = 0.0
        # The same document may be named twice.
        if name != self._name or not self._left:
            done, self._name, self._left = self._left, name, 0.0 if name is None else WHOLE
        share = 0.0 if name is None else min(self._left, self._shares.get(name, WHOLE))
        self._left -= share
        self._bar.update(done + share)

    def report(self, outcomes: Iterable[Checked]) -> int:
        """Print outcomes; return the exit status."""
        for name, outcome in outcomes:
            code = self.good if outcome.code == "imported" else outcome.code
            self._counts[code] += 1
            self._refusals += not outcome.is_taken
            with self._above(name):
                (_json if self.as_json else _line)(name, outcome, code)
        return 1 if self._refusals else 0

    @contextmanager
    def _above(self, name: str) -> Iterator[None]:
        """Remove the bar, have a line of a document printed, and draw the bar below it."""
        if self._bar is not None:
            click.echo("\r\x1b[K", nl=False, err=True)
        yield
        if self._bar is not None:
            self._advance(name)
            self._bar.render_progress()

    def _done(self, _: object) -> str:
        # click draws the bar again only if it has changed, which the count ensures.
        return f"{self._counts.total()} done"

    def _summarize(self, total: int) -> None:
        games = self._counts.total()
        counted = [counted_of(total, "document"), *([counted_of(games, "game")] if games != total else [])]
        numbers = listed(self._counts)
        click.echo(", ".join(counted) + (f": {numbers}" if numbers else ""))


def listed(counts: Counter[str]) -> str:
    """Return how many outcomes of each code there were, as "2 imported, 1 illegal"."""
    return ", ".join(f"{count} {code}" for code, count in counts.items())


def _line(name: str, outcome: Imported, code: str) -> None:
    place = name + "".join(f":{number}" for number in (outcome.line, outcome.column) if number is not None)
    where = "" if outcome.xpath is None else f"{outcome.xpath}: "
    text = f"{click.style(code, fg='green' if outcome.is_taken else 'red')} {printable(place)}: "
    lost = f" (not kept: {', '.join(outcome.lost)})" if outcome.lost else ""
    click.echo(text + one_line(f"{where}{outcome.sentence}{lost}"))


def _json(name: str, outcome: Imported, code: str) -> None:
    data = attrs.asdict(outcome, filter=attrs.filters.exclude("record", "summary"))
    record = None if outcome.record is None else outcome.record.id
    click.echo(json.dumps({"file": name, **data, "code": code, "id": record}))
