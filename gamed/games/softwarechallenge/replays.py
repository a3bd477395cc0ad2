"""Writes a history as a replay file of the official server, and reads such files.

Source: docs/reference/software-challenge.md#replay-files. A file has a line `<protocol>`, a room element with the state
after each move, one with the result, and `</protocol>`. It contains no times. What chance drew is in the states only,
and a move only as the state echoes it. If a player left, the server of 2020 wrote an empty room element instead of the
result, or ended the file there. The GUIs save all messages that they got: the same room elements, and also `prepared`,
`observed`, `left` and others.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element

from attrs import frozen

from gamed.core.errors import IllegalMove, RemoteProtocolError
from gamed.core.game import CHANCE, Outcome, Seat, Termination
from gamed.core.history import DRAWN, JOINED, LEFT, MOVE, STARTED, Entry, History, Value, ended
from gamed.games.softwarechallenge.client_wire import read as read_message
from gamed.games.softwarechallenge.dialect import PROCESS
from gamed.games.softwarechallenge.follower import MESSAGE_BYTES
from gamed.games.softwarechallenge.messages import Memento, ServerMessage
from gamed.games.softwarechallenge.messages import Result as ResultMessage
from gamed.games.softwarechallenge.season import Cause, Fault, Result, Season
from gamed.games.softwarechallenge.wire import SoftwareChallengeConnection, escaped
from gamed.wire.xmlstream import XmlStream

UNKNOWN_TIME: Final = "1970-01-01T00:00:00.000Z"
"""The beginning of all games that were read from files, because a file does not tell it."""

LIMITS: Final = {"soft_milliseconds": 2000, "hard_milliseconds": 10_000}
"""The official server's time limits."""

_BY_RULES: Final = (Termination.VICTORY, Termination.DRAW)
_INDENTED: Final = re.compile(r"^  (?= *<)", re.MULTILINE)
_UNFIT: Final = re.compile(r"[^\w.-]")
_NAME_BYTES: Final = 64
_LAST_MOVE: Final = re.compile(r"( *)<lastMove class=\"[\w.]+\"(/?)>")


@frozen
class Replays:
    """The replay files of a season."""

    season: Season

    scored: tuple[str, ...]
    """Short names of the columns of the results."""

    read_state: Callable[[Element], Any]
    """Returns the position in a `state` element. Raises RemoteProtocolError."""

    drawn: Callable[[Any], Any]
    """Returns what chance drew, by the first state. Raises RemoteProtocolError if that is not the beginning."""

    names: Callable[[Element, Element | None], Sequence[str]]
    """Returns the players' names in the first state and in the result, "" where there is none."""

    # Writing

    def write(self, history: History) -> bytes:
        """Return the replay file of a game. For a cancelled game the file contains no result."""
        game, names = self.season.game, self._names(history)
        wire, state, rooms = SoftwareChallengeConnection(), game.setup(history.options), []
        for entry in history.entries:
            if entry.kind not in (DRAWN, MOVE) or entry.body is None:
                continue
            move = game.parse(entry.body.decode())
            state = game.apply(state, CHANCE if entry.seat is None else entry.seat, move)
            said = "" if entry.seat is None else self.season.echo(move)
            text = _moved_left(wire, Memento(history.room, self.season.memento(state, names, said)))
            rooms.append(_with_hint(text, str(entry.data["hint"])) if "hint" in entry.data else text)
        said_last = self._result(history, state, names)
        if said_last is not None:
            rooms.append(_moved_left(wire, ResultMessage(history.room, said_last.body)))
        return "\n".join(["<protocol>", *rooms, "</protocol>"]).encode()

    def scores(self, history: History) -> Mapping[str, Sequence[int]]:
        """Return each side's scores, as in the result; {} if there is no result."""
        game = self.season.game
        state = game.setup(history.options)
        for entry in history.entries:
            if entry.kind in (DRAWN, MOVE) and entry.body is not None:
                seat = CHANCE if entry.seat is None else entry.seat
                state = game.apply(state, seat, game.parse(entry.body.decode()))
        found = self._result(history, state, self._names(history))
        if found is None:
            return {}
        columns = zip(*found.parts, strict=True)
        return {name: [*map(int, column)] for name, column in zip(self.scored, columns, strict=True)}

    def file_name(self, history: History) -> str:
        """Return a name for a game's file, as the official server made it, with the beginning of the room's id.

        The id makes the name unique. The rest is the names of the sides, with `_` for characters that are not safe in
        the name of a file, and the time in UTC at which the game began.
        """
        names = [_UNFIT.sub("_", name).encode()[:_NAME_BYTES].decode(errors="ignore") for name in self._names(history)]
        began = re.sub("[-:]", "_", history.opened_at[:19].replace("-", ".").replace("T", "_"))
        return f"replay_{self.season.game_types[0]}_{'_'.join(names)}_{began}_{history.room[:8]}.xml"

    def _names(self, history: History) -> list[str]:
        names = {entry.seat: str(entry.data["name"]) for entry in history.of_kind(JOINED)}
        # In a match of programs, one may never have come.
        return [names.get(seat) or self.season.dialect.nameless for seat in (0, 1)]

    def _result(self, history: History, state: Any, names: Sequence[str]) -> Result | None:
        """Return the result of a game; None if it has none."""
        left = next(history.of_kind(LEFT), None)
        outcome = history.outcome
        if outcome is None or (left is None and outcome.termination not in _BY_RULES):
            return None
        return self.season.result(state, names, None if left is None else self._fault(left, names))

    def _fault(self, entry: Entry, names: Sequence[str]) -> Fault:
        """Return why a side has lost, if not by the rules."""
        assert entry.seat is not None
        dialect, why = self.season.dialect, Termination(str(entry.data["why"]))
        name = dialect.called(names[entry.seat], entry.seat)
        if why is Termination.FORFEIT:
            text = str(entry.data.get("text", ""))
            is_process = entry.data.get("code") in PROCESS
            reason = dialect.process_violation(name, text) if is_process else dialect.rule_violation(name, text)
            return Fault(entry.seat, Cause.RULE_VIOLATION, reason)
        if why is not Termination.TIME:
            return Fault(entry.seat, Cause.LEFT, dialect.left(name, why))
        is_soft = entry.data.get("limit", "soft") == "soft"
        soft, hard = (int(entry.data.get(one, LIMITS[f"{one}_milliseconds"])) / 1000 for one in ("soft", "hard"))
        cause = Cause.SOFT_TIMEOUT if is_soft else Cause.HARD_TIMEOUT
        return Fault(entry.seat, cause, dialect.late(name, soft, hard, is_soft=is_soft))

    # Reading

    def read(self, document: bytes) -> History:
        """Return the history of a replay file. All its entries have the time 0, and it begins at `UNKNOWN_TIME`.

        Raises RemoteProtocolError if it is not such a file, and RuleError if its moves do not lead to its states.
        """
        messages = list(_messages_in(document))
        states = [event for event in messages if isinstance(event, Memento)]
        if not states or states[0].element is None:
            raise RemoteProtocolError("it contains no state", code="no-state")
        if len({event.room for event in messages}) > 1:
            raise RemoteProtocolError("it contains games of more than one room", code="several-rooms")
        results = [event.element for event in messages if isinstance(event, ResultMessage)]
        result = results[0] if results else None
        history = History(states[0].room, self.season.kind, UNKNOWN_TIME, 0, LIMITS)
        names = self.names(states[0].element, result)
        for seat, (name, side) in enumerate(zip(names, self.season.dialect.teams, strict=True)):
            data: dict[str, Value] = {"name": name} if name else {"name": "", "side": side.upper()}
            history.entries.append(Entry(0, JOINED, seat, data=data))
        history.entries.append(Entry(0, STARTED))
        state = self._play(history, [event.element for event in states if event.element is not None])
        history.entries += self._end(state, result)
        return history

    def _play(self, history: History, states: list[Element]) -> Any:
        """Play the moves that led to the states; return the last one."""
        game = self.season.game
        lot = self.drawn(self.read_state(states[0]))
        state = game.apply(game.setup(history.options), CHANCE, lot)
        history.entries.append(Entry(0, DRAWN, body=game.to_notation(lot).encode()))
        for element in states:
            said = self.read_state(element)
            # When a paused game continues, the server sends the same state again.
            if said.turn > state.turn:
                state = self._moved(history, state, element)
            if said != state:
                raise IllegalMove(f"the moves do not lead to the state at turn {said.turn}", code="other-position")
        return state

    def _moved(self, history: History, state: Any, element: Element) -> Any:
        last = element.find("lastMove")
        sent = None if last is None else self.season.read(last)
        if sent is None or sent.move is None:
            raise RemoteProtocolError(f"no move led to the turn after {state.turn}", code="no-move")
        data: dict[str, Value] = {"hint": sent.hint} if sent.hint else {}
        history.entries.append(Entry(0, MOVE, state.mover, self.season.game.to_notation(sent.move).encode(), data))
        return self.season.game.apply(state, state.mover, sent.move)

    def _end(self, state: Any, said: Element | None) -> Iterator[Entry]:
        """Yield the entries of the end: who has lost and why, if not by the rules; without a result: cancelled."""
        outcome = self.season.game.outcome(state)
        if said is None:
            yield ended(0, Outcome(Termination.CANCELLED) if outcome is None else outcome)
            return
        fault = self.season.dialect.fault_in(said)
        if fault is not None:
            seat, data = fault
            yield Entry(0, LEFT, seat, data=dict(data))
            yield ended(0, Outcome(Termination(str(data["why"])), 1 - seat))
            return
        winner = self.season.dialect.winner_in(said)
        if outcome is None and self._is_next(state, winner):
            yield ended(0, Outcome(Termination.CANCELLED))
        elif outcome is None or winner != outcome.winner:
            raise IllegalMove("the result is not the one that the rules give", code="other-result")
        else:
            yield ended(0, outcome)

    def _is_next(self, state: Any, winner: Seat | None) -> bool:
        """Return whether one more move can end the game this way.

        The official server of 2020 does not send the last state of a paused game, so a file can lack the move that
        ended it.
        """
        game = self.season.game
        outcomes = (game.outcome(game.apply(state, state.mover, move)) for move in game.legal_moves(state, state.mover))
        return any(outcome is not None and outcome.winner == winner for outcome in outcomes)


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
