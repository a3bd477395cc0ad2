"""The messages of the SWP'99 protocol as events.

Source: docs/specs/roborally.md#12-message-classes, docs/reference/roborally.md#grammar. The manager (Verwalter) talks
with peers: players (Spieler) and output channels (Ausgabekanaele). Places are (x, y), counted from (1, 1) in the
south-west; names are 1 to 32 letters.
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
    """A program card as it is written. `priority`: 1..84 in this game, 0..255 in the grammar."""

    action: Action
    priority: int


class Reason(StrEnum):
    """Why a peer is removed."""

    LAST_LIFE = "LL"
    TIMEOUT = "TO"
    GAME_OVER = "GO"
    RULES_BROKEN = "RV"
    TOO_MANY = "ZS"
    OTHER = "SO"


class Malformed(Unread):
    """A line that is not in the grammar."""

    is_rated: ClassVar[bool] = False


class Acknowledgement(Event):
    """`ok` or `error`: the manager's answer to a registration, a peer's to NTS and NTC."""

    is_rated: ClassVar[bool] = False


class Ok(Acknowledgement):
    """`ok`."""


class Error(Acknowledgement):
    """`error`: also the manager's reply to a line that it cannot accept."""


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
    """A peer asks something about the game. Of what peers say, this alone has a rate."""


class GetSize(Query):
    """GSD: how many columns and rows has the board? Answer: PlaceAnswer."""


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
    """GRS: how is this player's robot? Answer: RobotAnswer or RobotGone."""

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
    """TRP: for each open register the index of a dealt card; 1 is the first. `powers_down`: in the next turn."""

    indices: tuple[int, ...]
    powers_down: bool


@define
class StayChosen(MoveAnswer):
    """TBD: whether the robot stays powered down."""

    stays_down: bool


@define
class RepairsChosen(MoveAnswer):
    """TRR: the registers 1..5 to open."""

    registers: tuple[int, ...]


class ManagerRequest(Event):
    """The manager wants an answer."""


class GameStarts(ManagerRequest):
    """NTS: the game starts. Answer: Acknowledgement."""


@define
class Changed(ManagerRequest):
    """NTC: these players' robots have changed. Answer: Acknowledgement."""

    names: tuple[str, ...]


class MoveRequest(ManagerRequest):
    """The manager wants a decision of a player, within the time that GTO tells."""


class FacingWanted(MoveRequest):
    """MNR: where shall the new robot face? Answer: FacingChosen."""


@define
class ProgramWanted(MoveRequest):
    """MRP: how shall these dealt cards be used? Answer: ProgramChosen."""

    cards: tuple[ProgramCard, ...]


class StayWanted(MoveRequest):
    """MBD: shall the robot stay powered down? Answer: StayChosen."""


@define
class RepairsWanted(MoveRequest):
    """MRR: which registers shall be opened with so many points? Answer: RepairsChosen."""

    points: int


@define
class Removed(Event):
    """REN: the manager removes a peer. There is no answer. `note`: with OTHER, letters that say why."""

    reason: Reason
    note: str = ""

    @property
    def sentence(self) -> str:
        """Why, for people, and what they can do about it."""
        word = f"SO({self.note})" if self.reason is Reason.OTHER else self.reason.value
        return f"the manager removed us with REN({word}): {_WHY[self.reason]}"


_WHY: Final[Mapping[Reason, str]] = {
    Reason.LAST_LIFE: "the last life is lost",
    Reason.TIMEOUT: "an answer of ours came too late. Answer faster, or have its time limits raised",
    Reason.GAME_OVER: "the game is over",
    Reason.RULES_BROKEN: "an answer of ours broke the rules. The manager's log says which",
    Reason.TOO_MANY: "it has no place for us: as many games run, or as many players are registered, as it allows. "
    "Try again when a game has ended",
    Reason.OTHER: "it ended the game, or does not say why. Ask its administrator, or try again",
}


class QueryAnswer(Event):
    """The manager's answer to a Query."""


@define
class PlaceAnswer(QueryAnswer):
    """A place (SRO), or columns and rows of the board (GSD)."""

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
    """The state of a robot.

    `flag`: the number of the last flag touched, 1 is the start. `archive`: where a new robot would appear. `damage`:
    0..10. `lives`: 0..3. `locked`: registers 1..5 with their cards.
    """

    facing: Direction
    place: Place
    flag: int
    archive: Place
    damage: int
    lives: int
    locked: tuple[tuple[int, ProgramCard], ...]
    is_active: bool
    is_virtual: bool


class RobotGone(QueryAnswer):
    """RSE: the player was removed."""


@define
class GameAnswer(QueryAnswer):
    """The winning order at the end of the game; empty while it goes on."""

    order: tuple[str, ...] = ()


@define
class PhaseAnswer(QueryAnswer):
    """The register phase 1..5, and for each player (at least one) the cards played so far; None outside of phases."""

    phase: int | None = None
    played: tuple[tuple[str, tuple[ProgramCard, ...]], ...] = ()


@define
class TimeoutAnswer(QueryAnswer):
    """How many seconds a move may take, 0..65535; 0: any time."""

    seconds: int
