"""The replay files of Blokus. Source: docs/reference/software-challenge.md#replay-files, docs/reference/blokus.md."""

from __future__ import annotations

from typing import Final
from xml.etree.ElementTree import Element

from gamed.core.errors import RemoteProtocolError
from gamed.games.softwarechallenge.replays import Replays
from gamed.games.softwarechallenge.seasons.blokus.client import read_state
from gamed.games.softwarechallenge.seasons.blokus.moves import StartPiece
from gamed.games.softwarechallenge.seasons.blokus.position import State
from gamed.games.softwarechallenge.seasons.blokus.wire import SEASON, TEAMS


def _drawn(first: State) -> StartPiece:
    if first.start is None or first != State(start=first.start):
        raise RemoteProtocolError("its first state is not the beginning of a game", code="no-beginning")
    return StartPiece(first.start)


def _names(_first: Element, result: Element | None) -> list[str]:
    """Return the names in the result, because the states have none."""
    found = [] if result is None else result.findall("scores/entry/player")
    names = {player.get("team"): player.get("name", "") for player in found}
    return [names.get(team, "") for team in TEAMS]


_REPLAYS: Final = Replays(SEASON, ("victory", "points"), read_state, _drawn, _names)
write, read_replay, file_name, scores = _REPLAYS.write, _REPLAYS.read, _REPLAYS.file_name, _REPLAYS.scores
