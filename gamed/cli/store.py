"""`gamed store …`: commands for the whole store. Source: docs/howto/operate.md#move-the-records-to-another-database."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from gamed.cli.terminal import counted_of, json_option
from gamed.store.copying import Copy, difference, opened, url_of
from gamed.texts import printable


@click.command("copy", epilog="Example: gamed store copy /var/lib/gamed/gamed.db postgresql+psycopg://gamed@/gamed")
@click.argument("source", metavar="FROM", type=click.Path())
@click.argument("target", metavar="TO", type=click.Path())
@json_option
@click.pass_context
def copy_store(ctx: click.Context, source: str, target: str, *, as_json: bool) -> None:
    """Copy all records from one database to another, for example from SQLite to PostgreSQL.

    FROM and TO are database URLs, as in `[store] url`, or SQLite files. TO must be new or empty, or the copy of an
    earlier run of this command, which is then completed. At the end both databases are read and compared. The exit
    status is 0 if they are equal.

    No daemon may have TO open. A daemon may have FROM open: then the copy has what was stored when it began. To switch
    to TO, stop the daemon, run the command again to copy the records stored meanwhile, and start the daemon with TO as
    its `[store] url`.
    """
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
        f"{copy.source.name} is open in another program, probably a daemon, or a daemon that used it was killed. What "
        "it stores from now on is not copied. When this has ended, stop the daemon and run the same command again."
    )


def _shown(label: str, steps: Iterator[int], copy: Copy) -> None:
    """Run steps, with a progress bar on a terminal."""
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
            f"{copy.target.name} is not a copy of {copy.source.name}. Stop whatever writes to it, and copy to a new "
            "file or an empty database."
        )


def printable_lines(sentences: Iterator[str]) -> str:
    """Return sentences on lines of their own."""
    return "\n".join(map(printable, sentences))
