"""The registry of games: one `GameMaker` line in a plugin file adds a listener with its game, or its games.

Source: docs/topics/design.md#adding-things. A `GameMaker` is a Twisted plugin and names a module; the module's
`game_type` describes the game. A description is light: it has the settings, and names the functions that make the
game's parts (`Named`), so the code of a game is imported when somebody comes to play it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from attrs import field, fields, frozen
from attrs.validators import ge, gt
from twisted.plugin import IPlugin, getPlugins
from twisted.python.reflect import namedAny
from zope.interface import Attribute, Interface, implementer

from gamed.core.clients import Person, Player, Viewer
from gamed.core.game import MOST_MOVES, move_time

if TYPE_CHECKING:
    # Not at run time: `gamed bot` needs neither tables nor receptions, and importing them takes 10 ms.
    from gamed.core.game import Options, Seat
    from gamed.core.history import Entry, History
    from gamed.core.table import Table
    from gamed.games import HostedGame
    from gamed.records.written import Formats


@frozen
class ListenerSettings:
    """The configuration keys that all listeners have. The settings of a game add its own keys."""

    endpoint: str | None = None
    """None: the game's standard port. Empty: no listener."""

    stuck_seconds: float = field(default=30.0, validator=gt(0))
    """How long a peer may leave data unread before it is dropped."""

    unsent_bytes: int = field(default=4_194_304, validator=gt(0))
    """How many bytes may wait for a peer that does not read before it is dropped."""

    connections: int = field(default=20_000, validator=gt(0))
    connections_per_address: int = field(default=512, validator=gt(0))
    connections_per_second: float = field(default=500.0, validator=ge(0))
    """The rate of new connections from one address; 0: no limit."""

    # Without annotations, these are not keys. A game whose listener has such a limit redefines it as a field.
    messages_per_second = 0.0
    """The rate of rated messages that are served for a peer; further messages wait. 0: no limit."""

    message_seconds = 0.0
    """How long a message may take from its first byte to its last. 0: no limit."""


Measures: TypeAlias = Mapping[str, Sequence[int | None]]
"""Numbers of a state by their names, one for each seat; None: there is none."""

PublicText: TypeAlias = "Callable[[Entry], str | None]"
"""Returns the text of a move or a line that may be public while the match runs; None: nothing is public."""


def everything(entry: Entry) -> str | None:
    """Return the whole text of an entry: for games whose moves are public."""
    return None if entry.body is None else entry.body.decode("utf-8", "backslashreplace")


Draw: TypeAlias = "Callable[[Any, Sequence[Mapping[str, Any]], Mapping[Seat | None, str]], str]"
"""Draws a position as text: from the board (`Game.view` for spectators), the moves so far (`records/positions.py`), and
the players' names."""

Scores = Mapping[str, Sequence[int]]
"""The score of each seat, by a short name of what is counted."""


@frozen
class ReplayFormat:
    """The replay format of another program."""

    name: str

    root: str
    """The name of the document's root element."""

    mark: bytes
    """A text that is in each document with a position, and in none of another game with the same root element."""

    write: Callable[[History], bytes]
    """Returns the document of a game."""

    read: Callable[[bytes], History]
    """Returns the history in a document. Raises RemoteProtocolError if there is none, RuleError for an illegal move."""

    file_name: Callable[[History], str]
    """Returns the name of the file for a game."""


class Named:
    """A function, by the name "module.function"; the module is imported when the function is needed first.

    The games that gamed hosts are described with these, so that `gamed bot` imports the one player that it runs, and a
    daemon in which nobody plays has no game in memory. The daemon imports in a thread (`GameListener.load`).
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function itself; imports its module."""
        found: Callable[..., Any] = namedAny(self._name)
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self.function(*args, **kwargs)


def _given(options: Options) -> Options:
    return options


def _name_as_it_is(name: str, _seat: int) -> str:
    return name


@frozen
class Column:
    """A column of a contest's table."""

    score: str
    """The name of what is counted, as in `GameType.scores`."""

    title: str
    is_mean: bool = False
    """Whether the mean of all games is shown; else the sum."""


@frozen
class Preset:
    """The conditions of a contest. With them, each bot has one processor, and a ZIP is unpacked anew for each game."""

    seconds: float
    """The time for a move."""

    memory: int
    """MB that each process of a bot may allocate."""

    arguments: tuple[str, ...]
    """The words that programs must understand; pairs of games get one of these in turn."""

    columns: tuple[Column, ...]
    """What the table shows besides wins; where wins are equal, these decide."""

    @property
    def summary(self) -> str:
        """The conditions, for people."""
        columns = ", ".join(f"{'mean' if one.is_mean else 'sum'} of {one.title}" for one in self.columns)
        bots = f"{self.seconds:g} s a move, {self.memory} MB, one processor for each bot, a ZIP unpacked for each game"
        return f"{bots}; arguments, in turn: {'; '.join(self.arguments)}; table: {columns}"


@frozen
class Contest:
    """How programs of any kind play a game against each other: what `gamed play` has to know."""

    options: Options = field(factory=lambda: {MOST_MOVES: 1_000})
    """The options of a room, as far as they are not the daemon's."""

    seconds: float = 10.0
    """The usual time for a move."""

    time: Callable[[float], Options] = move_time
    """Returns the options for a time for a move, in seconds."""

    arguments: str = "--host {host} --port {port}"
    """The words that programs of this protocol usually take."""

    seat_name: Callable[[str, int], str] = _name_as_it_is
    """Returns the name that a program may use in the protocol, by its entrant's name and its seat."""

    no_openings: str = ""
    """Why no match of this game can begin with random moves; "" if it can."""

    draws_later: bool = False
    """Whether chance moves after a match has begun. Then the web shows no game of a pair before both are over: it would
    tell what is drawn in the other one."""

    completed: Callable[[Options], Options] = _given
    """Returns options with those that follow from them. Raises ConfigError."""

    presets: Mapping[str, Preset] = field(factory=dict)
    """The conditions of contests, by their names."""


@frozen
class Option:
    """An option that a game adds to a command, for example of its bots."""

    help: str
    kind: type = str
    default: Any = None
    least: int | None = None
    most: int | None = None

    metavar: str | None = None
    """What it takes, for people; None: its kind or its choices say so."""

    choices: tuple[str, ...] = ()


class BoardFinding(Protocol):
    """Something that a board's author should change. As text, it says all of it."""

    @property
    def code(self) -> str:
        """Its stable code."""

    @property
    def place(self) -> object:
        """The field; None if it does not concern a single field."""

    @property
    def text(self) -> str:
        """What is wrong, and what to do about it."""

    @property
    def is_error(self) -> bool:
        """Whether the file is refused."""


def _accept(_settings: Any) -> Sequence[str]:
    """Accept any settings."""
    return ()


def _one(_settings: Any) -> Sequence[int]:
    return (1,)


def _nothing(_state: Any) -> Measures:
    return {}


@frozen
class GameType:
    """Everything the shell needs to know about a game."""

    kind: str
    """The name of the game in records, on pages and in commands."""

    publisher: str
    version: str
    """The publisher and the version of the records' format."""

    folder: Path = field(kw_only=True)
    """The game's folder. In `static/` is what the browser loads: `board.js`, `board.css`, what these load, and
    perhaps `icon.svg`, a picture for the lobby. In `schemas/` is an index of its records' formats, `index.xml`, with
    the schemas, if they are not in gamed's own."""

    settings: type[ListenerSettings]
    """The class of the listener's section in the configuration."""

    options: Callable[[Any], Options]
    """Returns the options of the rules for some settings."""

    contest: Contest = field(factory=Contest, kw_only=True)
    """How programs play it against each other."""

    room_options: Options = field(factory=dict, kw_only=True)
    """Options that a room may have besides these, each with a value of its type."""

    count_options: tuple[str, ...] = field(default=(), kw_only=True)
    """The options that say for how many players a room is; a fixture's are set."""

    hosted: Callable[[], HostedGame]
    """Returns what hosts the game; imports the code for it. Games of one listener may have the same function."""

    draw: Draw
    """Returns a position as text, as the public sees it."""

    players: Mapping[str, Callable[..., Player]]
    """The strategies of the game's own bots, by name. The first is the default, the last the easiest for people."""

    person: Callable[..., Person] | None = None
    """Makes a client for a human from a generator, a name, and the code of a reservation or None."""

    title: str = ""
    """The name of the game for people; empty: its kind, with a capital letter."""

    player_options: Mapping[str, Option] = field(factory=dict)
    """The keyword arguments that `players` take besides the generator. `gamed bot` uses a `pace` itself."""

    viewer: Callable[[str, float, Sequence[str]], Viewer] | None = None
    """Makes a client that watches by the game's own protocol, from its name, the seconds for which each position is
    shown, and names to try next; None: the protocol has no such clients."""

    boards: tuple[str, Callable[[Path], Sequence[BoardFinding]]] | None = None
    """What files describe boards, for people, and a function that checks one, which raises ConfigError."""

    opponents: Callable[[Any], Sequence[int]] = _one
    """Returns the numbers of bots that a human can choose to play against, by the listener's settings."""

    replays: tuple[ReplayFormat, ...] = ()
    """The replay formats of other programs."""

    public_text: PublicText = everything
    """Returns what spectators and opponents may read of an entry while the match runs."""

    scores: Callable[[History], Scores] | None = None
    """Returns the scores of an ended game; None: there is only a winner."""

    measures: Callable[[Any], Measures] = _nothing
    """Returns what a record's graphs show of a state. The words of the board name each measure: `measure_NAME`."""

    check: Callable[[Any], Sequence[str]] = _accept
    """Returns sentences on settings that have no effect. Raises ConfigError if the settings name something that cannot
    be used, such as a file.

    The daemon calls it when it starts, because it makes the reception only for the first connection.
    """

    def table(self, settings: Any, options: Options, random: Callable[[int], Random], now: float) -> Table:
        """Return a new match; see `HostedGame.tables`."""
        return self.hosted().tables[self.kind](settings, options, random, now)

    def load(self) -> None:
        """Import all parts that are `Named`. It may take 100 ms: the daemon calls it in a thread."""
        replays = (getattr(replay, part) for replay in self.replays for part in ("write", "read", "file_name"))
        for part in (*(getattr(self, key.name) for key in fields(GameType)), *self.players.values(), *replays):
            named = part.func if isinstance(part, partial) else part
            if isinstance(named, Named):
                named.function  # noqa: B018 (imports it)
        self.hosted()

    @property
    def hides_moves(self) -> bool:
        """Whether moves are secret while the match runs, because the players move at the same time."""
        return self.public_text is not everything


@frozen
class WrittenGame:
    """A game that gamed does not host: it reads, shows and writes records of it, which people make."""

    kind: str
    """The name of the game in records, on pages and in commands."""

    publisher: str
    """The publisher of the records' format."""

    folder: Path
    """The game's folder, as in a GameType."""

    formats_module: str
    """The module that is its `Formats`; imported when somebody needs it."""

    format_names: tuple[str, ...]
    """The formats of its games, for people."""

    page_formats: Mapping[str, str]
    """The names of those that pages offer, the most complete one last."""

    endings: Mapping[str, str]
    """The usual format of a file by the ending of its name."""

    recorded_as: str
    """The format in which a game is written down, where its file's name does not end with that of another one."""

    new_facts: Mapping[str, Option] = field(factory=dict)
    """What can be said of a new game, by name."""

    sides: tuple[str, ...] = ()
    """What the seats are called whose players have no names: keys of the pages' words."""

    by_points: bool = False
    """Whether games are won by a number of points."""

    @property
    def title(self) -> str:
        """The name of the game for people."""
        return self.kind.capitalize()

    @property
    def formats(self) -> Formats:
        """Its formats; imports them."""
        found: Formats = namedAny(self.formats_module)
        return found

    def format_of(self, name: str) -> str | None:
        """Return the usual format of a file by its name; None if the ending does not say."""
        return next((usual for ending, usual in self.endings.items() if name.lower().endswith(ending)), None)


class IGameMaker(Interface):
    """A plugin that adds a listener with its games."""

    name = Attribute("the listener's name: its section in the configuration, its option of twistd")
    port = Attribute("the listener's standard TCP port")
    module = Attribute(
        "the module whose `game_type` is the GameType, or whose `game_types` are several of one listener"
    )


@implementer(IPlugin, IGameMaker)
@frozen
class GameMaker:
    """A line of the plugin file."""

    name: str
    port: int
    module: str

    def load(self) -> GameType:
        """Return the game type, of several the first; import the module that describes it."""
        return self.load_all()[0]

    def load_all(self) -> Sequence[GameType]:
        """Return the game types of the listener. They have the same `settings` and the same `hosted`."""
        module = namedAny(self.module)
        found: Sequence[GameType] = getattr(module, "game_types", ()) or (module.game_type,)
        return found

    @property
    def folder(self) -> Path:
        """The folder of the module. In `static/` is what the boards of several games load together."""
        return Path(namedAny(self.module).__file__).parent


class IWrittenGameMaker(Interface):
    """A plugin that adds a game without a listener."""

    module = Attribute("the module whose `written_game` is the WrittenGame")


@implementer(IPlugin, IWrittenGameMaker)
@frozen
class WrittenGameMaker:
    """A line of the plugin file."""

    module: str

    def load(self) -> WrittenGame:
        """Return the game; import the module that describes it."""
        game: WrittenGame = namedAny(self.module).written_game
        return game


def games() -> Mapping[str, GameMaker]:
    """Return the game makers that are installed, by the listener's name."""
    makers = cast("Iterable[GameMaker]", getPlugins(IGameMaker))
    return {maker.name: maker for maker in sorted(makers, key=lambda maker: maker.port)}


def game_type_of(kind: str) -> tuple[GameType, GameMaker] | None:
    """Return the game type of a kind and its maker; None: there is no such game."""
    # Most listeners have the name of their game, so that usually no other description is imported.
    for maker in sorted(games().values(), key=lambda maker: maker.name != kind):
        for made in maker.load_all():
            if made.kind == kind:
                return made, maker
    return None


def game_types() -> Mapping[str, GameType]:
    """Return the game types that are installed, by kind."""
    return {made.kind: made for maker in games().values() for made in maker.load_all()}


def example(fits: Callable[[GameType], object] = lambda _made: True) -> str:
    """Return the kind of the first game that fits, for examples in help texts; "GAME" if none does."""
    return next((kind for kind, made in game_types().items() if fits(made)), "GAME")


def written_games() -> Mapping[str, WrittenGame]:
    """Return the games without a listener that are installed, by kind."""
    makers = cast("Iterable[WrittenGameMaker]", getPlugins(IWrittenGameMaker))
    return {game.kind: game for game in (maker.load() for maker in makers)}


def kinds() -> Mapping[str, GameType | WrittenGame]:
    """Return all games that are installed, by kind."""
    return {**game_types(), **written_games()}
