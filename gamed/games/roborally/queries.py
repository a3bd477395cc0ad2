"""The manager's answers to queries, from the state after the last finished step. They contain nothing hidden.

Source: docs/specs/roborally.md#38-queries. The rules identify a card by its priority; the wire adds its action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from gamed.core.game import Seat
from gamed.games.roborally import messages as m
from gamed.games.roborally.messages import ProgramCard
from gamed.games.roborally.rules.cards import ACTIONS, Card
from gamed.games.roborally.rules.robots import Robot
from gamed.games.roborally.rules.state import Stage, State, ranking, revealed


def wire_card(card: Card) -> ProgramCard:
    """Return the wire's form of a card."""
    return ProgramCard(ACTIONS[card], card)


def wire_cards(cards: Iterable[Card]) -> tuple[ProgramCard, ...]:
    """Return the wire's form of cards."""
    return tuple(map(wire_card, cards))


@frozen
class Facts:
    """What is needed to answer queries."""

    state: State

    names: Sequence[str]
    """The players' names, by their seats in the match."""

    seconds: int
    """The time for a decision."""

    def seat(self, name: str) -> Seat | None:
        """Return the seat of a player, or None if no player has this name."""
        return self.names.index(name) if name in self.names else None


def answer(query: m.Query, facts: Facts) -> m.QueryAnswer | None:
    """Return the answer to a query; None if the query is a violation, because it names an unknown player."""
    return _ANSWERS[type(query)](query, facts)


def robot_answer(robot: Robot) -> m.RobotAnswer | m.RobotGone:
    """Return the answer to GRS: the public state of a robot."""
    if robot.is_removed:
        return m.RobotGone()
    locked = tuple((number, wire_card(card)) for number, card in robot.locked_cards if card is not None)
    return m.RobotAnswer(
        robot.facing,
        robot.place,
        robot.flag,
        robot.archive,
        robot.damage,
        robot.lives,
        locked,
        robot.is_active,
        robot.is_virtual,
    )


def _robot(query: m.GetRobot, facts: Facts) -> m.QueryAnswer | None:
    seat = facts.seat(query.name)
    return None if seat is None else robot_answer(facts.state.robots[seat])


def _place(query: m.FindRobot, facts: Facts) -> m.QueryAnswer | None:
    seat = facts.seat(query.name)
    if seat is None or facts.state.robots[seat].is_removed:
        return None
    return m.PlaceAnswer(facts.state.robots[seat].place)


def _field(query: m.GetField, facts: Facts) -> m.QueryAnswer:
    board = facts.state.layout.board
    return m.FieldAnswer(board.floor(*query.place), board.walls(*query.place))


def _phase(_query: m.Query, facts: Facts) -> m.QueryAnswer:
    played = tuple((facts.names[seat], wire_cards(cards)) for seat, cards in revealed(facts.state))
    return m.PhaseAnswer(facts.state.phase, played) if played else m.PhaseAnswer()


def _game(_query: m.Query, facts: Facts) -> m.QueryAnswer:
    if facts.state.stage is not Stage.OVER:
        return m.GameAnswer()
    return m.GameAnswer(tuple(facts.names[seat] for seat in ranking(facts.state)))


def _size(_query: m.Query, facts: Facts) -> m.QueryAnswer:
    board = facts.state.layout.board
    return m.PlaceAnswer((board.width, board.height))


_ANSWERS: Final[Mapping[type[m.Query], Callable[[Any, Facts], m.QueryAnswer | None]]] = {
    m.GetSize: _size,
    m.GetFlags: lambda _, facts: m.FlagsAnswer(facts.state.layout.flags),
    m.GetPlan: lambda _, facts: m.PlanAnswer(facts.state.layout.board),
    m.GetNames: lambda _, facts: m.NamesAnswer(tuple(facts.names)),
    m.FindRobot: _place,
    m.GetField: _field,
    m.GetRobot: _robot,
    m.GetGame: _game,
    m.GetPhase: _phase,
    m.GetTimeout: lambda _, facts: m.TimeoutAnswer(facts.seconds),
}
