"""Writes a history as a replay file of the official server, and reads such files.

Source: docs/reference/software-challenge.md#replay-files. A file has a line `<protocol>`, a room element with the state
after each move, one with the result, and `</protocol>`. It contains no times. What chance drew is in the states only,
and a move only as the state echoes it. If a player left, the server wrote an empty room element instead of the result,
or ended the file there. The season's GUI saves all messages that it got: the same room elements, and also `prepared`,
`observed`, `left` and others.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element

from gamed.core.errors import IllegalMove, RemoteProtocolError
from gamed.core.game import CHANCE, Outcome, Seat, Termination
from gamed.core.history import DRAWN, JOINED, LEFT, MOVE, STARTED, Entry, History, Value, ended
from gamed.games.softwarechallenge.client_wire import read as read_message
from gamed.games.softwarechallenge.dialect import IN_2020
from gamed.games.softwarechallenge.follower import MESSAGE_BYTES, names_of
from gamed.games.softwarechallenge.messages import UNKNOWN, Memento, ServerMessage
from gamed.games.softwarechallenge.messages import Result as ResultMessage
from gamed.games.softwarechallenge.season import Cause, Fault, Result
from gamed.games.softwarechallenge.seasons.hive.client import read_state
from gamed.games.softwarechallenge.seasons.hive.moves import COLORS, Obstructed, parse, to_notation
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import OBSTRUCTED, Hive
from gamed.games.softwarechallenge.seasons.hive.wire import GAME_TYPES, KIND, echo, memento, read, result
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection, escaped
from gamed.wire.xmlstream import XmlStream

UNKNOWN_TIME: Final = "1970-01-01T00:00:00.000Z"
"""The beginning of all games that were read from files, because a file does not tell it."""
LIMITS: Final = {"soft_milliseconds": 2000, "hard_milliseconds": 10_000}
"""The official server's time limits."""

_HIVE: Final = Hive()
_BY_RULES: Final = (Termination.VICTORY, Termination.DRAW)
_INDENTED: Final = re.compile(r"^  (?= *<)", re.MULTILINE)
_UNFIT: Final = re.compile(r"[^\w.-]")
_NAME_BYTES: Final = 64
_LAST_MOVE: Final = re.compile(r"( *)<lastMove class=\"\w+\"(/?)>")


# Writing


def write(history: History) -> bytes:
    """Return the replay file of a game. For a cancelled game the file contains no result."""
    names = _names(history)
    wire, state, rooms = SoftwareChallengeConnection(), _HIVE.setup(history.options), []
    for entry in history.entries:
        if entry.kind not in (DRAWN, MOVE) or entry.body is None:
            continue
        move = parse(entry.body.decode())
        state = _HIVE.apply(state, CHANCE if entry.seat is None else entry.seat, move)
        said = "" if isinstance(move, Obstructed) else echo(move)
        text = _moved_left(wire, Memento(history.room, memento(state, names, said)))
        rooms.append(_with_hint(text, str(entry.data["hint"])) if "hint" in entry.data else text)
    said_last = _result(history, state, names)
    if said_last is not None:
        rooms.append(_moved_left(wire, ResultMessage(history.room, said_last.body)))
    return "\n".join(["<protocol>", *rooms, "</protocol>"]).encode()


def scores(history: History) -> Mapping[str, Sequence[int]]:
    """Return each side's points and the free fields around its bee, as in the result; {} if there is no result."""
    state = _HIVE.setup(history.options)
    for seat, move in _moves(history):
        state = _HIVE.apply(state, seat, move)
    found = _result(history, state, _names(history))
    if found is None:
        return {}
    points, free = zip(*found.parts, strict=True)
    return {"points": [*map(int, points)], "free": [*map(int, free)]}


def file_name(history: History) -> str:
    """Return a name for a game's file, as the official server makes it, with the beginning of the room's id appended.

    The id makes the name unique. The rest is the names of the sides, with `_` for characters that are not safe in the
    name of a file, and the time in UTC at which the game began.
    """
    names = [_UNFIT.sub("_", name).encode()[:_NAME_BYTES].decode(errors="ignore") for name in _names(history)]
    began = re.sub("[-:]", "_", history.opened_at[:19].replace("-", ".").replace("T", "_"))
    return f"replay_{GAME_TYPES[0]}_{'_'.join(names)}_{began}_{history.room[:8]}.xml"


def _names(history: History) -> list[str]:
    return [str(entry.data["name"]) or UNKNOWN for entry in history.of_kind(JOINED)]


def _known_names(state: Element) -> list[str]:
    return ["" if name == UNKNOWN else name for name in names_of(state)]


def _moves(history: History) -> Iterator[tuple[Seat, Any]]:
    for entry in history.entries:
        if entry.kind in (DRAWN, MOVE) and entry.body is not None:
            yield CHANCE if entry.seat is None else entry.seat, parse(entry.body.decode())


def _result(history: History, state: State, names: Sequence[str]) -> Result | None:
    """Return the result of a game; None if it has none."""
    fault = next(map(_fault, history.of_kind(LEFT)), None)
    outcome = history.outcome
    if outcome is None or (fault is None and outcome.termination not in _BY_RULES):
        return None
    return result(state, names, fault)


def _moved_left(wire: SoftwareChallengeConnection, message: ServerMessage) -> str:
    """Return a message as it is in a file: not indented."""
    return _INDENTED.sub("", wire.send(message).decode().removeprefix("<protocol>").lstrip("\n"))


def _with_hint(text: str, hint: str) -> str:
    """Return a state with the mover's comment, which is the first child of `lastMove`."""
    found = _LAST_MOVE.search(text)
    assert found is not None
    pad, shut = found.groups()
    line = f"\n{pad}  <hint>{escaped(hint)}</hint>"
    rest = f"\n{pad}</lastMove>" if shut else ""
    return f"{text[: found.end()].removesuffix('/>').removesuffix('>')}>{line}{rest}{text[found.end() :]}"


def _fault(entry: Entry) -> Fault:
    """Return why a side has lost, if not by the rules."""
    assert entry.seat is not None
    why = entry.data["why"]
    if why == Termination.FORFEIT:
        return Fault(entry.seat, Cause.RULE_VIOLATION, str(entry.data.get("text", "")))
    if why != Termination.TIME:
        return Fault(entry.seat, Cause.LEFT, IN_2020.left("", Termination.LEFT))
    limit = str(entry.data.get("limit", "soft"))
    seconds = int(entry.data.get(limit, LIMITS[f"{limit}_milliseconds"])) / 1000
    cause = Cause.SOFT_TIMEOUT if limit == "soft" else Cause.HARD_TIMEOUT
    return Fault(entry.seat, cause, IN_2020.late("", seconds, seconds, is_soft=True))


# Reading


def read_replay(document: bytes) -> History:
    """Return the history of a replay file. All its entries have the time 0, and it begins at `UNKNOWN_TIME`.

    Raises RemoteProtocolError if it is not such a file, and RuleError if its moves do not lead to its states.
    """
    found_messages = list(_messages_in(document))
    states = [event for event in found_messages if isinstance(event, Memento)]
    if not states or states[0].element is None:
        raise RemoteProtocolError("it contains no state", code="no-state")
    if len({event.room for event in found_messages}) > 1:
        raise RemoteProtocolError("it contains games of more than one room", code="several-rooms")
    history = History(states[0].room, KIND, UNKNOWN_TIME, 0, LIMITS)
    first = states[0].element
    for seat, (name, side) in enumerate(zip(_known_names(first), COLORS, strict=True)):
        history.entries.append(Entry(0, JOINED, seat, data={"name": name} if name else {"name": "", "side": side}))
    history.entries.append(Entry(0, STARTED))
    state = _play(history, [event.element for event in states if event.element is not None])
    results = [event.element for event in found_messages if isinstance(event, ResultMessage)]
    history.entries += _end(state, results[0] if results else None)
    return history


def _messages_in(document: bytes) -> Iterator[Memento | ResultMessage]:
    """Yield the states and results of a document; skip all other messages. The document may be cut off at the end."""
    try:
        # An incremental decoder accepts a document that is cut off in the middle of a character.
        getincrementaldecoder("utf-8")().decode(document)
    except UnicodeDecodeError as error:
        raise RemoteProtocolError("it is not UTF-8", code="malformed-xml") from error
    stream = XmlStream(MESSAGE_BYTES)
    for data in (document, b""):
        stream.receive_data(data)
        for element in stream.elements():
            if element.tag == "room" and not len(element):
                continue
            event = read_message(element)
            if isinstance(event, (Memento, ResultMessage)):
                yield event


def _play(history: History, states: list[Element]) -> State:
    """Play the moves that led to the states; return the last one."""
    first = read_state(states[0])
    if first.turn or len(first.obstructed) != OBSTRUCTED:
        raise RemoteProtocolError("its first state is not the beginning of a game", code="no-beginning")
    lot = Obstructed(first.obstructed)
    state = _HIVE.apply(_HIVE.setup(history.options), CHANCE, lot)
    history.entries.append(Entry(0, DRAWN, body=to_notation(lot).encode()))
    for element in states:
        said = read_state(element)
        # When a paused game continues, the server sends the same state again.
        if said.turn == state.turn + 1:
            state = _moved(history, state, element)
        if said != state:
            raise IllegalMove(f"the moves do not lead to the state at turn {said.turn}", code="other-position")
    return state


def _moved(history: History, state: State, element: Element) -> State:
    last = element.find("lastMove")
    sent = None if last is None else read(last)
    if sent is None or sent.move is None:
        raise RemoteProtocolError(f"no move led to turn {state.turn + 1}", code="no-move")
    data: dict[str, Value] = {"hint": sent.hint} if sent.hint else {}
    history.entries.append(Entry(0, MOVE, state.mover, to_notation(sent.move).encode(), data))
    return _HIVE.apply(state, state.mover, sent.move)


_FAULTS: Final = {
    Cause.LEFT: (Termination.LEFT, {}),
    Cause.RULE_VIOLATION: (Termination.FORFEIT, {}),
    Cause.SOFT_TIMEOUT: (Termination.TIME, {"limit": "soft"}),
    Cause.HARD_TIMEOUT: (Termination.TIME, {"limit": "hard"}),
}


def _end(state: State, said: Element | None) -> Iterator[Entry]:
    """Yield the entries of the end: who has lost and why, if not by the rules. Without a result it was cancelled."""
    scores = [] if said is None else said.findall("score")
    outcome = _HIVE.outcome(state)
    for seat, score in enumerate(scores[:2]):
        cause = score.get("cause", "")
        if cause in _FAULTS:
            why, data = _FAULTS[Cause(cause)]
            text = {"text": score.get("reason", "")} if why is Termination.FORFEIT else {}
            yield Entry(0, LEFT, seat, data={"why": str(why), **data, **text})
            yield ended(0, Outcome(why, 1 - seat))
            return
    if said is None:
        yield ended(0, Outcome(Termination.CANCELLED) if outcome is None else outcome)
        return
    winner = said.find("winner")
    color = None if winner is None else winner.get("color")
    if outcome is None and _is_next(state, color):
        yield ended(0, Outcome(Termination.CANCELLED))
    elif outcome is None or color != _color(outcome):
        raise IllegalMove("the result is not the one that the rules give", code="other-result")
    else:
        yield ended(0, outcome)


def _color(outcome: Outcome) -> str | None:
    return None if outcome.winner is None else COLORS[outcome.winner]


def _is_next(state: State, color: str | None) -> bool:
    """Return whether one more move can end the game this way.

    The official server does not send the last state of a paused game, so a file can lack the move that ended it.
    """
    outcomes = (_HIVE.outcome(_HIVE.apply(state, state.mover, move)) for move in _HIVE.legal_moves(state, state.mover))
    return any(outcome is not None and _color(outcome) == color for outcome in outcomes)
