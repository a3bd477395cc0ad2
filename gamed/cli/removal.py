"""`gamed records delete` and `gamed records anonymise`: records, or a person's names in them, are taken away.

Source: docs/howto/operate.md#deleting-games. A daemon may run meanwhile. What is cut off half way can be done once
more: each record is whole, changed or gone.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import click

from gamed.cli.records import selection_options
from gamed.cli.terminal import (
    config_option,
    confirm,
    counted_of,
    database,
    json_option,
    missing_database,
    named,
    yes_option,
)
from gamed.core.errors import GamedError, UnknownRecord
from gamed.texts import printable

if TYPE_CHECKING:
    from gamed.audit import Noted
    from gamed.config import Config, StoreConfig
    from gamed.records.anonymous import Outcome
    from gamed.store.changes import Rewritten
    from gamed.store.sql import Database

PORTION: Final = 100
"""Records that are changed in one transaction: a daemon that writes meanwhile waits for that long."""

DELETED: Final = "deleted"
GONE: Final = "gone"
"""Deleted by somebody else since it was looked for."""

# As in `gamed.records.anonymous`, which is heavy.
ANONYMISED: Final = "anonymised"
FOREIGN: Final = "foreign"
FAILED: Final = "failed"

IN_JOURNAL: Final = (
    "The journal may still have it, in {files}: a daemon removes its segments when no game needs them, all at its next "
    "start. Damaged ones are yours to remove."
)


@click.command(epilog="Example: gamed records delete --game hive --termination server-fault")
@click.argument("ids", nargs=-1, metavar="ID...")
@selection_options
@click.option("--all", "every", is_flag=True, help="All games.")
@yes_option
@config_option
@json_option
def delete(
    ids: Sequence[str], config: str | None, *, every: bool, is_agreed: bool, as_json: bool, **criteria: Any
) -> None:
    """Delete stored games for good, by their ids, or all that the options choose.

    ID is the game's id or the beginning of it, as `gamed records list` prints it. What belongs to a game goes with it:
    what is searched of it, its replay file, its lines in the journal of a daemon that was killed. A daemon may run
    meanwhile. Prints a line a game; with --json a JSON object: id, and outcome (deleted, or gone: somebody else has
    deleted it meanwhile).
    """
    chosen = {name: value for name, value in criteria.items() if value is not None}
    if bool(ids) + bool(chosen) + every != 1:
        raise click.UsageError("name games by ID, or choose with --player, --game and --termination, or take --all")
    settings = _settings(config)
    with database(settings.store, writing=True) as store:
        found = _resolved(store, ids) if ids else [*(_every(store) if every else _selected(store, chosen))]
        if found:
            confirm(f"Delete {counted_of(len(found), 'game')} from {named(settings.store)}?", is_agreed=is_agreed)
            # Not whose games they are: the audit log is kept for longer than they are.
            how = [*(["--all"] if every else []), *(f"--{'game' if name == 'kind' else name}" for name in chosen)]
            _delete(settings, store, found, " ".join(["records delete", *how]), as_json=as_json)
    if not found and not as_json:
        click.echo(f"No game in {printable(named(settings.store))} matches. Nothing is deleted.")


def _settings(config: str | None) -> Config:
    """Return the configuration. Raises GamedError if its database does not exist."""
    from gamed.config import load  # noqa: PLC0415 (heavy)

    settings = load(config)
    missing = missing_database(settings.store)
    if missing is not None:
        raise GamedError(missing)
    return settings


def _resolved(store: Database, ids: Iterable[str]) -> list[str]:
    """Return whole ids, each once. Raises UnknownRecord before anything is deleted."""
    return list(dict.fromkeys(store.thd_record(id.lower()).id for id in ids))  # noqa: A001 (the column's name)


def _every(store: Database) -> Iterator[str]:
    return (record.id for record in store.thd_records())


def _selected(store: Database, criteria: Any) -> Iterator[str]:
    from gamed.store.query import Query  # noqa: PLC0415 (heavy)

    page = store.thd_find(Query(**criteria, limit=PORTION))
    while page:
        yield from (summary.id for summary in page)
        page = store.thd_find(Query(**criteria, limit=PORTION, after=(page[-1].started, page[-1].id)))


def _delete(settings: Config, store: Database, ids: Sequence[str], did: str, *, as_json: bool) -> None:
    from gamed.audit import noted  # noqa: PLC0415 (heavy)
    from gamed.store.leftovers import thd_forget  # noqa: PLC0415 (heavy)
    from gamed.store.replays import folders  # noqa: PLC0415 (heavy)

    counts: Counter[str] = Counter()
    with noted(Path(settings.store.state), did) as audit, _bar(len(ids)) as bar:
        # First: a record that the journal still held would come back at the daemon's next start.
        thd_forget(settings.store.journal, frozenset(ids))
        for chunk in _chunks(ids):
            deleted = store.thd_delete(chunk, folders(settings.listeners))
            for id in chunk:  # noqa: A001 (the column's name)
                outcome = DELETED if id in deleted else GONE
                counts[outcome] += 1
                _report(id, outcome, as_json)
            _report_audit(audit, counts[DELETED], deleted)
            bar.update(len(chunk))
    if not as_json:
        gone = f", {counts[GONE]} gone already" if counts[GONE] else ""
        click.echo(f"{counted_of(counts.total(), 'game')}: {counts[DELETED]} deleted{gone}")
    _look_into_journal(settings.store, ids)


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[at : at + PORTION] for at in range(0, len(ids), PORTION))


def _report_audit(audit: Noted, count: int, ids: Iterable[str]) -> None:
    earlier = "" if count <= PORTION else "…, "
    audit.result = f"{counted_of(count, 'game')}: {earlier}{', '.join(sorted(ids))}"


def _bar(length: int) -> Any:
    # On standard error, and nothing of it where that is no terminal.
    return click.progressbar(length=length, file=sys.stderr, width=0, hidden=not sys.stderr.isatty())


def _look_into_journal(settings: StoreConfig, words: Sequence[str]) -> None:
    from gamed.store.leftovers import thd_holding  # noqa: PLC0415 (heavy)

    if holding := thd_holding(settings.journal, words):
        click.echo(IN_JOURNAL.format(files=", ".join(map(str, holding))), err=True)


# gamed records anonymise


@click.command(epilog="Example: gamed records anonymise 'Ada Lovelace'")
@click.argument("name")
@yes_option
@config_option
@json_option
@click.pass_context
def anonymise(ctx: click.Context, name: str, config: str | None, *, is_agreed: bool, as_json: bool) -> None:
    """Take a person's name, or an address, out of all stored games for good.

    NAME is the whole name of a player, or an IP address, which stands for itself with any port, too. It becomes
    "anonymous" on the seats, in the search and in replay files, and in the findings, hints, comments and titles of
    these games, where it stands alone: "Ada" is not touched in "Ada Lovelace" or "Adam". Games keep their ids, but
    those of imported games of Go: these stand for the content. Games that run, or wait to be stored, are not reached;
    run it again when they have ended.

    Prints a line a game; with --json a JSON object: id, outcome, and what belongs to it. The outcomes: anonymised;
    mentioned: a text has the name, but nobody of that name played, so it stays; foreign: gamed does not read the
    format, so it stays as it is, signatures included; failed, with the reason. The status is 1 if there are foreign or
    failed ones: delete them, if the name must go.
    """
    if not name.strip():
        raise click.UsageError("NAME is empty")
    settings = _settings(config)
    with database(settings.store, writing=True) as store:
        found = _concerned(store, name)
        ids = [id for id, outcome in found.items() if outcome.code == ANONYMISED]  # noqa: A001 (the column's name)
        if ids:
            confirm(f"Anonymise {printable(name)} in {counted_of(len(ids), 'game')}?", is_agreed=is_agreed)
        done = _anonymise(settings, store, name, ids, as_json=as_json) if ids else 0
    others = {id: outcome for id, outcome in found.items() if outcome.code != ANONYMISED}  # noqa: A001
    for id, outcome in others.items():  # noqa: A001 (the column's name)
        _report(id, outcome.code, as_json, **({"reason": outcome.reason} if outcome.reason else {}))
    counts = Counter(outcome.code for outcome in others.values())
    if not as_json:
        counted = "".join(f", {count} {code}" for code, count in counts.items())
        click.echo(f"{counted_of(done + len(others), 'game')}: {done} {ANONYMISED}{counted}")
    _look_into_journal(settings.store, [name])
    ctx.exit(1 if counts[FOREIGN] + counts[FAILED] else 0)


def _report(id: str, outcome: str, as_json: bool, **more: str) -> None:  # noqa: A002, FBT001 (the column's name)
    if as_json:
        click.echo(json.dumps({"id": id, "outcome": outcome, **more}))
    else:
        click.echo(printable(": ".join([f"{outcome} {id}", *more.values()])))


def _concerned(store: Database, name: str) -> dict[str, Outcome]:
    """Return the outcome of each record that has to do with a person, by its id, without the records themselves."""
    from gamed.records.anonymous import Person, anonymised  # noqa: PLC0415 (heavy)

    person = Person.of(name)
    with _bar(store.thd_count()) as bar:
        found = {}
        for record in store.thd_records():
            outcome = anonymised(record, person)
            if outcome is not None:
                found[record.id] = attrs.evolve(outcome, record=None)
            bar.update(1)
    return found


def _anonymise(settings: Config, store: Database, name: str, ids: Sequence[str], *, as_json: bool) -> int:
    """Anonymise records and print a line for each; return how many it were."""
    from gamed.audit import noted  # noqa: PLC0415 (heavy)
    from gamed.store.replays import folders  # noqa: PLC0415 (heavy)

    count = 0
    # Not whom: what was taken out of the records must not be in the audit log.
    with noted(Path(settings.store.state), "records anonymise") as audit, _bar(len(ids)) as bar:
        for chunk in _chunks(ids):
            rewritten = list(_rewritten(settings, store, name, chunk))
            changed = store.thd_rewrite(rewritten, folders(settings.listeners))
            for record, new, _ in rewritten:
                if record.id in changed:
                    _report(record.id, ANONYMISED, as_json, **({"record": new.id} if new.id != record.id else {}))
            count += len(changed)
            _report_audit(audit, count, changed)
            bar.update(len(chunk))
    return count


def _rewritten(settings: Config, store: Database, name: str, ids: Iterable[str]) -> Iterator[Rewritten]:
    from gamed.cli.reindex import summary_of  # noqa: PLC0415 (heavy)
    from gamed.records.anonymous import Person, anonymised  # noqa: PLC0415 (heavy)
    from gamed.records.index import index  # noqa: PLC0415 (heavy)

    person = Person.of(name)
    formats = index(Path(settings.store.formats) if settings.store.formats else None)
    for id in ids:  # noqa: A001 (the column's name)
        # It may have been deleted meanwhile.
        with suppress(UnknownRecord):
            record = store.thd_record(id)
            outcome = anonymised(record, person)
            if outcome is not None and outcome.record is not None:
                yield record, outcome.record, summary_of(outcome.record, formats)
