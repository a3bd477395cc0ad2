"""Replay records by the rules of their game, the last step of an import, and summarise them.

Source: docs/reference/records.md#the-import, docs/reference/records.md#gofans.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from gamed.core.errors import IllegalMove
from gamed.core.findings import Finding
from gamed.core.game import Options, Outcome, Termination
from gamed.core.history import LEFT, LINE, MOVE, Entry
from gamed.core.table import Judged, Table, replay
from gamed.games.go.replay import after_end, differences
from gamed.games.go.tree import RESIGNED, GoGame, Node
from gamed.games.go.tree import Player as GoPlayer
from gamed.records import gofans, own
from gamed.records.dates import iso
from gamed.records.index import Index
from gamed.records.parsing import parse
from gamed.records.positions import COUNTED
from gamed.records.record import Record, RecordError, SeatSummary, Summary, unplayed


@frozen
class Remark:
    """Something odd about a game that is not against its rules."""

    code: str
    """One of `REMARKS`."""

    text: str
    """A sentence for the user."""


WRONG_REMOVES: Final = "wrong-removes"
AFTER_END: Final = "after-end"
RESIGNED_ONLY: Final = "resigned-without-pass"
REMARKS: Final = (WRONG_REMOVES, AFTER_END, RESIGNED_ONLY)
"""The codes of remarks. They are stable."""


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


def play_gofans(record: Record) -> Played:
    """Replay a GoFans record with its variations. Raises RuleError at the first illegal move, and RecordError."""
    game = gofans.read(record)
    remarks = tuple(Remark(WRONG_REMOVES, text) for text in _first(list(differences(game))))
    found = played_go(record, game)
    return evolve(found, remarks=remarks + found.remarks)


def _first(texts: Sequence[str]) -> Sequence[str]:
    """Return one sentence for several: the first, and how many follow."""
    if len(texts) < 2:  # noqa: PLR2004 (several)
        return texts
    others = "1 more move does" if len(texts) == 2 else f"{len(texts) - 1} more moves do"  # noqa: PLR2004 (one more)
    return [f"{texts[0]} ({others} so)"]


def played_go(record: Record, game: GoGame) -> Played:
    """Summarise a Go record that has been replayed already: `game` is its game."""
    return Played(summary_of_go(record, game), tuple(_on_the_end(game)))


def _on_the_end(game: GoGame) -> Iterator[Remark]:
    """Yield remarks on an end that GoFans does not provide for. It has two passes in a row, or a resignation.

    A resignation is -1 points, and a pass as the last move of that player.
    """
    line = list(game.main_line())
    last = {node.player: node for node in line}
    # The pass of a resignation may come after two passes.
    formal = _formal_passes(game, last)
    number = after_end(game)
    if number is not None and not (number == len(line) and line[-1].point is None and line[-1] in formal):
        yield Remark(AFTER_END, f"move {number} comes after two passes in a row, which end a game")
    for player in game.players:
        if player.points == RESIGNED and (player.id not in last or last[player.id].point is not None):
            text = f"player {player.id} resigned (points -1), and the last move of player {player.id} is not a pass"
            yield Remark(RESIGNED_ONLY, text)


def _formal_passes(game: GoGame, last: Mapping[int, Node]) -> list[Node]:
    """Return the passes by which GoFans notes resignations. `last`: the last move of each player."""
    return [
        node
        for player in game.players
        if player.points == RESIGNED and (node := last.get(player.id)) is not None and node.point is None
    ]


def _length(game: GoGame) -> int:
    """Return the number of moves of the main line; a resignation is not one."""
    line = list(game.main_line())
    return len(line) - len(_formal_passes(game, {node.player: node for node in line}))


def summary_of_go(record: Record, game: GoGame) -> Summary:
    """Return the search fields of a Go game. The termination is empty if the record does not say how it ended."""
    outcome = outcome_of(game.players)
    date = iso(game.date)
    return Summary(
        id=record.id,
        publisher=record.publisher,
        version=record.version,
        kind="go",
        started=date,
        ended=date,
        termination="" if outcome is None else str(outcome.termination),
        winner=None if outcome is None else outcome.winner,
        length=_length(game),
        seats=tuple(SeatSummary(seat, player.name or "", player.points) for seat, player in enumerate(game.players)),
    )


def outcome_of(players: Sequence[GoPlayer]) -> Outcome | None:
    """Return the outcome of a Go game: by a resignation or by points; None if these are not known."""
    staying = [seat for seat, player in enumerate(players) if player.points != RESIGNED]
    if len(staying) == 1 < len(players):
        return Outcome(Termination.RESIGNED, staying[0])
    points = [player.points for player in players if player.points is not None]
    if len(points) < len(players):
        return None
    if points.count(max(points)) > 1 or len(players) == 1:
        return Outcome(Termination.DRAW)
    return Outcome(Termination.VICTORY, points.index(max(points)))


def summary(record: Record, formats: Index) -> Summary:
    """Return the search fields of a stored record without replaying it.

    Raises RecordError if the record violates its format.
    """
    found = formats.formats.get((record.publisher, record.version))
    if found is not None and found.is_playable:
        if record.publisher == gofans.PUBLISHER:
            return summary_of_go(record, gofans.read(record))
        if record.publisher.startswith(own.PUBLISHER):
            return own.summary(record)
    return unplayed(record, "" if found is None else found.kind)
