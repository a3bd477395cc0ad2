"""Records played through by the rules of their game: the last of the five steps.

Source: docs/reference/records.md#the-import (the last step), docs/reference/records.md#gofans. What a record is of, and
how it ended, comes out as a Summary.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from gamed.core.errors import IllegalMove
from gamed.core.game import Options, Termination
from gamed.core.history import LINE, MOVE, Entry
from gamed.core.table import Judged, Table, replay
from gamed.games.go.replay import after_end
from gamed.games.go.replay import replay as replay_go
from gamed.games.go.tree import RESIGNED, GoGame
from gamed.games.go.tree import Player as GoPlayer
from gamed.records import gofans, own
from gamed.records.dates import iso
from gamed.records.index import Index
from gamed.records.parsing import parse
from gamed.records.record import Record, RecordError, SeatSummary, Summary


@frozen
class Played:
    """What came of playing a record."""

    summary: Summary

    remarks: tuple[str, ...] = ()
    """Sentences on what is odd about the game and not against its rules."""


def play_own(record: Record, table: Callable[[Options], Table]) -> Played:
    """Replay a record of gamed's own on a fresh table that `table` makes for its options.

    Raises RuleError if the referee finds something else than the record says it found, and RecordError if the record
    contradicts itself. So a record of a lie which the referee noted is fine.
    """
    # The summary comes first: it refuses values that the schema lets pass.
    found, history, judged = own.summary(record), own.to_history(record), own.judgement(record)
    _check_bodies(history.entries)
    fresh = table(history.options)
    deque(replay(fresh, history), maxlen=0)
    _compare(fresh.match, judged)
    _check_result(record, found)
    return Played(found)


def _check_bodies(entries: Sequence[Entry]) -> None:
    before: Counter[str] = Counter()
    for entry in entries:
        if entry.kind in {LINE, MOVE}:
            if entry.body is None:
                place = (entry.kind, before[entry.kind])
                raise RecordError("a line or a move is empty, and not in base64", code="not-valid", place=place)
            before[entry.kind] += 1


def _compare(found: Judged, recorded: own.Judgement) -> None:
    """Compare what the referee finds with what a record says, as far as the record was judged.

    Earlier versions stopped judging at the first line that they could not read, and behind the first one after which
    nobody could say whose turn it was. Those records are as good as they were: there the referee finds something today.
    """
    last = recorded.unjudged
    if found.unjudged != last and not any(
        finding.entry + 1 == last or finding.entry == last for finding in found.findings
    ):
        raise IllegalMove(f"the referee judges up to entry {found.unjudged}, the record says {last}")
    judged = [finding for finding in found.findings if last is None or finding.entry < last]
    for finding in judged:
        if finding not in recorded.findings:
            raise IllegalMove(f"entry {finding.entry}, seat {finding.seat}: {finding.text}", code=finding.code)
    for finding in recorded.findings:
        if finding not in judged:
            raise IllegalMove(f"entry {finding.entry}, seat {finding.seat}: the rules find no {finding.code} there")


def _check_result(record: Record, found: Summary) -> None:
    """Compare the header's result with that of the last entry."""
    result = parse(record.header).find("result")
    assert result is not None
    winner = result.get("winner")
    stated = (result.get("termination"), None if winner is None else int(winner))
    if stated != (found.termination, found.winner):
        text = "the result in the header is not that of the last entry"
        raise RecordError(text, code="not-valid", place=("result", 0))


def play_gofans(record: Record) -> Played:
    """Play a GoFans record in all its variations. Raises RuleError at the first illegal move, and RecordError."""
    game = gofans.read(record)
    deque(replay_go(game), maxlen=0)
    return played_go(record, game)


def played_go(record: Record, game: GoGame) -> Played:
    """Return what comes of a record whose game the rules have judged."""
    return Played(summary_of_go(record, game), tuple(_on_the_end(game)))


def _on_the_end(game: GoGame) -> Iterator[str]:
    """Yield sentences on an end that is not what GoFans says: two passes, or a resignation, which is a pass, too."""
    line = list(game.main_line())
    last = {node.player: node for node in line}
    formal = [node for player in game.players if player.points == RESIGNED and (node := last.get(player.id))]
    number = after_end(game)
    if number is not None and not (number == len(line) and line[-1].point is None and line[-1] in formal):
        yield f"move {number} comes after two passes in a row, which end a game"
    for player in game.players:
        if player.points == RESIGNED and (player.id not in last or last[player.id].point is not None):
            yield f"player {player.id} resigned (points -1), and the last move of player {player.id} is not a pass"


def summary_of_go(record: Record, game: GoGame) -> Summary:
    """Return what is searched of a Go game. Its termination is empty where nothing says how it ended."""
    winner = winner_of(game.players)
    is_known = winner is not None or all(player.points is not None for player in game.players)
    date = iso(game.date)
    return Summary(
        id=record.id,
        publisher=record.publisher,
        version=record.version,
        kind="go",
        started=date,
        ended=date,
        termination=str(Termination.VICTORY) if is_known else "",
        winner=winner,
        length=sum(1 for _ in game.main_line()),
        seats=tuple(SeatSummary(seat, player.name or "", player.points) for seat, player in enumerate(game.players)),
    )


def winner_of(players: Sequence[GoPlayer]) -> int | None:
    """Return the seat of the one who is left when the others have resigned, or who has the most points; or None."""
    staying = [seat for seat, player in enumerate(players) if player.points != RESIGNED]
    if len(staying) == 1 < len(players):
        return staying[0]
    points = [player.points for player in players if player.points is not None]
    if len(points) < len(players) or points.count(max(points)) > 1 or len(players) == 1:
        return None
    return points.index(max(points))


def summary(record: Record, formats: Index) -> Summary | None:
    """Return what is searched of a stored record, without playing it; None for what gamed cannot play.

    Raises RecordError if the record is not what its format says.
    """
    found = formats.formats.get((record.publisher, record.version))
    if found is None or not found.is_playable:
        return None
    if record.publisher == gofans.PUBLISHER:
        return summary_of_go(record, gofans.read(record))
    return own.summary(record) if record.publisher.startswith(own.PUBLISHER) else None
