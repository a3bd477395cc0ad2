"""`gamed play --again ID`: a game of a folder is played again, with the same bots, seats, seed and limits.

Source: docs/reference/play.md#the-same-game-again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
from attrs import define, field

from gamed.arena.entrants import entrants
from gamed.arena.matches import Match, match_of
from gamed.cli.explaining import stored
from gamed.cli.playing import BOTS, Playing, command_of, run
from gamed.cli.scoreboard import UNFIT, WEAKER, Scoreboard
from gamed.core.errors import GamedError
from gamed.core.history import History
from gamed.core.texts import printable
from gamed.records.own import to_history
from gamed.registry import game_types
from gamed.tournament.results import Result, drawn_and_made, result_of
from gamed.tournament.schedule import Plan

DIFFERS: Final = WEAKER
"""The exit status if the game is not the same."""

SHOWN: Final = 60
"""Characters of a move that are shown."""


def again(folder: Path, game: str, options: Mapping[str, Any]) -> None:
    """Play a game of a folder again, by the first characters of its id, and end this process. Raises GamedError."""
    before = to_history(stored(folder, game)[0])
    found = match_of(folder, before.room)
    if found is None:
        raise GamedError(f"{before.room} is no game of a match that was played in {folder}")
    match, fixture = found
    game_type = game_types().get(before.kind)
    if game_type is None:
        raise GamedError(f"the game {before.kind} is not installed: no bot can play it")
    preset = game_type.contest.presets.get(match.asked.get("preset", ""))
    bots = entrants(match.asked["bots"], game_type, Path(match.asked["folder"]), folder.resolve() / BOTS, preset)
    asked = {**match.asked, "seed": match.seed, "again": [fixture.pairing, fixture.pair, fixture.leg], "connect": None}
    run(Again(game_type, bots, asked, options, match=match, original=before))


@define(eq=False)
class Again(Playing):
    """One run of the command that plays a game again."""

    match: Match = field(kw_only=True)
    """The one that the game is of."""

    original: History = field(kw_only=True)

    def _last(self, new: Match) -> Match | None:
        if changed := ", ".join(map(printable, self.match.changed(new.digests))):
            self.say(f"Files of {changed} have changed since.")
        return None

    def _announce(self, plan: Plan, _does: str) -> None:
        game = self.original.room
        self.say(f"{self.game_type.kind}: the game {game} is played again. Its match's seed is {plan.seed}.")

    def status(self, scoreboard: Scoreboard) -> int:
        """Return 0 if the game was the same."""
        if not scoreboard.games:
            return UNFIT
        was, now = result_of(self.original), scoreboard.games[0].result
        return 0 if (was.digest, was.end) == (now.digest, now.end) else DIFFERS

    def report(self, scoreboard: Scoreboard) -> None:
        """Say whether the game was the same. Raises GamedError."""
        for game in scoreboard.games:
            names = [self.entrants[entrant].name for entrant in game.fixture.seats]
            now, was = game.result, result_of(self.original)
            found = difference(self.original, to_history(stored(self.folder, now.id)[0]))
            if self.options["as_json"]:
                ends = {name: _told(result, names) for name, result in (("before", was), ("now", now))}
                differs = None if found is None else found[0]
                click.echo(json.dumps({"id": now.id, "again": was.id, "differs_at": differs, **ends}, indent=2))
                continue
            if found is not None:
                number, *moves = found
                before, after = (printable(move)[:SHOWN] or "nothing" for move in moves)
                click.echo(f"It differs from {was.id[:8]} from move {number} on: {after}; before: {before}")
            elif was.end != now.end:
                click.echo(f"It has the same moves as {was.id[:8]}, but another end; before: {was.termination}")
            else:
                click.echo(f"It is the same as {was.id[:8]}, move by move.")
            click.echo(f"Why a bot has lost it: {command_of(self.folder, f'--explain {now.id[:8]}')}")


def _told(result: Result, names: Sequence[str]) -> Mapping[str, Any]:
    winner = None if result.winner is None else names[result.winner]
    return {"termination": str(result.termination), "winner": winner, "moves": result.moves}


def difference(before: History, now: History) -> tuple[int, str, str] | None:
    """Return the number of the first move that is not the same, with what was made before and now; None: all are."""
    were, are = drawn_and_made(before), drawn_and_made(now)
    # What is missing now comes last.
    for key in {**are, **were}:
        pair = [made.get(key) for made in (were, are)]
        kinds, bodies = ([getattr(one[1], name) if one else None for one in pair] for name in ("kind", "body"))
        if kinds[0] != kinds[1] or bodies[0] != bodies[1]:
            number = next(one[0] for one in reversed(pair) if one)
            was, is_ = ((body or b"").decode("utf-8", "replace") for body in bodies)
            return number, was, is_
    return None
