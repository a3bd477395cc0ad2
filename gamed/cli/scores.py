"""How games of the records' list are scored beyond who has won: points, free fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gamed.records.own import to_history
from gamed.registry import Scores, game_types

if TYPE_CHECKING:
    from gamed.records.record import Summary
    from gamed.store.sql import Database


def scored(store: Database, found: Sequence[Summary]) -> Iterator[Scores]:
    """Yield the scores of each game, which its record has to be played for: nothing where its game has none."""
    types = game_types()
    for summary in found:
        made = types.get(summary.kind)
        if made is None or made.scores is None:
            yield {}
        else:
            yield made.scores(to_history(store.thd_record(summary.id)))
