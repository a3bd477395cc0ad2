"""A recorded game as a text picture: its position after a number of moves.

Source: docs/reference/records.md#gameds-own-records. `text_course.py` draws the picture. It shows the position in which
the next decision is due: the automatic steps that follow from the last move have been made.
"""

from __future__ import annotations

from random import Random

from gamed.core.history import JOINED, LEFT, MOVE, Entry, History
from gamed.games.roborally.limits import TableLimits
from gamed.games.roborally.queries import robot_answer, wire_cards
from gamed.games.roborally.rules.moves import Program, parse
from gamed.games.roborally.rules.state import revealed
from gamed.games.roborally.table import Manager
from gamed.games.roborally.text_course import LEGEND, picture


def draw(history: History, moves: int | None = None) -> str:
    """Return the position after this many players' moves (None: all of them), captioned with the last move."""
    table = Manager(history.options, TableLimits(), Random, 0.0)
    caption = "before the first move"
    left = len(history.entries) if moves is None else moves
    for entry in history.entries:
        left -= entry.kind == MOVE
        if left < 0:
            break
        caption = _caption(entry, table) or caption
        table.restore(entry)
    layout, state = table.state.layout, table.state
    names = table.names or [str(entry.data["name"]) for entry in history.of_kind(JOINED)]
    # A match that never began has a seat for each player that it could have had.
    robots = [(name, robot_answer(robot)) for name, robot in zip(names, state.robots, strict=False)]
    played = {names[seat]: wire_cards(cards) for seat, cards in revealed(state)}
    lines = picture(layout.board, layout.flags, robots, played)
    stage = state.stage.name.lower().replace("_", " ")
    return "\n".join([caption, f"turn {state.turn}, {stage}", *lines, "", LEGEND])


def _caption(entry: Entry, table: Manager) -> str:
    """Return a move or a leaving in words, with the actions of the cards."""
    if entry.kind not in (MOVE, LEFT) or entry.seat is None:
        return ""
    name = table.names[entry.seat]
    if entry.kind == LEFT or entry.body is None:
        return f"{name} left: {entry.data['why']}"
    text = entry.body.decode()
    move = parse(text)
    hand = table.state.hands[entry.seat]
    if isinstance(move, Program):
        cards = " ".join(card.action for card in wire_cards(hand[index - 1] for index in move.indices))
        return f"{name}: {cards or 'no cards'}{', then powers down' if move.power_down else ''}"
    return f"{name}: {text}"
