"""`gamed store …`: commands for the whole store. Source: docs/howto/operate.md#move-the-records-to-another-database."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import attrs
import click

from gamed.cli.terminal import counted_of, json_option
from gamed.core.texts import printable
from gamed.store.copying import Copy, opened, url_of


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

    No daemon may have TO open. A daemon may have FROM open: then the copy may lack what it stores meanwhile. To switch
    to TO, stop the daemon, run the command again to copy the records stored meanwhile, and start the daemon with TO as
    its `[store] url`.
    """
    with opened(url_of(source), url_of(target)) as copy:
        if copy.is_source_used:
            click.echo(printable(_while_used(copy)), err=True)
        if copy.target.thd_count():
            _shown("Comparing", copy.thd_compare(), copy)
            copy.refuse_other_data()
        _shown("Copying", copy.thd_copy(), copy)
        _shown("Checking", copy.thd_compare(), copy)
        found = copy.differences
        assert found is not None
        if as_json:
            ours, theirs = copy.names
            facts = {"from": ours, "to": theirs, "equal": not found, "records": copy.count, "copied": copy.copied}
            click.echo(json.dumps({**facts, **attrs.asdict(found)}, indent=2))
        else:
            click.echo("\n".join(map(printable, _sentences(copy))))
        ctx.exit(1 if found else 0)


def _while_used(copy: Copy) -> str:
    return (
        f"{copy.names[0]} is open in another program, probably a daemon, or a daemon that used it was killed. What it "
        "stores from now on may not be copied. When this has ended, stop the daemon and run the same command again."
    )


def _shown(label: str, steps: Iterator[int], copy: Copy) -> None:
    """Run steps, with a progress bar on a terminal."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=copy.count, label=label, file=sys.stderr, hidden=hidden) as bar:
        for done in steps:
            bar.update(done)


def _sentences(copy: Copy) -> Iterator[str]:
    ours, theirs = copy.names
    there = max(0, copy.count - copy.copied)
    yield f"{counted_of(copy.count, 'record')}, {copy.copied} copied, {there} there already."
    if copy.differences:
        yield f"{theirs} is not a copy of {ours} ({copy.differences}). Stop whatever writes to them, and copy again."
    else:
        yield f"{theirs} has what {ours} has."
