"""The replay files of Hive. Source: docs/reference/software-challenge.md#replay-files."""

from __future__ import annotations

from typing import Final
from xml.etree.ElementTree import Element

from gamed.core.errors import RemoteProtocolError
from gamed.games.softwarechallenge.follower import names_of
from gamed.games.softwarechallenge.messages import UNKNOWN
from gamed.games.softwarechallenge.replays import Replays
from gamed.games.softwarechallenge.seasons.hive.client import read_state
from gamed.games.softwarechallenge.seasons.hive.moves import Obstructed
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import OBSTRUCTED
from gamed.games.softwarechallenge.seasons.hive.wire import SEASON


def _drawn(first: State) -> Obstructed:
    if first.turn or len(first.obstructed) != OBSTRUCTED:
        raise RemoteProtocolError("its first state is not the beginning of a game", code="no-beginning")
    return Obstructed(first.obstructed)


def _names(first: Element, _result: Element | None) -> list[str]:
    return ["" if name == UNKNOWN else name for name in names_of(first)]


_REPLAYS: Final = Replays(SEASON, ("points", "free"), read_state, _drawn, _names)
write, read_replay, file_name, scores = _REPLAYS.write, _REPLAYS.read, _REPLAYS.file_name, _REPLAYS.scores
