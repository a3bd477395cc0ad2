"""A client without I/O for a human player: it queries what a human wants to see, and waits for decisions.

Source: docs/specs/roborally.md#13-nesting, docs/specs/roborally.md#3-the-manager. It knows only what the manager sends
to a player. The manager sends players nothing between two decisions; call `refresh` from time to time to see more.

Actions, as JSON objects, and the `prompt` for each:

* `{"do": "facing", "facing": "N"}` ("facing"): N, E, S or W.
* `{"do": "program", "cards": [49, 7, 67, 1, 10]}` ("program"): a card for each register, by its priority. For a locked
  register it is the locked card, or null. With `"down": true` it announces a power down.
* `{"do": "preview", "cards": [49, 7, null]}` ("program"): shows in `preview` where the robot would go with these cards.
* `{"do": "power", "down": true}` ("program"): announces a power down, or with false takes it back; it is sent with the
  program. ("power"): stays powered down, or with false wakes up.
* `{"do": "repair", "registers": [3, 5]}` ("repair"): opens as many locked registers as `opens` says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from random import Random
from string import ascii_lowercase
from typing import Any, Final

from attrs import define, field

from gamed.core.errors import IllegalMove, InvalidMove, NotYourTurn
from gamed.core.events import Event
from gamed.games.roborally import messages as m
from gamed.games.roborally.client import engine_robot, random_name
from gamed.games.roborally.follower import Follower
from gamed.games.roborally.requests import engine_request, wire_answer
from gamed.games.roborally.rules.elements import LETTERS, Direction
from gamed.games.roborally.rules.json_views import asked, seen, tiles, trail
from gamed.games.roborally.rules.moves import Answer, Facing, Program, Repairs, StayDown
from gamed.games.roborally.rules.robots import REGISTERS, locks
from gamed.games.roborally.terrain import Pose, moved

LONGEST_NAME: Final = 32

_MOST_TRIES: Final = 4
"""Names that are tried if others are in use."""

_SUFFIX: Final = 3
"""Random letters at the end of the second and later names."""

_REASONS: Final = {m.Reason.TIMEOUT: "time", m.Reason.RULES_BROKEN: "rules", m.Reason.TOO_MANY: "full"}

_PROMPTS: Final[Mapping[type[m.ManagerRequest], str]] = {
    m.FacingWanted: "facing",
    m.ProgramWanted: "program",
    m.StayWanted: "power",
    m.RepairsWanted: "repair",
}


def letters_of(name: str) -> str:
    """Return the letters of a name that the protocol allows: up to 32, without accents; "" if there are none."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    return re.sub(r"[^A-Za-z]", "", plain)[:LONGEST_NAME]


def _names(random: Random, name: str) -> Iterator[str]:
    """Yield names to register with: first the wished one, then similar ones."""
    wished = letters_of(name) or random_name(random)
    yield wished
    while True:
        yield wished[: LONGEST_NAME - _SUFFIX] + "".join(random.choices(ascii_lowercase, k=_SUFFIX))


@define
class Person(Follower):
    """Plays one game for a human.

    A request of the manager goes through three states. When it comes first in the queue, it is *noted*: the turn and
    the stage follow from it, and the position is queried. When all queries are answered, it is *ready*: the human is
    prompted. When the human has decided, it is answered and leaves the queue.
    """

    _questions: Iterator[m.Query] = field(init=False, factory=lambda: iter(()))
    """The queries that are still to be sent, one after the other."""

    _has_started: bool = False

    _is_noted: bool = False
    """Whether the first request in the queue is noted."""

    _is_ready: bool = False
    """Whether it is ready for the human."""

    _is_ending: bool = False
    """Whether the last queries, at the end of the game, have begun."""

    _stage: str = "facing"
    """The stage of the turn, as `Game.view` names it."""

    _turn: int = 0

    _registers: list[int | None] = field(factory=lambda: [None] * REGISTERS)
    """The human's program. The manager does not repeat it."""

    _is_down_announced: bool = False

    _preview: list[list[int | str] | None] = field(factory=list)
    """Where the robot would be after each phase: see `view`."""

    @property
    def is_done(self) -> bool:
        """Whether the game is over, or the last life is lost."""
        return self.won is not None

    # The manager

    def begin(self) -> bytes:
        """Return what is sent when the connection is made: the registration."""
        self._questions = self._first_questions()
        return self.register()

    def receive_data(self, data: bytes) -> bytes:
        """Take bytes from the manager and return what can be answered without the human.

        Raises RemoteProtocolError if the manager breaks the protocol, rejects the player, or disconnects too early.
        """
        return self.follow(data, self._go_on)

    def refresh(self) -> bytes:
        """Return queries of the present position, if none are open."""
        if self.is_asking or not self.is_registered or self.is_done:
            return b""
        self._questions = self._usual_questions()
        return self._go_on()

    def _first_questions(self) -> Iterator[m.Query]:
        yield m.GetPlan()
        yield m.GetFlags()
        yield m.GetTimeout()
        yield from self._usual_questions()

    def _usual_questions(self) -> Iterator[m.Query]:
        yield m.GetNames()
        # This line runs when the answer with the names has come.
        yield from map(m.GetRobot, self.names)
        yield m.GetPhase()

    def _last_questions(self) -> Iterator[m.Query]:
        yield from self._usual_questions()
        yield m.GetGame()

    def _go_on(self) -> bytes:
        """Send the next query, one at a time, and answer requests that need no decision."""
        if self.is_over and not self._is_ending:
            self._is_ending = True
            self._questions = self._last_questions()
        said = []
        while not self.is_asking and not self.is_done:
            question = next(self._questions, None)
            if question is not None:
                said.append(self.ask(question))
            elif self.requests and not self._is_ready:
                said.append(self._serve(self.requests[0]))
            else:
                break
        return b"".join(said)

    def _serve(self, request: m.ManagerRequest) -> bytes:
        """Answer a request that needs no decision. Note any other request, and when it is noted, make it ready."""
        self._has_started = True
        if not isinstance(request, m.MoveRequest):
            self.requests.popleft()
            return self.say(m.Ok())
        if not self._is_noted:
            self._is_noted = True
            self._note(request)
            self._questions = self._usual_questions()
            return b""
        if isinstance(request, m.RepairsWanted) and (opens := self._opens(request)) in (0, len(self._locked)):
            # No register opens, or all do: there is nothing to choose.
            return self._answer(Repairs(tuple(self._locked)[:opens]))
        self._is_ready = True
        return b""

    def _note(self, request: m.MoveRequest) -> None:
        """Conclude the turn and its stage from a request.

        The manager does not send them. A new turn begins with MRP, or with MBD if the robot is powered down.
        """
        match request:
            case m.ProgramWanted():
                self._stage = "program"
                self._turn += 1
                self._registers = [None] * REGISTERS
                self._is_down_announced = False
            case m.StayWanted():
                self._stage = "stay_down"
                self._turn += 1
            case m.RepairsWanted():
                self._stage = "power" if self._stage in ("stay_down", "new_robots") else "repair"
            case _ if self._turn:
                self._stage = "new_robots"

    # The human

    def act(self, action: Mapping[str, Any]) -> bytes:
        """Return what is sent for an action (see the head of this module); nothing for an announcement.

        Raises InvalidMove if it is not an action, NotYourTurn (`out-of-turn`, `other-question`), and IllegalMove with
        `card-count`, `card-index`, `card-twice`, `register-locked`, `register-count`, `register-twice`,
        `register-open`.
        """
        match action.get("do"):
            case "facing":
                self._expect(m.FacingWanted)
                answer: Answer = Facing(_direction(action.get("facing")))
            case "program":
                answer = self._program(self._expect(m.ProgramWanted), action)
            case "preview":
                self._preview = self._ahead(self._expect(m.ProgramWanted), action.get("cards"))
                return b""
            case "power":
                return self._power(_bool(action.get("down")))
            case "repair":
                answer = self._repairs(self._expect(m.RepairsWanted), action.get("registers"))
            case other:
                raise InvalidMove(f"{_shown(other)} is not an action: facing, program, preview, power and repair are")
        return self._answer(answer) + self._go_on()

    def _answer(self, answer: Answer) -> bytes:
        self._is_noted = self._is_ready = False
        self._preview = []
        self.requests.popleft()
        return self.say(wire_answer(self.name, answer))

    @property
    def _prompt(self) -> m.MoveRequest | None:
        """The request that the human has to decide; None until everything that they want to see with it is known."""
        request = next(iter(self.requests), None)
        return request if self._is_ready and isinstance(request, m.MoveRequest) else None

    def _expect(self, *kinds: type[m.MoveRequest]) -> m.MoveRequest:
        request = self._prompt
        if request is None:
            raise NotYourTurn("nothing is asked of you now: wait for the others")
        if not isinstance(request, kinds):
            raise NotYourTurn(f"something else is asked of you now: {_PROMPTS[type(request)]}", code="other-question")
        return request

    @property
    def _robot(self) -> m.RobotAnswer | None:
        """The human's robot; None before it is known, and when it is gone."""
        reply = self.robots.get(self.name)
        return reply if isinstance(reply, m.RobotAnswer) else None

    @property
    def _locked(self) -> Mapping[int, int]:
        """The cards in the locked registers, by the registers' numbers."""
        robot = self._robot
        return {} if robot is None else {number: card.priority for number, card in robot.locked}

    def _program(self, request: m.MoveRequest, action: Mapping[str, Any]) -> Program:
        hand = self._hand(request)
        down = _bool(action.get("down", self._is_down_announced))
        cards = action.get("cards")
        if not isinstance(cards, list) or not all(_is_number(card) or card is None for card in cards):
            raise InvalidMove("expected the cards as a list of five priorities")
        if len(cards) != REGISTERS:
            raise IllegalMove(f"{len(cards)} cards: give one for each of the five registers", code="card-count")
        chosen = self._chosen(cards, hand)
        self._registers = [self._locked.get(number, card) for number, card in enumerate(cards, 1)]
        self._is_down_announced = down
        return Program(tuple(hand.index(card) + 1 for card in chosen), down)

    def _chosen(self, cards: list[int | None], hand: list[int]) -> list[int]:
        """Return the cards for the open registers."""
        chosen = []
        for number, card in enumerate(cards, 1):
            if number in self._locked:
                if card not in (None, self._locked[number]):
                    text = f"register {number} is locked: leave card {self._locked[number]} in it"
                    raise IllegalMove(text, code="register-locked")
            elif card is None:
                raise IllegalMove(f"register {number} is empty: put a card into it", code="card-count")
            elif card not in hand:
                raise IllegalMove(f"you do not hold card {card}: choose one of your hand", code="card-index")
            elif card in chosen:
                raise IllegalMove(f"card {card} is in two registers: take it out of one", code="card-twice")
            else:
                chosen.append(card)
        return chosen

    def _ahead(self, request: m.MoveRequest, cards: object) -> list[list[int | str] | None]:
        """Return the `preview` for the cards of the registers in order; it ends at the first empty one."""
        held = {*self._hand(request), *self._locked.values(), None}
        if not isinstance(cards, list) or not all(card is None or _is_number(card) for card in cards):
            raise InvalidMove("expected the cards as a list of priorities")
        if len(cards) > REGISTERS or not held.issuperset(cards):
            raise IllegalMove("choose at most five cards, all of your hand", code="card-index")
        robot = self._robot
        if robot is None or self.layout is None:
            return []
        pose: Pose | None = (robot.place, robot.facing)
        found: list[list[int | str] | None] = []
        for phase, card in enumerate(cards, 1):
            played = self._locked.get(phase, card)
            if played is None or pose is None:
                break
            pose = moved(self.layout, pose, played, phase)
            found.append(None if pose is None else [*pose[0], Direction(pose[1]).name])
        return found

    def _power(self, down: bool) -> bytes:  # noqa: FBT001 (a truth value is all that there is to say)
        request = self._expect(m.ProgramWanted, m.StayWanted)
        self._is_down_announced = down
        return self._answer(StayDown(down)) + self._go_on() if isinstance(request, m.StayWanted) else b""

    def _opens(self, request: m.MoveRequest) -> int:
        """Return how many registers a repair opens."""
        robot = self._robot
        if not isinstance(request, m.RepairsWanted) or robot is None:
            return 0
        return len(robot.locked) - locks(robot.damage - request.points)

    def _repairs(self, request: m.MoveRequest, registers: object) -> Repairs:
        if not isinstance(registers, list) or not all(map(_is_number, registers)):
            raise InvalidMove("expected the registers as a list of numbers")
        opens = self._opens(request)
        if len(registers) != opens:
            raise IllegalMove(f"{len(registers)} registers: choose {opens} to open", code="register-count")
        if len(set(registers)) != len(registers):
            raise IllegalMove("a register is chosen twice: choose different ones", code="register-twice")
        if not self._locked.keys() >= set(registers):
            raise IllegalMove("a register is open already: choose locked ones", code="register-open")
        return Repairs(tuple(sorted(registers)))

    # What is seen

    def view(self) -> Mapping[str, Any]:
        """Return what the human may see and do.

        `phase`: joining, waiting (for the start), facing, program, power, repair, wait (for the others), over, out (of
        lives), removed. `you`: `seat` (None before the names are known), `name`, `hand` and `registers` (priorities;
        None: empty), `locked` (numbers), `prompt` (facing, program, power, repair or None), `opens` (how many
        registers), `down` (a power down is announced), `preview` (`[x, y, facing]` of the robot after each phase, None
        where it is destroyed; other robots are ignored), `seconds` for each decision (0: any time; None: unknown),
        `removed` (why the manager removed this player: time, rules, full or other; else None).
        """
        request = self._prompt
        return {
            # Watchers of the room may see the steps of a turn, but the wire does not send them to players.
            "public": ["trail"],
            "phase": self._phase(request),
            "board": self._board(request),
            "you": {
                "seat": self._seat,
                "name": self.name,
                "hand": self._hand(request),
                "registers": self._shown_registers(),
                "locked": sorted(self._locked),
                "prompt": None if request is None else _PROMPTS[type(request)],
                "opens": 0 if request is None else self._opens(request),
                "down": self._is_down_announced,
                "preview": self._preview,
                "seconds": self.seconds,
                "removed": None if self.removed is None else _REASONS.get(self.removed, "other"),
            },
            "won": self.won,
            "players": list(self.names),
        }

    @property
    def _seat(self) -> int | None:
        names = self.names
        return names.index(self.name) if self.name in names else None

    def _phase(self, request: m.MoveRequest | None) -> str:
        if self.is_done:
            return "over" if self.order else "out"
        if self.removed is not None:
            return "removed"
        if request is not None:
            return _PROMPTS[type(request)]
        if not self.is_registered:
            return "joining"
        return "wait" if self._has_started else "waiting"

    def _hand(self, request: m.MoveRequest | None) -> list[int]:
        return [card.priority for card in request.cards] if isinstance(request, m.ProgramWanted) else []

    def _shown_registers(self) -> list[int | None]:
        return [self._locked.get(number, card) for number, card in enumerate(self._registers, 1)]

    def _board(self, request: m.MoveRequest | None) -> dict[str, Any] | None:
        """Return the known part of the position in the shape of `Game.view`; None before the course is known."""
        # A player who has just registered is shown when the answer about its robot has come.
        names = [name for name in self.names if name in self.robots]
        if self.layout is None or not names:
            return None
        phase = self.phase
        seats = {name: seat for seat, name in enumerate(names)}
        return {
            "stage": "over" if self.order else self._stage,
            "turn": self._turn,
            "phase": phase.phase or 0,
            "flags": [list(place) for place in self.layout.flags],
            "tiles": tiles(self.layout),
            "robots": [_seen(self.robots[name]) for name in names],
            "revealed": [
                [seats[name], [card.priority for card in cards]] for name, cards in phase.played if name in seats
            ],
            "waiting": [seats[self.name]] if request is not None and self.name in seats else [],
            "happened": None,
            "ranking": [seats[name] for name in self.order if name in seats] if self.order else None,
            "trail": trail(()),
            "own": {
                "hand": self._hand(request),
                "registers": self._shown_registers(),
                "announced": self._is_down_announced,
                "asked": asked(None if request is None else engine_request(request)),
            },
        }


def _seen(reply: Event) -> dict[str, Any] | None:
    return seen(engine_robot(reply)) if isinstance(reply, m.RobotAnswer) else None


def _is_number(value: object) -> bool:
    return type(value) is int


def _shown(value: object) -> str:
    return repr(value)[:40]


def _direction(value: object) -> Direction:
    if not isinstance(value, str) or len(value) != 1 or value not in LETTERS:
        raise InvalidMove(f"{_shown(value)} is not a direction: choose N, E, S or W")
    return Direction[value]


def _bool(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidMove(f"{_shown(value)} is neither true nor false: say whether to power down")
    return value


def person(random: Random, name: str, reservation: str | None = None) -> Person:
    """Return a person whose name in the protocol is like this one. Raises InvalidMove for a reservation's code."""
    if reservation is not None:
        raise InvalidMove("RoboRally reserves no seats: join without a code", code="no-reservation")
    names = _names(random, name)
    first, *others = (next(names) for _ in range(_MOST_TRIES))
    return Person(first, tuple(others))
