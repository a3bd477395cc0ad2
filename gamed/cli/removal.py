"""`gamed records delete` and `gamed records anonymise`: remove records, or a person's name from them.

Source: docs/howto/operate.md#deleting-games. A daemon may run at the same time. A command that was interrupted can be
run again: each record is changed in one transaction, or not at all.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import attrs
import click

from gamed.cli.database import database, missing_database, named
from gamed.cli.records import selection_options
from gamed.cli.reindex import summary_of
from gamed.cli.terminal import config_option, confirm, counted_of, json_option, yes_option
from gamed.config import Config, StoreConfig, load
from gamed.core.errors import GamedError, UnknownRecord
from gamed.core.texts import printable
from gamed.process.audit import Noted, noted
from gamed.records.anonymous import CHANGED, FAILED, FOREIGN, Outcome, Person, anonymised
from gamed.registry import example
from gamed.replayers import known_formats
from gamed.store.changes import Rewritten
from gamed.store.database import Database
from gamed.store.leftovers import thd_forget, thd_holding
from gamed.store.query import Query
from gamed.store.replays import folders

PORTION: Final = 100
"""The number of records changed in one transaction. A daemon that writes at the same time waits for it."""

DELETED: Final = "deleted"
GONE: Final = "gone"
"""Somebody else deleted it after it was found."""

FORGOTTEN: Final = "forgotten"
"""The store no longer knows that an address has played the game; the record did not have it."""

IN_JOURNAL: Final = (
    "The journal may still have it, in {files}. A daemon removes these segments when no game needs them, at the latest "
    "at its next start. Damaged ones stay until you remove them."
)


@click.command(epilog=f"Example: gamed records delete --game {example()} --termination server-fault")
@click.argument("ids", nargs=-1, metavar="ID...")
@selection_options
@click.option("--all", "every", is_flag=True, help="All games.")
@yes_option
@config_option
@json_option
def delete(
    ids: Sequence[str], config: str | None, *, every: bool, is_agreed: bool, as_json: bool, **criteria: Any
) -> None:
    """Delete stored games permanently, by their ids, or all that the options select.

    ID is the game's id, or its first characters as `gamed records list` prints them. Whatever belongs to a game is
    deleted, too: its entries in the search index, its replay file, and its lines in the journal of a daemon that was
    killed. A daemon may run at the same time. Prints one line per game, with --json one JSON object: id, and outcome
    (deleted; or gone, if somebody else has deleted it meanwhile).
    """
    chosen = {name: value for name, value in criteria.items() if value is not None}
    if bool(ids) + bool(chosen) + every != 1:
        raise click.UsageError("give IDs, or select games with options such as --player, or give --all")
    settings = _settings(config)
    with database(settings.store, writing=True) as store:
        found = _resolved(store, ids) if ids else [*(_every(store) if every else _selected(store, chosen))]
        if found:
            confirm(f"Delete {counted_of(len(found), 'game')} from {named(settings.store)}?", is_agreed=is_agreed)
            # Options without values: the audit log must not keep the name of a player after the games are gone.
            how = [*(["--all"] if every else []), *(f"--{'game' if name == 'kind' else name}" for name in chosen)]
            _delete(settings, store, found, " ".join(["records delete", *how]), as_json=as_json)
    if not found and not as_json:
        click.echo(f"No game in {printable(named(settings.store))} matches. Nothing was deleted.")


def _settings(config: str | None) -> Config:
    """Return the configuration. Raises GamedError if its database does not exist."""
    settings = load(config)
    missing = missing_database(settings.store)
    if missing is not None:
        raise GamedError(missing)
    return settings


def _resolved(store: Database, ids: Iterable[str]) -> list[str]:
    """Return the full ids, each once. Raises UnknownRecord before anything is deleted."""
    return list(dict.fromkeys(store.thd_record(record_id.lower()).id for record_id in ids))


def _every(store: Database) -> Iterator[str]:
    return (record.id for record in store.thd_records())


def _selected(store: Database, criteria: Any) -> Iterator[str]:
    page = store.thd_find(Query(**criteria, limit=PORTION))
    while page:
        yield from (summary.id for summary in page)
        page = store.thd_find(Query(**criteria, limit=PORTION, after=(page[-1].ended, page[-1].id)))


def _delete(settings: Config, store: Database, ids: Sequence[str], did: str, *, as_json: bool) -> None:
    counts: Counter[str] = Counter()
    with noted(Path(settings.store.state), did) as audit, _bar(len(ids)) as bar:
        # First, because at its next start the daemon would restore a record that is still in the journal.
        thd_forget(settings.store.journal, frozenset(ids))
        for chunk in _chunks(ids):
            deleted = store.thd_delete(chunk, folders(settings.listeners))
            for record_id in chunk:
                outcome = DELETED if record_id in deleted else GONE
                counts[outcome] += 1
                _report(record_id, outcome, as_json)
            _report_audit(audit, counts[DELETED], deleted)
            bar.update(len(chunk))
    if not as_json:
        gone = f", {counts[GONE]} gone already" if counts[GONE] else ""
        click.echo(f"{counted_of(counts.total(), 'game')}: {counts[DELETED]} deleted{gone}")
    _look_into_journal(settings.store, ids)


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[at : at + PORTION] for at in range(0, len(ids), PORTION))


def _report_audit(audit: Noted, count: int, ids: Iterable[str]) -> None:
    audit.add(ids)
    audit.result = counted_of(count, "game")


def _bar(length: int) -> Any:
    # On standard error, and only on a terminal.
    return click.progressbar(length=length, file=sys.stderr, width=0, hidden=not sys.stderr.isatty())


def _look_into_journal(settings: StoreConfig, words: Sequence[str]) -> None:
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
    """Remove a person's name, or an address, from all stored games permanently.

    NAME is the full name of a player, or an IP address, which also matches with any port. It is replaced by "anonymous"
    on the seats, in the search index and in replay files. In the findings, hints, comments and titles of these games it
    is replaced where it occurs as whole words: "Ada" stays in "Adam", and in "Ada Lovelace" if that is another player's
    name. Games keep their ids, except imported games, whose ids depend on the content. The addresses and browsers
    that the store has noted beside these games are forgotten, too. Games that are running or not stored yet are not
    changed; run the command again when they have ended.

    Prints one line per game, with --json one JSON object: id, outcome, and details. The outcomes are: anonymised;
    forgotten (the address was noted beside the game only); mentioned (a text contains the name, but no player has it,
    so the game is not changed); foreign (gamed does not read the format, so the game is not changed, nor are signatures
    in it); failed (with the reason). The exit status is 1 if any are foreign or failed: delete these games if they must
    not keep the name.
    """
    if not name.strip():
        raise click.UsageError("NAME is empty")
    settings = _settings(config)
    with database(settings.store, writing=True) as store:
        found = _concerned(store, name)
        ids = [record_id for record_id, outcome in found.items() if outcome.code == CHANGED]
        noted = {record_id: Outcome(FORGOTTEN) for record_id in _selected(store, {"owners": _address(name)})}
        if ids or noted:
            concerned = counted_of(len(noted.keys() | ids), "game")
            confirm(f"Anonymise {printable(name)} in {concerned}?", is_agreed=is_agreed)
        done = _anonymise(settings, store, name, ids, as_json=as_json) if ids or noted else 0
    others = {record_id: outcome for record_id, outcome in (noted | found).items() if outcome.code != CHANGED}
    for record_id, outcome in others.items():
        _report(record_id, outcome.code, as_json, **({"reason": outcome.reason} if outcome.reason else {}))
    counts = Counter(outcome.code for outcome in others.values())
    if not as_json:
        counted = "".join(f", {count} {code}" for code, count in counts.items())
        click.echo(f"{counted_of(done + len(others), 'game')}: {done} {CHANGED}{counted}")
    _look_into_journal(settings.store, [name])
    ctx.exit(1 if counts[FOREIGN] + counts[FAILED] else 0)


def _address(name: str) -> frozenset[str]:
    """Return a name as `Summary.owners` has it if it is an address; nothing if it is not."""
    try:
        return frozenset((str(ip_address(name)),))
    except ValueError:
        return frozenset()


def _report(id: str, outcome: str, as_json: bool, **more: str) -> None:  # noqa: A002, FBT001 (the column's name)
    if as_json:
        click.echo(json.dumps({"id": id, "outcome": outcome, **more}))
    else:
        click.echo(printable(": ".join([f"{outcome} {id}", *more.values()])))


def _concerned(store: Database, name: str) -> dict[str, Outcome]:
    """Return the outcome of each record that contains a person's name, by id, without the records themselves."""
    person = Person.of(name)
    with _bar(store.thd_count()) as bar:
        found = {}
        for record in store.thd_records():
            outcome = anonymised(record, person, known_formats())
            if outcome is not None:
                found[record.id] = attrs.evolve(outcome, record=None)
            bar.update(1)
    return found


def _anonymise(settings: Config, store: Database, name: str, ids: Sequence[str], *, as_json: bool) -> int:
    """Anonymise records and print a line for each; return their number."""
    count = 0
    # Without the name: the audit log must not have what is removed from the records.
    with noted(Path(settings.store.state), "records anonymise") as audit, _bar(len(ids)) as bar:
        for chunk in _chunks(ids):
            rewritten = list(_rewritten(settings, store, name, chunk))
            changed = store.thd_rewrite(rewritten, folders(settings.listeners))
            for record, new, _ in rewritten:
                if record.id in changed:
                    _report(record.id, CHANGED, as_json, **({"record": new.id} if new.id != record.id else {}))
            count += len(changed)
            _report_audit(audit, count, changed)
            bar.update(len(chunk))
        store.thd_disown(_address(name))
    return count


def _rewritten(settings: Config, store: Database, name: str, ids: Iterable[str]) -> Iterator[Rewritten]:
    person = Person.of(name)
    formats = known_formats(settings.store.formats)
    for record_id in ids:
        # It may have been deleted meanwhile.
        with suppress(UnknownRecord):
            record = store.thd_record(record_id)
            outcome = anonymised(record, person, formats)
            if outcome is not None and outcome.record is not None:
                yield record, outcome.record, summary_of(outcome.record, formats)
