"""Explanations of wrong lines, for the developer of the client that sent them.

The referee does not need them: for the referee, a line is a command or not.

Source: docs/specs/battleship.md#what-the-clients-can-read, and mistakes that students have made.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from gamed.core.errors import RuleError
from gamed.core.game import Seat
from gamed.core.refusals import Refusal
from gamed.games.battleship.fleet import SIZE
from gamed.games.battleship.wire import Code, Opcode, decode, encode, plain

if TYPE_CHECKING:
    from gamed.games.battleship.rules import State

A_COMMAND: Final = '"(1,[X,Y])." to shoot or "(2,[X,Y,R])." to answer, and a line feed'
A_RESULT: Final = "R is 1 water, 2 hit, 3 sunk, 4 last ship sunk"
A_CELL: Final = "numbers from 0 to 9: people's column 1 is X=0, and row A is Y=0"
A_FLEET: Final = "all answers must fit one fleet: straight ships of 5, 4, 3, 3 and 2 cells that do not touch"

_READS_LF: Final = (
    "if your program never saw the shot: the server's lines end with CR (byte 13) alone, "
    "so a readline that waits for LF waits forever"
)
_ELSEWHERE: Final = 'a Battleship client: lines such as "(1,[3,4])."'
_IN_THE_LIST: Final = re.compile(rb"\[([^\[\]]*)\]")
_UTF_16: Final = re.compile(rb"\0?(?:[^\0]\0)*[^\0]?")
_OPCODE: Final = re.compile(rb"\s*\(?\s*([+-]?\d+)\s*,\s*\[")


def _lacks_stop(line: bytes) -> bool:
    return decode(line + b".") is not None


def _is_quoted(line: bytes) -> bool:
    return decode(line.strip(b" \"'`")) is not None


def _has_unknown_opcode(line: bytes) -> bool:
    found = _OPCODE.match(line)
    return found is not None and found[1] not in (b"1", b"2", b"3", b"4", b"5")


def _is_unbalanced(line: bytes) -> bool:
    return line.count(b"(") != line.count(b")") or line.count(b"[") != line.count(b"]")


def _has_no_numbers(line: bytes) -> bool:
    found = _IN_THE_LIST.search(line)
    return found is not None and not re.fullmatch(rb"(\s*-?\d{1,9}\s*(,|$))*", found[1])


def _is_utf_16(line: bytes) -> bool:
    return line.count(b"\0") > 1 and _UTF_16.fullmatch(line) is not None


def _has_no_brackets(line: bytes) -> bool:
    return re.fullmatch(rb"\(?\s*\d(\s*,\s*-?\d+)+\s*\)?\s*\.?\s*", line) is not None


def _right(line: bytes) -> str:
    """Return the command that a line was probably meant to be; "" if that is not clear."""
    if _has_no_brackets(line):
        opcode, _, rest = line.strip(b" \t().").partition(b",")
        line = b"(%s,[%s])." % (opcode.strip(), rest)
    for meant in (line + b".", line.strip(b" \"'`")):
        command = decode(meant)
        if command is not None:
            return f'"{encode(command).decode()}"'
    return ""


_ONE_BYTE: Final = "text of one byte a character (Java: writeBytes), and a line feed"

_MISTAKES: Final[tuple[tuple[Callable[[bytes], object], str, str], ...]] = (
    (
        re.compile(rb"[A-Z]+ \S+ HTTP/|[A-Za-z-]+: ").match,
        "part of an HTTP request; the website has another port",
        _ELSEWHERE,
    ),
    (re.compile(rb"\x16\x03").match, "the beginning of TLS; this port takes plain TCP", _ELSEWHERE),
    (re.compile(rb"SSH-").match, "the greeting of an SSH client; the console has another port", _ELSEWHERE),
    (re.compile(rb"\s*<").match, "XML; that is another game's protocol", _ELSEWHERE),
    (_is_utf_16, "every other byte is NUL: UTF-16 (Java: writeChars)", _ONE_BYTE),
    (re.compile(rb"\0[^\0]").match, "a length of two bytes before the text (Java: writeUTF)", _ONE_BYTE),
    (re.compile(rb"\0").search, "NUL bytes in the line", _ONE_BYTE),
    (re.compile(rb"\xef\xbb\xbf").match, "a byte order mark before the command", A_COMMAND),
    (lambda line: not line.isascii(), "bytes that are not ASCII", A_COMMAND),
    (
        re.compile(rb"\\[nr]").search,
        "a backslash and a letter in place of a line end",
        "a line feed (byte 10) after the full stop",
    ),
    (lambda line: not line.strip(), "only blanks", A_COMMAND),
    (_lacks_stop, "the full stop at the end is missing", "a full stop after the closing parenthesis"),
    (_is_quoted, "quotation marks around the command", A_COMMAND),
    (
        re.compile(rb"\d\s*,\s*\[.*\d\s*,\s*\[").search,
        "several commands on one line",
        "a line feed after each command",
    ),
    (_has_unknown_opcode, "an opcode that does not exist", "opcode 1 to shoot or 2 to answer"),
    (_is_unbalanced, "a parenthesis or a square bracket is missing or too many", A_COMMAND),
    (
        re.compile(rb"\]\s*\)?\s*\.\s*\S").search,
        "there is text after the full stop",
        "a line feed after the full stop",
    ),
    (_has_no_brackets, "the square brackets around the numbers are missing", A_COMMAND),
    (
        _has_no_numbers,
        "the list holds something that is not a whole number",
        A_CELL,
    ),
    (re.compile(rb"\s*\(\s*\(").match, "too many parentheses", A_COMMAND),
)


def mistake(state: State, seat: Seat, body: bytes, error: RuleError) -> Refusal:
    """Return the refusal of a line that broke a rule in a state."""
    if error.code == "illegible":
        return _illegible(body)
    if error.code == "contradiction":
        return Refusal(error.code, str(error), "the same answer as before for the same cell", body)
    if error.code == "no-legal-fleet":
        return _untrue(state, seat, body, error)
    if error.code == "repeated-shot":
        return Refusal(error.code, str(error), "a shot at another cell", body)
    instead = expected(state, seat)
    if error.code == "off-board":
        instead += f"; X and Y are {A_CELL}"
    elif error.code == "wrong-opcode":
        instead += _role(state, seat)
    return Refusal(error.code, _other_cell(state, body) or str(error), instead, body)


def _other_cell(state: State, body: bytes) -> str:
    """Return the reason if a line is an answer for another cell than was shot at, else ""."""
    command = decode(body)
    if command is None or state.shot is None or command.opcode != Opcode.ANSWER or len(command.numbers) != len("XYR"):
        return ""
    column, row = state.shot % SIZE, state.shot // SIZE
    x, y, _ = command.numbers
    if (x, y) == (column, row) or not (0 <= x < SIZE and 0 <= y < SIZE):
        return ""
    swapped = " (X and Y swapped?)" if (y, x) == (column, row) else ""
    return f"answers for ({x},{y}); the shot was at ({column},{row}){swapped}"


def _untrue(state: State, seat: Seat, body: bytes, error: RuleError) -> Refusal:
    command, sea = decode(body), state.seas[seat]
    if command is None or sea is None or command.numbers[-1] not in (Code.SUNK, Code.LAST_SUNK):
        return Refusal(error.code, str(error), _honest(body), body)
    x, y, _ = command.numbers
    near = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    if any(0 <= a < SIZE and 0 <= b < SIZE and sea.open_hits >> a + SIZE * b & 1 for a, b in near):
        return Refusal(error.code, str(error), _honest(body), body)
    reason = f"({x},{y}) cannot have sunk a ship: no neighbouring cell was hit before, and no ship is one cell long"
    return Refusal(error.code, reason, f'"(2,[{x},{y},1])." for water or "(2,[{x},{y},2])." for a hit', body)


def _honest(body: bytes) -> str:
    command = decode(body)
    code = None if command is None else command.numbers[-1]
    if code == Code.LAST_SUNK:
        return f"4 only for the last of five ships; {A_FLEET}"
    if code == Code.SUNK:
        return f"3 only when every cell of a ship is hit, and 2 before; {A_FLEET}"
    return A_FLEET


def _illegible(body: bytes) -> Refusal:
    for has, reason, instead in _MISTAKES:
        if has(body):
            return Refusal("illegible", reason, _with_example(instead, _right(body)), body)
    return Refusal("illegible", "the line is not a command", A_COMMAND, body)


def _with_example(instead: str, right: str) -> str:
    if not right:
        return instead
    return f"{right} and a line feed" if instead == A_COMMAND else f"{instead}: {right}"


def expected(state: State, seat: Seat, *, started: bool = True) -> str:
    """Return what a seat may send in a state. `started`: whether the clients were told to begin."""
    if state.winner is not None:
        return "nothing: the game is over"
    if state.attacker is None or not started:
        return f'nothing before "(5,[])."{_role(state, seat)}'
    if state.shot is None:
        if seat == state.attacker:
            return 'a shot, "(1,[X,Y]).", with X and Y from 0 to 9'
        return f"nothing before the other side has shot{_role(state, seat)}"
    cell = f"{state.shot % SIZE},{state.shot // SIZE}"
    if seat == state.attacker:
        return f"nothing before the other side has answered the shot at ({cell})"
    return f'the answer to the shot, "(2,[{cell},R]).", where {A_RESULT}'


def _role(state: State, seat: Seat) -> str:
    """Return a reminder of the role, for the client that defends first. It is "" after the first answer."""
    if state.attacker in (None, seat) or any(sea is None or sea.known for sea in state.seas):
        return ""
    return '; this client was told to defend first, "(3,[])."'


def due(state: State) -> str:
    """Return which player was to do what; "" before the roles are drawn, and if a line has left that open."""
    if state.attacker is None or state.misled:
        return ""
    return f"seat {state.attacker} was to shoot" if state.shot is None else f"seat {1 - state.attacker} was to answer"


def unanswered(state: State, body: bytes, seconds: float) -> tuple[tuple[Seat, Refusal], ...]:
    """Return the refusal of the client because of which the game has stood still for so long.

    `body`: the last line. Programs shoot and answer at once; people in the browser may think about a shot.
    """
    if state.attacker is None or state.misled:
        return ()
    if state.shot is None:
        reason = f"no shot for {seconds:g} seconds"
        instead = f"{expected(state, state.attacker)}; {_READS_LF.replace('the shot', 'that it is to shoot')}"
        return ((state.attacker, Refusal("no-shot", reason, instead, is_for_programs=True)),)
    cell = f"({state.shot % SIZE},{state.shot // SIZE})"
    if plain(body) != body:
        reason = f"a shot in a form that many clients cannot read; no answer to it for {seconds:g} seconds"
        return ((state.attacker, Refusal("odd-notation", reason, f'"{plain(body).decode()}"', body)),)
    seat = 1 - state.attacker
    reason = f"no answer to the shot at {cell} for {seconds:g} seconds"
    return ((seat, Refusal("no-answer", reason, f"{expected(state, seat)}; {_READS_LF}")),)
