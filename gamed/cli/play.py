"""`gamed play`: bots play each other on this machine, and a table says which is stronger.

Source: docs/reference/play.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from gamed.arena.archives import ArchiveError
from gamed.arena.entrants import Entrant, EntrantError, entrants
from gamed.cli.completion import complete_games
from gamed.cli.playing import BOTS, FOLDER, Playing, browse, open_csv, run
from gamed.cli.terminal import json_option
from gamed.core.game import MOST_MOVES, OPENING_PLIES, Options
from gamed.registry import GameType, Preset, example, game_type_of, game_types
from gamed.tournament.sprt import Sprt

PAIRS: Final = 10
MOST_PAIRS: Final = 1_000
"""How many pairs are played if nothing is said; with --sprt at most."""

MEMORY: Final = 1_500
_TWO: Final = 2


class _Play(click.Command):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for kind, made in game_types().items():
            most, bots = made.contest.options[MOST_MOVES], ", ".join(f"bot:{name}" for name in made.players)
            usual = f"{made.contest.seconds:g} s a move, {most} moves; arguments: {made.contest.arguments}"
            rows.append((kind, f"{usual}; bots: {bots}"))
        with formatter.section("Games, with what is usual"):
            formatter.write_dl(rows)
        contests = [
            (f"{name} ({kind})", preset.summary)
            for kind, made in game_types().items()
            for name, preset in made.contest.presets.items()
        ]
        with formatter.section("Presets"):
            formatter.write_dl(contests)
        super().format_epilog(ctx, formatter)


@click.command(
    cls=_Play,
    epilog=f"Example: gamed play --game {example()} --pairs 50 'new=python3 bot.py' 'old=python3 old/bot.py'",
)
@click.argument("bots", nargs=-1, metavar="BOT BOT [BOT]...")
@click.option("--game", metavar="GAME", shell_complete=complete_games, help="The game; see below.")
@click.option("--pairs", type=click.IntRange(1), help="How many pairs of games each two bots play. Default: 10.")
@click.option("--games", type=click.IntRange(1), help="How many games each two bots play, instead of --pairs.")
@click.option(
    "--concurrency", type=click.IntRange(1), help="How many games are played at a time. Default: half the processors."
)
@click.option(
    "--start",
    type=click.Choice(["fresh", "kept"]),
    help="Start a bot for each game, or keep it for the next ones: it connects again to its port. Default: fresh.",
)
@click.option("--preset", metavar="NAME", help="Play under the conditions of a contest; see below.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Make the games' chance repeatable.")
@click.option("--time", "seconds", type=click.FloatRange(0, min_open=True), help="Seconds for a move.")
@click.option("--moves", type=click.IntRange(1), help="Moves of all players together after which a game is drawn.")
@click.option(
    "--openings",
    "plies",
    type=click.IntRange(1),
    metavar="N",
    help="Begin both games of a pair with the same N random moves, so that deterministic bots play different games.",
)
@click.option(
    "--memory",
    type=click.IntRange(1),
    metavar="MB",
    help=f"How much memory each process of a bot may allocate. Default: {MEMORY}.",
)
@click.option(
    "--option", "given", multiple=True, metavar="NAME=VALUE", help="Set an option of the game, such as a course."
)
@click.option(
    "--dir",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=FOLDER,
    show_default=True,
    help="The folder of the games and of what is left to play.",
)
@click.option(
    "--connect", metavar="PATH", help="Play on the daemon that has this control socket, instead of a private one."
)
@click.option(
    "--sprt",
    nargs=2,
    metavar="elo0=E elo1=E",
    help="Stop as soon as the games decide between these Elo differences (alpha = beta = 5 %), or after --pairs "
    "(default: 1000).",
)
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False, path_type=Path), help="Write a row for each game.")
@click.option("--explain", metavar="ID", help="Say why a bot has lost this game of the folder, and play none.")
@click.option("--again", metavar="ID", help="Play this game of the folder again, and say whether it is the same.")
@click.option("--browse", is_flag=True, help="Show the folder's games in the browser, and play none.")
@json_option
def play(bots: Sequence[str], **options: Any) -> None:
    """Have bots play each other, and say which is stronger.

    Each BOT is a command in quotes, an executable, a ZIP with a start.sh, or bot:STRATEGY for one of gamed's own; NAME=
    before it names it in the table. {host}, {port}, {code}, {name} and {seed} in a command are filled in; a command
    without them gets the arguments that are usual in the game. Two games make a pair: the same chance, with swapped
    seats.

    With Ctrl-C the match stops; the same command goes on with it. The exit status is 0 if the first bot is stronger, 10
    if it is weaker, 11 if that is not decided (with --sprt: H1, H0, neither); 12 if a bot has played no game to its
    end, or games are missing; with more than two bots 0 or 12. Ctrl-C: 130.
    """
    instead = next((name for name in ("browse", "explain", "again") if options[name]), None)
    if instead and options["csv_file"] is not None:
        raise click.BadParameter(f"leave it out: --{instead} plays no match", param_hint="--csv")
    if options["browse"]:
        browse(options["folder"])
    if options["explain"] is not None:
        from gamed.cli.explaining import explain  # noqa: PLC0415 (its database is heavy, and no match needs it)

        explain(options["folder"], options["explain"], as_json=options["as_json"])
        return
    if options["again"] is not None:
        from gamed.cli.again import again  # noqa: PLC0415 (the same)

        again(options["folder"], options["again"], options)
    game_type = _game(options)
    if len(bots) < _TWO:
        raise click.UsageError("one bot has nobody to play with; give at least two")
    if options["games"] is not None and options["pairs"] is not None:
        raise click.BadParameter("give --pairs or --games, not both", param_hint="--games")
    preset = preset_of(game_type, options)
    made = _made(bots, game_type, options["folder"].resolve() / BOTS, preset)
    if options["csv_file"] is not None:
        # Learnt now, and not after an hour of games.
        open_csv(options["csv_file"], "a").close()
    sprt = _hypotheses(options["sprt"], len(bots))
    asked = {
        "game": game_type.kind,
        "options": room_options(game_type, options, preset),
        "bots": list(bots),
        "folder": str(Path.cwd()),
        "games": options["games"] or _TWO * (options["pairs"] or (MOST_PAIRS if sprt else PAIRS)),
        "sprt": sprt,
        "memory": options["memory"] or (MEMORY if preset is None else preset.memory),
        "start": options["start"] or "fresh",
        "seed": options["seed"],
        "connect": options["connect"],
        **({} if preset is None else {"preset": options["preset"]}),
    }
    run(Playing(game_type, made, asked, options))


def _game(options: Mapping[str, Any]) -> GameType:
    """Return the game that was asked for. Raises UsageError."""
    if options["game"] is None:
        raise click.UsageError("give the game with --game; gamed play --help lists them")
    found = game_type_of(options["game"])
    if found is None:
        why = f"there is no game {options['game']}; the games are {', '.join(game_types())}"
        raise click.BadParameter(why, param_hint="--game")
    return found[0]


def _made(bots: Sequence[str], game_type: GameType, unpacked: Path, preset: Preset | None) -> list[Entrant]:
    """Return the bots, and say what is wrong with archives that are played nevertheless. Raises UsageError."""
    try:
        made = entrants(bots, game_type, Path.cwd(), unpacked, preset)
    except (ArchiveError, EntrantError) as error:
        raise click.UsageError(str(error)) from error
    for one in made:
        if not one.is_executable:
            why = "its start.sh has no execute bit, which a contest may need: run chmod +x start.sh, and pack it again"
            click.echo(f"{one.name}: {why}", err=True)
    return made


def preset_of(game_type: GameType, options: Mapping[str, Any]) -> Preset | None:
    """Return the preset that was asked for. Raises BadParameter."""
    name, presets = options["preset"], game_type.contest.presets
    if name is None:
        return None
    if name not in presets:
        has = ", ".join(presets) or "none"
        raise click.BadParameter(f"{game_type.kind} has no preset {name}; it has {has}", param_hint="--preset")
    for option in ("seconds", "memory", "start"):
        if options[option] is not None:
            why = "leave it out: the preset says it"
            raise click.BadParameter(why, param_hint=f"--{'time' if option == 'seconds' else option}")
    return presets[name]


def room_options(game_type: GameType, options: Mapping[str, Any], preset: Preset | None = None) -> Options:
    """Return the options of the rooms. Raises BadParameter, ConfigError."""
    contest = game_type.contest
    seconds = options["seconds"] or (contest if preset is None else preset).seconds
    timed = contest.time(seconds)
    got = int(next(iter(timed.values()))) / 1000
    if got != seconds:
        click.echo(f"{game_type.kind} has no time of {seconds:g} s for a move: it is {got:g} s", err=True)
    known = {**game_type.options(game_type.settings()), **game_type.room_options}
    chosen: dict[str, Any] = {**contest.options, **timed}
    if options["moves"] is not None:
        chosen[MOST_MOVES] = options["moves"]
    if options["plies"] is not None:
        if contest.no_openings:
            why = f"a match of {game_type.kind} cannot begin with random moves: {contest.no_openings}"
            raise click.BadParameter(f"{why}; let the bots draw lots from {{seed}}", param_hint="--openings")
        chosen[OPENING_PLIES] = options["plies"]
    for text in options["given"]:
        name, is_whole, value = text.partition("=")
        free = [option for option in known if option not in game_type.count_options]
        if not is_whole or name not in free:
            why = f"{text}: write NAME=VALUE; {game_type.kind} has {', '.join(sorted(free))}"
            raise click.BadParameter(why, param_hint="--option")
        chosen[name] = _typed(name, value, known[name])
    return contest.completed(chosen)


def _hypotheses(words: Sequence[str] | None, bots: int) -> dict[str, float] | None:
    """Return what --sprt tests. Raises BadParameter."""
    if words is None:
        return None
    if bots > _TWO:
        raise click.BadParameter("it is a test of two bots", param_hint="--sprt")
    given = dict(word.partition("=")[::2] for word in words)
    try:
        elo0, elo1 = float(given["elo0"]), float(given["elo1"])
    except (KeyError, ValueError) as error:
        raise click.BadParameter("write, for example, elo0=0 elo1=10", param_hint="--sprt") from error
    try:
        Sprt(elo0, elo1)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--sprt") from error
    return {"elo0": elo0, "elo1": elo1}


def _typed(name: str, value: str, like: Any) -> Any:
    types: dict[type, Any] = {bool: click.BOOL, int: click.INT, float: click.FLOAT}
    try:
        return types.get(type(like), click.STRING)(value)
    except click.BadParameter as error:
        raise click.BadParameter(f"{name}: {error.message}", param_hint="--option") from error
