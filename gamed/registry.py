"""The registry of games: one `GameMaker` line in the plugin file adds a game and its listener.

Source: docs/topics/design.md#adding-things. A `GameMaker` is a Twisted plugin and names a module; the module's
`game_type` describes the game. A description is light: it has the settings, and names the functions that make the
game's parts (`Named`), so the code of a game is imported when somebody comes to play it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from random import Random
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast, runtime_checkable

from attrs import field, fields, frozen
from attrs.validators import ge, gt
from twisted.plugin import IPlugin, getPlugins
from twisted.python.reflect import namedAny
from zope.interface import Attribute, Interface, implementer

if TYPE_CHECKING:
    # Not for a bot, which uses neither tables nor receptions, and starts in half the time of them.
    from gamed.core.game import Options
    from gamed.core.history import Entry, History
    from gamed.core.reception import LobbyServices, Reception
    from gamed.core.table import Table
    from gamed.wire import Connection


@frozen
class ListenerSettings:
    """The keys that the configuration's section of each listener has; a game's settings add its own to them."""

    endpoint: str | None = None
    """None: the game's standard port. Empty: no listener."""

    stuck_seconds: float = field(default=30.0, validator=gt(0))
    """How long a peer may leave unread what was sent to it."""

    unsent_bytes: int = field(default=4_194_304, validator=gt(0))
    """How much may wait for a peer that does not read."""

    connections: int = field(default=20_000, validator=gt(0))
    connections_per_address: int = field(default=512, validator=gt(0))
    connections_per_second: float = field(default=500.0, validator=ge(0))
    """From one address; 0: no limit."""

    # No annotations, so these are not keys: a game whose listener has such a limit makes a field of it.
    messages_per_second = 0.0
    """How many rated messages of a peer are served; further ones wait. 0: no limit."""

    message_seconds = 0.0
    """How long a message may take from its first byte to its last. 0: no limit."""


class Player(Protocol):
    """A game's sans-I/O client: it plays one match against any server of the dialect."""

    def begin(self) -> bytes:
        """Return what is sent as soon as the connection stands; nothing where the server speaks first."""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return the answer; empty bytes mean that the server has closed."""

    @property
    def is_done(self) -> bool:
        """Whether the match is over."""

    @property
    def won(self) -> bool | None:
        """Whether the match was won; None while it is undecided, and if nobody won it."""

    @property
    def moves(self) -> int:
        """How many moves this player has made."""


STAY: Final = 30.0
"""Seconds for which a bot stays after a game: people see the result, and may ask for another game."""


@runtime_checkable
class PlaysOn(Player, Protocol):
    """What a Player may have besides: further games in the same connection, and consideration for slow opponents."""

    @property
    def stay(self) -> float:
        """Seconds for which it is to stay after a game, for another one; 0: there will be none."""

    @property
    def pace(self) -> float:
        """Seconds for which it is to wait before it answers."""

    @property
    def results(self) -> Sequence[tuple[bool, int]]:
        """Of each game that has ended, whether it was won, and how many moves this player made."""


class Person(Protocol):
    """A game's sans-I/O client that a human steers: it waits where a Player decides.

    It knows nothing but what the wire tells it.
    """

    def begin(self) -> bytes:
        """Return what is sent as soon as the connection stands; nothing where the server speaks first."""

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the server and return what is answered without asking; empty bytes: the server has closed.

        Raises RemoteProtocolError if the server errs.
        """

    def act(self, action: Mapping[str, Any]) -> bytes:
        """Return what is sent for an action, a JSON object of the game's own. Raises RuleError: nothing has changed."""

    def view(self) -> Mapping[str, Any]:
        """Return what the human may see and do, JSON-ready.

        `phase`: a word of the game; `board`: as `Game.view` has it, or None; `you`: `seat`, and what only this player
        sees and may do; `won`. Where they are there: `public`: what of the board the wire does not tell a player, but
        everybody sees; `is_blind`: whether the player must not see the moves yet.
        """

    @property
    def is_done(self) -> bool:
        """Whether the match is over."""

    @property
    def won(self) -> bool | None:
        """Whether the match was won; None while it is undecided, and if nobody won it."""


@runtime_checkable
class SupportsRefresh(Protocol):
    """What a Person may have beside: questions, where its dialect does not tell by itself how everything stands."""

    def refresh(self) -> bytes:
        """Return questions about how everything stands now; nothing while others are open."""


@runtime_checkable
class LearnsOutcome(Protocol):
    """What a Person may have beside: ears for the outcome, where its dialect has no words for that."""

    def conclude(self, *, won: bool | None) -> None:
        """Take how the match ended; None: nobody won it."""


PublicText: TypeAlias = "Callable[[Entry], str | None]"
"""Returns what everybody may know of a move or a line while the match runs, as text; None: nothing."""


def everything(entry: Entry) -> str | None:
    """Return all that an entry says: for games whose moves everybody sees."""
    return None if entry.body is None else entry.body.decode("utf-8", "backslashreplace")


Scores = Mapping[str, Sequence[int]]
"""The count of each seat, by a short word for what is counted."""


@frozen
class ReplayFormat:
    """A format that another program keeps games in. `root`: its document's element.

    `write` returns a game's document, `file_name` its file's name. `read` returns the history in a document, and raises
    RemoteProtocolError if there is none in it, and RuleError if the rules refuse what is.
    """

    name: str
    root: str
    write: Callable[[History], bytes]
    read: Callable[[bytes], History]
    file_name: Callable[[History], str]


class Named:
    """A function, by the name "module.function"; the module is imported when the function is needed first.

    The games that gamed hosts are described with these, so that `gamed bot` imports the one player that it runs, and a
    daemon in which nobody plays has no game in memory. The daemon imports in a thread (`gamed.net.late`).
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


def _accept(_settings: Any) -> None:
    """Accept any settings."""


def _one(_settings: Any) -> Sequence[int]:
    return (1,)


@frozen
class GameType:
    """Everything the shell needs to know of a game.

    `connection` makes the server's side of a dialect, `reception` what leads its peers to rooms, `table` a fresh match
    (the options decide the rules, the callable makes the generator for chance, the float is the moment of opening),
    `draw` a text picture of the position after so many moves (None: all), `players` the strategies of the game's own
    client, by name, the first the default. `person`: the same client for a human, by a generator, a name, and the code
    of a reservation or None. `player_options`: what players can be told beside the generator, by keyword. `replays`:
    formats of other programs. `public_text`: what spectators and opponents may read of a move's or a line's entry.
    `scores`: how an ended game is scored beyond who has won, if it is.
    """

    kind: str
    publisher: str
    version: str
    settings: type[ListenerSettings]
    options: Callable[[Any], Options]
    connection: Callable[[Any], Connection]
    reception: Callable[[Any, LobbyServices], Reception]
    table: Callable[[Any, Options, Callable[[], Random], float], Table]
    draw: Callable[[History, int | None], str]
    players: Mapping[str, Callable[..., Player]]
    person: Callable[..., Person] | None = None
    title: str = ""
    """What people call the game; left out: its kind, with a capital letter."""
    player_options: tuple[str, ...] = ()
    opponents: Callable[[Any], Sequence[int]] = _one
    """How many players of the game's own a person can bring along, by the listener's settings."""
    replays: tuple[ReplayFormat, ...] = ()
    public_text: PublicText = everything
    scores: Callable[[History], Scores] | None = None

    check: Callable[[Any], None] = _accept
    """Raises ConfigError if the settings name something that cannot be used, such as a file.

    The daemon calls it when it starts, because it makes the reception only for the first connection.
    """

    def load(self) -> None:
        """Import all parts that are `Named`. It may take 100 ms: the daemon calls it in a thread."""
        replays = (getattr(replay, part) for replay in self.replays for part in ("write", "read", "file_name"))
        for part in (*(getattr(self, key.name) for key in fields(GameType)), *self.players.values(), *replays):
            named = part.func if isinstance(part, partial) else part
            if isinstance(named, Named):
                named.function  # noqa: B018 (imports it)

    @property
    def hides_moves(self) -> bool:
        """Whether moves are secret while the match runs: the players make theirs at the same time."""
        return self.public_text is not everything


class IGameMaker(Interface):
    """A plugin that adds a game with its listener."""

    name = Attribute("the listener's name: its section in the configuration, its option of twistd")
    port = Attribute("the listener's standard TCP port")
    module = Attribute("the module whose `game_type` is the GameType")


@implementer(IPlugin, IGameMaker)
@frozen
class GameMaker:
    """A line of the plugin file."""

    name: str
    port: int
    module: str

    def load(self) -> GameType:
        """Return the game type; imports the game."""
        game_type: GameType = namedAny(self.module).game_type
        return game_type


def games() -> Mapping[str, GameMaker]:
    """Return the game makers that are installed, by the listener's name."""
    makers = cast("Iterable[GameMaker]", getPlugins(IGameMaker))
    return {maker.name: maker for maker in sorted(makers, key=lambda maker: maker.port)}


def game_type_of(kind: str) -> tuple[GameType, GameMaker] | None:
    """Return the game type of a kind, and what makes it; None: there is no such game. Imports few others."""
    # Most listeners are called as their game.
    for maker in sorted(games().values(), key=lambda maker: maker.name != kind):
        made = maker.load()
        if made.kind == kind:
            return made, maker
    return None


def game_types() -> Mapping[str, GameType]:
    """Return the game types that are installed, by kind; imports every game."""
    return {made.kind: made for made in (maker.load() for maker in games().values())}
