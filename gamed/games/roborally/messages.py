"""The messages of the SWP'99 protocol as events.

Source: docs/specs/roborally.md#12-message-classes, docs/reference/roborally.md#grammar. The manager (Verwalter)
exchanges them with peers: players (Spieler) and output channels (Ausgabekanäle). On the wire a message is a word of
three letters with arguments; each class here names its word. Places are (x, y), counted from (1, 1) in the south-west;
names are 1 to 32 letters. `is_rated` is False for messages that the listener's `messages_per_second` does not limit: of
what peers send, only queries are limited.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar, Final, NamedTuple

from attrs import define

from gamed.core.events import Event, Unread
from gamed.games.roborally.rules.board import Board, Direction, Floor, Place, Walls
from gamed.games.roborally.rules.cards import Action


class ProgramCard(NamedTuple):
    """A program card as the wire writes it."""

    action: Action

    priority: int
    """1..84 in this game; the grammar allows 0..255."""


class Reason(StrEnum):
    """Why a peer is removed (REN), with the protocol's abbreviations."""

    LAST_LIFE = "LL"
    """The player's robot has lost its last life."""

    TIMEOUT = "TO"
    """An answer came too late, or never."""

    GAME_OVER = "GO"
    """The game has ended."""

    RULES_BROKEN = "RV"
    """Regelverletzung: cheating, or too many violations of the protocol."""

    TOO_MANY = "ZS"
    """Zu viele Spieler: there is no place left in the game."""

    OTHER = "SO"
    """Sonstiges: another reason, which a note names."""


class Malformed(Unread):
    """A line that does not match the grammar."""

    is_rated: ClassVar[bool] = False


class Acknowledgement(Event):
    """`ok` or `error`: the manager's answer to a registration, and a peer's answer to NTS and NTC."""

    is_rated: ClassVar[bool] = False


class Ok(Acknowledgement):
    """`ok`."""


class Error(Acknowledgement):
    """`error`: also the manager's answer to a line that it does not accept."""


@define
class Registration(Event):
    """A peer wants to take part."""

    is_rated: ClassVar[bool] = False

    name: str


class RegisterPlayer(Registration):
    """RGS: as a player."""


class RegisterChannel(Registration):
    """RGA: as an output channel."""


@define
class SignOff(Event):
    """RLE: a peer leaves. There is no answer."""

    is_rated: ClassVar[bool] = False

    name: str


class Query(Event):
    """A question of a peer about the game. It may be sent at any time."""


class GetSize(Query):
    """GSD: how many columns and rows does the board have? Answer: PlaceAnswer."""


class GetFlags(Query):
    """GFL: where are the flags? Answer: FlagsAnswer."""


class GetPlan(Query):
    """GPL: what does the board look like? Answer: PlanAnswer."""


class GetNames(Query):
    """GSN: who plays? Answer: NamesAnswer."""


@define
class FindRobot(Query):
    """SRO: where is this player's robot? Answer: PlaceAnswer."""

    name: str


@define
class GetField(Query):
    """SFI: what is on this place? Both numbers are 0..255. Answer: FieldAnswer."""

    place: Place


@define
class GetRobot(Query):
    """GRS: what is the state of this player's robot? Answer: RobotAnswer or RobotGone."""

    name: str


class GetGame(Query):
    """GSS: has the game ended? Answer: GameAnswer."""


class GetPhase(Query):
    """GSA: which cards were played in this turn? Answer: PhaseAnswer."""


class GetTimeout(Query):
    """GTO: how long may a move take? Answer: TimeoutAnswer."""


@define
class MoveAnswer(Event):
    """A player's answer to a MoveRequest, under the player's own name."""

    is_rated: ClassVar[bool] = False

    name: str


@define
class FacingChosen(MoveAnswer):
    """TNR: where the new robot faces."""

    direction: Direction


@define
class ProgramChosen(MoveAnswer):
    """TRP: a program."""

    indices: tuple[int, ...]
    """For each open register the index of a dealt card, counted from 1."""

    powers_down: bool
    """Whether the robot powers down after this turn."""


@define
class StayChosen(MoveAnswer):
    """TBD: whether the robot stays powered down."""

    stays_down: bool


@define
class RepairsChosen(MoveAnswer):
    """TRR: the registers 1..5 to open."""

    registers: tuple[int, ...]


class ManagerRequest(Event):
    """A request of the manager. The peer must answer it."""


class GameStarts(ManagerRequest):
    """NTS, a notification: the game starts. Answer: Acknowledgement."""


@define
class Changed(ManagerRequest):
    """NTC, a notification: these players' robots have changed. Answer: Acknowledgement."""

    names: tuple[str, ...]


class MoveRequest(ManagerRequest):
    """A request for a player's decision, within the time that TimeoutAnswer has."""


class FacingWanted(MoveRequest):
    """MNR: which way does the new robot face? Answer: FacingChosen."""


@define
class ProgramWanted(MoveRequest):
    """MRP: which of these dealt cards go into the open registers? Answer: ProgramChosen."""

    cards: tuple[ProgramCard, ...]


class StayWanted(MoveRequest):
    """MBD: does the robot stay powered down? Answer: StayChosen."""


@define
class RepairsWanted(MoveRequest):
    """MRR: which registers are opened by a repair of these points? Answer: RepairsChosen."""

    points: int


@define
class Removed(Event):
    """REN: the manager removes a peer. There is no answer."""

    reason: Reason

    note: str = ""
    """Letters that say why, if the reason is OTHER."""

    @property
    def sentence(self) -> str:
        """The reason and what to do about it, for the user of a client."""
        word = f"SO({self.note})" if self.reason is Reason.OTHER else self.reason.value
        return f"the manager removed us with REN({word}): {_WHY[self.reason]}"


_WHY: Final[Mapping[Reason, str]] = {
    Reason.LAST_LIFE: "the last life is lost",
    Reason.TIMEOUT: "an answer of ours came too late. Answer faster, or have its time limits raised",
    Reason.GAME_OVER: "the game is over",
    Reason.RULES_BROKEN: "an answer of ours broke the rules. The manager's log says which",
    Reason.TOO_MANY: "it has no place for us: as many games run, or as many players are registered, as it allows. "
    "Try again when a game has ended",
    Reason.OTHER: "it stopped the game, or gives another reason. Ask its administrator, or try again",
}


class QueryAnswer(Event):
    """The manager's answer to a Query."""


@define
class PlaceAnswer(QueryAnswer):
    """A place (SRO), or the columns and rows of the board (GSD)."""

    place: Place


@define
class FlagsAnswer(QueryAnswer):
    """The places of the flags, at least two; the first is the start."""

    places: tuple[Place, ...]


@define
class PlanAnswer(QueryAnswer):
    """The whole board."""

    board: Board


@define
class NamesAnswer(QueryAnswer):
    """The names of the players."""

    names: tuple[str, ...]


@define
class FieldAnswer(QueryAnswer):
    """The floor of a place, and its walls N E S W."""

    floor: Floor
    walls: Walls


@define
class RobotAnswer(QueryAnswer):
    """The state of a robot (RS)."""

    facing: Direction
    place: Place

    flag: int
    """The number of the last flag touched; 1 is the start."""

    archive: Place
    """The place where the robot comes back after its destruction."""

    damage: int
    """0..10; 10: destroyed."""

    lives: int
    """0..3."""

    locked: tuple[tuple[int, ProgramCard], ...]
    """The numbers of the locked registers, 1..5, with their cards."""

    is_active: bool
    """False while powered down."""

    is_virtual: bool


class RobotGone(QueryAnswer):
    """RSE: the player was removed."""


@define
class GameAnswer(QueryAnswer):
    """The winning order of an ended game."""

    order: tuple[str, ...] = ()
    """The players' names; empty while the game is running."""


@define
class PhaseAnswer(QueryAnswer):
    """The cards that were revealed in this turn."""

    phase: int | None = None
    """The register phase 1..5; None outside of the phases."""

    played: tuple[tuple[str, tuple[ProgramCard, ...]], ...] = ()
    """Players' names with their revealed cards; at least one player in a phase."""


@define
class TimeoutAnswer(QueryAnswer):
    """The time for a decision."""

    seconds: int
    """0..65535; 0: any time."""
