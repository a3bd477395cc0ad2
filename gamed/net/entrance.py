"""Entrances: a listening socket of its own for each seat of a fixture. Who comes in there has the seat.

Source: docs/topics/design.md#fixtures. No byte that a program sends tells which seat it is for, so any program can play
a fixture. Seats are numbered in the order in which a table is joined, so the sockets accept one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from attrs import define
from twisted.internet.interfaces import IAddress, ILoggingContext, IProtocolFactory
from twisted.internet.tcp import Port
from zope.interface import implementer

from gamed.core.reception import Reservation
from gamed.core.table import Step
from gamed.lobby.room import Room
from gamed.net.factory import SessionFactory
from gamed.net.session import Session
from gamed.net.transcript import TranscribedSession, Transcript


@implementer(IProtocolFactory, ILoggingContext)
@define(eq=False)
class Entrance:
    """The Twisted factory of one socket, which is used for one fixture after the other."""

    sessions: SessionFactory
    """Makes the sessions of its game."""

    port: Port | None = None
    """The socket; set by whoever has adopted it."""

    reservation: Reservation | None = None
    """The seat of whoever comes in; None: nobody is let in."""

    name: str = ""
    """What the player is called in the record, where its protocol has no names, or its program sends none."""

    transcript: Transcript | None = None
    """Where the messages of whoever comes in are written down; None before the first fixture."""

    def admit(self, reservation: Reservation, name: str, transcript: Transcript) -> None:
        """Accept connections, for a seat."""
        self.reservation, self.name, self.transcript = reservation, name, transcript
        assert self.port is not None
        self.port.startReading()

    def shut(self) -> None:
        """Accept none until the next `admit`: they wait in the kernel."""
        self.reservation = None
        if self.port is not None:
            self.port.stopReading()

    def close(self) -> None:
        """Close the socket."""
        if self.port is not None:
            self.port.stopListening()

    def drain(self) -> None:
        """Close the connections that wait: those of a program that has ended."""
        assert self.port is not None
        while True:
            try:
                self.port.socket.accept()[0].close()
            except OSError:
                return

    # IProtocolFactory, ILoggingContext

    def doStart(self) -> None:
        """Do nothing: the sessions of a game have one factory, which outlives its entrances."""

    def doStop(self) -> None:
        """Do nothing, as above."""

    def logPrefix(self) -> str:
        """Return the name of the game's listener, for logs."""
        return self.sessions.logPrefix()

    def buildProtocol(self, address: IAddress) -> Session | None:
        """Return a session with the seat, or None, which closes the connection."""
        if self.reservation is None or self.transcript is None:
            return None
        session = self.sessions.buildProtocol(address, partial(TranscribedSession, transcript=self.transcript))
        if session is not None:
            session.reservation = self.reservation
            if self.name:
                session.introduce(self.name)
        return session


@define(eq=False)
class Seating:
    """Opens the entrances of a room one after the other: each when the seat before it is taken. It watches the room."""

    room: Room
    entrances: Sequence[Entrance]
    reservations: Sequence[Reservation]
    names: Sequence[str]
    transcripts: Sequence[Transcript]
    tell: Callable[[int], None]
    """Called with each seat that is taken."""

    _opened: int = 0
    _taken: int = 0

    def begin(self) -> None:
        """Open the first entrance."""
        self.room.watchers += (self.watch,)
        self._open_next()

    def _open_next(self) -> None:
        number = self._opened
        self._opened += 1
        self.entrances[number].admit(self.reservations[number], self.names[number], self.transcripts[number])

    def watch(self, room: Room, step: Step) -> None:
        """Open the next entrance if the seat before it is taken; shut all with the room."""
        if step.closed:
            for entrance in self.entrances:
                entrance.shut()
            return
        while self._taken < self._opened and self._taken in room.peers:
            self.tell(self._taken)
            self._taken += 1
            if self._opened < len(self.entrances):
                self._open_next()
