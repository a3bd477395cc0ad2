"""The scores of games in the list of records, for example points or free fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gamed.core.errors import GamedError
from gamed.records.own import to_history
from gamed.registry import Scores, game_types

if TYPE_CHECKING:
    from gamed.records.record import Summary
    from gamed.store.database import Database


def scored(store: Database, found: Sequence[Summary]) -> Iterator[Scores]:
    """Yield the scores of each game, which its record is replayed for; they are empty if the game has none."""
    types = game_types()
    for summary in found:
        made = types.get(summary.kind)
        score: Scores = {}
        if made is not None and made.scores is not None:
            # A record that cannot be replayed is still listed.
            with suppress(GamedError):
                score = made.scores(to_history(store.thd_record(summary.id)))
        yield score
