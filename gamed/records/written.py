"""What gamed has to know of a game that people write down, beside its rules: its formats, and how a game is shown.

`Formats` is what a module of the game's folder has; `WrittenGame.formats` imports it. A game in memory is of a class of
its own, which nobody else looks into: here it is `Any`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from attrs import frozen

from gamed.records.played import Played
from gamed.records.record import Record, RecordError, Summary


@frozen
class Reading:
    """A game of a file, or the error that prevented reading it."""

    number: int
    """The index of the game in the file, from 1."""

    line: int | None = None
    """The line in which it begins, from 1; None if the file has no game."""

    game: Any = None
    """None if there is an `error`."""

    notes: tuple[str, ...] = ()
    """Sentences on what a record cannot hold, and on doubts about the encoding."""

    error: RecordError | None = None


class Listing(Protocol):
    """A game's tree with numbered nodes, and its positions as data for JSON."""

    nodes: Mapping[int, Any]
    """The moves by the number of their node. The start is 0, and not among them."""

    def played(self) -> Iterator[None]:
        """Play the game by its rules, in steps, for what its record may not tell."""

    def path(self, node: int, /) -> Sequence[Any]:
        """Return the moves from the start to a node. Raises KeyError if there is no such node."""

    def line(self, node: int, /) -> Sequence[Any]:
        """Return the same, and the moves that follow it on the main line from there."""

    def positions(self, line: Sequence[Any], first: int, last: int) -> Iterator[dict[str, Any]]:
        """Yield the positions after `first` to `last` moves of a line. Raises RuleError."""


class Recorder(Protocol):
    """A game that is written down by lines of text."""

    game: Any

    def enter(self, text: str) -> str:
        """Execute a line, and return a sentence. Raises RuleError, and then nothing has changed."""

    def picture(self) -> str:
        """Return the position as text."""


class Recording(Protocol):
    """A game that is written down in the browser. Requests that are wrong raise InvalidRequest and RuleError."""

    game: Any

    saved: str | None
    """The id of the record, if the recording was saved and has not been changed since."""

    def act(self, body: Any) -> None:
        """Do the action of a request's body."""

    def entry(self) -> Mapping[str, Any]:
        """Return the recording's entry in the list of recordings."""

    def shown(self, id: str) -> bytes:  # noqa: A002 (the name in the answer)
        """Return the whole recording as JSON, with its id."""


class Formats(Protocol):
    """The formats of a written game, and what is shown of one."""

    HELP: str
    """What can be entered into a `Recorder`, a line each."""

    # Files

    def is_file(self, data: bytes) -> bool:
        """Whether data are a file of this game in a format that is not XML."""

    def check_encoding(self, name: str) -> None:
        """Raise RecordError if the name of an encoding of files is not known."""

    def games(self, data: bytes, encoding: str | None = None) -> Iterator[Reading]:
        """Yield the games of a file, one at a time, including those that cannot be read.

        `encoding`: of the file, in place of the one that it declares. Raises RecordError if it is not known.
        """

    def write(self, game: Any, chosen: str) -> tuple[bytes, list[str]]:
        """Return a game in a format, and sentences on what that cannot hold. Raises RecordError and RuleError."""

    def suffix(self, chosen: str) -> tuple[str, str]:
        """Return the ending of the names of a format's files, and their media type."""

    # Records

    def read(self, record: Record) -> Any:
        """Return the game of a record that is valid against its schema. Raises RecordError."""

    def record(self, game: Any) -> Record:
        """Return a game as a record in the newest version that holds all of it; it has no id.

        Raises RecordError and RuleError.
        """

    def play(self, record: Record) -> Played:
        """Replay a record by the rules. Raises RuleError and RecordError."""

    def played(self, record: Record, game: Any) -> Played:
        """Return the same for a game that has been replayed already."""

    def summary(self, record: Record, game: Any) -> Summary:
        """Return the search fields of a record."""

    # What is shown

    def facts(self, game: Any) -> Iterable[tuple[str, object]]:
        """Yield the names and values of a game's header; None where it does not say."""

    def length(self, game: Any) -> int:
        """Return the number of moves."""

    def picture(self, game: Any, moves: int) -> str:
        """Return the position after so many moves as text."""

    def to_data(self, game: Any) -> dict[str, Any]:
        """Return the whole game as the command line prints it, ready for JSON."""

    def listing(self, game: Any) -> Listing:
        """Return the tree of a game."""

    def to_page(self, game: Any, listing: Listing) -> dict[str, Any]:
        """Return what the browser shows of a game: its `moves`, `tree`, `options` and `facts`."""

    # Writing down

    def recorder(self, facts: Mapping[str, Any]) -> Recorder:
        """Begin a game with facts as `WrittenGame.new_facts` names them. Raises RuleError."""

    def recording(self, body: Mapping[str, Any]) -> Recording:
        """Begin a game with the properties of a request's body. Raises InvalidRequest and RuleError."""

    def continued(self, record: Record) -> Generator[None, None, Recording]:
        """Go on with a record's game, in steps. Raises GamedError."""
