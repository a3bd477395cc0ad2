"""Why a line of a peer had no effect, or cost it its place: for developers, never said over the wire.

Source: docs/reference/roborally.md#what-is-not-acceptable. A reason is public while the game runs, so it quotes nothing
of a line; a line that may tell a program, or which registers a robot opens, is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from attrs import evolve

from gamed.core.events import Event, Unread
from gamed.core.refusals import Refusal
from gamed.games.roborally import messages as m
from gamed.games.roborally.grammar import Sender, parse, serialize

_REMOVED_LATE: Final = "the player is removed: REN(TO)"
REGISTER: Final = "RGS(name) for a player, or RGA(name) for an output channel, as the first message"


class _Asked(NamedTuple):
    """A request of the manager."""

    word: str
    """What it begins with."""

    answer: str
    """What answers it, for people; {name} is the peer's name."""

    silence: str
    """What becomes of a peer that does not answer it in time."""


_ASKED: Final[Mapping[type[m.ManagerRequest], _Asked]] = {
    m.GameStarts: _Asked("NTS", "ok to NTS", "the game goes on without it"),
    m.Changed: _Asked("NTC", "ok to NTC, as soon as the change has been shown", "the channel is removed: REN(TO)"),
    m.FacingWanted: _Asked("MNR", "TNR({name},E), with your own name and N, E, S or W", _REMOVED_LATE),
    m.ProgramWanted: _Asked(
        "MRP",
        "TRP({name},(1,2,3,4,5,),f), with one number for each open register: the place of a card in MRP"
        " (the first is 1); then t or f",
        _REMOVED_LATE,
    ),
    m.StayWanted: _Asked("MBD", "TBD({name},t) or TBD({name},f)", _REMOVED_LATE),
    m.RepairsWanted: _Asked("MRR", "TRR({name},3,5,), with the registers that are to be opened", _REMOVED_LATE),
}
_ANSWERED: Final[Mapping[str, str]] = {
    "TNR": "MNR",
    "TRP": "MRP",
    "TBD": "MBD",
    "TRR": "MRR",
    "ok": "NTS or NTC",
    "error": "NTS or NTC",
}
"""What each answer is for."""


def _of(code: str, reason: str, expected: str, event: Event | None = None) -> Refusal:
    if isinstance(event, Unread):
        # What is wrong with it as a line comes first.
        return event.refusal
    text = b"" if event is None else serialize(event)
    return Refusal(code, reason, expected, text, isinstance(event, m.ProgramChosen | m.RepairsChosen))


# Before the registration


def unregistered(event: Event) -> Refusal:
    """Return why a message of a guest is not taken."""
    return _of("not-registered", "this connection has not registered yet", REGISTER, event)


def name_taken(event: m.Registration) -> Refusal:
    """Return why a registration is rejected whose name is in use."""
    return _of("name-taken", "a player or channel in this game already has this name", "another name", event)


def no_place(event: m.Registration, reason: str) -> Refusal:
    """Return why a registration is answered with REN(ZS)."""
    sentence = f"{reason}; the connection is closed: REN(ZS)"
    return _of("no-place", sentence, "a registration when another game opens", event)


def register_too_late(seconds: float, unfinished: bytes) -> Refusal:
    """Return why a guest is let go. `unfinished`: the line that it has begun."""
    reason = f"no registration came within {seconds:g} s"
    if isinstance(parse(unfinished.strip(), Sender.PEER), m.Registration):
        reason = f"the registration was not complete after {seconds:g} s: its line feed is missing"
    elif unfinished:
        reason = f"the first message was not complete after {seconds:g} s"
    return Refusal(
        "register-too-late", f"{reason}; the connection is closed", f"{REGISTER}, and a line feed", unfinished
    )


# After it


def unanswerable(query: m.Query) -> Refusal:
    """Return why a query has no answer."""
    if isinstance(query, m.FindRobot):
        reason = "no player of this name is on the board"
        return _of("unknown-player", reason, "the name of a player, see GSN, that GRS does not answer with RSE", query)
    return _of("unknown-player", "no player of this game has this name", "a name that GSN tells", query)


def after_the_end(event: Event) -> Refusal:
    """Return why a message after REN(LL) or REN(GO) is ignored."""
    return _of(
        "after-end", "the game is over for this peer", "only queries such as GSS, until the connection is closed", event
    )


def unexpected(event: Event, name: str, request: m.ManagerRequest | None) -> Refusal:
    """Return why a message is not taken, where `request` is open."""
    if isinstance(event, Unread):
        # The examples have the peer's real name.
        return evolve(event.refusal, expected=event.refusal.expected.replace("(name", f"({name}"))
    asked = None if request is None else _ASKED[type(request)]
    if isinstance(event, m.Registration):
        reason = f"this connection is registered as {name}: one connection is one player or channel"
        return _of("registered-already", reason, "a connection for each player and each channel", event)
    if isinstance(event, m.SignOff):
        return _of("other-name", "RLE leaves under another name", f"RLE({name})", event)
    if asked is None:
        reason = "the manager has not asked for this: it was too early, too late, or sent twice"
        return _of("not-asked", reason, "one answer to each request, after it: NTS, NTC, MNR, MRP, MBD, MRR", event)
    word = serialize(event).partition(b"(")[0].decode()
    reason = f"the open request is {asked.word}, and {word} does not answer it"
    expected = f"{asked.answer.format(name=name)}, and {word} only after {_ANSWERED[word]}"
    return _of("not-asked", reason, expected, event)


def forbidden(code: str, sentence: str, name: str, event: m.MoveAnswer, request: m.ManagerRequest) -> Refusal:
    """Return why a peer is removed that has given an answer which the rules do not allow."""
    asked = _ASKED[type(request)]
    reason = f"the answer to {asked.word} is not allowed: {sentence}; the player is removed: REN(RV)"
    return _of(code, reason, asked.answer.format(name=name), event)


def late(name: str, request: m.ManagerRequest, seconds: float) -> Refusal:
    """Return why a peer is removed, or no longer waited for, that has not answered within its time.

    Each request has a code of its own, because the first reason of a code is shown for all of them.
    """
    asked = _ASKED[type(request)]
    reason = f"no answer to {asked.word} came within {seconds:g} s; {asked.silence}"
    return _of(f"{asked.word.lower()}-too-late", reason, asked.answer.format(name=name))


def late_in_all(budget: float) -> Refusal:
    """Return why a channel is removed that has taken too long for the acknowledgements of a turn together."""
    reason = f"the answers to the NTCs of this turn took {budget:g} s together; the channel is removed: REN(TO)"
    return _of("ntcs-too-late", reason, "ok to NTC, sooner")


def violations(count: int) -> Refusal:
    """Return why a peer is let go that has sent too much of what is not acceptable."""
    reason = f"{count} messages were answered with error, and no more are allowed; the connection is closed"
    return _of("too-many-violations", reason, "messages that the protocol allows")
