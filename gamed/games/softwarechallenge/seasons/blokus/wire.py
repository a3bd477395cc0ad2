"""Blokus in XML, as the official server of the season 2027 lays it out: states, moves, results.

Source: docs/reference/blokus.md#layout-of-the-state, docs/reference/blokus.md#layout-of-the-result. A state has up to
18 KB. It is composed of cached texts, one for each row of the board and each set of pieces, because a move changes at
most five rows and one set.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Outcome, Seat, Termination
from gamed.games.softwarechallenge.dialect import SINCE_2021
from gamed.games.softwarechallenge.season import Fault, Fragment, Result, Season, Sent, definition
from gamed.games.softwarechallenge.seasons.blokus import moves
from gamed.games.softwarechallenge.seasons.blokus.board import ROW, SIZE, Fields
from gamed.games.softwarechallenge.seasons.blokus.moves import COLORS
from gamed.games.softwarechallenge.seasons.blokus.position import State, shapes
from gamed.games.softwarechallenge.seasons.blokus.rules import UNNAMED, Blokus
from gamed.games.softwarechallenge.seasons.blokus.shapes import ROTATIONS, SHAPES
from gamed.games.softwarechallenge.wire import number, quoted, texts, truth, unknown_element
from gamed.wire.xmlstream import Element

KIND: Final = "blokus"
GAME_TYPES: Final = ("swc_2027_blokus",)
FRAGMENTS: Final = (Fragment("Siegpunkte", "SUM"), Fragment("Punkte", "AVERAGE"))
TEAMS: Final = SINCE_2021.teams

SET_MOVE, SKIP_MOVE = "sc.plugin2027.SetMove", "sc.plugin2027.SkipMove"
_WHOLE_ROW: Final = (1 << SIZE) - 1


# States


def memento(state: State, _names: Sequence[str], echo: str) -> str:
    """Return the `state` element at its final indentation. `echo`: the `lastMove` element, or ""."""
    start = "" if state.start is None else SHAPES[state.start]
    parts = [
        f'<state class="state" startTeam="ONE" turn="{state.turn}" startPiece="{start}" round="{state.round}">',
        *([echo] if echo else []),
        _board(state),
        _mono_last(state.mono_last),
        *[_left(color, left) for color, left in zip(COLORS, state.left, strict=True)],
        _list("validColors", "color", [COLORS[color] for color in state.playing]),
        "      </state>",
    ]
    return "\n".join(parts)


def _board(state: State) -> str:
    blue, yellow, red, green = state.covered
    rows = []
    for y in range(SIZE):
        at = ROW * y
        rows.append(_row(y, (blue >> at & _WHOLE_ROW, yellow >> at & _WHOLE_ROW, red >> at & _WHOLE_ROW,
                             green >> at & _WHOLE_ROW)))  # fmt: skip
    found = "".join(rows)
    return f"        <board>\n{found}        </board>" if found else "        <board/>"


# A text has up to 1 KB.
@lru_cache(maxsize=4096)
def _row(y: int, covered: tuple[Fields, Fields, Fields, Fields]) -> str:
    lines = []
    for x in range(SIZE):
        for color, bits in zip(COLORS, covered, strict=True):
            if bits >> x & 1:
                lines.append(f'          <field x="{x}" y="{y}" content="{color}"/>\n')
    return "".join(lines)


def _mono_last(known: tuple[bool | None, ...]) -> str:
    # The official server names an entry's colour <color>, which socha cannot read.
    entries = [
        f"          <entry>\n            <sc.plugin2027.Color>{color}</sc.plugin2027.Color>\n"
        f"            <boolean>{'true' if is_last else 'false'}</boolean>\n          </entry>\n"
        for color, is_last in zip(COLORS, known, strict=True)
        if is_last is not None
    ]
    return (
        f"        <lastMoveMono>\n{''.join(entries)}        </lastMoveMono>" if entries else "        <lastMoveMono/>"
    )


@lru_cache(maxsize=1024)
def _left(color: str, left: int) -> str:
    return _list(f"{color.lower()}Shapes", "shape", [SHAPES[shape] for shape in shapes(left)])


def _list(name: str, item: str, values: Sequence[str]) -> str:
    if not values:
        return f"        <{name}/>"
    items = "".join(f"          <{item}>{value}</{item}>\n" for value in values)
    return f"        <{name}>\n{items}        </{name}>"


# Moves


def read(data: Element) -> Sent:
    """Return the move in a `data` element, with its texts. Raises RemoteProtocolError, as `move_in`."""
    move = move_in(data)
    return Sent(move, echo(move), _element("originalMessage", move, 6).lstrip())


def move_in(element: Element) -> moves.Move:
    """Return the move in a `data` or `lastMove` element.

    Raises RemoteProtocolError: `unknown-class`, `unknown-element`, `duplicate-element`, `unknown-value`,
    `not-a-number`, `out-of-range`, `missing-part`.
    """
    kind = element.get("class", "")
    if kind == SET_MOVE:
        return _piece(_only(element, "piece"))
    if kind == SKIP_MOVE:
        return moves.SkipMove(_named(COLORS, _text(element, "color"), "color"))
    raise RemoteProtocolError(
        f"there is no move of class {kind[:80]!r}", code="unknown-class", hint=f"{SET_MOVE} or {SKIP_MOVE}"
    )


def _only(element: Element, name: str) -> Element:
    """Return the one child of an element, which must have this name."""
    for child in element:
        if child.tag != name:
            raise unknown_element(child, (name,))
    found = element.findall(name)
    if len(found) > 1:
        raise RemoteProtocolError(f"{name!r} appears twice", code="duplicate-element", hint=f"one <{name}>")
    if not found:
        raise RemoteProtocolError(f"a {element.tag} needs a {name}", code="missing-part", hint=f"<{name} …/> in it")
    return found[0]


_PIECE: Final = frozenset({"color", "kind", "rotation", "isFlipped"})
_POSITION: Final = frozenset("xy")


def _piece(element: Element) -> moves.SetMove:
    found = texts(element, _PIECE, "position")
    for name in ("color", "kind", "rotation"):
        if name not in found:
            raise RemoteProtocolError(f"a piece needs a {name}", code="missing-part", hint=f'{name}="…"')
    place = texts(_position(element), _POSITION)
    return moves.SetMove(
        _named(COLORS, found["color"], "color"),
        _named(SHAPES, found["kind"], "kind"),
        _named(ROTATIONS, found["rotation"], "rotation"),
        found.get("isFlipped", "").lower() == "true",
        # A missing coordinate is 0, the default in Java.
        number(place.get("x", "0")),
        number(place.get("y", "0")),
    )


def _position(piece: Element) -> Element:
    found = piece.findall("position")
    if len(found) != 1:
        code = "duplicate-element" if found else "missing-part"
        raise RemoteProtocolError("a piece needs one position", code=code, hint='<position x="0" y="0"/>')
    return found[0]


def _text(element: Element, name: str) -> str:
    found = texts(element, frozenset({name}))
    if name not in found:
        raise RemoteProtocolError(f"a skip needs a {name}", code="missing-part", hint=f"<{name}>BLUE</{name}>")
    return found[name]


def _named(known: Sequence[str], text: str, what: str) -> int:
    if text not in known:
        hint = f"{what}: one of {', '.join(known)}"
        raise RemoteProtocolError(f"there is no {what} {text[:20]!r}", code="unknown-value", hint=hint)
    return known.index(text)


def echo(move: moves.Move) -> str:
    """Return the `lastMove` element of a move."""
    return _element("lastMove", move, 8)


def _element(name: str, move: moves.Move, indent: int) -> str:
    pad = " " * indent
    if isinstance(move, moves.SkipMove):
        return f'{pad}<{name} class="{SKIP_MOVE}">\n{pad}  <color>{COLORS[move.color]}</color>\n{pad}</{name}>'
    looks = f'rotation="{ROTATIONS[move.rotation]}" isFlipped={truth(value=move.is_flipped)}'
    return (
        f'{pad}<{name} class="{SET_MOVE}">\n'
        f'{pad}  <piece color="{COLORS[move.color]}" kind="{SHAPES[move.shape]}" {looks}>\n'
        f'{pad}    <position x="{move.x}" y="{move.y}"/>\n'
        f"{pad}  </piece>\n{pad}</{name}>"
    )


# Results

_DEFINITION: Final = definition(FRAGMENTS)
_TIE: Final = "Beide Spieler sind gleichauf"
_RULES: Final = Blokus()


def result(state: State, names: Sequence[str], fault: Fault | None) -> Result:
    """Return the result of a game that ended by a fault, or by the rules or at its greatest length (None).

    As at the official server, a side that lost by a fault has no points.
    """
    outcome = _RULES.outcome(state) or Outcome(Termination.LIMIT)
    winner = outcome.winner if fault is None else 1 - fault.seat
    victory = [1, 1] if winner is None else [2 * (winner == seat) for seat in (0, 1)]
    points = [0 if fault is not None and seat == fault.seat else state.team_points(seat) for seat in (0, 1)]
    parts = tuple((str(victory[seat]), str(points[seat])) for seat in (0, 1))
    body = f"{_DEFINITION}\n      <scores>\n"
    body += "".join(_entry(names[seat], seat, parts[seat]) for seat in (0, 1))
    body += f"      </scores>\n      <winner {_winner(winner, names, fault)}/>"
    return Result(body, (parts[0], parts[1]))


def _entry(name: str, seat: Seat, parts: Sequence[str]) -> str:
    named = f"name={quoted(name)} " if name.strip() else ""
    inner = "".join(f"            <part>{part}</part>\n" for part in parts)
    player = f'<player {named}team="{TEAMS[seat]}"/>'
    return f"        <entry>\n          {player}\n          <score>\n{inner}          </score>\n        </entry>\n"


def _winner(winner: Seat | None, names: Sequence[str], fault: Fault | None) -> str:
    team = "" if winner is None else f'team="{TEAMS[winner]}" '
    if fault is not None:
        reason = fault.reason
    elif winner is None:
        reason = _TIE
    else:
        reason = f"{SINCE_2021.called(names[winner], winner)} hat am meisten Punkte erzielt."
    return f"{team}regular={truth(value=fault is None)} reason={quoted(reason)}"


def move_text(move: moves.Move, code: str) -> str:
    """Return what the text of a refusal says about a move; "" if the official server does not name it there."""
    return "" if code in UNNAMED else moves.described(move)


SEASON: Final = Season(KIND, GAME_TYPES, _RULES, FRAGMENTS, read, echo, memento, result, move_text, SINCE_2021)
"""Blokus, for the lobby."""
