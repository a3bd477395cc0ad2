"""The grammar of the messages: it reads a line as an event, and writes an event as a line.

Source: docs/reference/roborally.md#grammar, docs/specs/roborally.md#22-lists,
docs/specs/roborally.md#23-repairs-of-the-text.

White space is allowed between tokens and not inside them. Except in a plan, there is always a bracket or comma between
two tokens of letters and digits. So white space with letters or digits on both sides is inside a token, which is an
error, and all other white space can be removed before the line is matched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from gamed.core.errors import LocalProtocolError
from gamed.core.events import Event
from gamed.core.refusals import Refusal
from gamed.games.roborally import messages as m
from gamed.games.roborally import slips
from gamed.games.roborally.messages import Malformed, ProgramCard, Reason
from gamed.games.roborally.rules.board import LETTERS, Direction, Place, parse_plan
from gamed.games.roborally.rules.cards import Action
from gamed.games.roborally.rules.notation import (
    FIELD,
    NUMBER,
    NotationError,
    field_to_notation,
    read_floor,
    read_wall,
)


class Sender(StrEnum):
    """Who sent a line: the two sides have different messages."""

    PEER = "peer"
    MANAGER = "manager"


_NAME = r"[A-Za-z]{1,32}"
_INT = r"(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}|0)"
_ACTIONS = {action.value: action for action in Action}
_NAME_NOTE = "a name is 1 to 32 letters A to Z and a to z"
_PLACE_NOTE = "x is the column from the west and y the row from the south, counted from 1"
_ASCII: Final = "printable ASCII, and in names only the letters A to Z and a to z"
_HTTP: Final = re.compile(r"(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|CONNECT|PATCH) \S+ HTTP/[0-9]")
_PLACE = rf"\({NUMBER},{NUMBER}\)"
_CARD = rf"PK\((?:{'|'.join(Action)}),{NUMBER}\)"
_PLAYED = rf"\({_NAME},(?:{_CARD})+\)"

_ILLEGAL = re.compile(rb"[^\t\x20-\x7e]")
_SPLIT_TOKEN = re.compile(r"[A-Za-z0-9][ \t]+[A-Za-z0-9]")
_EACH_NUMBER = re.compile(r"[0-9]+")
_EACH_CARD = re.compile(rf"PK\((..),({NUMBER})\)")
_EACH_PLAYED = re.compile(rf"\(({_NAME}),((?:{_CARD})+)\)")
_EACH_LOCKED = re.compile(rf"\(([1-5]),({_CARD})\)")


class _Rule(NamedTuple):
    """How a message with arguments is read."""

    form: str
    """An example, for people."""

    pattern: re.Pattern[str]
    """What the line must match, without its white space."""

    build: Callable[..., Event]
    """Makes the event of the pattern's groups."""

    note: str
    """An explanation of the arguments, for people."""


def _rule(form: str, pattern: str, build: Callable[..., Event], note: str = "") -> _Rule:
    return _Rule(form, re.compile(pattern), build, note)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, _EACH_NUMBER.findall(text)))


def _place(text: str) -> Place:
    east, north = _EACH_NUMBER.findall(text)
    return int(east), int(north)


def _places(text: str) -> tuple[Place, ...]:
    numbers = iter(_numbers(text))
    return tuple(zip(numbers, numbers, strict=True))


def _names(text: str) -> tuple[str, ...]:
    # Each name is followed by a comma, the last one, too.
    return tuple(text.split(",")[:-1])


def _cards(text: str) -> tuple[ProgramCard, ...]:
    return tuple(ProgramCard(_ACTIONS[action], int(priority)) for action, priority in _EACH_CARD.findall(text))


def _robot(*parts: str) -> Event:
    facing, place, flag, archive, damage, lives, locked, active, virtual = parts
    return m.RobotAnswer(
        Direction[facing],
        _place(place),
        int(flag),
        _place(archive),
        int(damage),
        int(lives),
        tuple((int(register), _cards(card)[0]) for register, card in _EACH_LOCKED.findall(locked)),
        is_active=active == "t",
        is_virtual=virtual == "t",
    )


def _played(phase: str, played: str) -> Event:
    return m.PhaseAnswer(int(phase), tuple((name, _cards(cards)) for name, cards in _EACH_PLAYED.findall(played)))


def _literal(text: str) -> str:
    # Other managers may write a comma between the two lists of a belt. No other part of a plan has these characters.
    return text.replace("),(", ")(")


def _field(floor: str, *walls: str) -> Event:
    north, east, south, west = map(read_wall, walls)
    return m.FieldAnswer(read_floor(_literal(floor)), (north, east, south, west))


class _Side(NamedTuple):
    """The messages that one side may send."""

    words: Mapping[str, Event]
    """Messages without arguments."""

    rules: Mapping[str, tuple[_Rule, ...]]
    """Messages with arguments, by the word before the bracket."""


_PEER = _Side(
    {
        "ok": m.Ok(),
        "error": m.Error(),
        "GSD": m.GetSize(),
        "GFL": m.GetFlags(),
        "GPL": m.GetPlan(),
        "GSN": m.GetNames(),
        "GSS": m.GetGame(),
        "GSA": m.GetPhase(),
        "GTO": m.GetTimeout(),
    },
    {
        "RGS": (_rule("RGS(name)", rf"RGS\(({_NAME})\)", m.RegisterPlayer, _NAME_NOTE),),
        "RGA": (_rule("RGA(name)", rf"RGA\(({_NAME})\)", m.RegisterChannel, _NAME_NOTE),),
        "RLE": (_rule("RLE(name)", rf"RLE\(({_NAME})\)", m.SignOff, _NAME_NOTE),),
        "SRO": (_rule("SRO(name)", rf"SRO\(({_NAME})\)", m.FindRobot, _NAME_NOTE),),
        "GRS": (_rule("GRS(name)", rf"GRS\(({_NAME})\)", m.GetRobot, _NAME_NOTE),),
        "SFI": (_rule("SFI((x,y))", rf"SFI\(({_PLACE})\)", lambda place: m.GetField(_place(place)), _PLACE_NOTE),),
        "TNR": (
            _rule(
                "TNR(name,N)",
                rf"TNR\(({_NAME}),([NESW])\)",
                lambda name, letter: m.FacingChosen(name, Direction[letter]),
                "the facing is N, E, S or W",
            ),
        ),
        "TRP": (
            _rule(
                "TRP(name,(1,2,3,4,5,),f)",
                rf"TRP\(({_NAME}),\(((?:{NUMBER}(?:,{NUMBER})*,?)?)\),([tf])\)",
                lambda name, indices, letter: m.ProgramChosen(name, _numbers(indices), letter == "t"),
                "each number is the place of a card in MRP (the first is 1); with t the robot powers down after this"
                " turn, with f it does not",
            ),
        ),
        "TBD": (
            _rule(
                "TBD(name,t)",
                rf"TBD\(({_NAME}),([tf])\)",
                lambda name, letter: m.StayChosen(name, letter == "t"),
                "t or f",
            ),
        ),
        "TRR": (
            _rule(
                "TRR(name,3,5,)",
                rf"TRR\(({_NAME})((?:,[1-5])*),?\)",
                lambda name, registers: m.RepairsChosen(name, _numbers(registers)),
                "registers are 1 to 5",
            ),
        ),
    },
)

_MANAGER = _Side(
    {
        "ok": m.Ok(),
        "error": m.Error(),
        "NTS": m.GameStarts(),
        "MNR": m.FacingWanted(),
        "MBD": m.StayWanted(),
        "RSE": m.RobotGone(),
    },
    {
        "NTC": (_rule("NTC(name,)", rf"NTC\(((?:{_NAME},)*)\)", lambda names: m.Changed(_names(names))),),
        "MRP": (_rule("MRP(PK(M1,49))", rf"MRP\(((?:{_CARD})*)\)", lambda cards: m.ProgramWanted(_cards(cards))),),
        "MRR": (_rule("MRR(2)", rf"MRR\(({NUMBER})\)", lambda points: m.RepairsWanted(int(points))),),
        "REN": (
            _rule("REN(GO)", r"REN\((LL|TO|GO|RV|ZS)\)", lambda reason: m.Removed(Reason(reason))),
            _rule("REN(SO(letters))", r"REN\(SO\(([A-Za-z]+)\)\)", lambda note: m.Removed(Reason.OTHER, note)),
        ),
        "": (
            _rule("(x,y)", rf"({_PLACE})", lambda place: m.PlaceAnswer(_place(place))),
            _rule("(x,y)(x,y)", rf"((?:{_PLACE}){{2,}})", lambda places: m.FlagsAnswer(_places(places))),
            _rule("(name,)", rf"\(((?:{_NAME},)*)\)", lambda names: m.NamesAnswer(_names(names))),
            _rule("(B,____)", FIELD, _field),
        ),
        "RS": (
            _rule(
                "RS(N,(9,1),1,(9,1),0,3,()t,t,)",
                rf"RS\(([NESW]),({_PLACE}),({NUMBER}),({_PLACE}),(10|[0-9]),([0-3]),"
                rf"\(((?:\([1-5],{_CARD}\))*)\),?([tf]),([tf]),\)",
                _robot,
            ),
        ),
        "SS": (
            _rule("SS(LAU)", r"SS\(LAU\)", m.GameAnswer),
            _rule("SS(END,name,)", rf"SS\(END,((?:{_NAME},)+)\)", lambda names: m.GameAnswer(_names(names))),
        ),
        "SA": (
            _rule("SA()", r"SA\(\)", m.PhaseAnswer),
            _rule("SA(1,(name,PK(M1,49)))", rf"SA\(([1-5]),((?:{_PLAYED})+)\)", _played),
        ),
        "TO": (_rule("TO(60)", rf"TO\(({_INT})\)", lambda seconds: m.TimeoutAnswer(int(seconds))),),
    },
)

_SIDES: Final = {Sender.PEER: _PEER, Sender.MANAGER: _MANAGER}
_OPEN: Final = re.compile(
    rb"[ \t]*(?:(?:RGS|RGA|RLE|SRO|GRS)\([^,]*|SFI\(*[0-9]*,?[0-9]*\)*|(?:TNR|TBD)\([^0-9]*)[ \t]*"
)
"""Lines that may be shown to everybody: they cannot contain a program, however malformed they are."""

_LINES: Final = {
    sender: {word.encode(): event for word, event in side.words.items()} for sender, side in _SIDES.items()
}


def parse(line: bytes, sender: Sender) -> Event:
    """Return the message of a line without its end, or Malformed if `sender` has no such message.

    A message without arguments is the same object each time.
    """
    word = _LINES[sender].get(line)
    if word is not None:
        return word
    if _ILLEGAL.search(line):
        return malformed("illegal-byte", "the line has a character that is not printable ASCII", _ASCII, line)
    text = line.decode("ascii")
    if sender is Sender.MANAGER and text.lstrip(" \t")[:1] in ("#", "_", "["):
        return _plan(text)
    return _message(text, _SIDES[sender])


def _message(text: str, side: _Side) -> Event:
    packed = text.replace(" ", "").replace("\t", "")
    head = packed.partition("(")[0]
    rules = side.rules.get(head, ())
    if not rules and head not in side.words:
        return _unknown(text, head, side)
    if packed != text and _SPLIT_TOKEN.search(text):
        reason = f"there is white space inside a name, a number or a keyword after {head}, or a comma is missing"
        return malformed("white-space", reason, _form(head, side), text.encode())
    for rule in rules:
        match = rule.pattern.fullmatch(packed)
        if match is not None:
            return rule.build(*match.groups())
    word = side.words.get(packed)
    if word is not None:
        return word
    form, fault = _form(head, side), slips.fault(head, packed)
    if fault and (head in slips.SECRET or is_open(text.encode())):
        return malformed("malformed", fault, form, text.encode())
    reason = f"what follows {head} is not in the right form" if head else "no message has this form"
    return malformed("malformed", reason, f"{form}; here {fault}" if fault else form, text.encode())


def _unknown(text: str, head: str, side: _Side) -> Malformed:
    for word in (head.upper(), head.lower()):
        if word in side.rules or word in side.words:
            case = "capitals" if word.isupper() else "lower case"
            reason = f"{word} must be written in {case}"
            return malformed("wrong-case", reason, _form(word, side), text.encode())
    if _HTTP.match(text):
        reason = "this is an HTTP request, but this port is for players and output channels of RoboRally"
        return malformed("http", reason, "RGS(name), from a program that speaks this protocol", text.encode())
    words = ", ".join(word for word in (*side.rules, *side.words) if word)
    reason = "no message of RoboRally begins like this"
    return malformed("unknown-word", reason, f"a message that begins with one of {words}", text.encode())


def _form(head: str, side: _Side) -> str:
    """Return the forms of a message and their explanations, for people."""
    rules = side.rules.get(head, ())
    forms = [*(rule.form for rule in rules), *([head] if head in side.words else [])]
    notes = [rule.note for rule in rules if rule.note]
    return "; ".join([" or ".join(forms), *notes])


def malformed(code: str, reason: str, expected: str, line: bytes) -> Malformed:
    """Return the event of a line that does not match the grammar. It is hidden if it may contain a program."""
    return Malformed(Refusal(code, reason, expected, line, is_hidden=not is_open(line)))


def is_open(line: bytes) -> bool:
    """Whether a line may be shown to everybody, because it cannot contain a program."""
    return _OPEN.fullmatch(line) is not None


def _plan(text: str) -> Event:
    try:
        return m.PlanAnswer(parse_plan(_literal(text)))
    except NotationError as error:
        return malformed("plan", f"this is not a plan: {error}", "", text[:200].encode())


def _text_of_place(place: Place) -> str:
    return f"({place[0]},{place[1]})"


def _text_of_cards(cards: Iterable[ProgramCard]) -> str:
    return "".join([f"PK({action},{priority})" for action, priority in cards])


def _list(items: Iterable[object]) -> str:
    # Each item of a list is followed by a comma.
    return "".join([f"{item}," for item in items])


def _bool(value: bool) -> str:  # noqa: FBT001 (a truth value is all that there is to spell)
    return "t" if value else "f"


def _removed(event: m.Removed) -> str:
    return f"REN(SO({event.note}))" if event.reason is Reason.OTHER else f"REN({event.reason.value})"


def _text_of_robot(event: m.RobotAnswer) -> str:
    locked = "".join([f"({register},{_text_of_cards((card,))})" for register, card in event.locked])
    return (
        f"RS({LETTERS[event.facing]},{_text_of_place(event.place)},{event.flag},{_text_of_place(event.archive)},"
        f"{event.damage},{event.lives},({locked}){_bool(event.is_active)},{_bool(event.is_virtual)},)"
    )


def _text_of_phase(event: m.PhaseAnswer) -> str:
    if event.phase is None:
        return "SA()"
    return f"SA({event.phase},{''.join([f'({name},{_text_of_cards(cards)})' for name, cards in event.played])})"


_PEER_SPELLING: Final[Mapping[type[Event], Callable[[Any], str]]] = {
    m.RegisterPlayer: lambda event: f"RGS({event.name})",
    m.RegisterChannel: lambda event: f"RGA({event.name})",
    m.SignOff: lambda event: f"RLE({event.name})",
    m.FindRobot: lambda event: f"SRO({event.name})",
    m.GetField: lambda event: f"SFI({_text_of_place(event.place)})",
    m.GetRobot: lambda event: f"GRS({event.name})",
    m.FacingChosen: lambda event: f"TNR({event.name},{LETTERS[event.direction]})",
    m.ProgramChosen: lambda event: f"TRP({event.name},({_list(event.indices)}),{_bool(event.powers_down)})",
    m.StayChosen: lambda event: f"TBD({event.name},{_bool(event.stays_down)})",
    m.RepairsChosen: lambda event: f"TRR({event.name},{_list(event.registers)})",
}

_MANAGER_SPELLING: Final[Mapping[type[Event], Callable[[Any], str]]] = {
    m.Changed: lambda event: f"NTC({_list(event.names)})",
    m.ProgramWanted: lambda event: f"MRP({_text_of_cards(event.cards)})",
    m.RepairsWanted: lambda event: f"MRR({event.points})",
    m.Removed: _removed,
    m.PlaceAnswer: lambda event: _text_of_place(event.place),
    m.FlagsAnswer: lambda event: "".join(map(_text_of_place, event.places)),
    m.PlanAnswer: lambda event: event.board.plan,
    m.NamesAnswer: lambda event: f"({_list(event.names)})",
    m.FieldAnswer: lambda event: field_to_notation(event.floor, event.walls),
    m.RobotAnswer: _text_of_robot,
    m.GameAnswer: lambda event: f"SS(END,{_list(event.order)})" if event.order else "SS(LAU)",
    m.PhaseAnswer: _text_of_phase,
    m.TimeoutAnswer: lambda event: f"TO({event.seconds})",
}

SAYABLE: Final = {
    Sender.PEER: frozenset((*map(type, _PEER.words.values()), *_PEER_SPELLING)),
    Sender.MANAGER: frozenset((*map(type, _MANAGER.words.values()), *_MANAGER_SPELLING)),
}
"""The events that each side may send."""

_WORDS: Final = {type(event): word.encode() for side in _SIDES.values() for word, event in side.words.items()}
_SPELLING: Final = {**_PEER_SPELLING, **_MANAGER_SPELLING}


def serialize(event: Event) -> bytes:
    """Return the line of a message, without its end.

    The arguments are not checked, because they do not come from a peer. Raises LocalProtocolError for an event that is
    not a message.
    """
    kind = type(event)
    word = _WORDS.get(kind)
    if word is not None:
        return word
    text_of = _SPELLING.get(kind)
    if text_of is None:
        raise LocalProtocolError(f"the RoboRally dialect cannot say {event!r}")
    return text_of(event).encode("ascii")
