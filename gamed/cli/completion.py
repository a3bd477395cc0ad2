"""Shell completion of names: games, strategies, formats.

README.md#let-the-shell-complete explains how to switch it on.
"""

from __future__ import annotations

from collections.abc import Iterable

import click

from gamed.registry import game_types, kinds, written_games

AS_IT_IS = "xml"
"""The format of a record as it is stored."""

REPLAY = "replay"
"""The replay file of the record's game, whatever its format is called."""


def complete_kinds(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the games of which there can be records."""
    return _beginning(kinds(), incomplete)


def complete_games(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the games that are installed."""
    return _beginning(game_types(), incomplete)


def complete_strategies(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the strategies of the game that is typed already, or of all games."""
    types = game_types()
    # click does not parse a line that ends with an option to its end: the game may still be in `ctx.args`.
    named = [types[word] for word in (str(ctx.params.get("game")), *ctx.args) if word in types]
    chosen = named[:1] or types.values()
    return _beginning(dict.fromkeys(name for made in chosen for name in made.players), incomplete)


def complete_formats(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the formats that a record can be exported in."""
    written = [name for game in written_games().values() for name in game.format_names]
    replays = dict.fromkeys(replay.name for made in game_types().values() for replay in made.replays)
    return _beginning([AS_IT_IS, *written, REPLAY, *replays], incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
