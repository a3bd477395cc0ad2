"""Why a message of a world means nothing, in words for whoever writes the world.

Source: quoridor.md C2, and the mistakes that students make. `messages.understood` decides; what is here only explains,
so nothing of it is on a move's way.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from gamed.errors import LocalProtocolError, RuleError
from gamed.game import Seat
from gamed.games.quoridor.messages import Word
from gamed.games.quoridor.moves import HORIZONTAL, VERTICAL, Move, PawnMove, Wall, spell
from gamed.games.quoridor.signup import Call, Status
from gamed.games.quoridor.walls import SIZE
from gamed.refusals import Refusal, legible
from gamed.wire.sexpr import Char, Datum, ExactComplex, Opaque, Prefab, Symbol, write

MOVES: Final = "(move player 4 1) or (move wall 3 4 horizontal)"
"""Both kinds of moves, as examples."""

MESSAGES: Final = "(play), (wait), (reset), (move player 4 1) or (move wall 3 4 horizontal)"

_PAWN: Final = "(move player 4 1)"
_WALL: Final = "(move wall 3 4 horizontal)"
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
    (bytes, "a byte string"),
    ((int, Fraction, float, complex, ExactComplex), "a number"),
    (Char, "a character"),
    (Prefab, "a structure"),
    (tuple, "a list"),
)


def mistake(datum: Datum) -> Refusal:
    """Return why a datum that `understood` refuses means nothing."""
    if not isinstance(datum, tuple):
        return Refusal("not-a-list", f"a message is a list, and this is {_type(datum)}", MESSAGES)
    if not datum:
        return Refusal("empty-list", "the list is empty", MESSAGES)
    if _quoted(datum) is not None:
        return Refusal("quoted-list", "the list is quoted twice, so what comes is (quote ...)", MESSAGES)
    if any(isinstance(part, tuple) and part[:1] == (_COMMA,) for part in datum):
        return Refusal("comma", "there are commas in the list, which mean something else in Racket", MESSAGES)
    if not isinstance(datum[0], Symbol):
        return _no_word(datum[0])
    word = datum[0].name
    return _in_move(datum) if word == "move" else _unknown(word)


def _no_word(first: Datum) -> Refusal:
    if _quoted(first) is not None:
        return _quoted_symbol("the first word", MESSAGES)
    if isinstance(first, str):
        return _string("the first word", MESSAGES)
    if isinstance(first, tuple):
        return Refusal("nested-list", "the message is a list in another list", MESSAGES)
    return Refusal("no-word", f"the first element is {_type(first)}, and not a word", MESSAGES)


def _unknown(word: str) -> Refusal:
    lower = word.casefold()
    if lower in _WORDS:
        return Refusal("wrong-case", f"{_cut(word)} is not {lower}: capitals count", MESSAGES)
    if lower == "register":
        return Refusal("registered-already", "the world has registered already", MESSAGES)
    if lower in _KINDS:
        return Refusal("move-missing", f"a move begins with the word move, and this begins with {lower}", MOVES)
    if word in _CALLS:
        return Refusal("server-word", f"{word} is what the server tells worlds, and not a message to it", MESSAGES)
    return Refusal("unknown-word", f"no message begins with {_cut(word)}", MESSAGES)


def _in_move(datum: tuple[Datum, ...]) -> Refusal:
    _, *rest = datum
    if not rest:
        return Refusal("too-short", "the move says nothing after the word move", MOVES)
    kind, *rest = rest
    if not isinstance(kind, Symbol) or kind.name not in _KINDS:
        return _wrong_word(kind, "after the word move stands player or wall", "unknown-kind", _KINDS, MOVES)
    example = _WALL if kind.name == "wall" else _PAWN
    if rest and isinstance(rest[0], tuple) and _quoted(rest[0]) is None:
        return Refusal("nested-list", "X and Y stand in a list of their own", example)
    if len(rest) < 2:  # noqa: PLR2004 (X and Y)
        return Refusal("too-short", f"after {kind.name} stand two numbers, X and Y", example)
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
        code, text = "off-board", f"{name} is {shown}, and the board goes from 0 to {SIZE - 1}: counting begins with 0"
        if not 0 <= value < SIZE:
            return Refusal(code, text, example)
        return Refusal("not-whole", f"{name} is {shown}, and not a whole number", f"{example}; 4.0 is taken, too")
    return None


def _no_number(name: str, number: Datum, example: str) -> Refusal:
    if isinstance(number, str):
        return Refusal("string-for-number", f"{name} is a string, and not a number", example)
    if isinstance(number, Symbol) and number.name in _WAYS:
        return Refusal("wrong-order", f"{number.name} stands where {name} belongs: it is the last element", example)
    if _quoted(number) is not None:
        text = f"{name} is quoted in a list that is quoted itself: the server sees {_shown(number)}"
        return Refusal("quoted-number", text, example)
    return Refusal("not-a-number", f"{name} is {_type(number)}, and not a number", example)


def _in_way(rest: list[Datum]) -> Refusal:
    if len(rest) == 2:  # noqa: PLR2004 (X and Y)
        return Refusal("orientation-missing", "after X and Y a wall has horizontal or vertical", _WALL)
    text = "the last element of a wall is horizontal or vertical"
    return _wrong_word(rest[-1], text, "unknown-orientation", _WAYS, _WALL)


def _after_pawn(last: Datum) -> Refusal:
    return Refusal("pawn-extra", f"after the Y of a pawn stands {_type(last)}, and nothing belongs there", _PAWN)


def _wrong_word(word: Datum, text: str, code: str, words: set[str], example: str) -> Refusal:
    """Return what is wrong with a word that should be one of `words`."""
    if _quoted(word) is not None:
        return _quoted_symbol(f"{text}, and it", example)
    if isinstance(word, str):
        return _string(f"{text}, and it", example)
    if not isinstance(word, Symbol):
        return Refusal(code, f"{text}, and this is {_type(word)}", example)
    if word.name.casefold() in words:
        return Refusal("wrong-case", f"{_cut(word.name)} is not {word.name.casefold()}: capitals count", example)
    return Refusal(code, f"{text}, and this is {_cut(word.name)}", example)


def _quoted_symbol(what: str, example: str) -> Refusal:
    text = f"{what} is quoted in a list that is quoted itself, so what comes is (quote ...), and not a symbol"
    return Refusal("quoted-symbol", text, f"{example}: in Racket, quote the whole list once, or use list and 'symbols")


def _string(what: str, example: str) -> Refusal:
    return Refusal("string-for-symbol", f"{what} is a string, and not a symbol", f"{example}: without quotation marks")


def _quoted(datum: Datum) -> Datum | None:
    """Return the X of (quote X), or of what the other quotation marks make; None for other data."""
    match datum:
        case (Symbol(name=name), inner) if name in _QUOTES:
            return inner
    return None


def _type(datum: Datum) -> str:
    if isinstance(datum, Opaque):
        return f"{'an' if datum.kind[0] in 'aeiou' else 'a'} {datum.kind}"
    return next(name for types, name in _TYPES if isinstance(datum, types))


def _shown(datum: Datum) -> str:
    try:
        return _cut(write(datum).decode())
    except LocalProtocolError:
        return _type(datum)


def _cut(text: str) -> str:
    return legible(text if len(text) <= _MOST else text[: _MOST - 1] + "…")


# What is well said, and comes at the wrong time or is against the rules.

_ROOM: Final = "a horizontal wall has X 0 to 7 and Y 1 to 8, a vertical one X 1 to 8 and Y 0 to 7"
_VOTE: Final = "(play) or (wait), after the mail wait-or-play"
_RESET: Final = "(reset), for another game"
_NO_GAME: Final = {
    Status.WAIT: ("there is no game yet: another world must come first", "a move after start2play, start4play or play"),
    Status.FOUR: ("there is no game yet: the table waits for four", "a move after start4play or play"),
}
_NO_VOTE: Final = {
    Status.WAIT: ("there is no vote yet: another world must come first", _VOTE),
    Status.FIRST_WAITS: ("the world has voted already, and the other one has not", "patience"),
    Status.SECOND_WAITS: ("the world has voted already, and the other one has not", "patience"),
    Status.FINISHED: ("the vote is over, and so is the game", _RESET),
}


def untimely(word: Word, status: Status, *, is_running: bool) -> Refusal:
    """Return why a word has no effect now."""
    if word is Word.RESET:
        text = "the game is not over" if is_running else "there has been no game yet"
        return Refusal("no-reset", text, "(reset) after one of the mails won and lost")
    fallback = (
        "the vote is over, and the game has begun" if is_running else "the vote is over: the table waits for four"
    )
    return Refusal("no-vote", *_NO_VOTE.get(status, (fallback, "a move, when it is this world's turn")))


def no_game(status: Status) -> Refusal:
    """Return why a move has no effect before a game or after it."""
    if status is Status.FINISHED:
        return Refusal("game-over", "the game is over", _RESET)
    return Refusal("no-game", *_NO_GAME.get(status, ("there is no game yet: the worlds have not voted", _VOTE)))


def out_of_turn(seat: Seat, mover: Seat) -> Refusal:
    """Return why a world's move does not count in a game."""
    text = f"it is the turn of world {mover + 1}, and this is world {seat + 1}"
    return Refusal("out-of-turn", text, "a move only after one of the mails play, start2play and start4play")


def illegal(error: RuleError, moves: Iterable[Move]) -> Refusal:
    """Return why the strict referee refuses a move. `moves`: what would be legal."""
    wanted = PawnMove if error.code in {"pawn-unreachable", "no-walls-left"} else Wall
    place = f"{_ROOM}; " if error.code == "wall-out-of-range" else ""
    examples = [f"(move {spell(move)})" for move in islice((m for m in moves if isinstance(m, wanted)), 3)]
    return Refusal(error.code, str(error), f"{place}a legal move, such as {' or '.join(examples)}")


TABLE_OVER: Final = Refusal(
    "table-over",
    "a world has left the table, and nothing is taken there any longer",
    "a registration in a new connection",
)
PAUSED: Final = Refusal("paused", "the table is paused, and keeps no more messages", "patience")
TOO_MANY: Final = Refusal(
    "too-many", "a thousand messages of this world had no effect since the game began: it is thrown out", MESSAGES
)
