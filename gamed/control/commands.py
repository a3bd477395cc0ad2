"""The commands between a daemon and a runner, which both import.

They are AMP's (Twisted's Asynchronous Messaging Protocol), over a UNIX socket: `Adopt` passes a descriptor.

Source: docs/topics/design.md#control.
"""

from __future__ import annotations

from typing import ClassVar, Final

from twisted.protocols.amp import Command, Descriptor, Integer, ListOf, Unicode

from gamed.core.errors import RoomError, StoreError

MOST_EVIDENCE: Final = 60_000
"""Bytes of the evidence on one program. A value of AMP ends at 65,535."""

# From the runner to the daemon


class Begin(Command):
    """Say who is there. A runner that comes back has the key that it had, and keeps its rooms."""

    arguments: ClassVar = [(b"key", Unicode())]
    response: ClassVar = [(b"rooms", ListOf(Unicode()))]
    """The rooms of this runner that have not ended."""


class Adopt(Command):
    """Give the daemon a socket that listens: an entrance of a game."""

    arguments: ClassVar = [(b"entrance", Integer()), (b"game", Unicode()), (b"socket", Descriptor())]
    response: ClassVar = []
    errors: ClassVar = {RoomError: b"ROOM"}


class Open(Command):
    """Open the room of a fixture, and the entrances of its seats."""

    arguments: ClassVar = [(b"fixture", Unicode()), (b"entrances", ListOf(Integer())), (b"stale", ListOf(Integer()))]
    """`fixture`: JSON, with `game`, `id`, `seed`, `options` and `names`, those of the players by seat. `entrances`: one
    for each seat. `stale`: those of them where what waits was sent by programs that have ended."""

    response: ClassVar = [(b"codes", ListOf(Unicode()))]
    """Reservation codes of the seats."""

    errors: ClassVar = {RoomError: b"ROOM", StoreError: b"STORE"}


class Withhold(Command):
    """Have the web show games to nobody but administrators, until `Disclose`, or until the runner has gone."""

    arguments: ClassVar = [(b"rooms", ListOf(Unicode()))]
    response: ClassVar = []


class Disclose(Command):
    """Have the web show games that were withheld."""

    arguments: ClassVar = [(b"rooms", ListOf(Unicode()))]
    response: ClassVar = []


class Absent(Command):
    """End a game that has not begun: the program of a seat never came."""

    arguments: ClassVar = [(b"room", Unicode()), (b"seat", Integer()), (b"word", Unicode())]
    """`word`: see `Testify`."""

    response: ClassVar = []


class Void(Command):
    """End a game so that it counts for nobody."""

    arguments: ClassVar = [(b"room", Unicode())]
    response: ClassVar = []


class Evidence(Command):
    """Store evidence on the program of a seat, for a game that is recorded. No result depends on it."""

    arguments: ClassVar = [(b"room", Unicode()), (b"seat", Integer()), (b"data", Unicode())]
    """`data`: JSON, at most `MOST_EVIDENCE` bytes. Its `numbers` have times of the monotonic clock of both sides."""

    response: ClassVar = []
    errors: ClassVar = {StoreError: b"STORE"}


class Results(Command):
    """Ask for the results of some ids. It is answered when none of these games runs, or is on its way to the store."""

    arguments: ClassVar = [(b"rooms", ListOf(Unicode()))]
    response: ClassVar = [(b"results", ListOf(Unicode()))]
    """JSON."""

    errors: ClassVar = {StoreError: b"STORE"}


class Means(Command):
    """Ask for the means of the numbers that the programs of some games have told of themselves, at most 20."""

    arguments: ClassVar = [(b"rooms", ListOf(Unicode()))]
    response: ClassVar = [(b"means", ListOf(Unicode()))]
    """JSON: one object for each game, by seat and name."""

    errors: ClassVar = {StoreError: b"STORE"}


class Scores(Command):
    """Ask for the scores of recorded games, at most 20."""

    arguments: ClassVar = [(b"rooms", ListOf(Unicode()))]
    response: ClassVar = [(b"scores", ListOf(Unicode()))]
    """JSON: one object for each game, with the scores of its seats by what is counted."""

    errors: ClassVar = {StoreError: b"STORE"}


# From the daemon to the runner


class Testify(Command):
    """Ask what became of the program of a seat whose connection has ended. Only if the runner answers, it has lost."""

    arguments: ClassVar = [(b"room", Unicode()), (b"seat", Integer())]
    response: ClassVar = [(b"word", Unicode())]
    """JSON: the data of an `ATTESTED` entry; empty if the runner knows nothing."""


class Seated(Command):
    """Tell that a seat is taken."""

    arguments: ClassVar = [(b"room", Unicode()), (b"seat", Integer())]
    response: ClassVar = []
    requiresAnswer = False


class Begun(Command):
    """Tell that a game has begun."""

    arguments: ClassVar = [(b"room", Unicode())]
    response: ClassVar = []
    requiresAnswer = False


class Ended(Command):
    """Tell that a room is closed, and how its game ended."""

    arguments: ClassVar = [(b"result", Unicode())]
    """JSON."""

    response: ClassVar = []
    requiresAnswer = False


class Recorded(Command):
    """Tell that the record of a game is stored."""

    arguments: ClassVar = [(b"room", Unicode())]
    response: ClassVar = []
    requiresAnswer = False
