"""Explanations of refused messages, for the developers of worlds.

Source: docs/reference/quoridor.md#what-worlds-send, and the mistakes that students make. `messages.understood` decides
what is refused. This module only explains it, so valid moves do not come here.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from gamed.core.errors import LocalProtocolError, RuleError
from gamed.core.game import Seat
from gamed.core.refusals import Refusal
from gamed.core.texts import printable
from gamed.games.quoridor.messages import Word
from gamed.games.quoridor.moves import HORIZONTAL, VERTICAL, Move, PawnMove, Wall, to_notation
from gamed.games.quoridor.signup import Call, Status
from gamed.games.quoridor.walls import SIZE
from gamed.wire.datums import Char, Datum, Opaque, Symbol, write

# The moves in the examples may be illegal in the position: only their shape matters.
MOVES: Final = "a move in the shape (move player 4 1) or (move wall 3 4 horizontal)"
MESSAGES: Final = "(play), (wait), (reset), or a move in the shape (move player 4 1) or (move wall 3 4 horizontal)"

_PAWN: Final = "a move in the shape (move player 4 1)"
_WALL: Final = "a move in the shape (move wall 3 4 horizontal)"
_KINDS: Final = {"player", "wall"}
_WAYS: Final = {HORIZONTAL, VERTICAL}
_WORDS: Final = {*Word, "move"}
_CALLS: Final = {*Call, "OKAY"} - _WORDS
_QUOTES: Final = frozenset({"quote", "quasiquote"})
_COMMA: Final = Symbol("unquote")
_MOST: Final = 40

_TYPES: Final = (
    (bool, "a boolean"),
    (Symbol, "a symbol"),
    (str, "a string"),
    ((int, Fraction, float), "a number"),
    (Char, "a character"),
    (tuple, "a list"),
)


def mistake(datum: Datum) -> Refusal:
    """Return what is wrong with a datum that `understood` does not accept."""
    if not isinstance(datum, tuple):
        return Refusal("not-a-list", f"a message must be a list; here it is {_type(datum)}", MESSAGES)
    if not datum:
        return Refusal("empty-list", "the list is empty", MESSAGES)
    if _quoted(datum) is not None:
        return Refusal("quoted-list", "the list was quoted a second time, so (quote ...) was sent", MESSAGES)
    if any(isinstance(part, tuple) and part[:1] == (_COMMA,) for part in datum):
        return Refusal("comma", "there are commas in the list: elements are separated by spaces", MESSAGES)
    if not isinstance(datum[0], Symbol):
        return _no_word(datum[0])
    word = datum[0].name
    return _in_move(datum) if word == "move" else _unknown(word)


def _no_word(first: Datum) -> Refusal:
    if _quoted(first) is not None:
        return _quoted_symbol("the first word must be a symbol", MESSAGES)
    if isinstance(first, str):
        return _string("the first word must be a symbol", MESSAGES)
    if isinstance(first, tuple):
        return Refusal("nested-list", "the message is a list in another list", MESSAGES)
    return Refusal("no-word", f"the first element must be a word; here it is {_type(first)}", MESSAGES)


def _unknown(word: str) -> Refusal:
    lower = word.casefold()
    if lower in _WORDS:
        return Refusal("wrong-case", f"{lower} must be written in lower case", MESSAGES)
    if lower == "register":
        return Refusal("registered-already", "the world has registered already", MESSAGES)
    if lower in _KINDS:
        return Refusal("move-missing", f"a move must begin with the word move; this one begins with {lower}", MOVES)
    if word in _CALLS:
        return Refusal("server-word", f"{word} is a message from the server to worlds, not to the server", MESSAGES)
    return Refusal("unknown-word", f"no message begins with {_cut(word)}", MESSAGES)


def _in_move(datum: tuple[Datum, ...]) -> Refusal:
    _, *rest = datum
    if not rest:
        return Refusal("too-short", "nothing follows the word move", MOVES)
    kind, *rest = rest
    if not isinstance(kind, Symbol) or kind.name not in _KINDS:
        return _wrong_word(kind, "the word after move must be the symbol player or wall", "unknown-kind", _KINDS, MOVES)
    example = _WALL if kind.name == "wall" else _PAWN
    if rest and isinstance(rest[0], tuple) and _quoted(rest[0]) is None:
        return Refusal("nested-list", "X and Y must not be in a list of their own", example)
    if len(rest) < 2:  # noqa: PLR2004 (X and Y)
        return Refusal("too-short", f"after {kind.name} there must be two numbers, X and Y", example)
    for name, number in zip("XY", rest, strict=False):
        refusal = _in_number(name, number, example)
        if refusal is not None:
            return refusal
    return _in_way(rest) if kind.name == "wall" else _after_pawn(rest[-1])


def _in_number(name: str, number: Datum, example: str) -> Refusal | None:
    """Return what is wrong with a coordinate, or None."""
    if type(number) not in {int, float, Fraction}:
        return _no_number(name, number, example)
    shown = _shown(number)
    value: Any = number
    if value not in range(SIZE):
        code, text = "off-board", f"{name} is {shown}, but rows and columns are numbered 0 to {SIZE - 1}"
        if not 0 <= value < SIZE:
            return Refusal(code, text, example)
        return Refusal(
            "not-whole", f"{name} must be a whole number; here it is {shown}", f"{example}; 4.0 is accepted, too"
        )
    return None


def _no_number(name: str, number: Datum, example: str) -> Refusal:
    if isinstance(number, str):
        return Refusal("string-for-number", f"{name} must be a number; here it is a string", example)
    if isinstance(number, Symbol) and number.name in _WAYS:
        return Refusal(
            "wrong-order", f"{name} must be a number; here it is {number.name}, which must be the last element", example
        )
    if _quoted(number) is not None:
        sent = _shown(number)
        text = f"{name} must be a number; here it was quoted a second time inside a quoted list, so {sent} was sent"
        return Refusal("quoted-number", text, example)
    return Refusal("not-a-number", f"{name} must be a number; here it is {_type(number)}", example)


def _in_way(rest: list[Datum]) -> Refusal:
    if len(rest) == 2:  # noqa: PLR2004 (X and Y)
        return Refusal("orientation-missing", "after X and Y a wall must have horizontal or vertical", _WALL)
    text = "the last element of a wall must be the symbol horizontal or vertical"
    return _wrong_word(rest[-1], text, "unknown-orientation", _WAYS, _WALL)


def _after_pawn(last: Datum) -> Refusal:
    return Refusal("pawn-extra", f"nothing may follow the Y of a pawn; here {_type(last)} follows", _PAWN)


def _wrong_word(word: Datum, text: str, code: str, words: set[str], example: str) -> Refusal:
    """Return what is wrong with an element that should be one of `words`."""
    if _quoted(word) is not None:
        return _quoted_symbol(text, example)
    if isinstance(word, str):
        return _string(text, example)
    if not isinstance(word, Symbol):
        return Refusal(code, f"{text}; here it is {_type(word)}", example)
    if word.name.casefold() in words:
        return Refusal("wrong-case", f"{word.name.casefold()} must be written in lower case", example)
    return Refusal(code, f"{text}; here it is {_cut(word.name)}", example)


def _quoted_symbol(what: str, example: str) -> Refusal:
    text = f"{what}; here it was quoted a second time inside a quoted list, so (quote ...) was sent"
    return Refusal("quoted-symbol", text, f"{example}; in Racket, quote the whole list once, or use list and 'symbols")


def _string(what: str, example: str) -> Refusal:
    return Refusal("string-for-symbol", f"{what}; here it is a string", f"{example}, without quotation marks")


def _quoted(datum: Datum) -> Datum | None:
    """Return the X of (quote X) or (quasiquote X), or None for other data."""
    match datum:
        case (Symbol(name=name), inner) if name in _QUOTES:
            return inner
    return None


def _type(datum: Datum) -> str:
    if isinstance(datum, Opaque):
        return f"{'an' if datum.kind[0] in 'aeiou' else 'a'} {datum.kind}, which this game never sends"
    return next(name for types, name in _TYPES if isinstance(datum, types))


def _shown(datum: Datum) -> str:
    try:
        return _cut(write(datum).decode())
    except LocalProtocolError:
        return _type(datum)


def _cut(text: str) -> str:
    return printable(text if len(text) <= _MOST else text[: _MOST - 1] + "…")


# Messages of the right shape that come at the wrong time or break the rules.

_ROOM: Final = "a horizontal wall has X 0 to 7 and Y 1 to 8, a vertical one X 1 to 8 and Y 0 to 7"
_VOTE: Final = "wait for the mail wait-or-play, and only then send (play) or (wait)"
_RESET: Final = "(reset), for another game"
_PATIENCE: Final = "wait for the mail start2play, start2wait or wait-for-players"
_NO_GAME: Final = {
    Status.WAIT: (
        "no game has begun yet: another world must come first",
        "a move after start2play, start4play or play",
    ),
    Status.FOUR: ("no game has begun yet: the table waits for four", "a move after start4play or play"),
}
_NO_VOTE: Final = {
    Status.WAIT: ("there is no vote yet: another world must come first", _VOTE),
    Status.FIRST_WAITS: ("this world has voted already, and the other one has not", _PATIENCE),
    Status.SECOND_WAITS: ("this world has voted already, and the other one has not", _PATIENCE),
    Status.FINISHED: ("the vote is over, and so is the game", _RESET),
}


def untimely(word: Word, status: Status, *, is_running: bool) -> Refusal:
    """Return why a word has no effect at this time."""
    if word is Word.RESET:
        text = "a game is running" if is_running else "no game has begun yet"
        return Refusal("no-reset", text, "(reset) only after the mail won or lost")
    fallback = (
        "the vote is over, and the game has begun" if is_running else "the vote is over: the table waits for four"
    )
    return Refusal("no-vote", *_NO_VOTE.get(status, (fallback, "a move, when it is your turn")))


def no_game(status: Status) -> Refusal:
    """Return why a move has no effect before a game or after it."""
    if status is Status.FINISHED:
        return Refusal("game-over", "the game is over", _RESET)
    return Refusal("no-game", *_NO_GAME.get(status, ("no game has begun yet: the worlds have not voted", _VOTE)))


def out_of_turn(seat: Seat, mover: Seat) -> Refusal:
    """Return why a move is refused when another world is to move."""
    text = f"it is world {mover + 1}'s turn, and you are world {seat + 1}"
    return Refusal("out-of-turn", text, "a move only after the mail play, start2play or start4play")


def illegal(error: RuleError, moves: Iterable[Move]) -> Refusal:
    """Return why the strict referee refuses a move. `moves`: the legal ones, for examples."""
    wanted = PawnMove if error.code in {"pawn-unreachable", "no-walls-left"} else Wall
    place = f"{_ROOM}; " if error.code == "wall-out-of-range" else ""
    examples = [f"(move {to_notation(move)})" for move in islice((m for m in moves if isinstance(m, wanted)), 3)]
    return Refusal(
        error.code, f"{error}; it is still your turn", f"{place}a legal move, such as {' or '.join(examples)}"
    )


TABLE_OVER: Final = Refusal(
    "table-over",
    "a world has left the table, and no messages are accepted there any longer",
    "a registration in a new connection",
)
PAUSED: Final = Refusal(
    "paused", "the table is paused, and keeps no more messages", "this message once more, when the table goes on"
)
TOO_MANY: Final = Refusal(
    "too-many", "a thousand messages of this world had no effect since the game began: it is thrown out", MESSAGES
)


def too_late(seconds: float, taken: float | None) -> Refusal:
    """Return the refusal of a move that took too long. `taken`: seconds; None: it has not come."""
    reason = f"no move came within {seconds:g} s; the world is removed"
    if taken is not None:
        reason = f"the move came after {taken:.1f} s, later than the {seconds:g} s; the world is removed"
    return Refusal("move-too-late", reason, f"a move within {seconds:g} s of the mail play, start2play or start4play")
