"""`gamed bot`: plays a game on any server of its protocol."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

import click
from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.task import react

from gamed.bots.evaluation import counted, evaluation
from gamed.bots.pace import UNTIL_KNOWN, Pace
from gamed.bots.play import BotError, Played, play, trusting
from gamed.cli.completion import complete_games, complete_strategies
from gamed.cli.terminal import ProgressLine, counted_of, game_options, json_option
from gamed.core.clients import STAY
from gamed.core.errors import GamedError
from gamed.core.texts import printable
from gamed.net.timers import install_reactor
from gamed.registry import Option, example, game_type_of, game_types

_LOOKS = 0.5
"""Seconds between two changes of the line of progress."""


@define
class _Progress:
    """A line on the terminal that says what the bot is doing."""

    pace: Pace
    clock: Any
    player: Any = None
    number: int = 1
    _since: float = 0.0
    _timer: Any = None
    _line: ProgressLine = field(factory=ProgressLine)

    def start(self) -> None:
        """Show the line, and keep it true; do nothing without a terminal."""
        self._since = self.clock.seconds()
        if sys.stderr.isatty():
            self._show()

    def begin(self) -> None:
        """Begin with the next game."""
        self.clear()
        self.number += 1
        self._since = self.clock.seconds()

    def stop(self) -> None:
        """Remove the line for good."""
        if self._timer is not None:
            self._timer.cancel()
            self.clear()

    def _show(self) -> None:
        self._timer = self.clock.callLater(_LOOKS, self._show)
        moves = 0 if self.player is None or self.player.is_done else self.player.moves
        doing = counted_of(moves, "move") if moves else "no move yet"
        waits = "" if self.pace.is_over else f"; each after {self.pace.seconds:g} s (--pace 0: at once)"
        self._line.show(f"game {self.number}: {doing}, {self.clock.seconds() - self._since:.0f} s{waits}")

    def clear(self) -> None:
        """Remove the line, so that another one can be printed."""
        self._line.clear()


def _player_options() -> Mapping[str, tuple[Option, str]]:
    """Return the options of all games' bots, each with the games that have it."""
    made = game_types()
    names = dict.fromkeys(name for game_type in made.values() for name in game_type.player_options)
    found = {}
    for name in names:
        kinds = [kind for kind, game_type in made.items() if name in game_type.player_options]
        found[name] = made[kinds[0]].player_options[name], ", ".join(kinds)
    return found


class _Bot(click.Command):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(kind, ", ".join(made.players)) for kind, made in game_types().items()]
        with formatter.section("Games and their strategies, the default first"):
            formatter.write_dl(rows)
        super().format_epilog(ctx, formatter)


@click.command(cls=_Bot, epilog=f"Example: gamed bot {example()} --host localhost --games 3")
@click.argument("game", shell_complete=complete_games)
@click.option("--host", default="localhost", show_default=True, help="The server's host.")
@click.option("--port", type=click.IntRange(1, 65535), help="Its port. Default: the game's standard port.")
@click.option("--strategy", metavar="NAME", shell_complete=complete_strategies, help="The strategy; see below.")
@click.option("--games", type=click.IntRange(1), default=1, show_default=True, help="The number of games.")
@game_options(_player_options())
@click.option(
    "--seed",
    type=int,
    help="Make the bot's random choices repeatable. Its n-th game uses the n-th sequence of this seed.",
)
@click.option("--tls", is_flag=True, help="Use TLS, and check that the certificate is valid for --host.")
@click.option(
    "--ca", type=click.File("rb"), metavar="FILE", help="Trust the certificates in this PEM file (with --tls)."
)
@json_option
def bot(game: str, **options: Any) -> None:
    """Play GAME against whoever the server pairs this bot with.

    Works with any server of the game's protocol. On a terminal a line shows the progress. Prints one line per game;
    after several, how many moves they took (mean, median, least, most) and the results of each side. The exit status is
    1 if a game broke off. Games that begin because other players reset the table do not count towards --games.
    """
    found = game_type_of(game)
    if found is None:
        raise click.BadParameter(f"there is no game {game}; the games are {', '.join(game_types())}", param_hint="GAME")
    game_type, maker = found
    players = game_type.players
    strategy = options["strategy"] or next(iter(players))
    if strategy not in players:
        raise click.BadParameter(
            f"{game} has no strategy {strategy}; it has {', '.join(players)}", param_hint="--strategy"
        )
    port = options["port"] or maker.port
    if options["ca"] is not None and not options["tls"]:
        raise click.BadParameter("it has no effect without --tls", param_hint="--ca")
    given = {name: options[name] for name in _player_options() if options[name] is not None}
    for name in given:
        if name not in game_type.player_options:
            why = f"bots of {game} do not take this option; see gamed bot --help"
            raise click.BadParameter(why, param_hint=f"--{name}")
    usual = {"stay": STAY} if "stay" in game_type.player_options else {}
    seconds = given.pop("pace", None)
    usual_pace = UNTIL_KNOWN if "pace" in game_type.player_options else 0.0
    pace = Pace(usual_pace, is_fixed=False) if seconds is None else Pace(seconds)
    player = partial(players[strategy], **{**usual, **given})
    options |= {"port": port, "pace": pace}
    ended: list[GamedError | None] = []
    # `react` exits when the reactor has stopped. The exit status is set below instead.
    install_reactor()
    with suppress(SystemExit):
        react(lambda reactor: Deferred.fromCoroutine(_play(reactor, player, options, ended)))
    if not ended:
        raise click.Abort
    if ended[0] is not None:
        raise ended[0]


async def _play(reactor: Any, make_player: Any, options: dict[str, Any], errors: list[GamedError | None]) -> None:
    results: list[dict[str, Any]] = []
    matches: list[Played] = []

    def ended(played: Played) -> None:
        number, seconds = len(results) + 1, round(played.seconds, 3)
        progress.begin()
        results.append(
            {"game": number, "won": played.won, "moves": played.moves, "seconds": seconds, "side": played.side}
        )
        matches.append(played)
        if not options["as_json"]:
            outcome = {True: "won", False: "lost", None: "drawn"}[played.won]
            click.echo(f"game {number}: {outcome} after {counted_of(played.moves, 'move')} in {played.seconds:.3f} s")

    unknown: set[str] = set()

    def discarded(what: str) -> None:
        if what not in unknown:
            unknown.add(what)
            progress.clear()
            click.echo(f"discarded {printable(what)}: the protocol does not define it for clients", err=True)

    progress = _Progress(options["pace"], reactor)
    progress.start()
    error: GamedError | None = None
    try:
        ca = options["ca"].read() if options["ca"] is not None else None
        creator = trusting(options["host"], ca) if options["tls"] else None
        seed = options["seed"]
        for number in range(options["games"]):
            # Each game has a generator of its own, so that it does not depend on the games before it.
            player = make_player(Random(None if seed is None else f"{seed}:{number}"))  # noqa: S311 (a game)
            progress.player = player
            heard = {"ended": ended, "discarded": discarded, "pace": options["pace"]}
            await play(reactor, options["host"], options["port"], player, creator, **heard)
    except BotError as broken:
        error = broken
    progress.stop()
    if options["as_json"]:
        click.echo(json.dumps(results, indent=2))
    elif matches:
        click.echo(counted(matches))
    if len(matches) > 1 and not options["as_json"]:
        click.echo("\n".join(evaluation(matches)))
    errors.append(error)
