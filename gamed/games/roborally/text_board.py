"""A position as a text picture. `text_course.py` draws the picture.

Source: docs/reference/records.md#gameds-own-records. In a record it is the position in which the next decision is due:
the automatic steps that follow from the last move have been made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gamed.core.game import Seat
from gamed.games.roborally.rules.cards import ACTIONS
from gamed.games.roborally.text_course import LEGEND, course_of, picture


def draw(board: Mapping[str, Any], moves: Sequence[Mapping[str, Any]], names: Mapping[Seat | None, str]) -> str:
    """Return the board, captioned with the last move: the cards of a program as far as they are public."""
    called = [names.get(seat, "") for seat in range(len(board["robots"]))]
    robots = [robot and {**robot, "locked": _locked(robot)} for robot in board["robots"]]
    played = {called[seat]: _actions(cards) for seat, cards in board["revealed"]}
    lines = picture(course_of(board["tiles"]), board["flags"], list(zip(called, robots, strict=True)), played)
    stage = board["stage"].replace("_", " ")
    return "\n".join([_caption(moves, names), f"turn {board['turn']}, {stage}", *lines, "", LEGEND])


def _actions(cards: Iterable[int]) -> list[str]:
    return [ACTIONS[card] for card in cards]


def _locked(robot: Mapping[str, Any]) -> dict[int, str]:
    return {register: ACTIONS[card] for register, card in robot["locked"] if card is not None}


def _caption(moves: Sequence[Mapping[str, Any]], names: Mapping[Seat | None, str]) -> str:
    if not moves:
        return "before the first move"
    last = moves[-1]
    what = " ".join(_actions(last["cards"])) if "cards" in last else last["text"] or "a program"
    return f"{names.get(last['seat'], '')}: {what}"
