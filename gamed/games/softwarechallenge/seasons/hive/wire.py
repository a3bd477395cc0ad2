"""Hive in XML, as the official server of the season 2020 lays it out: states, moves, results.

Source: docs/specs/software-challenge.md#layout-of-the-state, docs/reference/software-challenge.md#moves,
docs/specs/software-challenge.md#layout-of-the-result, docs/specs/software-challenge.md#malformed-coordinates. A state
has about 8 KB. It is composed of cached texts, one for each column of the board and the stacks on it, because a move
changes at most two columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, TypeAlias

from gamed.core.errors import RemoteProtocolError
from gamed.core.game import Outcome, Seat, Termination
from gamed.games.softwarechallenge.season import Cause, Fault, Fragment, Result, Season, Sent, definition
from gamed.games.softwarechallenge.seasons.hive import moves
from gamed.games.softwarechallenge.seasons.hive.board import BITS, CELLS, INDEX, RADIUS, Cells, gathered
from gamed.games.softwarechallenge.seasons.hive.position import State
from gamed.games.softwarechallenge.seasons.hive.rules import Hive, Reason
from gamed.games.softwarechallenge.wire import (
    MESSAGE_CLASSES,
    SMALL,
    escaped,
    number,
    quoted,
    texts,
    truth,
    unknown_element,
)
from gamed.wire.xmlstream import Element

KIND: Final = "hive"
GAME_TYPES: Final = ("swc_2020_hive", "swc_2019_piranhas")
"""The published documentation names the second one by mistake."""

FRAGMENTS: Final = (Fragment("Gewinner", "SUM"), Fragment("∅ freie Felder", "AVERAGE"))
SIDES: Final = ("Rot", "Blau")
_SET, _DRAG, _SKIP = ("setmove", "dragmove", "skipmove")
_CLASSES: Final = {
    "setmove": _SET,
    "dragmove": _DRAG,
    "skipmove": _SKIP,
    # The name in the published documentation.
    "missmove": _SKIP,
    # The names of the official server's own classes. It reads them, too (session 70).
    "sc.plugin2020.SetMove": _SET,
    "sc.plugin2020.DragMove": _DRAG,
    "sc.plugin2020.SkipMove": _SKIP,
}
_NO_MOVES: Final = MESSAGE_CLASSES | {"state"}
"""Classes that the official server knows, but not as moves: it reacts as if the message had no `data`."""

_FIELDS: Final = frozenset({"field", "sc.plugin2020.Field"})
_PLACES: Final = frozenset({"sc.plugin2020.util.CubeCoordinates"}) | _FIELDS
_PIECES: Final = frozenset({"piece", "sc.plugin2020.Piece"})


# States


def memento(state: State, names: Sequence[str], echo: str) -> str:
    """Return the `state` element at its final indentation. `echo`: the `lastMove` element, or ""."""
    color, stacks, barred = moves.COLORS[state.mover], state.stacks, state.barred
    parts = [
        f'<state class="state" startPlayerColor="RED" turn="{state.turn}" currentPlayerColor="{color}">',
        f'        <red color="RED" displayName={quoted(names[0])}/>',
        f'        <blue color="BLUE" displayName={quoted(names[1])}/>',
        "        <board>",
        *[_row(place, stacks[part], barred & cells) for place, part, cells in _ROWS],
        "        </board>",
        _hand("Red", 0, state.hand(0)),
        _hand("Blue", 1, state.hand(1)),
    ]
    if echo:
        parts.append(echo)
    parts.append("      </state>")
    return "\n".join(parts)


def _rows() -> Iterator[tuple[int, slice, Cells]]:
    for place, x in enumerate(range(-RADIUS, RADIUS + 1)):
        column = [cell for cell in CELLS if cell[0] == x]
        first = INDEX[column[0]]
        yield place, slice(first, first + len(column)), gathered(*column)


_ROWS: Final = tuple(_rows())
"""The columns of equal x, rows of the XML: each with its place, where its cells are in `CELLS`, and their set."""


@cache
def _frame(number: int) -> tuple[str, str]:
    """Return what is before and after the fields of a column: its tags, and the places that are off the hexagon."""
    x = number - RADIUS
    nothing = "            <null/>\n"
    before = sum((x, y) not in INDEX for y in range(-RADIUS, 0))
    after = sum((x, y) not in INDEX for y in range(RADIUS + 1))
    return "          <fields>\n" + nothing * before, nothing * after + "          </fields>"


# A text has about 1 KB.
@lru_cache(maxsize=2048)
def _row(place: int, stacks: tuple[str, ...], barred: Cells) -> str:
    before, after = _frame(place)
    first = _ROWS[place][1].start
    fields = [_field(index, "#" if BITS[index] & barred else stack) for index, stack in enumerate(stacks, start=first)]
    return before + "".join(fields) + after


@cache
def _field(index: int, stack: str) -> str:
    x, y = CELLS[index]
    truth = "true" if stack == "#" else "false"
    tag = f'            <field x="{x}" y="{y}" z="{-x - y}" isObstructed="{truth}"'
    if stack in ("", "#"):
        return f"{tag}/>\n"
    pieces = "".join(f"              {_piece(letter)}\n" for letter in stack)
    return f"{tag}>\n{pieces}            </field>\n"


def _piece(letter: str) -> str:
    return f'<piece owner="{moves.COLORS[letter.islower()]}" type="{moves.TYPES[letter.upper()]}"/>'


@cache
def _hand(side: str, seat: Seat, letters: str) -> str:
    if not letters:
        return f"        <undeployed{side}Pieces/>"
    pieces = "".join(f"          {_piece(letter.lower() if seat else letter)}\n" for letter in letters)
    return f"        <undeployed{side}Pieces>\n{pieces}        </undeployed{side}Pieces>"


# Moves


def read(data: Element) -> Sent:
    """Return the move in a `data` element. Raises RemoteProtocolError.

    Its codes: `unknown-class`, `unknown-element`, `duplicate-element`, `unknown-value`, `not-a-number`, `out-of-range`,
    `missing-part`.
    """
    kind = data.get("class", "")
    if kind in _NO_MOVES:
        return Sent(None)
    if kind not in _CLASSES:
        known = f"{_SET}, {_DRAG} or {_SKIP}, in lower case (or sc.plugin2020.SetMove, not SetMove alone)"
        raise RemoteProtocolError(f"there is no move of class {kind[:80]!r}", code="unknown-class", hint=known)
    kind = _CLASSES[kind]
    parts, hint = _parts(data, _KNOWN[kind])
    for name in _NEEDED[kind]:
        if name not in parts:
            needed = " and ".join(f"<{part}>" for part in _NEEDED[kind])
            raise RemoteProtocolError(f"a {kind} needs a {name}", code="missing-part", hint=needed)
    inner = [] if hint is None else [f"<hint>{escaped(hint)}</hint>"]
    move: moves.Move | moves.DragNowhere
    if kind == _SET:
        move = _set(parts["piece"], parts["destination"], inner)
    elif kind == _DRAG:
        move = _drag(parts.get("start"), parts.get("destination"), inner)
    else:
        move = moves.SkipMove()
    return Sent(move, _element("lastMove", kind, inner, 8), _original(kind, inner), hint or "")


_KNOWN: Final = {_SET: ("piece", "destination"), _DRAG: ("start", "destination"), _SKIP: ()}
# A dragmove without a start or without a destination is a move, if not a legal one (session 70).
_NEEDED: Final = {_SET: ("piece", "destination"), _DRAG: (), _SKIP: ()}


def _parts(data: Element, known: Sequence[str]) -> tuple[dict[str, Element], str | None]:
    parts: dict[str, Element] = {}
    hints: list[str] = []
    for child in data:
        if child.tag == "hint":
            hints.append(child.get("content") or child.text or "")
        elif child.tag not in known:
            raise unknown_element(child, (*known, "hint"))
        elif child.tag in parts:
            raise RemoteProtocolError(f"{child.tag!r} appears twice", code="duplicate-element")
        else:
            parts[child.tag] = child
    return parts, "\n".join(hints) if hints else None


_Place: TypeAlias = tuple[int, int, int]
_Piece: TypeAlias = tuple[int, str]


def _set(piece: Element, destination: Element, echoed: list[str]) -> moves.SetMove:
    """Return a set, and append the lines that are echoed."""
    there = _place(destination)
    owner, type_ = _piece_of(piece)
    echoed.append(_echoed_piece(owner, type_))
    echoed += _echoed(destination, there)
    return moves.SetMove(type_, owner, *there)


def _drag(start: Element | None, destination: Element | None, echoed: list[str]) -> moves.DragMove | moves.DragNowhere:
    """Return a drag, and append the lines that are echoed."""
    # Read the destination first: if both places are wrong, the error names the destination.
    there = None if destination is None else _place(destination)
    here = None if start is None else _place(start)
    if start is not None and here is not None:
        echoed += _echoed(start, here)
    if destination is None or there is None:
        return moves.DragNowhere(here)
    echoed += _echoed(destination, there)
    x, y, z = here or (None, None, None)
    return moves.DragMove(x, y, z, *there)


def _place(element: Element) -> _Place:
    found = _texts_of_place(element)
    try:
        # Nearly all places have these three numbers and nothing else to look at.
        return SMALL[found["x"]], SMALL[found["y"]], SMALL[found["z"]]
    except KeyError:
        # A missing coordinate is 0, the default in Java.
        pass
    return number(found.get("x", "0")), number(found.get("y", "0")), number(found.get("z", "0"))


_PLACE: Final = frozenset("xyz")
_FIELD: Final = _PLACE | {"isObstructed"}


def _texts_of_place(element: Element) -> Mapping[str, str]:
    if _class_in(element, _PLACES) in _FIELDS:
        return texts(element, _FIELD, "piece")
    return texts(element, _PLACE)


def _class_in(element: Element, known: frozenset[str]) -> str | None:
    kind = element.get("class")
    if kind is not None and kind not in known:
        raise RemoteProtocolError(
            f"there is no {element.tag} of class {kind[:80]!r}", code="unknown-class", hint="no class"
        )
    return kind


_PIECE: Final = frozenset({"owner", "type"})


def _piece_of(element: Element) -> _Piece:
    _class_in(element, _PIECES)
    found = texts(element, _PIECE)
    owner, type_ = found.get("owner"), found.get("type")
    # A missing owner or type makes an illegal move. With an unknown one, the message is not a move at all.
    if owner not in (None, *moves.COLORS) or type_ not in (None, *moves.LETTERS):
        reason = f"there is no piece {(owner or '')[:20]} {(type_ or '')[:20]}"
        owners, types = f"{' or '.join(moves.COLORS)}, in upper case", f"{', '.join(moves.LETTERS)}, in upper case"
        hint = f"owner {owners}; type {types}"
        if owner not in (None, *moves.COLORS):
            hint = f"{owner[:20]!r} is not an owner: {owners}"
        elif type_ is not None:
            hint = f"{type_[:20]!r} is not a type: {types}"
        raise RemoteProtocolError(reason, code="unknown-value", hint=hint)
    whose = moves.NOBODY if owner is None else moves.COLORS.index(owner)
    return whose, moves.NOTHING if type_ is None else moves.LETTERS[type_]


def _original(kind: str, inner: Sequence[str]) -> str:
    # The official server sends no original request for a skip.
    return "" if kind == _SKIP and not inner else _element("originalRequest", kind, inner, 6).lstrip()


def _class_of(move: moves.Move | moves.DragNowhere) -> str:
    return _SET if isinstance(move, moves.SetMove) else _SKIP if isinstance(move, moves.SkipMove) else _DRAG


def _echoed(element: Element, place: _Place) -> list[str]:
    name, (x, y, z) = element.tag, place
    said = f'x="{x}" y="{y}" z="{z}"'
    if element.get("class") not in _FIELDS:
        return [f"<{name} {said}/>"]
    is_obstructed = _texts_of_place(element).get("isObstructed", "").lower() == "true"
    tag = f'<{name} class="field" {said} isObstructed={truth(value=is_obstructed)}'
    pieces = [f"  {_echoed_piece(*_piece_of(piece))}" for piece in element.iterfind("piece")]
    return [f"{tag}>", *pieces, f"</{name}>"] if pieces else [f"{tag}/>"]


def _echoed_piece(owner: int, type_: str) -> str:
    whose = "" if owner == moves.NOBODY else f' owner="{moves.COLORS[owner]}"'
    what = "" if type_ == moves.NOTHING else f' type="{moves.TYPES[type_]}"'
    return f"<piece{whose}{what}/>"


def _element(name: str, kind: str, inner: Sequence[str], indent: int) -> str:
    pad = " " * indent
    if not inner:
        return f'{pad}<{name} class="{kind}"/>'
    lines = f"\n{pad}  ".join(inner)
    return f'{pad}<{name} class="{kind}">\n{pad}  {lines}\n{pad}</{name}>'


def echo(move: moves.Move) -> str:
    """Return the `lastMove` element of a move that was not sent in this game, but comes from a record."""
    inner: list[str] = []
    if isinstance(move, moves.SetMove):
        inner = [f'<piece owner="{moves.COLORS[move.owner]}" type="{moves.TYPES[move.type]}"/>']
    elif isinstance(move, moves.DragMove):
        inner = [f'<start x="{move.start_x}" y="{move.start_y}" z="{move.start_z}"/>']
    if not isinstance(move, moves.SkipMove):
        inner.append(f'<destination x="{move.x}" y="{move.y}" z="{move.z}"/>')
    return _element("lastMove", _class_of(move), inner, 8)


# Results

_DEFINITION: Final = definition(FRAGMENTS)


def result(state: State, names: Sequence[str], fault: Fault | None) -> Result:
    """Return the result of a game that ended by a fault, or by the rules or at its greatest length (None)."""
    outcome = _RULES.outcome(state) or Outcome(Termination.LIMIT)
    winner = outcome.winner if fault is None else 1 - fault.seat
    points = [1, 1] if winner is None else [2 * (winner == seat) for seat in (0, 1)]
    parts = tuple((str(points[seat]), str(state.free(seat))) for seat in (0, 1))
    scores = "".join(_score(*_cause(state, names, fault, seat), parts[seat]) for seat in (0, 1))
    body = f"{_DEFINITION}\n{scores}"
    if winner is not None:
        body += f'      <winner color="{moves.COLORS[winner]}" displayName={quoted(names[winner])}/>\n'
    return Result(body.strip(), (parts[0], parts[1]))


_RULES: Final = Hive()


def _cause(state: State, names: Sequence[str], fault: Fault | None, seat: Seat) -> tuple[Cause, str]:
    if fault is None:
        return Cause.REGULAR, _reason(state, names)
    return (fault.cause, fault.reason) if seat == fault.seat else (Cause.REGULAR, "")


def _reason(state: State, names: Sequence[str]) -> str:
    outcome, reason = _RULES.outcome(state), _RULES.reason(state)
    if outcome is None:
        return "Die vereinbarte Zahl von Zuegen wurde erreicht."
    if reason is Reason.EQUAL or outcome.winner is None:
        return "Das Rundenlimit wurde erreicht.\nBeide Bienen haben gleich viele freie Felder."
    winner = f"{names[outcome.winner]} ({SIDES[outcome.winner]})"
    if reason is Reason.BEE:
        return f"Das Spiel ist beendet.\n{winner} hat die gegnerische Biene umzingelt."
    return f"Das Rundenlimit wurde erreicht.\n{winner} hat mehr freie Felder um seine Biene."


def _score(cause: Cause, reason: str, parts: Sequence[str]) -> str:
    inner = "".join(f"        <part>{part}</part>\n" for part in parts)
    return f'      <score cause="{cause}" reason={quoted(reason)}>\n{inner}      </score>\n'


def move_text(move: moves.Move | moves.DragNowhere, _code: str) -> str:
    """Return what the text of a refusal says about a move."""
    return moves.described(move)


SEASON: Final = Season(KIND, GAME_TYPES, _RULES, FRAGMENTS, read, echo, memento, result, move_text)
"""Hive, for the lobby."""
