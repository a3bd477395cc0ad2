"""`gamed store …`: the record store as a whole. Source: docs/howto/operate.md#move-the-records-to-another-database."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from gamed.cli.terminal import Commands, counted_of, json_option
from gamed.texts import printable

if TYPE_CHECKING:
    from gamed.store.copying import Copy


@click.group(cls=Commands)
def store() -> None:
    """Look after the database of the records."""


@store.command("copy", epilog="Example: gamed store copy /var/lib/gamed/gamed.db postgresql+psycopg://gamed@/gamed")
@click.argument("source", metavar="FROM", type=click.Path())
@click.argument("target", metavar="TO", type=click.Path())
@json_option
@click.pass_context
def copy_store(ctx: click.Context, source: str, target: str, *, as_json: bool) -> None:
    """Copy all records from one database into another: from SQLite to PostgreSQL, or back.

    FROM and TO are database URLs, as `[store] url` takes them, or files of SQLite. TO is new or empty, or has what an
    earlier run of this command copied: then the rest is copied. At the end both databases are read and compared. The
    status is 0 if they have the same.

    No daemon may have TO open. One may have FROM open: the copy is as of its beginning. Stop the daemon then, run the
    command again, which copies what was stored meanwhile, and start it with TO as its `[store] url`.
    """
    from gamed.store.copying import opened, url_of  # noqa: PLC0415 (heavy)

    with opened(url_of(source), url_of(target)) as copy:
        if copy.is_source_used:
            click.echo(printable(_while_used(copy)), err=True)
        if copy.thd_is_begun():
            _shown("Comparing", copy.thd_compare(), copy)
            copy.refuse_other_data()
        _shown("Copying", copy.thd_copy(), copy)
        _shown("Checking", copy.thd_compare(), copy)
        click.echo(json.dumps(_facts(copy), indent=2) if as_json else printable_lines(_sentences(copy)))
        ctx.exit(0 if _is_equal(copy) else 1)


def _while_used(copy: Copy) -> str:
    return (
        f"{copy.source.name} is open in another program, probably a daemon (or that was killed). What it stores from "
        "now on is not copied: stop it when this has ended, and run the same command again."
    )


def _shown(label: str, steps: Iterator[int], copy: Copy) -> None:
    """Go through steps, and show on a terminal how far that is."""
    length = sum(copy.rows.values())
    with click.progressbar(length=length, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        for done in steps:
            bar.update(done)


def _is_equal(copy: Copy) -> bool:
    return all(found.is_equal for found in copy.compared.values())


def _facts(copy: Copy) -> dict[str, Any]:
    tables = [
        {
            "table": name,
            "copied": copy.copied[name],
            "equal": found.is_equal,
            "from": {"rows": found.source.rows, "checksum": found.source.checksum},
            "to": {"rows": found.target.rows, "checksum": found.target.checksum},
            "missing": found.missing,
            "surplus": found.surplus,
            "different": found.changed,
        }
        for name, found in copy.compared.items()
    ]
    return {"from": copy.source.name, "to": copy.target.name, "equal": _is_equal(copy), "tables": tables}


def _sentences(copy: Copy) -> Iterator[str]:
    from gamed.store.copying import difference  # noqa: PLC0415 (heavy)

    for name, found in copy.compared.items():
        if found.is_equal:
            rows, copied = found.source.rows, copy.copied[name]
            counts = f"{counted_of(rows, 'row')}, {copied} copied, {rows - copied} there already"
            yield f"{name}: {counts}; the checksum of both is {found.source.checksum}"
        else:
            yield difference(name, found, copy.source.name, copy.target.name)
    if _is_equal(copy):
        yield f"{copy.target.name} has what {copy.source.name} has."
    else:
        yield (
            f"{copy.target.name} is not a copy of {copy.source.name}. Stop what writes to it, and copy into a new file "
            "or an empty database."
        )


def printable_lines(sentences: Iterator[str]) -> str:
    """Return sentences on lines of their own."""
    return "\n".join(map(printable, sentences))
