"""The refusals of RoboRally: why a line had no effect, or why its peer was removed.

Source: docs/reference/roborally.md#what-is-not-acceptable. A `Refusal` is for the developer of a client: it is logged
and shown to operators, and never sent over the wire. Its reason is public while the game is running, so it does not
quote the line. A line that may contain a program, or the registers that a robot opens, is hidden.
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
    """The three letters that it begins with."""

    answer: str
    """A description of its answer; {name} stands for the peer's name."""

    silence: str
    """What happens if the peer does not answer it in time."""


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
"""The requests that each answer is for."""


def _of(code: str, reason: str, expected: str, event: Event | None = None) -> Refusal:
    if isinstance(event, Unread):
        # It could not be read: the grammar's own refusal says more.
        return event.refusal
    text = b"" if event is None else serialize(event)
    return Refusal(code, reason, expected, text, isinstance(event, m.ProgramChosen | m.RepairsChosen))


# Before the registration


def unregistered(event: Event) -> Refusal:
    """Return the refusal of a message before the registration."""
    return _of("not-registered", "this connection has not registered yet", REGISTER, event)


def name_taken(event: m.Registration) -> Refusal:
    """Return the refusal of a registration whose name is in use."""
    return _of("name-taken", "a player or channel in this game already has this name", "another name", event)


def no_place(event: m.Registration, reason: str) -> Refusal:
    """Return the refusal of a registration that is answered with REN(ZS)."""
    sentence = f"{reason}; the connection is closed: REN(ZS)"
    return _of("no-place", sentence, "a registration when another game opens", event)


def register_too_late(seconds: float, unfinished: bytes) -> Refusal:
    """Return the refusal of a connection that did not register in time. `unfinished`: the line that it has begun."""
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
    """Return the refusal of a query that has no answer."""
    if isinstance(query, m.FindRobot):
        reason = "no player of this name is on the board"
        return _of("unknown-player", reason, "the name of a player, see GSN, that GRS does not answer with RSE", query)
    return _of("unknown-player", "no player of this game has this name", "a name that GSN tells", query)


def after_the_end(event: Event) -> Refusal:
    """Return the refusal of a message that came after REN(LL) or REN(GO)."""
    return _of(
        "after-end", "the game is over for this peer", "only queries such as GSS, until the connection is closed", event
    )


def unexpected(event: Event, name: str, request: m.ManagerRequest | None) -> Refusal:
    """Return the refusal of a message that does not fit the open request; None: no request is open."""
    if isinstance(event, Unread):
        # Its example says `name`; put in the peer's real name.
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
    """Return the refusal of an answer that the rules do not allow. The player is removed for it."""
    asked = _ASKED[type(request)]
    reason = f"the answer to {asked.word} is not allowed: {sentence}; the player is removed: REN(RV)"
    return _of(code, reason, asked.answer.format(name=name), event)


def late(
    name: str, request: m.ManagerRequest, seconds: float, event: Event | None = None, taken: float = 0.0
) -> Refusal:
    """Return the refusal of a peer that has not answered a request in time. `event`: its answer, if one came.

    `taken`: the seconds until then. Each request has a code of its own, because pages show only the first reason of a
    code.
    """
    asked = _ASKED[type(request)]
    if event is None:
        reason = f"no answer to {asked.word} came within {seconds:g} s; {asked.silence}"
    else:
        reason = f"the answer to {asked.word} came after {taken:.1f} s, later than the {seconds:g} s; {asked.silence}"
    return _of(f"{asked.word.lower()}-too-late", reason, asked.answer.format(name=name), event)


def late_in_all(budget: float) -> Refusal:
    """Return the refusal of a channel whose `ok`s of one turn have taken too long together."""
    reason = f"the answers to the NTCs of this turn took {budget:g} s together; the channel is removed: REN(TO)"
    return _of("ntcs-too-late", reason, "ok to NTC, sooner")


def violations(count: int) -> Refusal:
    """Return the refusal of a peer that has sent too many messages that were answered with `error`."""
    reason = f"{count} messages were answered with error, and no more are allowed; the connection is closed"
    return _of("too-many-violations", reason, "messages that the protocol allows")
