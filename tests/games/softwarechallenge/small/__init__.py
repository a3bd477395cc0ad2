"""A small season, for tests of several seasons on one listener."""

from __future__ import annotations

from attrs import evolve

from gamed.games.softwarechallenge.seasons.hive import game_type as hive

game_type = evolve(hive, kind="small", publisher="gamed-small", version="1.0", replays=())
