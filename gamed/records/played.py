"""Replay records by the rules of their game, the last step of an import, and summarise them.

Source: docs/reference/records.md#the-import.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence

from attrs import frozen

from gamed.core.errors import IllegalMove
from gamed.core.findings import Finding
from gamed.core.game import Options, Termination
from gamed.core.history import LEFT, LINE, MOVE, Entry
from gamed.core.table import Judged, Table, replay
from gamed.records import own
from gamed.records.parsing import parse
from gamed.records.positions import COUNTED
from gamed.records.record import Record, RecordError, Summary


@frozen
class Remark:
    """Something odd about a game that is not against its rules."""

    code: str
    """Its code, which is stable."""

    text: str
    """A sentence for the user."""


@frozen
class Played:
    """A record that follows the rules."""

    summary: Summary
    remarks: tuple[Remark, ...] = ()


def play_own(record: Record, table: Callable[[Options], Table]) -> Played:
    """Replay a record of gamed's own on a new table, which `table` makes for its options.

    Raises RuleError if the referee's findings are not those in the record, and RecordError if the record contradicts
    itself. So a record of a game with a lie is accepted if the lie is among its findings.
    """
    # `own.summary` rejects values that the schema accepts, such as a time too far in the future.
    found, history, judged = own.summary(record), own.to_history(record), own.judgement(record)
    _check_bodies(history.entries)
    fresh = table(history.options)
    deque(replay(fresh, history), maxlen=0)
    _compare(fresh.match, judged, history.entries)
    _check_result(record, found)
    return Played(found)


def _check_bodies(entries: Sequence[Entry]) -> None:
    # The codec writes an empty body in base64, so an empty element is a mistake: it would be read as no body at all.
    before: Counter[str] = Counter()
    for entry in entries:
        if entry.kind in {LINE, MOVE}:
            if entry.body is None:
                place = (entry.kind, before[entry.kind])
                raise RecordError("a line or a move is empty, and not in base64", code="not-valid", place=place)
            before[entry.kind] += 1


def _compare(found: Judged, recorded: own.Judgement, entries: Sequence[Entry]) -> None:
    """Compare the referee's findings with those in a record, up to the entry up to which the record was judged."""
    last = recorded.unjudged
    # Earlier versions of gamed stopped judging at a line that they could not read, or after a line that made it unclear
    # whose turn it was. Today's referee goes on there, with a finding. Such a record is accepted: its `unjudged` is the
    # entry of a finding, or the entry after it.
    if found.unjudged != last and not any(
        finding.entry + 1 == last or finding.entry == last for finding in found.findings
    ):
        raise IllegalMove(f"the referee judges up to entry {found.unjudged}, but the record says {last}")
    judged = [finding for finding in found.findings if last is None or finding.entry < last]
    for finding in judged:
        if finding not in recorded.findings:
            raise _illegal(finding, finding.text, entries)
    for finding in recorded.findings:
        if finding not in judged and not _is_why_it_was_removed(finding, entries):
            raise _illegal(finding, f"the rules find no {finding.code} there", entries)


def _illegal(finding: Finding, text: str, entries: Sequence[Entry]) -> IllegalMove:
    """Return the error for a finding that only the rules, or only the record, have."""
    move = sum(entry.kind in COUNTED for entry in entries[: finding.entry + 1])
    where = f"entry {finding.entry}, seat {finding.seat}"
    return IllegalMove(f"{where}: {text}", code=finding.code, move=move or None)


def _is_why_it_was_removed(finding: Finding, entries: Sequence[Entry]) -> bool:
    """Whether a finding says why the server removed a player. No record has the message, so no rules can find it."""
    if finding.entry >= len(entries):
        return False
    left = entries[finding.entry]
    is_why = left.kind == LEFT and left.data.get("why") in (Termination.FORFEIT, Termination.REMOVED)
    return is_why and left.seat == finding.seat


def _check_result(record: Record, found: Summary) -> None:
    """Raise RecordError if the result in the header is not that of the last entry."""
    result = parse(record.header).find("result")
    assert result is not None
    winner = result.get("winner")
    stated = (result.get("termination"), None if winner is None else int(winner))
    if stated != (found.termination, found.winner):
        text = "the result in the header is not that of the last entry"
        raise RecordError(text, code="not-valid", place=("result", 0))
