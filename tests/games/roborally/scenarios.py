"""Playing the scenarios of docs/specs/roborally.md#6-scenarios; their schema is in scenarios.json."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from gamed.core.errors import RuleError
from gamed.games.roborally.rules.answers import deal, take
from gamed.games.roborally.rules.board import parse_plan
from gamed.games.roborally.rules.elements import Direction
from gamed.games.roborally.rules.layout import Layout
from gamed.games.roborally.rules.moves import (
    Answer,
    AskFacing,
    AskProgram,
    AskRepairs,
    AskStayDown,
    Deal,
    Facing,
    Program,
    Repairs,
    Request,
    StayDown,
)
from gamed.games.roborally.rules.robots import DESTROYED, Registers, Robot
from gamed.games.roborally.rules.state import Stage, State, deck, hand_sizes, ranking, requests
from gamed.games.roborally.rules.turn import advance, remove

TRP = re.compile(r"TRP\(([A-Za-z]+),\(((?:\d+,)*\d*)\),([tf])\)")


def scenarios(name: str) -> list[dict[str, Any]]:
    """Return the scenarios in a file of this folder."""
    text = (Path(__file__).parent / name).read_text()
    return json.loads(text)["scenarios"]


def registers(cards: Mapping[str, Any]) -> Registers:
    one, two, three, four, five = (cards[str(number)][1] if str(number) in cards else None for number in range(1, 6))
    return (one, two, three, four, five)


def robot(told: Mapping[str, Any]) -> Robot:
    """Return a robot as a scenario describes it, with the defaults of the schema."""
    is_alive = told.get("alive", True)
    return Robot(
        facing=Direction[told["dir"]],
        place=tuple(told["at"] if is_alive else told["archive"]),
        archive=tuple(told.get("archive", told["at"])),
        lives=told.get("lives", 3),
        flag=told.get("flag", 1),
        damage=told.get("damage", 0) if is_alive else DESTROYED,
        registers=registers(told.get("regs", {})),
        locked=tuple(told.get("locked", ())),
        is_active=told.get("active", True),
        is_virtual=told.get("virtual", False),
        is_announced=told.get("announced", False),
    )


def word(request: Request) -> str:
    match request:
        case AskFacing():
            return "MNR"
        case AskStayDown():
            return "MBD"
        case AskRepairs(points):
            return f"MRR({points})"
        case AskProgram(cards):
            return f"MRP({len(cards)})"


def answer(request: Request, told: Mapping[str, Any]) -> Answer:
    match request:
        case AskFacing():
            return Facing(Direction[told["MNR"]])
        case AskStayDown():
            return StayDown(told["MBD"])
        case _:
            return Repairs(tuple(told["MRR"]))


@define
class Play:
    """A scenario being played. `requests`: what the manager sent. `result`: of the last trp or deal."""

    names: list[str]
    state: State
    requests: list[str] = field(factory=list)
    result: object = None

    @classmethod
    def of(cls, scenario: Mapping[str, Any]) -> Play:
        robots = scenario["robots"]
        layout = Layout(parse_plan("\n".join(scenario["board"])), tuple(map(tuple, scenario.get("flags", ()))))
        state = State(
            layout,
            max_turns=200,
            stage=Stage.REVEAL,
            turn=1,
            phase=0,
            robots=tuple(map(robot, robots.values())),
            hands=((),) * len(robots),
        )
        return cls(list(robots), state)

    def play(self, scenario: Mapping[str, Any]) -> None:
        for step in scenario["do"]:
            if self.state.stage is not Stage.OVER:
                getattr(self, f"do_{step['op']}")(**{key: value for key, value in step.items() if key != "op"})

    def at(self, stage: Stage, phase: int) -> None:
        self.state = evolve(self.state, stage=stage, phase=phase)

    def advance(self) -> None:
        before = self.state
        self.state = advance(before)
        for name, old, new in zip(self.names, before.robots, self.state.robots, strict=True):
            if old.lives and not new.lives:
                self.requests.append(f"{name}:REN(LL)")
        self.end()

    def end(self) -> None:
        """Tell the end of the game where it is certain."""
        if self.state.stage is Stage.ENDING:
            self.state = advance(self.state)

    def until(self, *stages: Stage) -> None:
        self.advance()
        while self.state.stage not in {*stages, Stage.OVER}:
            self.advance()

    def program(self, n: int, cards: Mapping[str, Any]) -> None:
        """Put the cards into register n, and stand before step A of phase n."""
        robots = list(self.state.robots)
        for name, (_, card) in cards.items():
            seat = self.names.index(name)
            new = list(robots[seat].registers)
            new[n - 1] = card
            robots[seat] = robots[seat]._replace(registers=tuple(new))
        self.state = evolve(self.state, robots=tuple(robots))
        self.at(Stage.REVEAL, n - 1)

    def do_phase(self, n: int, cards: Mapping[str, Any]) -> None:
        self.program(n, cards)
        self.until(Stage.REVEAL)

    def do_cards(self, n: int, cards: Mapping[str, Any]) -> None:
        self.program(n, cards)
        self.until(Stage.EXPRESS)

    def do_belts(self) -> None:
        self.at(Stage.EXPRESS, 1)
        self.until(Stage.PUSHERS)

    def do_pushers(self, n: int) -> None:
        self.at(Stage.PUSHERS, n)
        self.advance()

    def do_gears(self) -> None:
        self.at(Stage.GEARS, 1)
        self.advance()

    def do_crushers(self, n: int) -> None:
        self.at(Stage.CRUSHERS, n)
        self.advance()

    def do_lasers(self) -> None:
        self.at(Stage.LASERS, 1)
        self.advance()

    def do_touch(self) -> None:
        self.at(Stage.TOUCH, 1)
        self.advance()

    def do_endturn(self, answers: Mapping[str, Any]) -> None:
        self.at(Stage.REVEAL, 5)
        while self.state.stage not in {Stage.DEAL, Stage.OVER}:
            for seat, request in requests(self.state).items():
                self.requests.append(f"{self.names[seat]}:{word(request)}")
                self.give(seat, answer(request, answers[self.names[seat]]))
            if self.state.stage is not Stage.OVER:
                self.advance()

    def give(self, seat: int, its: Answer) -> None:
        try:
            self.state = take(self.state, seat, its)
        except RuleError:
            self.requests.append(f"{self.names[seat]}:REN(RV)")
            self.state = remove(self.state, seat)
            self.end()

    def do_deal(self) -> None:
        self.at(Stage.DEAL, 0)
        cards = sorted(deck(self.state))[: sum(hand_sizes(self.state))]
        self.state = deal(self.state, -1, Deal(tuple(cards)))
        asked = requests(self.state)
        self.result = {self.names[seat]: len(its.cards) for seat, its in asked.items() if isinstance(its, AskProgram)}

    def do_trp(self, robot: str, hand: list[Any], line: str) -> None:
        seat = self.names.index(robot)
        self.at(Stage.PROGRAM, 0)
        hands = [tuple(card for _, card in hand) if its == seat else () for its in range(len(self.names))]
        self.state = evolve(self.state, hands=tuple(hands), waiting=frozenset({seat}))
        found = TRP.fullmatch(line)
        if found is None:
            self.result = "error"
            return
        indices = tuple(int(number) for number in found[2].split(",") if number)
        try:
            self.state = take(self.state, seat, Program(indices, found[3] == "t"))
            self.result = "accept"
        except RuleError:
            self.result = "RV"

    def do_leave(self, robot: str) -> None:
        self.state = remove(self.state, self.names.index(robot))
        self.end()

    def told(self, name: str) -> dict[str, Any]:
        """Return all that a scenario can expect of a robot."""
        its = self.state.robots[self.names.index(name)]
        return {
            "at": list(its.place),
            "dir": its.facing.name,
            "damage": its.damage,
            "lives": its.lives,
            "virtual": its.is_virtual,
            "active": its.is_active,
            "announced": its.is_announced,
            "archive": list(its.archive),
            "flag": its.flag,
            "alive": its.is_standing,
            "regs": {str(number): card for number, card in enumerate(its.registers, 1) if card is not None},
            "locked": list(its.locked),
            "removed": its.is_removed,
        }


def failures(scenario: Mapping[str, Any]) -> list[str]:
    """Play a scenario, and return what differs from its expectations."""
    play = Play.of(scenario)
    play.play(scenario)
    found: list[tuple[str, object, object]] = []
    for name, expected in scenario["expect"].items():
        told = play.told(name)
        wanted = dict(expected)
        if "regs" in wanted:
            wanted["regs"] = {number: card for number, (_, card) in wanted["regs"].items()}
        found += [(f"{name}.{key}", told[key], value) for key, value in wanted.items()]
    found += [("requests", play.requests, scenario["requests"])] if "requests" in scenario else []
    found += [("result", play.result, scenario["result"])] if "result" in scenario else []
    is_over = play.state.stage is Stage.OVER
    order = [play.names[seat] for seat in ranking(play.state)] if is_over else None
    found.append(("ended", order, scenario.get("ended")))
    return [f"{scenario['id']}: {what} is {is_!r}, not {not_!r}" for what, is_, not_ in found if is_ != not_]
