"""Replay GoFans records by the rules of Go, the last step of their import, and summarise them.

Source: docs/reference/records.md#the-import, docs/reference/records.md#gofans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve

from gamed.core.game import Outcome, Termination
from gamed.games.go import gofans
from gamed.games.go.dates import iso
from gamed.games.go.replay import after_end, differences
from gamed.games.go.tree import RESIGNED, GoGame, Node, Player
from gamed.records.played import Played, Remark
from gamed.records.record import Record, SeatSummary, Summary

WRONG_REMOVES: Final = "wrong-removes"
AFTER_END: Final = "after-end"
RESIGNED_ONLY: Final = "resigned-without-pass"
REMARKS: Final = (WRONG_REMOVES, AFTER_END, RESIGNED_ONLY)
"""The codes of remarks. They are stable."""


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


def outcome_of(players: Sequence[Player]) -> Outcome | None:
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
