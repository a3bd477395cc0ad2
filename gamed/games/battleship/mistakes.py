"""What is wrong with a line, in words for the developer of the client that sent it.

Source: battleship.md B6, and what students send. The referee itself needs none of this: to the referee, a line is a
command or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from gamed.errors import RuleError
from gamed.game import Seat
from gamed.games.battleship.fleet import SIZE
from gamed.games.battleship.wire import Code, decode
from gamed.refusals import Refusal

if TYPE_CHECKING:
    from gamed.games.battleship.rules import State

A_COMMAND: Final = "(1,[X,Y]). to shoot or (2,[X,Y,R]). to answer, and a line feed"
A_FLEET: Final = "all answers must fit one fleet: straight ships of 5, 4, 3, 3 and 2 cells that do not touch"

_ELSEWHERE: Final = "a Battleship client: lines such as (1,[3,4])."
_IN_THE_LIST: Final = re.compile(rb"\[([^\[\]]*)\]")
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


_MISTAKES: Final[tuple[tuple[Callable[[bytes], object], str, str], ...]] = (
    (
        re.compile(rb"[A-Z]+ \S+ HTTP/|[A-Za-z-]+: ").match,
        "part of an HTTP request; the website has another port",
        _ELSEWHERE,
    ),
    (re.compile(rb"\x16\x03").match, "the beginning of TLS; this port takes plain TCP", _ELSEWHERE),
    (re.compile(rb"SSH-").match, "the greeting of an SSH client; the console has another port", _ELSEWHERE),
    (re.compile(rb"\s*<").match, "XML; that is another game's protocol", _ELSEWHERE),
    (
        re.compile(rb"\0").search,
        "NUL bytes in the line, as in UTF-16 or with a length before the text (Java: writeChars, writeUTF)",
        "text of one byte a character (Java: writeBytes), and a line feed",
    ),
    (re.compile(rb"\xef\xbb\xbf").match, "a byte order mark before the command", A_COMMAND),
    (lambda line: not line.isascii(), "bytes that are not ASCII", A_COMMAND),
    (re.compile(rb"\\[nr]").search, "a backslash and a letter in place of a line end", "a line feed (byte 10)"),
    (lambda line: not line.strip(), "nothing but blanks", A_COMMAND),
    (_lacks_stop, "the full stop at the end is missing", "a full stop behind the closing parenthesis: (1,[3,4])."),
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
        "something stands behind the full stop",
        "a line feed behind the full stop",
    ),
    (
        re.compile(rb"\(?\s*\d(\s*,\s*-?\d+)+\s*\)?\s*\.?\s*").fullmatch,
        "the square brackets around the numbers are missing",
        A_COMMAND,
    ),
    (
        _has_no_numbers,
        "the list holds something that is not a whole number",
        "columns and rows are numbers from 0 to 9",
    ),
    (re.compile(rb"\s*\(\s*\(").match, "too many parentheses", A_COMMAND),
)


def mistake(state: State, seat: Seat, body: bytes, error: RuleError) -> Refusal:
    """Return what the developer is told of a line that broke a rule in a state."""
    if error.code == "illegible":
        return _illegible(body)
    if error.code == "contradiction":
        return Refusal(error.code, str(error), "the same answer as before for the same cell", body)
    if error.code == "no-legal-fleet":
        return Refusal(error.code, str(error), _honest(body), body)
    if error.code == "repeated-shot":
        return Refusal(error.code, str(error), "a shot at another cell", body)
    return Refusal(error.code, str(error), expected(state, seat), body)


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
            return Refusal("illegible", reason, instead, body)
    return Refusal("illegible", "the line is no command", A_COMMAND, body)


def expected(state: State, seat: Seat) -> str:
    """Return what a seat may send in a state."""
    if state.winner is not None:
        return "nothing: the game is over"
    if state.attacker is None:
        return "nothing before (5,[])."
    if state.shot is None:
        if seat == state.attacker:
            return "a shot, (1,[X,Y]). with X and Y from 0 to 9"
        return "nothing before the other side has shot"
    cell = f"{state.shot % SIZE},{state.shot // SIZE}"
    if seat == state.attacker:
        return f"nothing before the other side has answered the shot at ({cell})"
    return f"the answer to the shot, (2,[{cell},R]). with R from 1 to 4"
