"""What the lobby's messages say, where that differs between the seasons: that of 2020, and that of 2027.

Source: docs/reference/software-challenge.md#what-the-server-says, docs/reference/blokus.md#messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Seat, Termination
from gamed.core.history import Value
from gamed.games.softwarechallenge.messages import COLORS, UNKNOWN, Slot

PROCESS: Final = frozenset({"out-of-turn", "not-requested"})
"""The codes of findings that are about when a move was made, and not about the move."""


class Dialect:
    """The words of the season 2020."""

    teams: tuple[str, str] = COLORS
    """What the welcome message calls the seats. Records have it in upper case."""

    nameless: str = UNKNOWN
    """The name of a player whose slot has none."""

    move_request: str = "sc.framework.plugins.protocol.MoveRequest"
    """The class of the data that asks for a move."""

    request_delay: float = 0.0
    """How many seconds after the state a move is requested."""

    farewell: str = "sc.protocol.responses.CloseConnection"
    """The element with which a client leaves."""

    kicks: bool = True
    """Whether the server sends CloseConnection before the end of a document that it ends."""

    joins_at_once: bool = False
    """Whether a player of a prepared room is sent `joined` before the room is full."""

    starts_alone: bool = True
    """Whether a game that an administrator forces to start is played without the missing player. Otherwise it loses."""

    shows_pauses: bool = False
    """Whether observers are sent the states of a paused game, and that it was paused or resumed."""

    has_error_packets: bool = False
    """Whether requests that are refused are answered with an error packet."""

    def is_reserved(self, _slot: Slot) -> bool:
        """Whether a prepared slot gets a reservation code."""
        return True

    def called(self, name: str, _seat: Seat) -> str:
        """Return what texts call a player."""
        return name

    def illegal(self, name: str, text: str, move: str) -> tuple[str, str, str]:
        """Return what the player, observers and the result say of an illegal move.

        `move`: what the season adds on the move, or "".
        """
        reason = f"{text}{move}"
        return f"Ungueltiger Zug von '{name}'.\n{reason}", reason, reason

    def out_of_turn(self, _names: tuple[str, str], _seat: Seat, _move: str) -> str:
        """Return what the player is told of a move while the other side is to move."""
        return "It's not your turn yet."

    def unrequested(self, _names: tuple[str, str], _seat: Seat) -> str:
        """Return what the player is told of a move that was not requested."""
        return "We didn't request a data from you yet."

    def rule_violation(self, _name: str, reason: str) -> str:
        """Return the result's reason for an illegal move."""
        return reason

    def process_violation(self, _name: str, reason: str) -> str:
        """Return the result's reason for a move at the wrong time."""
        return reason

    def left(self, _name: str, _why: Termination) -> str:
        """Return the result's reason for a player that has left."""
        return "Der Spieler hat das Spiel verlassen"

    def late(self, _name: str, soft: float, hard: float, *, is_soft: bool) -> str:
        """Return the result's reason for a move that came too late, or not at all."""
        seconds = soft if is_soft else hard
        return f"Der Spieler hat innerhalb von {seconds:g} Sekunden nach Aufforderung keinen Zug gesendet"

    def fault_in(self, result: Element) -> tuple[Seat, Mapping[str, Value]] | None:
        """Return who has lost by a fault, and the data of its entry in a history; None: nobody."""
        for seat, score in enumerate(result.findall("score")[:2]):
            cause, reason = score.get("cause", ""), score.get("reason", "")
            if cause in _FAULTS:
                data = dict(_FAULTS[cause])
                return seat, {**data, "text": reason} if data["why"] == Termination.FORFEIT else data
        return None

    def winner_in(self, result: Element) -> Seat | None:
        """Return who has won; None: nobody. Raises RemoteProtocolError (`unknown-value`)."""
        winner = result.find("winner")
        color = None if winner is None else winner.get("color")
        return None if color is None else seat_of(color.lower())

    def scores_in(self, result: Element) -> list[dict[str, Any]]:
        """Return each side's score as JSON values: `cause`, `reason`, and `points` as the server wrote them."""
        return [
            {"cause": score.get("cause", ""), "reason": score.get("reason", ""), "points": _parts(score)}
            for score in result.iterfind("score")
        ]


_FAULTS: Final[Mapping[str, Mapping[str, Value]]] = {
    "LEFT": {"why": str(Termination.LEFT)},
    "RULE_VIOLATION": {"why": str(Termination.FORFEIT)},
    "SOFT_TIMEOUT": {"why": str(Termination.TIME), "limit": "soft"},
    "HARD_TIMEOUT": {"why": str(Termination.TIME), "limit": "hard"},
}


def _parts(score: Element) -> list[str]:
    return [part.text or "" for part in score.iterfind("part")]


_CAUSES: Final = {
    Termination.RESIGNED: "RECEIVED_DISCONNECT",
    Termination.LEFT: "LOST_CONNECTION",
    Termination.REMOVED: "PROTOCOL_ERROR",
}


class Dialect2027(Dialect):
    """The words of the seasons since 2021, as the official server 27.0.4 has them."""

    teams = ("ONE", "TWO")
    nameless = ""
    move_request = "moveRequest"
    # socha reads again only after it has parsed a state, for 5 to 8 ms, and looks at what it has read only after new
    # bytes or 100 ms. A request that it reads together with a state waits so long.
    request_delay = 0.01
    farewell = "close"
    kicks = False
    joins_at_once = True
    starts_alone = False
    shows_pauses = True
    has_error_packets = True

    def is_reserved(self, slot: Slot) -> bool:
        """Whether a prepared slot gets a reservation code."""
        return slot.reserved

    def called(self, name: str, seat: Seat) -> str:
        """Return what texts call a player: its team, if it has no name."""
        return name if name.strip() else self.teams[seat]

    def illegal(self, name: str, text: str, move: str) -> tuple[str, str, str]:
        """Return what the player, observers and the result say of an illegal move."""
        said = f"Ungueltiger Zug von '{name}'.\nInvalidMoveException(mistake={text}, move={move or 'null'})"
        return said, said, f"{text} bei '{move}'" if move else text

    def out_of_turn(self, names: tuple[str, str], seat: Seat, move: str) -> str:
        """Return what the player is told of a move while the other side is to move."""
        expected, got = (f"{self.teams[one]}({names[one]})" for one in (1 - seat, seat))
        return f"It's not your turn yet; expected: {expected}, got {got} (msg was {move})."

    def unrequested(self, names: tuple[str, str], seat: Seat) -> str:
        """Return what the player is told of a move that was not requested."""
        return f"Move from {self.teams[seat]}({names[seat]}) has not been requested."

    def rule_violation(self, name: str, reason: str) -> str:
        """Return the result's reason for an illegal move."""
        return f"Regelverletzung von {name}: {reason}"

    def process_violation(self, name: str, reason: str) -> str:
        """Return the result's reason for a move at the wrong time."""
        return f"Missachtung des Spielablaufs von {name}: {reason}"

    def left(self, name: str, why: Termination) -> str:
        """Return the result's reason for a player that has left."""
        return f"{name} hat das Spiel verlassen: {_CAUSES.get(why, 'NOT_CONNECTED')}"

    def late(self, name: str, soft: float, _hard: float, *, is_soft: bool) -> str:
        """Return the result's reason for a move that came too late, or not at all. Both name the soft limit."""
        if is_soft:
            return f"{name} hat fuer die Antwort auf die Zugaufforderung laenger als {soft:g} Sekunden gebraucht."
        return f"{name} hat innerhalb von {soft:g} Sekunden nach Aufforderung keinen Zug gesendet."

    def fault_in(self, result: Element) -> tuple[Seat, Mapping[str, Value]] | None:
        """Return who has lost by a fault, and the data of its entry in a history; None: nobody."""
        winner = result.find("winner")
        if winner is None or winner.get("regular") != "false":
            return None
        for pattern, data in _REASONS:
            if found := pattern.fullmatch(winner.get("reason", "")):
                seat = 1 - seat_of(winner.get("team", ""))
                named = found.groupdict()
                if "cause" in named:
                    named = {"why": str(_WHYS.get(named["cause"], Termination.LEFT))}
                return seat, {**data, **named}
        raise RemoteProtocolError("the result has an unknown reason", code="unknown-value")

    def winner_in(self, result: Element) -> Seat | None:
        """Return who has won; None: nobody. Raises RemoteProtocolError (`unknown-value`)."""
        winner = result.find("winner")
        team = None if winner is None else winner.get("team")
        return None if team is None else seat_of(team)

    def scores_in(self, result: Element) -> list[dict[str, Any]]:
        """Return each side's score as JSON values: `cause`, `reason`, and `points` as the server wrote them.

        Raises RemoteProtocolError (`unknown-value`).
        """
        winner, fault = result.find("winner"), self.fault_in(result)
        scores: list[dict[str, Any]] = [
            {"cause": "REGULAR", "reason": "", "points": _parts(score)}
            for score in result.iterfind("scores/entry/score")
        ]
        if fault is not None and winner is not None and fault[0] < len(scores):
            data = {key: value for key, value in fault[1].items() if key in ("why", "limit")}
            cause = next((cause for cause, known in _FAULTS.items() if known == data), "LEFT")
            scores[fault[0]].update(cause=cause, reason=winner.get("reason", ""))
        return scores


_WHYS: Final = {cause: why for why, cause in _CAUSES.items()}
_REASONS: Final[Sequence[tuple[re.Pattern[str], Mapping[str, Value]]]] = (
    (re.compile(r"Regelverletzung von .*?: (?P<text>.*)", re.DOTALL), {"why": str(Termination.FORFEIT)}),
    (
        re.compile(r"Missachtung des Spielablaufs von .*?: (?P<text>.*)", re.DOTALL),
        {"why": str(Termination.FORFEIT), "code": "out-of-turn"},
    ),
    (re.compile(r".* hat das Spiel verlassen: (?P<cause>\w+)", re.DOTALL), {}),
    (
        re.compile(r".* laenger als [\d.]+ Sekunden gebraucht\.", re.DOTALL),
        {"why": str(Termination.TIME), "limit": "soft"},
    ),
    (re.compile(r".* keinen Zug gesendet\.", re.DOTALL), {"why": str(Termination.TIME), "limit": "hard"}),
)


def seat_of(team: str) -> Seat:
    """Return the seat that a message names. Raises RemoteProtocolError (`unknown-value`)."""
    for dialect in DIALECTS:
        if team in dialect.teams:
            return dialect.teams.index(team)
    raise RemoteProtocolError(f"{team[:20]!r} is not a color", code="unknown-value")


SINCE_2021: Final = Dialect2027()
IN_2020: Final = Dialect()
DIALECTS: Final = (IN_2020, SINCE_2021)
